//! Programs that exchange the edges of grids in one procedure and work on them in others, as split-exchange takes them apart:
//! transformed and run, with each exchange overlapped and as the runtime finds it, against what they print as they are.

mod exchange;
mod generator;
mod sweeps;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::case::Case;
use crate::directives::Directives;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::side_by_side::check_each;
use crate::tally::Tally;

use self::generator::generate;

/// A fixed batch splits exchanges with sweeps around their ends and without, several times.
pub const FIXED_BATCH: u64 = 16;

/// What has been transformed.
#[derive(Debug, Default)]
struct Counts {
    /// Programs with an exchange that was split.
    split: AtomicUsize,
    /// Those of them with a sweep that runs box by box.
    by_boxes: AtomicUsize,
}

/// Transforms and runs `count` programs from number `first` on.
pub fn check(gravelc: &Gravelc, equivalence: &Equivalence, (first, count): (u64, u64), tally: &mut Tally) {
    let counts = Counts::default();
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    check_each(&numbers, tally, |&number, tally| {
        let name = format!("whole-exchanges/{number}");
        match transform(gravelc, &name, number, &equivalence.scratch, &counts) {
            Ok(case) => equivalence.check(&case, tally),
            Err(message) => tally.fail(&name, message),
        }
    });
    let (split, by_boxes) = (counts.split.into_inner(), counts.by_boxes.into_inner());
    println!("    in {split} of {count} programs an exchange was split, in {by_boxes} around a sweep");
    if count >= FIXED_BATCH {
        let result = if by_boxes > 2 && split > by_boxes { Ok(()) } else { Err("too few of either kind") };
        tally.check("whole exchanges: each kind is met", result);
    }
}

fn transform(gravelc: &Gravelc, name: &str, number: u64, scratch: &Path, counts: &Counts) -> Result<Case, String> {
    let folder = scratch.join(name);
    let (original, destination) = (folder.join("program.f90"), folder.join("out"));
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    fs::write(&original, generate(number)).map_err(|error| format!("cannot write {}: {error}", original.display()))?;
    let found = gravelc.transform(&original, &destination)?;
    let mut actions = found.report.sites.iter().flat_map(|site| &site.actions);
    if let Some(action) = actions.find(|action| action.transformation == "split-exchange") {
        counts.split.fetch_add(1, Ordering::Relaxed);
        counts.by_boxes.fetch_add(usize::from(action.text.contains("the inside")), Ordering::Relaxed);
    }
    Ok(Case {
        name: name.to_owned(),
        original,
        transformed: found.output,
        directives: Directives { ranks: vec![1, 2, 3], ..Directives::default() },
    })
}
