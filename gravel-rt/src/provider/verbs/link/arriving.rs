//! What has come over a link: entries, and pieces in the staging ring.

use super::Link;
use crate::message::ledger::{Entry, Slot};
use crate::message::wire::{Ledger, pack, unpack};
use crate::provider::piece::{EAGER, INLINE_WORD, STAGED};
use crate::provider::staging::MAXIMUM_PIECE;
use crate::provider::verbs::immediate::Arrival;
use crate::provider::verbs::rings::{PLACE_BYTES, SLOT_BYTES, STAGING_BYTES};

impl Link {
    /// A write of so many bytes has come and has taken a receive request. An entry, if it is one, and where in the staging
    /// ring its piece lies, if that came along.
    pub fn received(&mut self, immediate: u32, bytes: u32) -> Option<(Entry, Option<usize>)> {
        self.taken += 1;
        let found = match Arrival::decode(immediate) {
            Arrival::Entry(ledger, given_back) => {
                self.take_given_back(given_back);
                let entry = match ledger {
                    Ledger::Handshake => self.handshake_reader.poll().inspect(|entry| {
                        self.heard_receives.note(self.handshake_reader.read_count() - 1, entry);
                    }),
                    Ledger::Fin => self.fin_reader.poll(),
                };
                entry.map(|entry| (self.note_key(entry), None))
            }
            Arrival::Staged(place, key, given_back) => {
                self.take_given_back(given_back);
                let in_ring = place as usize * PLACE_BYTES;
                match key {
                    None => self.piece_behind_entry(in_ring, bytes),
                    Some(key) => self.piece_of_key(key, in_ring, bytes),
                }
            }
            Arrival::Written(ago, given_back) => {
                self.take_given_back(given_back);
                self.fin_reader.skip();
                self.written(ago, bytes).map(|entry| (entry, None))
            }
            Arrival::Credits(ring, count) => {
                self.take_credits(ring, count);
                return None;
            }
        };
        if found.is_none() {
            self.lose(format!("the peer has sent {immediate:#x} with {bytes} bytes, and no entry with it"));
        }
        found
    }

    fn piece_behind_entry(&mut self, in_ring: usize, bytes: u32) -> Option<(Entry, Option<usize>)> {
        // SAFETY: a place of the staging ring, which is memory of the block, is aligned, and is written by nobody
        // from the completion of the write until this side gives it back.
        let entry = self.fin_reader.poll_at(unsafe { self.staged(in_ring).cast::<Slot>().as_ref() })?;
        let (offset, (_, length)) = (in_ring + SLOT_BYTES, unpack(entry[0]));
        // That is how long pieces without an entry are: a device that does not say it is found out here, by the first piece
        // of a key, which has one.
        let is_told = u64::from(bytes) == SLOT_BYTES as u64 + u64::from(length);
        let is_inside = is_told && offset + length as usize <= STAGING_BYTES;
        is_inside.then(|| (self.note_key(entry), Some(offset)))
    }

    /// An entry has come, which may be the next message of a key.
    fn note_key(&mut self, entry: Entry) -> Entry {
        self.received_keys.note_entry(entry[0], [entry[1], entry[2]]);
        entry
    }

    /// A piece of eager data without its entry, which is made up from what both ends know.
    fn piece_of_key(&mut self, key: u32, in_ring: usize, bytes: u32) -> Option<(Entry, Option<usize>)> {
        let [key, number] = self.received_keys.take_next(key)?;
        if bytes == 0 || u64::from(bytes) > MAXIMUM_PIECE || in_ring + bytes as usize > STAGING_BYTES {
            return None;
        }
        self.fin_reader.skip();
        // Pieces come and are taken in order, so this one begins behind the last one, or where the ring does.
        let ring = STAGING_BYTES as u64;
        let taken = self.staging_reader.taken();
        let gap = (in_ring as u64 + ring - taken % ring) % ring;
        let end = taken + gap + u64::from(bytes).next_multiple_of(PLACE_BYTES as u64);
        let mut entry: Entry = [pack(STAGED | EAGER, bytes), key, number, 0, 0, 0, 0];
        entry[INLINE_WORD] = end;
        Some((entry, Some(in_ring)))
    }
}
