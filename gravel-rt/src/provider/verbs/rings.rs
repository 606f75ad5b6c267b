//! The memory of the ledgers: for every peer a block that it writes, and a block of the same shape from which this rank
//! writes the peer's.
//!
//! | part of a block | bytes |
//! |---|---|
//! | handshake ring | [`HANDSHAKE_SLOTS`] entries of 64 |
//! | FIN ring | [`FIN_SLOTS`] entries of 64 |
//! | staging ring | [`STAGING_BYTES`] |
//!
//! A piece in the staging ring has its entry before it, so that one write brings both. The place of that entry in the FIN
//! ring is counted and stays empty.
//!
//! The staging ring is longer than in shared memory: what is on its way takes room, too, and what was read is given back a way
//! later. Of messages of 4 KiB there are more than twenty on their way before one has to wait.
//!
//! What is sent lies at the same place of the sender's block as of the receiver's, and stays there until the receiver
//! gives the place back: so the device can read it as long as it needs to.

use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

use super::credits::FIN_SLOTS;
use super::device::{Device, Registered, pinning_limit};
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Slot;
use crate::message::wire::Ledger;
use crate::provider::piece::HANDSHAKE_SLOTS;
use crate::provider::staging::{self, MAXIMUM_PIECE};

/// Bytes of an entry.
pub const SLOT_BYTES: usize = 64;
/// Bytes of the staging ring.
pub const STAGING_BYTES: usize = 128 * 1024;
/// Likewise.
pub const STAGING_RING: u64 = STAGING_BYTES as u64;
/// Pieces begin at multiples of so many bytes: an immediate has not more bits for their places, and entries lie before them.
pub const PLACE_BYTES: usize = 256;
const _: () = assert!(PLACE_BYTES.is_multiple_of(SLOT_BYTES) && STAGING_BYTES.is_multiple_of(PLACE_BYTES));
/// Bytes of the staging ring that are given back by a write of their own, where no entry has said so before: a message of the
/// longest piece is mostly answered before that much is due. An idle ring can spare them beside a piece with its entry and a gap
/// that is nearly as long.
pub const STAGED_CREDITS: u64 = staging::credits(STAGING_RING);
/// What the longest piece takes, with its entry.
const LONGEST: u64 = (MAXIMUM_PIECE + SLOT_BYTES as u64).next_multiple_of(PLACE_BYTES as u64);
const _: () = assert!(STAGED_CREDITS > LONGEST && STAGED_CREDITS + 2 * LONGEST <= STAGING_RING);
/// Places of the staging ring where a piece can begin.
pub const STAGED_PLACES: u32 = (STAGING_BYTES / PLACE_BYTES) as u32;
const FIN_OFFSET: usize = HANDSHAKE_SLOTS * SLOT_BYTES;
const STAGING_OFFSET: usize = FIN_OFFSET + FIN_SLOTS * SLOT_BYTES;
/// Bytes of a block.
pub const BLOCK_BYTES: usize = STAGING_OFFSET + STAGING_BYTES;
// The model checker's atomics are larger; it has no device.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Slot>() == SLOT_BYTES);

/// Where a slot lies in a block.
pub fn slot_offset(ledger: Ledger, slot: usize) -> usize {
    match ledger {
        Ledger::Handshake => slot * SLOT_BYTES,
        Ledger::Fin => FIN_OFFSET + slot * SLOT_BYTES,
    }
}

/// Where a byte of the staging ring lies in a block.
pub fn staging_offset(in_ring: usize) -> usize {
    STAGING_OFFSET + in_ring
}

/// Where the memory of a pair lies.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The block that the peer writes.
    pub incoming: NonNull<u8>,
    /// The block from which this rank writes the peer's.
    pub outgoing: NonNull<u8>,
    /// Key for both.
    pub local_key: u32,
    /// Address of the block there.
    pub remote: u64,
    /// Its key.
    pub remote_key: u32,
}

/// The blocks of all peers.
pub struct Rings {
    // Before the memory, which must not be unmapped while the device may use it.
    registered: Registered,
    memory: Mapping,
    peers: usize,
}

struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory belongs to this value, and slots are only accessed atomically.
unsafe impl Send for Rings {}

impl Rings {
    /// Blocks for so many peers.
    pub fn new(device: &Arc<Device>, peers: usize) -> Result<Self> {
        let bytes = (2 * peers * BLOCK_BYTES).max(BLOCK_BYTES);
        let describe = |cause: &io::Error| {
            let what = format!("registering {bytes} bytes for messages of {peers} ranks with {}", device.name);
            Error::system(format!("{what} ({})", pinning_limit()), cause)
        };
        let memory = Mapping::new(bytes).map_err(|cause| describe(&cause))?;
        let start = memory.start.as_ptr().expose_provenance();
        // SAFETY: mapped above, for as long as the registration.
        let registered = unsafe { Registered::new(device, MemoryRange { start, end: start + bytes }) };
        Ok(Self { registered: registered.map_err(|cause| describe(&cause))?, memory, peers })
    }

    /// The block that the peer with this index writes.
    pub fn incoming(&self, index: usize) -> NonNull<u8> {
        assert!(index < self.peers);
        // SAFETY: inside the memory, which has two blocks per peer.
        unsafe { self.memory.start.add(index * BLOCK_BYTES) }
    }

    /// The block from which this rank writes that peer's.
    pub fn outgoing(&self, index: usize) -> NonNull<u8> {
        assert!(index < self.peers);
        // SAFETY: as above.
        unsafe { self.memory.start.add((self.peers + index) * BLOCK_BYTES) }
    }

    /// Address of the first block, and the key for peers.
    pub fn for_peers(&self) -> (u64, u32) {
        (self.memory.start.as_ptr().expose_provenance() as u64, self.registered.remote_key())
    }

    /// The key for this side.
    pub fn local_key(&self) -> u32 {
        self.registered.local_key()
    }
}

impl Mapping {
    fn new(bytes: usize) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, which a forked child must not share: it would move the pages away from under the
        // device.
        let start = unsafe {
            let start = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            libc::madvise(start, bytes, libc::MADV_DONTFORK);
            start
        };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Self { start, bytes })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: our own mapping, not used after this.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
