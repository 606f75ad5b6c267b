//! Spilled messages that their consumer reads.
//!
//! A message whose program waits for its send before the handshake has come is copied ([`super::eager`]). To deliver the copy
//! when the handshake comes would need this process again, just when it computes: its helper thread would have to be woken,
//! on a processor that is wanted. So where the consumer can read this process's memory it is told where the copy lies. It
//! reads it into the receive of the message's number as soon as that is posted, and releases it. The handshake, which may be
//! on its way, is dropped when it comes, as that of eager data is; so each message has one way only, which its producer
//! chooses.
//!
//! This is the second half of the producer-initiated read protocol (Gravel 2008, section 2.1, figure 1c), for messages that
//! their consumer has numbered.

use super::announcements::Announcement;
use super::producer_read::LongReads;
use super::transfer::{Initiation, Operation};
use crate::engine::{Engine, State};
use crate::memory::MemoryRange;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus, RemoteMessage};
use crate::message::request::Handle;
use crate::message::wire::{Control, Ledger};

impl Engine {
    /// Producer: offers a spilled message to its consumer. False if it has to be delivered from here.
    pub(super) fn offer_spilled(&mut self, handle: Handle) -> bool {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return false };
        let is_unmet = transfer.initiation == Initiation::Consumer && transfer.target.is_none();
        let [copy] = transfer.queued.make_contiguous() else { return false };
        let is_whole = copy.bytes == transfer.bytes;
        if !is_unmet || !is_whole || transfer.failure.is_some() || !self.state.capabilities[transfer.peer].can_be_read {
            return false;
        }
        let address = copy.address().expose_provenance();
        let (peer, bytes) = (transfer.peer, transfer.bytes);
        transfer.offered = true;
        self.state.deferred_transfers -= usize::from(std::mem::take(&mut transfer.deferred));
        let (key, number) = (transfer.key(), transfer.number);
        let message = RemoteMessage { transfer: handle, bytes, address: Some(address as u64) };
        self.state.matcher.withdraw(key, number);
        // It need not be registered to be read, but the peer may have known other memory at this address.
        if let Some(copy) = MemoryRange::new(address, bytes) {
            // SAFETY: the copy is the transfer's own, and unwritten until that is released.
            for entry in unsafe { self.provider.register(peer, handle, copy) } {
                self.send_entry(peer, Ledger::Handshake, entry);
            }
        }
        let MatchKey { peer, communicator, tag } = key;
        self.send(peer, Control::Spilled { communicator, tag, number, message });
        self.provider.notify();
        true
    }

    /// Consumer: a receive is posted of whose message something has come already.
    #[inline(always)]
    pub(super) fn receive_early(&mut self, request: Handle, early: &Announcement) {
        match early {
            Announcement::Data(data) => self.state.finish_eagerly(request, data),
            Announcement::Remote(message) => self.receive_spilled(request, *message),
        }
    }

    #[cold]
    fn receive_spilled(&mut self, request: Handle, message: RemoteMessage) {
        self.state.read_spilled(request, message);
        let mut unlimited = u64::MAX;
        // Nobody waits for it: the send is over.
        self.do_announced_work(&mut unlimited, LongReads::Later);
    }
}

impl State {
    /// Consumer: a message can be read.
    pub(crate) fn spilled(&mut self, key: MatchKey, number: u64, message: RemoteMessage) {
        if number == 0 && self.receives.entry(key).is_new() && self.note_consumer_initiated(key) {
            self.refuse(key.peer, message.transfer);
            return;
        }
        if let Some(request) = self.receives.entry(key).arrive_spilled(number, message) {
            self.read_spilled(request, message);
        }
    }

    /// Has a message read into its receive, unless it is too long. Its send has completed: as with eager data, only a wait
    /// of the consumer can return that error.
    fn read_spilled(&mut self, request: Handle, message: RemoteMessage) {
        let Some(Operation::Receive(receive)) = self.operations.get(request) else { return };
        let (peer, posted) = (receive.peer, receive.bytes);
        if message.bytes <= posted {
            self.to_answer.push_back((request, message));
            self.announced_work = true;
            return;
        }
        self.tell_too_long(request, message.bytes);
        self.finish_receive(peer, request, Fin { status: FinStatus::Truncated, bytes: message.bytes });
        self.reply(peer, Control::Release { transfer: message.transfer, refused: false });
    }
}
