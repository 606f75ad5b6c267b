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
