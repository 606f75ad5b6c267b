//! Brings the transformations together: classes first, then receives, producing loops and waits, then the plan.

use std::collections::{BTreeMap, BTreeSet};

use super::Selection;
use super::classes::{ProgramVerdict, completion_obstacle, judge_class, judge_program, protocol_of};
use super::conversion::Conversion;
use super::decisions::Decisions;
use super::found::{AllMoves, LoopUses, Moves};
use super::registry::REGISTRY;
use super::request_groups::RequestGroups;
use super::rules::movement::Surroundings;
use super::rules::synchronous::synchronous_members;
use super::transformation::{Context, PlansProgram, Subject, is_enabled};
use super::verdict::Verdict;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::matching::{Class, match_classes};
use crate::analysis::messages::requests::posts_completed_at;
use crate::analysis::program::open_world;
use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::directives::{self, Directives};
use crate::ir::Program;
use crate::mutations::Clause;
use crate::passes::assertions::{assertions, beliefs};
use crate::plan::{Missed, Opening, Outcome, Plan, Protocol, Reason, ReasonCode};
use crate::progress::{self, Phase};

/// Plans the whole program: those that work on programs let all others work on the programs that they think of.
pub fn plan(program: &Program, selection: &Selection) -> Plan {
    let of_programs = REGISTRY.iter().filter_map(|entry| match entry.subject {
        Subject::Program(plan) => Some(plan),
        _ => None,
    });
    plan_with(&of_programs.collect::<Vec<_>>(), program, selection)
}

fn plan_with(of_programs: &[PlansProgram], program: &Program, selection: &Selection) -> Plan {
    match of_programs {
        [] => plan_calls(program, selection),
        [first, others @ ..] => first(program, selection, &|program, selection| plan_with(others, program, selection)),
    }
}

/// Plans the calls of the program and the loops around them.
fn plan_calls(program: &Program, selection: &Selection) -> Plan {
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

/// The directive that leaves a call with MPI, as the reason why it stays.
fn left_to_mpi(facts: &Facts, directives: &Directives, site: SiteId) -> Option<Reason> {
    let span = directives.leaving(site)?;
    let message = format!("the directive at line {} leaves it with MPI", facts.program.line_named(span));
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
    fn judge_classes(&self, program: &ProgramVerdict) -> Vec<Verdict> {
        let judge = |class: &Class| {
            let mut obstacles = judge_class(self.facts, class);
            for &site in &class.members {
                let is_enabled = |wanted| is_enabled(self.facts.program, self.selection, self.directives, wanted, site);
                for entry in &REGISTRY {
                    if let Subject::Class(obstacle) = entry.subject
                        && let Some(reason) = obstacle(self.facts, site, &is_enabled)
                    {
                        obstacles.insert(site, reason);
                    }
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
        in_order.iter().for_each(|&site| self.moves.add(site));
        let loops = LoopUses::default();
        for entry in &REGISTRY {
            let Subject::Call { phase, find } = entry.subject else { continue };
            progress::begin(phase, in_order.len());
            for &site in &in_order {
                progress::advance();
                if self.selection.stays.contains(&site) {
                    continue;
                }
                let context = Context {
                    facts: self.facts,
                    selection: self.selection,
                    directives: self.directives,
                    announced: &self.announced,
                    synchronous: &self.synchronous,
                    converting: &converting,
                    moves: &self.moves,
                    loops: &loops,
                    registry: &REGISTRY,
                };
                if let Some(found) = find(&context, site) {
                    self.moves.set(site, found);
                }
            }
        }
    }

    fn in_program_order(&self, sites: &BTreeSet<SiteId>) -> Vec<SiteId> {
        let mut sites: Vec<SiteId> = sites.iter().copied().collect();
        sites.sort_by_key(|&SiteId { procedure, statement }| {
            (procedure, self.facts.procedure(procedure).statement(statement).span.start, statement)
        });
        sites
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
                self.selection.stays.contains(&site)
                    || self.moves.get(&site).is_some_and(Moves::gained)
                    || with_moved_wait.contains(&site)
                    || Surroundings { facts: self.facts, procedure: site.procedure }.is_overlapped(site)
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
