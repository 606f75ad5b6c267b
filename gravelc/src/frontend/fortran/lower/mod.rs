//! From statements and expressions of the syntax tree to those of the program.
//!
//! [`procedure`] lowers one procedure; [`lowering`] is the state it has meanwhile. [`statements`] and [`constructs`] lower
//! statements, [`expressions`], [`designators`] and `references` expressions, [`mpi_calls`] calls of MPI. What can't be lowered becomes an
//! opaque statement that names whom it may call and what it may touch ([`unread_text`]).

pub mod addresses;
pub mod anchors;
pub mod associate;
pub mod block_constructs;
pub mod bound_calls;
pub mod calls;
pub mod categories;
pub mod certain_references;
pub mod components;
pub mod construct_names;
pub mod constructs;
pub mod designators;
pub mod entity_lists;
mod entries;
pub mod entry_values;
pub mod expressions;
pub mod generics;
pub mod handed_over;
pub mod hints;
pub mod indirect_calls;
pub mod input_output;
mod jumps;
pub mod lowering;
pub mod memory;
pub mod missed_calls;
pub mod mpi_calls;
pub mod namelists;
pub mod operations;
pub mod part_forms;
pub mod procedure;
mod ranks;
mod references;
pub mod statement_functions;
pub mod statements;
mod storage;
pub mod symbols;
mod text_parts;
pub mod threads;
pub mod unread_text;
pub mod user_directives;
pub mod visible_variables;
