//! Declarations of one thing: linkage, tentative definitions, composite types (C11 6.2.2, 6.2.7, 6.9.2).

use super::Reader;
use super::declarators::Declarator;
use super::specifiers::{Class, Specifiers};
use crate::frontend::c::tokens::Name;
use crate::frontend::c::types::{Type, TypeKind, are_compatible, composite};
use crate::frontend::c::unit::{Doubt, Linkage, Storage, Symbol, SymbolId, SymbolKind};

impl Reader<'_> {
    pub(super) fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        let id = SymbolId::next(self.unit.symbols.len());
        self.unit.symbols.push(symbol);
        id
    }

    /// Declares what a declarator names, once its type is known: a typedef, a function or an object.
    pub(super) fn declare(
        &mut self,
        name: Name,
        ty: Type,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> SymbolId {
        let mut written = specifiers.written;
        written.join(&declarator.written);
        if specifiers.class == Some(Class::Typedef) {
            return self.declare_typedef(name, ty, written.alignment, written.may_alias, declarator);
        }
        let is_function = matches!(self.unit.types.kind(ty.id), TypeKind::Function(_));
        let is_at_file = self.scopes.depth() == 0;
        let is_linked = is_at_file || is_function || specifiers.class == Some(Class::Extern);
        let id = if is_linked {
            self.declare_linked(name, ty, specifiers, declarator, is_function)
        } else {
            let storage = match specifiers.class {
                _ if specifiers.is_thread => Storage::Thread,
                Some(Class::Static) => Storage::Static,
                _ => Storage::Automatic,
            };
            let range = declarator.range.clone();
            let mut symbol = Symbol::new(Some(name), SymbolKind::Object, ty, range, Linkage::None, storage);
            symbol.is_defined = true;
            let id = self.add_symbol(symbol);
            self.scopes.declare(name, id);
            id
        };
        let symbol = &mut self.unit.symbols[id.index()];
        let mut joined = super::attributes::Written { attributes: symbol.attributes, ..Default::default() };
        joined.join(&written);
        symbol.attributes = joined.attributes;
        symbol.alignment = symbol.alignment.max(written.alignment);
        symbol.is_register |= specifiers.class == Some(Class::Register);
        symbol.is_inline |= specifiers.is_inline;
        symbol.is_external_definition |= !specifiers.is_inline || specifiers.class == Some(Class::Extern);
        symbol.assembler_name = symbol.assembler_name.take().or_else(|| declarator.assembler_name.clone());
        id
    }

    fn declare_typedef(
        &mut self,
        name: Name,
        ty: Type,
        alignment: Option<u64>,
        may_alias: bool,
        declarator: &Declarator,
    ) -> SymbolId {
        let mut ty = ty;
        if alignment.is_some() || may_alias {
            ty.id = self.unit.types.id(TypeKind::Adjusted { of: ty.id, alignment, may_alias });
        }
        let before = self.scopes.symbol_here(name).filter(|id| self.unit.symbol(*id).kind == SymbolKind::Typedef);
        if let Some(before) = before.filter(|id| !self.is_replaced(*id, ty, false)) {
            if self.unit.symbol(before).ty != ty {
                self.check_types(before, ty, declarator);
            }
            self.declare_stand_in(before, declarator);
            return before;
        }
        let range = declarator.range.clone();
        let symbol = Symbol::new(Some(name), SymbolKind::Typedef, ty, range, Linkage::None, Storage::Static);
        let id = self.add_symbol(symbol);
        self.scopes.declare(name, id);
        if self.scopes.depth() == 0 {
            self.unit.globals.push(id);
        }
        id
    }

    fn declare_linked(
        &mut self,
        name: Name,
        ty: Type,
        specifiers: &Specifiers,
        declarator: &Declarator,
        is_function: bool,
    ) -> SymbolId {
        let is_at_file = self.scopes.depth() == 0;
        let before = self.linked.get(&name).copied();
        let kind = if is_function { SymbolKind::Function } else { SymbolKind::Object };
        let is_static = specifiers.class == Some(Class::Static);
        let before = before.filter(|id| !self.is_replaced(*id, ty, is_static));
        let id = match before {
            Some(id) if self.unit.symbol(id).kind == kind => {
                self.check_types(id, ty, declarator);
                self.declare_stand_in(id, declarator);
                id
            }
            _ => {
                if before.is_some() {
                    self.doubt(declarator.range.clone(), Doubt::DifferentTypes);
                }
                let linkage = if is_static { Linkage::Internal } else { Linkage::External };
                let storage = if specifiers.is_thread { Storage::Thread } else { Storage::Static };
                let id = self.add_symbol(Symbol::new(Some(name), kind, ty, declarator.range.clone(), linkage, storage));
                self.linked.insert(name, id);
                self.unit.globals.push(id);
                id
            }
        };
        if is_at_file && !is_function && specifiers.class != Some(Class::Extern) {
            let symbol = &mut self.unit.symbols[id.index()];
            symbol.is_tentative |= !symbol.is_defined;
            symbol.is_defined = true;
        }
        self.unit.symbols[id.index()].is_implicit = false;
        if self.scopes.symbol(name) != Some(id) {
            self.scopes.declare(name, id);
        }
        id
    }

    /// Does a declaration in the text declare something else than the stand-in that has this name? A header may not declare all
    /// that its stand-in does: that depends on macros.
    fn is_replaced(&self, id: SymbolId, ty: Type, is_static: bool) -> bool {
        let symbol = self.unit.symbol(id);
        let fits = symbol.ty.qualifiers == ty.qualifiers && are_compatible(&self.unit.types, symbol.ty.id, ty.id);
        self.unit.is_stand_in(id) && symbol.range.is_empty() && (is_static || !fits)
    }

    /// The text declares what a stand-in declares, too.
    fn declare_stand_in(&mut self, id: SymbolId, declarator: &Declarator) {
        if self.unit.is_stand_in(id) && self.unit.symbol(id).range.is_empty() {
            self.unit.symbols[id.index()].range = declarator.range.clone();
            self.unit.globals.push(id);
        }
    }

    /// Joins the types of two declarations of one thing.
    fn check_types(&mut self, id: SymbolId, ty: Type, declarator: &Declarator) {
        let before = self.unit.symbol(id).ty;
        let is_known = self.unit.types.reason(before.id).is_none() && self.unit.types.reason(ty.id).is_none();
        let fits = before.qualifiers == ty.qualifiers && are_compatible(&self.unit.types, before.id, ty.id);
        if fits {
            let joined = composite(&mut self.unit.types, before, ty);
            self.unit.symbols[id.index()].ty = joined;
            return;
        }
        if is_known && !self.unit.symbol(id).is_implicit {
            self.doubt(declarator.range.clone(), Doubt::DifferentTypes);
        }
        self.unit.symbols[id.index()].ty = ty;
    }
}
