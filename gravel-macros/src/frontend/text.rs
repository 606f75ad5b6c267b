//! The text that the middle end sees: one line per statement, on the line of the file where the statement begins.

use gravelc::ir::{FileId, Span};

/// The text so far.
#[derive(Default)]
pub struct Text {
    bytes: String,
    line: usize,
}

impl Text {
    /// Adds a piece that begins on this line of the file, as far as lines are known.
    pub fn add(&mut self, line: usize, piece: &str) -> Span {
        while self.line + 1 < line {
            self.bytes.push('\n');
            self.line += 1;
        }
        let start = self.bytes.len();
        self.bytes.extend(piece.chars().map(|letter| if letter == '\n' { ' ' } else { letter }));
        let end = self.bytes.len();
        self.bytes.push(' ');
        Span { file: FileId(0), start, end }
    }

    /// Where the next piece begins at the earliest.
    pub fn end(&self) -> usize {
        self.bytes.len()
    }

    /// All of it.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_bytes()
    }
}
