//! From typed units to procedures.
//!
//! `procedure` lowers a function, `lowering` is the state meanwhile. `statements` lowers statements, with `declarations`,
//! `loops` that count, `uncounted_loops` and `switches`; `assignments` expressions that are statements, `effects` those with effects inside of others, in an order that
//! `sequencing` knows, `conditional_values` those that perhaps are evaluated; `expressions` values, `designators` lvalues and pointers; `calls` calls, with `library` for those of the system, and
//! `communication` those of MPI. What can't be lowered is opaque, and says whom it may call (`unread`).

mod address_taken;
mod assignments;
mod calls;
pub(super) mod communication;
mod conditional_values;
mod configuration;
mod declarations;
mod designators;
mod effects;
mod expressions;
pub(super) mod formats;
mod hints;
mod jumps;
pub(super) mod library;
mod loops;
mod lowering;
mod names_for_others;
mod places;
mod procedure;
mod reading_check;
mod reductions;
mod runtime_header;
mod sequencing;
mod signals;
mod statements;
mod switches;
mod symbols;
#[cfg(test)]
mod tests;
mod types;
mod uncounted_loops;
mod unread;
mod whole_program;

pub use configuration::configuration_of;
pub use whole_program::{Given, lower};
