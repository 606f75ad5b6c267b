//! The regions of this process that peers may map: adopted once, kept until finalize, or until their library or their
//! heap memory goes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};

use super::heap_pages::{HeapPages, NotNow};
use super::page_adoption::AdoptedPages;
use super::program_data::{LoaderState, ProgramData, Unadoptable, check_adoptable, loader_state};
use super::unmap_monitor::Watch;
use super::{MemoryRange, page_size};
use crate::error::Error;
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
    /// Who tells of its end, if it is heap.
    watch: Option<Watch>,
    /// How often it has been posted since it was adopted.
    uses: u32,
}

/// All regions of this process, by address.
pub struct RegionTable {
    /// Sorted by address, disjoint.
    regions: Vec<Region>,
    /// Ranges of program data that were found unadoptable, and why, so that they are not examined at every post.
    refused: Vec<(MemoryRange, Refusal)>,
    program: ProgramData,
    /// Nothing once it has been left.
    heap: Option<HeapPages>,
    /// The kernel's list of mappings, open as long as there are regions: what is mapped at their addresses must be known also
    /// when no descriptor is left.
    maps: Option<File>,
    loader: LoaderState,
    last_id: u64,
    counters: AdoptionCounters,
}

impl RegionTable {
    /// Nothing is adopted yet; of the heap at most so many bytes at a time may be.
    pub fn new(heap_limit: u64) -> Self {
        Self {
            regions: Vec::new(),
            refused: Vec::new(),
            program: ProgramData::default(),
            heap: Some(HeapPages::new(heap_limit)),
            maps: None,
            loader: LoaderState::default(),
            last_id: 0,
            counters: AdoptionCounters::default(),
        }
    }

    /// Makes sure that what can be adopted of a buffer that is being posted is adopted. What has ended must have been
    /// dropped before ([`RegionTable::drop_ended`]).
    ///
    /// # Safety
    /// The buffer must be valid, and nobody else may write it during the call.
    pub unsafe fn adopt_buffer(&mut self, buffer: MemoryRange) {
        let part = self.program.segment_part(buffer);
        let is_heap = part.bytes() == 0;
        let wanted = if is_heap { heap_part(buffer) } else { part.whole_pages() };
        if wanted.bytes() < MINIMUM_PAGES * page_size() {
            self.counters.refuse(Refusal::TooShort, buffer.bytes());
            return;
        }
        let mut left = wanted.bytes();
        for gap in self.gaps(wanted) {
            left -= gap.bytes();
            if gap.bytes() < MINIMUM_PAGES * page_size() {
                self.counters.refuse(Refusal::TooShort, gap.bytes());
                continue;
            }
            // SAFETY: passed on.
            let adopted = unsafe { if is_heap { self.adopt_heap(gap) } else { self.adopt_program_data(gap) } };
            match adopted {
                Ok(()) => left += gap.bytes(),
                Err(refusal) => self.counters.refuse(refusal, gap.bytes()),
            }
        }
        if left > 0 && buffer.bytes() > wanted.bytes() {
            self.counters.refuse(Refusal::Edges, buffer.bytes() - wanted.bytes());
        }
        let first = self.first_behind(wanted.start);
        for region in self.regions[first..].iter_mut().take_while(|region| region.pages.range().start < wanted.end) {
            region.uses = region.uses.saturating_add(1);
        }
    }

    /// Adopts program data that is not yet adopted.
    ///
    /// # Safety
    /// As [`RegionTable::adopt_buffer`].
    unsafe fn adopt_program_data(&mut self, gap: MemoryRange) -> Result<(), Refusal> {
        if let Some(&(_, reason)) = self.refused.iter().find(|(refused, _)| *refused == gap) {
            return Err(reason);
        }
        self.check_room()?;
        if self.regions.is_empty() && self.refused.is_empty() {
            self.loader = loader_state();
        }
        let adopted = check_adoptable(gap).map_err(|reason| note(gap, &reason)).and_then(|()| {
            self.open_maps()?;
            // SAFETY: just checked to be private writable program data; it is unmapped by nobody but the loader, which
            // `drop_ended` watches; nobody writes it, by the contract of this function.
            unsafe { AdoptedPages::adopt(gap) }.map_err(|error| note_error(gap, &error))
        });
        match adopted {
            Ok(pages) => {
                self.insert(pages, None);
                Ok(())
            }
            Err(reason) => {
                self.refused.push((gap, reason));
                Err(reason)
            }
        }
    }

    /// Adopts heap memory that is not yet adopted, if it has come back often enough.
    ///
    /// # Safety
    /// As [`RegionTable::adopt_buffer`].
    unsafe fn adopt_heap(&mut self, gap: MemoryRange) -> Result<(), Refusal> {
        let Some(heap) = &mut self.heap else { return Err(Refusal::NotProgramData) };
        heap.may_adopt(gap).map_err(|reason| match reason {
            NotNow::Off => Refusal::NotProgramData,
            NotNow::Seldom => Refusal::Seldom,
            NotNow::Limit => Refusal::HeapLimit,
            NotNow::Unwatched => Refusal::Unwatched,
        })?;
        self.check_room()?;
        self.open_maps()?;
        let Some(heap) = &mut self.heap else { return Err(Refusal::NotProgramData) };
        let adopted = heap.check(gap).map_err(|reason| note(gap, &reason)).and_then(|()| {
            // SAFETY: nobody else writes or unmaps a buffer that is being posted.
            unsafe { heap.adopt(gap) }.map_err(|error| note_error(gap, &error))
        });
        match adopted {
            Ok((pages, watch)) => {
                self.insert(pages, Some(watch));
                Ok(())
            }
            Err(reason) => {
                heap.refuse(gap);
                Err(reason)
            }
        }
    }

    fn check_room(&self) -> Result<(), Refusal> {
        let most = most_regions();
        let regions = self.regions.len() + self.heap.as_ref().map_or(0, HeapPages::orphans);
        if regions < most {
            return Ok(());
        }
        log::debug!("{regions} regions are adopted, and {most} may be: this buffer is not");
        Err(Refusal::TooManyRegions)
    }

    fn open_maps(&mut self) -> Result<(), Refusal> {
        if self.maps.is_none() {
            self.maps = Some(File::open("/proc/self/maps").map_err(|_| Refusal::MapsUnreadable)?);
        }
        Ok(())
    }

    fn insert(&mut self, pages: AdoptedPages, watch: Option<Watch>) {
        self.last_id += 1;
        let range = pages.range();
        self.counters.regions.add(range.bytes() as u64);
        log::debug!("adopted {} bytes at {:#x} as region {}", range.bytes(), range.start, self.last_id);
        let place = self.regions.partition_point(|region| region.pages.range().start < range.start);
        self.regions.insert(place, Region { id: self.last_id, pages, watch, uses: 0 });
    }

    /// The place of the first region that ends behind an address.
    fn first_behind(&self, start: usize) -> usize {
        self.regions.partition_point(|region| region.pages.range().end <= start)
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
        let first = self.first_behind(range.start);
        self.regions[first..].iter().take_while(move |region| region.pages.range().start < range.end)
    }

    /// Forgets regions that are not what they were, before a buffer is posted, and returns their ids: peers must unmap them
    /// before they hear of it. Cheap while nothing has ended.
    pub fn drop_ended(&mut self, buffer: MemoryRange) -> Vec<u64> {
        let mut ended = self.drop_unloaded();
        let Some(heap) = &self.heap else { return ended };
        // Memory that another thread is unmapping just now may be what this buffer was allocated from.
        if self.meeting(buffer).any(|region| region.watch.is_some()) {
            heap.settle();
        }
        if heap.take_change() {
            ended.extend(self.drop_unmapped());
        }
        ended
    }

    #[cold]
    fn drop_unmapped(&mut self) -> Vec<u64> {
        let Some(heap) = &mut self.heap else { return Vec::new() };
        let is_over = |region: &mut Region| region.watch.as_ref().is_some_and(|watch| !heap.is_whole(watch));
        let over: Vec<Region> = self.regions.extract_if(.., is_over).collect();
        let mut ids = Vec::new();
        for Region { id, pages, watch, uses } in over {
            log::debug!("region {id} has ended: a part of it was unmapped");
            if let Some(watch) = watch {
                heap.end(pages, watch, uses);
            }
            ids.push(id);
        }
        heap.bury_orphans(&self.maps.as_ref().and_then(|maps| read_from_start(maps).ok()).unwrap_or_default());
        ids
    }

    /// Forgets regions whose library has been unloaded.
    fn drop_unloaded(&mut self) -> Vec<u64> {
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
        let is_gone = |region: &mut Region| region.watch.is_none() && !region.pages.is_mapped(&maps);
        let gone = self.regions.extract_if(.., is_gone);
        gone.map(|region| {
            region.pages.forget();
            region.id
        })
        .collect()
    }
}

impl Drop for RegionTable {
    fn drop(&mut self) {
        let regions = std::mem::take(&mut self.regions).into_iter();
        // Program data goes back.
        let heap = regions.filter_map(|Region { pages, watch, .. }| Some((pages, watch?))).collect();
        if let Some(left) = self.heap.take() {
            left.leave(heap);
        }
    }
}

/// What may be adopted of a buffer of the heap: neither its first nor its last page, so that it is never all of a mapping.
fn heap_part(buffer: MemoryRange) -> MemoryRange {
    let start = buffer.start.saturating_add(1);
    MemoryRange { start, end: buffer.end.saturating_sub(1).max(start) }.whole_pages()
}

fn note(gap: MemoryRange, reason: &Unadoptable) -> Refusal {
    log::debug!("{} bytes at {:#x} are not adopted: {reason}", gap.bytes(), gap.start);
    refusal(reason)
}

fn note_error(gap: MemoryRange, error: &Error) -> Refusal {
    log::info!("{} bytes at {:#x} are not adopted: {error}", gap.bytes(), gap.start);
    Refusal::System
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
        Unadoptable::Stack => Refusal::Stack,
        Unadoptable::Locked => Refusal::Locked,
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
        let mut table = RegionTable::new(u64::MAX);
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
        assert!(table.drop_ended(range(0, 64)).is_empty());
        let byte: *const u8 = std::ptr::with_exposed_provenance(start + 20 * PAGE);
        // SAFETY: inside the array.
        assert_eq!(unsafe { byte.read_volatile() }, 7);
        drop(table);
        // SAFETY: as above.
        assert_eq!(unsafe { byte.read_volatile() }, 7);
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn heap_that_is_not_to_be_adopted_is_left_alone() {
        let mut table = RegionTable::new(0);
        let heap = vec![0u8; 1 << 20];
        let buffer = MemoryRange::new(heap.as_ptr().expose_provenance(), 1 << 20).unwrap();
        for _ in 0..10 {
            // SAFETY: the buffer is this test's own.
            unsafe { table.adopt_buffer(buffer) };
        }
        assert_eq!(table.meeting(buffer).count(), 0);
        assert_eq!(table.counters().refused[&Refusal::NotProgramData].count, 10);
    }

    #[test]
    fn buffers_of_the_heap_keep_their_first_and_last_page() {
        let range = |start, end| MemoryRange { start, end };
        assert_eq!(heap_part(range(PAGE, 9 * PAGE)), range(2 * PAGE, 8 * PAGE));
        assert_eq!(heap_part(range(PAGE + 16, 9 * PAGE + 16)), range(2 * PAGE, 9 * PAGE));
        assert_eq!(heap_part(range(PAGE, PAGE)).bytes(), 0);
        assert_eq!(heap_part(range(usize::MAX, usize::MAX)).bytes(), 0);
    }
}
