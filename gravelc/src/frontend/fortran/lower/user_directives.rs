//! Comments that speak to gravelc: `!$gravel`, in fixed form also `c$gravel` and `*$gravel`.

use super::super::names::units::Source;
use crate::ir::{Directive, DirectivePlace, Procedure, ProcedureId, StatementId};

/// The sentinel behind the character that begins the comment.
const SENTINEL: &[u8] = b"$gravel";

/// The directives of a file with the statements that they stand before.
pub fn directives_of(source: &Source<'_>, procedures: &[Procedure]) -> Vec<Directive> {
    let comments = source.parsed.lexed.comments.iter();
    comments
        .filter_map(|comment| {
            let bytes = &source.original[comment.clone()];
            let behind = comment.start + sentinel_length(bytes)?;
            let text = &source.original[behind..comment.end];
            let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let text = text.trim_ascii();
            let start = behind + if text.is_empty() { 0 } else { blanks };
            Some(Directive {
                text: String::from_utf8_lossy(text).into_owned(),
                span: source.span(start..start + text.len()),
                place: place_of(source, procedures, comment.start, comment.end),
            })
        })
        .collect()
}

/// The length of the sentinel with the character that begins the comment; `None` for all other comments.
fn sentinel_length(comment: &[u8]) -> Option<usize> {
    let (first, rest) = comment.split_first()?;
    let word = rest.get(..SENTINEL.len())?;
    let ends = rest.get(SENTINEL.len()).is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_');
    (matches!(first, b'!' | b'c' | b'C' | b'*') && word.eq_ignore_ascii_case(SENTINEL) && ends)
        .then_some(1 + SENTINEL.len())
}

fn place_of(source: &Source<'_>, procedures: &[Procedure], start: usize, end: usize) -> DirectivePlace {
    let lexed = &source.parsed.lexed;
    let line_start = source.original[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
    let is_alone = source.original[line_start..start].iter().all(u8::is_ascii_whitespace);
    if !is_alone || lexed.statement_at(start).is_some() {
        return DirectivePlace::Beside;
    }
    let Some(next) = lexed.statements.get(lexed.first_statement_from(end)) else {
        return DirectivePlace::BeforeNothing;
    };
    let in_next = |procedure: &Procedure, id: &StatementId| {
        let span = procedure.statement(*id).span;
        span.file == source.file && (next.start..next.end).contains(&span.start)
    };
    procedures
        .iter()
        .enumerate()
        .find_map(|(index, procedure)| {
            let statement = procedure.statements_in_order().into_iter().find(|id| in_next(procedure, id))?;
            Some(DirectivePlace::Before { procedure: ProcedureId(index), statement })
        })
        .unwrap_or(DirectivePlace::BeforeNothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentinel_is_a_word() {
        for (comment, expected) in [
            ("!$gravel skip", Some(8)),
            ("!$GRAVEL", Some(8)),
            ("*$gravel tile(64)", Some(8)),
            ("C$Gravel skip", Some(8)),
            ("!$gravelly road", None),
            ("! $gravel skip", None),
            ("! gravel: posted early", None),
            ("!", None),
        ] {
            assert_eq!(sentinel_length(comment.as_bytes()), expected, "{comment}");
        }
    }
}
