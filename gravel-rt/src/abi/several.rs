//! The calls that complete whichever of several requests can be completed.

use std::cell::RefCell;
use std::ffi::c_int;

use super::calls::result;
use super::communicators::{note_failed_communicator, note_failure};
use super::guard::{with_runtime, with_values};
use super::values::Values;
use super::waits::{CompletionDescription, tell};
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::runtime::{AnyError, AnyTested, Ended, Runtime};

thread_local! {
    /// What the last call that may complete several requests has completed, and what it is called: the MPI side asks for one
    /// after the other, and so needs no memory for all of them.
    static ENDED: RefCell<(&'static str, Vec<Ended>)> = const { RefCell::new(("", Vec::new())) };
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
    requests: *mut c_int,
    index: *mut i64,
    completion: *mut CompletionDescription,
) -> c_int {
    with_values("gravel_waitany", |runtime, values| {
        // SAFETY: passed on.
        let (index, completion) = unsafe { (result(index, "index")?, result(completion, "completion")?) };
        *index = -1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending = values.handles(requests);
        let found = match runtime.waiting(|runtime| runtime.wait_any(&pending)) {
            Ok(None) => Ok(AnyTested::NoneActive),
            Ok(Some((place, completed))) => Ok(AnyTested::Ended(place, completed)),
            Err(failure) => Err(failure),
        };
        tell_of_one(runtime, values, found, requests, index, completion)
    })
}

/// `gravel_testany`. `done` is set to 1 if a request was completed, as by [`gravel_rt_waitany`], or none is active.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testany(
    count: i64,
    requests: *mut c_int,
    index: *mut i64,
    done: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_values("gravel_testany", |runtime, values| {
        // SAFETY: passed on.
        let (index, completion) = unsafe { (result(index, "index")?, result(completion, "completion")?) };
        // SAFETY: passed on.
        let done = unsafe { result(done, "flag")? };
        *index = -1;
        *done = 1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending = values.handles(requests);
        let found = runtime.test_any(&pending);
        *done = c_int::from(found != Ok(AnyTested::NotYet));
        tell_of_one(runtime, values, found, requests, index, completion)
    })
}

/// Tells of the request that was completed, or has failed, if one has.
fn tell_of_one(
    runtime: &mut Runtime,
    values: &mut Values,
    found: std::result::Result<AnyTested, AnyError>,
    requests: &mut [c_int],
    index: &mut i64,
    completion: &mut CompletionDescription,
) -> Result<()> {
    let (place, outcome) = match found {
        Ok(AnyTested::Ended(place, completed)) => (Some(place), Ok(completed)),
        Ok(AnyTested::NoneActive | AnyTested::NotYet) => (None, Ok(Completion::Empty)),
        Err(failure) => {
            let failed = failure.index.map_or(Handle::NULL, |place| values.handle(requests[place]));
            note_failure(runtime, failed);
            (failure.index, Err(failure.error))
        }
    };
    *completion = Completion::Empty.into();
    let mut kept = None;
    if let Some(place) = place {
        kept = values.take_kept(requests[place]);
        requests[place] = values.end(requests[place]);
        // A position in an array in memory.
        *index = place as i64;
    }
    tell(kept.unwrap_or(outcome), completion)
}

/// `gravel_waitsome`. `ended` becomes the number of requests that were completed, -1 if none is active. They are null, or
/// inactive, also if their operations failed; [`gravel_rt_completed`] tells of each.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_waitsome(count: i64, requests: *mut c_int, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe {
        complete("gravel_waitsome", count, requests, ended, |runtime, requests| {
            runtime.waiting(|runtime| runtime.wait_some(requests))
        })
    }
}

/// `gravel_testsome`. As [`gravel_rt_waitsome`], but `ended` may become 0.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testsome(count: i64, requests: *mut c_int, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe { complete("gravel_testsome", count, requests, ended, Runtime::test_some) }
}

/// `gravel_testall`. `ended` becomes `count` if all requests were completed, and -1 if not all could be; as by
/// [`gravel_rt_waitsome`]. Where requests wait for dead ranks, those alone are completed, by their errors.
///
/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_testall(count: i64, requests: *mut c_int, ended: *mut i64) -> c_int {
    // SAFETY: passed on.
    unsafe { complete("gravel_testall", count, requests, ended, Runtime::test_all) }
}

/// # Safety
/// Pointers must be null or valid, `requests` for `count` handles.
unsafe fn complete(
    name: &'static str,
    count: i64,
    requests: *mut c_int,
    ended: *mut i64,
    call: impl FnOnce(&mut Runtime, &[Handle]) -> Result<Option<Vec<Ended>>>,
) -> c_int {
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let ended = unsafe { result(ended, "number of requests")? };
        *ended = -1;
        // SAFETY: passed on.
        let requests = unsafe { handles(count, requests)? };
        let pending = values.handles(requests);
        let mut found = call(runtime, &pending)?;
        for completed in found.iter_mut().flatten() {
            let value = requests[completed.index];
            if let Some(kept) = values.take_kept(value) {
                completed.outcome = kept;
            }
            requests[completed.index] = values.end(value);
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
            if ended.outcome.is_err() {
                note_failed_communicator(ended.blamed);
            }
            tell(ended.outcome.clone(), completion)
        })
    })
}

/// The handles of an array.
///
/// # Safety
/// `requests` must be null or valid for `count` handles.
unsafe fn handles<'a>(count: i64, requests: *mut c_int) -> Result<&'a mut [c_int]> {
    let invalid = || Error::InvalidCount { count, element_bytes: size_of::<c_int>() as u64 };
    let count = usize::try_from(count).ok().filter(|count| *count <= isize::MAX as usize / size_of::<c_int>());
    match count.ok_or_else(invalid)? {
        0 => Ok(&mut []),
        _ if requests.is_null() => Err(Error::NullArgument { name: "requests" }.into()),
        // SAFETY: valid for so many, by the contract.
        count => Ok(unsafe { std::slice::from_raw_parts_mut(requests, count) }),
    }
}
