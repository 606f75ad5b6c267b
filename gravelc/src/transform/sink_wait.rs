//! Where the waits of a call go: that of a blocking call, one of the program's own, or those of a wait for several
//! requests.
//!
//! A wait for several requests stays one call in its place, unless it is known which operations it completes: each of
//! its elements has a number, and one buffer. Then it can be taken apart into a wait for each of them, and each of
//! these moves by itself. An element without an operation is null, and a wait for it does nothing, under whatever
//! condition the operation was posted; so the waits need no condition.

mod down;
mod into_callee;
mod into_callers;
mod into_loops;
mod own_waits;
mod receiving_loop;
mod several_requests;

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::designated_region;
use crate::analysis::memory::repeatable::values_needed;
use crate::analysis::messages::requests::{RequestVariable, posts_completed_at, posts_into};
use crate::ir::{Direction, Expression, Operation, ProcedureId, Region, StatementId, Status, SymbolId};
use crate::plan::{Missed, Reason, ReasonCode, Transformation};
use crate::progress::Phase;
use crate::transform::found::{Found, Place, WaitPlace, Waits};
use crate::transform::transformation::{Context, Entry, Subject};

use self::down::{Waiter, WayDown, sink_wait};
use self::into_callers::Awaited;
use super::rules::arrival::arrival_obstacle;
use super::rules::awaited_buffers::posted_buffer;
use super::rules::footprint::{Footprint, message_footprint, unrepeatable_argument};
use super::rules::late_codes::late_code;
use super::rules::leaving_branches::{is_inside, is_unused};
use super::rules::message_order::opening_obstacle;
use super::rules::movement::Surroundings;
use super::rules::released_sends::told_by_received;
use super::rules::replacement::wait_for_copy;
use super::rules::synchronous::{is_synchronous, post_passed};

/// Who but its own procedure can wait for an operation.
#[derive(Debug, Clone, Copy)]
struct HandedOn {
    /// Those who call the procedure.
    to_callers: bool,
    /// A procedure that is called further down.
    to_callee: bool,
}

/// The posts whose requests a wait of the program's may complete; never none, as long as there are any for its
/// variable.
pub fn completed_posts(facts: &Facts, wait: SiteId, request: &Expression) -> Vec<SiteId> {
    let found = posts_completed_at(facts, wait);
    match RequestVariable::designated(facts, wait.procedure, request) {
        Some(variable) if found.is_empty() => posts_into(facts, &variable).to_vec(),
        _ => found,
    }
}

/// Adds what was not said before: several requests may be kept by the same.
fn add_missed(missed: &mut Vec<Missed>, more: Vec<Missed>) {
    let is_new = |new: &Missed| {
        !missed.iter().any(|known| known.transformation == new.transformation && known.reason == new.reason)
    };
    let new: Vec<Missed> = more.into_iter().filter(is_new).collect();
    missed.extend(new);
}

/// In the registry.
pub const ENTRY: Entry =
    Entry { transformation: Transformation::SinkWait, subject: Subject::Call { phase: Phase::Waits, find } };

/// Of any call.
fn find(context: &Context, site: SiteId) -> Option<Found> {
    Some(Found::Waits(WaitPlacer { context, facts: context.facts, site }.place(site)))
}

/// Finds places for the waits of a call.
struct WaitPlacer<'a> {
    context: &'a Context<'a>,
    /// The answers about the program.
    facts: &'a Facts<'a>,
    /// The call.
    site: SiteId,
}

impl WaitPlacer<'_> {
    /// Whether the transformation may be applied at the call.
    fn is_enabled(&self, transformation: Transformation) -> Result<(), Reason> {
        self.context.is_enabled(transformation, self.site)
    }

    /// Where the waits of the call go. Nothing where it has none (the post of a non-blocking operation).
    pub fn place(&self, site: SiteId) -> Waits {
        let mut waits = Waits::default();
        let Some(communication) = self.facts.communication(site) else {
            return waits;
        };
        let operation = &communication.operation;
        let tells = matches!(operation, Operation::Receive { request: None, .. } | Operation::Wait { .. });
        if (tells || matches!(operation, Operation::WaitAll { .. }))
            && let Some(reason) = late_code(self.facts, site)
        {
            match tells {
                true => waits.sunk = Some(Err(reason)),
                false => waits.split = Some(Err(reason)),
            }
            return waits;
        }
        match operation {
            Operation::Receive { request: None, status, .. } => {
                waits.sunk = Some(self.place_receive(site, status, &mut waits.missed));
            }
            // It is over at once.
            Operation::Send { request: None, .. } if communication.is_buffered_send() => {}
            Operation::Send { request: None, .. } => waits.sunk = Some(self.place_send(site)),
            Operation::SendReceive { status, in_one_buffer, .. } => {
                let sunk = self.place_receive(site, status, &mut waits.missed);
                waits.sunk_send = Some(if *in_one_buffer { wait_for_copy(&sunk) } else { self.place_send(site) });
                waits.sunk = Some(sunk);
            }
            Operation::Wait { request, .. } if self.may_be_cancelled(site, request) => {
                waits.sunk = Some(Err(self.cancelled(site)));
            }
            Operation::Wait { request, status } => {
                let posts = completed_posts(self.facts, site, request);
                waits.sunk = Some(self.place_own(site, &posts, request, status, &mut waits.missed));
            }
            Operation::WaitAll { requests, .. } if self.may_be_cancelled(site, requests) => {
                waits.split = Some(Err(self.cancelled(site)));
            }
            Operation::WaitAll { statuses, .. } => {
                waits.split = Some(self.split(site, statuses, &mut waits.missed));
            }
            _ => {}
        }
        waits
    }

    /// May a call cancel an operation that the wait completes? Then what comes is not known.
    fn may_be_cancelled(&self, wait: SiteId, request: &Expression) -> bool {
        let variable = RequestVariable::designated(self.facts, wait.procedure, request);
        let cancels = |&(site, _): &(SiteId, usize)| self.facts.communication(site).is_some_and(|it| it.cancels());
        variable.is_some_and(|variable| variable.uses(self.facts).iter().any(cancels))
    }

    fn cancelled(&self, wait: SiteId) -> Reason {
        let span = self.facts.procedure(wait.procedure).statement(wait.statement).span;
        Reason::at(ReasonCode::UnsupportedOperation, span, "what it waits for may be cancelled")
    }

    fn place_receive(&self, site: SiteId, status: &Status, missed: &mut Vec<Missed>) -> Result<WaitPlace, Reason> {
        let mut footprint = self.awaited_footprint(site, Direction::Received)?;
        footprint.outputs.extend(self.status_region(site.procedure, status));
        footprint.values.extend(self.status_values(site, status)?);
        match self.go_into_loop(site, &footprint, &[site]) {
            Ok(sunk) => return Ok(WaitPlace::Own(sunk)),
            Err(reasons) => add_missed(missed, reasons),
        }
        let hoisted = self.context.moves.get(&site).and_then(|moves| moves.hoisted.as_ref()?.as_ref().ok());
        let is_own = hoisted.is_none_or(|hoisted| matches!(hoisted.place, Place::Own(_)));
        let is_forgotten = is_unused(self.facts, site.procedure, status);
        let may_leave = is_own && is_forgotten;
        let awaited = Awaited { post: site, direction: Direction::Received, is_only: true, waiter: Waiter::Receive };
        let handed_on = HandedOn { to_callers: is_forgotten, to_callee: is_forgotten };
        let mut place = self.sink(site, &footprint, &|_| may_leave, (awaited, handed_on))?;
        // Where the post has left the branch, too, the request is null before it is posted.
        if let WaitPlace::Own(sunk) = &mut place
            && let Some(branch) = sunk.null_before
            && let Some(Place::Own(own)) = hoisted.map(|hoisted| &hoisted.place)
            && !is_inside(self.facts.procedure(site.procedure), own.before, branch)
        {
            sunk.null_before = Some(own.before);
        }
        Ok(place)
    }

    fn place_send(&self, site: SiteId) -> Result<WaitPlace, Reason> {
        let footprint = self.awaited_footprint(site, Direction::Sent)?;
        let waiter = if is_synchronous(self.facts, site) { Waiter::SynchronousSend } else { Waiter::BlockingSend };
        let awaited = Awaited { post: site, direction: Direction::Sent, is_only: true, waiter };
        self.sink(site, &footprint, &|_| true, (awaited, HandedOn { to_callers: true, to_callee: false }))
    }

    /// What the wait of a blocking call needs: its message's memory. The other arguments were read when the call began: they may
    /// change, and the datatype may be freed (MPI 4.0, section 5.1.9).
    fn awaited_footprint(&self, site: SiteId, direction: Direction) -> Result<Footprint, Reason> {
        let footprint = message_footprint(self.facts, site, direction)?;
        Ok(Footprint { values: BTreeSet::new(), ..footprint })
    }

    /// The memory of a status that somebody looks at.
    fn status_region(&self, procedure: ProcedureId, status: &Status) -> Option<Region> {
        if is_unused(self.facts, procedure, status) {
            return None;
        }
        let symbol = designated_region(self.facts.procedure(procedure), status.variable()?)?.symbol;
        Some(Region::whole(symbol))
    }

    /// The variables that decide where the status is stored.
    fn status_values(&self, site: SiteId, status: &Status) -> Result<BTreeSet<SymbolId>, Reason> {
        let Some(variable) = status.variable() else { return Ok(BTreeSet::new()) };
        values_needed(self.facts, site.procedure, &variable.children()).map_err(unrepeatable_argument)
    }

    /// A wait goes down: of a receive into the procedure that is called with its message, else in its own procedure or, where
    /// nothing is in its way there, behind the calls of that. The second part of `awaited` says who else can wait.
    fn sink(
        &self,
        site: SiteId,
        footprint: &Footprint,
        may_leave: &dyn Fn(StatementId) -> bool,
        (awaited, handed_on): (Awaited, HandedOn),
    ) -> Result<WaitPlace, Reason> {
        self.is_enabled(Transformation::SinkWait)?;
        if let Some(reason) = told_by_received(self.facts).filter(|_| awaited.waiter == Waiter::Receive) {
            return Err(reason);
        }
        let in_callee = (handed_on.to_callee && awaited.direction == Direction::Received)
            .then(|| self.go_into_callee_below(site, awaited.post, footprint, &self.aliases(site, awaited.post)));
        let not_in_callee = match in_callee {
            Some(Ok(found)) => return Ok(WaitPlace::InCallee(found)),
            Some(Err(reason)) => reason,
            None => None,
        };
        let WayDown { found, reaches_end } = self.sink_below(site, awaited.waiter, footprint, may_leave);
        let own = found.map(WaitPlace::Own).map_err(|reason| not_in_callee.unwrap_or(reason));
        // Those who call the procedure can wait whether or not a branch was entered.
        let is_in_branch = self.facts.procedure(site.procedure).statement(site.statement).parent.is_some();
        let would_reach_end = || self.sink_below(site, awaited.waiter, footprint, &|_| true).reaches_end;
        if !handed_on.to_callers || !(reaches_end || is_in_branch && would_reach_end()) {
            return own;
        }
        match self.sink_into_callers(site, awaited) {
            Ok(waits) => Ok(WaitPlace::InCallers(waits)),
            Err(reason) => own.map_err(|_| reason),
        }
    }

    /// Dummy arguments of the procedure of `wait` that may be the buffer of the receive `post` there.
    fn aliases(&self, wait: SiteId, post: SiteId) -> Vec<SymbolId> {
        let buffer = posted_buffer(self.facts, post, post.procedure);
        let dummies = |buffer| self.facts.dummies_that_may_be(wait.procedure, post.procedure, buffer);
        buffer.map_or_else(Vec::new, dummies).into_iter().filter(|&dummy| Some(dummy) != buffer).collect()
    }

    /// How far down a wait with this footprint can go from the statement `start` of its procedure, or of one that calls it.
    pub(super) fn sink_below(
        &self,
        start: SiteId,
        waiter: Waiter,
        footprint: &Footprint,
        may_leave: &dyn Fn(StatementId) -> bool,
    ) -> WayDown {
        let surroundings = Surroundings { facts: self.facts, procedure: start.procedure };
        let obstacle = |statement, footprint: &Footprint| {
            let told = || {
                let opening = self.opening_obstacle(start, statement);
                opening.or_else(|| self.post_passed(start, statement)).filter(|_| waiter.tells_of_others())
            };
            self.moved_obstacle(start.procedure, statement, footprint).or_else(told)
        };
        sink_wait(surroundings, start.statement, waiter, footprint, may_leave, &obstacle)
    }

    /// A transfer that is opened before the loop `statement`, and that the wait of the receive `wait` must not pass.
    pub(super) fn opening_obstacle(&self, wait: SiteId, statement: StatementId) -> Option<Reason> {
        opening_obstacle(self.facts, self.context.moves, self.context.announced, wait, statement)
    }

    /// A receive that was hoisted to just before `statement`, and that the wait of another message must not pass.
    pub(super) fn post_passed(&self, wait: SiteId, statement: StatementId) -> Option<Reason> {
        post_passed(self.facts, self.context.moves, self.context.synchronous, (wait.procedure, statement))
    }

    pub(super) fn moved_obstacle(
        &self,
        procedure: ProcedureId,
        statement: StatementId,
        footprint: &Footprint,
    ) -> Option<Reason> {
        arrival_obstacle(self.facts, self.context.moves, (procedure, statement), footprint)
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
