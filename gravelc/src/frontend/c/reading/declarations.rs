//! Declarations (C11 6.7, 6.9).

use super::attributes::Written;
use super::declarators::{Declarator, Part};
use super::specifiers::{Class, Specifiers};
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Name, Sign, TokenKind};
use crate::frontend::c::types::{ArrayLength, Type, TypeKind};
use crate::frontend::c::unit::{Doubt, HoleCause, InitialiserItem, Storage, SymbolId, SymbolKind, integer_value};

impl Reader<'_> {
    /// What stands at file scope.
    pub(super) fn external_declaration(&mut self) -> Parsed<()> {
        if self.accept(Sign::Semicolon) {
            return Ok(());
        }
        let start = self.start();
        if self.is_keyword(Keyword::Asm) {
            self.bump();
            while !self.is(Sign::LeftParenthesis) && matches!(self.kind(), TokenKind::Keyword(_)) {
                self.bump();
            }
            self.skip_brackets()?;
            self.expect(Sign::Semicolon)?;
            self.unit.assembler.push(self.since(start));
            return Ok(());
        }
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let specifiers = self.specifiers(true)?;
        if self.accept(Sign::Semicolon) {
            return Ok(());
        }
        let (name, declarator) = self.named_declarator()?;
        if self.is_definition_of(&declarator) {
            return self.function_definition(&specifiers, name, declarator, false).map(|_| ());
        }
        self.declarators(&specifiers, name, declarator, &mut Vec::new())
    }

    /// Does the body of a function follow, or do the declarations of its parameters?
    pub(super) fn is_definition_of(&self, declarator: &Declarator) -> bool {
        let is_function = matches!(declarator.parts.first(), Some(Part::Function(_)));
        is_function && (self.is(Sign::LeftBrace) || self.is_type_at(0))
    }

    /// A declaration in a block, or at the beginning of a `for`: what it declares.
    pub(super) fn block_declaration(&mut self) -> Parsed<Vec<SymbolId>> {
        let mut symbols = Vec::new();
        let specifiers = self.specifiers(false)?;
        if self.accept(Sign::Semicolon) {
            return Ok(symbols);
        }
        let (name, declarator) = self.named_declarator()?;
        self.declarators(&specifiers, name, declarator, &mut symbols)?;
        Ok(symbols)
    }

    /// The declarators of a declaration from the first one on, and its semicolon.
    pub(super) fn declarators(
        &mut self,
        specifiers: &Specifiers,
        name: Name,
        declarator: Declarator,
        symbols: &mut Vec<SymbolId>,
    ) -> Parsed<()> {
        let mut next = (name, declarator);
        loop {
            let (name, declarator) = next;
            let id = self.init_declarator(specifiers, name, &declarator)?;
            symbols.push(id);
            if !self.accept(Sign::Comma) {
                return self.expect(Sign::Semicolon);
            }
            next = self.named_declarator()?;
        }
    }

    fn init_declarator(&mut self, specifiers: &Specifiers, name: Name, declarator: &Declarator) -> Parsed<SymbolId> {
        if specifiers.is_deduced {
            return self.deduced(specifiers, name, declarator);
        }
        let base = self.with_attributes(specifiers.ty, &declarator.written);
        let ty = self.built(base, declarator);
        let id = self.declare(name, ty, specifiers, declarator);
        if self.accept(Sign::Assign) {
            if self.unit.symbol(id).kind != SymbolKind::Object {
                return Err(self.failure(HoleCause::Syntax));
            }
            self.define(id);
            let (initialiser, ty) = self.initialiser(ty)?;
            let symbol = &mut self.unit.symbols[id.index()];
            symbol.initialiser = Some(initialiser);
            let is_incomplete =
                matches!(self.unit.types.kind(symbol.ty.id), TypeKind::Array { length: ArrayLength::Incomplete, .. });
            if is_incomplete {
                self.unit.symbols[id.index()].ty = ty;
            }
        }
        Ok(id)
    }

    /// An object with an initialiser is defined there.
    fn define(&mut self, id: SymbolId) {
        let symbol = &self.unit.symbols[id.index()];
        if symbol.initialiser.is_some() && symbol.storage != Storage::Automatic {
            let range = symbol.range.clone();
            self.doubt(range, Doubt::DefinedTwice);
        }
        let symbol = &mut self.unit.symbols[id.index()];
        symbol.is_defined = true;
        symbol.is_tentative = false;
    }

    /// `__auto_type name = e`
    fn deduced(&mut self, specifiers: &Specifiers, name: Name, declarator: &Declarator) -> Parsed<SymbolId> {
        self.expect(Sign::Assign)?;
        let start = self.start();
        let value = self.assignment_expression()?;
        let value = self.unit.value(value);
        let ty = self.unit.types.qualified(self.unit.type_of(value), specifiers.ty.qualifiers);
        let id = self.declare(name, ty, specifiers, declarator);
        self.define(id);
        let items = vec![InitialiserItem { path: Vec::new(), ty, value }];
        let range = self.since(start);
        self.unit.symbols[id.index()].initialiser =
            Some(crate::frontend::c::unit::Initialiser { items, is_list: false, range });
        Ok(id)
    }

    /// `_Static_assert(constant, "text");`
    pub(super) fn static_assertion(&mut self) -> Parsed<()> {
        let start = self.start();
        self.bump();
        self.expect(Sign::LeftParenthesis)?;
        let id = self.conditional_expression()?;
        if self.accept(Sign::Comma) {
            while self.kind() == TokenKind::String {
                self.bump();
            }
        }
        self.expect(Sign::RightParenthesis)?;
        self.expect(Sign::Semicolon)?;
        match integer_value(&self.unit, id) {
            Some(0) => self.doubt(self.since(start), Doubt::AssertionFails),
            None => self.doubt(self.since(start), Doubt::NotConstant),
            Some(_) => {}
        }
        Ok(())
    }

    /// The declarations of parameters between the head of a function of old style and its body.
    pub(super) fn parameter_declarations(&mut self) -> Parsed<Vec<(Name, Type, std::ops::Range<u32>)>> {
        let mut found = Vec::new();
        while !self.is(Sign::LeftBrace) {
            let specifiers = self.specifiers(false)?;
            if matches!(specifiers.class, Some(Class::Typedef | Class::Extern | Class::Static)) {
                return Err(self.failure(HoleCause::Syntax));
            }
            while !self.accept(Sign::Semicolon) {
                let (name, declarator) = self.named_declarator()?;
                let base = self.with_attributes(specifiers.ty, &declarator.written);
                let ty = self.built(base, &declarator);
                let ty = self.parameter_type(ty, &declarator);
                found.push((name, ty, declarator.range));
                if !self.is(Sign::Semicolon) {
                    self.expect(Sign::Comma)?;
                }
            }
            self.attributes(&mut Written::default())?;
        }
        Ok(found)
    }
}
