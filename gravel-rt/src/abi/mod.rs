//! The C interface of libgravel: what `gravel.h` and `gravel.f90` call.
//!
//! These functions know no MPI types. The header and the Fortran module, compiled with the user's MPI, translate
//! handles to integers, datatypes to sizes and completions to statuses. Every function returns a [`Code`], writes the
//! text of an error to standard error and keeps it for [`report::gravel_rt_error_text`]; no panic leaves them.

pub mod alltoall;
pub mod announced;
pub mod attributes;
pub mod buffered;
pub mod callbacks;
pub mod calls;
pub mod communicators;
pub mod datatypes;
pub mod descriptor;
pub mod exchanges_of_mpi;
mod guard;
mod left_to_mpi;
pub mod overlaps;
pub mod persistent;
pub mod probes;
pub mod report;
pub mod several;
pub mod synchronous;
mod values;
pub mod waits;

pub use crate::error::Code;
