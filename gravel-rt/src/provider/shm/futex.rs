//! Sleeping on a word that processes share (futex(2)).

use std::time::Duration;

use crate::sys::sync::AtomicU32;

/// Wakes all that sleep on the word.
#[cfg(not(loom))]
pub fn wake_all(word: &AtomicU32) {
    // SAFETY: FUTEX_WAKE on a valid word reads nothing but its address. The word is shared, hence no private flag.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

/// Sleeps while the word has the value `expected`, until somebody wakes it or the time is over, or for no reason at all.
/// True if somebody did.
#[cfg(not(loom))]
pub fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> bool {
    let timeout = timeout.map(|duration| libc::timespec {
        tv_sec: libc::time_t::try_from(duration.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    });
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: FUTEX_WAIT on a valid shared word with a valid (or no) relative timeout. Every other result, EINTR and EAGAIN
    // included, means "look again", which the caller does.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, timeout) == 0 }
}

/// The model's sleepers see the word change by themselves.
#[cfg(loom)]
pub fn wake_all(_: &AtomicU32) {}

/// The model sleeps until the word has changed, without a limit: a wake-up that was lost never ends, which the checker
/// reports.
#[cfg(loom)]
pub fn wait(word: &AtomicU32, expected: u32, _: Option<Duration>) -> bool {
    while word.load(crate::sys::sync::Ordering::SeqCst) == expected {
        loom::thread::yield_now();
    }
    true
}
