//! Errors that the MPI side finds by itself, reported with the texts of this library.

use std::ffi::{c_char, c_int};

use super::guard;
use crate::error::Error;

/// What the MPI side found wrong; the same numbers are in `gravel.h` and `gravel.f90`.
mod finding {
    use std::ffi::c_int;

    pub(super) const INTERCOMMUNICATOR: c_int = 1;
    pub(super) const UNSUPPORTED_DATATYPE: c_int = 2;
    pub(super) const MPI_CALL: c_int = 3;
}

/// Reports a finding of the MPI side; `detail` is the datatype's Fortran handle, or MPI's error code. Returns the code
/// of the error.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_report(found: c_int, detail: c_int) -> c_int {
    let error = match found {
        finding::INTERCOMMUNICATOR => Error::Intercommunicator,
        finding::UNSUPPORTED_DATATYPE => Error::UnsupportedDatatype { handle: detail },
        finding::MPI_CALL => Error::Mpi { call: "a call", code: detail },
        other => Error::Internal(format!("unknown finding {other} of the MPI side")),
    };
    guard::fail("gravel", &error)
}

/// The text of the calling thread's last error; empty if there was none, valid until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_error_text() -> *const c_char {
    guard::last_error()
}
