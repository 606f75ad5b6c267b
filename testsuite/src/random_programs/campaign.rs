//! Many random programs, batch by batch.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::source_language::SourceLanguage;
use crate::tally::Tally;

use super::batch::{Finding, Setup, Workshop, Wrong};
use super::counts::{Counts, certain_goals};
use super::generator::generate;
use super::program::Program;
use super::seeds::{self, REFRESH, Reached, TOGETHER};
use super::shrink::shrink;

/// How often the smallest program is run to see it fail.
const ATTEMPTS: usize = 5;
/// Findings after which it ends: there is enough to look at.
const MOST_FINDINGS: usize = 6;

/// How many programs, and which.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// Those that come first, whatever time they take: what is said of them must happen to them, and all that is not rare.
    pub fixed: Reached,
    /// The number of the first one of the others.
    pub seed: u64,
    /// How many others.
    pub programs: u64,
    /// No batch of others begins when so much time is over.
    pub limit: Duration,
    /// How long one finding may be made smaller.
    pub shrinking: Duration,
    /// The others are so many that everything must happen to them, too, but for what is rare.
    pub reaches_everything: bool,
    /// The runtime has a hostile provider.
    pub has_hostile: bool,
    /// The language of the others; without one, batches are in one or another.
    pub language: Option<SourceLanguage>,
}

/// What has come of the programs so far.
#[derive(Default)]
struct Seen {
    counts: Counts,
    findings: usize,
}

impl Campaign {
    /// Runs them. What is wrong is made smaller, and written into a folder of its own in the workshop's.
    pub fn run(&self, workshop: &Workshop, tally: &mut Tally) {
        let began = Instant::now();
        let mut fixed = Seen::default();
        let seeds: Vec<u64> = self.fixed.keys().copied().collect();
        for (number, seeds) in (0..).zip(seeds.chunks(TOGETHER)) {
            self.run_batch(workshop, seeds, &Setup::numbered(number, self.has_hostile), &mut fixed, tally);
        }
        let (mut seen, mut next, end) =
            (Seen { findings: fixed.findings, ..Seen::default() }, self.seed, self.seed + self.programs);
        while next < end && began.elapsed() < self.limit && seen.findings < MOST_FINDINGS {
            let seeds: Vec<u64> = (next..end).take(TOGETHER).collect();
            let number = next / TOGETHER as u64;
            let language = self.language.unwrap_or_else(|| language_of(number));
            let setup = Setup { language, ..Setup::numbered(number, self.has_hostile) };
            self.run_batch(workshop, &seeds, &setup, &mut seen, tally);
            next += seeds.len() as u64;
        }
        let seconds = began.elapsed().as_secs_f64();
        for (which, counts) in [("of the fixed list: ", &fixed.counts), ("", &seen.counts)] {
            if counts.programs > 0 {
                println!("{}", crate::tally::indented(&format!("{which}{counts}")));
            }
        }
        println!("    {:.1} programs per second", (fixed.counts.programs + seen.counts.programs) as f64 / seconds);
        if next < end {
            let reason = format!("random programs: the time of {} s was over", self.limit.as_secs());
            tally.skip(reason, usize::try_from(end - next).unwrap_or(usize::MAX));
        }
        if seen.findings > 0 {
            return;
        }
        if !self.fixed.is_empty() {
            let goals: BTreeSet<String> =
                certain_goals().into_iter().chain(self.fixed.values().flatten().cloned()).collect();
            let reached = reaches_all(&fixed.counts, &goals).map_err(|never| {
                format!(
                    "{never}\nThe generator makes other programs of the seeds in {}, or gravelc makes other text of them, than \
                     when the list was written. If that is as it should be, `{REFRESH}` writes a new list.",
                    seeds::path().display()
                )
            });
            tally.check("the fixed random programs reach every transformation", reached);
        }
        if self.reaches_everything {
            tally.check(
                "random programs reach every transformation",
                reaches_all(&seen.counts, &certain_goals().into_iter().collect()),
            );
        }
        tally.check("random programs are transformed", seen.counts.check());
    }

    /// Runs the programs with these seeds.
    fn run_batch(&self, workshop: &Workshop, seeds: &[u64], setup: &Setup, seen: &mut Seen, tally: &mut Tally) {
        let programs: Vec<Program> = seeds.iter().map(|&seed| generate(seed)).collect();
        let references: Vec<&Program> = programs.iter().collect();
        match workshop.run(&references, setup) {
            Ok(outcome) => {
                seen.counts.add(programs.len(), &outcome);
                (outcome.findings.len()..programs.len()).for_each(|_| tally.pass());
                for finding in &outcome.findings {
                    let name = format!("random program {}", seeds[finding.program]);
                    let message = self.look_closer(workshop, &programs, setup, finding, seeds[finding.program]);
                    tally.fail(&name, message);
                    seen.findings += 1;
                }
            }
            Err(message) => {
                tally.fail(&format!("random programs {}", describe(seeds)), message);
                seen.findings += 1;
            }
        }
    }

    /// Makes a finding smaller, and keeps it.
    fn look_closer(
        &self,
        workshop: &Workshop,
        programs: &[Program],
        setup: &Setup,
        finding: &Finding,
        seed: u64,
    ) -> String {
        let folder = workshop.folder.join(format!("finding-{seed}"));
        let shrinking = Workshop { gravelc: workshop.gravelc, folder: folder.clone(), limit: workshop.limit };
        let small = shrink(&shrinking, &programs[finding.program], setup, &finding.wrong, self.shrinking);
        // Leaves its files in the folder. What depends on timing is not wrong every time.
        let again = (0..ATTEMPTS).find_map(|_| match shrinking.run(&[&small], setup) {
            Ok(outcome) => outcome.findings.into_iter().next(),
            Err(message) => Some(Finding { message, ..finding.clone() }),
        });
        let (again, remark) = match again {
            Some(again) => (again, ""),
            None => (
                finding.clone(),
                "(alone and made smaller it is right now and then; this is what it was among others)\n",
            ),
        };
        let message = format!("{remark}{}", again.message);
        let what = match &again.wrong {
            Wrong::Original => "the original is not as expected".to_owned(),
            Wrong::TooSlow(None) => "the original does not end in time".to_owned(),
            Wrong::Transformed(run) | Wrong::TooSlow(Some(run)) => {
                let settings: Vec<String> =
                    run.environment().iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("the transformed program is wrong with {}", settings.join(" "))
            }
        };
        let ending = setup.language.ending();
        let text = format!(
            "{what}\n{}, {} ranks\n{message}\nsee original.{ending} and transformed.{ending} in {}",
            setup.build,
            setup.ranks,
            folder.display()
        );
        keep(&folder.join("finding.txt"), &text);
        keep(&folder.join("program.txt"), &format!("{small:#?}"));
        text
    }
}

/// The language of a batch, by its number.
fn language_of(number: u64) -> SourceLanguage {
    match fastrand::Rng::with_seed(number ^ 0xc0de).bool() {
        true => SourceLanguage::C,
        false => SourceLanguage::Fortran,
    }
}

/// Has all of this happened?
fn reaches_all(counts: &Counts, goals: &BTreeSet<String>) -> Result<(), String> {
    let never = counts.never_happened(goals);
    if never.is_empty() { Ok(()) } else { Err(format!("never happened: {}", never.join(", "))) }
}

fn keep(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        println!("    cannot write {}: {error}", path.display());
    }
}

fn describe(seeds: &[u64]) -> String {
    match (seeds.first(), seeds.last()) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_in_both_languages() {
        let in_c: Vec<u64> = (0..64).filter(|&number| language_of(number) == SourceLanguage::C).collect();
        assert!((16..48).contains(&in_c.len()), "{in_c:?}");
        // With each MPI.
        assert!([0, 1].iter().all(|rest| in_c.iter().filter(|number| *number % 2 == *rest).count() >= 8), "{in_c:?}");
    }
}
