//! Programs that copy requests, store them, hand them around and complete them elsewhere, as an adversary would: transformed and
//! run against what they print as they are. A request that comes to the wrong library ends the program, or hangs it.

mod generator;
mod ways;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use crate::case::{Case, read};
use crate::directives::Directives;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::report::Status;
use crate::side_by_side::check_each;
use crate::tally::Tally;

use self::generator::generate;

pub use self::generator::FIXED_BATCH;

/// How many calls there are, and how many of them are transformed.
type Counts = BTreeMap<&'static str, (usize, usize)>;

/// Transforms and runs `count` programs from number `first` on: every other one with all that can be converted, moved or not.
pub fn check(gravelc: &Gravelc, equivalence: &Equivalence, (first, count): (u64, u64), tally: &mut Tally) {
    let in_place = gravelc.clone().in_place();
    let counts = Mutex::new(Counts::new());
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    check_each(&numbers, tally, |&number, tally| {
        let (how, gravelc) = if number % 2 == 0 { ("in place", &in_place) } else { ("moved", gravelc) };
        let name = format!("wandering-requests/{number}");
        match transform(gravelc, &name, number, &equivalence.scratch) {
            Ok((case, (all, transformed))) => {
                if let Ok(mut counts) = counts.lock() {
                    let of_kind = counts.entry(how).or_default();
                    of_kind.0 += all;
                    of_kind.1 += transformed;
                }
                equivalence.check(&case, tally);
            }
            Err(message) => tally.fail(&name, message),
        }
    });
    let Ok(counts) = counts.into_inner() else { return tally.fail("wandering requests", "a check ended early") };
    let told: Vec<String> =
        counts.iter().map(|(how, (all, transformed))| format!("{how}: {transformed} of {all}")).collect();
    println!("    calls that are transformed: {}", told.join(", "));
    if count >= FIXED_BATCH {
        let idle = counts.iter().find(|(_, (all, transformed))| 2 * transformed < *all);
        let result = idle.map_or(Ok(()), |(how, _)| Err(format!("less than half of the calls is transformed ({how})")));
        tally.check("wandering requests: they are Gravel's", result);
        tally.check(
            "wandering requests: a wrong library is noticed",
            check_that_wrong_calls_are_noticed(&in_place, equivalence),
        );
    }
}

/// Hands requests of Gravel to MPI, as a transformation would that overlooks a call.
fn check_that_wrong_calls_are_noticed(gravelc: &Gravelc, equivalence: &Equivalence) -> Result<(), String> {
    let name = "wandering-requests/broken-by-hand";
    let (mut case, _) = transform(gravelc, name, 0, &equivalence.scratch)?;
    let text = String::from_utf8_lossy(&read(&case.transformed)?).into_owned();
    let broken = with_a_wait_of_mpi(&text).ok_or("no call of the runtime waits for a request")?;
    case.transformed = case.transformed.with_file_name("broken.f90");
    fs::write(&case.transformed, broken)
        .map_err(|error| format!("cannot write {}: {error}", case.transformed.display()))?;
    let mut runs = Tally::silent();
    equivalence.check(&case, &mut runs);
    if runs.is_clean() { Err("a wait of MPI for Gravel's request was not noticed".to_owned()) } else { Ok(()) }
}

/// The text with MPI's call in the place of the first one of the runtime that waits for a request.
fn with_a_wait_of_mpi(text: &str) -> Option<String> {
    let call = "call gravel_waitall(";
    let place = text.find(call)?;
    Some(format!("{}call mpi_waitall({}", &text[..place], &text[place + call.len()..]))
}

/// Writes and transforms a program; how many of its calls there are, and how many are transformed.
fn transform(gravelc: &Gravelc, name: &str, number: u64, scratch: &Path) -> Result<(Case, (usize, usize)), String> {
    let folder = scratch.join(name);
    let (original, destination) = (folder.join("program.f90"), folder.join("out"));
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    fs::write(&original, generate(number)).map_err(|error| format!("cannot write {}: {error}", original.display()))?;
    let found = gravelc.transform(&original, &destination)?;
    let sites = &found.report.sites;
    let transformed = sites.iter().filter(|site| site.status == Status::Transformed).count();
    let directives = Directives { ranks: vec![2, 3], ..Directives::default() };
    Ok((Case { name: name.to_owned(), original, transformed: found.output, directives }, (sites.len(), transformed)))
}
