//! Error handlers of files (`MPI_File_create_errhandler`).
//!
//! Such a handler is called in operations on files, and in no others (MPI 4.0, 9.3.3 and 14.7): what becomes of an error of a message
//! does not depend on it. But it is a procedure of the program, which may do anything to memory, print and stop. So where a program
//! makes one, nothing moves past an operation on a file, and messages know of no error handler.
//!
//! Everything stays as it is where the procedure takes part in communication, or does something that is not known; where one
//! calls a handler itself; where operations on files go on behind their calls, for a wait for them may run the handler; and where a
//! known library (HDF5, NetCDF) may do operations on files, for the handler may be that of all files.

use std::collections::BTreeSet;

use crate::analysis::memory::effects::called_procedures;
use crate::analysis::program::outside::Outside;
use crate::ir::{Communication, ErrorHandling, Operation, Participation, ProcedureId, Program, StatementKind};
use crate::mpi::routines::{is_of_files, is_pending_on_files};
use crate::mutations::Clause;

/// The program in which operations on files may do anything to memory; `None` if it makes no handlers for errors of files, or if more
/// may depend on these.
pub fn with_file_error_handlers(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let mut handlers = BTreeSet::new();
    for call in program.procedures.iter().flat_map(|body| &body.statements).filter_map(|it| communication(&it.kind)) {
        if is_pending_on_files(&call.routine) {
            return None;
        }
        let Operation::Other { error_handling, .. } = &call.operation else { continue };
        match error_handling {
            ErrorHandling::MakesForFiles { procedures } => handlers.extend(procedures.iter().copied()),
            ErrorHandling::Calls => return None,
            ErrorHandling::Unconcerned
            | ErrorHandling::Sets { .. }
            | ErrorHandling::Makes { .. }
            | ErrorHandling::MakesEnding { .. } => {}
        }
    }
    let keeps_apart = |&id: &ProcedureId| keeps_apart(outside, id) || Clause::FileErrorHandlers.is_off();
    if handlers.is_empty() || !with_called(program, handlers).iter().all(keeps_apart) {
        return None;
    }
    let mut statements = program.procedures.iter().flat_map(|body| &body.statements);
    if statements.any(|statement| outside.may_use_files(&statement.kind)) && !Clause::FileErrorHandlers.is_off() {
        return None;
    }
    let mut changed = program.clone();
    for id in program.procedures().map(|(id, _)| id) {
        if !program.procedure(id).statements.iter().any(|statement| is_concerned(&statement.kind)) {
            continue;
        }
        let concerned = changed.procedure_mut(id).statements.iter_mut().filter(|it| is_concerned(&it.kind));
        for statement in concerned {
            if let StatementKind::Communication(call) = &mut statement.kind {
                run_handlers(&mut call.operation);
            }
        }
    }
    Some(changed)
}

/// Makes the operation, which is one on files, one that may run handlers.
fn run_handlers(operation: &mut Operation) {
    match operation {
        Operation::Other { participation, error_handling, .. } => {
            let makes = matches!(error_handling, ErrorHandling::MakesForFiles { .. });
            if makes {
                *error_handling = ErrorHandling::Unconcerned;
            }
            if makes || matches!(participation, Participation::None) && !Clause::FileErrorHandlers.is_off() {
                *participation = Participation::TouchesAnything;
            }
        }
        // What asks for something may fail, too.
        Operation::Inquiry { reads, writes } if !Clause::FileErrorHandlers.is_off() => {
            *operation = Operation::Other {
                only_read: (0..reads.len()).collect(),
                arguments: reads.drain(..).chain(writes.drain(..)).collect(),
                counts: Vec::new(),
                participation: Participation::TouchesAnything,
                error_handling: ErrorHandling::Unconcerned,
                description: "a question about a file".to_owned(),
            };
        }
        _ => {}
    }
}

fn communication(kind: &StatementKind) -> Option<&Communication> {
    match kind {
        StatementKind::Communication(call) => Some(call),
        _ => None,
    }
}

/// Is it an operation on files?
fn is_concerned(kind: &StatementKind) -> bool {
    communication(kind).is_some_and(|call| is_of_files(&call.routine))
}

/// The procedures with all that they call.
fn with_called(program: &Program, mut found: BTreeSet<ProcedureId>) -> BTreeSet<ProcedureId> {
    let mut pending: Vec<ProcedureId> = found.iter().copied().collect();
    while let Some(id) = pending.pop() {
        let called = called_procedures(program.procedure(id)).into_iter();
        pending.extend(called.filter(|&called| found.insert(called)));
    }
    found
}

/// Is everything known that the procedure itself does, and has none of it to do with messages?
fn keeps_apart(outside: Outside, id: ProcedureId) -> bool {
    let body = outside.program.procedure(id);
    body.untouchable.is_none()
        && body.statements.iter().all(|statement| {
            let is_apart = communication(&statement.kind).is_none_or(|call| {
                matches!(
                    call.operation,
                    Operation::Inquiry { .. }
                        | Operation::Other {
                            participation: Participation::None | Participation::TouchesAnything,
                            error_handling: ErrorHandling::Unconcerned,
                            ..
                        }
                )
            });
            is_apart && !statement.kind.is_opaque() && !outside.may_communicate(&statement.kind)
        })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
