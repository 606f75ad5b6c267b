//! The bounds of arrays whose declarations do not say them: of allocatable arrays by what allocates them, of allocatable
//! components by other components of their object, of arrays that assume their shape by what all calls hand over.

mod allocated;
mod assumed;
mod changing_procedures;
mod in_objects;
mod order_in_program;
mod settled;

use self::allocated::AllocatedBounds;
pub use self::assumed::{assumed_bounds, is_fixed};
use self::in_objects::BoundsInObjects;
pub use self::settled::SettledValues;
use super::super::facts::Facts;
use crate::ir::{Bounds, ProcedureId, SymbolId};

/// Of each allocatable array whose bounds are found, these.
pub fn allocated_bounds(facts: &Facts) -> Vec<(ProcedureId, SymbolId, Vec<Bounds>)> {
    let allocated = AllocatedBounds::new(facts);
    let in_objects = BoundsInObjects::new(facts, &allocated);
    let allocated = allocated.find(|component, names| in_objects.bounds_of(component, names));
    allocated.into_iter().map(|((procedure, symbol), bounds)| (procedure, symbol, bounds)).collect()
}
