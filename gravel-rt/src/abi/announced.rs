//! The calls of the producer-initiated protocols.

use std::ffi::c_int;

use super::calls::{EnvelopeDescription, MessageDescription, argument, begin, open, result};
use super::guard::with_runtime;
use super::left_to_mpi::{leave_to_mpi, left_to_mpi};
use super::waits::{CompletionDescription, tell, wait};
use crate::runtime::{Buffer, Runtime};

/// `gravel_post_snd_request`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_transfer`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_snd_request(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    transfer: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_transfer(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { open("gravel_post_snd_request", message, envelope, transfer, call) }
}

/// `gravel_post_snd_buffer_rdma`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_message`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_snd_buffer_rdma(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_message(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_snd_buffer_rdma", message, envelope, request, call) }
}

/// `gravel_post_snd_buffer_copied`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_copied_message`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_snd_buffer_copied(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_copied_message(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_snd_buffer_copied", message, envelope, request, call) }
}

/// `gravel_post_rcv_announced`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_announced_receive`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_rcv_announced(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, from: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_announced_receive(buffer, from.rank, from.tag, from.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_rcv_announced", message, envelope, request, call) }
}

/// Receives an announced message, as `gravel_rt_post_rcv_announced` and `gravel_rt_wait` do one after the other: for MPI_Recv.
/// `is_posted` is set to 1 where only the wait can have failed.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_announced_receive`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_receive_announced(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    is_posted: *mut c_int,
    completion: *mut CompletionDescription,
) -> c_int {
    with_runtime("MPI_Recv", |runtime| {
        // SAFETY: passed on.
        let (message, from, is_posted, completion) = unsafe {
            (
                argument(message, "message")?,
                argument(envelope, "envelope")?,
                result(is_posted, "is_posted")?,
                result(completion, "completion")?,
            )
        };
        *is_posted = 0;
        if runtime.is_watched_elsewhere(from.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        let posted = message.with_buffer(|buffer| {
            // SAFETY: passed on.
            unsafe { runtime.post_awaited_receive(buffer, from.rank, from.tag, from.communicator) }
        });
        let request = posted.map_err(|error| left_to_mpi(runtime, from.communicator, error))?;
        *is_posted = 1;
        tell(wait(runtime, request), completion)
    })
}

/// Sends an announced message, as `gravel_rt_post_snd_buffer_rdma` and `gravel_rt_wait` do one after the other: for MPI_Send.
/// `is_posted` as above.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_message`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_send_announced(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    is_posted: *mut c_int,
) -> c_int {
    with_runtime("MPI_Send", |runtime| {
        // SAFETY: passed on.
        let (message, to, is_posted) = unsafe {
            (argument(message, "message")?, argument(envelope, "envelope")?, result(is_posted, "is_posted")?)
        };
        *is_posted = 0;
        if runtime.is_watched_elsewhere(to.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        let posted = message.with_buffer(|buffer| {
            // SAFETY: passed on.
            unsafe { runtime.announce_awaited_message(buffer, to.rank, to.tag, to.communicator) }
        });
        let request = posted.map_err(|error| left_to_mpi(runtime, to.communicator, error))?;
        *is_posted = 1;
        if request.is_settled() { Ok(()) } else { wait(runtime, request).map(drop) }
    })
}

/// `gravel_wait_snd_request`.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_wait_snd_request(
    envelope: *const EnvelopeDescription,
    completion: *mut CompletionDescription,
) -> c_int {
    with_runtime("gravel_wait_snd_request", |runtime| {
        // SAFETY: passed on.
        let (from, completion) = unsafe { (argument(envelope, "envelope")?, result(completion, "completion")?) };
        if runtime.is_watched_elsewhere(from.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        let found = runtime.wait_announcement(from.rank, from.tag, from.communicator);
        *completion = found.map_err(|error| left_to_mpi(runtime, from.communicator, error))?.into();
        Ok(())
    })
}
