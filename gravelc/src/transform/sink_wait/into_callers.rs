//! sink-wait, across a return: what a procedure waits for at its end is waited for by those who call it.
//!
//! Precondition (contract, rules 2, 4, 6, 7), besides that of [`super::down`], which has brought the wait down to the end of
//! its procedure: nothing there touches the message any more, and control does not leave before the end.
//!
//! - All calls of the procedure are known ([`super::super::rules::known_calls`]), and behind each there is room. Each gets a wait of its own.
//!   Where that passes another call of the procedure, the request is first stored in a variable of the caller's own.
//! - The caller has a name for the message's memory ([`crate::analysis::messages::handed_messages`]): the variable that it hands over
//!   without a copy, or one that both see. From the call to the wait the same holds as within a procedure. Nothing else of the
//!   operation is needed: its arguments were read by its post, and nobody looks at its status.
//! - The program's own request is gone when the procedure returns, so nobody else can wait for it.
//!
//! The request waits in a variable that the procedure and its callers see. Where the procedure may end without having come to
//! the wait, the variable is made null at its beginning. There has to be one call at least behind which there is work before
//! the wait.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::handed_messages::{HandedMessage, handed_message};
use crate::ir::{Direction, ProcedureId, ProcedureKind, Region, StatementId, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{LateWait, LateWaits};

use super::super::rules::footprint::{Footprint, conflicts_of};
use super::super::rules::hidden_names::hidden_symbol;
use super::super::rules::known_calls::{call_obstacle, calls_around, may_call};
use super::super::rules::movement::Surroundings;
use super::WaitPlacer;
use super::down::Waiter;

/// What is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Awaited {
    /// The call that posts it.
    pub post: SiteId,
    /// Which of its messages.
    pub direction: Direction,
    /// Nothing else is waited for in the same place.
    pub is_only: bool,
    /// What the end of the wait tells.
    pub waiter: Waiter,
}

impl WaitPlacer<'_> {
    /// The waits behind the calls of the procedure of `wait`, which nothing keeps from the end of that procedure.
    ///
    /// # Errors
    /// Why the callers can't wait, or gain nothing by that.
    pub(super) fn sink_into_callers(&self, wait: SiteId, awaited: Awaited) -> Result<LateWaits, Reason> {
        let facts = self.facts;
        let callee = facts.procedure(wait.procedure);
        let span = callee.statement(wait.statement).span;
        let refused = |message: String| Err(Reason::at(ReasonCode::CallersInTheWay, span, message));
        let name = &callee.name;
        if callee.kind == ProcedureKind::Main {
            return refused("it stands in the main program".to_string());
        }
        let calls = calls_around(facts, wait, ("wait for", "below"))?;
        let null_before = match is_always_reached(facts, wait) || Clause::NullRequests.is_off() {
            true => None,
            false => match beginning(facts, wait) {
                Some(first) => Some(first),
                None => {
                    return refused(format!(
                        "`{name}` may end before it, and begins with a line that has no room above"
                    ));
                }
            },
        };
        let mut waits = Vec::new();
        let mut not_in_callee = None;
        for &call in calls {
            match self.late_wait(call, awaited, &mut not_in_callee) {
                Ok(wait) => waits.push(wait),
                Err(_) if Clause::CallersWait.is_off() => {}
                Err(reason) => return Err(reason),
            }
        }
        if waits.iter().any(|wait| wait.sunk.is_some() || wait.in_callee.is_some()) {
            return Ok(LateWaits { waits, null_before });
        }
        if let Some(reason) = not_in_callee {
            return Err(reason);
        }
        refused(format!("there is no work below it in `{name}`, nor below the calls of `{name}` before it is needed"))
    }

    /// The wait for one call. Why it does not go into a procedure that is called below is noted.
    fn late_wait(
        &self,
        call: SiteId,
        awaited: Awaited,
        not_in_callee: &mut Option<Reason>,
    ) -> Result<LateWait, Reason> {
        let facts = self.facts;
        let surroundings = Surroundings { facts, procedure: call.procedure };
        let caller = surroundings.body();
        let statement = caller.statement(call.statement);
        let line = facts.program.line_named(statement.span);
        let refused = |message: String| Reason::at(ReasonCode::CallersInTheWay, statement.span, message);
        if let Some(reason) = call_obstacle(facts, call, awaited.post.procedure) {
            return Err(reason);
        }
        if !surroundings.has_room_after(call.statement) && !surroundings.is_inside_one_line_if(call.statement) {
            return Err(refused(format!("there is no room behind the call at line {line}")));
        }
        let HandedMessage { region, argument } = handed_message(facts, call, awaited.post, awaited.direction)
            .map_err(|why| refused(format!("at the call at line {line} {why}")))?;
        // What it is said with are the values before the call, which may change them.
        let effects = surroundings.effects(call.statement);
        let is_settled = effects.everything.is_none()
            && region.variables().into_iter().all(|it| effects.writes_symbol(caller, it).is_none());
        let is_known = is_settled || Clause::SettledValues.is_off();
        let region = if awaited.is_only && is_known { region } else { Region::whole(region.symbol) };
        if let Some(reason) = hidden_symbol(caller, call.statement, argument.unwrap_or(region.symbol)) {
            return Err(reason);
        }
        let direction = awaited.direction;
        let aliases = facts.dummies_that_may_be(call.procedure, awaited.post.procedure, buffer_of(facts, awaited));
        let footprint = Footprint {
            buffer: region.clone(),
            conflicts: conflicts_of(direction),
            values: Default::default(),
            outputs: match direction {
                // What completes a receive names nobody: its memory is the same by whatever name.
                Direction::Received => {
                    let is_other = |other: &SymbolId| Some(*other) != argument && *other != region.symbol;
                    aliases.iter().copied().filter(is_other).map(Region::whole).collect()
                }
                Direction::Sent => Vec::new(),
            },
        };
        let passes_to = |last| passes_another_call(facts, call, awaited.post.procedure, last);
        if direction == Direction::Received
            && let Ok(sunk) = self.go_into_loop_below(call, &footprint)
        {
            let keeps_request = passes_to(sunk.after);
            return Ok(LateWait { call, sunk: Some(sunk), in_callee: None, argument, keeps_request });
        }
        if direction == Direction::Received {
            match self.go_into_callee_below(call, awaited.post, &footprint, &aliases) {
                Ok(found) => {
                    let keeps_request = passes_to(found.call.statement);
                    return Ok(LateWait { call, sunk: None, in_callee: Some(found), argument, keeps_request });
                }
                Err(reason) => *not_in_callee = not_in_callee.take().or(reason),
            }
        }
        let sunk = self.sink_below(call, awaited.waiter, &footprint, &|_| true).found.ok();
        let keeps_request = sunk.as_ref().is_some_and(|sunk| passes_to(sunk.after));
        Ok(LateWait { call, sunk, in_callee: None, argument, keeps_request })
    }
}

/// Is there a call of the procedure, or of one that may call it, behind the statement `call` and up to `last`, which stands in
/// its block or in one around it?
fn passes_another_call(facts: &Facts, call: SiteId, procedure: ProcedureId, last: StatementId) -> bool {
    if Clause::OneRequestPerCall.is_off() {
        return false;
    }
    let body = facts.procedure(call.procedure);
    let mut current = call.statement;
    loop {
        let (block, index) = body.siblings(current);
        for &passed in &block[index + 1..] {
            let mut statements = body.with_descendants(passed).into_iter();
            if statements.any(|statement| may_call(facts, SiteId { statement, ..call }, procedure)) {
                return true;
            }
            if passed == last {
                return false;
            }
        }
        match body.statement(current).parent {
            Some(parent) => current = parent,
            None => return false,
        }
    }
}

/// The buffer of the message, in its own procedure.
fn buffer_of(facts: &Facts, awaited: Awaited) -> SymbolId {
    let message = facts.communication(awaited.post).and_then(|found| found.described(awaited.direction));
    message.and_then(|message| message.buffer.designated()).unwrap_or(SymbolId(0))
}

/// Does every run of the procedure that ends come to the wait?
fn is_always_reached(facts: &Facts, wait: SiteId) -> bool {
    let body = facts.procedure(wait.procedure);
    if body.statement(wait.statement).parent.is_some() {
        return false;
    }
    let (block, index) = body.siblings(wait.statement);
    block[..index].iter().all(|&before| facts.effects(wait.procedure, before).leaves.is_none())
}

/// The statement with which the procedure begins, if something can be put before it, for each run.
fn beginning(facts: &Facts, wait: SiteId) -> Option<StatementId> {
    let surroundings = Surroundings { facts, procedure: wait.procedure };
    let first = surroundings.body().body.first().copied()?;
    (surroundings.has_room_before(first) && surroundings.jump_into(first).is_none()).then_some(first)
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
