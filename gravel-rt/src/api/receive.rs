//! Receives in flight.

use super::matching::{Outcome, Status};
use super::memory::{Memory, WritableMemory};
use super::operation::Operation;
use super::request::{Request, Tested, sealed};
use crate::engine::completion::Completion;
use crate::error::Result;
use crate::message::request::Handle;

/// A completed receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received<B> {
    /// The memory that was posted. What is behind the message's end is as it was.
    pub buffer: B,
    /// How it ended.
    pub outcome: Outcome,
}

impl<B: Memory> Received<B> {
    /// Number of whole elements that were received.
    pub fn elements(&self) -> usize {
        let bytes = self.outcome.message().map_or(0, |status| status.bytes);
        // No more than the buffer has.
        bytes.checked_div(size_of::<B::Element>() as u64).unwrap_or(0) as usize
    }

    pub(super) fn new((buffer, completion): (B, Completion)) -> Self {
        let outcome = match completion {
            Completion::Received { source, tag, bytes } => Outcome::Message(Status { source, tag, bytes }),
            Completion::Cancelled => Outcome::Cancelled,
            Completion::ProcNull | Completion::Empty => Outcome::Nobody,
        };
        Self { buffer, outcome }
    }
}

/// A posted receive, which holds its buffer until it is waited for.
///
/// Dropped, it takes its message all the same; its memory is freed when that is over.
#[must_use = "a receive is to be waited for"]
pub struct ReceiveRequest<'g, B: WritableMemory>(pub(super) Operation<'g, B>);

impl<B: WritableMemory> ReceiveRequest<'_, B> {
    /// Blocks until the message is in the buffer, and gives the buffer back.
    ///
    /// # Errors
    /// If the message is longer than the buffer, into which nothing was written then ([`Error::Truncated`](crate::Error) names
    /// the producer, the tag and both lengths), or its producer has given it up or died. Then an owned buffer is freed.
    #[doc(alias = "gravel_wait")]
    pub fn wait(self) -> Result<Received<B>> {
        self.0.wait().map(Received::new)
    }

    /// Gives the buffer back if the message is in it, or else the receive. Does not block.
    ///
    /// # Errors
    /// As [`ReceiveRequest::wait`].
    #[doc(alias = "gravel_test")]
    pub fn test(self) -> Result<Tested<Received<B>, Self>> {
        Ok(match self.0.test()? {
            Ok(done) => Tested::Done(Received::new(done)),
            Err(operation) => Tested::Pending(Self(operation)),
        })
    }

    /// Asks for the receive to be cancelled. It is still to be waited for, and says then whether a message has met it first.
    ///
    /// # Errors
    /// If the runtime is in no state to.
    #[doc(alias = "gravel_cancel")]
    pub fn cancel(&self) -> Result<()> {
        self.0.gravel.call(|runtime| runtime.cancel(self.0.handle))
    }
}

impl<B: WritableMemory> sealed::Sealed for ReceiveRequest<'_, B> {}
impl<B: WritableMemory> Request for ReceiveRequest<'_, B> {
    type Output = Received<B>;

    fn handle(&self) -> Handle {
        self.0.handle
    }

    fn complete(self, result: Result<Completion>) -> Result<Received<B>> {
        self.0.complete(result).map(Received::new)
    }

    fn wait(self) -> Result<Received<B>> {
        self.wait()
    }
}
