//! Memory that peers write into directly.
//!
//! [`program_data`] finds out which pages are static data of the program, [`heap_pages`] which are its heap, [`returning`]
//! which of these are worth it. [`page_adoption`] moves such pages into memory that peers can map, [`registration`]
//! remembers what was adopted, and [`fork`] keeps `fork` meaning what it always meant. [`unmap_monitor`] tells when other memory lies at an address. [`prefetch`] gets what is about to be written
//! into the cache, [`streaming_copy`] writes past it, and [`cache_size`] is how much it holds. [`room`] is the runtime's own
//! memory for messages.

pub mod cache_size;
pub mod counters;
pub mod fork;
pub mod heap_pages;
pub mod page_adoption;
pub mod prefetch;
pub mod program_data;
pub mod registration;
pub mod returning;
pub mod room;
pub mod streaming_copy;
pub mod unmap_monitor;

use std::sync::OnceLock;

/// Size of a page in bytes.
pub fn page_size() -> usize {
    static PAGE_SIZE: OnceLock<usize> = OnceLock::new();
    *PAGE_SIZE.get_or_init(|| {
        // SAFETY: sysconf has no preconditions.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096)
    })
}

/// A range of addresses of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryRange {
    /// First address.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

impl MemoryRange {
    /// The range of `bytes` bytes from `start`, if it does not wrap around.
    pub fn new(start: usize, bytes: u64) -> Option<Self> {
        let end = start.checked_add(usize::try_from(bytes).ok()?)?;
        Some(Self { start, end })
    }

    /// Its length in bytes.
    pub fn bytes(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// The pages that lie wholly inside it; empty where there are none.
    pub fn whole_pages(self) -> Self {
        let page = page_size();
        let start = self.start.checked_next_multiple_of(page).unwrap_or(self.end);
        let end = self.end & !(page - 1);
        Self { start, end: end.max(start) }
    }

    /// What it has in common with another range; empty where nothing.
    pub fn intersection(self, other: Self) -> Self {
        let start = self.start.max(other.start);
        Self { start, end: self.end.min(other.end).max(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages_leave_the_edges_out() {
        let page = page_size();
        let range = |start, end| MemoryRange { start, end };
        assert_eq!(range(page + 1, 4 * page - 1).whole_pages(), range(2 * page, 3 * page));
        assert_eq!(range(page, 2 * page).whole_pages(), range(page, 2 * page));
        assert_eq!(range(page + 1, page + 9).whole_pages().bytes(), 0);
        assert_eq!(range(usize::MAX - 8, usize::MAX).whole_pages().bytes(), 0);
    }

    #[test]
    fn ranges_that_wrap_around_do_not_exist() {
        assert_eq!(MemoryRange::new(usize::MAX - 3, 4).map(MemoryRange::bytes), None);
        assert_eq!(MemoryRange::new(16, u64::MAX), None);
    }
}
