//! What a text has that a compiler would refuse, or that is beyond the limits of this preprocessor.

use super::symbols::Symbol;
use super::token::Place;

/// A kind of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A comment does not end.
    OpenComment,
    /// `#include` names a file that is nowhere on the search path.
    NoSuchFile,
    /// `#include` has no name of a file.
    NoFileName,
    /// A line that begins with `#` is no directive, or has a wrong form.
    InvalidDirective,
    /// `#define` with a wrong form.
    InvalidDefinition,
    /// A condition that can't be evaluated.
    InvalidCondition,
    /// `#else`, `#elif`, `#endif` without `#if`, or the other way round.
    UnbalancedCondition,
    /// `##` makes no token.
    InvalidPaste,
    /// A macro has another number of arguments.
    WrongArguments,
    /// The list of a macro's arguments does not end.
    OpenArguments,
    /// `_Pragma` without a string.
    InvalidPragma,
    /// `#error` in a part that counts.
    ErrorDirective,
    /// Files that include one another without end.
    IncludesTooDeep,
    /// Macros in arguments of macros, or conditions in conditions, deeper than the limit.
    NestedTooDeep,
    /// The expansion is larger than the limit.
    TooLarge,
}

impl ProblemKind {
    /// Does it end the reading of the unit, since going on would take too much time or memory?
    pub fn is_limit(self) -> bool {
        matches!(self, Self::IncludesTooDeep | Self::NestedTooDeep | Self::TooLarge)
    }
}

/// A problem, with where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// The token at which it was noticed.
    pub place: Place,
    /// The name that it is about: a macro, a file.
    pub name: Option<Symbol>,
}

/// The unit is given up: one of the limits is reached, and the problem is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit;
