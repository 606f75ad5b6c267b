//! The types with components of all units, as the analyses see them: one for each name.

use std::collections::BTreeMap;

use super::association::Scopes;
use super::scope::{self, DerivedType, Meaning};
use super::units::UnitIndex;
use crate::ir::{Component, Definition, ElementType, Structure, TypeCategory};

/// The types that the units define.
pub fn structures(scopes: &Scopes<'_>) -> BTreeMap<String, Structure> {
    let mut found: BTreeMap<String, Structure> = BTreeMap::new();
    for (unit, scope) in scopes.list.iter().enumerate() {
        let Some(scope) = scope else { continue };
        for definition in scope.types.values() {
            add_definition(scopes, unit, definition, &mut found);
        }
    }
    for (unit, scope) in scopes.list.iter().enumerate() {
        for entity in scope.iter().flat_map(|scope| scope.entities.values()) {
            let is_hidden = entity.attributes.initialised
                || entity.attributes.volatile
                || entity.overlay.is_some()
                || entity.common.is_some()
                || matches!(entity.meaning, Meaning::Constant(_));
            let structure = entity.declared_type.as_ref().and_then(|declared| scopes.structure_of(unit, declared));
            if let Some(structure) = structure.filter(|_| is_hidden).and_then(|name| found.get_mut(&name)) {
                structure.is_hidden = true;
            }
        }
    }
    found
}

fn add_definition(
    scopes: &Scopes<'_>,
    unit: UnitIndex,
    definition: &DerivedType,
    found: &mut BTreeMap<String, Structure>,
) {
    let structure = found.entry(definition.name.clone()).or_default();
    let original = |name: &String| scopes.find_type(unit, name).map_or_else(|| name.clone(), |(_, it)| it.name.clone());
    structure.parents.extend(definition.parent.as_ref().map(original));
    structure.definitions.push(Definition { span: definition.span, other_views: definition.other_views });
    for (name, declared) in &definition.components {
        let component = Component {
            is_private: !declared.is_public.unwrap_or(!definition.private_components),
            ..component(scopes, unit, declared)
        };
        match structure.components.get_mut(name) {
            None => drop(structure.components.insert(name.clone(), component)),
            Some(known) => {
                if known.element != component.element {
                    known.element = UNKNOWN;
                }
                if known.declared != component.declared || known.bounds.len() != component.bounds.len() {
                    known.declared = UNKNOWN;
                }
                known.is_pointer &= component.is_pointer;
                known.is_allocatable &= component.is_allocatable;
                known.is_private |= component.is_private;
                if known.length != component.length {
                    known.length = None;
                }
                known.structures.extend(component.structures);
                known.initial.extend(component.initial);
            }
        }
    }
}

const UNKNOWN: ElementType = ElementType { category: TypeCategory::Unknown, bytes: None };

fn component(scopes: &Scopes<'_>, unit: UnitIndex, declared: &scope::Component) -> Component {
    Component {
        element: if declared.pointer { UNKNOWN } else { declared.declared_type.element },
        declared: declared.declared_type.element,
        structures: scopes.structure_of(unit, &declared.declared_type).into_iter().collect(),
        length: declared.length(),
        is_pointer: declared.pointer,
        is_allocatable: declared.allocatable,
        may_hold_requests: declared.declared_type.element.category == TypeCategory::Integer
            || declared.declared_type.derived.as_deref().is_some_and(|name| scopes.is_request_type(unit, name)),
        bounds: declared.dimensions.clone(),
        is_public: declared.is_public,
        is_private: declared.is_public == Some(false),
        initial: declared.initial.iter().cloned().collect(),
    }
}
