//! Delivery at the producer: how queued segments and the FIN leave, when the handshake, the ledgers and the staging
//! ring permit.
//!
//! A transfer with something left is deferred work; it is `ready` once it has a target, and progress then tries it again.

use super::segments::Segment;
use super::transfer::{Initiation, Operation, Transfer};
use crate::engine::Engine;
use crate::error::Error;
use crate::message::rendezvous::{Fin, FinStatus, Handshake, MAXIMUM_EAGER_DATA};
use crate::message::request::Handle;
use crate::message::wire::{ANNOUNCED, Control};
use crate::provider::{Provider, Put, PutOutcome};
use crate::sys::log;

impl Engine {
    /// Delivers a new segment at once if nothing is queued before it; what cannot be delivered is queued.
    pub(super) fn offer(&mut self, handle: Handle, mut segment: Segment) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return };
        let mut unlimited = u64::MAX;
        let first = transfer.queued.is_empty();
        // The handshake that has just come may have told that the receive is too short: then nothing is sent.
        if transfer.failure.is_none()
            && (!first || !deliver_segment(&mut *self.provider, handle, transfer, &mut segment, &mut unlimited))
        {
            transfer.queue(segment);
        }
        self.deliver_or_defer(handle);
    }

    /// Gives a transfer its target; what is queued becomes deliverable.
    pub(crate) fn bind(&mut self, handle: Handle, handshake: Handshake) {
        let rank = self.rank;
        let target = handshake.buffer;
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            log::error!("a handshake met a transfer that is gone: internal error");
            return;
        };
        transfer.target = Some(target);
        transfer.offered = false;
        transfer.tells_segments = handshake.wants_segments;
        if transfer.bytes > target.bytes {
            let error = Error::Truncated {
                sent: transfer.bytes,
                posted: target.bytes,
                source_rank: rank,
                source_in_communicator: self.state.groups.rank_in(transfer.communicator, rank),
                destination: transfer.peer,
                tag: transfer.tag,
            };
            transfer.queued.clear();
            transfer.failure.get_or_insert(error.into());
        }
        if transfer.failure.is_some() {
            self.settle(handle);
        } else {
            self.make_ready(handle);
        }
    }

    /// Lists a transfer for delivery if it has something to deliver, and a target or no need of one.
    fn make_ready(&mut self, handle: Handle) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            return;
        };
        let something = transfer.ended || !transfer.queued.is_empty();
        let longest = self.state.capabilities[transfer.peer].longest_eager;
        let possible = transfer.target.is_some() || transfer.can_leave_eagerly(longest);
        if possible && something && !transfer.ready {
            transfer.ready = true;
            self.state.ready[transfer.peer].push_back(handle);
            self.state.ready_transfers += 1;
        }
    }

    /// Sends a message whose handshake has not come as eager data, if it is short enough for its peer, all of it is there,
    /// and there is room.
    fn send_eagerly(&mut self, handle: Handle) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return };
        if !transfer.can_leave_eagerly(self.state.capabilities[transfer.peer].longest_eager) {
            return;
        }
        // Without a segment, the message is empty.
        let source = transfer.queued.front().map_or(std::ptr::dangling(), Segment::address);
        let (key, number, bytes) = (transfer.key(), transfer.number, transfer.bytes);
        let is_matched_here = transfer.initiation == Initiation::Consumer;
        let wire_number = if is_matched_here { number } else { number | ANNOUNCED };
        // SAFETY: the only segment of an ended message is the whole message; its source is valid until it is delivered.
        if unsafe { self.provider.put_eager(key, wire_number, source, bytes) } {
            transfer.queued.clear();
            transfer.fin_sent = true;
            if is_matched_here {
                self.state.matcher.withdraw(key, number);
            }
        }
    }

    /// Delivers what can be delivered now; the rest becomes deferred work.
    pub(super) fn deliver_or_defer(&mut self, handle: Handle) {
        let mut unlimited = u64::MAX;
        if !self.deliver(handle, &mut unlimited) {
            self.make_ready(handle);
        }
        self.provider.notify();
    }

    /// Delivers queued segments, up to `budget` bytes, and then the FIN. False if something is left.
    pub(crate) fn deliver(&mut self, handle: Handle, budget: &mut u64) -> bool {
        self.send_eagerly(handle);
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            return true;
        };
        while let Some(mut segment) = transfer.queued.pop_front() {
            if !deliver_segment(&mut *self.provider, handle, transfer, &mut segment, budget) {
                transfer.queued.push_front(segment);
                break;
            }
        }
        self.settle(handle)
    }

    /// Sends the FIN if nothing stands before it, and keeps count of deferred work. True if nothing is left.
    fn settle(&mut self, handle: Handle) -> bool {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            return true;
        };
        if transfer.tells_segments {
            self.tell_segments(handle);
        }
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            return true;
        };
        let over = transfer.ended || transfer.failure.is_some();
        let fin_due = over && transfer.queued.is_empty() && !transfer.fin_sent;
        let fin = transfer.target.filter(|_| fin_due);
        // A short message leaves when it ends, which is about to come: to arm the helper for that moment would cost the peer
        // a system call. A longer one may have a consumer that waits for a part of it before its producer ends it.
        let leaves_at_its_end = transfer.bytes <= MAXIMUM_EAGER_DATA;
        let waits = over || (!transfer.queued.is_empty() && !leaves_at_its_end);
        let deferred = waits && !transfer.fin_sent && !transfer.offered && fin.is_none();
        if deferred != transfer.deferred {
            transfer.deferred = deferred;
            if deferred {
                self.state.deferred_transfers += 1;
            } else {
                self.state.deferred_transfers -= 1;
            }
        }
        if let Some(target) = fin {
            transfer.fin_sent = true;
            let status = match transfer.failure.as_deref() {
                None => FinStatus::Delivered,
                Some(Error::Truncated { .. }) => FinStatus::Truncated,
                Some(_) => FinStatus::GaveUp,
            };
            // A spilled send has completed for the application: nobody will ask for its failure.
            if transfer.detached
                && let Some(error) = transfer.failure.as_deref()
                && !matches!(error, Error::IncompleteMessage { .. })
            {
                log::error!("a send that had completed could not be delivered: {error}");
            }
            let (peer, bytes) = (transfer.peer, transfer.bytes);
            self.send(peer, Control::Fin { request: target.request, fin: Fin { status, bytes } });
        }
        if let Some(Operation::Transfer(transfer)) = self.state.operations.get(handle)
            && transfer.is_over()
            && transfer.detached
        {
            self.state.operations.remove(handle);
            self.provider.release(handle);
        }
        !deferred
    }
}

/// Delivers a segment of a transfer whose queue holds only what comes after it, up to `budget` bytes. False if a part of
/// it is left: no handshake, no room, no budget. A segment that fails is over, and its transfer has the failure.
fn deliver_segment(
    provider: &mut dyn Provider,
    handle: Handle,
    transfer: &mut Transfer,
    segment: &mut Segment,
    budget: &mut u64,
) -> bool {
    let Some(target) = transfer.target else { return false };
    let offered = segment.bytes.min(*budget);
    // Nothing can be put behind a message that is whole, so its end need not be waited for.
    let is_whole = transfer.ended || transfer.coverage.covered() == transfer.bytes;
    let put = Put {
        transfer: handle,
        around: segment.around(transfer.base, transfer.bytes),
        offset: segment.offset,
        source: segment.address(),
        bytes: offered,
        ends_message: is_whole && transfer.queued.is_empty() && segment.offset + offered == transfer.bytes,
    };
    // SAFETY: a segment's source is valid and unwritten until it is delivered: it is the runtime's own copy, or the
    // application's before its wait (contract of `open_transfer`).
    match unsafe { provider.put(transfer.peer, &target, put) } {
        Ok(PutOutcome { taken, in_flight, fin_sent }) => {
            transfer.in_flight += in_flight;
            *budget -= taken;
            let ends_message = fin_sent || (transfer.ended && put.ends_message && taken == put.bytes);
            transfer.note_segment(segment.offset, segment.offset + taken, ends_message);
            segment.advance(taken);
            transfer.fin_sent = fin_sent;
            if segment.bytes > 0 {
                return false;
            }
            transfer.keep_while_in_flight(segment);
            true
        }
        Err(error) => {
            transfer.queued.clear();
            transfer.failure = Some(error);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::consumer_write::Envelope;
    use crate::engine::tests::message_of;
    use crate::message::communicator::CommunicatorId;
    use crate::message::rendezvous::RemoteBuffer;
    use crate::provider::desk::{Desk, PEER};

    const BYTES: usize = 20_000;

    /// That a receive is too short may be heard in whichever put: that one leaves nothing either, and the error is the same.
    #[test]
    fn a_put_that_hears_of_a_receive_that_is_too_short_leaves_nothing() {
        let buffer = vec![0u8; BYTES];
        let address = buffer.as_ptr().expose_provenance();
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
        for hears in 0..4 {
            let desk = Desk::default();
            let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
            // SAFETY: the buffer outlives the engine.
            let transfer = unsafe { engine.open_transfer(message_of(&buffer), envelope) }.expect("it opens");
            for part in 0..4 {
                if part == hears {
                    let buffer = RemoteBuffer { request: Handle::from_raw(9), address: 0, bytes: 100 };
                    let handshake = Handshake { buffer, wants_segments: false };
                    let (communicator, tag) = (envelope.communicator, envelope.tag);
                    let control = Control::Handshake { communicator, tag, number: 0, handshake };
                    *desk.coming.lock().unwrap() = Some(control);
                }
                let count = BYTES as i64 / 4;
                engine.put(transfer, address, part * count, count).expect("a put of a message that may be lost");
            }
            engine.send_fin(transfer).expect("it is complete");
            let error = engine.test(transfer).expect_err("the receive is too short");
            assert!(matches!(*error, Error::Truncated { sent: 20_000, posted: 100, .. }), "heard in {hears}: {error}");
            let sent = desk.sent.lock().unwrap();
            let fins = sent.iter().filter_map(|control| match control {
                Control::Fin { fin, .. } => Some(fin.status),
                _ => None,
            });
            assert!(fins.eq([FinStatus::Truncated]), "heard in {hears}: {sent:?}");
        }
    }

    /// A part that was put first, and leaves when the handshake comes, ends nothing, although all of the message is known then.
    #[test]
    fn what_leaves_in_front_of_another_part_ends_nothing() {
        let message = vec![0u8; BYTES];
        let desk = Desk::default();
        let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
        // SAFETY: the message outlives the engine.
        let transfer = unsafe { engine.open_transfer(message_of(&message), envelope) }.expect("it opens");
        let (address, half) = (message.as_ptr().expose_provenance(), BYTES as i64 / 2);
        engine.put(transfer, address, half, half).expect("it is put");
        let buffer = RemoteBuffer { request: Handle::from_raw(9), address: 0, bytes: BYTES as u64 };
        let handshake = Handshake { buffer, wants_segments: false };
        let (communicator, tag) = (envelope.communicator, envelope.tag);
        *desk.coming.lock().unwrap() = Some(Control::Handshake { communicator, tag, number: 0, handshake });
        engine.put(transfer, address, 0, half).expect("it is put");
        assert_eq!(*desk.ends.lock().unwrap(), [false, false]);
    }

    /// What comes behind the last byte is only the end: it may leave with it. Where it does not, the consumer hears of the
    /// last part before.
    #[test]
    fn the_put_that_makes_a_message_whole_ends_it() {
        let message = vec![0u8; BYTES];
        let desk = Desk::default();
        let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
        // SAFETY: the message outlives the engine.
        let transfer = unsafe { engine.open_transfer(message_of(&message), envelope) }.expect("it opens");
        let (address, half) = (message.as_ptr().expose_provenance(), BYTES as u64 / 2);
        let buffer = RemoteBuffer { request: Handle::from_raw(9), address: 0, bytes: BYTES as u64 };
        engine.bind(transfer, Handshake { buffer, wants_segments: true });
        for start in [half, 0] {
            engine.put(transfer, address, start as i64, half as i64).expect("it is put");
        }
        assert_eq!(*desk.ends.lock().unwrap(), [false, false], "the last bytes are not the last ones put");
        engine.send_fin(transfer).expect("it is whole");
        desk.sent.lock().unwrap().clear();

        // SAFETY: as above.
        let transfer = unsafe { engine.open_transfer(message_of(&message), envelope) }.expect("it opens");
        engine.bind(transfer, Handshake { buffer, wants_segments: true });
        for start in [0, half] {
            engine.put(transfer, address, start as i64, half as i64).expect("it is put");
        }
        assert_eq!(desk.ends.lock().unwrap()[2..], [false, true]);
        engine.send_fin(transfer).expect("it is whole");
        let sent = desk.sent.lock().unwrap();
        let parts = sent.iter().map(|control| match *control {
            Control::Segment { start, end, .. } => (start, end),
            Control::Fin { fin, .. } => (fin.bytes, fin.bytes),
            _ => panic!("{control:?}"),
        });
        assert!(parts.eq([(0, half), (half, 2 * half), (2 * half, 2 * half)]), "{sent:?}");
    }
}
