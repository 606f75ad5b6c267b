//! Threads of the runtime's own.

use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

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
    let thread = builder.spawn(|| {
        ask_for_short_slices();
        body();
    });
    // SAFETY: the mask that was in force.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw mut previous, std::ptr::null_mut()) };
    thread
}

/// For how long such a thread runs at a time: the shortest that the system allows. Most of its turns are shorter.
const SLICE: Duration = Duration::from_micros(100);

/// Asks the system for many short turns of the processor instead of few long ones, for the calling thread. What it gets is no
/// more, but when it is woken it need not wait until a thread that computes has had its own turn, of some milliseconds, in
/// which a peer may be waiting for an answer. Needs no privilege. Systems before Linux 6.12 do not listen; then, and where the
/// user has chosen another policy or that is forbidden, nothing changes.
fn ask_for_short_slices() {
    // SAFETY: plain numbers.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::sched_attr>() as u32;
    // SAFETY: room for as many bytes as it is told of; the calling thread.
    if unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) } != 0
        || attributes.sched_policy != libc::SCHED_OTHER.cast_unsigned()
    {
        return;
    }
    attributes.size = size;
    attributes.sched_runtime = SLICE.as_nanos() as u64;
    // SAFETY: valid during the call, which changes nothing but the slices of the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}
