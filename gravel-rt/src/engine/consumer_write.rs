//! The consumer-initiated write protocol (Gravel 2008, section 2.1, figures 1a and 1d).
//!
//! | step | side | what |
//! |---|---|---|
//! | post_receive | consumer | registers the buffer, writes the handshake (a short receive only if it has to wait) |
//! | open_transfer | producer | takes the message's place in the order of (peer, communicator, tag) |
//! | put | producer | moves a segment, or queues it while the handshake has not come |
//! | send_fin | producer | ends the message: FIN after the last put |
//! | test | both | completes a request ([`super::completion`]) |
//!
//! A message that is longer than its receive moves no byte: its FIN says so, and both sides get the error.

use crate::Rank;
use crate::engine::Engine;
use crate::engine::protocol_use::mixture;
use crate::engine::ranges::SegmentNotices;
use crate::engine::segments::{Coverage, Segment, Source};
use crate::engine::transfer::{Initiation, NullOperation, Operation, Receive, Transfer, byte_range};
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::communicator::CommunicatorId;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Handshake, MAXIMUM_EAGER_DATA, RemoteBuffer, SendMode};
use crate::message::request::Handle;
use crate::message::wire::{Control, Ledger};

pub use super::completion::Completion;

/// Who a message goes to or comes from.
#[derive(Debug, Clone, Copy)]
pub struct Envelope {
    /// The other rank.
    pub peer: Rank,
    /// The communicator.
    pub communicator: CommunicatorId,
    /// The tag.
    pub tag: i32,
}

impl Envelope {
    /// What a message and its receive must agree on.
    #[inline(always)]
    pub fn key(&self) -> MatchKey {
        MatchKey { peer: self.peer, communicator: self.communicator, tag: self.tag }
    }
}

/// A contiguous message in this process's memory, or, until it is packed ([`super::packed`]), one whose bytes lie apart.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Address of its first byte.
    pub address: usize,
    /// The address by which the program names it: data may begin further on.
    pub named: usize,
    /// Number of elements.
    pub elements: u64,
    /// Bytes of one element; `elements * element_bytes` has been checked to fit.
    pub element_bytes: u64,
    /// See [`Transfer::advances_with_message`].
    pub advances_with_message: bool,
    /// See [`Transfer::parts_are_named`].
    pub parts_are_named: bool,
    /// What the end of its send says.
    pub mode: SendMode,
}

impl Message {
    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        self.elements * self.element_bytes
    }

    /// Byte range of `count` elements from `offset`, checked against the message.
    pub fn range(&self, offset: i64, count: i64) -> Result<(u64, u64)> {
        byte_range(self.elements, self.element_bytes, offset, count)
    }
}

impl Engine {
    /// Consumer: posts a receive. Its handshake leaves at once, unless the message is here already, or the receive is so
    /// short that its message will come without (see [`super::eager`]).
    ///
    /// # Safety
    /// The buffer must be valid for its length, and neither read nor written by others until the request completes.
    #[inline(always)]
    pub unsafe fn post_receive(
        &mut self,
        buffer: Message,
        envelope: Envelope,
        segments: SegmentNotices,
    ) -> Result<Handle> {
        let Envelope { peer, communicator, tag } = envelope;
        let (key, bytes) = (envelope.key(), buffer.bytes());
        if MemoryRange::new(buffer.address, bytes).is_none() {
            return Err(Error::InvalidCount { count: i64::MAX, element_bytes: bytes }.into());
        }
        let state = &mut self.state;
        let order = state.receives.entry(key);
        if order.needs_a_look()
            && let Err(error) =
                if order.is_new() { state.consuming.use_consumer_initiated(key) } else { Err(mixture(key.into())) }
        {
            self.refuse_announced(key);
            return Err(error);
        }
        // A short message comes in one piece. Where elements of the buffer are not those of the datatype, a range of the one
        // is no range of the other: every part is waited for as the whole.
        let wants_segments =
            segments == SegmentNotices::Wanted && bytes > MAXIMUM_EAGER_DATA && buffer.advances_with_message;
        let receive = Receive {
            peer,
            tag,
            communicator,
            address: buffer.address,
            bytes,
            element_bytes: buffer.element_bytes,
            parts_are_named: buffer.parts_are_named,
            number: Some(order.next_number()),
            announced: false,
            is_in_order: false,
            wants_segments,
            withdrawing: false,
            vain_tests: 0,
            fin: None,
        };
        let request = state.operations.insert(Operation::Receive(receive))?;
        if wants_segments {
            state.segments.insert(request, Coverage::default());
        }
        let (early, asked) = (order.post(request), order.asked());
        match early {
            Some(early) => self.receive_early(request, &early),
            None if asked.covers(bytes)
                || (bytes > MAXIMUM_EAGER_DATA && bytes > self.state.capabilities[peer].longest_eager) =>
            {
                self.send_handshake(request);
                self.provider.notify_soon();
            }
            None => {}
        }
        Ok(request)
    }

    /// Consumer: sends the handshake of a receive, if that has not been done and its message has not come.
    pub fn announce(&mut self, request: Handle) {
        if self.send_handshake(request) {
            self.provider.notify();
        }
    }

    /// As [`Engine::announce`], before the provider is told that there is something to be sent. True if there is.
    fn send_handshake(&mut self, request: Handle) -> bool {
        let Some(Operation::Receive(receive)) = self.state.operations.get_mut(request) else { return false };
        let &mut Receive { peer, communicator, tag, number: Some(number), .. } = receive else { return false };
        if receive.announced || receive.fin.is_some() {
            return false;
        }
        let Some(handshake) = self.offer_buffer(request) else { return false };
        self.send(peer, Control::Handshake { communicator, tag, number, handshake });
        true
    }

    /// Consumer: makes the buffer of a receive ready for puts of its peer. Returns what the peer must be told.
    pub(super) fn offer_buffer(&mut self, request: Handle) -> Option<Handshake> {
        let Some(Operation::Receive(receive)) = self.state.operations.get_mut(request) else { return None };
        let was_announced = std::mem::replace(&mut receive.announced, true);
        let &mut Receive { peer, address, bytes, wants_segments, .. } = receive;
        if !was_announced {
            self.state.note_announced(peer, bytes);
        }
        if let Some(buffer) = MemoryRange::new(address, bytes) {
            // SAFETY: the buffer of a posted receive is valid and the runtime's until its wait, by the contract of
            // `post_receive`.
            for entry in unsafe { self.provider.register(peer, request, buffer) } {
                self.send_entry(peer, Ledger::Handshake, entry);
            }
        }
        let buffer = RemoteBuffer { request, address: address as u64, bytes };
        Some(Handshake { buffer, wants_segments: wants_segments && !self.state.capabilities[peer].sees_landings })
    }

    /// Producer: opens the transfer of the next message.
    ///
    /// # Safety
    /// The message must be valid for its length until its request completes, and each segment must not be written
    /// from its put until then.
    pub unsafe fn open_transfer(&mut self, message: Message, envelope: Envelope) -> Result<Handle> {
        self.progress_peer(envelope.peer);
        let (number, handshake) = self.take_number(envelope.key())?;
        let handle = self.insert_numbered(message, envelope, number, handshake)?;
        if handshake.is_some() {
            return Ok(handle);
        }
        if message.mode == SendMode::Synchronous {
            self.ask_for_handshake(handle);
        }
        // What is put until its handshake comes waits. The peer does as this rank, mostly: it posts a receive, opens a message
        // that it computes then, and waits for the handshake that is kept here.
        if message.bytes() > self.state.capabilities[envelope.peer].longest_eager && self.provider.keeps_something() {
            self.provider.notify();
        }
        Ok(handle)
    }

    /// The number of the next message of a key, and its handshake, if that has come.
    #[inline(always)]
    fn take_number(&mut self, key: MatchKey) -> Result<(u64, Option<Handshake>)> {
        match self.state.matcher.open_next(key) {
            Some(opened) => Ok(opened),
            None => {
                self.state.producing.use_consumer_initiated(key)?;
                Ok(self.state.matcher.open(key))
            }
        }
    }

    /// The transfer of a numbered message.
    fn insert_numbered(
        &mut self,
        message: Message,
        envelope: Envelope,
        number: u64,
        handshake: Option<Handshake>,
    ) -> Result<Handle> {
        let handle = self.insert_transfer(message, envelope, Initiation::Consumer, number)?;
        match handshake {
            Some(handshake) => self.bind(handle, handshake),
            None => self.state.matcher.await_handshake(envelope.key(), number, handle),
        }
        Ok(handle)
    }

    /// A new transfer, which nothing has met yet.
    pub(super) fn insert_transfer(
        &mut self,
        message: Message,
        envelope: Envelope,
        initiation: Initiation,
        number: u64,
    ) -> Result<Handle> {
        let Envelope { peer, communicator, tag } = envelope;
        let transfer = Transfer {
            peer,
            communicator,
            tag,
            initiation,
            mode: message.mode,
            summoned: false,
            number,
            number_of_key: None,
            base: message.address,
            named: message.named,
            bytes: message.bytes(),
            elements: message.elements,
            element_bytes: message.element_bytes,
            advances_with_message: message.advances_with_message,
            parts_are_named: message.parts_are_named,
            coverage: Coverage::default(),
            target: None,
            queued: Default::default(),
            tells_segments: false,
            untold: Vec::new(),
            ended: false,
            fin_sent: false,
            in_flight: 0,
            kept: Vec::new(),
            copy: None,
            packs: None,
            detached: false,
            offered: false,
            read_in_place: false,
            cancelled: false,
            failure: None,
            deferred: false,
            ready: false,
        };
        self.state.operations.insert(Operation::Transfer(Box::new(transfer)))
    }

    /// An operation with MPI_PROC_NULL, complete from the start.
    pub fn open_null(&mut self, operation: NullOperation) -> Result<Handle> {
        self.state.operations.insert(Operation::Null(operation))
    }

    /// Producer: the open transfer of this handle; nothing for a transfer to nobody.
    pub fn open_transfer_of(&mut self, handle: Handle) -> Result<Option<&mut Transfer>> {
        match self.state.operations.get_mut(handle) {
            Some(Operation::Transfer(transfer)) if !transfer.ended => Ok(Some(transfer)),
            Some(Operation::Null(NullOperation::OpenTransfer)) => Ok(None),
            _ => Err(Error::StaleHandle { handle: handle.into_raw(), expected: "open transfer" }.into()),
        }
    }

    /// Producer: puts `count` elements from element `offset` on. `address` must be the message's. Does nothing where these
    /// elements are not the datatype's: the message leaves when it ends.
    pub fn put(&mut self, handle: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        let Some(transfer) = self.open_transfer_of(handle)? else {
            return Ok(());
        };
        if !transfer.parts_are_named {
            return Ok(());
        }
        let (start, end) = transfer.range(offset, count)?;
        if start == end {
            return Ok(());
        }
        if address != transfer.named {
            return Err(Error::BufferChanged { given: address, expected: transfer.named }.into());
        }
        // A short message leaves when it ends, with its FIN in the same entry, and does not need the handshake then.
        let is_short = transfer.bytes <= MAXIMUM_EAGER_DATA;
        if transfer.target.is_none() && !is_short && transfer.packs.is_none() {
            self.look_for_target(handle, end - start);
        }
        let Some(transfer) = self.open_transfer_of(handle)? else {
            return Ok(());
        };
        // Not before: what is covered has left, is queued, or is offered now.
        transfer.coverage.add(start, end)?;
        if transfer.failure.is_some() || transfer.packs.is_some() {
            // The message is lost already, and its request will say why; or it is packed, and leaves, as a whole.
            return Ok(());
        }
        let source = Source::Application(transfer.base + start as usize);
        let segment = Segment { offset: start, bytes: end - start, source };
        if is_short {
            transfer.queue(segment);
        } else {
            self.offer(handle, segment);
        }
        Ok(())
    }

    /// Producer: a put of so many bytes of a transfer would wait for a handshake, which may have come. It needs none if it is
    /// the whole message and that may leave without. A part of such a message does wait, so that handshakes should come early.
    fn look_for_target(&mut self, handle: Handle, bytes: u64) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get(handle) else { return };
        let peer = transfer.peer;
        let may_leave_without = transfer.may_travel_eagerly(self.state.capabilities[peer].longest_eager);
        if may_leave_without && bytes == transfer.bytes {
            return;
        }
        self.progress_peer(peer);
        if may_leave_without {
            self.ask_for_handshake(handle);
        }
    }

    /// Producer: ends the message. The handle names a request from now on.
    ///
    /// A loop without iterations puts nothing although the message may not be empty (the count of a nest is a product,
    /// and two negative trip counts have a positive one): the whole message, which nobody has touched, is put here.
    pub fn send_fin(&mut self, handle: Handle) -> Result<()> {
        let Some(transfer) = self.open_transfer_of(handle)? else {
            if let Some(operation) = self.state.operations.get_mut(handle) {
                *operation = Operation::Null(NullOperation::Request);
            }
            return Ok(());
        };
        transfer.ended = true;
        if transfer.packs.is_some() {
            transfer.pack();
        }
        if transfer.coverage.covered() == 0 && transfer.bytes > 0 && transfer.failure.is_none() {
            let segment = Segment { offset: 0, bytes: transfer.bytes, source: Source::Application(transfer.base) };
            self.offer(handle, segment);
            return Ok(());
        }
        let (covered, bytes, peer, tag) = (transfer.coverage.covered(), transfer.bytes, transfer.peer, transfer.tag);
        let result = if covered == bytes {
            Ok(())
        } else {
            let error: Box<Error> = Error::IncompleteMessage { covered, bytes, peer, tag }.into();
            // The caller has the error; the transfer lives on without it, to tell the consumer.
            transfer.forsake(error.clone());
            self.state.blamed = Some(transfer.communicator);
            Err(error)
        };
        self.deliver_or_defer(handle);
        result
    }

    /// Producer: ends a transfer whose message will not be completed. No byte of it is read any more; the consumer hears of
    /// it, in the message's place.
    pub fn give_up(&mut self, handle: Handle) -> Result<()> {
        let Some(transfer) = self.open_transfer_of(handle)? else {
            self.remove(handle);
            return Ok(());
        };
        let (covered, bytes, peer, tag) = (transfer.coverage.covered(), transfer.bytes, transfer.peer, transfer.tag);
        transfer.ended = true;
        transfer.forsake(Error::IncompleteMessage { covered, bytes, peer, tag }.into());
        self.deliver_or_defer(handle);
        Ok(())
    }

    /// Producer: the whole message at once. A message that has left already needs no request: its handle is null.
    ///
    /// # Safety
    /// As [`Engine::open_transfer`].
    #[inline(always)]
    pub unsafe fn post_send(&mut self, message: Message, envelope: Envelope) -> Result<Handle> {
        let (key, bytes) = (envelope.key(), message.bytes());
        let is_short = bytes <= MAXIMUM_EAGER_DATA;
        // What has found no room goes first, and there may be some by now.
        if !is_short || !self.state.ready[key.peer].is_empty() {
            self.progress_peer(envelope.peer);
        }
        let (number, handshake) = self.take_number(key)?;
        // A short message leaves at once, whether its receive is posted or not; unless that is known to be shorter, or others
        // wait for room already. A longer one may do so where its handshake has not come. A synchronous one waits for that.
        let leaves_eagerly = match handshake {
            Some(handshake) => is_short && bytes <= handshake.buffer.bytes,
            None => {
                message.mode == SendMode::Standard
                    && (is_short || bytes <= self.state.capabilities[key.peer].longest_eager)
            }
        };
        if leaves_eagerly && self.state.ready[key.peer].is_empty() {
            let source = std::ptr::with_exposed_provenance(message.address);
            // SAFETY: the message is valid by the contract of this function.
            if unsafe { self.provider.put_eager(key, number, source, bytes) } {
                self.provider.notify();
                return Ok(Handle::NULL);
            }
        }
        let handle = self.insert_numbered(message, envelope, number, handshake)?;
        if handshake.is_none() && message.mode == SendMode::Synchronous {
            self.ask_for_handshake(handle);
        }
        self.send_whole(handle)?;
        Ok(handle)
    }

    /// Producer: puts the whole message of a new transfer and ends it.
    pub(super) fn send_whole(&mut self, handle: Handle) -> Result<()> {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else {
            return Err(Error::Internal("a transfer vanished while it was opened".into()).into());
        };
        transfer.ended = true;
        if transfer.bytes > 0 && transfer.failure.is_none() {
            let segment = Segment { offset: 0, bytes: transfer.bytes, source: Source::Application(transfer.base) };
            self.offer(handle, segment);
        } else {
            self.deliver_or_defer(handle);
        }
        Ok(())
    }
}
