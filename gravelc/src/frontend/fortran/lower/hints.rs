//! Hints to compilers and the statements that they belong to.
//!
//! A hint (`!DIR$ IVDEP`, `!GCC$ unroll 4`) changes no name and adds no statement; it says how the statement below it is to be
//! compiled, mostly a loop. Nothing comes between the two, and such a loop is not cut.

use std::ops::Range;

use super::super::names::units::Source;
use super::super::text::directives::{Directive, directive};

/// Where the statement begins to which `comment` belongs, if it is a hint to a compiler: it has a line of its own, between two
/// statements, and no line of the preprocessor stands between it and its statement.
pub(super) fn statement_below_hint(source: &Source<'_>, comment: &Range<usize>) -> Option<usize> {
    let text = source.original;
    if directive(&text[comment.clone()]) != Some(Directive::Hint) {
        return None;
    }
    let line = text[..comment.start].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    let lexed = &source.parsed.lexed;
    let is_beside = !text[line..comment.start].iter().all(u8::is_ascii_whitespace);
    if is_beside || lexed.statement_at(comment.start).is_some() {
        return None;
    }
    let below = lexed.statements.get(lexed.first_statement_from(comment.end))?;
    // Its label, if it has one, stands on its first line.
    let first = lexed.tokens_of(below).first()?.start;
    let is_on_one_line = !text[below.start..first].contains(&b'\n');
    // Also one that is known to hold, so that nothing is left of it.
    let between = source.text[comment.end..below.start].split(|&byte| byte == b'\n');
    let is_divided = between.into_iter().any(|line| line.trim_ascii_start().starts_with(b"#"));
    (is_on_one_line && !is_divided).then_some(below.start)
}
