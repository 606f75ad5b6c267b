//! The state of one rank and how it advances: what both the application's thread and the helper thread work on, under
//! one lock. Nothing here sleeps or calls MPI.

use std::collections::VecDeque;

use crate::Rank;
use crate::communicator::{CommunicatorId, Groups};
use crate::ledger::Entry;
use crate::log;
use crate::matching::{KeyMap, MatchKey, Matcher};
use crate::protocol::eager::ReceiveOrder;
use crate::protocol::transfer::{Fin, Operation, Receive, RemoteBuffer};
use crate::protocol::wire::{Control, FinStatus, Ledger};
use crate::provider::{Provider, Sink};
use crate::request::{Handle, Table};

/// One rank's operations in flight, and the provider that moves their bytes.
pub struct Engine {
    /// This rank.
    pub(crate) rank: Rank,
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) state: State,
}

/// Everything but the provider, so that the provider can be polled into it.
pub(crate) struct State {
    pub(crate) operations: Table<Operation>,
    /// The processes of communicators.
    pub(crate) groups: Groups,
    /// Transfers that wait for a handshake, and handshakes that wait for a transfer.
    pub(crate) matcher: Matcher<Handle, RemoteBuffer>,
    /// Receives in order of posting, and eager data that came before them.
    pub(crate) receives: KeyMap<ReceiveOrder>,
    /// Transfers that met a handshake in the last poll.
    pub(crate) met: VecDeque<(Handle, RemoteBuffer)>,
    /// Transfers with a handshake and something left to deliver.
    pub(crate) ready: VecDeque<Handle>,
    /// Entries that found their ledger full, per peer.
    backlog: Vec<Backlog>,
    /// Number of entries in all backlogs.
    backlogged: usize,
    /// Transfers that have something queued.
    pub(crate) deferred_transfers: usize,
    /// Receives that are not complete and whose bytes need this side to poll.
    pub(crate) polled_receives: usize,
    /// For each peer, whether its receives count as above.
    needs_polling: Vec<bool>,
}

#[derive(Default)]
struct Backlog {
    handshakes: VecDeque<Entry>,
    fins: VecDeque<Entry>,
}

impl Backlog {
    fn ledger(&mut self, ledger: Ledger) -> &mut VecDeque<Entry> {
        match ledger {
            Ledger::Handshake => &mut self.handshakes,
            Ledger::Fin => &mut self.fins,
        }
    }
}

impl Engine {
    /// The engine of `rank` in a job of `ranks`, all of which the provider reaches.
    pub fn new(rank: Rank, ranks: Rank, provider: Box<dyn Provider>) -> Self {
        let needs_polling = (0..ranks).map(|peer| provider.delivery_needs_polling(peer)).collect();
        let state = State {
            operations: Table::default(),
            groups: Groups::default(),
            matcher: Matcher::default(),
            receives: KeyMap::default(),
            met: VecDeque::new(),
            ready: VecDeque::new(),
            backlog: (0..ranks).map(|_| Backlog::default()).collect(),
            backlogged: 0,
            deferred_transfers: 0,
            polled_receives: 0,
            needs_polling,
        };
        Self { rank, provider, state }
    }

    /// Takes what peers have written and delivers what can be delivered, putting at most `budget` bytes. True if more
    /// than the budget was ready.
    pub fn progress(&mut self, budget: u64) -> bool {
        for peer in 0..self.state.backlog.len() {
            self.provider.poll(peer, &mut self.state);
        }
        self.advance(budget)
    }

    /// As [`Engine::progress`], looking at one peer only: the short path of waits and posts.
    pub fn progress_peer(&mut self, peer: Rank) {
        if self.provider.poll(peer, &mut self.state) {
            self.advance(u64::MAX);
        }
    }

    fn advance(&mut self, mut budget: u64) -> bool {
        if self.state.backlogged > 0 {
            self.flush_backlog();
        }
        while let Some((handle, target)) = self.state.met.pop_front() {
            self.bind(handle, target);
        }
        // Each transfer that is ready now is tried once; those that stay ready wait for room at their peer.
        for _ in 0..self.state.ready.len() {
            let Some(handle) = self.state.ready.pop_front() else {
                break;
            };
            if self.deliver(handle, &mut budget) {
                if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) {
                    transfer.ready = false;
                }
            } else {
                self.state.ready.push_back(handle);
            }
        }
        self.provider.notify();
        budget == 0
    }

    /// Sends a control message, now or as soon as the ledger has room. Messages of one ledger keep their order.
    pub(crate) fn send(&mut self, peer: Rank, control: Control) {
        self.send_entry(peer, control.ledger(), control.encode());
    }

    /// Sends an entry as it is.
    pub(crate) fn send_entry(&mut self, peer: Rank, ledger: Ledger, entry: Entry) {
        let backlog = self.state.backlog[peer].ledger(ledger);
        if !backlog.is_empty() || !self.provider.post(peer, ledger, &entry) {
            backlog.push_back(entry);
            self.state.backlogged += 1;
        }
    }

    fn flush_backlog(&mut self) {
        for (peer, backlog) in self.state.backlog.iter_mut().enumerate() {
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                let queue = backlog.ledger(ledger);
                while let Some(entry) = queue.front() {
                    if !self.provider.post(peer, ledger, entry) {
                        break;
                    }
                    queue.pop_front();
                    self.state.backlogged -= 1;
                }
            }
        }
    }

    /// Forgets all about the communicators that are not attached any more, unless operations on them are in flight. Their
    /// numbers never come back: what might still arrive for them meets nothing.
    pub(crate) fn forget_communicators(&mut self, is_attached: impl Fn(CommunicatorId) -> bool) {
        let state = &mut self.state;
        let is_used = |id| state.operations.values().any(|operation| operation.communicator() == Some(id));
        for freed in state.groups.retain(|id| is_attached(id) || is_used(id)) {
            state.matcher.forget(freed);
            state.receives.forget(freed);
        }
    }

    /// Whether anything would have to happen while the application is elsewhere.
    pub fn has_deferred_work(&self) -> bool {
        self.state.backlogged > 0 || self.state.deferred_transfers > 0 || self.state.polled_receives > 0
    }

    /// Whether everything that has a handshake is on its way.
    pub fn is_flushed(&self) -> bool {
        self.state.backlogged == 0 && self.state.ready.is_empty()
    }
}

impl State {
    /// Whether bytes from this peer need this side to poll.
    pub(crate) fn is_polled(&self, peer: Rank) -> bool {
        self.needs_polling[peer]
    }

    /// A receive that is over, and has not been so before, needs no polling any more and leaves the order.
    pub(crate) fn close_receive(&mut self, receive: &Receive) {
        self.polled_receives -= usize::from(receive.announced && self.is_polled(receive.peer));
        self.receives.entry(receive.key()).close(receive.number);
    }

    /// Ends a receive by its FIN.
    fn finish_receive(&mut self, peer: Rank, request: Handle, fin: Fin) {
        match self.operations.get_mut(request) {
            Some(Operation::Receive(receive)) if receive.peer == peer && receive.fin.is_none() => {
                receive.fin = Some(fin);
                let receive = *receive;
                self.close_receive(&receive);
            }
            _ => log::error!("rank {peer} ended a message for a receive that is not posted: internal error"),
        }
    }

    /// Ends a receive, which has left the order of its key already, by its eager data.
    pub(crate) fn finish_eagerly(&mut self, request: Handle, bytes: &[u8]) {
        let Some(Operation::Receive(receive)) = self.operations.get_mut(request) else { return };
        let length = bytes.len() as u64;
        let status = if length <= receive.bytes {
            let target: *mut u8 = std::ptr::with_exposed_provenance_mut(receive.address);
            // SAFETY: inside the posted buffer, as just checked, which belongs to the runtime until its wait.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
            FinStatus::Delivered
        } else {
            FinStatus::Truncated
        };
        receive.fin = Some(Fin { status, bytes: length });
        let (announced, peer) = (receive.announced, receive.peer);
        self.polled_receives -= usize::from(announced && self.is_polled(peer));
    }
}

impl Sink for State {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        match Control::decode(entry) {
            Ok(Control::Handshake { communicator, tag, number, buffer }) => {
                let key = MatchKey { peer, communicator, tag };
                if let Some(met) = self.matcher.arrive(key, number, buffer) {
                    self.met.push_back(met);
                }
            }
            Ok(Control::Fin { request, fin }) => self.finish_receive(peer, request, fin),
            Err(error) => log::error!("from rank {peer}: {error}"),
        }
    }

    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        if let Some(request) = self.receives.entry(key).arrive(number, bytes) {
            self.finish_eagerly(request, bytes);
        }
    }

    fn data(&mut self, peer: Rank, request: Handle, offset: u64, bytes: &[u8]) {
        let inside = |receive: &Receive| {
            receive.peer == peer && offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= receive.bytes)
        };
        match self.operations.get(request) {
            Some(Operation::Receive(receive)) if receive.fin.is_none() && inside(receive) => {
                let target: *mut u8 = std::ptr::with_exposed_provenance_mut(receive.address + offset as usize);
                // SAFETY: inside the posted buffer, as just checked, which belongs to the runtime until its wait.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
            }
            _ => log::error!("rank {peer} sent bytes for a receive that is not posted: internal error"),
        }
    }
}
