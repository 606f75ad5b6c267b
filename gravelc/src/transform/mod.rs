//! Decides what is done to a program: one file per transformation, each of which proposes and says why it can't.
//!
//! [`plan_program`] asks which classes can convert (`convertibility.rs`), lets the transformations work on each
//! of their members, and writes everything into the [`Plan`].

mod all_moves;
mod arrival;
mod assertions;
mod awaited_buffers;
mod conversion;
mod convertibility;
mod decisions;
mod decompose_alltoall;
mod directives;
mod drop_pack;
mod early_values;
mod footprint;
mod hidden_names;
mod hoist_into_callers;
mod hoist_receive;
mod known_calls;
mod leaving_branches;
mod message_order;
mod movement;
mod named_elements;
mod passed_effects;
mod pending_together;
mod planner;
mod receiving_loop;
mod released_sends;
mod replacement;
mod rounding;
mod shadows;
mod sink_into_callee;
mod sink_into_callers;
mod sink_wait;
mod split_loop;
mod strip_mine_consumer;
mod strip_mine_producer;
mod synchronous;
mod waits;

pub use directives::DirectiveError;

use std::collections::BTreeSet;

use crate::analysis::argument_aliases::with_argument_aliases;
use crate::analysis::array_bounds::with_array_bounds;
use crate::analysis::datatypes::{with_datatype_layouts, with_known_datatypes};
use crate::analysis::error_checks::with_idle_error_checks;
use crate::analysis::handed_requests::with_handed_requests;
use crate::analysis::never_called::without_never_called;
use crate::analysis::outside::Outside;
use crate::analysis::overriding::with_given_overrides;
use crate::analysis::wrappers::with_idle_wrappers;
use crate::ir::Program;
use crate::plan::{Plan, Transformation};

use self::assertions::with_assertions;

/// Which transformations may be applied.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Those that are enabled; at first all of them.
    pub enabled: BTreeSet<Transformation>,
    /// What was not given neither communicates nor calls given procedures nor uses their variables, and leaves the
    /// communicators that it is handed as they are.
    pub is_closed: bool,
    /// The flag of the build, if there is one, with which a compiler computes otherwise what is arranged otherwise.
    pub rounding: Option<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { enabled: BTreeSet::from(Transformation::ALL), is_closed: false, rounding: None }
    }
}

/// The plan for a whole program: the files given are taken as everything there is, apart from libraries that are known
/// not to communicate. Calls of procedures that only call MPI count as calls of MPI where
/// [`with_wrapper_calls`](crate::analysis::wrappers::with_wrapper_calls) has been asked before.
pub fn plan_program(program: &Program, selection: &Selection) -> Plan {
    let asserted = with_assertions(program, &directives::read(program).0);
    let program = asserted.as_ref().unwrap_or(program);
    let settled = with_given_overrides(Outside { program, is_closed: selection.is_closed });
    let program = settled.as_ref().unwrap_or(program);
    let whole = program;
    let running = without_never_called(Outside { program, is_closed: selection.is_closed });
    let program = running.as_ref().map_or(program, |running| &running.program);
    let resolved = with_known_datatypes(Outside { program, is_closed: selection.is_closed });
    let program = resolved.as_ref().unwrap_or(program);
    let joined = with_argument_aliases(program);
    let program = joined.as_ref().unwrap_or(program);
    let checked = with_idle_error_checks(Outside { program, is_closed: selection.is_closed });
    let program = checked.as_ref().unwrap_or(program);
    let idle = with_idle_wrappers(Outside { program, is_closed: selection.is_closed });
    let program = idle.as_ref().unwrap_or(program);
    let handed = with_handed_requests(Outside { program, is_closed: selection.is_closed });
    let program = handed.as_ref().unwrap_or(program);
    let bounded = with_array_bounds(Outside { program, is_closed: selection.is_closed });
    let program = bounded.as_ref().unwrap_or(program);
    let laid_out = with_datatype_layouts(Outside { program, is_closed: selection.is_closed });
    let mut plan = drop_pack::plan(laid_out.as_ref().unwrap_or(program), selection);
    if let Some(running) = &running {
        decisions::add_never_called(whole, &running.procedures, &mut plan);
    }
    plan
}

/// What is wrong with the directives of a program, in their order. [`plan_program`] obeys only the others.
pub fn directive_errors(program: &Program) -> Vec<DirectiveError> {
    directives::read(program).1
}
