//! Which receives the last handshakes of a connection were about, so that a message which is written into one of them needs no
//! entry that says so.
//!
//! A message that one request writes ends with that request: its immediate says how long ago its receive was told of, the
//! completion how long the message is. An entry behind it would be one more packet, whose sender and receiver are both
//! waited for.
//!
//! Both ends know the position of an entry in the handshake ring, which are counted for ever. A producer says "so many before
//! the last that I have read", and how many that are, which the immediate gives back anyway. A consumer may be one ring ahead
//! of that.

use crate::message::ledger::Entry;
use crate::message::request::Handle;
use crate::message::wire::buffer_of;
use crate::provider::piece::HANDSHAKE_SLOTS;

/// So many entries are remembered. More than [`LONGEST_AGO`] and a ring: no place that a producer may name is used again
/// meanwhile.
const PLACES: usize = 2 * HANDSHAKE_SLOTS;
/// So long ago may a receive have been told of, in entries: what an immediate has room for.
pub const LONGEST_AGO: u32 = 62;
const _: () = assert!(LONGEST_AGO as usize + HANDSHAKE_SLOTS <= PLACES && PLACES.is_power_of_two());

/// What one end knows of the entries that have been sent in one direction.
#[derive(Debug)]
pub struct ToldReceives {
    /// By position: the receive that an entry was about, or the null handle.
    requests: Box<[Handle; PLACES]>,
}

impl Default for ToldReceives {
    fn default() -> Self {
        Self { requests: Box::new([Handle::NULL; PLACES]) }
    }
}

impl ToldReceives {
    /// The entry at this position has been sent, or has come.
    pub fn note(&mut self, position: u64, entry: &Entry) {
        self.requests[place(position)] = buffer_of(entry).map_or(Handle::NULL, |buffer| buffer.request);
    }

    /// The receive that the entry at this position was about.
    pub fn at(&self, position: u64) -> Option<Handle> {
        let request = self.requests[place(position)];
        (!request.is_null()).then_some(request)
    }

    /// How long before this position a receive was told of, if it was not too long ago.
    pub fn find(&self, request: Handle, before: u64) -> Option<u32> {
        let known = |&ago: &u32| u64::from(ago) <= before && self.at(before - u64::from(ago)) == Some(request);
        (1..=LONGEST_AGO).find(known)
    }
}

fn place(position: u64) -> usize {
    (position & (PLACES as u64 - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::communicator::CommunicatorId;
    use crate::message::rendezvous::{Handshake, RemoteBuffer};
    use crate::message::wire::Control;
    use proptest::prelude::*;

    fn handshake(request: i64) -> Entry {
        let buffer = RemoteBuffer { request: Handle::from_raw(request), address: 64, bytes: 9000 };
        let handshake = Handshake { buffer, wants_segments: false };
        Control::Handshake { communicator: CommunicatorId::FIRST, tag: 1, number: 0, handshake }.encode()
    }

    proptest! {
        /// However far the consumer is ahead, it understands what the producer says, and that is the receive that was meant.
        #[test]
        fn what_is_found_is_what_was_meant(
            read in 0u64..300, ahead in 0..=HANDSHAKE_SLOTS as u64, ago in 1u64..80, others in 1u64..4,
        ) {
            let (mut consumer, mut producer) = (ToldReceives::default(), ToldReceives::default());
            let entry = |position: u64| if position.is_multiple_of(others) { handshake(position as i64 + 1) } else { [7; 7] };
            (0..read + ahead).for_each(|position| consumer.note(position, &entry(position)));
            (0..read).for_each(|position| producer.note(position, &entry(position)));
            let Some(position) = read.checked_sub(ago) else { return Ok(()) };
            let request = Handle::from_raw(position as i64 + 1);
            let found = producer.find(request, read);
            let is_expected = position % others == 0 && ago <= u64::from(LONGEST_AGO);
            prop_assert_eq!(found, is_expected.then_some(ago as u32));
            if let Some(ago) = found {
                prop_assert_eq!(consumer.at(read - u64::from(ago)), Some(request));
            }
        }
    }
}
