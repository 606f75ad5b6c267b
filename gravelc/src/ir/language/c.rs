//! C's answers (C11, and what GNU C adds to it).

use super::{Dialect, Form};
use crate::source_layout::SourceLayout;

/// The language.
#[derive(Debug)]
pub(super) struct C;

impl Dialect for C {
    fn component_separator(&self) -> &'static str {
        "."
    }

    fn is_same_name(&self, one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    fn may_be_written(&self, word: &str) -> bool {
        let beginnings = ["gravel", "GRAVEL_", "MPI_", "PMPI_"];
        let words = ["int", "int64_t", "if", "else", "for", "while"];
        beginnings.iter().any(|beginning| word.starts_with(beginning)) || words.contains(&word)
    }

    fn longest_name(&self) -> usize {
        // C11 5.2.4.1: of external names only 31 characters need count.
        31
    }

    fn is_comment_line(&self, line: &[u8], _: SourceLayout) -> bool {
        // A line inside of a comment looks like code: it is taken for that.
        line.trim_ascii_start().starts_with(b"//")
    }

    fn is_for_compilers(&self, line: &[u8], _: SourceLayout) -> bool {
        line.trim_ascii_start().starts_with(b"#")
    }

    fn without_comment<'l>(&self, line: &'l str, _: SourceLayout) -> &'l str {
        match line.split_once("//") {
            Some((code, _)) if !code.contains(['"', '\'', '*']) => code,
            _ => line,
        }
    }

    fn lines_matter(&self) -> bool {
        false
    }

    fn integer_bytes(&self) -> u32 {
        4
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
        // C11 6.8.5.3: the condition is evaluated before each iteration.
        false
    }

    fn calls_check_arguments(&self) -> bool {
        false
    }

    fn has_vector_version(&self, _: &str) -> bool {
        // Compilers use vector versions of C's functions only where -ffast-math lets them.
        false
    }

    fn has_one_value(&self, _: &str) -> bool {
        false
    }

    fn parts_compute_alike(&self) -> bool {
        false
    }

    fn has_safe_memory(&self) -> bool {
        false
    }

    fn integers_are_counts(&self) -> bool {
        false
    }

    fn is_written(&self) -> bool {
        true
    }

    fn posts_keep_errors(&self) -> bool {
        // A post gives its code back, whether anything looks at it or not.
        false
    }

    fn writes(&self, form: Form) -> bool {
        match form {
            Form::Exchange | Form::SplitLoop => true,
            Form::SharedVariable
            | Form::EarlyComputation
            | Form::DroppedCopy
            | Form::UnwrappedCall
            | Form::PartsOfProcedures => false,
        }
    }
}
