//! strip-mine-producer: the loop that fills a message is cut into tiles, and each tile is put as soon as it is done.
//!
//! Precondition (contract, rules 3, 6, 8): the nearest statement above the send that writes the message's memory is a
//! counted loop; it completes the message run by run, in order, and exactly, or several parts of it side by side, each so
//! ([`crate::analysis::loops::production`]); it rounds the same in parts ([`super::super::rules::rounding`]); nothing in
//! the loop, or between it and the send, has an effect that others can see (posts of other converted messages have none:
//! [`super::super::rules::message_order`]), changes an argument of the send, or lets control leave or come in, so that the send follows
//! whenever the loop was begun. Destination and tag may be set in between, where they can be computed above the loop, too
//! ([`super::super::rules::early_values`]). The send may stand in the first branch of an IF below the loop; the transfer is then opened
//! under the same condition.
//!
//! Where two extents of a nest may be negative at once (`Production::factors`), the count is positive although the nest
//! does nothing. That needs no test here: nothing is put then, and the runtime sends a message of which nothing was put
//! whole when it ends.

use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::loops::production::{NotProduced, production};
use crate::analysis::memory::effects::AccessKind;
use crate::ir::{Message, StatementId, StatementKind};
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::StripMined;

use super::super::rules::early_values::ValuesOnTheWay;
use super::super::rules::footprint::Footprint;
use super::super::rules::hidden_names::{hidden_counter, hidden_in};
use super::super::rules::loop_variables::{check_default_integers, is_read_outside_its_loops};
use super::super::rules::message_order::{Order, Passing};
use super::super::rules::movement::Surroundings;
use super::super::rules::part_lengths::PartLengths;
use super::super::rules::rounding::check_rounding;

/// The loop that produces the message of the send `statement`, if it can be cut. `passing` says what a statement between
/// the loop and the send means for the send's transfer, which is opened above it; it is given the message by the values that
/// variables have below the statement.
pub fn strip_mine_producer(
    surroundings: Surroundings,
    statement: StatementId,
    footprint: &Footprint,
    message: &Message,
    passing: Passing,
) -> Result<StripMined, Reason> {
    let body = surroundings.body();
    let mut footprint = footprint.clone();
    let mut values = ValuesOnTheWay::of(surroundings, message, &[], &mut footprint);
    let mut limits = Vec::new();
    let mut current = statement;
    let (mut block, mut index) = body.siblings(current);
    let mut guard = None;
    let producer = loop {
        if let Some(reason) = surroundings.jump_into(current) {
            return Err(reason);
        }
        let Some(&previous) = index.checked_sub(1).and_then(|before| block.get(before)) else {
            match surroundings.guard_of(current) {
                Some((branch, symbols)) if guard.is_none() => {
                    footprint.values.extend(symbols);
                    guard = Some(branch);
                    current = branch;
                    (block, index) = body.siblings(current);
                    continue;
                }
                _ => {
                    let span = body.statement(statement).span;
                    let message = "no loop before it in its block fills the message";
                    return Err(Reason::at(ReasonCode::NoProducingLoop, span, message));
                }
            }
        };
        let effects = surroundings.effects(previous);
        let writes = [AccessKind::Write];
        if effects.first_access(body, &footprint.buffer, &writes, &Assumptions::new()).is_some() {
            break previous;
        }
        let obstacle = surroundings.obstacle(previous, &footprint);
        if let Some(reason) = obstacle.or_else(|| surroundings.commit_obstacle(previous, message)) {
            return Err(reason);
        }
        limits.extend(passing(previous, values.message())?);
        values.pass(previous)?;
        current = previous;
        index -= 1;
    };
    if let Some(reason) = surroundings.change_of_names(producer, &footprint) {
        return Err(reason);
    }
    let producing_statement = body.statement(producer);
    let StatementKind::Loop(counted) = &producing_statement.kind else {
        let line = surroundings.line(producer);
        let message = format!("the message is last written at line {line}, which is not a counted loop");
        return Err(Reason::at(ReasonCode::NoProducingLoop, producing_statement.span, message));
    };
    for &symbol in footprint.values.union(values.needed()) {
        if let Some(access) = surroundings.effects(producer).writes_symbol(body, symbol) {
            let name = &body.symbol(symbol).name;
            let line = surroundings.line_of(access.span);
            let message = format!("`{name}`, which the call needs, changes in the loop, at line {line}");
            return Err(surroundings.access_reason(access, symbol, message));
        }
    }
    if let Some(reason) = surroundings.jump_into(producer) {
        return Err(reason);
    }
    // Transfers that are opened at one loop are opened in the order of their sends.
    let is_kept = |limit: &Order| limit.not_above == producer || is_before(surroundings, limit.not_above, producer);
    if let Some(limit) = limits.iter().find(|limit| !is_kept(limit)) {
        return Err(limit.reason.clone());
    }
    if !surroundings.has_room_before(producer) || !surroundings.has_room_after(producer) {
        let message = "the loop shares its first or last line with another statement";
        return Err(Reason::at(ReasonCode::SharedLine, producing_statement.span, message));
    }
    if let Some(reason) = surroundings.hint_above(producer) {
        return Err(reason);
    }
    check_default_integers(surroundings, counted)?;
    let found = production(
        surroundings.facts.program,
        surroundings.procedure,
        producer,
        &footprint.buffer,
        &Assumptions::new(),
    )
    .map_err(|not_produced| reason_of(surroundings, producer, &not_produced))?;
    let counted_in = found.sequences.iter().chain([&found.elements_per_iteration]);
    check_rounding(surroundings, counted)?;
    let hidden = hidden_in(body, producer, counted_in).or_else(|| hidden_counter(body, producer, counted.variable));
    if let Some(reason) = hidden {
        return Err(reason);
    }
    Ok(StripMined {
        loop_statement: producer,
        guard,
        sequences: found.sequences,
        elements_per_iteration: found.elements_per_iteration,
        keeps_variable: is_read_outside_its_loops(surroundings, counted.variable),
        any_tile_length: PartLengths::of(surroundings.facts, surroundings.procedure, counted).are_any(),
        needed: footprint.fixed_values().union(values.needed()).copied().collect(),
        early: values.at(producer)?,
    })
}

/// Does the one statement come before the other one in the same block, so that it is begun first whenever the other one is?
fn is_before(surroundings: Surroundings, one: StatementId, other: StatementId) -> bool {
    let (block, index) = surroundings.body().siblings(other);
    block[..index].contains(&one)
}

fn reason_of(surroundings: Surroundings, producer: StatementId, not_produced: &NotProduced) -> Reason {
    let code = match not_produced {
        NotProduced::DoesNotCoverMessage { .. } => ReasonCode::MessageNotCovered,
        NotProduced::CarriesFloatingPoint { .. } => ReasonCode::CarriedFloatingPoint,
        NotProduced::ExternalEffect { .. } | NotProduced::LeavesLoop { .. } | NotProduced::CallInside { .. } => {
            ReasonCode::LoopHasEffects
        }
        _ => ReasonCode::NotProducedInOrder,
    };
    let span = not_produced.span().unwrap_or(surroundings.body().statement(producer).span);
    Reason::at(code, span, not_produced.to_string())
}
