//! Threads of the runtime's own.

use std::io;
use std::thread::JoinHandle;

/// Starts a thread with all signals blocked: they are the application's.
///
/// # Errors
/// If the process has as many as it may (RLIMIT_NPROC).
pub fn start(name: &'static str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(name.into());
    // SAFETY: signal sets are plain data that sigfillset initialises; the mask of this thread is restored below.
    let mut previous = unsafe {
        let mut all = std::mem::zeroed();
        let mut previous = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut previous);
        previous
    };
    let thread = builder.spawn(body);
    // SAFETY: the mask that was in force.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw mut previous, std::ptr::null_mut()) };
    thread
}
