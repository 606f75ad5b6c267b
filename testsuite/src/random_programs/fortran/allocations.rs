//! Arrays that are allocated when a program begins, with extents that stand in variables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Writer;
use crate::random_programs::program::{Allocation, Array, ArrayId, Home, RESULTS};
use crate::random_programs::used_names::Used;

impl Writer<'_> {
    /// Does the array come to life when the program begins? Those that share memory can't.
    pub(super) fn is_allocated(&self, id: ArrayId) -> bool {
        let array = &self.program.arrays[id];
        let is_under = |other: &Array| matches!(other.home, Home::Over(base, _) if base == id);
        self.program.style.allocation != Allocation::Declared
            && id != RESULTS
            && matches!(array.home, Home::Main | Home::Saved | Home::Module)
            && Used::anywhere(self.program).arrays.contains(&id)
            && !self.program.arrays.iter().any(is_under)
    }

    /// The arrays that are allocated, of the module or of the main unit.
    fn allocated(&self, of_module: bool) -> impl Iterator<Item = ArrayId> {
        (0..self.program.arrays.len())
            .filter(move |&id| self.is_allocated(id) && (self.program.arrays[id].home == Home::Module) == of_module)
    }

    /// The numbers of rows that have variables, with their names.
    fn extent_names(&self, of_module: bool) -> BTreeMap<usize, String> {
        let suffix = if of_module { self.suffix(Home::Module) } else { String::new() };
        self.allocated(of_module)
            .map(|id| self.program.arrays[id].rows)
            .map(|rows| (rows, format!("extent{rows}{suffix}")))
            .collect()
    }

    /// The declarations of the variables with extents.
    pub(super) fn extents(&self, of_module: bool) -> String {
        self.extent_names(of_module).values().map(|name| format!("  integer :: {name}\n")).collect()
    }

    /// What brings arrays to life.
    pub(super) fn allocations(&self) -> String {
        let mut text = String::new();
        for of_module in [true, false] {
            let names = self.extent_names(of_module);
            for (rows, name) in &names {
                let _ = writeln!(text, "  {name} = {rows}");
            }
            for id in self.allocated(of_module) {
                let array = &self.program.arrays[id];
                let (name, extent) = (self.array_name(None, id), &names[&array.rows]);
                let columns =
                    if array.is_matrix() { format!(", {}", array.length / array.rows) } else { String::new() };
                let rows = match array.first {
                    1 => extent.clone(),
                    first => format!("{first}:{extent} + ({})", first - 1),
                };
                let _ = writeln!(text, "  allocate ({name}({rows}{columns}))");
            }
            if self.program.style.allocation == Allocation::ByPassingVariables {
                names.values().for_each(|name| {
                    let _ = writeln!(text, "  {name} = {name} + 1 + rank");
                });
            }
        }
        text
    }
}

/// The shape of an array that is not allocated yet.
pub(super) fn deferred_shape(array: &Array) -> String {
    if array.is_matrix() { "(:, :)".to_owned() } else { "(:)".to_owned() }
}
