//! Sends of which the runtime keeps a copy: the program may write the message as soon as the call returns, as
//! `MPI_Sendrecv_replace` does, which receives into the memory that it sends from.
//!
//! The message is the copy from the start, so nothing else differs from any other send: it takes its number in its order,
//! travels in every protocol, and what reads it (puts, the consumer, an adapter) finds it for as long as its transfer lives.
//! A message that may be spilled ([`super::eager`]) is so at once, without being copied again: nobody has to wait for it. A
//! longer one has a request, whose wait ends when the message has left, so that copies do not pile up.

use crate::engine::Engine;
use crate::engine::consumer_write::{Envelope, Message};
use crate::engine::transfer::{Initiation, Operation};
use crate::error::{Error, Result};
use crate::memory::room::Room;
use crate::message::request::Handle;

impl Engine {
    /// Producer: sends a copy of the whole message, numbered or announced. One of at most `limit` bytes is over at once:
    /// its handle is null, unless the interconnect is reading it still.
    ///
    /// # Safety
    /// The message must be valid, and not written during the call.
    pub unsafe fn post_copied_send(
        &mut self,
        message: Message,
        envelope: Envelope,
        initiation: Initiation,
        limit: u64,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        let copy = unsafe { copy_of(&message) }?;
        let handle = self.send_copy(copy, message, envelope, initiation, limit)?;
        Ok(if self.spill(handle, limit) { Handle::NULL } else { handle })
    }

    /// Producer: sends what a copy holds, as long as `message` says.
    pub(super) fn send_copy(
        &mut self,
        mut copy: Room,
        message: Message,
        envelope: Envelope,
        initiation: Initiation,
        limit: u64,
    ) -> Result<Handle> {
        let message = Message { address: copy.start().expose_provenance(), ..message };
        // SAFETY: the copy is valid. If the message does not leave at once, its transfer gets the copy below, before anything
        // else can happen to it; a call that fails leaves no transfer that would read it.
        let handle = unsafe {
            match initiation {
                Initiation::Consumer => self.post_send(message, envelope),
                _ => self.post_announced_send(message, envelope, limit),
            }
        }?;
        if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) {
            transfer.copy = Some(copy);
        }
        Ok(handle)
    }
}

/// A copy of a message.
///
/// # Safety
/// As [`Engine::post_copied_send`].
unsafe fn copy_of(message: &Message) -> Result<Room> {
    let length = message.bytes();
    let mut copy = Room::new(length).ok_or_else(|| Error::System {
        what: format!("copying a message of {length} bytes, which is received into the memory that it is sent from"),
        cause: "not enough memory".into(),
    })?;
    if length > 0 {
        let source: *const u8 = std::ptr::with_exposed_provenance(message.address);
        // SAFETY: the message is valid by the contract of this function; the copy is the runtime's own memory, long enough.
        unsafe { std::ptr::copy_nonoverlapping(source, copy.start(), length as usize) };
    }
    Ok(copy)
}
