//! Front ends: source text to [`Program`](crate::ir::Program).
//!
//! Reading never fails because of what a file says: what the grammar can't read becomes an opaque statement that may do
//! anything, is listed in [`SourceFile::unread`](crate::ir::SourceFile::unread) and costs the procedure that holds it, never the file. Errors are left
//! for what is not source text at all ([`FrontendError`]).
//!
//! Fortran is in [`fortran`], C in [`c`]. A program of both is lowered by both, each for its own files.
//! Rust's front end is a part of the procedural macro.

#[cfg(feature = "c")]
pub mod c;
#[cfg(test)]
mod dump;
mod error;
#[cfg(feature = "fortran")]
pub mod fortran;
#[cfg(any(feature = "fortran", feature = "c"))]
mod mpi_operations;
mod source_file;

#[cfg(feature = "c")]
pub use c::build_comparison::{BuildDifference, difference as build_difference};
#[cfg(feature = "c")]
pub use c::compiler_command::CompilerCommand;
pub use error::FrontendError;
pub use source_file::{FrontendOptions, OptionsOfFiles, SourceForm};
#[cfg(feature = "fortran")]
pub(crate) use source_file::{is_preprocessed, language_of};

#[cfg(feature = "fortran")]
pub use fortran::{
    DefaultKinds, FileReading, LiveStatements, Macro, Macros, Sentinel, StandInKind, StandIns, mpi_stand_ins,
};

#[cfg(feature = "fortran")]
pub use entry::{
    file_reading, files_included, is_readable, layout_of, live_statements, parse_text, read_program, read_texts,
    syntax_errors,
};

#[cfg(feature = "fortran")]
mod entry {
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    use super::source_file::{check_text, is_preprocessed, language_of, read_bytes, vector_arithmetic_of};
    use super::{FrontendError, FrontendOptions, fortran};
    #[cfg(feature = "c")]
    use crate::ir::Procedure;
    #[cfg(feature = "c")]
    use crate::ir::called_name::{for_linkers, in_library, may_be_of_module};
    use crate::ir::{Language, Program, SourceFile};
    #[cfg(feature = "c")]
    use crate::known_libraries::{C_LIBRARY, system::is_of_c};
    use crate::progress::{self, Phase};
    use crate::source_layout::SourceLayout;

    /// Adds to a program what its files of one language are; the others it leaves alone.
    type Lower = fn(Vec<SourceFile>, Program, &FrontendOptions) -> Result<Program, FrontendError>;
    /// Lines, from 1, with what is wrong there.
    type SyntaxErrors = Vec<(usize, String)>;
    /// What the grammar can't read in a text that is to take the place of a file's.
    type FindErrors = fn(&[u8], &SourceFile) -> Result<SyntaxErrors, FrontendError>;
    /// Can the grammar read all of such a text, of which it could read some parts before?
    type AskReadable = fn(&[u8], &SourceFile, &[Range<usize>]) -> Result<bool, FrontendError>;

    /// Which files of the program a file includes, whose text is given.
    type FindIncluded = fn(&Path, &[u8], &FrontendOptions) -> Result<Vec<PathBuf>, FrontendError>;

    /// What reads the files of one language.
    struct FrontEnd {
        language: Language,
        lower: Lower,
        syntax_errors: FindErrors,
        is_readable: AskReadable,
        included: FindIncluded,
    }

    /// All front ends, in the order in which they lower: the procedures of each are behind those of the ones before.
    const FRONT_ENDS: &[FrontEnd] = &[
        FrontEnd {
            language: Language::Fortran,
            lower: lower_fortran,
            syntax_errors: fortran::syntax_errors,
            is_readable: fortran::is_readable,
            included: |path, text, options| {
                let included = file_reading(path, text, options)?.included;
                Ok(included.into_iter().map(|(_, path)| path).collect())
            },
        },
        #[cfg(feature = "c")]
        FrontEnd {
            language: Language::C,
            lower: lower_c,
            syntax_errors: super::c::rewritten::syntax_errors,
            // What it says is compared with what it says of the input.
            is_readable: |_, _, _| Ok(false),
            included: super::c::build_comparison::own_headers,
        },
    ];

    /// The front end of the language.
    fn front_end(language: Language) -> Option<&'static FrontEnd> {
        FRONT_ENDS.iter().find(|front_end| front_end.language == language)
    }

    /// The program that the files are.
    fn lower(files: Vec<SourceFile>, options: &FrontendOptions) -> Result<Program, FrontendError> {
        let needed = |front_end: &&FrontEnd| files.iter().any(|file: &SourceFile| file.language == front_end.language);
        let needed: Vec<&FrontEnd> = FRONT_ENDS.iter().filter(needed).collect();
        let mut program = Program { files: files.into(), ..Program::default() };
        for front_end in needed {
            let files = program.files.to_vec();
            program = (front_end.lower)(files, program, options)?;
        }
        Ok(program)
    }

    /// The files of Fortran, each at its number: in the place of others stands nothing.
    fn lower_fortran(
        files: Vec<SourceFile>,
        program: Program,
        options: &FrontendOptions,
    ) -> Result<Program, FrontendError> {
        let is_other = |file: &SourceFile| file.language != Language::Fortran;
        let nothing = |file: SourceFile| match is_other(&file) {
            true => {
                let language = file.language;
                let mut empty = SourceFile::new(file.path, Vec::new(), file.layout);
                // Its flags count: they may make calls of Fortran parallel.
                empty.language = language;
                empty
            }
            false => file,
        };
        let mut lowered = fortran::lower(files.into_iter().map(nothing).collect(), options)?;
        let all = std::sync::Arc::make_mut(&mut lowered.files);
        for (file, given) in all.iter_mut().zip(program.files.iter()).filter(|(_, given)| is_other(given)) {
            *file = given.clone();
        }
        Ok(lowered)
    }

    /// The files of C, beside what others have lowered.
    #[cfg(feature = "c")]
    fn lower_c(
        mut files: Vec<SourceFile>,
        mut program: Program,
        options: &FrontendOptions,
    ) -> Result<Program, FrontendError> {
        use super::c::lower::{Given, lower};
        use crate::ir::{FileId, ProcedureId};
        let of_language = files.iter().enumerate().filter(|(_, file)| file.language == Language::C);
        let mut own: Vec<(FileId, SourceFile)> =
            of_language.map(|(index, file)| (FileId(index), file.clone())).collect();
        let others = program.procedures.len();
        let lowered = lower(Given { files: &mut own, others }, options)?;
        for (id, file) in own {
            files[id.0] = file;
        }
        program.files = files.into();
        std::sync::Arc::make_mut(&mut program.read)
            .extend(lowered.read.iter().map(|(path, text)| (path.clone(), text.clone())));
        program.procedures.extend(lowered.procedures);
        program.indirect_names.extend(lowered.indirect_names);
        program.doubtful_names.extend(lowered.doubtful_names);
        if others > 0 {
            program.doubtful_names.extend(redefined_functions(&program.procedures[others..]));
        }
        program.link_names.extend(lowered.link_names);
        program.missed_calls = program.missed_calls.iter().chain(lowered.missed_calls.iter()).cloned().collect();
        let mentioned = std::sync::Arc::make_mut(&mut program.mentioned);
        mentioned.by_procedures.resize(others, std::collections::BTreeSet::new());
        mentioned.by_procedures.extend(lowered.mentioned.by_procedures.iter().cloned());
        mentioned.elsewhere.extend(lowered.mentioned.elsewhere.iter().copied());
        if others > 0 {
            let (of_c, of_others) = (lowered.mentioned.for_others.as_ref(), mentioned.for_others.as_ref());
            let is_named = |(index, procedure): &(usize, &std::sync::Arc<Procedure>)| {
                may_be_named(procedure, if *index < others { of_c } else { of_others })
            };
            let named = program.procedures.iter().enumerate().filter(is_named).map(|(index, _)| ProcedureId(index));
            let named: Vec<ProcedureId> = named.collect();
            mentioned.elsewhere.extend(named);
        }
        Ok(program)
    }

    /// May another language, whose text has these names, mean the procedure? So may libraries, and what stands in for them, if it has the
    /// name of one of theirs.
    #[cfg(feature = "c")]
    fn may_be_named(procedure: &Procedure, names: Option<&std::collections::BTreeSet<String>>) -> bool {
        let name = for_linkers(&procedure.name);
        let is_of_library = ["mpi_", "pmpi_", "gravel"].iter().any(|beginning| name.starts_with(beginning))
            || is_of_c(&procedure.name)
            || ["malloc", "calloc", "realloc", "free", "exit", "abort"].contains(&procedure.name.as_str())
            || may_be_of_module(&procedure.name);
        is_of_library || names.is_none_or(|names| names.contains(&name))
    }

    /// Functions of the C library that other languages call under these names, where files of C define some of these themselves.
    #[cfg(feature = "c")]
    fn redefined_functions(of_c: &[std::sync::Arc<crate::ir::Procedure>]) -> impl Iterator<Item = String> {
        of_c.iter().flat_map(|procedure| {
            let plain = procedure.name.trim_end_matches('_');
            [in_library(C_LIBRARY, &procedure.name), in_library(C_LIBRARY, plain)]
        })
    }

    /// Reads the files at `paths` as one whole program. Some of them may be empty, as compilers accept them.
    ///
    /// # Errors
    ///
    /// A file that can't be read, that is not text, or whose source form is not supported; the first one, if all are empty.
    pub fn read_program(paths: &[PathBuf], options: &FrontendOptions) -> Result<Program, FrontendError> {
        progress::begin(Phase::Files, paths.len());
        let mut files = Vec::with_capacity(paths.len());
        let mut empty = Vec::new();
        for path in paths {
            let layout = layout_of(path, options)?;
            let text = read_bytes(path)?;
            match check_text(path, &text) {
                Err(error @ FrontendError::Empty { .. }) => empty.push(error),
                checked => checked?,
            }
            files.push(source_file(path, text, layout, options));
        }
        match empty.into_iter().next() {
            Some(error) if files.iter().all(|file| check_text(&file.path, &file.text).is_err()) => Err(error),
            _ => lower(files, options),
        }
    }

    /// Reads one file from memory; `path` decides the source form and is named in messages.
    ///
    /// # Errors
    ///
    /// As [`read_program`], for what concerns the text.
    pub fn parse_text(path: &Path, text: Vec<u8>, options: &FrontendOptions) -> Result<Program, FrontendError> {
        let layout = layout_of(path, options)?;
        check_text(path, &text)?;
        lower(vec![source_file(path, text, layout, options)], options)
    }

    /// Reads files whose text is at hand as one whole program, as [`read_program`] reads what they stand for.
    ///
    /// # Errors
    ///
    /// If the parser can't be set up.
    pub fn read_texts(files: Vec<SourceFile>, options: &FrontendOptions) -> Result<Program, FrontendError> {
        lower(files, options)
    }

    /// The statements of a file that are compiled, as far as its conditions are decided; `path` decides the source form, and
    /// beside it is what it includes.
    ///
    /// # Errors
    ///
    /// As [`read_program`], for what concerns the text.
    pub fn live_statements(
        path: &Path,
        text: Vec<u8>,
        options: &FrontendOptions,
    ) -> Result<fortran::LiveStatements, FrontendError> {
        let layout = layout_of(path, options)?;
        check_text(path, &text)?;
        Ok(fortran::live_statements(&source_file(path, text, layout, options), options))
    }

    /// The layout that the file at `path` has under these options.
    ///
    /// # Errors
    ///
    /// If its name does not say its source form, and the options don't.
    pub fn layout_of(path: &Path, options: &FrontendOptions) -> Result<SourceLayout, FrontendError> {
        super::source_file::layout_of(path, options)
    }

    /// What the file at `path`, whose text was read before, reads as under these options.
    ///
    /// # Errors
    ///
    /// If its name does not say its source form, and the options don't.
    pub fn file_reading(
        path: &Path,
        text: &[u8],
        options: &FrontendOptions,
    ) -> Result<fortran::FileReading, FrontendError> {
        let layout = layout_of(path, options)?;
        Ok(fortran::file_reading(source_file(path, text.to_vec(), layout, options), options))
    }

    /// Which files the file at `path` includes, whose text was read before; of headers those of the program, not those of the system.
    ///
    /// # Errors
    ///
    /// If it can't be told how the file is read.
    pub fn files_included(path: &Path, text: &[u8], options: &FrontendOptions) -> Result<Vec<PathBuf>, FrontendError> {
        front_end(language_of(path))
            .map_or_else(|| Ok(Vec::new()), |front_end| (front_end.included)(path, text, options))
    }

    /// What the grammar can't read in `text`, which is to take the place of what `file` holds: line (from 1) and what is wrong
    /// there, in order of the lines.
    ///
    /// A transformation must not add to this list. Should the parser not be set up, that is the only error.
    pub fn syntax_errors(text: &[u8], file: &SourceFile) -> Vec<(usize, String)> {
        let failed = |error| vec![(1, format!("{}: {error}", file.path.display()))];
        front_end(file.language)
            .map_or_else(|| Ok(Vec::new()), |front_end| (front_end.syntax_errors)(text, file))
            .unwrap_or_else(failed)
    }

    /// Can the grammar read all of `text`, which is to take the place of what `file` holds? Of what stands in `kept` it could,
    /// where that was copied from: simple statements in there that have others like them on both sides are not looked at again.
    pub fn is_readable(text: &[u8], file: &SourceFile, kept: &[Range<usize>]) -> bool {
        front_end(file.language).is_some_and(|front_end| (front_end.is_readable)(text, file, kept).unwrap_or(false))
    }

    /// A file of the language that its name says.
    fn source_file(path: &Path, text: Vec<u8>, layout: SourceLayout, options: &FrontendOptions) -> SourceFile {
        let mut file = SourceFile::new(path, text, layout);
        file.language = language_of(path);
        file.is_preprocessed = is_preprocessed(path, options);
        file.vector_arithmetic = vector_arithmetic_of(path, options);
        file
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_language_has_a_front_end() {
            assert!(Language::ALL.iter().all(|language| front_end(*language).is_some()));
        }
    }
}
