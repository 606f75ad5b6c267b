//! The control segment: the shared memory in which a rank receives entries, staged bytes and credits from its peers.
//!
//! Every rank owns one, a sealed memfd, and maps those of all its peers. Layout, for a job of n ranks:
//!
//! | part | size | written by |
//! |---|---|---|
//! | header: magic, version, ranks, cookie; doorbell | one page | owner; doorbell by all |
//! | n credit lines, one per peer | 64 bytes each, rounded up to a page | that peer, as reader of what the owner wrote to it |
//! | n blocks, one per peer: handshake ring, FIN ring, staging ring | [`BLOCK_BYTES`] each | that peer |
//!
//! Pages of pairs that never talk are never touched, and cost no memory.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::ptr::NonNull;

use super::doorbell::Bell;
use crate::Rank;
use crate::error::{Error, Result};
use crate::ledger::Slot;
use crate::memory::page_adoption::{is_sealed, sealed_memfd};
use crate::protocol::wire::Ledger;
use crate::sync::{AtomicU64, Ordering};

/// Entries of a handshake ring.
pub const HANDSHAKE_SLOTS: usize = 128;
/// Entries of a FIN ring, which also carries the entries that describe staged bytes.
pub const FIN_SLOTS: usize = 256;
/// Bytes of a staging ring.
pub const STAGING_BYTES: usize = 128 * 1024;

const PAGE: usize = 4096;
const MAGIC: u64 = u64::from_le_bytes(*b"gravel\0\x01");
const HANDSHAKE_OFFSET: usize = 0;
const FIN_OFFSET: usize = HANDSHAKE_SLOTS * size_of::<Slot>();
const STAGING_OFFSET: usize = FIN_OFFSET + FIN_SLOTS * size_of::<Slot>();
/// Bytes of a peer's block.
pub const BLOCK_BYTES: usize = STAGING_OFFSET + STAGING_BYTES;
#[cfg(not(loom))]
const _: () = assert!(BLOCK_BYTES.is_multiple_of(PAGE));
const _: () = assert!(HANDSHAKE_SLOTS.is_power_of_two() && FIN_SLOTS.is_power_of_two());

#[repr(C)]
struct Header {
    magic: AtomicU64,
    ranks: AtomicU64,
    /// Drawn by the owner: proves that the segment which was opened is the one that was announced.
    cookie: AtomicU64,
    bell: Bell,
}

/// What a reader has given back to the writer of a pair.
#[repr(C, align(64))]
pub struct CreditLine {
    /// Entries read from the handshake ring.
    pub handshake: AtomicU64,
    /// Entries read from the FIN ring.
    pub fin: AtomicU64,
    /// Bytes taken out of the staging ring.
    pub staging: AtomicU64,
}

impl CreditLine {
    /// The word for a ledger.
    pub fn ledger(&self, ledger: Ledger) -> &AtomicU64 {
        match ledger {
            Ledger::Handshake => &self.handshake,
            Ledger::Fin => &self.fin,
        }
    }
}

/// A mapped control segment, the own one or a peer's.
#[derive(Debug)]
pub struct ControlSegment {
    start: NonNull<u8>,
    ranks: Rank,
    /// Kept open in the owner, so that peers can find it under /proc.
    memfd: Option<File>,
}

// SAFETY: the mapping lives as long as the value; its words are only accessed atomically, and its staging bytes only
// by the side that the ring's positions give them to.
unsafe impl Send for ControlSegment {}
// SAFETY: as above.
unsafe impl Sync for ControlSegment {}

fn segment_bytes(ranks: Rank) -> usize {
    blocks_offset(ranks) + ranks * BLOCK_BYTES
}

fn blocks_offset(ranks: Rank) -> usize {
    PAGE + (ranks * size_of::<CreditLine>()).next_multiple_of(PAGE)
}

impl ControlSegment {
    /// Creates this rank's own segment.
    pub fn create(ranks: Rank, cookie: u64) -> Result<Self> {
        let memfd = sealed_memfd("gravel-control", segment_bytes(ranks))?;
        let start = map(&memfd, segment_bytes(ranks))?;
        let segment = Self { start, ranks, memfd: Some(memfd) };
        let header = segment.header();
        header.ranks.store(ranks as u64, Ordering::Relaxed);
        header.cookie.store(cookie, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        Ok(segment)
    }

    /// Maps a peer's segment, after checking that it is the one that was announced. The error is a reason, for
    /// [`Error::Unreachable`].
    pub fn open_peer(pid: u32, descriptor: i32, ranks: Rank, cookie: u64) -> std::result::Result<Self, String> {
        let path = format!("/proc/{pid}/fd/{descriptor}");
        let memfd = File::options().read(true).write(true).open(&path).map_err(|cause| {
            format!("opening its control segment {path} failed ({cause}): run the ranks of a host as one user, in one container and pid namespace")
        })?;
        let bytes = segment_bytes(ranks);
        let length = memfd.metadata().map_err(|cause| cause.to_string())?.len();
        if length != bytes as u64 || !is_sealed(&memfd) {
            return Err(format!(
                "{path} is not its control segment: the ranks are in different pid namespaces, or use different versions of Gravel"
            ));
        }
        let start = map(&memfd, bytes).map_err(|error| error.to_string())?;
        let segment = Self { start, ranks, memfd: None };
        let header = segment.header();
        if header.magic.load(Ordering::Acquire) != MAGIC
            || header.ranks.load(Ordering::Relaxed) != ranks as u64
            || header.cookie.load(Ordering::Relaxed) != cookie
        {
            return Err(format!("{path} belongs to another job or another version of Gravel"));
        }
        Ok(segment)
    }

    /// The descriptor under which peers open the own segment.
    pub fn descriptor(&self) -> i32 {
        self.memfd.as_ref().map_or(-1, |memfd| memfd.as_raw_fd())
    }

    /// Number of ranks that it was made for.
    pub fn ranks(&self) -> Rank {
        self.ranks
    }

    fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a header, page-aligned, all of whose fields are atomic.
        unsafe { self.start.cast().as_ref() }
    }

    /// The owner's doorbell.
    pub fn bell(&self) -> &Bell {
        &self.header().bell
    }

    /// The credits that `peer` returns to the owner.
    pub fn credits(&self, peer: Rank) -> &CreditLine {
        assert!(peer < self.ranks, "rank outside the job");
        // SAFETY: inside the mapping by the assertion, aligned to 64, all fields atomic.
        unsafe { self.start.add(PAGE + peer * size_of::<CreditLine>()).cast().as_ref() }
    }

    fn block(&self, peer: Rank) -> NonNull<u8> {
        assert!(peer < self.ranks, "rank outside the job");
        // SAFETY: inside the mapping by the assertion.
        unsafe { self.start.add(blocks_offset(self.ranks) + peer * BLOCK_BYTES) }
    }

    /// The ring into which `peer` writes entries.
    pub fn ring(&self, peer: Rank, ledger: Ledger) -> (NonNull<Slot>, usize) {
        let (offset, slots) = match ledger {
            Ledger::Handshake => (HANDSHAKE_OFFSET, HANDSHAKE_SLOTS),
            Ledger::Fin => (FIN_OFFSET, FIN_SLOTS),
        };
        // SAFETY: inside the peer's block by the layout above, and a multiple of 64 from a page's start.
        (unsafe { self.block(peer).add(offset) }.cast(), slots)
    }

    /// The ring into which `peer` writes staged bytes, [`STAGING_BYTES`] long.
    pub fn staging(&self, peer: Rank) -> NonNull<u8> {
        // SAFETY: inside the peer's block by the layout above.
        unsafe { self.block(peer).add(STAGING_OFFSET) }
    }
}

impl Drop for ControlSegment {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and not used after this.
        unsafe { libc::munmap(self.start.as_ptr().cast(), segment_bytes(self.ranks)) };
    }
}

fn map(memfd: &File, bytes: usize) -> Result<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new shared mapping of a file that is sealed against shrinking.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, memfd.as_raw_fd(), 0) };
    let explain = |cause: &std::io::Error| {
        Error::system(format!("mapping {bytes} bytes of a control segment (limit: RLIMIT_AS)"), cause)
    };
    if start == libc::MAP_FAILED {
        return Err(explain(&std::io::Error::last_os_error()).into());
    }
    // A forked child is not part of the job: it must not be able to write here.
    // SAFETY: advice on our own new mapping.
    unsafe { libc::madvise(start, bytes, libc::MADV_DONTFORK) };
    NonNull::new(start.cast())
        .ok_or_else(|| Error::Internal("the system mapped a segment at address zero".into()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn peers_find_the_segment_and_only_the_right_one() {
        let own = ControlSegment::create(3, 77).unwrap();
        let pid = std::process::id();
        let peer = ControlSegment::open_peer(pid, own.descriptor(), 3, 77).unwrap();
        peer.credits(2).staging.store(5, Ordering::Release);
        assert_eq!(own.credits(2).staging.load(Ordering::Acquire), 5);
        assert!(ControlSegment::open_peer(pid, own.descriptor(), 3, 78).unwrap_err().contains("another job"));
        assert!(
            ControlSegment::open_peer(pid, own.descriptor(), 4, 77).unwrap_err().contains("not its control segment")
        );
        assert!(ControlSegment::open_peer(pid, 9999, 3, 77).unwrap_err().contains("failed"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn parts_do_not_overlap() {
        let segment = ControlSegment::create(65, 1).unwrap();
        let base = segment.start.as_ptr().addr();
        let mut parts = vec![(0, size_of::<Header>())];
        for peer in 0..65 {
            parts.push((std::ptr::from_ref(segment.credits(peer)).addr() - base, 64));
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                let (slots, count) = segment.ring(peer, ledger);
                parts.push((slots.as_ptr().addr() - base, count * 64));
            }
            parts.push((segment.staging(peer).as_ptr().addr() - base, STAGING_BYTES));
        }
        parts.sort_unstable();
        assert!(parts.is_sorted_by(|left, right| left.0 + left.1 <= right.0));
        let (start, bytes) = parts.last().unwrap();
        assert!(start + bytes <= segment_bytes(65));
    }
}
