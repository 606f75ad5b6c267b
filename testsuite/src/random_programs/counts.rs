//! How often each transformation was applied to random programs, and how often it was refused for which reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::report::Status;

use super::batch::Outcome;

/// The transformations.
const TRANSFORMATIONS: [&str; 6] =
    ["decompose-alltoall", "hoist-receive", "sink-wait", "split-loop", "strip-mine-consumer", "strip-mine-producer"];
/// Those that only many programs are certain to meet.
const RARE_TRANSFORMATIONS: [&str; 1] = ["drop-pack"];
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
    fired: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
}

impl Counts {
    /// Counts a batch of so many programs.
    pub fn add(&mut self, programs: usize, outcome: &Outcome) {
        self.programs += programs;
        let mut transformed = BTreeSet::new();
        for site in &outcome.report.sites {
            let is_transformed = site.status == Status::Transformed;
            self.sites[usize::from(is_transformed)] += 1;
            if is_transformed {
                transformed.extend(outcome.owners.get(site.line - 1).copied().flatten());
            }
            for action in &site.actions {
                *self.fired.entry(action.transformation.clone()).or_default() += 1;
            }
            let missed = site.missed.iter().map(|missed| &missed.code);
            for code in missed.chain(site.reason.iter().map(|reason| &reason.code)) {
                *self.refused.entry(code.clone()).or_default() += 1;
            }
        }
        self.transformed += transformed.len();
    }

    /// Have enough programs been transformed, and (`is_long`) has everything happened that can?
    ///
    /// # Errors
    /// What has not.
    pub fn check(&self, is_long: bool) -> Result<(), String> {
        if 2 * self.transformed < self.programs {
            return Err(format!("of {} programs only {} were transformed", self.programs, self.transformed));
        }
        let never: Vec<&str> = TRANSFORMATIONS
            .into_iter()
            .chain(RARE_TRANSFORMATIONS.into_iter().filter(|_| is_long))
            .filter(|name| !self.fired.contains_key(*name))
            .chain(REACHABLE.into_iter().filter(|code| is_long && !self.refused.contains_key(*code)))
            .collect();
        if never.is_empty() { Ok(()) } else { Err(format!("never happened: {}", never.join(", "))) }
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
        writeln!(f, "applied: {}", list(&self.fired))?;
        write!(f, "not applied: {}", list(&self.refused))
    }
}
