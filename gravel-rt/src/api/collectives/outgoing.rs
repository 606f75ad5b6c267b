//! The sending side of an all-to-all exchange: block by block, while they are computed.

use std::ops::{Deref, DerefMut};

use super::Call;
use super::blocks::{Block, Blocks, Divided};
use crate::Rank;
use crate::api::Element;
use crate::api::matching::Peer;
use crate::api::post::Poster;
use crate::api::send::SendRequest;
use crate::api::transfer::{Tile, Transfer};
use crate::error::{Error, Result};

/// The blocks that this rank sends in an exchange, to be filled and put one after the other.
///
/// Made by [`Scope::open_alltoall`](crate::Scope::open_alltoall). Dropped, it gives up the blocks that were not put: their
/// ranks get an error in the blocks' place.
#[must_use = "an exchange is to be finished; all ranks wait for that"]
pub struct AllToAllTransfer<'scope, T: Element> {
    divided: Divided<T>,
    /// The blocks that were not lent, by rank. All are open from the beginning: messages keep the order in which exchanges were
    /// opened, whichever is filled first. Dropped, they are given up.
    rest: std::vec::IntoIter<Open<'scope, T>>,
    sends: Vec<SendRequest<'scope, &'scope mut [T]>>,
    /// A block that was lent and not put.
    missing: Option<(Rank, usize)>,
    own: Rank,
}

/// A block that is open.
struct Open<'scope, T: Element> {
    rank: Rank,
    offset: usize,
    transfer: Transfer<'scope, &'scope mut [T]>,
}

impl<'scope, T: Element> AllToAllTransfer<'scope, T> {
    pub(super) fn new(
        poster: &Poster<'scope, &'scope mut [T]>,
        buffer: &'scope mut [T],
        blocks: &Blocks,
    ) -> Result<Self> {
        let (divided, parts) = Divided::new(buffer, blocks);
        let open = |Block { rank, offset, elements }| {
            let transfer = poster.transfer(elements, Peer::Rank(rank), Call::AllToAll.tag())?;
            Ok(Open { rank, offset, transfer })
        };
        let opened: Result<Vec<_>> = parts.into_iter().map(open).collect();
        let rest = opened.map_err(|error| Call::AllToAll.failed(error))?.into_iter();
        Ok(Self { divided, rest, sends: Vec::new(), missing: None, own: poster.gravel.rank() })
    }

    /// Lends the block of the next rank, in the order of ranks; nothing behind the last. Does not block.
    ///
    /// # Errors
    /// None today: the signature leaves room for a runtime that opens blocks one by one.
    pub fn next_block(&mut self) -> Result<Option<OutgoingBlock<'_, 'scope, T>>> {
        if self.missing.is_some() {
            // Said by the end.
            return Ok(None);
        }
        let Some(Open { rank, offset, transfer }) = self.rest.next() else { return Ok(None) };
        self.missing = Some((rank, transfer.rest().len()));
        let Self { sends, missing, .. } = self;
        Ok(Some(OutgoingBlock { transfer, rank, offset, sends, missing }))
    }

    /// Ends this side of the exchange. Blocks that were never lent are sent as they are. Does not block.
    ///
    /// # Errors
    /// [`Error::IncompleteMessage`] if a block that was lent was not put. Its rank gets an error, too.
    pub fn finish(self) -> Result<AllToAllSend<'scope, T>> {
        let Self { divided, rest, mut sends, missing, own } = self;
        if let Some((peer, elements)) = missing {
            let bytes = (elements * size_of::<T>()) as u64;
            let error = Error::IncompleteMessage { covered: 0, bytes, peer, tag: Call::AllToAll.tag() };
            return Err(Call::AllToAll.failed(error.into()));
        }
        let mut open: Vec<_> = rest.collect();
        let ranks = sends.len() + open.len();
        open.sort_by_key(|block| place_in_turn(block.rank, own, ranks));
        for Open { transfer, .. } in open {
            sends.push(transfer.finish().map_err(|error| Call::AllToAll.failed(error))?);
        }
        Ok(AllToAllSend { sends, divided })
    }
}

/// Every rank begins with another one, so that not all send to the same; the own block, which is copied, comes last.
fn place_in_turn(rank: Rank, own: Rank, ranks: Rank) -> usize {
    (rank + ranks - own - 1) % ranks
}

/// The block for one rank. Lends its elements that were not put yet: at first all of them.
#[must_use = "an exchange is complete only if all its blocks are put"]
pub struct OutgoingBlock<'t, 'scope, T: Element> {
    transfer: Transfer<'scope, &'scope mut [T]>,
    rank: Rank,
    offset: usize,
    sends: &'t mut Vec<SendRequest<'scope, &'scope mut [T]>>,
    missing: &'t mut Option<(Rank, usize)>,
}

impl<T: Element> OutgoingBlock<'_, '_, T> {
    /// Whose block it is.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The buffer's element that the block begins with.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// How many elements make a tile of the block that is worth a put of its own: [`Transfer::tile_length`].
    ///
    /// # Errors
    /// As there.
    pub fn tile_length(&self, multiple: usize) -> Result<usize> {
        self.transfer.tile_length(multiple)
    }

    /// Lends the next tile of the block: [`Transfer::next_tile`]. Its offset is counted from the block's beginning.
    pub fn next_tile(&mut self, length: usize) -> Option<Tile<'_, T>> {
        self.transfer.next_tile(length)
    }

    /// Puts the block, or what is left of it. Does not block.
    ///
    /// # Errors
    /// [`Error::IncompleteMessage`] if a tile that was lent was not put. The rank gets an error, too.
    pub fn put(self) -> Result<()> {
        self.sends.push(self.transfer.finish().map_err(|error| Call::AllToAll.failed(error))?);
        *self.missing = None;
        Ok(())
    }
}

impl<T: Element> Deref for OutgoingBlock<'_, '_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.transfer.rest()
    }
}

impl<T: Element> DerefMut for OutgoingBlock<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.transfer.parts().1
    }
}

/// The sending side of an exchange, on its way.
#[must_use = "a send is to be waited for"]
pub struct AllToAllSend<'scope, T: Element> {
    sends: Vec<SendRequest<'scope, &'scope mut [T]>>,
    divided: Divided<T>,
}

impl<'scope, T: Element> AllToAllSend<'scope, T> {
    /// Gives the buffer back when all of it may be written again.
    ///
    /// # Errors
    /// As [`SendRequest::wait`], when all blocks are over; the first error.
    pub fn wait(self) -> Result<&'scope mut [T]> {
        let Self { sends, divided } = self;
        let outcomes: Vec<Result<_>> = sends.into_iter().map(|send| send.wait().map(drop)).collect();
        outcomes.into_iter().collect::<Result<()>>().map_err(|error| Call::AllToAll.failed(error))?;
        // SAFETY: borrowed for 'scope where the exchange was opened. Every block was sent, and its memory dropped just now.
        Ok(unsafe { divided.join() })
    }
}

/// The sending side of an exchange whose blocks were complete when it began.
///
/// Made by [`Scope::send_alltoall`](crate::Scope::send_alltoall). Dropped, the blocks are delivered all the same.
#[must_use = "a send is to be waited for"]
pub struct AllToAllSendRequest<'scope, T: Element> {
    sends: Vec<SendRequest<'scope, &'scope [T]>>,
    buffer: &'scope [T],
}

impl<'scope, T: Element> AllToAllSendRequest<'scope, T> {
    pub(super) fn new(poster: &Poster<'scope, &'scope [T]>, buffer: &'scope [T], blocks: &Blocks) -> Result<Self> {
        let (own, ranks) = (poster.gravel.rank(), poster.gravel.ranks());
        let mut blocks: Vec<_> = blocks.by_rank().collect();
        blocks.sort_by_key(|(rank, _)| place_in_turn(*rank, own, ranks));
        let send = |(rank, place)| {
            let block: &'scope [T] = &buffer[std::ops::Range::clone(&place)];
            poster.send(block, Peer::Rank(rank), Call::AllToAll.tag())
        };
        let sends = blocks.into_iter().map(send).collect::<Result<_>>();
        Ok(Self { sends: sends.map_err(|error| Call::AllToAll.failed(error))?, buffer })
    }

    /// Gives the buffer back when all of it may be written again.
    ///
    /// # Errors
    /// As [`SendRequest::wait`], when all blocks are over; the first error.
    pub fn wait(self) -> Result<&'scope [T]> {
        let outcomes: Vec<Result<_>> = self.sends.into_iter().map(|send| send.wait().map(drop)).collect();
        outcomes.into_iter().collect::<Result<()>>().map_err(|error| Call::AllToAll.failed(error))?;
        Ok(self.buffer)
    }
}
