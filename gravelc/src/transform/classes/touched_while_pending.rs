//! Buffers that the program itself uses while their operations are pending.

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::message::message_region;
use crate::analysis::memory::overlap::may_overlap;
use crate::analysis::messages::requests::{RequestVariable, posts_completed_at, request_variable};
use crate::ir::{ExpressionKind, Message, StatementId, StatementKind, Storage, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::super::rules::footprint::conflicts_of;

/// [`touched_while_pending`] for what a start begins.
pub fn started_obstacle(facts: &Facts, start: SiteId) -> Option<Reason> {
    let prepared = posts_completed_at(facts, start);
    prepared.into_iter().filter(|prepared| prepared.procedure == start.procedure).find_map(|prepared| {
        let (direction, message) = facts.communication(prepared)?.prepared()?;
        touched_while_pending(facts, start, message, &conflicts_of(direction))
    })
}

/// An access to the buffer that the program itself makes, in the same block, between a non-blocking call and its wait.
/// MPI forbids it (MPI 4.0, section 3.7.2), but a copy that MPI made of a small message may have hidden it.
pub fn touched_while_pending(
    facts: &Facts,
    site: SiteId,
    message: &Message,
    conflicts: &[AccessKind],
) -> Option<Reason> {
    if Clause::NotTouchedWhilePending.is_off() {
        return None;
    }
    let procedure = facts.procedure(site.procedure);
    let request = facts.communication(site)?.begun_request()?.designated()?;
    let region = message_region(procedure, message).ok()?;
    // Messages side by side in one array are told apart by numbers that only the program knows: where nothing shows
    // that the program breaks MPI's rule, it does not.
    let is_part = message.datatype.derived.is_some()
        || matches!(
            message.buffer.kind,
            ExpressionKind::Element { .. } | ExpressionKind::Section { .. } | ExpressionKind::Part { .. }
        );
    // Two pointers into one object lead to different parts of it in a program that keeps the rule.
    let is_pointer = |id: SymbolId| procedure.symbol(id).storage == Storage::Pointer;
    let is_other_pointer =
        |access: SymbolId| access != region.symbol && (is_pointer(access) || is_pointer(region.symbol));
    let is_shared = !matches!(request_variable(facts, site), Some(RequestVariable::Own(..)));
    let mentions = facts.mentions(site.procedure, request);
    let is_array = procedure.symbol(request).rank() > 0;
    let may_end_it = |id: StatementId| {
        let statement = procedure.statement(id);
        // What is called may wait for a request that it sees, too.
        if is_shared && facts.calls_procedure(SiteId { procedure: site.procedure, statement: id }) {
            return true;
        }
        // Another post to the same array goes to another element, or loses the request.
        let is_post = matches!(&statement.kind, StatementKind::Communication(found) if found.begun_request().is_some());
        if (is_array && is_post) || !mentions.contains_key(&id) {
            return false;
        }
        let expressions = statement.kind.expressions();
        expressions.iter().flat_map(|found| found.walk()).any(|part| part.designated() == Some(request))
    };
    let (block, index) = procedure.siblings(site.statement);
    for &next in &block[index + 1..] {
        if procedure.holds(next, &mut |id| may_end_it(id)) {
            return None;
        }
        // What calls of MPI touch is looked at elsewhere.
        if matches!(procedure.statement(next).kind, StatementKind::Communication(_)) {
            continue;
        }
        let accesses = facts.effects(site.procedure, next).accesses.iter();
        let mut touching = accesses.filter(|access| {
            conflicts.contains(&access.kind)
                && may_overlap(procedure, &access.region, &region, &Assumptions::new()) != Answer::No
                && !is_other_pointer(access.region.symbol)
                && !(is_part && (access.region.lmad().is_none() || region.lmad().is_none()))
        });
        let access = touching.next().filter(|found| {
            matches!(
                procedure.statement(found.statement).kind,
                StatementKind::Assign { .. } | StatementKind::InputOutput { .. }
            )
        });
        if let Some(access) = access {
            let line = facts.program.line_named(access.span);
            let name = &procedure.symbol(region.symbol).name;
            let text = format!("the program may use `{name}` at line {line} while the operation is pending");
            return Some(Reason::at(ReasonCode::BufferTouched, access.span, text));
        }
    }
    None
}
