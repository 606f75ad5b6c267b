//! Waits that go into the loop which is the first to touch their message.

use crate::analysis::facts::SiteId;
use crate::ir::{Depth, Program, Region, StatementId};
use crate::plan::{Missed, Reason, ReasonCode, Transformation};
use crate::transform::found::{InLoop, Sunk};

use super::WaitPlacer;
use crate::transform::rules::footprint::Footprint;
use crate::transform::rules::movement::Surroundings;
use crate::transform::rules::released_sends::told_by_received;
use crate::transform::sink_wait::receiving_loop::{awaited_message, receiving_loop};
use crate::transform::split_loop::split_loop;
use crate::transform::transformation::{ReceivingLoop, Subject};

impl WaitPlacer<'_> {
    /// The wait of a receive goes into the loop that reads its message: it is split for it, or cut into tiles.
    pub(super) fn go_into_loop(
        &self,
        site: SiteId,
        footprint: &Footprint,
        posts: &[SiteId],
    ) -> Result<Sunk, Vec<Missed>> {
        let missed = |transformation| move |reason| Missed { transformation, reason };
        let (message, loop_statement) = told_by_received(self.facts)
            .map_or_else(|| awaited_message(self.facts, site, posts), Err)
            .and_then(|message| {
                let footprint = Footprint { buffer: message.clone(), ..footprint.clone() };
                let found = self.receiving_loop_below(site, &footprint)?;
                Ok((message, found))
            })
            .map_err(|reason| vec![missed(Transformation::StripMineConsumer)(reason)])?;
        let below =
            ReceivingLoop { wait: site, site: SiteId { statement: loop_statement, ..site }, message: &message, posts };
        let mut in_vain = Vec::new();
        for entry in self.context.registry {
            let Subject::Loop(find) = entry.subject else { continue };
            match find(self.context, &below).and_then(|in_loop| self.use_loop(below.site, in_loop)) {
                Ok(in_loop) => {
                    return Ok(Sunk { after: loop_statement, null_before: None, in_loop: Some(in_loop) });
                }
                Err(reason) => in_vain.push(missed(entry.transformation)(reason)),
            }
        }
        Err(in_vain)
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

    /// The loop is split for the message, off which the iterations inside keep in `in_one_run`, if the ends may be so deep.
    pub(in crate::transform) fn split_for_wait(
        &self,
        site_of_loop: SiteId,
        in_one_run: &Program,
        message: &Region,
        may_be_deep: &dyn Fn(Depth) -> Result<(), Reason>,
    ) -> Result<Sunk, Reason> {
        let surroundings = Surroundings { facts: self.facts, procedure: site_of_loop.procedure };
        let after = site_of_loop.statement;
        self.is_enabled(Transformation::SplitLoop)
            .and_then(|()| split_loop(surroundings, in_one_run, after, message))
            .and_then(|found| may_be_deep(found.depth).map(|()| found))
            .and_then(|found| self.use_loop(site_of_loop, InLoop::Boundary(found)))
            .map(|in_loop| Sunk { after, null_before: None, in_loop: Some(in_loop) })
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
        self.split_for_wait(SiteId { statement, ..call }, self.facts.program, &footprint.buffer, &|_| Ok(()))
    }

    /// Notes that a wait goes into the loop, which is either split or cut into tiles, for whatever messages.
    fn use_loop(&self, site: SiteId, in_loop: InLoop) -> Result<InLoop, Reason> {
        let is_split = matches!(in_loop, InLoop::Boundary(_));
        let is_filled = self.context.moves.arrived_at(site).any(|(send, moves)| {
            send.procedure == site.procedure
                && matches!(&moves.strip_mined, Some(Ok(found)) if found.loop_statement == site.statement)
        });
        let mut uses = self.context.loops.is_split.borrow_mut();
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
        Ok(in_loop)
    }
}
