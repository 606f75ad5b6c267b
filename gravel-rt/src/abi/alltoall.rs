//! The calls of all-to-all exchanges. The message that they are given is the block of rank 0; those of the other ranks follow.

use std::ffi::c_int;

use super::calls::{MessageDescription, argument, result};
use super::guard::with_runtime;
use crate::error::Result;
use crate::request::Handle;
use crate::runtime::{Buffer, Runtime};

/// Posts or opens one side of an exchange.
///
/// # Safety
/// Pointers must be null or valid.
unsafe fn begin(
    name: &str,
    block: *const MessageDescription,
    handle: *mut i64,
    call: impl FnOnce(&mut Runtime, Buffer) -> Result<Handle>,
) -> c_int {
    with_runtime(name, |runtime| {
        // SAFETY: passed on.
        let (block, handle) = unsafe { (argument(block, "block")?, result(handle, "handle")?) };
        *handle = Handle::NULL.into_raw();
        *handle = call(runtime, block.buffer())?.into_raw();
        Ok(())
    })
}

/// `gravel_post_alltoall`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_alltoall(
    block: *const MessageDescription,
    communicator: c_int,
    request: *mut i64,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block| unsafe { runtime.post_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_alltoall", block, request, call) }
}

/// `gravel_post_alltoall_segments`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_segmented_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_alltoall_segments(
    block: *const MessageDescription,
    communicator: c_int,
    request: *mut i64,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block| unsafe { runtime.post_segmented_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_alltoall_segments", block, request, call) }
}

/// `gravel_open_alltoall`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::open_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_open_alltoall(
    block: *const MessageDescription,
    communicator: c_int,
    transfer: *mut i64,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block| unsafe { runtime.open_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_open_alltoall", block, transfer, call) }
}

/// `gravel_send_alltoall`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::send_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_send_alltoall(
    block: *const MessageDescription,
    communicator: c_int,
    request: *mut i64,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block| unsafe { runtime.send_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_send_alltoall", block, request, call) }
}
