//! How a link sends bytes that are copied: inside an entry, or through the staging ring, where a message like one before it
//! needs no entry ([`recent_keys`](crate::provider::verbs::recent_keys)).

use super::Link;
use crate::message::ledger::{Entry, Slot};
use crate::message::wire::{Ledger, pack};
use crate::provider::piece::{EAGER, INLINE, INLINE_BYTES, INLINE_WORD, STAGED};
use crate::provider::verbs::abi::WR_RDMA_WRITE_WITH_IMM;
use crate::provider::verbs::immediate::Arrival;
use crate::provider::verbs::queue_pair::Request;
use crate::provider::verbs::rings::{PLACE_BYTES, SLOT_BYTES, STAGING_BYTES, staging_offset};

impl Link {
    /// Sends bytes inside an entry or through the staging ring, under a flag and two words that say what they are.
    /// False if there is no room.
    ///
    /// # Safety
    /// The source must be valid for `bytes`, at most [`MAXIMUM_PIECE`](crate::provider::staging::MAXIMUM_PIECE).
    pub unsafe fn stage(&mut self, flag: u32, words: [u64; 2], source: *const u8, bytes: u64) -> bool {
        if self.is_lost() {
            return true;
        }
        let key = if flag == EAGER && bytes > 0 { self.sent_keys.find(words) } else { None };
        // A piece is far shorter than 4 GiB.
        let kind_and_length = pack(if bytes as usize <= INLINE_BYTES { INLINE } else { STAGED } | flag, bytes as u32);
        let sent = if key.is_none() && bytes as usize <= INLINE_BYTES {
            let mut entry: Entry = [kind_and_length, words[0], words[1], 0, 0, 0, 0];
            let mut inline = [0u8; INLINE_BYTES];
            // SAFETY: the source is valid for `bytes`, which fit.
            unsafe { std::ptr::copy_nonoverlapping(source, inline.as_mut_ptr(), bytes as usize) };
            for (word, chunk) in entry[INLINE_WORD..].iter_mut().zip(inline.as_chunks::<8>().0) {
                *word = u64::from_ne_bytes(*chunk);
            }
            self.post(Ledger::Fin, &entry, false)
        } else {
            // SAFETY: passed on.
            unsafe { self.stage_in_ring([kind_and_length, words[0], words[1]], key, source, bytes) }
        };
        match key {
            _ if !sent => {}
            Some(key) => drop(self.sent_keys.take_next(key)),
            None => self.sent_keys.note_entry(kind_and_length, words),
        }
        sent
    }

    /// Writes a piece into the peer's staging ring, with its entry before it unless its key says what it is. Both leave with
    /// one request: a second one would cost as much as the first.
    ///
    /// # Safety
    /// As [`Link::stage`].
    unsafe fn stage_in_ring(&mut self, words: [u64; 3], key: Option<u32>, source: *const u8, bytes: u64) -> bool {
        if !self.has_room(1) {
            return false;
        }
        // Room for the entry first, which has a place in its ring even if it is not written.
        let Some(reservation) = self.fin_writer.reserve() else { return false };
        let before = if key.is_some() { 0 } else { SLOT_BYTES as u64 };
        // Whole places, which an immediate can name.
        let reserved = (before + bytes).next_multiple_of(PLACE_BYTES as u64);
        let (end, credit) = (self.staging_writer.end(), self.staging_credit);
        let Some(position) = self.staging_writer.reserve(reserved, || credit) else {
            self.fin_writer.unreserve();
            return false;
        };
        let in_ring = position as usize % STAGING_BYTES;
        let offset = staging_offset(in_ring);
        // SAFETY: both lie in the ring, where the peer has given the place back; places of entries are aligned in their
        // block. The source is valid by the contract.
        let local = unsafe {
            let local = self.place.outgoing.add(offset);
            if key.is_none() {
                let entry = [words[0], words[1], words[2], position + reserved, 0, 0, 0];
                local.cast::<Slot>().as_ref().write(&entry, reservation.sequence);
            }
            std::ptr::copy_nonoverlapping(source, local.as_ptr().add(before as usize), bytes as usize);
            local
        };
        let length = (before + bytes) as u32;
        let request = Request {
            opcode: WR_RDMA_WRITE_WITH_IMM,
            local: local.as_ptr(),
            bytes: length,
            local_key: (!self.pair.takes_inline(length)).then_some(self.place.local_key),
            remote: self.place.remote + offset as u64,
            remote_key: self.place.remote_key,
            immediate: Arrival::Staged((in_ring / PLACE_BYTES) as u32, key, self.given_back(false)).encode(),
            signalled: false,
            solicited: true,
            fenced: false,
        };
        // SAFETY: the place stays as it is until the peer gives it back.
        let sent = unsafe { self.submit([request], None) };
        if sent {
            self.note_given_back(false);
        } else {
            // The peer does not know of a piece that was not sent, so it would never give its place back.
            self.staging_writer.take_back(end);
            self.fin_writer.unreserve();
        }
        sent || self.is_lost()
    }
}
