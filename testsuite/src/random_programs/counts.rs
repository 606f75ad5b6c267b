//! How often each transformation was applied to random programs, and how often it was refused for which reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::report::Status;

use super::batch::Outcome;
use super::fortran::Subject;

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
                for ((transformation, words), count) in WAYS.iter().zip(&mut self.ways) {
                    *count += usize::from(action.transformation == *transformation && action.text.contains(words));
                }
            }
            let missed = site.missed.iter().map(|missed| &missed.code);
            for code in missed.chain(site.reason.iter().map(|reason| &reason.code)) {
                *self.refused.entry(code.clone()).or_default() += 1;
            }
        }
        self.transformed += transformed.len();
    }

    /// Have enough programs been transformed, and has `everything` happened that can?
    ///
    /// # Errors
    /// What has not.
    pub fn check(&self, everything: bool) -> Result<(), String> {
        if 2 * self.transformed < self.programs {
            return Err(format!("of {} programs only {} were transformed", self.programs, self.transformed));
        }
        let names = TRANSFORMATIONS
            .into_iter()
            .filter(|name| !self.fired.contains_key(*name))
            .chain(Subject::ALL.into_iter().filter(|subject| self.transformed_about(*subject) == 0).map(Subject::name))
            .chain(REACHABLE.into_iter().filter(|code| everything && !self.refused.contains_key(*code)));
        let mut never: Vec<String> = names.map(str::to_owned).collect();
        let certain = self.ways().take(CERTAIN_WAYS);
        never.extend(certain.filter(|(_, count)| *count == 0 && everything).map(|(way, _)| way));
        if never.is_empty() { Ok(()) } else { Err(format!("never happened: {}", never.join(", "))) }
    }

    /// The ways into other procedures, and how often each was gone.
    fn ways(&self) -> impl Iterator<Item = (String, usize)> {
        WAYS.iter()
            .zip(self.ways)
            .map(|((transformation, words), count)| (format!("{transformation} \"{words}\""), count))
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
