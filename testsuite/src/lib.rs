//! What the tests and the demonstration of Gravel are made of.
//!
//! The programs of this package are the whole user interface of the repository: `cargo demo` ([`overhead`] and
//! the examples), `cargo suite` (everything), and `cargo figure` ([`figure`], [`overlap`], [`kernel_benchmark`]: the
//! benchmarks). `cargo test -p testsuite` compares text, and runs the few programs of `shim/` with the MPIs that are
//! installed.
//!
//! - `golden/<name>/`: a program, its expected transformation and its expected report ([`golden`]).
//! - `traps/<name>.f90`: programs that a careless transformation would break ([`trap`]).
//! - [`random_programs`]: generated programs, which an interpreter understands; [`mutations`]: are all checks of gravelc
//!   needed?
//! - [`hidden_communication`]: generated programs that receive messages where no call of MPI can be seen.
//! - [`shared_arguments`]: generated programs that hand the memory of a message to one procedure by two names.
//! - [`wandering_requests`]: generated programs that copy, store and hand around requests.
//! - [`damaged_programs`]: all of these, damaged at random, which gravelc must survive.
//! - [`preprocessing`]: are the statements that gravelc sees in preprocessed files those that compilers see?
//! - `kernels/<name>/`: programs of several files that communicate as well-known benchmarks do ([`kernels`]).
//! - `examples/` of the repository: complete programs.
//! - [`cluster`]: several hosts on this machine, on which these programs run, too.
//! - `shim/`: programs in C and Fortran that are written against the runtime's header and module by hand ([`native`]).
//!
//! The first three and the kernels also run: transformed or not, a program must print the same ([`equivalence`]), and
//! compilers must not warn of more ([`warnings`]). Many are checked at a time ([`side_by_side`]).

pub mod case;
pub mod checkers;
pub mod cluster;
pub mod command;
pub mod configuration;
pub mod corpus;
pub mod damaged_programs;
pub mod directives;
pub mod equivalence;
pub mod figure;
pub mod free_space;
pub mod golden;
pub mod graphs;
pub mod gravelc;
pub mod hidden_communication;
pub mod kernel_benchmark;
pub mod kernels;
pub mod leftovers;
pub mod loops_in_c;
pub mod mpi_flavour;
pub mod mutations;
pub mod native;
pub mod overhead;
pub mod overlap;
pub mod preprocessing;
pub mod process;
pub mod random_programs;
pub mod rdma_benchmark;
pub mod rdma_guest;
pub mod readme;
pub mod report;
pub mod ring_variants;
pub mod runtime_library;
pub mod rust_examples;
pub mod setup;
pub mod shared_arguments;
pub mod side_by_side;
pub mod source_language;
pub mod stability;
pub mod tally;
pub mod trap;
pub mod verbs;
pub mod wandering_requests;
pub mod warnings;
pub mod whole_exchanges;
pub mod workspace;
