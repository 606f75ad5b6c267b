//! The staging ring: bytes that the producer copies in and the consumer copies out.
//!
//! Short messages and the edges of long ones take this way because two short copies are faster than a system call,
//! and everything does where neither adoption nor CMA is possible. Positions count bytes for ever; a piece never wraps
//! around the ring's end, which costs a gap at most as long as the piece.

/// Longest piece. An idle ring takes a piece whatever its position: beside the piece there may be a gap that is nearly as
/// long, and credits that were not worth returning (see [`Reader::credit_due`]). And several must be under way at once, so
/// that both sides copy at the same time.
pub const MAXIMUM_PIECE: u64 = 8 * 1024;

/// What the reader of a ring of so many bytes gives back at once.
pub const fn credits(ring: u64) -> u64 {
    assert!(2 * MAXIMUM_PIECE + ring / 4 <= ring && 4 * MAXIMUM_PIECE <= ring, "too short a ring");
    ring / 4
}

/// The producer's bookkeeping of a ring of so many bytes.
#[derive(Debug, Default)]
pub struct Writer<const RING: u64> {
    /// Position behind the last piece.
    end: u64,
    /// What the consumer has given back.
    returned: u64,
}

impl<const RING: u64> Writer<RING> {
    /// Takes room for a piece of `bytes` (at most [`MAXIMUM_PIECE`]) and returns its position; nothing if there is
    /// none now. `credit` reads what the consumer has given back.
    #[inline(always)]
    pub fn reserve(&mut self, bytes: u64, credit: impl FnOnce() -> u64) -> Option<u64> {
        let offset = self.end % RING;
        let gap = if offset + bytes > RING { RING - offset } else { 0 };
        let end = self.end + gap + bytes;
        if end - self.returned > RING {
            let returned = credit();
            if returned > self.end || returned < self.returned {
                return None;
            }
            self.returned = returned;
            if end - self.returned > RING {
                return None;
            }
        }
        self.end = end;
        Some(end - bytes)
    }

    /// Behind which position the next piece comes: for [`Writer::take_back`].
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Takes the last piece back, which was not written: the next one comes behind this position, where that one did.
    pub fn take_back(&mut self, end: u64) {
        self.end = end;
    }

    /// Offset in the ring of a piece of `bytes`, if it were the next: where it would not wrap.
    pub fn ahead(&self, bytes: u64) -> Option<usize> {
        let offset = self.end % RING;
        (offset + bytes <= RING).then_some(offset as usize)
    }
}

/// Offset in a ring of so many bytes of the piece that ends at position `end`, if it can be one.
pub fn piece_offset<const RING: u64>(end: u64, bytes: u64) -> Option<usize> {
    let offset = end.checked_sub(bytes)? % RING;
    (bytes <= MAXIMUM_PIECE && offset + bytes <= RING).then_some(offset as usize)
}

/// The consumer's bookkeeping of a ring of so many bytes.
#[derive(Debug, Default)]
pub struct Reader<const RING: u64> {
    taken: u64,
    returned: u64,
}

impl<const RING: u64> Reader<RING> {
    /// Everything up to position `end` has been copied out.
    #[inline(always)]
    pub fn take(&mut self, end: u64) {
        self.taken = self.taken.max(end);
    }

    /// Up to which position everything has been copied out.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Of which position the producer has been told.
    pub fn told(&self) -> u64 {
        self.returned
    }

    /// The producer has been told of everything that was copied out.
    pub fn note_told(&mut self) {
        self.returned = self.taken;
    }

    /// The position to write into the producer's credit word, when enough has been taken to be worth a write.
    #[inline(always)]
    pub fn credit_due(&mut self) -> Option<u64> {
        if self.untold() < const { credits(RING) } {
            return None;
        }
        self.returned = self.taken;
        Some(self.taken)
    }

    /// How much was copied out of which the producer has not been told.
    pub fn untold(&self) -> u64 {
        self.taken - self.returned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::collections::VecDeque;

    const RING: u64 = 32 * 1024;

    proptest! {
        /// Live pieces never overlap, never wrap, and a ring that was emptied always takes another piece.
        #[test]
        fn pieces_are_disjoint_until_taken(steps in proptest::collection::vec((1u64..=MAXIMUM_PIECE, 0usize..4), 1..300)) {
            let mut writer = Writer::<RING>::default();
            let mut reader = Reader::<RING>::default();
            let credit = Cell::new(0);
            let mut live: VecDeque<(u64, u64)> = VecDeque::new();
            for (bytes, takes) in steps {
                match writer.reserve(bytes, || credit.get()) {
                    Some(position) => {
                        let offset = piece_offset::<RING>(position + bytes, bytes).unwrap() as u64;
                        for &(other, length) in &live {
                            let other = other % RING;
                            prop_assert!(offset + bytes <= other || other + length <= offset);
                        }
                        live.push_back((position, bytes));
                    }
                    None => prop_assert!(!live.is_empty(), "an empty ring refused a piece"),
                }
                for _ in 0..takes {
                    let Some((position, bytes)) = live.pop_front() else { break };
                    reader.take(position + bytes);
                    if let Some(due) = reader.credit_due() {
                        credit.set(due);
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_pieces_are_refused() {
        assert_eq!(piece_offset::<RING>(10, 11), None);
        assert_eq!(piece_offset::<RING>(RING + 10, 20), None, "wraps around");
        assert_eq!(piece_offset::<RING>(MAXIMUM_PIECE + 1, MAXIMUM_PIECE + 1), None);
        assert_eq!(piece_offset::<RING>(RING + 20, 20), Some(0));
    }
}
