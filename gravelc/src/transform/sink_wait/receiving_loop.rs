//! The loop that is the first to touch what was received: where a wait that moves down meets its message.
//!
//! Two transformations let the wait go into that loop ([`super::super::split_loop`], `strip_mine/consumer.rs`). For both
//! the wait first passes what stands between its place and the loop, under the precondition of [`super::down`] for
//! the wait of a receive.

use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::{Access, AccessKind};
use crate::analysis::memory::message::message_region;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Direction, Loop, ProcedureKind, Region, StatementId, StatementKind, Storage};
use crate::plan::{Reason, ReasonCode};

use super::super::rules::footprint::Footprint;
use super::super::rules::loop_variables::check_default_integers;
use super::super::rules::movement::Surroundings;
use super::super::rules::pending_together::ends_beside;

/// The first loop below the wait `statement` that touches the message's memory, if the wait can go there.
///
/// # Errors
/// What is in the way, or that there is no such loop.
pub fn receiving_loop(
    surroundings: Surroundings,
    statement: StatementId,
    footprint: &Footprint,
    moved_obstacle: &dyn Fn(StatementId) -> Option<Reason>,
) -> Result<StatementId, Reason> {
    let body = surroundings.body();
    let (block, index) = body.siblings(statement);
    let is_elsewhere = |access: &Access| ends_beside(body, access);
    let found = first_receiving_loop(surroundings, &block[index + 1..], footprint, &is_elsewhere, moved_obstacle);
    found.unwrap_or_else(|| {
        let span = body.statement(statement).span;
        Err(Reason::at(ReasonCode::NoConsumingLoop, span, "no loop below it in its block reads the message"))
    })
}

/// The first of the `statements` that touches the message's memory, if it is a loop into which the wait can go from above them;
/// accesses to other memory than the message's are those for which `is_elsewhere` holds. `None` if none touches it.
pub fn first_receiving_loop(
    surroundings: Surroundings,
    statements: &[StatementId],
    footprint: &Footprint,
    is_elsewhere: &dyn Fn(&Access) -> bool,
    moved_obstacle: &dyn Fn(StatementId) -> Option<Reason>,
) -> Option<Result<StatementId, Reason>> {
    let body = surroundings.body();
    let both = [AccessKind::Read, AccessKind::Write];
    for &next in statements {
        if let Some(reason) = surroundings.jump_into(next).or_else(|| moved_obstacle(next)) {
            return Some(Err(reason));
        }
        let effects = surroundings.effects(next);
        let touches = effects.first_access(body, &footprint.buffer, &both, &Assumptions::new()).is_some();
        if touches && let StatementKind::Loop(counted) = &body.statement(next).kind {
            return Some(check_loop(surroundings, next, counted, footprint).map(|()| next));
        }
        let obstacle = surroundings.obstacle_but(next, footprint, is_elsewhere);
        if let Some(reason) = obstacle.or_else(|| surroundings.effect_behind_wait(next)) {
            return Some(Err(reason));
        }
    }
    None
}

/// What the wait needs besides the message must stay as it is until the loop is over, and there must be room around it.
fn check_loop(
    surroundings: Surroundings,
    statement: StatementId,
    counted: &Loop,
    footprint: &Footprint,
) -> Result<(), Reason> {
    let body = surroundings.body();
    let effects = surroundings.effects(statement);
    for symbol in footprint.fixed_values() {
        if let Some(access) = effects.writes_symbol(body, symbol) {
            let name = &body.symbol(symbol).name;
            let line = surroundings.line_of(access.span);
            let message = format!("`{name}`, which the call needs, changes in the loop, at line {line}");
            return Err(surroundings.access_reason(access, symbol, message));
        }
    }
    for output in &footprint.outputs {
        if let Some(access) = effects.touches_symbol(body, output.symbol) {
            let name = &body.symbol(output.symbol).name;
            let line = surroundings.line_of(access.span);
            let message = format!("`{name}`, which the call sets, is used in the loop, at line {line}");
            return Err(surroundings.access_reason(access, output.symbol, message));
        }
    }
    if let Some(reason) = surroundings.hint_above(statement).or_else(|| surroundings.change_of_names_in(statement)) {
        return Err(reason);
    }
    check_default_integers(surroundings, counted)?;
    // The bounds are worked out before the message has come.
    let bounds = [&counted.lower, &counted.upper].into_iter().flat_map(|bound| bound.walk());
    let of_bounds = bounds.filter_map(|part| Some((part.designated()?, part.span)));
    let variable = (counted.variable, body.statement(statement).span);
    for (symbol, span) in of_bounds.chain([variable]) {
        if may_share_memory(body, symbol, footprint.buffer.symbol) {
            let name = &body.symbol(symbol).name;
            let message = format!("the loop counts with `{name}`, which is part of the message");
            return Err(Reason::at(ReasonCode::NotConsumedInOrder, span, message));
        }
    }
    if !surroundings.has_room_before(statement) || !surroundings.has_room_after(statement) {
        let message = "the loop shares its first or last line with another statement";
        return Err(Reason::at(ReasonCode::SharedLine, body.statement(statement).span, message));
    }
    Ok(())
}

/// The memory of the message that the wait `wait` completes, where one operation alone posts it, and nothing between its
/// post and the wait changes what it depends on.
///
/// # Errors
/// Why that is not known.
pub fn awaited_message(facts: &Facts, wait: SiteId, posts: &[SiteId]) -> Result<Region, Reason> {
    let body = facts.procedure(wait.procedure);
    let span = body.statement(wait.statement).span;
    let &[post] = posts else {
        let message = "more than one receive may have made the request";
        return Err(Reason::at(ReasonCode::RequestShared, span, message));
    };
    let message = facts.communication(post).and_then(|found| found.described(Direction::Received));
    let unknown = || Reason::at(ReasonCode::NotConsumedInOrder, span, "which elements the message is, is not known");
    let region = message_region(body, message.ok_or_else(unknown)?).map_err(|_| unknown())?;
    if post == wait {
        return Ok(region);
    }
    let variables = region.variables();
    let changed_by = |statement: StatementId| {
        let effects = facts.effects(wait.procedure, statement);
        let changed = variables.iter().find_map(|&symbol| effects.writes_symbol(body, symbol));
        let span = changed.map_or(body.statement(statement).span, |access| access.span);
        (effects.everything.is_some() || changed.is_some()).then(|| {
            let line = facts.program.line_named(span);
            let message = format!("what decides which elements the message is may change at line {line}");
            Reason::at(ReasonCode::AccessInBetween, span, message)
        })
    };
    // Wherever the post is made, the wait follows before it can be made again: nothing else counts.
    let (block, last) = body.siblings(wait.statement);
    let first = std::iter::successors(Some(post.statement), |&inner| body.statement(inner).parent)
        .find_map(|around| block[..last].iter().position(|&sibling| sibling == around));
    let stays = |statement: &StatementId| facts.effects(wait.procedure, *statement).leaves.is_none();
    if let Some(first) = first.filter(|&first| block[first..last].iter().all(stays)) {
        return block[first..last].iter().copied().find_map(changed_by).map_or(Ok(region), Err);
    }
    // The wait may complete what was posted long before, as long as the procedure has not returned.
    let request = facts.communication(post).and_then(|found| found.made_request()?.designated());
    let ends_with_procedure = body.kind == ProcedureKind::Main
        || request.is_some_and(|request| matches!(body.symbol(request).storage, Storage::Local));
    if !ends_with_procedure {
        let line = facts.program.line_named(body.statement(post.statement).span);
        let message = format!("the wait may complete what line {line} posted when the procedure was called before");
        return Err(Reason::at(ReasonCode::NotConsumedInOrder, span, message));
    }
    body.body.iter().copied().find_map(changed_by).map_or(Ok(region), Err)
}
