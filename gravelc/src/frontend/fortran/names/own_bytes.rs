//! What of a file belongs to one unit alone, and the words in a stretch of it.

use std::ops::Range;

use super::super::text::lexer::TokenKind;
use super::units::{Source, UnitIndex, Units};

/// The bytes of a unit without those of the units inside it.
pub struct OwnBytes {
    /// From its first to its last byte.
    pub range: Range<usize>,
    /// In order.
    inner: Vec<Range<usize>>,
}

impl OwnBytes {
    /// Those of the unit `index`.
    pub fn of(units: &Units<'_>, index: UnitIndex) -> Self {
        let unit = &units.list[index];
        let mut range = unit.node.start_byte()..unit.node.end_byte();
        if unit.header.is_none() {
            // What can't be read in front of the first statement belongs to a main program without a PROGRAM statement.
            let before = units.list[..index].iter().filter(|other| other.source == unit.source && other.host.is_none());
            range.start = before.map(|other| other.node.end_byte()).max().unwrap_or(0).min(range.start);
        }
        let inner = units.inside(index).map(|(_, inner)| inner.node.start_byte()..inner.node.end_byte());
        Self { range, inner: inner.collect() }
    }

    /// Does the byte at `offset` belong to it?
    pub fn contains(&self, offset: usize) -> bool {
        let next = self.inner.partition_point(|inner| inner.end <= offset);
        self.range.contains(&offset) && !self.inner.get(next).is_some_and(|inner| inner.contains(&offset))
    }
}

/// The words in a stretch of a file, with their places, in lower case.
pub fn words_in<'s>(source: &'s Source<'_>, range: Range<usize>) -> impl Iterator<Item = (usize, String)> + 's {
    let tokens = &source.parsed.lexed.tokens;
    let first = tokens.partition_point(|token| token.start < range.start);
    tokens[first..]
        .iter()
        .take_while(move |token| token.start < range.end)
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| {
            let word = String::from_utf8_lossy(&source.original[token.start..token.end]).to_ascii_lowercase();
            (token.start, word)
        })
}
