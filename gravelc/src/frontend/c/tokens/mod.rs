//! The tokens of a text in which macros are expanded.
//!
//! Lines that begin with `#` are no tokens: line marks are skipped, pragmas are kept beside the tokens.

mod keywords;
mod lexer;
mod names;
mod signs;

pub use keywords::Keyword;
pub use lexer::{Pragma, Token, TokenKind, Tokens, lex, lex_with};
pub use names::{Name, Names};
pub use signs::Sign;
