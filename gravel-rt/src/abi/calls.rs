//! The calls of the consumer-initiated protocol, init and finalize. Results are written only on success, except that
//! handles become null where the operation is gone.

use std::ffi::{c_int, c_void};

use super::callbacks::{CallbackHost, Callbacks};
use super::communicators::{self, blaming};
use super::datatypes::known_layout;
use super::guard::{self, Served, with_values};
use super::left_to_mpi::{leave_to_mpi, left_to_mpi, nothing_is_put};
use super::values::{NO_TRANSFER, Values};
use crate::error::{Error, Result};
use crate::message::rendezvous::SendMode;
use crate::message::request::Handle;
use crate::runtime::{Buffer, Runtime};

/// A message, as the MPI side describes it.
#[repr(C)]
pub struct MessageDescription {
    /// First byte.
    pub address: *mut c_void,
    /// Number of elements of the datatype.
    pub count: i64,
    /// Size of the datatype in bytes.
    pub datatype_bytes: u64,
    /// Size of an element of the host language's array in bytes.
    pub element_bytes: u64,
    /// Where the data lies, as `gravel_rt_datatype` names it; 0 if elements are contiguous.
    pub layout: i64,
}

/// Where a message goes to or comes from.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EnvelopeDescription {
    /// Destination or source.
    pub rank: c_int,
    /// Tag.
    pub tag: c_int,
    /// Fortran handle of the communicator.
    pub communicator: c_int,
}

/// A reference to an argument, or the error that it is null.
///
/// # Safety
/// `pointer` must be null or valid for reads during the call.
#[inline(always)]
pub(super) unsafe fn argument<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T> {
    // SAFETY: passed on.
    match unsafe { pointer.as_ref() } {
        Some(argument) => Ok(argument),
        None => Err(Error::NullArgument { name }.into()),
    }
}

/// A reference to a result, or the error that it is null.
///
/// # Safety
/// `pointer` must be null or valid for reads and writes during the call.
#[inline(always)]
pub(super) unsafe fn result<'a, T>(pointer: *mut T, name: &'static str) -> Result<&'a mut T> {
    // SAFETY: passed on.
    match unsafe { pointer.as_mut() } {
        Some(result) => Ok(result),
        None => Err(Error::NullArgument { name }.into()),
    }
}

impl MessageDescription {
    /// Calls with the message.
    #[inline(always)]
    pub(super) fn with_buffer<T>(&self, call: impl FnOnce(Buffer<'_>) -> Result<T>) -> Result<T> {
        let layout = if self.layout == 0 { None } else { Some(known_layout(self.layout)?) };
        call(Buffer {
            address: self.address.expose_provenance(),
            count: self.count,
            datatype_bytes: self.datatype_bytes,
            element_bytes: self.element_bytes,
            layout: layout.as_ref(),
            mode: SendMode::Standard,
        })
    }
}

/// `gravel_init`.
///
/// # Safety
/// `callbacks` must be null or valid, and its functions callable until finalize.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_init(callbacks: *const Callbacks) -> c_int {
    guard::initialize("gravel_init", || {
        // SAFETY: passed on.
        let callbacks = unsafe { argument(callbacks, "callbacks")? };
        let host = Box::new(CallbackHost::new(callbacks)?);
        let mut runtime = Runtime::init(host, callbacks.communicator, callbacks.constants, std::env::vars_os())?;
        communicators::watch(&mut runtime, callbacks.communicator);
        if guard::stands_for_mpi() {
            runtime.stand_for_mpi()?;
        }
        Ok(Served::new(runtime, Values::new(callbacks.request_null)))
    })
}

/// `gravel_finalize`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_finalize() -> c_int {
    guard::finalize("gravel_finalize")
}

/// `gravel_post_rcv_buffer_rdma`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_receive`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_rcv_buffer_rdma(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, from: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_receive(buffer, from.rank, from.tag, from.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_rcv_buffer_rdma", message, envelope, request, call) }
}

/// `gravel_post_rcv_segments`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_segmented_receive`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_rcv_segments(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, from: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_segmented_receive(buffer, from.rank, from.tag, from.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_rcv_segments", message, envelope, request, call) }
}

/// Posts a receive or a send: all take a message and an envelope and give a request.
///
/// # Safety
/// Pointers must be null or valid.
#[inline(always)]
pub(super) unsafe fn begin(
    name: &str,
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
    call: impl FnOnce(&mut Runtime, Buffer<'_>, EnvelopeDescription) -> Result<Handle>,
) -> c_int {
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let (message, envelope, request) =
            unsafe { (argument(message, "message")?, argument(envelope, "envelope")?, result(request, "request")?) };
        *request = values.null();
        if runtime.is_watched_elsewhere(envelope.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        match message.with_buffer(|buffer| call(runtime, buffer, *envelope)) {
            Ok(handle) => *request = values.of_request(handle)?,
            Err(error) => return Err(left_to_mpi(runtime, envelope.communicator, error)),
        }
        Ok(())
    })
}

/// As [`begin`], for a call that opens a transfer.
///
/// # Safety
/// Pointers must be null or valid.
#[inline(always)]
pub(super) unsafe fn open(
    name: &str,
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    transfer: *mut c_int,
    call: impl FnOnce(&mut Runtime, Buffer<'_>, EnvelopeDescription) -> Result<Handle>,
) -> c_int {
    with_values(name, |runtime, values| {
        // SAFETY: passed on.
        let (message, envelope, transfer) =
            unsafe { (argument(message, "message")?, argument(envelope, "envelope")?, result(transfer, "transfer")?) };
        *transfer = NO_TRANSFER;
        if runtime.is_watched_elsewhere(envelope.communicator) {
            return Err(leave_to_mpi(runtime));
        }
        match message.with_buffer(|buffer| call(runtime, buffer, *envelope)) {
            Ok(handle) => *transfer = values.of_transfer(handle)?,
            Err(error) => return Err(left_to_mpi(runtime, envelope.communicator, error)),
        }
        Ok(())
    })
}

/// `gravel_wait_rcv_buffer`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::open_transfer`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_wait_rcv_buffer(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    transfer: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.open_transfer(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { open("gravel_wait_rcv_buffer", message, envelope, transfer, call) }
}

/// `gravel_post_send`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_send`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_send(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_send(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_send", message, envelope, request, call) }
}

/// `gravel_post_send_copied`.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::post_copied_send`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_send_copied(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.post_copied_send(buffer, to.rank, to.tag, to.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_send_copied", message, envelope, request, call) }
}

/// `gravel_tile`: the number of iterations per tile, in multiples of `multiple`; 0 for a message that has no say (see
/// `Runtime::tile`), and for one that MPI carries. Never fails: where the handle is wrong, the answer is one tile, and the call
/// that follows reports the error.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_tile(transfer: c_int, iterations: i64, multiple: i64) -> i64 {
    let mut tile = iterations.max(1);
    with_values("gravel_tile", |runtime, values| {
        let handle = values.transfer(transfer);
        if !values.is_value(transfer) || nothing_is_put(handle) || values.is_settled(transfer) {
            tile = 0;
        } else {
            tile = runtime.tile(handle, iterations, multiple)?;
        }
        Ok(())
    });
    tile
}

/// `gravel_post_os_put`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_post_os_put(transfer: c_int, buffer: *const c_void, offset: i64, count: i64) -> c_int {
    with_values("gravel_post_os_put", |runtime, values| {
        if values.has_kept(transfer) {
            return Ok(());
        }
        let transfer = values.transfer(transfer);
        if nothing_is_put(transfer) {
            return Ok(());
        }
        blaming(runtime, transfer, |runtime| runtime.put(transfer, buffer.expose_provenance(), offset, count))
    })
}

/// The value of an operation whose post has failed without an argument for its error, which MPI calls `code`: what ends the
/// operation returns that. The value is left as it is where no runtime can keep anything.
///
/// # Safety
/// `value` must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_keep_failure(code: c_int, value: *mut c_int) {
    if guard::gravel_rt_is_running() == 0 {
        return;
    }
    with_values("gravel_rt_keep_failure", |_, values| {
        // SAFETY: passed on.
        *unsafe { result(value, "value")? } = values.of_failed(Error::ToldAlready { code }.into())?;
        Ok(())
    });
}

/// `gravel_send_fin`. The transfer becomes null, even if the message was incomplete; but one whose message MPI carries stays:
/// the MPI side asks what it was with `gravel_rt_end_remembered`, and makes MPI's call.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_send_fin(transfer: *mut c_int, request: *mut c_int) -> c_int {
    with_values("gravel_send_fin", |runtime, values| {
        // SAFETY: passed on.
        let (transfer, request) = unsafe { (result(transfer, "transfer")?, result(request, "request")?) };
        *request = values.null();
        let handle = values.transfer(*transfer);
        if nothing_is_put(handle) {
            return Err(Error::LeftToMpi.into());
        }
        let value = std::mem::replace(transfer, NO_TRANSFER);
        if value == NO_TRANSFER {
            return Ok(());
        }
        if let Some(kept) = values.take_kept(value) {
            values.end(value);
            return kept.map(drop);
        }
        match blaming(runtime, handle, |runtime| runtime.send_fin(handle)) {
            Ok(ended) => *request = values.turn(value, ended)?,
            Err(error) => {
                values.end(value);
                return Err(error);
            }
        }
        Ok(())
    })
}
