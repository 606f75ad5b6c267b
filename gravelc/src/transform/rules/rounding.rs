//! Does a loop give the same values, bit for bit, when it is computed in parts (contract, rule 8)?
//!
//! What it adds up is another question (`analysis/loops/carried.rs`), and so is whether a part may end inside a vector
//! ([`crate::analysis::loops::vectorised`]).

use crate::analysis::loops::elementary_functions::elementary_function_in;
use crate::ir::{AssertedIndependence, Loop};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::movement::Surroundings;

/// Why the loop could round differently in parts, unless a directive says that its last digits do not matter.
pub fn check_rounding(surroundings: Surroundings, counted: &Loop) -> Result<(), Reason> {
    let Surroundings { facts, procedure } = surroundings;
    if counted.asserted == AssertedIndependence::Whole || Clause::ElementaryFunctions.is_off() {
        return Ok(());
    }
    match elementary_function_in(facts.program, procedure, &counted.body) {
        None => Ok(()),
        Some(function) => {
            let name = &function.name;
            let message =
                format!("the loop computes `{name}`, whose last bits may differ where it is computed in parts");
            Err(Reason::at(ReasonCode::ElementaryFunction, function.span, message))
        }
    }
}
