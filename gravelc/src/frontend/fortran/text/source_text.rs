//! From the bytes of a file to text in free form, of the same length, in which the preprocessor's decisions have been made as far as
//! they are known.

use std::collections::BTreeSet;
use std::ops::Range;

use super::conditions::{self, Changes, Macro, Macros};
use super::fixed_form::{FreeForm, to_free_form};
use super::includes::Surroundings;
use super::joined_tokens::joined_tokens;
use super::lexer::{Token, lex};
use super::patch::normalise_lines;
use super::preprocessed_lines::{PreprocessedLines, macros_with_arguments, preprocessed_lines};
use crate::source_layout::SourceLayout;

/// The text of a file.
pub struct SourceText {
    /// In free form.
    pub free: Vec<u8>,
    /// As it is, with the lines that the preprocessor sees.
    pub written: Vec<u8>,
    /// These lines, where a preprocessor reads the file.
    pub lines: Option<PreprocessedLines>,
    /// How it was made of the file, where that is in fixed form or a token stands on several lines.
    pub free_form: Option<FreeForm>,
    /// There are lines of the preprocessor.
    pub has_lines: bool,
    /// Some of them speak to it.
    pub has_conditions: bool,
    /// What is known of macros at its end.
    pub macros: Macros,
    /// Where they change.
    pub changes: Changes,
}

impl SourceText {
    /// Reads `original`. It goes through the preprocessor if it `is_preprocessed`, and in any case if it has conditions for one.
    pub fn of(original: &[u8], layout: SourceLayout, is_preprocessed: bool, surroundings: &Surroundings) -> Self {
        let has_lines = original.split(|&byte| byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"#"));
        let has_conditions = has_lines && has_conditions(original);
        let lines = (is_preprocessed || has_conditions)
            .then(|| preprocessed_lines(original, layout, &macros_with_arguments(original, surroundings)));
        let mut written = normalise_lines(lines.as_ref().map_or(original, |lines| &lines.text));
        let mut macros = surroundings.macros.clone();
        let is_quoted = |offset: usize| lines.as_ref().is_some_and(|lines| lines.is_quoted(offset));
        let changes = conditions::decide(&mut written, &mut macros, &is_quoted, surroundings);
        let may_be_macro = |word: &[u8]| {
            let is_named = |name: &str| {
                macros.names().chain(changes.names()).any(|it| it == name)
                    || Macros::names_of_places().any(|it| it == name)
            };
            lines.is_some() && std::str::from_utf8(word).map_or(true, is_named)
        };
        let free_form = match layout {
            SourceLayout::Free => joined_tokens(&written, &may_be_macro),
            SourceLayout::Fixed { columns } => Some(to_free_form(&written, columns, surroundings.compiles_debug_lines)),
        };
        let free = free_form.as_ref().map_or_else(|| written.clone(), |form| form.text.clone());
        Self { free, written, lines, free_form, has_lines, has_conditions, macros, changes }
    }

    /// Its statements.
    pub fn statements(&self) -> LiveStatements {
        let lexed = lex(&self.free);
        let word = |token: &Token| self.free[token.start..token.end].trim_ascii_end().to_vec();
        let unreadable = self.free_form.iter().flat_map(|form| &form.unreadable);
        let unreadable = unreadable.flat_map(|(range, _)| {
            let first = lexed.first_statement_from(range.start);
            first..lexed.first_statement_from(range.end)
        });
        // Lines are joined by what may be a call of a macro.
        let is_defined = |name: &str| {
            let is_known = matches!(self.macros.known.get(name), Some(Macro::WithArguments(_)));
            is_known && !self.changes.may_end(name)
        };
        let is_joined_surely = self
            .lines
            .as_ref()
            .is_none_or(|lines| lines.unterminated.is_none() && lines.calls.iter().all(|call| is_defined(&call.name)));
        let macros: BTreeSet<String> = (self.macros.names().chain(self.changes.names()).cloned())
            .chain(Macros::names_of_places().map(str::to_owned))
            .collect();
        let is_macro = |part: Range<usize>| {
            std::str::from_utf8(&self.free[part]).is_ok_and(|part| macros.contains(part.trim_ascii_end()))
        };
        let names_macro = |token: &Token| match &self.lines {
            Some(lines) => lines.parts_of_name(token.start..token.end).any(is_macro),
            None => is_macro(token.start..token.end),
        };
        let with_macros = (0..lexed.statements.len())
            .filter(|&number| lexed.tokens_of(&lexed.statements[number]).iter().any(names_macro));
        LiveStatements {
            incomplete: unreadable.collect(),
            with_macros: with_macros.collect(),
            is_decided: is_joined_surely
                && !lexed.preprocessor_lines.iter().any(|line| is_condition(&self.free[line.clone()])),
            statements: lexed
                .statements
                .iter()
                .map(|statement| lexed.tokens_of(statement).iter().map(word).collect())
                .collect(),
        }
    }
}

/// The statements of a file that are compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveStatements {
    /// Their tokens, labels left out. Names of macros stand for themselves.
    pub statements: Vec<Vec<Vec<u8>>>,
    /// The numbers of those of which only the first line is there: in fixed form they can't be read.
    pub incomplete: BTreeSet<usize>,
    /// The numbers of those that name a macro.
    pub with_macros: BTreeSet<usize>,
    /// All conditions are decided, everything ends that the preprocessor begins, and lines that it may join are joined.
    pub is_decided: bool,
}

/// Is the line of the preprocessor one that begins, divides or ends a conditional region?
pub(super) fn is_condition(line: &[u8]) -> bool {
    let word = line.trim_ascii_start().strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
    [&b"if"[..], b"el", b"endif"].iter().any(|condition| word.starts_with(condition))
}

/// Are there lines for a preprocessor?
pub(super) fn has_conditions(original: &[u8]) -> bool {
    original.split(|&byte| byte == b'\n').any(speaks_to_preprocessor)
}

/// Is the line for a preprocessor, and not from one?
fn speaks_to_preprocessor(line: &[u8]) -> bool {
    let words = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
    words.is_some_and(|words| words.first().is_some_and(u8::is_ascii_alphabetic) && !words.starts_with(b"line"))
}
