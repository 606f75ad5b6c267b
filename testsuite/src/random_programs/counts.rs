//! How often each transformation was applied to random programs, and how often it was refused for which reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::report::{Site, Status};

use super::batch::Outcome;
use super::subjects::Subject;

/// The transformations.
const TRANSFORMATIONS: [&str; 7] = [
    "decompose-alltoall",
    "drop-pack",
    "hoist-receive",
    "sink-wait",
    "split-loop",
    "strip-mine-consumer",
    "strip-mine-producer",
];
/// Ways of transformations into other procedures: the transformation, and by which words of the report they are known. The
/// rare ones come last.
const WAYS: [(&str, &str); 5] = [
    ("hoist-receive", "by the caller"),
    ("sink-wait", "by the caller"),
    ("sink-wait", "is waited for in"),
    ("split-loop", "by the caller"),
    ("split-loop", "is waited for in"),
];
/// So many of the ways many programs are certain to go.
const CERTAIN_WAYS: usize = 3;
/// Reasons that random programs can meet: with many of them, each must have been met.
const REACHABLE: [&str; 17] = [
    "access-in-between",
    "wildcard",
    "carried-floating-point",
    "class-member-kept",
    "control-in-between",
    "dependent-iterations",
    "effect-in-between",
    "halo-read-inside",
    "loop-has-effects",
    "message-not-covered",
    "no-producing-loop",
    "no-work-in-between",
    "not-produced-in-order",
    "nothing-to-overlap",
    "order-in-between",
    "send-mode",
    "sent-in-place",
];

/// Everything that shall happen to random programs: transformations, ways, what transformed calls are about, reasons.
pub fn all_goals() -> Vec<String> {
    let names = TRANSFORMATIONS.into_iter().chain(Subject::ALL.into_iter().map(Subject::name)).chain(REACHABLE);
    names.map(str::to_owned).chain(WAYS.iter().map(name_of_way)).collect()
}

/// Those that happen to some of a thousand programs.
pub fn certain_goals() -> Vec<String> {
    let rare = WAYS.len() - CERTAIN_WAYS;
    let mut goals = all_goals();
    goals.truncate(goals.len() - rare);
    goals
}

/// What of that has happened to each of so many programs.
pub fn goals_by_program(outcome: &Outcome, programs: usize) -> Vec<BTreeSet<String>> {
    let mut reached = vec![BTreeSet::new(); programs];
    for site in &outcome.report.sites {
        if let Some(owner) = outcome.owners.get(site.line - 1).copied().flatten() {
            reached[owner].extend(goals_at(outcome, site));
        }
    }
    reached
}

/// What of that has happened at a call.
fn goals_at(outcome: &Outcome, site: &Site) -> Vec<String> {
    let actions = || site.actions.iter();
    let transformations = TRANSFORMATIONS.into_iter().filter(|name| actions().any(|it| it.transformation == *name));
    let subjects = Subject::of_call(&outcome.statement(site.line)).into_iter().map(Subject::name);
    let subjects = subjects.filter(|_| site.status == Status::Transformed);
    let reasons = REACHABLE.into_iter().filter(|code| reasons_at(site).any(|found| found == *code));
    let ways = WAYS.iter().filter(|way| actions().any(|action| is_way(way, &action.transformation, &action.text)));
    let names = transformations.chain(subjects).chain(reasons).map(str::to_owned);
    names.chain(ways.map(name_of_way)).collect()
}

/// Why the call, or some transformation of it, was refused.
fn reasons_at(site: &Site) -> impl Iterator<Item = &String> {
    site.missed.iter().map(|missed| &missed.code).chain(site.reason.iter().map(|reason| &reason.code))
}

fn is_way((of, words): &(&str, &str), transformation: &str, text: &str) -> bool {
    transformation == *of && text.contains(words)
}

fn name_of_way((transformation, words): &(&str, &str)) -> String {
    format!("{transformation} \"{words}\"")
}

/// The counts.
#[derive(Debug, Default)]
pub struct Counts {
    /// Programs.
    pub programs: usize,
    /// Programs of which something was transformed.
    pub transformed: usize,
    sites: [usize; 2],
    /// By what calls are about: how many were kept, and how many transformed, in how many programs.
    subjects: BTreeMap<Subject, (usize, usize, usize)>,
    fired: BTreeMap<String, usize>,
    ways: [usize; WAYS.len()],
    refused: BTreeMap<String, usize>,
}

impl Counts {
    /// Counts a batch of so many programs.
    pub fn add(&mut self, programs: usize, outcome: &Outcome) {
        self.programs += programs;
        let mut transformed = BTreeSet::new();
        let mut about: BTreeSet<(Subject, Option<usize>)> = BTreeSet::new();
        for site in &outcome.report.sites {
            let is_transformed = site.status == Status::Transformed;
            self.sites[usize::from(is_transformed)] += 1;
            let owner = outcome.owners.get(site.line - 1).copied().flatten();
            if is_transformed {
                transformed.extend(owner);
            }
            for subject in Subject::of_call(&outcome.statement(site.line)) {
                let (kept, carried, programs) = self.subjects.entry(subject).or_default();
                *if is_transformed { carried } else { kept } += 1;
                *programs += usize::from(is_transformed && about.insert((subject, owner)));
            }
            for action in &site.actions {
                *self.fired.entry(action.transformation.clone()).or_default() += 1;
                for (way, count) in WAYS.iter().zip(&mut self.ways) {
                    *count += usize::from(is_way(way, &action.transformation, &action.text));
                }
            }
            for code in reasons_at(site) {
                *self.refused.entry(code.clone()).or_default() += 1;
            }
        }
        self.transformed += transformed.len();
    }

    /// Have enough programs been transformed?
    ///
    /// # Errors
    /// How many were.
    pub fn check(&self) -> Result<(), String> {
        if 2 * self.transformed < self.programs {
            return Err(format!("of {} programs only {} were transformed", self.programs, self.transformed));
        }
        Ok(())
    }

    /// Which of the goals have never happened.
    pub fn never_happened<'g>(&self, goals: impl IntoIterator<Item = &'g String>) -> Vec<&'g str> {
        let happened = |goal: &str| {
            self.fired.contains_key(goal)
                || self.refused.contains_key(goal)
                || Subject::ALL.into_iter().any(|subject| subject.name() == goal && self.transformed_about(subject) > 0)
                || self.ways().any(|(way, count)| way == goal && count > 0)
        };
        goals.into_iter().map(String::as_str).filter(|goal| !happened(goal)).collect()
    }

    /// The ways into other procedures, and how often each was gone.
    fn ways(&self) -> impl Iterator<Item = (String, usize)> {
        WAYS.iter().zip(self.ways).map(|(way, count)| (name_of_way(way), count))
    }

    /// How many calls about this were transformed.
    fn transformed_about(&self, subject: Subject) -> usize {
        self.subjects.get(&subject).map_or(0, |(_, transformed, _)| *transformed)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs, {} of them transformed; {} calls transformed, {} kept",
            self.programs, self.transformed, self.sites[1], self.sites[0]
        )?;
        let list = |counts: &BTreeMap<String, usize>| {
            counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        let subjects = self.subjects.iter().map(|(subject, (kept, transformed, programs))| {
            format!("{} {transformed} ({programs} programs; {kept} kept)", subject.name())
        });
        writeln!(f, "transformed calls about: {}", subjects.collect::<Vec<_>>().join(", "))?;
        writeln!(f, "applied: {}", list(&self.fired))?;
        let ways: Vec<String> = self.ways().map(|(way, count)| format!("{way} {count}")).collect();
        writeln!(f, "of these across procedures: {}", ways.join(", "))?;
        write!(f, "not applied: {}", list(&self.refused))
    }
}
