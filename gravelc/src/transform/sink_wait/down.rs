//! sink-wait: the wait of an operation moves down to where its buffer is needed.
//!
//! Precondition (contract, rules 2, 4, 6): on the way down no statement touches the buffer (of a send: writes it), the
//! request or the status, and control neither leaves nor comes in. The wait names no other argument of the operation: these
//! may change. The wait of a receive does not pass an effect that others can see: that the message has come may be what the
//! effect waits for. Other messages it passes where nobody can notice ([`crate::analysis::messages::effect_order`]). The wait of a
//! synchronous send, which tells that its receive was posted, passes no effect at all ([`super::super::rules::synchronous`]). The opening
//! of a transfer may be such an effect ([`super::super::rules::message_order::opening_obstacle`]). A wait may leave branches where its
//! request may be null ([`super::super::rules::leaving_branches`]), as it then is where the branch was not taken. No wait leaves a loop.
//! That another operation ends, which is pending beside its own, is no use of its buffer ([`super::super::rules::pending_together`]).

use crate::analysis::memory::effects::Access;
use crate::ir::{Region, StatementId, StatementKind};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::Sunk;

use super::super::rules::footprint::Footprint;
use super::super::rules::movement::Surroundings;
use super::super::rules::named_elements::{PassedBy, are_named_apart};
use super::super::rules::pending_together::ends_beside;

/// Whose wait moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiter {
    /// The wait of a receive, or of a request that may be a receive's.
    Receive,
    /// The wait of a synchronous send, or of a request that may be one's.
    SynchronousSend,
    /// The wait of the program's own for a non-blocking send.
    NonBlockingSend,
    /// The wait that completes a blocking send. Its request is gravelc's own.
    BlockingSend,
}

impl Waiter {
    /// Does the end of the wait tell of another process, so that others could see it pass an effect?
    pub fn tells_of_others(self) -> bool {
        match self {
            Self::Receive => !Clause::EffectsBehindWait.is_off(),
            Self::SynchronousSend => !Clause::SynchronousEnds.is_off(),
            Self::NonBlockingSend | Self::BlockingSend => false,
        }
    }
}

/// What the way down came to.
#[derive(Debug)]
pub struct WayDown {
    /// The lowest place below work, or what is in the way of any.
    pub found: Result<Sunk, Reason>,
    /// Nothing is in the way down to the end of the procedure.
    pub reaches_end: bool,
}

/// How far down the wait that belongs to `statement` can go. `may_leave` says whether it may leave an IF statement (or a
/// SELECT CASE), `moved_obstacle` whether an operation that was moved to just before a statement is in the way of a footprint.
pub fn sink_wait(
    surroundings: Surroundings,
    statement: StatementId,
    waiter: Waiter,
    footprint: &Footprint,
    may_leave: &dyn Fn(StatementId) -> bool,
    moved_obstacle: &dyn Fn(StatementId, &Footprint) -> Option<Reason>,
) -> WayDown {
    let body = surroundings.body();
    let mut reaches_end = false;
    let mut footprint = footprint.clone();
    let mut current = statement;
    let (mut block, mut index) = body.siblings(current);
    let mut decisive = footprint.buffer.variables();
    let mut null_before = None;
    let mut best = None;
    let stopped_by = loop {
        let Some(&next) = block.get(index + 1) else {
            let parent = body.statement(current).parent;
            reaches_end = parent.is_none();
            let is_branch = |id: &StatementId| {
                matches!(body.statement(*id).kind, StatementKind::If { .. } | StatementKind::Select { .. })
            };
            let branch = parent.filter(is_branch);
            match branch {
                Some(branch)
                    if may_leave(branch)
                        && surroundings.jump_into(branch).is_none()
                        && surroundings.change_of_names_in(branch).is_none()
                        && surroundings.has_room_before(branch) =>
                {
                    null_before = Some(branch);
                    current = branch;
                    (block, index) = body.siblings(current);
                    continue;
                }
                _ => {
                    let span = body.statement(current).span;
                    break Reason::at(
                        ReasonCode::NoWorkInBetween,
                        span,
                        "there is no work below it in its block that the communication could hide behind",
                    );
                }
            }
        };
        // The wait names all of its buffer. What decides which elements the message is may change: then they may be any.
        let effects = surroundings.effects(next);
        if decisive.iter().any(|&it| effects.writes_symbol(body, it).is_some()) {
            footprint.buffer = Region::whole(footprint.buffer.symbol);
            decisive = footprint.buffer.variables();
        }
        let passing = PassedBy { own: statement, direction: footprint.direction(), passed: next, earlier: statement };
        let is_elsewhere = |access: &Access| {
            ends_beside(body, access) || are_named_apart(surroundings, passing, &footprint.buffer, access)
        };
        let obstacle = surroundings
            .jump_into(next)
            .or_else(|| moved_obstacle(next, &footprint))
            .or_else(|| surroundings.obstacle_but(next, &footprint, &is_elsewhere))
            .or_else(|| match waiter.tells_of_others() {
                true if waiter == Waiter::Receive => surroundings.effect_behind_wait(next),
                true => surroundings.visible_effect(next),
                false => surroundings.effect_behind_wait_of_send(next),
            });
        if let Some(reason) = obstacle {
            break reason;
        }
        current = next;
        index += 1;
        if surroundings.is_work(next) && surroundings.has_room_after(next) {
            best = Some(Sunk { after: next, null_before, in_loop: None });
        }
    };
    WayDown { found: best.ok_or(stopped_by), reaches_end }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
