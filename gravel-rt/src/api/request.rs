//! Completing one of several requests, or all.

use super::gravel::Gravel;
use crate::engine::completion::Completion;
use crate::error::Result;
use crate::message::request::Handle;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// What a test of a request finds.
#[derive(Debug)]
pub enum Tested<D, P> {
    /// It is complete: what its wait would return.
    Done(D),
    /// It is not: the request.
    Pending(P),
}

/// A receive or a send that is waited for. Implemented here only.
pub trait Request: Sized + sealed::Sealed {
    /// What a wait returns.
    type Output;

    /// Blocks until the request is complete.
    ///
    /// # Errors
    /// If the operation has failed.
    fn wait(self) -> Result<Self::Output>;

    /// What the runtime knows it by.
    #[doc(hidden)]
    fn handle(&self) -> Handle;

    /// Completes it with what a wait has returned.
    #[doc(hidden)]
    fn complete(self, result: Result<Completion>) -> Result<Self::Output>;
}

impl Gravel {
    /// Blocks until one of the requests is complete, and takes it out of the vector: its place, and what its wait returns.
    /// Nothing if there are none.
    ///
    /// # Errors
    /// If a request has failed; it is taken out, too.
    #[doc(alias = "gravel_waitany")]
    pub fn wait_any<R: Request>(&self, requests: &mut Vec<R>) -> Result<Option<(usize, R::Output)>> {
        let handles: Vec<_> = requests.iter().map(Request::handle).collect();
        let sent = handles.iter().position(|handle| handle.is_null());
        let done = match sent {
            Some(index) => Ok(Some((index, Completion::Empty))),
            None => self.call(|runtime| Ok(runtime.wait_any(&handles)))?,
        };
        let (index, result) = match done {
            Ok(None) => return Ok(None),
            Ok(Some((index, completion))) => (index, Ok(completion)),
            Err(failed) => match failed.index {
                Some(index) => (index, Err(failed.error)),
                None => return Err(failed.error),
            },
        };
        requests.remove(index).complete(result).map(|output| Some((index, output)))
    }

    /// Waits for all requests, also if one fails.
    ///
    /// # Errors
    /// The first error of a request.
    #[doc(alias = "gravel_waitall")]
    pub fn wait_all<R: Request>(&self, requests: impl IntoIterator<Item = R>) -> Result<Vec<R::Output>> {
        let outcomes: Vec<_> = requests.into_iter().map(Request::wait).collect();
        outcomes.into_iter().collect()
    }
}
