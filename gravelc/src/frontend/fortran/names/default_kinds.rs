//! How long reals are that are declared without a kind, and whether integers with one are as long as those without.
//!
//! It is the processor's choice (Fortran 2018, 7.4.3.2), and compilers have flags for it: programs that were written for
//! machines with long words are built so that REAL has 8 bytes. Integers without a kind are as long as MPI's, whatever they are;
//! where a flag makes them longer than those of 4 bytes, these are no integers that MPI, and the runtime, takes beside them.

use serde::{Deserialize, Serialize};

/// Bytes of the types of reals that name no kind; `None` where a flag changes them in a way that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultKinds {
    /// Of REAL.
    pub real: Option<u32>,
    /// Of DOUBLE PRECISION.
    pub double: Option<u32>,
    /// Of reals of kind 4 or 8, are these the bytes, too?
    pub kinds_are_bytes: bool,
    /// Is an integer, or a truth value, of kind 4 of the default kind?
    pub kind_4_is_default_integer: bool,
}

impl Default for DefaultKinds {
    /// As where no flag says otherwise.
    fn default() -> Self {
        Self { real: Some(4), double: Some(8), kinds_are_bytes: true, kind_4_is_default_integer: true }
    }
}
