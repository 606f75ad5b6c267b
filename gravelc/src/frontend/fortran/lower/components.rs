//! Components of objects that are variables of their own: `field%values(i, j)`, `field%columns`.
//!
//! Codes that keep their arrays and their extents in objects want them told apart. A number, a truth value or a request, or an
//! array of them, that lies at one place in a variable (a chain of components that are single objects, none of them a pointer or
//! allocatable, leads there) gets a symbol of its own, which belongs to that variable: whatever touches all of the object
//! touches the component as well, but the components of an object are apart from one another. The array itself
//! may be allocatable. What an object has from a type that its own extends can be reached with and without the name of that
//! type, which is left out; so two chains lead to the same memory only if they are the same. Everything in objects that share
//! memory with other variables stays a part of them.

use std::sync::Arc;

use super::super::names::association::Found;
use super::super::names::members::Member;
use super::construct_names::written_name;
use super::designators::Step;
use super::lowering::Lowering;
use crate::ir::{
    ArrayDimension, ComponentName, ComponentPath, Expression, ExpressionKind, Language, Shape, Span, Storage, Symbol,
    SymbolClass, SymbolId, TypeCategory,
};

impl<'t> Lowering<'_, 't> {
    /// The component `name%members[0]%…` of the variable `object`, if it is one that has a symbol of its own.
    pub fn component_symbol(
        &mut self,
        name: &str,
        object: SymbolId,
        chain: &[Step<'t>],
        span: Span,
    ) -> Option<SymbolId> {
        if !self.has_components_apart(name, object) {
            return None;
        }
        let (home, declared) = self.type_of(name)?;
        let mut holding = Some((home, declared.derived?));
        let mut steps = chain.iter();
        // What the component is known by: one memory has one symbol, whatever constructs call its object.
        let mut key = name.to_string();
        // The same, as it can be written.
        let mut path = ComponentPath { object: written_name(name).to_string(), members: Vec::new() };
        let mut found = None;
        let mut only_inside = None;
        let mut is_narrower = false;
        let mut is_request = false;
        while let Some(step) = steps.next() {
            let (home, type_name) = holding.take()?;
            let member = match step {
                Step::Member(member) => member,
                Step::Typed(narrowing) => {
                    // What the declared type has is the same component everywhere.
                    let next = steps.clone().find_map(|step| match step {
                        Step::Member(next) => Some(next),
                        Step::Typed(_) | Step::Arguments(_) | Step::Evaluated => None,
                    });
                    if next.is_some_and(|next| !matches!(self.scopes.member(home, &type_name, next), Member::Unknown)) {
                        holding = Some((home, type_name));
                    } else {
                        holding = Some((narrowing.home, narrowing.declared.derived.clone()?));
                        only_inside = Some(narrowing.inside);
                        is_narrower = true;
                        path = ComponentPath { object: narrowing.name.clone(), members: Vec::new() };
                    }
                    continue;
                }
                Step::Arguments(_) | Step::Evaluated => return None,
            };
            match self.scopes.member(home, &type_name, member) {
                // That part begins where the object does, and what it holds is found without it.
                Member::Ancestor(home, type_name) => holding = Some((home, type_name.to_string())),
                Member::Component { unit, structure, component } if !component.pointer => {
                    let is_object = component.dimensions.is_empty() && !component.allocatable;
                    let object = component.declared_type.derived.clone().filter(|_| is_object);
                    let derived = component.declared_type.derived.as_deref();
                    is_request = derived.is_some_and(|name| self.scopes.is_request_type(unit, name));
                    holding = object.map(|object| (unit, object));
                    // Two narrower types may have components of one name.
                    let of_type =
                        if std::mem::take(&mut is_narrower) { format!("{structure}@") } else { String::new() };
                    key = format!("{key}%{of_type}{member}");
                    path.members.push(member.clone());
                    found = Some((structure.to_string(), member.clone(), component));
                }
                Member::Component { .. } | Member::ProcedurePointer(..) | Member::Procedure | Member::Unknown => {
                    return None;
                }
            }
        }
        let (structure, last, component) = found?;
        let name = ComponentName { structure, name: last };
        if let Some(&known) = self.by_name.get(&key) {
            // Two types of one line may give a name to what only one of them shows.
            let is_it = matches!(&self.symbols[known.0].storage, Storage::Component { name: own, .. } if *own == name);
            return is_it.then_some(known);
        }
        let element = component.declared_type.element;
        // Of strings there are parts, too. A request is a handle, whatever its type is.
        let is_plain = matches!(
            element.category,
            TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex | TypeCategory::Logical
        ) || is_request;
        if !is_plain || component.allocatable && component.dimensions.is_empty() {
            return None;
        }
        // They stand in the definition of the type, if anywhere.
        let place = Span { end: span.start, ..span };
        let bound = |value: Option<i64>| value.map(|value| Expression::new(ExpressionKind::Integer(value), place));
        let dimension = |&(lower, upper): &(_, _)| ArrayDimension { lower: bound(lower), upper: bound(upper) };
        let dimensions: Vec<ArrayDimension> = component.dimensions.iter().map(dimension).collect();
        let holder = &self.symbols[object.0];
        let symbol = Symbol {
            name: path.written(Language::Fortran.dialect().component_separator()),
            scope: only_inside.or(holder.scope),
            declaration: holder.declaration,
            element,
            structure: None,
            shape: if dimensions.is_empty() { Shape::Scalar } else { Shape::Array(dimensions) },
            storage: Storage::Component {
                holder: object,
                name,
                path: Arc::new(path),
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
            Storage::Global(place) => place.is_of_module() || place.is_of_host(),
            Storage::Allocatable | Storage::Pointer | Storage::Component { .. } => false,
        };
        let shares_no_memory = match self.find(name) {
            Found::Entity { entity, .. } => entity.overlay.is_none() && entity.common.is_none(),
            Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) | Found::Nothing => false,
        };
        symbol.class == SymbolClass::Variable
            && symbol.rank() == 0
            && !symbol.volatile
            && lives_by_itself
            && shares_no_memory
    }
}
