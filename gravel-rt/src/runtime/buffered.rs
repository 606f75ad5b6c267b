//! Buffered sends (MPI 4.0, section 3.6): sends from copies that nobody waits for.
//!
//! Copies are the runtime's. The room that the program has attached is not used; but what does not fit into it is refused, as
//! by MPI: a program that runs with Gravel runs with MPI, too.

use std::time::{Duration, Instant};

use super::{Buffer, Runtime};
use crate::error::{Error, Result};
use crate::message::request::Handle;

/// A program knows that there is room again when a message has been received: its receiver may have told it so. That this
/// rank can forget the copy may come behind that, and is waited for as long before a message is refused.
const ACKNOWLEDGEMENT: Duration = Duration::from_millis(200);

/// The program's room for buffered sends, and which of these are under way.
#[derive(Default)]
pub(super) struct BufferedSends {
    /// Bytes of the attached buffer, and what MPI takes of it for each message.
    attached: Option<(u64, u64)>,
    /// Sends that are not over, with what they take.
    under_way: Vec<(Handle, u64)>,
}

impl Runtime {
    /// The program has attached a buffer of so many bytes, of which MPI takes `overhead` for each message, or detached it.
    pub fn attach_buffer(&mut self, room: Option<(u64, u64)>) {
        self.buffered.attached = room;
    }

    /// Producer: announces a whole message, from a copy, and sees to its end without the program. Does not block.
    ///
    /// # Errors
    /// [`Error::BufferFull`] where it does not fit into the attached buffer.
    ///
    /// # Safety
    /// As [`Runtime::announce_copied_message`].
    pub unsafe fn announce_buffered(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<()> {
        let bytes = buffer.count.unsigned_abs().saturating_mul(buffer.datatype_bytes);
        // What goes to nobody is not copied.
        let needed = if destination == self.constants.proc_null { 0 } else { self.room_for(bytes)? };
        // SAFETY: passed on.
        let request = unsafe { self.announce_copied_message(buffer, destination, tag, communicator) }?;
        if !request.is_settled() {
            self.release(request)?;
            if self.is_live(request)? {
                self.buffered.under_way.push((request, needed));
            }
        }
        Ok(())
    }

    /// What a message of so many bytes takes of the attached buffer, if there is room for it.
    fn room_for(&mut self, bytes: u64) -> Result<u64> {
        let (size, overhead) = self.buffered.attached.unwrap_or((0, 0));
        let needed = bytes.saturating_add(overhead);
        let mut waited_since = None;
        loop {
            let left = size.saturating_sub(self.taken()?);
            // Without a buffer not even an empty message can be sent.
            if needed <= left && self.buffered.attached.is_some() {
                return Ok(needed);
            }
            let now = Instant::now();
            if needed > size || now - *waited_since.get_or_insert(now) > ACKNOWLEDGEMENT {
                return Err(Error::BufferFull { bytes, overhead, left }.into());
            }
            std::thread::yield_now();
        }
    }

    /// What the sends that are under way take of the attached buffer.
    fn taken(&mut self) -> Result<u64> {
        if self.buffered.under_way.is_empty() {
            return Ok(0);
        }
        self.see_to_released_sends()?;
        let engine = self.shared.lock()?;
        self.buffered.under_way.retain(|&(request, _)| engine.is_live(request));
        Ok(self.buffered.under_way.iter().map(|&(_, bytes)| bytes).sum())
    }
}
