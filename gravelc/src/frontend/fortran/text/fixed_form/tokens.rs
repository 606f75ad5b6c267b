//! The tokens of one statement of fixed form. Blanks outside of literals mean nothing, but they are a good guess at where
//! a name ends: names that belong together are joined later, where the kind of the statement shows it.

use std::ops::Range;

use crate::source_layout::FixedLine;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FixedTokenKind {
    /// Letters, digits, `_` and `$`.
    Word,
    /// Digits with what belongs to a number.
    Number,
    /// A literal in quotes, or a Hollerith constant, which has become one.
    Text,
    /// Anything else.
    Symbol,
}

/// A token with the bytes that stand for it in free form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixedToken {
    /// What it is.
    pub kind: FixedTokenKind,
    /// Where it is in the file, from its first to its last byte.
    pub range: Range<usize>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl FixedToken {
    /// Is it this word?
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == FixedTokenKind::Word && self.bytes.eq_ignore_ascii_case(word.as_bytes())
    }

    /// Is it this symbol?
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == FixedTokenKind::Symbol && self.bytes == symbol.as_bytes()
    }

    /// Is it a word or a number?
    pub fn is_wordlike(&self) -> bool {
        matches!(self.kind, FixedTokenKind::Word | FixedTokenKind::Number)
    }
}

/// The tokens of a statement, and the comment behind its last line.
pub(super) struct Tokenized {
    /// The tokens in order.
    pub tokens: Vec<FixedToken>,
    /// The comment.
    pub comment: Option<Range<usize>>,
}

/// A byte of the statement field.
#[derive(Clone, Copy)]
struct Cell {
    byte: u8,
    /// Where it is in the file; of the blanks behind a short line, the line's end.
    at: usize,
}

/// The statement fields of `lines`, each to its last column: short lines go on with blanks.
fn cells(text: &[u8], lines: &[FixedLine]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        cells.extend(line.field.clone().map(|at| Cell { byte: text[at], at }));
        if index + 1 < lines.len() {
            cells.extend(std::iter::repeat_n(Cell { byte: b' ', at: line.field.end }, line.missing));
        }
    }
    cells
}

struct Tokenizer<'a> {
    cells: &'a [Cell],
    /// Index of the cell behind each line.
    line_ends: Vec<usize>,
    position: usize,
    tokens: Vec<FixedToken>,
    comment: Option<Range<usize>>,
    depth: usize,
}

/// Splits the statement on `lines` into tokens.
///
/// # Errors
///
/// What keeps it from being read.
pub(super) fn tokenize(text: &[u8], lines: &[FixedLine]) -> Result<Tokenized, String> {
    let all = cells(text, lines);
    let mut line_ends = Vec::with_capacity(lines.len());
    let mut count = 0;
    for (index, line) in lines.iter().enumerate() {
        count += line.field.len() + if index + 1 < lines.len() { line.missing } else { 0 };
        line_ends.push(count);
    }
    let mut tokenizer = Tokenizer { cells: &all, line_ends, position: 0, tokens: Vec::new(), comment: None, depth: 0 };
    while tokenizer.position < all.len() {
        tokenizer.token(lines)?;
    }
    Ok(Tokenized { tokens: tokenizer.tokens, comment: tokenizer.comment })
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl Tokenizer<'_> {
    fn byte(&self, index: usize) -> Option<u8> {
        self.cells.get(index).map(|cell| cell.byte)
    }

    fn push(&mut self, kind: FixedTokenKind, from: usize, to: usize, bytes: Vec<u8>) {
        let range = self.cells[from].at..self.cells[to - 1].at + 1;
        self.tokens.push(FixedToken { kind, range, bytes });
    }

    fn bytes(&self, from: usize, to: usize) -> Vec<u8> {
        self.cells[from..to].iter().map(|cell| cell.byte).collect()
    }

    fn advance_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.byte(self.position).is_some_and(&accept) {
            self.position += 1;
        }
    }

    fn token(&mut self, lines: &[FixedLine]) -> Result<(), String> {
        let start = self.position;
        let byte = self.cells[start].byte;
        match byte {
            _ if byte.is_ascii_whitespace() => self.position += 1,
            b'!' => {
                let line = self.line_ends.partition_point(|&end| end <= start);
                self.position = self.line_ends[line];
                if line + 1 == lines.len() {
                    self.comment = Some(self.cells[start].at..lines[line].end);
                }
            }
            b'\'' | b'"' => self.literal(byte)?,
            _ if byte.is_ascii_digit() => self.number(),
            b'.' if self.byte(start + 1).is_some_and(|next| next.is_ascii_digit()) && !self.is_behind_word() => {
                self.number();
            }
            _ if is_word_byte(byte) => {
                self.advance_while(is_word_byte);
                self.push(FixedTokenKind::Word, start, self.position, self.bytes(start, self.position));
                if self.depth == 0 && self.tokens.len() == 1 && self.tokens[0].is_word("format") {
                    self.format();
                }
            }
            _ => {
                let two = [byte, self.byte(start + 1).unwrap_or(b' ')];
                let is_long = matches!(&two, b"==" | b"=>" | b"/=" | b"<=" | b">=" | b"::" | b"**" | b"//");
                self.position += if is_long { 2 } else { 1 };
                match byte {
                    b'(' => self.depth += 1,
                    b')' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                // `(/` and `/)` of array constructors, and the empty name of `common //`, are two symbols each.
                self.push(FixedTokenKind::Symbol, start, self.position, self.bytes(start, self.position));
            }
        }
        Ok(())
    }

    /// Does a word end right here?
    fn is_behind_word(&self) -> bool {
        self.position > 0 && is_word_byte(self.cells[self.position - 1].byte)
    }

    fn literal(&mut self, quote: u8) -> Result<(), String> {
        let start = self.position;
        self.position += 1;
        loop {
            match self.byte(self.position) {
                None => return Err("a character literal without its end".to_string()),
                Some(byte) if byte == quote => {
                    self.position += 1;
                    if self.byte(self.position) != Some(quote) {
                        break;
                    }
                    self.position += 1;
                }
                Some(_) => self.position += 1,
            }
        }
        let mut bytes = self.bytes(start, self.position);
        // The value of a literal says nothing to anybody behind this pass; that it fits its place matters.
        let room = self.cells[self.position - 1].at + 1 - self.cells[start].at;
        if bytes.len() > room {
            bytes = vec![b' '; room];
            bytes[0] = quote;
            bytes[room - 1] = quote;
        }
        self.push(FixedTokenKind::Text, start, self.position, bytes);
        Ok(())
    }

    /// A number, or a Hollerith constant. Blanks in a number mean as little as elsewhere (`3.14159 26535`, `1.D+ 0`).
    fn number(&mut self) {
        let start = self.position;
        self.advance_while(|byte| byte.is_ascii_digit());
        if self.position > start && self.hollerith(start) {
            return;
        }
        let mut bytes = self.bytes(start, self.position);
        self.digits_behind_blanks(&mut bytes);
        let point = self.behind_blanks(self.position);
        let has_point = self.byte(point) == Some(b'.') && !self.operator_follows(point);
        if has_point {
            bytes.push(b'.');
            self.position = point + 1;
            self.digits_behind_blanks(&mut bytes);
        }
        // `REAL*8 D1`: behind an integer and a blank a letter begins a name.
        let letter = if has_point { self.behind_blanks(self.position) } else { self.position };
        // `DO 10 E1 = …`: behind DO a number is a label.
        let is_label = self.tokens.last().is_some_and(|last| last.is_word("do"));
        let is_exponent = |byte: u8| matches!(byte.to_ascii_lowercase(), b'e' | b'd' | b'q') && !is_label;
        if let Some(byte) = self.byte(letter).filter(|&byte| is_exponent(byte)) {
            let sign = self.behind_blanks(letter + 1);
            let signed = self.byte(sign).filter(|byte| matches!(byte, b'+' | b'-'));
            let first = if signed.is_some() { self.behind_blanks(sign + 1) } else { sign };
            if self.byte(first).is_some_and(|byte| byte.is_ascii_digit()) {
                bytes.extend([Some(byte), signed].into_iter().flatten());
                self.position = first;
                self.digits_behind_blanks(&mut bytes);
            }
        }
        if self.byte(self.position) == Some(b'_') {
            let kind = self.position;
            self.advance_while(is_word_byte);
            bytes.extend(self.bytes(kind, self.position));
        }
        self.push(FixedTokenKind::Number, start, self.position, bytes);
    }

    /// The first cell from `index` on that is no blank.
    fn behind_blanks(&self, index: usize) -> usize {
        index
            + self.cells[index.min(self.cells.len())..]
                .iter()
                .take_while(|cell| cell.byte.is_ascii_whitespace())
                .count()
    }

    /// Takes the digits that come next, with the blanks between them, and puts them behind `bytes`.
    fn digits_behind_blanks(&mut self, bytes: &mut Vec<u8>) {
        loop {
            let first = self.behind_blanks(self.position);
            let Some(digit) = self.byte(first).filter(u8::is_ascii_digit) else { return };
            bytes.push(digit);
            self.position = first + 1;
        }
    }

    /// At a point behind digits: do letters and another point follow?
    fn operator_follows(&self, point: usize) -> bool {
        let first = self.behind_blanks(point + 1);
        let mut index = first;
        while self.byte(index).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            index = self.behind_blanks(index + 1);
        }
        index > first && self.byte(index) == Some(b'.')
    }

    /// `5HABCDE`, if that is what the digits from `start` on begin.
    fn hollerith(&mut self, start: usize) -> bool {
        if !matches!(self.byte(self.position), Some(b'h' | b'H')) {
            return false;
        }
        let begins = self.tokens.last().is_some_and(|last| {
            last.kind == FixedTokenKind::Symbol && !last.is_symbol("*") && !last.is_symbol(")")
                || last.is_symbol("*") && !self.tokens[0].is_wordlike()
        });
        // `/3*4HABCD/` repeats.
        let repeats = self.tokens.len() > 2
            && self.tokens.last().is_some_and(|last| last.is_symbol("*"))
            && self.tokens[self.tokens.len() - 2].kind == FixedTokenKind::Number
            && self.tokens[0].is_word("data");
        let digits = String::from_utf8_lossy(&self.bytes(start, self.position)).into_owned();
        let Some(length) = digits.parse::<usize>().ok().filter(|&length| length > 0 && (begins || repeats)) else {
            return false;
        };
        let first = self.position + 1;
        let end = first.saturating_add(length).min(self.cells.len());
        let mut bytes = vec![b'\''];
        bytes.extend(self.cells[first..end].iter().map(|cell| match cell.byte {
            b'\'' | b'&' => b' ',
            byte => byte,
        }));
        bytes.push(b'\'');
        let room = self.cells[end - 1].at + 1 - self.cells[start].at;
        if bytes.len() > room {
            bytes.truncate(room - 1);
            bytes.push(b'\'');
        }
        self.push(FixedTokenKind::Text, start, end, bytes);
        self.position = end;
        true
    }

    /// Behind FORMAT: what its parentheses hold can be anything and means nothing here. An assignment to an array of that
    /// name is one all the same.
    fn format(&mut self) {
        let from = self.position;
        let cells = self.cells;
        let rest: Vec<(usize, u8)> =
            (from..cells.len()).map(|index| (index, cells[index].byte)).filter(|(_, byte)| *byte != b' ').collect();
        let Some(&(open, b'(')) = rest.first() else { return };
        let Some(&(close, b')')) = rest.last() else { return };
        // `format(i) = …` does not end with its only parenthesis, unless it is `format(i) = f(x)`.
        let before_equals = rest.windows(2).any(|pair| pair[0].1 == b')' && pair[1].1 == b'=');
        if before_equals || open == close {
            return;
        }
        self.push(FixedTokenKind::Symbol, open, open + 1, b"(".to_vec());
        match close - open {
            1 => {}
            2 => self.push(FixedTokenKind::Word, open + 1, open + 2, b"a".to_vec()),
            _ => self.push(FixedTokenKind::Word, open + 1, open + 3, b"1x".to_vec()),
        }
        self.push(FixedTokenKind::Symbol, close, close + 1, b")".to_vec());
        self.position = cells.len();
    }
}
