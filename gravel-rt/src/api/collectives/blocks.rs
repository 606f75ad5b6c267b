//! Where the blocks of all ranks lie in a buffer: one behind the other, in the order of ranks.

use std::ops::Range;

use crate::Rank;
use crate::api::Element;
use crate::api::memory::{Memory as _, RawMemory};
use crate::error::{Error, Result};

/// The places of the blocks in a buffer, by rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blocks(Vec<Range<usize>>);

impl Blocks {
    /// All of a buffer, cut into equal blocks.
    pub(super) fn alike(elements: usize, ranks: Rank) -> Result<Self> {
        let length = elements / ranks;
        Self::of(vec![length; ranks], elements, ranks).and_then(|blocks| match elements % ranks {
            0 => Ok(blocks),
            _ => Err(Error::BlocksOutsideBuffer { elements, blocks: ranks, wanted: length * ranks, ranks }.into()),
        })
    }

    /// Blocks of these lengths, with room behind them.
    pub(super) fn counted(counts: &[usize], elements: usize, ranks: Rank) -> Result<Self> {
        Self::of(counts.to_vec(), elements, ranks)
    }

    fn of(counts: Vec<usize>, elements: usize, ranks: Rank) -> Result<Self> {
        let wanted = counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
        if counts.len() != ranks || wanted > elements {
            return Err(Error::BlocksOutsideBuffer { elements, blocks: counts.len(), wanted, ranks }.into());
        }
        let place = |end: &mut usize, count: usize| {
            let start = *end;
            *end += count;
            Some(start..*end)
        };
        Ok(Self(counts.into_iter().scan(0, place).collect()))
    }

    /// The ranks with their blocks.
    pub(super) fn by_rank(&self) -> impl Iterator<Item = (Rank, Range<usize>)> {
        self.0.iter().cloned().enumerate()
    }
}

/// The block of a rank: whose it is, the buffer's element that it begins with, and its elements.
pub(super) struct Block<'a, T> {
    pub(super) rank: Rank,
    pub(super) offset: usize,
    pub(super) elements: &'a mut [T],
}

/// A buffer that is lent out in blocks, and given back as a whole.
pub(super) struct Divided<T>(RawMemory<T>);

impl<T: Element> Divided<T> {
    /// Takes a buffer apart.
    pub(super) fn new<'a>(buffer: &'a mut [T], blocks: &Blocks) -> (Self, Vec<Block<'a, T>>) {
        let raw = buffer.into_raw();
        let block = |(rank, place): (Rank, Range<usize>)| {
            // SAFETY: inside the buffer, which was borrowed exclusively for 'a; no two blocks overlap.
            let elements = unsafe { raw.part(place.start, place.end).as_mut() };
            Block { rank, offset: place.start, elements }
        };
        let parts = blocks.by_rank().map(block).collect();
        (Self(raw), parts)
    }

    /// Number of elements of the buffer.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The buffer's elements up to `end`.
    ///
    /// # Safety
    /// The buffer is still borrowed, and for as long as this is, nobody writes these elements.
    pub(super) unsafe fn beginning(&self, end: usize) -> &[T] {
        // SAFETY: passed on; inside of the buffer, which is looked at there.
        unsafe { self.0.part(0, end).as_ref() }
    }

    /// The buffer.
    ///
    /// # Safety
    /// It was borrowed for 'a, and nobody has any of its blocks any more.
    pub(super) unsafe fn join<'a>(self) -> &'a mut [T] {
        // SAFETY: passed on; from `into_raw` of this type, and used for this once.
        unsafe { <&'a mut [T]>::from_raw(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_behind_each_other_in_the_buffer() {
        assert_eq!(Blocks::alike(6, 3).unwrap().0, [0..2, 2..4, 4..6]);
        assert_eq!(Blocks::alike(0, 2).unwrap().0, [0..0, 0..0]);
        assert_eq!(Blocks::counted(&[2, 0, 3], 6, 3).unwrap().0, [0..2, 2..2, 2..5]);
        let is_refused = |blocks: Result<Blocks>| matches!(*blocks.unwrap_err(), Error::BlocksOutsideBuffer { .. });
        assert!(is_refused(Blocks::alike(7, 3)));
        assert!(is_refused(Blocks::counted(&[2, 0], 6, 3)));
        assert!(is_refused(Blocks::counted(&[2, 0, 5], 6, 3)));
        assert!(is_refused(Blocks::counted(&[usize::MAX, 1, 1], 6, 3)));
    }

    #[test]
    fn a_buffer_is_joined_again() {
        let mut buffer = [1, 2, 3, 4, 5];
        let (divided, parts) = Divided::new(&mut buffer, &Blocks::counted(&[2, 1], 5, 2).unwrap());
        for Block { rank, offset, elements } in parts {
            elements.fill(10 * (rank + 1) + offset);
        }
        // SAFETY: borrowed above, and the blocks are gone.
        let joined = unsafe { divided.join() };
        assert_eq!(joined, [10, 10, 22, 4, 5]);
        joined[4] = 0;
        assert_eq!(buffer[4], 0);
    }
}
