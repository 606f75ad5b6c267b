//! The text of a unit that is read as a program, and which of its parts a file spells itself.
//!
//! The text has the spellings of all tokens with one blank where the source had any, in lines as in the source. What system
//! headers hold is not in it. Each byte leads back to a token, and each token to the bytes of a file and the macros that it came
//! through.

mod own_text;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::preprocess::{Flags, Place, Token, TokenKind, Unit};

pub use own_text::{NotOwn, OwnText};

/// A unit with its text.
#[derive(Debug)]
pub struct Expansion {
    unit: Unit,
    text: Vec<u8>,
    /// Where each token begins in the text.
    starts: Vec<u32>,
    invocations: own_text::Invocations,
}

impl Expansion {
    /// The text of a unit that was preprocessed for [reading](super::preprocess::Purpose::Reading).
    pub fn new(unit: Unit) -> Self {
        let mut text: Vec<u8> = Vec::with_capacity(unit.tokens.len() * 6);
        let mut starts = Vec::with_capacity(unit.tokens.len());
        let mut before: Option<usize> = None;
        for (number, token) in unit.tokens.iter().enumerate() {
            if let Some(before) = before {
                let last = &unit.tokens[before];
                let ends_directive = last.flags.has(Flags::DIRECTIVE) && !token.flags.has(Flags::DIRECTIVE);
                if token.flags.has(Flags::LINE_START) || ends_directive {
                    text.push(b'\n');
                } else if token.flags.has(Flags::SPACE) || !touch(&unit, before, number) {
                    text.push(b' ');
                }
            }
            // The limits of a unit keep the text below 4 GiB.
            starts.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            text.extend_from_slice(unit.symbols.spelling(token.symbol));
            before = Some(number);
        }
        if !text.is_empty() {
            text.push(b'\n');
        }
        let invocations = own_text::Invocations::of(&unit);
        Self { unit, text, starts, invocations }
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// The bytes of the text that spell a token.
    pub fn range_of(&self, token: usize) -> Range<usize> {
        let start = self.starts[token] as usize;
        start..start + self.unit.symbols.spelling(self.unit.tokens[token].symbol).len()
    }

    /// The token that a byte of the text belongs to; between two, the one behind.
    pub fn token_at(&self, offset: usize) -> Option<usize> {
        let behind = self.starts.partition_point(|start| *start as usize <= offset);
        match behind.checked_sub(1) {
            Some(token) if self.range_of(token).end > offset => Some(token),
            _ => (behind < self.starts.len()).then_some(behind),
        }
    }

    /// The tokens that begin in a range of the text.
    pub fn tokens_in(&self, range: Range<usize>) -> Range<usize> {
        let first = self.starts.partition_point(|start| (*start as usize) < range.start);
        let behind = self.starts.partition_point(|start| (*start as usize) < range.end);
        first..behind.max(first)
    }

    /// Where in a file a byte of the text comes from: the token's own place, or that of the outermost macro's invocation. At the end of
    /// the text it is that of the last token.
    pub fn origin(&self, offset: usize) -> Option<Place> {
        let token = self.token_at(offset).or_else(|| self.unit.tokens.len().checked_sub(1))?;
        Some(self.unit.origin(&self.unit.tokens[token]))
    }

    /// The invocations, spelled by files, of what is no operand as it stands: `first + n`, `-1`, `(long)n`, but not `n`, `(n + 1)`, `f(n)`,
    /// `a[i].b`. In no particular order.
    pub fn compounds(&self) -> Vec<Place> {
        let spellings = |tokens: Range<usize>| {
            let spelled = |token: &Token| self.unit.symbols.spelling(token.symbol);
            self.unit.tokens[tokens].iter().map(spelled).collect::<Vec<_>>()
        };
        self.invocations.compounds(&self.unit, &|tokens| is_operand(&spellings(tokens)))
    }

    /// Which bytes of a file are this range of the text, if the file spells it itself: an edit of these bytes is an edit of the range
    /// and of nothing else.
    ///
    /// # Errors
    ///
    /// Why it doesn't.
    pub fn own_text(&self, range: Range<usize>) -> Result<OwnText, NotOwn> {
        own_text::own_text(self, self.tokens_in(range))
    }
}

/// Are the tokens one thing to any operator: a name, a literal, what parentheses are around, or a call, an element or a member of that?
fn is_operand(tokens: &[&[u8]]) -> bool {
    // Behind the parenthesis that is closed.
    let group = |start: usize| {
        let mut depth = 0_usize;
        for (place, token) in tokens.iter().enumerate().skip(start) {
            match *token {
                b"(" | b"[" => depth += 1,
                b")" | b"]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return place + 1;
            }
        }
        tokens.len()
    };
    let Some(first) = tokens.first() else { return false };
    if *first == b"(" {
        return group(0) == tokens.len();
    }
    let is_word = |token: &[u8]| token.first().is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if tokens.len() == 1 {
        return is_word(first) || first.starts_with(b"\"") || first.starts_with(b"'") || first.starts_with(b".");
    }
    if !is_word(first) || *first == b"sizeof" {
        return false;
    }
    let mut place = 1;
    while let Some(token) = tokens.get(place) {
        place = match *token {
            b"(" | b"[" => group(place),
            b"." | b"->" => place + 2,
            _ => return false,
        };
    }
    true
}

/// Do two tokens stand side by side in one file, so that they can't become one?
fn touch(unit: &Unit, first: usize, second: usize) -> bool {
    let (first, second) = (&unit.tokens[first], &unit.tokens[second]);
    // What was made has the place of something else, and what a lone quote begins ends with its line.
    !first.flags.has(Flags::MADE)
        && !second.flags.has(Flags::MADE)
        && first.kind != TokenKind::Other
        && first.place.file == second.place.file
        && first.place.end == second.place.start
}
