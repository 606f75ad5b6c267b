//! The regions of a peer that this rank may write directly: announced by entries, mapped at their first use.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::ptr::NonNull;

use crate::memory::page_adoption::is_sealed;

/// Where a run of the peer's addresses can be reached from here.
#[derive(Debug, PartialEq, Eq)]
pub enum Reach {
    /// Directly, through a mapping: this many bytes from this pointer on.
    Mapped(NonNull<u8>, u64),
    /// Not directly: this many bytes.
    Unmapped(u64),
}

#[derive(Debug)]
struct PeerRegion {
    id: u64,
    /// First address in the peer.
    start: u64,
    bytes: u64,
    descriptor: i32,
    mapping: Mapping,
}

#[derive(Debug)]
enum Mapping {
    NotYet,
    At(NonNull<u8>),
    Failed,
}

/// All announced regions of one peer, by address.
#[derive(Debug)]
pub struct PeerRegions {
    pid: u32,
    regions: Vec<PeerRegion>,
    /// Whether the peer's memory may be mapped at all.
    enabled: bool,
}

// SAFETY: the mappings belong to this value alone and can be used from any thread.
unsafe impl Send for PeerRegions {}

impl PeerRegions {
    /// No regions yet of the process with this id.
    pub fn new(pid: u32, enabled: bool) -> Self {
        Self { pid, regions: Vec::new(), enabled }
    }

    /// The peer announced a region. Damaged announcements (wrapping, overlapping) are dropped: the bytes then travel
    /// another way.
    pub fn announce(&mut self, id: u64, start: u64, bytes: u64, descriptor: i32) {
        if start.checked_add(bytes).is_none() || bytes == 0 || usize::try_from(bytes).is_err() {
            return;
        }
        let place = self.regions.partition_point(|region| region.start < start);
        let clear_before = place == 0 || self.regions[place - 1].start + self.regions[place - 1].bytes <= start;
        let clear_after = self.regions.get(place).is_none_or(|next| start + bytes <= next.start);
        if clear_before && clear_after {
            self.regions.insert(place, PeerRegion { id, start, bytes, descriptor, mapping: Mapping::NotYet });
        }
    }

    /// The peer withdrew a region.
    pub fn retire(&mut self, id: u64) {
        self.regions.retain(|region| region.id != id);
    }

    /// How the first of `bytes` bytes at `address` can be reached, and for how long this answer holds.
    pub fn reach(&mut self, address: u64, bytes: u64) -> Reach {
        let pid = self.pid;
        let place = self.regions.partition_point(|region| region.start + region.bytes <= address);
        let Some(region) = self.regions.get_mut(place).filter(|_| self.enabled) else {
            return Reach::Unmapped(bytes);
        };
        if region.start > address {
            return Reach::Unmapped(bytes.min(region.start - address));
        }
        let inside = address - region.start;
        let run = bytes.min(region.bytes - inside);
        match region.mapped(pid) {
            // SAFETY: `inside` is less than the region's length, which is the mapping's.
            Some(start) => Reach::Mapped(unsafe { start.add(inside as usize) }, run),
            None => Reach::Unmapped(run),
        }
    }
}

impl PeerRegion {
    fn mapped(&mut self, pid: u32) -> Option<NonNull<u8>> {
        if matches!(self.mapping, Mapping::NotYet) {
            self.mapping = match self.map(pid) {
                Ok(start) => Mapping::At(start),
                Err(cause) => {
                    crate::sys::log::info!("region {} of process {pid} cannot be mapped: {cause}", self.id);
                    Mapping::Failed
                }
            };
        }
        match self.mapping {
            Mapping::At(start) => Some(start),
            _ => None,
        }
    }

    fn map(&self, pid: u32) -> std::io::Result<NonNull<u8>> {
        let memfd = File::options().read(true).write(true).open(format!("/proc/{pid}/fd/{}", self.descriptor))?;
        // A region that could shrink, or is shorter than announced, could kill this process.
        if !is_sealed(&memfd) || memfd.metadata()?.len() != self.bytes {
            return Err(std::io::Error::from(std::io::ErrorKind::InvalidData));
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        let length = self.bytes as usize;
        // SAFETY: a new shared mapping of a file that cannot shrink.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, memfd.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: advice on our own new mapping; a forked child must not write into a peer.
        unsafe { libc::madvise(start, length, libc::MADV_DONTFORK) };
        NonNull::new(start.cast()).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::AddrNotAvailable))
    }
}

impl Drop for PeerRegion {
    fn drop(&mut self) {
        if let Mapping::At(start) = self.mapping {
            // SAFETY: our own mapping, not used after this.
            unsafe { libc::munmap(start.as_ptr().cast(), self.bytes as usize) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::page_adoption::sealed_memfd;
    use std::os::unix::fs::FileExt as _;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn runs_alternate_between_mapped_and_unmapped() {
        let memfd = sealed_memfd("test", 8192).unwrap();
        let mut regions = PeerRegions::new(std::process::id(), true);
        regions.announce(1, 0x10000, 8192, memfd.as_raw_fd());
        assert_eq!(regions.reach(0xff00, 0x4000), Reach::Unmapped(0x100));
        let Reach::Mapped(start, run) = regions.reach(0x10ffe, 0x4000) else { panic!("not mapped") };
        assert_eq!(run, 0x1002);
        // SAFETY: inside the mapping.
        unsafe { start.write(42) };
        let mut byte = [0];
        memfd.read_exact_at(&mut byte, 0xffe).unwrap();
        assert_eq!(byte, [42]);
        assert_eq!(regions.reach(0x12000, 9), Reach::Unmapped(9));
        regions.retire(1);
        assert_eq!(regions.reach(0x10ffe, 4), Reach::Unmapped(4));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn damaged_announcements_reach_nothing() {
        let memfd = sealed_memfd("test", 4096).unwrap();
        let mut regions = PeerRegions::new(std::process::id(), true);
        regions.announce(1, u64::MAX - 4, 4096, memfd.as_raw_fd());
        regions.announce(2, 0x10000, 0, memfd.as_raw_fd());
        regions.announce(3, 0x20000, 8192, memfd.as_raw_fd());
        regions.announce(4, 0x21000, 4096, memfd.as_raw_fd());
        assert_eq!(regions.regions.len(), 1, "wrapping, empty and overlapping ones are dropped");
        assert_eq!(regions.reach(0x20000, 64), Reach::Unmapped(64), "longer than its file: not mapped");
    }
}
