//! Other answers than Fortran's to all questions that have more than one: who does not ask is found by tests.

use super::{Dialect, Form};
use crate::source_layout::SourceLayout;

#[derive(Debug)]
pub(super) struct Opposite;

impl Dialect for Opposite {
    fn component_separator(&self) -> &'static str {
        "."
    }

    fn is_same_name(&self, one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    fn may_be_written(&self, word: &str) -> bool {
        word.starts_with("MPI_")
    }

    fn longest_name(&self) -> usize {
        31
    }

    fn is_comment_line(&self, line: &[u8], _: SourceLayout) -> bool {
        line.starts_with(b"//")
    }

    fn is_for_compilers(&self, line: &[u8], _: SourceLayout) -> bool {
        line.starts_with(b"#")
    }

    fn without_comment<'l>(&self, line: &'l str, _: SourceLayout) -> &'l str {
        line.split_once("//").map_or(line, |(code, _)| code)
    }

    fn lines_matter(&self) -> bool {
        false
    }

    fn integer_bytes(&self) -> u32 {
        8
    }

    fn first_subscript(&self) -> i64 {
        0
    }

    fn written_arguments_are_apart(&self) -> bool {
        false
    }

    fn hands_over_addresses(&self) -> bool {
        true
    }

    fn message_ends_with_section(&self) -> bool {
        false
    }

    fn loop_bounds_are_read_once(&self) -> bool {
        false
    }

    fn calls_check_arguments(&self) -> bool {
        false
    }

    fn has_vector_version(&self, _: &str) -> bool {
        false
    }

    fn has_one_value(&self, _: &str) -> bool {
        true
    }

    fn parts_compute_alike(&self) -> bool {
        true
    }

    fn has_safe_memory(&self) -> bool {
        true
    }

    fn integers_are_counts(&self) -> bool {
        true
    }

    fn is_written(&self) -> bool {
        false
    }

    fn posts_keep_errors(&self) -> bool {
        false
    }

    fn writes(&self, _: Form) -> bool {
        false
    }
}
