//! The command line: one file per subcommand.
//!
//! Exit codes: 0 done, 1 findings of `--check`, 2 bad usage or unreadable input, 3 a bug of gravelc. `wrap` ends with
//! the exit code of the compiler that it launches.

mod bug_report;
mod build_record;
mod compiler_macros;
mod config;
mod default_kinds;
mod destinations;
mod diagnostics;
mod digest;
mod explain;
mod failure;
mod graph;
mod install;
mod language_flags;
pub mod launch;
mod options;
mod output_set;
mod pipeline;
mod plan;
mod plan_basis;
mod plan_file;
mod program_files;
mod progress_line;
mod report;
mod report_request;
mod runtime;
mod transform;
mod unified_diff;
mod vector_arithmetic;
mod wrap;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gravelc transform ring.f90 -o ring_gravel.f90
  gravelc wrap --no-transform -- mpif90 -O2 ring_gravel.f90 -o ring_gravel
  mpirun -n 2 ./ring_gravel

  gravelc transform solver.f90 halo.f90 --report text     what would be done, and why not more
  gravelc explain wildcard                                what a reason in the report means";

/// Overlaps the communication of MPI programs with their computation, source to source.
///
/// Every change is proven safe or is not made; the report names the reason for every call that was left alone.
#[derive(Debug, Parser)]
#[command(name = "gravelc", version, max_term_width = 100, after_help = EXAMPLES)]
struct CommandLine {
    /// Do not show on the terminal how far the work has come
    #[arg(long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Transform(transform::Arguments),
    Plan(plan::Arguments),
    Explain(explain::Arguments),
    Report(report::Arguments),
    Graph(graph::Arguments),
    Config(config::Arguments),
    Install(install::Arguments),
    Wrap(wrap::Arguments),
}

/// How a command ended that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Everything is done.
    Done,
    /// `--check` found sites that stay as they are.
    Findings,
    /// The compiler that was launched ended with this code.
    Compiler(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Findings => ExitCode::from(1),
            Exit::Compiler(code) => ExitCode::from(code),
        }
    }
}

/// Runs gravelc with the arguments of the process and gives its exit code. Never panics: a panic is reported as the bug
/// of gravelc that it is.
pub fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            // Also the way out of --help and --version. There is nobody to tell if this can't be printed.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(failure::BAD_INPUT) } else { ExitCode::SUCCESS };
        }
    };
    progress_line::start(command_line.quiet);
    match bug_report::catching_panics(move || run(&command_line.command)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            diagnostics::print_failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Transform(arguments) => transform::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Graph(arguments) => graph::run(arguments),
        Command::Config(arguments) => config::run(arguments),
        Command::Install(arguments) => install::run(arguments),
        Command::Wrap(arguments) => wrap::run(arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
