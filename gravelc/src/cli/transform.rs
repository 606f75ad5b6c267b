//! `gravelc transform`: source in, source out.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::output_set::{self, OutputSet};
use super::pipeline::{self, TransformedProgram};
use super::report_request::{self, ReportRequest};
use super::unified_diff::append_unified_diff;
use super::{Exit, Failure, destinations, diagnostics};
use crate::frontend::{FrontendOptions, SourceForm};
use crate::plan::Transformation;
use crate::report::Totals;
use crate::transform::Selection;

const EXAMPLES: &str = "\
The files are analysed as the whole program: give all files that communicate.
Without -o or --out-dir no source is written; --diff, --report or --check say what would be done.

Examples:
  gravelc transform ring.f90 -o ring_gravel.f90
  gravelc transform main.f90 halo.f90 --out-dir gravel --report json=report.json
  gravelc transform ring.f90 --diff                 only show the changes
  gravelc transform ring.f90 --report text          only show what would be done, and why not more
  gravelc transform src/*.f90 --check               exit code 1 if any call of MPI stays as it is

Exit codes: 0 done, 1 findings of --check, 2 bad usage or unreadable input, 3 a bug of gravelc.";

/// Transform Fortran programs so that their communication overlaps their computation
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The source files: the whole program
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the output to this file (for a single input)
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    output: Option<PathBuf>,
    /// Write each output into this folder, under the name of its input
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// Read all files as fixed form, whatever their names
    #[arg(long, conflicts_with = "free_form")]
    fixed_form: bool,
    /// Read all files as free form, whatever their names
    #[arg(long)]
    free_form: bool,
    /// Report every site: `text`, `json`, `sarif` (for editors and code hosts) or `html` (one page), to standard output or,
    /// with `=FILE`, to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]")]
    report: Vec<ReportRequest>,
    /// Print the changes as a unified diff on standard output
    #[arg(long)]
    diff: bool,
    /// Apply only these transformations
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "skip")]
    only: Vec<Transformation>,
    /// Apply all transformations but these
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skip: Vec<Transformation>,
    /// Fail if any part of the source can't be read, instead of working around it
    #[arg(long)]
    strict: bool,
    /// Write no source; exit with 1 if any communication site stays as it is
    #[arg(long, conflicts_with_all = ["output", "out_dir"])]
    check: bool,
}

impl Arguments {
    fn frontend_options(&self) -> FrontendOptions {
        let form = match (self.fixed_form, self.free_form) {
            (true, _) => SourceForm::Fixed,
            (_, true) => SourceForm::Free,
            _ => SourceForm::Auto,
        };
        FrontendOptions { form }
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        if !self.only.is_empty() {
            selection.enabled.retain(|transformation| self.only.contains(transformation));
        }
        selection.enabled.retain(|transformation| !self.skip.contains(transformation));
        selection
    }

    fn check_has_a_purpose(&self) -> Result<(), Failure> {
        let writes = self.output.is_some() || self.out_dir.is_some();
        if writes || self.diff || self.check || !self.report.is_empty() {
            return Ok(());
        }
        Err(Failure::input("there is no place for the output").help(
            "write it with `-o FILE` or `--out-dir DIR`, or only look with `--diff`, `--report text` or `--check`",
        ))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    arguments.check_has_a_purpose()?;
    report_request::check_standard_output(&arguments.report, arguments.diff)?;
    let sources =
        destinations::destinations(&arguments.files, arguments.output.as_deref(), arguments.out_dir.as_deref())?;
    let reports = arguments.report.iter().filter_map(|request| request.file().map(PathBuf::from));
    let outputs: Vec<PathBuf> = sources.iter().cloned().chain(reports).collect();
    destinations::check_distinct(&arguments.files, &outputs)?;

    let program = pipeline::read(&arguments.files, &arguments.frontend_options())
        .map_err(|error| Failure::input(error.to_string()))?;
    pipeline::report_unread(&program, arguments.strict)?;
    let transformed = pipeline::transform(program, &arguments.selection())?;

    let printed = printed_output(arguments, &transformed, &sources)?;
    write_files(arguments, &transformed, &sources)?;
    diagnostics::write_to_stdout(&printed)?;

    let totals = Totals::of(&transformed.program, &transformed.plan);
    diagnostics::print_line(&summary(arguments, &totals));
    Ok(if arguments.check && totals.any_kept() { Exit::Findings } else { Exit::Done })
}

/// What goes to standard output: the diff, then the reports.
fn printed_output(
    arguments: &Arguments,
    transformed: &TransformedProgram,
    destinations: &[PathBuf],
) -> Result<Vec<u8>, Failure> {
    let mut printed = Vec::new();
    if arguments.diff {
        for output in &transformed.outputs {
            let source = transformed.program.file(output.file);
            let new_path = destinations.get(output.file.0).unwrap_or(&source.path);
            append_unified_diff(&mut printed, &source.path, new_path, &source.text, &output.text)
                .map_err(Failure::bug)?;
        }
    }
    let colour = diagnostics::colour_allowed(&io::stdout());
    for request in arguments.report.iter().filter(|request| request.file().is_none()) {
        printed.extend(request.render(&transformed.program, &transformed.plan, colour)?.into_bytes());
    }
    Ok(printed)
}

/// Writes the sources and the reports that go to files; all of them or none.
fn write_files(
    arguments: &Arguments,
    transformed: &TransformedProgram,
    destinations: &[PathBuf],
) -> Result<(), Failure> {
    if let Some(folder) = &arguments.out_dir {
        output_set::create_folder(folder)?;
    }
    let mut outputs = OutputSet::default();
    for output in &transformed.outputs {
        if let Some(destination) = destinations.get(output.file.0) {
            let source = &transformed.program.file(output.file).path;
            let permissions = fs::metadata(source).ok().map(|metadata| metadata.permissions());
            outputs.stage(destination, &output.text, permissions)?;
        }
    }
    for request in &arguments.report {
        if let Some(file) = request.file() {
            let text = request.render(&transformed.program, &transformed.plan, false)?;
            outputs.stage(file, text.as_bytes(), None)?;
        }
    }
    outputs.commit()
}

fn summary(arguments: &Arguments, totals: &Totals) -> String {
    // Whoever has seen no report is told how to get one.
    if totals.any_kept() && arguments.report.is_empty() {
        format!("{totals} (`--report text` says why not more)")
    } else {
        totals.to_string()
    }
}
