//! A provider that does everything that a provider may do, at the worst moment: for tests only (feature `hostile`).
//!
//! It stands before the real provider and decides about every put, entry and eager message by random numbers of a seed
//! (`GRAVEL_HOSTILE`):
//!
//! - *At once*: the bytes leave at the earliest legal moment, as soon as the handshake is there.
//! - *Refused*, for a random time, as if there were no room: the segment stays queued by reference, so that its bytes are
//!   read at a later moment, often as late as in the wait for the send, when the program must have left them alone.
//! - *Held*: the bytes are read now and land a random time later, in another order than they were put in. They land at
//!   the latest before the next entry for that peer, which may be the message's FIN: entries are ordered behind data.
//! - Entries (handshakes and FINs among them) and eager data are refused for a while, as if their ring were full.
//!
//! A program that is right with any timing does not see the difference. A real provider's peer rings when there is room
//! again; here nobody would, so a thread rings for all threads of this process while anything is outstanding.

mod landing;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use self::landing::{Flights, Held, LandingSink};
use super::interconnect::{Bells, Wrapper};
use super::{Capabilities, Get, GetOutcome, Provider, Put, PutOutcome, Sink, Sleeper};
use crate::Rank;
use crate::error::Result;
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::provider::counters::ProviderCounters;
use crate::sys::clock::monotonic_nanoseconds;
use crate::sys::log;

/// The longest time for which anything is delayed: much longer than the loops of small programs take.
const LONGEST_DELAY: Duration = Duration::from_micros(1500);
/// For how long the thread goes on ringing for what was refused, and could be tried again. Where processors are wanted, it is
/// not tried at once.
const RETRIED_WITHIN: Duration = Duration::from_secs(2);
/// How often the thread rings.
const RING_INTERVAL: Duration = Duration::from_micros(300);

/// Whatever is wanted at the worst moment.
pub struct HostileProvider {
    inner: Box<dyn Provider>,
    random: Random,
    /// Until when which put is refused: by peer, receive and offset.
    refused: HashMap<(Rank, Handle, u64), Instant>,
    /// Until when entries, eager data, or gets of a peer are refused.
    closed: HashMap<(Rank, Kind), Instant>,
    held: HashMap<Rank, Vec<Held>>,
    /// What the interconnect reads of held bytes, by the transfer that they are put under.
    flights: Flights,
    /// Counts held segments.
    segments: u32,
    grants_come_first: bool,
    outstanding: Arc<AtomicBool>,
    // The thread ends when this is dropped.
    _alive: Arc<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Handshakes,
    Fins,
    Eager,
    Gets,
}

/// xorshift64*: no test needs better ones.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn delay(&mut self) -> Duration {
        let longest = LONGEST_DELAY.as_micros() as u64;
        Duration::from_micros(self.below(longest))
    }
}

fn seed() -> Option<u64> {
    std::env::var(Hostile::SETTING).ok()?.parse().ok()
}

/// The wrapper that makes a provider hostile.
pub struct Hostile;

impl Wrapper for Hostile {
    const SETTING: &'static str = "GRAVEL_HOSTILE";

    fn is_asked_for() -> bool {
        seed().is_some()
    }

    fn wrap(inner: Box<dyn Provider>, rank: Rank, bells: Bells) -> Box<dyn Provider> {
        match seed() {
            Some(seed) => Box::new(HostileProvider::new(inner, seed, rank, bells)),
            None => inner,
        }
    }
}

impl HostileProvider {
    fn new(inner: Box<dyn Provider>, seed: u64, rank: Rank, bells: Bells) -> Self {
        let alive = Arc::new(());
        let outstanding = Arc::new(AtomicBool::new(false));
        ring_while_outstanding(Arc::downgrade(&alive), outstanding.clone(), bells);
        let mixed = (seed ^ ((rank as u64 + 1) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self {
            inner,
            random: Random(mixed),
            refused: HashMap::new(),
            closed: HashMap::new(),
            held: HashMap::new(),
            flights: Flights::default(),
            segments: 0,
            grants_come_first: seed % 2 == 1,
            outstanding,
            _alive: alive,
        }
    }

    /// Is this kind of thing refused for this peer now? Whether it becomes so is decided when it is not.
    fn is_closed(&mut self, peer: Rank, kind: Kind) -> bool {
        let now = Instant::now();
        match self.closed.get(&(peer, kind)) {
            Some(until) if *until > now => true,
            // What was refused goes through once the time is over.
            Some(_) => {
                self.closed.remove(&(peer, kind));
                false
            }
            None if self.random.below(100) < 40 => {
                self.closed.insert((peer, kind), now + self.random.delay());
                self.outstanding.store(true, Ordering::SeqCst);
                true
            }
            None => false,
        }
    }

    /// Lets held bytes of a peer land: all of them, or those whose time has come. False if there was no room for some.
    fn land(&mut self, peer: Rank, all: bool) -> bool {
        let Some(held) = self.held.get_mut(&peer) else { return true };
        let now = Instant::now();
        // Out of order: any of them may be next.
        for position in (1..held.len()).rev() {
            held.swap(position, self.random.below(position as u64 + 1) as usize);
        }
        let (inner, flights) = (&mut *self.inner, &mut self.flights);
        held.retain_mut(|segment| (!all && segment.until > now) || !segment.land(inner, flights, peer));
        let is_empty = held.is_empty();
        if is_empty {
            self.held.remove(&peer);
        }
        is_empty || !all
    }

    /// Polls, and lets held bytes go that have left.
    fn poll_with(&mut self, sink: &mut dyn Sink, poll: impl FnOnce(&mut dyn Provider, &mut dyn Sink) -> bool) -> bool {
        self.land_due();
        let mut sink = LandingSink { inner: sink, flights: &mut self.flights, over: Vec::new() };
        let any = poll(&mut *self.inner, &mut sink);
        for transfer in sink.over {
            self.flights.remove(&transfer);
            self.inner.release(transfer);
        }
        any
    }

    fn land_due(&mut self) {
        for peer in self.held.keys().copied().collect::<Vec<_>>() {
            self.land(peer, false);
        }
        let now = Instant::now();
        let is_waiting = |until: &Instant| *until + RETRIED_WITHIN > now;
        let is_outstanding =
            !self.held.is_empty() || self.refused.values().any(is_waiting) || self.closed.values().any(is_waiting);
        self.outstanding.store(is_outstanding, Ordering::SeqCst);
    }
}

/// Starts the thread that rings for this process until `alive` is gone.
fn ring_while_outstanding(alive: Weak<()>, outstanding: Arc<AtomicBool>, (doorbell, arrivals): Bells) {
    let ring = move || {
        while alive.strong_count() > 0 {
            thread::sleep(RING_INTERVAL);
            if outstanding.load(Ordering::SeqCst) {
                doorbell.ring(Sleeper::Helper);
                doorbell.ring(Sleeper::Application);
                if let Some(arrivals) = &arrivals {
                    arrivals.remind(Some(monotonic_nanoseconds() + 1));
                }
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("gravel-hostile".to_owned()).spawn(ring) {
        log::error!("nobody will ring behind the hostile provider: {error}");
    }
}

impl Provider for HostileProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        let kind = if ledger == Ledger::Handshake { Kind::Handshakes } else { Kind::Fins };
        // What was put before must be there before the entry is seen.
        if self.is_closed(peer, kind) || !self.land(peer, true) {
            return false;
        }
        self.inner.post(peer, ledger, entry)
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let key = (peer, target.request, put.offset);
        let now = Instant::now();
        match self.refused.get(&key) {
            Some(until) if *until > now => return Ok(PutOutcome { taken: 0, in_flight: 0, fin_sent: false }),
            Some(_) => {
                self.refused.remove(&key);
            }
            None => match self.random.below(3) {
                0 => {}
                1 => {
                    self.refused.insert(key, now + self.random.delay());
                    self.outstanding.store(true, Ordering::SeqCst);
                    return Ok(PutOutcome { taken: 0, in_flight: 0, fin_sent: false });
                }
                _ => {
                    // SAFETY: the source is valid for the put's length, and nobody writes it now.
                    let bytes = unsafe { std::slice::from_raw_parts(put.source, put.bytes as usize) };
                    let until = now + self.random.delay();
                    self.segments = self.segments.wrapping_add(1);
                    let held = Held {
                        target: *target,
                        offset: put.offset,
                        bytes: bytes.to_vec(),
                        taken: 0,
                        until,
                        transfer: landing::transfer_of(self.segments),
                    };
                    self.held.entry(peer).or_default().push(held);
                    self.outstanding.store(true, Ordering::SeqCst);
                    return Ok(PutOutcome { taken: put.bytes, in_flight: 0, fin_sent: false });
                }
            },
        }
        // The FIN would overtake what is held.
        let ends_message = put.ends_message && !self.held.contains_key(&peer);
        // SAFETY: passed on.
        unsafe { self.inner.put(peer, target, Put { ends_message, ..put }) }
    }

    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        if self.is_closed(peer, Kind::Gets) {
            return Ok(GetOutcome::Taken(0));
        }
        // SAFETY: passed on.
        unsafe { self.inner.get(peer, get) }
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        if self.is_closed(key.peer, Kind::Eager) {
            return false;
        }
        // SAFETY: passed on.
        unsafe { self.inner.put_eager(key, number, source, bytes) }
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.poll_with(sink, |inner, sink| inner.poll(peer, sink))
    }

    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool {
        self.poll_with(sink, |inner, sink| inner.poll_all(first, sink))
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        unsafe { self.inner.register(peer, owner, buffer) }
    }

    fn release(&mut self, owner: Handle) {
        self.inner.release(owner);
    }

    fn notify(&mut self) {
        self.inner.notify();
    }

    fn notify_soon(&mut self) {
        self.inner.notify_soon();
    }

    fn keeps_something(&self) -> bool {
        self.inner.keeps_something()
    }

    fn summon(&mut self, peer: Rank) {
        self.inner.summon(peer);
    }

    /// With every other seed, of which all ranks have the same, grants come first whatever the interconnect is.
    fn capabilities(&self, peer: Rank) -> Capabilities {
        let own = self.inner.capabilities(peer);
        Capabilities { grants_come_first: own.grants_come_first || self.grants_come_first, ..own }
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.inner.check_alive(peer)
    }

    fn is_flushed(&self) -> bool {
        self.held.is_empty() && self.inner.is_flushed()
    }

    fn take_news(&mut self) -> bool {
        self.inner.take_news()
    }

    fn counters(&self) -> ProviderCounters {
        self.inner.counters()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::provider::Doorbell;

    /// Remembers, for every entry, what the memory held when it was posted.
    struct Recorder {
        memory: Vec<u8>,
        seen: Arc<Mutex<Vec<Vec<u8>>>>,
        landed: Arc<Mutex<Vec<u64>>>,
    }

    impl Provider for Recorder {
        fn post(&mut self, _: Rank, _: Ledger, _: &Entry) -> bool {
            self.seen.lock().expect("no panic").push(self.memory.clone());
            true
        }

        unsafe fn put(&mut self, _: Rank, _: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
            let (offset, bytes) = (put.offset as usize, put.bytes as usize);
            // SAFETY: the source is valid for its length.
            let source = unsafe { std::slice::from_raw_parts(put.source, bytes) };
            self.memory[offset..offset + bytes].copy_from_slice(source);
            self.landed.lock().expect("no panic").push(put.offset);
            Ok(PutOutcome { taken: put.bytes, in_flight: 0, fin_sent: false })
        }

        unsafe fn put_eager(&mut self, _: MatchKey, _: u64, _: *const u8, _: u64) -> bool {
            true
        }

        fn poll(&mut self, _: Rank, _: &mut dyn Sink) -> bool {
            false
        }

        fn poll_all(&mut self, _: Rank, _: &mut dyn Sink) -> bool {
            false
        }

        unsafe fn register(&mut self, _: Rank, _: Handle, _: MemoryRange) -> Vec<Entry> {
            Vec::new()
        }

        fn notify(&mut self) {}

        fn capabilities(&self, _: Rank) -> Capabilities {
            Capabilities::default()
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
            ProviderCounters::default()
        }
    }

    struct Silent;

    impl Doorbell for Silent {
        fn epoch(&self, _: Sleeper) -> u32 {
            0
        }

        fn arm(&self, _: Sleeper) -> bool {
            false
        }

        fn disarm(&self, _: Sleeper) {}

        fn sleep(&self, _: Sleeper, _: u32, _: Option<Duration>) -> Option<Duration> {
            None
        }

        fn ring(&self, _: Sleeper) {}

        fn ring_if_armed(&self, _: Sleeper) {}

        fn summonses(&self) -> u32 {
            0
        }
    }

    #[test]
    fn everything_lands_in_any_order_but_before_the_entry_behind_it() {
        const SEGMENTS: usize = 16;
        const BYTES: usize = 8;
        let source: Vec<u8> = (0..SEGMENTS * BYTES).map(|byte| byte as u8 + 1).collect();
        let doorbell: Arc<dyn Doorbell> = Arc::new(Silent);
        let (mut disorders, mut refusals) = (0, 0);
        for seed in 0..20 {
            let (seen, landed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
            let memory = vec![0; source.len()];
            let recorder = Recorder { memory, seen: seen.clone(), landed: landed.clone() };
            let mut provider = HostileProvider::new(Box::new(recorder), seed, 0, (doorbell.clone(), None));
            let target = RemoteBuffer { request: Handle::from_raw(1), address: 0, bytes: source.len() as u64 };
            for segment in 0..SEGMENTS {
                let bytes = &source[segment * BYTES..(segment + 1) * BYTES];
                let offset = (segment * BYTES) as u64;
                let start = bytes.as_ptr().addr();
                let put = Put {
                    transfer: Handle::NULL,
                    around: MemoryRange { start, end: start + BYTES },
                    offset,
                    source: bytes.as_ptr(),
                    bytes: BYTES as u64,
                    ends_message: false,
                };
                // SAFETY: the source lives on, and nobody writes it.
                while unsafe { provider.put(1, &target, put) }.expect("no failure").taken < BYTES as u64 {
                    refusals += 1;
                    thread::sleep(Duration::from_micros(100));
                }
            }
            while !provider.post(1, Ledger::Fin, &Entry::default()) {
                refusals += 1;
                thread::sleep(Duration::from_micros(100));
            }
            assert_eq!(seen.lock().expect("no panic").as_slice(), std::slice::from_ref(&source), "seed {seed}");
            assert!(provider.is_flushed());
            disorders += usize::from(!landed.lock().expect("no panic").is_sorted());
        }
        assert!(disorders > 10 && refusals > 100, "{disorders} disorders, {refusals} refusals: it is too kind");
    }
}
