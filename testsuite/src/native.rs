//! Programs in C and Fortran that use the runtime by hand: building and running them with an MPI.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::command::CommandLine;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use crate::process::{self, Finished};
use crate::setup;
use crate::side_by_side::turn_to_run;

/// The MPIs that are installed here with all their compilers. Says so, past the capture of test output, where one is
/// missing: what it would have tested is not tested.
pub fn installed_flavours() -> Vec<MpiFlavour> {
    let is_installed = |flavour: &MpiFlavour| {
        let missing = flavour.commands().into_iter().find(|name| !setup::is_installed(name));
        if let Some(name) = &missing {
            // The macros that print would be captured.
            let _ = writeln!(std::io::stderr(), "SKIPPED: what needs {flavour}, for there is no {name} here");
        }
        missing.is_none()
    };
    MpiFlavour::ALL.into_iter().filter(is_installed).collect()
}

/// Does something with every MPI that is installed; for tests.
///
/// # Panics
///
/// With what goes wrong, or if no MPI is installed.
pub fn with_each_mpi(check: impl Fn(MpiFlavour) -> Result<(), String>) {
    let flavours = installed_flavours();
    assert!(!flavours.is_empty(), "no MPI is installed");
    for flavour in flavours {
        if let Err(message) = check(flavour) {
            panic!("{flavour}: {message}");
        }
    }
}

/// Runs a command that has to succeed in a folder, which is made.
///
/// # Errors
///
/// The command, how it ended and what it said.
pub fn compile(command: CommandLine, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    setup::succeed(&command.in_folder(folder), COMPILE_LIMIT).map(drop)
}

/// Runs a program on so many ranks. It must end well and print `passed`, and nothing else.
///
/// # Errors
///
/// How it ended, and what it said.
pub fn run_to_pass(
    flavour: MpiFlavour,
    ranks: usize,
    program: &Path,
    environment: &[(&str, String)],
) -> Result<(), String> {
    let finished = run(flavour, ranks, program, environment)?;
    if finished.succeeded() && finished.stdout_text() == "passed\n" { Ok(()) } else { Err(described(&finished)) }
}

/// Runs a program on so many ranks, however it ends.
///
/// # Errors
///
/// If it can't be started, or hangs.
pub fn run(
    flavour: MpiFlavour,
    ranks: usize,
    program: &Path,
    environment: &[(&str, String)],
) -> Result<Finished, String> {
    let mut command = flavour.launch_beside_others(ranks, program);
    for (name, value) in environment {
        command = command.env(*name, value);
    }
    let _turn = turn_to_run(flavour);
    process::run(&command, RUN_LIMIT).map_err(|error| error.to_string())
}

/// How a program ended, and what it said.
pub fn described(finished: &Finished) -> String {
    format!(
        "{}\nstandard output: {}\nstandard error: {}",
        finished.ending,
        finished.stdout_text(),
        finished.stderr_excerpt()
    )
}

/// A folder for what is built, by purpose and MPI.
///
/// # Errors
///
/// If the build folder of the running test can't be found.
pub fn scratch(purpose: &str, flavour: MpiFlavour) -> Result<PathBuf, String> {
    let folder = crate::workspace::BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    Ok(folder.scratch(purpose).join(flavour.suffix()))
}
