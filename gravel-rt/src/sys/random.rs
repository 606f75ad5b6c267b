//! Bytes that nobody can guess.
//!
//! They come from getrandom(2). Where a sandbox forbids that, from /dev/urandom; where there is none either, from a hash of the
//! random bytes that the kernel gives every process (AT_RANDOM, see getauxval(3)), of the time, and of a count.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::clock::monotonic_nanoseconds;
use super::log;

/// What has failed where there are none, for errors.
pub const DRAWING: &str = "drawing a random number (getrandom, /dev/urandom)";

/// Bytes of AT_RANDOM.
const KERNEL_BYTES: usize = 16;

/// So many random bytes, at most as many as a hash has.
///
/// # Errors
/// If the system has none at all.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    const { assert!(N <= 32, "one hash makes no more") };
    let forbidden = match from_system() {
        Ok(bytes) => return Ok(bytes),
        Err(cause) => cause,
    };
    log::debug!("getrandom: {forbidden}; random numbers come from /dev/urandom or the kernel's for this process");
    if let Ok(bytes) = from_device() {
        return Ok(bytes);
    }
    from_kernel().ok_or(forbidden)
}

fn from_system<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    loop {
        // SAFETY: the buffer has the given length. So few bytes always come in one piece.
        let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), N, 0) };
        if usize::try_from(got) == Ok(N) {
            return Ok(bytes);
        }
        let cause = io::Error::last_os_error();
        if cause.kind() != io::ErrorKind::Interrupted {
            return Err(cause);
        }
    }
}

fn from_device<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn from_kernel<const N: usize>() -> Option<[u8; N]> {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    // SAFETY: it takes a number; the bytes that it points to stay where they are for as long as the process lives.
    let seed = unsafe { (libc::getauxval(libc::AT_RANDOM) as *const [u8; KERNEL_BYTES]).as_ref() }?;
    let mut hash = Sha256::new();
    hash.update(seed);
    hash.update(monotonic_nanoseconds().to_le_bytes());
    hash.update(std::process::id().to_le_bytes());
    hash.update(DRAWN.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    hash.finalize().first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn each_source_gives_other_bytes_each_time() {
        assert_ne!(random::<32>().unwrap(), random().unwrap());
        assert_ne!(from_system::<32>().unwrap(), from_system().unwrap());
        assert_ne!(from_device::<32>().unwrap(), from_device().unwrap());
        assert_ne!(from_kernel::<32>().unwrap(), from_kernel().unwrap());
        assert_ne!(random::<8>().unwrap(), [0; 8]);
    }
}
