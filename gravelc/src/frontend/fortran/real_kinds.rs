//! How long reals are that are declared without a kind.
//!
//! It is the processor's choice (Fortran 2018, 7.4.3.2), and compilers have flags for it: programs that were written for
//! machines with long words are built so that REAL has 8 bytes.

use serde::{Deserialize, Serialize};

/// Bytes of the types of reals that name no kind; `None` where a flag changes them in a way that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealKinds {
    /// Of REAL.
    pub real: Option<u32>,
    /// Of DOUBLE PRECISION.
    pub double: Option<u32>,
    /// Of reals of kind 4 or 8, are these the bytes, too?
    pub kinds_are_bytes: bool,
}

impl Default for RealKinds {
    /// As where no flag says otherwise.
    fn default() -> Self {
        Self { real: Some(4), double: Some(8), kinds_are_bytes: true }
    }
}
