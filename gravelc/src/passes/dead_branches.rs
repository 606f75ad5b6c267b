//! Branches that constants decide against.
//!
//! ```fortran
//! logical, parameter :: debug = .false.
//! if (debug) call write_everything(a)
//! ```
//!
//! What stands in such a branch never runs, whatever else is true of the program: it has no effects, leads nowhere, and what only
//! it calls is never called. The compiler of the user sees the same and drops it. Values of variables do not count, not even of
//! those that nothing changes: a library, a debugger or an input file may.
//!
//! The text keeps the branches, so the emitter does, too; only the planner does not see them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::algebra::truth::truth_of;
use crate::analysis::program::open_world::is_uncertain;
use crate::ir::{Expression, ExpressionKind, Procedure, ProcedureId, Program, Span, StatementId};
use crate::mutations::Clause;

use super::branches::NeverTaken;

/// A program without what stands in branches that are never taken.
pub struct WithoutDeadBranches {
    /// The program. The branches are still there, without statements.
    pub program: Program,
    /// What is left out.
    pub branches: Vec<DeadBranches>,
}

/// The branches of an IF that are never taken.
pub struct DeadBranches {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The IF.
    pub statement: StatementId,
    branches: NeverTaken,
}

impl DeadBranches {
    /// The statements that never run, with what they hold, each with the condition that decides against it. `original` is the
    /// program with them.
    pub fn statements(&self, original: &Program) -> Vec<(StatementId, Span)> {
        let body = original.procedure(self.procedure);
        let roots = self.branches.statements(&body.statement(self.statement).kind);
        let all = |(root, decider)| body.with_descendants(root).into_iter().map(move |id| (id, decider));
        roots.into_iter().flat_map(all).collect()
    }

    /// Puts them back into a program from which they were taken out, as `original` has them.
    pub fn put_back(&self, program: &mut Program, original: &Program) {
        let body = original.procedure(self.procedure);
        self.branches.put_back(program.procedure_mut(self.procedure), body, self.statement);
    }
}

/// The program in which branches that are never taken do nothing; `None` if there are none.
pub fn without_dead_branches(program: &Program) -> Option<WithoutDeadBranches> {
    // The compiler of a part of a program checks its dead branches, too: what is lent to a message may not be named there.
    if program.is_part {
        return None;
    }
    let mut branches = Vec::new();
    for (id, body) in program.procedures().filter(|(_, body)| !is_uncertain(body)) {
        let mut inside = BTreeSet::new();
        for statement in body.statements_in_order() {
            if inside.contains(&statement) {
                continue;
            }
            if let Some(found) = NeverTaken::of(body, statement, |condition| holds(body, condition)) {
                let dead = DeadBranches { procedure: id, statement, branches: found };
                inside.extend(dead.statements(program).into_iter().map(|(inner, _)| inner));
                branches.push(dead);
            }
        }
    }
    if branches.is_empty() {
        return None;
    }
    let mut reduced = program.clone();
    for dead in &branches {
        forget_names(&mut reduced, program, dead);
        dead.branches.take_out(reduced.procedure_mut(dead.procedure), dead.statement);
    }
    Some(WithoutDeadBranches { program: reduced, branches })
}

fn holds(body: &Procedure, condition: &Expression) -> Option<bool> {
    truth_of(body, condition, &|part| is_first_value(body, part))
}

/// With the clause switched off, variables count that have a value from the beginning.
fn is_first_value(body: &Procedure, part: &Expression) -> Option<bool> {
    let ExpressionKind::Symbol(symbol) = part.kind else { return None };
    (Clause::BranchesByConstants.is_off() && body.symbol(symbol).initialised).then_some(false)
}

/// Procedures that are named in such branches only are not named by those that hold them.
fn forget_names(reduced: &mut Program, original: &Program, dead: &DeadBranches) {
    let body = original.procedure(dead.procedure);
    let removed: BTreeSet<StatementId> = dead.statements(original).into_iter().map(|(id, _)| id).collect();
    // What a macro makes has one place with all that this makes.
    let is_apart = |place: &Span| {
        let mut others = body.statements_in_order().into_iter().filter(|id| !removed.contains(id));
        !others.any(|id| body.statement(id).span.is_within(*place))
    };
    let roots = dead.branches.statements(&body.statement(dead.statement).kind);
    let places: Vec<Span> = roots.into_iter().map(|(root, _)| body.statement(root).span).filter(is_apart).collect();
    let mentioned = Arc::make_mut(&mut reduced.mentioned);
    if let Some(names) = mentioned.by_procedures.get_mut(dead.procedure.0) {
        names.retain(|(_, name)| !places.iter().any(|place| name.is_within(*place)));
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
