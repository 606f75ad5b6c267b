//! Installing what is missing on a Debian machine, and building gravelc and the runtime.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::CommandLine;
use crate::gravelc::{CARGO_LIMIT, Gravelc};
use crate::process::{self, Ending, Finished};
use crate::workspace::{self, BuildFolder};

/// How long apt may take.
const APT_LIMIT: Duration = Duration::from_secs(15 * 60);

/// What is to be done with the set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Transform, build and run examples with Open MPI.
    Demo,
    /// Run all tests, with both MPIs.
    Suite,
}

/// A program that is needed, and the Debian package that holds it.
struct Requirement {
    program: &'static str,
    package: &'static str,
    demo: bool,
}

const REQUIREMENTS: [Requirement; 11] = [
    Requirement { program: "cc", package: "gcc", demo: true },
    Requirement { program: "gfortran", package: "gfortran", demo: true },
    Requirement { program: "mpif90.openmpi", package: "libopenmpi-dev", demo: true },
    Requirement { program: "mpirun.openmpi", package: "openmpi-bin", demo: true },
    Requirement { program: "mpif90.mpich", package: "libmpich-dev", demo: false },
    Requirement { program: "mpirun.mpich", package: "mpich", demo: false },
    Requirement { program: "c++", package: "g++", demo: false },
    Requirement { program: "pkg-config", package: "pkgconf", demo: false },
    Requirement { program: "tc", package: "iproute2", demo: false },
    Requirement { program: "dot", package: "graphviz", demo: false },
    Requirement { program: "cmake", package: "cmake", demo: false },
];

/// Installs the missing packages, if any, and says what it does.
///
/// # Errors
///
/// A message that says what to do, if packages are missing and this is no Debian machine, or not its administrator,
/// or apt fails.
pub fn install(purpose: Purpose) -> Result<(), String> {
    let packages: Vec<&str> = REQUIREMENTS
        .iter()
        .filter(|requirement| requirement.demo || purpose == Purpose::Suite)
        .filter(|requirement| find_program(requirement.program).is_none())
        .map(|requirement| requirement.package)
        .collect();
    if packages.is_empty() { Ok(()) } else { install_packages(&packages) }
}

/// Installs these packages, and says so.
///
/// # Errors
///
/// A message that says what to do, if this is no Debian machine, or not its administrator, or apt fails.
pub fn install_packages(packages: &[&str]) -> Result<(), String> {
    let list = packages.join(" ");
    if find_program("apt-get").is_none() {
        return Err(format!(
            "these Debian packages, or what corresponds to them, are missing: {list}\n\
             this system has no apt-get: install them by hand; both MPIs are called by their Debian names \
             (mpif90.openmpi, mpirun.openmpi, mpif90.mpich, mpirun.mpich)"
        ));
    }
    // SAFETY: geteuid takes nothing, touches no memory and can't fail.
    if unsafe { libc::geteuid() } != 0 {
        return Err(format!("packages are missing; install them with: sudo apt-get install {list}"));
    }
    println!("installing with apt-get: {list}");
    let apt = CommandLine::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").arg("--quiet");
    succeed(&apt.clone().arg("update"), APT_LIMIT)?;
    succeed(&apt.args(["install", "--yes", "--no-install-recommends"]).args(packages.iter().copied()), APT_LIMIT)?;
    Ok(())
}

/// Builds gravelc and the runtime in release, side by side, and gives that gravelc.
///
/// # Errors
///
/// What cargo says, if it fails.
pub fn build() -> Result<Gravelc, String> {
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    println!("building gravelc and its runtime (the first time takes some minutes)");
    // This program holds gravelc, too. By itself gravelc would ask for fewer features of what it depends on, with gravel-rt for
    // more: it would be built once more, which takes longer than all else.
    let as_in_this_program =
        ["--package", "testsuite", "--package", "gravelc", "--bin", "gravelc", "--bin", "gravel-run"];
    for selected in [&as_in_this_program[..], &["--package", "gravel-rt"]] {
        let build = cargo().args(["build", "--release", "--target-dir"]).arg(&folder.target);
        succeed(&build.args(selected.iter().copied()), CARGO_LIMIT)?;
    }
    Ok(Gravelc::at(folder.target.join("release").join("gravelc")))
}

/// Builds the runtime with its hostile provider (feature `hostile`), in a folder of its own; gives the folder of the
/// library.
///
/// # Errors
///
/// What cargo says, if it fails.
pub fn build_hostile(folder: &BuildFolder) -> Result<PathBuf, String> {
    let target = folder.target.join("hostile");
    let command = cargo()
        .args(["build", "--release", "--package", "gravel-rt", "--lib"])
        .args(["--no-default-features", "--features", "hostile,verbs", "--target-dir"])
        .arg(&target);
    succeed(&command, CARGO_LIMIT)?;
    Ok(target.join("release"))
}

/// Builds the gravelc in which clauses of the safety contract can be switched off (feature `mutations`).
///
/// # Errors
///
/// What cargo says, if it fails.
pub fn build_mutated(folder: &BuildFolder) -> Result<Gravelc, String> {
    let command = cargo()
        .args(["build", "--release", "--package", "gravelc", "--features", "mutations", "--bin", "gravelc-mutated"])
        .arg("--target-dir")
        .arg(&folder.target);
    succeed(&command, CARGO_LIMIT)?;
    Ok(Gravelc::at(folder.target.join("release").join("gravelc-mutated")))
}

/// The cargo that runs this program, in the root of the repository.
pub fn cargo() -> CommandLine {
    CommandLine::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).in_folder(workspace::root())
}

/// Runs a command that has to succeed.
///
/// # Errors
///
/// The command, how it ended and the end of what it said on either output, with the panics before that. What cargo tells of
/// its progress is left out: a test that builds something would push out with it why another test failed.
pub fn succeed(command: &CommandLine, limit: Duration) -> Result<Finished, String> {
    const LINES: usize = 60;
    let finished = process::run(command, limit).map_err(|error| error.to_string())?;
    if finished.ending == Ending::Exit(0) {
        return Ok(finished);
    }
    let mut said = format!("`{command}`: {}", finished.ending);
    for output in [finished.stdout_text(), finished.stderr_text()] {
        let lines: Vec<&str> = output.lines().filter(|line| !is_progress_of_cargo(line)).collect();
        let (before, last) = lines.split_at(lines.len().saturating_sub(LINES));
        for line in panics(before).chain(last.iter().copied()) {
            said.push('\n');
            said.push_str(line);
        }
    }
    Err(said)
}

/// The lines that say where something panicked and why, without what follows: who called whom, and of a property that fails
/// what is long.
fn panics<'t>(lines: &[&'t str]) -> impl Iterator<Item = &'t str> {
    const LINES: usize = 16;
    const MOST: usize = 20;
    let places =
        lines.iter().enumerate().filter(|(_, line)| line.contains("' panicked at ") || line.contains(") panicked at "));
    let end = |place: usize| {
        let longest = &lines[place..(place + LINES).min(lines.len())];
        place + longest.iter().position(|line| *line == "stack backtrace:").unwrap_or(longest.len())
    };
    let ranges = places.take(MOST).map(|(place, _)| place..end(place));
    ranges.flatten().map(|line| lines[line]).collect::<Vec<_>>().into_iter()
}

/// Whether cargo says with this line what it does just now, as in `   Compiling gravel-rt v0.1.0`. It ends its verb in
/// the twelfth column.
fn is_progress_of_cargo(line: &str) -> bool {
    const VERBS: [&str; 9] = [
        "Adding",
        "Blocking",
        "Checking",
        "Compiling",
        "Documenting",
        "Downloaded",
        "Downloading",
        "Locking",
        "Updating",
    ];
    line.get(..12).is_some_and(|verb| VERBS.contains(&verb.trim_start())) && line[12..].starts_with(' ')
}

/// Whether the shell would find a program of this name.
pub fn is_installed(name: &str) -> bool {
    find_program(name).is_some()
}

/// The path of an executable file of this name in the folders of `PATH`.
fn find_program(name: &str) -> Option<PathBuf> {
    find_in(name, env::split_paths(&env::var_os("PATH")?))
}

fn find_in(name: &str, folders: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    folders.into_iter().map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn finds_executable_files_only() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("tool");
        let find = || find_in("tool", [folder.path().to_owned()]);
        assert_eq!(find(), None);
        fs::write(&path, "").expect("a file can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("its mode can be set");
        assert_eq!(find(), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode can be set");
        assert_eq!(find(), Some(path));
    }

    #[test]
    fn a_command_that_must_succeed_says_why_it_did_not() {
        let command = CommandLine::new("sh").args(["-c", "echo one; echo two >&2; exit 4"]);
        let message = succeed(&command, Duration::from_secs(20)).expect_err("it fails");
        assert!(message.contains("exit code 4") && message.ends_with("one\ntwo"), "{message}");
    }

    #[test]
    fn a_panic_is_told_however_much_follows_it() {
        let script =
            "echo \"thread 'a::b' (7) panicked at src/lib.rs:1:2:\"; echo why; echo 'stack backtrace:'; seq 100; false";
        let message =
            succeed(&CommandLine::new("sh").args(["-c", script]), Duration::from_secs(20)).expect_err("it fails");
        assert!(message.contains("panicked at src/lib.rs:1:2:\nwhy\n41\n"), "{message}");
    }

    #[test]
    fn progress_of_cargo_does_not_push_out_why_it_failed() {
        let script =
            "echo 'a test failed'; for i in $(seq 100); do printf '    Checking crate v1.0.%s\n' $i >&2; done; false";
        let message =
            succeed(&CommandLine::new("sh").args(["-c", script]), Duration::from_secs(20)).expect_err("it fails");
        assert!(message.ends_with("exit code 1\na test failed"), "{message}");
    }
}
