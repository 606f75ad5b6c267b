//! The line that says how far the work has come: on a terminal only, and gone at the end.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use support::RING;

/// Longer than gravelc waits before it shows anything.
const LONG: Duration = Duration::from_millis(1500);
/// Generous: a debug build on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);
const ERASE: &str = "\r\x1b[K";

/// A file from which gravelc reads nothing before somebody writes into it.
fn make_queue(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a queue can be made");
}

fn start(input: &Path, more: &[&str], stderr: impl Into<Stdio>) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gravelc"))
        .args(["transform", "--report", "text"])
        .args(more)
        .arg(input)
        .env("TERM", "xterm")
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .expect("gravelc starts")
}

/// Both ends of a terminal: what is written to the second one is read from the first one.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("a terminal can be used");
    let name = ptsname(&ours, Vec::new()).expect("a terminal has a name");
    let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal can be opened");
    (ours.into(), theirs.into())
}

/// Reads until the text has `what` in it, or to the end.
fn read_until(terminal: &mut File, text: &mut String, what: Option<&str>) {
    let start = Instant::now();
    let mut buffer = [0; 4096];
    while what.is_none_or(|what| !text.contains(what)) && start.elapsed() < DEADLINE {
        // A terminal whose other end is closed gives an error.
        match terminal.read(&mut buffer) {
            Ok(count) if count > 0 => text.push_str(&String::from_utf8_lossy(&buffer[..count])),
            _ => return,
        }
    }
}

#[test]
fn a_terminal_shows_what_is_being_done_until_it_is_done() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let input = folder.path().join("ring.f90");
    make_queue(&input);
    let (mut ours, theirs) = terminal();
    let mut child = start(&input, &[], theirs);
    let mut text = String::new();
    read_until(&mut ours, &mut text, Some("files"));
    assert!(text.contains(&format!("{ERASE}gravelc: reading, 0 of 1 files")), "{text:?}");
    fs::write(&input, RING).expect("the program can be written");
    read_until(&mut ours, &mut text, None);
    assert!(child.wait().expect("gravelc ends").success());
    let left = text.rsplit(ERASE).next().unwrap_or_default();
    assert!(text.contains(ERASE) && !left.contains(" files"), "{text:?}");
    assert!(left.contains("communication sites transformed"), "{text:?}");
}

#[test]
fn a_terminal_shows_nothing_of_it_if_it_shall_be_quiet() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let input = folder.path().join("ring.f90");
    make_queue(&input);
    let (mut ours, theirs) = terminal();
    let mut child = start(&input, &["--quiet"], theirs);
    thread::sleep(LONG);
    fs::write(&input, RING).expect("the program can be written");
    let mut text = String::new();
    read_until(&mut ours, &mut text, None);
    assert!(child.wait().expect("gravelc ends").success());
    assert!(!text.contains(ERASE) && !text.contains("reading"), "{text:?}");
    assert!(text.contains("communication sites transformed"), "{text:?}");
}

#[test]
fn a_pipe_gets_nothing_of_it() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let input = folder.path().join("ring.f90");
    make_queue(&input);
    let child = start(&input, &[], Stdio::piped());
    thread::sleep(LONG);
    fs::write(&input, RING).expect("the program can be written");
    let text = child.wait_with_output().expect("gravelc ends").stderr;
    let text = String::from_utf8_lossy(&text);
    assert!(!text.contains('\x1b') && !text.contains("reading"), "{text:?}");
    assert!(text.contains("communication sites transformed"), "{text:?}");
}
