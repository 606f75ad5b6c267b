//! Why a command could not do its work.

use std::fmt;

/// Exit code for bad usage and unreadable input.
pub(super) const BAD_INPUT: u8 = 2;
/// Exit code for a bug of gravelc.
const BUG: u8 = 3;

/// Why a command could not do its work: what is printed before it ends, and its exit code.
#[derive(Debug)]
pub struct Failure {
    exit_code: u8,
    message: String,
    notes: Vec<String>,
    help: Option<String>,
}

impl Failure {
    /// Bad usage, or input that can't be read, or output that can't be written: the user can do something about it.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit_code: BAD_INPUT, message: message.into(), notes: Vec::new(), help: None }
    }

    /// Something that no input should be able to cause.
    pub fn bug(message: impl fmt::Display) -> Self {
        Self {
            exit_code: BUG,
            message: format!("bug of gravelc: {message}"),
            notes: Vec::new(),
            help: Some(format!(
                "please report this message with the command and the source files (gravelc {})",
                env!("CARGO_PKG_VERSION")
            )),
        }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What failed, and where.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Further facts.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What to do.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The exit code of gravelc.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
}
