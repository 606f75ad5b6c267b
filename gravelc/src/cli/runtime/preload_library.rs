//! `libgravel_mpi.so`: what carries the messages of MPI programs as they are, compiled with the C compiler of their MPI.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::Compiler;
use super::cache_folder::CacheEntry;
use super::header::HEADER;
use super::library::{SYSTEM_LIBRARIES, find_library};
use crate::cli::{Failure, diagnostics};

macro_rules! sources {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../runtime/preload/", $name)))),*]
    };
}

/// The library's source, as the runtime of this version has it: the first file includes the others.
const SOURCES: [(&str, &str); 7] =
    sources!["gravel_mpi.c", "mpi_calls.h", "lifetime.h", "messages.h", "probes.h", "requests.h", "fortran_requests.h"];
const LIBRARY_NAME: &str = "libgravel_mpi.so";

/// The library for the MPI of this compiler; taken from the cache if it is there.
pub(in crate::cli) fn preload_library(compiler: &Compiler) -> Result<PathBuf, Failure> {
    let runtime = find_library()?;
    let changed = fs::metadata(&runtime).and_then(|metadata| Ok((metadata.len(), metadata.modified()?)));
    let (bytes, changed) =
        changed.map_err(|error| Failure::input(format!("cannot look at {}: {error}", runtime.display())))?;
    let identity = compiler.identity();
    let sources = SOURCES.map(|(_, text)| text).concat();
    let key = format!("{identity}runtime {} of {bytes} bytes, {changed:?}\n{HEADER}{sources}", runtime.display());
    let folder = CacheEntry::new("preload", key)?.get_or_fill(|folder| compile(compiler, &runtime, folder))?;
    Ok(folder.join(LIBRARY_NAME))
}

fn compile(compiler: &Compiler, runtime: &Path, folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::input(format!("cannot compile {LIBRARY_NAME} in {}: {error}", folder.display()))
    };
    fs::write(folder.join("gravel.h"), HEADER).map_err(failed)?;
    for (name, text) in SOURCES {
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    // The runtime in it is its own: a program may be linked with another one.
    let first = ["-shared", "-fPIC", "-O2", "-I.", SOURCES[0].0].map(OsStr::new);
    let last = ["-Wl,--exclude-libs,ALL", "-o", LIBRARY_NAME].map(OsStr::new);
    let arguments: Vec<OsString> = first
        .into_iter()
        .chain([runtime.as_os_str()])
        .chain(last)
        .chain(SYSTEM_LIBRARIES.map(OsStr::new))
        .map(OsStr::to_owned)
        .collect();
    let output = compiler.command(&arguments).current_dir(folder).stdin(Stdio::null()).output().map_err(failed)?;
    if output.status.success() && folder.join(LIBRARY_NAME).exists() {
        return Ok(());
    }
    diagnostics::print_raw(&output.stdout);
    diagnostics::print_raw(&output.stderr);
    let shown: Vec<String> = arguments.iter().map(|argument| argument.display().to_string()).collect();
    Err(Failure::input(format!("{LIBRARY_NAME} could not be compiled ({})", output.status))
        .note(format!("the command was `{} {}`", compiler.path().display(), shown.join(" ")))
        .help("name the C compiler wrapper of the MPI that the program is built with: --mpicc mpicc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_is_included_is_there() {
        let included =
            |text: &'static str| text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
        let all: Vec<&str> = SOURCES.iter().flat_map(|(_, text)| included(text)).collect();
        let others = SOURCES.iter().skip(1).map(|(name, _)| *name);
        assert!(others.clone().all(|name| all.contains(&name)));
        assert!(all.iter().all(|name| *name == "gravel.h" || others.clone().any(|other| other == *name)));
    }
}
