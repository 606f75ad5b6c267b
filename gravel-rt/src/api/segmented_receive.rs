//! Messages that are read, or changed, part by part while they arrive.

use std::ops::{Deref, DerefMut, Range};

use super::memory::WritableMemory;
use super::operation::Operation;
use super::receive::Received;
use crate::error::{Error, Result};

/// A posted receive whose message can be used part by part while it arrives.
///
/// [`SegmentedReceive::wait_range`] lends any part to be read. [`SegmentedReceive::next_part`] lends one part after the
/// other to be changed, too:
///
/// ```
/// # fn main() -> gravel::Result<()> {
/// # let gravel = gravel::Gravel::from_environment()?;
/// # let send = gravel.post_send(vec![2.0; 1000], 0, 7)?;
/// let mut receive = gravel.post_segmented_receive(vec![0.0; 1000], 0, 7)?;
/// let step = receive.tile_length(64)?;
/// while let Some(mut part) = receive.next_part(step)? {
///     for element in part.iter_mut() {
///         *element *= 0.5;
///     }
/// }
/// assert_eq!(receive.wait()?.buffer, [1.0; 1000]);
/// # send.wait()?;
/// # gravel.finalize()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a receive is to be waited for"]
pub struct SegmentedReceive<'g, B: WritableMemory> {
    operation: Operation<'g, B>,
    /// The elements before this one have been lent out as parts.
    lent: usize,
}

impl<'g, B: WritableMemory> SegmentedReceive<'g, B> {
    pub(super) fn new(operation: Operation<'g, B>) -> Self {
        Self { operation, lent: 0 }
    }

    /// Number of elements that were posted.
    pub fn len(&self) -> usize {
        self.operation.raw.len()
    }

    /// Whether no elements were posted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements have been lent out as parts.
    pub(super) fn lent(&self) -> usize {
        self.lent
    }

    /// How many elements make a part that is worth a wait of its own: a multiple of `multiple`, or the whole buffer where
    /// parts gain nothing, as in a message that has come or comes in one piece (see [`crate::tile`]); at least 1.
    ///
    /// # Errors
    /// If the runtime is in no state to.
    #[doc(alias = "gravel_tile")]
    pub fn tile_length(&self, multiple: usize) -> Result<usize> {
        self.operation.tile_length(multiple)
    }

    /// Blocks until these elements have arrived, or the message has ended before them, and lends them.
    ///
    /// # Errors
    /// If the range is outside of the buffer, or the message has failed.
    #[doc(alias = "gravel_wait_range")]
    pub fn wait_range(&self, range: Range<usize>) -> Result<&[B::Element]> {
        let (offset, count) = (number(range.start), number(range.end).saturating_sub(number(range.start)));
        if count < 0 || range.end > self.len() {
            return Err(Error::RangeOutsideReceive { offset, count, elements: self.len() as u64 }.into());
        }
        let Operation { gravel, handle, raw, .. } = &self.operation;
        gravel.call(|runtime| runtime.wait_range(*handle, offset, count))?;
        // SAFETY: inside the buffer; these bytes have been written, and peers write every byte of a message only once. The
        // buffer stays with this receive, which is borrowed; parts, which can be written, borrow it exclusively.
        Ok(unsafe { raw.part(range.start, range.end).as_ref() })
    }

    /// Blocks until the next `length` elements have arrived, or the message has ended before them, and lends them to be read
    /// and written: from where the last part ended, fewer at the end of the buffer, and nothing behind it. A length of no
    /// elements is one of one element. What is written stays, also in the buffer that the wait gives back.
    ///
    /// # Errors
    /// If the message has failed. The elements are lent by the next call then.
    #[doc(alias = "gravel_wait_range")]
    pub fn next_part(&mut self, length: usize) -> Result<Option<Part<'_, B::Element>>> {
        let Operation { gravel, handle, raw, .. } = &self.operation;
        let offset = self.lent;
        let end = offset.saturating_add(length.max(1)).min(raw.len());
        if offset == end {
            return Ok(None);
        }
        gravel.call(|runtime| runtime.take_range(*handle, number(offset), number(end - offset)))?;
        self.lent = end;
        // SAFETY: inside the buffer; these bytes have been written, and neither a peer nor the runtime writes or reads them
        // any more. The buffer stays with this receive, which is borrowed exclusively.
        Ok(Some(Part { elements: unsafe { raw.part(offset, end).as_mut() }, offset }))
    }

    /// Blocks until the whole message is in the buffer, and gives the buffer back.
    ///
    /// # Errors
    /// As [`ReceiveRequest::wait`](super::ReceiveRequest::wait).
    #[doc(alias = "gravel_wait")]
    pub fn wait(self) -> Result<Received<B>> {
        self.operation.wait().map(Received::new)
    }
}

fn number(elements: usize) -> i64 {
    i64::try_from(elements).unwrap_or(i64::MAX)
}

/// A part of a message that has arrived while the rest may still be arriving.
#[derive(Debug)]
pub struct Part<'r, T> {
    elements: &'r mut [T],
    offset: usize,
}

impl<T> Part<'_, T> {
    /// The buffer's element that this part begins with.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<T> Deref for Part<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T> DerefMut for Part<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}
