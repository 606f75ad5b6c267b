//! Buffered sends.

use std::ffi::c_int;

use super::calls::{EnvelopeDescription, MessageDescription, begin};
use super::guard::with_runtime;
use crate::message::request::Handle;
use crate::runtime::{Buffer, Runtime};

/// `gravel_post_bsend`. The request is that of a send that is over.
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::announce_buffered`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_post_bsend(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, to: EnvelopeDescription| {
        // SAFETY: passed on.
        unsafe { runtime.announce_buffered(buffer, to.rank, to.tag, to.communicator) }?;
        Ok(Handle::NULL)
    };
    // SAFETY: passed on.
    unsafe { begin("gravel_post_bsend", message, envelope, request, call) }
}

/// The program has attached a buffer of so many bytes, of which MPI takes `overhead` for each message; or, if `bytes` is
/// negative, detached it.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_attach_buffer(bytes: i64, overhead: i64) -> c_int {
    with_runtime("gravel_buffer_attach", |runtime| {
        let room = u64::try_from(bytes).ok().map(|bytes| (bytes, overhead.unsigned_abs()));
        runtime.attach_buffer(room);
        Ok(())
    })
}
