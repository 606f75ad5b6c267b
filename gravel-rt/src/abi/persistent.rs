//! The calls that describe, start and release persistent operations.

use std::ffi::c_int;

use super::calls::{EnvelopeDescription, MessageDescription, begin, result};
use super::communicators::blaming;
use super::guard::with_values;
use crate::error::Error;
use crate::message::rendezvous::SendMode;
use crate::runtime::{Buffer, PersistentKind, Runtime};

/// `gravel_prepare_receive` (kind 0), `gravel_prepare_send` (1), `gravel_prepare_announced_receive` (2),
/// `gravel_prepare_announced_send` (3), `gravel_prepare_send_synchronous` (4),
/// `gravel_prepare_announced_send_synchronous` (5) and `gravel_prepare_bsend` (6).
///
/// # Safety
/// Pointers must be null or valid; the buffer as [`Runtime::prepare`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_prepare(
    kind: c_int,
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    request: *mut c_int,
) -> c_int {
    use SendMode::{Standard, Synchronous};
    let (name, kind, mode) = match kind {
        0 => ("gravel_prepare_receive", Some(PersistentKind::PostedReceive), Standard),
        1 => ("gravel_prepare_send", Some(PersistentKind::PostedSend), Standard),
        2 => ("gravel_prepare_announced_receive", Some(PersistentKind::AnnouncedReceive), Standard),
        3 => ("gravel_prepare_announced_send", Some(PersistentKind::AnnouncedSend), Standard),
        4 => ("gravel_prepare_send_synchronous", Some(PersistentKind::PostedSend), Synchronous),
        5 => ("gravel_prepare_announced_send_synchronous", Some(PersistentKind::AnnouncedSend), Synchronous),
        6 => ("gravel_prepare_bsend", Some(PersistentKind::BufferedSend), Standard),
        _ => ("gravel_rt_prepare", None, Standard),
    };
    let call = |runtime: &mut Runtime, buffer: Buffer<'_>, envelope: EnvelopeDescription| {
        let kind = kind.ok_or_else(|| Error::Internal("a kind of persistent operation that there is not".into()))?;
        let buffer = Buffer { mode, ..buffer };
        // SAFETY: passed on.
        unsafe { runtime.prepare(kind, buffer, envelope.rank, envelope.tag, envelope.communicator) }
    };
    // SAFETY: passed on.
    unsafe { begin(name, message, envelope, request, call) }
}

/// `gravel_start`. The request stays.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_start(request: c_int) -> c_int {
    with_values("gravel_start", |runtime, values| {
        let handle = values.handle(request);
        if values.kept(request).is_some() {
            // It is over, and nobody has waited for it.
            return Err(Error::AlreadyStarted { handle: i64::from(request) }.into());
        }
        blaming(runtime, handle, |runtime| runtime.start(handle))
    })
}

/// `gravel_release`. The request becomes null.
///
/// # Safety
/// `request` must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_release(request: *mut c_int) -> c_int {
    with_values("gravel_release", |runtime, values| {
        // SAFETY: passed on.
        let request = unsafe { result(request, "request")? };
        let value = std::mem::replace(request, values.null());
        let released = values.handle(value);
        if values.take_kept(value).is_some() && released.in_persistent().is_none() {
            values.forget(value);
            return Ok(());
        }
        values.forget(value);
        blaming(runtime, released, |runtime| runtime.release(released))
    })
}
