//! The receiving side of an all-to-all exchange: block by block, or part by part, while they arrive.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use super::blocks::{Block, Blocks, Divided};
use super::{Call, whole};
use crate::Rank;
use crate::api::Element;
use crate::api::matching::Peer;
use crate::api::post::Poster;
use crate::api::segmented_receive::{Part, SegmentedReceive};
use crate::error::Result;

/// The blocks that this rank receives in an exchange.
///
/// Made by [`Scope::post_alltoall`](crate::Scope::post_alltoall).
#[must_use = "an exchange is to be waited for"]
pub struct AllToAllReceive<'scope, T: Element> {
    divided: Divided<T>,
    /// Those that were not lent, or not completely, by rank.
    blocks: VecDeque<Awaited<'scope, T>>,
}

struct Awaited<'scope, T: Element> {
    rank: Rank,
    offset: usize,
    receive: SegmentedReceive<'scope, &'scope mut [T]>,
}

impl<'scope, T: Element> Awaited<'scope, T> {
    /// Whether all of it was lent part by part.
    fn is_lent(&self) -> bool {
        self.receive.lent() > 0 && self.receive.lent() == self.receive.len()
    }

    fn wait(self) -> Result<&'scope mut [T]> {
        whole(self.receive.wait()?, self.rank)
    }
}

impl<'scope, T: Element> AllToAllReceive<'scope, T> {
    pub(super) fn new(
        poster: &Poster<'scope, &'scope mut [T]>,
        buffer: &'scope mut [T],
        blocks: &Blocks,
    ) -> Result<Self> {
        let (divided, parts) = Divided::new(buffer, blocks);
        let post = |Block { rank, offset, elements }| {
            let receive = poster.segmented_receive(elements, Peer::Rank(rank), Call::AllToAll.tag())?;
            Ok(Awaited { rank, offset, receive })
        };
        let blocks = parts.into_iter().map(post).collect::<Result<_>>();
        Ok(Self { divided, blocks: blocks.map_err(|error| Call::AllToAll.failed(error))? })
    }

    /// Blocks until the block of the next rank is there, and lends it: in the order of ranks, and nothing behind the last.
    /// Of a block of which parts were lent it is the rest.
    ///
    /// # Errors
    /// If the block has failed or is of another length.
    pub fn next_block(&mut self) -> Result<Option<IncomingBlock<'_, T>>> {
        self.drop_lent()?;
        let Some(block) = self.blocks.pop_front() else { return Ok(None) };
        let (rank, offset, lent) = (block.rank, block.offset, block.receive.lent());
        let elements = block.wait().map_err(|error| Call::AllToAll.failed(error))?;
        // Lent for as long as this receive is borrowed: nobody else gives it away.
        Ok(Some(IncomingBlock { rank, offset: offset + lent, elements: &mut elements[lent..] }))
    }

    /// Blocks until the next `length` elements are there, fewer at the end of a block, and lends them; nothing behind the last
    /// block. A length of no elements is one of one element.
    ///
    /// # Errors
    /// If the block has failed or is of another length.
    pub fn next_part(&mut self, length: usize) -> Result<Option<IncomingPart<'_, T>>> {
        self.drop_lent()?;
        while self.blocks.front().is_some_and(|block| block.receive.is_empty()) {
            self.next_block()?;
        }
        let Some(Awaited { rank, offset, receive }) = self.blocks.front_mut() else { return Ok(None) };
        let part = receive.next_part(length).map_err(|error| Call::AllToAll.failed(error))?;
        Ok(part.map(|part| IncomingPart { rank: *rank, offset: *offset + part.offset(), part }))
    }

    /// Blocks until the blocks are there that hold the first `elements` elements of the buffer, and lends all elements to be read
    /// that are there then: from the buffer's first one on, up to the block that is not waited for. What lies behind the last block
    /// comes from nobody, and is there with it.
    ///
    /// # Errors
    /// If a block has failed or is of another length.
    pub fn wait_for(&mut self, elements: usize) -> Result<&[T]> {
        let wanted = elements.min(self.divided.len());
        while self.arrived() < wanted
            && let Some(block) = self.blocks.pop_front()
        {
            block.wait().map_err(|error| Call::AllToAll.failed(error))?;
        }
        // SAFETY: borrowed for 'scope where the exchange was posted. The blocks up to there have come, and nobody has them any more: those
        // that were lent were lent for as long as this receive was borrowed, and the others were dropped when they had come.
        Ok(unsafe { self.divided.beginning(self.arrived()) })
    }

    /// Where the first block begins that was not waited for.
    fn arrived(&self) -> usize {
        self.blocks.front().map_or(self.divided.len(), |block| block.offset)
    }

    /// How many elements make a part of the next block that is worth a wait of its own: [`SegmentedReceive::tile_length`].
    ///
    /// # Errors
    /// As there.
    pub fn tile_length(&self, multiple: usize) -> Result<usize> {
        self.blocks.front().map_or(Ok(1), |block| block.receive.tile_length(multiple))
    }

    /// Blocks until all blocks are there, and gives the buffer back.
    ///
    /// # Errors
    /// If a block has failed or is of another length; the first such error, when all blocks are over.
    pub fn wait(self) -> Result<&'scope mut [T]> {
        let Self { divided, blocks } = self;
        let outcomes: Vec<Result<()>> = blocks.into_iter().map(|block| block.wait().map(drop)).collect();
        outcomes.into_iter().collect::<Result<()>>().map_err(|error| Call::AllToAll.failed(error))?;
        // SAFETY: borrowed for 'scope where the exchange was posted. Every block has come; those that were lent were lent
        // for as long as this receive was borrowed, and the others were dropped just now.
        Ok(unsafe { divided.join() })
    }

    /// Ends a block that was lent part by part.
    fn drop_lent(&mut self) -> Result<()> {
        if self.blocks.front().is_some_and(Awaited::is_lent)
            && let Some(block) = self.blocks.pop_front()
        {
            block.wait().map_err(|error| Call::AllToAll.failed(error))?;
        }
        Ok(())
    }
}

/// The block of one rank, which has arrived: its elements.
#[derive(Debug)]
pub struct IncomingBlock<'r, T> {
    rank: Rank,
    offset: usize,
    elements: &'r mut [T],
}

impl<T> IncomingBlock<'_, T> {
    /// Who has sent it.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The buffer's element that it begins with.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<T> Deref for IncomingBlock<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T> DerefMut for IncomingBlock<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}

/// A part of the block of one rank, which has arrived: its elements.
#[derive(Debug)]
pub struct IncomingPart<'r, T> {
    rank: Rank,
    offset: usize,
    part: Part<'r, T>,
}

impl<T> IncomingPart<'_, T> {
    /// Who has sent it.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The buffer's element that it begins with.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<T> Deref for IncomingPart<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.part
    }
}

impl<T> DerefMut for IncomingPart<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.part
    }
}
