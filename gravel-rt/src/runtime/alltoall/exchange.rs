//! One side of an all-to-all exchange: its blocks, and what became of their messages.

use std::sync::Arc;

use crate::Rank;
use crate::communicator::CommunicatorId;
use crate::communicator::group::Group;
use crate::error::{Error, Result};
use crate::matching::ALLTOALL_TAG;
use crate::protocol::completion::Completion;
use crate::protocol::consumer_write::Envelope;
use crate::protocol::ranges::SegmentNotices;
use crate::protocol::segments::Coverage;
use crate::request::Handle;
use crate::runtime::arguments::Buffer;

/// One side of an exchange.
pub(super) struct AllToAll {
    pub(super) communicator: CommunicatorId,
    pub(super) group: Arc<Group>,
    /// This process's rank in the communicator.
    pub(super) own_rank: Rank,
    /// The block of rank 0; the others follow.
    pub(super) first_block: Buffer,
    pub(super) block_bytes: u64,
    pub(super) state: State,
    /// One for each rank.
    pub(super) parts: Vec<Part>,
    /// What the wait will say.
    pub(super) failure: Option<Box<Error>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The receiving side.
    Posted(SegmentNotices),
    /// The sending side, which may be put into.
    Open,
    /// The sending side, which waits.
    Ended,
}

/// One rank's block.
#[derive(Debug)]
pub(super) enum Part {
    /// Nothing of it has been put, and the engine does not know it yet.
    Unopened,
    /// An open transfer, and what was put of it.
    Open(Handle, Coverage),
    /// A request; null where it is over.
    Pending(Handle),
}

impl AllToAll {
    /// Number of ranks.
    pub(super) fn ranks(&self) -> Rank {
        self.group.size()
    }

    /// The block of a rank.
    pub(super) fn block(&self, rank: Rank) -> Buffer {
        // Inside of the whole buffer, whose length has been checked.
        Buffer { address: self.first_block.address + rank * self.block_bytes as usize, ..self.first_block }
    }

    /// Whom a block goes to, or comes from.
    pub(super) fn envelope(&self, rank: Rank) -> Envelope {
        let peer = self.group.world_rank(rank).unwrap_or(rank);
        Envelope { peer, communicator: self.communicator, tag: ALLTOALL_TAG }
    }

    /// Length of all blocks in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.block_bytes * self.ranks() as u64
    }

    /// See [`crate::protocol::transfer::Transfer::advances_with_message`].
    pub(super) fn advances_with_message(&self) -> bool {
        self.first_block.element_bytes == self.first_block.datatype_bytes
    }

    /// The parts of blocks (rank, first element, elements) that `count` elements from `offset` on consist of; without what
    /// lies behind the last block. A count that is not positive, as that of a nest without iterations, means none.
    pub(super) fn pieces(&self, offset: i64, count: i64) -> Option<Vec<(Rank, i64, i64)>> {
        if count <= 0 {
            return Some(Vec::new());
        }
        let block = self.first_block.count;
        let end = offset.checked_add(count).filter(|_| offset >= 0)?;
        let elements = block.saturating_mul(i64::try_from(self.ranks()).ok()?);
        let (mut first, end) = (offset, end.min(elements));
        let mut found = Vec::new();
        while first < end {
            let (rank, start) = (first / block, first % block);
            let length = (block - start).min(end - first);
            found.push((Rank::try_from(rank).ok()?, start, length));
            first += length;
        }
        Some(found)
    }

    /// The message that a rank has sent must be a block.
    fn check_length(&mut self, rank: Rank, completion: Completion) {
        if let Completion::Received { bytes, .. } = completion
            && bytes != self.block_bytes
        {
            let error = Error::BlocksDiffer { sent: bytes, expected: self.block_bytes, source_rank: rank };
            self.failure.get_or_insert(error.into());
        }
    }

    /// A message has ended.
    pub(super) fn complete(&mut self, rank: Rank, result: Result<Completion>) {
        self.parts[rank] = Part::Pending(Handle::NULL);
        match result {
            Ok(completion) => self.check_length(rank, completion),
            Err(error) => {
                self.failure.get_or_insert(error);
            }
        }
    }

    /// The requests of the messages that have not ended, with their ranks.
    pub(super) fn pending(&self) -> Vec<(Rank, Handle)> {
        let request = |(rank, part): (Rank, &Part)| match part {
            Part::Pending(request) if !request.is_null() => Some((rank, *request)),
            _ => None,
        };
        self.parts.iter().enumerate().filter_map(request).collect()
    }
}
