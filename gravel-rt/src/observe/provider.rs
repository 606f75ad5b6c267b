//! A provider that is watched: counts control messages and eager data, and records what leaves.
//!
//! It stands between the engine and the real provider only where counters or a trace are asked for, so that nobody else
//! pays for it.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::outputs::TraceKeeper;
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::message::wire::{ANNOUNCED, Control, Ledger};
use crate::provider::counters::{ProviderCounters, WireCounters};
use crate::provider::{Capabilities, Get, GetOutcome, Provider, Put, PutOutcome, Sink};
use crate::trace::{self, Details, Flow, FlowId, Trace};

/// The trace of a rank: its application's thread and its helper write to it.
pub(super) type SharedTrace = Arc<Mutex<Trace<TraceKeeper>>>;

/// Locks a trace; one that a panic has interrupted is still worth reading.
pub(super) fn lock(trace: &SharedTrace) -> MutexGuard<'_, Trace<TraceKeeper>> {
    trace.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A provider and what was seen of it.
pub struct ObservedProvider {
    rank: Rank,
    inner: Box<dyn Provider>,
    counters: WireCounters,
    trace: Option<SharedTrace>,
    messages: AnnouncedMessages,
}

/// Which message a receive of a peer is for: handshakes say it, FINs name only the receive. Keyed by peer and slot of the
/// peer's request table, so that it grows no larger than those tables.
type AnnouncedMessages = HashMap<(Rank, u32), (Handle, FlowId)>;

fn place(peer: Rank, request: Handle) -> (Rank, u32) {
    let slot = (request.into_raw() & 0xffff_ffff) as u32;
    (peer, slot)
}

impl ObservedProvider {
    /// Watches a provider of this rank.
    pub(super) fn new(rank: Rank, inner: Box<dyn Provider>, trace: Option<SharedTrace>) -> Self {
        Self { rank, inner, counters: WireCounters::default(), trace, messages: HashMap::new() }
    }

    fn start(&self) -> u64 {
        if self.trace.is_some() { trace::now() } else { 0 }
    }

    fn record(&self, name: &'static str, start: u64, details: Details, flow: Flow) {
        if let Some(trace) = &self.trace {
            lock(trace).record(name, start, details, flow);
        }
    }

    /// A FIN for a peer's receive has left.
    fn fin_sent(&mut self, peer: Rank, request: Handle, start: u64, bytes: u64) {
        self.counters.fins_sent += 1;
        let known = self.messages.remove(&place(peer, request));
        let id = known.filter(|(announced, _)| *announced == request).map(|(_, id)| id);
        let details = Details { tag: id.map(|id| id.tag), ..details(peer, bytes) };
        self.record("FIN", start, details, id.map_or(Flow::None, Flow::Starts));
    }
}

fn details(peer: Rank, bytes: u64) -> Details {
    Details { peer: i64::try_from(peer).ok(), bytes: Some(bytes), ..Details::default() }
}

impl Provider for ObservedProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        let start = self.start();
        let posted = self.inner.post(peer, ledger, entry);
        if posted {
            match Control::decode(entry) {
                Ok(Control::Handshake { tag, handshake, .. }) => {
                    self.counters.handshakes_sent += 1;
                    let details = Details { tag: Some(tag), ..details(peer, handshake.buffer.bytes) };
                    self.record("handshake", start, details, Flow::None);
                }
                Ok(Control::Announcement { tag, message, .. }) => {
                    self.counters.announcements_sent += 1;
                    let details = Details { tag: Some(tag), ..details(peer, message.bytes) };
                    self.record("announcement", start, details, Flow::None);
                }
                Ok(Control::Spilled { communicator, tag, number, message }) => {
                    self.counters.spilled_sent.add(message.bytes);
                    let details = Details { tag: Some(tag), ..details(peer, message.bytes) };
                    let key = MatchKey { peer, communicator, tag };
                    self.record("spilled", start, details, Flow::Starts(FlowId::sent(self.rank, key, number)));
                }
                Ok(Control::Grant { tag, handshake, .. }) => {
                    let details = Details { tag: Some(tag), ..details(peer, handshake.buffer.bytes) };
                    self.record("grant", start, details, Flow::None);
                }
                Ok(Control::Answer { handshake, .. }) => {
                    self.record("answer", start, details(peer, handshake.buffer.bytes), Flow::None);
                }
                Ok(Control::Release { .. }) => self.record("release", start, details(peer, 0), Flow::None),
                Ok(Control::Fin { request, fin }) => self.fin_sent(peer, request, start, fin.bytes),
                Ok(
                    Control::Segment { .. }
                    | Control::Withdrawal { .. }
                    | Control::Recall { .. }
                    | Control::Recalled { .. }
                    | Control::Revocation { .. }
                    | Control::Revoked { .. }
                    | Control::Question { .. }
                    | Control::TooLong { .. }
                    | Control::Inquiry(_)
                    | Control::Text(_)
                    | Control::Reply(_),
                ) => {}
                // The provider's own entries.
                Err(_) => {}
            }
        }
        posted
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let start = self.start();
        // SAFETY: passed on.
        let outcome = unsafe { self.inner.put(peer, target, put)? };
        if outcome.fin_sent {
            // It left with the put, and may have arrived since: its slice is inside the put's, and begins with it.
            self.fin_sent(peer, target.request, start, put.offset + put.bytes);
        }
        if outcome.taken > 0 {
            self.counters.puts.add(outcome.taken);
            let details = Details { offset: Some(put.offset), ..details(peer, outcome.taken) };
            self.record("put", start, details, Flow::None);
        }
        Ok(outcome)
    }

    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        let start = self.start();
        // SAFETY: passed on.
        let outcome = unsafe { self.inner.get(peer, get)? };
        let taken = match outcome {
            GetOutcome::Taken(taken) => taken,
            GetOutcome::TakenAndTold => get.bytes,
            GetOutcome::Impossible => 0,
        };
        if taken > 0 {
            self.counters.gets.add(taken);
            self.record("get", start, details(peer, taken), Flow::None);
        }
        if outcome == GetOutcome::TakenAndTold {
            self.record("release", start, details(peer, 0), Flow::None);
        }
        Ok(outcome)
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        let start = self.start();
        // SAFETY: passed on.
        let sent = unsafe { self.inner.put_eager(key, number, source, bytes) };
        if sent {
            self.counters.eager_sent.add(bytes);
            let details = Details { tag: Some(key.tag), ..details(key.peer, bytes) };
            // The number of an announced message does not tell its consumer's receive from others.
            let is_numbered = number & ANNOUNCED == 0;
            let flow = if is_numbered { Flow::Starts(FlowId::sent(self.rank, key, number)) } else { Flow::None };
            self.record("eager data", start, details, flow);
        }
        sent
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let Self { rank, inner, counters, messages, .. } = self;
        inner.poll(peer, &mut ObservedSink { rank: *rank, inner: sink, counters, messages })
    }

    fn poll_once(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let Self { rank, inner, counters, messages, .. } = self;
        inner.poll_once(peer, &mut ObservedSink { rank: *rank, inner: sink, counters, messages })
    }

    fn prepare(&mut self, peer: Rank) {
        self.inner.prepare(peer);
    }

    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool {
        let Self { rank, inner, counters, messages, .. } = self;
        inner.poll_all(first, &mut ObservedSink { rank: *rank, inner: sink, counters, messages })
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        self.counters.registrations.add(buffer.bytes() as u64);
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

    fn capabilities(&self, peer: Rank) -> Capabilities {
        self.inner.capabilities(peer)
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.inner.check_alive(peer)
    }

    fn is_flushed(&self) -> bool {
        self.inner.is_flushed()
    }

    fn take_news(&mut self) -> bool {
        self.inner.take_news()
    }

    fn counters(&self) -> ProviderCounters {
        ProviderCounters { wire: self.counters, ..self.inner.counters() }
    }
}

/// Sees what a poll finds before the protocol does.
struct ObservedSink<'a> {
    rank: Rank,
    inner: &'a mut dyn Sink,
    counters: &'a mut WireCounters,
    messages: &'a mut AnnouncedMessages,
}

impl Sink for ObservedSink<'_> {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        match Control::decode(entry) {
            Ok(Control::Handshake { communicator, tag, number, handshake }) => {
                self.counters.handshakes_received += 1;
                let (request, key) = (handshake.buffer.request, MatchKey { peer, communicator, tag });
                self.messages.insert(place(peer, request), (request, FlowId::sent(self.rank, key, number)));
            }
            Ok(Control::Announcement { .. }) => self.counters.announcements_received += 1,
            Ok(Control::Spilled { message, .. }) => self.counters.spilled_received.add(message.bytes),
            Ok(Control::Fin { .. }) => self.counters.fins_received += 1,
            Ok(
                Control::Answer { .. }
                | Control::Release { .. }
                | Control::Segment { .. }
                | Control::Withdrawal { .. }
                | Control::Recall { .. }
                | Control::Recalled { .. }
                | Control::Grant { .. }
                | Control::Revocation { .. }
                | Control::Revoked { .. }
                | Control::Question { .. }
                | Control::TooLong { .. }
                | Control::Inquiry(_)
                | Control::Text(_)
                | Control::Reply(_),
            ) => {}
            // The protocol reports damage.
            Err(_) => {}
        }
        self.inner.control(peer, entry);
    }

    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        self.counters.eager_received.add(bytes.len() as u64);
        self.inner.eager(key, number, bytes);
    }

    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        self.inner.eager_landing(key, number, bytes)
    }

    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        self.counters.eager_received.add(bytes);
        self.inner.eager_landed(peer, request, bytes);
    }

    fn landing(&mut self, peer: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        self.inner.landing(peer, request, offset, bytes)
    }

    fn landed(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        self.inner.landed(peer, request, start, end)
    }

    fn put_completed(&mut self, transfer: Handle, failure: Option<Box<Error>>) {
        self.inner.put_completed(transfer, failure);
    }

    fn data(&mut self, peer: Rank, request: Handle, offset: u64, bytes: &[u8]) {
        self.counters.copied.add(bytes.len() as u64);
        self.inner.data(peer, request, offset, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::desk::{Desk, PEER};

    #[test]
    fn what_is_watched_can_do_the_same() {
        let desk = Desk::that_is_read_beyond(7);
        let own = desk.capabilities(PEER);
        assert_eq!(ObservedProvider::new(0, Box::new(desk), None).capabilities(PEER), own);
    }
}
