//! The bounds of arrays whose declarations do not say them: of allocatable arrays by what allocates them, of allocatable
//! components by other components of their object, of arrays that assume their shape by what all calls hand over.

mod allocated;
mod assumed;
mod changing_procedures;
mod in_objects;
mod order_in_program;
mod settled;

use crate::ir::{Bounds, ProcedureId, Program, Symbol, SymbolClass, SymbolId};

use self::allocated::AllocatedBounds;
use self::assumed::assumed_bounds;
pub use self::assumed::is_fixed;
use self::in_objects::BoundsInObjects;
pub use self::settled::SettledValues;
use super::super::facts::Facts;
use super::super::program::outside::Outside;

/// Arrays that are handed on through longer chains of procedures keep an unknown shape.
const MOST_ROUNDS: usize = 8;

/// The program with [the bounds that could be found](Symbol::found_bounds); `None` if there are none.
pub fn with_array_bounds(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let is_open = |symbol: &Symbol| {
        let is_open = symbol.is_allocatable() || symbol.may_be_strided;
        is_open && symbol.class == SymbolClass::Variable && symbol.rank() > 0
    };
    if !program.procedures.iter().any(|procedure| procedure.symbols.iter().any(is_open)) {
        return None;
    }
    let facts = Facts::with_outside(outside);
    let allocated = AllocatedBounds::new(&facts);
    let in_objects = BoundsInObjects::new(&facts, &allocated);
    let allocated = allocated.find(|component, names| in_objects.bounds_of(component, names));
    let allocated = allocated.into_iter().map(|((procedure, symbol), bounds)| (procedure, symbol, bounds));
    let mut found: Vec<(ProcedureId, SymbolId, Vec<Bounds>)> = allocated.collect();
    let mut copy: Option<Program> = None;
    for _ in 0..MOST_ROUNDS {
        if !found.is_empty() {
            let copy = copy.get_or_insert_with(|| program.clone());
            for (procedure, symbol, bounds) in found {
                let symbol = &mut copy.procedure_mut(procedure).symbols[symbol.0];
                symbol.found_bounds = bounds;
                symbol.may_be_strided = false;
            }
        }
        // A procedure can hand on what it was handed.
        let program = copy.as_ref().unwrap_or(program);
        found = assumed_bounds(&Facts::with_outside(Outside { program, ..outside }));
        if found.is_empty() {
            break;
        }
    }
    copy
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
