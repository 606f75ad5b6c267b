//! Names of a procedure as symbols of the program.

use super::super::names::association::Found;
use super::super::names::constants::ConstantNames;
use super::super::names::constants_in_scope::NamesOf;
use super::super::names::scope::{DeclaredDimension, DeclaredType, Entity, Meaning};
use super::super::names::standard_modules::StandardName;
use super::super::names::units::{UnitIndex, UnitKind};
use super::super::names::{constants, intrinsics};
use super::super::text::syntax_tree::Node;
use super::super::text::tree::descendants_of_kinds;
use super::super::text::unclear::Unclear;
use super::construct_names::{is_key, written_name};
use super::lowering::Lowering;
use crate::ir::called_name::in_library;
use crate::ir::{
    ArrayDimension, Callee, ElementType, Expression, ExpressionKind, ProcedureId, ProcedureKind, Shape, Storage,
    Symbol, SymbolClass, SymbolId, TypeCategory,
};
use crate::known_libraries::C_LIBRARY;
use crate::known_libraries::system::is_of_openmp;
use crate::mpi::constants::kind_value;
use crate::mpi::datatypes::predefined;

/// What a name is, at a place where it is used.
#[derive(Debug, Clone)]
pub(super) enum NameUse {
    /// A variable, a named constant or a constant of MPI.
    Object(SymbolId),
    /// A procedure.
    Procedure(Callee),
    /// Whatever a dummy procedure or a procedure pointer stands for.
    Indirect,
    /// One of the procedures behind a generic name.
    Generic,
    /// A procedure of MPI, by its own name.
    Messaging(String),
    /// A function of an intrinsic module that has no effect.
    PureFunction,
    /// A derived type: a reference with arguments makes a value of it.
    Structure,
    /// Nothing declares it.
    Undeclared,
    /// Something of a library, under this name, which its module begins: a constant, a variable, a procedure.
    Library(String),
    /// This procedure of the program, or that of a library.
    OwnOrLibrary(ProcedureId, String),
    /// It may come from something that was not given; the text says what.
    Unknown(String),
}

/// Under which name an external procedure (in lower case) is called that was not given: a routine of OpenMP is one of its library.
pub(super) fn not_given(name: &str) -> String {
    if is_of_openmp(name) { in_library(C_LIBRARY, name) } else { name.to_string() }
}

impl<'t> Lowering<'_, 't> {
    /// What `name` (in lower case) is here.
    pub fn name_use(&mut self, name: &str) -> NameUse {
        if is_key(name) {
            let known = self.by_name.get(name).copied();
            return match known.or_else(|| Some(self.entity_symbol(name, self.unit, self.entity_of_block(name)?))) {
                Some(symbol) => NameUse::Object(symbol),
                None => NameUse::Unknown("a construct".to_string()),
            };
        }
        let scopes = self.scopes;
        match scopes.find(self.unit, name) {
            Found::Entity { unit, entity } => match &entity.meaning {
                _ if entity.attributes.intrinsic && intrinsics::is_pure_function(name) => NameUse::PureFunction,
                _ if entity.attributes.intrinsic => NameUse::Undeclared,
                Meaning::Variable | Meaning::Constant(_) => NameUse::Object(self.entity_symbol(name, unit, entity)),
                _ if entity.specifics.is_some() => NameUse::Generic,
                Meaning::Procedure(id) => NameUse::Procedure(Callee::Procedure(*id)),
                Meaning::SomeProcedure | Meaning::External if entity.attributes.dummy || entity.attributes.pointer => {
                    self.indirect_names.insert(name.to_string());
                    NameUse::Indirect
                }
                Meaning::External => self.external(name),
                Meaning::SomeProcedure => {
                    self.indirect_names.insert(name.to_string());
                    NameUse::Procedure(Callee::Unknown(name.to_string()))
                }
                Meaning::Foreign => {
                    let of_system = entity.function_of_system().map(|label| in_library(C_LIBRARY, label));
                    if of_system.is_none() {
                        // A library's procedure of that name is another one.
                        self.doubtful_names.insert(name.to_string());
                    }
                    NameUse::Procedure(Callee::Unknown(of_system.unwrap_or_else(|| name.to_string())))
                }
            },
            Found::Standard(StandardName::Constant(value)) => {
                NameUse::Object(self.constant_symbol(name, name, SymbolClass::Constant(value)))
            }
            Found::Standard(StandardName::PureFunction) => NameUse::PureFunction,
            Found::Standard(StandardName::Procedure) => NameUse::Procedure(Callee::Unknown(not_given(name))),
            Found::Standard(StandardName::Type) => NameUse::Structure,
            Found::Standard(StandardName::Messaging(original)) => NameUse::Messaging(original),
            Found::Library { module, name, is_listed: true } => NameUse::Library(in_library(&module, &name)),
            Found::Library { module, name, .. } => self.unlisted_name_of_library(&module, &name),
            Found::Unknown(why) => NameUse::Unknown(why),
            Found::Nothing if scopes.find_type(self.unit, name).is_some() => NameUse::Structure,
            Found::Nothing => NameUse::Undeclared,
        }
    }

    /// What nothing but a module of a library could declare, by name.
    fn unlisted_name_of_library(&self, module: &str, name: &str) -> NameUse {
        if intrinsics::is_pure_function(name) || intrinsics::subroutine(name).is_some() {
            NameUse::Undeclared
        } else {
            match self.scopes.externals.get(name) {
                Some(Some(own)) => NameUse::OwnOrLibrary(*own, in_library(module, name)),
                None if self.scope.implicit_type(name).is_none() => NameUse::Library(in_library(module, name)),
                _ => NameUse::Unknown(format!("module `{module}`, which is not given")),
            }
        }
    }

    /// The procedure that an external name means: one of the program, MPI's, or one that was not given.
    pub fn external(&self, name: &str) -> NameUse {
        match self.scopes.externals.get(name) {
            Some(Some(id)) => NameUse::Procedure(Callee::Procedure(*id)),
            None if name.starts_with("mpi_") || name.starts_with("pmpi_") => NameUse::Messaging(name.to_string()),
            None => NameUse::Procedure(Callee::Unknown(not_given(name))),
            Some(None) => NameUse::Procedure(Callee::Unknown(name.to_string())),
        }
    }

    /// Is `name`, which nothing declares, an intrinsic function without effects? The program's own procedure of that
    /// name leaves it open which one is meant.
    pub fn is_intrinsic_function(&self, name: &str) -> bool {
        intrinsics::is_pure_function(name) && !self.scopes.externals.contains_key(name)
    }

    /// The symbol of a variable that no statement declares; `None` under IMPLICIT NONE.
    pub fn implicit_symbol(&mut self, name: &str) -> Option<SymbolId> {
        if let Some(&id) = self.by_name.get(name) {
            return Some(id);
        }
        let declared = self.scope.implicit_type(name)?;
        let (storage, target) = if self.host_words.contains(name) {
            // Used by the host too: one variable.
            (Storage::Global(self.host_key(name)), false)
        } else {
            let base = if self.unit_kind == UnitKind::Procedure(ProcedureKind::Main) || self.scope.saves_all {
                Storage::Static
            } else {
                Storage::Local
            };
            self.shared_storage(name, base)
        };
        let structure = self.scopes.structure_of(self.unit, &declared);
        let symbol =
            Symbol { storage, target, structure, ..Symbol::new(name, SymbolClass::Variable, declared.element) };
        Some(self.add_symbol(name, symbol, None))
    }

    /// The symbol of a name that stands for a constant without a declaration of its own.
    pub fn constant_symbol(&mut self, local: &str, name: &str, class: SymbolClass) -> SymbolId {
        if let Some(&id) = self.by_name.get(local) {
            return id;
        }
        let class = match (kind_value(name), class) {
            (Some(kind), SymbolClass::MessagingConstant) => SymbolClass::Constant(Some(kind)),
            (_, class) => class,
        };
        let symbol = match class {
            SymbolClass::MessagingConstant => Symbol { renamed: local != name, ..messaging_symbol(name) },
            SymbolClass::Constant(Some(_)) => {
                Symbol::new(name, class, ElementType { category: TypeCategory::Integer, bytes: None })
            }
            _ => Symbol::new(name, class, ElementType { category: TypeCategory::Unknown, bytes: None }),
        };
        self.add_symbol(local, symbol, None)
    }

    /// The symbol of a name that stands for a procedure.
    pub fn procedure_symbol(&mut self, name: &str) -> SymbolId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let element = ElementType { category: TypeCategory::Unknown, bytes: None };
        self.add_symbol(name, Symbol::new(name, SymbolClass::Procedure, element), None)
    }

    pub fn add_symbol(&mut self, local: &str, symbol: Symbol, origin: Option<(UnitIndex, String)>) -> SymbolId {
        let id = SymbolId(self.symbols.len());
        self.symbols.push(symbol);
        self.origins.push(origin);
        self.by_name.insert(local.to_string(), id);
        id
    }

    /// The symbol of `entity`, which `owner` declares and which is called `name` here.
    pub fn entity_symbol(&mut self, name: &str, owner: UnitIndex, entity: &Entity<'t>) -> SymbolId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let class = match &entity.meaning {
            Meaning::Constant(_) if entity.stands_for.is_some() => SymbolClass::MessagingConstant,
            Meaning::Constant(value) => SymbolClass::Constant(*value),
            // One that procedures may allocate or associate with any rank can't be described.
            Meaning::Variable if entity.assumed_rank && !entity.is_plain_of_any_rank() => SymbolClass::Unknown,
            Meaning::Variable => SymbolClass::Variable,
            Meaning::Procedure(_) | Meaning::External | Meaning::SomeProcedure | Meaning::Foreign => {
                SymbolClass::Procedure
            }
        };
        let (storage, target) = if class == SymbolClass::Variable || class == SymbolClass::Unknown {
            self.storage_of(name, owner, entity)
        } else {
            (Storage::Static, false)
        };
        let may_share_memory = class == SymbolClass::Variable && self.may_share_unseen(owner, entity);
        if may_share_memory && let Some(scope) = &self.scopes.list[owner] {
            let is_associated = entity.common.is_some() || entity.overlay.is_some() || self.common_blocks.are_any();
            if let Some(Unclear { range, cause, why }) = scope.incomplete.as_ref().filter(|_| is_associated) {
                let place = self.sources[self.units.list[owner].source].span(range.clone());
                self.mark_untouchable_for(*cause, place, why.clone());
            }
        }
        let open = entity.dimensions.iter().any(|dimension| matches!(dimension, DeclaredDimension::Open { .. }));
        let strided = !entity.attributes.contiguous
            && !entity.attributes.allocatable
            && (!entity.dimensions.is_empty() || entity.assumed_rank)
            && (entity.attributes.pointer || (open || entity.assumed_rank) && class == SymbolClass::Variable);
        let source = &self.sources[self.units.list[owner].source];
        let owner_unit = &self.units.list[owner];
        let is_of_module = !matches!(owner_unit.kind, UnitKind::Procedure(_));
        let place =
            (is_of_module && storage == Storage::Allocatable).then(|| self.place_in_module(owner, &entity.name));
        let pointer_place = (class == SymbolClass::Variable).then(|| self.pointer_place(name, owner, entity)).flatten();
        let structure = entity.declared_type.as_ref().and_then(|declared| self.scopes.structure_of(owner, declared));
        let type_spelling = entity.declared_type.as_ref().and_then(|declared| declared.spelling.clone());
        let scope = self.open_names.last().map(|open| open.statement).filter(|_| is_key(name));
        let symbol = Symbol {
            place,
            pointer_place,
            scope,
            type_spelling,
            structure,
            declaration: entity.declaration.as_ref().map(|range| source.span(range.clone())),
            place_inside: (target && !entity.attributes.target && matches!(storage, Storage::Local | Storage::Dummy))
                .then(|| self.place_in_host(self.unit, name)),
            storage,
            target: target || entity.attributes.target || may_share_memory,
            volatile: entity.attributes.volatile,
            asserted_apart: false,
            may_be_strided: strided,
            undefined_at_entry: entity.attributes.intent_out,
            only_read: entity.attributes.intent_in,
            lent: false,
            renamed: entity.stands_for.as_ref().is_some_and(|original| original != name),
            initial_values: entity.initial_values.clone().filter(|values| {
                let is_plain = entity.element().category == TypeCategory::Integer && !entity.attributes.pointer;
                is_plain && values.bounds.len() == entity.dimensions.len()
            }),
            truth: entity.truth,
            initial_constant: entity.initial_constant.as_ref().map(|name| {
                let symbol = messaging_symbol(name);
                (symbol.name, symbol.element)
            }),
            // Components and other members of a COMMON block can have initial values.
            initialised: entity.attributes.initialised
                || entity.declared_type.as_ref().is_some_and(|declared| self.type_is_initialised(owner, declared))
                || entity.common.as_ref().is_some_and(|block| self.initialised_blocks.contains(block)),
            ends_block: entity.common.as_ref().is_some_and(|block| {
                let scope = self.scopes.list[owner].as_ref().unwrap_or(self.scope);
                self.common_blocks.is_last(scope, block, &entity.name)
            }),
            ..match &entity.stands_for {
                Some(original) => messaging_symbol(original),
                None => Symbol::new(written_name(name), class, entity.element()),
            }
        };
        let origin = (!is_key(name)).then(|| (owner, entity.name.clone()));
        let id = self.add_symbol(name, symbol, origin);
        self.add_pointer_of(owner, entity);
        if entity.is_plain_of_any_rank() {
            self.symbols[id.0].shape = Shape::Array(vec![ArrayDimension { lower: None, upper: None }]);
        } else if !entity.dimensions.is_empty() {
            let dimensions = entity.dimensions.iter().map(|dimension| self.dimension(owner, entity, *dimension));
            let dimensions = dimensions.collect();
            self.symbols[id.0].shape = Shape::Array(dimensions);
        }
        id
    }

    /// Where the entity is the pointee of a Cray pointer, what says where it is gets a symbol, too: calls may change that.
    fn add_pointer_of(&mut self, owner: UnitIndex, entity: &Entity<'t>) {
        let Some(scope) = (if owner == self.unit { Some(self.scope) } else { self.scopes.list[owner].as_ref() }) else {
            return;
        };
        for pair in scope.cray_pointers.iter().filter(|pair| pair.pointee == entity.name) {
            if owner != self.unit && self.scope.entities.contains_key(&pair.pointer) {
                let place = self.sources[self.units.list[owner].source].span(pair.place.clone());
                self.mark_untouchable(
                    place,
                    "a Cray pointer whose name means something else where its pointee is used",
                );
            } else if let Some(pointer) = scope.entities.get(&pair.pointer) {
                self.entity_symbol(&pair.pointer, owner, pointer);
            }
        }
    }

    /// May variables of the type have values from the beginning?
    fn type_is_initialised(&self, owner: UnitIndex, declared: &DeclaredType) -> bool {
        declared.element.category == TypeCategory::Derived
            && declared.derived.as_deref().is_none_or(|name| self.scopes.type_is_initialised(owner, name))
    }

    fn dimension(&mut self, owner: UnitIndex, entity: &Entity<'t>, dimension: DeclaredDimension<'t>) -> ArrayDimension {
        let deferred = entity.attributes.allocatable || entity.attributes.pointer;
        match dimension {
            _ if deferred => ArrayDimension { lower: None, upper: None },
            DeclaredDimension::Explicit { lower, upper } => ArrayDimension {
                lower: match lower {
                    Some(lower) => self.bound(owner, entity, lower),
                    None => self.default_lower_bound(owner, entity),
                },
                upper: self.bound(owner, entity, upper),
            },
            DeclaredDimension::Evaluated { lower, upper } => ArrayDimension {
                lower: lower.map(|value| self.constant_bound(owner, entity, value)),
                upper: upper.map(|value| self.constant_bound(owner, entity, value)),
            },
            DeclaredDimension::Open { lower } | DeclaredDimension::AssumedSize { lower } => ArrayDimension {
                lower: match lower {
                    Some(lower) => self.bound(owner, entity, lower),
                    None => self.default_lower_bound(owner, entity),
                },
                upper: None,
            },
        }
    }

    fn default_lower_bound(&self, owner: UnitIndex, entity: &Entity<'t>) -> Option<Expression> {
        Some(self.constant_bound(owner, entity, 1))
    }

    /// A bound that stands nowhere in the procedure's own text: an empty place where the entity is declared.
    fn constant_bound(&self, owner: UnitIndex, entity: &Entity<'t>, value: i64) -> Expression {
        let source = &self.sources[self.units.list[owner].source];
        let start = entity.declaration.as_ref().map_or(0, |declaration| declaration.start);
        Expression::new(ExpressionKind::Integer(value), source.span(start..start))
    }

    /// A bound: an expression of this procedure, or of another scope's bounds the value, if it is constant.
    fn bound(&mut self, owner: UnitIndex, entity: &Entity<'t>, node: Node<'t>) -> Option<Expression> {
        if let Some(interface) = entity.adopted_from {
            return self.bound_in_interface(interface, node);
        }
        if owner == self.unit {
            return Some(self.expression(node));
        }
        let source = &self.sources[self.units.list[owner].source];
        let scope = self.scopes.list[owner].as_ref()?;
        let names = NamesOf { scopes: self.scopes, scope };
        let value = constants::evaluate(source.original, node, &names as &dyn ConstantNames)?;
        Some(Expression::new(ExpressionKind::Integer(value), source.span_of(node)))
    }

    /// Does the name mean the same in the interface body as in this procedure, which it declares?
    pub fn is_alike_in(&self, interface: UnitIndex, name: &str) -> bool {
        match (self.scopes.find(interface, name), self.scopes.find(self.unit, name)) {
            (Found::Entity { unit: one, .. }, Found::Entity { unit: other, entity }) => {
                one == other || one == interface && entity.adopted_from == Some(interface)
            }
            (Found::Nothing, Found::Nothing) => true,
            _ => false,
        }
    }

    /// A bound that stands in the interface body of this procedure, where all of its names mean what they mean here.
    fn bound_in_interface(&mut self, interface: UnitIndex, node: Node<'t>) -> Option<Expression> {
        let source = &self.sources[self.units.list[interface].source];
        let names = descendants_of_kinds(node, &["identifier"]);
        let own = (node.kind() == "identifier").then_some(node);
        if !names.into_iter().chain(own).all(|name| self.is_alike_in(interface, &source.lower(name))) {
            return None;
        }
        let here = std::mem::replace(&mut self.source, source);
        let bound = self.expression(node);
        self.source = here;
        Some(bound)
    }
}

/// The constant of MPI with this name: of a predefined datatype with the type that it stands for.
fn messaging_symbol(name: &str) -> Symbol {
    let element = predefined(name).unwrap_or(ElementType { category: TypeCategory::Unknown, bytes: None });
    Symbol::new(name, SymbolClass::MessagingConstant, element)
}
