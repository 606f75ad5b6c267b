//! What a scope knows of constants: their values, their kinds, the elements of constant arrays.

use super::super::text::conditions::Number;
use super::association::{Found, Scopes};
use super::constants::ConstantNames;
use super::default_kinds::DefaultKinds;
use super::scope::{Entity, Meaning, Scope};
use super::standard_modules::StandardName;
use crate::ir::{InitialValues, TypeCategory};
use crate::mpi::constants::kind_value;

/// Looks constants up for the evaluation of kinds, bounds and values.
pub struct NamesOf<'a, 't> {
    /// All scopes.
    pub scopes: &'a Scopes<'t>,
    /// The one under construction.
    pub scope: &'a Scope<'t>,
}

impl ConstantNames for NamesOf<'_, '_> {
    fn value(&self, name: &str) -> Option<i64> {
        match self.scopes.find_in(self.scope, name) {
            Found::Entity { entity: Entity { meaning: Meaning::Constant(value), .. }, .. } => *value,
            Found::Standard(StandardName::Constant(value)) => value,
            Found::Standard(StandardName::Messaging(name)) => kind_value(&name),
            _ => None,
        }
    }

    fn truth(&self, name: &str) -> Option<bool> {
        match self.scopes.find_in(self.scope, name) {
            Found::Entity { entity, .. } => entity.truth,
            _ => None,
        }
    }

    fn macro_value(&self, spelled: &str) -> Option<i64> {
        match self.scopes.numbers.get(spelled)? {
            Number::Integer(value) => Some(*value),
            Number::Real(_) | Number::Constant(_) => None,
        }
    }

    fn kind(&self, name: &str) -> Option<i64> {
        let Found::Entity { entity, .. } = self.scopes.find_in(self.scope, name) else { return None };
        let element = entity.element();
        let bytes = i64::from(element.bytes?);
        match element.category {
            TypeCategory::Integer | TypeCategory::Real | TypeCategory::Logical => Some(bytes),
            TypeCategory::Complex => Some(bytes / 2),
            _ => None,
        }
    }

    fn array(&self, name: &str) -> Option<&InitialValues> {
        match self.scopes.find_in(self.scope, name) {
            Found::Entity { entity: entity @ Entity { meaning: Meaning::Constant(_), .. }, .. }
                if entity.element().category == TypeCategory::Integer =>
            {
                entity.initial_values.as_ref()
            }
            _ => None,
        }
    }

    fn default_kinds(&self) -> DefaultKinds {
        self.scopes.default_kinds[self.scope.unit]
    }

    fn hides_intrinsic(&self, name: &str) -> bool {
        !matches!(self.scopes.find_in(self.scope, name), Found::Nothing)
    }
}
