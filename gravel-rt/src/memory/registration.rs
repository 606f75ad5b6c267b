//! The regions of this process that peers may map: adopted once, kept until finalize or until their library goes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};

use super::page_adoption::AdoptedPages;
use super::program_data::{LoaderState, ProgramData, Unadoptable, check_adoptable, loader_state};
use super::{MemoryRange, page_size};
use crate::memory::counters::{AdoptionCounters, Refusal};
use crate::sys::log;

/// A buffer must have this many whole pages before adopting them pays: below, peers copy through the staging ring.
pub const MINIMUM_PAGES: usize = 4;
/// Every region splits a mapping of the process, of which the kernel allows 65530 (vm.max_map_count).
const MAXIMUM_REGIONS: usize = 8192;
/// Every region has an open descriptor, too: of those that the process may have, no more than one of so many is a region's.
const SHARE_OF_DESCRIPTORS: libc::rlim_t = 4;

/// A region that peers may map.
#[derive(Debug)]
pub struct Region {
    /// Never used twice, so that a peer's cache can't mistake it.
    pub id: u64,
    /// Its pages.
    pub pages: AdoptedPages,
}

/// All regions of this process, by address.
#[derive(Debug, Default)]
pub struct RegionTable {
    /// Sorted by address, disjoint.
    regions: Vec<Region>,
    /// Ranges that were found unadoptable, so that they are not examined at every post.
    refused: Vec<MemoryRange>,
    program: ProgramData,
    /// The kernel's list of mappings, open as long as there are regions: what is mapped at their addresses must be known also
    /// when no descriptor is left.
    maps: Option<File>,
    loader: LoaderState,
    last_id: u64,
    counters: AdoptionCounters,
}

impl RegionTable {
    /// Makes sure that what can be adopted of a receive buffer that is being posted is adopted.
    ///
    /// # Safety
    /// The buffer must be valid, and nobody else may write it during the call.
    pub unsafe fn adopt_buffer(&mut self, buffer: MemoryRange) {
        let part = self.program.segment_part(buffer);
        let wanted = part.whole_pages();
        if wanted.bytes() < MINIMUM_PAGES * page_size() {
            self.counters.refuse(if part.bytes() == 0 { Refusal::NotProgramData } else { Refusal::TooShort });
            return;
        }
        let mut start = wanted.start;
        for gap in self.gaps(wanted) {
            debug_assert!(gap.start >= start);
            start = gap.end;
            if gap.bytes() < MINIMUM_PAGES * page_size() || self.refused.contains(&gap) {
                continue;
            }
            let most = most_regions();
            if self.regions.len() >= most {
                self.counters.refuse(Refusal::TooManyRegions);
                log::debug!("{} regions are adopted, and {most} may be: this buffer is not", self.regions.len());
                return;
            }
            // SAFETY: passed on.
            unsafe { self.adopt_gap(gap) };
        }
    }

    /// Adopts pages that are not yet adopted, or remembers why not.
    ///
    /// # Safety
    /// As [`RegionTable::adopt_buffer`].
    unsafe fn adopt_gap(&mut self, gap: MemoryRange) {
        if self.regions.is_empty() && self.refused.is_empty() {
            self.loader = loader_state();
        }
        if let Err(reason) = check_adoptable(gap) {
            log::debug!("{} bytes at {:#x} are not adopted: {reason}", gap.bytes(), gap.start);
            self.counters.refuse(refusal(&reason));
            self.refused.push(gap);
            return;
        }
        if self.maps.is_none() {
            let Ok(maps) = File::open("/proc/self/maps") else {
                self.counters.refuse(Refusal::MapsUnreadable);
                return;
            };
            self.maps = Some(maps);
        }
        // SAFETY: just checked to be private writable program data; it is unmapped by nobody but the loader, which
        // `drop_unloaded` watches; nobody writes it, by the contract of this function.
        match unsafe { AdoptedPages::adopt(gap) } {
            Ok(pages) => {
                self.last_id += 1;
                self.counters.regions.add(gap.bytes() as u64);
                log::debug!("adopted {} bytes at {:#x} as region {}", gap.bytes(), gap.start, self.last_id);
                let place = self.regions.partition_point(|region| region.pages.range().start < gap.start);
                self.regions.insert(place, Region { id: self.last_id, pages });
            }
            Err(error) => {
                log::info!("{} bytes at {:#x} are not adopted: {error}", gap.bytes(), gap.start);
                self.counters.refuse(Refusal::System);
                self.refused.push(gap);
            }
        }
    }

    /// What was adopted and what was not.
    pub fn counters(&self) -> &AdoptionCounters {
        &self.counters
    }

    /// The parts of a range that no region covers.
    fn gaps(&self, range: MemoryRange) -> Vec<MemoryRange> {
        let mut gaps = Vec::new();
        let mut start = range.start;
        for region in self.meeting(range) {
            let covered = region.pages.range();
            if covered.start > start {
                gaps.push(MemoryRange { start, end: covered.start });
            }
            start = start.max(covered.end);
        }
        if start < range.end {
            gaps.push(MemoryRange { start, end: range.end });
        }
        gaps
    }

    /// The regions that have bytes in common with a range, in order.
    pub fn meeting(&self, range: MemoryRange) -> impl Iterator<Item = &Region> {
        let first = self.regions.partition_point(|region| region.pages.range().end <= range.start);
        self.regions[first..].iter().take_while(move |region| region.pages.range().start < range.end)
    }

    /// Forgets regions whose library has been unloaded, and returns their ids: peers must unmap them before the
    /// addresses are used again. Cheap while nothing was unloaded.
    pub fn drop_unloaded(&mut self) -> Vec<u64> {
        if self.regions.is_empty() && self.refused.is_empty() {
            return Vec::new();
        }
        let state = loader_state();
        if !state.unloaded_since(self.loader) {
            return Vec::new();
        }
        self.loader = state;
        self.refused.clear();
        // Where nobody says what is mapped, nothing may be taken for the runtime's pages: peers reach what is there otherwise.
        let maps = self.maps.as_ref().and_then(|maps| read_from_start(maps).ok()).unwrap_or_default();
        let gone = self.regions.extract_if(.., |region| !region.pages.is_mapped(&maps));
        gone.map(|region| {
            region.pages.forget();
            region.id
        })
        .collect()
    }
}

/// How many regions this process may have: the program needs mappings and descriptors, too.
fn most_regions() -> usize {
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes the limits, which are plain numbers.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limits) } == 0;
    let descriptors = if known { limits.rlim_cur } else { libc::RLIM_INFINITY };
    usize::try_from(descriptors / SHARE_OF_DESCRIPTORS).unwrap_or(usize::MAX).min(MAXIMUM_REGIONS)
}

/// All of a file that is open, whatever has been read of it before.
fn read_from_start(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn refusal(reason: &Unadoptable) -> Refusal {
    match reason {
        Unadoptable::MapsUnreadable(_) => Refusal::MapsUnreadable,
        Unadoptable::NotPrivateWritable => Refusal::NotPrivateWritable,
        Unadoptable::NotProgramData(_) => Refusal::ForeignFile,
        Unadoptable::HugePages => Refusal::HugePages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;
    #[repr(align(4096))]
    struct Aligned(#[allow(dead_code, reason = "only its address is used")] [u8; 64 * PAGE]);
    static mut GROWING: Aligned = Aligned([7; 64 * PAGE]);

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_buffer_that_grows_adds_a_region_for_the_rest() {
        let start = (&raw mut GROWING).expose_provenance();
        let range = |first: usize, last: usize| MemoryRange { start: start + first * PAGE, end: start + last * PAGE };
        let mut table = RegionTable::default();
        // SAFETY: only this test uses the array.
        unsafe {
            table.adopt_buffer(range(8, 16));
            assert_eq!(
                table.meeting(range(0, 64)).map(|region| region.pages.range()).collect::<Vec<_>>(),
                [range(8, 16)]
            );
            table.adopt_buffer(range(8, 16));
            assert_eq!(table.meeting(range(0, 64)).count(), 1, "adopting again changes nothing");
            table.adopt_buffer(range(2, 32));
        }
        let ranges: Vec<_> = table.meeting(range(0, 64)).map(|region| region.pages.range()).collect();
        assert_eq!(ranges, [range(2, 8), range(8, 16), range(16, 32)]);
        assert_eq!(table.meeting(range(0, 2)).count(), 0);
        assert_eq!(table.meeting(range(15, 17)).count(), 2);
        assert!(table.drop_unloaded().is_empty());
        let byte: *const u8 = std::ptr::with_exposed_provenance(start + 20 * PAGE);
        // SAFETY: inside the array.
        assert_eq!(unsafe { byte.read_volatile() }, 7);
        drop(table);
        // SAFETY: as above.
        assert_eq!(unsafe { byte.read_volatile() }, 7);
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn heap_and_short_buffers_are_left_alone() {
        let mut table = RegionTable::default();
        let heap = vec![0u8; 1 << 20];
        let buffer = MemoryRange::new(heap.as_ptr().addr(), 1 << 20).unwrap();
        // SAFETY: the buffer is this test's own.
        unsafe { table.adopt_buffer(buffer) };
        assert_eq!(table.meeting(buffer).count(), 0);
        assert_eq!(table.counters().refused[&Refusal::NotProgramData], 1);
    }
}
