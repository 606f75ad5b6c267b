//! Several providers as one: each peer by the one that was chosen for it.

use super::choice::Interconnect;
use super::shm::ShmProvider;
use super::tcp::TcpProvider;
use super::verbs::VerbsProvider;
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

/// An expression for each of the providers, which are known by their types here: most of these are asked in every look, and
/// have little to say.
macro_rules! each {
    ($routed:expr, $provider:ident, $what:expr) => {{
        {
            let $provider = &mut $routed.shm;
            $what;
        }
        if let Some($provider) = &mut $routed.verbs {
            $what;
        }
        if let Some($provider) = &mut $routed.tcp {
            $what;
        }
    }};
}

/// An expression for the provider of a peer, likewise.
macro_rules! its {
    ($routed:expr, $peer:expr, $provider:ident, $what:expr) => {
        match ($routed.chosen[$peer], &mut $routed.verbs, &mut $routed.tcp) {
            (Interconnect::Verbs, Some($provider), _) => $what,
            (Interconnect::Tcp, _, Some($provider)) => $what,
            _ => {
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
    verbs: Option<VerbsProvider>,
    tcp: Option<TcpProvider>,
    chosen: Vec<Interconnect>,
}

impl RoutedProvider {
    /// `chosen` says for each rank what reaches it; nothing else than what is given may be.
    pub fn new(
        shm: ShmProvider,
        verbs: Option<VerbsProvider>,
        tcp: Option<TcpProvider>,
        chosen: Vec<Interconnect>,
    ) -> Self {
        Self { shm, verbs, tcp, chosen }
    }

    fn of(&self, peer: Rank) -> &dyn Provider {
        match (self.chosen[peer], &self.verbs, &self.tcp) {
            (Interconnect::Verbs, Some(verbs), _) => verbs,
            (Interconnect::Tcp, _, Some(tcp)) => tcp,
            _ => &self.shm,
        }
    }

    fn of_mut(&mut self, peer: Rank) -> &mut dyn Provider {
        match (self.chosen[peer], &mut self.verbs, &mut self.tcp) {
            (Interconnect::Verbs, Some(verbs), _) => verbs,
            (Interconnect::Tcp, _, Some(tcp)) => tcp,
            _ => &mut self.shm,
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
        (0..3).fold(false, |any, place| {
            let found = match (first + place) % 3 {
                0 => self.shm.poll_all(first, sink),
                1 => self.verbs.as_mut().is_some_and(|verbs| verbs.poll_all(first, sink)),
                _ => self.tcp.as_mut().is_some_and(|tcp| tcp.poll_all(first, sink)),
            };
            any | found
        })
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        unsafe { self.of_mut(peer).register(peer, owner, buffer) }
    }

    fn release(&mut self, owner: Handle) {
        each!(self, provider, provider.release(owner));
    }

    fn notify(&mut self) {
        each!(self, provider, provider.notify());
    }

    fn notify_soon(&mut self) {
        each!(self, provider, provider.notify_soon());
    }

    fn keeps_something(&self) -> bool {
        self.shm.keeps_something()
            || self.verbs.as_ref().is_some_and(Provider::keeps_something)
            || self.tcp.as_ref().is_some_and(Provider::keeps_something)
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
        let (verbs, tcp) = (self.verbs.as_ref(), self.tcp.as_ref());
        // Each of them, for who is asked does something for it.
        self.shm.is_flushed() & verbs.is_none_or(Provider::is_flushed) & tcp.is_none_or(Provider::is_flushed)
    }

    fn take_news(&mut self) -> bool {
        let mut any = false;
        each!(self, provider, any |= provider.take_news());
        any
    }

    fn counters(&self) -> ProviderCounters {
        // What is counted beside paths, only shared memory has.
        let mut counters = self.shm.counters();
        for paths in [self.verbs.as_ref().map(Provider::counters), self.tcp.as_ref().map(Provider::counters)] {
            counters.paths += paths.map(|counters| counters.paths).unwrap_or_default();
        }
        counters
    }
}
