//! How many receives have bytes under way that are not here before somebody reads them.

use crate::provider::Capabilities;

/// They are counted by who has to read.
#[derive(Default)]
pub(crate) struct Unread {
    /// Receives that are not complete and whose bytes need this side to poll.
    polled: usize,
    /// Likewise, whose bytes stay under way until they are read, which the pump does.
    pumped: usize,
}

impl Unread {
    /// A peer has been told where a receive of so many bytes is, or its message begins to arrive.
    #[inline(always)]
    pub(super) fn note(&mut self, peer: &Capabilities, bytes: u64) {
        self.polled += usize::from(peer.delivery_needs_polling);
        self.pumped += usize::from(bytes > peer.longest_unread);
    }

    /// Such a receive is over.
    #[inline(always)]
    pub(super) fn forget(&mut self, peer: &Capabilities, bytes: u64) {
        self.polled -= usize::from(peer.delivery_needs_polling);
        self.pumped -= usize::from(bytes > peer.longest_unread);
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
