//! An interconnect for tests, between ranks that are threads of one process: nothing but its folder, which is this file, and its
//! line in the list.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::counters::{Path, PathCounters, ProviderCounters};
use super::interconnect::{Connected, Interconnect, NOT_NAMED, Options, Pairs, Ranks, SetUp, Start};
use super::probe::Probe;
use super::{Capabilities, Provider, Put, PutOutcome, Sink};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::sys::setting::Setting;
use crate::sys::tally::Tally;

/// Ranks that are threads of one process.
pub struct InProcess;

/// Pieces that were put.
pub static COPIED: Path = Path { key: "in_process", text: "copied within the process" };

impl Interconnect for InProcess {
    const NAME: &'static str = "in-process";
    const TITLE: &'static str = "memory of the process";
    const REACH: &'static str = "ranks of one process";
    const IS_OFFERED: bool = false;
    const PATHS: &'static [&'static Path] = &[&COPIED];
    const CARD_BYTES: usize = 8;
    type Options = Letters;

    fn survey(_: &Letters) -> Vec<Probe> {
        Vec::new()
    }

    fn begin(start: &Start, letters: &Letters) -> Result<Box<dyn SetUp>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let own = NEXT.fetch_add(1, Ordering::Relaxed);
        let (is_permitted, letters) = (start.is_permitted, letters.0);
        Ok(Box::new(Addressed { own, is_permitted, letters, peers: Vec::new() }))
    }
}

/// How many entries lie in a box at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters(usize);

impl Default for Letters {
    fn default() -> Self {
        Self(64)
    }
}

impl Options for Letters {
    const SETTINGS: &'static [Setting] = &[Setting {
        name: "GRAVEL_IN_PROCESS_LETTERS",
        values: "a number",
        default: "`64`",
        meaning: "how many entries a peer may leave unread",
        example: "2",
    }];

    fn set(&mut self, _: &str, value: &str) -> std::result::Result<(), &'static str> {
        self.0 = value.parse().map_err(|_| "a number")?;
        Ok(())
    }

    fn value(&self, _: &str) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// What lies in a box: who has sent it, and what.
type Letter = (Rank, Entry);

/// The boxes of this process, by number.
static BOXES: Mutex<Option<HashMap<u64, VecDeque<Letter>>>> = Mutex::new(None);

fn with_box<T>(number: u64, look: impl FnOnce(&mut VecDeque<Letter>) -> T) -> T {
    let mut boxes = BOXES.lock().unwrap_or_else(PoisonError::into_inner);
    look(boxes.get_or_insert_default().entry(number).or_default())
}

/// Knows the number of its box, and those of the others.
struct Addressed {
    own: u64,
    is_permitted: bool,
    letters: usize,
    peers: Vec<u64>,
}

impl SetUp for Addressed {
    fn card(&self) -> Vec<u8> {
        self.own.to_le_bytes().to_vec()
    }

    fn meet(&mut self, _: &Ranks, cards: &[&[u8]]) -> Result<()> {
        self.peers = cards.iter().filter_map(|card| card.first_chunk().copied().map(u64::from_le_bytes)).collect();
        Ok(())
    }

    /// Tells a peer whether its box has an even number.
    fn finding(&self, peer: Rank) -> std::result::Result<bool, String> {
        if self.is_permitted { Ok(self.peers[peer].is_multiple_of(2)) } else { Err(NOT_NAMED.into()) }
    }

    fn connect(self: Box<Self>, _: &dyn Host, ranks: &Ranks, pairs: &Pairs, told: &[bool]) -> Result<Connected> {
        for peer in pairs.with(ranks.rank) {
            assert_eq!(told[peer], self.own.is_multiple_of(2), "what rank {peer} has found is told");
        }
        let (rank, letters, size) = (ranks.rank, self.letters, self.peers.len());
        let provider = InProcessProvider { rank, own: self.own, letters, peers: self.peers, copied: Tally::default() };
        Ok(Connected {
            provider: Some(Box::new(provider)),
            arrivals: None,
            doorbell: None,
            peers_ring: false,
            pairs: pairs.clone(),
            reasons: vec![None; size],
        })
    }
}

struct InProcessProvider {
    rank: Rank,
    own: u64,
    letters: usize,
    peers: Vec<u64>,
    copied: Tally,
}

impl InProcessProvider {
    fn take(&self, from: Option<Rank>, sink: &mut dyn Sink) -> bool {
        let is_wanted = |letter: &Letter| from.is_none_or(|from| letter.0 == from);
        let taken: Vec<Letter> = with_box(self.own, |own| {
            let (taken, left) = own.drain(..).partition::<Vec<_>, _>(is_wanted);
            own.extend(left);
            taken
        });
        taken.iter().for_each(|(peer, entry)| sink.control(*peer, entry));
        !taken.is_empty()
    }
}

impl Provider for InProcessProvider {
    fn post(&mut self, peer: Rank, _: Ledger, entry: &Entry) -> bool {
        with_box(self.peers[peer], |letters| {
            let has_room = letters.len() < self.letters;
            letters.extend(has_room.then_some((self.rank, *entry)));
            has_room
        })
    }

    unsafe fn put(&mut self, _: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        if put.offset.checked_add(put.bytes).is_none_or(|end| end > target.bytes) {
            return Err(Error::Internal("a put outside of its buffer".into()).into());
        }
        let to: *mut u8 = std::ptr::with_exposed_provenance_mut((target.address + put.offset) as usize);
        // SAFETY: the source is valid by the contract; the target is this process's, inside the buffer that was posted for it.
        unsafe { std::ptr::copy(put.source, to, put.bytes as usize) };
        self.copied.add(put.bytes);
        Ok(PutOutcome { taken: put.bytes, in_flight: 0, fin_sent: false })
    }

    unsafe fn put_eager(&mut self, _: MatchKey, _: u64, _: *const u8, _: u64) -> bool {
        false
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.take(Some(peer), sink)
    }

    fn poll_all(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.take(None, sink)
    }

    unsafe fn register(&mut self, _: Rank, _: Handle, _: MemoryRange) -> Vec<Entry> {
        Vec::new()
    }

    fn notify(&mut self) {}

    fn capabilities(&self, _: Rank) -> Capabilities {
        Capabilities { longest_eager: 0, delivery_needs_polling: true, ..Capabilities::default() }
    }

    fn check_alive(&self, _: Rank) -> Result<()> {
        Ok(())
    }

    fn is_flushed(&self) -> bool {
        true
    }

    fn take_news(&mut self) -> bool {
        false
    }

    fn counters(&self) -> ProviderCounters {
        ProviderCounters { paths: PathCounters::of([(&COPIED, self.copied)]), ..ProviderCounters::default() }
    }
}

impl Drop for InProcessProvider {
    fn drop(&mut self) {
        BOXES.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().remove(&self.own);
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::NonNull;

    use super::*;
    use crate::message::ledger::PAYLOAD_WORDS;
    use crate::provider::choice::{Choice, Interconnects};
    use crate::provider::select::connect;
    use crate::provider::thread_host::run_ranks;

    #[derive(Default)]
    struct Seen(Vec<Letter>);

    impl Sink for Seen {
        fn control(&mut self, peer: Rank, entry: &Entry) {
            self.0.push((peer, *entry));
        }

        fn eager(&mut self, _: MatchKey, _: u64, _: &[u8]) {}

        fn landing(&mut self, _: Rank, _: Handle, _: u64, _: u64) -> Option<NonNull<u8>> {
            None
        }
    }

    /// A new interconnect is chosen, set, connected beside the others, used and counted; nobody else names it.
    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn what_is_on_the_list_is_used() {
        let outcomes = run_ranks(3, |host| {
            let rank = host.rank();
            // Rank 0 may use nothing else; the others reach each other by shared memory.
            let names = if rank == 0 { "in-process" } else { "shm,in-process" };
            let permitted = Interconnects::parse(names).expect("a list");
            let mut choice = Choice { permitted, ..Choice::default() };
            assert_eq!(choice.options.set("GRAVEL_IN_PROCESS_LETTERS", "2"), Some(Ok(())));
            let mut connected = connect(&host, Ok(choice))?;
            for route in &connected.routes {
                let is_own = (route.peer == 0) != (rank == 0);
                assert_eq!(route.interconnect.name(), if is_own { "in-process" } else { "shm" }, "{route:?}");
            }
            let mut buffer = [0u8; 8];
            let address = buffer.as_mut_ptr().expose_provenance() as u64;
            let addresses = host.all_gather(&address.to_le_bytes())?;
            if rank == 0 {
                for peer in [1, 2] {
                    let address = u64::from_le_bytes(*addresses[8 * peer..].first_chunk().expect("an address"));
                    let target = RemoteBuffer { request: Handle::NULL, address, bytes: 8 };
                    let around = MemoryRange { start: 0, end: 0 };
                    let message = [peer as u8; 4];
                    let put = Put {
                        transfer: Handle::NULL,
                        around,
                        offset: 2,
                        source: message.as_ptr(),
                        bytes: 4,
                        ends_message: true,
                    };
                    // SAFETY: the source lives; the target's rank waits until this is over.
                    unsafe { connected.provider.put(peer, &target, put)? };
                    let posted =
                        [1, 2, 3].map(|word| connected.provider.post(peer, Ledger::Fin, &[word; PAYLOAD_WORDS]));
                    assert_eq!(posted, [true, true, false], "as many as are set");
                }
            }
            host.all_gather(&[])?;
            let mut seen = Seen::default();
            connected.provider.poll_all(0, &mut seen);
            let copied = connected.provider.counters().paths.on(&COPIED);
            host.all_gather(&[])?;
            Ok::<_, Box<Error>>((seen.0, copied, buffer))
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            let (seen, copied, buffer) = outcome.expect("connected");
            if rank == 0 {
                assert_eq!((seen, copied), (vec![], Tally { count: 2, bytes: 8 }));
            } else {
                assert_eq!(seen, [1, 2].map(|word| (0, [word; PAYLOAD_WORDS])));
                let byte = rank as u8;
                assert_eq!(buffer, [0, 0, byte, byte, byte, byte, 0, 0]);
            }
        }
    }
}
