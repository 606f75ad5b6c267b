//! Programs in which a procedure has the memory of a message by two names, as an adversary would write them: transformed and
//! run, with GRAVEL_CHECK or without, against what they print as they are.

mod generator;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use crate::case::Case;
use crate::directives::Directives;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::report::Status;
use crate::side_by_side::check_each;
use crate::tally::Tally;

use self::generator::{Sharing, generate};

/// A fixed batch reaches every way in which two names can be one place, several times.
pub const FIXED_BATCH: u64 = 33;

/// What has been transformed.
#[derive(Debug, Default)]
struct Counts {
    /// Programs of each kind: all of them, and those with a transformed call.
    programs: BTreeMap<Sharing, (usize, usize)>,
    /// How often each transformation was applied.
    transformations: BTreeMap<String, usize>,
    /// How often two names were the reason why one was not.
    refused: usize,
}

/// Transforms and runs `count` programs from number `first` on.
pub fn check(gravelc: &Gravelc, equivalences: &[Equivalence], (first, count): (u64, u64), tally: &mut Tally) {
    let counts = Mutex::new(Counts::default());
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    check_each(&numbers, tally, |&number, tally| {
        let name = format!("shared-arguments/{number}");
        let turn = usize::try_from(number / Sharing::ALL.len() as u64).unwrap_or(0);
        let equivalence = &equivalences[turn % equivalences.len()];
        match transform(gravelc, &name, number, &equivalence.scratch, &counts) {
            Ok(case) => equivalence.check(&case, tally),
            Err(message) => tally.fail(&name, message),
        }
    });
    let Ok(counts) = counts.into_inner() else { return tally.fail("shared arguments", "a check ended early") };
    let all: Vec<String> = counts.transformations.iter().map(|(name, times)| format!("{name} {times}")).collect();
    println!("    {}; refused for two names of one place: {}", all.join(", "), counts.refused);
    let missing = |(_, (_, transformed)): &(&Sharing, &(usize, usize))| *transformed == 0;
    let idle: Vec<String> = counts.programs.iter().filter(missing).map(|(kind, _)| format!("{kind:?}")).collect();
    if count >= FIXED_BATCH {
        let result = match (idle.as_slice(), counts.refused) {
            ([], 1..) => Ok(()),
            ([], 0) => Err("two names of one place were never the reason".to_owned()),
            (kinds, _) => Err(format!("nothing was transformed in any program of these kinds: {}", kinds.join(", "))),
        };
        tally.check("shared arguments: every kind is met", result);
    }
}

fn transform(
    gravelc: &Gravelc,
    name: &str,
    number: u64,
    scratch: &Path,
    counts: &Mutex<Counts>,
) -> Result<Case, String> {
    let folder = scratch.join(name);
    let program = generate(number);
    let (original, destination) = (folder.join("program.f90"), folder.join("out"));
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    fs::write(&original, program.source).map_err(|error| format!("cannot write {}: {error}", original.display()))?;
    let found = gravelc.transform(&original, &destination)?;
    if let Ok(mut counts) = counts.lock() {
        let is_transformed = found.report.sites.iter().any(|site| site.status == Status::Transformed);
        let of_kind = counts.programs.entry(program.sharing).or_default();
        of_kind.0 += 1;
        of_kind.1 += usize::from(is_transformed);
        for site in &found.report.sites {
            for action in &site.actions {
                *counts.transformations.entry(action.transformation.clone()).or_default() += 1;
            }
            let is_refused = |code: &str| code == "arguments-share-memory";
            counts.refused += site.missed.iter().filter(|missed| is_refused(&missed.code)).count();
        }
    }
    Ok(Case {
        name: name.to_owned(),
        original,
        transformed: found.output,
        directives: Directives { ranks: vec![1, 2, 3], ..Directives::default() },
    })
}
