//! The C front end.
//!
//! ```text
//! text in which macros are expanded --tokens--> tokens --reading--> unit: symbols, typed expressions, statements
//! ```

pub mod reading;
pub mod tokens;
pub mod types;
pub mod unit;
