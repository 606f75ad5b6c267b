//! Attribute keys of MPI, kept here so that all source files of a program share them.
//!
//! Communicators and datatypes that the runtime remembers carry an attribute whose delete callback tells it when they are
//! freed (see [`crate::message::retirement`]). MPI converts the values of attributes between languages in ways of its own, so C and
//! Fortran have keys of their own, each with callbacks in that language. One more attribute, of MPI_COMM_SELF, tells when
//! MPI ends (`gravel_rt_mpi_ends`).

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

/// Of communicators and datatypes in C, then of both in Fortran, then of MPI itself in the language of `gravel_init`.
static ATTRIBUTE_KEYS: Mutex<[Option<c_int>; 5]> = Mutex::new([None; 5]);

fn attribute_key<T>(which: c_int, access: impl FnOnce(&mut Option<c_int>) -> T) -> Option<T> {
    let mut keys = ATTRIBUTE_KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    usize::try_from(which).ok().and_then(|which| keys.get_mut(which)).map(access)
}

/// Keeps an attribute key of MPI for all source files: 0 of communicators in C, 1 of datatypes in C, 2 and 3 likewise in
/// Fortran, 4 of MPI itself.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_keep_attribute_key(which: c_int, value: c_int) {
    attribute_key(which, |key| *key = Some(value));
}

/// The attribute key that was kept, or `fallback`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_attribute_key(which: c_int, fallback: c_int) -> c_int {
    attribute_key(which, |key| *key).flatten().unwrap_or(fallback)
}

/// As [`gravel_rt_attribute_key`]; it is not kept any longer.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_drop_attribute_key(which: c_int, fallback: c_int) -> c_int {
    attribute_key(which, Option::take).flatten().unwrap_or(fallback)
}
