//! What was moved up and stands where a wait would pass it on its way down.
//!
//! Posts and transfers go up before waits go down. No effect of a statement shows them: where a receive was hoisted to, its
//! buffer is filled from there on, and its arguments are evaluated there; those of a transfer are where it is opened. So a wait
//! must not pass the post of a receive that fills the same memory, nor may what the wait brings (the message, the status)
//! be a value that is needed further up.

use std::collections::BTreeSet;

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::message::{designated_region, message_region};
use crate::analysis::memory::overlap::may_overlap;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Procedure, ProcedureId, Region, StatementId, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{AllMoves, Moves, Place};

use super::footprint::Footprint;

/// Why the wait of an operation with this footprint must not pass the place just before `statement`: something was moved
/// there that needs the same memory, or what comes into it.
pub fn arrival_obstacle(
    facts: &Facts,
    moves: &AllMoves,
    (procedure, statement): (ProcedureId, StatementId),
    footprint: &Footprint,
) -> Option<Reason> {
    if Clause::ArrivalOrder.is_off() {
        return None;
    }
    let body = facts.procedure(procedure);
    moves.arrived_at(SiteId { procedure, statement }).find_map(|(other, moves)| {
        receive_obstacle(facts, body, (procedure, statement), (other, moves), footprint).or_else(|| {
            let opened = moves.strip_mined.as_ref()?.as_ref().ok()?;
            if other.procedure != procedure || opened.loop_statement != statement {
                return None;
            }
            needed_obstacle(facts, body, other, &opened.needed, footprint)
        })
    })
}

/// A receive that was hoisted to just before `statement` and that needs what the footprint covers.
fn receive_obstacle(
    facts: &Facts,
    body: &Procedure,
    (procedure, statement): (ProcedureId, StatementId),
    (other, moves): (SiteId, &Moves),
    footprint: &Footprint,
) -> Option<Reason> {
    let hoisted = moves.hoisted.as_ref()?.as_ref().ok()?;
    let are_apart = |one: &Region, other: &Region| may_overlap(body, one, other, &Assumptions::new()) == Answer::No;
    let line = || facts.program.line_named(facts.procedure(other.procedure).statement(other.statement).span);
    let needs_same_memory = || {
        let span = facts.procedure(other.procedure).statement(other.statement).span;
        let message = format!("the receive at line {} is posted here and needs the same memory", line());
        Reason::at(ReasonCode::AccessInBetween, span, message)
    };
    match &hoisted.place {
        Place::Own(own) => {
            if other.procedure != procedure || own.before != statement {
                return None;
            }
            let communication = facts.communication(other)?;
            let request = communication.posted_request().and_then(|request| designated_region(body, request));
            let shares_request =
                request.is_some_and(|request| footprint.outputs.iter().any(|output| !are_apart(&request, output)));
            let region = message_region(body, communication.received()?).ok()?;
            if shares_request || !are_apart(&region, &footprint.buffer) {
                return Some(needs_same_memory());
            }
            needed_obstacle(facts, body, other, &own.needed, footprint)
        }
        Place::InCallers(posts) => posts.iter().find_map(|post| {
            if post.call.procedure != procedure || post.before != statement {
                return None;
            }
            if !are_apart(&post.region, &footprint.buffer) {
                return Some(needs_same_memory());
            }
            needed_obstacle(facts, body, other, &post.needed, footprint)
        }),
    }
}

/// What the wait brings is a value that an operation needs where it stands now.
fn needed_obstacle(
    facts: &Facts,
    body: &Procedure,
    other: SiteId,
    needed: &BTreeSet<SymbolId>,
    footprint: &Footprint,
) -> Option<Reason> {
    let buffer = footprint.conflicts.contains(&AccessKind::Read).then_some(&footprint.buffer);
    let mut brought = buffer.into_iter().chain(&footprint.outputs);
    let brings = |region: &Region| needed.iter().copied().find(|&it| may_share_memory(body, it, region.symbol));
    let symbol = brought.find_map(brings)?;
    let span = facts.procedure(other.procedure).statement(other.statement).span;
    let (name, line) = (&body.symbol(symbol).name, facts.program.line_named(span));
    let message = format!("`{name}` is needed here by the call at line {line}, which was moved up");
    Some(Reason::at(ReasonCode::AccessInBetween, span, message))
}
