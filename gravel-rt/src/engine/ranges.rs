//! Waiting for a part of a message, at the consumer (for the advanced write protocol, Gravel 2008, figure 1d).
//!
//! A receive that asks for it in its handshake hears of every segment that has left, by an entry that is ordered behind its
//! bytes; one whose bytes this side reads from a socket sees them come, also those of a message that leaves as a whole.
//! Others hear of the FIN only, and their producers pay nothing. A part of a message is there when all of its bytes
//! are, or the message has ended: it may be shorter than the buffer.

use super::completion::failure;
use super::transfer::{NullOperation, Operation, Transfer};
use crate::Rank;
use crate::engine::{Engine, State};
use crate::error::{Error, Result};
use crate::message::rendezvous::FinStatus;
use crate::message::request::Handle;
use crate::message::wire::Control;

/// Whether a receive wants to hear of every segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentNotices {
    /// It can be waited for in parts.
    Wanted,
    /// It is waited for as a whole.
    Unwanted,
}

impl Engine {
    /// Consumer: whether `count` elements from element `offset` on are in the buffer of a receive. The request stays.
    ///
    /// It is an error if the message has failed; the wait for the request will say the same.
    pub fn test_range(&self, handle: Handle, offset: i64, count: i64) -> Result<Option<()>> {
        let (bytes, element_bytes, parts_are_named) = match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => (receive.bytes, receive.element_bytes, receive.parts_are_named),
            Some(Operation::Awaiting(awaiting)) => (awaiting.bytes, awaiting.element_bytes, awaiting.parts_are_named),
            Some(Operation::Null(_)) => return Ok(Some(())),
            Some(Operation::Failed { error, .. }) => return Err(error.clone()),
            Some(Operation::Transfer(_)) | None => {
                return Err(Error::StaleHandle { handle: handle.into_raw(), expected: "receive" }.into());
            }
        };
        let (start, end) = match parts_are_named {
            true => byte_range(bytes, element_bytes, offset, count)?,
            // Whatever part it is.
            false => (0, if count > 0 { bytes } else { 0 }),
        };
        let Some(Operation::Receive(receive)) = self.state.operations.get(handle) else {
            return Ok((start == end).then_some(()));
        };
        match receive.fin.map(|fin| fin.status) {
            Some(FinStatus::Delivered | FinStatus::Withdrawn) => Ok(Some(())),
            Some(FinStatus::Truncated | FinStatus::GaveUp) => Err(failure(receive, &self.state.groups, self.rank)),
            None => {
                let arrived = self.state.segments.get(&handle);
                let there = start == end || arrived.is_some_and(|arrived| arrived.covers(start, end));
                Ok(there.then_some(()))
            }
        }
    }

    /// Consumer: the length of a receive's buffer in bytes, and whether parts of its message may come one after the other
    /// from now on. `None` if the handle is no receive's.
    pub fn awaited_bytes(&self, handle: Handle) -> Option<(u64, bool)> {
        match self.state.operations.get(handle)? {
            Operation::Receive(receive) => {
                let is_told_of = receive.wants_segments && receive.fin.is_none();
                Some((receive.bytes, is_told_of && self.state.capabilities[receive.peer].parts_come_apart))
            }
            Operation::Awaiting(awaiting) => Some((awaiting.bytes, false)),
            // Where nothing comes, nothing is worth a tile.
            Operation::Null(NullOperation::Request | NullOperation::Cancelled) | Operation::Failed { .. } => {
                Some((0, false))
            }
            Operation::Null(NullOperation::OpenTransfer) | Operation::Transfer(_) => None,
        }
    }

    /// Consumer: whether waits for parts of a receive name parts of its message.
    pub fn has_parts(&self, handle: Handle) -> bool {
        match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => receive.parts_are_named,
            Some(Operation::Awaiting(awaiting)) => awaiting.parts_are_named,
            _ => true,
        }
    }

    /// Consumer: whether a message of which parts may come one after the other has not come, or not completely.
    pub fn parts_are_awaited(&self, handle: Handle) -> bool {
        match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => {
                receive.fin.is_none() && self.state.capabilities[receive.peer].parts_come_apart
            }
            _ => false,
        }
    }

    /// Producer: tells the consumer of segments that have left.
    pub(super) fn tell_segments(&mut self, handle: Handle) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return };
        let (peer, target) = (transfer.peer, transfer.target);
        for (start, end) in std::mem::take(&mut transfer.untold) {
            if let Some(target) = target {
                self.send(peer, Control::Segment { request: target.request, start, end });
            }
        }
    }
}

impl Transfer {
    /// Notes that bytes have left of which the consumer wants to hear. What the FIN follows at once it hears by that.
    pub(super) fn note_segment(&mut self, start: u64, end: u64, ends_message: bool) {
        if self.tells_segments && start < end && !ends_message {
            match self.untold.last_mut() {
                Some((_, last)) if *last == start => *last = end,
                _ => self.untold.push((start, end)),
            }
        }
    }
}

impl State {
    /// Consumer: bytes of a message are there. True if its receive can be waited for in parts.
    pub(crate) fn segment_arrived(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        let is_open = matches!(
            self.operations.get(request),
            Some(Operation::Receive(receive)) if receive.peer == peer && start <= end && end <= receive.bytes
        );
        // The FIN may have overtaken the notice: then nobody needs it any more.
        match self.segments.get_mut(&request) {
            Some(arrived) if is_open => {
                // A segment that is told twice changes nothing.
                drop(arrived.add(start, end));
                true
            }
            _ => false,
        }
    }
}

/// Byte range of `count` elements from `offset` in a buffer of `bytes`.
fn byte_range(bytes: u64, element_bytes: u64, offset: i64, count: i64) -> Result<(u64, u64)> {
    let elements = bytes.checked_div(element_bytes).unwrap_or(0);
    super::transfer::byte_range(elements, element_bytes, offset, count)
        .map_err(|_| Error::RangeOutsideReceive { offset, count, elements }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_elements_and_inside_the_buffer() {
        assert_eq!(byte_range(80, 8, 2, 3), Ok((16, 40)));
        assert_eq!(byte_range(1 << 40, 8, 1 << 36, 1), Ok((1 << 39, (1 << 39) + 8)));
        assert_eq!(byte_range(0, 8, 0, 0), Ok((0, 0)));
        for (offset, count) in [(-1, 1), (0, 11), (10, 1), (i64::MAX, 1), (0, -1)] {
            let error = Error::RangeOutsideReceive { offset, count, elements: 10 };
            assert_eq!(byte_range(80, 8, offset, count), Err(error.into()));
        }
    }
}
