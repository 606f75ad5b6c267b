//! Arrays and scalars that are components of objects: one object in the main unit, one in the module.

use std::fmt::Write as _;

use super::{Writer, scalar_type, type_name};
use crate::random_programs::program::{ArrayId, Home, ProcedureId, RESULTS, ScalarId, Statement};
use crate::random_programs::used_names::Used;

impl Writer<'_> {
    /// Is the array a component? Those that share memory, and those that are saved by themselves, are none.
    pub(super) fn is_component(&self, id: ArrayId) -> bool {
        let array = &self.program.arrays[id];
        self.program.style.objects
            && id != RESULTS
            && matches!(array.home, Home::Main | Home::Module)
            && !self.program.arrays.iter().any(|other| matches!(other.home, Home::Over(base, _) if base == id))
    }

    /// Is the scalar a component? Loops count with variables.
    pub(super) fn is_scalar_component(&self, id: ScalarId) -> bool {
        let scalar = self.program.scalars[id];
        let counts = |statement: &Statement| matches!(statement, Statement::Loop { variable, .. } if *variable == id);
        self.program.style.objects
            && matches!(scalar.home, Home::Main | Home::Module)
            && !self.program.bodies().any(|body| body.iter().any(|statement| statement.any(&counts)))
    }

    /// Have components names without that of their object in the unit?
    pub(super) fn has_short_names(&self, unit: Option<ProcedureId>) -> bool {
        self.program.style.short_names && self.program.style.objects && unit.is_none()
    }

    /// What gives them these names in front of the statements of the unit, and what ends that.
    pub(super) fn short_names(&self, unit: Option<ProcedureId>) -> (String, &'static str) {
        let used = Used::of(self.body_of(unit));
        let arrays = used.arrays.iter().filter(|&&id| self.is_component(id));
        let arrays = arrays.map(|&id| (self.plain_array_name(unit, id), self.array_name(unit, id)));
        let scalars = used.scalars.iter().filter(|&&id| self.is_scalar_component(id));
        let scalars = scalars.map(|&id| (self.plain_scalar_name(unit, id), self.scalar_name(unit, id)));
        let names: Vec<String> = arrays.chain(scalars).map(|(short, long)| format!("{short} => {long}")).collect();
        match self.has_short_names(unit) && !names.is_empty() {
            true => (format!("  associate ({})\n", names.join(", &\n    ")), "  end associate\n"),
            false => (String::new(), ""),
        }
    }

    /// The beginning of the names of components that live there.
    pub(super) fn object(&self, home: Home) -> String {
        format!("held{}%", self.suffix(home))
    }

    /// The type of the object that lives there, and the object, if it has any components.
    pub(super) fn object_declaration(&self, home: Home) -> String {
        let everywhere = Used::anywhere(self.program);
        let mut components = String::new();
        for (id, array) in self.program.arrays.iter().enumerate() {
            if array.home == home && self.is_component(id) && (home == Home::Module || everywhere.arrays.contains(&id))
            {
                let (attribute, shape) = self.memory(id);
                let name = self.plain_array_name(None, id);
                let _ = writeln!(components, "    {}{attribute} :: {name}{shape}", type_name(array.element));
            }
        }
        for (id, scalar) in self.program.scalars.iter().enumerate() {
            let is_used = home == Home::Module || everywhere.scalars.contains(&id);
            if scalar.home == home && self.is_scalar_component(id) && is_used {
                let name = self.plain_scalar_name(None, id);
                let _ = writeln!(components, "    {} :: {name}", scalar_type(scalar.is_integer));
            }
        }
        if components.is_empty() {
            return components;
        }
        let name = format!("storage{}", self.suffix(home));
        let is_marked = self.program.style.asynchronous && home == Home::Main;
        let attribute = if is_marked { ", asynchronous" } else { "" };
        let object = self.object(home);
        let object = object.trim_end_matches('%');
        format!("  type :: {name}\n{components}  end type {name}\n  type({name}){attribute} :: {object}\n")
    }
}
