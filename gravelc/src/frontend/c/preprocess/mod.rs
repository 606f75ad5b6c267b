//! Bytes to the tokens that a compiler sees (ISO C translation phases 1 to 4), each with where it is spelled.
//!
//! [`preprocess`] replaces macros, decides conditions and reads headers as the compiler does that the [`Configuration`] describes.
//! For each token it keeps the file's bytes that spell it and the invocations of macros that it came through, since an edit may
//! replace only what a file spells itself.
//!
//! Every text gives a [`Unit`]: what a compiler would refuse is in its list of problems, and limits on time, memory and depth
//! end the reading of what would not end.

mod builtins;
mod compiler;
mod conditions;
mod configuration;
mod dialect;
mod directives;
mod expand;
mod guard;
mod includes;
mod kept_names;
mod lexer;
mod macros;
mod problem;
mod run;
mod symbols;
#[cfg(test)]
pub(super) mod tests;
mod token;
mod unit;

use std::path::Path;

pub use compiler::{Compiler, CompilerError, Missing};
pub use configuration::{AnswersQuestions, Configuration, Disk, FileReader, Folder, KnownAnswers, Purpose, Texts};
pub use dialect::Dialect;
pub use guard::{Difference, agrees, first_difference};
pub use kept_names::KeptNames;
pub use problem::{Problem, ProblemKind};
pub use symbols::{Symbol, Symbols};
pub use token::{FileId, Flags, Place, Step, StepId, Token, TokenKind};
pub use unit::{ArgumentUse, Condition, HeaderName, SourceText, Unit, UnlikeArgument};

use run::Run;

/// Preprocesses the file at `path`, whose text is `text`.
pub fn preprocess(
    path: &Path,
    text: Vec<u8>,
    configuration: &Configuration,
    reader: &dyn FileReader,
    purpose: Purpose,
) -> Unit {
    Run::new(configuration, reader, purpose).unit(path, text)
}
