//! gravelc: overlaps the communication of MPI programs with their computation, source to source.
//!
//! Data flows one way (ARCHITECTURE.md has the map):
//!
//! ```text
//! files --frontend--> Program --analysis--> facts --transform--> Plan --emit--> edits --> text
//!                                                                    \--report--> text | JSON
//! ```
//!
//! [`ir`] is the language-neutral program; [`analysis`] answers questions about it and changes nothing; [`transform`]
//! proposes decisions; [`plan`] holds them as data; [`emit`] executes the plan as text edits and [`report`] shows the
//! same plan to people and tools. What front ends and analyses both know of libraries is in [`known_libraries`].

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod directives;
pub mod emit;
pub mod frontend;
pub mod ir;
pub mod known_libraries;
pub mod mpi;
pub mod mutations;
pub mod passes;
pub mod plan;
pub mod progress;
pub mod report;
#[cfg(feature = "fortran")]
mod runtime_module;
pub mod source_layout;
pub mod transform;
