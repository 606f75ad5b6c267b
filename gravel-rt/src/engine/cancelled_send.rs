//! Cancelling a send.
//!
//! MPI lets an implementation choose: a send that is cancelled either is taken back or succeeds, never both (MPI 4.0, section
//! 3.8.4). Here it always succeeds, so no number of a message is ever given back. What the standard asks for all the same
//! is that its end becomes local: a wait for it returns whatever other processes do, although nobody may ever receive
//! the message. So the runtime takes what has not left into memory of its own, however much that is, and the buffer is the
//! program's again when nobody reads it any more:
//!
//! - an adapter may be reading pieces that have left, which it finishes by itself;
//! - the consumer may have been told where the message lies ([`super::producer_read`]). It is asked not to read it there
//!   ([`Control::Recall`]). If no receive has met the message, it forgets the place, says so ([`Control::Recalled`]), and asks
//!   for the message when one has ([`super::producer_write`]). Else it is reading, or about to, and its release says when
//!   that is over. Either answer is its helper's, where its application is elsewhere.
//!
//! Such a message that nobody receives is dropped at the end of the job, as any other that was spilled.
//!
//! The end of a synchronous send says that its receive was posted, which no copy can bring about: its cancel changes nothing.

use super::eager;
use super::transfer::{Operation, Transfer};
use crate::Rank;
use crate::engine::{Engine, State};
use crate::error::{Error, Result};
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{RemoteMessage, SendMode};
use crate::message::request::Handle;
use crate::message::wire::Control;

impl Transfer {
    /// Whether it was cancelled, and the program's buffer is not needed any more, although the message has not left.
    pub(super) fn is_let_go(&self) -> bool {
        self.cancelled
            && self.in_flight == 0
            && self.failure.is_none()
            // One that was answered is put, and not read.
            && (!self.read_in_place || self.target.is_some())
    }
}

impl Engine {
    /// Producer: sees to it that a send ends without its receiver. One that is over stays so.
    pub(super) fn cancel_send(&mut self, handle: Handle) -> Result<()> {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return Ok(()) };
        let is_settled = transfer.fin_sent || transfer.failure.is_some() || transfer.cancelled;
        if is_settled || transfer.mode == SendMode::Synchronous {
            return Ok(());
        }
        if transfer.copy.is_some() {
            // Where the message lies is the runtime's.
            transfer.read_in_place = false;
        } else if !eager::spill(transfer) {
            return Err(Error::System {
                what: format!("copying a message of {} bytes, whose send is cancelled", transfer.bytes),
                cause: "not enough memory".into(),
            }
            .into());
        }
        transfer.cancelled = true;
        if transfer.read_in_place && transfer.target.is_none() {
            let MatchKey { peer, communicator, tag } = transfer.key();
            let number = transfer.number;
            self.send(peer, Control::Recall { communicator, tag, number, transfer: handle });
            self.provider.notify();
            self.summon(peer);
        } else if !self.offer_spilled(handle) {
            self.ask_for_handshake(handle);
        }
        Ok(())
    }

    /// Whether this is a send that was cancelled.
    pub fn is_cancelled_send(&self, handle: Handle) -> bool {
        matches!(self.state.operations.get(handle), Some(Operation::Transfer(transfer)) if transfer.cancelled)
    }
}

impl State {
    /// Consumer: a message is not to be read where it lies. One that has met a receive is, and is released then.
    pub(crate) fn recall(&mut self, key: MatchKey, number: u64, transfer: Handle) {
        self.announcements.forget_place(key, number, transfer);
        self.forget_taken(key.peer, transfer);
        if !self.is_reading(key.peer, transfer) {
            self.reply(key.peer, Control::Recalled { transfer });
        }
    }

    /// A message that a probe has taken is received, or can't be read any more. False if it could not be before.
    pub(super) fn forget_taken(&mut self, peer: Rank, transfer: Handle) -> bool {
        let place = self.taken_in_place.iter().position(|&taken| taken == (peer, transfer));
        place.map(|place| self.taken_in_place.swap_remove(place)).is_some()
    }

    /// Whether a message has met a receive and is read, or will be.
    fn is_reading(&self, peer: Rank, transfer: Handle) -> bool {
        let will_be = |&(request, message): &(Handle, RemoteMessage)| {
            let receive = self.operations.get(request);
            message.transfer == transfer && matches!(receive, Some(Operation::Receive(receive)) if receive.peer == peer)
        };
        self.to_answer.iter().any(will_be) || self.fetching.iter().any(|fetch| fetch.is_of(peer, transfer))
    }

    /// Producer: the consumer does not read the message.
    pub(crate) fn recalled(&mut self, peer: Rank, handle: Handle) {
        if let Some(Operation::Transfer(transfer)) = self.operations.get_mut(handle)
            && transfer.peer == peer
        {
            transfer.read_in_place = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::completion::Completion;
    use crate::engine::consumer_write::{Envelope, Message};
    use crate::engine::tests::message_of;
    use crate::message::communicator::CommunicatorId;
    use crate::message::rendezvous::{Handshake, RemoteBuffer};
    use crate::provider::desk::{Desk, PEER};

    const BYTES: usize = 20_000;
    const ENVELOPE: Envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };

    fn engine() -> (Engine, Desk) {
        let desk = Desk::default();
        (Engine::new(0, 2, Box::new(desk.clone())), desk)
    }

    /// A message that its consumer may read where it lies.
    fn offer(engine: &mut Engine, message: Message) -> Handle {
        // SAFETY: the tests' messages outlive their engines.
        unsafe { engine.post_announced_send(message, ENVELOPE, 0) }.expect("it is announced")
    }

    fn comes(engine: &mut Engine, desk: &Desk, control: Control) {
        *desk.coming.lock().unwrap() = Some(control);
        engine.progress(u64::MAX);
    }

    fn answer(transfer: Handle) -> Control {
        let buffer = RemoteBuffer { request: Handle::from_raw(9), address: 0, bytes: BYTES as u64 };
        Control::Answer { transfer, handshake: Handshake { buffer, wants_segments: false } }
    }

    /// Other memory may lie there soon: an interconnect that remembers what it was would read that.
    #[test]
    fn memory_that_is_given_back_is_released_at_once() {
        let message = vec![7u8; BYTES];
        let (mut engine, desk) = engine();
        let transfer = offer(&mut engine, message_of(&message));
        engine.cancel(transfer).expect("a send may be cancelled");
        assert!(matches!(desk.sent.lock().unwrap().last(), Some(Control::Recall { .. })));
        assert_eq!(engine.test(transfer), Ok(None), "it may be read");
        comes(&mut engine, &desk, Control::Recalled { transfer });
        assert!(desk.released.lock().unwrap().is_empty(), "the program has not been told");
        assert_eq!(engine.test(transfer), Ok(Some(Completion::Empty)));
        assert_eq!(*desk.released.lock().unwrap(), [transfer]);
        // It is put from the copy then, which is memory of the transfer, too.
        comes(&mut engine, &desk, answer(transfer));
        assert_eq!(*desk.ends.lock().unwrap(), [true]);
        assert_eq!(*desk.released.lock().unwrap(), [transfer, transfer]);
        assert!(engine.state.operations.get(transfer).is_none());
    }

    /// Likewise where the end of a wait copies what is left, and a part of it may have been written from where it was.
    #[test]
    fn so_is_that_of_a_message_that_was_spilled() {
        let message = vec![7u8; BYTES];
        let (mut engine, desk) = engine();
        // SAFETY: the message outlives the engine.
        let transfer = unsafe { engine.post_send(message_of(&message), ENVELOPE) }.expect("it is sent");
        assert!(engine.spill(transfer, BYTES as u64));
        assert_eq!(*desk.released.lock().unwrap(), [transfer]);
    }

    /// Answers that cross the recall, in each order.
    #[test]
    fn what_crosses_the_recall_ends_the_send_once() {
        let message = vec![7u8; BYTES];
        let release = |transfer| Control::Release { transfer, refused: false };
        let recalled = |transfer| Control::Recalled { transfer };
        for (first, second) in
            [(release as fn(Handle) -> Control, recalled as fn(Handle) -> Control), (recalled, release)]
        {
            let (mut engine, desk) = engine();
            let transfer = offer(&mut engine, message_of(&message));
            engine.cancel(transfer).expect("a send may be cancelled");
            comes(&mut engine, &desk, first(transfer));
            assert_eq!(engine.test(transfer), Ok(Some(Completion::Empty)));
            comes(&mut engine, &desk, second(transfer));
            assert!(engine.state.operations.is_empty(), "nothing is left of it");
        }
        let (mut engine, desk) = engine();
        let transfer = offer(&mut engine, message_of(&message));
        engine.cancel(transfer).expect("a send may be cancelled");
        comes(&mut engine, &desk, answer(transfer));
        assert_eq!(engine.test(transfer), Ok(Some(Completion::Empty)), "all of it was put");
        comes(&mut engine, &desk, recalled(transfer));
        assert!(engine.state.operations.is_empty(), "nothing is left of it");
    }

    /// A second cancel, or one of a send that is over, changes nothing; a synchronous one goes on.
    #[test]
    fn a_send_is_recalled_once() {
        let message = vec![7u8; BYTES];
        let (mut engine, desk) = engine();
        let transfer = offer(&mut engine, message_of(&message));
        for _ in 0..2 {
            engine.cancel(transfer).expect("a send may be cancelled");
        }
        let synchronous = offer(&mut engine, Message { mode: SendMode::Synchronous, ..message_of(&message) });
        engine.cancel(synchronous).expect("a send may be cancelled");
        let sent = desk.sent.lock().unwrap();
        let recalls = sent.iter().filter(|control| matches!(control, Control::Recall { .. }));
        assert_eq!(recalls.count(), 1, "{sent:?}");
        assert!(!engine.is_cancelled_send(synchronous));
    }
}
