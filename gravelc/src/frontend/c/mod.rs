//! The C front end.
//!
//! ```text
//! text in which macros are expanded --tokens--> tokens --reading--> unit: symbols, typed expressions, statements
//! ```

pub mod expansion;
pub mod preprocess;
pub mod reading;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod types;
pub mod unit;
