//! Whether exchanges are worth overlapping.

use std::borrow::Cow;
use std::ffi::{c_char, c_int};
use std::slice;

use super::guard;

/// `gravel_worth_overlapping`: not 0 if the program should do what needs nothing of the exchange that it has begun. Never fails:
/// without a runtime, the answer is no.
///
/// # Safety
/// `place` must be null or point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_worth_overlapping(place: *const c_char, length: i64) -> c_int {
    // SAFETY: passed on.
    let place = unsafe { text(place, length) };
    guard::peek_mut(|runtime| runtime.worth_overlapping(&place)).unwrap_or(false).into()
}

/// The name of a place.
///
/// # Safety
/// As [`gravel_rt_worth_overlapping`]; not longer used than the caller's bytes are there.
unsafe fn text<'t>(place: *const c_char, length: i64) -> Cow<'t, str> {
    let length = usize::try_from(length).unwrap_or(0);
    if place.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: not null, and so long by the contract.
    String::from_utf8_lossy(unsafe { slice::from_raw_parts(place.cast(), length) })
}
