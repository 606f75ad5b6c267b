//! Random functions, with the attribute and without it: the same output for all numbers of ranks and tiles.
//!
//! ```text
//! number ──shapes──▶ text of a function, twice in one program ──rustc──▶ program ──▶ output of each half
//! ```
//!
//! `RANDOM_FUNCTIONS=COUNT` or `RANDOM_FUNCTIONS=FIRST:COUNT` tries others than the fixed batch; `cargo test -p
//! gravel-macros-tests --release --test random` is faster then.

mod shapes;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gravel_macros_tests::outputs;

/// The numbers that every run tries: with those that showed something, all transformations are reached.
const FIXED_BATCH: (u64, u64) = (0, 40);
/// Functions per program.
const PER_PROGRAM: u64 = 40;
/// What some function of the fixed batch has to reach.
const WANTED: [&str; 6] =
    ["decompose-alltoall", "hoist-receive", "sink-wait", "split-loop", "strip-mine-consumer", "strip-mine-producer"];

const BEGINNING: &str = "\
#![allow(warnings, clippy::all)]
use gravel::Gravel;

const LENGTH: usize = 173;

pub struct Holder { pub x: Vec<f64> }

pub struct Data {
    table: Vec<f64>, a_table: [f64; LENGTH], b_table: Box<[f64]>,
    out: Vec<f64>, inc: Vec<f64>, field: Vec<f64>, work: Vec<f64>,
    h_out: Holder, h_inc: Holder, h_field: Holder, h_work: Holder,
    a_out: [f64; LENGTH], a_inc: [f64; LENGTH], a_field: [f64; LENGTH], a_work: [f64; LENGTH],
}

fn numbers(seed: usize) -> Vec<f64> {
    (0..LENGTH).map(|i| ((i * 37 + seed * 11) % 101) as f64 / 64.0).collect()
}

fn array(seed: usize) -> [f64; LENGTH] {
    numbers(seed).try_into().unwrap()
}

impl Data {
    fn new(rank: usize) -> Self {
        let holder = |seed| Holder { x: numbers(seed + rank) };
        Self {
            table: numbers(13 + rank), a_table: array(14 + rank), b_table: numbers(15 + rank).into(),
            out: numbers(1 + rank), inc: numbers(2 + rank), field: numbers(3 + rank), work: numbers(4 + rank),
            h_out: holder(5), h_inc: holder(6), h_field: holder(7), h_work: holder(8),
            a_out: array(9 + rank), a_inc: array(10 + rank), a_field: array(11 + rank), a_work: array(12 + rank),
        }
    }

    /// All bits.
    fn sum(&self) -> u64 {
        let vectors = [&self.out, &self.inc, &self.field, &self.work, &self.h_out.x, &self.h_inc.x, &self.h_field.x, &self.h_work.x];
        let arrays = [&self.a_out, &self.a_inc, &self.a_field, &self.a_work];
        let all = vectors.into_iter().flat_map(|it| it.iter()).chain(arrays.into_iter().flat_map(|it| it.iter()));
        all.fold(0_u64, |sum, value| sum.rotate_left(5) ^ value.to_bits())
    }
}

fn touch(values: &mut [f64]) {
    values[LENGTH / 4] = values[LENGTH / 4] * 0.5 + 0.25;
}

";

/// The program of some functions.
fn program(numbers: std::ops::Range<u64>) -> String {
    let functions: Vec<_> = numbers.clone().map(shapes::function).collect();
    let mut text = BEGINNING.to_owned();
    for (half, attribute) in [("with", "#[gravel::overlap]\n"), ("without", "")] {
        let _ = writeln!(text, "mod {half} {{\nuse super::*;\n");
        for function in &functions {
            let _ = writeln!(text, "{attribute}{}", function.text);
        }
        text.push_str("}\n\n");
    }
    text.push_str("fn main() -> Result<(), Box<dyn std::error::Error>> {\n");
    text.push_str("    let is_with = std::env::args().nth(1).as_deref() == Some(\"with\");\n");
    text.push_str("    let comm = &Gravel::from_environment()?;\n    let mut said = String::new();\n");
    for (number, function) in numbers.zip(&functions) {
        let call = &function.call;
        let _ = write!(
            text,
            "    let d = &mut Data::new(comm.rank());\n    for step in 0..3 {{\n        \
             let sum = if is_with {{ with::{call}? }} else {{ without::{call}? }};\n        \
             said += &format!(\"{number}: {{step}} {{:016x}} {{:016x}}\\n\", sum.to_bits(), d.sum());\n    }}\n"
        );
    }
    text.push_str("    comm.barrier()?;\n    print!(\"{said}\");\n    Ok(())\n}\n");
    text
}

/// Compiles a program against the crates of this test; gives what the macro has said.
fn compile(source: &Path, output: &Path) -> String {
    let own = std::env::current_exe().expect("the test's own path");
    let crates = own.parent().expect("it lies in a folder");
    let result = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "-C", "debuginfo=0", "-L"])
        .arg(format!("dependency={}", crates.display()))
        .arg("--extern")
        .arg(format!("gravel={}", crates.join("libgravel.rlib").display()))
        .arg(source)
        .arg("-o")
        .arg(output)
        .env("GRAVEL_EXPLAIN", "1")
        .output()
        .expect("running rustc");
    let said = String::from_utf8_lossy(&result.stderr).into_owned();
    assert!(result.status.success(), "{} does not compile:\n{said}", source.display());
    said
}

/// What all ranks print, one behind the other.
fn run(program: &Path, half: &str, ranks: usize, settings: &[(&str, &str)]) -> String {
    let said = outputs(program, &[half], ranks, settings);
    (0..).zip(said).fold(String::new(), |all, (rank, said)| format!("{all}rank {rank}\n{said}"))
}

/// The functions whose output differs.
fn different(one: &str, other: &str) -> Vec<String> {
    let lines = one.lines().zip(other.lines()).filter(|(left, right)| left != right);
    let mut found: Vec<String> = lines.map(|(left, right)| format!("{left} instead of {right}")).collect();
    if one.lines().count() != other.lines().count() {
        found.push("one of them says more".to_owned());
    }
    found
}

/// Compiles and runs functions; gives what was applied, as often as it was.
fn check(numbers: std::ops::Range<u64>, folder: &Path) -> String {
    let source = folder.join(format!("functions_{}.rs", numbers.start));
    fs::write(&source, program(numbers)).expect("writing the program");
    let output = source.with_extension("");
    let said = compile(&source, &output);
    for ranks in 1..=3 {
        let expected = run(&output, "without", ranks, &[]);
        for settings in [
            [("GRAVEL_TILE", "1"), ("GRAVEL_CHECK", "1")],
            [("GRAVEL_TILE", "37"), ("GRAVEL_CHECK", "0")],
            [("GRAVEL_TILE", "64"), ("GRAVEL_PROVIDER", "tcp")],
            [("GRAVEL_TILE", "all"), ("GRAVEL_CHECK", "0")],
        ] {
            let found = different(&run(&output, "with", ranks, &settings), &expected);
            assert!(found.is_empty(), "{}, {ranks} ranks, {settings:?}:\n{}", source.display(), found.join("\n"));
        }
    }
    // Who looks for an error finds the program; nobody looks for one that is right.
    let _ = fs::remove_file(output);
    said
}

#[test]
fn random_functions_do_the_same_with_the_attribute() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let wanted = std::env::var("RANDOM_FUNCTIONS").ok();
    let (first, count) = match wanted.as_deref().map(|wanted| wanted.split_once(':').unwrap_or(("0", wanted))) {
        Some((first, count)) => (first.parse().expect("a number"), count.parse().expect("a number")),
        None => FIXED_BATCH,
    };
    let mut said = String::new();
    let mut next = first;
    while next < first + count {
        let end = (first + count).min(next + PER_PROGRAM);
        said += &check(next..end, &folder);
        next = end;
    }
    let reached = WANTED.map(|wanted| (wanted, said.matches(&format!("{wanted} (")).count()));
    println!("{count} functions; applied: {reached:?}");
    if (first, count) == FIXED_BATCH {
        assert!(reached.iter().all(|(_, times)| *times > 0), "{reached:?}");
    }
}
