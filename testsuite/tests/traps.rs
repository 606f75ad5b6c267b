//! What gravelc reports about the trapped calls of the trap programs. That they still print the same is checked by
//! `cargo suite`.

use testsuite::gravelc::Gravelc;
use testsuite::trap::Trap;

#[test]
fn no_trap_is_sprung() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built").with_all_transformations();
    let traps = Trap::all().expect("the traps can be read");
    assert!(!traps.is_empty(), "there are no traps");
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let failures: Vec<String> = traps
        .iter()
        .filter_map(|trap| {
            let problem = trap.check(&gravelc, &scratch.path().join(&trap.name)).err()?;
            Some(format!("{}: {problem}", trap.file.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} failed\n{}", failures.len(), traps.len(), failures.join("\n"));
}
