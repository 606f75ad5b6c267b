//! Arithmetic on what is not known yet: [`truth`] decides conditions, [`symbolic`] turns integer expressions into polynomials,
//! [`prover`] compares them under assumptions (by [`linear_program`]), [`lmad`] works on linear memory access descriptors.

pub mod linear_program;
pub mod lmad;
pub mod prover;
pub mod symbolic;
pub mod truth;
