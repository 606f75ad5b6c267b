//! A provider for tests: what it sends lies on a desk, and what the test lays there comes.

use std::mem;
use std::sync::{Arc, Mutex};

use super::{Capabilities, Get, GetOutcome, Provider, Put, PutOutcome, Sink};
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::message::wire::{Control, Ledger};
use crate::provider::counters::ProviderCounters;

/// The only peer that anything comes from.
pub const PEER: Rank = 1;

/// Takes all that lies in its buffer, and brings what the test has put there.
#[derive(Clone, Default)]
pub struct Desk {
    /// What comes next.
    pub coming: Arc<Mutex<Option<Control>>>,
    /// What has been sent.
    pub sent: Arc<Mutex<Vec<Control>>>,
    /// It keeps so many entries at most until it is told to send them; if nothing, it keeps none.
    most_kept: Option<usize>,
    /// The length of the longest eager data that it takes.
    longest_eager: u64,
    /// The length of the longest message that comes unread; any length, if nothing.
    longest_unread: Option<u64>,
    /// Whether messages can be read where they lie, which is this process's memory.
    can_read: bool,
    /// How many bytes were read.
    pub read: Arc<Mutex<u64>>,
    /// Peers that were summoned.
    pub summoned: Arc<Mutex<Vec<Rank>>>,
    /// Which puts were said to end their messages.
    pub ends: Arc<Mutex<Vec<bool>>>,
    /// Which operations were said to need their memory no more.
    pub released: Arc<Mutex<Vec<Handle>>>,
    kept: Arc<Mutex<Vec<Control>>>,
}

impl Desk {
    /// One that takes eager data of up to so many bytes.
    pub fn that_takes(longest_eager: u64) -> Self {
        Self { longest_eager, ..Self::default() }
    }

    /// One from which messages of up to so many bytes come unread.
    pub fn that_is_read_beyond(longest_unread: u64) -> Self {
        Self { longest_unread: Some(longest_unread), ..Self::default() }
    }

    /// One by which messages can be read.
    pub fn that_reads() -> Self {
        Self { can_read: true, ..Self::default() }
    }

    /// One that keeps so many entries at most.
    pub fn that_keeps(most: usize) -> Self {
        Self { most_kept: Some(most), ..Self::default() }
    }
}

impl Provider for Desk {
    fn post(&mut self, _: Rank, _: Ledger, entry: &Entry) -> bool {
        let control = Control::decode(entry).expect("an entry");
        let Some(most) = self.most_kept else {
            self.sent.lock().unwrap().push(control);
            return true;
        };
        let mut kept = self.kept.lock().unwrap();
        let has_room = kept.len() < most;
        if has_room {
            kept.push(control);
        }
        has_room
    }

    unsafe fn put(&mut self, _: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        if put.offset + put.bytes > target.bytes {
            return Err(Error::Internal("a put outside of its buffer".into()).into());
        }
        self.ends.lock().unwrap().push(put.ends_message);
        Ok(PutOutcome { taken: put.bytes, in_flight: 0, fin_sent: false })
    }

    unsafe fn get(&mut self, _: Rank, get: Get) -> Result<GetOutcome> {
        if !self.can_read {
            return Ok(GetOutcome::Impossible);
        }
        let from: *const u8 = std::ptr::with_exposed_provenance(get.address as usize);
        // SAFETY: the tests announce memory of their own that outlives the call, and the target is the caller's to write.
        unsafe { std::ptr::copy(from, get.target, get.bytes as usize) };
        *self.read.lock().unwrap() += get.bytes;
        Ok(GetOutcome::Taken(get.bytes))
    }

    unsafe fn put_eager(&mut self, _: MatchKey, _: u64, _: *const u8, bytes: u64) -> bool {
        bytes <= self.longest_eager && self.longest_eager > 0
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let coming = self.coming.lock().unwrap().take();
        if let Some(control) = &coming {
            sink.control(peer, &control.encode());
        }
        coming.is_some()
    }

    fn poll_all(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.poll(PEER, sink)
    }

    unsafe fn register(&mut self, _: Rank, _: Handle, _: MemoryRange) -> Vec<Entry> {
        Vec::new()
    }

    fn release(&mut self, owner: Handle) {
        self.released.lock().unwrap().push(owner);
    }

    fn notify(&mut self) {
        let kept = mem::take(&mut *self.kept.lock().unwrap());
        self.sent.lock().unwrap().extend(kept);
    }

    fn notify_soon(&mut self) {
        if self.most_kept.is_none() {
            self.notify();
        }
    }

    fn keeps_something(&self) -> bool {
        !self.kept.lock().unwrap().is_empty()
    }

    fn summon(&mut self, peer: Rank) {
        self.summoned.lock().unwrap().push(peer);
    }

    fn capabilities(&self, _: Rank) -> Capabilities {
        let longest_unread = self.longest_unread.unwrap_or(u64::MAX);
        Capabilities {
            longest_eager: self.longest_eager,
            longest_unread,
            can_be_read: self.can_read,
            gets_are_copies: self.can_read,
            ..Capabilities::default()
        }
    }

    fn check_alive(&self, _: Rank) -> Result<()> {
        Ok(())
    }

    fn is_flushed(&self) -> bool {
        !self.keeps_something()
    }

    fn take_news(&mut self) -> bool {
        false
    }

    fn counters(&self) -> ProviderCounters {
        ProviderCounters::default()
    }
}
