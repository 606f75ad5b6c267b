//! Which buffers of the heap come back often enough for their pages to be moved.
//!
//! To move a page costs about as much as the kernel's copying it five times ([`super::heap_pages`]): the copy, new page
//! tables on both sides, the clearing of new pages. So a buffer is moved when it comes back for the fourth time: one that
//! is used once costs what it always did, one that is used for ever costs less than twice its best from the first day on,
//! and whoever stops just then has lost about as much again. What is unmapped soon after it was moved, again and again,
//! must come back more often each time.

use std::collections::BTreeMap;

use super::MemoryRange;

/// The time at which a buffer is moved.
pub const MOVED_AT: u32 = 4;
/// What was used fewer times before it was unmapped was moved in vain.
const WORTH: u32 = 32;
/// So often must a buffer come back at most.
const MOST: u32 = 1 << 16;
/// So many are remembered.
const REMEMBERED: usize = 4096;

#[derive(Debug, Clone, Copy)]
struct Seen {
    times: u32,
    wanted: u32,
}

/// How often pages have been wanted, by the address of the first one.
#[derive(Debug, Default)]
pub struct Returning {
    seen: BTreeMap<usize, Seen>,
}

impl Returning {
    /// These pages are wanted. Whether they have been often enough.
    pub fn is_due(&mut self, pages: MemoryRange) -> bool {
        let seen = self.seen(pages);
        seen.times += 1;
        seen.times >= seen.wanted
    }

    /// These pages can't be moved, for now.
    pub fn refuse(&mut self, pages: MemoryRange) {
        let seen = self.seen(pages);
        *seen = Seen { times: 0, wanted: seen.wanted.saturating_mul(8).min(MOST) };
    }

    /// These pages were moved, and have been used so often before they were unmapped.
    pub fn lose(&mut self, pages: MemoryRange, uses: u32) {
        let seen = self.seen(pages);
        let wanted = if uses < WORTH { seen.wanted.saturating_mul(4).min(MOST) } else { MOVED_AT };
        *seen = Seen { times: 0, wanted };
    }

    fn seen(&mut self, pages: MemoryRange) -> &mut Seen {
        // Programs that take ever new addresses gain nothing from a longer memory.
        if self.seen.len() >= REMEMBERED && !self.seen.contains_key(&pages.start) {
            self.seen.clear();
        }
        self.seen.entry(pages.start).or_insert(Seen { times: 0, wanted: MOVED_AT })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: MemoryRange = MemoryRange { start: 0x10000, end: 0x20000 };

    /// At which time they are due.
    fn due(returning: &mut Returning) -> usize {
        (1..).find(|_| returning.is_due(PAGES)).expect("some time")
    }

    #[test]
    fn what_comes_back_is_due() {
        let mut returning = Returning::default();
        assert!(!returning.is_due(MemoryRange { start: 0x30000, end: 0x40000 }), "another");
        assert_eq!(due(&mut returning), MOVED_AT as usize);
        assert!(returning.is_due(PAGES), "and stays so");
    }

    #[test]
    fn what_was_moved_in_vain_is_due_later() {
        let mut returning = Returning::default();
        due(&mut returning);
        returning.lose(PAGES, 1);
        assert_eq!(due(&mut returning), 16);
        returning.lose(PAGES, 1);
        assert_eq!(due(&mut returning), 64);
        returning.lose(PAGES, 1000);
        assert_eq!(due(&mut returning), 4);
        for _ in 0..50 {
            returning.refuse(PAGES);
        }
        assert_eq!(due(&mut returning), MOST as usize);
    }

    #[test]
    fn memory_is_bounded() {
        let mut returning = Returning::default();
        for start in 0..3 * REMEMBERED {
            returning.is_due(MemoryRange { start, end: start + 1 });
        }
        assert!(returning.seen.len() <= REMEMBERED);
    }
}
