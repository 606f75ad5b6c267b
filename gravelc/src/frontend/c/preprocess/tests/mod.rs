//! Tests of whole texts.

mod compilers;
mod random_texts;
mod texts;
