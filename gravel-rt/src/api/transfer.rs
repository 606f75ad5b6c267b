//! A message that is put while it is computed, and its tiles.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use super::matching::Peer;
use super::memory::WritableMemory;
use super::operation::Operation;
use super::send::SendRequest;
use crate::Rank;
use crate::error::{Error, Result};
use crate::message::request::Handle;

/// A message that its producer fills and puts tile by tile.
///
/// The memory is lent out as [`Tile`]s, which can be written; to put a tile is to give it back, so that what was put can't
/// be written. Dropped, the transfer is given up: its consumer gets an error in the message's place.
#[must_use = "a transfer is to be finished; its consumer waits for that"]
pub struct Transfer<'g, B: WritableMemory> {
    operation: Operation<'g, B>,
    /// The elements before this one have been lent out.
    lent: Cell<usize>,
    /// How many of them have been put.
    put: Cell<usize>,
    peer: Rank,
    tag: i32,
}

impl<'g, B: WritableMemory> Transfer<'g, B> {
    pub(super) fn new(operation: Operation<'g, B>, to: Peer, tag: i32) -> Self {
        let peer = match to {
            Peer::Rank(rank) => rank,
            // Only errors name it, and this one has none.
            Peer::Nobody => 0,
        };
        Self { operation, lent: Cell::new(0), put: Cell::new(0), peer, tag }
    }

    /// Number of elements of the message.
    pub fn len(&self) -> usize {
        self.operation.raw.len()
    }

    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements make a tile that is worth a put of its own: a multiple of `multiple`, or the whole message (see
    /// [`crate::tile`]); at least 1. With a multiple of 64, loops over tiles vectorise as one over the message would
    /// ([`VECTOR_MULTIPLE`](crate::tile::VECTOR_MULTIPLE)); with the length of a row tiles are whole rows.
    ///
    /// # Errors
    /// If the runtime is in no state to.
    #[doc(alias = "gravel_tile")]
    pub fn tile_length(&self, multiple: usize) -> Result<usize> {
        self.operation.tile_length(multiple)
    }

    /// Lends the next tile of `length` elements, shorter at the message's end; nothing behind it. A tile of no elements
    /// is one of one element.
    pub fn next_tile(&mut self, length: usize) -> Option<Tile<'_, B::Element>> {
        self.tiles(length).next()
    }

    /// Lends the rest of the message, from where the last tile ended, in tiles of `length` elements, which may be put in
    /// any order.
    pub fn tiles(&mut self, length: usize) -> Tiles<'_, 'g, B> {
        Tiles { transfer: self, length: length.max(1) }
    }

    /// What was put, to be read, and what was not yet, to be written: for loops that read elements of earlier tiles.
    /// Tiles that were taken and not put are among the former.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// # let receive = gravel.post_receive(vec![0.0; 1000], 0, 7)?;
    /// let mut transfer = gravel.open_transfer(vec![1.0; 1000], 0, 7)?;
    /// let step = transfer.tile_length(64)?;
    /// for end in (1..=1000usize).step_by(step).map(|first| (first + step).min(1000)) {
    ///     let (put, rest) = transfer.parts();
    ///     let first = put.len();
    ///     for i in first..end {
    ///         let before = if i == 0 { 0.0 } else if i == first { put[i - 1] } else { rest[i - 1 - first] };
    ///         rest[i - first] = before + 1.0;
    ///     }
    ///     transfer.put_to(end)?;
    /// }
    /// let send = transfer.finish()?;
    /// # assert_eq!(receive.wait()?.buffer, (1..=1000).map(f64::from).collect::<Vec<_>>());
    /// # send.wait()?;
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn parts(&mut self) -> (&[B::Element], &mut [B::Element]) {
        let (raw, lent) = (self.operation.raw, self.lent.get());
        // SAFETY: apart, and inside the message, which is held by the transfer, borrowed exclusively: no tile is there. The
        // runtime and peers read what was put, and nothing of the rest.
        unsafe { (raw.part(0, lent).as_ref(), raw.part(lent, raw.len()).as_mut()) }
    }

    /// What was not put yet, to be read.
    pub(super) fn rest(&self) -> &[B::Element] {
        let raw = self.operation.raw;
        // SAFETY: inside the message, which is held by the transfer. Whoever writes these elements borrows it exclusively.
        unsafe { raw.part(self.lent.get(), raw.len()).as_ref() }
    }

    /// Puts what was not put yet of the elements before `end`; nothing if that is nothing. Does not block.
    ///
    /// # Errors
    /// [`Error::PutOutsideMessage`] if the message has fewer elements, or if the runtime is in no state to.
    #[doc(alias = "gravel_post_os_put")]
    pub fn put_to(&mut self, end: usize) -> Result<()> {
        let Operation { gravel, handle, raw, .. } = &self.operation;
        let start = self.lent.get();
        let elements = end.saturating_sub(start);
        if elements == 0 {
            return Ok(());
        }
        let (offset, count) = (number(start), number(elements));
        if end > raw.len() {
            return Err(Error::PutOutsideMessage { offset, count, elements: raw.len() as u64 }.into());
        }
        gravel.call(|runtime| runtime.put(*handle, raw.address(), offset, count))?;
        self.lent.set(end);
        self.put.set(self.put.get() + elements);
        Ok(())
    }

    /// Ends the message. What was never lent is put as it is.
    ///
    /// # Errors
    /// [`Error::IncompleteMessage`] if a tile that was lent was not put. The consumer gets an error, too.
    #[doc(alias = "gravel_send_fin")]
    pub fn finish(self) -> Result<SendRequest<'g, B>> {
        let Self { operation, lent, put, peer, tag } = self;
        let (lent, put, elements) = (lent.get(), put.get(), operation.raw.len());
        let element_bytes = size_of::<B::Element>() as u64;
        if put < lent {
            let covered = put as u64 * element_bytes;
            return Err(Error::IncompleteMessage { covered, bytes: elements as u64 * element_bytes, peer, tag }.into());
        }
        let address = operation.raw.address();
        let end = |runtime: &mut crate::Runtime, handle| {
            // A message of which nothing was put is sent whole.
            if 0 < lent && lent < elements {
                runtime.put(handle, address, number(lent), number(elements - lent))?;
            }
            runtime.send_fin(handle)
        };
        operation.end(end).map(SendRequest)
    }
}

fn number(elements: usize) -> i64 {
    i64::try_from(elements).unwrap_or(i64::MAX)
}

/// The tiles of a transfer, in order.
pub struct Tiles<'t, 'g, B: WritableMemory> {
    /// Borrowed exclusively where the tiles were asked for: nobody else lends meanwhile.
    transfer: &'t Transfer<'g, B>,
    length: usize,
}

impl<'t, B: WritableMemory> Iterator for Tiles<'t, '_, B> {
    type Item = Tile<'t, B::Element>;

    fn next(&mut self) -> Option<Self::Item> {
        let Transfer { operation, lent, put, .. } = self.transfer;
        let start = lent.get();
        let end = start.saturating_add(self.length).min(operation.raw.len());
        if start == end {
            return None;
        }
        lent.set(end);
        // SAFETY: inside the message, which is held by the transfer, borrowed for 't; no other tile has these elements,
        // and the runtime reads them only when this one was put.
        let elements: &'t mut [B::Element] = unsafe { operation.raw.part(start, end).as_mut() };
        let origin = Origin { handle: operation.handle, address: operation.raw.address(), start, put };
        Some(Tile { gravel: operation.gravel, elements, origin })
    }
}

/// Where a tile comes from.
struct Origin<'t> {
    handle: Handle,
    /// Address of the message.
    address: usize,
    /// First element.
    start: usize,
    /// Elements of the message that have been put.
    put: &'t Cell<usize>,
}

/// A part of a message, to be filled and then put.
#[must_use = "a message is complete only if all its tiles are put"]
pub struct Tile<'t, T> {
    gravel: &'t super::Gravel,
    elements: &'t mut [T],
    origin: Origin<'t>,
}

impl<T: super::Element> Tile<'_, T> {
    /// The message's element that this tile begins with.
    pub fn offset(&self) -> usize {
        self.origin.start
    }

    /// Puts the tile. Does not block: before the consumer's handshake has come, the put is queued.
    ///
    /// # Errors
    /// If the runtime is in no state to.
    #[doc(alias = "gravel_post_os_put")]
    pub fn put(self) -> Result<()> {
        let Origin { handle, address, start, put } = self.origin;
        let elements = self.elements.len();
        self.gravel.call(|runtime| runtime.put(handle, address, number(start), number(elements)))?;
        put.set(put.get() + elements);
        Ok(())
    }
}

impl<T> Deref for Tile<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T> DerefMut for Tile<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}
