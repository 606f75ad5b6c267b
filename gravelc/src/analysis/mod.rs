//! Asks and answers questions about a program; changes nothing.
//!
//! Answers have three values: an analysis that can't tell says so, and whoever asks leaves the program alone then.
//! [`facts`] keeps what was worked out. The rooms, each of which uses only those above it:
//!
//! - [`algebra`]: symbolic arithmetic and the prover.
//! - [`program`]: calls, what is outside, order of statements.
//! - [`memory`]: effects, regions, dependence, aliases.
//! - [`values`]: what variables hold; bounds of arrays; which communicators are the same.
//! - [`loops`]: production, consumption and independence of iterations.
//! - [`messages`]: matching, requests, datatypes.

pub mod algebra;
pub mod facts;
pub mod loops;
pub mod memory;
pub mod messages;
pub mod program;
#[cfg(test)]
mod testing;
pub mod values;

/// An answer with three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Proven.
    Yes,
    /// Its opposite is proven.
    No,
    /// Neither.
    Unknown,
}
