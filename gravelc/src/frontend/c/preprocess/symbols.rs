//! Spellings, each kept once: comparing names is comparing numbers.

use std::collections::HashMap;
use std::sync::Arc;

/// A spelling, as a number in [`Symbols`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// Its place in tables that have one row per symbol.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The spellings of one unit.
#[derive(Debug, Clone)]
pub struct Symbols {
    spellings: Vec<Arc<[u8]>>,
    numbers: HashMap<Arc<[u8]>, u32>,
}

macro_rules! known {
    ($($name:ident = $spelling:literal),* $(,)?) => {
        /// Spellings that the preprocessor itself looks for.
        pub(super) mod known {
            use super::Symbol;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the constants made of them")]
            #[derive(Clone, Copy)]
            enum Number { $($name),* }
            $(pub(crate) const $name: Symbol = Symbol(Number::$name as u32);)*
        }
        /// The spellings of the module `known`, in its order.
        const KNOWN: &[&str] = &[$($spelling),*];
    };
}

known! {
    HASH = "#", HASH_HASH = "##", OPEN = "(", CLOSE = ")", COMMA = ",", ELLIPSIS = "...", LESS = "<", GREATER = ">",
    QUESTION = "?", COLON = ":", PLUS = "+", MINUS = "-", NOT = "!", TILDE = "~", TIMES = "*", OVER = "/",
    REST = "%", LEFT = "<<", RIGHT = ">>", AT_MOST = "<=", AT_LEAST = ">=", EQUAL = "==", OTHER = "!=", BIT_AND = "&",
    BIT_XOR = "^", BIT_OR = "|", AND = "&&", OR = "||", OPEN_BRACKET = "[", CLOSE_BRACKET = "]", OPEN_BRACE = "{",
    CLOSE_BRACE = "}",
    DEFINE = "define", UNDEF = "undef", IF = "if", IFDEF = "ifdef", IFNDEF = "ifndef", ELIF = "elif", ELIFDEF = "elifdef",
    ELIFNDEF = "elifndef", ELSE = "else", ENDIF = "endif", INCLUDE = "include", INCLUDE_NEXT = "include_next",
    IMPORT = "import", LINE = "line", ERROR = "error", PRAGMA = "pragma", IDENT = "ident",
    SCCS = "sccs", DEFINED = "defined", ONCE = "once", PUSH_MACRO = "push_macro", POP_MACRO = "pop_macro", OMP = "omp",
    GCC = "GCC", VA_ARGS = "__VA_ARGS__", VA_OPT = "__VA_OPT__", PRAGMA_OPERATOR = "_Pragma", TRUE = "true",
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self { spellings: Vec::new(), numbers: HashMap::new() };
        for spelling in KNOWN {
            symbols.add(spelling.as_bytes());
        }
        symbols
    }
}

impl Symbols {
    /// The symbol of a spelling, which is added where it is new.
    pub(super) fn add(&mut self, spelling: &[u8]) -> Symbol {
        if let Some(number) = self.numbers.get(spelling) {
            return Symbol(*number);
        }
        // A unit's bytes are counted by 32 bits, so its spellings are.
        let number = u32::try_from(self.spellings.len()).unwrap_or(u32::MAX);
        let kept: Arc<[u8]> = spelling.into();
        self.spellings.push(Arc::clone(&kept));
        self.numbers.insert(kept, number);
        Symbol(number)
    }

    /// The symbol of a spelling, if it was seen.
    pub fn find(&self, spelling: &[u8]) -> Option<Symbol> {
        self.numbers.get(spelling).copied().map(Symbol)
    }

    /// The bytes of a symbol.
    pub fn spelling(&self, symbol: Symbol) -> &[u8] {
        self.spellings.get(symbol.index()).map_or(&[], |spelling| spelling)
    }

    /// The symbol as text for people.
    pub fn text(&self, symbol: Symbol) -> String {
        String::from_utf8_lossy(self.spelling(symbol)).into_owned()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.spellings.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spellings_have_their_numbers() {
        let mut symbols = Symbols::default();
        for (symbol, spelling) in [
            (known::HASH, "#"),
            (known::CLOSE_BRACE, "}"),
            (known::DEFINE, "define"),
            (known::PRAGMA_OPERATOR, "_Pragma"),
            (known::TRUE, "true"),
        ] {
            assert_eq!(symbols.find(spelling.as_bytes()), Some(symbol), "{spelling}");
            assert_eq!(symbols.text(symbol), spelling);
        }
        let new = symbols.add(b"halo");
        assert_eq!(symbols.add(b"halo"), new);
        assert_eq!(symbols.find(b"Halo"), None);
    }
}
