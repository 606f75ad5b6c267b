//! Variables that hold the rank of the process.

use super::is_constant;
use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{Callee, ExpressionKind, Operation, ProcedureId, StatementKind, SymbolClass, SymbolId};

/// Longer chains of arguments are not followed.
const MOST_CALLS: usize = 8;

/// Is the variable only ever set to the rank of the process in MPI_COMM_WORLD?
pub(super) fn is_rank_in_world(facts: &Facts, procedure: ProcedureId, symbol: SymbolId, depth: usize) -> bool {
    let body = facts.procedure(procedure);
    if depth > MOST_CALLS || body.symbol(symbol).class != SymbolClass::Variable || body.symbol(symbol).rank() > 0 {
        return false;
    }
    let mut is_set = false;
    for (owner, name) in facts.names_of(procedure, symbol) {
        for statement in facts.writers(owner, name).iter() {
            let found = facts.communication(SiteId { procedure: owner, statement: *statement });
            let is_rank = found.is_some_and(|call| match &call.operation {
                Operation::Inquiry { reads, writes } => {
                    let owner = facts.procedure(owner);
                    call.routine == "mpi_comm_rank"
                        && call.wrapper.is_none()
                        && reads.first().is_some_and(|read| is_constant(owner, read, "mpi_comm_world"))
                        && writes.first().is_some_and(|written| written.designated() == Some(name))
                }
                _ => false,
            });
            // A call that sets it does so in the called procedure, which has a name for it.
            let is_elsewhere = || {
                matches!(
                    facts.procedure(owner).statement(*statement).kind,
                    StatementKind::Call { callee: Callee::Procedure(_), .. }
                ) && body.symbol(symbol).shared_variable().is_some()
            };
            // Before it, nothing has been sent.
            let begins = found.is_some_and(|call| matches!(call.operation, Operation::Initialize { .. }));
            if !is_rank && !begins && !is_elsewhere() {
                return false;
            }
            is_set |= is_rank;
        }
    }
    let Some(position) = body.dummies.iter().position(|dummy| *dummy == symbol) else { return is_set };
    !is_set
        && facts.calls_are_known(procedure)
        && facts.calls_of(procedure).iter().all(|call| {
            let caller = facts.procedure(call.procedure);
            let StatementKind::Call { callee: Callee::Procedure(callee), arguments } =
                &caller.statement(call.statement).kind
            else {
                return false;
            };
            *callee == procedure
                && arguments.get(position).is_some_and(|argument| match argument.kind {
                    ExpressionKind::Symbol(actual) => is_rank_in_world(facts, call.procedure, actual, depth + 1),
                    _ => false,
                })
        })
}
