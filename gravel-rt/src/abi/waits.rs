//! The calls that complete requests.

use std::ffi::{c_int, c_void};

use super::calls::result;
use super::communicators::blaming;
use super::guard::with_runtime;
use crate::protocol::completion::Completion;
use crate::request::Handle;

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

/// `gravel_wait`. The request becomes null, a persistent one inactive, even if the operation failed.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_wait(request: *mut i64, completion: *mut CompletionDescription) -> c_int {
    with_runtime("gravel_wait", |runtime| {
        // SAFETY: passed on.
        let (request, completion) = unsafe { (result(request, "request")?, result(completion, "completion")?) };
        let pending = Handle::from_raw(*request);
        *request = pending.after_completion().into_raw();
        *completion = blaming(runtime, pending, |runtime| runtime.wait(pending))?.into();
        Ok(())
    })
}

/// `gravel_test`. `done` is set to 1, and the request becomes null, a persistent one inactive, if the operation is complete;
/// also if it failed.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_test(
    request: *mut i64,
    done: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_runtime("gravel_test", |runtime| {
        // SAFETY: passed on.
        let (request, done, completion) =
            unsafe { (result(request, "request")?, result(done, "flag")?, result(completion, "completion")?) };
        *done = 1;
        let pending = Handle::from_raw(*request);
        *request = pending.after_completion().into_raw();
        match blaming(runtime, pending, |runtime| runtime.test(pending))? {
            Some(completed) => *completion = completed.into(),
            None => {
                *done = 0;
                *request = pending.into_raw();
            }
        }
        Ok(())
    })
}

/// `gravel_wait_range`. The request stays. The buffer is named so that the host compiler reads it anew.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_wait_range(request: i64, buffer: *const c_void, offset: i64, count: i64) -> c_int {
    let _ = buffer;
    with_runtime("gravel_wait_range", |runtime| {
        let request = Handle::from_raw(request);
        blaming(runtime, request, |runtime| runtime.wait_range(request, offset, count))
    })
}

/// `gravel_cancel`. The request stays.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_cancel(request: i64) -> c_int {
    with_runtime("gravel_cancel", |runtime| {
        let request = Handle::from_raw(request);
        blaming(runtime, request, |runtime| runtime.cancel(request))
    })
}
