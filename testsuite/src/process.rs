//! Running a command with a time limit, and leaving nothing behind.
//!
//! A launcher like `mpirun` puts its ranks into process groups of their own, so that killing its group would leave
//! them running. Every command therefore gets a session of its own; whatever is still in the session when the command
//! has ended, or when its time is up, is killed.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::command::CommandLine;

/// How long a command whose time is up may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// How often a running command is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// A command that could not be run at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot run `{command}`: {error}")]
pub struct RunError {
    command: String,
    #[source]
    error: io::Error,
}

impl RunError {
    /// Why `command` can't be run.
    pub fn new(command: &CommandLine, error: io::Error) -> Self {
        Self { command: command.to_string(), error }
    }
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself with this exit code.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It was killed after this time.
    TimeLimit(Duration),
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exit(code) => write!(f, "exit code {code}"),
            Ending::Signal(signal) => write!(f, "signal {signal}"),
            Ending::TimeLimit(limit) => write!(f, "no end within {} s", limit.as_secs()),
        }
    }
}

/// What a command left.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// Did it end with exit code 0?
    pub fn succeeded(&self) -> bool {
        self.ending == Ending::Exit(0)
    }

    /// Standard output as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The first and the last lines of standard error, for a message: a program says what is wrong first, and what
    /// started it has the last word.
    pub fn stderr_excerpt(&self) -> String {
        const LINES: usize = 12;
        let text = self.stderr_text();
        let lines: Vec<&str> = text.lines().collect();
        let Some(left_out) = lines.len().checked_sub(2 * LINES).filter(|&lines| lines > 0) else {
            return lines.join("\n");
        };
        let (first, last) = (&lines[..LINES], &lines[LINES + left_out..]);
        format!("{}\n({left_out} more lines)\n{}", first.join("\n"), last.join("\n"))
    }
}

/// Runs `command` with an empty standard input and collects its output; kills it, and all that it started, when
/// `limit` is over.
///
/// # Errors
///
/// If the command can't be started or watched. A command that fails is no error here.
pub fn run(command: &CommandLine, limit: Duration) -> Result<Finished, RunError> {
    run_while(command, limit, &mut || true)
}

/// [`run`], as long as there is hope: when there is none any more, it is as if the time were up.
///
/// # Errors
///
/// As of [`run`].
pub fn run_while(
    command: &CommandLine,
    limit: Duration,
    is_hopeful: &mut dyn FnMut() -> bool,
) -> Result<Finished, RunError> {
    run_session(command, limit, is_hopeful).map_err(|error| RunError::new(command, error))
}

fn run_session(command: &CommandLine, limit: Duration, is_hopeful: &mut dyn FnMut() -> bool) -> io::Result<Finished> {
    let began = Instant::now();
    let mut prepared = command.to_std();
    prepared.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: the closure runs in the forked child before exec and calls only setsid and prctl, which are
    // async-signal-safe; it touches no memory of the parent.
    unsafe {
        prepared.pre_exec(|| {
            if libc::setsid() == -1 {
                return Err(io::Error::last_os_error());
            }
            // If this program is interrupted, its commands (no longer in the terminal's session) end with it.
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) == -1 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let mut child = prepared.spawn().map_err(|error| match command.folder() {
        // The system says the same as for a program that is not there.
        Some(folder) if !folder.is_dir() => io::Error::new(
            error.kind(),
            format!("its folder {} does not exist (moved after the build?)", folder.display()),
        ),
        _ => error,
    })?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);

    let waited = wait(&mut child, limit, is_hopeful);
    kill_session(child.id());
    let ending = match waited? {
        Some(status) => ending_of(status),
        None => {
            child.wait()?;
            Ending::TimeLimit(limit.min(began.elapsed()))
        }
    };
    Ok(Finished { ending, stdout: joined(stdout)?, stderr: joined(stderr)? })
}

/// Waits for the end; `None` when the time is up, after the command was asked to end and given [`GRACE`].
fn wait(child: &mut Child, limit: Duration, is_hopeful: &mut dyn FnMut() -> bool) -> io::Result<Option<ExitStatus>> {
    if let Some(status) = wait_until(child, Instant::now() + limit, is_hopeful)? {
        return Ok(Some(status));
    }
    signal(child.id(), libc::SIGTERM);
    wait_until(child, Instant::now() + GRACE, &mut || true)?;
    Ok(None)
}

fn wait_until(
    child: &mut Child,
    deadline: Instant,
    is_hopeful: &mut dyn FnMut() -> bool,
) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline || !is_hopeful() {
            return Ok(None);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => Ending::Signal(signal),
        // Only a stopped or continued process has neither, and try_wait does not report those.
        (None, None) => Ending::Exit(-1),
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

fn joined(reader: Option<JoinHandle<io::Result<Vec<u8>>>>) -> io::Result<Vec<u8>> {
    match reader {
        Some(reader) => reader.join().map_err(|_| io::Error::other("the thread that reads the output panicked"))?,
        None => Ok(Vec::new()),
    }
}

/// Kills every process of the session. A process that forks while it is being killed is caught by the next round.
fn kill_session(session: u32) {
    const ROUNDS: usize = 20;
    for _ in 0..ROUNDS {
        let members = session_members(session);
        if members.is_empty() {
            return;
        }
        for member in members {
            signal(member, libc::SIGKILL);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

fn signal(process: u32, signal: libc::c_int) {
    let Ok(process) = libc::pid_t::try_from(process) else { return };
    // SAFETY: kill only takes numbers. The process was started by this program (it is in the session made for a
    // command whose leader is not reaped yet or whose members were just listed); that it may have ended meanwhile
    // makes the call fail, which is what is wanted.
    unsafe { libc::kill(process, signal) };
}

/// Whether there is such a process, and it has not ended.
pub(crate) fn is_living(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| living_in_session(&stat).is_some())
}

/// The processes of a session that have not ended.
fn session_members(session: u32) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|process| {
            fs::read_to_string(format!("/proc/{process}/stat"))
                .is_ok_and(|stat| living_in_session(&stat) == Some(session))
        })
        .collect()
}

/// The session of a process from the text of its `stat` file; `None` for one that has ended (a zombie).
fn living_in_session(stat: &str) -> Option<u32> {
    // The name of the program, in parentheses, may hold blanks and parentheses itself.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_whitespace();
    let state = fields.next()?;
    let (_parent, _group) = (fields.next()?, fields.next()?);
    let session = fields.next()?.parse().ok()?;
    (state != "Z" && state != "X").then_some(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> CommandLine {
        CommandLine::new("sh").args(["-c", script])
    }

    #[test]
    fn collects_output_and_exit_code() {
        let finished = run(&shell("echo out; echo err >&2; exit 3"), AMPLE).expect("a shell can be run");
        assert_eq!(finished.ending, Ending::Exit(3));
        assert_eq!(finished.stdout_text(), "out\n");
        assert_eq!(finished.stderr_text(), "err\n");
    }

    #[test]
    fn output_longer_than_a_pipe_holds_is_complete() {
        let finished = run(&shell("head -c 300000 /dev/zero"), AMPLE).expect("a shell can be run");
        assert_eq!(finished.stdout.len(), 300_000);
    }

    #[test]
    fn an_excerpt_keeps_both_ends_of_a_long_standard_error() {
        let short = run(&shell("seq 24 >&2"), AMPLE).expect("a shell can be run").stderr_excerpt();
        assert_eq!(short.lines().count(), 24);
        let long = run(&shell("seq 100 >&2"), AMPLE).expect("a shell can be run").stderr_excerpt();
        let lines: Vec<&str> = long.lines().collect();
        assert_eq!(lines.len(), 25);
        assert_eq!((lines[0], lines[11], lines[12]), ("1", "12", "(76 more lines)"));
        assert_eq!((lines[13], lines[24]), ("89", "100"));
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let error = run(&shell("true").in_folder("/no/such/folder"), AMPLE).expect_err("there is no such folder");
        assert!(error.to_string().contains("its folder /no/such/folder does not exist"), "{error}");
    }

    #[test]
    fn a_signal_is_no_exit_code() {
        let finished = run(&shell("kill -9 $$"), AMPLE).expect("a shell can be run");
        assert_eq!(finished.ending, Ending::Signal(libc::SIGKILL));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&CommandLine::new("no-such-program-here"), AMPLE).expect_err("it is missing");
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
    }

    #[test]
    fn what_outlives_its_time_is_killed_with_all_that_it_started() {
        // The inner shell ignores the polite signal, and sits in a process group of its own.
        let script = "set -m; (trap '' TERM; echo $BASHPID; while :; do sleep 0.05; done) & echo $!; wait";
        let started = Instant::now();
        let limit = Duration::from_millis(300);
        let finished = run(&CommandLine::new("bash").args(["-c", script]), limit).expect("a shell can be run");
        assert_eq!(finished.ending, Ending::TimeLimit(limit));
        assert!(started.elapsed() < AMPLE);
        let inner = finished.stdout_text().lines().next().map(str::to_owned).expect("it printed its number");
        let stat = fs::read_to_string(format!("/proc/{inner}/stat"));
        assert!(stat.is_err() || living_in_session(&stat.unwrap_or_default()).is_none(), "{inner} still runs");
    }

    #[test]
    fn variables_of_gravel_do_not_leak_in() {
        let command = shell("env").env("GRAVEL_TILE", "37");
        let text = run(&command, AMPLE).expect("a shell can be run").stdout_text();
        assert!(text.lines().any(|line| line == "GRAVEL_TILE=37"));
    }

    #[test]
    fn reads_the_session_behind_a_strange_name() {
        assert_eq!(living_in_session("12 (a) b) S 1 12 77 0"), Some(77));
        assert_eq!(living_in_session("12 (a) Z 1 12 77 0"), None);
        assert_eq!(living_in_session("nonsense"), None);
    }
}
