//! Names that are certainly those of constants, by the statements before them alone.

use super::classify::StatementText;
use super::lexer::{Lexed, LogicalStatement};

/// How the statements begin among which the declaration of a constant is looked for: nothing else can stand between the beginning of a
/// unit and its declarations without opening another scope.
const DECLARATIONS: [&str; 16] = [
    "character",
    "common",
    "complex",
    "data",
    "dimension",
    "double",
    "equivalence",
    "external",
    "implicit",
    "integer",
    "intrinsic",
    "logical",
    "parameter",
    "real",
    "save",
    "namelist",
];

/// Does a declaration of the same unit, before `statement`, make `name` a constant, whatever conditions of the preprocessor hold?
pub(super) fn is_constant_before(text: &[u8], lexed: &Lexed, statement: &LogicalStatement, name: &[u8]) -> bool {
    let before = lexed.first_statement_from(statement.start);
    for earlier in lexed.statements[..before].iter().rev() {
        let is_conditional = lexed.preprocessor_lines.iter().any(|line| {
            let is_between = line.start > earlier.start && line.start < statement.start;
            is_between && is_condition(&text[line.clone()])
        });
        let words = StatementText::new(text, lexed, earlier);
        let is_declaration = DECLARATIONS.iter().any(|keyword| words.is_word(0, keyword)) && !words.is_assignment();
        let count = lexed.tokens_of(earlier).len();
        if is_conditional || !is_declaration || (1..count).any(|index| words.is_word(index, "function")) {
            return false;
        }
        let is_defined = match words.is_word(0, "parameter") {
            true => (1..count).any(|index| defines(&words, index, name)),
            false => has_constant(&words, count, name),
        };
        if is_defined {
            return true;
        }
    }
    false
}

/// Is the token at `index` of a PARAMETER statement the name that is given a value?
fn defines(words: &StatementText<'_>, index: usize, name: &[u8]) -> bool {
    let is_name = words.is_any_word(index) && words.is_word(index, &String::from_utf8_lossy(name).to_ascii_lowercase());
    let begins = words.is_symbol(index - 1, ",") || index == 2 && words.is_symbol(1, "(");
    is_name && begins && words.is_symbol(index + 1, "=")
}

/// Does the declaration, of so many tokens, make the name a constant by the attribute PARAMETER?
fn has_constant(words: &StatementText<'_>, count: usize, name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let (mut depth, mut is_parameter, mut is_behind) = (0_usize, false, false);
    for index in 0..count {
        let is_symbol = |symbol| words.is_symbol(index, symbol);
        if is_symbol("(") || is_symbol("[") {
            depth += 1;
        } else if is_symbol(")") || is_symbol("]") {
            depth = depth.saturating_sub(1);
        } else if depth > 0 {
            continue;
        } else if is_symbol("::") {
            is_behind = true;
        } else if !is_behind {
            is_parameter |= index > 0 && words.is_symbol(index - 1, ",") && words.is_word(index, "parameter");
        } else {
            let begins = words.is_symbol(index - 1, "::") || words.is_symbol(index - 1, ",");
            if is_parameter && begins && words.is_word(index, &name) && words.is_symbol(index + 1, "=") {
                return true;
            }
        }
    }
    false
}

/// Can what follows the preprocessor's line be left out?
fn is_condition(line: &[u8]) -> bool {
    let word = String::from_utf8_lossy(line).trim_start().trim_start_matches('#').trim_start().to_ascii_lowercase();
    ["if", "el", "end"].iter().any(|beginning| word.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    /// Is `n` a constant at the last statement?
    fn is_constant(before: &str) -> bool {
        let text = format!("{before}character a*(n)\n");
        let lexed = lex(text.as_bytes());
        is_constant_before(text.as_bytes(), &lexed, lexed.statements.last().unwrap(), b"N")
    }

    #[test]
    fn a_parameter_statement_of_the_same_unit_makes_constants() {
        assert!(is_constant("integer n\nparameter (n = 3)\n"));
        assert!(is_constant("parameter (m = 2, n = 3)\nreal x(m)\n"));
        assert!(is_constant("parameter (n = 3)\n#include \"other.h\"\n"));
        assert!(is_constant("integer(4), parameter :: m = 2, n = 3\n"));
        assert!(is_constant("integer, parameter :: a(2) = [1, 2], n = a(1)\nreal x\n"));
    }

    #[test]
    fn another_unit_or_a_condition_may_make_it_something_else() {
        for before in [
            "integer n\n",
            "parameter (m = n)\n",
            "parameter (n = 3)\nend\nsubroutine s(n)\ninteger n\n",
            "parameter (n = 3)\ninteger function f(n)\n",
            "parameter (n = 3)\ninterface\nsubroutine s(n)\ninteger n\n",
            "#ifdef A\nparameter (n = 3)\n#else\ninteger n\n#endif\n",
            "parameter (n = 3)\nx = 1\n",
            "integer :: m = 2, n = 3\n",
            "integer, parameter :: m = kind(n)\n",
            "integer, parameter :: m = f(1, n = 3)\n",
            "integer, parameter :: m = 3\ninteger :: n = 3\n",
        ] {
            assert!(!is_constant(before), "{before}");
        }
    }
}
