//! Procedures that never run.
//!
//! Libraries of wrappers hold more than a program needs. What nothing calls takes part in no communication and has no effects,
//! as long as the given files are the whole program. A procedure may run if it is a main program, if a procedure that may run
//! calls it or names it in its text, or if it is named elsewhere: in the declarations of a module (type-bound procedures,
//! targets of pointers, operators), in a line for compilers, for C, or if a library calls it by its name.
//!
//! What leads out of the files counts only where it may run itself. So the procedures that may run are collected as if nothing
//! led out of them, and then looked at: the program can leave them only at a place in them.

use std::collections::BTreeSet;

use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::ir::{
    Callee, DirectivePlace, Expression, ExpressionKind, Procedure, ProcedureId, ProcedureKind, Program, StatementKind,
    UntouchableCause,
};
use crate::known_libraries::procedures::{is_known_to_be_called_back, memory_use};
use crate::mutations::Clause;

/// A program without what its procedures that never run do.
pub struct WithoutNeverCalled {
    /// The program. The procedures are still there, without statements.
    pub program: Program,
    /// Those that never run.
    pub procedures: BTreeSet<ProcedureId>,
}

/// The program in which procedures that never run do nothing; `None` if there are none, or if others could call them.
pub fn without_never_called(outside: Outside) -> Option<WithoutNeverCalled> {
    let program = outside.program;
    let running = may_run(program);
    let procedures: BTreeSet<ProcedureId> =
        program.procedures().map(|(id, _)| id).filter(|id| !running.contains(id)).collect();
    if procedures.is_empty() {
        return None;
    }
    let mut reduced = program.clone();
    for &id in &procedures {
        empty(reduced.procedure_mut(id));
    }
    reduced.directives.retain(|directive| match directive.place {
        DirectivePlace::Before { procedure, .. } => !procedures.contains(&procedure),
        DirectivePlace::Beside | DirectivePlace::BeforeNothing => true,
    });
    let is_closed = OpenWorld::of(Outside { program: &reduced, ..outside }).is_none();
    is_closed.then_some(WithoutNeverCalled { program: reduced, procedures })
}

/// Does nothing lead out of the part of the program that may run?
pub fn is_closed_world(outside: Outside) -> bool {
    OpenWorld::of(outside).is_none() || without_never_called(outside).is_some()
}

/// The procedures that may run if nothing leads out of the files.
fn may_run(program: &Program) -> BTreeSet<ProcedureId> {
    let names_count = !Clause::NamesOfProcedures.is_off();
    let begins = |procedure: &Procedure| {
        procedure.kind == ProcedureKind::Main
            || memory_use(&procedure.name).is_some()
            || is_known_to_be_called_back(&procedure.name)
            || may_be_longer(procedure)
    };
    let mut pending: Vec<ProcedureId> =
        program.procedures().filter(|(_, procedure)| begins(procedure)).map(|(id, _)| id).collect();
    pending.extend(program.mentioned.elsewhere.iter().filter(|_| names_count));
    let mut found = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            add_callees(program.procedure(id), &mut pending);
            let mentioned = program.mentioned.by_procedures.get(id.0).into_iter().flatten();
            pending.extend(mentioned.map(|(named, _)| *named).filter(|_| names_count));
        }
    }
    found
}

/// The procedures that the statements of this one call.
fn add_callees(procedure: &Procedure, callees: &mut Vec<ProcedureId>) {
    let mut add_called_in = |expressions: Vec<&Expression>| {
        for part in expressions.into_iter().flat_map(Expression::walk) {
            if let ExpressionKind::Call { callee: Callee::Procedure(id), .. } = part.kind {
                callees.push(id);
            }
        }
    };
    add_called_in(procedure.evaluated_at_entry.iter().collect());
    procedure.statements.iter().for_each(|statement| add_called_in(statement.kind.expressions()));
    for statement in &procedure.statements {
        match &statement.kind {
            StatementKind::Call { callee: Callee::Procedure(id), .. } => callees.push(*id),
            StatementKind::Communication(call) => {
                callees.extend(call.wrapper.as_ref().map(|wrapper| wrapper.procedure))
            }
            _ => {}
        }
    }
}

/// May the text of the procedure be other than it seems, so that more, or less, belongs to it? What is included, and what
/// macros stand for, can end procedures and begin others.
fn may_be_longer(procedure: &Procedure) -> bool {
    procedure.untouchable.as_ref().is_some_and(|found| found.cause == UntouchableCause::UnknownText)
        || procedure.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Opaque(unread) => unread.opacity.may_hold_more(),
            _ => false,
        })
}

fn empty(procedure: &mut Procedure) {
    procedure.statements.clear();
    procedure.body.clear();
    procedure.evaluated_at_entry.clear();
    procedure.declarations.clear();
    procedure.overridable_calls.clear();
    let span = procedure.span;
    // What could not be read in it is about itself; what is around it may be about others, too.
    procedure.untouchable.take_if(|found| found.span.is_within(span));
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
