//! The bounds of arrays whose declarations do not say them ([`crate::analysis::values::array_bounds`]).

use crate::analysis::facts::Facts;
use crate::analysis::program::outside::Outside;
use crate::analysis::values::array_bounds::{allocated_bounds, assumed_bounds};
use crate::ir::{Program, Symbol, SymbolClass};

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
    let mut found = allocated_bounds(&Facts::with_outside(outside));
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
