//! `gravel-run`: starts programs whose messages Gravel carries.
//!
//! It is built with gravelc, which finds the runtime's library and keeps what is compiled for an MPI.

mod hosts;
mod preload;
mod ranks;
mod remote;
mod switchboard;

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use clap::Parser;

use self::hosts::Share;
use self::preload::{compiler_beside, preloaded};
use self::ranks::{Children, Job, command_of, not_started};
use self::remote::{Order, Way};
use self::switchboard::Switchboard;
use super::runtime::{Compiler, preload_library};
use super::{Failure, bug_report, diagnostics, failure};

const EXAMPLES: &str = "\
Examples:
  gravel-run --preload -- mpirun -n 4 ./app            an MPI program in C, C++, Fortran or Python, as it is
  gravel-run --preload -- mpirun -n 4 python app.py    with MPI4PY_RC_THREAD_LEVEL=funneled for mpi4py
  gravel-run -n 4 ./program                            a Rust program with the crate gravel, without MPI
  gravel-run -n 8 --hosts a:4,b:4 ./program            the same on two hosts, by ssh
  LD_PRELOAD=$(gravel-run --print) ./app               by hand, such as with srun

The library that --preload puts in front of MPI is compiled with the C compiler of the MPI at first use,
and kept in $GRAVEL_CACHE_DIR, else in $XDG_CACHE_HOME/gravel, else in ~/.cache/gravel. Programs that ask
for more than MPI_THREAD_FUNNELED run as without it, which is said on standard error. With several machines
Open MPI has to be told to pass it on: mpirun -x LD_PRELOAD.

With --hosts the program runs in the same folder on each host, and finds there the variables GRAVEL_*, and
those of -x. Ranks meet through ssh, nothing else listens for them; their messages take the fastest way that
Gravel finds between the hosts. A rank that fails ends the job.";

/// Starts programs whose messages Gravel carries
#[derive(Debug, Parser)]
#[command(name = "gravel-run", version, max_term_width = 100, after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("how").required(true).args(["preload", "print", "n", "agent"])))]
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
    /// The hosts of these ranks: names with or without a number of ranks, `localhost` for this one
    #[arg(long, value_name = "HOST[:RANKS],...", requires = "n")]
    hosts: Option<String>,
    /// Another variable that ranks on other hosts get
    #[arg(short = 'x', value_name = "NAME[=VALUE]", requires = "hosts")]
    variables: Vec<String>,
    /// How other hosts are reached, with options: an OpenSSH
    #[arg(long, value_name = "COMMAND", default_value = "ssh", requires = "hosts")]
    ssh: String,
    /// Where gravel-run is on other hosts [default: where it is here]
    #[arg(long, value_name = "PATH", requires = "hosts")]
    remote: Option<String>,
    /// Start the ranks that standard input names
    #[arg(long, hide = true)]
    agent: bool,
    /// The C compiler of the MPI [default: the mpicc beside the command, else that in PATH]
    #[arg(long, value_name = "COMPILER")]
    mpicc: Option<OsString>,
    /// What is to be started, with its arguments
    #[arg(
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present_any = ["print", "agent"]
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
    if arguments.agent {
        return remote::serve();
    }
    if let Some(ranks) = arguments.n {
        return start(ranks, arguments);
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

/// Starts the ranks of a program that needs no MPI, and waits for them.
fn start(ranks: u32, arguments: &Arguments) -> Result<u8, Failure> {
    let shares = match &arguments.hosts {
        Some(list) => hosts::place(ranks, list)?,
        None => vec![Share { host: None, ranks: 0..ranks }],
    };
    let switchboard = match shares.iter().any(|share| share.host.is_some()) {
        true => Some(Switchboard::open()?),
        false => None,
    };
    let name = switchboard.as_ref().map_or_else(|| std::process::id().to_string(), Switchboard::name);
    let job = Job { ranks, name: &name, meeting: switchboard.as_ref().map(Switchboard::path) };
    let mut children = Children::default();
    for share in shares {
        match (&share.host, job.meeting) {
            (Some(host), Some(meeting)) => {
                let order = Order::new(job, share.ranks, &arguments.variables, &arguments.command)?;
                let launcher = arguments.remote.as_deref();
                Way { host, ssh: &arguments.ssh, launcher, meeting }.start(&mut children, &order)?;
            }
            _ => children.start_ranks(job, share.ranks, &arguments.command, |_| {})?,
        }
    }
    children.wait(remote::explanation, || true)
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
    fn ranks_have_their_numbers_and_a_failure_ends_the_others() {
        let run = |ranks, words: &[&str]| {
            let words = ["gravel-run", "-n", ranks].into_iter().chain(words.iter().copied());
            run(&Arguments::try_parse_from(words).expect("a command line"))
        };
        let all = run("3", &["sh", "-c", "test $GRAVEL_RANK -lt $GRAVEL_RANKS && test -n \"$GRAVEL_JOB\""]);
        assert_eq!(all.expect("they start"), 0);
        let failed = run("2", &["sh", "-c", "test $GRAVEL_RANK = 0 && exit 7; exec sleep 600"]);
        assert_eq!(failed.expect("they start"), 7);
        assert!(run("1", &["no-such-program-anywhere"]).is_err(), "there is no such program");
    }
}
