//! Calls that all ranks make together: barrier, broadcast, reductions, all-to-all.
//!
//! They consist of messages of Gravel in a context of their own, which no message of the program can meet. Their k-th call
//! at one rank meets the k-th at another, so all ranks make the same calls in the same order. Which rank sends what to whom,
//! and in which order numbers are added, depends on the number of ranks alone: so do the bits of every result.
//!
//! Every wait of theirs can end in an error: a rank that dies is named, and a length that differs is. A rank whose call has
//! failed still takes what others send to it, and gives up what they wait for. So their calls fail, too, nobody waits for
//! ever, and the ranks that live stay in step.

mod alltoall;
mod barrier;
mod blocks;
mod broadcast;
mod incoming;
mod outgoing;
mod reduce;

pub use self::incoming::{AllToAllReceive, IncomingBlock, IncomingPart};
pub use self::outgoing::{AllToAllSend, AllToAllSendRequest, AllToAllTransfer, OutgoingBlock};
pub use self::reduce::{Reducible, Reduction};

use super::element::Element;
use super::gravel::Gravel;
use super::matching::Peer;
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

impl Gravel {
    /// Sends a message to a rank that waits for it; or, if this rank's call has failed, an error in its place.
    fn tell<T: Element>(&self, call: Call, message: &[T], rank: Rank, outcome: &Result<()>) -> Result<()> {
        let (rank, tag) = (Peer::Rank(rank), call.tag());
        if outcome.is_ok() {
            return self.scope(|scope| scope.collective().send(message, rank, tag)?.wait().map(drop));
        }
        // A transfer that is dropped is given up.
        self.scope(|scope| scope.collective().transfer(&mut [0u8; 0][..], rank, tag).map(drop))
    }

    /// As [`Gravel::tell`], for several ranks at once.
    fn tell_all<T: Element>(&self, call: Call, message: &[T], ranks: &[Rank], outcome: Result<()>) -> Result<()> {
        if outcome.is_err() {
            for &rank in ranks {
                // Whoever can't be told any more is dead.
                let _ = self.tell(call, message, rank, &outcome);
            }
            return outcome;
        }
        self.scope(|scope| {
            let send = |&rank: &Rank| scope.collective().send(message, Peer::Rank(rank), call.tag());
            let sends: Vec<_> = ranks.iter().map(send).collect::<Result<_>>()?;
            self.wait_all(sends).map(drop)
        })
    }

    /// Receives a message that is as long as the buffer.
    fn hear<T: Element>(&self, call: Call, buffer: &mut [T], rank: Rank) -> Result<()> {
        self.scope(|scope| {
            whole(scope.collective().receive(buffer, Peer::Rank(rank), call.tag())?.wait()?, rank).map(drop)
        })
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
