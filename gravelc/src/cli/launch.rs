//! `gravel-run`: starts programs whose messages Gravel carries.
//!
//! It is built with gravelc, which finds the runtime's library and keeps what is compiled for an MPI.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use clap::Parser;

use super::runtime::{Compiler, preload_library};
use super::{Failure, bug_report, diagnostics, failure};

const EXAMPLES: &str = "\
Examples:
  gravel-run --preload -- mpirun -n 4 ./app            an MPI program in C, C++, Fortran or Python, as it is
  gravel-run --preload -- mpirun -n 4 python app.py    with MPI4PY_RC_THREAD_LEVEL=funneled for mpi4py
  gravel-run -n 4 ./program                            a Rust program with the crate gravel, without MPI
  LD_PRELOAD=$(gravel-run --print) ./app               by hand, such as with srun

The library that --preload puts in front of MPI is compiled with the C compiler of the MPI at first use,
and kept in $GRAVEL_CACHE_DIR, else in $XDG_CACHE_HOME/gravel, else in ~/.cache/gravel. Programs that ask
for more than MPI_THREAD_FUNNELED run as without it, which is said on standard error. With several machines
Open MPI has to be told to pass it on: mpirun -x LD_PRELOAD.";

/// Starts programs whose messages Gravel carries
#[derive(Debug, Parser)]
#[command(name = "gravel-run", version, max_term_width = 100, after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("how").required(true).args(["preload", "print", "n"])))]
struct Arguments {
    /// Carry the messages of an MPI program: the command is that which starts its ranks
    #[arg(long)]
    preload: bool,
    /// Print where the library is that --preload uses
    #[arg(long)]
    print: bool,
    /// Start so many ranks of a program that needs no MPI
    #[arg(short, value_name = "RANKS", value_parser = clap::value_parser!(u32).range(1..))]
    n: Option<u32>,
    /// The C compiler of the MPI [default: the mpicc beside the command, else that in PATH]
    #[arg(long, value_name = "COMPILER")]
    mpicc: Option<OsString>,
    /// What is to be started, with its arguments
    #[arg(
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present = "print"
    )]
    command: Vec<OsString>,
}

/// Runs gravel-run with the arguments of the process and gives the exit code of what it has started.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Also the way out of --help and --version. There is nobody to tell if this can't be printed.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(failure::BAD_INPUT) } else { ExitCode::SUCCESS };
        }
    };
    match bug_report::catching_panics(move || run(&arguments)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            diagnostics::print_failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if let Some(ranks) = arguments.n {
        return start_ranks(ranks, &arguments.command);
    }
    let compiler = match &arguments.mpicc {
        Some(name) => Compiler::find(name)?,
        None => compiler_beside(arguments.command.first().map(OsString::as_os_str))?,
    };
    let library = preload_library(&compiler)?;
    if arguments.print {
        diagnostics::write_to_stdout(format!("{}\n", library.display()).as_bytes())?;
        return Ok(0);
    }
    let error = command_of(&arguments.command)?.env("LD_PRELOAD", preloaded(&library)).exec();
    Err(not_started(&arguments.command, &error))
}

/// What is loaded before the program: the library, then what the user wants.
fn preloaded(library: &Path) -> OsString {
    let mut value = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    value
}

/// The C compiler of the MPI whose launcher this is: `mpirun.mpich` has `mpicc.mpich`, and that in its folder.
fn compiler_beside(launcher: Option<&OsStr>) -> Result<Compiler, Failure> {
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

fn command_of(words: &[OsString]) -> Result<Command, Failure> {
    let (program, arguments) = words.split_first().ok_or_else(|| Failure::input("no command is given"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

fn not_started(words: &[OsString], error: &io::Error) -> Failure {
    let program = words.first().map(|word| word.display().to_string()).unwrap_or_default();
    Failure::input(format!("cannot start {program}: {error}"))
}

/// Starts the ranks of a program on this host, and waits for them. If one fails, the others are ended.
fn start_ranks(ranks: u32, words: &[OsString]) -> Result<u8, Failure> {
    let job = format!("{}", std::process::id());
    let mut children = Children(Vec::new());
    for rank in 0..ranks {
        let started = command_of(words)?
            .env("GRAVEL_RANK", rank.to_string())
            .env("GRAVEL_RANKS", ranks.to_string())
            .env("GRAVEL_JOB", &job)
            .spawn();
        children.0.push((rank, started.map_err(|error| not_started(words, &error))?));
    }
    while !children.0.is_empty() {
        if let Some((rank, status)) = children.ended().map_err(|error| not_started(words, &error))?
            && !status.success()
        {
            diagnostics::print_raw(format!("gravel-run: rank {rank} has ended with {status}\n").as_bytes());
            return Ok(code_of(status));
        }
    }
    Ok(0)
}

/// As the shell has it.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// Ranks that run. They end with it.
struct Children(Vec<(u32, Child)>);

impl Children {
    /// One that has ended, after a while if none has.
    fn ended(&mut self) -> io::Result<Option<(u32, ExitStatus)>> {
        for place in 0..self.0.len() {
            if let Some(status) = self.0[place].1.try_wait()? {
                let (rank, _) = self.0.swap_remove(place);
                return Ok(Some((rank, status)));
            }
        }
        std::thread::sleep(Duration::from_millis(5));
        Ok(None)
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            // One that has ended meanwhile needs no end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_compiler_of_an_mpi_lies_beside_its_launcher() {
        let beside = |launcher: &str| name_beside(Path::new(launcher));
        assert_eq!(beside("/opt/mpich/bin/mpiexec"), Some(PathBuf::from("/opt/mpich/bin/mpicc")));
        assert_eq!(beside("/usr/bin/mpirun.openmpi"), Some(PathBuf::from("/usr/bin/mpicc.openmpi")));
        assert_eq!(beside("/opt/mpich/bin/mpiexec.hydra"), Some(PathBuf::from("/opt/mpich/bin/mpicc")));
        assert_eq!(beside("/usr/bin/srun"), None);
    }

    #[test]
    fn ranks_have_their_numbers_and_a_failure_ends_the_others() {
        let words = |script: &str| ["sh", "-c", script].map(OsString::from).to_vec();
        let all = start_ranks(3, &words("test $GRAVEL_RANK -lt $GRAVEL_RANKS && test -n \"$GRAVEL_JOB\""));
        assert_eq!(all.expect("they start"), 0);
        let failed = start_ranks(2, &words("test $GRAVEL_RANK = 0 && exit 7; exec sleep 600"));
        assert_eq!(failed.expect("they start"), 7);
        assert!(start_ranks(1, &words("x").split_off(2)).is_err(), "there is no such program");
    }
}
