//! What kind of statement a logical statement is, from its tokens alone.
//!
//! Fortran has no reserved words, but it can be told from the tokens whether a statement is an assignment; only where it
//! is none do keywords count.

use super::lexer::{Lexed, LogicalStatement, Token, TokenKind};

/// The kinds of program units and procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKeyword {
    /// PROGRAM.
    Program,
    /// MODULE.
    Module,
    /// SUBMODULE.
    Submodule,
    /// SUBROUTINE.
    Subroutine,
    /// FUNCTION.
    Function,
    /// MODULE PROCEDURE (the body of a separate module procedure, or a list in an interface).
    ModuleProcedure,
    /// BLOCK DATA.
    BlockData,
}

/// The role of a statement in the structure of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Begins a program unit or procedure.
    UnitStart(UnitKeyword),
    /// Ends one.
    UnitEnd,
    /// CONTAINS.
    Contains,
    /// Begins an interface block.
    InterfaceStart,
    /// Ends one.
    InterfaceEnd,
    /// Begins the definition of a derived type.
    TypeStart,
    /// Ends one.
    TypeEnd,
    /// Begins a construct that this text ends.
    ConstructStart(&'static str),
    /// Divides a construct (ELSE, CASE, …), which needs this text before it and after it.
    ConstructMiddle(&'static str, &'static str),
    /// Ends a construct.
    ConstructEnd,
    /// Stands by itself.
    Simple,
}

/// The words and symbols of one statement, in lower case.
pub(super) struct StatementText<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
}

impl<'a> StatementText<'a> {
    /// The statement without its label.
    pub fn new(text: &'a [u8], lexed: &'a Lexed, statement: &LogicalStatement) -> Self {
        Self { text, tokens: lexed.tokens_of(statement) }
    }

    /// The part of the statement from token `first` on.
    fn from(&self, first: usize) -> Self {
        Self { text: self.text, tokens: self.tokens.get(first..).unwrap_or(&[]) }
    }

    fn bytes(&self, index: usize) -> &'a [u8] {
        self.tokens.get(index).map_or(&[], |token| &self.text[token.start..token.end])
    }

    /// Is token `index` the word `word` (given in lower case)?
    pub fn is_word(&self, index: usize, word: &str) -> bool {
        self.is_any_word(index) && self.bytes(index).eq_ignore_ascii_case(word.as_bytes())
    }

    /// Is token `index` a word?
    pub fn is_any_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Is token `index` this symbol?
    pub fn is_symbol(&self, index: usize, symbol: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Symbol)
            && self.bytes(index) == symbol.as_bytes()
    }

    /// Index behind the parenthesis that closes the one at `open`.
    pub fn behind_group(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens.len() {
            if self.is_symbol(index, "(") || self.is_symbol(index, "[") {
                depth += 1;
            } else if self.is_symbol(index, ")") || self.is_symbol(index, "]") {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
        }
        None
    }

    /// Is it `designator = expression` or `designator => target`?
    pub fn is_assignment(&self) -> bool {
        if !self.is_any_word(0) {
            return false;
        }
        let mut index = 1;
        loop {
            if self.is_symbol(index, "=") || self.is_symbol(index, "=>") {
                return true;
            } else if self.is_symbol(index, "(") || self.is_symbol(index, "[") {
                match self.behind_group(index) {
                    Some(next) => index = next,
                    None => return false,
                }
            } else if self.is_symbol(index, "%") && self.is_any_word(index + 1) {
                index += 2;
            } else {
                return false;
            }
        }
    }

    /// Index of the first token of the action of a one-line IF, WHERE or FORALL.
    pub fn action_start(&self) -> Option<usize> {
        let begins = ["if", "where", "forall"].iter().any(|word| self.is_word(0, word));
        if self.is_assignment() || !begins || !self.is_symbol(1, "(") {
            return None;
        }
        let action = self.behind_group(1)?;
        (self.is_any_word(action) && !(self.is_word(0, "if") && self.is_word(action, "then"))).then_some(action)
    }

    /// Is it certainly a statement that can be executed, and no declaration? It may be the action of an IF.
    pub fn can_be_executed(&self) -> bool {
        const BEGINNINGS: [&str; 24] = [
            "call",
            "if",
            "print",
            "write",
            "read",
            "open",
            "close",
            "inquire",
            "rewind",
            "backspace",
            "flush",
            "return",
            "stop",
            "go",
            "goto",
            "continue",
            "exit",
            "cycle",
            "allocate",
            "deallocate",
            "nullify",
            "where",
            "forall",
            "error",
        ];
        self.is_assignment() || BEGINNINGS.iter().any(|word| self.is_word(0, word))
    }

    /// Does it begin with something else than a word, as no statement does?
    pub fn begins_without_word(&self) -> bool {
        !self.tokens.is_empty() && !self.is_any_word(0)
    }

    /// Does it begin as the end of a construct or of a procedure, and go on with more than a name?
    pub fn is_end_of_more(&self) -> bool {
        let words = match self.role() {
            // `end block data name`
            Role::UnitEnd => 4,
            Role::ConstructEnd if self.is_word(0, "end") => 3,
            Role::ConstructEnd => 2,
            _ => return false,
        };
        // `end team (stat = s)`
        let is_team = self.is_word(0, "endteam") || self.is_word(1, "team");
        !is_team && (self.tokens.len() > words || (0..self.tokens.len()).any(|index| !self.is_any_word(index)))
    }

    /// The role of the statement.
    pub fn role(&self) -> Role {
        if !self.is_any_word(0) || self.is_assignment() {
            return Role::Simple;
        }
        // A construct's name.
        if self.is_symbol(1, ":") {
            return self.from(2).unnamed_role();
        }
        self.unnamed_role()
    }

    fn unnamed_role(&self) -> Role {
        if let Some(role) = self.end_role() {
            return role;
        }
        if let Some(keyword) = self.unit_start() {
            return Role::UnitStart(keyword);
        }
        let group_end = if self.is_symbol(1, "(") { self.behind_group(1) } else { None };
        let is_last = |index: Option<usize>| index == Some(self.tokens.len());
        if self.is_word(0, "contains") && self.tokens.len() == 1 {
            Role::Contains
        } else if self.is_word(0, "interface") || (self.is_word(0, "abstract") && self.is_word(1, "interface")) {
            Role::InterfaceStart
        } else if self.is_word(0, "type") && !self.is_symbol(1, "(") && !self.is_word(1, "is") {
            Role::TypeStart
        } else if self.is_word(0, "if") && group_end.is_some_and(|then| self.is_word(then, "then")) {
            Role::ConstructStart("end if")
        } else if self.is_word(0, "else") && self.is_word(1, "where") || self.is_word(0, "elsewhere") {
            Role::ConstructMiddle("where (a > 0)", "end where")
        } else if self.is_word(0, "else") || self.is_word(0, "elseif") {
            Role::ConstructMiddle("if (a) then", "end if")
        } else if self.is_word(0, "do") {
            Role::ConstructStart("end do")
        } else if self.is_word(0, "where") && is_last(group_end) {
            Role::ConstructStart("end where")
        } else if self.is_word(0, "forall") && is_last(group_end) {
            Role::ConstructStart("end forall")
        } else if self.is_word(0, "select") || self.is_word(0, "selectcase") || self.is_word(0, "selecttype") {
            Role::ConstructStart("end select")
        } else if self.is_word(0, "case") {
            Role::ConstructMiddle("select case (a)", "end select")
        } else if (self.is_word(0, "type") || self.is_word(0, "class")) && self.is_word(1, "is")
            || self.is_word(0, "class") && self.is_word(1, "default")
        {
            Role::ConstructMiddle("select type (a)", "end select")
        } else if self.is_word(0, "rank") && (self.is_symbol(1, "(") || self.is_word(1, "default")) {
            Role::ConstructMiddle("select rank (a)", "end select")
        } else if self.is_word(0, "block") && self.tokens.len() == 1 {
            Role::ConstructStart("end block")
        } else if self.is_word(0, "associate") && is_last(group_end) {
            Role::ConstructStart("end associate")
        } else if self.is_word(0, "critical") && (self.tokens.len() == 1 || is_last(group_end)) {
            Role::ConstructStart("end critical")
        } else if self.is_word(0, "enum") && self.is_symbol(1, ",") {
            Role::TypeStart
        } else if self.is_word(0, "change") && self.is_word(1, "team") {
            Role::ConstructStart("end team")
        } else {
            Role::Simple
        }
    }

    fn end_role(&self) -> Option<Role> {
        let word = String::from_utf8_lossy(self.bytes(0)).to_ascii_lowercase();
        let mut what = word.strip_prefix("end")?.to_string();
        if what.is_empty() {
            if self.tokens.len() > 1 && !self.is_any_word(1) {
                return None;
            }
            what = String::from_utf8_lossy(self.bytes(1)).to_ascii_lowercase();
        }
        match what.as_str() {
            "" | "program" | "module" | "submodule" | "subroutine" | "function" | "procedure" | "blockdata" => {
                Some(Role::UnitEnd)
            }
            "block" if self.is_word(1, "data") || self.is_word(2, "data") => Some(Role::UnitEnd),
            "interface" => Some(Role::InterfaceEnd),
            "type" | "enum" => Some(Role::TypeEnd),
            "if" | "do" | "where" | "forall" | "select" | "block" | "associate" | "critical" | "team" => {
                Some(Role::ConstructEnd)
            }
            _ => None,
        }
    }

    fn unit_start(&self) -> Option<UnitKeyword> {
        let length = self.tokens.len();
        if self.is_word(0, "program") && self.is_any_word(1) && length == 2 {
            return Some(UnitKeyword::Program);
        }
        if self.is_word(0, "submodule") && self.is_symbol(1, "(") {
            return Some(UnitKeyword::Submodule);
        }
        if self.is_word(0, "blockdata") || self.is_word(0, "block") && self.is_word(1, "data") {
            return Some(UnitKeyword::BlockData);
        }
        if self.is_word(0, "module") && self.is_word(1, "procedure") {
            return Some(UnitKeyword::ModuleProcedure);
        }
        if self.is_word(0, "module") && self.is_any_word(1) && length == 2 {
            return Some(UnitKeyword::Module);
        }
        self.procedure_start()
    }

    /// SUBROUTINE or FUNCTION behind any prefixes and a type.
    fn procedure_start(&self) -> Option<UnitKeyword> {
        const PREFIXES: [&str; 18] = [
            "pure",
            "elemental",
            "impure",
            "recursive",
            "non_recursive",
            "module",
            "simple",
            "attributes",
            "integer",
            "real",
            "double",
            "precision",
            "complex",
            "logical",
            "character",
            "type",
            "class",
            "byte",
        ];
        let mut index = 0;
        while index < self.tokens.len() {
            if self.is_word(index, "subroutine") && self.is_any_word(index + 1) {
                return Some(UnitKeyword::Subroutine);
            }
            if self.is_word(index, "function") && self.is_any_word(index + 1) {
                return Some(UnitKeyword::Function);
            }
            if PREFIXES.iter().any(|prefix| self.is_word(index, prefix)) {
                index += 1;
            } else if self.is_symbol(index, "*") && index > 0 {
                // `real*8 function`, `character*(*) function`
                index += 1;
                if self.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Number) {
                    index += 1;
                }
            } else if self.is_symbol(index, "(") && index > 0 {
                index = self.behind_group(index)?;
            } else {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn role(text: &str) -> Role {
        let lexed = lex(text.as_bytes());
        StatementText::new(text.as_bytes(), &lexed, &lexed.statements[0]).role()
    }

    fn is_end_of_more(text: &str) -> bool {
        let lexed = lex(text.as_bytes());
        StatementText::new(text.as_bytes(), &lexed, &lexed.statements[0]).is_end_of_more()
    }

    #[test]
    fn ends_of_more_than_a_construct() {
        for text in ["end&\n&\nif(r==0)then", "enddo i = 1", "end subroutine s(x)", "end do 10", "end if a b"] {
            assert!(is_end_of_more(text), "{text}");
        }
        for text in [
            "end if",
            "endif outer",
            "END DO outer",
            "end",
            "end program p",
            "end block data d",
            "end team (stat = s)",
            "end interface operator(+)",
            "endif(3) = 1",
            "end file (10)",
        ] {
            assert!(!is_end_of_more(text), "{text}");
        }
    }

    #[test]
    fn keywords_do_not_count_in_assignments() {
        for text in
            ["do = 3", "if(i) = 2", "end = 1", "function = f(x)", "type%x(3) = 1", "contains => x", "p(1:) => t"]
        {
            assert_eq!(role(text), Role::Simple, "{text}");
        }
    }

    #[test]
    fn units_are_recognised() {
        use UnitKeyword::*;
        for (text, keyword) in [
            ("program p", Program),
            ("module m", Module),
            ("submodule (a:b) c", Submodule),
            ("subroutine s", Subroutine),
            ("pure recursive subroutine s(a, b)", Subroutine),
            ("real*8 function f(x)", Function),
            ("character(len=*) function f(x) result(r)", Function),
            ("type(t) function f()", Function),
            ("double precision function f()", Function),
            ("module procedure f", ModuleProcedure),
            ("block data", BlockData),
        ] {
            assert_eq!(role(text), Role::UnitStart(keyword), "{text}");
        }
        for text in ["end", "end subroutine s", "endfunction", "END PROGRAM p", "end block data", "end procedure"] {
            assert_eq!(role(text), Role::UnitEnd, "{text}");
        }
    }

    #[test]
    fn constructs_are_recognised() {
        assert_eq!(role("if (a(1) > 2) then"), Role::ConstructStart("end if"));
        assert_eq!(role("if (a) b = 1"), Role::Simple);
        assert_eq!(role("outer: do i = 1, 2"), Role::ConstructStart("end do"));
        assert_eq!(role("10 do i = 1, 2"), Role::ConstructStart("end do"));
        assert_eq!(role("end do outer"), Role::ConstructEnd);
        assert_eq!(role("endif"), Role::ConstructEnd);
        assert_eq!(role("where (m) a = 1"), Role::Simple);
        assert_eq!(role("type :: t"), Role::TypeStart);
        assert_eq!(role("type(t) :: x"), Role::Simple);
        assert_eq!(role("integer function_count"), Role::Simple);
        assert_eq!(role("class default"), Role::ConstructMiddle("select type (a)", "end select"));
    }

    #[test]
    fn the_action_of_a_one_line_if() {
        let text = "if (a(i) == 1) call f(x)";
        let lexed = lex(text.as_bytes());
        let statement = StatementText::new(text.as_bytes(), &lexed, &lexed.statements[0]);
        assert_eq!(statement.action_start(), Some(9));
    }
}
