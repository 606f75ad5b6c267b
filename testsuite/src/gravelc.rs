//! gravelc as its users call it: the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use crate::command::CommandLine;
use crate::process::{self, Finished, RunError};
use crate::report::Report;
use crate::workspace::{self, BuildFolder};

/// How long a transformation may take; it takes milliseconds.
const TRANSFORM_LIMIT: Duration = Duration::from_secs(180);

/// How long cargo may take to build gravelc; on a slow machine the generated parser takes minutes.
pub const CARGO_LIMIT: Duration = Duration::from_secs(30 * 60);

/// A program gravelc.
#[derive(Debug, Clone)]
pub struct Gravelc {
    program: PathBuf,
    environment: Vec<(String, String)>,
    options: Vec<&'static str>,
}

impl Gravelc {
    /// The one at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), environment: Vec::new(), options: Vec::new() }
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// With `--in-place`: what can be converted is, also where nothing moves.
    #[must_use]
    pub fn in_place(mut self) -> Self {
        self.options.push("--in-place");
        self
    }

    /// The one that tests use: that of the environment variable `GRAVELC`, else the one of the build folder of this
    /// test, brought up to date by cargo.
    ///
    /// # Errors
    ///
    /// A message, if it can't be built.
    pub fn for_tests() -> Result<Self, String> {
        static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        match std::env::var_os("GRAVELC") {
            Some(program) => Ok(Self::at(program)),
            None => BUILT.get_or_init(build).clone().map(Self::at),
        }
    }

    /// Its path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A command of this gravelc.
    pub fn command(&self) -> CommandLine {
        let command = CommandLine::new(&self.program);
        self.environment.iter().fold(command, |command, (name, value)| command.env(name, value))
    }

    /// A command of another program that was built beside this gravelc.
    pub fn beside(&self, name: &str) -> CommandLine {
        CommandLine::new(self.program.with_file_name(name))
    }

    /// The command that transforms, with the options of this gravelc.
    fn transformation(&self) -> CommandLine {
        self.command().arg("transform").args(self.options.iter().copied())
    }

    /// The command that passes a compiler's command line through `gravelc wrap --no-transform`.
    pub fn wrap(&self, compiler: &str) -> CommandLine {
        self.command().args(["wrap", "--no-transform", "--", compiler])
    }

    /// Runs `gravelc transform` with these arguments in a folder.
    ///
    /// # Errors
    ///
    /// If gravelc can't be started. That it refuses its input is no error here.
    pub fn transform_in<'a>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Finished, RunError> {
        process::run(&self.transformation().args(arguments).in_folder(folder), TRANSFORM_LIMIT)
    }

    /// Transforms one program of one file, in the folder of that file, and writes the output, and both reports, into
    /// another folder.
    ///
    /// # Errors
    ///
    /// A message, if gravelc fails or its report can't be read.
    pub fn transform(&self, source: &Path, destination: &Path) -> Result<Transformed, String> {
        let (Some(folder), Some(name)) = (source.parent(), source.file_name()) else {
            return Err(format!("{} is not the path of a file", source.display()));
        };
        fs::create_dir_all(destination)
            .map_err(|error| format!("cannot make the folder {}: {error}", destination.display()))?;
        let output = destination.join(name);
        let text_report = destination.join("report.txt");
        let json_report = destination.join("report.json");
        let command = self
            .transformation()
            .args([name, "-o".as_ref(), output.as_os_str()])
            .arg("--report")
            .arg(format!("text={}", text_report.display()))
            .arg("--report")
            .arg(format!("json={}", json_report.display()))
            .in_folder(folder);
        let finished = process::run(&command, TRANSFORM_LIMIT).map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
        }
        Ok(Transformed { output, text_report, report: Report::read(&json_report)? })
    }

    /// Transforms a program of several files, named relative to `folder`, and writes the outputs, and both reports, into
    /// another folder.
    ///
    /// # Errors
    ///
    /// A message, if gravelc fails or its report can't be read.
    pub fn transform_program(
        &self,
        folder: &Path,
        files: &[String],
        arguments: &[String],
        destination: &Path,
    ) -> Result<Report, String> {
        fs::create_dir_all(destination)
            .map_err(|error| format!("cannot make the folder {}: {error}", destination.display()))?;
        let json_report = destination.join("report.json");
        let command = self
            .transformation()
            .args(files)
            .args(arguments)
            .arg("--out-dir")
            .arg(destination)
            .arg("--report")
            .arg(format!("text={}", destination.join("report.txt").display()))
            .arg("--report")
            .arg(format!("json={}", json_report.display()))
            .in_folder(folder);
        let finished = process::run(&command, TRANSFORM_LIMIT).map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
        }
        Report::read(&json_report)
    }
}

/// What a transformation wrote.
#[derive(Debug, Clone)]
pub struct Transformed {
    /// The program.
    pub output: PathBuf,
    /// The report for people.
    pub text_report: PathBuf,
    /// The report for tools.
    pub report: Report,
}

/// Builds gravelc into the build folder that the running test comes from.
fn build() -> Result<PathBuf, String> {
    build_as_for_tests(&["--bin", "gravelc"]).map(|folder| folder.join("gravelc"))
}

/// Builds targets of the repository into the build folder that the running test comes from; gives the folder.
///
/// They are the ones that `cargo test --workspace` has built: with the features of dependencies that the packages ask for
/// together, and those that only tests ask for. Built by itself, a package has other features, and is compiled once more
/// with all that it needs; the runtime's library would even replace the other one. So all packages take part, and of each
/// that has dependencies for its tests one small test.
///
/// # Errors
/// If they can't be built.
pub fn build_as_for_tests(targets: &[&str]) -> Result<PathBuf, String> {
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let command = CommandLine::new(cargo)
        .args(["build", "--quiet", "--workspace"])
        .args(["--test", "plan", "--test", "without_libibverbs"])
        .args(targets.iter().copied())
        .arg("--profile")
        .arg(if folder.profile == "debug" { "dev" } else { &folder.profile })
        .arg("--target-dir")
        .arg(&folder.target)
        .in_folder(workspace::root());
    let finished = process::run(&command, CARGO_LIMIT).map_err(|error| error.to_string())?;
    if !finished.succeeded() {
        return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
    }
    Ok(folder.programs())
}
