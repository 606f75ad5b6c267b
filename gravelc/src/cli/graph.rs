//! `gravelc graph`: pictures of a program as Graphviz text.

use std::path::PathBuf;

use super::output_set::OutputSet;
use super::program_files::{ProgramFiles, ProgramInput};
use super::transform::Analysis;
use super::{Exit, Failure, destinations, diagnostics, pipeline};
use crate::report::{GraphKind, render_graph};
use crate::transform;

const EXAMPLES: &str = "\
match        sends and receives that could meet one another, by match class, with their waits
call         the procedures and their calls, those that were not given dashed
dependence   statements that must keep their order and the memory that orders them: flow (blue),
             anti (orange), output (purple), effects that others see (grey), unknown (red);
             dashed where it can't be excluded

Examples:
  gravelc graph main.f90 halo.f90 | dot -Tsvg > matches.svg
  gravelc graph src/*.F90 -I include -D USE_MPI --undefine-others --closed --kind call | dot -Tsvg > calls.svg
  gravelc graph ring.f90 --kind dependence -o ring.dot";

/// Draw the match graph, the call graph or the dependence graphs of a program, for Graphviz
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    program: ProgramFiles,
    #[command(flatten)]
    analysis: Analysis,
    /// Which graph
    #[arg(long, value_enum, default_value_t = Kind::Match)]
    kind: Kind,
    /// Write the graph to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    Match,
    Call,
    Dependence,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let outputs: Vec<PathBuf> = arguments.output.iter().cloned().collect();
    let ProgramInput { files, options, selection } = arguments.program.input(&arguments.analysis)?;
    destinations::check_distinct(&files, &outputs)?;
    let program = pipeline::read(&files, &options).map_err(|error| Failure::input(error.to_string()))?;
    pipeline::report_unread(&program, false)?;
    pipeline::check_directives(&program)?;
    let kind = match arguments.kind {
        Kind::Match => GraphKind::Match,
        Kind::Call => GraphKind::Call,
        Kind::Dependence => GraphKind::Dependence,
    };
    let planned = transform::as_planned(&program, selection.is_closed);
    let text = render_graph(&program, &planned, &transform::plan_program(&program, &selection), kind);
    match &arguments.output {
        None => diagnostics::write_to_stdout(text.as_bytes())?,
        Some(file) => {
            let mut outputs = OutputSet::default();
            outputs.stage(file, text.as_bytes(), None)?;
            outputs.commit()?;
        }
    }
    Ok(Exit::Done)
}
