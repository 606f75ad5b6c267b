//! sink-wait and split-loop, into a procedure that is called further down: it waits for what its caller has begun.
//!
//! Programs exchange the borders of a field with one call and compute with it in the next one. The wait goes down in its procedure
//! to the first call that touches the message, and on from the beginning of the called procedure.
//!
//! Precondition (contract, rules 2, 4, 6, 7), besides that of [`super::down`] and [`super::receiving_loop`]:
//!
//! - The call hands over the message's memory without a copy, or the called procedure sees the variable itself
//!   ([`crate::analysis::messages::memory_in_callee`]); nothing that is evaluated for the call, or when the procedure begins, looks at it.
//! - Every run of the called procedure that ends comes to the wait: nothing above it lets control leave.
//! - Nobody looks at the status of the operation.
//! - The called procedure may be changed (it is not PURE, no thread of several runs it), and no other run of it begins above the
//!   wait, for which another request could be handed over.
//!
//! The request is in a variable that both procedures see. It is null at first, each wait makes it null again, and the caller
//! stores the request there just before the call: so the procedure waits for nothing where others call it. A variable in a COMMON block,
//! which has no value at first, is made null before all other calls.

use std::collections::BTreeSet;

use crate::analysis::facts::SiteId;
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::messages::memory_in_callee::{
    MemoryInCallee, iterations_in_call, memory_in_callee, with_numbers_of_call,
};
use crate::ir::{
    Callee, Depth, Direction, Expression, ExpressionKind, ProcedureId, Region, StatementId, StatementKind, SymbolId,
    Untouchable,
};
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{Boundary, WaitInCallee};

use super::super::rules::footprint::{Footprint, conflicts_of};
use super::super::rules::hidden_names::hidden_symbol;
use super::super::rules::known_calls::needed_name;
use super::super::rules::known_calls::{call_obstacle, may_call, unnameable, unshared};
use super::super::rules::movement::Surroundings;
use super::super::rules::released_sends::told_by_received;
use super::WaitPlacer;
use super::receiving_loop::first_receiving_loop;

impl WaitPlacer<'_> {
    /// The wait for what the statement `start` has begun, or was waited for there, goes into a procedure that is called further
    /// down in the same block. The footprint is that of the receive `post`; `aliases` are dummy arguments that may be its buffer, too.
    ///
    /// # Errors
    /// Why the procedure can't wait; nothing where the first thing in the way is no call.
    pub(super) fn go_into_callee_below(
        &self,
        start: SiteId,
        post: SiteId,
        footprint: &Footprint,
        aliases: &[SymbolId],
    ) -> Result<WaitInCallee, Option<Reason>> {
        if told_by_received(self.facts).is_some() {
            return Err(None);
        }
        let facts = self.facts;
        let surroundings = Surroundings { facts, procedure: start.procedure };
        let body = surroundings.body();
        let (block, index) = body.siblings(start.statement);
        for &next in &block[index + 1..] {
            if surroundings.jump_into(next).or_else(|| self.obstacle_moved_to(start, next, footprint)).is_some() {
                return Err(None);
            }
            if surroundings.obstacle(next, footprint).is_none() {
                match surroundings.effect_behind_wait(next) {
                    Some(_) => return Err(None),
                    None => continue,
                }
            }
            let StatementKind::Call { callee: Callee::Procedure(callee), .. } = &body.statement(next).kind else {
                return Err(None);
            };
            let call = SiteId { statement: next, ..start };
            return self.wait_in_callee((call, *callee), post, footprint, aliases).map_err(Some);
        }
        Err(None)
    }

    /// The wait goes into the procedure that `call` calls.
    fn wait_in_callee(
        &self,
        (call, callee): (SiteId, ProcedureId),
        post: SiteId,
        footprint: &Footprint,
        aliases: &[SymbolId],
    ) -> Result<WaitInCallee, Reason> {
        let facts = self.facts;
        let caller = facts.procedure(call.procedure);
        let span = caller.statement(call.statement).span;
        let line = facts.program.line_named(span);
        let refused = |message: String| Reason::at(ReasonCode::CalleeInTheWay, span, message);
        if let Some(reason) = unshared(facts, callee, span) {
            return Err(reason);
        }
        let null_before = self.check_callee(call, callee, post)?;
        // What is read before the call: all but what it hands over where it lies.
        let read = |symbol: &SymbolId| footprint.outputs.iter().any(|it| may_share_memory(caller, *symbol, it.symbol));
        let StatementKind::Call { arguments, .. } = &caller.statement(call.statement).kind else {
            return Err(refused(format!("line {line} calls no procedure")));
        };
        let named = arguments.iter().flat_map(Expression::walk).filter_map(Expression::designated);
        if named.collect::<BTreeSet<_>>().iter().any(read) {
            return Err(refused(format!("the call at line {line} is given what the wait sets")));
        }
        let MemoryInCallee { region, others } = memory_in_callee(facts, call, &footprint.buffer, aliases)
            .map_err(|why| refused(format!("the procedure called at line {line} can't wait for it: {why}")))?;
        let surroundings = Surroundings { facts, procedure: callee };
        let body = surroundings.body();
        let buffer = region.symbol;
        let is_entry_safe = |part: &Expression| match &part.kind {
            ExpressionKind::Opaque(_) | ExpressionKind::Call { .. } => false,
            _ => part.designated().is_none_or(|symbol| {
                !may_share_memory(body, symbol, buffer)
                    && !others.iter().any(|&other| may_share_memory(body, symbol, other))
            }),
        };
        if !body.evaluated_at_entry.iter().flat_map(Expression::walk).all(is_entry_safe) {
            let name = &body.name;
            return Err(refused(format!("what the declarations of `{name}` evaluate may look at the message")));
        }
        let component = facts.communication(post).and_then(|found| {
            let buffer = found.described(Direction::Received)?.buffer.designated()?;
            Some(facts.procedure(post.procedure).symbol(buffer).holder().is_some())
        });
        if component == Some(true) && body.symbol(buffer).holder().is_none() {
            return Err(refused(format!("`{}` has no name for the component of the object", body.name)));
        }
        let footprint = Footprint {
            buffer: region,
            conflicts: conflicts_of(Direction::Received),
            values: BTreeSet::new(),
            outputs: others.into_iter().map(Region::whole).collect(),
        };
        let start = SiteId { procedure: callee, statement: *body.body.first().unwrap_or(&StatementId(0)) };
        let (after, boundary) = self.place_from_beginning(start, call, &footprint)?;
        if let Some(reason) = hidden_symbol(body, after, buffer) {
            return Err(reason);
        }
        Ok(WaitInCallee { call, callee, after, boundary, buffer, null_before })
    }

    /// The lowest place in a procedure that the wait can come to from its beginning.
    fn place_from_beginning(
        &self,
        start: SiteId,
        call: SiteId,
        footprint: &Footprint,
    ) -> Result<(StatementId, Option<Boundary>), Reason> {
        let facts = self.facts;
        let surroundings = Surroundings { facts, procedure: start.procedure };
        let body = surroundings.body();
        // What is handed over before another call of the procedure would take the place of this request.
        let calls_back = |statement: StatementId| {
            let span = body.statement(statement).span;
            let inner = body.with_descendants(statement);
            let may = inner.iter().any(|&it| may_call(facts, SiteId { statement: it, ..start }, start.procedure));
            let message = "the procedure may be called again there, with another request";
            may.then(|| Reason::at(ReasonCode::CalleeInTheWay, span, message))
        };
        let moved = |statement| self.obstacle_moved_to(start, statement, footprint).or_else(|| calls_back(statement));
        let not_split = match first_receiving_loop(surroundings, &body.body, footprint, &|_| false, &moved) {
            Some(Ok(statement)) => match self.split_in_callee(SiteId { statement, ..start }, call, footprint) {
                Ok(boundary) => return Ok((statement, boundary)),
                Err(reason) => Some(reason),
            },
            Some(Err(reason)) => Some(reason),
            None => None,
        };
        let mut best = None;
        for &next in &body.body {
            let obstacle = surroundings
                .jump_into(next)
                .or_else(|| moved(next))
                .or_else(|| surroundings.obstacle(next, footprint))
                .or_else(|| surroundings.effect_behind_wait(next));
            if obstacle.is_some() {
                break;
            }
            if surroundings.is_work(next) && surroundings.has_room_after(next) {
                best = Some(next);
            }
        }
        match (best, not_split) {
            (Some(after), _) => Ok((after, None)),
            (None, Some(reason)) => Err(reason),
            (None, None) => {
                let message = format!("`{}` does not use the message", body.name);
                Err(Reason::at(ReasonCode::CalleeInTheWay, body.span, message))
            }
        }
    }

    /// The loop of the called procedure is split for the message.
    fn split_in_callee(
        &self,
        of_loop: SiteId,
        call: SiteId,
        footprint: &Footprint,
    ) -> Result<Option<Boundary>, Reason> {
        let facts = self.facts;
        let found = facts.procedure(of_loop.procedure).statement(of_loop.statement);
        let iterations = match &found.kind {
            StatementKind::Loop(counted) => iterations_in_call(facts, call, counted),
            _ => None,
        };
        let has_inside = |depth: Depth| match iterations.is_none_or(|iterations| depth.iterations() < iterations) {
            true => Ok(()),
            false => {
                let message = match depth {
                    Depth::ONE => "in this call the loop has nothing but a first and a last iteration",
                    _ => "in this call the loop has nothing but the iterations that need the message",
                };
                Err(Reason::at(ReasonCode::NoWorkInBetween, found.span, message))
            }
        };
        has_inside(Depth::ONE)?;
        let with_numbers = with_numbers_of_call(facts, call);
        let in_one_run = with_numbers.as_ref().unwrap_or(facts.program);
        self.split_for_wait(of_loop, in_one_run, &footprint.buffer, &has_inside).map(|sunk| sunk.boundary().cloned())
    }

    /// Can the procedure that `call` calls be handed a request? The calls before which there has to be none are returned.
    fn check_callee(&self, call: SiteId, callee: ProcedureId, post: SiteId) -> Result<Vec<SiteId>, Reason> {
        let facts = self.facts;
        let body = facts.procedure(callee);
        let span = facts.procedure(call.procedure).statement(call.statement).span;
        let name = &body.name;
        let refused = |message: String| Err(Reason::at(ReasonCode::CalleeInTheWay, span, message));
        if callee == post.procedure {
            return refused(format!("`{name}` has posted it itself"));
        }
        if let Some(Untouchable { text: why, .. }) = &body.untouchable {
            return refused(format!("`{name}` has to stay as it is: {why}"));
        }
        if body.is_pure {
            return refused(format!("`{name}` is PURE, and may not wait"));
        }
        if body.is_elemental {
            return refused(format!("`{name}` is elemental, and may run for each element of the message"));
        }
        if let Some(why) = unnameable(facts, callee) {
            return refused(why);
        }
        if let Some(reason) = needed_name(body, body.span).or_else(|| call_obstacle(facts, call, callee)) {
            return Err(reason);
        }
        let surroundings = Surroundings { facts, procedure: call.procedure };
        if !surroundings.has_room_before(call.statement) || !surroundings.has_room_after(call.statement) {
            return refused("there is no room around the call".to_owned());
        }
        // Others could run it in several threads.
        if !facts.calls_are_known(callee) {
            return refused(format!("not all calls of `{name}` are known"));
        }
        if facts.program.module_around(callee).is_some() {
            return Ok(Vec::new());
        }
        let others: Vec<SiteId> = facts.calls_of(callee).iter().copied().filter(|&other| other != call).collect();
        for &other in &others {
            let surroundings = Surroundings { facts, procedure: other.procedure };
            let obstacle = call_obstacle(facts, other, callee).or_else(|| surroundings.jump_into(other.statement));
            if let Some(reason) = obstacle {
                return Err(reason);
            }
            if !surroundings.has_room_before(other.statement) {
                let line = surroundings.line(other.statement);
                return refused(format!("there is no room above the call of `{name}` at line {line}"));
            }
        }
        Ok(others)
    }

    /// What was moved to just before `statement` and is in the way of the wait that began at `start`.
    fn obstacle_moved_to(&self, start: SiteId, statement: StatementId, footprint: &Footprint) -> Option<Reason> {
        self.moved_obstacle(start.procedure, statement, footprint)
            .or_else(|| self.opening_obstacle(start, statement))
            .or_else(|| self.post_passed(start, statement))
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
