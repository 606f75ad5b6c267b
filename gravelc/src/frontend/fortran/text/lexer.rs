//! Tokens and logical statements of free-form source (Fortran 2018, 6.3.2).
//!
//! The grammar sees the whole file; this pass sees what the grammar is bad at: which lines belong to one statement,
//! which statements share a line, where comments, directives and preprocessor lines are. It never fails.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number, with its kind parameter.
    Number,
    /// A character literal, quotes included, over all its lines.
    Text,
    /// An operator or a delimiter, of one or two bytes.
    Symbol,
}

/// A token with its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A statement over all its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalStatement {
    /// First byte, of the label where there is one.
    pub start: usize,
    /// One past the last byte; a trailing comment is not part of it.
    pub end: usize,
    /// It begins with a statement label, which `tokens` leaves out.
    pub labelled: bool,
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Offset of a preprocessor line between its lines.
    pub interrupted: Option<usize>,
    /// A name or number is continued on the next line.
    pub split_token: bool,
}

/// A file in tokens.
#[derive(Debug, Default)]
pub struct Lexed {
    /// All tokens in order.
    pub tokens: Vec<Token>,
    /// All statements in order.
    pub statements: Vec<LogicalStatement>,
    /// Comments, from the exclamation mark to the line's end.
    pub comments: Vec<Range<usize>>,
    /// Preprocessor lines, with the lines that a backslash continues.
    pub preprocessor_lines: Vec<Range<usize>>,
}

impl Lexed {
    /// The tokens of `statement`.
    pub fn tokens_of(&self, statement: &LogicalStatement) -> &[Token] {
        &self.tokens[statement.tokens.clone()]
    }

    /// Index of the first statement that begins at or behind `offset`.
    pub fn first_statement_from(&self, offset: usize) -> usize {
        self.statements.partition_point(|statement| statement.start < offset)
    }

    /// The statements that begin in `range`.
    pub fn statements_in(&self, range: &Range<usize>) -> &[LogicalStatement] {
        let first = self.first_statement_from(range.start);
        &self.statements[first..self.first_statement_from(range.end).max(first)]
    }

    /// The comments that begin in `range`.
    pub fn comments_in(&self, range: &Range<usize>) -> &[Range<usize>] {
        let first = self.comments.partition_point(|comment| comment.start < range.start);
        let behind = self.comments.partition_point(|comment| comment.start < range.end);
        &self.comments[first..behind.max(first)]
    }

    /// Index of the statement that holds the byte at `offset`.
    pub fn statement_at(&self, offset: usize) -> Option<usize> {
        let index = self.statements.partition_point(|statement| statement.start <= offset).checked_sub(1)?;
        (offset < self.statements[index].end).then_some(index)
    }
}

/// Splits `text`, which is in free form and whose lines end with a line feed.
pub(super) fn lex(text: &[u8]) -> Lexed {
    let mut lexer = Lexer { text, position: 0, lexed: Lexed::default(), open: None, continued: None };
    lexer.run();
    lexer.lexed
}

/// A statement whose end has not been seen yet.
struct OpenStatement {
    start: usize,
    first_token: usize,
    end: usize,
    interrupted: Option<usize>,
    split_token: bool,
}

struct Lexer<'a> {
    text: &'a [u8],
    position: usize,
    lexed: Lexed,
    open: Option<OpenStatement>,
    /// Offset of the `&` that continues the open statement on a later line.
    continued: Option<usize>,
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.position < self.text.len() {
            self.line();
        }
        self.finish();
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn end_of_line(&self, from: usize) -> usize {
        self.text[from..].iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |length| from + length)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n' && byte.is_ascii_whitespace()) {
            self.position += 1;
        }
    }

    /// Moves to the first character of the next line that holds more than a comment.
    fn skip_lines_without_content(&mut self) {
        self.skip_blanks();
        while let Some(b'\n' | b'!') = self.peek() {
            self.position = (self.end_of_line(self.position) + 1).min(self.text.len());
            self.skip_blanks();
        }
    }

    /// Reads one physical line, its line feed included.
    fn line(&mut self) {
        self.skip_blanks();
        match self.peek() {
            Some(b'#') => return self.preprocessor_line(),
            Some(b'&') if self.continued.is_some() => self.resume(),
            _ => {}
        }
        let mut seen_content = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => break,
                b'!' => self.comment(),
                b';' => {
                    self.finish();
                    self.position += 1;
                }
                b'&' if self.continues() => {}
                _ if byte.is_ascii_whitespace() => self.position += 1,
                _ => {
                    self.continued = None;
                    seen_content = true;
                    self.token();
                }
            }
        }
        self.position = (self.position + 1).min(self.text.len());
        if self.continued.is_none() && (seen_content || self.open.is_some()) {
            self.finish();
        }
    }

    /// The `&` that begins a continuation line: does it continue a token?
    fn resume(&mut self) {
        let ampersand = self.continued.unwrap_or(self.position);
        let before = ampersand.checked_sub(1).map(|index| self.text[index]);
        let after = self.text.get(self.position + 1).copied();
        let joins = before.is_some_and(is_word_byte) && after.is_some_and(is_word_byte);
        if let Some(open) = &mut self.open {
            open.split_token |= joins;
        }
        self.position += 1;
    }

    /// At an `&`: if nothing but a comment follows on the line, the statement goes on; moves behind it.
    fn continues(&mut self) -> bool {
        let ampersand = self.position;
        let rest = &self.text[ampersand + 1..self.end_of_line(ampersand)];
        let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
        if !matches!(next, None | Some(b'!')) {
            return false;
        }
        // A lone `&` on a line continues what is open already.
        if self.open.is_some() {
            self.continued = Some(ampersand);
        }
        self.position += 1;
        true
    }

    fn comment(&mut self) {
        let start = self.position;
        self.position = self.end_of_line(start);
        self.lexed.comments.push(start..self.position);
    }

    fn preprocessor_line(&mut self) {
        let start = self.position;
        let mut end = self.end_of_line(start);
        while end < self.text.len() && end > start && self.text[end - 1] == b'\\' {
            end = self.end_of_line(end + 1);
        }
        if let Some(open) = &mut self.open {
            open.interrupted.get_or_insert(start);
        }
        self.lexed.preprocessor_lines.push(start..end);
        self.position = (end + 1).min(self.text.len());
    }

    fn token(&mut self) {
        let start = self.position;
        let byte = self.text[start];
        let kind = if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' {
            self.advance_while(is_word_byte);
            TokenKind::Word
        } else if byte.is_ascii_digit() {
            self.number();
            TokenKind::Number
        } else if byte == b'\'' || byte == b'"' {
            self.text_literal(byte);
            TokenKind::Text
        } else {
            let two: &[u8] = self.text.get(start..start + 2).unwrap_or(&[]);
            let long = matches!(two, b"==" | b"=>" | b"/=" | b"<=" | b">=" | b"::" | b"**");
            self.position += if long { 2 } else { 1 };
            TokenKind::Symbol
        };
        let first_token = self.lexed.tokens.len();
        self.lexed.tokens.push(Token { kind, start, end: self.position });
        let end = self.position;
        let open =
            self.open.get_or_insert(OpenStatement { start, first_token, end, interrupted: None, split_token: false });
        open.end = end;
    }

    fn advance_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.position += 1;
        }
    }

    /// A number: digits, a fraction, an exponent, a kind. A point that begins an operator (`1.eq.n`) is none of it.
    fn number(&mut self) {
        self.advance_while(|byte| byte.is_ascii_digit());
        if self.peek() == Some(b'.') && !self.operator_follows() {
            self.position += 1;
            self.advance_while(|byte| byte.is_ascii_digit());
        }
        let exponent = self.peek().is_some_and(|byte| matches!(byte.to_ascii_lowercase(), b'e' | b'd' | b'q'));
        if exponent {
            let sign = usize::from(matches!(self.text.get(self.position + 1), Some(b'+' | b'-')));
            if self.text.get(self.position + 1 + sign).is_some_and(u8::is_ascii_digit) {
                self.position += 1 + sign;
                self.advance_while(|byte| byte.is_ascii_digit());
            }
        }
        if self.peek() == Some(b'_') {
            self.advance_while(is_word_byte);
        }
    }

    /// At a point behind digits: do letters and another point follow?
    fn operator_follows(&self) -> bool {
        let rest = &self.text[self.position + 1..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        letters > 0 && rest.get(letters) == Some(&b'.')
    }

    /// A character literal; a line that ends with `&` inside it goes on behind the `&` of the next line that is no comment.
    fn text_literal(&mut self, quote: u8) {
        self.position += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b'&' if self.rest_of_line_is_blank() => {
                    self.position = (self.end_of_line(self.position) + 1).min(self.text.len());
                    self.skip_lines_without_content();
                    if self.peek() == Some(b'&') {
                        self.position += 1;
                    }
                }
                _ if byte == quote => {
                    self.position += 1;
                    if self.peek() != Some(quote) {
                        return;
                    }
                    self.position += 1;
                }
                _ => self.position += 1,
            }
        }
    }

    fn rest_of_line_is_blank(&self) -> bool {
        let end = self.end_of_line(self.position);
        end < self.text.len() && self.text[self.position + 1..end].iter().all(u8::is_ascii_whitespace)
    }

    /// Ends the open statement, if there is one.
    fn finish(&mut self) {
        self.continued = None;
        let Some(open) = self.open.take() else { return };
        let mut tokens = open.first_token..self.lexed.tokens.len();
        let labelled = self.begins_with_label(&tokens);
        if labelled {
            tokens.start += 1;
        }
        self.lexed.statements.push(LogicalStatement {
            start: open.start,
            end: open.end,
            labelled,
            tokens,
            interrupted: open.interrupted,
            split_token: open.split_token,
        });
    }

    fn begins_with_label(&self, tokens: &Range<usize>) -> bool {
        let is_label = |token: &Token| {
            token.kind == TokenKind::Number && self.text[token.start..token.end].iter().all(u8::is_ascii_digit)
        };
        match &self.lexed.tokens[tokens.clone()] {
            [first, second, ..] => is_label(first) && second.kind == TokenKind::Word,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &str) -> Vec<String> {
        let lexed = lex(text.as_bytes());
        lexed.statements.iter().map(|statement| text[statement.start..statement.end].to_string()).collect()
    }

    #[test]
    fn statements_end_at_lines_and_semicolons() {
        assert_eq!(statements("a = 1; b = 2 ! c; d\n\n  c = 3\n"), ["a = 1", "b = 2", "c = 3"]);
    }

    #[test]
    fn continuation_lines_comments_and_blank_lines_belong_to_the_statement() {
        let text = "call f(a, & ! one\n  ! two\n\n  & b, &\n  c)\nx = 1\n";
        let found = statements(text);
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with("c)"));
    }

    #[test]
    fn quotes_hide_comments_and_ampersands() {
        assert_eq!(statements("a = 'it''s ! & no' // \"&\"\nb = 1\n").len(), 2);
        assert_eq!(statements("a = 'one &\n   & two'; b = 1\n").len(), 2);
        assert_eq!(statements("a = 'one &\n\n ! it''s no more\n   two'; b = 1\n").len(), 2);
        // A literal without its end stops at the line's end.
        assert_eq!(statements("a = 'open\nb = 1\n").len(), 2);
    }

    #[test]
    fn preprocessor_lines_are_set_apart() {
        let lexed = lex(b"call f(a, &\n#ifdef X\n b, &\n#endif\n c)\n#define A \\\n 1\nx = 1\n");
        assert_eq!(lexed.preprocessor_lines.len(), 3);
        assert_eq!(lexed.statements.len(), 2);
        assert_eq!(lexed.statements[0].interrupted, Some(12));
    }

    #[test]
    fn labels_and_numbers() {
        let lexed = lex(b"10 continue\nif (1.eq.n) x = 1.e5_dp + .5\n");
        assert!(lexed.statements[0].labelled);
        assert!(!lexed.statements[1].labelled);
        assert_eq!(lexed.tokens_of(&lexed.statements[0]).len(), 1);
        assert_eq!(lexed.tokens_of(&lexed.statements[1]).len(), 14);
    }

    #[test]
    fn names_split_over_lines_are_noticed() {
        assert!(lex(b"call mpi_re&\n&cv(a)\n").statements[0].split_token);
        assert!(!lex(b"call mpi_recv(a, &\n& b)\n").statements[0].split_token);
    }
}
