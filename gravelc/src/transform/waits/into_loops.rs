//! Waits that go into the loop which is the first to touch their message.

use crate::analysis::facts::SiteId;
use crate::ir::{Direction, Program, Region, StatementId};
use crate::plan::{Missed, Reason, ReasonCode, Transformation};
use crate::transform::found::{InLoop, Sunk};

use super::WaitPlacer;
use crate::transform::footprint::{Footprint, parts_obstacle};
use crate::transform::movement::Surroundings;
use crate::transform::receiving_loop::{awaited_message, receiving_loop};
use crate::transform::released_sends::told_by_received;
use crate::transform::split_loop::split_loop;
use crate::transform::strip_mine_consumer::strip_mine_consumer;

impl WaitPlacer<'_> {
    /// The wait of a receive goes into the loop that reads its message: it is split for it, or cut into tiles.
    pub(super) fn go_into_loop(
        &self,
        site: SiteId,
        footprint: &Footprint,
        posts: &[SiteId],
    ) -> Result<Sunk, Vec<Missed>> {
        let surroundings = Surroundings { facts: self.facts, procedure: site.procedure };
        let missed = |transformation| move |reason| Missed { transformation, reason };
        let (message, loop_statement) = told_by_received(self.facts)
            .map_or_else(|| awaited_message(self.facts, site, posts), Err)
            .and_then(|message| {
                let footprint = Footprint { buffer: message.clone(), ..footprint.clone() };
                let found = self.receiving_loop_below(site, &footprint)?;
                Ok((message, found))
            })
            .map_err(|reason| vec![missed(Transformation::StripMineConsumer)(reason)])?;
        let not_split =
            match self.split_for_wait(SiteId { statement: loop_statement, ..site }, self.facts.program, &message) {
                Ok(sunk) => return Ok(sunk),
                Err(reason) => missed(Transformation::SplitLoop)(reason),
            };
        let site_of_loop = SiteId { statement: loop_statement, ..site };
        let sunk = |in_loop| Sunk { after: loop_statement, null_before: None, in_loop: Some(in_loop) };
        // What could be asked for is named only where it would be applied.
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let wildcard = || {
            let message = "the messages of its match class are announced by their senders: parts of such messages are not \
                           waited for";
            Reason::at(ReasonCode::Wildcard, span, message)
        };
        let persistent = || {
            let message = "the receive is persistent: it is not told of parts of its messages";
            Reason::at(ReasonCode::UnsupportedOperation, span, message)
        };
        let in_pieces = || {
            let mut messages =
                posts.iter().filter_map(|&post| self.facts.communication(post)?.described(Direction::Received));
            messages.find_map(|message| parts_obstacle(self.facts, message))
        };
        let is_told_of_parts = match posts {
            posts if posts.iter().any(|post| self.announced.contains(post)) => Err(wildcard()),
            posts if posts.iter().any(|&post| self.is_prepared(post)) => Err(persistent()),
            _ => in_pieces().map_or(Ok(()), Err),
        };
        let tiles = is_told_of_parts
            .and_then(|()| strip_mine_consumer(surroundings, loop_statement, &message, posts))
            .and_then(|found| (self.is_enabled)(Transformation::StripMineConsumer).map(|()| found))
            .and_then(|found| self.use_loop(site_of_loop, false).map(|()| sunk(InLoop::Tiles(found))));
        tiles.map_err(|reason| vec![not_split, missed(Transformation::StripMineConsumer)(reason)])
    }

    /// The first loop below `start` that touches the message which the footprint covers.
    fn receiving_loop_below(&self, start: SiteId, footprint: &Footprint) -> Result<StatementId, Reason> {
        let surroundings = Surroundings { facts: self.facts, procedure: start.procedure };
        let obstacle = |statement| {
            let opening = || self.opening_obstacle(start, statement);
            let moved = self.moved_obstacle(start.procedure, statement, footprint);
            moved.or_else(opening).or_else(|| self.post_passed(start, statement))
        };
        receiving_loop(surroundings, start.statement, footprint, &obstacle)
    }

    /// The loop is split for the message, off which the iterations inside keep in `in_one_run`.
    pub(in crate::transform) fn split_for_wait(
        &self,
        site_of_loop: SiteId,
        in_one_run: &Program,
        message: &Region,
    ) -> Result<Sunk, Reason> {
        let surroundings = Surroundings { facts: self.facts, procedure: site_of_loop.procedure };
        let after = site_of_loop.statement;
        (self.is_enabled)(Transformation::SplitLoop)
            .and_then(|()| split_loop(surroundings, in_one_run, after, message))
            .and_then(|found| self.use_loop(site_of_loop, true).map(|()| found))
            .map(|found| Sunk { after, null_before: None, in_loop: Some(InLoop::Boundary(found)) })
    }

    /// The wait for what the statement `call` has posted goes into the loop below it that is the first to touch the message
    /// which the footprint covers.
    ///
    /// # Errors
    /// What is in the way.
    pub(in crate::transform) fn go_into_loop_below(&self, call: SiteId, footprint: &Footprint) -> Result<Sunk, Reason> {
        if let Some(reason) = told_by_received(self.facts) {
            return Err(reason);
        }
        let statement = self.receiving_loop_below(call, footprint)?;
        self.split_for_wait(SiteId { statement, ..call }, self.facts.program, &footprint.buffer)
    }

    /// Notes that a wait goes into the loop, which is either split or cut into tiles, for whatever messages.
    fn use_loop(&self, site: SiteId, is_split: bool) -> Result<(), Reason> {
        let is_filled = self.moves.arrived_at(site).any(|(send, moves)| {
            send.procedure == site.procedure
                && matches!(&moves.strip_mined, Some(Ok(found)) if found.loop_statement == site.statement)
        });
        let mut uses = self.loops.is_split.borrow_mut();
        let earlier = uses.get(&site).copied().or(is_filled.then_some(false));
        if earlier.is_some_and(|earlier| earlier != is_split) {
            let span = self.facts.procedure(site.procedure).statement(site.statement).span;
            let message = if is_split {
                "the loop is cut into tiles for another message already"
            } else {
                "the loop is split for another message already"
            };
            return Err(Reason::at(ReasonCode::NotConsumedInOrder, span, message));
        }
        uses.insert(site, is_split);
        Ok(())
    }
}
