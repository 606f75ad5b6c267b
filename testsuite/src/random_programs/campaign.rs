//! Many random programs, batch by batch.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tally::Tally;

use super::batch::{Finding, Setup, Workshop, Wrong};
use super::counts::Counts;
use super::generator::generate;
use super::program::Program;
use super::shrink::shrink;

/// Programs in a file.
const TOGETHER: u64 = 16;
/// How often the smallest program is run to see it fail.
const ATTEMPTS: usize = 5;
/// Findings after which it ends: there is enough to look at.
const MOST_FINDINGS: usize = 6;

/// How many programs, and which.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// The number of the first one.
    pub seed: u64,
    /// How many.
    pub programs: u64,
    /// No batch begins when so much time is over.
    pub limit: Duration,
    /// How long one finding may be made smaller.
    pub shrinking: Duration,
    /// Everything that can happen must happen.
    pub reaches_everything: bool,
    /// The runtime has a hostile provider.
    pub has_hostile: bool,
}

impl Campaign {
    /// Runs them. What is wrong is made smaller, and written into a folder of its own in the workshop's.
    pub fn run(&self, workshop: &Workshop, tally: &mut Tally) {
        let began = Instant::now();
        let mut counts = Counts::default();
        let mut findings = 0;
        let mut next = self.seed;
        while next < self.seed + self.programs && began.elapsed() < self.limit && findings < MOST_FINDINGS {
            let count = TOGETHER.min(self.seed + self.programs - next);
            let seeds: Vec<u64> = (next..next + count).collect();
            let setup = Setup::numbered(next / TOGETHER, self.has_hostile);
            let programs: Vec<Program> = seeds.iter().map(|&seed| generate(seed)).collect();
            let references: Vec<&Program> = programs.iter().collect();
            match workshop.run(&references, &setup) {
                Ok(outcome) => {
                    counts.add(programs.len(), &outcome);
                    (outcome.findings.len()..programs.len()).for_each(|_| tally.pass());
                    for finding in &outcome.findings {
                        let name = format!("random program {}", seeds[finding.program]);
                        let message = self.look_closer(workshop, &programs, &setup, finding, seeds[finding.program]);
                        tally.fail(&name, message);
                        findings += 1;
                    }
                }
                Err(message) => {
                    tally.fail(&format!("random programs {}", describe(&seeds)), message);
                    findings += 1;
                }
            }
            next += count;
        }
        let seconds = began.elapsed().as_secs_f64();
        println!("{}", crate::tally::indented(&counts.to_string()));
        println!("    {:.1} programs per second", counts.programs as f64 / seconds);
        let done = next - self.seed;
        if done < self.programs {
            let reason = format!("random programs: the time of {} s was over", self.limit.as_secs());
            tally.skip(reason, usize::try_from(self.programs - done).unwrap_or(usize::MAX));
        }
        if findings == 0 {
            tally.check("random programs reach every transformation", counts.check(self.reaches_everything));
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
        let text = format!(
            "{what}\n{}, {} ranks\n{message}\nsee original.f90 and transformed.f90 in {}",
            setup.build,
            setup.ranks,
            folder.display()
        );
        keep(&folder.join("finding.txt"), &text);
        keep(&folder.join("program.txt"), &format!("{small:#?}"));
        text
    }
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
