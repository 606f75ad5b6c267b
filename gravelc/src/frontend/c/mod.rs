//! The C front end: it reads no programs yet, and holds the first rooms of what will.
//!
//! ```text
//! bytes --preprocess--> tokens with places --expansion--> text --tokens--> tokens --reading--> unit: symbols, typed
//!                                                           stand_ins --declarations------^   expressions, statements
//! ```
//!
//! [`translation_unit`] does all of it for one file, [`mpi_calls`] finds the calls of MPI in it.

pub mod expansion;
pub mod mpi_calls;
pub mod preprocess;
pub mod reading;
pub mod stand_ins;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod translation_unit;
pub mod types;
pub mod unit;
