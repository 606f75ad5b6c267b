//! Tests of whole texts.

mod texts;
