//! Persistent operations that the runtime can carry.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::matching::communicator_fact;
use crate::analysis::values::CommunicatorSource;
use crate::ir::{Communication, Expression, Message, Operation, ProcedureKind, SendMode, StatementId, StatementKind};
use crate::mpi::routines::{Action, find, without_profiling};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::buffered::buffered_obstacle;

/// Why a call that prepares an operation stays with MPI: besides what any post is asked for.
pub fn preparation_obstacle(facts: &Facts, site: SiteId, message: &Message, mode: SendMode) -> Option<Reason> {
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    let of_mode = mode.is_buffered().then(|| buffered_obstacle(facts, span)).flatten();
    of_mode.or_else(|| freed_obstacle(facts, site, message))
}

/// A call that frees a communicator which the operation may use: MPI would keep it for the operation, and the runtime does not.
/// At the end of the main program, where no operation is started any more, it does no harm.
fn freed_obstacle(facts: &Facts, site: SiteId, message: &Message) -> Option<Reason> {
    let fact = communicator_fact(facts, site.procedure, &message.communicator);
    let is_world =
        fact.sources().is_some_and(|sources| sources.iter().all(|source| *source == CommunicatorSource::World));
    if is_world || Clause::FreedCommunicators.is_off() {
        return None;
    }
    for (procedure, body) in facts.program.procedures() {
        for statement in body.statements_in_order() {
            let free = SiteId { procedure, statement };
            let freed = facts.communication(free).and_then(freed_communicator);
            let may_free_it = freed.is_some_and(|freed| {
                let freed = communicator_fact(facts, procedure, freed);
                let known = fact.sources().zip(freed.sources());
                known.is_none_or(|(used, freed)| freed.iter().any(|source| used.contains(source)))
            });
            if may_free_it && !(body.kind == ProcedureKind::Main && is_after_all_starts(facts, free)) {
                let span = body.statement(statement).span;
                let line = facts.program.line_named(span);
                let message = format!("its communicator may be freed at line {line}, before its last start");
                return Some(Reason::at(ReasonCode::UnknownCommunicator, span, message));
            }
        }
    }
    None
}

/// The communicator that a call frees.
fn freed_communicator(communication: &Communication) -> Option<&Expression> {
    let frees = find(without_profiling(&communication.routine)).action == Action::EndsCommunicator;
    communication.expressions().into_iter().next().filter(|_| frees)
}

/// Does nothing start an operation any more once the statement of the main program has begun?
fn is_after_all_starts(facts: &Facts, free: SiteId) -> bool {
    let body = facts.procedure(free.procedure);
    (0..body.statements.len()).map(StatementId).all(|statement| {
        let is_start = matches!(
            &body.statement(statement).kind,
            StatementKind::Communication(found) if matches!(found.operation, Operation::Start { .. })
        );
        let may_start = is_start || facts.effects(free.procedure, statement).hidden_external.is_some();
        !may_start || facts.is_over_before(free.procedure, statement, free.statement)
    })
}
