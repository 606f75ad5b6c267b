//! The calls that look for announced messages, and the receives of what they have matched.

use std::ffi::c_int;

use super::calls::{EnvelopeDescription, MessageDescription, argument, result};
use super::communicators::note_failed_communicator;
use super::guard::with_values;
use super::left_to_mpi::{leave_to_mpi, left_to_mpi};
use super::values::{NO_TRANSFER, OVER, Values, is_own};
use super::waits::CompletionDescription;
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::runtime::Matched;

/// `gravel_iprobe`: `found` says whether there is a message, and `completion` which.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_iprobe(
    envelope: *const EnvelopeDescription,
    found: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_values("gravel_iprobe", |runtime, _| {
        // SAFETY: passed on.
        let (from, found, completion) =
            unsafe { (argument(envelope, "envelope")?, result(found, "flag")?, result(completion, "completion")?) };
        (*found, *completion) = (0, Completion::Empty.into());
        if runtime.is_watched_elsewhere(from.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        let probed = runtime.probe(from.rank, from.tag, from.communicator);
        if let Some(probed) = probed.map_err(|error| left_to_mpi(runtime, from.communicator, error))? {
            (*found, *completion) = (1, probed.into());
        }
        Ok(())
    })
}

/// `gravel_mprobe` where it `waits`, else `gravel_improbe`: `found` says whether there is a message, `message` is its value, and
/// 0 for MPI_MESSAGE_NO_PROC.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_mprobe(
    waits: c_int,
    envelope: *const EnvelopeDescription,
    found: *mut c_int,
    message: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    let name = if waits == 0 { "gravel_improbe" } else { "gravel_mprobe" };
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let (from, found) = unsafe { (argument(envelope, "envelope")?, result(found, "flag")?) };
        // SAFETY: passed on.
        let (message, completion) = unsafe { (result(message, "message")?, result(completion, "completion")?) };
        (*found, *message, *completion) = (0, NO_TRANSFER, Completion::Empty.into());
        if runtime.is_watched_elsewhere(from.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        let matched = match waits {
            0 => runtime.probe_matched(from.rank, from.tag, from.communicator),
            _ => runtime.wait_matched(from.rank, from.tag, from.communicator).map(Some),
        };
        match matched.map_err(|error| left_to_mpi(runtime, from.communicator, error))? {
            Some(Matched::Message(handle, probed)) => {
                *message = values.of_transfer(handle)?;
                (*found, *completion) = (1, probed.into());
            }
            Some(Matched::Nobody) => (*found, *completion) = (1, Completion::ProcNull.into()),
            None => {}
        }
        Ok(())
    })
}

/// `gravel_imrecv`. The message becomes null, unless the buffer is impossible.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`crate::runtime::Runtime::receive_matched`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_imrecv(
    message: *mut c_int,
    buffer: *const MessageDescription,
    request: *mut c_int,
) -> c_int {
    with_values("gravel_imrecv", |runtime, values| {
        // SAFETY: passed on.
        let (message, buffer, request) =
            unsafe { (result(message, "message")?, argument(buffer, "buffer")?, result(request, "request")?) };
        *request = values.null();
        let value = *message;
        let handle = matched(values, value)?;
        let communicator = runtime.communicator_of_matched(handle);
        // SAFETY: passed on.
        let received = buffer.with_buffer(|buffer| unsafe { runtime.receive_matched(buffer, handle) });
        match received {
            Ok(received) => {
                values.forget(value);
                *message = NO_TRANSFER;
                *request = values.of_request(received)?;
                Ok(())
            }
            Err(error) => {
                note_failed_communicator(communicator);
                Err(error)
            }
        }
    })
}

/// The handle of a matched message.
fn matched(values: &Values, value: c_int) -> Result<crate::message::request::Handle> {
    if is_own(value) && value != OVER {
        return Ok(values.handle(value));
    }
    Err(Error::StaleHandle { handle: i64::from(value), expected: "message" }.into())
}
