//! The calls that complete requests.

use std::ffi::{c_int, c_void};

use super::calls::result;
use super::communicators::{blaming, note_failure};
use super::guard::with_runtime;
use crate::error::{Error, Result};
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

/// `gravel_waitany`. `index` becomes the position, from 0, of the request that was completed and became null, or inactive, also
/// if its operation failed; -1 if all are that, or where none of them is concerned.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_waitany(
    count: i64,
    requests: *mut i64,
    index: *mut i64,
    completion: *mut CompletionDescription,
) -> c_int {
    with_runtime("gravel_waitany", |runtime| {
        // SAFETY: passed on.
        let (index, completion) = unsafe { (result(index, "index")?, result(completion, "completion")?) };
        *index = -1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending: Vec<_> = requests.iter().map(|&raw| Handle::from_raw(raw)).collect();
        let (completed, place, outcome) = match runtime.wait_any(&pending) {
            Ok(Some((place, completed))) => (completed, Some(place), Ok(())),
            Ok(None) => (Completion::Empty, None, Ok(())),
            Err(failure) => {
                note_failure(runtime, failure.index.map_or(Handle::NULL, |place| pending[place]));
                (Completion::Empty, failure.index, Err(failure.error))
            }
        };
        *completion = completed.into();
        if let Some(place) = place {
            requests[place] = pending[place].after_completion().into_raw();
            // A position in an array in memory.
            *index = place as i64;
        }
        outcome
    })
}

/// The handles of an array.
///
/// # Safety
/// `requests` must be null or valid for `count` handles.
unsafe fn handles<'a>(count: i64, requests: *mut i64) -> Result<&'a mut [i64]> {
    let invalid = || Error::InvalidCount { count, element_bytes: size_of::<i64>() as u64 };
    let count = usize::try_from(count).ok().filter(|count| *count <= isize::MAX as usize / size_of::<i64>());
    match count.ok_or_else(invalid)? {
        0 => Ok(&mut []),
        _ if requests.is_null() => Err(Error::NullArgument { name: "requests" }.into()),
        // SAFETY: valid for so many, by the contract.
        count => Ok(unsafe { std::slice::from_raw_parts_mut(requests, count) }),
    }
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
