//! Messages whose bytes lie apart in the program's memory: their datatype has gaps, or another order.
//!
//! What moves is packed, so that no protocol and no interconnect knows of it. A send leaves from a packed copy, which its
//! transfer owns as the copy of a send from a copy ([`super::copied_send`]). It is made when the whole message is the
//! runtime's: at the post of a whole one, at the end of one that was opened. What is put before that is noted, and nothing
//! is read: the program may not write a segment from its put to the wait, so it is the same at the end.
//!
//! A receive is posted into packed memory of the runtime's. When its request completes, inside the wait or the test, what has
//! come is written where it belongs, and nothing else: a message that fails, is cancelled or never comes leaves the program's
//! buffer alone, and so does a gap. The memory is given back only where it is certain that no peer writes it any more.

use std::mem::ManuallyDrop;

use super::completion::Completion;
use super::consumer_write::{Envelope, Message};
use super::probes::MatchedMessage;
use super::ranges::SegmentNotices;
use super::segments::Coverage;
use super::transfer::{Initiation, Operation, Transfer};
use crate::engine::Engine;
use crate::error::Result;
use crate::memory::room::Room;
use crate::message::datatype::scattered::Scattered;
use crate::message::matching::Pattern;
use crate::message::rendezvous::FinStatus;
use crate::message::request::Handle;

/// What is to be done with the packed message of a receive when it has come.
#[derive(Debug)]
pub(crate) struct Unpacking {
    target: Scattered,
    /// Where the message arrives; never as a slice before it has. Dropped only in [`Engine::unpack`]: a peer may know where
    /// it is, and a runtime that ends otherwise has not asked it.
    room: ManuallyDrop<Room>,
    /// The program may read the message, and write it, already: it has waited for a part.
    is_unpacked: bool,
}

impl Unpacking {
    /// # Safety
    /// So many bytes have come, and nobody else uses the room or the program's buffer.
    unsafe fn unpack(&mut self, bytes: u64) {
        if std::mem::replace(&mut self.is_unpacked, true) {
            return;
        }
        let length = (bytes as usize).min(self.target.bytes() as usize);
        // The peer has written it by its address, which was exposed.
        let start: *const u8 = std::ptr::with_exposed_provenance(self.room.start().addr());
        // SAFETY: by the caller's word so many bytes are initialised, and the target is the program's posted buffer.
        unsafe { self.target.unpack(std::slice::from_raw_parts(start, length)) };
    }
}

/// A message as the engine moves it: packed, in this memory. Its elements are the datatype's, without what is between them.
fn in_room(message: Message, room: &mut Room) -> Message {
    Message { address: room.start().expose_provenance(), ..message }
}

impl Engine {
    /// Consumer: as [`Engine::post_receive`].
    ///
    /// # Safety
    /// The bytes of `target` must be valid, and neither read nor written by others until the request completes.
    pub(crate) unsafe fn post_packed_receive(
        &mut self,
        message: Message,
        target: Scattered,
        envelope: Envelope,
    ) -> Result<Handle> {
        let mut room = ManuallyDrop::new(target.room()?);
        let message = in_room(message, &mut room);
        // SAFETY: the room is valid, and nobody else's until the request completes.
        let posted = unsafe { self.post_receive(message, envelope, SegmentNotices::Unwanted) };
        self.note_unpacking(posted, target, room)
    }

    /// Consumer: as [`Engine::post_announced_receive`].
    ///
    /// # Safety
    /// As [`Engine::post_packed_receive`].
    pub(crate) unsafe fn post_packed_announced_receive(
        &mut self,
        message: Message,
        target: Scattered,
        pattern: Pattern,
    ) -> Result<Handle> {
        let mut room = ManuallyDrop::new(target.room()?);
        let message = in_room(message, &mut room);
        // SAFETY: as above.
        let posted = unsafe { self.post_announced_receive(message, pattern) };
        self.note_unpacking(posted, target, room)
    }

    /// Consumer: as [`Engine::receive_matched`].
    ///
    /// # Safety
    /// As [`Engine::post_packed_receive`].
    pub(crate) unsafe fn receive_matched_packed(
        &mut self,
        message: Message,
        target: Scattered,
        matched: MatchedMessage,
    ) -> Result<Handle> {
        let mut room = ManuallyDrop::new(target.room()?);
        let message = in_room(message, &mut room);
        // SAFETY: as above.
        let received = unsafe { self.receive_matched(message, matched) };
        self.note_unpacking(received, target, room)
    }

    fn note_unpacking(
        &mut self,
        posted: Result<Handle>,
        target: Scattered,
        room: ManuallyDrop<Room>,
    ) -> Result<Handle> {
        match posted {
            Ok(request) => {
                self.state.unpacking.insert(request, Unpacking { target, room, is_unpacked: false });
                Ok(request)
            }
            Err(error) => {
                // A post that has failed has told nobody.
                drop(ManuallyDrop::into_inner(room));
                Err(error)
            }
        }
    }

    /// Consumer: a request has ended; whatever it was, nobody writes its memory any more. If it is a receive of a message
    /// that lies apart, what has come goes where it belongs.
    #[cold]
    pub(super) fn unpack(&mut self, request: Handle, completion: &Result<Completion>) {
        let Some(mut unpacking) = self.state.unpacking.remove(&request) else { return };
        if let Ok(Completion::Received { bytes, .. }) = completion {
            // SAFETY: so many bytes have come, and the program is in its wait.
            unsafe { unpacking.unpack(*bytes) };
        }
        drop(ManuallyDrop::into_inner(unpacking.room));
    }

    /// Consumer: after a wait for a part of a message: where the message has come, it goes where it belongs now. The request
    /// stays.
    #[inline(always)]
    pub(crate) fn unpack_early(&mut self, request: Handle) {
        if !self.state.unpacking.is_empty() {
            self.unpack_delivered(request);
        }
    }

    #[cold]
    fn unpack_delivered(&mut self, request: Handle) {
        let Some(Operation::Receive(receive)) = self.state.operations.get(request) else { return };
        if let Some(fin) = receive.fin.filter(|fin| fin.status == FinStatus::Delivered)
            && let Some(unpacking) = self.state.unpacking.get_mut(&request)
        {
            // SAFETY: as above.
            unsafe { unpacking.unpack(fin.bytes) };
        }
    }

    /// Consumer: a receive was given up. Its room is left alone for ever: what its peer knows is not known.
    pub(super) fn abandon_unpacking(&mut self, request: Handle) {
        self.state.unpacking.remove(&request);
    }

    /// Producer: sends a whole message, which is packed now. A message that has left already has the null request.
    ///
    /// # Safety
    /// The bytes of `source` must be valid, and not written during the call.
    pub(crate) unsafe fn post_packed_send(
        &mut self,
        message: Message,
        source: &Scattered,
        envelope: Envelope,
        initiation: Initiation,
        limit: u64,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        let copy = unsafe { source.packed() }?;
        self.send_copy(copy, message, envelope, initiation, limit)
    }

    /// Producer: opens the transfer of a message, which is packed when it ends.
    ///
    /// # Safety
    /// As [`Engine::open_transfer`], for the bytes of `source`.
    pub(crate) unsafe fn open_packed_transfer(
        &mut self,
        message: Message,
        source: Scattered,
        envelope: Envelope,
        initiation: Initiation,
    ) -> Result<Handle> {
        let mut copy = source.room()?;
        let message = in_room(message, &mut copy);
        // SAFETY: the copy is valid as long as the transfer, which gets it below, before anything else can happen to it.
        let handle = unsafe {
            match initiation {
                Initiation::Consumer => self.open_transfer(message, envelope),
                _ => self.announce_transfer(message, envelope),
            }
        }?;
        if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) {
            transfer.copy = Some(copy);
            transfer.packs = Some(Box::new(source));
        }
        Ok(handle)
    }
}

impl Transfer {
    /// The message is about to end: what was put of it, or all of it if nothing was, is packed, and leaves as a whole. One
    /// that is not complete stays as it is, which is an error.
    pub(super) fn pack(&mut self) {
        let is_whole = self.coverage.covered() == self.bytes || self.coverage.covered() == 0;
        if let (true, Some(source), Some(copy)) = (is_whole, self.packs.take(), &mut self.copy) {
            // SAFETY: by the contract of `open_packed_transfer` the program does not write the message before the wait.
            unsafe { source.pack_into(copy) };
            self.coverage = Coverage::default();
        }
    }
}
