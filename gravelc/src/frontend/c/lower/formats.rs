//! Formats of output and input (C11 7.21.6): what calls of `printf` and its kin do with what they are handed.
//!
//! A format says so only where it is a literal, and only as a whole: adjacent literals are one text, and escapes stand for the
//! characters that they mean. `"%" "n"`, `"%1$n"` and `"\x25n"` all store a number.

use crate::frontend::c::reading::literals;
use crate::frontend::c::unit::{Conversion, ExpressionId, Operation, Unit};

/// Functions that write what a text says, with the number of that argument.
const PRINTS: [(&str, usize); 2] = [("printf", 0), ("fprintf", 1)];

/// Flags, numbers of arguments, widths, precisions and lengths, which stand in front of the letter of a conversion.
const IN_FRONT: &[u8] = b"0123456789-+ #.*'$hlLqjztI";

/// Conversions that read a value, or what a pointer leads to.
const READS: &[u8] = b"diouxXfFeEgGaAcsCSpm%";

/// Functions by which the memory of a stream becomes the program's, with the number of the argument that is the memory; `None` if all
/// calls do that.
const GIVES_MEMORY: [(&str, Option<usize>); 6] = [
    ("setvbuf", Some(1)),
    ("setbuf", Some(1)),
    ("setbuffer", Some(1)),
    ("fmemopen", None),
    ("open_memstream", None),
    ("fopencookie", None),
];

/// The text of the literal that an argument is.
pub fn literal(unit: &Unit, text: &[u8], argument: ExpressionId) -> Option<Vec<u8>> {
    let mut id = argument;
    loop {
        match &unit.expression(id).operation {
            Operation::Convert { operand, .. } => id = *operand,
            Operation::String { .. } => {
                let range = &unit.expression(id).range;
                return literals::text(text.get(range.start as usize..range.end as usize)?);
            }
            _ => return None,
        }
    }
}

/// The letters of the conversions of a format; nothing, if it is not understood.
pub fn conversions(format: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let in_front = rest.iter().take_while(|byte| IN_FRONT.contains(byte)).count();
        let letter = *rest.get(in_front)?;
        rest = &rest[in_front + 1..];
        if letter == b'[' {
            // A bracket that comes first is one of the set.
            let first = rest.iter().take_while(|byte| **byte == b'^').count().min(1);
            let inside = rest.get(first + 1..)?;
            let end = inside.iter().position(|byte| *byte == b']')?;
            rest = &inside[end + 1..];
        }
        found.push(letter);
    }
    Some(found)
}

/// May an output by this function of the C library store something? Where its format is no text that is understood, or has `%n`.
pub fn may_store(unit: &Unit, text: &[u8], name: &str, arguments: &[ExpressionId]) -> bool {
    let Some((_, number)) = PRINTS.iter().find(|(known, _)| *known == name) else { return false };
    let format = arguments.get(*number).and_then(|format| literal(unit, text, *format));
    format
        .and_then(|format| conversions(&format))
        .is_none_or(|letters| !letters.iter().all(|letter| READS.contains(letter)))
}

/// May output store in memory of the program, which a stream has been given (C11 7.21.5.6)?
pub fn gives_memory_to_streams(unit: &Unit) -> bool {
    let of_stand_in = |id: ExpressionId| {
        let Operation::Symbol(symbol) = unit.expression(id).operation else { return None };
        let name = unit.name_in_library(symbol)?;
        GIVES_MEMORY.iter().find(|(known, _)| *known == name)
    };
    let all = || (0..unit.expressions.len()).map(ExpressionId::next);
    let is_null = |id: &ExpressionId| {
        matches!(unit.expression(*id).operation, Operation::Convert { conversion: Conversion::Null, .. })
    };
    let named = all().filter(|id| of_stand_in(*id).is_some()).count();
    let gives_nothing = all().filter(|id| match &unit.expression(*id).operation {
        Operation::Call { callee, arguments } => {
            let function = unit.function_named(*callee).and_then(|function| unit.name_in_library(function));
            let known = GIVES_MEMORY.iter().find(|(known, _)| Some(*known) == function);
            known.and_then(|(_, memory)| arguments.get((*memory)?)).is_some_and(is_null)
        }
        _ => false,
    });
    named > gives_nothing.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_found_behind_all_that_stands_in_front() {
        for (format, letters) in [
            ("", Some("")),
            ("plain", Some("")),
            ("100%%\n", Some("%")),
            ("%d %-08.3lf %s", Some("dfs")),
            ("%2$*1$d%'n", Some("dn")),
            ("%[^]%]%d", Some("[d")),
            ("%[]n]%n", Some("[n")),
            ("%", None),
            ("%ll", None),
            ("%[", None),
            ("%[^", None),
        ] {
            assert_eq!(conversions(format.as_bytes()), letters.map(|letters| letters.as_bytes().to_vec()), "{format}");
        }
    }
}
