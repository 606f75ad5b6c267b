//! The C front end.
//!
//! ```text
//! bytes --preprocess--> tokens with places --expansion--> text --tokens--> tokens --reading--> unit: symbols, typed
//!                                                           stand_ins --declarations------^   expressions, statements
//!                                                                                        --lower--> the program
//! ```
//!
//! [`translation_unit`] does all of it for one file, [`mpi_calls`] finds the calls of MPI in it. [`points_to`] asks of all units
//! which objects their pointers may lead to, before they become procedures.
//! [`compiler_command`] is how a build compiles it,
//! [`build_comparison`] asks whether two builds mean the same. [`rewritten`] asks whether what was written is C again.

pub mod build_comparison;
pub mod compiler_command;
pub mod expansion;
pub mod lower;
pub mod mpi_calls;
pub mod points_to;
pub mod preprocess;
pub mod reading;
pub mod rewritten;
pub mod stand_ins;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod translation_unit;
pub mod types;
pub mod unit;
