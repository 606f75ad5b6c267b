//! Sends from a copy, in both protocols.

use super::{Buffer, Partner, Runtime};
use crate::engine::transfer::{Initiation, NullOperation};
use crate::error::Result;
use crate::message::request::Handle;

impl Runtime {
    /// Producer: as [`Runtime::post_send`], from a copy: the message may be written when the call returns. Does not block.
    /// A message of up to the eager limit has the null request; the wait for a longer one ends when its copy is not needed
    /// any more.
    ///
    /// # Safety
    /// The buffer must be valid, and not written during the call.
    pub unsafe fn post_copied_send(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let initiation = Initiation::Consumer;
        // SAFETY: passed on.
        unsafe { self.send_copy("gravel_post_send_copied", initiation, buffer, destination, tag, communicator) }
    }

    /// Producer: as [`Runtime::announce_message`], from a copy: see [`Runtime::post_copied_send`].
    ///
    /// # Safety
    /// As [`Runtime::post_copied_send`].
    pub unsafe fn announce_copied_message(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let initiation = Initiation::Producer;
        // SAFETY: passed on.
        unsafe { self.send_copy("gravel_post_snd_buffer_copied", initiation, buffer, destination, tag, communicator) }
    }

    /// Sends a copy; `name` is what the program has called.
    ///
    /// # Safety
    /// As [`Runtime::post_copied_send`].
    unsafe fn send_copy(
        &mut self,
        name: &'static str,
        initiation: Initiation,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        let send = move |runtime: &mut Self, buffer: Buffer| unsafe {
            runtime.send_copy_unwatched(initiation, buffer, destination, tag, communicator)
        };
        self.call(
            move |observer, runtime| observer.send_copy(runtime, name, buffer, destination, tag, send),
            move |runtime| send(runtime, buffer),
        )
    }

    /// # Safety
    /// As [`Runtime::post_copied_send`].
    unsafe fn send_copy_unwatched(
        &mut self,
        initiation: Initiation,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        self.check_process()?;
        let (message, scattered) = buffer.check()?;
        let partner = self.partner("destination", destination, tag, communicator)?;
        self.promote_short_before(partner)?;
        if let Some(source) = &scattered {
            // SAFETY: passed on.
            return unsafe { self.send_scattered_copy(message, source, partner, initiation) };
        }
        let limit = self.settings.eager_limit;
        self.send(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_copied_send(message, envelope, initiation, limit) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }
}
