//! What names mean: units, their declarations as scopes, and association between them (Fortran 2018, clauses 8, 14 and 19).
//!
//! [`units`] finds program units and procedures in the syntax trees, [`declarations`] reads their specification parts into a
//! [`scope`] each, [`association`] answers which entity a name stands for: a local one, one of a module, of MPI, of the host.

pub mod association;
pub mod bindings;
pub mod blocks;
pub mod common_blocks;
pub mod constants;
pub mod constants_in_scope;
mod cray_pointers;
pub mod declarations;
pub mod default_kinds;
pub mod entries;
pub mod included_declarations;
pub mod initial_values;
pub mod interfaces;
pub mod intrinsics;
pub mod language_bindings;
pub mod link_names;
pub mod members;
pub mod mentioned_procedures;
pub mod messaging_names;
pub mod mpi_stand_ins;
mod names_for_others;
pub mod names_in_units;
pub mod operation_names;
pub mod own_bytes;
pub mod pasted_header;
pub mod scope;
pub mod standard_modules;
pub mod statement_function_parts;
pub mod storage_association;
pub mod structures;
pub mod submodules;
pub mod types;
pub mod units;
pub mod unread_tokens;
pub mod variable_declarations;
