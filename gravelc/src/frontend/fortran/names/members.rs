//! What a name behind `%` is: a component of the object's type or of one that this extends, or a procedure.

use super::association::Scopes;
use super::scope::{Component, ProcedureComponent};
use super::units::UnitIndex;

/// What a name behind `%` is. The unit is that in whose scope the names of types are meant.
pub enum Member<'s> {
    /// A component.
    Component {
        /// The unit of the type that declares it.
        unit: UnitIndex,
        /// That type's name where it is defined.
        structure: &'s str,
        /// What is declared.
        component: &'s Component,
    },
    /// All that the object has from the type of this name, which its own extends.
    Ancestor(UnitIndex, &'s str),
    /// A component that is a pointer to procedures, and the unit of the type that declares it.
    ProcedurePointer(UnitIndex, &'s ProcedureComponent),
    /// A procedure that is bound to the type.
    Procedure,
    /// Not known.
    Unknown,
}

/// More generations than any program has: a cycle.
pub(super) const MOST_GENERATIONS: usize = 32;

impl<'t> Scopes<'t> {
    /// What `member` of the type is that `unit` calls `type_name`; inherited members count.
    pub fn member(&self, unit: UnitIndex, type_name: &str, member: &str) -> Member<'_> {
        let mut found = self.find_type(unit, type_name);
        for _ in 0..MOST_GENERATIONS {
            let Some((unit, definition)) = found else { return Member::Unknown };
            if let Some(component) = definition.components.get(member) {
                return match &component.procedure {
                    Some(procedure) => Member::ProcedurePointer(unit, procedure),
                    None => Member::Component { unit, structure: &definition.name, component },
                };
            }
            if definition.bindings.contains_key(member) || definition.generics.contains_key(member) {
                return Member::Procedure;
            }
            match definition.parent.as_deref() {
                // The parent itself is a component too.
                Some(parent) if parent == member => return Member::Ancestor(unit, parent),
                Some(parent) => found = self.find_type(unit, parent),
                None => return Member::Unknown,
            }
        }
        Member::Unknown
    }
}
