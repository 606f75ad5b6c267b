//! Which targets of copies have left the processor's cache, as far as this rank's own copies show.
//!
//! A stream of long messages into a few buffers again and again finds them in the cache; one that goes round more memory
//! than the cache holds finds none of them there, and is better copied past it ([`crate::memory::streaming_copy`]). Nobody
//! tells what is in a cache. But whatever is copied goes through it, source and target, and pushes out what was there
//! longest. So: a target of which nothing was written while this rank copied its share of the cache is not there any
//! more. What the program touches meanwhile can only push out more, except for the target itself; where that is in the
//! cache nevertheless, a copy past it takes one and a half times as long as one into it. Where it is not and was thought
//! to be, a plain copy takes twice as long, as it always did. (To let the clock decide, by copying both ways, is worse: it
//! sees neither that the consumer reads from memory what went past the cache, nor what that does to the next copy. A
//! ping-pong of 1 MiB that is read and filled again took 1.3 times as long.)
//!
//! A copy past the cache leaves the next one nothing there. So one cold target alone is copied plainly: it can be the
//! first of many messages into the same buffer. Two, one after the other, are a stream.

use std::collections::VecDeque;

use crate::Rank;
use crate::memory::cache_size::LastCache;

/// Shorter pieces are not worth the question: a cache holds the targets of hundreds of them.
pub const SHORTEST: u64 = 128 * 1024;
/// How many targets are remembered at most.
const REMEMBERED: usize = 256;

/// The targets of the last copies.
#[derive(Debug)]
pub struct RecentTargets {
    /// After so many bytes a target has left the cache; nothing if nobody knows how large that is.
    lifetime: Option<u64>,
    /// Bytes copied so far, those that were read and those that were written.
    copied: u64,
    /// Whether the last target was cold.
    was_cold: bool,
    /// What was written in the lifetime that ends now, oldest first.
    targets: VecDeque<Target>,
}

/// A range of a rank's addresses.
#[derive(Debug)]
struct Target {
    owner: Rank,
    start: u64,
    end: u64,
    /// What had been copied before its first byte was written.
    position: u64,
}

impl RecentTargets {
    /// Nothing yet, of a rank that shares a machine with so many ranks, itself included.
    pub fn new(cache: Option<LastCache>, ranks: u64) -> Self {
        // Beyond half of it a plain copy is no faster: whoever shares the machine has a part of the cache, too.
        let share = |cache: LastCache| cache.bytes / ranks.min(cache.processors).max(2);
        // What is younger must be remembered.
        let lifetime = cache.map(|cache| share(cache).min(REMEMBERED as u64 * 2 * SHORTEST));
        Self { lifetime, copied: 0, was_cold: false, targets: VecDeque::new() }
    }

    /// So many bytes were copied by this rank.
    #[inline]
    pub fn note_copied(&mut self, bytes: u64) {
        // Source and target.
        self.copied += 2 * bytes;
    }

    /// Whether a target, which is about to be written, is one of a stream into memory that has probably left the cache:
    /// more than half of it was not written lately, enough has been copied since to say so, and the same was true of the
    /// target before.
    pub fn is_of_cold_stream(&mut self, owner: Rank, start: u64, bytes: u64) -> bool {
        let Some(lifetime) = self.lifetime.filter(|_| bytes >= SHORTEST) else { return false };
        let (position, end) = (self.copied, start.saturating_add(bytes));
        while self.targets.front().is_some_and(|target| position - target.position > lifetime) {
            self.targets.pop_front();
        }
        let mut warm = 0;
        // What is written anew as a whole need not be remembered twice.
        self.targets.retain(|target| {
            if target.owner == owner {
                warm += target.end.min(end).saturating_sub(target.start.max(start));
            }
            target.owner != owner || target.start < start || target.end > end
        });
        if self.targets.len() == REMEMBERED {
            self.targets.pop_front();
        }
        self.targets.push_back(Target { owner, start, end, position });
        // In the beginning nothing has been pushed out yet.
        let is_cold = position > lifetime && warm < bytes / 2;
        std::mem::replace(&mut self.was_cold, is_cold) && is_cold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const CACHE: LastCache = LastCache { bytes: 32 * MIB, processors: 8 };

    /// Copies to a target, and tells whether past the cache.
    fn copy(targets: &mut RecentTargets, start: u64, bytes: u64) -> bool {
        let cold = targets.is_of_cold_stream(1, start, bytes);
        targets.note_copied(bytes);
        cold
    }

    /// Which of the copies to a number of targets, one behind the other and each again and again, went past the cache.
    fn rounds(targets: &mut RecentTargets, count: u64, bytes: u64, rounds: u64) -> Vec<bool> {
        (0..rounds * count).map(|copied| copy(targets, copied % count * bytes, bytes)).collect()
    }

    #[test]
    fn the_same_buffer_stays_in_the_cache() {
        for bytes in [SHORTEST, MIB, 4 * MIB, 8 * MIB] {
            let mut targets = RecentTargets::new(Some(CACHE), 2);
            assert!(!rounds(&mut targets, 1, bytes, 100).contains(&true), "{bytes} bytes");
        }
    }

    #[test]
    fn going_round_more_than_the_cache_holds_is_cold_from_the_second_time_on() {
        for bytes in [SHORTEST, 256 * 1024, MIB, 4 * MIB] {
            let count = 16 * MIB / bytes;
            let mut targets = RecentTargets::new(Some(CACHE), 2);
            let cold = rounds(&mut targets, count, bytes, 3);
            assert!(!cold[..cold.len() / 6].contains(&true), "nothing shows it yet: {bytes} bytes");
            assert!(!cold[cold.len() / 3..].contains(&false), "{bytes} bytes");
            assert!(targets.targets.len() as u64 <= 16 * MIB / 2 / bytes + 1, "what is cold is forgotten");
        }
    }

    #[test]
    fn going_round_less_is_warm() {
        for bytes in [SHORTEST, MIB, 4 * MIB] {
            let mut targets = RecentTargets::new(Some(CACHE), 2);
            let cold = rounds(&mut targets, 8 * MIB / bytes, bytes, 5);
            assert!(!cold.contains(&true), "{bytes} bytes");
        }
    }

    /// A message that is longer than the cache pushes its own beginning out.
    #[test]
    fn a_message_longer_than_the_cache_is_cold_the_second_time() {
        let mut targets = RecentTargets::new(Some(CACHE), 2);
        assert_eq!(rounds(&mut targets, 1, 64 * MIB, 4), [false, false, true, true]);
    }

    /// The first message into a buffer that was not used for long brings it into the cache, for those that follow.
    #[test]
    fn one_cold_target_alone_is_no_stream() {
        let mut targets = RecentTargets::new(Some(CACHE), 2);
        for buffer in 0..100 {
            let same = [(); 20].map(|()| copy(&mut targets, buffer * MIB, MIB));
            assert_eq!(same, [false; 20], "buffer {buffer}");
        }
    }

    #[test]
    fn each_of_many_ranks_has_its_share() {
        let cold = |ranks| rounds(&mut RecentTargets::new(Some(CACHE), ranks), 4, MIB, 3).contains(&true);
        assert_eq!([1, 2, 4, 8, 64].map(cold), [false, false, false, true, true]);
    }

    /// What is written in parts is as warm as they are, and the same address of another rank is another place.
    #[test]
    fn parts_count() {
        let mut targets = RecentTargets::new(Some(CACHE), 2);
        copy(&mut targets, 100 * MIB, 10 * MIB);
        copy(&mut targets, 0, MIB / 2);
        copy(&mut targets, 200 * MIB, MIB);
        assert!(!targets.is_of_cold_stream(1, 0, MIB), "half of it was");
        assert!(!targets.is_of_cold_stream(1, 300 * MIB, MIB), "the first that was not");
        assert!(targets.is_of_cold_stream(1, 400 * MIB, MIB), "and the second");
        assert!(targets.is_of_cold_stream(2, 0, MIB), "another rank's");
        assert!(!targets.is_of_cold_stream(2, 0, MIB), "which was just written now");
    }

    #[test]
    fn short_pieces_and_unknown_caches_are_left_alone() {
        let mut targets = RecentTargets::new(None, 2);
        assert!(!rounds(&mut targets, 64, MIB, 3).contains(&true));
        let mut targets = RecentTargets::new(Some(CACHE), 2);
        assert!(!rounds(&mut targets, 1024, SHORTEST - 1, 3).contains(&true));
        assert!(targets.targets.is_empty());
    }

    /// However large the cache is, all is remembered that is younger than what is thought to have left it.
    #[test]
    fn what_is_remembered_is_bounded() {
        let huge = LastCache { bytes: 1024 * MIB, processors: 8 };
        let mut targets = RecentTargets::new(Some(huge), 2);
        let cold = rounds(&mut targets, 256, SHORTEST, 3);
        assert!(!cold.contains(&true));
        assert!(targets.targets.len() <= REMEMBERED);
    }
}
