//! Text to a [`Unit`]: the grammar of C11 and of common GNU C, with the scopes at hand.
//!
//! C can't be read without knowing which names are types: `(a) - b * c` is a cast of a minus or a difference. So what is
//! declared is entered into the scopes while the text is read, and each expression gets its type when it has been read.
//! What can't be read becomes a [`Hole`], up to the end of the statement or of the declaration; reading goes on behind it.

mod attributes;
mod builtins;
mod conversions;
mod declarations;
mod declarators;
mod declared;
mod definitions;
mod expressions;
mod initialisers;
mod linkage;
pub(super) mod literals;
mod operators;
mod packing;
mod primary;
mod scopes;
mod second_names;
mod specifiers;
mod statements;
mod structures;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use self::declared::{Bound, Declared};
use self::definitions::Body;
use self::packing::Packing;
use self::scopes::Scopes;
use super::tokens::{Keyword, Name, Sign, Token, TokenKind, lex_with};
use super::types::{Target, Type};
use super::unit::{Doubt, ExpressionId, Hole, HoleCause, Span, SymbolId, Unit};

/// So deep may constructs be nested in one another. The 2 MiB of stack that a thread has are enough, also in a build without
/// optimisation.
const DEEPEST: u32 = 200;

/// Reads a text in which macros are expanded.
pub fn read(text: &[u8], target: Target) -> Unit {
    read_behind(text, Declared::nothing(target))
}

/// Reads a text in front of which something is declared.
pub fn read_behind(text: &[u8], declared: Declared) -> Unit {
    let mut reader = Reader::new(text, declared);
    reader.file();
    reader.note_second_names();
    reader.unit
}

/// Reading failed at a byte of the text.
#[derive(Debug, Clone, Copy)]
struct Failure {
    at: u32,
    cause: HoleCause,
}

type Parsed<T> = Result<T, Failure>;

struct Reader<'t> {
    text: &'t [u8],
    tokens: Vec<Token>,
    at: usize,
    unit: Unit,
    scopes: Scopes,
    /// What has linkage, whether it is visible or not.
    linked: HashMap<Name, SymbolId>,
    packing: Packing,
    /// The functions around.
    bodies: Vec<Body>,
    /// Lengths of variable-length arrays that have been read and belong to no statement yet.
    bounds: Vec<ExpressionId>,
    /// `va_list`, if it has been named.
    variadic_list: Option<Type>,
    /// Names of macros that stay names, and the builtins that they stand for.
    builtins: HashMap<Name, &'static str>,
    /// Are there declarations that are not part of what is read?
    lacks_declarations: bool,
    depth: u32,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8], declared: Declared) -> Self {
        let Declared { mut unit, scopes, linked, variadic_list, builtins, lacks_declarations } = declared;
        let lexed = lex_with(text, std::mem::take(&mut unit.names));
        unit.names = lexed.names;
        unit.pragmas = lexed.pragmas;
        Self {
            text,
            tokens: lexed.tokens,
            at: 0,
            unit,
            scopes,
            linked,
            packing: Packing::default(),
            bodies: Vec::new(),
            bounds: Vec::new(),
            variadic_list,
            builtins,
            lacks_declarations,
            depth: 0,
        }
    }

    fn file(&mut self) {
        while self.kind() != TokenKind::End {
            let start = self.at;
            if let Err(failure) = self.external_declaration() {
                self.at = start;
                self.scopes.leave_to(0);
                self.bodies.clear();
                self.depth = 0;
                self.skip_declaration();
                self.add_hole(start, failure);
            }
            self.bounds.clear();
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// What is so many tokens ahead.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, sign: Sign) -> bool {
        self.kind() == TokenKind::Sign(sign)
    }

    fn is_at(&self, ahead: usize, sign: Sign) -> bool {
        self.kind_at(ahead) == TokenKind::Sign(sign)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn accept(&mut self, sign: Sign) -> bool {
        let is = self.is(sign);
        if is {
            self.bump();
        }
        is
    }

    fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let is = self.is_keyword(keyword);
        if is {
            self.bump();
        }
        is
    }

    fn expect(&mut self, sign: Sign) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.failure(HoleCause::Syntax)) }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        if self.accept_keyword(keyword) { Ok(()) } else { Err(self.failure(HoleCause::Syntax)) }
    }

    fn expect_name(&mut self) -> Parsed<Name> {
        match self.kind() {
            TokenKind::Name(name) => {
                self.bump();
                Ok(name)
            }
            _ => Err(self.failure(HoleCause::Syntax)),
        }
    }

    fn failure(&self, cause: HoleCause) -> Failure {
        Failure { at: self.token().start, cause }
    }

    /// The first byte of the next token.
    fn start(&self) -> u32 {
        self.token().start
    }

    /// One past the last byte that has been read.
    fn end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].end)
    }

    fn since(&self, start: u32) -> Span {
        start..self.end().max(start)
    }

    fn doubt(&mut self, range: Span, doubt: Doubt) {
        self.unit.doubts.push((range, doubt));
    }

    /// Reads something that may be nested in itself.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return Err(self.failure(HoleCause::TooDeep));
        }
        self.depth += 1;
        let result = read(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// Skips from an opening bracket to behind the one that closes it.
    fn skip_brackets(&mut self) -> Parsed<()> {
        let failure = self.failure(HoleCause::Brackets);
        let mut open = 0_usize;
        loop {
            match self.kind() {
                TokenKind::Sign(Sign::LeftParenthesis | Sign::LeftBracket | Sign::LeftBrace) => open += 1,
                TokenKind::Sign(Sign::RightParenthesis | Sign::RightBracket | Sign::RightBrace) if open > 0 => {
                    open -= 1
                }
                TokenKind::End => return Err(failure),
                _ if open == 0 => return Err(self.failure(HoleCause::Syntax)),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn add_hole(&mut self, first: usize, failure: Failure) {
        let range = self.since(self.tokens[first].start);
        let is_in_function = !self.bodies.is_empty();
        self.unit.holes.push(Hole { range, at: failure.at, cause: failure.cause, is_in_function });
    }

    /// Skips a statement that could not be read.
    fn skip_statement(&mut self) {
        // The brackets around, inside of the statement.
        let mut open: Vec<Sign> = Vec::new();
        loop {
            let TokenKind::Sign(sign) = self.kind() else {
                if self.kind() == TokenKind::End {
                    return;
                }
                self.bump();
                continue;
            };
            match sign {
                Sign::LeftParenthesis | Sign::LeftBracket | Sign::LeftBrace => open.push(sign),
                Sign::RightParenthesis | Sign::RightBracket
                    if open.last().is_some_and(|last| *last != Sign::LeftBrace) =>
                {
                    open.pop();
                }
                Sign::RightBrace => match open.iter().rposition(|sign| *sign == Sign::LeftBrace) {
                    None => return,
                    Some(place) => {
                        open.truncate(place);
                        let goes_on = matches!(
                            self.kind_at(1),
                            TokenKind::Keyword(Keyword::Else | Keyword::While) | TokenKind::Sign(_)
                        ) && !self.is_at(1, Sign::RightBrace)
                            && !self.is_at(1, Sign::LeftBrace);
                        if open.is_empty() && !goes_on {
                            self.bump();
                            return;
                        }
                    }
                },
                Sign::Semicolon if open.is_empty() => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a declaration or definition outside of functions that could not be read.
    fn skip_declaration(&mut self) {
        let mut open = 0_usize;
        let mut before = TokenKind::End;
        // Does the outermost brace begin the body of a function?
        let mut in_body = false;
        loop {
            let kind = self.kind();
            match kind {
                TokenKind::End => return,
                TokenKind::Sign(Sign::LeftBrace) => {
                    if open == 0 {
                        in_body = matches!(before, TokenKind::Sign(Sign::RightParenthesis | Sign::Semicolon));
                    }
                    open += 1;
                }
                TokenKind::Sign(Sign::RightBrace) => {
                    open = open.saturating_sub(1);
                    if open == 0 && (in_body || !self.is_declaration_going_on()) {
                        self.bump();
                        return;
                    }
                }
                TokenKind::Sign(Sign::Semicolon) if open == 0 => {
                    // Behind the head of a function of old style its parameters are declared.
                    self.bump();
                    return;
                }
                _ => {}
            }
            before = kind;
            self.bump();
        }
    }

    /// Can what follows a closing brace belong to the same declaration?
    fn is_declaration_going_on(&self) -> bool {
        matches!(
            self.kind_at(1),
            TokenKind::Name(_)
                | TokenKind::Sign(Sign::Semicolon | Sign::Comma | Sign::Star | Sign::Assign | Sign::LeftParenthesis)
                | TokenKind::Keyword(Keyword::Attribute | Keyword::Const | Keyword::Volatile)
        )
    }
}
