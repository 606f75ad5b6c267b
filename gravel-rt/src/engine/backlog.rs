//! Control messages that have found their ledger full: sent before all others of it, as soon as there is room.

use std::collections::VecDeque;

use super::Engine;
use crate::Rank;
use crate::message::ledger::Entry;
use crate::message::wire::{Control, Ledger};

/// What waits for room, for all peers.
pub(crate) struct Backlogs {
    /// By peer.
    waiting: Vec<Backlog>,
    /// Number of entries in all of them.
    count: usize,
    /// For each peer, whether its helper is to be summoned once what is in the backlog has left.
    summons_due: Vec<bool>,
}

#[derive(Default)]
struct Backlog {
    handshakes: VecDeque<Entry>,
    fins: VecDeque<Entry>,
}

impl Backlog {
    fn is_empty(&self) -> bool {
        self.handshakes.is_empty() && self.fins.is_empty()
    }

    fn ledger(&mut self, ledger: Ledger) -> &mut VecDeque<Entry> {
        match ledger {
            Ledger::Handshake => &mut self.handshakes,
            Ledger::Fin => &mut self.fins,
        }
    }
}

impl Backlogs {
    /// Nothing, in a job of so many ranks.
    pub(super) fn new(ranks: Rank) -> Self {
        let waiting = (0..ranks).map(|_| Backlog::default()).collect();
        Self { waiting, count: 0, summons_due: vec![false; ranks] }
    }

    /// Number of ranks of the job.
    #[inline(always)]
    pub(super) fn ranks(&self) -> Rank {
        self.waiting.len()
    }

    /// Number of entries that wait.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl Engine {
    /// Sends a control message, now or as soon as the ledger has room. Messages of one ledger keep their order.
    pub(crate) fn send(&mut self, peer: Rank, control: Control) {
        self.send_entry(peer, control.ledger(), control.encode());
    }

    /// Sends an entry as it is.
    pub(crate) fn send_entry(&mut self, peer: Rank, ledger: Ledger, entry: Entry) {
        let Backlogs { waiting, count, .. } = &mut self.state.backlogs;
        let queue = waiting[peer].ledger(ledger);
        if !queue.is_empty() || !self.provider.post(peer, ledger, &entry) {
            queue.push_back(entry);
            *count += 1;
        }
    }

    /// Wakes a peer's helper for what has been posted, whatever the application does there: also once more for what has found
    /// no room yet. Nobody waits for this process but itself.
    pub(crate) fn summon(&mut self, peer: Rank) {
        if peer == self.rank {
            return;
        }
        let Backlogs { waiting, summons_due, .. } = &mut self.state.backlogs;
        summons_due[peer] = !waiting[peer].is_empty();
        self.provider.summon(peer);
    }

    #[inline(always)]
    pub(super) fn flush_backlog(&mut self) {
        if self.state.backlogs.count > 0 {
            self.post_backlog();
        }
    }

    fn post_backlog(&mut self) {
        let Backlogs { waiting, count, summons_due } = &mut self.state.backlogs;
        for (peer, backlog) in waiting.iter_mut().enumerate() {
            let mut any = false;
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                let queue = backlog.ledger(ledger);
                while let Some(entry) = queue.front() {
                    if !self.provider.post(peer, ledger, entry) {
                        break;
                    }
                    queue.pop_front();
                    *count -= 1;
                    any = true;
                }
            }
            // A withdrawal, or what a synchronous send waits for, may be among them, or behind what still has to be read there.
            if any && (self.state.withdrawing_receives > 0 || summons_due[peer]) {
                summons_due[peer] = !backlog.is_empty();
                self.provider.summon(peer);
            }
        }
    }
}
