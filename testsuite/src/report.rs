//! What the tests read of gravelc's JSON report.

use std::path::Path;

use serde::Deserialize;

/// The report.
#[derive(Debug, Clone, Deserialize)]
pub struct Report {
    /// The calls of MPI that take part.
    pub sites: Vec<Site>,
}

/// A call of MPI and what happens to it.
#[derive(Debug, Clone, Deserialize)]
pub struct Site {
    /// The line at which the call begins, from 1.
    pub line: usize,
    /// The routine, in lower case.
    pub call: String,
    /// What happens to it.
    pub status: Status,
    /// What was gained.
    pub actions: Vec<Action>,
    /// What was tried in vain at a transformed site.
    #[serde(default)]
    pub missed: Vec<Missed>,
    /// Why it is kept; there for a kept site.
    pub reason: Option<Reason>,
}

/// What happens to a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It became calls of the runtime.
    Transformed,
    /// It stays as it is.
    Kept,
}

/// Something gained at a site.
#[derive(Debug, Clone, Deserialize)]
pub struct Action {
    /// The name of the transformation, such as `hoist-receive`.
    pub transformation: String,
    /// What it has done, for people.
    pub text: String,
}

/// A transformation that was not applied.
#[derive(Debug, Clone, Deserialize)]
pub struct Missed {
    /// Its name.
    pub transformation: String,
    /// The code of the reason.
    pub code: String,
}

/// Why a site is kept.
#[derive(Debug, Clone, Deserialize)]
pub struct Reason {
    /// The code, such as `wildcard`.
    pub code: String,
}

impl Report {
    /// Reads a report from a file.
    ///
    /// # Errors
    ///
    /// A message with the path, if the file can't be read or is no report.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{} is no report: {error}", path.display()))
    }
}
