//! How a link sends bytes that are copied: inside an entry, or through the staging ring.

use std::ptr::NonNull;

use super::Link;
use crate::ledger::{self, Entry, PAYLOAD_WORDS, Slot};
use crate::protocol::wire::{Ledger, pack};
use crate::provider::piece::{INLINE, INLINE_BYTES, INLINE_WORD, STAGED};
use crate::provider::staging;
use crate::provider::verbs::abi::{WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM};
use crate::provider::verbs::immediate::Arrival;
use crate::provider::verbs::queue_pair::Request;
use crate::provider::verbs::rings::{SLOT_BYTES, staging_offset};

impl Link {
    /// Sends bytes inside an entry or through the staging ring, under a flag and two words that say what they are.
    /// False if there is no room.
    ///
    /// # Safety
    /// The source must be valid for `bytes`, at most [`staging::MAXIMUM_PIECE`].
    pub unsafe fn stage(&mut self, flag: u32, words: [u64; 2], source: *const u8, bytes: u64) -> bool {
        let mut entry: Entry = [0; PAYLOAD_WORDS];
        entry[1..3].copy_from_slice(&words);
        // A piece is far shorter than 4 GiB.
        let length = bytes as u32;
        if bytes as usize <= INLINE_BYTES {
            let mut inline = [0u8; INLINE_BYTES];
            // SAFETY: the source is valid for `bytes`, which fit.
            unsafe { std::ptr::copy_nonoverlapping(source, inline.as_mut_ptr(), bytes as usize) };
            for (word, chunk) in entry[INLINE_WORD..].iter_mut().zip(inline.as_chunks::<8>().0) {
                *word = u64::from_ne_bytes(*chunk);
            }
            entry[0] = pack(INLINE | flag, length);
            return self.post(Ledger::Fin, &entry, false);
        }
        if self.is_lost() {
            return true;
        }
        // Its entry lies before it, and both leave with one request, where they are no longer than a piece may be.
        let joined = SLOT_BYTES as u64 + bytes;
        let is_joined = joined <= staging::MAXIMUM_PIECE;
        if !self.has_room(if is_joined { 1 } else { 2 }) {
            return false;
        }
        // Room for the entry first: bytes reserved without it would be lost.
        let Some(reservation) = self.fin_writer.reserve() else { return false };
        let credit = self.staging_credit;
        // Whole places, so that entries are aligned.
        let reserved = if is_joined { joined } else { bytes }.next_multiple_of(SLOT_BYTES as u64);
        let position = self.staging_writer.reserve(reserved, || credit);
        let from = if is_joined { reserved } else { bytes };
        let piece = position.map(|position| position + reserved);
        let piece = piece.and_then(|end| Some((end, staging::piece_offset(end, from)?)));
        let Some((end, in_ring)) = piece else {
            self.fin_writer.unreserve();
            return false;
        };
        entry[0] = pack(STAGED | flag, length);
        entry[INLINE_WORD] = end;
        // SAFETY: the source is valid for `bytes`; the place in the ring is the piece's, and the peer has given it back.
        let sent = unsafe {
            if is_joined {
                self.write_joined(in_ring, &entry, reservation.sequence, source, length)
            } else {
                self.write_apart(in_ring, &entry, reservation, source, length)
            }
        };
        // If it was not sent, the piece is a gap, which the next piece's credits cover.
        if !sent {
            self.fin_writer.unreserve();
        }
        sent || self.is_lost()
    }

    /// Writes an entry and the bytes behind it into the peer's staging ring.
    ///
    /// # Safety
    /// The source must be valid for `bytes`, and the place in the ring reserved for both.
    unsafe fn write_joined(
        &mut self,
        in_ring: usize,
        entry: &Entry,
        sequence: u64,
        source: *const u8,
        bytes: u32,
    ) -> bool {
        let offset = staging_offset(in_ring);
        // SAFETY: both lie in the ring by the contract; places of entries are aligned in their block.
        let local = unsafe {
            let local = self.place.outgoing.add(offset);
            local.cast::<Slot>().as_ref().write(entry, sequence);
            std::ptr::copy_nonoverlapping(source, local.as_ptr().add(SLOT_BYTES), bytes as usize);
            local
        };
        let request = Request {
            immediate: Arrival::Staged((in_ring / SLOT_BYTES) as u32, self.given_back(false)).encode(),
            solicited: true,
            ..self.staging_request(WR_RDMA_WRITE_WITH_IMM, local, SLOT_BYTES as u32 + bytes, offset)
        };
        // SAFETY: the place stays as it is until the peer gives it back.
        let sent = unsafe { self.submit([request], None) };
        if sent {
            self.note_given_back(false);
        }
        sent
    }

    /// Writes bytes into the peer's staging ring, and then their entry into its FIN ring.
    ///
    /// # Safety
    /// As [`Link::write_joined`].
    unsafe fn write_apart(
        &mut self,
        in_ring: usize,
        entry: &Entry,
        reservation: ledger::Reservation,
        source: *const u8,
        bytes: u32,
    ) -> bool {
        let offset = staging_offset(in_ring);
        // SAFETY: the piece lies in the ring by the contract.
        let local = unsafe {
            let local = self.place.outgoing.add(offset);
            std::ptr::copy_nonoverlapping(source, local.as_ptr(), bytes as usize);
            local
        };
        let data = self.staging_request(WR_RDMA_WRITE, local, bytes, offset);
        let entry = self.entry_request(Ledger::Fin, reservation, entry);
        // SAFETY: both places stay as they are until the peer gives them back.
        let sent = unsafe { self.submit([data, entry], None) };
        if sent {
            self.note_given_back(true);
        }
        sent
    }

    fn staging_request(&self, opcode: u32, local: NonNull<u8>, bytes: u32, offset: usize) -> Request {
        Request {
            opcode,
            local: local.as_ptr(),
            bytes,
            local_key: (!self.pair.takes_inline(bytes)).then_some(self.place.local_key),
            remote: self.place.remote + offset as u64,
            remote_key: self.place.remote_key,
            immediate: 0,
            signalled: false,
            solicited: false,
            fenced: false,
        }
    }
}
