//! Variables that hold the rank of the process.

use super::is_constant;
use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{
    Callee, ExpressionKind, Operation, Place, ProcedureId, StatementKind, Storage, Symbol, SymbolClass, SymbolId,
};
use crate::mpi::properties::Property;

/// Longer chains of arguments are not followed.
const MOST_CALLS: usize = 8;

/// Is the variable only ever set to the rank of the process in MPI_COMM_WORLD?
pub(super) fn is_rank_in_world(facts: &Facts, procedure: ProcedureId, symbol: SymbolId, depth: usize) -> bool {
    let body = facts.procedure(procedure);
    let variable = body.symbol(symbol);
    // What procedures inside name counts as a target, too.
    let is_target = variable.target && variable.place_inside.is_none();
    let is_plain = variable.class == SymbolClass::Variable && variable.rank() == 0 && !is_target && !variable.volatile;
    if depth > MOST_CALLS || !is_plain || !is_told_apart(facts, variable) {
        return false;
    }
    let mut is_set = false;
    for (owner, name) in all_names(facts, procedure, symbol) {
        // Until it is set it has a value that is the same for all processes.
        if facts.procedure(owner).symbol(name).initialised {
            return false;
        }
        for statement in facts.writers(owner, name).iter() {
            let found = facts.communication(SiteId { procedure: owner, statement: *statement });
            let is_rank = found.is_some_and(|call| match &call.operation {
                Operation::Inquiry { reads, writes } => {
                    let owner = facts.procedure(owner);
                    Property::GivesOwnRank.holds_of(&call.routine)
                        && call.wrapper.is_none()
                        && reads.first().is_some_and(|read| is_constant(owner, read, "mpi_comm_world"))
                        && writes.first().is_some_and(|written| written.designated() == Some(name))
                }
                _ => false,
            });
            // A call that sets it without getting it does so in the called procedure, which has a name for it.
            let is_elsewhere = || {
                !facts.mentions(owner, name).contains_key(statement)
                    && matches!(
                        facts.procedure(owner).statement(*statement).kind,
                        StatementKind::Call { callee: Callee::Procedure(_), .. }
                    )
                    && variable.shared_variable().is_some()
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

/// Is the variable written by nothing but what names it?
fn is_told_apart(facts: &Facts, variable: &Symbol) -> bool {
    let is_alone = match &variable.storage {
        Storage::Local | Storage::Static | Storage::Dummy => true,
        Storage::Global(place) => place.is_one_variable(),
        Storage::Pointer | Storage::Allocatable | Storage::Component { .. } => false,
    };
    // Old programs clear a block by its first member.
    let is_overrun = || variable.storage.common_block().is_some_and(|block| facts.overrun_blocks().contains(block));
    is_alone && variable.overlay.is_none() && !is_overrun()
}

/// The place of a variable that several procedures may have names for.
fn place_of(variable: &Symbol) -> Option<&Place> {
    match &variable.storage {
        Storage::Global(place) => Some(place),
        _ => variable.place_inside.as_ref().or(variable.place.as_ref()),
    }
}

/// All names of the variable, in the procedures inside its own, too.
fn all_names(facts: &Facts, procedure: ProcedureId, symbol: SymbolId) -> Vec<(ProcedureId, SymbolId)> {
    let Some(place) = place_of(facts.procedure(procedure).symbol(symbol)) else { return vec![(procedure, symbol)] };
    let mut names = Vec::new();
    for (owner, body) in facts.program.procedures() {
        let symbols = body.symbols.iter().enumerate();
        let same = symbols.filter(|(_, other)| place_of(other) == Some(place));
        names.extend(same.map(|(index, _)| (owner, SymbolId(index))));
    }
    names
}
