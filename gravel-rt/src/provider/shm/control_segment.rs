//! The control segment: the shared memory in which a rank receives entries, staged bytes and credits from its peers.
//!
//! Every rank owns one, a sealed memfd. Layout, for a job of n ranks:
//!
//! | part | size | written by |
//! |---|---|---|
//! | header: magic, version, ranks, cookie; doorbell | one page | owner; doorbell by all |
//! | n blocks, one per peer: credit line, handshake ring, FIN ring, staging ring | [`BLOCK_BYTES`] each | that peer |
//!
//! The credit line is what the peer, as reader of what the owner wrote to it, gives back. A rank maps its own segment
//! whole, and of a peer's the header and its own block there: that is all that it ever touches. Pages of pairs that never
//! talk are never touched, and cost no memory.

use std::fs::File;
use std::os::fd::{AsRawFd as _, RawFd};
use std::ptr::NonNull;

use super::doorbell::Bell;
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::page_adoption::{is_sealed, sealed_memfd};
use crate::message::ledger::Slot;
use crate::message::wire::Ledger;
use crate::provider::piece::HANDSHAKE_SLOTS;
use crate::sys::sync::{AtomicU64, Ordering};

/// Entries of a FIN ring, which also carries the entries that describe staged bytes.
pub const FIN_SLOTS: usize = 256;
/// Bytes of a staging ring, a power of two: every message asks for places in it, and a division is slow.
pub const STAGING_BYTES: usize = 32 * 1024;
/// Likewise.
pub const STAGING_RING: u64 = STAGING_BYTES as u64;
/// Bytes of a peer's block: all the memory that a rank keeps for a peer, spilled messages excepted.
pub const BLOCK_BYTES: usize = (STAGING_OFFSET + STAGING_BYTES).next_multiple_of(PAGE);
/// What a peer may cost.
const PEER_LIMIT: usize = 64 * 1024;

const PAGE: usize = 4096;
const MAGIC: u64 = u64::from_le_bytes(*b"gravel\0\x02");
/// Bytes of a cache line, which an entry is, and of the credits.
const LINE: usize = 64;
const HANDSHAKE_OFFSET: usize = LINE;
const FIN_OFFSET: usize = HANDSHAKE_OFFSET + HANDSHAKE_SLOTS * LINE;
const STAGING_OFFSET: usize = FIN_OFFSET + FIN_SLOTS * LINE;
// The model checker's atomics are larger; it maps no segment.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Slot>() == LINE && size_of::<CreditLine>() == LINE && size_of::<Header>() <= PAGE);
const _: () = assert!(BLOCK_BYTES <= PEER_LIMIT);
const _: () = assert!(HANDSHAKE_SLOTS.is_power_of_two() && FIN_SLOTS.is_power_of_two());
const _: () = assert!(STAGING_BYTES.is_power_of_two());

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

/// A mapped control segment, the own one or what this rank uses of a peer's.
#[derive(Debug)]
pub struct ControlSegment {
    header: Mapping,
    blocks: Mapping,
    /// The rank whose block is the first that is mapped.
    first: Rank,
    /// How many blocks are mapped.
    mapped: usize,
    /// How many ranks it was made for.
    ranks: Rank,
    /// Kept open in the owner, so that peers can find it under /proc.
    memfd: Option<File>,
}

// SAFETY: the mappings live as long as the value; their words are only accessed atomically, and the staging bytes only
// by the side that the ring's positions give them to.
unsafe impl Send for ControlSegment {}
// SAFETY: as above.
unsafe impl Sync for ControlSegment {}

fn segment_bytes(ranks: Rank) -> usize {
    block_offset(ranks)
}

fn block_offset(rank: Rank) -> usize {
    PAGE + rank * BLOCK_BYTES
}

impl ControlSegment {
    /// Creates this rank's own segment.
    pub fn create(ranks: Rank, cookie: u64) -> Result<Self> {
        let memfd = sealed_memfd("gravel-control", segment_bytes(ranks))?;
        let segment = Self::map(&memfd, 0, ranks, ranks)?;
        let segment = Self { memfd: Some(memfd), ..segment };
        let header = segment.header();
        header.ranks.store(ranks as u64, Ordering::Relaxed);
        header.cookie.store(cookie, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        Ok(segment)
    }

    /// A segment that no peer can open: for the rank's doorbell and its messages to itself, where it shares no memory.
    pub fn create_private(ranks: Rank) -> Result<Self> {
        let header = Mapping::private(PAGE)?;
        let blocks = Mapping::private(ranks * BLOCK_BYTES)?;
        Ok(Self { header, blocks, first: 0, mapped: ranks, ranks, memfd: None })
    }

    /// Maps what `rank` uses of a peer's segment, after checking that it is the one that was announced. The error is a
    /// reason, for [`Error::Unreachable`].
    pub fn open_peer(
        pid: u32,
        descriptor: i32,
        rank: Rank,
        ranks: Rank,
        cookie: u64,
    ) -> std::result::Result<Self, String> {
        let path = format!("/proc/{pid}/fd/{descriptor}");
        let memfd = File::options().read(true).write(true).open(&path).map_err(|cause| {
            format!(
                "opening its control segment {path} failed ({cause}): run the ranks of a host as one user, in one \
                 container and pid namespace"
            )
        })?;
        let length = memfd.metadata().map_err(|cause| cause.to_string())?.len();
        if length != segment_bytes(ranks) as u64 || !is_sealed(&memfd) {
            return Err(format!(
                "{path} is not its control segment: the ranks are in different pid namespaces, or use different \
                 versions of Gravel"
            ));
        }
        let segment = Self::map(&memfd, rank, 1, ranks).map_err(|error| error.to_string())?;
        let header = segment.header();
        if header.magic.load(Ordering::Acquire) != MAGIC
            || header.ranks.load(Ordering::Relaxed) != ranks as u64
            || header.cookie.load(Ordering::Relaxed) != cookie
        {
            return Err(format!("{path} belongs to another job or another version of Gravel"));
        }
        Ok(segment)
    }

    /// Maps the header and the blocks of so many ranks.
    fn map(memfd: &File, first: Rank, mapped: usize, ranks: Rank) -> Result<Self> {
        let header = Mapping::of(memfd, 0, PAGE)?;
        let blocks = Mapping::of(memfd, block_offset(first), mapped * BLOCK_BYTES)?;
        Ok(Self { header, blocks, first, mapped, ranks, memfd: None })
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
        unsafe { self.header.start.cast().as_ref() }
    }

    /// The owner's doorbell.
    pub fn bell(&self) -> &Bell {
        &self.header().bell
    }

    /// The credits that `peer` returns to the owner.
    pub fn credits(&self, peer: Rank) -> &CreditLine {
        // SAFETY: the block begins with them, page-aligned, and all their fields are atomic.
        unsafe { self.block(peer).cast().as_ref() }
    }

    #[inline]
    fn block(&self, peer: Rank) -> NonNull<u8> {
        let place = peer.wrapping_sub(self.first);
        assert!(place < self.mapped, "a block that is not mapped");
        // SAFETY: inside the mapping by the assertion.
        unsafe { self.blocks.start.add(place * BLOCK_BYTES) }
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

/// A part of a segment, mapped.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

impl Mapping {
    fn of(memfd: &File, offset: usize, bytes: usize) -> Result<Self> {
        Self::new(bytes, libc::MAP_SHARED, memfd.as_raw_fd(), offset)
    }

    /// Memory of this process. Not reserved: what is never touched costs nothing.
    fn private(bytes: usize) -> Result<Self> {
        Self::new(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0)
    }

    fn new(bytes: usize, flags: libc::c_int, descriptor: RawFd, offset: usize) -> Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let from = offset as libc::off_t;
        // SAFETY: a new mapping, of no file or of one that is sealed against shrinking.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, descriptor, from) };
        if start == libc::MAP_FAILED {
            let what = format!("mapping {bytes} bytes of a control segment (limit: RLIMIT_AS)");
            return Err(Error::system(what, &std::io::Error::last_os_error()).into());
        }
        // A forked child is not part of the job: it must not be able to write here.
        // SAFETY: advice on our own new mapping.
        unsafe { libc::madvise(start, bytes, libc::MADV_DONTFORK) };
        let start = NonNull::new(start.cast())
            .ok_or_else(|| Error::Internal("the system mapped a segment at address zero".into()))?;
        Ok(Self { start, bytes })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and not used after this.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn peers_find_the_segment_and_only_the_right_one() {
        let own = ControlSegment::create(3, 77).unwrap();
        let pid = std::process::id();
        let peer = ControlSegment::open_peer(pid, own.descriptor(), 2, 3, 77).unwrap();
        peer.credits(2).staging.store(5, Ordering::Release);
        assert_eq!(own.credits(2).staging.load(Ordering::Acquire), 5);
        assert!(ControlSegment::open_peer(pid, own.descriptor(), 2, 3, 78).unwrap_err().contains("another job"));
        assert!(
            ControlSegment::open_peer(pid, own.descriptor(), 2, 4, 77).unwrap_err().contains("not its control segment")
        );
        assert!(ControlSegment::open_peer(pid, 9999, 2, 3, 77).unwrap_err().contains("failed"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_private_segment_is_one_that_nobody_finds() {
        let own = ControlSegment::create_private(3).unwrap();
        assert_eq!(own.descriptor(), -1);
        own.credits(2).staging.store(5, Ordering::Release);
        assert_eq!((own.credits(2).staging.load(Ordering::Acquire), own.ranks()), (5, 3));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn parts_do_not_overlap() {
        let segment = ControlSegment::create(65, 1).unwrap();
        let base = segment.blocks.start.as_ptr().addr();
        let mut parts = Vec::new();
        for peer in 0..65 {
            parts.push((std::ptr::from_ref(segment.credits(peer)).addr() - base, size_of::<CreditLine>()));
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                let (slots, count) = segment.ring(peer, ledger);
                parts.push((slots.as_ptr().addr() - base, count * size_of::<Slot>()));
            }
            parts.push((segment.staging(peer).as_ptr().addr() - base, STAGING_BYTES));
        }
        parts.sort_unstable();
        assert!(parts.is_sorted_by(|left, right| left.0 + left.1 <= right.0));
        let (start, bytes) = parts.last().unwrap();
        assert!(start + bytes <= segment.blocks.bytes);
    }

    #[test]
    fn a_peer_costs_64_kib_at_most() {
        for ranks in [1, 2, 64, 1000] {
            assert_eq!(segment_bytes(ranks), PAGE + ranks * BLOCK_BYTES);
        }
        assert!(segment_bytes(65) - segment_bytes(64) <= PEER_LIMIT);
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn of_a_peer_only_the_own_block_is_mapped() {
        let own = ControlSegment::create(64, 77).unwrap();
        let peer = ControlSegment::open_peer(std::process::id(), own.descriptor(), 63, 64, 77).unwrap();
        assert_eq!(peer.header.bytes + peer.blocks.bytes, PAGE + BLOCK_BYTES);
        peer.credits(63).fin.store(9, Ordering::Release);
        assert_eq!(own.credits(63).fin.load(Ordering::Acquire), 9);
        assert!(std::panic::catch_unwind(|| peer.block(62)).is_err());
        assert!(std::panic::catch_unwind(|| own.block(64)).is_err());
    }
}
