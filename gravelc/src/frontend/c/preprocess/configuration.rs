//! What a run needs to know: flags, search path, predefined macros, and who answers questions that only a compiler can.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dialect::Dialect;
use super::kept_names::KeptNames;

/// What the tokens are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// For the comparison with a compiler: all tokens, with all macros replaced.
    Comparison,
    /// To be read as a program: without the tokens of the system's headers; some of their macros stay names.
    Reading,
}

/// All that decides what a text becomes.
#[derive(Clone)]
pub struct Configuration {
    /// The forms of the compiler and its standard.
    pub dialect: Dialect,
    /// `#define` lines of the compiler and the command line.
    pub predefined: Vec<u8>,
    /// Names that the command line undefines.
    pub undefined: Vec<String>,
    /// Where headers are looked for, in order; the first [`quote_folders`](Self::quote_folders) for `#include "…"` alone.
    pub folders: Vec<Folder>,
    /// How many of the folders are for `#include "…"` alone.
    pub quote_folders: usize,
    /// Files that are included in front of the main file (`-include`).
    pub forced: Vec<Vec<u8>>,
    /// The built-in macros with an argument that the compiler has, such as `__has_attribute`.
    pub questions: Vec<String>,
    /// Who answers them.
    pub compiler: Arc<dyn AnswersQuestions>,
    /// Macros of system headers that stay names.
    pub kept: Arc<KeptNames>,
    /// How many tokens may be read or made, those that come to nothing included: more is given up.
    pub most_tokens: usize,
}

/// No unit that people write comes near to so many tokens, which take some seconds and some hundred megabytes.
const MOST_TOKENS: usize = 12_000_000;

/// A folder of the search path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Its path, as the compiler prints it.
    pub path: PathBuf,
    /// Its headers are the system's.
    pub is_system: bool,
}

/// What answers `__has_attribute(x)` and the like.
pub trait AnswersQuestions: Send + Sync {
    /// The number that takes the place of a question, which is written as in a source text; 0 if it is not known.
    fn answer(&self, question: &str) -> String;
}

/// Answers that are known before.
#[derive(Debug, Default)]
pub struct KnownAnswers(pub HashMap<String, String>);

impl AnswersQuestions for KnownAnswers {
    fn answer(&self, question: &str) -> String {
        self.0.get(question).cloned().unwrap_or_else(|| "0".to_string())
    }
}

/// What reads files.
pub trait FileReader {
    /// The bytes of a file, if there is one.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
    /// What is the same for two paths of one file.
    fn identity(&self, path: &Path) -> PathBuf;
}

/// Reads from disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl FileReader for Disk {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        // A device or a pipe may have no end.
        fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        fs::read(path).ok()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct Texts(pub HashMap<PathBuf, Vec<u8>>);

impl FileReader for Texts {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            predefined: Vec::new(),
            undefined: Vec::new(),
            folders: Vec::new(),
            quote_folders: 0,
            forced: Vec::new(),
            questions: Vec::new(),
            compiler: Arc::new(KnownAnswers::default()),
            kept: Arc::new(KeptNames::default()),
            most_tokens: MOST_TOKENS,
        }
    }
}
