//! Sends in flight.

use super::memory::Memory;
use super::operation::Operation;
use super::request::{Request, Tested, sealed};
use crate::engine::completion::Completion;
use crate::error::Result;
use crate::message::request::Handle;

/// A message on its way, which holds its memory until it is waited for.
///
/// Dropped, it is delivered all the same; its memory is freed when that is over.
#[must_use = "a send is to be waited for"]
pub struct SendRequest<'g, B: Memory>(pub(super) Operation<'g, B>);

impl<B: Memory> SendRequest<'_, B> {
    /// Gives the memory back as soon as it may be written; that of a synchronous send, when a receive has met the message, too.
    /// Does not block up to the eager limit, unless the send is synchronous.
    ///
    /// # Errors
    /// If the message is longer than its receive, or the consumer has died. Then owned memory is freed.
    ///
    /// A send may complete before its receive is known: up to 8 KiB, over tcp up to 64 KiB, where the handshake has not come,
    /// and, if it is waited for then, up to max(64 KiB, `GRAVEL_EAGER_LIMIT`). As with an eager send of MPI, only the receive
    /// of such a message fails where it is too long; this process is told, and writes the error to standard error.
    #[doc(alias = "gravel_wait")]
    pub fn wait(self) -> Result<B> {
        self.0.wait().map(|(memory, _)| memory)
    }

    /// Gives the memory back if it may be written, or else the send. Does not block.
    ///
    /// # Errors
    /// As [`SendRequest::wait`].
    #[doc(alias = "gravel_test")]
    pub fn test(self) -> Result<Tested<B, Self>> {
        Ok(match self.0.test()? {
            Ok((memory, _)) => Tested::Done(memory),
            Err(operation) => Tested::Pending(Self(operation)),
        })
    }
}

impl<B: Memory> sealed::Sealed for SendRequest<'_, B> {}
impl<B: Memory> Request for SendRequest<'_, B> {
    type Output = B;

    fn handle(&self) -> Handle {
        self.0.handle
    }

    fn complete(self, result: Result<Completion>) -> Result<B> {
        self.0.complete(result).map(|(memory, _)| memory)
    }

    fn wait(self) -> Result<B> {
        self.wait()
    }
}
