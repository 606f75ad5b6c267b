//! Checkers that see more of the runtime than a run of its tests does: a model checker, which tries every interleaving of
//! the lock-free parts; an interpreter, which finds undefined behaviour in everything that makes no system call; and
//! sanitizers, under which all its tests run, those between processes included.

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

/// The modules of the runtime whose unit tests the interpreter runs: all unsafe code and all arithmetic on positions that
/// needs no system call which it has not.
const INTERPRETED: [&str; 6] = ["ledger::", "request::", "matching::", "protocol::", "shm::staging::", "tcp::frame::"];

/// The unit tests of the runtime under Miri, except those that make system calls which it has not.
///
/// # Errors
///
/// What cargo says, if a test fails.
pub fn interpret(folder: &BuildFolder) -> Result<(), String> {
    let command = on_nightly(["cargo", "miri", "test", "--package", "gravel-rt", "--lib", "--"])
        .args(INTERPRETED)
        .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance")
        .env("PROPTEST_CASES", INTERPRETED_CASES)
        .env("CARGO_TARGET_DIR", folder.target.join("miri").to_string_lossy());
    setup::succeed(&command, LIMIT).map(drop)
}

/// What a sanitizer looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    /// Accesses outside of live objects.
    Address,
    /// Data races.
    Thread,
}

/// The unit tests of the runtime, and those between processes, under a sanitizer.
///
/// # Errors
///
/// What cargo says, if a test fails or the sanitizer finds something.
pub fn sanitize(sanitizer: Sanitizer, folder: &BuildFolder) -> Result<(), String> {
    // A target, even if it is the host: then build scripts and macros are not instrumented.
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let (name, standard_library): (_, &[&str]) = match sanitizer {
        Sanitizer::Address => ("address", &[]),
        // Synchronisation inside the standard library must be seen, too.
        Sanitizer::Thread => ("thread", &["-Zbuild-std"]),
    };
    let command = on_nightly(["cargo", "test", "--package", "gravel-rt", "--lib", "--test", "cluster"])
        .args(["--target", target.as_str()])
        .args(standard_library.iter().copied())
        // Gigabytes, each byte of which the sanitizer looks at.
        .args(["--", "--skip", "large::"])
        .env("RUSTFLAGS", format!("-Zsanitizer={name}"))
        // What a process that is killed on purpose leaves behind is no leak.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("CARGO_TARGET_DIR", folder.target.join(format!("sanitizer-{name}")).to_string_lossy());
    setup::succeed(&command, LIMIT).map(drop)
}

/// Installs the nightly toolchain with the interpreter and the sources of the standard library, where rustup can.
///
/// # Errors
///
/// Why it is not there: a reason to skip what needs it.
pub fn install_nightly() -> Result<(), String> {
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
