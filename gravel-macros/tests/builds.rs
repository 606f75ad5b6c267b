//! Programs that have to compile, in the ways that users build theirs: both editions, clippy with all its pedantry, and the
//! runtime's crate under another name. And cargo has to learn of which variables a build depends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the crates that this test is built of.
fn crates() -> PathBuf {
    let own = std::env::current_exe().expect("the test's own path");
    own.parent().expect("it lies in a folder").to_owned()
}

/// A compiler's command for a program, with the crate of the runtime under a name.
fn compiler(program: &str, edition: &str, name: &str, source: &Path) -> Command {
    let crates = crates();
    let mut command = Command::new(program);
    command
        .args(["--edition", edition, "-C", "debuginfo=0", "--emit=metadata,dep-info", "-L"])
        .arg(format!("dependency={}", crates.display()))
        .arg("--extern")
        .arg(format!("{name}={}", crates.join("libgravel.rlib").display()))
        .arg("--out-dir")
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .arg(source);
    command
}

fn succeeds(mut command: Command) {
    let output = command.output().expect("running the compiler");
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The programs that `ui` compiles as well.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/pass");
    let entries = fs::read_dir(folder).expect("the programs stand beside this test");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    assert!(found.len() > 3);
    found
}

#[test]
fn programs_of_both_editions_compile() {
    for program in programs() {
        for edition in ["2021", "2024"] {
            succeeds(compiler("rustc", edition, "gravel", &program));
        }
    }
}

#[test]
fn clippy_finds_nothing_in_what_is_emitted() {
    let is_there = Command::new("clippy-driver").arg("--version").output().is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("SKIPPED: there is no clippy-driver");
        return;
    }
    for program in programs() {
        // What the program itself denies is denied.
        succeeds(compiler("clippy-driver", "2024", "gravel", &program));
    }
}

const RENAMED: &str = "\
#![forbid(unsafe_code)]
#![deny(warnings)]

#[messages::overlap(strict, crate = messages)]
fn step(comm: &messages::Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> messages::Result<f64> {
    for i in 0..out.len() {
        out[i] = i as f64;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    let mut sum = 0.0;
    for i in 0..inc.len() {
        sum += inc[i];
    }
    Ok(sum)
}

fn main() -> messages::Result<()> {
    step(&messages::Gravel::from_environment()?, &mut [0.0; 3], &mut [0.0; 3], 0, 0).map(drop)
}
";

#[test]
fn the_crate_may_have_another_name() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join("renamed.rs");
    fs::write(&source, RENAMED).expect("writing the program");
    succeeds(compiler("rustc", "2024", "messages", &source));
    // cargo reads here when to build again.
    let told = fs::read_to_string(folder.join("renamed.d")).expect("reading what the program depends on");
    for variable in ["GRAVEL_EXPLAIN", "GRAVEL_REPORT"] {
        assert!(told.contains(&format!("env-dep:{variable}")), "{told}");
    }
}
