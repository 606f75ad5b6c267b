//! What does not compile under the attribute, with what is said of it, and what has to compile.
//!
//! What the compiler says differs between its versions: the texts are those of [`COMPILER`]. They are written anew by running this test
//! with `TRYBUILD=overwrite`.

use std::process::Command;

/// The compiler that the expected texts come from.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn texts_of_errors() {
    let version = Command::new("rustc").arg("--version").output().expect("running rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    // A pattern that finds nothing is no error for trybuild.
    assert!(std::path::Path::new("ui/pass").is_dir(), "the programs stand beside this test");
    let tests = trybuild::TestCases::new();
    tests.pass("ui/pass/*.rs");
    if version.starts_with(COMPILER) {
        tests.compile_fail("ui/fail/*.rs");
    } else {
        eprintln!("SKIPPED: the expected texts are those of {COMPILER}*, this is {version}");
    }
}
