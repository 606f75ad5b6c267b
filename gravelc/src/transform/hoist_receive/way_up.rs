//! How far up the post of a receive can go in its procedure, or in one that calls it.

use std::collections::BTreeSet;

use crate::analysis::memory::effects::Access;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Direction, Expression, Message, StatementId, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::OwnPlace;

use super::super::rules::early_values::ValuesOnTheWay;
use super::super::rules::footprint::Footprint;
use super::super::rules::message_order::{Order, Passing};
use super::super::rules::movement::Surroundings;
use super::super::rules::named_elements::{PassedBy, are_named_apart};

/// What the way up came to.
#[derive(Debug)]
pub struct WayUp {
    /// The highest place above work, or what is in the way of any.
    pub found: Result<OwnPlace, Reason>,
    /// Where nothing is in the way up to the first statement of the procedure: the condition under which the post is made.
    pub beginning: Option<Option<StatementId>>,
}

/// How far up the post at `statement` of the receive `message` can go; the post evaluates `others`, too. `order` says what
/// a statement means for the order of messages, of which one is the receive's by the values that variables have below it.
pub fn hoist_receive(
    surroundings: Surroundings,
    statement: StatementId,
    footprint: &Footprint,
    message: &Message,
    others: &[&Expression],
    order: Passing,
) -> WayUp {
    let body = surroundings.body();
    let mut footprint = footprint.clone();
    let mut values = ValuesOnTheWay::of(surroundings, message, others, &mut footprint);
    let mut current = statement;
    let (mut block, mut index) = body.siblings(current);
    let mut guard = None;
    let mut best = None;
    let mut no_value = None;
    let mut limits: Vec<Order> = Vec::new();
    let mut beginning = None;
    let stopped_by = loop {
        if let Some(reason) = surroundings.jump_into(current) {
            break reason;
        }
        if let Some(limit) = limits.iter().find(|limit| limit.not_above == current) {
            break limit.reason.clone();
        }
        let Some(&previous) = index.checked_sub(1).and_then(|before| block.get(before)) else {
            match surroundings.guard_of(current) {
                Some((branch, symbols)) if guard.is_none() => {
                    if let Some(reason) = looked_at_behind_post(surroundings, branch, &symbols, &footprint) {
                        break reason;
                    }
                    footprint.values.extend(symbols);
                    guard = Some(branch);
                    current = branch;
                    (block, index) = body.siblings(current);
                    continue;
                }
                _ => {
                    if body.statement(current).parent.is_none() && values.is_empty() {
                        beginning = Some(guard);
                    }
                    let span = body.statement(current).span;
                    break Reason::at(
                        ReasonCode::NoWorkInBetween,
                        span,
                        "there is no work above it in its block that the communication could hide behind",
                    );
                }
            }
        };
        let passing = PassedBy { own: statement, direction: Direction::Received, passed: previous, earlier: previous };
        // Where the program sets what the receive is given further down, the names of its arguments mean something else here.
        let is_elsewhere =
            |access: &Access| values.is_empty() && are_named_apart(surroundings, passing, &footprint.buffer, access);
        let obstacle = surroundings.obstacle_but(previous, &footprint, &is_elsewhere);
        let obstacle = obstacle.or_else(|| surroundings.hidden_effect(previous));
        let obstacle = obstacle.or_else(|| surroundings.commit_obstacle(previous, message));
        if let Some(reason) = obstacle {
            break reason;
        }
        match order(previous, values.message()) {
            Ok(more) => limits.extend(more),
            Err(reason) => break reason,
        }
        if let Err(reason) = values.pass(previous) {
            break reason;
        }
        current = previous;
        index -= 1;
        // Whoever jumps to a statement passes what stands just before it.
        let is_passed = surroundings.jump_into(previous).is_some() && !Clause::ControlStays.is_off();
        if surroundings.is_work(previous) && surroundings.has_room_before(previous) && !is_passed {
            match values.at(previous) {
                Ok(early) => {
                    let needed = footprint.fixed_values().union(values.needed()).copied().collect();
                    best = Some(OwnPlace { before: previous, guard, above: previous, needed, early });
                }
                Err(reason) => no_value = Some(reason),
            }
        }
    };
    WayUp { found: best.ok_or(no_value.unwrap_or(stopped_by)), beginning }
}

/// Why the post can't be made under the condition of the IF statement `branch`: it is computed from what the message fills, which
/// may have come when the program evaluates it.
fn looked_at_behind_post(
    surroundings: Surroundings,
    branch: StatementId,
    symbols: &BTreeSet<SymbolId>,
    footprint: &Footprint,
) -> Option<Reason> {
    if Clause::ArgumentsBeforeCall.is_off() {
        return None;
    }
    let body = surroundings.body();
    let filled = symbols.iter().find(|&&symbol| may_share_memory(body, symbol, footprint.buffer.symbol))?;
    let (name, line) = (&body.symbol(*filled).name, surroundings.line(branch));
    let message = format!("the condition at line {line} looks at `{name}`, which the receive fills");
    Some(Reason::at(ReasonCode::AccessInBetween, body.statement(branch).span, message))
}
