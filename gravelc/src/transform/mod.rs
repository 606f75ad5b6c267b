//! Decides what is done to a program: one folder per transformation, each of which proposes and says why it can't.
//!
//! [`plan_program`] asks which classes can convert (`classes/`), lets the transformations of the [`registry`] work on each
//! of their members, and writes everything into the [`Plan`]. What they find is data (`found`), what all of them keep to
//! stands in `rules`.

mod classes;
mod conversion;
mod decisions;
mod decompose_alltoall;
mod drop_pack;
mod found;
mod hoist_receive;
mod hoist_send;
mod planner;
pub mod registry;
mod request_groups;
mod rules;
mod sink_wait;
mod split_exchange;
mod split_loop;
mod strip_mine;
mod transformation;
mod verdict;

pub use directives::DirectiveError;

use std::collections::BTreeSet;

use crate::analysis::facts::SiteId;
use crate::directives;
use crate::ir::{ProcedureId, Program};
use crate::passes::Known;
use crate::plan::{Plan, Transformation};

/// Which transformations may be applied.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Those that are enabled; at first all of them.
    pub enabled: BTreeSet<Transformation>,
    /// What was not given neither communicates nor calls given procedures nor uses their variables, and leaves the
    /// communicators that it is handed as they are.
    pub is_closed: bool,
    /// What can be carried is, also where nothing moves and the program itself overlaps nothing.
    pub in_place: bool,
    /// Calls that convert in their places, whatever could be moved of them: something else is done with all of their procedure.
    pub stays: BTreeSet<SiteId>,
    /// The flag of the build, if there is one, with which a compiler computes otherwise what is arranged otherwise.
    pub rounding: Option<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            enabled: BTreeSet::from(Transformation::ALL),
            is_closed: false,
            in_place: false,
            stays: BTreeSet::new(),
            rounding: None,
        }
    }
}

/// The plan for a whole program: the files given are taken as everything there is, apart from libraries that are known
/// not to communicate. The program is one that has been [prepared](crate::passes::prepare).
pub fn plan_program(program: &Program, selection: &Selection) -> Plan {
    let known = Known::of(program, selection.is_closed);
    let mut plan = planner::plan(&known.program, selection);
    let is_called = |procedure: &ProcedureId| match &known.never_called {
        Some(never_called) => !never_called.procedures.contains(procedure),
        None => true,
    };
    let dead = known.dead_statements().filter(|(site, _)| is_called(&site.procedure));
    decisions::add_dead(program, dead, &mut plan);
    if let Some(never_called) = &known.never_called {
        decisions::add_never_called(program, &never_called.procedures, &mut plan);
    }
    plan
}

/// The program with what [`plan_program`] knows of it: the names that calls make one place, what is asserted, what datatypes
/// and bounds are. Its procedures and statements are those of `program`, in the same places.
pub fn as_planned(program: &Program, is_closed: bool) -> Program {
    Known::of(program, is_closed).into_whole()
}

/// What is wrong with the directives of a program, in their order. [`plan_program`] obeys only the others.
pub fn directive_errors(program: &Program) -> Vec<DirectiveError> {
    directives::read(program).1
}
