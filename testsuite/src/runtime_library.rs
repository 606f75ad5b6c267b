//! The runtime's library, header and Fortran module, for programs that are written against it by hand.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use crate::gravelc;
use crate::workspace;

/// What a program needs from the system beside libgravel.a.
pub const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// libgravel.a in the build folder of the running test, brought up to date by cargo.
///
/// # Errors
///
/// A message, if it can't be built.
pub fn static_library() -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

/// Has cargo build a program of the package, which needs the library as tests do. `--lib` would also ask for the library of macros
/// by itself, with other flags than where it is needed by others: both, and all that need them, would be built again and again.
fn build() -> Result<PathBuf, String> {
    let folder = gravelc::build_as_for_tests(&["--bin", "gravel-info"])?;
    for name in ["libgravel.a", "libgravel.so"] {
        put_beside_programs(&folder, name).map_err(|error| format!("{}: {error}", folder.join(name).display()))?;
    }
    Ok(folder.join("libgravel.a"))
}

/// Cargo does so only with libraries that are asked for. gravelc looks for them beside itself.
fn put_beside_programs(folder: &Path, name: &str) -> io::Result<()> {
    let (built, wanted) = (folder.join("deps").join(name), folder.join(name));
    let there = wanted.metadata().map(|it| (it.dev(), it.ino())).ok();
    let found = built.metadata()?;
    if there == Some((found.dev(), found.ino())) {
        return Ok(());
    }
    if there.is_some() {
        fs::remove_file(&wanted)?;
    }
    fs::hard_link(&built, &wanted)
}

/// The folder with `gravel.h`.
pub fn header_folder() -> PathBuf {
    package().join("include")
}

/// The source of the Fortran module.
pub fn fortran_module() -> PathBuf {
    package().join("fortran").join("gravel.f90")
}

/// The source of the library that carries the messages of MPI programs as they are.
pub fn preload_source() -> PathBuf {
    package().join("preload").join("gravel_mpi.c")
}

fn package() -> PathBuf {
    Path::join(workspace::root(), "gravel-rt")
}
