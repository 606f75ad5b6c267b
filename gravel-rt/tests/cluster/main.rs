//! Tests of the runtime across real processes, without any MPI.
//!
//! Every test runs itself again, once per rank, and the ranks meet through files in a directory ([`launcher`]).

mod failures;
mod launcher;
mod messages;
mod observation;
mod progress;
mod rules;
mod world;
