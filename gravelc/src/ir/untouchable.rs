//! Why a procedure is left as it is.

use super::Span;

/// What keeps a procedure from being changed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untouchable {
    /// The place.
    pub span: Span,
    /// What kind of thing it is: this decides.
    pub cause: UntouchableCause,
    /// What it is, for people.
    pub text: String,
}

/// The kinds of things that keep a procedure from being changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UntouchableCause {
    /// Several threads may run it.
    ///
    /// ```fortran
    /// !$omp parallel
    /// call exchange(a)
    /// ```
    Threads,
    /// A directive holds for its statements as they stand: `!dir$ ivdep`.
    Hint,
    /// Statements share a line where others would have to be inserted: `subroutine s; integer :: i`.
    SharedLine,
    /// What gravelc would write there would be replaced: `#define min smallest`.
    Replaced,
    /// A file or a macro that is not known decides what belongs to it: `include 'body.inc'`.
    UnknownText,
    /// A macro makes it, or it stands in a file that is included: `#include "exchange.c"`.
    SpelledElsewhere,
    /// Something in it was not understood.
    Unread,
}

impl UntouchableCause {
    /// Are the names and statements of the procedure all the same what they seem?
    pub fn leaves_text_certain(self) -> bool {
        match self {
            Self::Threads | Self::Hint | Self::Replaced | Self::SpelledElsewhere => true,
            Self::SharedLine | Self::UnknownText | Self::Unread => false,
        }
    }
}
