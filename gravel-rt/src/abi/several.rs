//! The calls that complete whichever of several requests can be completed.

use std::cell::RefCell;
use std::ffi::c_int;

use super::calls::result;
use super::communicators::{note_failed_communicator, note_failure};
use super::guard::with_runtime;
use super::waits::CompletionDescription;
use crate::error::{Error, Result};
use crate::protocol::completion::Completion;
use crate::request::Handle;
use crate::runtime::{AnyError, AnyTested, Ended, Runtime};

thread_local! {
    /// What the last call that may complete several requests has completed, and what it is called: the MPI side asks for one
    /// after the other, and so needs no memory for all of them.
    static ENDED: RefCell<(&'static str, Vec<Ended>)> = const { RefCell::new(("", Vec::new())) };
}

/// `gravel_keep_active`. A null request, that of a send that was over at once, becomes one that is active: a wait for any of
/// several requests tells of it, as of any other.
///
/// # Safety
/// The pointer must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_keep_active(request: *mut i64) {
    // SAFETY: passed on.
    if let Some(request) = unsafe { request.as_mut() }
        && Handle::from_raw(*request).is_null()
    {
        *request = Handle::OVER.into_raw();
    }
}

/// `gravel_waitany`. `index` becomes the position, from 0, of the request that was completed and became null, or inactive, also
/// if its operation failed; -1 if none is active, or where none of
/// them is concerned.
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
        let found = match runtime.wait_any(&pending) {
            Ok(None) => Ok(AnyTested::NoneActive),
            Ok(Some((place, completed))) => Ok(AnyTested::Ended(place, completed)),
            Err(failure) => Err(failure),
        };
        tell_of_one(runtime, found, requests, index, completion)
    })
}

/// `gravel_testany`. `done` is set to 1 if a request was completed, as by [`gravel_rt_waitany`], or none is active.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testany(
    count: i64,
    requests: *mut i64,
    index: *mut i64,
    done: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_runtime("gravel_testany", |runtime| {
        // SAFETY: passed on.
        let (index, completion) = unsafe { (result(index, "index")?, result(completion, "completion")?) };
        // SAFETY: passed on.
        let done = unsafe { result(done, "flag")? };
        *index = -1;
        *done = 1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending: Vec<_> = requests.iter().map(|&raw| Handle::from_raw(raw)).collect();
        let found = runtime.test_any(&pending);
        *done = c_int::from(found != Ok(AnyTested::NotYet));
        tell_of_one(runtime, found, requests, index, completion)
    })
}

/// Tells of the request that was completed, or has failed, if one has.
fn tell_of_one(
    runtime: &mut Runtime,
    found: std::result::Result<AnyTested, AnyError>,
    requests: &mut [i64],
    index: &mut i64,
    completion: &mut CompletionDescription,
) -> Result<()> {
    let (completed, place, outcome) = match found {
        Ok(AnyTested::Ended(place, completed)) => (completed, Some(place), Ok(())),
        Ok(AnyTested::NoneActive | AnyTested::NotYet) => (Completion::Empty, None, Ok(())),
        Err(failure) => {
            let failed = failure.index.map_or(Handle::NULL, |place| Handle::from_raw(requests[place]));
            note_failure(runtime, failed);
            (Completion::Empty, failure.index, Err(failure.error))
        }
    };
    *completion = completed.into();
    if let Some(place) = place {
        requests[place] = Handle::from_raw(requests[place]).after_completion().into_raw();
        // A position in an array in memory.
        *index = place as i64;
    }
    outcome
}

/// `gravel_waitsome`. `ended` becomes the number of requests that were completed, -1 if none is active. They are null, or
/// inactive, also if their operations failed; [`gravel_rt_completed`] tells of each.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_waitsome(count: i64, requests: *mut i64, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe { complete("gravel_waitsome", count, requests, ended, Runtime::wait_some) }
}

/// `gravel_testsome`. As [`gravel_rt_waitsome`], but `ended` may become 0.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testsome(count: i64, requests: *mut i64, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe { complete("gravel_testsome", count, requests, ended, Runtime::test_some) }
}

/// `gravel_testall`. `ended` becomes `count` if all requests were completed, and -1 if not all could be; as by
/// [`gravel_rt_waitsome`]. Where requests wait for dead ranks, those alone are completed, by their errors.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testall(count: i64, requests: *mut i64, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe { complete("gravel_testall", count, requests, ended, Runtime::test_all) }
}

/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
unsafe fn complete(
    name: &'static str,
    count: i64,
    requests: *mut i64,
    ended: *mut i64,
    call: impl FnOnce(&mut Runtime, &[Handle]) -> Result<Option<Vec<Ended>>>,
) -> c_int {
    with_runtime(name, |runtime| {
        // SAFETY: passed on.
        let ended = unsafe { result(ended, "number of requests")? };
        *ended = -1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending: Vec<_> = requests.iter().map(|&raw| Handle::from_raw(raw)).collect();
        let found = call(runtime, &pending)?;
        for completed in found.iter().flatten() {
            requests[completed.index] = pending[completed.index].after_completion().into_raw();
        }
        // So many as there are handles in memory, at most.
        *ended = found.as_ref().map_or(-1, |found| found.len() as i64);
        ENDED.set((name, found.unwrap_or_default()));
        Ok(())
    })
}

/// The request at this position, from 0, among those that the last call of `gravel_waitsome`, `gravel_testsome` or
/// `gravel_testall` has completed: its index from 0 in the array, and what it was. The code is that of its operation.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_completed(
    position: i64,
    index: *mut i64,
    completion: *mut CompletionDescription,
) -> c_int {
    let name = ENDED.with_borrow(|(name, _)| *name);
    with_runtime(name, |_| {
        // SAFETY: passed on.
        let (index, completion) = unsafe { (result(index, "index")?, result(completion, "completion")?) };
        *index = -1;
        *completion = Completion::Empty.into();
        ENDED.with_borrow(|(_, all)| {
            let ended = usize::try_from(position).ok().and_then(|position| all.get(position));
            let ended = ended.ok_or(Error::NullArgument { name: "position" })?;
            // A position in an array in memory.
            *index = ended.index as i64;
            match &ended.outcome {
                Ok(completed) => *completion = (*completed).into(),
                Err(error) => {
                    note_failed_communicator(ended.blamed);
                    return Err(error.clone());
                }
            }
            Ok(())
        })
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
