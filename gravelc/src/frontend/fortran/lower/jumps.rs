//! Labels, and the statements that may jump to them: into blocks, too, which compilers accept with a warning.

use std::collections::{HashMap, HashSet};

use super::super::names::own_bytes::OwnBytes;
use super::super::names::units::Source;
use super::super::text::lexer::{Token, TokenKind};
use crate::ir::{Span, Statement, StatementId};

/// The labels of a unit that its statements may jump to, each with where that is said.
#[derive(Debug, Default)]
pub struct JumpLabels {
    /// All numbers that statements which can jump mention: more than the labels that they jump to, never less.
    numbers: HashSet<String>,
    /// Those that stand where a label can stand; nowhere where others jump to it (`assign 10 to k`).
    places: HashMap<String, Vec<Option<Span>>>,
}

impl JumpLabels {
    /// The labels that statements of a unit name.
    pub fn of(source: &Source<'_>, own: &OwnBytes) -> Self {
        let mut found = Self::default();
        let lexed = &source.parsed.lexed;
        for statement in lexed.statements_in(&own.range).iter().filter(|statement| own.contains(statement.start)) {
            let tokens = lexed.tokens_of(statement);
            let word =
                |token: &Token| String::from_utf8_lossy(&source.original[token.start..token.end]).to_ascii_lowercase();
            let words: Vec<String> = tokens.iter().map(word).collect();
            let is_jump = |word: &String| {
                matches!(word.as_str(), "go" | "goto" | "err" | "end" | "eor" | "assign" | "if" | "call")
            };
            if !words.iter().any(is_jump) {
                continue;
            }
            let is_elsewhere = words.iter().any(|word| word == "assign");
            for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Number) {
                let number = words[index].trim_start_matches('0').to_string();
                if may_be_label(&words, index) {
                    let place = (!is_elsewhere).then(|| source.span(token.start..token.end));
                    found.places.entry(number.clone()).or_default().push(place);
                }
                found.numbers.insert(number);
            }
        }
        found
    }

    /// May something jump to this label?
    pub fn contains(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    /// Control may come to all statements into which a jump leads from outside, not only to the target with this label.
    pub fn mark_entered(&self, statements: &mut [Statement], target: StatementId, number: &str) {
        for place in self.places.get(number).into_iter().flatten() {
            let mut outer = statements[target.0].parent;
            while let Some(id) = outer {
                let statement = &mut statements[id.0];
                // What a macro makes has the same place as all that is in it.
                let is_inside = |place: &Span| place.is_within(statement.span) && *place != statement.span;
                statement.jump_target |= !place.as_ref().is_some_and(is_inside);
                outer = statement.parent;
            }
        }
    }
}

/// Can a number there be a label to which the statement of these tokens jumps?
fn may_be_label(words: &[String], index: usize) -> bool {
    let before = |count: usize| index.checked_sub(count).map_or("", |place| words[place].as_str());
    match before(1) {
        "goto" | "to" | "assign" => true,
        // `err = 10`, `call solve(a, *10)`
        "=" => matches!(before(2), "err" | "end" | "eor"),
        "*" => matches!(before(2), "(" | ","),
        // `if (x) 10, 20, 30`, `goto (10, 20), k`, `goto k, (10, 20)`
        ")" | "," | "(" => {
            let follows = |pair: &[String]| pair[0] == ")" && pair[1].starts_with(|first: char| first.is_ascii_digit());
            let is_listed = words[..=index].windows(2).any(follows);
            is_listed || words[..index].iter().any(|word| matches!(word.as_str(), "goto" | "to"))
        }
        _ => false,
    }
}
