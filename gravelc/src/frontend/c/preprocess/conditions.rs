//! Values of conditions (ISO C 6.10.1).

use super::macros::Builtin;
use super::problem::{Limit, ProblemKind};
use super::run::{Run, limits};
use super::symbols::{Symbol, Symbols, known};
use super::token::{Token, TokenKind};

/// A value of `intmax_t` or `uintmax_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    bits: u64,
    is_unsigned: bool,
}

impl Value {
    fn truth(holds: bool) -> Self {
        Self { bits: u64::from(holds), is_unsigned: false }
    }

    fn signed(bits: i64) -> Self {
        Self { bits: bits.cast_unsigned(), is_unsigned: false }
    }

    fn holds(self) -> bool {
        self.bits != 0
    }
}

/// The expression is none, or has no value.
struct Invalid;

impl Run<'_> {
    /// Does the condition hold that the tokens behind `#if` or `#elif` are? One that can't be evaluated is noted and does not hold.
    pub(super) fn condition_holds(&mut self, line: Vec<Token>, at: &Token) -> Result<bool, Limit> {
        let tokens = self.condition_tokens(line)?;
        let mut reader = Reader {
            tokens: &tokens,
            at: 0,
            depth: 0,
            symbols: &self.unit.symbols,
            dialect: &self.configuration.dialect,
        };
        let value = reader.comma(true).ok().filter(|_| reader.at == tokens.len());
        let value = value.filter(|_| !tokens.is_empty());
        // A name that is left is 0.
        for token in &tokens {
            if token.kind == TokenKind::Identifier {
                self.names_in_condition.push((token.symbol, false));
            }
        }
        if value.is_none() {
            self.note(ProblemKind::InvalidCondition, at.place, None);
        }
        Ok(value.is_some_and(Value::holds))
    }

    /// The tokens with macros replaced, and `defined` by its value.
    fn condition_tokens(&mut self, line: Vec<Token>) -> Result<Vec<Token>, Limit> {
        self.begin_closed(line)?;
        let mut tokens = Vec::new();
        let result = loop {
            match self.next() {
                Ok(Some(token)) if token.is_name(known::DEFINED) => match self.defined(&token) {
                    Ok(value) => tokens.push(value),
                    Err(limit) => break Err(limit),
                },
                Ok(Some(token)) => tokens.push(token),
                Ok(None) => break Ok(()),
                Err(limit) => break Err(limit),
            }
        };
        self.end_closed();
        result.map(|()| tokens)
    }

    /// What `defined X` or `defined(X)` is.
    fn defined(&mut self, operator: &Token) -> Result<Token, Limit> {
        self.prevented += 1;
        let name = self.operand_of_defined();
        self.prevented -= 1;
        let Some(name) = name? else {
            self.note(ProblemKind::InvalidCondition, operator.place, None);
            return Ok(*operator);
        };
        let is_defined = self.is_defined(name);
        let symbol = self.unit.symbols.add(if is_defined { b"1" } else { b"0" });
        Ok(Token { symbol, kind: TokenKind::Number, ..*operator })
    }

    fn operand_of_defined(&mut self) -> Result<Option<Symbol>, Limit> {
        let Some(first) = self.next()? else { return Ok(None) };
        if first.kind == TokenKind::Identifier {
            return Ok(Some(first.symbol));
        }
        if !first.is(known::OPEN) {
            return Ok(None);
        }
        let Some(name) = self.next()?.filter(|name| name.kind == TokenKind::Identifier) else { return Ok(None) };
        let is_closed = self.next()?.is_some_and(|close| close.is(known::CLOSE));
        Ok(is_closed.then_some(name.symbol))
    }

    /// Is it the name of a macro? The question is noted.
    pub(super) fn is_defined(&mut self, name: Symbol) -> bool {
        let is_defined = self.macros.find(name).is_some();
        // `_Pragma` and the like are operators; what the compiler answers is its own.
        if !self.macros.find(name).is_some_and(|found| found.builtin.is_some_and(Builtin::has_argument)) {
            self.names_in_condition.push((name, is_defined));
        }
        is_defined
    }
}

/// Reads an expression of constants.
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    symbols: &'a Symbols,
    dialect: &'a super::dialect::Dialect,
}

/// How tightly operators with two sides bind.
fn precedence(operator: Symbol) -> Option<u8> {
    Some(match operator {
        known::OR => 1,
        known::AND => 2,
        known::BIT_OR => 3,
        known::BIT_XOR => 4,
        known::BIT_AND => 5,
        known::EQUAL | known::OTHER => 6,
        known::LESS | known::GREATER | known::AT_MOST | known::AT_LEAST => 7,
        known::LEFT | known::RIGHT => 8,
        known::PLUS | known::MINUS => 9,
        known::TIMES | known::OVER | known::REST => 10,
        _ => return None,
    })
}

impl Reader<'_> {
    fn take(&mut self, symbol: Symbol) -> bool {
        let is_next = self.tokens.get(self.at).is_some_and(|token| token.is(symbol));
        self.at += usize::from(is_next);
        is_next
    }

    fn comma(&mut self, counts: bool) -> Result<Value, Invalid> {
        let mut value = self.conditional(counts)?;
        while self.take(known::COMMA) {
            value = self.conditional(counts)?;
        }
        Ok(value)
    }

    fn deeper(&mut self) -> Result<(), Invalid> {
        self.depth += 1;
        if self.depth > limits::NESTED { Err(Invalid) } else { Ok(()) }
    }

    fn conditional(&mut self, counts: bool) -> Result<Value, Invalid> {
        self.deeper()?;
        let condition = self.binary(1, counts)?;
        let value = if self.take(known::QUESTION) {
            let yes = self.comma(counts && condition.holds())?;
            if !self.take(known::COLON) {
                return Err(Invalid);
            }
            let no = self.conditional(counts && !condition.holds())?;
            let chosen = if condition.holds() { yes } else { no };
            Value { is_unsigned: yes.is_unsigned || no.is_unsigned, ..chosen }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: u8, counts: bool) -> Result<Value, Invalid> {
        let mut left = self.unary(counts)?;
        while let Some(token) = self.tokens.get(self.at).filter(|token| token.kind == TokenKind::Punctuator)
            && let Some(tight) = precedence(token.symbol).filter(|tight| *tight >= least)
        {
            self.at += 1;
            let operator = token.symbol;
            let right_counts = match operator {
                known::OR => counts && !left.holds(),
                known::AND => counts && left.holds(),
                _ => counts,
            };
            let right = self.binary(tight + 1, right_counts)?;
            left = applied(operator, left, right, counts)?;
        }
        Ok(left)
    }

    fn unary(&mut self, counts: bool) -> Result<Value, Invalid> {
        let token = *self.tokens.get(self.at).ok_or(Invalid)?;
        self.at += 1;
        match token.kind {
            TokenKind::Number => self.number(token.symbol),
            TokenKind::Character => self.character(token.symbol),
            TokenKind::Identifier => Ok(Value::truth(token.symbol == known::TRUE && self.dialect.true_is_one)),
            TokenKind::Punctuator => {
                self.deeper()?;
                let value = match token.symbol {
                    known::OPEN => {
                        let value = self.comma(counts)?;
                        if !self.take(known::CLOSE) {
                            return Err(Invalid);
                        }
                        value
                    }
                    known::PLUS => self.unary(counts)?,
                    known::MINUS => {
                        let value = self.unary(counts)?;
                        Value { bits: value.bits.wrapping_neg(), ..value }
                    }
                    known::TILDE => {
                        let value = self.unary(counts)?;
                        Value { bits: !value.bits, ..value }
                    }
                    known::NOT => Value::truth(!self.unary(counts)?.holds()),
                    _ => return Err(Invalid),
                };
                self.depth -= 1;
                Ok(value)
            }
            TokenKind::String | TokenKind::Other => Err(Invalid),
        }
    }

    /// The value of an integer constant.
    fn number(&self, symbol: Symbol) -> Result<Value, Invalid> {
        let text = str::from_utf8(self.symbols.spelling(symbol)).map_err(|_| Invalid)?;
        let text: String = text.chars().filter(|sign| *sign != '\'').collect::<String>().to_ascii_lowercase();
        let (radix, digits) = match text.as_bytes() {
            [b'0', b'x', ..] => (16, &text[2..]),
            [b'0', b'b', ..] => (2, &text[2..]),
            [b'0', ..] => (8, text.as_str()),
            _ => (10, text.as_str()),
        };
        let end = digits.find(|sign: char| !sign.is_digit(radix)).unwrap_or(digits.len());
        let (digits, suffix) = digits.split_at(end);
        let is_unsigned = match suffix {
            "" | "l" | "ll" => false,
            "u" | "ul" | "ull" | "lu" | "llu" => true,
            _ => return Err(Invalid),
        };
        let bits = u64::from_str_radix(digits, radix).map_err(|_| Invalid)?;
        Ok(Value { bits, is_unsigned: is_unsigned || bits > i64::MAX.cast_unsigned() })
    }

    /// The value of a character constant.
    fn character(&self, symbol: Symbol) -> Result<Value, Invalid> {
        let text = self.symbols.spelling(symbol);
        let quote = text.iter().position(|byte| *byte == b'\'').ok_or(Invalid)?;
        let (prefix, text) = text.split_at(quote);
        let inner = text.get(1..text.len().saturating_sub(1)).ok_or(Invalid)?;
        let bits = match prefix {
            b"" | b"u8" => 8,
            b"u" => 16,
            _ => 32,
        };
        let units = if bits == 8 { units_of_bytes(inner)? } else { units_of_text(inner)? };
        let wide = |unit: u64| unit & ((1 << bits) - 1);
        match (prefix, units.as_slice()) {
            (_, []) => Err(Invalid),
            (b"", [unit]) if self.dialect.unsigned_char => Ok(Value::signed(i64::from(*unit as u8))),
            (b"", [unit]) => Ok(Value::signed(i64::from(*unit as i8))),
            (b"", units) => {
                let joined = units.iter().fold(0_u32, |joined, unit| joined << 8 | (*unit as u32 & 0xff));
                Ok(Value::signed(i64::from(joined.cast_signed())))
            }
            (b"L", [.., unit]) if !self.dialect.unsigned_wide => Ok(Value::signed(i64::from(*unit as i32))),
            (_, [.., unit]) => Ok(Value { bits: wide(*unit), is_unsigned: true }),
        }
    }
}

/// The value of an escape whose backslash is in front, with how many bytes it has.
fn escape(text: &[u8]) -> Result<(u64, usize), Invalid> {
    let first = *text.first().ok_or(Invalid)?;
    let digits = |from: usize, most: usize, radix: u32| -> Result<(u64, usize), Invalid> {
        let rest = text.get(from..).unwrap_or_default();
        let count = rest.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix)).count();
        let digits = str::from_utf8(&rest[..count]).map_err(|_| Invalid)?;
        Ok((u64::from_str_radix(digits, radix).map_err(|_| Invalid)?, from + count))
    };
    Ok(match first {
        b'a' => (7, 1),
        b'b' => (8, 1),
        b'f' => (12, 1),
        b'n' => (10, 1),
        b'r' => (13, 1),
        b't' => (9, 1),
        b'v' => (11, 1),
        b'e' | b'E' => (27, 1),
        b'x' => digits(1, 16, 16)?,
        b'u' => digits(1, 4, 16)?,
        b'U' => digits(1, 8, 16)?,
        b'0'..=b'7' => digits(0, 3, 8)?,
        other => (u64::from(other), 1),
    })
}

fn units_of_bytes(mut text: &[u8]) -> Result<Vec<u64>, Invalid> {
    let mut units = Vec::new();
    while let Some((first, rest)) = text.split_first() {
        text = rest;
        if *first != b'\\' {
            units.push(u64::from(*first));
            continue;
        }
        let (value, length) = escape(rest)?;
        let is_universal = matches!(rest.first(), Some(b'u' | b'U'));
        match char::from_u32(u32::try_from(value).unwrap_or(u32::MAX)).filter(|_| is_universal) {
            Some(character) => units.extend(character.to_string().bytes().map(u64::from)),
            None => units.push(value & 0xff),
        }
        text = &rest[length..];
    }
    Ok(units)
}

fn units_of_text(text: &[u8]) -> Result<Vec<u64>, Invalid> {
    let text = str::from_utf8(text).map_err(|_| Invalid)?;
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first != '\\' {
            units.push(u64::from(u32::from(first)));
            continue;
        }
        let (value, length) = escape(rest.as_bytes())?;
        units.push(value);
        rest = rest.get(length..).ok_or(Invalid)?;
    }
    Ok(units)
}

fn applied(operator: Symbol, left: Value, right: Value, counts: bool) -> Result<Value, Invalid> {
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
    let number = |bits: u64| Value { bits, is_unsigned };
    let ordered = |unsigned: bool, signed: bool| Value::truth(if is_unsigned { unsigned } else { signed });
    Ok(match operator {
        known::OR => Value::truth(left.holds() || right.holds()),
        known::AND => Value::truth(left.holds() && right.holds()),
        known::BIT_OR => number(a | b),
        known::BIT_XOR => number(a ^ b),
        known::BIT_AND => number(a & b),
        known::EQUAL => Value::truth(a == b),
        known::OTHER => Value::truth(a != b),
        known::LESS => ordered(a < b, signed_a < signed_b),
        known::GREATER => ordered(a > b, signed_a > signed_b),
        known::AT_MOST => ordered(a <= b, signed_a <= signed_b),
        known::AT_LEAST => ordered(a >= b, signed_a >= signed_b),
        known::LEFT | known::RIGHT => shifted(left, right, operator == known::LEFT),
        known::PLUS => number(a.wrapping_add(b)),
        known::MINUS => number(a.wrapping_sub(b)),
        known::TIMES => number(a.wrapping_mul(b)),
        _ if b == 0 && counts => return Err(Invalid),
        _ if b == 0 => number(0),
        known::OVER if is_unsigned => number(a / b),
        known::OVER => number(signed_a.wrapping_div(signed_b).cast_unsigned()),
        known::REST if is_unsigned => number(a % b),
        known::REST => number(signed_a.wrapping_rem(signed_b).cast_unsigned()),
        _ => return Err(Invalid),
    })
}

/// Shifts as compilers do, by any number of bits: a negative one shifts the other way.
fn shifted(left: Value, right: Value, to_left: bool) -> Value {
    let is_negative = !right.is_unsigned && right.bits.cast_signed() < 0;
    let by = if is_negative { right.bits.wrapping_neg() } else { right.bits };
    let bits = if to_left != is_negative {
        if by >= 64 { 0 } else { left.bits << by }
    } else if left.is_unsigned {
        if by >= 64 { 0 } else { left.bits >> by }
    } else {
        (left.bits.cast_signed() >> by.min(63)).cast_unsigned()
    };
    Value { bits, is_unsigned: left.is_unsigned }
}

/// The text that a string literal is, without its prefix and quotes (6.10.9).
pub(super) fn without_quotes(literal: &[u8]) -> Vec<u8> {
    let Some(quote) = literal.iter().position(|byte| *byte == b'"') else { return Vec::new() };
    let inner = literal.get(quote + 1..literal.len().saturating_sub(1)).unwrap_or_default();
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().peekable();
    while let Some(byte) = rest.next() {
        match rest.peek() {
            Some(next @ (b'"' | b'\\')) if *byte == b'\\' => {
                text.push(**next);
                rest.next();
            }
            _ => text.push(*byte),
        }
    }
    text
}
