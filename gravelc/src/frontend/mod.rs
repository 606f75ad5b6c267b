//! Front ends: source text to [`Program`](crate::ir::Program).
//!
//! Reading never fails because of what a file says: what the grammar can't read becomes an opaque statement that may do
//! anything, is listed in [`SourceFile::unread`](crate::ir::SourceFile::unread) and costs the procedure that holds it, never the file. Errors are left
//! for what is not source text at all ([`FrontendError`]).
//!
//! Fortran is in [`fortran`]. [`c`] reads C up to typed expressions and calls of MPI, and gives no program yet, so no file goes to it.
//! Rust's front end is a part of the procedural macro.

#[cfg(feature = "c")]
pub mod c;
mod error;
#[cfg(feature = "fortran")]
pub mod fortran;
mod source_file;

pub use error::FrontendError;
pub(crate) use source_file::is_preprocessed;
pub use source_file::{FrontendOptions, OptionsOfFiles, SourceForm};

#[cfg(feature = "fortran")]
pub use fortran::{
    DefaultKinds, FileReading, LiveStatements, Macro, Macros, Sentinel, StandInKind, StandIns, mpi_stand_ins,
};

#[cfg(feature = "fortran")]
pub use entry::{
    file_reading, is_readable, layout_of, live_statements, parse_text, read_program, read_texts, syntax_errors,
};

#[cfg(feature = "fortran")]
mod entry {
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    use super::source_file::{check_text, is_preprocessed, read_bytes};
    use super::{FrontendError, FrontendOptions, fortran};
    use crate::ir::{Language, Program, SourceFile};
    use crate::progress::{self, Phase};
    use crate::source_layout::SourceLayout;

    /// Lines, from 1, with what is wrong there.
    type SyntaxErrors = Vec<(usize, String)>;
    /// What the grammar can't read in a text that is to take the place of a file's.
    type FindErrors = fn(&[u8], &SourceFile) -> Result<SyntaxErrors, FrontendError>;
    /// Can the grammar read all of such a text, of which it could read some parts before?
    type AskReadable = fn(&[u8], &SourceFile, &[Range<usize>]) -> Result<bool, FrontendError>;

    /// What reads the files of one language.
    struct FrontEnd {
        language: Language,
        lower: fn(Vec<SourceFile>, &FrontendOptions) -> Result<Program, FrontendError>,
        syntax_errors: FindErrors,
        is_readable: AskReadable,
    }

    /// All front ends.
    const FRONT_ENDS: &[FrontEnd] = &[FrontEnd {
        language: Language::Fortran,
        lower: fortran::lower,
        syntax_errors: fortran::syntax_errors,
        is_readable: fortran::is_readable,
    }];

    /// The front end of the language.
    fn front_end(language: Language) -> Option<&'static FrontEnd> {
        FRONT_ENDS.iter().find(|front_end| front_end.language == language)
    }

    /// The program that the files are, which are of one language.
    fn lower(files: Vec<SourceFile>, options: &FrontendOptions) -> Result<Program, FrontendError> {
        let language = files.first().map_or(Language::default(), |file| file.language);
        match front_end(language) {
            Some(front_end) => (front_end.lower)(files, options),
            None => Ok(Program { files: files.into(), ..Program::default() }),
        }
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

    /// A file that has a layout: only Fortran has such.
    fn source_file(path: &Path, text: Vec<u8>, layout: SourceLayout, options: &FrontendOptions) -> SourceFile {
        let mut file = SourceFile::new(path, text, layout);
        file.language = Language::Fortran;
        file.is_preprocessed = is_preprocessed(path, options);
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
