//! What providers count, for `GRAVEL_STATS`. Always on: plain numbers, under the engine's lock.

use std::ops::AddAssign;

use crate::memory::counters::AdoptionCounters;
use crate::sys::tally::Tally;

/// The pieces of messages that this rank has moved, by the way that they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathCounters {
    /// Copied straight into pages that the consumer has adopted, or out of such pages of the producer.
    pub adopted: Tally,
    /// Those of them that were copied past the cache, in which their targets were not any more.
    pub past_cache: Tally,
    /// Written or read by the kernel (process_vm_writev, process_vm_readv).
    pub cma: Tally,
    /// Through the staging ring, or inside an entry of a ledger.
    pub staged: Tally,
    /// Handed to a TCP connection.
    pub tcp: Tally,
    /// Written by an RDMA device straight into the posted buffer.
    pub verbs_written: Tally,
    /// Read by an RDMA device straight out of the message.
    pub verbs_read: Tally,
    /// From this rank to itself.
    pub own: Tally,
}

impl AddAssign for PathCounters {
    fn add_assign(&mut self, other: Self) {
        self.adopted += other.adopted;
        self.past_cache += other.past_cache;
        self.cma += other.cma;
        self.staged += other.staged;
        self.tcp += other.tcp;
        self.verbs_written += other.verbs_written;
        self.verbs_read += other.verbs_read;
        self.own += other.own;
    }
}

/// Control messages and eager data, as an observed provider sees them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireCounters {
    /// Messages that left with their data, ahead of any handshake.
    pub eager_sent: Tally,
    /// Messages that came that way.
    pub eager_received: Tally,
    /// Messages that were copied, because their program waited before their handshake came, and offered for reading.
    pub spilled_sent: Tally,
    /// Messages that peers have offered that way.
    pub spilled_received: Tally,
    /// Puts into posted buffers.
    pub puts: Tally,
    /// Gets out of messages that peers have offered for reading.
    pub gets: Tally,
    /// Pieces that this rank copied into its own posted buffers.
    pub copied: Tally,
    /// Handshakes sent.
    pub handshakes_sent: u64,
    /// Handshakes that came.
    pub handshakes_received: u64,
    /// Announcements sent, except for eager data, which is its own.
    pub announcements_sent: u64,
    /// Announcements that came, with the same exception.
    pub announcements_received: u64,
    /// FINs sent, alone or with the last piece.
    pub fins_sent: u64,
    /// FINs that came.
    pub fins_received: u64,
    /// Receive buffers prepared for puts.
    pub registrations: Tally,
}

/// Everything that a provider counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderCounters {
    /// Pieces by path.
    pub paths: PathCounters,
    /// Peers woken.
    pub rings: u64,
    /// Adoption.
    pub adoption: AdoptionCounters,
    /// Control messages; zero unless the provider is observed.
    pub wire: WireCounters,
}
