//! Macros that stand for a number, or for a constant of numbers: the text is read as if it stood there.
//!
//! The name stays in the text, so it must stand for one number wherever it stands, and wherever the text may be moved: nothing
//! else defines it, it is not used above its definition, that does not stand among statements that are executed, and no name of
//! the program differs from it in case alone. Preprocessors look at case, Fortran does not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Macro, Macros, names_in};
use crate::frontend::fortran::text::classify::{Role, StatementText};
use crate::frontend::fortran::text::lexer::Lexed;
use crate::source_layout::SourceLayout;

/// How much longer than its name a number may be: lines that are written must not become too long by it.
const MOST_GROWTH: usize = 12;

/// A number as the text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// An integer of the default kind.
    Integer(i64),
    /// A real number that is not negative, with its text.
    Real(String),
    /// Something of numbers in parentheses, such as a complex one, with its text.
    Constant(String),
}

impl Number {
    /// The number that a macro with this replacement stands for: digits, or those in parentheses, perhaps with a sign.
    fn of(replacement: &str) -> Option<Self> {
        let mut text = replacement.trim();
        let mut is_enclosed = false;
        while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            text = inner.trim();
            is_enclosed = true;
        }
        let digits = text.strip_prefix(['-', '+']).filter(|_| is_enclosed).unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_integer {
            return text.parse::<i32>().ok().map(|value| Self::Integer(value.into()));
        }
        if is_real(text) {
            return Some(Self::Real(text.to_string()));
        }
        is_constant(replacement.trim()).then(|| Self::Constant(replacement.trim().to_string()))
    }

    /// Can it be a bound, a kind or a label?
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Integer(_))
    }
}

/// Is it one pair of parentheses around numbers, signs and commas?
fn is_constant(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let mut depth = 0_usize;
    for byte in inner.bytes() {
        depth = match byte {
            b'(' => depth + 1,
            b')' if depth == 0 => return false,
            b')' => depth - 1,
            _ => depth,
        };
    }
    let words = inner.split(|c: char| "(),+-*/".contains(c)).map(str::trim).filter(|word| !word.is_empty());
    let mut words = words.peekable();
    // The sign of an exponent parts it from its number.
    let is_number = |word: &str| {
        let (number, kind) = word.split_once('_').unwrap_or((word, "8"));
        let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let number = number.strip_suffix(['e', 'E', 'd', 'D']).unwrap_or(number);
        let is_whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_kind && (is_whole || is_real(number))
    };
    depth == 0 && words.peek().is_some() && words.all(is_number)
}

/// Is it a real number without a sign and without a kind parameter?
fn is_real(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E', 'd', 'D']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.trim_start_matches(['-', '+']))),
        None => (text, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let is_marked = mantissa.contains('.') || exponent.is_some();
    has_digits
        && is_marked
        && is_digits(whole)
        && is_digits(fraction)
        && exponent.is_none_or(|exponent| !exponent.is_empty() && is_digits(exponent))
}

/// Where the meanings of macros change in a file.
#[derive(Debug, Default)]
pub struct Changes {
    /// The places where each macro is defined or is no longer, or where something is included that does that.
    by_name: BTreeMap<String, Vec<usize>>,
    /// What is included could change any.
    any: bool,
    /// The macros that conditions name where they are evaluated, as long as the file itself has not changed them.
    looked_at: BTreeSet<String>,
    /// Where the lines begin whose included files bring nothing but lines for the preprocessor and comments, as far as they are
    /// compiled.
    idle_includes: Vec<usize>,
}

impl Changes {
    /// Another one.
    pub fn add(&mut self, name: String, place: usize) {
        self.by_name.entry(name).or_default().push(place);
    }

    /// What the line that begins here includes brings no statement.
    pub fn add_idle_include(&mut self, line: usize) {
        self.idle_includes.push(line);
    }

    /// Where lines begin that include nothing that is compiled, in order.
    pub fn idle_includes(&self) -> &[usize] {
        &self.idle_includes
    }

    /// A condition of this text is evaluated, where this is known of macros.
    pub fn look_at(&mut self, condition: &str, macros: &Macros) {
        let mut seen = BTreeSet::new();
        let mut pending = vec![condition];
        while let Some(text) = pending.pop() {
            let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
            for name in
                words.filter(|word| word.starts_with(|first: char| !first.is_ascii_digit()) && *word != "defined")
            {
                if !seen.insert(name) {
                    continue;
                }
                if !self.by_name.contains_key(name) {
                    self.looked_at.insert(name.to_string());
                }
                if let Some(Macro::Defined(value)) = macros.known.get(name) {
                    pending.push(value);
                }
            }
        }
    }

    /// The macros that conditions look at.
    pub fn looked_at(&self) -> impl Iterator<Item = &String> {
        self.looked_at.iter()
    }

    /// The macros that change.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    /// May it be another macro, or none, somewhere below its first definition?
    pub fn may_end(&self, name: &str) -> bool {
        self.any || self.by_name.get(name).is_some_and(|places| places.len() > 1)
    }

    /// Any macro may have changed.
    pub fn add_any(&mut self) {
        self.any = true;
    }

    /// Those of a file that is included at `place`.
    pub fn add_included(&mut self, included: Self, place: usize) {
        self.any |= included.any;
        let from_outside = included.looked_at.into_iter().filter(|name| !self.by_name.contains_key(name));
        self.looked_at.extend(from_outside.collect::<Vec<_>>());
        for (name, places) in included.by_name {
            self.by_name.entry(name).or_default().extend(places.iter().map(|_| place));
        }
    }
}

/// The macros that stand for numbers in a file: `written` as it is, of `text`, which is in free form, `lexed` has the tokens.
/// `macros` are those at its end.
pub fn numbers(
    written: &[u8],
    text: &[u8],
    lexed: &Lexed,
    layout: SourceLayout,
    macros: &Macros,
    changes: &Changes,
) -> BTreeMap<String, Number> {
    let mut found = BTreeMap::new();
    if changes.any {
        return found;
    }
    for (name, known) in &macros.known {
        let Macro::Defined(replacement) = known else { continue };
        let Some(number) = Number::of(replacement).filter(|_| !Macros::is_special(name)) else { continue };
        let first = match changes.by_name.get(name).map(Vec::as_slice) {
            None => 0,
            Some([place]) if !is_behind_executed(text, lexed, *place) => *place,
            Some(_) => continue,
        };
        // What is cut off behind the last column of fixed form must not be part of a number.
        let room = if layout == SourceLayout::Free { MOST_GROWTH } else { 0 };
        let fits = replacement.trim().len() <= name.len() + room;
        if fits && names_in(written, 0..first, |word| word == name).is_empty() {
            found.insert(name.clone(), number);
        }
    }
    if found.is_empty() {
        return found;
    }
    let labels: Vec<Option<i64>> = lexed.statements.iter().map(|statement| label_at(text, statement.start)).collect();
    found.retain(|_, number| match number {
        Number::Integer(value) => !labels.contains(&Some(*value)),
        Number::Real(_) | Number::Constant(_) => true,
    });
    let is_name = |word: &str| lexed.tokens.iter().any(|token| is_other_spelling(text, token.start..token.end, word));
    found.retain(|name, _| !is_name(name));
    found
}

/// Is the last statement in front of the place executed? One behind the place may be moved above it.
fn is_behind_executed(text: &[u8], lexed: &Lexed, place: usize) -> bool {
    let Some(last) = lexed.first_statement_from(place).checked_sub(1) else { return false };
    let words = StatementText::new(text, lexed, &lexed.statements[last]);
    match words.role() {
        Role::ConstructStart(_) | Role::ConstructMiddle(..) | Role::ConstructEnd => true,
        Role::Simple => words.can_be_executed() || words.begins_without_word(),
        _ => false,
    }
}

fn label_at(text: &[u8], start: usize) -> Option<i64> {
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[start..start + digits]).ok()?.parse().ok()
}

/// Does the name differ from the word in case alone?
fn is_other_spelling(text: &[u8], name: Range<usize>, word: &str) -> bool {
    let name = &text[name];
    name.eq_ignore_ascii_case(word.as_bytes()) && name != word.as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_that_are_numbers() {
        let integer = |value| Some(Number::Integer(value));
        let real = |text: &str| Some(Number::Real(text.to_string()));
        let constant = |text: &str| Some(Number::Constant(text.to_string()));
        for (text, expected) in [
            ("20000", integer(20000)),
            (" 7 ", integer(7)),
            ("(7)", integer(7)),
            ("((-7))", integer(-7)),
            ("( +7 )", integer(7)),
            ("1.5", real("1.5")),
            ("1d-3", real("1d-3")),
            ("(.5E+2)", real(".5E+2")),
            ("1.", real("1.")),
            ("( 0.D0, 0.D0 )", constant("( 0.D0, 0.D0 )")),
            ("(-1.5)", constant("(-1.5)")),
            ("(1.5_dp)", constant("(1.5_dp)")),
            (" (1d-3, (2+3))", constant("(1d-3, (2+3))")),
        ] {
            assert_eq!(Number::of(text), expected, "{text}");
        }
        for text in [
            "",
            "-7",
            "+7",
            "2+3",
            "(n)",
            "(1, n)",
            "(f(1))",
            "(1.5_)",
            "(1)+(2)",
            "(.true.)",
            "('1')",
            "((1)",
            "n",
            "7_8",
            "1.5_dp",
            "3000000000",
            "()",
            "(1)(2)",
            ".",
            "e5",
            "1.e",
            "'1'",
        ] {
            assert_eq!(Number::of(text), None, "{text}");
        }
    }
}
