//! What MPI is, in one place: its routines with their arguments, its constants and its predefined datatypes.
//!
//! On the ground beside [`crate::ir`]: front ends read calls by it, analyses and transformations ask it what a routine does.

pub mod arguments;
pub mod constants;
pub mod datatypes;
pub mod properties;
pub mod routines;
