//! Processes that are ranks, or that start ranks on another host.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::cli::{Failure, diagnostics};

/// How often a process is looked at that has not ended.
const PAUSE: Duration = Duration::from_millis(5);
/// The exit code of who was told to end: the shell's, for a SIGTERM.
const ENDED_FROM_OUTSIDE: u8 = 128 + 15;

/// What the ranks of a job are told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    /// Number of ranks.
    pub(super) ranks: u32,
    /// Tells jobs of one host apart.
    pub(super) name: &'a str,
    /// The socket of the switchboard, if the job has several hosts.
    pub(super) meeting: Option<&'a Path>,
}

/// What a process is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// It is a rank.
    Rank(u32),
    /// It starts ranks on another host, which it names if they fail.
    Host(String),
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rank(rank) => write!(formatter, "rank {rank}"),
            Self::Host(host) => write!(formatter, "the connection to {host}"),
        }
    }
}

/// Processes that run. They end with it.
#[derive(Debug, Default)]
pub(super) struct Children(Vec<(Part, Child)>);

impl Children {
    /// Starts ranks on this host.
    ///
    /// # Errors
    /// If the program can't be started.
    pub(super) fn start_ranks(
        &mut self,
        job: Job<'_>,
        ranks: Range<u32>,
        words: &[OsString],
        prepare: impl Fn(&mut Command),
    ) -> Result<(), Failure> {
        for rank in ranks {
            let mut command = command_of(words)?;
            prepare(&mut command);
            command
                .env("GRAVEL_RANK", rank.to_string())
                .env("GRAVEL_RANKS", job.ranks.to_string())
                .env("GRAVEL_JOB", job.name)
                .env_remove("GRAVEL_MEETING");
            if let Some(meeting) = job.meeting {
                command.env("GRAVEL_MEETING", meeting);
            }
            self.0.push((Part::Rank(rank), command.spawn().map_err(|error| not_started(words, &error))?));
        }
        Ok(())
    }

    /// Starts a process for another host, and tells it something. Its standard input is closed when the job ends.
    ///
    /// # Errors
    /// If it can't be started, or does not listen.
    pub(super) fn start_connection(&mut self, host: &str, words: &[OsString], order: &[u8]) -> Result<(), Failure> {
        let child = command_of(words)?.stdin(Stdio::piped()).spawn().map_err(|error| not_started(words, &error))?;
        self.0.push((Part::Host(host.to_owned()), child));
        // One that has ended meanwhile is found by who waits, and has said why.
        if let Some((_, Child { stdin: Some(input), .. })) = self.0.last_mut() {
            let _ = input.write_all(order);
        }
        Ok(())
    }

    /// Waits until all have ended, or one has failed; then the others are ended. Gives the exit code. Says what has failed, as
    /// `explain` has it. `goes_on` is asked from time to time.
    ///
    /// # Errors
    /// If this user may not wait for them.
    pub(super) fn wait(
        mut self,
        explain: impl Fn(&Part, ExitStatus) -> Option<String>,
        goes_on: impl Fn() -> bool,
    ) -> Result<u8, Failure> {
        while !self.0.is_empty() {
            if !goes_on() {
                return Ok(ENDED_FROM_OUTSIDE);
            }
            let ended = self.ended().map_err(|error| Failure::input(format!("cannot wait for the ranks: {error}")))?;
            if let Some((part, status)) = ended
                && !status.success()
            {
                if let Some(text) = explain(&part, status) {
                    diagnostics::print_raw(format!("gravel-run: {text}\n").as_bytes());
                }
                return Ok(code_of(status));
            }
        }
        Ok(0)
    }

    /// One that has ended, after a while if none has.
    fn ended(&mut self) -> io::Result<Option<(Part, ExitStatus)>> {
        for place in 0..self.0.len() {
            if let Some(status) = self.0[place].1.try_wait()? {
                let (part, _) = self.0.swap_remove(place);
                return Ok(Some((part, status)));
            }
        }
        std::thread::sleep(PAUSE);
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

/// As the shell has it.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The command that words make.
pub(super) fn command_of(words: &[OsString]) -> Result<Command, Failure> {
    let (program, arguments) = words.split_first().ok_or_else(|| Failure::input("no command is given"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// Why nothing was started.
pub(super) fn not_started(words: &[OsString], error: &io::Error) -> Failure {
    let program = words.first().map(|word| word.display().to_string()).unwrap_or_default();
    Failure::input(format!("cannot start {program}: {error}"))
}
