//! Calls on communicators that are not attached: they are MPI's. libgravel knows no MPI, so it tells the MPI side
//! ([`Error::LeftToMpi`]), which makes the call, and keeps for it what a transfer has to remember until it ends.

use std::ffi::{c_int, c_void};

use super::calls::{EnvelopeDescription, MessageDescription, argument, result};
use super::guard::{self, with_values};
use super::values::NO_TRANSFER;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::runtime::Runtime;

/// The error of a call on a communicator: that it is MPI's, if the communicator is not attached.
#[cold]
pub(super) fn left_to_mpi(runtime: &mut Runtime, communicator: c_int, error: Box<Error>) -> Box<Error> {
    let stays = runtime.key_of(communicator).is_some() || error.is_of_process();
    if stays { error } else { leave_to_mpi(runtime) }
}

/// That a call is MPI's.
#[cold]
pub(super) fn leave_to_mpi(runtime: &mut Runtime) -> Box<Error> {
    runtime.note_message_of_mpi();
    Error::LeftToMpi.into()
}

/// Whether a communicator is not attached, while Gravel runs: the MPI side asks before it looks at what only MPI knows.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_is_left_to_mpi(communicator: c_int) -> c_int {
    c_int::from(guard::peek_mut(|runtime| runtime.key_of(communicator).is_none()).unwrap_or(false))
}

/// A message that MPI carries, between the call that opens its transfer and the one that ends it.
#[derive(Clone, Copy)]
pub(super) struct Remembered {
    address: *mut c_void,
    count: i64,
    datatype: c_int,
    envelope: EnvelopeDescription,
    is_synchronous: bool,
}

/// Handles of such transfers: those of no table.
const FIRST_REMEMBERED: i64 = i64::MIN;
const LAST_REMEMBERED: i64 = i64::MIN / 2;

/// Whether a transfer is of a message that MPI carries: puts do nothing, its end sends it.
#[inline(always)]
pub(super) fn nothing_is_put(transfer: Handle) -> bool {
    transfer.into_raw() < LAST_REMEMBERED
}

/// The messages whose transfers are open.
#[derive(Default)]
pub(super) struct RememberedMessages {
    messages: Vec<Option<Remembered>>,
}

impl RememberedMessages {
    fn add(&mut self, message: Remembered) -> Handle {
        let free = self.messages.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.messages.push(None);
            self.messages.len() - 1
        });
        self.messages[place] = Some(message);
        // A position in an array in memory.
        Handle::from_raw(FIRST_REMEMBERED + place as i64)
    }

    fn take(&mut self, handle: Handle) -> Result<Remembered> {
        let place = usize::try_from(handle.into_raw().wrapping_sub(FIRST_REMEMBERED)).ok();
        let message = place.and_then(|place| self.messages.get_mut(place)).and_then(Option::take);
        message.ok_or_else(|| Error::StaleHandle { handle: handle.into_raw(), expected: "transfer" }.into())
    }
}

/// Opens the transfer of a message that MPI carries: it becomes a handle whose puts do nothing.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_remember(
    message: *const MessageDescription,
    envelope: *const EnvelopeDescription,
    datatype: c_int,
    is_synchronous: c_int,
    transfer: *mut c_int,
) -> c_int {
    with_values("gravel_rt_remember", |_, values| {
        // SAFETY: passed on.
        let (message, envelope, transfer) =
            unsafe { (argument(message, "message")?, argument(envelope, "envelope")?, result(transfer, "transfer")?) };
        let handle = values.remembered.add(Remembered {
            address: message.address,
            count: message.count,
            datatype,
            envelope: *envelope,
            is_synchronous: is_synchronous != 0,
        });
        *transfer = values.of_transfer(handle)?;
        Ok(())
    })
}

/// Ends such a transfer: it becomes null, and the MPI side gets what it is to send.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_end_remembered(
    transfer: *mut c_int,
    message: *mut MessageDescription,
    envelope: *mut EnvelopeDescription,
    datatype: *mut c_int,
    is_synchronous: *mut c_int,
) -> c_int {
    with_values("gravel_send_fin", |_, values| {
        // SAFETY: passed on.
        let (transfer, message, envelope) =
            unsafe { (result(transfer, "transfer")?, result(message, "message")?, result(envelope, "envelope")?) };
        // SAFETY: passed on.
        let (datatype, is_synchronous) =
            unsafe { (result(datatype, "datatype")?, result(is_synchronous, "is_synchronous")?) };
        let value = std::mem::replace(transfer, NO_TRANSFER);
        let remembered = values.remembered.take(values.transfer(value))?;
        values.forget(value);
        (message.address, message.count) = (remembered.address, remembered.count);
        *envelope = remembered.envelope;
        *datatype = remembered.datatype;
        *is_synchronous = c_int::from(remembered.is_synchronous);
        Ok(())
    })
}

/// Copies of messages that MPI sends: the Fortran handles of their requests, in the order of their posts.
#[derive(Default)]
pub(super) struct Copies {
    copies: Vec<(c_int, Box<[u8]>)>,
}

/// Memory for a copy of a message that MPI sends; null if there is none.
///
/// It stays until [`gravel_rt_drop_copy`] is called for it.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_new_copy(bytes: i64) -> *mut c_void {
    let mut memory = std::ptr::null_mut();
    with_values("gravel_post_send_copied", |_, values| {
        let refused = || Error::Internal(format!("no memory for a copy of {bytes} bytes"));
        let bytes = usize::try_from(bytes).map_err(|_| refused())?;
        let mut copy = Vec::new();
        copy.try_reserve_exact(bytes.max(1)).map_err(|_| refused())?;
        copy.resize(bytes.max(1), 0);
        values.copies.copies.push((0, copy.into_boxed_slice()));
        memory = values.copies.copies.last_mut().map_or(memory, |(_, copy)| copy.as_mut_ptr().cast());
        Ok(())
    });
    memory
}

/// The request of the send of the newest copy.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_keep_copy(request: c_int) {
    with_values("gravel_post_send_copied", |_, values| {
        if let Some(newest) = values.copies.copies.last_mut() {
            newest.0 = request;
        }
        Ok(())
    });
}

/// The request of the copy at a position, from 0; false if there is none.
///
/// # Safety
/// `request` must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_copy(position: i64, request: *mut c_int) -> c_int {
    let mut found = 0;
    with_values("gravel_post_send_copied", |_, values| {
        // SAFETY: passed on.
        let request = unsafe { result(request, "request")? };
        let copy = usize::try_from(position).ok().and_then(|position| values.copies.copies.get(position));
        if let Some((of_copy, _)) = copy {
            (*request, found) = (*of_copy, 1);
        }
        Ok(())
    });
    found
}

/// The send of the copy at a position is over.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_drop_copy(position: i64) {
    with_values("gravel_post_send_copied", |_, values| {
        if let Some(position) = usize::try_from(position).ok().filter(|&position| position < values.copies.copies.len())
        {
            values.copies.copies.remove(position);
        }
        Ok(())
    });
}
