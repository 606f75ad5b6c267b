//! Tests of the runtime across real processes, without any MPI.
//!
//! Every test runs itself again, once per rank, and the ranks meet through files in a directory ([`launcher`]).

mod failures;
mod faults;
mod launcher;
mod messages;
mod progress;
mod world;
