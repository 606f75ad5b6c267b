//! Ranks on another host: ssh starts gravel-run there, which starts them.
//!
//! What to start goes through standard input, as one line. When it is closed, because this side has ended or its host is gone, the
//! other side ends its ranks. The socket at which ranks meet is handed on by ssh: nothing listens on the network.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead as _, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::ranks::{Children, Job, Part};
use crate::cli::Failure;

/// What ssh answers if it has not come to the other host, or lost it.
const SSH_FAILED: i32 = 255;
/// What a shell answers if there is no such command.
const NO_COMMAND: i32 = 127;

/// What gravel-run is to start on another host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    ranks: Range<u32>,
    all_ranks: u32,
    job: String,
    /// The socket there that leads to the switchboard here.
    meeting: PathBuf,
    folder: PathBuf,
    variables: Vec<(String, String)>,
    command: Vec<String>,
}

impl Order {
    /// Ranks of a job as they would be started here: in this folder, with this process's `GRAVEL_...` variables and those
    /// that are asked for (`NAME` or `NAME=VALUE`).
    ///
    /// # Errors
    /// If something of it can't be written as text, or a variable is not there.
    pub(super) fn new(
        job: Job<'_>,
        ranks: Range<u32>,
        wanted: &[String],
        command: &[OsString],
    ) -> Result<Self, Failure> {
        let text = |what: &OsString| match what.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(Failure::input(format!("{} is no text: it can't be handed to another host", what.display()))),
        };
        let folder = std::env::current_dir().map_err(|error| Failure::input(format!("the current folder: {error}")))?;
        let own = std::env::vars().filter(|(name, _)| name.starts_with("GRAVEL_"));
        let mut variables: Vec<(String, String)> = own.collect();
        for variable in wanted {
            variables.push(match variable.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => match std::env::var(variable) {
                    Ok(value) => (variable.clone(), value),
                    Err(error) => return Err(Failure::input(format!("-x {variable}: {error}"))),
                },
            });
        }
        Ok(Self {
            all_ranks: job.ranks,
            job: job.name.to_owned(),
            // ssh makes it for this user alone.
            meeting: Path::new("/tmp").join(format!("{}.{}", job.name, ranks.start)),
            folder,
            variables,
            command: command.iter().map(text).collect::<Result<_, _>>()?,
            ranks,
        })
    }
}

/// How a host is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    /// Its name.
    pub(super) host: &'a str,
    /// ssh, with options.
    pub(super) ssh: &'a str,
    /// gravel-run there.
    pub(super) launcher: Option<&'a str>,
    /// The socket here that ranks come to.
    pub(super) meeting: &'a Path,
}

impl Way<'_> {
    /// Starts ranks there.
    ///
    /// # Errors
    /// If ssh can't be started.
    pub(super) fn start(self, children: &mut Children, order: &Order) -> Result<(), Failure> {
        let words = self.words(order)?;
        let mut text = serde_json::to_vec(order).map_err(Failure::bug)?;
        text.push(b'\n');
        children.start_connection(self.host, &words, &text)
    }

    fn words(self, order: &Order) -> Result<Vec<OsString>, Failure> {
        let ssh = shlex::split(self.ssh).filter(|words| !words.is_empty());
        let ssh = ssh.ok_or_else(|| Failure::input(format!("--ssh {}: no command", self.ssh)))?;
        let here = std::env::current_exe().map_err(|error| Failure::input(format!("where gravel-run is: {error}")))?;
        let launcher = match self.launcher {
            Some(launcher) => launcher.to_owned(),
            None => here.display().to_string(),
        };
        let launcher = shlex::try_quote(&launcher).map_err(|error| Failure::input(format!("--remote: {error}")))?;
        let mut forward = order.meeting.clone().into_os_string();
        forward.push(":");
        forward.push(self.meeting);
        let mut words: Vec<OsString> = ssh.into_iter().map(OsString::from).collect();
        words.extend(["-T", "-oBatchMode=yes", "-oExitOnForwardFailure=yes", "-R"].map(OsString::from));
        words.push(forward);
        words.extend([self.host.into(), format!("{launcher} --agent").into()]);
        Ok(words)
    }
}

/// What is said of something that has failed; nothing if the other host has said it.
pub(super) fn explanation(part: &Part, status: ExitStatus) -> Option<String> {
    match (part, status.code()) {
        (Part::Rank(rank), _) => Some(format!("rank {rank} has ended with {status}")),
        (Part::Host(host), Some(SSH_FAILED)) => {
            Some(format!("{host} can't be reached by ssh, or is lost: see what ssh says above"))
        }
        (Part::Host(host), Some(NO_COMMAND)) => {
            Some(format!("there is no gravel-run on {host} where it is here: --remote says where it is"))
        }
        (Part::Host(_), Some(_)) => None,
        (Part::Host(host), None) => Some(format!("the connection to {host} has ended with {status}")),
    }
}

/// Starts what standard input says, and waits for it. Ends it when standard input ends.
///
/// # Errors
/// If the order can't be read or followed.
pub(super) fn serve() -> Result<u8, Failure> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    let on_host = |why: &dyn fmt::Display| Failure::input(format!("on {host}: {why}"));
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| on_host(&error))?;
    let order: Order = serde_json::from_str(&line)
        .map_err(|error| on_host(&format!("what another version of gravel-run has said can't be read: {error}")))?;
    let _socket = Socket(order.meeting.clone());
    let folder = std::env::set_current_dir(&order.folder);
    folder.map_err(|error| on_host(&format!("{}: {error}", order.folder.display())))?;
    let is_wanted = Arc::new(AtomicBool::new(true));
    let watcher = Arc::clone(&is_wanted);
    std::thread::spawn(move || {
        // Nothing more is said; an error is an end, too.
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        watcher.store(false, Ordering::Relaxed);
    });
    let job = Job { ranks: order.all_ranks, name: &order.job, meeting: Some(&order.meeting) };
    let words: Vec<OsString> = order.command.iter().map(OsString::from).collect();
    let mut children = Children::default();
    let started = children.start_ranks(job, order.ranks.clone(), &words, |command| {
        command.envs(order.variables.iter().cloned()).stdin(Stdio::null());
    });
    started.map_err(|failure| on_host(&failure.message()))?;
    let explain = |part: &Part, status| explanation(part, status).map(|text| format!("on {host}: {text}"));
    children.wait(explain, || is_wanted.load(Ordering::Relaxed))
}

/// The socket that ssh has made for the ranks, and leaves there. (It stays where there is no gravel-run: for its user alone, and
/// with nobody behind it.)
struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = std::fs::remove_file(&self.0);
    }
}
