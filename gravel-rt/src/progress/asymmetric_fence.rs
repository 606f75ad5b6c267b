//! A fence between a thread that passes it all the time and one that hardly ever does: the first pays nothing, the second a
//! system call that passes a full fence in every running thread of the process (membarrier(2), Linux 4.14).
//!
//! As with a full fence on both sides, if each side stores, passes its fence, and looks at what the other one stores, then at
//! least one of them sees the other's store.

use crate::error::Result;

/// The side that pays nothing: the compiler keeps the order; the processor need not.
#[cfg(not(loom))]
#[inline(always)]
pub fn light() {
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// Whether the system has the other side.
#[cfg(not(loom))]
pub fn is_supported() -> bool {
    let both = libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED | libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    // The answer is a set of commands, or -1, all of whose bits are set.
    let supported = membarrier(libc::MEMBARRIER_CMD_QUERY);
    supported >= 0 && supported & i64::from(both) == i64::from(both)
}

/// The side that pays.
///
/// # Errors
///
/// If the system refuses, although [`is_supported`].
#[cfg(not(loom))]
pub fn heavy() -> Result<()> {
    // What registers the process is only known to be needed now: it may take milliseconds where there are threads.
    for command in [libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED] {
        if membarrier(command) != 0 {
            let cause = std::io::Error::last_os_error();
            return Err(crate::error::Error::system("passing a fence in all threads (membarrier)", &cause).into());
        }
    }
    Ok(())
}

#[cfg(not(loom))]
fn membarrier(command: libc::c_int) -> i64 {
    // SAFETY: the call takes numbers, and changes no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
}

/// The model knows no cheaper one.
#[cfg(loom)]
pub fn light() {
    loom::sync::atomic::fence(loom::sync::atomic::Ordering::SeqCst);
}

/// Likewise.
#[cfg(loom)]
pub fn heavy() -> Result<()> {
    light();
    Ok(())
}

/// Likewise.
#[cfg(loom)]
pub fn is_supported() -> bool {
    true
}
