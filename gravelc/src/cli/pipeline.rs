//! From paths to transformed text: the path that `transform` and `wrap` share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::progress_line::ProgressLine;
use super::{Failure, diagnostics};
use crate::emit::{self, Emitted, EmittedFile};
use crate::frontend::{self, FrontendError, FrontendOptions, StandInKind, StandIns, mpi_stand_ins};
use crate::ir::{FileId, MissedCall, Program, SourceFile};
use crate::passes;
use crate::plan::Plan;
use crate::progress::{self, Phase};
use crate::transform::{self, Selection};

/// A program, what was decided about it, and the text that results.
pub(super) struct TransformedProgram {
    /// The program as it was read.
    pub program: Program,
    /// The decisions.
    pub plan: Plan,
    emitted: Emitted,
}

impl TransformedProgram {
    /// The output for every file of the program, in its order; that of a file without edits is its input.
    pub fn outputs(&self) -> &[EmittedFile] {
        &self.emitted.files
    }

    /// Is the output what its input was?
    pub fn is_unchanged(&self, output: &EmittedFile) -> bool {
        output.text == self.program.file(output.file).text
    }

    /// Forgets the output for other files than these.
    pub fn retain_outputs(&mut self, files: &[FileId]) {
        self.emitted.files.retain(|output| files.contains(&output.file));
    }

    /// Where that is asked for, reads the output as the program was read, with `options`, and compares what is written there
    /// with what was meant.
    pub fn check_meanings(&self, options: &FrontendOptions) -> Result<(), Failure> {
        if !cfg!(debug_assertions) && std::env::var_os(CHECK_OUTPUT).is_none() {
            return Ok(());
        }
        let files = self.outputs().iter().map(|output| {
            let source = self.program.file(output.file);
            let mut file = SourceFile::new(&source.path, output.written.clone(), source.layout);
            file.is_preprocessed = source.is_preprocessed;
            file.language = source.language;
            file
        });
        let output = frontend::read_texts(files.collect(), options)
            .map_err(|error| Failure::bug(error).note("the output could not be read; nothing was written"))?;
        match self.emitted.first_mistake(&output) {
            None => Ok(()),
            Some(mistake) => Err(Failure::bug(mistake.to_string()).note("nothing was written")),
        }
    }

    /// What a file that takes the place of this output's input holds.
    pub fn file_of(&self, output: &EmittedFile) -> Vec<u8> {
        self.program.file(output.file).with_text(&output.written)
    }
}

/// Reads the files as one whole program, and [prepares](passes::prepare) it.
pub(super) fn read(paths: &[PathBuf], options: &FrontendOptions) -> Result<Program, FrontendError> {
    let _line = ProgressLine::show();
    let program = frontend::read_program(paths, options)?;
    Ok(passes::prepare(program))
}

/// With this variable in the environment, the output is read as a whole and compared with what was meant. Debug builds
/// always do that. It takes as long again as to read the input.
const CHECK_OUTPUT: &str = "GRAVELC_CHECK_OUTPUT";

/// Plans and emits, and parses the output again before anybody gets to see it. The program was read with `options`.
pub(super) fn transform(
    program: Program,
    selection: &Selection,
    options: &FrontendOptions,
) -> Result<TransformedProgram, Failure> {
    check_directives(&program)?;
    let line = ProgressLine::show();
    let plan = transform::plan_program(&program, selection);
    drop(line);
    let transformed = execute(program, plan)?;
    transformed.check_meanings(options)?;
    Ok(transformed)
}

/// Carries a plan out, and parses the output again before anybody gets to see it.
pub(super) fn execute(program: Program, plan: Plan) -> Result<TransformedProgram, Failure> {
    let _line = ProgressLine::show();
    progress::begin(Phase::Output, program.files.len());
    let emitted = emit::emit(&program, &plan)
        .map_err(|error| Failure::bug(error).note("the plan could not be carried out; nothing was written"))?;
    for output in &emitted.files {
        let source = program.file(output.file);
        if output.text != source.text {
            check_syntax(source, output)?;
        }
        progress::advance();
    }
    Ok(TransformedProgram { program, plan, emitted })
}

/// Tells of every directive that can't be obeyed, and fails if there is one.
pub(super) fn check_directives(program: &Program) -> Result<(), Failure> {
    let errors = transform::directive_errors(program);
    for error in &errors {
        let near = error.word.as_deref().map(|word| similar::get_close_matches(word, &error.known, 1, 0.5));
        let help = match near.as_deref() {
            Some([nearest, ..]) => Some(format!("did you mean `{nearest}`?")),
            Some([]) => Some(format!("known are `{}`", error.known.join("`, `"))),
            None => None,
        };
        diagnostics::print_error_with_help_at(
            program.file(error.span.file),
            error.span,
            &error.message,
            help.as_deref(),
        );
    }
    if errors.is_empty() {
        return Ok(());
    }
    Err(Failure::input("directives in the source can't be obeyed")
        .note("nothing was written")
        .help("`gravelc explain directives` describes them"))
}

/// Refuses output with a syntax error that the input did not have.
fn check_syntax(source: &SourceFile, output: &EmittedFile) -> Result<(), Failure> {
    let path = &source.path;
    if frontend::is_readable(&output.text, source, &output.kept) {
        return Ok(());
    }
    let found = frontend::syntax_errors(&output.text, source);
    if found.is_empty() {
        return Ok(());
    }
    // Edits shift the lines, so errors are compared by their messages.
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (_, message) in frontend::syntax_errors(&source.text, source) {
        *known.entry(message).or_default() += 1;
    }
    for (line, message) in found {
        match known.get_mut(&message) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                return Err(Failure::bug(format!(
                    "the output for {} has a syntax error at its line {line}: {message}",
                    path.display()
                ))
                .note("nothing was written"));
            }
        }
    }
    Ok(())
}

/// How many names a message has room for.
const NAMES_SHOWN: usize = 3;

/// Warns of files that define MPI's routines themselves: then nothing communicates, or, where they are in front of MPI's,
/// calls that may be theirs stay as they are.
fn warn_of_stand_ins(program: &Program) {
    for StandIns { kind, names, first } in mpi_stand_ins(program) {
        let shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| format!("`{name}`")).collect();
        let more = match names.len().saturating_sub(NAMES_SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = shown.join(", ");
        let (message, help) = match kind {
            StandInKind::Instead => (
                format!("routines of MPI are defined here: {shown}{more}; calls of these do not communicate"),
                "leave the file out, as a build with an MPI library does",
            ),
            StandInKind::InFront => (
                format!(
                    "linkers may take this for routines of MPI: {shown}{more}; calls that it may stand in front of stay"
                ),
                "leave the file out, if the program shall not be profiled",
            ),
        };
        diagnostics::print_warning_with_help_at(program.file(first.file), first, &message, help);
    }
}

/// Tells of files that stand for MPI or in front of it, and of everything that could not be read: as warnings, or as errors with `--strict`, which then fails.
pub(super) fn report_unread(program: &Program, strict: bool) -> Result<(), Failure> {
    warn_of_stand_ins(program);
    if let Some(text) = MissedCall::describe(&program.missed_calls) {
        let help =
            "they stand in source that was not read (the other warnings say which), in macros, or in included files";
        diagnostics::print_warning(&text, help);
    }
    let mut places = 0;
    for file in program.files.iter() {
        for (span, message) in &file.unread {
            places += 1;
            if strict {
                diagnostics::print_error_at(file, *span, message);
            } else {
                diagnostics::print_warning_at(file, *span, message);
            }
        }
    }
    if strict && places > 0 {
        return Err(Failure::input("source text could not be read, and `--strict` was given")
            .note("nothing was written")
            .help("without `--strict` gravelc assumes the worst of such text and transforms around it"));
    }
    Ok(())
}

/// Refuses what is only believed of calls that were not given, with `--strict`.
pub(super) fn refuse_beliefs(program: &Program, plan: &Plan, strict: bool) -> Result<(), Failure> {
    if !strict || plan.believed.is_empty() {
        return Ok(());
    }
    for belief in &plan.believed {
        diagnostics::print_error_at(program.file(belief.span.file), belief.span, &belief.text);
    }
    Err(Failure::input("results would rest on what calls that were not given do, and `--strict` was given")
        .note("nothing was written")
        .help("give all files of the program; `gravelc explain arguments-share-memory` tells more"))
}
