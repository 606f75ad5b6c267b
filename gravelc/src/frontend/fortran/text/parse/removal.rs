//! Taking text out before it is parsed: what can't be read, what the preprocessor takes away, what was read already.

use std::collections::HashSet;
use std::ops::Range;

use super::super::classify::{Role, StatementText};
use super::super::fixed_form::FreeForm;
use super::super::lexer::{Lexed, LogicalStatement, Token, TokenKind};
use super::super::outline;
use super::super::preprocessed_lines::PreprocessedLines;
use super::super::preprocessor::Preprocessing;
use super::super::unclear::Unclear;
use super::Hole;
use crate::ir::UntouchableCause;

/// Takes out what lies between the first and the last statement of units and procedures that were `kept` as a whole: in most of a
/// large program nothing is changed.
pub(super) fn remove_kept_units(text: &mut [u8], complete: &[u8], lexed: &Lexed, kept: &[Range<usize>]) {
    if kept.is_empty() {
        return;
    }
    let units = outline::read(complete, text, lexed);
    for unit in units.iter().filter(|unit| !unit.is_broken) {
        // The first one that ends behind the unit.
        let place = kept.partition_point(|range| range.end < unit.range.end);
        let is_kept = kept.get(place).is_some_and(|range| range.start <= unit.range.start);
        if let Some(inside) = unit.inside().filter(|_| is_kept) {
            blank(text, inside);
        }
    }
}

/// Takes out the statements in `kept` that neither divide nor declare anything, but for those at the ends of each row of them:
/// what was put between statements is parsed with what stands on both sides of it.
pub(super) fn remove_kept(text: &mut [u8], normal: &[u8], lexed: &Lexed, kept: &[Range<usize>]) {
    let mut kept = kept.iter().peekable();
    let mut row: Vec<&LogicalStatement> = Vec::new();
    let mut blank_inner = |row: &mut Vec<&LogicalStatement>| {
        if let [_, inner @ .., _] = row.as_slice() {
            inner.iter().for_each(|statement| blank(text, statement.start..statement.end));
        }
        row.clear();
    };
    for statement in &lexed.statements {
        while kept.next_if(|range| range.end < statement.end).is_some() {
            blank_inner(&mut row);
        }
        let is_kept = kept.peek().is_some_and(|range| range.start <= statement.start);
        let words = StatementText::new(normal, lexed, statement);
        let is_simple = words.is_assignment() || words.is_word(0, "call") || words.action_start().is_some();
        if is_kept && is_simple && !statement.labelled && statement.interrupted.is_none() {
            row.push(statement);
        } else {
            blank_inner(&mut row);
        }
    }
    blank_inner(&mut row);
}

/// Replaces `range` by blanks, lines kept.
pub(super) fn blank(text: &mut [u8], range: Range<usize>) {
    for byte in text[range].iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

/// `range` without blanks and line ends at its borders.
pub(super) fn trim(text: &[u8], range: Range<usize>) -> Range<usize> {
    let bytes = &text[range.clone()];
    let Some(first) = bytes.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return range.start..range.start;
    };
    let last = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(first);
    range.start + first..range.start + last + 1
}

/// Takes preprocessor lines and conditional regions out.
pub(super) fn remove_preprocessed(text: &mut [u8], lexed: &Lexed, preprocessing: &Preprocessing) -> Vec<Hole> {
    for line in &preprocessing.ignored {
        blank(text, line.clone());
    }
    let mut holes = Vec::new();
    for Unclear { range, cause, why } in &preprocessing.removed {
        blank(text, range.clone());
        let (range, cause, why) = (range.clone(), *cause, why.clone());
        holes.push(Hole { range, why, cause, is_error: false, structural: false });
    }
    // A statement with a preprocessor line in its middle is not what is left of it.
    for statement in lexed.statements.iter().filter(|statement| statement.interrupted.is_some()) {
        let why = "a preprocessor line divides this statement".to_string();
        let structural = is_structural(text, lexed, statement);
        blank(text, statement.start..statement.end);
        let (range, cause) = (statement.start..statement.end, UntouchableCause::Unread);
        holes.push(Hole { range, why, cause, is_error: false, structural });
    }
    holes
}

/// Takes the statements out that could not be brought into free form.
pub(super) fn remove_unreadable(text: &mut [u8], lexed: &Lexed, form: &FreeForm, holes: &mut Vec<Hole>) {
    for (range, why) in &form.unreadable {
        let first = lexed.first_statement_from(range.start);
        let inside = lexed.statements[first..].iter().take_while(|statement| statement.start < range.end);
        let structural = inside.clone().any(|statement| is_structural(text, lexed, statement));
        // What is left of the statement lies on its first line; the tokens of others stay.
        for statement in inside {
            blank(text, statement.start..statement.end);
        }
        let (range, cause, why) = (range.clone(), UntouchableCause::Unread, why.clone());
        holes.push(Hole { range, why, cause, is_error: true, structural });
    }
}

/// Takes the statements out that the preprocessor makes of several lines, or of a line with a comment of C in it, and those in
/// which it does not see the same names as the compiler behind it.
pub(super) fn remove_cut(
    normal: &[u8],
    text: &mut [u8],
    lexed: &Lexed,
    lines: &PreprocessedLines,
    macros: &[String],
    holes: &mut Vec<Hole>,
) {
    let cut = lines.statements_cut(lexed).into_iter();
    let cut = cut.map(|(number, place)| (number, place, "the preprocessor reads this statement's lines as others"));
    let misquoted = misquoted_statements(normal, lexed, lines, macros).into_iter();
    let misquoted = misquoted.map(|number| {
        let statement = &lexed.statements[number];
        (
            number,
            statement.start..statement.end,
            "a macro that is in quotes here, but not to the preprocessor, or the other way round",
        )
    });
    for (number, range, why) in cut.chain(misquoted).collect::<Vec<_>>() {
        let statement = &lexed.statements[number];
        let structural = is_structural(text, lexed, statement);
        blank(text, statement.start..statement.end);
        let (cause, why) = (UntouchableCause::UnknownText, why.to_string());
        holes.push(Hole { range, why, cause, is_error: false, structural });
    }
    for call in &lines.calls {
        let why = "the arguments of a macro go on on the next line".to_string();
        let (range, cause) = (call.range.clone(), UntouchableCause::UnknownText);
        holes.push(Hole { range, why, cause, is_error: false, structural: true });
    }
}

/// The numbers of the statements with a macro in a character literal that is none to the preprocessor, or outside of one in what
/// is one to it. A literal on several lines, and one with a backslash, can be such.
pub(super) fn misquoted_statements(
    text: &[u8],
    lexed: &Lexed,
    lines: &PreprocessedLines,
    macros: &[String],
) -> Vec<usize> {
    if macros.is_empty() {
        return Vec::new();
    }
    let macros: HashSet<&[u8]> = macros.iter().map(String::as_bytes).collect();
    let is_misquoted = |token: &Token| match token.kind {
        TokenKind::Word => macros.contains(&text[token.start..token.end]) && lines.is_quoted(token.start),
        TokenKind::Text => {
            let mut start = token.start;
            text[token.start..token.end].split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).any(|word| {
                let place = start;
                start += word.len() + 1;
                macros.contains(word) && !lines.is_quoted(place)
            })
        }
        TokenKind::Number | TokenKind::Symbol => false,
    };
    let found = lexed.statements.iter().enumerate();
    found
        .filter(|(_, statement)| lexed.tokens_of(statement).iter().any(is_misquoted))
        .map(|(number, _)| number)
        .collect()
}

pub(super) fn is_structural(text: &[u8], lexed: &Lexed, statement: &LogicalStatement) -> bool {
    let words = StatementText::new(text, lexed, statement);
    // The last statement of a labelled DO construct can be any statement.
    words.role() != Role::Simple || statement.labelled || words.is_word(0, "entry")
}

pub(super) fn add_hole(
    text: &mut [u8],
    lexed: &Lexed,
    statement: &LogicalStatement,
    why: String,
    holes: &mut Vec<Hole>,
) {
    let structural = is_structural(text, lexed, statement);
    blank(text, statement.start..statement.end);
    let (range, cause) = (statement.start..statement.end, UntouchableCause::Unread);
    holes.push(Hole { range, why, cause, is_error: true, structural });
}

/// What the grammar would misread without noticing.
pub(super) fn lexical_problem(text: &[u8], lexed: &Lexed, statement: &LogicalStatement) -> Option<String> {
    if statement.split_token {
        return Some("a name or number is split over two lines".to_string());
    }
    let words = StatementText::new(text, lexed, statement);
    if words.is_word(0, "format") {
        return None;
    }
    // The grammar lets statements begin within a line, and go on in the next one.
    if words.is_end_of_more() || words.begins_without_word() {
        return Some("syntax error".to_string());
    }
    let tokens = lexed.tokens_of(statement);
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Symbol) {
        // The grammar takes `@…` and `/* … */` for comments and a backslash for a line continuation.
        let is_comment = words.is_symbol(index, "/")
            && words.is_symbol(index + 1, "*")
            && tokens.get(index + 1).is_some_and(|next| next.start == token.end);
        let is_foreign =
            matches!(text[token.start], b'@' | b'\\' | b'#' | b'`' | b'~' | b'{' | b'}' | b'?' | b'^' | b'|');
        if is_comment || is_foreign || !text[token.start].is_ascii() {
            let character = String::from_utf8_lossy(&text[token.start..token.end]).into_owned();
            return Some(format!("unexpected character `{character}`"));
        }
    }
    None
}

/// Sorts the holes and joins those that overlap.
pub(super) fn merge(holes: &mut Vec<Hole>) {
    holes.sort_by_key(|hole| (hole.range.start, std::cmp::Reverse(hole.range.end)));
    let mut merged: Vec<Hole> = Vec::with_capacity(holes.len());
    for hole in holes.drain(..) {
        match merged.last_mut() {
            Some(last) if hole.range.start < last.range.end => {
                last.range.end = last.range.end.max(hole.range.end);
                last.structural |= hole.structural;
                last.is_error |= hole.is_error;
            }
            _ => merged.push(hole),
        }
    }
    *holes = merged;
}
