//! Components of types that stand for requests in other components.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Component, ComponentName, Definition, FileId, ProcedureId, Program};

use super::super::edits::{Edits, Order};
use super::layout::{Lines, indentation_of};
use super::names::name_in_type;

/// What the emitter inserts into types.
pub struct TypeShadows<'a> {
    program: &'a Program,
    /// The components that get another one.
    shadowed: Vec<(&'a ComponentName, &'a Component, &'a Definition)>,
}

impl<'a> TypeShadows<'a> {
    /// For these components.
    pub fn of(program: &'a Program, names: &'a BTreeSet<ComponentName>) -> Self {
        let found = |name: &'a ComponentName| {
            let structure = program.structures.get(&name.structure)?;
            Some((name, structure.components.get(&name.name)?, structure.definitions.first()?))
        };
        Self { program, shadowed: names.iter().filter_map(found).collect() }
    }

    /// The modules that define the types, and whether they need the null request, too.
    pub fn modules(&self) -> BTreeMap<&'a str, bool> {
        let mut found: BTreeMap<&str, bool> = BTreeMap::new();
        for (_, component, definition) in &self.shadowed {
            if self.program.procedure_with(definition.span).is_none()
                && let Some(module) = self.program.module_with(definition.span)
            {
                *found.entry(&module.name).or_default() |= !component.initial.is_empty();
            }
        }
        found
    }

    /// The procedures that define the types.
    pub fn procedures(&self) -> BTreeSet<ProcedureId> {
        let around = |(_, _, definition): &(_, _, &Definition)| self.program.procedure_with(definition.span);
        self.shadowed.iter().filter_map(around).collect()
    }

    /// Declares the components.
    pub fn declare(&self, edits: &mut [Edits]) {
        for &(name, component, definition) in &self.shadowed {
            let Ok(place) = definition.room else { continue };
            let FileId(index) = definition.span.file;
            let file = &self.program.files[index];
            let last = file.whole_line_start(place.saturating_sub(1));
            let blanks = file.text[last..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let mut lines = Lines::new(file, &indentation_of(file, last + blanks));
            lines.add_comment(&format!("! gravel: stands for `{}` of the program", name.name));
            lines.add(&declaration(name, component));
            edits[index].insert(place, Order::Behind, lines.as_inserted_lines(place));
        }
    }
}

/// It is as visible as the component that it stands for, has the same elements, and is null where that is.
fn declaration(name: &ComponentName, component: &Component) -> String {
    let access = match component.is_public {
        Some(true) => ", public",
        Some(false) => ", private",
        None => "",
    };
    let bound = |bounds: &(Option<i64>, Option<i64>)| match bounds {
        (Some(1), Some(upper)) => upper.to_string(),
        (Some(lower), Some(upper)) => format!("{lower}:{upper}"),
        _ => ":".to_string(),
    };
    let bounds: Vec<String> = component.bounds.iter().map(bound).collect();
    let bounds = if bounds.is_empty() { String::new() } else { format!("({})", bounds.join(", ")) };
    let value = if component.initial.is_empty() { "" } else { " = gravel_request_null" };
    format!("integer(gravel_request_kind){access} :: {}{bounds}{value}", name_in_type(&name.name))
}
