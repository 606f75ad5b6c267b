//! Threads of the runtime's own.

use std::thread::JoinHandle;

use crate::error::{Error, Result};

/// Starts a thread with all signals blocked: they are the application's.
pub fn start(name: &'static str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
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
    thread.map_err(|cause| Error::system(format!("starting thread {name} (limit: RLIMIT_NPROC)"), &cause).into())
}
