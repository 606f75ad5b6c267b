//! The examples in Rust: built with `#[gravel::overlap]` and without it, run both ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::case::entries;
use crate::command::CommandLine;
use crate::gravelc::{CARGO_LIMIT, Gravelc};
use crate::mpi_flavour::RUN_LIMIT;
use crate::setup::{self, succeed};
use crate::workspace;

/// Elements, or columns and rows, and rounds: enough for several tiles.
const ARGUMENTS: [&str; 3] = ["150", "12", "4"];

/// Programs that start without MPI, each with the attribute and without it.
pub struct RustExamples {
    names: Vec<String>,
    programs: PathBuf,
    launcher: PathBuf,
}

/// What all ranks print, in the order of ranks, and what they say of their times.
pub struct Said {
    /// The results, one line per rank.
    pub results: String,
    /// Standard error.
    pub times: String,
}

impl RustExamples {
    /// Builds them, each twice, in release; `folder` is for that alone. gravel-run is beside gravelc.
    ///
    /// # Errors
    ///
    /// If they can't be found or built.
    pub fn build(gravelc: &Gravelc, folder: &Path) -> Result<Self, String> {
        let folders = entries(&workspace::root().join("examples"))?.into_iter();
        let in_rust = folders.filter(|path| path.join("Cargo.toml").is_file());
        let names: Vec<String> = in_rust.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        let target = folder.join("target");
        for half in ["without", "with"] {
            let packages = names.iter().flat_map(|name| ["--package", name]);
            let command = setup::cargo().args(["build", "--release"]).args(packages).arg("--target-dir").arg(&target);
            // Without the attribute, but with the library as it is built for the other half: once more would take minutes.
            let plain = ["--no-default-features", "--features", "gravel-rt/macros"];
            let command = if half == "with" { command } else { command.args(plain) };
            succeed(&command, CARGO_LIMIT)?;
            let programs = folder.join(half);
            fs::create_dir_all(&programs).map_err(|error| format!("cannot make {}: {error}", programs.display()))?;
            for name in &names {
                let (built, kept) = (target.join("release").join(name), programs.join(name));
                fs::copy(&built, &kept).map_err(|error| format!("cannot copy {}: {error}", built.display()))?;
            }
        }
        let launcher = gravelc.program().with_file_name("gravel-run");
        Ok(Self { names, programs: folder.to_owned(), launcher })
    }

    /// Their names, as their folders have them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The command that runs one of them.
    pub fn command(&self, name: &str, is_overlapped: bool, ranks: usize) -> CommandLine {
        let half = if is_overlapped { "with" } else { "without" };
        let ranks = ranks.to_string();
        CommandLine::new(&self.launcher).args(["-n", ranks.as_str()]).arg(self.programs.join(half).join(name))
    }

    /// Runs one on so many ranks, with small data, without the attribute and with it, for several tiles and interconnects.
    ///
    /// # Errors
    ///
    /// How the outputs differ, or why there is none.
    pub fn check(&self, name: &str, ranks: usize) -> Result<(), String> {
        let expected = run(&self.command(name, false, ranks).args(ARGUMENTS))?.results;
        for (tile, provider) in [("1", "shm"), ("37", "tcp"), ("64", "shm"), ("all", "tcp")] {
            let command = self.command(name, true, ranks).args(ARGUMENTS);
            let command = command.env("GRAVEL_TILE", tile).env("GRAVEL_PROVIDER", provider);
            let found = run(&command)?.results;
            if found != expected {
                return Err(format!("`{command}` prints\n{found}\ninstead of\n{expected}"));
            }
        }
        Ok(())
    }
}

/// Runs a command of [`RustExamples::command`].
///
/// # Errors
///
/// If it fails, or takes too long.
pub fn run(command: &CommandLine) -> Result<Said, String> {
    let limit: Duration = RUN_LIMIT;
    let finished = succeed(command, limit)?;
    let output = finished.stdout_text();
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    Ok(Said { results: lines.join("\n"), times: finished.stderr_text() })
}
