//! The library that stands in front of MPI, and what loads it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::cli::runtime::Compiler;

/// What is loaded before the program: the library, then what the user wants.
pub(super) fn preloaded(library: &Path) -> OsString {
    let mut value = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    value
}

/// The C compiler of the MPI whose launcher this is: `mpirun.mpich` has `mpicc.mpich`, and that in its folder.
pub(super) fn compiler_beside(launcher: Option<&OsStr>) -> Result<Compiler, Failure> {
    let candidate = launcher.and_then(|launcher| name_beside(&in_path(launcher)?));
    match candidate.filter(|path| path.is_file()) {
        Some(path) => Compiler::find(path.as_os_str()),
        None => Compiler::find(OsStr::new("mpicc")),
    }
}

/// Where the shell would find a program.
fn in_path(name: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn name_beside(launcher: &Path) -> Option<PathBuf> {
    let name = launcher.file_name()?.to_str()?;
    let kind = ["mpirun", "mpiexec"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    // `mpiexec.hydra` is a launcher of its own, not an MPI.
    let kind = kind.strip_prefix(".hydra").unwrap_or(kind);
    Some(launcher.with_file_name(format!("mpicc{kind}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_of_an_mpi_lies_beside_its_launcher() {
        let beside = |launcher: &str| name_beside(Path::new(launcher));
        assert_eq!(beside("/opt/mpich/bin/mpiexec"), Some(PathBuf::from("/opt/mpich/bin/mpicc")));
        assert_eq!(beside("/usr/bin/mpirun.openmpi"), Some(PathBuf::from("/usr/bin/mpicc.openmpi")));
        assert_eq!(beside("/opt/mpich/bin/mpiexec.hydra"), Some(PathBuf::from("/opt/mpich/bin/mpicc")));
        assert_eq!(beside("/usr/bin/srun"), None);
    }
}
