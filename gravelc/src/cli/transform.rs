//! `gravelc transform`: source in, source out.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::default_kinds::default_kinds;
use super::language_flags::language_flags;
use super::output_set::OutputSet;
use super::pipeline::{self, TransformedProgram};
use super::plan_basis::Build;
use super::plan_file::PlannedProgram;
use super::program_files::{ProgramFiles, ProgramInput};
use super::report_request::{self, ReportRequest};
use super::runtime::Compiler;
use super::unified_diff::append_unified_diff;
use super::wrap::compile_command::CompileCommand;
use super::{Exit, Failure, compiler_macros, destinations, diagnostics, vector_arithmetic};
use crate::frontend::{CompilerCommand, FrontendOptions, Macro, Macros, OptionsOfFiles, SourceForm};
use crate::ir::{FileId, VectorArithmetic};
use crate::plan::{Plan, Transformation};
use crate::report::Totals;
use crate::source_layout::STANDARD_COLUMNS;
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
  make FC=\"gravelc wrap --record $PWD/record -- mpif90\" && gravelc transform --recorded record --out-dir gravel
  gravelc transform --build build/compile_commands.json --program solver --report text

Exit codes: 0 done, 1 findings of --check, 2 bad usage or unreadable input, 3 a bug of gravelc.";

/// Transform programs in Fortran and C so that their communication overlaps their computation
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    program: ProgramFiles,
    /// Write the output to this file (for a single input)
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir")]
    output: Option<PathBuf>,
    /// Write the outputs into this folder, where each has the place that its input has in the deepest folder that all
    /// files of the program are in
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// Carry out this plan (of `gravelc plan`) on the files, which are some of those that it was made from; options that say how
    /// the output is compiled (-D, --compiler, --fixed-form, ...) are compared with those of the plan
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["only", "skip", "closed", "in_place", "recorded", "build"])]
    plan: Option<PathBuf>,
    #[command(flatten)]
    analysis: Analysis,
    /// Report every site: `text`, `json`, `sarif` (for editors and code hosts) or `html` (one page), to standard output or,
    /// with `=FILE`, to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]")]
    report: Vec<ReportRequest>,
    /// Print the changes as a unified diff on standard output
    #[arg(long)]
    diff: bool,
    /// Fail if any part of the source can't be read, or if results would rest on what calls that were not given do
    #[arg(long)]
    strict: bool,
    /// Write no source; exit with 1 if any communication site stays as it is
    #[arg(long, conflicts_with_all = ["output", "out_dir"])]
    check: bool,
}

/// How the program is read and what is looked for.
#[derive(Debug, clap::Args)]
pub(super) struct Analysis {
    /// Read all files as fixed form, whatever their names
    #[arg(long, conflicts_with = "free_form")]
    fixed_form: bool,
    /// Read all files as free form, whatever their names
    #[arg(long)]
    free_form: bool,
    /// Read and write this many columns of fixed form; 0 for lines without an end [default: 72]
    #[arg(long, value_name = "COLUMNS", value_parser = line_length)]
    fixed_line_length: Option<usize>,
    /// Look for included files in this folder, too; may be repeated
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro for `#if` and `#ifdef`, as for the compiler; may be repeated
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = definition)]
    define: Vec<(String, Macro)>,
    /// A macro that is not defined; what is neither defined nor undefined leaves both branches open. `-U _OPENMP` says that
    /// the program is compiled without OpenMP, `-U _OPENACC` without OpenACC
    #[arg(short = 'U', long, value_name = "NAME")]
    undefine: Vec<String>,
    /// Macros that -D does not name are not defined, as for a compiler with these -D and without OpenMP and OpenACC (`-D _OPENMP`);
    /// those that begin with an underscore are the compiler's own and stay open, but for --compiler
    #[arg(long)]
    undefine_others: bool,
    /// Ask this compiler which macros it defines itself, with the flags of the build ("mpif90 -fopenmp", "mpicc -DN=3"); with
    /// --undefine-others all others are not defined, whatever they begin with. Flags that make reals or integers longer, save local
    /// variables, compile lines with a D in column 1, or give exact results away (-Ofast) count, too; and those of a build that optimises
    /// ("mpif90 -O3") say whether loops may be cut inside of what is computed in vectors. For a program in Fortran and C it is given twice
    #[arg(long, value_name = "COMMAND")]
    compiler: Vec<String>,
    /// The files are the program: procedures that they call and modules that they use but that were not given belong to
    /// libraries that neither communicate nor call procedures of the program nor use its modules, leave communicators as
    /// they are, and redefine no intrinsic procedure
    #[arg(long)]
    closed: bool,
    /// Let Gravel carry every message that it can, also where nothing moves and the program itself overlaps nothing: for tests,
    /// and for programs that want Gravel for their messages
    #[arg(long)]
    in_place: bool,
    /// Apply only these transformations
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "skip")]
    only: Vec<Transformation>,
    /// Apply all transformations but these
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skip: Vec<Transformation>,
}

/// The compilers that the user names, with their flags.
#[derive(Default)]
struct Compilers {
    fortran: Option<(Compiler, Vec<OsString>)>,
    c: Option<(Compiler, Vec<OsString>)>,
}

impl Analysis {
    /// The compilers that were named: the one for Fortran, and the one for C, which is called like one.
    fn compilers(&self) -> Result<Compilers, Failure> {
        let mut named = Compilers::default();
        for command in &self.compiler {
            let found = compiler_macros::words_of(command)?;
            let place = if found.0.is_called_c() { &mut named.c } else { &mut named.fortran };
            if place.replace(found).is_some() {
                return Err(Failure::input("two compilers for one language were named").help(
                    "give --compiler once for Fortran and once for C, or let the build say: --recorded, --build",
                ));
            }
        }
        Ok(named)
    }

    /// How the files in C are compiled, as far as the user says.
    fn c_compiler(&self) -> Result<Option<CompilerCommand>, Failure> {
        let Some((compiler, arguments)) = self.compilers()?.c else { return Ok(None) };
        let here = std::env::current_dir()
            .map_err(|error| Failure::input(format!("cannot tell in which folder this command runs: {error}")))?;
        let flags = CompileCommand::new(&arguments).flags_of_c(&here);
        Ok(Some(CompilerCommand { program: compiler.name(), flags }))
    }

    /// The flags of the compilers that were named.
    fn flags(&self) -> Result<Vec<OsString>, Failure> {
        let Compilers { fortran, c } = self.compilers()?;
        Ok(fortran.into_iter().chain(c).flat_map(|(_, flags)| flags).collect())
    }

    /// Does an option say how the files are compiled?
    fn says_how_to_compile(&self) -> bool {
        let macros = !self.define.is_empty() || !self.undefine.is_empty() || self.undefine_others;
        macros || !self.compiler.is_empty() || self.fixed_form || self.free_form || self.fixed_line_length.is_some()
    }

    /// How to read files that a build compiles, which says `built` of them. What the user says counts more.
    pub fn over(&self, built: FrontendOptions) -> FrontendOptions {
        let form = match (self.fixed_form, self.free_form) {
            (true, _) => SourceForm::Fixed,
            (_, true) => SourceForm::Free,
            _ => built.form,
        };
        let mut macros = built.macros;
        macros.complete |= self.undefine_others;
        macros.known.extend(self.define.iter().cloned());
        macros.known.extend(self.undefine.iter().map(|name| (name.clone(), Macro::Undefined)));
        macros.without_openmp |= self.undefine.iter().any(|name| name == "_OPENMP");
        macros.without_openacc |= self.undefine.iter().any(|name| name == "_OPENACC");
        FrontendOptions {
            form,
            columns: Some(self.fixed_line_length.or(built.columns).unwrap_or(STANDARD_COLUMNS)),
            include_folders: [self.include.clone(), built.include_folders].concat(),
            libraries_keep_to_themselves: self.closed,
            macros,
            ..built
        }
    }

    /// Was a compiler named, beside what a build says?
    pub fn names_compiler(&self) -> bool {
        !self.compiler.is_empty()
    }

    /// How to read the files. Fails where the compiler can't be asked.
    pub fn frontend_options(&self) -> Result<FrontendOptions, Failure> {
        let flags = self.compilers()?.fortran.map(|(_, flags)| flags).unwrap_or_default();
        let language = language_flags(&flags);
        let of_compiler = CompileCommand::new(&flags).frontend_options();
        let form = match (self.fixed_form, self.free_form) {
            (true, _) => SourceForm::Fixed,
            (_, true) => SourceForm::Free,
            _ => of_compiler.form,
        };
        Ok(FrontendOptions {
            form,
            columns: Some(self.fixed_line_length.or(of_compiler.columns).unwrap_or(STANDARD_COLUMNS)),
            preprocesses: of_compiler.preprocesses,
            include_folders: self.include.clone(),
            libraries_keep_to_themselves: self.closed,
            default_kinds: default_kinds(&flags),
            compiles_debug_lines: language.compiles_debug_lines,
            saves_locals: language.saves_locals,
            vector_arithmetic: self.vector_arithmetic()?,
            macros: self.macros()?,
            c_compiler: self.c_compiler()?,
            of_files: OptionsOfFiles::default(),
        })
    }

    /// How the compiler for Fortran computes in vectors, if one was named with the flags of the build: these say how much it optimises.
    fn vector_arithmetic(&self) -> Result<VectorArithmetic, Failure> {
        let Some((compiler, flags)) = self.compilers()?.fortran else { return Ok(VectorArithmetic::Unknown) };
        let optimises = flags.iter().any(|flag| flag.as_encoded_bytes().starts_with(b"-O"));
        Ok(if optimises { vector_arithmetic::ask(&compiler, &flags) } else { VectorArithmetic::Unknown })
    }

    /// What is known of macros: what the compiler says, and over it what the user says.
    fn macros(&self) -> Result<Macros, Failure> {
        let mut macros = Macros::default();
        let mut with_openmp = false;
        if let Some((compiler, arguments)) = self.compilers()?.fortran {
            macros.known = compiler_macros::ask(&compiler, &arguments)?;
            macros.lists_those_of_compiler = true;
            // A part of OpenMP is compiled without the macro (`-fopenmp-simd`).
            with_openmp = compiler_macros::ask_for_openmp(&arguments);
        }
        if self.undefine_others {
            macros.complete = true;
            for name in ["_OPENMP", "_OPENACC"] {
                macros.known.entry(name.to_string()).or_insert(Macro::Undefined);
            }
        }
        macros.known.extend(self.define.iter().cloned());
        macros.known.extend(self.undefine.iter().map(|name| (name.clone(), Macro::Undefined)));
        let has_no_openmp = macros.known.get("_OPENMP") == Some(&Macro::Undefined);
        macros.without_openmp = has_no_openmp && (!with_openmp || self.undefine.iter().any(|name| name == "_OPENMP"));
        macros.without_openacc = macros.known.get("_OPENACC") == Some(&Macro::Undefined);
        Ok(macros)
    }

    /// What to look for.
    pub fn selection(&self) -> Result<Selection, Failure> {
        let rounding = language_flags(&self.flags()?).rounding;
        let mut selection =
            Selection { is_closed: self.closed, in_place: self.in_place, rounding, ..Selection::default() };
        if !self.only.is_empty() {
            selection.enabled.clear();
        }
        selection.enabled.extend(self.only.iter().copied());
        selection.enabled.retain(|transformation| !self.skip.contains(transformation));
        Ok(selection)
    }
}

impl Arguments {
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

/// Reads `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, Macro), String> {
    Macro::definition(text).ok_or_else(|| "NAME or NAME=VALUE is expected".to_string())
}

/// Reads a number of columns that leaves room for statements.
fn line_length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(columns) if columns == 0 || columns >= 20 => Ok(columns),
        _ => Err("a number of columns is expected: 72, 132, any other from 20 on, or 0 for no limit".to_string()),
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    arguments.check_has_a_purpose()?;
    report_request::check_standard_output(&arguments.report, arguments.diff)?;
    let planned = arguments.plan.as_deref().map(PlannedProgram::read).transpose()?;
    let input = match &planned {
        Some(_) => None,
        None => Some(arguments.program.input(&arguments.analysis)?),
    };
    let files = input.as_ref().map_or(arguments.program.named(), |input| &input.files).to_vec();
    let program = planned.as_ref().map_or(files.as_slice(), PlannedProgram::files);
    let (output, out_dir) = (arguments.output.as_deref(), arguments.out_dir.as_deref());
    let sources = destinations::destinations(&files, output, out_dir, program)?;
    let reports = arguments.report.iter().filter_map(|request| request.file().map(PathBuf::from));
    let outputs: Vec<PathBuf> = sources.iter().cloned().chain(reports).collect();
    destinations::check_distinct(&files, &outputs)?;

    let (transformed, files) = match (planned, input) {
        (Some(planned), _) => transformed_as_planned(arguments, planned)?,
        (None, Some(input)) => transformed(arguments, &input)?,
        (None, None) => return Err(Failure::bug("neither a plan nor a program is there to transform")),
    };
    note_assumptions(&transformed.plan);
    let destinations: BTreeMap<FileId, PathBuf> = files.into_iter().zip(sources).collect();
    let printed = printed_output(arguments, &transformed, &destinations)?;
    write_files(arguments, &transformed, &destinations)?;
    diagnostics::write_to_stdout(&printed)?;

    let totals = Totals::of(&transformed.program, &transformed.plan);
    diagnostics::print_line(&summary(arguments, &totals));
    Ok(if arguments.check && totals.any_kept() { Exit::Findings } else { Exit::Done })
}

/// The program as it becomes, and its files in their order.
fn transformed(arguments: &Arguments, input: &ProgramInput) -> Result<(TransformedProgram, Vec<FileId>), Failure> {
    let program = pipeline::read(&input.files, &input.options).map_err(|error| Failure::input(error.to_string()))?;
    pipeline::report_unread(&program, arguments.strict)?;
    let files = (0..program.files.len()).map(FileId).collect();
    let transformed = pipeline::transform(program, &input.selection, &input.options)?;
    pipeline::refuse_beliefs(&transformed.program, &transformed.plan, arguments.strict)?;
    Ok((transformed, files))
}

/// The program as a plan has it, and which of its files the arguments name, in their order.
fn transformed_as_planned(
    arguments: &Arguments,
    planned: PlannedProgram,
) -> Result<(TransformedProgram, Vec<FileId>), Failure> {
    let find = |path: &PathBuf| {
        planned.find(path).ok_or_else(|| {
            Failure::input(format!("{} is not among the files of {}", path.display(), planned.path().display()))
                .help("make the plan from all files of the program")
        })
    };
    let files = arguments.program.named().iter().map(find).collect::<Result<Vec<_>, Failure>>()?;
    if arguments.analysis.says_how_to_compile() {
        let options = arguments.analysis.frontend_options()?;
        let (flags, options_of_c) = (arguments.analysis.flags()?, options.clone());
        let build = Build { arguments: &flags, options, options_of_c, hides_macros: None };
        planned.check(&files, build, &mut |_| {})?;
    }
    pipeline::report_unread(&planned.program, arguments.strict)?;
    pipeline::refuse_beliefs(&planned.program, &planned.plan, arguments.strict)?;
    let mut transformed = pipeline::execute(planned.program, planned.plan)?;
    transformed.retain_outputs(&files);
    Ok((transformed, files))
}

/// How many names a note holds before it becomes unreadable.
const NAMES_IN_NOTE: usize = 12;

/// Says which results rest on what the user said, and how exact those of the program are.
pub(super) fn note_assumptions(plan: &Plan) {
    if let Some(text) = plan.rounding_text() {
        diagnostics::print_note(&text, None);
    }
    if !plan.assumed.is_empty() {
        let (named, others) = plan.assumed.split_at(plan.assumed.len().min(NAMES_IN_NOTE));
        let mut message = format!("taken to keep out of communication, as --closed says: {}", named.join(", "));
        if !others.is_empty() {
            message.push_str(&format!(", and {} others (`gravelc transform --report json` names all)", others.len()));
        }
        diagnostics::print_note(&message, None);
    }
}

/// What goes to standard output: the diff, then the reports.
fn printed_output(
    arguments: &Arguments,
    transformed: &TransformedProgram,
    destinations: &BTreeMap<FileId, PathBuf>,
) -> Result<Vec<u8>, Failure> {
    let mut printed = Vec::new();
    if arguments.diff {
        for output in transformed.outputs() {
            let source = transformed.program.file(output.file);
            let new_path = destinations.get(&output.file).unwrap_or(&source.path);
            let (old, new) = (source.with_text(source.original()), transformed.file_of(output));
            append_unified_diff(&mut printed, &source.path, new_path, &old, &new).map_err(Failure::bug)?;
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
    destinations: &BTreeMap<FileId, PathBuf>,
) -> Result<(), Failure> {
    if arguments.out_dir.is_some() {
        destinations::create_folders(&destinations.values().cloned().collect::<Vec<_>>())?;
    }
    let mut outputs = OutputSet::default();
    for output in transformed.outputs() {
        if let Some(destination) = destinations.get(&output.file) {
            let source = &transformed.program.file(output.file).path;
            let permissions = fs::metadata(source).ok().map(|metadata| metadata.permissions());
            outputs.stage(destination, &transformed.file_of(output), permissions)?;
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
