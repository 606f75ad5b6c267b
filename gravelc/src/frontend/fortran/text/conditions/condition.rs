//! The expressions behind `#if`, with an answer for macros of which nothing is known.

use super::{Macro, Macros};

/// Is a condition true?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It depends on macros of which nothing is known.
    Unknown,
}

impl Truth {
    /// Both.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    /// Any of the two.
    pub fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    /// The opposite.
    pub fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The deepest nesting that is followed, of parentheses and of macros in macros.
const MAX_DEPTH: usize = 32;

/// A value; `None` where it is not known.
type Value = Option<i64>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Number(Value),
    Name(String),
    Symbol(&'static str),
}

const SYMBOLS: [&str; 23] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "!", "<", ">", "(", ")", "+", "-", "*", "/", "%", "~", "&", "|",
    "^", ",",
];

/// Is the condition `text` true? What can't be read is unknown.
pub(super) fn evaluate(text: &str, macros: &Macros) -> Truth {
    let mut parser = match Parser::new(text, macros, 0) {
        Some(parser) => parser,
        None => return Truth::Unknown,
    };
    let value = parser.binary(0);
    match value {
        Some(value) if parser.position == parser.tokens.len() => match value {
            Some(0) => Truth::No,
            Some(_) => Truth::Yes,
            None => Truth::Unknown,
        },
        _ => Truth::Unknown,
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    macros: &'a Macros,
    depth: usize,
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = rest.chars().take_while(char::is_ascii_alphanumeric).count();
            let digits = rest[..length].trim_end_matches(['u', 'U', 'l', 'L']);
            let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(digits) => i64::from_str_radix(digits, 16),
                None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8),
                None => digits.parse(),
            };
            found.push(Token::Number(value.ok()));
            length
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.chars().take_while(|&c| c.is_ascii_alphanumeric() || c == '_').count();
            found.push(Token::Name(rest[..length].to_string()));
            length
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
            found.push(Token::Symbol(symbol));
            symbol.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(found)
}

/// How strongly an operator binds; the lowest is 0.
fn binding(symbol: &str) -> Option<usize> {
    let levels: [&[&str]; 10] = [
        &["||"],
        &["&&"],
        &["|"],
        &["^"],
        &["&"],
        &["==", "!="],
        &["<", ">", "<=", ">="],
        &["<<", ">>"],
        &["+", "-"],
        &["*", "/", "%"],
    ];
    levels.iter().position(|level| level.contains(&symbol))
}

impl<'a> Parser<'a> {
    fn new(text: &str, macros: &'a Macros, depth: usize) -> Option<Self> {
        Some(Self { tokens: tokens(text)?, position: 0, macros, depth })
    }

    fn symbol(&self) -> Option<&'static str> {
        match self.tokens.get(self.position) {
            Some(Token::Symbol(symbol)) => Some(symbol),
            _ => None,
        }
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.symbol() == Some(symbol);
        self.position += usize::from(found);
        found
    }

    /// Operators that bind at least as strongly as `level`. The outer `None` is a syntax error.
    fn binary(&mut self, level: usize) -> Option<Value> {
        let mut left = self.unary()?;
        while let Some(symbol) = self.symbol() {
            let Some(own) = binding(symbol).filter(|&own| own >= level) else { break };
            self.position += 1;
            let right = self.binary(own + 1)?;
            left = combine(symbol, left, right);
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = match self.tokens.get(self.position)?.clone() {
            Token::Symbol(symbol @ ("!" | "-" | "+" | "~")) => {
                self.position += 1;
                let value = self.unary()?;
                match symbol {
                    "!" => value.map(|value| i64::from(value == 0)),
                    "-" => value.and_then(i64::checked_neg),
                    "~" => value.map(|value| !value),
                    _ => value,
                }
            }
            Token::Symbol("(") => {
                self.position += 1;
                let value = self.binary(0)?;
                if !self.accept(")") {
                    return None;
                }
                value
            }
            Token::Symbol(_) => return None,
            Token::Number(value) => {
                self.position += 1;
                value
            }
            Token::Name(name) if name == "defined" => {
                self.position += 1;
                let has_parentheses = self.accept("(");
                let Some(Token::Name(name)) = self.tokens.get(self.position).cloned() else { return None };
                self.position += 1;
                if has_parentheses && !self.accept(")") {
                    return None;
                }
                match self.macros.get(&name) {
                    Macro::Defined(_) | Macro::WithArguments(_) => Some(1),
                    Macro::Undefined => Some(0),
                    Macro::Unknown => None,
                }
            }
            Token::Name(name) => {
                self.position += 1;
                let value = self.macro_value(&name);
                if self.symbol() == Some("(") {
                    // A macro with arguments.
                    self.skip_arguments()?;
                    None
                } else {
                    value
                }
            }
        };
        self.depth -= 1;
        Some(value)
    }

    /// The value of a macro; an undefined one counts as 0.
    fn macro_value(&self, name: &str) -> Value {
        match self.macros.get(name) {
            Macro::Undefined => Some(0),
            Macro::Unknown | Macro::WithArguments(_) => None,
            Macro::Defined(text) if self.depth < MAX_DEPTH => {
                let mut inner = Parser::new(&text, self.macros, self.depth + 1)?;
                let value = inner.binary(0)?;
                value.filter(|_| inner.position == inner.tokens.len())
            }
            Macro::Defined(_) => None,
        }
    }

    fn skip_arguments(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.tokens.get(self.position)? {
                Token::Symbol("(") => depth += 1,
                Token::Symbol(")") => depth -= 1,
                _ => {}
            }
            self.position += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// `left symbol right`; one side can be enough for `&&` and `||`.
fn combine(symbol: &str, left: Value, right: Value) -> Value {
    match (symbol, left, right) {
        ("&&", Some(0), _) | ("&&", _, Some(0)) => return Some(0),
        ("||", Some(value), _) | ("||", _, Some(value)) if value != 0 => return Some(1),
        _ => {}
    }
    let (left, right) = (left?, right?);
    match symbol {
        "&&" | "||" => Some(i64::from(symbol == "&&")),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<" => Some(i64::from(left < right)),
        ">" => Some(i64::from(left > right)),
        "<=" => Some(i64::from(left <= right)),
        ">=" => Some(i64::from(left >= right)),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?),
        ">>" => left.checked_shr(u32::try_from(right).ok()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(text: &str) -> Truth {
        let known = [("YES", "1"), ("THREE", "(1 + 2)"), ("LOOP", "LOOP"), ("EMPTY", "")];
        let known = known.map(|(name, value)| (name.to_string(), Macro::Defined(value.to_string())));
        let mut macros = Macros { known: known.into_iter().collect(), ..Macros::default() };
        macros.known.insert("NO".to_string(), Macro::Undefined);
        evaluate(text, &macros)
    }

    #[test]
    fn conditions_have_three_answers() {
        for text in ["1", "YES", "defined YES", "!defined(NO)", "THREE * 2 == 6", "YES || OTHER", "!NO", "0x10 == 020"]
        {
            assert_eq!(truth(text), Truth::Yes, "{text}");
        }
        for text in ["0", "NO", "defined(NO)", "NO && OTHER", "OTHER && 0", "THREE < 3", "1 - 1", "2 > 1 == 0"] {
            assert_eq!(truth(text), Truth::No, "{text}");
        }
        for text in [
            "OTHER",
            "defined OTHER",
            "YES && OTHER",
            "!OTHER",
            "LOOP",
            "EMPTY",
            "1 +",
            "(1",
            "1 1",
            "OTHER(1) + 1",
            "1 / 0",
            "?",
        ] {
            assert_eq!(truth(text), Truth::Unknown, "{text}");
        }
        assert_eq!(truth(&"(".repeat(500)), Truth::Unknown);
        assert_eq!(truth(&"!".repeat(100_000)), Truth::Unknown);
    }
}
