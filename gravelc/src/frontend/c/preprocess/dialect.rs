//! What texts mean to a compiler under its flags, as far as tokens and macros are concerned.

/// The forms of a compiler's preprocessor that differ between standards and compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// `??=` is `#` (5.2.1.1).
    pub trigraphs: bool,
    /// `//` begins a comment.
    pub line_comments: bool,
    /// `%:` is `#`, `<:` is `[`.
    pub digraphs: bool,
    /// `$` is part of names.
    pub dollars: bool,
    /// `u"…"`, `U"…"` and `u8"…"` are one token.
    pub unicode_strings: bool,
    /// `R"(…)"` is a string.
    pub raw_strings: bool,
    /// `1p+2` is one number.
    pub binary_exponents: bool,
    /// `1'000` is one number.
    pub digit_separators: bool,
    /// `__VA_OPT__` is an operator.
    pub va_opt: bool,
    /// In `, ## __VA_ARGS__` the comma goes for an empty argument, too (clang), not only for one that is not there (gcc).
    pub swallows_before_empty: bool,
    /// It also goes where the macro has no other parameter (not in strict modes).
    pub swallows_without_others: bool,
    /// Macros in `#pragma omp` are expanded.
    pub expands_openmp: bool,
    /// In a macro's body `__LINE__` is the line of the invocation's closing parenthesis (clang), not that of the name (gcc).
    pub line_of_end: bool,
    /// `char` is unsigned.
    pub unsigned_char: bool,
    /// `wchar_t` is unsigned.
    pub unsigned_wide: bool,
    /// `true` is 1 in a condition.
    pub true_is_one: bool,
}

impl Default for Dialect {
    /// gnu17.
    fn default() -> Self {
        Self {
            trigraphs: false,
            line_comments: true,
            digraphs: true,
            dollars: true,
            unicode_strings: true,
            raw_strings: true,
            binary_exponents: true,
            digit_separators: false,
            va_opt: true,
            swallows_before_empty: false,
            swallows_without_others: true,
            expands_openmp: false,
            line_of_end: false,
            unsigned_char: false,
            unsigned_wide: false,
            true_is_one: false,
        }
    }
}

impl Dialect {
    /// That of texts which a preprocessor has written.
    pub(super) fn of_output(self) -> Self {
        Self { trigraphs: false, ..self }
    }
}
