//! One side of an all-to-all exchange: its blocks, and what became of their messages.

use std::sync::Arc;

use crate::Rank;
use crate::engine::buffer::Buffer;
use crate::engine::completion::Completion;
use crate::engine::consumer_write::Envelope;
use crate::engine::ranges::SegmentNotices;
use crate::engine::segments::Coverage;
use crate::error::{Error, Result};
use crate::message::communicator::CommunicatorId;
use crate::message::communicator::group::Group;
use crate::message::matching::ALLTOALL_TAG;
use crate::message::request::Handle;

/// One side of an exchange.
pub(super) struct AllToAll {
    pub(super) communicator: CommunicatorId,
    pub(super) group: Arc<Group>,
    /// This process's rank in the communicator.
    pub(super) own_rank: Rank,
    /// Where the places of blocks are counted from; its count is none of theirs.
    pub(super) buffer: Buffer<'static>,
    pub(super) blocks: Blocks,
    pub(super) state: State,
    /// One for each rank.
    pub(super) parts: Vec<Part>,
    /// What the wait will say.
    pub(super) failure: Option<Box<Error>>,
}

/// The part of a buffer that one rank sends or is sent, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Where it begins, counted from the beginning of the buffer; it may lie before that.
    pub place: i64,
    /// How long it is.
    pub count: i64,
}

impl Block {
    /// Behind its last element.
    fn end(&self) -> i64 {
        self.place.saturating_add(self.count)
    }
}

/// The blocks of all ranks.
#[derive(Debug)]
pub(super) enum Blocks {
    /// So many elements each, one behind the other (MPI_Alltoall).
    Alike(i64),
    /// One for each rank (MPI_Alltoallv).
    Each(Vec<Block>),
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

    /// Where the block of a rank is.
    fn place(&self, rank: Rank) -> Block {
        match &self.blocks {
            // Inside of the whole buffer, whose length has been checked.
            Blocks::Alike(count) => Block { place: rank as i64 * count, count: *count },
            Blocks::Each(blocks) => blocks[rank],
        }
    }

    /// The block of a rank.
    pub(super) fn block(&self, rank: Rank) -> Buffer<'static> {
        let Block { place, count } = self.place(rank);
        // Both have been checked, but for the place of a block of no elements, which may be anywhere.
        let distance = place.wrapping_mul(self.buffer.datatype_bytes.cast_signed()) as isize;
        Buffer { address: self.buffer.address.wrapping_add_signed(distance), count, ..self.buffer }
    }

    /// Length of a rank's block in bytes.
    pub(super) fn block_bytes(&self, rank: Rank) -> u64 {
        self.place(rank).count.unsigned_abs() * self.buffer.datatype_bytes
    }

    /// Are the blocks inside of what can be memory?
    pub(super) fn check(&self) -> Result<()> {
        let invalid = |count| Error::InvalidCount { count, element_bytes: self.buffer.datatype_bytes };
        match &self.blocks {
            Blocks::Alike(count) => {
                let ranks = i64::try_from(self.ranks()).ok();
                let all = ranks.and_then(|ranks| count.checked_mul(ranks)).ok_or_else(|| invalid(*count))?;
                Buffer { count: all, ..self.buffer }.check_contiguous()?;
            }
            Blocks::Each(blocks) => {
                for (rank, block) in blocks.iter().enumerate().filter(|(_, block)| block.count != 0) {
                    let bytes = self.buffer.datatype_bytes.cast_signed();
                    let distance = block.place.checked_mul(bytes).and_then(|bytes| isize::try_from(bytes).ok());
                    let begins = distance.and_then(|distance| self.buffer.address.checked_add_signed(distance));
                    begins.ok_or_else(|| invalid(block.count))?;
                    block.place.checked_add(block.count).ok_or_else(|| invalid(block.count))?;
                    self.block(rank).check_contiguous()?;
                }
            }
        }
        Ok(())
    }

    /// Whom a block goes to, or comes from.
    pub(super) fn envelope(&self, rank: Rank) -> Envelope {
        let peer = self.group.world_rank(rank).unwrap_or(rank);
        Envelope { peer, communicator: self.communicator, tag: ALLTOALL_TAG }
    }

    /// Elements from the beginning of the buffer to the end of the last block.
    pub(super) fn elements(&self) -> i64 {
        match &self.blocks {
            Blocks::Alike(count) => count * self.ranks() as i64,
            Blocks::Each(blocks) => {
                let ends = blocks.iter().filter(|block| block.count > 0).map(Block::end);
                ends.max().unwrap_or(0).max(0)
            }
        }
    }

    /// [`AllToAll::elements`] in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.elements().unsigned_abs() * self.buffer.datatype_bytes
    }

    /// See [`crate::engine::transfer::Transfer::advances_with_message`].
    pub(super) fn advances_with_message(&self) -> bool {
        self.buffer.element_bytes == self.buffer.datatype_bytes
    }

    /// The parts of blocks (rank, first element, elements) that `count` elements from `offset` on consist of; without what
    /// belongs to no block. A count that is not positive, as that of a nest without iterations, means none.
    pub(super) fn pieces(&self, offset: i64, count: i64) -> Option<Vec<(Rank, i64, i64)>> {
        if count <= 0 {
            return Some(Vec::new());
        }
        let end = offset.checked_add(count).filter(|_| offset >= 0)?;
        let ranks = match &self.blocks {
            // Only those that are touched are looked at: there may be many.
            Blocks::Alike(block) if *block > 0 => {
                let first = Rank::try_from(offset / block).ok()?;
                let last = Rank::try_from((end - 1) / block).ok()?;
                first..last.saturating_add(1).min(self.ranks())
            }
            Blocks::Alike(_) => 0..0,
            Blocks::Each(blocks) => 0..blocks.len(),
        };
        let piece = |rank: Rank| {
            let block = self.place(rank);
            let (first, last) = (offset.max(block.place), end.min(block.end()));
            (first < last).then(|| (rank, first - block.place, last - first))
        };
        Some(ranks.filter_map(piece).collect())
    }

    /// The message that a rank has sent must be a block.
    fn check_length(&mut self, rank: Rank, completion: Completion) {
        if let Completion::Received { bytes, .. } = completion
            && bytes != self.block_bytes(rank)
        {
            let error = Error::BlocksDiffer { sent: bytes, expected: self.block_bytes(rank), source_rank: rank };
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
