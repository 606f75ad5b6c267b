//! Digests of files: they show that one is what it was.

use sha2::{Digest, Sha256};

/// The SHA-256 of the bytes (FIPS 180-4), as hexadecimal text.
pub(super) fn sha256_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
