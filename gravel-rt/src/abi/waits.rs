//! The calls that complete requests.

use std::ffi::{c_int, c_void};

use super::calls::result;
use super::communicators::blaming;
use super::guard::with_values;
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::runtime::Runtime;

/// What a wait has completed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionDescription {
    /// 0: nothing or a send; 1: an operation with MPI_PROC_NULL; 2: a receive; 3: a receive that was cancelled.
    pub kind: c_int,
    /// Source of a receive.
    pub source: c_int,
    /// Tag of a receive.
    pub tag: c_int,
    /// Length of the message received, in bytes.
    pub bytes: i64,
}

impl From<Completion> for CompletionDescription {
    fn from(completion: Completion) -> Self {
        match completion {
            Completion::Empty => Self { kind: 0, source: 0, tag: 0, bytes: 0 },
            Completion::ProcNull => Self { kind: 1, source: 0, tag: 0, bytes: 0 },
            Completion::Cancelled => Self { kind: 3, source: 0, tag: 0, bytes: 0 },
            // Ranks and lengths came in as these types.
            Completion::Received { source, tag, bytes } => {
                Self { kind: 2, source: source as c_int, tag, bytes: bytes as i64 }
            }
        }
    }
}

/// Tells how an operation has ended: also which message it was that was too long, of which nothing was received (as MPI does,
/// 4.0, section 3.2.5, so that a program can say whose message it was).
#[inline]
pub(super) fn tell(outcome: Result<Completion>, completion: &mut CompletionDescription) -> Result<()> {
    *completion = match &outcome {
        Ok(completed) => (*completed).into(),
        Err(error) => match **error {
            Error::Truncated { source_in_communicator: source, tag, .. } => {
                Completion::Received { source, tag, bytes: 0 }.into()
            }
            _ => Completion::Empty.into(),
        },
    };
    outcome.map(drop)
}

/// Waits for an operation.
#[inline(always)]
pub(super) fn wait(runtime: &mut Runtime, pending: Handle) -> Result<Completion> {
    if runtime.has_released_receives() {
        runtime.see_to_released_receives();
    }
    blaming(runtime, pending, |runtime| runtime.waiting(|runtime| runtime.wait(pending)))
}

/// `gravel_wait`. The request becomes null, a persistent one inactive, even if the operation failed.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_wait(request: *mut c_int, completion: *mut CompletionDescription) -> c_int {
    with_values("gravel_wait", |runtime, values| {
        // SAFETY: passed on.
        let (request, completion) = unsafe { (result(request, "request")?, result(completion, "completion")?) };
        let value = *request;
        let pending = values.handle(value);
        *request = values.end(value);
        let outcome = match values.take_kept(value) {
            Some(kept) => kept,
            None => wait(runtime, pending),
        };
        tell(outcome, completion)
    })
}

/// `gravel_test`. `done` is set to 1, and the request becomes null, a persistent one inactive, if the operation is complete;
/// also if it failed.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_test(
    request: *mut c_int,
    done: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_values("gravel_test", |runtime, values| {
        // SAFETY: passed on.
        let (request, done, completion) =
            unsafe { (result(request, "request")?, result(done, "flag")?, result(completion, "completion")?) };
        *done = 1;
        let value = *request;
        let pending = values.handle(value);
        let outcome = match values.take_kept(value) {
            Some(kept) => kept.map(Some),
            None => blaming(runtime, pending, |runtime| runtime.test(pending)),
        };
        match outcome.transpose() {
            None => {
                *done = 0;
                Ok(())
            }
            Some(outcome) => {
                *request = values.end(value);
                tell(outcome, completion)
            }
        }
    })
}

/// `gravel_request_get_status`. `done` is set to 1 if the operation is complete, or the request is not active. It stays as it is:
/// the call that completes it tells the same, or how the operation failed.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_request_get_status(
    request: c_int,
    done: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_values("gravel_request_get_status", |runtime, values| {
        // SAFETY: passed on.
        let (done, completion) = unsafe { (result(done, "flag")?, result(completion, "completion")?) };
        (*done, *completion) = (1, Completion::Empty.into());
        let pending = values.handle(request);
        if values.kept(request).is_none() {
            if pending.is_settled() || !blaming(runtime, pending, |runtime| runtime.is_active(pending))? {
                return Ok(());
            }
            // Nobody can tell a request that is over, and whose outcome is kept, from one that is not taken note of.
            match runtime.test(pending).transpose() {
                None => *done = 0,
                Some(outcome) => values.keep(request, outcome),
            }
        }
        if let Some(Ok(completed)) = values.kept(request) {
            *completion = (*completed).into();
        }
        Ok(())
    })
}

/// `gravel_wait_range`. The request stays. The buffer is named so that the host compiler reads it anew.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_wait_range(request: c_int, buffer: *const c_void, offset: i64, count: i64) -> c_int {
    let _ = buffer;
    with_values("gravel_wait_range", |runtime, values| {
        let handle = values.handle(request);
        if values.is_settled(request) {
            return Ok(());
        }
        blaming(runtime, handle, |runtime| runtime.waiting(|runtime| runtime.wait_range(handle, offset, count)))
    })
}

/// `gravel_cancel`. The request stays.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_cancel(request: c_int) -> c_int {
    with_values("gravel_cancel", |runtime, values| {
        let handle = values.handle(request);
        if values.is_settled(request) {
            // Too late.
            return Ok(());
        }
        blaming(runtime, handle, |runtime| runtime.cancel(handle))
    })
}
