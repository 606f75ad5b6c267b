//! Does it show in the results of a loop which of its iterations a compiler computes in vectors?

use serde::{Deserialize, Serialize};

/// How a file's compiler computes in vectors, compared with how it computes the same operations one by one.
///
/// Additions, multiplications, divisions and square roots round in one way only (IEEE 754). But a compiler may fuse a multiplication
/// and an addition, which then round once instead of twice, in one of the two and not in the other; and with flags for fast
/// arithmetic it may take other operations. Elementary functions and sums are other questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum VectorArithmetic {
    /// It is not known.
    #[default]
    Unknown,
    /// The two differ at most in which operations are fused.
    Fused,
    /// Each element has the bits that it has one by one.
    Elementwise,
}
