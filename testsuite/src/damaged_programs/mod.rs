//! Damaged programs: whatever is done to a source, gravelc transforms it or says what is wrong with it.
//!
//! A seed picks one of the programs of this package ([`corpus`]) and damages it ([`damage`]). `gravelc` then reads the result
//! as its users' files. It must end by itself, soon, with an output or with a message and without one; a panic, a signal or a
//! stack that is too small is a finding. Findings are made smaller ([`reduce`]) and kept in the build folder.

pub mod campaign;
pub mod corpus;
pub mod damage;
pub mod reduce;
pub mod run;
