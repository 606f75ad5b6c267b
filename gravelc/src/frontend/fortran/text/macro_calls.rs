//! Calls of macros, and what stands in their place: `call MPI_SEND(a, n, REALS)` after `#define REALS mpi_real`.
//!
//! Macros are replaced as gfortran replaces them, which preprocesses Fortran in the traditional mode of GCC ("Traditional Mode"
//! in the manual of its preprocessor): arguments are put in as they are written, in quotes of the replacement, too; what has
//! come about is read again; what stands in quotes of the text is no macro. Two texts that meet become one name.
//!
//! What is not certain is no call: the name stays, and its statement is not understood.

use std::ops::Range;

use super::conditions::{FunctionLike, Macro, Macros};

/// Macros that call one another more deeply are not replaced. The compiler takes more than this for an endless recursion.
const MAX_DEPTH: usize = 20;

/// What stands in the place of a call may be as long as this.
const MOST_TEXT: usize = 1 << 16;

/// A call in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroCall {
    /// Its bytes: a name, perhaps with arguments in parentheses.
    pub range: Range<usize>,
    /// What stands in its place.
    pub text: Vec<u8>,
}

/// It is not certain what stands in the place of a call.
#[derive(Debug, Clone, Copy)]
struct Uncertain;

/// The macros that may be replaced where the text is.
pub struct Replaceable<'a> {
    /// All.
    pub macros: &'a Macros,
    /// Those that stay as they are: it is understood what their names stand for.
    pub stays: &'a dyn Fn(&str) -> bool,
}

/// What a text becomes when it is read again.
struct Replaced {
    text: Vec<u8>,
    /// A macro's name stands at its end that could find its arguments behind.
    wants_arguments: bool,
}

impl Replaceable<'_> {
    /// The calls in a line, in order. C's comments are not in it.
    pub fn calls_in(&self, line: &[u8]) -> Vec<MacroCall> {
        let mut calls: Vec<MacroCall> = Vec::new();
        let is_open = for_each_name(line, |name| {
            let Ok(Some((end, replaced))) = self.call(line, name.clone(), &mut Vec::new()) else { return name.end };
            if replaced.wants_arguments {
                // They could stand on the next line.
                return name.end;
            }
            calls.push(MacroCall { range: name.start..end, text: with_room(&replaced.text, line, name.start, end) });
            end
        });
        // A text that is put in may go on in quotes which do not end there.
        let is_whole = |text: &[u8]| for_each_name(text, |name| name.end).is_none();
        let written = replace(line, &calls);
        let is_settled = calls.iter().all(|call| is_whole(&call.text))
            && self.holds_no_call(&written)
            && !self.joins_macros(line, &calls);
        if is_settled && for_each_name(&written, |name| name.end) == is_open { calls } else { Vec::new() }
    }

    /// Do the texts of calls meet something with which they become one name, though one of both means something by itself?
    fn joins_macros(&self, line: &[u8], calls: &[MacroCall]) -> bool {
        let means_something = |word: &[u8]| {
            std::str::from_utf8(word).is_ok_and(|word| Macros::is_special(word) || self.macros.known.contains_key(word))
        };
        let joins = |before: &[u8], behind: &[u8]| {
            let first = before.iter().rposition(|&byte| !is_of_name(byte)).map_or(0, |other| other + 1);
            let last = behind.iter().position(|&byte| !is_of_name(byte)).unwrap_or(behind.len());
            let (before, behind) = (&before[first..], &behind[..last]);
            !before.is_empty() && !behind.is_empty() && (means_something(before) || means_something(behind))
        };
        calls.iter().enumerate().any(|(index, call)| {
            let (before, behind) = (replace(&line[..call.range.start], &calls[..index]), &line[call.range.end..]);
            let next = calls.get(index + 1).filter(|next| next.range.start == call.range.end);
            joins(&before, &call.text) || joins(&call.text, next.map_or(behind, |next| &next.text))
        })
    }

    /// Is nothing replaced in the line, when the preprocessor reads it once more?
    fn holds_no_call(&self, line: &[u8]) -> bool {
        let mut found = false;
        for_each_name(line, |name| {
            found |= !matches!(self.call(line, name.clone(), &mut Vec::new()), Ok(None));
            name.end
        });
        !found
    }

    /// The call that begins with the `name` in the text: where it ends, and what stands in its place. `around` are the macros in
    /// whose replacements the text stands.
    fn call<'m>(
        &'m self,
        text: &[u8],
        name: Range<usize>,
        around: &mut Vec<&'m str>,
    ) -> Result<Option<(usize, Replaced)>, Uncertain> {
        let Ok(word) = std::str::from_utf8(&text[name.clone()]) else { return Ok(None) };
        let Some((word, known)) = self.macros.known.get_key_value(word).filter(|_| !Macros::is_special(word)) else {
            return Ok(None);
        };
        let (end, replacement) = match known {
            Macro::Undefined => return Ok(None),
            Macro::Unknown => return Err(Uncertain),
            _ if (self.stays)(word) => return Ok(None),
            Macro::Defined(_) if around.contains(&word.as_str()) => return Err(Uncertain),
            Macro::Defined(value) => (name.end, value.clone().into_bytes()),
            Macro::WithArguments(defined) => {
                let Some(arguments) = arguments_behind(text, name.end)? else { return Ok(None) };
                (arguments.end, with_arguments(defined, &arguments.texts)?)
            }
        };
        if around.len() == MAX_DEPTH || replacement.len() > MOST_TEXT {
            return Err(Uncertain);
        }
        around.push(word);
        let replaced = self.read_again(&replacement, around);
        around.pop();
        let replaced = replaced?;
        // Such arguments begin in one text and end in another one.
        let meets_arguments = replaced.wants_arguments && text[end..].trim_ascii_start().starts_with(b"(");
        if meets_arguments { Err(Uncertain) } else { Ok(Some((end, replaced))) }
    }

    /// The text with its calls replaced.
    fn read_again<'m>(&'m self, text: &[u8], around: &mut Vec<&'m str>) -> Result<Replaced, Uncertain> {
        let mut calls: Vec<MacroCall> = Vec::new();
        let mut outcome = Ok(());
        let mut wants_arguments = false;
        let open = for_each_name(text, |name| {
            let call = match outcome {
                Ok(()) => self.call(text, name.clone(), around),
                Err(Uncertain) => return text.len(),
            };
            let is_last = |end: usize| text[end..].trim_ascii().is_empty();
            match call {
                Ok(Some((end, replaced))) => {
                    wants_arguments = replaced.wants_arguments && is_last(end);
                    calls.push(MacroCall { range: name.start..end, text: replaced.text });
                    end
                }
                Ok(None) => {
                    let known = std::str::from_utf8(&text[name.clone()]).ok().map(|word| self.macros.get(word));
                    wants_arguments = is_last(name.end) && matches!(known, Some(Macro::WithArguments(_)));
                    name.end
                }
                Err(uncertain) => {
                    outcome = Err(uncertain);
                    text.len()
                }
            }
        });
        outcome?;
        let replaced = replace(text, &calls);
        let is_certain = open.is_none() && replaced.len() <= MOST_TEXT && !self.joins_macros(text, &calls);
        if is_certain { Ok(Replaced { text: replaced, wants_arguments }) } else { Err(Uncertain) }
    }
}

/// The line with its calls replaced.
pub fn replace(line: &[u8], calls: &[MacroCall]) -> Vec<u8> {
    let mut result = Vec::with_capacity(line.len());
    let mut copied = 0;
    for call in calls {
        result.extend_from_slice(&line[copied..call.range.start]);
        result.extend_from_slice(&call.text);
        copied = call.range.end;
    }
    result.extend_from_slice(&line[copied..]);
    result
}

/// Where a call stands for nothing, and beside a blank, a blank does: edits on both sides of it have places of their own then.
fn with_room(text: &[u8], line: &[u8], start: usize, end: usize) -> Vec<u8> {
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    let is_beside_blank = is_blank(start.checked_sub(1).map(|before| &line[before])) || is_blank(line.get(end));
    if text.is_empty() && is_beside_blank { b" ".to_vec() } else { text.to_vec() }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Calls `visit` for the names in a text that are not in quotes; it says where to go on. The quote that is open at the end is the
/// answer.
fn for_each_name(text: &[u8], mut visit: impl FnMut(Range<usize>) -> usize) -> Option<u8> {
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let is_escape = byte == b'\\' && matches!(text.get(at + 1), Some(b'\\' | b'\'' | b'"'));
        if is_escape {
            at += 2;
            continue;
        }
        match quote {
            Some(open) if open == byte => quote = None,
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None if is_of_name(byte) && !byte.is_ascii_digit() => {
                let length = text[at..].iter().take_while(|&&byte| is_of_name(byte)).count();
                at = visit(at..at + length).max(at + length);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    quote
}

/// The arguments of a call.
struct Arguments<'t> {
    texts: Vec<&'t [u8]>,
    /// Where the parentheses around them are closed.
    end: usize,
}

/// The arguments in parentheses behind a macro's name that ends at `from`; `None` if there are no parentheses.
fn arguments_behind(text: &[u8], from: usize) -> Result<Option<Arguments<'_>>, Uncertain> {
    let open = from + text[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if text.get(open) != Some(&b'(') {
        return Ok(None);
    }
    let mut arguments = Vec::new();
    let (mut begin, mut depth, mut quote) = (open + 1, 0_usize, None);
    let mut at = open;
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            (_, b'\\') if matches!(text.get(at + 1), Some(b'\\' | b'\'' | b'"')) => at += 1,
            (Some(quoted), _) if quoted == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, b',') if depth == 1 => {
                arguments.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            arguments.push(&text[begin..at]);
            return Ok(Some(Arguments { texts: arguments, end: at + 1 }));
        }
        at += 1;
    }
    Err(Uncertain)
}

/// The replacement with its parameters replaced, in quotes, too.
fn with_arguments(defined: &FunctionLike, arguments: &[&[u8]]) -> Result<Vec<u8>, Uncertain> {
    let body = defined.body.as_bytes();
    // No argument at all is one without text.
    let is_without = defined.parameters.is_empty() && *arguments == [&b""[..]];
    if !is_without && arguments.len() != defined.parameters.len() {
        return Err(Uncertain);
    }
    let mut result = Vec::new();
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        if byte == b'\\' {
            // What is escaped in a replacement is not worth an explanation.
            return Err(Uncertain);
        }
        if is_of_name(byte) && !byte.is_ascii_digit() {
            let length = body[at..].iter().take_while(|&&byte| is_of_name(byte)).count();
            let word = &body[at..at + length];
            match defined.parameters.iter().position(|parameter| parameter.as_bytes() == word) {
                // The preprocessor marks quotes that it puts into quotes.
                Some(index) if quote.is_some() && arguments[index].iter().any(|byte| b"'\"\\".contains(byte)) => {
                    return Err(Uncertain);
                }
                Some(index) => result.extend_from_slice(arguments[index]),
                None => result.extend_from_slice(word),
            }
            at += length;
            continue;
        }
        match quote {
            Some(open) if open == byte => quote = None,
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            _ => {}
        }
        result.push(byte);
        at += 1;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITIONS: &[&str] = &[
        "MYK foo",
        "F(x) call f(x, 'x', \"x\")",
        "G(a,b) ab _a_ a",
        "OBJ F",
        "P() p",
        "Q(x) [x]",
        "TWICE(x) x x",
        "NEST Q(Q(1))",
        "NOTHING(x)",
        "NUMBER 7",
        "SUM a + NUMBER",
        "LOOP LOOP2",
        "LOOP2 LOOP",
        "BACK(x) BACK(x)",
        "OPEN call f(",
        "QUOTE 'a",
        "STRING(x) \"x\"",
    ];

    fn replaced(line: &str) -> String {
        let known = DEFINITIONS.iter().map(|definition| Macro::directive(definition));
        let mut macros = Macros { known: known.collect(), ..Macros::default() };
        macros.known.insert("PERHAPS".to_string(), Macro::Unknown);
        macros.known.insert("NOT".to_string(), Macro::Undefined);
        let calls = Replaceable { macros: &macros, stays: &|name| name == "NUMBER" }.calls_in(line.as_bytes());
        String::from_utf8(replace(line.as_bytes(), &calls)).unwrap()
    }

    /// As `gfortran -cpp -E` prints these lines.
    #[test]
    fn calls_are_replaced_as_gfortran_does() {
        for (line, expected) in [
            ("call s(MYK, myk)", "call s(foo, myk)"),
            ("1_MYK 1MYK x1_MYK", "1_MYK 1foo x1_MYK"),
            ("F(MYK) F( MYK ) 'F(1)'", "call f(foo, 'MYK', \"MYK\") call f( foo , ' MYK ', \" MYK \") 'F(1)'"),
            ("\"MYK\" don't MYK", "\"MYK\" don't MYK"),
            ("G(1,2) G( 1 , 2 )", "ab _a_ 1 ab _a_  1 "),
            ("P() Q()", "p []"),
            ("NEST Q(Q(Q(2)))", "[[1]] [[[2]]]"),
            ("Q('it''s')", "['it''s']"),
            ("TWICE(F(MYK))", "call f(foo, 'MYK', \"MYK\") call f(foo, 'MYK', \"MYK\")"),
            ("Q (1) Q", "[1] Q"),
            ("SUM", "a + NUMBER"),
            ("OPEN 1)", "call f( 1)"),
            ("NOT STRING(a)", "NOT \"a\""),
        ] {
            assert_eq!(replaced(line), expected, "{line}");
        }
        // A blank for nothing.
        assert_eq!(replaced("a; NOTHING(b); c"), "a;  ; c");
    }

    #[test]
    fn what_is_not_certain_stays() {
        for line in [
            "PERHAPS",
            "LOOP",
            "BACK(1)",
            "QUOTE",
            "P( )",
            "Q(a, b)",
            "Q(a",
            "OBJ(3)",
            "OBJ",
            "STRING(\"a\")",
            "STRING('a')",
        ] {
            assert_eq!(replaced(line), line, "{line}");
        }
        // Others on the line are replaced, as long as it is read with the same quotes.
        assert_eq!(replaced("LOOP MYK"), "LOOP MYK");
    }
}
