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

impl Untouchable {
    /// Adds to what keeps a procedure from being changed. Of several things the one counts after which least is certain, and of
    /// those the first.
    pub fn add(found: &mut Option<Self>, new: Self) {
        if found.as_ref().is_none_or(|old| new.cause.outweighs(old.cause)) {
            *found = Some(new);
        }
    }
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
    /// What gravelc would write there would be replaced, or mean something else: `#define min smallest`.
    Replaced,
    /// A file or a macro that is not known decides what belongs to it: `include 'body.inc'`.
    UnknownText,
    /// A macro makes it, or it stands in a file that is included: `#include "exchange.c"`.
    SpelledElsewhere,
    /// It can begin at several places, and others call those by names of their own: `entry other(a)`. Only calls of MPI change in it,
    /// where they stand or inside of it.
    SeveralEntries,
    /// Something in it was not understood.
    Unread,
}

impl UntouchableCause {
    /// Are the names and statements of the procedure all the same what they seem?
    pub fn leaves_text_certain(self) -> bool {
        self.doubt() == Doubt::None
    }

    /// Does it leave more in doubt than the other one, or, of two that leave as much, less to be changed?
    pub fn outweighs(self, other: Self) -> bool {
        (self.doubt(), !self.lets_calls_change()) > (other.doubt(), !other.lets_calls_change())
    }

    /// Can other calls take the place of those of MPI in the procedure all the same? What others see of it stays, and its callers do.
    pub fn lets_calls_change(self) -> bool {
        self == Self::SeveralEntries
    }

    /// How much is uncertain where there is such a thing.
    fn doubt(self) -> Doubt {
        match self {
            Self::Threads
            | Self::Hint
            | Self::SharedLine
            | Self::Replaced
            | Self::SpelledElsewhere
            | Self::SeveralEntries => Doubt::None,
            Self::Unread => Doubt::Meaning,
            Self::UnknownText => Doubt::Extent,
        }
    }
}

/// What is not certain of the text of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// Nothing.
    None,
    /// What its names and statements mean.
    Meaning,
    /// Where it ends, too.
    Extent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::FileId;

    #[test]
    fn what_leaves_most_in_doubt_counts() {
        use UntouchableCause::{Hint, SeveralEntries, SharedLine, Threads, UnknownText, Unread};
        for (causes, expected) in [
            (vec![Hint, Unread], Unread),
            (vec![SharedLine, Unread, UnknownText, Unread], UnknownText),
            (vec![Unread, Hint], Unread),
            (vec![Threads, SharedLine], Threads),
            (vec![SeveralEntries, Threads, SharedLine], Threads),
            (vec![Unread, SeveralEntries], Unread),
        ] {
            let mut found = None;
            for (start, cause) in causes.into_iter().enumerate() {
                let span = Span { file: FileId(0), start, end: start };
                Untouchable::add(&mut found, Untouchable { span, cause, text: String::new() });
            }
            assert_eq!(found.map(|found| found.cause), Some(expected));
        }
    }
}
