//! The consumer-initiated write protocol (Gravel 2008, section 2.1, figures 1a and 1d).
//!
//! | step | side | what |
//! |---|---|---|
//! | post_receive | consumer | registers the buffer, writes the handshake (a short receive only if it has to wait) |
//! | open_transfer | producer | takes the message's place in the order of (peer, communicator, tag) |
//! | put | producer | moves a segment, or queues it while the handshake has not come |
//! | send_fin | producer | ends the message: FIN after the last put |
//! | test | both | completes a request |
//!
//! A message that is longer than its receive moves no byte: its FIN says so, and both sides get the error.

use crate::Rank;
use crate::communicator::CommunicatorId;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::matching::MatchKey;
use crate::memory::MemoryRange;
use crate::protocol::eager;
use crate::protocol::segments::{Coverage, Segment, Source};
use crate::protocol::transfer::{NullOperation, Operation, Receive, RemoteBuffer, Transfer, byte_range};
use crate::protocol::wire::{Control, FinStatus, Ledger};
use crate::request::Handle;

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
    pub fn key(&self) -> MatchKey {
        MatchKey { peer: self.peer, communicator: self.communicator, tag: self.tag }
    }
}

/// A contiguous message in this process's memory.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Address of its first byte.
    pub address: usize,
    /// Number of elements.
    pub elements: u64,
    /// Bytes of one element; `elements * element_bytes` has been checked to fit.
    pub element_bytes: u64,
    /// See [`Transfer::advances_with_message`].
    pub advances_with_message: bool,
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

/// What a completed request was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// A null request, or a send: the status says nothing.
    Empty,
    /// An operation with MPI_PROC_NULL.
    ProcNull,
    /// A receive.
    Received {
        /// Source: its rank in the communicator of the receive.
        source: Rank,
        /// Tag.
        tag: i32,
        /// Length of the message in bytes.
        bytes: u64,
    },
}

impl Engine {
    /// Consumer: posts a receive. Its handshake leaves at once, unless the message is here already, or the receive is so
    /// short that its message will come without (see [`Engine::announce`]).
    ///
    /// # Safety
    /// The buffer must be valid for its length, and neither read nor written by others until the request completes.
    pub unsafe fn post_receive(&mut self, address: usize, bytes: u64, envelope: Envelope) -> Result<Handle> {
        if MemoryRange::new(address, bytes).is_none() {
            return Err(Error::InvalidCount { count: i64::MAX, element_bytes: bytes }.into());
        }
        let Envelope { peer, communicator, tag } = envelope;
        let receive = Receive { peer, tag, communicator, address, bytes, number: 0, announced: false, fin: None };
        let request = self.state.operations.insert(Operation::Receive(receive))?;
        let (number, early) = self.state.receives.entry(envelope.key()).post(request);
        if let Some(Operation::Receive(receive)) = self.state.operations.get_mut(request) {
            receive.number = number;
        }
        match early {
            Some(early) => self.state.finish_eagerly(request, &early),
            None if bytes > eager::MAXIMUM_EAGER_DATA => self.announce(request),
            None => {}
        }
        Ok(request)
    }

    /// Consumer: sends the handshake of a receive, if that has not been done and its message has not come.
    pub fn announce(&mut self, request: Handle) {
        let Some(Operation::Receive(receive)) = self.state.operations.get_mut(request) else { return };
        if receive.announced || receive.fin.is_some() {
            return;
        }
        receive.announced = true;
        let &mut Receive { peer, communicator, tag, number, address, bytes, .. } = receive;
        if self.state.is_polled(peer) {
            self.state.polled_receives += 1;
        }
        if let Some(buffer) = MemoryRange::new(address, bytes) {
            // SAFETY: the buffer of a posted receive is valid and the runtime's until its wait, by the contract of
            // `post_receive`.
            for entry in unsafe { self.provider.register(peer, buffer) } {
                self.send_entry(peer, Ledger::Handshake, entry);
            }
        }
        let buffer = RemoteBuffer { request, address: address as u64, bytes };
        self.send(peer, Control::Handshake { communicator, tag, number, buffer });
        self.provider.notify();
    }

    /// Producer: opens the transfer of the next message.
    ///
    /// # Safety
    /// The message must be valid for its length until its request completes, and each segment must not be written
    /// from its put until then.
    pub unsafe fn open_transfer(&mut self, message: Message, envelope: Envelope) -> Result<Handle> {
        self.progress_peer(envelope.peer);
        let (number, target) = self.state.matcher.open(envelope.key());
        self.insert_transfer(message, envelope, number, target)
    }

    /// The transfer of the message with this number, and its target if the handshake has come.
    fn insert_transfer(
        &mut self,
        message: Message,
        envelope: Envelope,
        number: u64,
        target: Option<RemoteBuffer>,
    ) -> Result<Handle> {
        let Envelope { peer, communicator, tag } = envelope;
        let transfer = Transfer {
            peer,
            communicator,
            tag,
            number,
            base: message.address,
            bytes: message.bytes(),
            elements: message.elements,
            element_bytes: message.element_bytes,
            advances_with_message: message.advances_with_message,
            coverage: Coverage::default(),
            target: None,
            queued: Default::default(),
            ended: false,
            fin_sent: false,
            detached: false,
            failure: None,
            deferred: false,
            ready: false,
        };
        let handle = self.state.operations.insert(Operation::Transfer(Box::new(transfer)))?;
        match target {
            Some(target) => self.bind(handle, target),
            None => self.state.matcher.await_handshake(envelope.key(), number, handle),
        }
        Ok(handle)
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

    /// Producer: puts `count` elements from element `offset` on. `address` must be the message's.
    pub fn put(&mut self, handle: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        let Some(transfer) = self.open_transfer_of(handle)? else {
            return Ok(());
        };
        let (start, end) = transfer.range(offset, count)?;
        if start == end {
            return Ok(());
        }
        if address != transfer.base {
            return Err(Error::BufferChanged { given: address, expected: transfer.base }.into());
        }
        transfer.coverage.add(start, end)?;
        if transfer.failure.is_some() {
            // The message is lost already; its request will say why.
            return Ok(());
        }
        let source = Source::Application(transfer.base + start as usize);
        let segment = Segment { offset: start, bytes: end - start, source };
        if transfer.bytes <= eager::MAXIMUM_EAGER_DATA {
            // A short message leaves when it ends, with its FIN in the same entry, and does not need the handshake then.
            match transfer.queued.back_mut() {
                Some(last) if last.offset + last.bytes == start => last.bytes += segment.bytes,
                _ => transfer.queued.push_back(segment),
            }
            return Ok(());
        }
        if transfer.target.is_none() {
            let peer = transfer.peer;
            self.progress_peer(peer);
        }
        self.offer(handle, segment);
        Ok(())
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
            transfer.detached = true;
            transfer.queued.clear();
            transfer.failure.get_or_insert(error.clone());
            Err(error)
        };
        self.deliver_or_defer(handle);
        result
    }

    /// Producer: the whole message at once. A message that has left already needs no request: its handle is null.
    ///
    /// # Safety
    /// As [`Engine::open_transfer`].
    pub unsafe fn post_send(&mut self, message: Message, envelope: Envelope) -> Result<Handle> {
        let (key, bytes) = (envelope.key(), message.bytes());
        let is_short = bytes <= eager::MAXIMUM_EAGER_DATA;
        if !is_short {
            self.progress_peer(envelope.peer);
        }
        let (number, target) = self.state.matcher.open(key);
        // A short message leaves at once, whether its receive is posted or not; unless that is known to be shorter.
        if is_short && target.is_none_or(|target| bytes <= target.bytes) {
            let source = std::ptr::with_exposed_provenance(message.address);
            // SAFETY: the message is valid by the contract of this function.
            if unsafe { self.provider.put_eager(key, number, source, bytes) } {
                self.provider.notify();
                return Ok(Handle::NULL);
            }
        }
        let handle = self.insert_transfer(message, envelope, number, target)?;
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
        Ok(handle)
    }

    /// Forgets a send that is over already, so that nobody need wait for it. True if it was.
    pub fn retire_if_sent(&mut self, handle: Handle) -> bool {
        let is_over = matches!(
            self.state.operations.get(handle),
            Some(Operation::Transfer(transfer))
                if transfer.ended && transfer.fin_sent && !transfer.detached && transfer.failure.is_none()
        );
        if is_over {
            self.state.operations.remove(handle);
        }
        is_over
    }

    /// Completes a request if it can be completed. An error completes it, too.
    pub fn test(&mut self, handle: Handle) -> Result<Option<Completion>> {
        let stale = || Error::StaleHandle { handle: handle.into_raw(), expected: "request" }.into();
        let completion = match self.state.operations.get_mut(handle) {
            Some(Operation::Null(NullOperation::Request)) => Ok(Completion::ProcNull),
            Some(Operation::Transfer(transfer)) if transfer.ended && !transfer.detached => {
                if !transfer.fin_sent {
                    return Ok(None);
                }
                transfer.failure.take().map_or(Ok(Completion::Empty), Err)
            }
            Some(Operation::Receive(receive)) => {
                let Some(fin) = receive.fin else {
                    return Ok(None);
                };
                let (peer, tag) = (receive.peer, receive.tag);
                match fin.status {
                    FinStatus::Delivered => {
                        let source = self.state.groups.rank_in(receive.communicator, peer);
                        Ok(Completion::Received { source, tag, bytes: fin.bytes })
                    }
                    FinStatus::Truncated => Err(Error::Truncated {
                        sent: fin.bytes,
                        posted: receive.bytes,
                        source_rank: peer,
                        destination: self.rank,
                        tag,
                    }
                    .into()),
                    FinStatus::GaveUp => Err(Error::PeerGaveUp { peer, tag }.into()),
                }
            }
            _ => return Err(stale()),
        };
        self.state.operations.remove(handle);
        completion.map(Some)
    }

    /// Completes a send that is at most `limit` bytes long by copying what is left of it. True if it did.
    pub fn spill(&mut self, handle: Handle, limit: u64) -> bool {
        match self.state.operations.get_mut(handle) {
            Some(Operation::Transfer(transfer))
                if transfer.ended && !transfer.detached && !transfer.fin_sent && transfer.bytes <= limit =>
            {
                eager::spill(transfer);
                transfer.detached = true;
                true
            }
            _ => false,
        }
    }

    /// The rank that a request waits for, if any.
    pub fn peer_of(&self, handle: Handle) -> Option<Rank> {
        match self.state.operations.get(handle)? {
            Operation::Receive(receive) => Some(receive.peer),
            Operation::Transfer(transfer) => Some(transfer.peer),
            Operation::Null(_) => None,
        }
    }

    /// Length of a request's buffer or message.
    pub fn bytes_of(&self, handle: Handle) -> u64 {
        match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => receive.bytes,
            Some(Operation::Transfer(transfer)) => transfer.bytes,
            Some(Operation::Null(_)) | None => 0,
        }
    }

    /// Gives up a request whose peer is dead.
    pub fn abandon(&mut self, handle: Handle) {
        match self.state.operations.remove(handle) {
            Some(Operation::Transfer(transfer)) => self.state.deferred_transfers -= usize::from(transfer.deferred),
            Some(Operation::Receive(receive)) => {
                if receive.fin.is_none() {
                    self.state.close_receive(&receive);
                }
            }
            Some(Operation::Null(_)) | None => {}
        }
    }

    /// What the application has not waited for, in words, and how many messages nobody has received.
    pub fn leftovers(&self) -> (Vec<String>, usize) {
        let mut leaked = Vec::new();
        let mut unreceived = 0;
        for operation in self.state.operations.values() {
            match operation {
                Operation::Receive(receive) => {
                    leaked.push(format!(
                        "receive from rank {}, tag {}, {} bytes",
                        receive.peer, receive.tag, receive.bytes
                    ));
                }
                Operation::Transfer(transfer) if transfer.detached => unreceived += 1,
                Operation::Transfer(transfer) => {
                    let what = if transfer.ended { "send" } else { "transfer without gravel_send_fin" };
                    leaked.push(format!(
                        "{what} to rank {}, tag {}, {} bytes",
                        transfer.peer, transfer.tag, transfer.bytes
                    ));
                }
                Operation::Null(_) => leaked.push("operation with MPI_PROC_NULL".into()),
            }
        }
        (leaked, unreceived)
    }
}
