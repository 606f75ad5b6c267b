//! The heap: which of its pages are adopted, and when that ends.
//!
//! Programs allocate what they send, and free it when they like. So pages of the heap are adopted only where the kernel
//! tells of their end ([`super::unmap_monitor`]), and with these rules:
//!
//! - Private anonymous memory: what `malloc` maps, the heap that `brk` moves, arenas of threads, the program's own
//!   mappings. No stack, no memory that is shared or of a file, none in huge pages (shared memory mostly has none), none of
//!   a process that has locked memory.
//! - Whole pages inside a buffer that is being posted, which nobody else may write meanwhile. Never its first and its last
//!   page: so the pages of an adoption are never all of a mapping of the program, and `mremap` of that mapping fails (EFAULT:
//!   the kernel moves no range of several mappings) instead of growing past the end of the memfd. The C library's
//!   `realloc` then allocates and copies.
//! - Only what comes back ([`super::returning`]).
//!
//! What happens to adopted pages later:
//!
//! | event | what becomes of the adoption |
//! |---|---|
//! | `free`, and `malloc` at the same address | nothing, while the memory stays mapped: it serves the next buffer there |
//! | `munmap`, `brk` downwards, `mmap` over it | ends: peers hear of it before they hear of another buffer; the memory is free at once |
//! | `madvise(MADV_DONTNEED)` | stays; what is emptied reads as zeros before the call returns |
//! | `madvise(MADV_FREE)` | stays; fails (EINVAL), as on any shared mapping, and nothing is lost |
//! | `mremap` of a part of it | ends; the pages are the program's at their new address |
//! | `mprotect`, `mlock` | stays |
//! | `fork` | stays; the child has a copy ([`super::fork`]) |
//! | finalize | the pages stay as they are, with nobody else who has them mapped |
//!
//! An adoption never ends otherwise: memory would have to be mapped over pages that another thread might just be
//! unmapping, and over what a third one maps there then. Where a part has been unmapped the rest stays in its memfd, an
//! orphan, which is still watched; it is adopted anew when it is in a buffer that comes back.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::MemoryRange;
use super::page_adoption::AdoptedPages;
use super::program_data::{Mapping, Unadoptable, check_huge_pages, parse_mapping, read_proc};
use super::returning::Returning;
use super::unmap_monitor::{UnmapMonitor, Watch};
use crate::error::{Error, Result};
use crate::sys::log;

/// Arenas of the C library begin at multiples of this.
const ARENA: usize = 64 << 20;

/// Pages of a region that has ended, of which some are mapped.
#[derive(Debug)]
struct Orphan {
    pages: AdoptedPages,
    watch: Watch,
}

/// Whether the kernel tells of the end of memory.
enum Watching {
    /// Nobody has asked.
    Untried,
    By(UnmapMonitor),
    /// It does not.
    Impossible,
}

/// Adoption of the heap.
pub struct HeapPages {
    watching: Watching,
    /// How many bytes may be adopted at a time.
    limit: u64,
    /// How many are, and are orphans.
    adopted: u64,
    returning: Returning,
    orphans: Vec<Orphan>,
}

/// Why pages of the heap are not adopted.
pub enum NotNow {
    /// Heap is not to be adopted at all.
    Off,
    /// They have not come back often enough.
    Seldom,
    /// Too much is adopted.
    Limit,
    /// The kernel does not tell of their end.
    Unwatched,
}

impl HeapPages {
    /// So many bytes may be adopted at a time.
    pub fn new(limit: u64) -> Self {
        Self { watching: Watching::Untried, limit, adopted: 0, returning: Returning::default(), orphans: Vec::new() }
    }

    /// Whether pages that are wanted are to be adopted now, as far as that can be said without looking at them.
    #[inline]
    pub fn may_adopt(&mut self, pages: MemoryRange) -> std::result::Result<(), NotNow> {
        if self.limit == 0 {
            return Err(NotNow::Off);
        }
        if matches!(self.watching, Watching::Impossible) {
            return Err(NotNow::Unwatched);
        }
        if !self.returning.is_due(pages) {
            return Err(NotNow::Seldom);
        }
        if self.adopted.saturating_add(pages.bytes() as u64) > self.limit {
            return Err(NotNow::Limit);
        }
        if matches!(self.watching, Watching::Untried) {
            self.watching = watching();
        }
        if matches!(self.watching, Watching::Impossible) { Err(NotNow::Unwatched) } else { Ok(()) }
    }

    /// These can't be adopted, for now.
    pub fn refuse(&mut self, pages: MemoryRange) {
        self.returning.refuse(pages);
    }

    /// Checks with the kernel that pages are heap.
    pub fn check(&self, pages: MemoryRange) -> std::result::Result<(), Unadoptable> {
        let inodes: Vec<u64> = self.orphans.iter().filter_map(|orphan| orphan.pages.inode()).collect();
        let here = 0u8;
        let stack = std::ptr::from_ref(&here).addr();
        check_mappings(&read_proc("/proc/self/maps")?, pages, stack, &inodes)?;
        if has_locked_memory(&read_proc("/proc/self/status")?) {
            return Err(Unadoptable::Locked);
        }
        check_huge_pages(pages)
    }

    /// Adopts pages that have been checked.
    ///
    /// # Safety
    /// Nobody else may write or unmap the pages during the call.
    pub unsafe fn adopt(&mut self, pages: MemoryRange) -> Result<(AdoptedPages, Watch)> {
        let Watching::By(monitor) = &mut self.watching else {
            return Err(Error::Internal("pages that nobody watches".into()).into());
        };
        // SAFETY: passed on; they have been checked to be private and writable.
        let adopted = unsafe { AdoptedPages::adopt_heap(pages) }?;
        match monitor.watch_moved(pages, adopted.descriptor()) {
            Ok(watch) => {
                self.adopted += pages.bytes() as u64;
                Ok((adopted, watch))
            }
            Err(cause) => {
                // SAFETY: as above; nobody has heard of them.
                unsafe { adopted.undo() };
                Err(Error::system(format!("watching {} bytes (userfaultfd)", pages.bytes()), &cause).into())
            }
        }
    }

    /// Waits until everything is known that has been unmapped before the call, by whichever thread.
    #[inline]
    pub fn settle(&self) {
        if let Watching::By(monitor) = &self.watching {
            monitor.settle();
        }
    }

    /// Whether something has been unmapped since the last call.
    #[inline]
    pub fn take_change(&self) -> bool {
        matches!(&self.watching, Watching::By(monitor) if monitor.take_change())
    }

    /// Whether a region is whole, as far as is known.
    pub fn is_whole(&self, watch: &Watch) -> bool {
        matches!(&self.watching, Watching::By(monitor) if monitor.was_intact(watch))
    }

    /// A region has ended, which was used so often.
    pub fn end(&mut self, pages: AdoptedPages, watch: Watch, uses: u32) {
        self.returning.lose(pages.range(), uses);
        self.orphans.push(Orphan { pages, watch });
    }

    /// How many regions have ended of which something is left.
    pub fn orphans(&self) -> usize {
        self.orphans.len()
    }

    /// Forgets orphans of which nothing is mapped any more, if the list of mappings can be read.
    pub fn bury_orphans(&mut self, maps: &str) {
        let Watching::By(monitor) = &mut self.watching else { return };
        if maps.is_empty() {
            return;
        }
        for Orphan { pages, watch } in self.orphans.extract_if(.., |orphan| !orphan.pages.is_anywhere(maps)) {
            self.adopted -= pages.range().bytes() as u64;
            monitor.forget(watch);
            pages.forget();
        }
    }

    /// What is to live on when the runtime ends: pages that the program still has, and whoever watches them. Nothing of it is
    /// ever used again.
    pub fn leave(mut self, regions: Vec<(AdoptedPages, Watch)>) {
        self.orphans.extend(regions.into_iter().map(|(pages, watch)| Orphan { pages, watch }));
        self.settle();
        let maps = read_proc("/proc/self/maps").unwrap_or_default();
        self.bury_orphans(&maps);
        if !self.orphans.is_empty() {
            keep_code();
            std::mem::forget(self);
        }
    }
}

fn watching() -> Watching {
    let monitor = UnmapMonitor::shared(|| {}).map_err(|cause| format!("{cause} (userfaultfd)"));
    let monitor = monitor.and_then(|monitor| {
        monitor.sees_emptying().map_err(str::to_owned)?;
        Ok(monitor)
    });
    match monitor {
        Ok(monitor) => Watching::By(monitor),
        Err(cause) => {
            log::info!("memory of the heap is not adopted, as nobody tells when it is gone: {cause}");
            Watching::Impossible
        }
    }
}

/// The thread that watches goes on when the runtime has ended: its code must not be unloaded.
fn keep_code() {
    static ANYTHING: AtomicUsize = AtomicUsize::new(0);
    ANYTHING.fetch_add(1, Ordering::Relaxed);
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address of this code; the name is a valid C string if it is found. Of a library that is loaded nothing is
    // loaded again, and a program has no name to be found by, and is never unloaded.
    unsafe {
        if libc::dladdr((&raw const ANYTHING).cast(), &raw mut info) != 0 && !info.dli_fname.is_null() {
            libc::dlopen(info.dli_fname, libc::RTLD_NOLOAD | libc::RTLD_NODELETE | libc::RTLD_LAZY);
        }
    }
}

/// Whether the text of /proc/self/status says so.
fn has_locked_memory(status: &str) -> bool {
    let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
    locked.is_some_and(|locked| locked.trim() != "0 kB")
}

/// Whether all of a range is heap, or what is left of an adoption. The thread that asks has its stack at an address.
fn check_mappings(
    maps: &str,
    range: MemoryRange,
    stack: usize,
    orphans: &[u64],
) -> std::result::Result<(), Unadoptable> {
    let mut checked = range.start;
    let mut before: Option<Mapping> = None;
    for mapping in maps.lines().filter_map(parse_mapping) {
        if checked < range.end && mapping.range.end > checked {
            if mapping.range.start > checked {
                return Err(Unadoptable::NotPrivateWritable);
            }
            let is_orphan = mapping.permissions == "rw-s" && mapping.inode != 0 && orphans.contains(&mapping.inode);
            if !is_orphan {
                check_mapping(&mapping, before.as_ref(), stack)?;
            }
            checked = mapping.range.end;
        }
        before = Some(mapping);
    }
    if checked < range.end { Err(Unadoptable::NotPrivateWritable) } else { Ok(()) }
}

fn check_mapping(mapping: &Mapping, before: Option<&Mapping>, stack: usize) -> std::result::Result<(), Unadoptable> {
    if mapping.path.starts_with("[stack") {
        return Err(Unadoptable::Stack);
    }
    if mapping.permissions != "rw-p" {
        return Err(Unadoptable::NotPrivateWritable);
    }
    // Memory that went back because it could not be watched.
    let is_restored = mapping.path.starts_with("/memfd:gravel-pages");
    if !mapping.is_anonymous() && !is_restored {
        return Err(Unadoptable::NotProgramData(mapping.path.to_owned()));
    }
    // Stacks of threads have no name. Below one there are pages that nobody may touch; that is true of some arenas, too.
    let MemoryRange { start, end } = mapping.range;
    let is_guarded = before.is_some_and(|before| before.range.end == start && before.permissions.starts_with("---"));
    let is_arena = start.is_multiple_of(ARENA);
    if (start..end).contains(&stack) || (is_guarded && !is_arena) {
        return Err(Unadoptable::Stack);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
1000-2000 rw-p 00000000 00:00 0                          [heap]
2000-4000 rw-p 00000000 00:00 0 
4000-6000 rw-s 00000000 00:01 79                         /memfd:gravel-pages (deleted)
6000-7000 r--p 00000000 00:00 0 
7000-8000 rw-p 00000000 08:01 78                         /data/table
9000-a000 ---p 00000000 00:00 0 
a000-b000 rw-p 00000000 00:00 0 
b000-c000 rw-p 00000000 00:00 0                          [anon: glibc: malloc arena]
c000-d000 rw-p 00000000 00:00 0                          [stack]
3fff000-4000000 ---p 00000000 00:00 0 
4000000-4100000 rw-p 00000000 00:00 0 
";

    #[test]
    fn only_private_anonymous_memory_and_orphans_pass() {
        let check = |start, end| check_mappings(MAPS, MemoryRange { start, end }, 0xb800, &[79]);
        assert_eq!(check(0x1000, 0x4000), Ok(()));
        assert_eq!(check(0x1000, 0x6000), Ok(()), "an orphan");
        assert_eq!(check(0x5000, 0x7000), Err(Unadoptable::NotPrivateWritable));
        assert_eq!(check(0x7000, 0x8000), Err(Unadoptable::NotProgramData("/data/table".into())));
        assert_eq!(check(0x8000, 0xa000), Err(Unadoptable::NotPrivateWritable));
        assert_eq!(check(0xa000, 0xb000), Err(Unadoptable::Stack), "guarded");
        assert_eq!(check(0xb000, 0xc000), Err(Unadoptable::Stack), "this thread's");
        assert_eq!(check(0xc000, 0xd000), Err(Unadoptable::Stack));
        assert_eq!(check(0x4000000, 0x4100000), Ok(()), "an arena behind the end of another");
        assert_eq!(check(0x40ff000, 0x4101000), Err(Unadoptable::NotPrivateWritable));
        let foreign = check_mappings(MAPS, MemoryRange { start: 0x4000, end: 0x6000 }, 0, &[]);
        assert_eq!(foreign, Err(Unadoptable::NotPrivateWritable), "shared with others");
    }

    #[test]
    fn locked_memory_is_seen() {
        assert!(has_locked_memory("VmSize:\t 10 kB\nVmLck:\t    64 kB\n"));
        assert!(!has_locked_memory("VmSize:\t 10 kB\nVmLck:\t     0 kB\n"));
        assert!(!has_locked_memory(""));
    }
}
