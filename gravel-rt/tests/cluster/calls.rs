//! The calls of the producer-initiated protocols and the other waits, short to write.

use gravel::engine::completion::Completion;
use gravel::message::request::Handle;
use gravel::{Error, Rank, Result};

use crate::world::{ANY_SOURCE, COMMUNICATOR, World, describe};

impl World {
    /// Producer: announces a message and opens its transfer.
    pub fn announce(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: the tests keep buffers alive and untouched until the wait.
        unsafe { self.runtime().announce_transfer(description, destination as i32, tag, COMMUNICATOR) }
            .expect("gravel_post_snd_request")
    }

    pub fn try_offer(&mut self, buffer: &[u8], destination: i32, tag: i32) -> Result<Handle> {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above.
        unsafe { self.runtime().announce_message(description, destination, tag, COMMUNICATOR) }
    }

    /// Producer: announces a whole message, which may be read.
    pub fn offer(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        self.try_offer(buffer, destination as i32, tag).expect("gravel_post_snd_buffer_rdma")
    }

    /// Producer: sends a copy of a whole message, which may be written at once.
    pub fn send_copied(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        self.try_send_copied(buffer, destination as i32, tag).expect("gravel_post_send_copied")
    }

    pub fn try_send_copied(&mut self, buffer: &[u8], destination: i32, tag: i32) -> Result<Handle> {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above; nobody writes the buffer during the call.
        unsafe { self.runtime().post_copied_send(description, destination, tag, COMMUNICATOR) }
    }

    /// Producer: announces a copy of a whole message.
    pub fn offer_copied(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above; nobody writes the buffer during the call.
        unsafe { self.runtime().announce_copied_message(description, destination as i32, tag, COMMUNICATOR) }
            .expect("gravel_post_snd_buffer_copied")
    }

    pub fn try_post_announced(&mut self, buffer: &mut [u8], source: i32, tag: i32) -> Result<Handle> {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above.
        unsafe { self.runtime().post_announced_receive(description, source, tag, COMMUNICATOR) }
    }

    /// Consumer: posts a receive of an announced message.
    pub fn post_announced(&mut self, buffer: &mut [u8], source: Rank, tag: i32) -> Handle {
        self.try_post_announced(buffer, source as i32, tag).expect("gravel_post_rcv_announced")
    }

    /// Consumer: as above, from any source.
    pub fn post_any(&mut self, buffer: &mut [u8], tag: i32) -> Handle {
        self.try_post_announced(buffer, ANY_SOURCE, tag).expect("gravel_post_rcv_announced")
    }

    /// Consumer: posts a receive that can be waited for in parts.
    pub fn post_segmented(&mut self, buffer: &mut [u8], source: Rank, tag: i32) -> Handle {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above.
        unsafe { self.runtime().post_segmented_receive(description, source as i32, tag, COMMUNICATOR) }
            .expect("gravel_post_rcv_segments")
    }

    pub fn fin(&mut self, transfer: Handle) -> Handle {
        self.runtime().send_fin(transfer).expect("gravel_send_fin")
    }

    /// Waits for a receive from wherever: source, tag and length.
    pub fn wait_any_source(&mut self, request: Handle) -> (Rank, i32, usize) {
        received(self.try_wait(request))
    }

    /// Tests a request until it is complete.
    pub fn test_until_done(&mut self, request: Handle) -> std::result::Result<Completion, Error> {
        loop {
            match self.runtime().test(request) {
                Ok(Some(completion)) => return Ok(completion),
                Ok(None) => std::thread::yield_now(),
                Err(error) => return Err(*error),
            }
        }
    }
}

/// Source, tag and length of a completed receive.
pub fn received(completion: std::result::Result<Completion, Error>) -> (Rank, i32, usize) {
    match completion.expect("a completed receive") {
        Completion::Received { source, tag, bytes } => (source, tag, bytes as usize),
        other => panic!("a receive completed as {other:?}"),
    }
}
