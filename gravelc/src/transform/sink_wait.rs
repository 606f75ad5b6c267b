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
mod receiving_loop;

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::{designated_region, message_region};
use crate::analysis::memory::repeatable::{symbols_read_by, values_needed};
use crate::analysis::messages::followed_requests::{NotFollowed, is_followed, why_not_followed};
use crate::analysis::messages::requests::{
    RequestVariable, completed_elements, constant_element, is_posted_in_same_run, outlives_run, posts_completed_at,
    posts_into,
};
use crate::analysis::program::contents::is_messaging_constant;
use crate::ir::{
    ArrayDimension, Direction, Expression, Operation, ProcedureId, ProcedureKind, Region, Shape, StatementId, Status,
    Storage, SymbolId,
};
use crate::mutations::Clause;
use crate::plan::{Missed, Reason, ReasonCode, Transformation};
use crate::progress::Phase;
use crate::transform::found::{Found, Place, SplitWait, WaitPlace, Waits};
use crate::transform::transformation::{Context, Entry, Subject};

use self::down::{Waiter, WayDown, sink_wait};
use self::into_callers::Awaited;
use super::rules::arrival::arrival_obstacle;
use super::rules::awaited_buffers::{one_for_each_buffer, posted_buffer};
use super::rules::footprint::{Footprint, conflicts_of, message_footprint, unrepeatable_argument, with_request};
use super::rules::hidden_names::hidden_symbol;
use super::rules::late_codes::late_code;
use super::rules::leaving_branches::{ends_with_run, is_inside, is_posted_beside, is_unused, stays_inside};
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

    /// A wait for one request of the program's, which `posts` may have made.
    fn place_own(
        &self,
        site: SiteId,
        posts: &[SiteId],
        request: &Expression,
        status: &Status,
        missed: &mut Vec<Missed>,
    ) -> Result<WaitPlace, Reason> {
        self.known_operations(site, posts, request)?;
        let receives =
            |&post: &SiteId| self.facts.communication(post).is_some_and(|found| found.goes(Direction::Received));
        let is_receive = posts.iter().any(receives);
        let [post] = one_for_each_buffer(self.facts, posts)[..] else {
            return Err(self.several_buffers(site));
        };
        let Some(buffer) = posted_buffer(self.facts, post, site.procedure) else {
            return Err(self.unnamed_buffer(site, post));
        };
        if let Some(reason) = hidden_symbol(self.facts.procedure(site.procedure), site.statement, buffer) {
            return Err(reason);
        }
        if self.may_have_another_buffer(site, post, request) && !Clause::SavedRequests.is_off() {
            let span = self.facts.procedure(site.procedure).statement(site.statement).span;
            let message = "an earlier run of the procedure may have posted what it completes, with another buffer";
            return Err(Reason::at(ReasonCode::RequestShared, span, message));
        }
        let direction = if is_receive { Direction::Received } else { Direction::Sent };
        let mut outputs: Vec<Region> = self.status_region(site.procedure, status).into_iter().collect();
        if let Some(elsewhere) = posts.iter().find(|post| post.procedure != site.procedure) {
            outputs.extend(self.other_names(site, *elsewhere)?.into_iter().map(Region::whole));
        }
        let footprint = Footprint {
            buffer: self.lasting_region(site, posts, request).unwrap_or_else(|| Region::whole(buffer)),
            conflicts: conflicts_of(direction),
            values: self.status_values(site, status)?,
            outputs,
        };
        let footprint = with_request(self.facts, site.procedure, footprint, request)?;
        let is_alone =
            is_unused(self.facts, site.procedure, status) && is_posted_beside(self.facts, site, posts, request);
        let stays = |post: &SiteId, branch| stays_inside(self.facts, *post, self.context.moves.get(post), branch);
        // The request of a persistent operation is there whether or not it was started.
        let is_alone = is_alone && !posts.iter().any(|&post| self.is_prepared(post));
        let may_leave = |branch| is_alone && posts.iter().all(|post| stays(post, branch));
        let to_callee = is_unused(self.facts, site.procedure, status)
            && posts.iter().all(|&post| post.procedure == site.procedure && !self.is_prepared(post));
        let to_callers =
            to_callee && request.designated().is_some_and(|it| ends_with_run(self.facts, site.procedure, it));
        let handed_on = HandedOn { to_callers, to_callee };
        let awaited = |waiter| (Awaited { post, direction, is_only: posts.len() == 1, waiter }, handed_on);
        if !is_receive {
            let is_synchronous = posts.iter().any(|&post| is_synchronous(self.facts, post));
            let waiter = if is_synchronous { Waiter::SynchronousSend } else { Waiter::NonBlockingSend };
            return self.sink(site, &footprint, &may_leave, awaited(waiter));
        }
        // What a message is that another procedure has posted is not known here.
        if posts.iter().all(|post| post.procedure == site.procedure) {
            match self.go_into_loop(site, &footprint, posts) {
                Ok(sunk) => return Ok(WaitPlace::Own(sunk)),
                Err(reasons) => add_missed(missed, reasons),
            }
        }
        self.sink(site, &footprint, &may_leave, awaited(Waiter::Receive))
    }

    /// A wait moves only where it is known which operations it completes, and where these are Gravel's.
    fn known_operations(&self, wait: SiteId, posts: &[SiteId], request: &Expression) -> Result<(), Reason> {
        let program = self.facts.program;
        let text = program.text(request.span);
        if !is_followed(self.facts, wait.procedure, request) {
            let variable = RequestVariable::designated(self.facts, wait.procedure, request);
            let found = variable.and_then(|variable| why_not_followed(self.facts, &variable));
            let (place, why) = match found {
                Some(NotFollowed { place, why }) => (place.unwrap_or(request.span), why),
                None => (request.span, "is not that of one variable".to_owned()),
            };
            let message = format!("what the wait completes is not known: the request `{text}` {why}");
            return Err(Reason::at(ReasonCode::RequestEscapes, place, message));
        }
        let refused = |post: &SiteId, why: &str| {
            let span = self.facts.procedure(post.procedure).statement(post.statement).span;
            let message = format!("the operation at line {}, which it may complete, {why}", program.line_named(span));
            Err(Reason::at(ReasonCode::RequestShared, span, message))
        };
        if let Some(kept) = posts.iter().find(|post| !self.context.converting.contains(post)) {
            return refused(kept, "stays with MPI");
        }
        // What a pointer leads to may be other memory by now, and any.
        let unknown = posts.iter().find_map(|post| {
            let message = self.facts.communication(*post)?.messages().next()?;
            message_region(self.facts.procedure(post.procedure), message).err().map(|why| (message.buffer.span, why))
        });
        if let Some((span, why)) = unknown {
            return Err(Reason::at(ReasonCode::UnsupportedBuffer, span, why));
        }
        let (prepared, others): (Vec<&SiteId>, Vec<&SiteId>) = posts.iter().partition(|&&post| self.is_prepared(post));
        match (prepared.first(), others.is_empty()) {
            (Some(prepared), false) if !Clause::PersistentRequests.is_off() => {
                refused(prepared, "is a persistent one, and others are not")
            }
            _ => Ok(()),
        }
    }

    /// May the request that the procedure's own post has made be one of an earlier run of it, in which the name of the buffer
    /// was another variable's? What is in one object is in it in every run.
    fn may_have_another_buffer(&self, wait: SiteId, post: SiteId, request: &Expression) -> bool {
        let body = self.facts.procedure(wait.procedure);
        let outlives = RequestVariable::designated(self.facts, wait.procedure, request)
            .is_none_or(|variable| outlives_run(self.facts, &variable));
        let buffer = self.facts.communication(post).and_then(|found| found.messages().next()?.buffer.designated());
        let (Some(buffer), true) = (buffer, post.procedure == wait.procedure && outlives) else { return false };
        let holder = body.holder_of(buffer);
        let is_in_object = holder != buffer && request.designated().is_some_and(|it| body.holder_of(it) == holder);
        let lasts = match body.symbol(holder).storage {
            Storage::Static | Storage::Global(_) => true,
            // An allocatable variable of a module.
            Storage::Allocatable => body.symbol(holder).place.is_some(),
            _ => body.kind == ProcedureKind::Main,
        };
        !is_in_object && !lasts && !is_posted_in_same_run(self.facts, wait, request)
    }

    /// Does the call prepare a persistent operation?
    fn is_prepared(&self, post: SiteId) -> bool {
        self.facts.communication(post).is_some_and(|found| found.prepared().is_some())
    }

    /// The memory of the message that a wait completes, if nothing that it is made of changes after its only post.
    fn lasting_region(&self, wait: SiteId, posts: &[SiteId], request: &Expression) -> Option<Region> {
        let [post] = posts else { return None };
        let message = self.facts.communication(*post)?.messages().next()?;
        let body = self.facts.procedure(post.procedure);
        let region = message_region(body, message).ok().filter(|_| post.procedure == wait.procedure)?;
        // A request that outlives the procedure's run may be of an earlier one, with other values.
        let ends_with_run = body.kind == ProcedureKind::Main
            || request.designated().is_some_and(|request| body.symbol(request).storage == Storage::Local);
        let variables = region.variables();
        let is_lasting =
            variables.is_empty() || ends_with_run && variables.iter().all(|&it| self.facts.is_settled(*post, it));
        is_lasting.then_some(region)
    }

    /// Takes a wait for several requests apart, if at least one of them can then move.
    fn split(&self, site: SiteId, statuses: &Status, missed: &mut Vec<Missed>) -> Result<Vec<SplitWait>, Reason> {
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let refused = |message: &str| Err(Reason::at(ReasonCode::RequestShared, span, message));
        let Some(completed) = completed_elements(self.facts, site) else {
            return refused("the elements that it completes are not known numbers");
        };
        let posts = posts_completed_at(self.facts, site);
        if let Some(requests) = self.facts.communication(site).and_then(|found| found.request()) {
            self.known_operations(site, &posts, requests)?;
        }
        if posts.iter().any(|post| post.procedure != site.procedure) {
            return refused("another procedure has posted one of the operations that it completes");
        }
        let mut by_element: BTreeMap<i64, Vec<SiteId>> = BTreeMap::new();
        for &post in &posts {
            let request = self.facts.communication(post).and_then(|found| found.made_request());
            // A variable that is known to hold the number need not be set on every way to the wait.
            let is_literal = |request: &&Expression| {
                symbols_read_by(self.facts.procedure(post.procedure), &request.children()).is_some_and(|s| s.is_empty())
            };
            let element =
                request.filter(is_literal).and_then(|found| constant_element(self.facts, post.procedure, found));
            match element {
                Some(element) => by_element.entry(element).or_default().push(post),
                None => return refused("a request that it may complete is an element whose number is not known"),
            }
        }
        let first_status = match statuses {
            Status::Ignored => None,
            Status::Stored(statuses) => match self.first_status(site.procedure, statuses) {
                Some(first) if completed.clone().all(|element| by_element.contains_key(&element)) => Some(first),
                Some(_) => return refused("it stores the status of a request that is never made"),
                None => return refused("where each status lies in the array of statuses is not known"),
            },
        };
        let mut waits = Vec::new();
        for (element, posts) in &by_element {
            let request = self.facts.communication(posts[0]).and_then(|found| found.made_request());
            let Some(request) = request else { continue };
            let sunk = self.place_own(site, posts, request, statuses, missed);
            if let Err(Reason { code: ReasonCode::RequestShared, .. }) = sunk {
                return Err(self.several_buffers(site));
            }
            let status = first_status.map(|first| first.saturating_add(element - completed.start()));
            waits.push(SplitWait { post: posts[0], sunk, status });
        }
        if waits.iter().any(|wait| wait.sunk.is_ok()) {
            return Ok(waits);
        }
        match waits.into_iter().find_map(|wait| wait.sunk.err()) {
            Some(reason) => Err(reason),
            None => refused("no operation is known whose request it completes"),
        }
    }

    /// The subscript of the first status in an array of them, in its last dimension. Where a status is a column of integers,
    /// the columns must be as long as it is: MPI stores one status right behind the other.
    fn first_status(&self, procedure: ProcedureId, statuses: &Expression) -> Option<i64> {
        let body = self.facts.procedure(procedure);
        let Shape::Array(dimensions) = &body.symbol(statuses.designated()?).shape else {
            return None;
        };
        let value = |bound: &Option<Expression>| self.facts.constant_value(procedure, bound.as_ref()?);
        let is_status = |column: &ArrayDimension| {
            let is_its_size = |upper: &Expression| is_messaging_constant(body, upper, "mpi_status_size");
            value(&column.lower) == Some(1) && column.upper.as_ref().is_some_and(is_its_size)
        };
        let (last, columns) = dimensions.split_last()?;
        columns.iter().all(is_status).then(|| value(&last.lower)).flatten()
    }

    /// The dummy arguments by which the procedure of the wait may know the buffer of a post in another one, too.
    ///
    /// # Errors
    /// If it knows it by such a name only: others may know it by its own.
    fn other_names(&self, wait: SiteId, post: SiteId) -> Result<Vec<SymbolId>, Reason> {
        let buffer = self.facts.communication(post).and_then(|found| found.messages().next()?.buffer.designated());
        let own = buffer.and_then(|buffer| self.facts.name_in(wait.procedure, post.procedure, buffer));
        match (buffer, own) {
            (Some(buffer), Some(_)) => Ok(self.facts.dummies_that_may_be(wait.procedure, post.procedure, buffer)),
            _ => {
                let span = self.facts.procedure(wait.procedure).statement(wait.statement).span;
                let message = "another procedure has posted what it completes, and the buffer is an argument here";
                Err(Reason::at(ReasonCode::RequestShared, span, message))
            }
        }
    }

    fn several_buffers(&self, site: SiteId) -> Reason {
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let message = "one request that it completes may belong to operations with different buffers";
        Reason::at(ReasonCode::RequestShared, span, message)
    }

    fn unnamed_buffer(&self, wait: SiteId, post: SiteId) -> Reason {
        let (own, other) = (self.facts.procedure(wait.procedure), self.facts.procedure(post.procedure));
        let message = match posted_buffer(self.facts, post, post.procedure).map(|buffer| &other.symbol(buffer).name) {
            Some(buffer) => {
                format!("`{buffer}`, the buffer of what `{}` has posted, is not named in `{}`", other.name, own.name)
            }
            None => format!("what `{}` has posted has a buffer without a name", other.name),
        };
        Reason::at(ReasonCode::RequestShared, own.statement(wait.statement).span, message)
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
