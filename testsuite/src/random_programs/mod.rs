//! Random programs: small MPI programs are generated, transformed, and run before and after.
//!
//! ```text
//! seed ──generator, variation──▶ Program ─fortran,c─▶ text ──gravelc──▶ transformed text
//!                                  │                   │                   │
//!                              interpreter          compiler           compiler
//!                                  ▼                   ▼                   ▼
//!                              what must be printed = what is printed = what is printed
//! ```
//!
//! A [`program`] is data that knows no language. The [`interpreter`] runs it rank by rank and says what it prints, or why
//! it is not a correct MPI program; only correct ones are used ([`legality`]). Many programs go into one file ([`batch`]),
//! with tags of their own, so that gravelc judges each by itself. What is wrong is made smaller ([`shrink`]).

pub mod batch;
pub mod c;
pub mod campaign;
pub mod counts;
pub mod fortran;
pub mod generator;
pub mod interpreter;
pub mod legality;
mod messages;
mod patterns;
pub mod program;
pub mod seeds;
pub mod shrink;
pub mod subjects;
mod used_names;
mod variation;
pub mod written;

#[cfg(test)]
mod tests;
