//! Rust's answers. Its programs come from a procedural macro, function by function, and are written by it.

use super::{Dialect, Form};
use crate::source_layout::SourceLayout;

/// The language.
#[derive(Debug)]
pub(super) struct Rust;

/// Functions of numbers whose precision the standard library leaves open (documentation of `f64`, "Unspecified precision").
/// Front ends name them so where an argument is made of constants and loop variables alone: a compiler may compute those calls itself, with
/// another library than the one that the program calls. All others are computed by that library, however the loop is cut.
const UNSPECIFIED_PRECISION: [&str; 28] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "exp_m1",
    "gamma", "hypot", "ln", "ln_1p", "ln_gamma", "log", "log10", "log2", "powf", "powi", "sin", "sin_cos", "sinh",
    "tan", "tanh",
];

impl Dialect for Rust {
    fn component_separator(&self) -> &'static str {
        "."
    }

    fn is_same_name(&self, one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    fn may_be_written(&self, _: &str) -> bool {
        // Names of emitted code are those of a macro: no name of the program means one of them.
        false
    }

    fn longest_name(&self) -> usize {
        usize::MAX
    }

    fn is_comment_line(&self, line: &[u8], _: SourceLayout) -> bool {
        line.trim_ascii_start().starts_with(b"//")
    }

    fn is_for_compilers(&self, _: &[u8], _: SourceLayout) -> bool {
        false
    }

    fn without_comment<'l>(&self, line: &'l str, _: SourceLayout) -> &'l str {
        // What a macro is given has no comments.
        line
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
        // What is written is borrowed alone.
        true
    }

    fn hands_over_addresses(&self) -> bool {
        true
    }

    fn message_ends_with_section(&self) -> bool {
        true
    }

    fn loop_bounds_are_read_once(&self) -> bool {
        true
    }

    fn calls_check_arguments(&self) -> bool {
        // They take what the program's own call took.
        false
    }

    fn has_vector_version(&self, function: &str) -> bool {
        UNSPECIFIED_PRECISION.contains(&function)
    }

    fn has_one_value(&self, _: &str) -> bool {
        false
    }

    fn parts_compute_alike(&self) -> bool {
        // No operation on floating-point numbers is reordered or contracted.
        true
    }

    fn has_safe_memory(&self) -> bool {
        true
    }

    fn integers_are_counts(&self) -> bool {
        true
    }

    fn is_written(&self) -> bool {
        true
    }

    fn posts_keep_errors(&self) -> bool {
        // An error of either ends the exchange.
        true
    }

    fn writes(&self, form: Form) -> bool {
        matches!(form, Form::Exchange | Form::SplitLoop)
    }
}
