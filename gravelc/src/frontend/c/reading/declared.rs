//! What is declared in front of a text: the stand-ins for headers of the system.

use std::collections::HashMap;

use super::Reader;
use super::scopes::Scopes;
use crate::frontend::c::tokens::{Name, Names};
use crate::frontend::c::types::{Target, Type, TypeKind};
use crate::frontend::c::unit::{Doubt, Hole, Linkage, Storage, Symbol, SymbolId, SymbolKind, Unit};

/// Declarations in front of a text: a unit and its file scope.
#[derive(Clone)]
pub struct Declared {
    pub(super) unit: Unit,
    pub(super) scopes: Scopes,
    pub(super) linked: HashMap<Name, SymbolId>,
    pub(super) variadic_list: Option<Type>,
    pub(super) builtins: HashMap<Name, &'static str>,
    pub(super) lacks_declarations: bool,
}

/// What a name is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A symbol.
    Symbol,
    /// A structure, union or enumeration.
    Tag,
    /// A builtin.
    Builtin,
}

impl Declared {
    /// Nothing is declared.
    pub fn nothing(target: Target) -> Self {
        Self {
            unit: Unit::new(target, Names::default()),
            scopes: Scopes::default(),
            linked: HashMap::new(),
            variadic_list: None,
            builtins: HashMap::new(),
            lacks_declarations: false,
        }
    }

    /// The declarations of a text are added.
    pub fn add(&mut self, text: &[u8]) {
        let target = self.unit.types.target;
        let mut reader = Reader::new(text, std::mem::replace(self, Self::nothing(target)));
        reader.file();
        let Reader { unit, scopes, linked, variadic_list, builtins, lacks_declarations, .. } = reader;
        *self = Self { unit, scopes, linked, variadic_list, builtins, lacks_declarations };
    }

    fn add_symbol(&mut self, spelled: &str, kind: SymbolKind, ty: Type, linkage: Linkage) {
        let Some(name) = self.unit.names.intern(spelled) else { return };
        let id = SymbolId::next(self.unit.symbols.len());
        self.unit.symbols.push(Symbol::new(Some(name), kind, ty, 0..0, linkage, Storage::Static));
        self.scopes.declare(name, id);
        if linkage == Linkage::External {
            self.linked.insert(name, id);
        }
    }

    /// A scalar type of which no more is known.
    pub fn add_opaque(&mut self, spelled: &str) {
        if let Some(name) = self.unit.names.intern(spelled) {
            let ty = self.unit.types.of(TypeKind::Opaque(name));
            self.add_symbol(spelled, SymbolKind::Typedef, ty, Linkage::None);
        }
    }

    /// A constant of type `int` whose value is not known.
    pub fn add_constant(&mut self, spelled: &str) {
        let int = self.unit.types.int();
        self.add_symbol(spelled, SymbolKind::Enumerator(None), int, Linkage::None);
    }

    /// A name that stands for a builtin.
    pub fn add_builtin(&mut self, spelled: &str, builtin: &'static str) {
        if let Some(name) = self.unit.names.intern(spelled) {
            self.builtins.insert(name, builtin);
        }
    }

    /// For each function whose name begins so, one of the same type with something in front of its name.
    pub fn add_namesakes(&mut self, beginning: &str, prefix: &str) {
        let is_one = |symbol: &&Symbol| symbol.kind == SymbolKind::Function;
        let functions: Vec<(Name, Type)> =
            self.unit.symbols.iter().filter(is_one).filter_map(|symbol| Some((symbol.name?, symbol.ty))).collect();
        for (name, ty) in functions {
            let spelled = self.unit.names.text(name).to_string();
            if spelled.starts_with(beginning) {
                self.add_symbol(&format!("{prefix}{spelled}"), SymbolKind::Function, ty, Linkage::External);
            }
        }
    }

    /// All names that are bound, by their numbers, and to what.
    pub fn bound(&mut self) -> Vec<(Bound, usize)> {
        let mut bound = Vec::new();
        self.scopes.renumber(|name, id| {
            bound.push((Bound::Symbol, name));
            Some(id)
        });
        bound.extend(self.scopes.tag_names().map(|name| (Bound::Tag, name)));
        bound.extend(self.builtins.keys().map(|name| (Bound::Builtin, name.index())));
        bound
    }

    /// What could not be read, and what is doubtful.
    pub fn faults(&self) -> (&[Hole], &[(std::ops::Range<u32>, Doubt)]) {
        (&self.unit.holes, &self.unit.doubts)
    }

    /// All that is declared stands in front of what will be read: the symbols of parameters, expressions and places are dropped.
    #[must_use]
    pub fn finished(mut self) -> Self {
        let unit = &mut self.unit;
        unit.types.forget_places();
        unit.expressions.clear();
        unit.statements.clear();
        unit.globals.clear();
        unit.pragmas.clear();
        unit.holes.clear();
        unit.doubts.clear();
        let mut numbers: HashMap<SymbolId, SymbolId> = HashMap::new();
        let mut kept = Vec::new();
        for (number, mut symbol) in std::mem::take(&mut unit.symbols).into_iter().enumerate() {
            if symbol.kind != SymbolKind::Parameter {
                numbers.insert(SymbolId::next(number), SymbolId::next(kept.len()));
                symbol.range = 0..0;
                symbol.initialiser = None;
                kept.push(symbol);
            }
        }
        unit.symbols = kept;
        unit.stand_ins = unit.symbols.len();
        self.scopes.renumber(|_, id| numbers.get(&id).copied());
        self.linked = self.linked.iter().filter_map(|(name, id)| Some((*name, *numbers.get(id)?))).collect();
        self
    }

    /// They with the names alone that are to be visible; are there other declarations that are not part of what is read?
    #[must_use]
    pub fn with_names(&self, is_visible: impl Fn(Bound, usize) -> bool, lacks_declarations: bool) -> Self {
        let mut visible = self.clone();
        visible.scopes.renumber(|name, id| is_visible(Bound::Symbol, name).then_some(id));
        visible.scopes.retain_tags(|name| is_visible(Bound::Tag, name));
        visible.linked.retain(|name, _| is_visible(Bound::Symbol, name.index()));
        visible.builtins.retain(|name, _| is_visible(Bound::Builtin, name.index()));
        visible.lacks_declarations = lacks_declarations;
        visible
    }
}
