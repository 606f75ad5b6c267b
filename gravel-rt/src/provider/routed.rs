//! Several providers as one: each peer by the one that was chosen for it.

use super::choice::Interconnect;
use super::shm::ShmProvider;
use super::{Capabilities, Get, GetOutcome, Provider, Put, PutOutcome, Sink};
use crate::Rank;
use crate::error::Result;
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::provider::counters::ProviderCounters;

/// An expression for the provider of a peer. Shared memory is known by its type: it is asked in every look, and has little
/// to say.
macro_rules! its {
    ($routed:expr, $peer:expr, $provider:ident, $what:expr) => {
        match $routed.networks.get_mut($routed.chosen[$peer]) {
            Some($provider) => $what,
            None => {
                let $provider = &mut $routed.shm;
                $what
            }
        }
    };
}

/// The provider of a rank that reaches some peers over a network. A rank that needs shared memory only uses that provider
/// itself.
pub struct RoutedProvider {
    shm: ShmProvider,
    networks: Vec<Box<dyn Provider>>,
    /// For each rank the place among the networks of the one that reaches it; past all of them for shared memory.
    chosen: Vec<usize>,
}

impl RoutedProvider {
    /// `chosen` says for each rank what reaches it: shared memory, or one of the networks.
    pub fn new(shm: ShmProvider, networks: Vec<(Interconnect, Box<dyn Provider>)>, chosen: &[Interconnect]) -> Self {
        let place_of = |chosen: &Interconnect| networks.iter().position(|(kind, _)| kind == chosen);
        let chosen = chosen.iter().map(|chosen| place_of(chosen).unwrap_or(networks.len())).collect();
        Self { shm, networks: networks.into_iter().map(|(_, provider)| provider).collect(), chosen }
    }

    fn of(&self, peer: Rank) -> &dyn Provider {
        self.networks.get(self.chosen[peer]).map_or(&self.shm, |network| &**network)
    }

    fn of_mut(&mut self, peer: Rank) -> &mut dyn Provider {
        match self.networks.get_mut(self.chosen[peer]) {
            Some(network) => &mut **network,
            None => &mut self.shm,
        }
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

    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).get(peer, get) }
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        // SAFETY: passed on.
        its!(self, key.peer, provider, unsafe { provider.put_eager(key, number, source, bytes) })
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        its!(self, peer, provider, provider.poll(peer, sink))
    }

    fn poll_once(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        its!(self, peer, provider, provider.poll_once(peer, sink))
    }

    fn prepare(&mut self, peer: Rank) {
        self.of_mut(peer).prepare(peer);
    }

    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool {
        // In turn, as the peers.
        let all = self.networks.len() + 1;
        (0..all).fold(false, |any, place| {
            let found = match self.networks.get_mut((first + place) % all) {
                Some(network) => network.poll_all(first, sink),
                None => self.shm.poll_all(first, sink),
            };
            any | found
        })
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).register(peer, owner, buffer) }
    }

    fn release(&mut self, owner: Handle) {
        self.shm.release(owner);
        self.networks.iter_mut().for_each(|network| network.release(owner));
    }

    fn notify(&mut self) {
        self.shm.notify();
        self.networks.iter_mut().for_each(|network| network.notify());
    }

    fn notify_soon(&mut self) {
        self.shm.notify_soon();
        self.networks.iter_mut().for_each(|network| network.notify_soon());
    }

    fn keeps_something(&self) -> bool {
        self.shm.keeps_something() || self.networks.iter().any(|network| network.keeps_something())
    }

    fn summon(&mut self, peer: Rank) {
        self.of_mut(peer).summon(peer);
    }

    fn capabilities(&self, peer: Rank) -> Capabilities {
        self.of(peer).capabilities(peer)
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.of(peer).check_alive(peer)
    }

    fn is_flushed(&self) -> bool {
        // Each of them, for who is asked does something for it.
        self.networks.iter().fold(self.shm.is_flushed(), |all, network| all & network.is_flushed())
    }

    fn take_news(&mut self) -> bool {
        self.networks.iter_mut().fold(self.shm.take_news(), |any, network| any | network.take_news())
    }

    fn counters(&self) -> ProviderCounters {
        // What is counted beside paths, only shared memory has.
        let mut counters = self.shm.counters();
        for network in &self.networks {
            counters.paths += network.counters().paths;
        }
        counters
    }
}
