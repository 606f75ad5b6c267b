//! Asks and answers questions about a program; changes nothing.
//!
//! Answers have three values: an analysis that can't tell says so, and whoever asks leaves the program alone then.
//!
//! [`symbolic`] turns integer expressions into polynomials and [`prover`] compares them. [`effects`] says what memory a
//! statement reads and writes, as regions; [`overlap`] and [`sharing`] say whether two of them can meet;
//! [`production`] says whether a loop completes a message piece by piece, [`consumption`] whether it reads it so,
//! [`independence`] whether its iterations can change places (`accumulations.rs`: what they may add up), [`vectorised`]
//! and [`elementary_functions`] whether it rounds the same in parts, and [`message`] which memory a message is. [`array_bounds`] finds the bounds of arrays whose declarations do not say them.
//! [`calls`] says who calls whom, [`never_called`] who is never called, and [`values`] which constants and communicators the variables of the whole program hold.
//! [`argument_forms`] says which arguments the runtime's calls take.
//! [`matching`] says which sends and receives could meet, [`requests`] which of them a wait may complete,
//! [`dependence_graph`] and [`match_graph`] put such answers together for pictures, and [`facts`] keeps answers that were
//! worked out.

mod accumulations;
pub mod argument_aliases;
pub mod argument_forms;
pub mod array_bounds;
pub mod arrays;
pub mod callers_view;
pub mod calls;
mod carried;
pub mod computation;
pub mod consumption;
pub mod contents;
pub mod copies;
pub mod creations;
pub mod datatypes;
pub mod dependence_graph;
pub mod effect_order;
pub mod effects;
pub mod elementary_functions;
pub mod error_checks;
pub mod facts;
pub mod followed_requests;
pub mod handed_messages;
pub mod handed_requests;
mod handed_variables;
pub mod independence;
pub mod known_procedures;
pub mod lent_to_functions;
pub mod lent_variables;
mod linear_program;
mod lmad;
mod looked_at;
pub mod match_graph;
pub mod matching;
pub mod memory_in_callee;
pub mod message;
pub mod never_called;
pub mod open_world;
mod order;
pub mod outside;
pub mod overlap;
pub mod overriding;
mod overrun;
pub mod production;
pub mod prover;
pub mod region_text;
pub mod repeatable;
pub mod requests;
pub mod requests_in_objects;
pub mod separate_requests;
pub mod sharing;
pub mod symbolic;
#[cfg(test)]
mod testing;
pub mod values;
pub mod vectorised;
pub mod wrappers;

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
