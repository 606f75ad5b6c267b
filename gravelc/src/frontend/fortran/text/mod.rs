//! From the bytes of a file to its syntax tree.
//!
//! ```text
//! bytes --expansion--> text with included code in the place of the lines that include it
//!       --preprocessed_lines--> lines as the preprocessor sees them  --conditions--> those that are compiled
//!       --fixed_form--> free form of the same length (for files in fixed form)
//!       --joined_tokens--> names and numbers in one piece (for files in free form)
//!       --lexer--> tokens and logical statements  --patch--> text that the grammar can read  --parse--> tree and holes
//! ```
//!
//! Every step but the first one keeps the length of the text, so that an offset means the same byte of the text all the way.

pub mod classify;
pub mod conditions;
pub mod constant_names;
pub mod directives;
pub mod expansion;
pub mod file_reading;
pub mod fixed_form;
pub mod includes;
pub mod joined_tokens;
pub mod lexer;
pub mod macro_calls;
pub mod macro_expansion;
pub mod misreadings;
pub mod outline;
pub mod parse;
pub mod patch;
pub mod preprocessed_lines;
pub mod preprocessor;
pub mod source_text;
pub mod syntax_tree;
pub mod tree;
pub mod unclear;
