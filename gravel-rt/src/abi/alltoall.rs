//! The calls of all-to-all exchanges. The message that they are given is the block of rank 0; those of the other ranks follow.
//! With blocks that differ, it says where their places are counted from.

use std::ffi::{c_int, c_void};

use super::calls::{MessageDescription, argument, result};
use super::guard::with_values;
use super::left_to_mpi::{leave_to_mpi, left_to_mpi};
use super::values::{NO_TRANSFER, Values};
use crate::Rank;
use crate::error::Result;
use crate::message::request::Handle;
use crate::runtime::{Block, Buffer, Runtime};

/// What a call gives.
#[derive(Clone, Copy)]
enum Gives {
    Request,
    Transfer,
}

impl Gives {
    /// Where it gives nothing.
    fn none(self, values: &Values) -> c_int {
        match self {
            Self::Request => values.null(),
            Self::Transfer => NO_TRANSFER,
        }
    }

    fn value(self, values: &mut Values, handle: Handle) -> Result<c_int> {
        match self {
            Self::Request => values.of_request(handle),
            Self::Transfer => values.of_transfer(handle),
        }
    }
}

/// Posts or opens one side of an exchange.
///
/// # Safety
/// Pointers must be null or valid.
unsafe fn begin(
    name: &str,
    block: *const MessageDescription,
    communicator: c_int,
    (kind, handle): (Gives, *mut c_int),
    call: impl FnOnce(&mut Runtime, Buffer<'_>) -> Result<Handle>,
) -> c_int {
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let (block, handle) = unsafe { (argument(block, "block")?, result(handle, "handle")?) };
        *handle = kind.none(values);
        if runtime.is_watched_elsewhere(communicator) {
            return Err(leave_to_mpi(runtime));
        }
        match block.with_buffer(|block| call(runtime, block)) {
            Ok(made) => *handle = kind.value(values, made)?,
            Err(error) => return Err(left_to_mpi(runtime, communicator, error)),
        }
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
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block: Buffer<'_>| unsafe { runtime.post_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_alltoall", block, communicator, (Gives::Request, request), call) }
}

/// `gravel_post_alltoall_segments`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_segmented_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_alltoall_segments(
    block: *const MessageDescription,
    communicator: c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call =
        |runtime: &mut Runtime, block: Buffer<'_>| unsafe { runtime.post_segmented_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_alltoall_segments", block, communicator, (Gives::Request, request), call) }
}

/// `gravel_open_alltoall`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::open_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_open_alltoall(
    block: *const MessageDescription,
    communicator: c_int,
    transfer: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block: Buffer<'_>| unsafe { runtime.open_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_open_alltoall", block, communicator, (Gives::Transfer, transfer), call) }
}

/// `gravel_send_alltoall`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::send_alltoall`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_send_alltoall(
    block: *const MessageDescription,
    communicator: c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, block: Buffer<'_>| unsafe { runtime.send_alltoall(block, communicator) };
    // SAFETY: passed on.
    unsafe { begin("gravel_send_alltoall", block, communicator, (Gives::Request, request), call) }
}

/// Integers of the program's, one for each rank: they have 4 or 8 bytes.
#[derive(Clone, Copy)]
struct Integers {
    first: *const c_void,
    bytes: c_int,
}

impl Integers {
    /// # Safety
    /// There must be such an integer.
    unsafe fn get(self, rank: Rank) -> i64 {
        // SAFETY: passed on. Programs may pass any address.
        unsafe {
            if self.bytes == 8 {
                self.first.cast::<i64>().add(rank).read_unaligned()
            } else {
                i64::from(self.first.cast::<i32>().add(rank).read_unaligned())
            }
        }
    }
}

/// Posts or opens one side of an exchange with a block of its own for each rank.
///
/// # Safety
/// Pointers must be null or valid, `counts` and `places` for as many integers of `bytes` bytes as the communicator has ranks.
unsafe fn begin_in_blocks(
    name: &str,
    buffer: *const MessageDescription,
    [counts, places]: [*const c_void; 2],
    bytes: c_int,
    communicator: c_int,
    (kind, handle): (Gives, *mut c_int),
    call: impl FnOnce(&mut Runtime, Buffer<'_>, &dyn Fn(Rank) -> Block) -> Result<Handle>,
) -> c_int {
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let (buffer, handle) = unsafe { (argument(buffer, "buffer")?, result(handle, "handle")?) };
        *handle = kind.none(values);
        // SAFETY: passed on.
        unsafe {
            argument(counts, "counts")?;
            argument(places, "displacements")?;
        }
        let (counts, places) = (Integers { first: counts, bytes }, Integers { first: places, bytes });
        // SAFETY: passed on.
        let block = |rank| unsafe { Block { place: places.get(rank), count: counts.get(rank) } };
        if runtime.is_watched_elsewhere(communicator) {
            return Err(leave_to_mpi(runtime));
        }
        match buffer.with_buffer(|buffer| call(runtime, buffer, &block)) {
            Ok(made) => *handle = kind.value(values, made)?,
            Err(error) => return Err(left_to_mpi(runtime, communicator, error)),
        }
        Ok(())
    })
}

/// `gravel_post_alltoallv`.
///
/// # Safety
/// Pointers must be null or valid, `counts` and `places` for as many integers of `integer_bytes` bytes as the communicator has
/// ranks; the buffer as [`Runtime::post_alltoallv`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_alltoallv(
    buffer: *const MessageDescription,
    counts: *const c_void,
    places: *const c_void,
    integer_bytes: c_int,
    communicator: c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, blocks: &dyn Fn(Rank) -> Block| unsafe {
        runtime.post_alltoallv(buffer, blocks, communicator)
    };
    // SAFETY: passed on.
    unsafe {
        begin_in_blocks(
            "gravel_post_alltoallv",
            buffer,
            [counts, places],
            integer_bytes,
            communicator,
            (Gives::Request, request),
            call,
        )
    }
}

/// `gravel_post_alltoallv_segments`.
///
/// # Safety
/// Pointers must be null or valid, `counts` and `places` for as many integers of `integer_bytes` bytes as the communicator has
/// ranks; the buffer as [`Runtime::post_segmented_alltoallv`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_alltoallv_segments(
    buffer: *const MessageDescription,
    counts: *const c_void,
    places: *const c_void,
    integer_bytes: c_int,
    communicator: c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, blocks: &dyn Fn(Rank) -> Block| unsafe {
        runtime.post_segmented_alltoallv(buffer, blocks, communicator)
    };
    // SAFETY: passed on.
    unsafe {
        begin_in_blocks(
            "gravel_post_alltoallv_segments",
            buffer,
            [counts, places],
            integer_bytes,
            communicator,
            (Gives::Request, request),
            call,
        )
    }
}

/// `gravel_open_alltoallv`.
///
/// # Safety
/// Pointers must be null or valid, `counts` and `places` for as many integers of `integer_bytes` bytes as the communicator has
/// ranks; the buffer as [`Runtime::open_alltoallv`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_open_alltoallv(
    buffer: *const MessageDescription,
    counts: *const c_void,
    places: *const c_void,
    integer_bytes: c_int,
    communicator: c_int,
    transfer: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, blocks: &dyn Fn(Rank) -> Block| unsafe {
        runtime.open_alltoallv(buffer, blocks, communicator)
    };
    // SAFETY: passed on.
    unsafe {
        begin_in_blocks(
            "gravel_open_alltoallv",
            buffer,
            [counts, places],
            integer_bytes,
            communicator,
            (Gives::Transfer, transfer),
            call,
        )
    }
}

/// `gravel_send_alltoallv`.
///
/// # Safety
/// Pointers must be null or valid, `counts` and `places` for as many integers of `integer_bytes` bytes as the communicator has
/// ranks; the buffer as [`Runtime::send_alltoallv`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_send_alltoallv(
    buffer: *const MessageDescription,
    counts: *const c_void,
    places: *const c_void,
    integer_bytes: c_int,
    communicator: c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: passed on.
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, blocks: &dyn Fn(Rank) -> Block| unsafe {
        runtime.send_alltoallv(buffer, blocks, communicator)
    };
    // SAFETY: passed on.
    unsafe {
        begin_in_blocks(
            "gravel_send_alltoallv",
            buffer,
            [counts, places],
            integer_bytes,
            communicator,
            (Gives::Request, request),
            call,
        )
    }
}
