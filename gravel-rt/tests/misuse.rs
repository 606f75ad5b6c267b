//! Misuse of the Rust interface does not compile: one program per rule, with what the compiler says to it.
//!
//! What it says differs between versions of the compiler. The texts are those of [`COMPILER`]; others are not compared.
//! They are written anew by running this test with `TRYBUILD=overwrite`.

use std::process::Command;

/// The compiler that the expected texts come from.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn misuse_does_not_compile() {
    let version = Command::new("rustc").arg("--version").output().expect("running rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        eprintln!("SKIPPED: the expected texts are those of {COMPILER}*, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
