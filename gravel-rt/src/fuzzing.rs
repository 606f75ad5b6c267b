//! What fuzzers run: the two places where bytes of another process become numbers.
//!
//! The targets of `cargo fuzz` (`gravel-rt/fuzz`) call these functions, and so does a test of this file, with the files of
//! the corpus as they are and damaged at random: that runs with every compiler. A fuzzer that has found something leaves a
//! file, which goes to the corpus.

use std::io::{ErrorKind, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::ptr::NonNull;

use crate::Rank;
use crate::message::ledger::{Entry, PAYLOAD_WORDS};
use crate::message::matching::MatchKey;
use crate::message::request::Handle;
use crate::message::wire::{ANNOUNCED, Control};
use crate::provider::Sink;
use crate::provider::tcp::frame::MAXIMUM_EAGER;
use crate::provider::tcp::incoming::{Ended, Incoming};

/// Bytes that every socket takes at once.
const LONGEST: usize = 128 * 1024;
/// The receive that is posted, the number that its message has whichever way it is matched, and the length of its buffer.
const REQUEST: i64 = 5;
const POSTED_NUMBER: u64 = 9;
const BUFFER_BYTES: usize = 20_000;
const PEER: Rank = 3;

/// A consumer with one posted receive, between two guards that nobody may write.
struct Consumer {
    memory: Vec<u8>,
}

const GUARD: usize = 64;
const UNTOUCHED: u8 = 0xa5;

impl Consumer {
    fn new() -> Self {
        Self { memory: vec![UNTOUCHED; GUARD + BUFFER_BYTES + GUARD] }
    }

    fn guards_are_untouched(&self) -> bool {
        let (front, rest) = self.memory.split_at(GUARD);
        front.iter().chain(&rest[BUFFER_BYTES..]).all(|&byte| byte == UNTOUCHED)
    }
}

impl Sink for Consumer {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        assert_eq!(peer, PEER);
        check_entry(entry);
    }

    fn eager(&mut self, key: MatchKey, _: u64, bytes: &[u8]) {
        assert_eq!(key.peer, PEER);
        assert!(bytes.len() as u64 <= MAXIMUM_EAGER);
    }

    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        let fits = number & !ANNOUNCED == POSTED_NUMBER && bytes <= BUFFER_BYTES as u64;
        (key.peer == PEER && fits).then_some(Handle::from_raw(REQUEST))
    }

    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        assert_eq!((peer, request.into_raw()), (PEER, REQUEST));
        assert!(bytes <= BUFFER_BYTES as u64);
    }

    fn landing(&mut self, _: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        let end = offset.checked_add(bytes).expect("a range that does not wrap around");
        if request.into_raw() != REQUEST || end > BUFFER_BYTES as u64 {
            return None;
        }
        Some(NonNull::from(&mut self.memory[GUARD + offset as usize]))
    }
}

/// What is read means the same again.
fn check_entry(entry: &Entry) {
    if let Ok(control) = Control::decode(entry) {
        assert_eq!(Control::decode(&control.encode()), Ok(control));
    }
}

/// The bytes are what a peer sends on its connection, cut in two where the first byte says.
///
/// # Panics
///
/// If the decoder accepts what it must not, or loses the end of the stream.
pub fn frames(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let (mut peer, own) = UnixStream::pair().expect("a pair of sockets");
    own.set_nonblocking(true).expect("a socket that does not block");
    let (mut incoming, mut consumer) = (Incoming::default(), Consumer::new());
    let cut = bytes.first().map_or(0, |&first| usize::from(first) * bytes.len() / 256);
    for part in [&bytes[..cut], &bytes[cut..]] {
        peer.write_all(part).expect("room for all of it");
        loop {
            match incoming.receive(&own, PEER, &mut consumer) {
                Ok(found) if found.anything => {}
                Ok(_) => break,
                Err(Ended::Malformed(_)) => return assert!(consumer.guards_are_untouched()),
                Err(other) => panic!("{other}"),
            }
        }
    }
    // A child that another test has just forked may hold the peer's end open, too: closing it would not be the end.
    peer.shutdown(Shutdown::Both).expect("a socket that is open");
    match incoming.receive(&own, PEER, &mut consumer) {
        Err(Ended::Closed) => {}
        // What was sent after the last look.
        Err(Ended::System(cause)) if cause.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("the end of the stream: {other:?}"),
    }
    assert!(consumer.guards_are_untouched());
}

/// The bytes are entries of a ledger.
///
/// # Panics
///
/// If one is read as something else than it says.
pub fn entries(bytes: &[u8]) {
    for bytes in bytes.as_chunks::<{ PAYLOAD_WORDS * 8 }>().0 {
        let words = bytes.as_chunks::<8>().0;
        check_entry(&std::array::from_fn(|word| u64::from_le_bytes(words[word])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use std::path::Path;

    fn corpus(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let files = std::fs::read_dir(&folder).expect("the corpus is in the repository");
        let files: Vec<Vec<u8>> =
            files.map(|file| std::fs::read(file.expect("a file").path()).expect("it can be read")).collect();
        assert!(files.len() > 5, "{}", folder.display());
        files
    }

    /// One thing that a fuzzer does to an input.
    #[derive(Debug, Clone)]
    enum Damage {
        Replace(Index, u8),
        Insert(Index, u8),
        Remove(Index),
        Cut(Index),
        Append(Index),
    }

    fn damages() -> impl Strategy<Value = Vec<Damage>> {
        let damage = prop_oneof![
            4 => any::<(Index, u8)>().prop_map(|(place, byte)| Damage::Replace(place, byte)),
            1 => any::<(Index, u8)>().prop_map(|(place, byte)| Damage::Insert(place, byte)),
            1 => any::<Index>().prop_map(Damage::Remove),
            1 => any::<Index>().prop_map(Damage::Cut),
            1 => any::<Index>().prop_map(Damage::Append),
        ];
        proptest::collection::vec(damage, 0..8)
    }

    fn damaged(mut bytes: Vec<u8>, damages: &[Damage], corpus: &[Vec<u8>]) -> Vec<u8> {
        for damage in damages {
            match damage {
                Damage::Append(other) => bytes.extend_from_slice(other.get::<Vec<u8>>(corpus)),
                Damage::Insert(place, byte) => bytes.insert(place.index(bytes.len() + 1), *byte),
                _ if bytes.is_empty() => {}
                Damage::Replace(place, byte) => *place.get_mut(&mut bytes) = *byte,
                Damage::Remove(place) => drop(bytes.remove(place.index(bytes.len()))),
                Damage::Cut(place) => bytes.truncate(place.index(bytes.len())),
            }
        }
        bytes
    }

    /// The files as they are, and then damaged.
    fn run(target: &str, run: fn(&[u8])) {
        let corpus = corpus(target);
        for file in &corpus {
            run(file);
        }
        let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(file in any::<Index>(), damages in damages())| run(&damaged(file.get(&corpus).clone(), &damages, &corpus)));
    }

    #[test]
    fn frames_of_the_corpus() {
        run("frames", frames);
    }

    #[test]
    fn entries_of_the_corpus() {
        run("entries", entries);
    }
}
