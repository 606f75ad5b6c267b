//! Errors that the MPI side finds by itself, reported with the texts of this library.

use std::ffi::{CStr, c_char, c_int};

use super::guard;
use crate::error::Error;

/// What the MPI side found wrong; the same numbers are in `gravel.h` and `gravel.f90`.
#[repr(i32)]
pub enum Finding {
    /// An intercommunicator was given.
    Intercommunicator = 1,
    /// MPI is not there.
    WithoutMpi = 2,
    /// A handle of MPI lies among the values of Gravel's requests.
    RequestsMeet = 3,
}

/// Reports a finding of the MPI side in a call. Returns the code of the error.
///
/// # Safety
/// `call` must be null or end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_report(call: *const c_char, found: c_int) -> c_int {
    const INTERCOMMUNICATOR: c_int = Finding::Intercommunicator as c_int;
    const WITHOUT_MPI: c_int = Finding::WithoutMpi as c_int;
    const REQUESTS_MEET: c_int = Finding::RequestsMeet as c_int;
    let call = match call.is_null() {
        true => "gravel".into(),
        // SAFETY: not null, and terminated by the contract.
        false => unsafe { CStr::from_ptr(call) }.to_string_lossy(),
    };
    let error = match found {
        INTERCOMMUNICATOR => Error::Intercommunicator,
        WITHOUT_MPI => Error::WithoutMpi,
        REQUESTS_MEET => Error::RequestsMeet,
        other => Error::Internal(format!("unknown finding {other} of the MPI side")),
    };
    guard::fail(&call, &error)
}

/// The text of the calling thread's last error; empty if there was none, valid until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_error_text() -> *const c_char {
    guard::last_error()
}
