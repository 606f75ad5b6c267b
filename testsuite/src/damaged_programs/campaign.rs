//! Many damaged programs, as many at a time as there are processors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::corpus::{self, Program};
use super::damage::damaged;
use super::reduce::reduced;
use super::run::{Outcome, Request, Trouble, run};
use crate::gravelc::Gravelc;
use crate::side_by_side::check_each;
use crate::tally::Tally;

/// Programs between two looks at the time.
const TOGETHER: u64 = 256;
/// How long one finding may be made smaller.
const REDUCING: Duration = Duration::from_secs(120);
/// Findings after which it ends: there is enough to look at.
const MOST_FINDINGS: usize = 8;
/// Of many programs at least one in so many must be read: what is always refused shows little.
const LEAST_ACCEPTED: usize = 4;

/// How many programs, and which.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// The number of the first one.
    pub seed: u64,
    /// How many.
    pub programs: u64,
    /// None begins when so much time is over.
    pub limit: Duration,
}

impl Campaign {
    /// Runs them in this folder, where the smallest programs that are found stay.
    pub fn run(&self, gravelc: &Gravelc, folder: &Path, tally: &mut Tally) {
        let corpus = match corpus::all() {
            Ok(corpus) => corpus,
            Err(message) => return tally.fail("damaged programs", message),
        };
        let began = Instant::now();
        let [accepted, refused, findings] = [AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)];
        let end = self.seed + self.programs;
        let mut next = self.seed;
        while next < end && began.elapsed() < self.limit && findings.load(Ordering::Relaxed) < MOST_FINDINGS {
            let numbers: Vec<u64> = (next..end.min(next + TOGETHER)).collect();
            check_each(&numbers, tally, |&number, tally| {
                let place = folder.join(number.to_string());
                let name = format!("damaged program {number}");
                let program = damaged(number, &corpus);
                match run(gravelc, &program, Request::numbered(number), &place) {
                    Ok(Ok(outcome)) => {
                        let counter = if outcome == Outcome::Accepted { &accepted } else { &refused };
                        counter.fetch_add(1, Ordering::Relaxed);
                        tally.pass();
                    }
                    Ok(Err(trouble)) => {
                        findings.fetch_add(1, Ordering::Relaxed);
                        tally.fail(&name, look_closer(gravelc, &program, number, &trouble, folder));
                    }
                    Err(message) => tally.fail(&name, message),
                }
                let _ = fs::remove_dir_all(place);
            });
            next += numbers.len() as u64;
        }
        let [accepted, refused] = [accepted, refused].map(AtomicUsize::into_inner);
        println!("    {accepted} read, {refused} refused with a message");
        let reason = match findings.into_inner() {
            MOST_FINDINGS.. => "damaged programs: enough was found",
            _ => "damaged programs: the time was over",
        };
        tally.skip(reason, usize::try_from(end - next).unwrap_or(usize::MAX));
        if self.programs >= TOGETHER && accepted * LEAST_ACCEPTED < accepted + refused {
            tally.fail("damaged programs", format!("only {accepted} are read: the others reach no analysis"));
        }
    }
}

/// Makes the program smaller, keeps it, and says how to see the trouble again.
fn look_closer(gravelc: &Gravelc, program: &Program, number: u64, trouble: &Trouble, folder: &Path) -> String {
    let request = Request::numbered(number);
    let kept: PathBuf = folder.join(format!("found-{number}"));
    let mut is_in_trouble = |program: &Program| {
        let found = run(gravelc, program, request, &kept);
        matches!(found, Ok(Err(found)) if found.is_like(trouble))
    };
    let small = reduced(program, REDUCING, &mut is_in_trouble);
    let again = if is_in_trouble(&small) { "the smallest program found is" } else { "not seen again; it was" };
    let bytes: usize = small.files.iter().map(|(_, text)| text.len()).sum();
    format!(
        "{trouble}\nof {}; {again} in {} ({bytes} bytes, {request:?})\nagain: cargo suite --only damaged --programs 1 --seed {number}",
        program.name,
        kept.display()
    )
}
