//! gravelc on a damaged program, and what is wrong with how it ends.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::corpus::Program;
use crate::case::{entries, file_name};
use crate::gravelc::Gravelc;
use crate::process::{self, Ending};

/// How long gravelc may take: a thousand times as long as it mostly does, on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(20);
/// Folders of what gravelc reads, and of what it writes.
const INPUT: &str = "input";
const OUTPUT: &str = "output";

/// What gravelc is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// To transform it, with all kinds of reports.
    Transform,
    /// The same, as a whole program.
    TransformClosed,
    /// To draw its graphs.
    Graph(&'static str),
}

impl Request {
    /// The one for the program of this number: mostly to transform.
    pub fn numbered(number: u64) -> Self {
        match number % 16 {
            0 => Self::Graph("match"),
            1 => Self::Graph("call"),
            2 => Self::Graph("dependence"),
            3..=7 => Self::TransformClosed,
            _ => Self::Transform,
        }
    }

    fn arguments(self) -> Vec<String> {
        let transform = ["transform", "--out-dir", OUTPUT].map(str::to_owned);
        let reports = ["text", "json", "html", "sarif"];
        let reports = reports.iter().flat_map(|kind| ["--report".to_owned(), format!("{kind}={kind}.report")]);
        match self {
            Self::Transform => transform.into_iter().chain(reports).collect(),
            Self::TransformClosed => transform.into_iter().chain(reports).chain(["--closed".to_owned()]).collect(),
            Self::Graph(kind) => ["graph", "--kind", kind, "-o", "graph"].map(str::to_owned).to_vec(),
        }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// It has not come to an end.
    Hangs,
    /// It has come to its end in another way than with an output or with a message about its input.
    Ends(String),
    /// It refuses its input and writes something, or the other way round.
    Output(&'static str),
}

/// What a program comes to where nothing is wrong with gravelc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was transformed, or drawn.
    Accepted,
    /// Its files can't be read.
    Refused,
}

/// Runs gravelc on the program in this folder, which is made anew.
///
/// # Errors
///
/// A message if that can't be done. What is wrong with gravelc is no error here.
pub fn run(
    gravelc: &Gravelc,
    program: &Program,
    request: Request,
    folder: &Path,
) -> Result<Result<Outcome, Trouble>, String> {
    let input = folder.join(INPUT);
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(&input).map_err(|error| format!("cannot make the folder {}: {error}", input.display()))?;
    let mut names = Vec::new();
    for (name, text) in &program.files {
        let path = input.join(name);
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        names.push(format!("{INPUT}/{name}"));
    }
    // What is included is found, and not named, unless there is nothing else.
    if names.iter().any(|name| !is_included(name)) {
        names.retain(|name| !is_included(name));
    }
    let command = gravelc.command().args(request.arguments()).args(names).in_folder(folder);
    let finished = process::run(&command, LIMIT).map_err(|error| error.to_string())?;
    let has_written = has_written(folder)?;
    Ok(match finished.ending {
        Ending::TimeLimit(_) => Err(Trouble::Hangs),
        Ending::Exit(0) if !has_written => Err(Trouble::Output("it has written nothing")),
        Ending::Exit(0) => Ok(Outcome::Accepted),
        Ending::Exit(2) if has_written => Err(Trouble::Output("it has refused its input and written something")),
        Ending::Exit(2) if finished.stderr.is_empty() => {
            Err(Trouble::Output("it has refused its input and said nothing"))
        }
        Ending::Exit(2) => Ok(Outcome::Refused),
        ref ending => Err(Trouble::Ends(format!("{ending}\n{}", finished.stderr_excerpt()))),
    })
}

fn is_included(name: &str) -> bool {
    name.ends_with(".h")
}

/// Has gravelc left anything beside its input?
fn has_written(folder: &Path) -> Result<bool, String> {
    Ok(entries(folder)?.iter().any(|path| file_name(path) != INPUT))
}

impl Trouble {
    /// Is it the same trouble, as far as that can be told?
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ends(one), Self::Ends(other)) => place_of_panic(one) == place_of_panic(other),
            _ => self == other,
        }
    }
}

/// The word of the text that names a place in a source of gravelc (beside it stand numbers of threads, which are others every
/// time); else all of the first line.
fn place_of_panic(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.contains(".rs:")).or_else(|| text.lines().next())
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hangs => write!(f, "gravelc has not come to an end within {} s", LIMIT.as_secs()),
            Self::Ends(how) => write!(f, "gravelc: {how}"),
            Self::Output(what) => write!(f, "gravelc: {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> (tempfile::TempDir, Gravelc) {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gravelc");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be executed");
        (folder, Gravelc::at(path))
    }

    fn outcome(text: &str) -> Result<Outcome, Trouble> {
        let (folder, gravelc) = script(text);
        let program = Program { name: "p".to_owned(), files: vec![("a.f90".to_owned(), b"end\n".to_vec())] };
        run(&gravelc, &program, Request::Transform, &folder.path().join("run")).expect("it can be run")
    }

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(outcome("mkdir output; exit 0"), Ok(Outcome::Accepted));
        assert_eq!(outcome("echo 'error: no' >&2; exit 2"), Ok(Outcome::Refused));
        assert!(matches!(outcome("exit 0"), Err(Trouble::Output(_))));
        assert!(matches!(outcome("mkdir output; echo 'error: no' >&2; exit 2"), Err(Trouble::Output(_))));
        assert!(matches!(outcome("exit 2"), Err(Trouble::Output(_))));
        assert!(matches!(outcome("echo 'thread panicked at x.rs:1' >&2; exit 101"), Err(Trouble::Ends(_))));
        assert!(matches!(outcome("kill -SEGV $$"), Err(Trouble::Ends(_))));
    }

    #[test]
    fn troubles_are_alike_where_they_come_from_one_place() {
        let panic = |thread: u32, place: &str, why: &str| {
            Trouble::Ends(format!("exit code 3\nthread 'main' ({thread}) panicked at {place}:\n{why}"))
        };
        assert!(panic(17, "a.rs:1:2", "index 3").is_like(&panic(99, "a.rs:1:2", "index 7")));
        assert!(!panic(17, "a.rs:1:2", "index 3").is_like(&panic(17, "b.rs:1:2", "index 3")));
        let ends = |text: &str| Trouble::Ends(text.to_owned());
        assert!(
            ends("signal 11\nsome").is_like(&ends("signal 11\nother")) && !ends("signal 11").is_like(&ends("signal 6"))
        );
        assert!(Trouble::Hangs.is_like(&Trouble::Hangs) && !Trouble::Hangs.is_like(&ends("signal 11")));
    }
}
