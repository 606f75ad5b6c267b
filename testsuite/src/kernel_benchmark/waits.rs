//! How much of its time a kernel waits.
//!
//! Calls of MPI that may block are measured by a library that comes before MPI's (`time_in_mpi.c`), on every rank,
//! from MPI_Init to MPI_Finalize. What a transformed program waits in calls of Gravel its runtime counts
//! (GRAVEL_STATS); Gravel calls nothing of MPI that blocks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command::CommandLine;
use crate::kernels::KernelProgram;
use crate::mpi_flavour::COMPILE_LIMIT;
use crate::setup::succeed;
use crate::workspace;

/// The variable that tells the library where its files go.
const FOLDER_VARIABLE: &str = "TESTSUITE_TIMES_FOLDER";

/// Times of all ranks together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waits {
    /// Seconds in calls that may block: those of MPI, and those of Gravel.
    pub waiting: f64,
    /// Seconds from MPI_Init to MPI_Finalize.
    pub total: f64,
    /// Which part of the time between its two calls of MPI_Wtime, which is what a kernel times, a program spends in
    /// such calls of MPI. Those of Gravel are not known for this part alone, so that this is for the original.
    pub timed_share: f64,
}

impl Waits {
    /// Which part of their time the ranks wait.
    pub fn share(&self) -> f64 {
        self.waiting / self.total
    }
}

/// What measures waits.
#[derive(Debug)]
pub struct WaitMeter {
    library: PathBuf,
    folder: PathBuf,
}

impl WaitMeter {
    /// Builds it in a folder.
    ///
    /// # Errors
    ///
    /// What the compiler says.
    pub fn build(folder: &Path) -> Result<Self, String> {
        make_folder(folder)?;
        let library = folder.join("time_in_mpi.so");
        let source = workspace::package().join("src/kernel_benchmark/time_in_mpi.c");
        let compiler = CommandLine::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library);
        succeed(&compiler.arg(source).arg("-ldl"), COMPILE_LIMIT)?;
        Ok(Self { library, folder: folder.join("times") })
    }

    /// The program, with its waits measured: a script beside it, which runs it. So only the ranks load the library,
    /// and also where a launcher has them load another one. What an earlier run has left is removed.
    ///
    /// # Errors
    ///
    /// A message, if a folder or the script can't be made.
    pub fn attach(&self, program: &KernelProgram) -> Result<KernelProgram, String> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .map_err(|error| format!("cannot remove {}: {error}", self.folder.display()))?;
        }
        make_folder(&self.folder.join("mpi"))?;
        let command = CommandLine::new(&program.path)
            .env(FOLDER_VARIABLE, self.folder.join("mpi").to_string_lossy())
            .env("GRAVEL_STATS", self.folder.join("gravel.json").to_string_lossy());
        // As a word for the shell.
        let library = CommandLine::new(&self.library);
        let text = format!("#!/bin/sh\nexec env LD_PRELOAD={library}${{LD_PRELOAD:+:$LD_PRELOAD}} {command} \"$@\"\n");
        let path = program.path.with_file_name("program-with-waits-measured");
        let failed = |error| format!("cannot write {}: {error}", path.display());
        fs::write(&path, text).map_err(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
        Ok(KernelProgram { path, ..program.clone() })
    }

    /// What such a run on so many ranks has left.
    ///
    /// # Errors
    ///
    /// A message, if something is missing or can't be read.
    pub fn read(&self, ranks: usize) -> Result<Waits, String> {
        let mut times = Vec::new();
        for path in crate::case::entries(&self.folder.join("mpi"))? {
            times.push(parse_times(&read(&path)?).ok_or_else(|| format!("{}: not four numbers", path.display()))?);
        }
        if times.len() != ranks {
            // A run that had to be repeated leaves more.
            return Err(format!("{} ranks have said how long they waited, instead of {ranks}", times.len()));
        }
        let statistics = self.folder.join("gravel.json");
        let in_gravel = if statistics.exists() {
            seconds_in_gravel(&read(&statistics)?).map_err(|error| format!("{}: {error}", statistics.display()))?
        } else {
            // A program without Gravel.
            0.0
        };
        let sum = |column: usize| times.iter().map(|numbers: &[f64; 4]| numbers[column]).sum::<f64>();
        Ok(Waits { waiting: sum(1) + in_gravel, total: sum(0), timed_share: sum(3) / sum(2) })
    }
}

/// The seconds of a rank and those of them in calls of MPI, and both for the part that it times.
fn parse_times(text: &str) -> Option<[f64; 4]> {
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

#[derive(Deserialize)]
struct Statistics {
    ranks: Vec<StatisticsOfRank>,
}

#[derive(Deserialize)]
struct StatisticsOfRank {
    waits: GravelWaits,
}

#[derive(Deserialize)]
struct GravelWaits {
    microseconds: u64,
}

fn seconds_in_gravel(text: &str) -> Result<f64, serde_json::Error> {
    let statistics: Statistics = serde_json::from_str(text)?;
    Ok(statistics.ranks.iter().map(|rank| rank.waits.microseconds as f64 * 1e-6).sum())
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::kernels::Kernel;
    use crate::mpi_flavour::RUN_LIMIT;
    use crate::native;

    /// Calls of MPI that kernels make and that wait for nobody, or not while a kernel measures its time.
    const NOT_MEASURED: [&str; 16] = [
        "mpi_isend",
        "mpi_irecv",
        "mpi_wtime",
        "mpi_init",
        "mpi_finalize",
        "mpi_abort",
        "mpi_comm_rank",
        "mpi_comm_size",
        "mpi_comm_split",
        "mpi_comm_dup",
        "mpi_comm_free",
        "mpi_cart_create",
        "mpi_cart_coords",
        "mpi_cart_shift",
        "mpi_dims_create",
        "mpi_get_count",
    ];

    #[test]
    fn every_call_of_the_kernels_is_known() {
        let measured: BTreeSet<&str> = include_str!("time_in_mpi.c")
            .lines()
            .filter_map(|line| Some(line.strip_prefix("CALL(")?.split_once(',')?.0))
            .collect();
        assert!(measured.contains("mpi_waitall"), "{measured:?}");
        let mut calls = BTreeSet::new();
        for kernel in Kernel::all().expect("all can be read") {
            for file in &kernel.files {
                let text = read(&kernel.folder.join(file)).expect("it can be read").to_lowercase();
                for call in text.split("call ").skip(1) {
                    let name: String =
                        call.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    if name.starts_with("mpi_") {
                        calls.insert(name);
                    }
                }
            }
        }
        assert!(calls.len() > 10, "{calls:?}");
        for call in &calls {
            assert!(measured.contains(call.as_str()) || NOT_MEASURED.contains(&call.as_str()), "{call}");
        }
    }

    #[test]
    fn kernels_time_themselves_once() {
        for kernel in Kernel::all().expect("all can be read") {
            let text = |file: &String| read(&kernel.folder.join(file)).expect("it can be read").to_lowercase();
            let calls: usize = kernel.files.iter().map(|file| text(file).matches("mpi_wtime()").count()).sum();
            assert_eq!(calls, 2, "{}", kernel.name);
        }
    }

    #[test]
    fn reads_what_both_sides_have_counted() {
        assert_eq!(parse_times("2.500000000 1.250000000 1.0 0.5\n"), Some([2.5, 1.25, 1.0, 0.5]));
        assert_eq!(parse_times("2.5 1.25 1.0"), None);
        let text = r#"{"ranks":[{"rank":0,"waits":{"at_once":1,"microseconds":1500000}},
                                {"rank":1,"waits":{"at_once":1,"microseconds":500000}}]}"#;
        assert_eq!(seconds_in_gravel(text).expect("it is right"), 2.0);
        assert!(seconds_in_gravel("{}").is_err());
    }

    /// One rank computes while the other one waits for it, by every name that a call of MPI may have.
    #[test]
    fn the_time_that_a_rank_waits_is_measured() {
        const PROGRAM: &str = "program late
  use MODULE
  implicit none
  integer :: rank, value, ierr
  double precision :: seconds
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  value = rank
  call mpi_barrier(mpi_comm_world, ierr)
  seconds = -mpi_wtime()
  if (rank == 0) then
    call execute_command_line('sleep 0.3')
    call mpi_send(value, 1, mpi_integer, 1, 7, mpi_comm_world, ierr)
  else
    call mpi_recv(value, 1, mpi_integer, 0, 7, mpi_comm_world, mpi_status_ignore, ierr)
  end if
  seconds = seconds + mpi_wtime()
  call mpi_finalize(ierr)
end program late
";
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let meter = WaitMeter::build(&folder.path().join("meter")).expect("a C compiler is there");
        for mpi in native::installed_flavours() {
            for module in ["mpi", "mpi_f08"] {
                let source = folder.path().join("late.f90");
                fs::write(&source, PROGRAM.replace("MODULE", module)).expect("a file can be written");
                let path = folder.path().join("late");
                let compilation = CommandLine::new(mpi.fortran_compiler()).arg(&source).arg("-o").arg(&path);
                succeed(&compilation, COMPILE_LIMIT).expect("it compiles");
                let program = KernelProgram { path, arguments: Vec::new(), inputs: Vec::new(), compilation };
                let watched = meter.attach(&program).expect("a script can be written");
                // As where a launcher has the ranks load something.
                let command = mpi.launch(2, &watched.path).env("LD_PRELOAD", "libm.so.6");
                succeed(&command, RUN_LIMIT).expect("it runs");
                let waits = meter.read(2).expect("both ranks have written");
                // Only one of two ranks waits; on a busy machine it may begin late.
                assert!(waits.waiting > 0.15, "{mpi}, {module}: {waits:?}");
                assert!(waits.waiting < waits.total * 0.9, "{mpi}, {module}: {waits:?}");
                assert!((0.1..0.9).contains(&waits.timed_share), "{mpi}, {module}: {waits:?}");
            }
        }
    }
}
