//! The producer-initiated write protocol (Gravel 2008, section 2.1, figure 1b): for messages that their consumer has to
//! match, because it receives from any source or with any tag.
//!
//! | step | side | what |
//! |---|---|---|
//! | announce_transfer | producer | takes the message's place in the order, announces it |
//! | put, send_fin | producer | as in [`super::consumer_write`]; puts are queued until the answer comes |
//! | post_announced_receive | consumer | meets the first announcement that it takes, or waits for one |
//! | (progress) | consumer | answers the announcement with the buffer that it met |
//! | test | both | completes a request |
//!
//! A message that is there as a whole, and no longer than the interconnect takes as eager data, is its own announcement:
//! it travels so, and nobody answers it. It is read straight into its receive where that is possible
//! ([`super::eager_landing`]). One that is opened and put is kept until its end, where that is no longer either; unless
//! another message is opened before ([`super::short_transfer`]): then it is announced, for others must not have to wait for
//! it; or it is synchronous: then its end needs an answer. The consumer does not have to know which way a message comes: [`super::producer_read`] announces to the same
//! receives. A receive of one source and tag may tell where it is before any announcement ([`super::grants`]).

use crate::Rank;
use crate::engine::announcements::{Announcement, Met, Turn};
use crate::engine::consumer_write::{Envelope, Message};
use crate::engine::grants::Found;
use crate::engine::producer_read::{Fetch, LongReads};
use crate::engine::protocol_use::mixture;
use crate::engine::transfer::{Awaiting, Initiation, Operation};
use crate::engine::{Engine, State};
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::communicator::CommunicatorId;
use crate::message::matching::{MatchKey, Pattern};
use crate::message::rendezvous::{Handshake, RemoteMessage, SendMode};
use crate::message::request::Handle;
use crate::message::wire::{ANNOUNCED, Control, Ledger};
use crate::sys::log;

/// A message that waits at this consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its producer.
    pub source: Rank,
    /// Its tag.
    pub tag: i32,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Engine {
    /// Producer: announces a message and opens its transfer.
    ///
    /// # Safety
    /// As [`Engine::open_transfer`].
    pub unsafe fn announce_transfer(&mut self, message: Message, envelope: Envelope) -> Result<Handle> {
        self.state.producing.use_announced(envelope.key().into())?;
        self.insert_announced(message, envelope, None)
    }

    /// Producer: announces a whole message. One that has left as eager data needs no request: its handle is null. One of more
    /// than `write_limit` bytes is offered for reading, and must stay where it is until that has happened.
    ///
    /// # Safety
    /// As [`Engine::open_transfer`], with the whole message as one segment.
    #[inline(always)]
    pub unsafe fn post_announced_send(
        &mut self,
        message: Message,
        envelope: Envelope,
        write_limit: u64,
    ) -> Result<Handle> {
        let (key, bytes) = (envelope.key(), message.bytes());
        self.state.producing.use_announced(key.into())?;
        if bytes > self.state.capabilities[envelope.peer].longest_eager || message.mode == SendMode::Synchronous {
            let address = (bytes > write_limit).then_some(message.address);
            let handle = self.insert_announced(message, envelope, address)?;
            self.send_whole(handle)?;
            return Ok(handle);
        }
        let next = self.state.next_announcement(envelope.peer, envelope.communicator);
        let number = *next;
        let source = std::ptr::with_exposed_provenance(message.address);
        // SAFETY: the message is valid by the contract of this function.
        if unsafe { self.provider.put_eager(key, number | ANNOUNCED, source, bytes) } {
            *next += 1;
            self.count_announced(key);
            self.provider.notify();
            return Ok(Handle::NULL);
        }
        let handle = self.insert_transfer(message, envelope, Initiation::ProducerEagerly, number)?;
        *self.state.next_announcement(envelope.peer, envelope.communicator) += 1;
        self.count_announced(key);
        self.send_whole(handle)?;
        Ok(handle)
    }

    /// The transfer of a message whose announcement is on its way; it can be read at the address, if there is one.
    fn insert_announced(&mut self, message: Message, envelope: Envelope, address: Option<usize>) -> Result<Handle> {
        let Envelope { peer, communicator, tag } = envelope;
        if self.state.capabilities[peer].grants_come_first {
            // The grant of its receive may be there.
            self.progress_peer(peer);
        }
        let number = *self.state.next_announcement(peer, communicator);
        let transfer = self.insert_transfer(message, envelope, Initiation::Producer, number)?;
        *self.state.next_announcement(peer, communicator) += 1;
        let bytes = message.bytes();
        if let Some(buffer) = address.and_then(|address| MemoryRange::new(address, bytes)) {
            // SAFETY: the message is valid, and unwritten until its wait, by the contract of `post_announced_send`.
            for entry in unsafe { self.provider.register(peer, transfer, buffer) } {
                self.send_entry(peer, Ledger::Handshake, entry);
            }
        }
        if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(transfer) {
            transfer.read_in_place = address.is_some();
        }
        let message = RemoteMessage { transfer, bytes, address: address.map(|address| address as u64) };
        self.send(peer, Control::Announcement { communicator, tag, number, message });
        self.number_announced(transfer, envelope.key());
        self.provider.notify();
        Ok(transfer)
    }

    /// Consumer: posts a receive for an announced message.
    ///
    /// # Safety
    /// The buffer must be valid for its length, and neither read nor written by others until the request completes.
    #[inline(always)]
    pub unsafe fn post_announced_receive(&mut self, buffer: Message, pattern: Pattern) -> Result<Handle> {
        let bytes = buffer.bytes();
        if MemoryRange::new(buffer.address, bytes).is_none() {
            return Err(Error::InvalidCount { count: i64::MAX, element_bytes: bytes }.into());
        }
        self.receive_announced(pattern)?;
        let Message { address, element_bytes, parts_are_named, .. } = buffer;
        let awaiting = Awaiting { pattern, address, bytes, element_bytes, parts_are_named };
        let request = self.state.operations.insert(Operation::Awaiting(awaiting))?;
        self.state.unmatched_receives += usize::from(awaiting.may_need_an_answer());
        if let Some(Met { key, announcement, is_awaited }) = self.state.announcements.post(pattern, request) {
            self.state.meet(request, key, announcement);
            let mut unlimited = u64::MAX;
            self.do_announced_work(&mut unlimited, if is_awaited { LongReads::Now } else { LongReads::Later });
            self.provider.notify();
        } else {
            self.grant_if_certain(request, &awaiting);
        }
        Ok(request)
    }

    /// Consumer: the message that a receive of this pattern would take now.
    pub fn waiting_message(&mut self, pattern: Pattern) -> Result<Option<Waiting>> {
        self.receive_announced(pattern)?;
        let waiting = self.state.announcements.peek(pattern);
        Ok(waiting.map(|(key, announcement)| Waiting { source: key.peer, tag: key.tag, bytes: announcement.bytes() }))
    }

    /// Consumer: messages of this pattern are received by the producer-initiated protocols. If they can't be, the sends that
    /// wait for another answer are refused.
    #[inline(always)]
    fn receive_announced(&mut self, pattern: Pattern) -> Result<()> {
        self.state.consuming.use_announced(pattern).or_else(|error| self.refuse_mixture(pattern, error))
    }

    #[cold]
    fn refuse_mixture(&mut self, pattern: Pattern, error: Box<Error>) -> Result<()> {
        let refused: Vec<_> = self.state.questions.extract_if(|key, _| pattern.covers(*key)).collect();
        for (key, transfer) in refused {
            self.state.refuse(key.peer, transfer);
        }
        self.send_replies();
        Err(error)
    }

    /// Consumer: messages of this key are received by the consumer-initiated protocol: those that were announced are refused.
    #[cold]
    pub(super) fn refuse_announced(&mut self, key: MatchKey) {
        let refused: Vec<_> = self.state.announcements.drain(key).collect();
        for announcement in refused {
            if let Announcement::Remote(message) = announcement {
                self.state.refuse(key.peer, message.transfer);
            }
        }
        self.send_replies();
    }

    /// Consumer: tells the producer of a message where it goes, or begins to read it.
    pub(super) fn answer(&mut self, request: Handle, message: RemoteMessage) {
        let Some(Operation::Receive(receive)) = self.state.operations.get(request) else { return };
        let peer = receive.peer;
        // A message that is too long is not read: its producer finds out, as for any other.
        if let Some(address) = message.address
            && message.bytes <= receive.bytes
        {
            self.state.fetching.push_back(Fetch::new(request, peer, message, address));
            return;
        }
        self.answer_with_buffer(request, peer, message.transfer);
    }

    /// Consumer: asks the producer to put the message into the buffer of the receive that it met.
    pub(super) fn answer_with_buffer(&mut self, request: Handle, peer: Rank, transfer: Handle) {
        if let Some(handshake) = self.offer_buffer(request) {
            self.send(peer, Control::Answer { transfer, handshake });
        }
    }

    /// Takes back all receives that no announcement has met: at the end, so that no announcement that still comes is
    /// answered with a buffer that is about to go.
    pub fn withdraw_unmatched(&mut self) {
        self.state.announcements.withdraw_all();
        self.state.unmatched_receives = 0;
    }
}

impl State {
    /// The number of the next message that is announced to a peer on a communicator.
    #[inline(always)]
    pub(super) fn next_announcement(&mut self, peer: Rank, communicator: CommunicatorId) -> &mut u64 {
        self.announced.entry((peer, communicator))
    }

    /// Consumer: an announcement came.
    pub(crate) fn announcement(&mut self, key: MatchKey, number: u64, announcement: Announcement) {
        if !self.announcements.is_next(key.peer, key.communicator, number) {
            self.announcements.hold(key, number, Turn::Message(announcement));
            return;
        }
        match self.announcements.meet(key) {
            Some(request) => self.meet(request, key, announcement),
            None => self.keep(key, announcement),
        }
        self.take_held(key.peer, key.communicator);
    }

    /// Consumer: a message came that is its own announcement. The bytes are copied only where they have to wait.
    #[inline(always)]
    pub(crate) fn announced_data(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        if !self.announcements.is_next(key.peer, key.communicator, number) {
            self.announcements.hold(key, number, Turn::Message(Announcement::Data(bytes.into())));
            return;
        }
        match self.announcements.meet(key) {
            Some(request) => {
                if self.become_receive(request, key) != Found::Over {
                    self.finish_eagerly(request, bytes);
                }
            }
            None => self.keep(key, Announcement::Data(bytes.into())),
        }
        self.take_held(key.peer, key.communicator);
    }

    /// Takes what was held and whose turn has come.
    #[inline(always)]
    pub(super) fn take_held(&mut self, peer: Rank, communicator: CommunicatorId) {
        while let Some((tag, turn)) = self.announcements.next_held(peer, communicator) {
            let key = MatchKey { peer, communicator, tag };
            let announcement = match turn {
                Turn::Message(announcement) => announcement,
                Turn::Revoked(request) => {
                    self.end_revoked(key, request);
                    continue;
                }
            };
            match self.announcements.meet(key) {
                Some(request) => self.meet(request, key, announcement),
                None => self.keep(key, announcement),
            }
        }
    }

    /// A posted receive and an announced message have met.
    pub(super) fn meet(&mut self, request: Handle, key: MatchKey, announcement: Announcement) {
        match (self.become_receive(request, key), announcement) {
            (Found::Over, _) => {}
            (_, Announcement::Data(data)) => self.finish_eagerly(request, &data),
            // Its producer puts it.
            (Found::Granted, Announcement::Remote(_)) => {}
            (Found::Waiting, Announcement::Remote(message)) => {
                self.to_answer.push_back((request, message));
                self.announced_work = true;
            }
        }
    }

    /// A receive has met a message of this key.
    #[inline(always)]
    pub(super) fn become_receive(&mut self, request: Handle, key: MatchKey) -> Found {
        let Some(operation) = self.operations.get_mut(request) else { return Found::Over };
        let Operation::Awaiting(awaiting) = *operation else { return self.leave_order(request) };
        *operation = Operation::Receive(awaiting.met(key));
        self.unmatched_receives -= usize::from(awaiting.may_need_an_answer());
        Found::Waiting
    }

    /// Keeps a message until a receive is posted that takes it, if one can ever be.
    #[inline(never)]
    fn keep(&mut self, key: MatchKey, announcement: Announcement) {
        let Err(error) = self.consuming.use_announced(key.into()) else {
            self.announcements.keep(key, announcement);
            return;
        };
        log::error!("rank {} announced a message that can't be received: {error}", key.peer);
        if let Announcement::Remote(RemoteMessage { transfer, .. }) = announcement {
            self.refuse(key.peer, transfer);
        }
        // Their messages will not come. No producer that has announced a message of a key puts others of that key, so
        // nobody writes these buffers any more.
        for request in self.receives.entry(key).mix() {
            self.fail(request, error.clone());
        }
    }

    /// A consumer-initiated message of this key is known to exist. True if none of that key can be received, because they
    /// are received by another protocol; then a receive that waits for one is told.
    pub(crate) fn note_consumer_initiated(&mut self, key: MatchKey) -> bool {
        if self.consuming.note_consumer_initiated(key) {
            return false;
        }
        let error = mixture(key.into());
        log::error!("rank {} sent a message that can't be received: {error}", key.peer);
        if let Some(request) = self.announcements.meet(key) {
            self.fail(request, error);
        }
        true
    }

    /// Tells a producer that its message can't be received.
    pub(crate) fn refuse(&mut self, peer: Rank, transfer: Handle) {
        self.reply(peer, Control::Release { transfer, refused: true });
    }

    /// Ends an operation with an error.
    fn fail(&mut self, request: Handle, error: Box<Error>) {
        let Some(operation) = self.operations.get_mut(request) else { return };
        let Some(communicator) = operation.communicator() else { return };
        match std::mem::replace(operation, Operation::Failed { error, communicator }) {
            Operation::Receive(receive) => {
                self.segments.remove(&request);
                self.close_receive(&receive);
            }
            Operation::Awaiting(awaiting) => self.unmatched_receives -= usize::from(awaiting.may_need_an_answer()),
            Operation::Transfer(_) | Operation::Null(_) | Operation::Failed { .. } => {}
        }
    }

    /// An awaiting receive is given up.
    pub(crate) fn forget_awaiting(&mut self, awaiting: &Awaiting, request: Handle) {
        if self.announcements.withdraw(awaiting.pattern, request) {
            self.unmatched_receives -= usize::from(awaiting.may_need_an_answer());
        }
    }

    /// Producer: the consumer says where an announced message goes.
    pub(crate) fn answered(&mut self, peer: Rank, transfer: Handle, handshake: Handshake) {
        match self.operations.get(transfer) {
            Some(Operation::Transfer(open))
                if open.peer == peer
                    && (open.initiation == Initiation::Producer || open.offered)
                    && open.target.is_none() =>
            {
                self.met.push_back((transfer, handshake));
                self.forget_number(transfer);
            }
            _ => log::error!("rank {peer} answered an announcement that was not made: internal error"),
        }
    }

    /// Producer: the consumer has read a message, or can't receive it.
    pub(crate) fn released(&mut self, peer: Rank, handle: Handle, refused: bool) {
        let transfer = match self.operations.get_mut(handle) {
            Some(Operation::Transfer(transfer))
                if transfer.peer == peer && transfer.target.is_none() && !transfer.fin_sent =>
            {
                transfer
            }
            // The handshake and the question may have crossed.
            _ if refused => return,
            _ => {
                log::error!("rank {peer} released a message that was not offered: internal error");
                return;
            }
        };
        transfer.queued.clear();
        transfer.fin_sent = true;
        self.deferred_transfers -= usize::from(std::mem::take(&mut transfer.deferred));
        let (key, number, detached) = (transfer.key(), transfer.number, transfer.detached);
        let number_of_key = transfer.number_of_key;
        if transfer.initiation == Initiation::Consumer {
            self.matcher.withdraw(key, number);
        }
        if let Some(number) = number_of_key {
            self.grants.withdraw(key, number);
        }
        if refused {
            let error = mixture(key.into());
            if detached {
                log::error!("a send that had completed could not be delivered: {error}");
            }
            transfer.failure.get_or_insert(error);
            self.producing.was_refused(key);
        }
        if detached {
            self.operations.remove(handle);
            self.to_release.push(handle);
        }
    }
}
