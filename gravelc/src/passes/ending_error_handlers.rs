//! Error handlers of the program's own that do nothing but end it (`MPI_Comm_create_errhandler`).
//!
//! Where every procedure that a handler may be made of never returns and meets nobody ([`obstacle_to_ending`]), an error ends the
//! program as with `MPI_ERRORS_ARE_FATAL`. The call that makes it then stores a handle, and that is all: it takes part in no
//! message. From then on the handler may run in each call of MPI; but nothing of the program runs behind it.
//!
//! Handlers of files have a pass of their own ([`super::file_error_handlers`]).

use crate::analysis::facts::Facts;
use crate::analysis::messages::error_handling::obstacle_to_ending;
use crate::analysis::program::outside::Outside;
use crate::ir::{ErrorHandling, Operation, Participation, Program, StatementKind};

/// The program in which calls that make such handlers are known to; `None` if there are none.
pub fn with_ending_error_handlers(outside: Outside) -> Option<Program> {
    let facts = Facts::with_outside(outside);
    let ends = |kind: &StatementKind| {
        let StatementKind::Communication(call) = kind else { return None };
        match &call.operation {
            Operation::Other {
                error_handling: ErrorHandling::Makes { procedures: Some(procedures), handler: Some(handler) },
                ..
            } if procedures.iter().all(|&id| obstacle_to_ending(&facts, id).is_none()) => Some(*handler),
            _ => None,
        }
    };
    let mut changed: Option<Program> = None;
    for (id, body) in outside.program.procedures() {
        for (index, statement) in body.statements.iter().enumerate() {
            let Some(handler) = ends(&statement.kind) else { continue };
            let changed = changed.get_or_insert_with(|| outside.program.clone());
            if let StatementKind::Communication(call) = &mut changed.procedure_mut(id).statements[index].kind
                && let Operation::Other { participation, error_handling, .. } = &mut call.operation
            {
                // As what sets a handler: nothing moves past it.
                *participation = Participation::TouchesAnything;
                *error_handling = ErrorHandling::MakesEnding { handler };
            }
        }
    }
    changed
}

#[cfg(all(test, feature = "fortran", feature = "c"))]
mod tests;
