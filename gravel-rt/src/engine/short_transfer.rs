//! A short message while it is being filled: kept by the application's thread, outside of the engine.
//!
//! A message that leaves as eager data gains nothing from puts of its own. What is done to it before its end needs no
//! lock, no place in a table and no look at the peer; when it ends, it becomes one send. This is what keeps a loop that
//! was strip-mined, and then runs in one tile, from costing more than the send that it replaces.
//!
//! Numbered messages are short up to [`crate::message::rendezvous::MAXIMUM_EAGER_DATA`], for the consumer of a longer one may wait for
//! its parts. Announced ones are it up to what goes as eager data to their consumer, which waits for no parts.

use super::consumer_write::{Envelope, Message};
use super::transfer::Initiation;
use crate::error::{Error, Result};
use crate::message::datatype::scattered::Scattered;
use crate::message::request::Handle;

/// An open transfer of a short message.
#[derive(Debug)]
pub struct ShortTransfer {
    /// What the application holds; no operation of the engine has this handle.
    pub handle: Handle,
    /// The message.
    pub message: Message,
    /// Where it goes.
    pub envelope: Envelope,
    /// Where its bytes are, if they lie apart.
    pub scattered: Option<Scattered>,
    /// Whether its end will be consumer-initiated or its own announcement.
    pub initiation: Initiation,
    /// The bytes before this one have been put.
    covered: u64,
}

impl ShortTransfer {
    /// Nothing has been put yet.
    #[inline(always)]
    pub fn new(
        handle: Handle,
        message: Message,
        scattered: Option<Scattered>,
        envelope: Envelope,
        initiation: Initiation,
    ) -> Self {
        Self { handle, message, envelope, scattered, initiation, covered: 0 }
    }

    /// Elements from the message's start on that have been put.
    pub fn elements_put(&self) -> u64 {
        self.covered.checked_div(self.message.element_bytes).unwrap_or(0)
    }

    /// Whether the message can leave: all of it has been put, or nothing, as by a loop without iterations (see
    /// [`crate::engine::Engine::send_fin`]).
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.covered == self.message.bytes() || self.covered == 0
    }

    /// Takes a put that follows the ones before; false if it does not.
    #[inline(always)]
    pub fn put(&mut self, address: usize, offset: i64, count: i64) -> Result<bool> {
        if !self.message.parts_are_named {
            return Ok(true);
        }
        let (start, end) = self.message.range(offset, count)?;
        if start == end {
            return Ok(true);
        }
        if address != self.message.named {
            return Err(Error::BufferChanged { given: address, expected: self.message.named }.into());
        }
        let follows = start == self.covered;
        if follows {
            self.covered = end;
        }
        Ok(follows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::communicator::CommunicatorId;
    use crate::message::rendezvous::SendMode;

    fn transfer(elements: u64) -> ShortTransfer {
        let mode = SendMode::Standard;
        let (advances_with_message, parts_are_named) = (true, true);
        let message = Message {
            address: 64,
            named: 64,
            elements,
            element_bytes: 8,
            advances_with_message,
            parts_are_named,
            mode,
        };
        let envelope = Envelope { peer: 1, communicator: CommunicatorId::from_wire(0), tag: 3 };
        ShortTransfer::new(Handle::outside_tables(0), message, None, envelope, Initiation::Consumer)
    }

    #[test]
    fn puts_in_order_make_the_message_whole() {
        let mut transfer = transfer(10);
        assert!(transfer.is_whole());
        assert_eq!(transfer.put(64, 0, 4), Ok(true));
        assert!(!transfer.is_whole());
        assert_eq!(transfer.elements_put(), 4);
        assert_eq!(transfer.put(64, 4, 6), Ok(true));
        assert!(transfer.is_whole());
    }

    #[test]
    fn puts_out_of_order_are_left_to_the_engine() {
        let mut transfer = transfer(10);
        assert_eq!(transfer.put(64, 5, 5), Ok(false));
        assert_eq!(transfer.elements_put(), 0);
    }

    #[test]
    fn puts_outside_or_of_other_memory_are_refused() {
        let mut transfer = transfer(10);
        assert!(matches!(*transfer.put(64, 8, 3).unwrap_err(), Error::PutOutsideMessage { .. }));
        assert!(matches!(*transfer.put(72, 0, 3).unwrap_err(), Error::BufferChanged { .. }));
    }
}
