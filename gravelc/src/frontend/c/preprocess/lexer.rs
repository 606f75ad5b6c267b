//! Bytes to preprocessing tokens (ISO C translation phases 1 to 3).

use super::dialect::Dialect;
use super::symbols::{Symbols, known};
use super::token::{FileId, Flags, Place, StepId, Token, TokenKind};

/// Punctuators, the longest ones first; the second spelling is what the first one means.
const PUNCTUATORS: &[(&[u8], &[u8])] = &[
    (b"%:%:", b"##"),
    (b"...", b"..."),
    (b"<<=", b"<<="),
    (b">>=", b">>="),
    (b"->", b"->"),
    (b"++", b"++"),
    (b"--", b"--"),
    (b"<<", b"<<"),
    (b">>", b">>"),
    (b"<=", b"<="),
    (b">=", b">="),
    (b"==", b"=="),
    (b"!=", b"!="),
    (b"&&", b"&&"),
    (b"||", b"||"),
    (b"*=", b"*="),
    (b"/=", b"/="),
    (b"%=", b"%="),
    (b"+=", b"+="),
    (b"-=", b"-="),
    (b"&=", b"&="),
    (b"^=", b"^="),
    (b"|=", b"|="),
    (b"##", b"##"),
    (b"<:", b"["),
    (b":>", b"]"),
    (b"<%", b"{"),
    (b"%>", b"}"),
    (b"%:", b"#"),
];
/// Punctuators of one byte.
const SINGLE: &[u8] = b"[](){}.&*+-~!/%<>^|?:;=,#";

/// What the tokens of a text are.
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    /// Where a comment begins that does not end.
    pub open_comment: Option<u32>,
}

/// The tokens of a text. Texts of 4 GiB and more are refused before.
pub(super) fn lex(text: &[u8], file: FileId, dialect: &Dialect, symbols: &mut Symbols) -> Lexed {
    let mut lexer = Lexer { text, at: 0, file, dialect, symbols, spelling: Vec::new() };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut open_comment = None;
    let mut flags = Flags::LINE_START;
    loop {
        flags.set(lexer.skip_blanks(&mut open_comment));
        let Some(mut token) = lexer.token() else { break };
        token.flags.set(flags);
        flags = Flags::default();
        tokens.push(token);
    }
    Lexed { tokens, open_comment }
}

/// One byte after phases 1 and 2, with where it begins and where the next one does.
#[derive(Clone, Copy)]
struct Byte {
    value: u8,
    start: usize,
    end: usize,
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    file: FileId,
    dialect: &'a Dialect,
    symbols: &'a mut Symbols,
    /// The token that is being read, as it is spelled.
    spelling: Vec<u8>,
}

/// The byte that `??x` stands for.
fn trigraph(third: u8) -> Option<u8> {
    Some(match third {
        b'=' => b'#',
        b'(' => b'[',
        b'/' => b'\\',
        b')' => b']',
        b'\'' => b'^',
        b'<' => b'{',
        b'!' => b'|',
        b'>' => b'}',
        b'-' => b'~',
        _ => return None,
    })
}

impl Lexer<'_> {
    /// The byte at a place, behind continued lines.
    fn byte(&self, mut at: usize) -> Option<Byte> {
        loop {
            let value = *self.text.get(at)?;
            let (value, end) = match value {
                b'?' if self.dialect.trigraphs && self.text.get(at + 1) == Some(&b'?') => {
                    match self.text.get(at + 2).and_then(|third| trigraph(*third)) {
                        Some(meant) => (meant, at + 3),
                        None => (value, at + 1),
                    }
                }
                b'\r' if self.text.get(at + 1) == Some(&b'\n') => (b'\n', at + 2),
                _ => (value, at + 1),
            };
            if value == b'\\'
                && let Some(next) = self.continued(end)
            {
                at = next;
                continue;
            }
            return Some(Byte { value, start: at, end });
        }
    }

    /// Behind the end of the line, if the backslash in front of here continues it. Compilers take blanks between them.
    fn continued(&self, at: usize) -> Option<usize> {
        let blanks = self.text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c')).count();
        match &self.text[at + blanks..] {
            [b'\n', ..] => Some(at + blanks + 1),
            [b'\r', b'\n', ..] => Some(at + blanks + 2),
            _ => None,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at).map(|byte| byte.value)
    }

    /// Goes on if the next byte is one of which `takes` is true, which becomes part of the spelling.
    fn take(&mut self, takes: impl Fn(u8) -> bool) -> bool {
        let Some(byte) = self.byte(self.at).filter(|byte| takes(byte.value)) else { return false };
        self.spelling.push(byte.value);
        self.at = byte.end;
        true
    }

    /// Skips blanks, ends of lines and comments, and says which there were.
    fn skip_blanks(&mut self, open_comment: &mut Option<u32>) -> Flags {
        let mut flags = Flags::default();
        while let Some(byte) = self.byte(self.at) {
            match byte.value {
                b'\n' => flags.set(Flags::LINE_START.and(Flags::SPACE)),
                b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r' | 0 => flags.set(Flags::SPACE),
                b'/' => match self.byte(byte.end).map(|next| (next.value, next.end)) {
                    Some((b'*', end)) => {
                        flags.set(Flags::SPACE);
                        self.at = self.behind_comment(end).unwrap_or_else(|| {
                            *open_comment = Some(byte.start as u32);
                            self.text.len()
                        });
                        continue;
                    }
                    Some((b'/', end)) if self.dialect.line_comments => {
                        flags.set(Flags::SPACE);
                        self.at = end;
                        while let Some(next) = self.byte(self.at).filter(|next| next.value != b'\n') {
                            self.at = next.end;
                        }
                        continue;
                    }
                    _ => return flags,
                },
                _ => return flags,
            }
            self.at = byte.end;
        }
        flags
    }

    /// Behind the end of the comment whose text begins here.
    fn behind_comment(&self, mut at: usize) -> Option<usize> {
        loop {
            let byte = self.byte(at)?;
            at = byte.end;
            if byte.value == b'*'
                && let Some(next) = self.byte(at)
                && next.value == b'/'
            {
                return Some(next.end);
            }
        }
    }

    fn token(&mut self) -> Option<Token> {
        self.spelling.clear();
        let first = self.byte(self.at)?;
        let mut flags = Flags::default();
        let mut symbol = None;
        let kind = match first.value {
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(first.end).is_some_and(|next| next.value.is_ascii_digit()) => self.number(),
            b'"' => self.quoted(b'"', TokenKind::String),
            b'\'' => self.quoted(b'\'', TokenKind::Character),
            value if self.is_name_start(value) => self.name(),
            b'\\' if self.universal_name(first).is_some() => self.name(),
            _ => match self.punctuator() {
                Some(meant) => {
                    if meant != self.spelling {
                        flags.set(Flags::DIGRAPH);
                    }
                    symbol = Some(self.symbols.add(meant));
                    TokenKind::Punctuator
                }
                None => {
                    self.take(|_| true);
                    TokenKind::Other
                }
            },
        };
        let symbol = symbol.unwrap_or_else(|| self.symbols.add(&self.spelling));
        // Texts of 4 GiB and more were refused.
        let place = Place { file: self.file, start: first.start as u32, end: self.at as u32 };
        Some(Token { symbol, place, step: StepId::NONE, kind, flags })
    }

    fn is_name_start(&self, value: u8) -> bool {
        value.is_ascii_alphabetic() || value == b'_' || value >= 0x80 || value == b'$' && self.dialect.dollars
    }

    /// The end of a universal character name (6.4.3) whose backslash this is.
    fn universal_name(&self, backslash: Byte) -> Option<usize> {
        let kind = self.byte(backslash.end)?;
        let digits = match kind.value {
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let mut at = kind.end;
        for _ in 0..digits {
            let digit = self.byte(at).filter(|byte| byte.value.is_ascii_hexdigit())?;
            at = digit.end;
        }
        Some(at)
    }

    fn take_universal_name(&mut self) -> bool {
        let Some(end) =
            self.byte(self.at).filter(|byte| byte.value == b'\\').and_then(|byte| self.universal_name(byte))
        else {
            return false;
        };
        while self.at < end && self.take(|_| true) {}
        true
    }

    fn name(&mut self) -> TokenKind {
        let dollars = self.dialect.dollars;
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 || byte == b'$' && dollars;
        loop {
            // Most names are plain bytes in a row.
            let rest = &self.text[self.at..];
            let plain = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            self.spelling.extend_from_slice(&rest[..plain]);
            self.at += plain;
            if !self.take(is_part) && !self.take_universal_name() {
                break;
            }
        }
        let quote = self.peek().filter(|next| matches!(next, b'"' | b'\''));
        let (unicode, raw) = (self.dialect.unicode_strings, self.dialect.raw_strings);
        match (self.spelling.as_slice(), quote) {
            (b"L", Some(quote)) => self.quoted(quote, kind_of(quote)),
            (b"u" | b"U", Some(quote)) if unicode => self.quoted(quote, kind_of(quote)),
            (b"u8", Some(b'"')) if unicode => self.quoted(b'"', TokenKind::String),
            (b"R" | b"LR", Some(b'"')) if raw => self.raw_string(),
            (b"uR" | b"UR" | b"u8R", Some(b'"')) if raw && unicode => self.raw_string(),
            _ => TokenKind::Identifier,
        }
    }

    fn number(&mut self) -> TokenKind {
        let binary = self.dialect.binary_exponents;
        let separators = self.dialect.digit_separators;
        while let Some(next) = self.byte(self.at) {
            let value = next.value;
            let is_exponent = matches!(value, b'e' | b'E') || binary && matches!(value, b'p' | b'P');
            if is_exponent && self.byte(next.end).is_some_and(|sign| matches!(sign.value, b'+' | b'-')) {
                self.take(|_| true);
                self.take(|_| true);
            } else if value == b'.' || value.is_ascii_digit() || self.is_name_start(value) {
                self.take(|_| true);
            } else if separators
                && value == b'\''
                && self.byte(next.end).is_some_and(|digit| digit.value.is_ascii_alphanumeric() || digit.value == b'_')
            {
                self.take(|_| true);
                self.take(|_| true);
            } else if !self.take_universal_name() {
                break;
            }
        }
        TokenKind::Number
    }

    /// A string or character constant, whose opening quote is next. Without a closing one it is the rest of the line.
    fn quoted(&mut self, quote: u8, kind: TokenKind) -> TokenKind {
        self.take(|_| true);
        loop {
            if self.take(|byte| byte == quote) {
                return kind;
            }
            if self.take(|byte| byte == b'\\') {
                self.take(|byte| byte != b'\n');
            } else if !self.take(|byte| byte != b'\n') {
                return TokenKind::Other;
            }
        }
    }

    /// `R"delimiter(…)delimiter"`, in which nothing is replaced. What is none is read as another string.
    fn raw_string(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let delimiter = rest.iter().skip(1).take(17).position(|byte| *byte == b'(');
        let delimiter = delimiter.map(|length| &rest[1..=length]);
        let is_one = |byte: &u8| !matches!(byte, b' ' | b')' | b'\\' | b'"' | b'\n' | b'\t' | b'\x0b' | b'\x0c');
        let Some(delimiter) = delimiter.filter(|delimiter| delimiter.iter().all(is_one)) else {
            return self.quoted(b'"', TokenKind::String);
        };
        let closing = [b")", delimiter, b"\""].concat();
        let Some(length) = rest.windows(closing.len()).position(|window| window == closing) else {
            return self.quoted(b'"', TokenKind::String);
        };
        self.spelling.extend_from_slice(&rest[..length + closing.len()]);
        self.at += length + closing.len();
        TokenKind::String
    }

    /// The longest punctuator that is next: what it means.
    fn punctuator(&mut self) -> Option<&'static [u8]> {
        let mut bytes = [0; 4];
        let mut ends = [self.at; 4];
        let mut count = 0;
        let mut at = self.at;
        while count < bytes.len()
            && let Some(byte) = self.byte(at)
        {
            (bytes[count], ends[count]) = (byte.value, byte.end);
            at = byte.end;
            count += 1;
        }
        let digraphs = self.dialect.digraphs;
        let found = PUNCTUATORS
            .iter()
            .find(|(spelling, meant)| bytes[..count].starts_with(spelling) && (digraphs || spelling == meant));
        let (spelling, meant) = match found {
            Some((spelling, meant)) => (*spelling, *meant),
            None => {
                let single = SINGLE.iter().position(|byte| *byte == bytes[0])?;
                let single = SINGLE.get(single..=single)?;
                (single, single)
            }
        };
        self.spelling.extend_from_slice(spelling);
        self.at = ends[spelling.len() - 1];
        Some(meant)
    }
}

fn kind_of(quote: u8) -> TokenKind {
    if quote == b'"' { TokenKind::String } else { TokenKind::Character }
}

/// The symbol whose bytes a digraph has in the file.
pub(super) fn digraph(token: &Token) -> Option<&'static [u8]> {
    let spellings = [
        (known::HASH_HASH, b"%:%:".as_slice()),
        (known::HASH, b"%:"),
        (known::OPEN_BRACKET, b"<:"),
        (known::CLOSE_BRACKET, b":>"),
        (known::OPEN_BRACE, b"<%"),
        (known::CLOSE_BRACE, b"%>"),
    ];
    let is_one = token.flags.has(Flags::DIGRAPH);
    spellings.into_iter().find(|(symbol, _)| is_one && token.symbol == *symbol).map(|(_, bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str, dialect: &Dialect) -> Vec<String> {
        let mut symbols = Symbols::default();
        let lexed = lex(text.as_bytes(), FileId::MAIN, dialect, &mut symbols);
        lexed.tokens.iter().map(|token| symbols.text(token.symbol)).collect()
    }

    fn split(text: &str) -> Vec<String> {
        spellings(text, &Dialect::default())
    }

    #[test]
    fn texts_are_split_at_the_longest_token() {
        assert_eq!(split("a+++++b ...x->y<<=1"), ["a", "++", "++", "+", "b", "...", "x", "->", "y", "<<=", "1"]);
        assert_eq!(split("0x1.8p+3f 1e-5 .5 1..2 0xe+1"), ["0x1.8p+3f", "1e-5", ".5", "1..2", "0xe+1"]);
        assert_eq!(split("L'a' u8\"x\" R\"(a\"b)\" L \"x\""), ["L'a'", "u8\"x\"", "R\"(a\"b)\"", "L", "\"x\""]);
        assert_eq!(split("'\\'' \"a\\\"b\" 'open"), ["'\\''", "\"a\\\"b\"", "'open"]);
        assert_eq!(split("caf\u{e9} \\u00e9x $a @ `"), ["caf\u{e9}", "\\u00e9x", "$a", "@", "`"]);
    }

    #[test]
    fn comments_and_continued_lines_are_no_tokens() {
        assert_eq!(split("a/* b // */c // d\\\ne\nf"), ["a", "c", "f"]);
        assert_eq!(split("de\\\nfine + \\  \r\n+= /\\\n* x *\\\n/ y"), ["define", "+", "+=", "y"]);
        let strict = Dialect { line_comments: false, digraphs: false, ..Dialect::default() };
        assert_eq!(spellings("a //**/ 2 <: %:", &strict), ["a", "/", "2", "<", ":", "%", ":"]);
    }

    #[test]
    fn other_spellings_mean_the_same() {
        assert_eq!(split("<: :> <% %> %: %:%:"), ["[", "]", "{", "}", "#", "##"]);
        let strict = Dialect { trigraphs: true, ..Dialect::default() };
        assert_eq!(spellings("??=define a ??( ?? ??/\nb", &strict), ["#", "define", "a", "[", "?", "?", "b"]);
    }

    #[test]
    fn places_are_those_of_the_file() {
        let text = "int\\\n x = ab\\\nc; /* \n */ y";
        let mut symbols = Symbols::default();
        let lexed = lex(text.as_bytes(), FileId::MAIN, &Dialect::default(), &mut symbols);
        let found: Vec<&str> =
            lexed.tokens.iter().map(|token| &text[token.place.start as usize..token.place.end as usize]).collect();
        assert_eq!(found, ["int", "x", "=", "ab\\\nc", ";", "y"]);
        let begins: Vec<bool> = lexed.tokens.iter().map(|token| token.flags.has(Flags::LINE_START)).collect();
        assert_eq!(begins, [true, false, false, false, false, false]);
    }

    #[test]
    fn an_open_comment_is_found() {
        let mut symbols = Symbols::default();
        let lexed = lex(b"a /* b", FileId::MAIN, &Dialect::default(), &mut symbols);
        assert_eq!((lexed.tokens.len(), lexed.open_comment), (1, Some(2)));
    }
}
