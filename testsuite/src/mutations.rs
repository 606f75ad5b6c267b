//! Tests of the tests: with a clause of the safety contract switched off in gravelc (its module `mutations`), some test
//! must fail.
//!
//! First the reports about the trap programs are looked at, then trap programs are run, then random ones. The first test
//! that notices is named in the table that is printed.

mod table;

use std::path::Path;
use std::time::Duration;

use crate::case::{Case, read};
use crate::configuration::Effort;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::random_programs::batch::{Setup, Workshop, Wrong};
use crate::random_programs::generator::generate;
use crate::random_programs::program::Program;
use crate::tally::Tally;
use crate::trap::Trap;

pub use self::table::Campaigns;

/// Batches of random programs that are tried for a clause.
const BATCHES: u64 = 12;
/// Random programs of a batch.
const TOGETHER: u64 = 16;

/// Switches clauses off, one at a time, and finds a test that fails.
pub fn check(mutated: &Gravelc, clauses: &[&str], scratch: &Path, tally: &mut Tally) {
    let traps = match Trap::all() {
        Ok(traps) => traps,
        Err(message) => return tally.fail("mutations", message),
    };
    for &clause in clauses {
        let gravelc = mutated.clone().with("GRAVEL_MUTATION", clause);
        let folder = scratch.join(clause);
        let caught = by_reports(&gravelc, &traps, &folder)
            .or_else(|| by_random_programs(&gravelc, &folder))
            .or_else(|| by_runs([&gravelc, mutated], &traps, &folder));
        match caught {
            Some(test) => {
                println!("    {clause:28} {test}");
                tally.pass();
            }
            None => tally.fail(&format!("mutation {clause}"), "no test notices that this clause is switched off"),
        }
    }
}

/// The traps whose reports are not as they must be.
fn by_reports(gravelc: &Gravelc, traps: &[Trap], folder: &Path) -> Option<String> {
    let sprung: Vec<&str> = traps
        .iter()
        .filter(|trap| trap.check(gravelc, &folder.join("reports").join(&trap.name)).is_err())
        .map(|trap| trap.name.as_str())
        .collect();
    let first = sprung.first()?;
    Some(if sprung.len() == 1 {
        format!("trap {first}")
    } else {
        format!("trap {first}, and {} more", sprung.len() - 1)
    })
}

/// A trap whose transformed program is another one with the clause switched off, and prints something else only then.
fn by_runs([gravelc, whole]: [&Gravelc; 2], traps: &[Trap], folder: &Path) -> Option<String> {
    let transformed = |gravelc: &Gravelc, trap: &Trap, which: &str| {
        let destination = folder.join("traps").join(which).join(&trap.name);
        Case::transformed_by(gravelc, trap.name.as_str(), &trap.file, &destination)
    };
    let fails = |gravelc: &Gravelc, case: &Case| {
        let effort = Effort::Sample { builds: 1, executions: 3 };
        let equivalence = Equivalence { gravelc, scratch: folder.join("runs"), effort, environment: Vec::new() };
        let mut runs = Tally::silent();
        equivalence.check(case, &mut runs);
        !runs.is_clean()
    };
    let notices = |trap: &&Trap| {
        let Ok(right) = transformed(whole, trap, "whole") else { return false };
        let Ok(found) = transformed(gravelc, trap, "mutated") else { return true };
        let are_alike =
            matches!((read(&right.transformed), read(&found.transformed)), (Ok(one), Ok(other)) if one == other);
        !are_alike && fails(gravelc, &found) && !fails(whole, &right)
    };
    traps.iter().find(notices).map(|trap| format!("trap {}, run", trap.name))
}

/// A random program that gravelc makes print something else.
fn by_random_programs(gravelc: &Gravelc, folder: &Path) -> Option<String> {
    let workshop = Workshop { gravelc, folder: folder.join("random"), limit: Duration::from_secs(30) };
    (0..BATCHES).find_map(|batch| {
        let seeds: Vec<u64> = (0..TOGETHER).map(|number| 2_000_000 + batch * TOGETHER + number).collect();
        let programs: Vec<Program> = seeds.iter().map(|&seed| generate(seed)).collect();
        let outcome = workshop.run(&programs.iter().collect::<Vec<_>>(), &Setup::numbered(batch, false));
        match outcome {
            Ok(outcome) => {
                // A busy machine is no test.
                let first = outcome.findings.iter().find(|finding| !matches!(finding.wrong, Wrong::TooSlow(_)))?;
                Some(format!("random program {}", seeds[first.program]))
            }
            // That says nothing about gravelc.
            Err(message) if message.starts_with("the original") => None,
            Err(message) => {
                let line = message.lines().next().unwrap_or_default().to_owned();
                Some(format!("random programs {} to {}: {line}", seeds[0], seeds[seeds.len() - 1]))
            }
        }
    })
}
