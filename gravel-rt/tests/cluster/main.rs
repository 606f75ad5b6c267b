//! Tests of the runtime across real processes, without any MPI.
//!
//! Every test runs itself again, once per rank, and the ranks meet through files in a directory ([`launcher`]).

#[macro_use]
mod paths;

mod announced;
mod api;
mod calls;
mod communicators;
mod failures;
mod faults;
mod large;
mod launcher;
mod messages;
mod mixtures;
mod network;
mod observation;
mod progress;
mod ranges;
mod rdma;
mod rules;
mod rules_of_waits;
mod soak;
mod waits;
mod world;
