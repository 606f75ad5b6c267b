//! The runtime's library, header and Fortran module, for programs that are written against it by hand.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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
    BUILT.get_or_init(|| gravelc::build_as_for_tests(&["--lib"]).map(|folder| folder.join("libgravel.a"))).clone()
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
