//! Brings the transformations together: classes first, then receives, producing loops and waits, then the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::{if_in_step, message_region};
use crate::analysis::messages::matching::{Class, match_classes};
use crate::analysis::messages::requests::posts_completed_at;
use crate::analysis::program::open_world;
use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::ir::{Communication, Direction, Expression, Message, ProcedureId, ProcedureKind, Program};
use crate::mutations::Clause;
use crate::plan::{Missed, Opening, Outcome, Plan, Protocol, Reason, ReasonCode, Transformation};
use crate::progress::{self, Phase};
use crate::transform::found::{AllMoves, Hoisted, Moves, Place, StripMined};

use super::Selection;
use super::conversion::Conversion;
use super::convertibility::{ProgramVerdict, completion_obstacle, judge_class, judge_program, protocol_of};
use super::decisions::Decisions;
use super::decompose_alltoall::exchange_obstacle;
use super::footprint::{Footprint, message_footprint, parts_obstacle, with_request};
use super::hoist_into_callers::hoist_into_callers;
use super::hoist_receive::hoist_receive;
use super::message_order::MessageOrder;
use super::movement::Surroundings;
use super::released_sends::released_obstacle;
use super::replacement::staying_obstacle;
use super::request_groups::RequestGroups;
use super::strip_mine_producer::strip_mine_producer;
use super::synchronous::{effect_above, stays_in_procedure, synchronous_members};
use super::waits::{LoopUses, WaitPlacer};
use crate::directives;
use crate::directives::Directives;
use crate::passes::assertions::{assertions, beliefs};

/// Plans the whole program.
pub fn plan(program: &Program, selection: &Selection) -> Plan {
    let facts = Facts::with_outside(Outside { program, is_closed: selection.is_closed });
    let classes = match_classes(&facts);
    let (directives, _) = directives::read(program);
    let program_verdict = judge_program(&facts);
    let is_announced = |class: &&Class| protocol_of(&facts, &program_verdict, class) == Protocol::ProducerInitiated;
    let announced = classes.iter().filter(is_announced).flat_map(|class| class.members.iter().copied()).collect();
    let groups = RequestGroups::find(&facts, |site| {
        completion_obstacle(&facts, site).or_else(|| left_to_mpi(&facts, &directives, site))
    });
    let mut planner = Planner {
        facts: &facts,
        groups: &groups,
        selection,
        directives: &directives,
        classes: &classes,
        announced,
        synchronous: synchronous_members(&facts, &classes),
        moves: AllMoves::default(),
    };
    let mut verdicts = planner.judge_classes(&program_verdict);
    // What was passed because it converts must go on converting, so a class that is kept after all starts it all anew.
    loop {
        planner.move_everything(&verdicts);
        if !planner.keep_idle_classes(&mut verdicts) {
            break;
        }
    }
    let decisions = Decisions {
        facts: &facts,
        groups: &groups,
        moves: &planner.moves,
        directives: &directives,
        announced: &planner.announced,
    };
    let mut plan = decisions.write(&classes, &verdicts);
    plan.assumed = facts.outside().assumed();
    plan.rounding.clone_from(&selection.rounding);
    plan.asserted = assertions(program, &directives);
    plan.believed = beliefs(&facts, &plan);
    let openings = facts.open_world().map(OpenWorld::openings).unwrap_or_default();
    let opening = |found: &open_world::Opening| Opening { why: found.why.clone(), places: found.places.clone() };
    plan.openings = openings.iter().map(opening).collect();
    plan
}

/// Whether the transformation may be applied at a site.
///
/// # Errors
/// Who does not want it.
pub fn is_enabled(
    program: &Program,
    selection: &Selection,
    directives: &Directives,
    transformation: Transformation,
    site: SiteId,
) -> Result<(), Reason> {
    if let Some(span) = directives.skipping(site, transformation) {
        let line = program.line(span);
        let message = format!("the directive at line {line} leaves {} out", transformation.name());
        return Err(Reason::at(ReasonCode::SkipDirective, span, message));
    }
    if selection.enabled.contains(&transformation) {
        return Ok(());
    }
    let name = transformation.name();
    let message = format!("{name} was switched off on the command line");
    Err(Reason::everywhere(ReasonCode::NotRequested, message))
}

/// Whether a class converts.
pub enum Verdict {
    /// It does.
    Converts,
    /// It does not.
    Kept {
        /// Why: the first of the obstacles, or one of the whole program.
        reason: Reason,
        /// What is in the way of which members.
        obstacles: BTreeMap<SiteId, Reason>,
        /// Which transformations were tried in vain.
        missed: BTreeMap<SiteId, Vec<Missed>>,
    },
}

impl Verdict {
    fn kept(reason: &Reason, obstacles: BTreeMap<SiteId, Reason>) -> Self {
        Self::Kept { reason: reason.clone(), obstacles, missed: BTreeMap::new() }
    }
}

/// The directive that leaves a call with MPI, as the reason why it stays.
fn left_to_mpi(facts: &Facts, directives: &Directives, site: SiteId) -> Option<Reason> {
    let span = directives.leaving(site)?;
    let message = format!("the directive at line {} leaves it with MPI", facts.program.line(span));
    Some(Reason::at(ReasonCode::SkipDirective, span, message))
}

struct Planner<'a> {
    facts: &'a Facts<'a>,
    groups: &'a RequestGroups,
    selection: &'a Selection,
    directives: &'a Directives,
    classes: &'a [Class],
    /// The members of classes whose messages are announced by their producers.
    announced: BTreeSet<SiteId>,
    /// The members of classes in which a send is synchronous.
    synchronous: BTreeSet<SiteId>,
    moves: AllMoves,
}

impl<'a> Planner<'a> {
    fn surroundings(&self, procedure: ProcedureId) -> Surroundings<'a> {
        Surroundings { facts: self.facts, procedure }
    }

    fn is_enabled(&self, transformation: Transformation, site: SiteId) -> Result<(), Reason> {
        is_enabled(self.facts.program, self.selection, self.directives, transformation, site)
    }

    fn judge_classes(&self, program: &ProgramVerdict) -> Vec<Verdict> {
        let judge = |class: &Class| {
            let mut obstacles = judge_class(self.facts, class);
            for &site in &class.members {
                if let Some(reason) = exchange_obstacle(self.facts, site, |wanted| self.is_enabled(wanted, site)) {
                    obstacles.insert(site, reason);
                }
                if let Some(reason) = self.groups.obstacle_of_post(site)
                    && !Clause::RequestsFollowed.is_off()
                {
                    obstacles.entry(site).or_insert_with(|| reason.clone());
                }
                if let Some(reason) = left_to_mpi(self.facts, self.directives, site) {
                    obstacles.insert(site, reason);
                }
            }
            match (obstacles.values().next(), &program.obstacle) {
                // What the class's obstacles are called would be about calls that gravelc has made itself.
                (Some(_), Some(obstacle)) if obstacle.code == ReasonCode::AlreadyTransformed => {
                    Verdict::kept(obstacle, BTreeMap::new())
                }
                (Some(first), _) => Verdict::kept(first, obstacles.clone()),
                (None, Some(obstacle)) => Verdict::kept(obstacle, BTreeMap::new()),
                (None, None) => Verdict::Converts,
            }
        };
        progress::begin(Phase::Classes, self.classes.len());
        self.classes.iter().map(judge).inspect(|_| progress::advance()).collect()
    }

    /// Lets the transformations work on every member of the classes that convert: posts first, then loops, then waits,
    /// which must not pass a post that was moved. Within a procedure each kind goes in program order, because the order of
    /// messages is kept by comparing with those that were moved before.
    fn move_everything(&mut self, verdicts: &[Verdict]) {
        let members = self.classes.iter().zip(verdicts).filter(|(_, verdict)| matches!(verdict, Verdict::Converts));
        let mut converting: BTreeSet<SiteId> = members.flat_map(|(class, _)| class.members.iter().copied()).collect();
        converting.extend(self.groups.completions_of(&converting));
        let in_order = self.in_program_order(&converting);
        self.moves.clear();
        progress::begin(Phase::Posts, in_order.len());
        for &site in &in_order {
            progress::advance();
            self.moves.add(site);
            if self.facts.communication(site).is_some_and(|found| found.received().is_some()) {
                let hoisted = self.hoist(&converting, site);
                self.moves.set_hoisted(site, hoisted);
            }
        }
        progress::begin(Phase::Loops, in_order.len());
        for &site in &in_order {
            progress::advance();
            if self.facts.communication(site).is_some_and(|found| found.sent().is_some()) {
                let strip_mined = self.strip_mine(&converting, site);
                self.moves.set_strip_mined(site, strip_mined);
            }
        }
        let loops = LoopUses::default();
        progress::begin(Phase::Waits, in_order.len());
        for &site in &in_order {
            progress::advance();
            let is_enabled = |transformation| self.is_enabled(transformation, site);
            let placer = WaitPlacer {
                facts: self.facts,
                moves: &self.moves,
                announced: &self.announced,
                synchronous: &self.synchronous,
                loops: &loops,
                converting: &converting,
                is_enabled: &is_enabled,
            };
            let waits = placer.place(site);
            self.moves.set_waits(site, waits);
        }
    }

    fn in_program_order(&self, sites: &BTreeSet<SiteId>) -> Vec<SiteId> {
        let mut sites: Vec<SiteId> = sites.iter().copied().collect();
        sites.sort_by_key(|&SiteId { procedure, statement }| {
            (procedure, self.facts.procedure(procedure).statement(statement).span.start, statement)
        });
        sites
    }

    fn hoist(&self, converting: &BTreeSet<SiteId>, site: SiteId) -> Result<Hoisted, Reason> {
        self.is_enabled(Transformation::HoistReceive, site)?;
        staying_obstacle(self.facts, site).map_or(Ok(()), Err)?;
        released_obstacle(self.facts, site).map_or(Ok(()), Err)?;
        let footprint = message_footprint(self.facts, site, Direction::Received)?;
        let messages = MessageOrder { facts: self.facts, converting, announced: &self.announced, moves: &self.moves };
        let surroundings = self.surroundings(site.procedure);
        let is_told_of = self.synchronous.contains(&site) && !Clause::SynchronousReceives.is_off();
        let told = |statement| is_told_of.then(|| effect_above(&messages, site.procedure, statement)).flatten();
        let order = |statement, message: &Message| match told(statement) {
            Some(reason) => Err(reason),
            None => messages.message_above(site.procedure, message, Direction::Received, statement),
        };
        let message = self.message(site, Direction::Received)?;
        let hoist = |footprint: Footprint, others: &[&Expression]| {
            hoist_receive(surroundings, site.statement, &footprint, message, others, &order)
        };
        let alone = hoist(footprint.clone(), &[]);
        let own = |place| Hoisted { place: Place::Own(place), hands_over_request: false };
        let request = self.facts.communication(site).and_then(|found| found.posted_request());
        let found = match request {
            None => alone.found.map(own),
            Some(request) => {
                let with_request = with_request(self.facts, site.procedure, footprint, request);
                let subscripts = request.children();
                match (alone.found, with_request.and_then(|footprint| hoist(footprint, &subscripts).found)) {
                    // Less is in the way of the post alone, so where the places differ, it is further up.
                    (Ok(alone), together) if !together.as_ref().is_ok_and(|it| it.before == alone.before) => {
                        Ok(Hoisted { hands_over_request: true, ..own(alone) })
                    }
                    (_, together) => together.map(own),
                }
            }
        };
        // An exchange has to be left by its own side, too, before anything is gained by the other one.
        let is_exchange = self.facts.communication(site).is_some_and(Communication::is_exchange);
        let is_called = self.facts.procedure(site.procedure).kind != ProcedureKind::Main
            && !is_exchange
            && !self.announced.contains(&site);
        let Some(guard) = alone.beginning.filter(|_| is_called) else {
            return found;
        };
        if is_told_of {
            return found.map_err(|_| stays_in_procedure(self.facts, site));
        }
        match hoist_into_callers(self.facts, &messages, site, guard) {
            Ok(posts) => Ok(Hoisted { place: Place::InCallers(posts), hands_over_request: request.is_some() }),
            Err(reason) => found.map_err(|_| reason),
        }
    }

    fn strip_mine(&self, converting: &BTreeSet<SiteId>, site: SiteId) -> Result<StripMined, Reason> {
        self.is_enabled(Transformation::StripMineProducer, site)?;
        staying_obstacle(self.facts, site).map_or(Ok(()), Err)?;
        if self.facts.communication(site).is_some_and(Communication::is_buffered_send) {
            let span = self.facts.procedure(site.procedure).statement(site.statement).span;
            return Err(Reason::at(ReasonCode::SendMode, span, "a buffered send is copied as a whole"));
        }
        let message = self.message(site, Direction::Sent)?;
        // What is put is what the loop has filled, or nothing: then the message leaves as a whole where the send was.
        let in_step = if_in_step(self.facts.procedure(site.procedure), message);
        let message = in_step.as_ref().unwrap_or(message);
        parts_obstacle(self.facts, message).map_or(Ok(()), Err)?;
        // The request is made where the message ends, which is where the send was.
        let footprint = message_footprint(self.facts, site, Direction::Sent)?;
        let footprint =
            match in_step.as_ref().and_then(|it| message_region(self.facts.procedure(site.procedure), it).ok()) {
                Some(buffer) => Footprint { buffer, ..footprint },
                None => footprint,
            };
        let messages = MessageOrder { facts: self.facts, converting, announced: &self.announced, moves: &self.moves };
        let passing = |statement, message: &Message| messages.open_above(site.procedure, message, statement);
        strip_mine_producer(self.surroundings(site.procedure), site.statement, &footprint, message, &passing)
    }

    /// One of the messages of a call.
    fn message(&self, site: SiteId, direction: Direction) -> Result<&'a Message, Reason> {
        self.facts.communication(site).and_then(|found| found.message(direction)).ok_or_else(|| {
            let span = self.facts.procedure(site.procedure).statement(site.statement).span;
            Reason::at(ReasonCode::UnrepeatableArguments, span, "the arguments could not be understood")
        })
    }

    /// A class in which nothing could be moved, and which the program itself does not overlap, stays with MPI. Says whether
    /// there is one.
    fn keep_idle_classes(&self, verdicts: &mut [Verdict]) -> bool {
        let mut found = false;
        if self.selection.in_place {
            return found;
        }
        // An operation gains what a call does that completes it.
        let moved = self.groups.iter().flat_map(|group| &group.completions);
        let moved = moved.filter(|&site| self.moves.get(site).is_some_and(Moves::gained));
        let with_moved_wait: BTreeSet<SiteId> = moved.flat_map(|&site| posts_completed_at(self.facts, site)).collect();
        for (class, verdict) in self.classes.iter().zip(verdicts) {
            let gains = class.members.iter().any(|&site| {
                self.moves.get(&site).is_some_and(Moves::gained)
                    || with_moved_wait.contains(&site)
                    || self.surroundings(site.procedure).is_overlapped(site)
            });
            if matches!(verdict, Verdict::Converts) && !gains {
                let message = "no member could be moved away from its place, so nothing would be overlapped";
                let reason = Reason::everywhere(ReasonCode::NothingToOverlap, message);
                let missed = class.members.iter().map(|&site| (site, self.missed_at(site))).collect();
                *verdict = Verdict::Kept { reason, obstacles: BTreeMap::new(), missed };
                found = true;
            }
        }
        found
    }

    /// What was tried in vain at a member of a class that converts.
    fn missed_at(&self, site: SiteId) -> Vec<Missed> {
        if self.facts.communication(site).is_none() {
            return Vec::new();
        }
        match Conversion::new(self.facts, &self.moves, self.directives, &self.announced).convert(site) {
            Outcome::Transformed { missed, .. } | Outcome::Kept { missed, .. } => missed,
        }
    }
}
