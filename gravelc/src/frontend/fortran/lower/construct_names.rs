//! Names that mean something of their own inside a construct: those of ASSOCIATE, BLOCK and SELECT TYPE.
//!
//! What such a name stands for is looked up first, and everything behind works with what was found: the name of a
//! variable of the procedure with a way to a part of it, or a *key*. A key is the name of something that only the construct
//! has, with the place of the construct behind it (`n@120`), so that it differs from all other names; no name of Fortran
//! has an `@` in it. Symbols have the plain name and the statement of the construct ([`crate::ir::Symbol::scope`]).

use std::collections::HashMap;

use super::super::names::association::Found;
use super::super::names::scope::{DeclaredType, Entity};
use super::super::names::units::UnitIndex;
use super::designators::Step;
use super::lowering::Lowering;
use crate::ir::{StatementId, SymbolId};

/// What a name stands for inside a construct.
#[derive(Clone)]
pub(super) enum ConstructName<'t> {
    /// A variable, or the part of it to which the steps lead.
    Part {
        /// The variable's name in the procedure, or a key.
        variable: String,
        /// From the variable on.
        steps: Vec<Step<'t>>,
    },
    /// Something that only the construct has, with this key.
    Own(String),
    /// A value without pointers, which nothing changes while the construct runs.
    Value,
    /// Some part of this symbol.
    Some {
        /// The symbol.
        base: SymbolId,
        /// Or of what its pointers lead to.
        through_pointer: bool,
    },
}

/// The names of a construct whose statements are being lowered.
pub(super) struct OpenNames<'t> {
    /// The statement inside which they mean what they mean.
    pub statement: StatementId,
    /// The names.
    pub names: HashMap<String, ConstructName<'t>>,
    /// The variables whose symbols do not tell their type inside: a declared type is narrower there, a number of any kind.
    pub uncertain: Vec<SymbolId>,
}

/// The key of what the construct at `place` calls `name`.
pub(super) fn key_of(name: &str, place: usize) -> String {
    format!("{name}@{place}")
}

/// Is it a key, and no name?
pub(super) fn is_key(name: &str) -> bool {
    name.contains('@')
}

/// The name and the place that a key is made of.
fn parts_of_key(key: &str) -> Option<(&str, usize)> {
    let (name, place) = key.split_once('@')?;
    Some((name, place.parse().ok()?))
}

/// What people write for a key. Other names stay as they are.
pub(super) fn written_name(key: &str) -> &str {
    key.split_once('@').map_or(key, |(name, _)| name)
}

impl<'a, 't> Lowering<'a, 't> {
    /// What the constructs around say that `name` stands for; `None` if it is a name of the procedure.
    pub fn construct_name(&self, name: &str) -> Option<ConstructName<'t>> {
        self.open_names.iter().rev().find_map(|open| open.names.get(name)).cloned()
    }

    /// The declaration of `name`, or that behind a key.
    pub fn find(&self, name: &str) -> Found<'a, 't> {
        match self.entity_of_block(name) {
            Some(entity) => Found::Entity { unit: self.unit, entity },
            None if is_key(name) => Found::Nothing,
            None => {
                let scopes = self.scopes;
                scopes.find(self.unit, name)
            }
        }
    }

    /// The declaration behind the key of something that a BLOCK declares.
    pub fn entity_of_block(&self, key: &str) -> Option<&'a Entity<'t>> {
        let (name, place) = parts_of_key(key)?;
        let source = self.units.list[self.unit].source;
        let scopes = self.scopes;
        scopes.blocks.get(&(source, place))?.entities.get(name)
    }

    /// The type of what is behind a key, and the unit in whose scope the names of types are meant.
    pub fn type_of_key(&self, key: &str) -> Option<(UnitIndex, DeclaredType)> {
        match self.entity_of_block(key) {
            Some(entity) => Some((self.unit, entity.declared_type.clone()?)),
            None => self.types_of_keys.get(key).cloned(),
        }
    }

    /// Is the variable one whose symbol does not tell its type here?
    pub fn has_uncertain_type(&self, symbol: SymbolId) -> bool {
        self.open_names.iter().any(|open| open.uncertain.contains(&symbol))
    }
}
