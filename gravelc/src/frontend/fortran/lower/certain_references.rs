//! Which of several procedures behind a generic name a reference certainly means.
//!
//! Of the procedures behind a generic name only one fits a reference (Fortran 2018, 15.4.3.4.5), and the name of a type means its
//! constructor only where none does (15.5.5.2). So what certainly fits is meant, and what kinds leave open needs no answer. A
//! kind is certain only by the words of its declaration, since flags of compilers change what default kinds are: the same
//! number, the same named constant, or in one file no kind at all.

use super::super::names::association::{Found, Scopes};
use super::super::names::scope::{Entity, Meaning};
use super::super::names::standard_modules::StandardName;
use super::super::names::units::{UnitIndex, UnitKind};
use super::generics::{Actual, Candidate, positions};
use super::lowering::Lowering;
use crate::ir::{ExpressionKind, ProcedureId, SymbolClass, SymbolId, TypeCategory};

/// How a declaration says what kind an intrinsic type has.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// Not at all, with this keyword in this file.
    Default(usize, String),
    /// By a number.
    Number(i64),
    /// By this constant of the unit.
    Constant(UnitIndex, String),
}

impl Scopes<'_> {
    /// Does only one scope, with the modules that it uses, say what is behind the generic `name`? The procedures that a host
    /// lists are only meant where none of these fits.
    fn are_of_one_scope(&self, unit: UnitIndex, name: &str) -> bool {
        let mut listing = 0;
        let mut next = Some(unit);
        while let Some(unit) = next {
            let Some(found) = self.specifics_without_host(unit, name) else { return false };
            listing += usize::from(found > 0);
            next = self.list[unit].as_ref().and_then(|scope| scope.host);
        }
        listing == 1
    }
}

impl<'t> Lowering<'_, 't> {
    /// The procedure among the candidates that a reference to the generic `name` certainly means.
    pub fn certainly_meant(&self, name: &str, candidates: &[Candidate], actuals: &[Actual]) -> Option<ProcedureId> {
        if candidates.len() < 2 || !self.scopes.are_of_one_scope(self.unit, name) {
            return None;
        }
        let given = candidates.iter().filter_map(|candidate| match candidate {
            Candidate::Given(id) => Some(*id),
            _ => None,
        });
        given.clone().find(|&id| {
            self.is_checked(id)
                && !self.is_elemental(self.units.of_procedure[id.0])
                && self.may_be_meant(id, actuals)
                && candidates.iter().all(|other| self.is_ruled_out(other, id, name, actuals))
        })
    }

    /// Is the procedure the other one, or does the other one not fit because it does?
    fn is_ruled_out(&self, other: &Candidate, id: ProcedureId, name: &str, actuals: &[Actual]) -> bool {
        match other {
            Candidate::Given(other) if *other == id => true,
            Candidate::Given(other) if !self.may_be_meant(*other, actuals) => true,
            // What tells the two apart is an argument that fits the one.
            Candidate::Given(other) => {
                self.is_checked(*other)
                    && (0..actuals.len()).all(|index| {
                        self.fits_certainly(id, index, actuals) || self.take_alike(id, *other, index, actuals)
                    })
            }
            Candidate::Constructor if self.cannot_construct(name, actuals) => true,
            Candidate::External(_)
            | Candidate::Foreign(_)
            | Candidate::Library(_)
            | Candidate::IntrinsicFunction
            | Candidate::IntrinsicSubroutine
            | Candidate::Constructor => (0..actuals.len()).all(|index| self.fits_certainly(id, index, actuals)),
        }
    }

    /// Are the declarations of the procedure known, and does nothing let its arguments be of other types?
    fn is_checked(&self, id: ProcedureId) -> bool {
        let unit = self.units.of_procedure[id.0];
        let is_known = self.scopes.list[unit].as_ref().is_some_and(|scope| scope.incomplete.is_none());
        is_known && !self.sources[self.units.list[unit].source].leaves_arguments_unchecked
    }

    /// The dummy argument of the procedure for an actual one, and the unit that its words are meant in.
    fn dummy_for(&self, id: ProcedureId, index: usize, actuals: &[Actual]) -> Option<(UnitIndex, &Entity<'t>)> {
        let unit = self.units.of_procedure[id.0];
        let dummies = self.dummy_names(unit);
        let position = *positions(&dummies, actuals)?.get(index)?;
        let entity = self.scopes.list[unit].as_ref()?.entities.get(&dummies[position])?;
        let attributes = entity.attributes;
        let is_plain = entity.meaning == Meaning::Variable
            && !entity.assumed_rank
            && !attributes.pointer
            && !attributes.allocatable
            && entity.declared_type.as_ref().is_some_and(|declared| !declared.polymorphic);
        is_plain.then_some((entity.adopted_from.unwrap_or(unit), entity))
    }

    /// Do type, kind and rank of the actual argument certainly fit the dummy argument of the procedure?
    fn fits_certainly(&self, id: ProcedureId, index: usize, actuals: &[Actual]) -> bool {
        let Some((unit, dummy)) = self.dummy_for(id, index, actuals) else { return false };
        let value = &actuals[index].value;
        let (ExpressionKind::Symbol(symbol)
        | ExpressionKind::Element { array: symbol, .. }
        | ExpressionKind::Section { array: symbol, .. }) = value.kind
        else {
            return false;
        };
        let Some((owner, actual)) = self.declared_entity(symbol) else { return false };
        let kind = self.kind_of(unit, dummy);
        kind.is_some()
            && kind == self.kind_of(owner, actual)
            && dummy.element().category == actual.element().category
            && self.known_rank(value) == Some(dummy.dimensions.len())
    }

    /// Do the two procedures take the same for the actual argument, so that it does not tell them apart?
    fn take_alike(&self, one: ProcedureId, other: ProcedureId, index: usize, actuals: &[Actual]) -> bool {
        let (Some((unit, dummy)), Some((other_unit, other_dummy))) =
            (self.dummy_for(one, index, actuals), self.dummy_for(other, index, actuals))
        else {
            return false;
        };
        let type_of = |unit: UnitIndex, entity: &Entity<'t>| {
            let name = entity.declared_type.as_ref()?.derived.clone()?;
            match self.scopes.find_type(unit, &name) {
                Some((home, definition)) => Some((Some(home), definition.name.clone())),
                None => match self.scopes.find(unit, &name) {
                    Found::Standard(StandardName::Messaging(original)) => Some((None, original)),
                    _ => None,
                },
            }
        };
        let is_one_kind = match dummy.element().category {
            TypeCategory::Derived => {
                let known = type_of(unit, dummy);
                known.is_some() && known == type_of(other_unit, other_dummy)
            }
            _ => {
                let kind = self.kind_of(unit, dummy);
                kind.is_some() && kind == self.kind_of(other_unit, other_dummy)
            }
        };
        is_one_kind
            && dummy.element().category == other_dummy.element().category
            && dummy.dimensions.len() == other_dummy.dimensions.len()
    }

    /// The declaration of a variable or a named constant, with the unit that its words are meant in.
    fn declared_entity(&self, symbol: SymbolId) -> Option<(UnitIndex, &Entity<'t>)> {
        let is_known = match self.symbols[symbol.0].class {
            SymbolClass::Variable => !self.has_uncertain_type(symbol),
            SymbolClass::Constant(_) => true,
            _ => false,
        };
        let (owner, name) = self.origins[symbol.0].as_ref().filter(|_| is_known)?;
        let entity = self.scopes.list[*owner].as_ref()?.entities.get(name)?;
        let is_declared =
            matches!(entity.meaning, Meaning::Variable | Meaning::Constant(_)) && entity.stands_for.is_none();
        is_declared.then_some((entity.adopted_from.unwrap_or(*owner), entity))
    }

    /// How the declaration says what kind the entity has.
    fn kind_of(&self, unit: UnitIndex, entity: &Entity<'t>) -> Option<Kind> {
        let declared = entity.declared_type.as_ref()?;
        let file = self.units.list[unit].source;
        let Some(spelling) = &declared.spelling else {
            // By the first letter of the name.
            let keyword = match declared.element.category {
                TypeCategory::Integer => "integer",
                TypeCategory::Real => "real",
                _ => return None,
            };
            return Some(Kind::Default(file, keyword.to_string()));
        };
        let length = spelling.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (keyword, rest) = spelling.split_at(length);
        if !matches!(keyword, "integer" | "real" | "complex" | "logical" | "doubleprecision" | "doublecomplex") {
            return None;
        }
        if rest.is_empty() {
            return Some(Kind::Default(file, keyword.to_string()));
        }
        if let Some(bytes) = rest.strip_prefix('*') {
            let bytes: i64 = bytes.parse().ok()?;
            return Some(Kind::Number(if keyword == "complex" { bytes / 2 } else { bytes }));
        }
        let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
        let inside = inside.strip_prefix("kind=").unwrap_or(inside);
        if let Ok(number) = inside.parse() {
            return Some(Kind::Number(number));
        }
        if !inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        match self.scopes.find(unit, inside) {
            Found::Entity { unit: home, entity } if matches!(entity.meaning, Meaning::Constant(_)) => {
                Some(Kind::Constant(home, entity.name.clone()))
            }
            Found::Standard(StandardName::Constant(Some(number))) => Some(Kind::Number(number)),
            _ => None,
        }
    }

    /// Do so many components of the type `name` need a value, or is one of these hidden here, that the arguments can't be those
    /// of its constructor?
    fn cannot_construct(&self, name: &str, actuals: &[Actual]) -> bool {
        let Some((home, definition)) = self.scopes.find_type(self.unit, name) else { return false };
        if definition.parent.is_some() {
            return false;
        }
        let hosts = || {
            std::iter::successors(Some(self.unit), |&unit| self.scopes.list[unit].as_ref().and_then(|scope| scope.host))
        };
        let sees_all = hosts().any(|unit| unit == home || self.units.list[unit].kind == UnitKind::Submodule);
        let components = || definition.components.values();
        let needed = components().filter(|component| component.initial.is_none() && !component.allocatable);
        let is_hidden = |component: &super::super::names::scope::Component| {
            !component.is_public.unwrap_or(!definition.private_components)
        };
        let is_unknown = |keyword: &Option<String>| {
            keyword.as_ref().is_some_and(|keyword| !definition.components.contains_key(keyword))
        };
        actuals.len() > components().count()
            || actuals.iter().any(|actual| is_unknown(&actual.keyword))
            || needed.clone().count() > actuals.len()
            || !sees_all && needed.clone().any(is_hidden)
    }
}
