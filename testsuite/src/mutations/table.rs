//! How many random programs notice each clause that is switched off.
//!
//! Few programs are translated otherwise without a clause, and only these are built and run: their originals are as they were,
//! so they are left out.

use std::path::Path;
use std::time::Duration;

use crate::gravelc::Gravelc;
use crate::random_programs::batch::{Setup, Workshop, Wrong};
use crate::random_programs::generator::generate;
use crate::random_programs::program::Program;
use crate::tally::Tally;

/// Programs in a file.
const TOGETHER: usize = 16;
/// Of those that are translated otherwise, so many are run at most.
const MOST_RUN: usize = 96;
/// When so many have noticed, no more are run: each that breaks off costs a further file.
const ENOUGH: usize = 6;
/// A file of programs may run so long; it takes a second. That one takes longer counts where it is seen twice: by itself, too.
const LIMIT: Duration = Duration::from_secs(8);

/// Random programs against clauses that are switched off.
#[derive(Debug, Clone, Copy)]
pub struct Campaigns {
    /// The number of the first program.
    pub seed: u64,
    /// How many.
    pub programs: u64,
}

/// What came of a clause.
#[derive(Debug, Default)]
struct Row {
    /// The programs that are translated otherwise.
    changed: usize,
    /// Those of them that were run.
    run: usize,
    /// The numbers of those that were wrong.
    noticed: Vec<u64>,
    /// Files that could not be translated or built.
    refused: usize,
}

impl Campaigns {
    /// Switches clauses off, one at a time, and prints how many programs notice.
    pub fn run(&self, mutated: &Gravelc, clauses: &[&str], scratch: &Path, tally: &mut Tally) {
        let programs: Vec<(u64, Program)> =
            (self.seed..self.seed + self.programs).map(|seed| (seed, generate(seed))).collect();
        let refused = &mut |_, message| Err(message);
        let plain = match texts(mutated, &scratch.join("all-clauses"), &programs, refused) {
            Ok(texts) => texts,
            Err(message) => return tally.fail("mutations: random programs", message),
        };
        println!("    {:28} {:>8} {:>8} {:>8}", "clause", "changed", "run", "noticed");
        for &clause in clauses {
            let gravelc = mutated.clone().with("GRAVEL_MUTATION", clause);
            match self.row(&gravelc, &scratch.join(clause), &programs, &plain) {
                Ok(row) => {
                    let examples: Vec<String> = row.noticed.iter().take(4).map(u64::to_string).collect();
                    let refused = match row.refused {
                        0 => String::new(),
                        files => format!(" ({files} files refused)"),
                    };
                    let least = if row.noticed.len() >= ENOUGH { ">=" } else { "" };
                    let noticed = format!("{least}{}", row.noticed.len());
                    let (changed, run) = (row.changed, row.run);
                    println!("    {clause:28} {changed:>8} {run:>8} {noticed:>8}  {}{refused}", examples.join(" "));
                    tally.pass();
                }
                Err(message) => tally.fail(&format!("mutations: {clause}"), message),
            }
        }
    }

    fn row(
        &self,
        gravelc: &Gravelc,
        folder: &Path,
        programs: &[(u64, Program)],
        plain: &[String],
    ) -> Result<Row, String> {
        let mut row = Row::default();
        let texts = texts(gravelc, &folder.join("translated"), programs, &mut |first, _| {
            row.refused += 1;
            Ok(plain[first..plain.len().min(first + TOGETHER)].to_vec())
        })?;
        let changed: Vec<&(u64, Program)> = programs
            .iter()
            .zip(plain.iter().zip(&texts))
            .filter(|(_, (one, other))| one != other)
            .map(|(it, _)| it)
            .collect();
        row.changed = changed.len();
        let workshop = Workshop { gravelc, folder: folder.join("run"), limit: LIMIT };
        for (number, group) in (0..).zip(changed[..changed.len().min(MOST_RUN)].chunks(TOGETHER)) {
            if row.noticed.len() >= ENOUGH {
                break;
            }
            row.run += group.len();
            // Both MPIs, in turns.
            run(&workshop, group.to_vec(), &Setup::numbered(number, false), &mut row);
        }
        row.noticed.sort_unstable();
        Ok(row)
    }
}

/// Runs programs until none of them hides others.
fn run(workshop: &Workshop, mut group: Vec<&(u64, Program)>, setup: &Setup, row: &mut Row) {
    while !group.is_empty() && row.noticed.len() < ENOUGH {
        let references: Vec<&Program> = group.iter().map(|(_, program)| program).collect();
        let Ok(checked) = workshop.run_transformed(&references, setup) else {
            row.refused += 1;
            return;
        };
        for finding in &checked.findings {
            let (seed, program) = group[finding.program];
            let is_slow = matches!(finding.wrong, Wrong::TooSlow(_));
            let is_wrong = !is_slow
                || group.len() == 1
                || workshop.run_transformed(&[program], setup).is_ok_and(|alone| !alone.findings.is_empty());
            if is_wrong {
                row.noticed.push(*seed);
            }
        }
        if checked.is_complete || checked.findings.is_empty() {
            return;
        }
        let wrong: Vec<usize> = checked.findings.iter().map(|finding| finding.program).collect();
        let mut number = 0;
        group.retain(|_| {
            number += 1;
            !wrong.contains(&(number - 1))
        });
    }
}

/// The text of each program, translated; of those of a file that is refused what `refused` says, by the place of
/// the first one and gravelc's message.
fn texts(
    gravelc: &Gravelc,
    folder: &Path,
    programs: &[(u64, Program)],
    refused: &mut dyn FnMut(usize, String) -> Result<Vec<String>, String>,
) -> Result<Vec<String>, String> {
    let workshop = Workshop { gravelc, folder: folder.to_owned(), limit: LIMIT };
    let mut texts = Vec::with_capacity(programs.len());
    for group in programs.chunks(TOGETHER) {
        let references: Vec<&Program> = group.iter().map(|(_, program)| program).collect();
        texts.extend(workshop.transformed_texts(&references).or_else(|message| refused(texts.len(), message))?);
    }
    Ok(texts)
}
