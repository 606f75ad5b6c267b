//! Text to tokens.

use std::ops::Range;

use super::signs::sign_at;
use super::{Keyword, Name, Names, Sign};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword.
    Keyword(Keyword),
    /// An identifier.
    Name(Name),
    /// A preprocessing number: a constant, if it is well formed.
    Number,
    /// A character constant, with its prefix.
    Character,
    /// A string literal, with its prefix.
    String,
    /// A punctuator.
    Sign(Sign),
    /// A byte that begins no token, or a literal without an end.
    Unreadable,
    /// Behind the last one.
    End,
}

/// A token of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

impl Token {
    /// Its bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A `#pragma` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pragma {
    /// The number of the token in front of which it stands.
    pub before: usize,
    /// Its bytes, without the end of the line.
    pub range: Range<usize>,
}

/// The tokens of a text.
pub struct Tokens {
    /// In order; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// In order.
    pub pragmas: Vec<Pragma>,
    /// The names among them.
    pub names: Names,
}

/// Divides `text` into tokens. Texts end at 4 GiB.
pub fn lex(text: &[u8]) -> Tokens {
    lex_with(text, Names::default())
}

/// The same, where some names have their numbers already.
pub fn lex_with(text: &[u8], names: Names) -> Tokens {
    let text = &text[..text.len().min(u32::MAX as usize)];
    let mut lexer = Lexer { text, at: 0, found: Tokens { tokens: Vec::new(), pragmas: Vec::new(), names } };
    lexer.found.tokens.reserve(text.len() / 4);
    lexer.run();
    lexer.found
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    found: Tokens,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut begins_line = true;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    begins_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.peek(1) == Some(b'*') || self.peek(1) == Some(b'/') => self.skip_comment(),
                b'#' if begins_line => self.directive(),
                _ => {
                    begins_line = false;
                    self.token(byte);
                }
            }
        }
        self.push(TokenKind::End, self.text.len());
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.found.tokens.push(Token { kind, start: narrow(start), end: narrow(self.at) });
    }

    /// An expanded text has none, but for a compiler that was told to keep them.
    fn skip_comment(&mut self) {
        let rest = &self.text[self.at..];
        let length = if rest[1] == b'*' {
            rest[2..].windows(2).position(|pair| pair == b"*/").map(|end| end + 4)
        } else {
            rest.iter().position(|byte| *byte == b'\n')
        };
        self.at += length.unwrap_or(rest.len());
    }

    /// A line that begins with `#`.
    fn directive(&mut self) {
        let start = self.at;
        let length = self.text[start..].iter().position(|byte| *byte == b'\n');
        self.at = length.map_or(self.text.len(), |length| start + length);
        let words = self.text[start + 1..self.at].trim_ascii_start();
        if words.starts_with(b"pragma") {
            self.found.pragmas.push(Pragma { before: self.found.tokens.len(), range: start..self.at });
        }
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        let prefix = match (byte, self.peek(1), self.peek(2)) {
            (b'u', Some(b'8'), Some(b'"' | b'\'')) => 2,
            (b'L' | b'u' | b'U', Some(b'"' | b'\''), _) => 1,
            _ => 0,
        };
        if let Some(quote @ (b'"' | b'\'')) = self.peek(prefix) {
            let kind = self.literal(start + prefix, quote);
            self.push(kind, start);
        } else if is_word_start(byte) {
            let length = self.text[start..].iter().position(|byte| !is_word(*byte));
            self.at = length.map_or(self.text.len(), |length| start + length);
            let text = String::from_utf8_lossy(&self.text[start..self.at]);
            let kind = match self.found.names.word(&text) {
                Ok(name) => TokenKind::Name(name),
                Err(keyword) => TokenKind::Keyword(keyword),
            };
            self.push(kind, start);
        } else if byte.is_ascii_digit() || byte == b'.' && self.peek(1).is_some_and(|next| next.is_ascii_digit()) {
            self.number();
            self.push(TokenKind::Number, start);
        } else if let Some((sign, length)) = sign_at(&self.text[start..]) {
            self.at += length;
            self.push(TokenKind::Sign(sign), start);
        } else {
            self.at += 1;
            self.push(TokenKind::Unreadable, start);
        }
    }

    /// A preprocessing number (C11 6.4.8).
    fn number(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            let is_sign = matches!(byte, b'+' | b'-') && matches!(self.text[self.at - 1], b'e' | b'E' | b'p' | b'P');
            if !is_sign && byte != b'.' && !is_word(byte) {
                break;
            }
            self.at += 1;
        }
    }

    /// A literal whose first quote is at `open`.
    fn literal(&mut self, open: usize, quote: u8) -> TokenKind {
        self.at = open + 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.text.len()),
                b'\n' => break,
                _ if byte == quote => {
                    self.at += 1;
                    return if quote == b'"' { TokenKind::String } else { TokenKind::Character };
                }
                _ => self.at += 1,
            }
        }
        TokenKind::Unreadable
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(text.as_bytes()).tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn the_longest_token_is_taken() {
        use TokenKind::{End, Number, Sign as S};
        let plus = [Sign::Increment, Sign::Plus].map(S);
        assert_eq!(kinds("1+++2"), [Number, plus[0], plus[1], Number, End]);
        assert_eq!(kinds("1.e+3L ..."), [Number, S(Sign::Ellipsis), End]);
        assert_eq!(kinds("<: :> <% %>").len(), 5);
        assert_eq!(kinds("<:")[0], S(Sign::LeftBracket));
    }

    #[test]
    fn literals_have_prefixes_and_ends() {
        use TokenKind::{Character, End, Keyword as K, String, Unreadable};
        assert_eq!(kinds(r#"L"a\"b" u8"c" u'\'' "#), [String, String, Character, End]);
        assert_eq!(kinds("\"a\nint"), [Unreadable, K(Keyword::Int), End]);
        assert_eq!(kinds("__const__ @"), [K(Keyword::Const), Unreadable, End]);
    }

    #[test]
    fn lines_of_the_preprocessor_are_no_tokens() {
        let found = lex(b"# 1 \"a.c\"\nint\n#pragma pack(1)\na;");
        assert_eq!(found.tokens.len(), 4);
        assert_eq!(found.pragmas, [Pragma { before: 1, range: 14..29 }]);
        assert_eq!(found.tokens[1].range(), 30..31);
    }
}
