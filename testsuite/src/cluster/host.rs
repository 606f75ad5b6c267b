//! One host: namespaces, held by their first process.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::CommandLine;
use crate::process;
use crate::setup;

/// Programs that it takes, each with its Debian package.
const PROGRAMS: [(&str, &str); 5] =
    [("unshare", "util-linux"), ("nsenter", "util-linux"), ("mount", "mount"), ("ip", "iproute2"), ("tc", "iproute2")];

/// What the first process does: it tells the number by which it is known outside, gives the host what others must not
/// share, and then waits for the end of its input, that is for the end of the program that has started it.
const FIRST_PROCESS: &str = r#"
read -r number rest < /proc/self/stat &&
ip link set lo up &&
if [ "$1" = everything ]; then
    mount -t proc proc /proc && mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /dev/shm && hostname "$2"
fi &&
echo "$number" && exec cat
"#;

const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long killed processes may take to be gone.
const GRACE: Duration = Duration::from_secs(2);

/// What a host shares with nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Its network.
    Network,
    /// Its network, processes, mounts, name and shared memory.
    Everything,
}

impl Isolation {
    /// The options of `unshare` and `nsenter`.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Network => &["--net"],
            Self::Everything => &["--net", "--pid", "--mount", "--uts", "--ipc"],
        }
    }
}

/// A host. It ends, with all that runs on it, when it is dropped.
#[derive(Debug)]
pub struct Host {
    isolation: Isolation,
    /// The first process, as it is known here.
    first: u32,
    /// Its parent, which ends with it.
    holder: Child,
    /// Closed to end the first process.
    input: Option<ChildStdin>,
}

/// Whether this user may make hosts here.
///
/// # Errors
///
/// Why not.
pub fn permitted() -> Result<(), String> {
    // SAFETY: geteuid takes nothing, touches no memory and can't fail.
    if unsafe { libc::geteuid() } != 0 {
        return Err("network namespaces can be made by root only".to_owned());
    }
    match PROGRAMS.iter().find(|(program, _)| !setup::is_installed(program)) {
        Some((program, package)) => Err(format!("there is no program {program} (Debian package {package})")),
        None => Ok(()),
    }
}

impl Host {
    /// Makes one.
    ///
    /// # Errors
    ///
    /// What the system said.
    pub fn start(name: &str, isolation: Isolation) -> Result<Self, String> {
        let kind = if isolation == Isolation::Everything { "everything" } else { "network" };
        let mut holder = Command::new("unshare")
            .args(isolation.options())
            .args(["--fork", "sh", "-c", FIRST_PROCESS, "sh", kind, name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run unshare: {error}"))?;
        let input = holder.stdin.take();
        let mut line = String::new();
        let read = match holder.stdout.take() {
            Some(output) => BufReader::new(output).read_line(&mut line),
            None => Ok(0),
        };
        let mut host = Self { isolation, first: 0, holder, input };
        match (read, line.trim().parse()) {
            (Ok(_), Ok(first)) => {
                host.first = first;
                Ok(host)
            }
            _ => {
                // It has failed, so that it ends by itself, and its error output with it.
                let mut text = String::new();
                if let Some(mut errors) = host.holder.stderr.take() {
                    let _ = errors.read_to_string(&mut text);
                }
                Err(format!("namespaces cannot be made: {}", text.trim()))
            }
        }
    }

    /// The process that holds its namespaces.
    pub fn first_process(&self) -> u32 {
        self.first
    }

    /// The words in front of a command that is to run on it.
    pub fn entering(&self) -> Vec<String> {
        let target = ["nsenter".to_owned(), "--target".to_owned(), self.first.to_string()];
        target.into_iter().chain(self.isolation.options().iter().map(|&option| option.to_owned())).collect()
    }

    /// The command that runs a program on it.
    pub fn enter(&self, program: impl Into<OsString>) -> CommandLine {
        let words = self.entering();
        CommandLine::new(&words[0]).args(&words[1..]).arg("--").arg(program)
    }

    /// Waits until nothing runs on it any more, and ends what still does when the time is over.
    pub fn settle(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        // What is killed ends at once; one that the system does not let go is no reason to stay here.
        while !self.processes().is_empty() && Instant::now() < deadline + GRACE {
            if Instant::now() >= deadline {
                self.processes().into_iter().for_each(end);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// What runs on it beside its first process; what has ended and was not waited for is left out.
    pub fn processes(&self) -> Vec<u32> {
        if self.isolation != Isolation::Everything {
            return Vec::new();
        }
        let space = |process: u32| fs::read_link(Path::new("/proc").join(process.to_string()).join("ns/pid")).ok();
        let Some(own) = space(self.first) else { return Vec::new() };
        let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
        all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|&process| {
                process != self.first && space(process).as_ref() == Some(&own) && process::is_living(process)
            })
            .collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.input.take());
        // Its first process ends now; the kernel ends all others before `unshare` hears of it.
        let _ = self.holder.wait();
    }
}

fn end(process: u32) {
    let Ok(process) = libc::pid_t::try_from(process) else { return };
    // SAFETY: kill only takes numbers. The process is in a namespace that this program has made.
    unsafe { libc::kill(process, libc::SIGKILL) };
}
