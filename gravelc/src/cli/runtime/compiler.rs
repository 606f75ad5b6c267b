//! The user's compiler: where it is, and which one it really is.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::Failure;

/// Parts of the names by which Fortran compilers and their MPI wrappers are called.
const FORTRAN_NAMES: [&str; 9] = ["f77", "f90", "f95", "f2008", "fort", "ftn", "ifx", "flang", "caf"];

/// A compiler that was found.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Compiler {
    path: PathBuf,
}

impl Compiler {
    /// The compiler that the shell would run for `name`.
    pub fn find(name: &OsStr) -> Result<Self, Failure> {
        let candidate = if name.as_encoded_bytes().contains(&b'/') {
            // The name may be relative and the module is compiled in another folder. Links are not resolved:
            // MPI wrappers behave according to the name by which they are called.
            std::path::absolute(name).ok().filter(|path| is_executable(path))
        } else {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).map(|folder| folder.join(name)).find(|path| is_executable(path))
        };
        match candidate.map(std::path::absolute) {
            Some(Ok(path)) => Ok(Self { path }),
            _ => Err(Failure::input(format!("there is no compiler called {}", name.display()))
                .help("give the MPI compiler wrapper that builds the program, such as mpif90")),
        }
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is it called like a compiler of C?
    pub fn is_called_c(&self) -> bool {
        is_called_c(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// Is it called like a Fortran compiler?
    pub fn is_called_fortran(&self) -> bool {
        is_called_fortran(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// How it is called in messages, and asked.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Everything that tells this compiler from another one, as text: its path, the file that this leads to, its
    /// version and, for the wrapper of an MPI, the command that it stands for.
    pub fn identity(&self) -> String {
        let mut text = format!("compiler {}\n", self.path.display());
        if let (Ok(target), Ok(metadata)) = (self.path.canonicalize(), self.path.metadata()) {
            // An update in place of an MPI need not change what its wrapper prints, but changes the wrapper's file.
            let (size, changed) = (metadata.size(), metadata.mtime());
            writeln!(text, "resolved {} of {size} bytes, changed at {changed}", target.display())
                .expect("writing to a String cannot fail");
        }
        for argument in ["--version", "-show"] {
            if let Some(answer) = self.ask(argument) {
                writeln!(text, "{argument} {answer}").expect("writing to a String cannot fail");
            }
        }
        text
    }

    /// What it prints when it is called with this argument alone; `None` if it does not know it.
    fn ask(&self, argument: &str) -> Option<String> {
        let output = Command::new(&self.path).arg(argument).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// A call of it.
    pub fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments);
        command
    }
}

/// Is it the name of a Fortran compiler?
pub(in crate::cli) fn is_called_fortran(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    FORTRAN_NAMES.iter().any(|part| name.contains(part))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// A name without what stands around it: `gcc` of `x86_64-linux-gnu-gcc-12`, `mpicc` of `mpicc.mpich`.
fn plain(name: &str) -> &str {
    let plain = name.split('.').next().unwrap_or(name);
    let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    plain.rsplit('-').next().unwrap_or(plain)
}

/// Is this the name of a compiler of C?
pub(in crate::cli) fn is_called_c(name: &str) -> bool {
    let last = plain(name);
    matches!(last, "cc" | "c89" | "c99" | "gcc" | "clang" | "icc" | "icx" | "nvc" | "pgcc" | "craycc" | "xlc" | "tcc")
        || matches!(last, "mpicc" | "mpiicc" | "mpiicx" | "mpigcc" | "mpincc" | "mpixlc")
}

/// Is this the name of a compiler of C++, which takes what is written in C for C++?
pub(in crate::cli) fn is_called_cpp(name: &str) -> bool {
    let last = plain(name);
    last.ends_with("++") || matches!(last, "mpicxx" | "mpiCC" | "CC" | "icpc" | "icpx" | "mpiicpc" | "mpiicpx" | "xlC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_as_the_shell_does() {
        let shell = Compiler::find(OsStr::new("sh")).expect("every Unix has a shell");
        assert!(shell.path().is_absolute());
        assert!(!shell.is_called_fortran());
        let failure = Compiler::find(OsStr::new("no-such-compiler")).expect_err("there is none");
        assert!(failure.message().contains("no-such-compiler"));
    }

    #[test]
    fn knows_compilers_of_c_and_cpp_by_name() {
        for name in ["g++", "x86_64-linux-gnu-g++-12", "mpic++.openmpi", "mpicxx.mpich", "clang++-16", "mpiCC"] {
            assert!(is_called_cpp(name), "{name}");
        }
        for name in ["mpicc.mpich", "gcc-12", "cc", "icx", "clang", "x86_64-linux-gnu-gcc"] {
            assert!(!is_called_cpp(name), "{name}");
            assert!(is_called_c(name), "{name}");
        }
        assert!(!is_called_c("mpif90") && !is_called_c("g++") && !is_called_c("ld"));
    }

    #[test]
    fn knows_fortran_compilers_by_name() {
        for name in ["mpif90.openmpi", "gfortran-12", "mpiifx", "mpifort", "ftn", "flang-new", "mpif77"] {
            assert!(Compiler { path: Path::new("/bin").join(name) }.is_called_fortran(), "{name}");
        }
        for name in ["mpicc", "gcc", "clang++", "ld"] {
            assert!(!Compiler { path: Path::new("/bin").join(name) }.is_called_fortran(), "{name}");
        }
    }
}
