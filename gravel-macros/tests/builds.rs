//! Programs that have to compile, in the ways that users build theirs: both editions, clippy with all its pedantry, and the
//! runtime's crate under another name. And cargo has to learn of which variables a build depends.

use std::fs;
use std::path::Path;
use std::process::Command;

use gravel_macros_tests::compiler::{compiler, programs};

/// A compiler's command for a program that it only has to accept.
fn accepting(program: &str, edition: &str, name: &str, source: &Path) -> Command {
    let mut command = compiler(program, edition, name, source, Path::new(env!("CARGO_TARGET_TMPDIR")));
    command.arg("--emit=metadata,dep-info");
    command
}

fn succeeds(mut command: Command) {
    let output = command.output().expect("running a program");
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn programs_of_both_editions_compile() {
    for program in programs("ui/pass") {
        for edition in ["2021", "2024"] {
            succeeds(accepting("rustc", edition, "gravel", &program));
        }
    }
}

#[test]
fn programs_run() {
    for program in programs("ui/pass") {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let mut command = compiler("rustc", "2024", "gravel", &program, folder);
        command.args(["--emit=link", "-C", "strip=debuginfo"]);
        succeeds(command);
        succeeds(Command::new(folder.join(program.file_stem().expect("a file has a name"))));
    }
}

#[test]
fn clippy_finds_nothing_in_what_is_emitted() {
    let is_there = Command::new("clippy-driver").arg("--version").output().is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("SKIPPED: there is no clippy-driver");
        return;
    }
    for program in programs("ui/pass") {
        // What the program itself denies is denied.
        succeeds(accepting("clippy-driver", "2024", "gravel", &program));
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
    succeeds(accepting("rustc", "2024", "messages", &source));
    // cargo reads here when to build again.
    let told = fs::read_to_string(folder.join("renamed.d")).expect("reading what the program depends on");
    for variable in ["GRAVEL_EXPLAIN", "GRAVEL_REPORT"] {
        assert!(told.contains(&format!("env-dep:{variable}")), "{told}");
    }
}
