//! `gravel-perf`: Gravel beside the MPIs of this machine.
//!
//! It compiles a small benchmark program (`benchmark.c`, which it carries) with every MPI that it finds, and runs it on
//! some ranks. The program measures Gravel and that MPI in turns, in the same processes, so that both meet the same
//! machine; what is reported are medians of many rounds, their quartiles, and the ratio of both.

mod plot;
mod results;
mod table;
mod toolchain;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use self::toolchain::{Memory, Toolchain, Wanted};

/// Measures Gravel beside the MPIs that are installed.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Number of ranks; they work in pairs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 2, value_parser = parse_ranks)]
    ranks: u32,
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How long a rank computes while a message is under way, in the tests of overlap
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    overlap_work: u32,
    /// Where the arrays lie that are sent and received
    #[arg(long, value_enum, default_value_t)]
    memory: Memory,
    /// Measure a ring of short messages among all ranks, of which there may be more than processors, beside ranks that
    /// spin, and how long gravel_init takes, instead of everything else
    #[arg(long, conflicts_with = "verbs")]
    ring: bool,
    /// Use the RDMA device, and measure a plain loop over libibverbs beside Gravel (needs libibverbs's headers)
    #[arg(long)]
    verbs: bool,
    /// Compiler wrapper of an MPI; without it, mpicc.openmpi, mpicc.mpich and mpicc are looked for
    #[arg(long, value_name = "PROGRAM")]
    mpicc: Vec<PathBuf>,
    /// Launcher of that MPI; without it, the one with the wrapper's name, mpicc read as mpirun
    #[arg(long, value_name = "PROGRAM", requires = "mpicc")]
    mpirun: Option<PathBuf>,
    /// The library; without it, libgravel.a is looked for beside this program and in the lib folder next to it
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Seconds after which a run is ended
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// Write every single measurement to this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the medians into this file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

fn parse_ranks(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(ranks) if ranks > 0 && u32::is_multiple_of(ranks, 2) => Ok(ranks),
        _ => Err("an even number above 0 is needed: ranks work in pairs".into()),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("gravel-perf: {text}");
            ExitCode::from(2)
        }
    }
}

/// Everything. The error is a text for the user.
fn run(arguments: &Arguments) -> Result<(), String> {
    let library = toolchain::find_library(arguments.library.as_deref())?;
    let toolchains = Toolchain::find(&arguments.mpicc, arguments.mpirun.as_deref())?;
    let &Arguments { ranks, rounds, overlap_work, memory, ring, verbs: beside_verbs, timeout, .. } = arguments;
    let wanted =
        Wanted { ranks, rounds, overlap_work, memory, ring, beside_verbs, timeout: Duration::from_secs(timeout) };
    let mut runs = Vec::new();
    let mut failures = Vec::new();
    for toolchain in toolchains {
        let (name, memory) = (toolchain.name(), memory.name());
        eprintln!("gravel-perf: {rounds} rounds with {ranks} ranks of {name}, {memory} arrays");
        match toolchain.measure(&library, &wanted) {
            Ok(run) => {
                print!("{}", table::text(&run));
                runs.push(run);
            }
            Err(text) => failures.push(text),
        }
    }
    if let Some(path) = &arguments.csv {
        write(path, &table::csv(&runs))?;
    }
    if let Some(path) = &arguments.plot {
        write(path, &plot::svg(&runs)?)?;
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn write(path: &std::path::Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|cause| format!("{} cannot be written: {cause}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn ranks_come_in_pairs() {
        assert_eq!(parse_ranks("4"), Ok(4));
        for text in ["0", "3", "-2", "two"] {
            assert!(parse_ranks(text).is_err(), "{text}");
        }
    }
}
