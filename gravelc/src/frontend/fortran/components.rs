//! Components of objects that are variables of their own: `field%values(i, j)`, `field%columns`.
//!
//! Codes that keep their arrays and their extents in objects want them told apart. An array of numbers or truth values, or
//! a single integer, that lies at one place in a variable (a chain of components that are single objects, none of them a
//! pointer or allocatable, leads there) gets a symbol of its own, which belongs to that variable: whatever touches all of
//! the object touches the component as well, but the components of an object are apart from one another. The array itself
//! may be allocatable. Two chains lead to the same memory only if they are spelled alike: components that an object has
//! from a type that its own extends have two spellings, so they stay parts of the object, and so does everything in objects
//! that share memory with other variables.

use super::association::Found;
use super::lowering::Lowering;
use super::scope::Component;
use super::units::UnitIndex;
use crate::ir::{
    ArrayDimension, ComponentName, Expression, ExpressionKind, Shape, Span, Storage, Symbol, SymbolClass, SymbolId,
    TypeCategory,
};

impl Lowering<'_, '_> {
    /// The component `name%members[0]%…` of the variable `object`, if it is one that has a symbol of its own.
    pub fn component_symbol(&mut self, name: &str, object: SymbolId, members: &[&str], span: Span) -> Option<SymbolId> {
        let (last, chain) = members.split_last()?;
        if !self.has_components_apart(name, object) {
            return None;
        }
        let key = format!("{name}%{}", members.join("%"));
        if let Some(&known) = self.by_name.get(&key) {
            return Some(known);
        }
        let (mut home, declared) = self.type_of(name)?;
        let mut type_name = declared.derived?;
        for member in chain {
            let (unit, _, component) = self.own_component(home, &type_name, member)?;
            let is_object = component.dimensions.is_empty() && !component.allocatable;
            type_name = component.declared_type.derived.clone().filter(|_| is_object)?;
            home = unit;
        }
        let (_, structure, component) = self.own_component(home, &type_name, last)?;
        let element = component.declared_type.element;
        let is_followed = match element.category {
            TypeCategory::Real | TypeCategory::Complex | TypeCategory::Logical => !component.dimensions.is_empty(),
            TypeCategory::Integer => !component.dimensions.is_empty() || !component.allocatable,
            TypeCategory::Character | TypeCategory::Derived | TypeCategory::Unknown => false,
        };
        if !is_followed {
            return None;
        }
        let bound = |value: Option<i64>| value.map(|value| Expression::new(ExpressionKind::Integer(value), span));
        let dimension = |&(lower, upper): &(_, _)| ArrayDimension { lower: bound(lower), upper: bound(upper) };
        let dimensions: Vec<ArrayDimension> = component.dimensions.iter().map(dimension).collect();
        let holder = &self.symbols[object.0];
        let symbol = Symbol {
            name: key.clone(),
            declaration: holder.declaration,
            element,
            structure: None,
            shape: if dimensions.is_empty() { Shape::Scalar } else { Shape::Array(dimensions) },
            storage: Storage::Component {
                holder: object,
                name: ComponentName { structure, name: (*last).to_string() },
                allocatable: component.allocatable,
            },
            place: None,
            initial_values: None,
            initial_constant: None,
            ..holder.clone()
        };
        Some(self.add_symbol(&key, symbol, None))
    }

    /// Is the variable a single object that nothing but its own name and those of its targets leads to?
    fn has_components_apart(&self, name: &str, object: SymbolId) -> bool {
        let symbol = &self.symbols[object.0];
        let lives_by_itself = match &symbol.storage {
            Storage::Local | Storage::Static | Storage::Dummy => true,
            Storage::Global(place) => place.starts_with("module:") || place.starts_with("host:"),
            Storage::Allocatable | Storage::Pointer | Storage::Component { .. } => false,
        };
        let shares_no_memory = match self.scopes.find(self.unit, name) {
            Found::Entity { entity, .. } => entity.overlay.is_none() && entity.common.is_none(),
            Found::Standard(_) | Found::Unknown(_) | Found::Nothing => false,
        };
        symbol.class == SymbolClass::Variable
            && symbol.rank() == 0
            && !symbol.volatile
            && lives_by_itself
            && shares_no_memory
    }

    /// The component that the type itself declares, the unit in whose scope the names of types in it are meant, and the
    /// type's name where it is defined; `None` where a pointer leads to it.
    fn own_component(&self, unit: UnitIndex, type_name: &str, member: &str) -> Option<(UnitIndex, String, &Component)> {
        let (home, definition) = self.scopes.find_type(unit, type_name)?;
        let component = definition.components.get(member).filter(|component| !component.pointer)?;
        Some((home, definition.name.clone(), component))
    }
}
