//! Attribute macros of Gravel.
//!
//! `#[gravel::overlap]` will apply to Rust loops the transformations that `gravelc` applies to Fortran. It will use
//! gravelc's library, without its tree-sitter front ends, as its middle end. The crate exports nothing yet: it holds
//! the place in the workspace, so that `gravel-rt` (which will re-export the macro as `gravel::overlap`) does not have
//! to move when it comes.
