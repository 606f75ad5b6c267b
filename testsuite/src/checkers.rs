//! Checkers that see more of the runtime than a run of its tests does: a model checker, which tries every interleaving of
//! the lock-free parts, and an interpreter, which finds undefined behaviour in everything that makes no system call.

use std::time::Duration;

use crate::command::CommandLine;
use crate::process::{self, Ending};
use crate::setup;
use crate::workspace::{self, BuildFolder};

/// How long one checker may take, its build included.
const LIMIT: Duration = Duration::from_secs(20 * 60);
/// Preemptions that the model checker tries in one execution: nearly all concurrency errors need no more than two.
const PREEMPTIONS: &str = "3";
/// Random cases per property test under the interpreter, which is some hundred times slower.
const INTERPRETED_CASES: &str = "2";

/// The rings and the doorbell of the runtime under loom.
///
/// # Errors
///
/// What cargo says, if a model fails.
pub fn check_models(folder: &BuildFolder) -> Result<(), String> {
    let command = setup::cargo()
        .args(["test", "--release", "--package", "gravel-rt", "--lib", "models"])
        .env("RUSTFLAGS", "--cfg loom")
        .env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS)
        .env("CARGO_TARGET_DIR", folder.target.join("loom").to_string_lossy());
    let finished = setup::succeed(&command, LIMIT)?;
    // The models are compiled in by a flag: make sure that they were there.
    if finished.stdout_text().contains("running 0 tests") {
        return Err("no model was found: is the flag `loom` still what selects them?".into());
    }
    Ok(())
}

/// The unit tests of the runtime under Miri, except those that make system calls which it has not.
///
/// # Errors
///
/// What cargo says, if a test fails.
pub fn interpret(folder: &BuildFolder) -> Result<(), String> {
    let command = on_nightly(["cargo", "miri", "test", "--package", "gravel-rt", "--lib"])
        .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance")
        .env("PROPTEST_CASES", INTERPRETED_CASES)
        .env("CARGO_TARGET_DIR", folder.target.join("miri").to_string_lossy());
    setup::succeed(&command, LIMIT).map(drop)
}

/// Installs the interpreter where rustup can.
///
/// # Errors
///
/// Why it is not there: a reason to skip it.
pub fn install_interpreter() -> Result<(), String> {
    if succeeds(&on_nightly(["cargo", "miri", "--version"])) {
        return Ok(());
    }
    let install = CommandLine::new("rustup").args(["toolchain", "install", "nightly", "--profile", "minimal"]).args([
        "--component",
        "miri",
        "--component",
        "rust-src",
    ]);
    if succeeds(&install) && succeeds(&on_nightly(["cargo", "miri", "--version"])) {
        return Ok(());
    }
    Err(format!("Miri is not installed, and `{install}` does not install it"))
}

fn on_nightly<'a>(command: impl IntoIterator<Item = &'a str>) -> CommandLine {
    CommandLine::new("rustup").args(["run", "nightly"]).args(command).in_folder(workspace::root())
}

fn succeeds(command: &CommandLine) -> bool {
    process::run(command, LIMIT).is_ok_and(|finished| finished.ending == Ending::Exit(0))
}
