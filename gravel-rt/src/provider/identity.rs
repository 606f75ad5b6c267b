//! Who a process is: a pid alone is reused, and means different processes in different pid namespaces.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use crate::error::{Error, Result};

/// A process of this host, told apart from a later one with the same pid by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Process id.
    pub pid: u32,
    /// Start time in clock ticks since boot (field 22 of /proc/pid/stat).
    pub start_time: u64,
}

impl ProcessIdentity {
    /// This process, where it can't find out when it began: nobody can tell whether it lives.
    pub fn unknown() -> Self {
        Self { pid: std::process::id(), start_time: 0 }
    }

    /// Whether it is known when the process began.
    pub fn is_known(self) -> bool {
        self.start_time != 0
    }

    /// This process.
    pub fn current() -> Result<Self> {
        let pid = std::process::id();
        match read_stat(pid) {
            Ok(Some(stat)) => Ok(Self { pid, start_time: stat.start_time }),
            Ok(None) => Err(Error::Internal("/proc/self/stat has an unknown format".into()).into()),
            Err(cause) => Err(Error::system("reading /proc/self/stat (is /proc mounted?)", &cause).into()),
        }
    }

    /// Whether there is evidence that the process has ended: it is gone, a zombie, or its pid is another's.
    pub fn has_ended(self) -> bool {
        match read_stat(self.pid) {
            Ok(Some(stat)) => stat.start_time != self.start_time || matches!(stat.state, 'Z' | 'X' | 'x'),
            // An unreadable file is no evidence; a missing one is.
            Ok(None) => false,
            Err(cause) => cause.kind() == io::ErrorKind::NotFound || cause.raw_os_error() == Some(libc::ESRCH),
        }
    }
}

struct Stat {
    state: char,
    start_time: u64,
}

fn read_stat(pid: u32) -> io::Result<Option<Stat>> {
    let bytes = fs::read(format!("/proc/{pid}/stat"))?;
    Ok(parse_stat(&String::from_utf8_lossy(&bytes)))
}

/// The command in field 2 may contain blanks and parentheses, so fields are counted from its last parenthesis.
fn parse_stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some(Stat { state, start_time: fields.nth(18)?.parse().ok()? })
}

/// Identifies this boot of this kernel: equal exactly for processes that share memory and /proc numbers.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// This process's network namespace, by the number that tells it from others under this kernel; zero if unknown.
pub fn network_namespace() -> u64 {
    fs::metadata("/proc/self/ns/net").map_or(0, |namespace| namespace.ino())
}

/// The host's name, for messages.
pub fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "(unknown)".into(), |name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn this_process_lives() {
        let me = ProcessIdentity::current().unwrap();
        assert!(!me.has_ended());
        assert!(ProcessIdentity { start_time: me.start_time + 1, ..me }.has_ended(), "a reused pid is not the process");
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_zombie_has_ended_before_it_is_reaped() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        let identity = match read_stat(pid) {
            Ok(Some(stat)) => ProcessIdentity { pid, start_time: stat.start_time },
            _ => panic!("a child that was not waited for has a stat file"),
        };
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !identity.has_ended() {
            assert!(std::time::Instant::now() < deadline, "the child ended, but was not seen to");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.wait().unwrap();
        assert!(identity.has_ended());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn commands_with_parentheses_do_not_shift_fields() {
        let line = "7 (a) b (c) S 1 7 7 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 1 0 4242 1000 10";
        let stat = parse_stat(line).unwrap();
        assert_eq!((stat.state, stat.start_time), ('S', 4242));
    }
}
