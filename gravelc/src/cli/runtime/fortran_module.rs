//! The Fortran module `gravel`, compiled with the user's compiler.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::Compiler;
use super::cache_folder::CacheEntry;
use crate::cli::{Failure, diagnostics};

/// The module's source, as the runtime of this version has it.
pub(in crate::cli) const SOURCE: &str = include_str!("../../../../gravel-rt/fortran/gravel.f90");
const SOURCE_NAME: &str = "gravel.f90";
const OBJECT_NAME: &str = "gravel.o";

/// The compiled module: a folder of the cache that holds `gravel.mod` and `gravel.o`.
#[derive(Debug)]
pub(in crate::cli) struct FortranModule {
    folder: PathBuf,
}

impl FortranModule {
    /// The module compiled with `compiler` and those flags of the user that change kinds or the binary interface;
    /// taken from the cache if it is there.
    pub fn compiled_with(compiler: &Compiler, abi_flags: &[OsString]) -> Result<Self, Failure> {
        let flags: Vec<String> = abi_flags.iter().map(|flag| flag.to_string_lossy().into_owned()).collect();
        let key = format!("{}flags {}\n{SOURCE}", compiler.identity(), flags.join(" "));
        let entry = CacheEntry::new("module", key)?;
        let folder = entry.get_or_fill(|folder| compile(compiler, abi_flags, folder))?;
        Ok(Self { folder })
    }

    /// The folder with the module file, for `-I`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The object file, which every program that uses the module links.
    pub fn object(&self) -> PathBuf {
        self.folder.join(OBJECT_NAME)
    }
}

fn compile(compiler: &Compiler, abi_flags: &[OsString], folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::input(format!("cannot compile the Fortran module of the runtime in {}: {error}", folder.display()))
    };
    fs::write(folder.join(SOURCE_NAME), SOURCE).map_err(failed)?;
    // Position-independent, so that the one object fits programs that are linked as PIE and those that are not.
    let fixed = ["-O3", "-fPIC", "-c", SOURCE_NAME, "-o", OBJECT_NAME].map(OsStr::new);
    let arguments: Vec<OsString> =
        abi_flags.iter().map(OsString::as_os_str).chain(fixed).map(OsStr::to_owned).collect();

    // Compilers put module files into the current folder unless told otherwise, each with a flag of its own.
    let output = compiler.command(&arguments).current_dir(folder).stdin(Stdio::null()).output().map_err(failed)?;
    if output.status.success() && folder.join("gravel.mod").exists() {
        return Ok(());
    }
    diagnostics::print_raw(&output.stdout);
    diagnostics::print_raw(&output.stderr);
    let shown: Vec<String> = arguments.iter().map(|argument| argument.display().to_string()).collect();
    Err(Failure::input(format!("the Fortran module of the runtime could not be compiled ({})", output.status))
        .note(format!("the command was `{} {}`", compiler.path().display(), shown.join(" ")))
        .help("use the Fortran compiler wrapper of the MPI that the program is built with, such as mpif90"))
}
