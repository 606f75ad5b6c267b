//! Brings the transformations together: classes first, then receives, producing loops and waits, then the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::Answer;
use crate::analysis::effects::{AccessKind, symbols_read_by};
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::{Class, match_classes};
use crate::analysis::message::message_region;
use crate::analysis::overlap::may_overlap;
use crate::analysis::prover::Assumptions;
use crate::ir::{Communication, Expression, Operation, ProcedureId, Program, Region, StatementId, SymbolId};
use crate::plan::{Plan, Reason, ReasonCode, Transformation};

use super::Selection;
use super::conversion::Moves;
use super::convertibility::{judge_class, judge_program};
use super::decisions::Decisions;
use super::hoist_receive::{Hoisted, hoist_receive};
use super::movement::{Footprint, Surroundings};
use super::sink_wait::{Sunk, Waiter, sink_wait};
use super::strip_mine_producer::{StripMined, strip_mine_producer};

/// Plans the whole program.
pub fn plan(program: &Program, selection: &Selection) -> Plan {
    let facts = Facts::new(program);
    let classes = match_classes(&facts);
    let mut planner = Planner { facts: &facts, selection, classes: &classes, moves: BTreeMap::new() };
    let mut verdicts = planner.judge_classes();
    planner.move_everything(&verdicts);
    planner.keep_idle_classes(&mut verdicts);
    Decisions { facts: &facts, moves: &planner.moves }.write(&classes, &verdicts)
}

/// Whether a class converts.
pub enum Verdict {
    /// It does.
    Converts,
    /// It does not, because of these members (at least one) or for this reason of the whole program.
    Kept(Reason, BTreeMap<SiteId, Reason>),
}

struct Planner<'a> {
    facts: &'a Facts<'a>,
    selection: &'a Selection,
    classes: &'a [Class],
    moves: BTreeMap<SiteId, Moves>,
}

impl<'a> Planner<'a> {
    fn surroundings(&self, procedure: ProcedureId) -> Surroundings<'a> {
        Surroundings { facts: self.facts, procedure }
    }

    fn is_enabled(&self, transformation: Transformation) -> Result<(), Reason> {
        if self.selection.enabled.contains(&transformation) {
            return Ok(());
        }
        let message = format!("{} was switched off on the command line", transformation.name());
        Err(Reason::everywhere(ReasonCode::NotRequested, message))
    }

    fn judge_classes(&self) -> Vec<Verdict> {
        let program = judge_program(self.facts);
        let judge = |class: &Class| {
            let obstacles = judge_class(self.facts, &program, class);
            match (obstacles.values().next(), &program.obstacle) {
                (Some(first), _) => Verdict::Kept(first.clone(), obstacles),
                (None, Some(obstacle)) => Verdict::Kept(obstacle.clone(), BTreeMap::new()),
                (None, None) => Verdict::Converts,
            }
        };
        self.classes.iter().map(judge).collect()
    }

    /// Lets the transformations work on every member of the classes that convert: posts first, then loops, then waits,
    /// which must not pass a post that was moved.
    fn move_everything(&mut self, verdicts: &[Verdict]) {
        let converting: Vec<&Class> = self
            .classes
            .iter()
            .zip(verdicts)
            .filter(|(_, verdict)| matches!(verdict, Verdict::Converts))
            .map(|(class, _)| class)
            .collect();
        for class in &converting {
            for &site in &class.members {
                self.moves.insert(site, Moves::default());
                if let Some(Operation::Receive { .. }) = self.facts.communication(site).map(|found| &found.operation) {
                    let hoisted = self.hoist(class, site);
                    self.moves.entry(site).or_default().hoisted = Some(hoisted);
                }
            }
        }
        let mut cut_loops = BTreeSet::new();
        for class in &converting {
            for &site in &class.members {
                if let Some(Operation::Send { .. }) = self.facts.communication(site).map(|found| &found.operation) {
                    let strip_mined = self.strip_mine(site, &mut cut_loops);
                    self.moves.entry(site).or_default().strip_mined = Some(strip_mined);
                }
            }
        }
        for class in &converting {
            for &site in &class.members {
                let sunk = self.sink(class, site);
                self.moves.entry(site).or_default().sunk = sunk;
            }
        }
    }

    fn hoist(&self, class: &Class, site: SiteId) -> Result<Hoisted, Reason> {
        self.is_enabled(Transformation::HoistReceive)?;
        let footprint = self.footprint(site, vec![AccessKind::Read, AccessKind::Write])?;
        let order_obstacle = |statement| self.order_obstacle(class, site, statement);
        hoist_receive(self.surroundings(site.procedure), site.statement, &footprint, &order_obstacle)
    }

    fn strip_mine(
        &self,
        site: SiteId,
        cut_loops: &mut BTreeSet<(ProcedureId, StatementId)>,
    ) -> Result<StripMined, Reason> {
        self.is_enabled(Transformation::StripMineProducer)?;
        let footprint = self.footprint(site, vec![AccessKind::Write])?;
        let found = strip_mine_producer(self.surroundings(site.procedure), site.statement, &footprint)?;
        if !cut_loops.insert((site.procedure, found.loop_statement)) {
            let span = self.facts.procedure(site.procedure).statement(found.loop_statement).span;
            let message = "the loop is cut for another message already";
            return Err(Reason::at(ReasonCode::LoopHasEffects, span, message));
        }
        Ok(found)
    }

    /// `None` where there is nothing to wait for at the site (the post of a non-blocking operation).
    fn sink(&self, class: &Class, site: SiteId) -> Option<Result<Sunk, Reason>> {
        let communication = self.facts.communication(site)?;
        let both = vec![AccessKind::Read, AccessKind::Write];
        let (waiter, footprint) = match &communication.operation {
            Operation::Receive { request: None, status, .. } => {
                let footprint = self.footprint(site, both).map(|mut footprint| {
                    footprint.outputs.extend(status.variable().and_then(Expression::designated));
                    footprint
                });
                (Waiter::Receive, footprint)
            }
            Operation::Send { request: None, .. } => {
                (Waiter::BlockingSend, self.footprint(site, vec![AccessKind::Write]))
            }
            Operation::Wait { request, status } => {
                let posts = self.posts_of(class, site, request.designated()?);
                let is_receive = posts.iter().any(|&post| {
                    matches!(self.facts.communication(post).map(|c| &c.operation), Some(Operation::Receive { .. }))
                });
                let buffer = self.facts.communication(*posts.first()?)?.message()?.buffer.designated()?;
                let outputs = [request.designated(), status.variable().and_then(Expression::designated)];
                let footprint = Footprint {
                    buffer: Region::whole(buffer),
                    conflicts: if is_receive { both } else { vec![AccessKind::Write] },
                    values: BTreeSet::new(),
                    outputs: outputs.into_iter().flatten().collect(),
                };
                let waiter = if is_receive { Waiter::Receive } else { Waiter::NonBlockingSend };
                (waiter, Ok(footprint))
            }
            _ => return None,
        };
        Some(self.is_enabled(Transformation::SinkWait).and(footprint).and_then(|footprint| {
            let arrival_obstacle = |statement| self.arrival_obstacle(site.procedure, statement, &footprint);
            sink_wait(self.surroundings(site.procedure), site.statement, waiter, &footprint, &arrival_obstacle)
        }))
    }

    /// The posts of the class whose requests the variable holds.
    fn posts_of(&self, class: &Class, wait: SiteId, request: SymbolId) -> Vec<SiteId> {
        let is_post = |site: &&SiteId| {
            site.procedure == wait.procedure
                && self.facts.communication(**site).is_some_and(|communication| {
                    communication.message().is_some()
                        && communication.request().and_then(Expression::designated) == Some(request)
                })
        };
        class.members.iter().filter(is_post).copied().collect()
    }

    fn footprint(&self, site: SiteId, conflicts: Vec<AccessKind>) -> Result<Footprint, Reason> {
        let procedure = self.facts.procedure(site.procedure);
        let span = procedure.statement(site.statement).span;
        let missing = || Reason::at(ReasonCode::UnrepeatableArguments, span, "the arguments could not be understood");
        let communication = self.facts.communication(site).ok_or_else(missing)?;
        let message = communication.message().ok_or_else(missing)?;
        let buffer = message_region(procedure, message)
            .map_err(|why| Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, why))?;
        let mut arguments = message.values();
        let subscripts = message.buffer.children();
        arguments.extend(&subscripts);
        let values = symbols_read_by(procedure, &arguments).ok_or_else(missing)?;
        let outputs = communication.request().and_then(Expression::designated).into_iter().collect();
        Ok(Footprint { buffer, conflicts, values, outputs })
    }

    /// A receive inside `statement` that could take the message of the receive at `site`.
    fn order_obstacle(&self, class: &Class, site: SiteId, statement: StatementId) -> Option<Reason> {
        let procedure = self.facts.procedure(site.procedure);
        let tag = |found: &Communication| {
            found.message().and_then(|message| self.facts.constant_value(site.procedure, &message.tag))
        };
        let own_tag = tag(self.facts.communication(site)?);
        procedure.with_descendants(statement).into_iter().find_map(|inner| {
            let other = SiteId { procedure: site.procedure, statement: inner };
            let communication = self.facts.communication(other)?;
            let is_receive = matches!(communication.operation, Operation::Receive { .. });
            if !is_receive || !class.members.contains(&other) {
                return None;
            }
            let proven_different = matches!((own_tag, tag(communication)), (Some(one), Some(two)) if one != two);
            if proven_different {
                return None;
            }
            let span = procedure.statement(inner).span;
            let line = self.facts.program.line(span);
            let message = format!("the receive at line {line} could take the same message and must stay before it");
            Some(Reason::at(ReasonCode::OrderInBetween, span, message))
        })
    }

    /// A receive that was hoisted to just before `statement` and that needs what the footprint covers.
    fn arrival_obstacle(
        &self,
        procedure: ProcedureId,
        statement: StatementId,
        footprint: &Footprint,
    ) -> Option<Reason> {
        let body = self.facts.procedure(procedure);
        self.moves.iter().find_map(|(&other, moves)| {
            let Some(Ok(hoisted)) = &moves.hoisted else {
                return None;
            };
            if other.procedure != procedure || hoisted.before != statement {
                return None;
            }
            let communication = self.facts.communication(other)?;
            let request = communication.request().and_then(Expression::designated);
            let shares_request = request.is_some_and(|request| footprint.outputs.contains(&request));
            let region = message_region(body, communication.message()?).ok()?;
            let is_apart = may_overlap(body, &region, &footprint.buffer, &Assumptions::new()) == Answer::No;
            if is_apart && !shares_request {
                return None;
            }
            let span = body.statement(other.statement).span;
            let line = self.facts.program.line(span);
            let message = format!("the receive at line {line} is posted here and needs the same memory");
            Some(Reason::at(ReasonCode::AccessInBetween, span, message))
        })
    }

    /// A class in which nothing could be moved, and which the program itself does not overlap, stays with MPI.
    fn keep_idle_classes(&self, verdicts: &mut [Verdict]) {
        for (class, verdict) in self.classes.iter().zip(verdicts) {
            let gains = class.members.iter().any(|site| {
                let is_split_already = self.facts.communication(*site).is_some_and(|found| found.request().is_some());
                is_split_already || self.moves.get(site).is_some_and(Moves::gained)
            });
            if matches!(verdict, Verdict::Converts) && !gains {
                let message = "no member could be moved away from its place, so nothing would be overlapped";
                let reason = Reason::everywhere(ReasonCode::NothingToOverlap, message);
                *verdict = Verdict::Kept(reason, BTreeMap::new());
            }
        }
    }
}
