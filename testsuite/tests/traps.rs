//! What gravelc reports about the trapped calls of the trap programs. That they still print the same is checked by
//! `cargo suite`.

use testsuite::gravelc::Gravelc;
use testsuite::side_by_side::check_each;
use testsuite::tally::Tally;
use testsuite::trap::Trap;

#[test]
fn no_trap_is_sprung() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    let traps = Trap::all().expect("the traps can be read");
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let mut tally = Tally::default();
    check_each(&traps, &mut tally, |trap, tally| {
        let report = trap.check(&gravelc, &scratch.path().join(&trap.name));
        tally.check(&trap.file.display().to_string(), report.map(drop));
    });
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.done() == traps.len() && !traps.is_empty(), "there are no traps");
}
