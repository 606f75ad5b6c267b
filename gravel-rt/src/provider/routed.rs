//! Several providers as one: each peer by the one that was chosen for it.

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

/// A provider to which others can be joined: any that has a type of its own.
pub trait Joinable: Provider {
    /// One provider of this one and the others. `chosen` has for each rank the place among the others of the one that reaches
    /// it, past all of them for this one.
    fn joined(self: Box<Self>, others: Vec<Box<dyn Provider>>, chosen: Vec<usize>) -> Box<dyn Provider>;
}

impl<P: Provider + 'static> Joinable for P {
    fn joined(self: Box<Self>, others: Vec<Box<dyn Provider>>, chosen: Vec<usize>) -> Box<dyn Provider> {
        Box::new(RoutedProvider { first: *self, others, chosen })
    }
}

/// An expression for the provider of a peer. The first one is known by its type: it is asked in every look, and has little
/// to say.
macro_rules! its {
    ($routed:expr, $peer:expr, $provider:ident, $what:expr) => {
        match $routed.others.get_mut($routed.chosen[$peer]) {
            Some($provider) => $what,
            None => {
                let $provider = &mut $routed.first;
                $what
            }
        }
    };
}

/// The provider of a rank that reaches its peers over several interconnects. A rank that needs one only, as most do shared
/// memory, uses that provider itself.
pub struct RoutedProvider<First> {
    /// The provider of the best interconnect.
    first: First,
    others: Vec<Box<dyn Provider>>,
    /// For each rank the place among the others of the one that reaches it; past all of them for the first.
    chosen: Vec<usize>,
}

impl<First: Provider> RoutedProvider<First> {
    fn of(&self, peer: Rank) -> &dyn Provider {
        self.others.get(self.chosen[peer]).map_or(&self.first, |other| &**other)
    }

    fn of_mut(&mut self, peer: Rank) -> &mut dyn Provider {
        match self.others.get_mut(self.chosen[peer]) {
            Some(other) => &mut **other,
            None => &mut self.first,
        }
    }
}

impl<First: Provider> Provider for RoutedProvider<First> {
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
        let all = self.others.len() + 1;
        (0..all).fold(false, |any, place| {
            let found = match self.others.get_mut((first + place) % all) {
                Some(other) => other.poll_all(first, sink),
                None => self.first.poll_all(first, sink),
            };
            any | found
        })
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).register(peer, owner, buffer) }
    }

    fn release(&mut self, owner: Handle) {
        self.first.release(owner);
        self.others.iter_mut().for_each(|other| other.release(owner));
    }

    fn notify(&mut self) {
        self.first.notify();
        self.others.iter_mut().for_each(|other| other.notify());
    }

    fn notify_soon(&mut self) {
        self.first.notify_soon();
        self.others.iter_mut().for_each(|other| other.notify_soon());
    }

    fn keeps_something(&self) -> bool {
        self.first.keeps_something() || self.others.iter().any(|other| other.keeps_something())
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
        self.others.iter().fold(self.first.is_flushed(), |all, other| all & other.is_flushed())
    }

    fn take_news(&mut self) -> bool {
        self.others.iter_mut().fold(self.first.take_news(), |any, other| any | other.take_news())
    }

    fn counters(&self) -> ProviderCounters {
        let mut counters = self.first.counters();
        self.others.iter().for_each(|other| counters += other.counters());
        counters
    }
}
