//! How many receives have bytes under way that are not here before somebody reads them.

use crate::Rank;
use crate::provider::Provider;

/// They are counted by who has to read.
pub(crate) struct Unread {
    /// Receives that are not complete and whose bytes need this side to poll.
    polled: usize,
    /// Likewise, whose bytes stay under way until they are read, which the pump does.
    pumped: usize,
    /// For each peer, whether its receives count as polled ones.
    needs_polling: Vec<bool>,
    /// And the length in bytes beyond which they count as pumped ones.
    longest_unread: Vec<u64>,
}

impl Unread {
    /// Nothing, in a job of so many ranks.
    pub(super) fn new(ranks: Rank, provider: &dyn Provider) -> Self {
        let needs_polling = (0..ranks).map(|peer| provider.delivery_needs_polling(peer)).collect();
        let longest_unread = (0..ranks).map(|peer| provider.longest_unread(peer)).collect();
        Self { polled: 0, pumped: 0, needs_polling, longest_unread }
    }

    /// A peer has been told where a receive of so many bytes is, or its message begins to arrive.
    #[inline(always)]
    pub(super) fn note(&mut self, peer: Rank, bytes: u64) {
        self.polled += usize::from(self.needs_polling[peer]);
        self.pumped += usize::from(bytes > self.longest_unread[peer]);
    }

    /// Such a receive is over.
    #[inline(always)]
    pub(super) fn forget(&mut self, peer: Rank, bytes: u64) {
        self.polled -= usize::from(self.needs_polling[peer]);
        self.pumped -= usize::from(bytes > self.longest_unread[peer]);
    }

    /// Receives that need this side to poll.
    #[inline(always)]
    pub(super) fn polled(&self) -> usize {
        self.polled
    }

    /// Receives that the pump reads.
    #[inline(always)]
    pub(super) fn pumped(&self) -> usize {
        self.pumped
    }
}
