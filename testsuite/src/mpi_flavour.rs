//! The MPI implementations that programs are tested with, side by side under the names that Debian gives them.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::command::CommandLine;

/// How long a program of the tests may run; all of them take a second or two.
pub const RUN_LIMIT: Duration = Duration::from_secs(180);

/// How long a compilation may take.
pub const COMPILE_LIMIT: Duration = Duration::from_secs(180);

/// An implementation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MpiFlavour {
    /// Open MPI.
    OpenMpi,
    /// MPICH.
    Mpich,
}

impl MpiFlavour {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// The ending of its commands, such as in `mpif90.openmpi`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The command that compiles Fortran.
    pub fn fortran_compiler(self) -> String {
        format!("mpif90.{}", self.suffix())
    }

    /// The command that compiles C.
    pub fn c_compiler(self) -> String {
        format!("mpicc.{}", self.suffix())
    }

    /// The command that compiles C++.
    pub fn cxx_compiler(self) -> String {
        format!("mpicxx.{}", self.suffix())
    }

    /// The command that starts programs.
    pub fn launcher(self) -> String {
        format!("mpirun.{}", self.suffix())
    }

    /// All commands that must be installed.
    pub fn commands(self) -> [String; 4] {
        [self.c_compiler(), self.cxx_compiler(), self.fortran_compiler(), self.launcher()]
    }

    /// Flags that programs need whatever they are: calls through `mpif.h` pass buffers of several types to one
    /// routine, which gfortran refuses from version 10 on.
    pub fn fortran_flags(self) -> [&'static str; 1] {
        ["-fallow-argument-mismatch"]
    }

    /// The command that runs `program` on so many ranks, more than there are cores included.
    pub fn launch(self, ranks: usize, program: &Path) -> CommandLine {
        let launcher = CommandLine::new(self.launcher());
        let launcher = match self {
            // Containers and test machines often have no other user than root.
            Self::OpenMpi => launcher
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
                .arg("--oversubscribe"),
            Self::Mpich => launcher,
        };
        launcher.arg("-n").arg(ranks.to_string()).arg(program)
    }

    /// [`MpiFlavour::launch`] for tests, many of which run side by side, and for which nobody measures.
    ///
    /// Open MPI takes 0.2 s of each start to look for fabrics that match messages themselves (OFI, PSM); without them it
    /// comes to the same choice among the rest, UCX or its own. Its launcher lets ranks that wait give way to others where
    /// there are more of them than processors; it doesn't know of those of other launchers. All launchers of a user keep
    /// their files in one folder, which the last one removes while another may be about to use it: so each thread has a
    /// folder of its own.
    pub fn launch_beside_others(self, ranks: usize, program: &Path) -> CommandLine {
        let command = self.launch(ranks, program);
        match self {
            Self::OpenMpi => {
                let command = command.env("OMPI_MCA_pml", "^cm").env("OMPI_MCA_mpi_yield_when_idle", "1");
                SESSIONS.with(|folder| match folder {
                    Some(folder) => command.env("OMPI_MCA_orte_tmpdir_base", folder.path().to_string_lossy()),
                    None => command,
                })
            }
            Self::Mpich => command,
        }
    }
}

thread_local! {
    /// Where the launchers of Open MPI that this thread starts keep their files; it goes with the thread. Nothing if there is
    /// no room for temporary files: then they have to share.
    static SESSIONS: Option<tempfile::TempDir> = tempfile::tempdir().ok();
}

impl fmt::Display for MpiFlavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_of_different_threads_share_no_folder() {
        let command = || MpiFlavour::OpenMpi.launch_beside_others(2, Path::new("program")).to_string();
        let (here, elsewhere) = (command(), std::thread::spawn(command).join().expect("a command"));
        assert_eq!(here, command());
        assert_ne!(here, elsewhere);
    }
}
