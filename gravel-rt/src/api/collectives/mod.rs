//! Calls that all ranks make together: barrier, broadcast, reductions, all-to-all.
//!
//! They consist of messages of Gravel in a context of their own, which no message of the program can meet. Their k-th call
//! at one rank meets the k-th at another, so all ranks make the same calls in the same order. Which rank sends what to whom,
//! and in which order numbers are added, depends on the number of ranks alone: so do the bits of every result.
//!
//! Every wait of theirs can end in an error: a rank that dies is named, and a length that differs is. Ranks that wait for
//! others than that one may get their errors later, when those end.

mod alltoall;
mod barrier;
mod blocks;
mod broadcast;
mod incoming;
mod outgoing;
mod reduce;

pub use self::incoming::{AllToAllReceive, IncomingBlock, IncomingPart};
pub use self::outgoing::{AllToAllSend, AllToAllTransfer, OutgoingBlock};
pub use self::reduce::{Reducible, Reduction};

use super::element::Element;
use super::receive::Received;
use crate::Rank;
use crate::error::{Error, Result};

/// The tags of the messages.
#[derive(Debug, Clone, Copy)]
enum Call {
    Barrier,
    Broadcast,
    Reduce,
    AllToAll,
}

impl Call {
    fn tag(self) -> i32 {
        self as i32
    }

    fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Reduce => "all_reduce",
            Self::AllToAll => "alltoall",
        }
    }

    /// Names the call in an error.
    fn failed(self, error: Box<Error>) -> Box<Error> {
        let cause = match *error {
            Error::Collective { .. } => return error,
            Error::Truncated { sent, posted, source_in_communicator, .. } => {
                Error::LengthsDiffer { source_rank: source_in_communicator, sent, expected: posted }.into()
            }
            _ => error,
        };
        Error::Collective { call: self.name(), cause }.into()
    }
}

/// The memory of a receive that is as long as its message.
fn whole<T: Element>(received: Received<&mut [T]>, source_rank: Rank) -> Result<&mut [T]> {
    let bytes = received.outcome.message().map_or(0, |status| status.bytes);
    let expected = size_of_val(&*received.buffer) as u64;
    if bytes == expected {
        return Ok(received.buffer);
    }
    Err(Error::LengthsDiffer { source_rank, sent: bytes, expected }.into())
}
