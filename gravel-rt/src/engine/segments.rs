//! The segments of a transfer: which bytes were put, and which puts still wait for their handshake.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::memory::MemoryRange;

/// The bytes of a message that have been put. Segments must not overlap, and in the end cover the message exactly.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The bytes before this one are covered. Programs put in order: then there is nothing else.
    prefix: u64,
    /// Start to end of the other runs, disjoint, not adjacent, and behind the prefix.
    runs: BTreeMap<u64, u64>,
    covered: u64,
}

impl Coverage {
    /// Adds the bytes `start..end`, which must not have been put before. `start <= end` is the caller's duty.
    pub fn add(&mut self, start: u64, end: u64) -> Result<()> {
        if start == end {
            return Ok(());
        }
        let before = self.runs.range(..=start).next_back().map(|(&start, &end)| (start, end));
        let after = self.runs.range(start..).next().map(|(&start, &end)| (start, end));
        let overlaps_before = before.is_some_and(|(_, before_end)| before_end > start);
        if start < self.prefix || overlaps_before || after.is_some_and(|(next, _)| next < end) {
            return Err(Error::PutOverlaps { start, end }.into());
        }
        let mut merged_end = end;
        if let Some((next, next_end)) = after
            && next == end
        {
            self.runs.remove(&next);
            merged_end = next_end;
        }
        match before {
            _ if start == self.prefix => self.prefix = merged_end,
            Some((before_start, before_end)) if before_end == start => {
                self.runs.insert(before_start, merged_end);
            }
            _ => {
                self.runs.insert(start, merged_end);
            }
        }
        self.covered += end - start;
        Ok(())
    }

    /// Whether all of the bytes `start..end` have been put.
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let run = || self.runs.range(..=start).next_back().is_some_and(|(_, &run_end)| end <= run_end);
        end <= self.prefix || run()
    }

    /// The bytes before `end` that have not been put, as runs in order.
    pub fn gaps(&self, end: u64) -> Vec<(u64, u64)> {
        let ends = self.runs.values().copied();
        let starts = self.runs.keys().copied().chain([end]);
        let gaps = std::iter::once(self.prefix).chain(ends).zip(starts);
        gaps.map(|(start, stop)| (start, stop.min(end))).filter(|(start, stop)| start < stop).collect()
    }

    /// Number of bytes put so far.
    pub fn covered(&self) -> u64 {
        self.covered
    }
}

/// Where the bytes of a queued put are.
#[derive(Debug)]
pub enum Source {
    /// In the application's buffer, at this address. The buffer is the application's again only after its wait.
    Application(usize),
    /// In the runtime's own copy (see [`super::eager`]), from this position on.
    Spilled(Box<[u8]>, usize),
}

/// A put that has not been delivered completely.
#[derive(Debug)]
pub struct Segment {
    /// Where it goes, in bytes from the start of the message.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Where it comes from.
    pub source: Source,
}

impl Segment {
    /// The address of its first byte.
    pub fn address(&self) -> *const u8 {
        match &self.source {
            Source::Application(address) => std::ptr::with_exposed_provenance(*address),
            Source::Spilled(copy, position) => copy[*position..].as_ptr(),
        }
    }

    /// Memory that it is a part of and that lives as long: its message, of so many bytes from `base` on, or its copy.
    pub fn around(&self, base: usize, bytes: u64) -> MemoryRange {
        match &self.source {
            Source::Application(_) => MemoryRange { start: base, end: base + bytes as usize },
            Source::Spilled(copy, _) => {
                let start = copy.as_ptr().expose_provenance();
                MemoryRange { start, end: start + copy.len() }
            }
        }
    }

    /// Takes over a segment that continues this one, in the message and in the application's buffer. False if it does not.
    pub fn extend(&mut self, next: &Segment) -> bool {
        let (Source::Application(here), Source::Application(there)) = (&self.source, &next.source) else {
            return false;
        };
        let continues = self.offset + self.bytes == next.offset && here + self.bytes as usize == *there;
        self.bytes += if continues { next.bytes } else { 0 };
        continues
    }

    /// Drops the first `bytes`, which have been delivered.
    pub fn advance(&mut self, bytes: u64) {
        self.offset += bytes;
        self.bytes -= bytes;
        // What has been delivered was in memory, so it fits an address.
        let step = bytes as usize;
        match &mut self.source {
            Source::Application(address) => *address += step,
            Source::Spilled(_, position) => *position += step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn segments_in_any_order_cover() {
        let mut coverage = Coverage::default();
        for (start, end) in [(30, 40), (0, 10), (10, 30), (40, 40), (40, 100)] {
            coverage.add(start, end).unwrap();
        }
        assert_eq!(coverage.covered(), 100);
        assert_eq!((coverage.prefix, coverage.runs.len()), (100, 0));
    }

    #[test]
    fn an_overlap_changes_nothing() {
        let mut coverage = Coverage::default();
        coverage.add(10, 20).unwrap();
        for (start, end) in [(0, 11), (10, 20), (12, 13), (19, 30), (0, 100)] {
            assert_eq!(coverage.add(start, end), Err(Error::PutOverlaps { start, end }.into()));
        }
        assert_eq!(coverage.covered(), 10);
    }

    #[test]
    fn positions_near_the_end_of_the_number_range_do_not_wrap() {
        let mut coverage = Coverage::default();
        coverage.add(u64::MAX - 10, u64::MAX).unwrap();
        assert!(coverage.add(u64::MAX - 1, u64::MAX).is_err());
        coverage.add(0, u64::MAX - 10).unwrap();
        assert_eq!(coverage.covered(), u64::MAX);
    }

    #[test]
    fn advancing_moves_both_ends() {
        let mut segment = Segment { offset: 8, bytes: 4, source: Source::Spilled(Box::new([1, 2, 3, 4]), 0) };
        segment.advance(3);
        assert_eq!((segment.offset, segment.bytes), (11, 1));
        // SAFETY: the address is inside the boxed copy, which has one byte left.
        assert_eq!(unsafe { segment.address().read() }, 4);
    }

    proptest! {
        /// Against one flag per byte.
        #[test]
        fn agrees_with_a_bitmap(segments in proptest::collection::vec((0usize..40, 0usize..12), 0..30)) {
            let mut coverage = Coverage::default();
            let mut bitmap = [false; 64];
            for (start, bytes) in segments {
                let end = start + bytes;
                let fresh = bitmap[start..end].iter().all(|&covered| !covered);
                prop_assert_eq!(coverage.add(start as u64, end as u64).is_ok(), fresh);
                if fresh {
                    bitmap[start..end].fill(true);
                }
                for (from, to) in [(start, end), (0, 20), (start.saturating_sub(3), end + 3), (end, end + 5)] {
                    let whole = bitmap[from..to].iter().all(|&covered| covered);
                    prop_assert!(from == to || coverage.covers(from as u64, to as u64) == whole);
                }
                prop_assert_eq!(coverage.covered(), bitmap.iter().filter(|&&covered| covered).count() as u64);
                let mut filled = bitmap;
                for (from, to) in coverage.gaps(end as u64) {
                    prop_assert!(filled[from as usize..to as usize].iter().all(|&covered| !covered));
                    filled[from as usize..to as usize].fill(true);
                }
                prop_assert!(filled[..end].iter().all(|&covered| covered) && filled[end..] == bitmap[end..]);
            }
        }
    }
}
