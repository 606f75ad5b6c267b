//! Connects the ranks of a job that runs on several hosts.
//!
//! Each end of a connection comes to one socket of this host, from other hosts through ssh, and says who calls whom. When both
//! have come, bytes pass between them. gravel-rt has the other side (`api/launcher/rendezvous.rs`):
//!
//! | who | bytes |
//! |---|---|
//! | rank | magic (8), its rank (8), the other one (8), little endian |
//! | switchboard | 1, once the other one is there |
//!
//! The socket lies in a folder of its own, which only this user may enter. If one end closes, so does the other.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;

use tempfile::TempDir;

use crate::cli::Failure;

/// Name and version of the protocol.
const MAGIC: [u8; 8] = *b"gravel 1";
/// Says that the other one is there.
const CONNECTED: [u8; 1] = [1];
/// How its folder is called, with so many letters behind it: nobody guesses them.
const PREFIX: &str = "gravel-run-";
const RANDOM_LETTERS: usize = 22;
/// The threads only copy.
const STACK_BYTES: usize = 128 << 10;

/// The socket at which ranks call. It is gone when this is dropped.
pub(super) struct Switchboard {
    path: PathBuf,
    _folder: TempDir,
}

impl Switchboard {
    /// Opens the socket, and connects who calls there.
    pub(super) fn open() -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::input(format!("cannot open a socket for the ranks: {error}"));
        let folder = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM_LETTERS).tempdir().map_err(failed)?;
        let path = folder.path().join("meeting");
        let listener = UnixListener::bind(&path).map_err(failed)?;
        start(move || connect_all(&listener)).map_err(failed)?;
        Ok(Self { path, _folder: folder })
    }

    /// A name that no other job has, on no host.
    pub(super) fn name(&self) -> String {
        let folder = self.path.parent().and_then(Path::file_name).unwrap_or_default();
        folder.display().to_string()
    }

    /// Where ranks of this host call.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn start(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work).map(drop)
}

/// Connects callers until the process ends. Who says nothing keeps nobody else waiting.
fn connect_all(listener: &UnixListener) {
    let waiting = std::sync::Arc::new(std::sync::Mutex::new(HashMap::new()));
    for caller in listener.incoming().flatten() {
        let waiting = std::sync::Arc::clone(&waiting);
        // Without a thread for it, it is closed: its rank says so.
        let _ = start(move || {
            let mut caller = caller;
            let Some((from, to)) = call_from(&mut caller) else { return };
            let both = (from.min(to), from.max(to));
            let other: Option<UnixStream> = {
                let Ok(mut waiting) = waiting.lock() else { return };
                match waiting.remove(&both) {
                    Some(other) => Some(other),
                    None => {
                        if let Ok(caller) = caller.try_clone() {
                            waiting.insert(both, caller);
                        }
                        None
                    }
                }
            };
            if let Some(other) = other {
                // A rank that has ended meanwhile is missed by the other one.
                let _ = splice(caller, other);
            }
        });
    }
}

/// Who calls, and whom.
fn call_from(caller: &mut UnixStream) -> Option<(u64, u64)> {
    let mut call = [0; 24];
    caller.read_exact(&mut call).ok()?;
    let (magic, ranks) = call.split_first_chunk::<8>()?;
    let (from, to) = ranks.split_first_chunk::<8>()?;
    let (from, to) = (u64::from_le_bytes(*from), u64::from_le_bytes(to.try_into().ok()?));
    (*magic == MAGIC && from != to).then_some((from, to))
}

/// Passes what one says to the other, both ways.
fn splice(mut one: UnixStream, mut other: UnixStream) -> io::Result<()> {
    one.write_all(&CONNECTED)?;
    other.write_all(&CONNECTED)?;
    let (mut from, mut to) = (other.try_clone()?, one.try_clone()?);
    start(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    })?;
    let copied = io::copy(&mut one, &mut other);
    other.shutdown(Shutdown::Both)?;
    copied.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(switchboard: &Switchboard, from: u64, to: u64) -> UnixStream {
        let mut stream = UnixStream::connect(switchboard.path()).expect("the socket is there");
        let mut call = MAGIC.to_vec();
        call.extend_from_slice(&from.to_le_bytes());
        call.extend_from_slice(&to.to_le_bytes());
        stream.write_all(&call).expect("it listens");
        stream
    }

    #[test]
    fn the_two_that_call_each_other_are_connected() {
        let switchboard = Switchboard::open().expect("a socket");
        let mut one = call(&switchboard, 1, 0);
        let mut two = call(&switchboard, 2, 0);
        // A stranger, and one that says nothing, keep nobody waiting.
        let mut stranger = UnixStream::connect(switchboard.path()).expect("the socket is there");
        stranger.write_all(&[b'x'; 24]).expect("it listens");
        let _silent = UnixStream::connect(switchboard.path()).expect("the socket is there");
        let mut center = [call(&switchboard, 0, 1), call(&switchboard, 0, 2)];
        for (stream, text) in [(&mut one, b"from one"), (&mut two, b"from two")] {
            stream.read_exact(&mut [0]).expect("they are connected");
            stream.write_all(text).expect("they are connected");
        }
        for (stream, expected) in center.iter_mut().zip([b"\x01from one", b"\x01from two"]) {
            let mut text = [0; 9];
            stream.read_exact(&mut text).expect("it is passed on");
            assert_eq!(&text, expected);
        }
        drop(one);
        assert_eq!(center[0].read(&mut [0]).expect("its end is passed on"), 0);
        assert_eq!(stranger.read(&mut [0]).expect("it is closed"), 0);
    }
}
