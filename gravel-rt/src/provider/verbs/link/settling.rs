//! What a link does when something has come: gives room back to the peer, and takes what the peer gives back.

use super::{Link, Pending};
use crate::provider::verbs::abi::{WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM};
use crate::provider::verbs::credits::{COUNT_BITS, widen};
use crate::provider::verbs::immediate::Arrival;
use crate::provider::verbs::queue_pair::Request;
use crate::request::Handle;
use crate::sync::Ordering;

const HANDSHAKE_CREDITS: u32 = 0;
const FIN_CREDITS: u32 = 1;
const STAGING_CREDITS: u32 = 2;

impl Link {
    pub(super) fn take_credits(&mut self, ring: u32, count: u32) {
        match ring {
            HANDSHAKE_CREDITS | FIN_CREDITS => {
                let word = &self.credits[ring as usize];
                word.store(widen(word.load(Ordering::Relaxed), count), Ordering::Release);
            }
            STAGING_CREDITS => self.staging_credit = widen(self.staging_credit, count),
            _ => self.lose(format!("the peer has given back places of ring {ring}")),
        }
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
        let due = [self.handshake_reader.credit_due(), self.fin_reader.credit_due(), self.staging_reader.credit_due()];
        for (ring, due) in due.into_iter().enumerate() {
            if let Some(count) = due.or(self.owed[ring]) {
                let sent = self.send_credits(ring as u32, count);
                self.owed[ring] = (!sent).then_some(count);
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
        !self.is_lost() && self.is_open && (self.wants_sign.get() || self.owed != [None; 3])
    }

    fn send_credits(&mut self, ring: u32, count: u64) -> bool {
        let low = (count & ((1 << COUNT_BITS) - 1)) as u32;
        let request = Request {
            opcode: WR_RDMA_WRITE_WITH_IMM,
            immediate: Arrival::Credits(ring, low).encode(),
            // Whoever has waited for room may be asleep.
            solicited: true,
            ..self.data_request(WR_RDMA_WRITE, std::ptr::null(), 0, [0, 0], self.place.remote)
        };
        // SAFETY: no byte is read.
        unsafe { self.submit([request], None) }
    }
}
