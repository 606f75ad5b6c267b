//! Two providers as one: each peer by the one that was chosen for it.

use super::shm::ShmProvider;
use super::tcp::TcpProvider;
use super::{GetOutcome, Provider, Put, PutOutcome, Sink};
use crate::Rank;
use crate::error::Result;
use crate::ledger::Entry;
use crate::matching::MatchKey;
use crate::memory::MemoryRange;
use crate::protocol::transfer::RemoteBuffer;
use crate::protocol::wire::Ledger;
use crate::request::Handle;
use crate::stats::ProviderCounters;

/// The provider of a rank that reaches some peers by TCP. A rank that needs shared memory only uses that provider itself.
pub struct RoutedProvider {
    shm: ShmProvider,
    tcp: TcpProvider,
    by_tcp: Vec<bool>,
}

impl RoutedProvider {
    /// `by_tcp` says for each rank whether TCP reaches it; shared memory reaches the others.
    pub fn new(shm: ShmProvider, tcp: TcpProvider, by_tcp: Vec<bool>) -> Self {
        Self { shm, tcp, by_tcp }
    }

    fn of(&self, peer: Rank) -> &dyn Provider {
        if self.by_tcp[peer] { &self.tcp } else { &self.shm }
    }

    fn of_mut(&mut self, peer: Rank) -> &mut dyn Provider {
        if self.by_tcp[peer] { &mut self.tcp } else { &mut self.shm }
    }
}

impl Provider for RoutedProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        self.of_mut(peer).post(peer, ledger, entry)
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).put(peer, target, put) }
    }

    unsafe fn get(
        &mut self,
        peer: Rank,
        owner: Handle,
        address: u64,
        target: *mut u8,
        bytes: u64,
    ) -> Result<GetOutcome> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).get(peer, owner, address, target, bytes) }
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        // SAFETY: passed on.
        unsafe { self.of_mut(key.peer).put_eager(key, number, source, bytes) }
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.of_mut(peer).poll(peer, sink)
    }

    fn poll_once(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.of_mut(peer).poll_once(peer, sink)
    }

    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool {
        let mut providers: [&mut dyn Provider; 2] = [&mut self.shm, &mut self.tcp];
        // In turn, as the peers.
        providers.rotate_left(first % 2);
        let mut any = false;
        for provider in providers {
            any |= provider.poll_all(first, sink);
        }
        any
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).register(peer, owner, buffer) }
    }

    fn notify(&mut self) {
        self.shm.notify();
        self.tcp.notify();
    }

    fn delivery_needs_polling(&self, peer: Rank) -> bool {
        self.of(peer).delivery_needs_polling(peer)
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.of(peer).check_alive(peer)
    }

    fn is_flushed(&self) -> bool {
        self.shm.is_flushed() && self.tcp.is_flushed()
    }

    fn take_news(&mut self) -> bool {
        self.shm.take_news() | self.tcp.take_news()
    }

    fn counters(&self) -> ProviderCounters {
        // What is counted beside paths, TCP has none of.
        let mut counters = self.shm.counters();
        counters.paths += self.tcp.counters().paths;
        counters
    }
}
