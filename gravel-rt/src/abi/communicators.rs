//! The MPI side's communicators, kept here so that all source files of a program, C and Fortran, share them.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static KEPT: AtomicBool = AtomicBool::new(false);
static ATTACHED: AtomicI32 = AtomicI32::new(0);
static DUPLICATE: AtomicI32 = AtomicI32::new(0);

/// Keeps the Fortran handles of the communicator that was given to `gravel_init` and of its duplicate, on which the
/// callbacks work.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_keep_communicators(attached: c_int, duplicate: c_int) {
    ATTACHED.store(attached, Ordering::Relaxed);
    DUPLICATE.store(duplicate, Ordering::Relaxed);
    KEPT.store(true, Ordering::Release);
}

/// The communicator whose error handler a failed call goes to: the one kept, or `fallback` before `gravel_init`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_attached(fallback: c_int) -> c_int {
    if KEPT.load(Ordering::Acquire) { ATTACHED.load(Ordering::Relaxed) } else { fallback }
}

/// The duplicate that was kept.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_duplicate() -> c_int {
    DUPLICATE.load(Ordering::Relaxed)
}
