//! What a build did: which sources it compiled with which flags, and what it linked from them.
//!
//! ```text
//! wrap --record DIR ─▶ recorder ─┐
//! compile_commands.json ─▶ database ─┼─▶ BuildRecord ──programs──▶ the files of one program ──flags──▶ how each is read
//! output of make ─▶ log ─────────┘
//! ```
//!
//! All three are lists of commands; what a command makes of what is in [`step`].

mod archive;
mod database;
mod flags;
mod log;
mod programs;
mod recorder;
mod shell;
mod step;

use std::path::{Path, PathBuf};

pub(super) use self::flags::Flags;
pub(super) use self::recorder::begin;
use self::step::Step;
use super::Failure;

/// What a build did.
#[derive(Debug)]
pub(super) struct BuildRecord {
    /// Where it was found.
    path: PathBuf,
    /// The commands that made something.
    steps: Vec<Step>,
    /// Do they stand in the order in which they were executed?
    is_ordered: bool,
    /// Commands that could not be followed, as the user would look for them.
    unread: Vec<String>,
}

impl BuildRecord {
    /// Reads the folder that `gravelc wrap --record` wrote.
    ///
    /// # Errors
    /// It can't be read, or holds nothing that was recorded.
    pub fn recorded(folder: &Path) -> Result<Self, Failure> {
        recorder::read(folder)
    }

    /// Reads a compilation database, or what make printed. Relative paths of the latter begin at `base`, or else at the folder
    /// of the file.
    ///
    /// # Errors
    /// It can't be read, or shows no command of a compiler.
    pub fn of_file(path: &Path, base: Option<&Path>) -> Result<Self, Failure> {
        let text =
            std::fs::read(path).map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))?;
        match text.trim_ascii_start().starts_with(b"[") && path.extension().is_some_and(|ending| ending == "json") {
            true => database::read(path, &text),
            false => log::read(path, &text, base),
        }
    }

    /// Commands that could not be followed.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// A failure that concerns this record.
    fn failure(&self, message: &str) -> Failure {
        Failure::input(format!("{}: {message}", self.path.display()))
    }
}
