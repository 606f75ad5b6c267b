//! Transforms the sources of a command that compiles and links, on the way to the compiler.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::compile_command::{CompileCommand, Stage};
use super::note_untransformed;
use crate::cli::output_set::OutputSet;
use crate::cli::plan_basis::Build;
use crate::cli::plan_file::PlannedBuild;
use crate::cli::runtime::Compiler;
use crate::cli::transform::note_assumptions;
use crate::cli::{Failure, compiler_macros, destinations, diagnostics, pipeline, vector_arithmetic};
use crate::frontend::{CompilerCommand, FrontendOptions, Macros};
use crate::ir::{self, BYTE_ORDER_MARK};
use crate::report::Totals;
use crate::transform::Selection;

/// Transformed sources that replace those of a command, for as long as this lives.
#[derive(Debug)]
pub(super) struct TransformedSources {
    replacements: Vec<PathBuf>,
    /// The files whose text each of them holds in the place of a line that includes it.
    written_out: Vec<Vec<PathBuf>>,
    /// Holds the files, unless the user keeps them.
    _folder: Option<TempDir>,
}

impl TransformedSources {
    /// The files, in the order of the command's sources.
    pub fn replacements(&self) -> &[PathBuf] {
        &self.replacements
    }

    /// The files whose text each of them holds in the place of a line that includes it, in the same order.
    pub fn written_out(&self) -> &[Vec<PathBuf>] {
        &self.written_out
    }
}

/// Transforms the sources of the command as a whole program. `None`, with a note that says why, where they are
/// not one or can't be read: the compiler then gets them as they are.
pub(super) fn transform_sources(
    compiler: &Compiler,
    command: &CompileCommand,
    keep_dir: Option<&Path>,
) -> Result<Option<TransformedSources>, Failure> {
    let sources = command.sources();
    if sources.is_empty() {
        return Ok(None);
    }
    if command.stage() != Stage::Link {
        note_untransformed(
            "this command sees only a part of the program",
            Some(
                "make a plan of all files with `gravelc plan FILE... -o PLAN`, and build with `gravelc wrap --plan PLAN`",
            ),
        );
        return Ok(None);
    }
    let fortran = command.sources_in(ir::Language::Fortran);
    if let Some(source) = fortran.iter().find(|source| !command.preprocesses(source) && has_conditions(source)) {
        // A compiler may skip such lines and compile all that lies between them.
        note_untransformed(
            &format!("{} has lines for the preprocessor, which does not read it in this command", source.display()),
            Some("give -cpp, or the file an ending in upper case (.F90)"),
        );
        return Ok(None);
    }
    let mut options = command.frontend_options();
    learn_macros(compiler, command, &mut options.macros);
    if !fortran.is_empty() {
        options.vector_arithmetic = vector_arithmetic::ask(compiler, command.flags());
    }
    for source in command.sources_in(ir::Language::C) {
        options.of_files.insert(source, options_of_c(compiler, command)?);
    }
    let program = match pipeline::read(&sources, &options) {
        Ok(program) => program,
        Err(error) => {
            note_untransformed(&error.to_string(), None);
            return Ok(None);
        }
    };
    pipeline::report_unread(&program, false)?;
    let selection = Selection { rounding: command.rounding(), ..Selection::default() };
    let transformed = pipeline::transform(program, &selection, &options)?;
    note_assumptions(&transformed.plan);

    let (mut replacements, folder) = places(&sources, keep_dir, &sources)?;
    destinations::check_distinct(&sources, &replacements)?;
    let mut outputs = OutputSet::default();
    for ((output, replacement), source) in transformed.outputs().iter().zip(&mut replacements).zip(&sources) {
        if keep_dir.is_none() && transformed.is_unchanged(output) {
            // The compiler gets it by its own name.
            replacement.clone_from(source);
        } else {
            outputs.stage(replacement, &named_as(source, transformed.file_of(output)), None)?;
        }
    }
    outputs.commit()?;
    diagnostics::print_line(&Totals::of(&transformed.program, &transformed.plan).to_string());
    let written_out = transformed.outputs().iter().map(|output| output.written_out.clone()).collect();
    Ok(Some(TransformedSources { replacements, written_out, _folder: folder }))
}

/// How the command compiles its sources in C.
fn options_of_c(compiler: &Compiler, command: &CompileCommand) -> Result<FrontendOptions, Failure> {
    let folder = std::env::current_dir()
        .map_err(|error| Failure::input(format!("cannot tell in which folder this command runs: {error}")))?;
    let c_compiler = CompilerCommand { program: compiler.name(), flags: command.flags_of_c(&folder) };
    Ok(FrontendOptions { c_compiler: Some(c_compiler), ..FrontendOptions::default() })
}

/// Asks the compiler which macros are defined, if a source could depend on them. Where it can't say, those that it defines
/// itself stay open.
fn learn_macros(compiler: &Compiler, command: &CompileCommand, macros: &mut Macros) {
    if !command.shows_all_flags()
        || !command.sources_in(ir::Language::Fortran).iter().any(|source| has_conditions(source))
    {
        return;
    }
    if let Ok(listed) = compiler_macros::ask(compiler, command.flags()) {
        macros.known = listed;
        macros.complete = true;
        macros.lists_those_of_compiler = true;
    }
}

/// Are there lines for the preprocessor in a source, other than those that one has left behind?
fn has_conditions(source: &Path) -> bool {
    let words: [&[u8]; 7] = [b"if", b"el", b"endif", b"define", b"undef", b"include", b"import"];
    let is_one = |line: &[u8]| {
        let rest = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| words.iter().any(|word| rest.starts_with(word)))
    };
    fs::read(source).is_ok_and(|text| text.split(|&byte| byte == b'\n').any(is_one))
}

/// Carries a plan out on the sources of the command. One that is not in the plan goes to the compiler as it is.
pub(super) fn transform_planned_sources(
    compiler: &Compiler,
    command: &CompileCommand,
    plan: &Path,
    keep_dir: Option<&Path>,
) -> Result<Option<TransformedSources>, Failure> {
    let sources = command.sources();
    if sources.is_empty() {
        return Ok(None);
    }
    let planned = PlannedBuild::open(plan)?;
    let files: Vec<Option<usize>> = sources.iter().map(|source| planned.find(source)).collect();
    for (source, _) in sources.iter().zip(&files).filter(|(_, file)| file.is_none()) {
        note_untransformed(&format!("{} is not among the files of {}", source.display(), plan.display()), None);
    }
    let known: Vec<usize> = files.iter().flatten().copied().collect();
    if known.is_empty() {
        // Whatever has become of the plan's files: the compiler is tested before a build makes what they include.
        return Ok(None);
    }
    let mut options = command.frontend_options();
    if planned.cuts_inside_vectors(&known) {
        options.vector_arithmetic = vector_arithmetic::ask(compiler, command.flags());
    }
    let build = Build {
        arguments: command.arguments(),
        options,
        options_of_c: options_of_c(compiler, command)?,
        hides_macros: command.hides_macros(),
    };
    let mut is_asked = false;
    planned.check(&known, build, &mut |build| {
        // Once for all files.
        if !std::mem::replace(&mut is_asked, true)
            && let Ok(listed) = compiler_macros::ask(compiler, command.flags())
        {
            build.options.macros =
                Macros { known: listed, complete: true, lists_those_of_compiler: true, ..Macros::default() };
        }
    })?;
    let (mut replacements, folder) = places(&sources, keep_dir, planned.files())?;
    let mut outputs = OutputSet::default();
    for ((source, file), replacement) in sources.iter().zip(&files).zip(&mut replacements) {
        let text = match file.map(|file| planned.text(file, source)) {
            Some(Some(text)) => text,
            Some(None) if keep_dir.is_some() => fs::read(source)
                .map_err(|error| Failure::input(format!("cannot read {}: {error}", source.display())))?,
            _ => {
                // The compiler gets it by its own name.
                replacement.clone_from(source);
                continue;
            }
        };
        destinations::check_distinct(std::slice::from_ref(source), std::slice::from_ref(&*replacement))?;
        outputs.stage(replacement, &named_as(source, text), None)?;
    }
    outputs.commit()?;
    let written_out = files.iter().map(|file| file.map_or(Vec::new(), |file| planned.written_out(file).to_vec()));
    Ok(Some(TransformedSources { replacements, written_out: written_out.collect(), _folder: folder }))
}

/// The text for a compiler that shall call it by the name of the source which it replaces: `__FILE__` is what it was.
fn named_as(source: &Path, text: Vec<u8>) -> Vec<u8> {
    let is_c = source.extension().is_some_and(|ending| ending == "c");
    if !is_c || text.starts_with(BYTE_ORDER_MARK) {
        return text;
    }
    let name = source.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let line = format!("#line 1 \"{name}\"\n").into_bytes();
    if text.starts_with(&line) { text } else { [line, text].concat() }
}

/// Where the transformed sources go: the folder that the user keeps, or one that lasts as long as it is held.
/// `program` has all files of the program.
fn places(
    sources: &[PathBuf],
    keep_dir: Option<&Path>,
    program: &[PathBuf],
) -> Result<(Vec<PathBuf>, Option<TempDir>), Failure> {
    match keep_dir {
        Some(_) => {
            let places = destinations::destinations(sources, None, keep_dir, program)?;
            destinations::create_folders(&places)?;
            Ok((places, None))
        }
        None => {
            let folder = tempfile::Builder::new().prefix("gravelc-wrap-").tempdir().map_err(cannot_make_folder)?;
            Ok((numbered_destinations(sources, folder.path())?, Some(folder)))
        }
    }
}

/// A place for each source under `folder` that keeps its name, which the names of objects come from. Sources of
/// different folders may have the same name, so each has a folder of its own.
fn numbered_destinations(sources: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut places = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let own_folder = folder.join(index.to_string());
        fs::create_dir(&own_folder).map_err(cannot_make_folder)?;
        places.push(own_folder.join(source.file_name().unwrap_or_default()));
    }
    Ok(places)
}

fn cannot_make_folder(error: std::io::Error) -> Failure {
    Failure::input(format!("cannot make a temporary folder for the transformed sources: {error}"))
        .help("set TMPDIR to a folder that can be written")
}
