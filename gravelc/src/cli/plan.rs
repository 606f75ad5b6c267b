//! `gravelc plan`: decides about a whole program, for builds that compile its files one by one.

use std::path::PathBuf;

use super::output_set::OutputSet;
use super::program_files::{ProgramFiles, ProgramInput};
use super::transform::{Analysis, note_assumptions};
use super::{Exit, Failure, destinations, diagnostics, pipeline, plan_file};
use crate::report::Totals;
use crate::transform;

const EXAMPLES: &str = "\
The plan holds for these files as they are: where one of them has changed, it is made anew.

Examples:
  gravelc plan src/*.f90 -o program.plan
  make FC='gravelc wrap --plan program.plan -- mpif90'
  make FC=\"gravelc wrap --record $PWD/record -- mpif90\" && gravelc plan --recorded record -o program.plan
  gravelc plan --build build/compile_commands.json --program solver -o solver.plan
  gravelc transform --plan program.plan halo.f90 -o halo_gravel.f90

Exit codes: 0 done, 2 bad usage or unreadable input, 3 a bug of gravelc.";

/// Decide about a whole program, and write the decisions into a file that `wrap` and `transform` carry out
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    program: ProgramFiles,
    /// Write the plan to this file
    #[arg(short, long, value_name = "PLAN")]
    output: PathBuf,
    #[command(flatten)]
    analysis: Analysis,
    /// Fail if any part of the source can't be read, or if results would rest on what calls that were not given do
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let ProgramInput { files, options, selection } = arguments.program.input(&arguments.analysis)?;
    destinations::check_distinct(&files, std::slice::from_ref(&arguments.output))?;
    let program = pipeline::read(&files, &options).map_err(|error| Failure::input(error.to_string()))?;
    pipeline::report_unread(&program, arguments.strict)?;
    let plan = transform::plan_program(&program, &selection);
    note_assumptions(&plan);
    pipeline::refuse_beliefs(&program, &plan, arguments.strict)?;
    // A plan that can't be carried out is found now, not in the middle of a build.
    let transformed = pipeline::execute(program, plan)?;
    transformed.check_meanings(&options)?;
    let totals = Totals::of(&transformed.program, &transformed.plan);
    let text = plan_file::text_of(transformed, &options)?;
    let mut outputs = OutputSet::default();
    outputs.stage(&arguments.output, &text, None)?;
    outputs.commit()?;
    diagnostics::print_line(&totals.to_string());
    Ok(Exit::Done)
}
