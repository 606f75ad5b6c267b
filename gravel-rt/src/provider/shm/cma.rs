//! Cross-memory attach: writing into another process with one system call and no preparation.
//!
//! It needs the permission to trace the other process, which containers, user namespaces and the yama module can deny
//! between two particular processes: so it is probed per peer, with a real transfer.

use std::io;

/// Writes into a peer's memory; everything or an error.
///
/// # Safety
/// `source` must be valid for `bytes` bytes. The peer must expect its memory to be written.
pub unsafe fn write(pid: u32, source: *const u8, target: u64, bytes: u64) -> io::Result<()> {
    // SAFETY: passed on.
    unsafe { transfer(libc::process_vm_writev, pid, source.cast_mut(), target, bytes) }
}

/// Reads from a peer's memory; everything or an error.
///
/// # Safety
/// `buffer` must be valid for `bytes` bytes and the caller's to write.
pub unsafe fn read(pid: u32, buffer: *mut u8, source: u64, bytes: u64) -> io::Result<()> {
    // SAFETY: passed on.
    unsafe { transfer(libc::process_vm_readv, pid, buffer, source, bytes) }
}

type Call = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> libc::ssize_t;

/// The kernel moves at most about 2 GiB per call, and may stop early: hence the loop.
unsafe fn transfer(call: Call, pid: u32, local: *mut u8, remote: u64, bytes: u64) -> io::Result<()> {
    let out_of_range = || io::Error::from(io::ErrorKind::InvalidInput);
    let pid = libc::pid_t::try_from(pid).map_err(|_| out_of_range())?;
    let remote = usize::try_from(remote).map_err(|_| out_of_range())?;
    let bytes = usize::try_from(bytes).map_err(|_| out_of_range())?;
    remote.checked_add(bytes).ok_or_else(out_of_range)?;
    let mut done = 0;
    while done < bytes {
        let here = libc::iovec { iov_base: local.wrapping_add(done).cast(), iov_len: bytes - done };
        let there = libc::iovec { iov_base: std::ptr::without_provenance_mut(remote + done), iov_len: bytes - done };
        // SAFETY: one valid vector on each side; the local bytes are valid by the contract of the callers.
        let moved = unsafe { call(pid, &raw const here, 1, &raw const there, 1, 0) };
        match usize::try_from(moved) {
            Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
            Ok(moved) => done += moved,
            Err(_) => {
                let cause = io::Error::last_os_error();
                if cause.kind() != io::ErrorKind::Interrupted {
                    return Err(cause);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn an_unmapped_target_is_an_error_and_not_a_short_write() {
        let source = [1u8; 64];
        // SAFETY: the source is valid; nothing is mapped at the target.
        let error = unsafe { write(std::process::id(), source.as_ptr(), 4096, 64) }.unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
        // SAFETY: as above; the range wraps around and is refused before any call.
        assert!(unsafe { write(std::process::id(), source.as_ptr(), u64::MAX - 3, 64) }.is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn bytes_move_both_ways() {
        let mut target = [0u8; 64];
        let address = target.as_mut_ptr().expose_provenance() as u64;
        let mut back = [0u8; 64];
        // SAFETY: all buffers are this test's own.
        unsafe {
            write(std::process::id(), [9u8; 64].as_ptr(), address, 64).unwrap();
            read(std::process::id(), back.as_mut_ptr(), address, 64).unwrap();
        }
        assert_eq!(back, [9; 64]);
    }
}
