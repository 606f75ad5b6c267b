//! What becomes of completions: of what this rank has sent, and of what has come.

use std::io;

use super::abi::{self, Wc, wc_status};
use super::completion::{BATCH, Trouble};
use super::link::{self, Link, Pending};
use super::{VerbsProvider, datagram};
use crate::Rank;
use crate::message::ledger::Entry;
use crate::message::request::Handle;
use crate::message::wire::unpack;
use crate::provider::Sink;
use crate::provider::piece::{self, ANNOUNCE, EAGER, ENDS_MESSAGE, INLINE, RETIRE, STAGED, hand_over};

/// Looks at each completion queue in one poll, so that a flood does not keep the engine locked for long.
const LOOKS: usize = 8;
/// So many looks of a wait, one after the other, are at what has come and at nothing else. The next one looks at what was
/// sent, too, which nobody waits for and which only gives places back, and at whatever else may have happened.
const QUICK_LOOKS: u32 = 7;

impl VerbsProvider {
    /// One of many looks of a wait: nearly all find nothing, and what one takes is how late an arrival is seen. True if
    /// there was anything.
    #[inline]
    pub(super) fn look(&mut self, sink: &mut dyn Sink) -> bool {
        if self.quick_looks == 0 || self.awaited > 0 || self.unsettled.get() {
            return self.take_completions(sink, false);
        }
        self.quick_looks -= 1;
        match self.take_received(sink) {
            Ok(0) => false,
            Ok(found) => {
                if found == BATCH || self.unsettled.get() {
                    self.take_completions(sink, false);
                }
                true
            }
            Err(cause) => self.lose_sight(&cause),
        }
    }

    /// Takes completions, in both directions, and does what is due. True if there were any. Where the look is not thorough,
    /// nobody may be waiting for more than arrivals.
    pub(super) fn take_completions(&mut self, sink: &mut dyn Sink, is_thorough: bool) -> bool {
        self.quick_looks = QUICK_LOOKS;
        self.registrations.drop_changed();
        if self.completions.has_trouble() {
            for trouble in self.completions.take_trouble() {
                self.note_trouble(&trouble);
            }
        }
        if self.is_blind {
            self.quick_looks = 0;
            return false;
        }
        let mut any = false;
        for _ in 0..LOOKS {
            // A request's own failure says more than that of what came behind it: what was sent comes first.
            let found = self.take_sent(sink).and_then(|sent| Ok([sent, self.take_received(sink)?]));
            match found {
                Ok([0, 0]) => break,
                Ok(found) => {
                    any = true;
                    if found.into_iter().all(|count| count < BATCH) {
                        break;
                    }
                }
                Err(cause) => return self.lose_sight(&cause),
            }
        }
        if let Some(connector) = self.connector.as_mut().filter(|connector| connector.is_waiting()) {
            self.news |= connector.ask_again(&mut self.links);
        }
        if is_thorough && self.awaited > 0 {
            // A put is mostly told of by the entry behind it, which its message may not have sent yet.
            let is_silent = self.links.iter().flatten().fold(false, |any, link| any | link.ask_for_silent_puts());
            self.unsettled.set(self.unsettled.get() || is_silent);
        }
        if self.unsettled.take() {
            for link in self.links.iter_mut().flatten() {
                link.settle();
                if link.is_unsettled() {
                    self.unsettled.set(true);
                }
            }
        }
        any
    }

    /// The completion queues are lost: true, for that is news.
    #[cold]
    fn lose_sight(&mut self, cause: &io::Error) -> bool {
        self.is_blind = true;
        self.quick_looks = 0;
        self.note_trouble(&Trouble::Device(cause.to_string()));
        true
    }

    fn take_sent(&mut self, sink: &mut dyn Sink) -> io::Result<usize> {
        let count = self.completions.take_sent(&mut self.found)?;
        for place in 0..count {
            let completion = self.found[place];
            self.sent(&completion, sink);
        }
        Ok(count)
    }

    fn take_received(&mut self, sink: &mut dyn Sink) -> io::Result<usize> {
        let count = self.completions.take_received(&mut self.found)?;
        if count == 0 {
            return Ok(0);
        }
        if self.found[..count].iter().any(|completion| completion.status != wc_status::SUCCESS) {
            // Something has failed, and it may have been looked for only here.
            let found = self.found.clone();
            self.take_sent(sink)?;
            self.found = found;
        }
        for place in 0..count {
            let completion = self.found[place];
            self.received(&completion, sink);
        }
        Ok(count)
    }

    fn note_trouble(&mut self, trouble: &Trouble) {
        self.news = true;
        for link in self.links.iter_mut().flatten() {
            match trouble {
                Trouble::QueuePair(address, why) if link.is_at(*address) => link.lose(why.clone()),
                Trouble::QueuePair(..) => {}
                Trouble::Device(why) => link.lose(why.clone()),
            }
        }
    }

    /// Why a request has failed, if it has.
    #[inline]
    fn failure(&self, completion: &Wc) -> Option<String> {
        (completion.status != wc_status::SUCCESS).then(|| self.text_of(completion.status))
    }

    #[cold]
    fn text_of(&self, status: u32) -> String {
        let text = self.completions.device().library().status_text(status);
        match status {
            wc_status::RETRY_EXC_ERR => format!("{text}: its adapter does not answer"),
            _ => text,
        }
    }

    /// A request of this side has completed.
    fn sent(&mut self, completion: &Wc, sink: &mut dyn Sink) {
        if let Some(slot) = datagram::slot_of(completion.wr_id) {
            if let Some(connector) = &mut self.connector {
                connector.sent(slot);
            }
            return;
        }
        let failure = self.failure(completion);
        let failed = failure.is_some();
        let Some(link) = self.links.get_mut(link::peer_of(completion.wr_id)).and_then(Option::as_mut) else { return };
        let mut over = Vec::new();
        link.completed(completion.wr_id, failure, |pending| over.push(pending));
        let lost = if failed { link.check().err() } else { None };
        for pending in over {
            self.news = true;
            self.awaited -= usize::from(pending != Pending::Put(Handle::NULL));
            match pending {
                Pending::Put(Handle::NULL) => {}
                Pending::Put(transfer) => sink.put_completed(transfer, lost.clone()),
                Pending::Read(receive) => {
                    if let Some(reading) = self.readings.get_mut(&receive)
                        && !failed
                    {
                        reading.done += u64::from(reading.pieces.pop_front().unwrap_or(0));
                    }
                }
            }
        }
    }

    /// Something has come from a peer.
    fn received(&mut self, completion: &Wc, sink: &mut dyn Sink) {
        if let Some(slot) = datagram::slot_of(completion.wr_id) {
            if let Some(connector) = &mut self.connector {
                self.news |= connector.received(completion, slot, &mut self.links);
            }
            return;
        }
        let peer = completion.wr_id as Rank;
        let failure = self.failure(completion);
        if let Some(connector) = self.connector.as_mut().filter(|connector| !connector.is_open(peer))
            && failure.is_none()
        {
            connector.opened(peer, &mut self.links);
        }
        let Some(link) = self.links.get_mut(peer).and_then(Option::as_mut) else { return };
        if let Some(why) = failure {
            self.news = true;
            // What this side has stopped itself says nothing.
            if completion.status != wc_status::WR_FLUSH_ERR || !link.is_lost() {
                link.lose(why);
            }
            return;
        }
        let has_entry = completion.opcode == abi::WC_RECV_RDMA_WITH_IMM;
        let found = has_entry.then(|| link.received(u32::from_be(completion.imm_data), completion.byte_len)).flatten();
        if let Some((entry, behind)) = found {
            self.news = true;
            hand_on(link, peer, &entry, behind, sink);
        }
        if link.must_settle() {
            self.unsettled.set(true);
        }
    }
}

/// Gives what an entry says, and the bytes that lie behind it, to those whom it concerns.
fn hand_on(link: &mut Link, peer: Rank, entry: &Entry, behind: Option<usize>, sink: &mut dyn Sink) {
    let (kind, detail) = unpack(entry[0]);
    match kind & !(ENDS_MESSAGE | EAGER) {
        INLINE => {
            let bytes = piece::inline_bytes(entry);
            if let Some(piece) = bytes.get(..detail as usize) {
                hand_over(peer, entry, piece, sink);
            }
        }
        STAGED => {
            if let Some(offset) = behind {
                // SAFETY: inside the ring, as `received` has seen; it is there, and the peer leaves it alone until it is given back.
                let piece = unsafe { std::slice::from_raw_parts(link.staged(offset).as_ptr(), detail as usize) };
                hand_over(peer, entry, piece, sink);
                link.take_staged(entry[piece::INLINE_WORD]);
            } else {
                link.lose(format!("the peer has sent an entry for {detail} bytes, and none of them"));
            }
        }
        ANNOUNCE => link.regions.announce(entry[1], entry[2], entry[3], detail),
        RETIRE => link.regions.retire(entry[1]),
        _ => sink.control(peer, entry),
    }
}
