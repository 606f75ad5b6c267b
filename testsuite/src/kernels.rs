//! Kernels: programs of the size and the manner of real ones, with the communication of well-known benchmarks.
//!
//! `kernels/NAME/` holds the Fortran of one, written without a thought of Gravel, and `kernel.toml`, which says how it is
//! built and run ([`Kernel`]). It comes in four sizes ([`Class`]), checks its own results and says on standard output
//! whether they are right; its time it writes to standard error. A [`KernelProgram`] is one that has been built, as it is
//! or transformed ([`Variant`]); it runs on this machine or on a cluster of hosts ([`Place`]). [`suite::KernelSuite`] compares
//! what the two print, [`crate::kernel_benchmark`] how long they take.

mod description;
mod place;
mod program;
pub mod suite;

pub use description::{Class, ClassSettings, Kernel};
pub use place::Place;
pub use program::{KernelProgram, ProgramPair, TransformedKernel, Variant, expect_verified, printed_seconds};
