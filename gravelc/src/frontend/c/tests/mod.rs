//! What the front end says of C, compared with what a compiler says.
//!
//! Each test writes random C, reads it, and lets the compiler check each answer in one compilation. Cases are made of seeds; by
//! hand, as many as `GRAVEL_C_CASES` says.

mod constants;
mod damaged;
mod expressions;
mod layouts;
pub mod random;

use std::process::Command;

use super::reading::read;
use super::types::Target;
use super::unit::Unit;

/// How many cases a test tries.
pub fn cases(usual: u64) -> u64 {
    std::env::var("GRAVEL_C_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Reads a text for a target, on a thread with a stack of its own.
fn read_for(text: &str, target: Target) -> Unit {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(64 << 20);
        let reader = reader.spawn_scoped(scope, || read(text.as_bytes(), target)).unwrap();
        reader.join().unwrap()
    })
}

/// Reads a text that has no holes.
fn read_whole(text: &str) -> Unit {
    let unit = read_for(text, Target::X86_64);
    let at = |range: &std::ops::Range<u32>| &text[range.start as usize..range.end as usize];
    let holes: Vec<_> = unit.holes.iter().map(|hole| (at(&hole.range), &text[hole.at as usize..])).collect();
    assert!(holes.is_empty(), "{holes:?}");
    unit
}

/// Compiles a text with the system's compiler; what the program prints, if it is one.
pub fn run(text: &str, name: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join(format!("{name}.c"));
    std::fs::write(&source, text).unwrap();
    let program = folder.path().join("program");
    let is_program = text.contains("int main(");
    let mode = if is_program { "-O0" } else { "-fsyntax-only" };
    let arguments = ["-std=gnu11", "-w", mode, "-o"];
    let compiled = Command::new("gcc").args(arguments).arg(&program).arg(&source).output().unwrap();
    let messages = String::from_utf8_lossy(&compiled.stderr);
    let errors: Vec<&str> = messages.lines().filter(|line| line.contains("error")).take(40).collect();
    assert!(compiled.status.success(), "{}", errors.join("\n"));
    if !is_program {
        return String::new();
    }
    String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap()
}
