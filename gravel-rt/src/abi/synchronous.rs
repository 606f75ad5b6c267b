//! The calls that begin synchronous sends: each is that of a standard one, and its end says that a receive has met the message
//! (see [`crate::engine::synchronous`]).

use std::ffi::c_int;

use super::calls::{EnvelopeDescription, MessageDescription, begin, open};
use crate::runtime::{Buffer, Runtime};

/// `gravel_wait_rcv_buffer_synchronous`: as `gravel_wait_rcv_buffer`, for a synchronous send.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::open_transfer`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_wait_rcv_buffer_synchronous(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    transfer: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.open_transfer(buffer.synchronous(), to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { open("gravel_wait_rcv_buffer_synchronous", message, envelope, transfer, call) }
}

/// `gravel_post_send_synchronous`: as `gravel_post_send`, for a synchronous send.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_send`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_send_synchronous(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_send(buffer.synchronous(), to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_send_synchronous", message, envelope, request, call) }
}

/// `gravel_post_snd_request_synchronous`: as `gravel_post_snd_request`, for a synchronous send.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_transfer`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_snd_request_synchronous(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    transfer: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_transfer(buffer.synchronous(), to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { open("gravel_post_snd_request_synchronous", message, envelope, transfer, call) }
}

/// `gravel_post_snd_buffer_synchronous`: as `gravel_post_snd_buffer_rdma`, for a synchronous send.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_message`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_snd_buffer_synchronous(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_message(buffer.synchronous(), to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_snd_buffer_synchronous", message, envelope, request, call) }
}
