//! Tests of whole texts.

mod compilers;
pub(in crate::frontend::c) mod random_texts;
mod texts;
