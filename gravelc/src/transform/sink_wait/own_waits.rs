//! Where a wait of the program's for one request goes: only if it is known which operations it completes, and one buffer is theirs.

use super::super::rules::awaited_buffers::{one_for_each_buffer, posted_buffer};
use super::super::rules::footprint::{Footprint, conflicts_of, with_request};
use super::super::rules::hidden_names::hidden_symbol;
use super::super::rules::leaving_branches::{ends_with_run, is_posted_beside, is_unused, stays_inside};
use super::super::rules::synchronous::is_synchronous;
use super::down::Waiter;
use super::into_callers::Awaited;
use super::{HandedOn, WaitPlacer, add_missed};
use crate::analysis::facts::SiteId;
use crate::analysis::memory::message::message_region;
use crate::analysis::messages::followed_requests::{NotFollowed, is_followed, why_not_followed};
use crate::analysis::messages::requests::{RequestVariable, is_posted_in_same_run, outlives_run};
use crate::ir::{Direction, Expression, ProcedureKind, Region, Status, Storage, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Missed, Reason, ReasonCode};
use crate::transform::found::WaitPlace;

impl WaitPlacer<'_> {
    /// A wait for one request of the program's, which `posts` may have made.
    pub(super) fn place_own(
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
    pub(super) fn known_operations(&self, wait: SiteId, posts: &[SiteId], request: &Expression) -> Result<(), Reason> {
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

    pub(super) fn several_buffers(&self, site: SiteId) -> Reason {
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
}
