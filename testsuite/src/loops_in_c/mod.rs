//! Programs in C whose loops fill and read messages, as people write them: with counters of their own or of the function, on the heap,
//! in static arrays and behind members, with one thing or other in the way. Transformed and run against what they print as they are.
//!
//! ```text
//! number ──shapes──▶ text ──gravelc──▶ transformed text
//!                     └─ both are compiled and run, with tiles of several lengths ─┘
//! ```
//!
//! Most loops of [`crate::random_programs`] can't be cut for one reason or other. Here most can, so that what stands around
//! tiles, in split loops and between the halves of an exchange meets what may be wrong there.

mod shapes;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use crate::case::Case;
use crate::directives::Directives;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::side_by_side::check_each;
use crate::tally::Tally;

/// A fixed batch reaches every transformation of loops.
pub const FIXED_BATCH: u64 = 24;

/// What some program of a batch has to reach.
const WANTED: [&str; 5] =
    ["decompose-alltoall", "hoist-receive", "split-loop", "strip-mine-consumer", "strip-mine-producer"];

/// Transforms and runs `count` programs from number `first` on.
pub fn check(gravelc: &Gravelc, equivalence: &Equivalence, (first, count): (u64, u64), tally: &mut Tally) {
    let reached = Mutex::new(BTreeMap::<String, usize>::new());
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    check_each(&numbers, tally, |&number, tally| {
        let name = format!("loops-in-c/{number}");
        match transform(gravelc, number, &equivalence.scratch.join(&name), &name) {
            Ok((case, applied)) => {
                if let Ok(mut reached) = reached.lock() {
                    applied.into_iter().for_each(|it| *reached.entry(it).or_default() += 1);
                }
                equivalence.check(&case, tally);
            }
            Err(message) => tally.fail(&name, message),
        }
    });
    let Ok(reached) = reached.into_inner() else { return tally.fail("loops in C", "a check ended early") };
    let counts: Vec<String> = reached.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("    applied: {}", counts.join(", "));
    if count >= FIXED_BATCH {
        let missing: Vec<&str> = WANTED.into_iter().filter(|wanted| !reached.contains_key(*wanted)).collect();
        let result = if missing.is_empty() { Ok(()) } else { Err(format!("nothing reaches {}", missing.join(", "))) };
        tally.check("loops in C: every transformation of loops is reached", result);
    }
}

/// The program of this number, original and transformed, and which transformations were applied, as often as they were.
fn transform(gravelc: &Gravelc, number: u64, folder: &Path, name: &str) -> Result<(Case, Vec<String>), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let original = folder.join("program.c");
    fs::write(&original, shapes::program(number))
        .map_err(|error| format!("cannot write {}: {error}", original.display()))?;
    let found = gravelc.transform(&original, &folder.join("out"))?;
    let actions = found.report.sites.iter().flat_map(|site| &site.actions);
    let applied = actions.map(|action| action.transformation.clone()).collect();
    let directives = Directives { ranks: vec![1, 2, 3], ..Directives::default() };
    Ok((Case { name: name.to_owned(), original, transformed: found.output, directives }, applied))
}
