//! What a link does when something has come: gives room back to the peer, and takes what the peer gives back.

use super::{Link, Pending};
use crate::message::ledger;
use crate::message::request::Handle;
use crate::provider::verbs::abi::{WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM};
use crate::provider::verbs::credits::{COUNT_BITS, SPARE_RECEIVES, widen};
use crate::provider::verbs::immediate::{Arrival, FIN_BITS, GivenBack, HANDSHAKE_BITS, STAGED_BITS};
use crate::provider::verbs::queue_pair::Request;
use crate::provider::verbs::rings::{PLACE_BYTES, STAGED_CREDITS};
use crate::sys::sync::{AtomicU64, Ordering};

const HANDSHAKE_CREDITS: u32 = 0;
const FIN_CREDITS: u32 = 1;
const STAGING_CREDITS: u32 = 2;

impl Link {
    pub(super) fn take_credits(&mut self, ring: u32, count: u32) {
        match ring {
            HANDSHAKE_CREDITS | FIN_CREDITS => {
                let word = &self.credits[ring as usize];
                word.store(widen(word.load(Ordering::Relaxed), count, COUNT_BITS), Ordering::Release);
            }
            STAGING_CREDITS => self.staging_credit = widen(self.staging_credit, count, COUNT_BITS),
            _ => self.lose(format!("the peer has given back places of ring {ring}")),
        }
    }

    /// What came with an entry.
    pub(super) fn take_given_back(&mut self, given_back: GivenBack) {
        let [handshakes, fins] = &*self.credits;
        let take = |word: &AtomicU64, low, bits| {
            word.store(widen(word.load(Ordering::Relaxed), low, bits), Ordering::Release);
        };
        if let Some(low) = given_back.handshakes {
            take(handshakes, low, HANDSHAKE_BITS);
        }
        take(fins, given_back.fins, FIN_BITS);
        let place = PLACE_BYTES as u64;
        self.staging_credit = widen(self.staging_credit / place, given_back.staged, STAGED_BITS) * place;
    }

    /// What an entry that leaves now gives back. While more receive requests are to be posted again than are spare, that is no
    /// more than the peer knows already: it could use what it gets at once.
    pub(super) fn given_back(&self, with_handshakes: bool) -> GivenBack {
        let staged = if self.is_ready() { self.staging_reader.taken() } else { self.staging_reader.told() };
        let handshakes = with_handshakes.then(|| self.handshakes_given_back());
        GivenBack::of(handshakes, self.count_given_back(&self.fin_reader), staged / PLACE_BYTES as u64)
    }

    fn is_ready(&self) -> bool {
        self.taken <= SPARE_RECEIVES
    }

    fn count_given_back(&self, reader: &ledger::Reader) -> u64 {
        if self.is_ready() { reader.read_count() } else { reader.told_count() }
    }

    /// How many handshakes an entry that leaves now gives back.
    pub(super) fn handshakes_given_back(&self) -> u64 {
        self.count_given_back(&self.handshake_reader)
    }

    /// How many handshakes the peer has given back.
    pub(super) fn handshakes_back(&self) -> u64 {
        self.credits[HANDSHAKE_CREDITS as usize].load(Ordering::Relaxed)
    }

    /// The peer has been sent that.
    pub(super) fn note_given_back(&mut self, with_handshakes: bool) {
        if !self.is_ready() {
            return;
        }
        if with_handshakes {
            self.handshake_reader.note_told();
            self.owes[HANDSHAKE_CREDITS as usize] = false;
        }
        self.fin_reader.note_told();
        self.staging_reader.note_told();
        self.owes[FIN_CREDITS as usize] = false;
        self.owes[STAGING_CREDITS as usize] = false;
    }

    /// Whether it has to be settled after what has come: hardly any arrival makes that necessary, so none waits for it.
    #[inline]
    pub fn must_settle(&self) -> bool {
        let owes = |reader: &ledger::Reader| reader.is_credit_due();
        self.taken >= SPARE_RECEIVES
            || owes(&self.fin_reader)
            || owes(&self.handshake_reader)
            || self.staging_reader.untold() >= STAGED_CREDITS
    }

    /// Posts receive requests again, gives room back to the peer, and asks for a sign of life if one is wanted.
    pub fn settle(&mut self) {
        if self.is_lost() {
            return;
        }
        let taken = std::mem::take(&mut self.taken);
        if taken > 0
            && let Err(cause) = self.pair.post_receives(taken, self.peer.rank as u64)
        {
            return self.lose(format!("posting a receive request: {cause}"));
        }
        let [handshakes, fins] = [&mut self.handshake_reader, &mut self.fin_reader].map(|reader| reader.credit_due());
        let due = [handshakes.is_some(), fins.is_some(), self.staging_reader.untold() >= STAGED_CREDITS];
        for (ring, is_due) in due.into_iter().enumerate() {
            if is_due || self.owes[ring] {
                self.owes[ring] = !self.send_credits(ring as u32);
            }
        }
        if self.wants_sign.take() && (self.queue.is_empty() || self.queue.has_silent_end()) {
            let request = self.data_request(WR_RDMA_WRITE, std::ptr::null(), 0, [0, 0], self.place.remote);
            // SAFETY: no byte is read. Signalled, though nothing waits for it by name.
            if !unsafe { self.submit([request], Some(Pending::Put(Handle::NULL))) } {
                self.wants_sign.set(true);
            }
        }
    }

    /// Whether it has to be settled even if nothing has come.
    pub fn is_unsettled(&self) -> bool {
        !self.is_lost() && self.is_open && (self.wants_sign.get() || self.owes != [false; 3])
    }

    fn send_credits(&mut self, ring: u32) -> bool {
        // Of all that was read: never less than what entries have said since it became due.
        let count = match ring {
            HANDSHAKE_CREDITS => self.handshake_reader.read_count(),
            FIN_CREDITS => self.fin_reader.read_count(),
            _ => self.staging_reader.taken(),
        };
        let low = (count & ((1 << COUNT_BITS) - 1)) as u32;
        let request = Request {
            opcode: WR_RDMA_WRITE_WITH_IMM,
            immediate: Arrival::Credits(ring, low).encode(),
            // Whoever has waited for room may be asleep.
            solicited: true,
            ..self.data_request(WR_RDMA_WRITE, std::ptr::null(), 0, [0, 0], self.place.remote)
        };
        // SAFETY: no byte is read.
        let sent = unsafe { self.submit([request], None) };
        if sent {
            match ring {
                HANDSHAKE_CREDITS => self.handshake_reader.note_told(),
                FIN_CREDITS => self.fin_reader.note_told(),
                _ => self.staging_reader.note_told(),
            }
        }
        sent
    }
}
