//! One runtime per process.
//!
//! Which pages are adopted, and what `fork` has to do about them, are matters of the process: a second runtime that
//! ends, and gives such pages back while the first still receives in them, would lose what arrives meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

static CLAIMED: AtomicBool = AtomicBool::new(false);

/// The right to be the runtime of this process, until dropped.
pub(super) struct Claim(());

impl Claim {
    /// Claims the process, whether for the C interface or for the Rust one.
    pub(super) fn new() -> Result<Self> {
        if CLAIMED.swap(true, Ordering::Acquire) { Err(Error::AlreadyInitialized.into()) } else { Ok(Self(())) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMED.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_runtime_at_a_time() {
        let claim = Claim::new().unwrap();
        assert_eq!(Claim::new().err(), Some(Error::AlreadyInitialized.into()));
        drop(claim);
        assert!(Claim::new().is_ok());
    }
}
