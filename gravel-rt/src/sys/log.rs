//! Messages to standard error, filtered by `GRAVEL_LOG`.

use std::fmt::Arguments;
#[cfg(not(test))]
use std::io::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

/// How much is written to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Nothing at all.
    Off = 0,
    /// Failed calls, with the text of their error.
    Error = 1,
    /// Mistakes that cost nothing yet: unknown settings, leaked requests.
    Warn = 2,
    /// Decisions made once: data paths per peer, why a probe failed.
    Info = 3,
    /// Decisions made per buffer: adoption, registration.
    Debug = 4,
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);
/// The rank that starts every line; negative before `gravel_init`.
static RANK: AtomicI64 = AtomicI64::new(-1);

/// Sets the level and the rank that lines begin with.
pub(crate) fn configure(level: Level, rank: usize) {
    LEVEL.store(level as u8, Ordering::Relaxed);
    RANK.store(i64::try_from(rank).unwrap_or(-1), Ordering::Relaxed);
}

/// Writes one line if `level` is enabled. A closed standard error is not a reason to fail.
pub(crate) fn write(level: Level, text: Arguments<'_>) {
    if level as u8 > LEVEL.load(Ordering::Relaxed) {
        return;
    }
    let rank = RANK.load(Ordering::Relaxed);
    let line = if rank < 0 { format!("gravel: {text}\n") } else { format!("gravel: rank {rank}: {text}\n") };
    #[cfg(test)]
    {
        // What a test prints is shown if it fails.
        eprint!("{line}");
        LINES.with(|lines| lines.borrow_mut().push(line));
    }
    // One write per line, so that lines of several ranks do not mix.
    #[cfg(not(test))]
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

#[cfg(test)]
thread_local! {
    /// What this thread has written.
    static LINES: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// What this thread has written since the last call.
#[cfg(test)]
#[cfg_attr(miri, expect(dead_code, reason = "the tests that ask make system calls that the interpreter has not"))]
pub(crate) fn take_lines() -> Vec<String> {
    LINES.with(std::cell::RefCell::take)
}

macro_rules! error { ($($part:tt)*) => { $crate::sys::log::write($crate::sys::log::Level::Error, format_args!($($part)*)) } }
macro_rules! warning { ($($part:tt)*) => { $crate::sys::log::write($crate::sys::log::Level::Warn, format_args!($($part)*)) } }
macro_rules! info { ($($part:tt)*) => { $crate::sys::log::write($crate::sys::log::Level::Info, format_args!($($part)*)) } }
macro_rules! debug { ($($part:tt)*) => { $crate::sys::log::write($crate::sys::log::Level::Debug, format_args!($($part)*)) } }
pub(crate) use {debug, error, info, warning};
