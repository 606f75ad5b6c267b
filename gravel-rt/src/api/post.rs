//! The posts, for memory that is owned and memory that is borrowed alike.

use super::gravel::Gravel;
use super::matching::{Peer, Source, Tag};
use super::memory::{Memory, WritableMemory};
use super::operation::{Keeper, Kind, Operation};
use super::receive::ReceiveRequest;
use super::segmented_receive::SegmentedReceive;
use super::send::SendRequest;
use super::transfer::Transfer;
use crate::error::Result;
use crate::message::rendezvous::SendMode;
use crate::message::request::Handle;
use crate::runtime::{Buffer, Runtime};

/// Starts operations on memory that `keeper` keeps valid.
pub(super) struct Poster<'g, B: Memory> {
    pub(super) gravel: &'g Gravel,
    pub(super) keeper: Keeper<'g, B::Element>,
    /// What the ends of sends say.
    pub(super) mode: SendMode,
    /// What the runtime knows the communicator by, whose messages these are.
    pub(super) communicator: i32,
}

impl<'g, B: Memory> Poster<'g, B> {
    /// SAFETY of the calls below: an operation holds its memory, which only the runtime writes then, until it is over; if
    /// the operation is lost, its keeper does. A segment is put when the tile that could write it is gone, a sent message
    /// is not written at all. Receives need writable memory. Static memory inside it is nobody else's: no other thread writes it.
    fn start(
        &self,
        kind: Kind,
        memory: B,
        call: impl FnOnce(&mut Runtime, Buffer) -> Result<Handle>,
    ) -> Result<Operation<'g, B>> {
        let (gravel, mode) = (self.gravel, self.mode);
        Operation::start(gravel, self.keeper, kind, memory, |raw| {
            gravel.call(|runtime| call(runtime, Buffer { mode, ..raw.describe() }))
        })
    }

    /// The same for synchronous sends.
    pub(super) fn synchronous(self) -> Self {
        Self { mode: SendMode::Synchronous, ..self }
    }

    pub(super) fn send(&self, message: B, to: Peer, tag: i32) -> Result<SendRequest<'g, B>> {
        let operation = self.start(Kind::Request, message, |runtime, message| {
            // SAFETY: see `start`.
            unsafe { runtime.post_send(message, to.number(), tag, self.communicator) }
        });
        operation.map(SendRequest)
    }

    pub(super) fn announced_send(&self, message: B, to: Peer, tag: i32) -> Result<SendRequest<'g, B>> {
        let operation = self.start(Kind::Request, message, |runtime, message| {
            // SAFETY: see `start`.
            unsafe { runtime.announce_message(message, to.number(), tag, self.communicator) }
        });
        operation.map(SendRequest)
    }
}

impl<'g, B: WritableMemory> Poster<'g, B> {
    pub(super) fn receive(&self, buffer: B, from: Peer, tag: i32) -> Result<ReceiveRequest<'g, B>> {
        let operation = self.start(Kind::Request, buffer, |runtime, buffer| {
            // SAFETY: see `start`.
            unsafe { runtime.post_receive(buffer, from.number(), tag, self.communicator) }
        });
        operation.map(ReceiveRequest)
    }

    pub(super) fn segmented_receive(&self, buffer: B, from: Peer, tag: i32) -> Result<SegmentedReceive<'g, B>> {
        let operation = self.start(Kind::Request, buffer, |runtime, buffer| {
            // SAFETY: see `start`; a part is read when the wait for it has returned.
            unsafe { runtime.post_segmented_receive(buffer, from.number(), tag, self.communicator) }
        });
        operation.map(SegmentedReceive::new)
    }

    pub(super) fn announced_receive(&self, buffer: B, from: Source, tag: Tag) -> Result<ReceiveRequest<'g, B>> {
        let operation = self.start(Kind::Request, buffer, |runtime, buffer| {
            // SAFETY: see `start`.
            unsafe { runtime.post_announced_receive(buffer, from.number(), tag.number(), self.communicator) }
        });
        operation.map(ReceiveRequest)
    }

    pub(super) fn transfer(&self, message: B, to: Peer, tag: i32) -> Result<Transfer<'g, B>> {
        let operation = self.start(Kind::Transfer, message, |runtime, message| {
            // SAFETY: see `start`.
            unsafe { runtime.open_transfer(message, to.number(), tag, self.communicator) }
        });
        operation.map(|operation| Transfer::new(operation, to, tag))
    }

    pub(super) fn announced_transfer(&self, message: B, to: Peer, tag: i32) -> Result<Transfer<'g, B>> {
        let operation = self.start(Kind::Transfer, message, |runtime, message| {
            // SAFETY: see `start`.
            unsafe { runtime.announce_transfer(message, to.number(), tag, self.communicator) }
        });
        operation.map(|operation| Transfer::new(operation, to, tag))
    }
}
