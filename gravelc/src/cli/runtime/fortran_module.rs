//! The Fortran module `gravel`, compiled with the user's compiler.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::Compiler;
use super::cache_folder::{CacheEntry, cache_folder};
use crate::cli::{Failure, diagnostics};

/// The module's source, as the runtime of this version has it.
pub(in crate::cli) const SOURCE: &str = include_str!("../../../runtime/fortran/gravel.f90");
const SOURCE_NAME: &str = "gravel.f90";
const OBJECT_NAME: &str = "gravel.o";

/// What the names of its folders in the cache begin with.
const KIND: &str = "module";

/// In objects, a symbol that begins so names the module that they were compiled with.
pub(in crate::cli) const MODULE_MARK: &str = "gravel_module_";

/// The compiled module: a folder of the cache that holds `gravel.mod` and `gravel.o`.
#[derive(Debug)]
pub(in crate::cli) struct FortranModule {
    folder: PathBuf,
}

impl FortranModule {
    /// The module compiled with `compiler` and these flags of the user; taken from the cache if it is there.
    pub fn compiled_with(compiler: &Compiler, own_flags: &[OsString]) -> Result<Self, Failure> {
        let flags: Vec<String> = own_flags.iter().map(|flag| flag.to_string_lossy().into_owned()).collect();
        let key = format!("{}flags {}\n{SOURCE}", compiler.identity(), flags.join(" "));
        let entry = CacheEntry::new(KIND, key)?;
        let folder = entry.get_or_fill(|folder| compile(compiler, own_flags, folder))?;
        Ok(Self { folder })
    }

    /// The module with this mark, if the cache still has it.
    pub fn marked(mark: &str) -> Result<Option<Self>, Failure> {
        let folder = cache_folder()?.join(format!("{KIND}-{mark}"));
        Ok(folder.join(OBJECT_NAME).is_file().then_some(Self { folder }))
    }

    /// What tells this module from those of other compilers, MPIs and flags, in names for linkers behind [`MODULE_MARK`].
    pub fn mark(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        name.rsplit('-').next().unwrap_or_default().to_owned()
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

fn compile(compiler: &Compiler, own_flags: &[OsString], folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::input(format!("cannot compile the Fortran module of the runtime in {}: {error}", folder.display()))
    };
    fs::write(folder.join(SOURCE_NAME), SOURCE).map_err(failed)?;
    // Position-independent, so that the one object fits programs that are linked as PIE and those that are not.
    let fixed = ["-O3", "-fPIC", "-c", SOURCE_NAME, "-o", OBJECT_NAME].map(OsStr::new);
    let arguments: Vec<OsString> =
        own_flags.iter().map(OsString::as_os_str).chain(fixed).map(OsStr::to_owned).collect();

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
        .help("use the Fortran compiler wrapper of the MPI that the program is built with, such as mpif90, or give the folders of its modules with -I"))
}
