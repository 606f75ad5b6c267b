//! The tokens of text that was not understood, with what can be told of each: keywords, names of operators, names.

use std::ops::Range;

use super::super::text::lexer::{Token, TokenKind};
use super::units::Source;
use crate::ir::Span;

/// Words that begin a statement, or continue its beginning, and that a parenthesis may follow.
const KEYWORDS: &[&str] = &[
    "if",
    "else",
    "elseif",
    "then",
    "end",
    "endif",
    "do",
    "enddo",
    "while",
    "concurrent",
    "select",
    "selectcase",
    "case",
    "default",
    "is",
    "rank",
    "type",
    "where",
    "elsewhere",
    "endwhere",
    "forall",
    "endforall",
    "go",
    "to",
    "goto",
    "call",
    "return",
    "stop",
    "error",
    "continue",
    "cycle",
    "exit",
    "write",
    "read",
    "print",
    "open",
    "close",
    "inquire",
    "backspace",
    "rewind",
    "endfile",
    "flush",
    "wait",
    "allocate",
    "deallocate",
    "nullify",
    "associate",
    "critical",
];

/// Those behind whose parentheses another statement may begin.
const WITH_STATEMENT: &[&str] = &["if", "where", "forall"];

/// A token of a statement with what is known of its place.
pub struct Word<'s> {
    /// Where it is.
    pub token: &'s Token,
    /// Its letters.
    pub text: String,
    /// It is a keyword where it stands.
    pub is_keyword: bool,
    /// It is the name of an operator, between dots.
    pub is_operator: bool,
}

/// The text that is looked at.
pub struct Text<'s> {
    /// The words, numbers and symbols of all statements that it touches.
    pub words: Vec<Word<'s>>,
    /// Which of them belong to it.
    pub range: Range<usize>,
}

impl Text<'_> {
    /// Is the token at `index` this one?
    pub fn is(&self, index: usize, text: &str) -> bool {
        self.words.get(index).is_some_and(|word| word.text == text)
    }

    /// Does it stand in front of that at `index`?
    pub fn is_behind(&self, index: usize, text: &str) -> bool {
        index.checked_sub(1).is_some_and(|before| self.is(before, text))
    }

    /// Is the name at `index` the first one behind CALL?
    pub fn is_behind_call(&self, index: usize) -> bool {
        index.checked_sub(1).is_some_and(|before| self.words[before].is_keyword && self.words[before].text == "call")
    }

    /// The parenthesis that closes the one at `open`, or opens the one at `open` if that closes (then backwards).
    fn other_end(&self, open: usize, forwards: bool) -> Option<usize> {
        let mut depth = 0_i32;
        let mut index = open;
        loop {
            let change = match self.words.get(index)?.text.as_str() {
                "(" | "[" => 1,
                ")" | "]" => -1,
                _ => 0,
            };
            depth += change;
            if depth == 0 {
                return Some(index);
            }
            index = if forwards { index + 1 } else { index.checked_sub(1)? };
        }
    }

    /// Is there a colon right inside the parentheses at `open`, as in a substring?
    pub fn has_range(&self, open: usize) -> bool {
        let Some(close) = self.other_end(open, true) else { return false };
        let mut depth = 0_i32;
        self.words[open..close].iter().any(|word| {
            match word.text.as_str() {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                ":" => return depth == 1,
                _ => {}
            }
            false
        })
    }

    /// The first name of the designator whose part stands behind the `%` in front of `index`.
    pub fn base(&self, index: usize) -> Option<usize> {
        let mut at = index.checked_sub(2)?;
        loop {
            if matches!(self.words[at].text.as_str(), ")" | "]") {
                at = self.other_end(at, false)?.checked_sub(1)?;
                continue;
            }
            if self.words[at].token.kind != TokenKind::Word {
                return None;
            }
            if !self.is_behind(at, "%") {
                return Some(at);
            }
            at = at.checked_sub(2)?;
        }
    }
}

/// The text of `span` in tokens; `None` where they are not what they seem.
pub fn text_of<'s>(source: &'s Source<'_>, span: Span) -> Option<Text<'s>> {
    if source.included_at.is_some() || span.file != source.file {
        return None;
    }
    let range = span.start..span.end.max(span.start + 1);
    let overlaps = |other: &Range<usize>| other.start < range.end && range.start < other.end;
    let lexed = &source.parsed.lexed;
    let suspect = source.parsed.preprocessing.suspect.iter().map(|suspect| &suspect.range);
    let is_elsewhere = source.parsed.free_form.as_ref().is_some_and(|form| {
        form.moved.iter().any(|moved| overlaps(&moved.to) || overlaps(&moved.from))
            || form.unreadable.iter().any(|(range, _)| overlaps(range))
    });
    if is_elsewhere || suspect.into_iter().any(overlaps) {
        return None;
    }
    let first = lexed.statements.partition_point(|statement| statement.end <= range.start);
    let touched = lexed.statements[first..].iter().take_while(|statement| statement.start < range.end);
    let mut words: Vec<Word<'s>> = Vec::new();
    for statement in touched {
        if statement.split_token {
            return None;
        }
        let begin = words.len();
        words.extend(lexed.tokens_of(statement).iter().map(|token| Word {
            token,
            text: String::from_utf8_lossy(&source.original[token.start..token.end]).to_ascii_lowercase(),
            is_keyword: false,
            is_operator: false,
        }));
        mark_operators(&mut words[begin..]);
        mark_keywords(&mut words, begin);
    }
    let is_inside = |word: &Word<'_>| word.token.start < range.end && range.start < word.token.end;
    let start = words.iter().position(is_inside).unwrap_or(0);
    let end = words.iter().rposition(is_inside).map_or(start, |last| last + 1);
    // Text without tokens is not what was lexed.
    (end > start).then_some(Text { words, range: start..end })
}

/// The words that begin declarations which say nothing of other names than they have: neither EQUIVALENCE and COMMON, by which
/// others share memory, nor imports, operations, and what holds for all names.
const DECLARING: &[&str] = &[
    "integer",
    "real",
    "double",
    "doubleprecision",
    "complex",
    "logical",
    "character",
    "type",
    "class",
    "enum",
    "enumerator",
    "sequence",
    "allocatable",
    "asynchronous",
    "bind",
    "codimension",
    "contiguous",
    "data",
    "dimension",
    "external",
    "intent",
    "intrinsic",
    "optional",
    "parameter",
    "pointer",
    "private",
    "protected",
    "public",
    "save",
    "target",
    "value",
    "volatile",
];

/// Words by which such a statement is something else after all, or holds for all names where no list follows.
const BEYOND_NAMES: &[&str] =
    &["final", "function", "generic", "include", "interface", "module", "procedure", "subroutine"];

/// The names in text with declarations that could not be read, where these can say nothing of others; `None` where they may, as
/// macros can.
pub(super) fn names_declared_in(source: &Source<'_>, range: &Range<usize>) -> Option<Vec<String>> {
    let text = text_of(source, source.span(range.clone()))?;
    let macros = source.macros();
    let statements = &source.parsed.lexed.statements;
    let mut names = Vec::new();
    for (index, Word { token, text: word, .. }) in text.words.iter().enumerate() {
        let is_first = statements[..statements.partition_point(|statement| statement.start <= token.start)]
            .last()
            .is_some_and(|statement| {
                let mut tokens = source.parsed.lexed.tokens_of(statement).iter();
                tokens.find(|token| token.kind != TokenKind::Number).is_some_and(|first| first.start == token.start)
            });
        let next = text.words.get(index + 1).map(|next| next.text.as_str());
        if is_first {
            let is_declaration = match word.as_str() {
                "end" => matches!(next, Some("type" | "enum")),
                "endtype" | "endenum" => true,
                // That of Cray makes a variable of any memory.
                "pointer" => next != Some("("),
                word => DECLARING.contains(&word),
            };
            if !is_declaration {
                return None;
            }
        }
        if token.kind != TokenKind::Word {
            continue;
        }
        let written = String::from_utf8_lossy(&source.original[token.start..token.end]);
        let is_for_all = ["save", "private", "public"].contains(&word.as_str()) && !matches!(next, Some("," | "::"));
        if macros.contains(&*written) || BEYOND_NAMES.contains(&word.as_str()) || is_for_all {
            return None;
        }
        names.push(word.clone());
    }
    Some(names)
}

/// Marks the names between dots: `a .and. b`.
fn mark_operators(words: &mut [Word<'_>]) {
    let mut index = 0;
    while index + 2 < words.len() {
        let is_dot = |word: &Word<'_>| word.text == ".";
        if is_dot(&words[index]) && words[index + 1].token.kind == TokenKind::Word && is_dot(&words[index + 2]) {
            words[index + 1].is_operator = true;
            index += 3;
        } else {
            index += 1;
        }
    }
}

/// Marks the keywords of the statement whose words begin at `begin`.
fn mark_keywords(words: &mut Vec<Word<'_>>, begin: usize) {
    let mut index = begin;
    // The name of a construct.
    if words.get(begin + 1).is_some_and(|word| word.text == ":") {
        index += 2;
    }
    loop {
        let mut last = None;
        while let Some(word) = words.get_mut(index) {
            // `if = 1`, `do%x`: a name all the same.
            let is_word = word.token.kind == TokenKind::Word && KEYWORDS.contains(&word.text.as_str());
            let is_label = word.token.kind == TokenKind::Number && last.is_some();
            if !is_word && !is_label {
                break;
            }
            if words.get(index + 1).is_some_and(|next| matches!(next.text.as_str(), "=" | "%")) {
                return;
            }
            words[index].is_keyword = is_word;
            last = is_word.then_some(index).or(last);
            let is_call = words[index].text == "call";
            index += 1;
            if is_call {
                return;
            }
        }
        let leads_on = last.is_some_and(|last| WITH_STATEMENT.contains(&words[last].text.as_str()));
        if !leads_on || words.get(index).is_none_or(|word| word.text != "(") {
            return;
        }
        let text = Text { words: std::mem::take(words), range: 0..0 };
        let close = text.other_end(index, true);
        *words = text.words;
        match close {
            Some(close) => index = close + 1,
            None => return,
        }
    }
}
