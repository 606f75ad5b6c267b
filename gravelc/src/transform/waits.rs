//! Where the waits of a call go: that of a blocking call, one of the program's own, or those of a wait for several requests.
//!
//! A wait for several requests stays one call in its place, unless it is known which operations it completes: each of its
//! elements has a number, and one buffer. Then it can be taken apart into a wait for each of them, and each of these
//! moves by itself. An element without an operation is null, and a wait for it does nothing, under whatever condition the
//! operation was posted; so the waits need no condition.

use std::collections::BTreeMap;

use crate::analysis::Answer;
use crate::analysis::effects::symbols_read_by;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::message::{designated_region, message_region};
use crate::analysis::overlap::may_overlap;
use crate::analysis::prover::Assumptions;
use crate::analysis::requests::{completed_elements, constant_element, posts_completed_at, posts_into};
use crate::ir::{Direction, Expression, Operation, ProcedureId, Region, StatementId, Status};
use crate::mutations::Clause;
use crate::plan::{MessageOf, Reason, ReasonCode};

use super::conversion::Moves;
use super::footprint::{Footprint, conflicts_of, message_footprint, with_request};
use super::movement::Surroundings;
use super::sink_wait::{Sunk, Waiter, sink_wait};

/// One of the waits into which a wait for several requests is taken apart.
#[derive(Debug, Clone)]
pub struct SplitWait {
    /// The post that makes the request.
    pub post: SiteId,
    /// Where the wait goes.
    pub sunk: Result<Sunk, Reason>,
}

/// The waits of one call.
#[derive(Debug, Clone, Default)]
pub struct Waits {
    /// The only one, or that of the receive.
    pub sunk: Option<Result<Sunk, Reason>>,
    /// That of the send, where the call receives as well.
    pub sunk_send: Option<Result<Sunk, Reason>>,
    /// Those of a wait for several requests, or why they stay one.
    pub split: Option<Result<Vec<SplitWait>, Reason>>,
}

impl Waits {
    /// They stay where they are, all for this reason.
    pub fn none(reason: Reason) -> Self {
        Self { sunk: Some(Err(reason.clone())), sunk_send: Some(Err(reason.clone())), split: Some(Err(reason)) }
    }

    /// Does any of them move?
    pub fn gained(&self) -> bool {
        [&self.sunk, &self.sunk_send].into_iter().any(|sunk| matches!(sunk, Some(Ok(_))))
            || matches!(self.split, Some(Ok(_)))
    }
}

/// The message of a post, and its variable.
pub fn posted_message(facts: &Facts, post: SiteId) -> Option<MessageOf> {
    let communication = facts.communication(post)?;
    let direction = if communication.sent().is_some() { Direction::Sent } else { Direction::Received };
    Some(MessageOf { call: post.statement, direction })
}

/// The posts whose requests a wait of the program's may complete; never none, as long as there are any for its variable.
pub fn completed_posts(facts: &Facts, wait: SiteId, request: &Expression) -> Vec<SiteId> {
    let found = posts_completed_at(facts, wait);
    match request.designated() {
        Some(variable) if found.is_empty() => posts_into(facts, wait.procedure, variable),
        _ => found,
    }
}

/// One post for each of the buffers that the posts use, in order.
pub fn one_for_each_buffer(facts: &Facts, posts: &[SiteId]) -> Vec<SiteId> {
    let buffer = |site: &SiteId| facts.communication(*site)?.messages().next()?.buffer.designated();
    let mut found: Vec<SiteId> = Vec::new();
    for post in posts {
        if !found.iter().any(|other| buffer(other) == buffer(post)) {
            found.push(*post);
        }
    }
    found
}

/// Finds places for waits.
pub struct WaitPlacer<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// Where posts and transfers are by now.
    pub moves: &'a BTreeMap<SiteId, Moves>,
}

impl WaitPlacer<'_> {
    /// Where the waits of the call go. Nothing where it has none (the post of a non-blocking operation).
    pub fn place(&self, site: SiteId) -> Waits {
        let mut waits = Waits::default();
        let Some(communication) = self.facts.communication(site) else {
            return waits;
        };
        match &communication.operation {
            Operation::Receive { request: None, status, .. } => {
                waits.sunk = Some(self.place_receive(site, status));
            }
            Operation::Send { request: None, .. } => waits.sunk = Some(self.place_send(site)),
            Operation::SendReceive { status, .. } => {
                waits.sunk = Some(self.place_receive(site, status));
                waits.sunk_send = Some(self.place_send(site));
            }
            Operation::Wait { request, status } => {
                let posts = completed_posts(self.facts, site, request);
                waits.sunk = Some(self.place_own(site, &posts, request, status));
            }
            Operation::WaitAll { statuses, .. } => waits.split = Some(self.split(site, statuses)),
            _ => {}
        }
        waits
    }

    fn place_receive(&self, site: SiteId, status: &Status) -> Result<Sunk, Reason> {
        let mut footprint = message_footprint(self.facts, site, Direction::Received)?;
        footprint.outputs.extend(self.status_region(site.procedure, status));
        self.sink(site, Waiter::Receive, &footprint)
    }

    fn place_send(&self, site: SiteId) -> Result<Sunk, Reason> {
        let footprint = message_footprint(self.facts, site, Direction::Sent)?;
        self.sink(site, Waiter::BlockingSend, &footprint)
    }

    /// A wait for one request of the program's, which `posts` may have made.
    fn place_own(&self, site: SiteId, posts: &[SiteId], request: &Expression, status: &Status) -> Result<Sunk, Reason> {
        let messages: Vec<MessageOf> = posts.iter().filter_map(|&post| posted_message(self.facts, post)).collect();
        let is_receive = messages.iter().any(|message| message.direction == Direction::Received);
        let [post] = one_for_each_buffer(self.facts, posts)[..] else {
            return Err(self.several_buffers(site));
        };
        let buffer = self.facts.communication(post).and_then(|found| found.messages().next()?.buffer.designated());
        let Some(buffer) = buffer else {
            return Err(self.several_buffers(site));
        };
        let direction = if is_receive { Direction::Received } else { Direction::Sent };
        let footprint = Footprint {
            // Its subscripts may have changed since the post.
            buffer: Region::whole(buffer),
            conflicts: conflicts_of(direction),
            values: Default::default(),
            outputs: self.status_region(site.procedure, status).into_iter().collect(),
        };
        let footprint = with_request(self.facts, site.procedure, footprint, request)?;
        let waiter = if is_receive { Waiter::Receive } else { Waiter::NonBlockingSend };
        self.sink(site, waiter, &footprint)
    }

    /// Takes a wait for several requests apart, if at least one of them can then move.
    fn split(&self, site: SiteId, statuses: &Status) -> Result<Vec<SplitWait>, Reason> {
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let refused = |message: &str| Err(Reason::at(ReasonCode::RequestShared, span, message));
        if let Status::Stored(_) = statuses {
            return refused("the statuses are stored together, so the requests are waited for together");
        }
        if completed_elements(self.facts, site).is_none() {
            return refused("the elements that it completes are not known numbers");
        }
        let posts = posts_completed_at(self.facts, site);
        let mut by_element: BTreeMap<i64, Vec<SiteId>> = BTreeMap::new();
        for &post in &posts {
            let request = self.facts.communication(post).and_then(|found| found.posted_request());
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
        let mut waits = Vec::new();
        for posts in by_element.values() {
            let request = self.facts.communication(posts[0]).and_then(|found| found.posted_request());
            let Some(request) = request else { continue };
            let sunk = self.place_own(site, posts, request, &Status::Ignored);
            if let Err(Reason { code: ReasonCode::RequestShared, .. }) = sunk {
                return Err(self.several_buffers(site));
            }
            waits.push(SplitWait { post: posts[0], sunk });
        }
        if waits.iter().any(|wait| wait.sunk.is_ok()) {
            return Ok(waits);
        }
        match waits.into_iter().find_map(|wait| wait.sunk.err()) {
            Some(reason) => Err(reason),
            None => refused("no operation is known whose request it completes"),
        }
    }

    fn several_buffers(&self, site: SiteId) -> Reason {
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let message = "one request that it completes may belong to operations with different buffers";
        Reason::at(ReasonCode::RequestShared, span, message)
    }

    fn status_region(&self, procedure: ProcedureId, status: &Status) -> Option<Region> {
        let symbol = designated_region(self.facts.procedure(procedure), status.variable()?)?.symbol;
        Some(Region::whole(symbol))
    }

    fn sink(&self, site: SiteId, waiter: Waiter, footprint: &Footprint) -> Result<Sunk, Reason> {
        let surroundings = Surroundings { facts: self.facts, procedure: site.procedure };
        let arrival_obstacle = |statement| self.arrival_obstacle(site.procedure, statement, footprint);
        sink_wait(surroundings, site.statement, waiter, footprint, &arrival_obstacle)
    }

    /// A receive that was hoisted to just before `statement` and that needs what the footprint covers.
    fn arrival_obstacle(
        &self,
        procedure: ProcedureId,
        statement: StatementId,
        footprint: &Footprint,
    ) -> Option<Reason> {
        let body = self.facts.procedure(procedure);
        let are_apart = |one: &Region, other: &Region| may_overlap(body, one, other, &Assumptions::new()) == Answer::No;
        self.moves.iter().find_map(|(&other, moves)| {
            let Some(Ok(hoisted)) = &moves.hoisted else {
                return None;
            };
            if Clause::ArrivalOrder.is_off() {
                return None;
            }
            if other.procedure != procedure || hoisted.before != statement {
                return None;
            }
            let communication = self.facts.communication(other)?;
            let request = communication.posted_request().and_then(|request| designated_region(body, request));
            let shares_request =
                request.is_some_and(|request| footprint.outputs.iter().any(|output| !are_apart(&request, output)));
            let region = message_region(body, communication.received()?).ok()?;
            if are_apart(&region, &footprint.buffer) && !shares_request {
                return None;
            }
            let span = body.statement(other.statement).span;
            let line = self.facts.program.line(span);
            let message = format!("the receive at line {line} is posted here and needs the same memory");
            Some(Reason::at(ReasonCode::AccessInBetween, span, message))
        })
    }
}
