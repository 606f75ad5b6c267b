//! What a call hands to a procedure.

use super::*;

/// What a call hands to a procedure, by kinds: a dummy argument is the so-manieth of its kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    /// Arrays, from one of their elements on.
    pub arrays: Vec<(ArrayId, Index)>,
    /// Integers.
    pub integers: Vec<Expression>,
    /// Requests.
    pub requests: Vec<HandedRequests>,
    /// Datatypes.
    pub datatypes: Vec<DatatypeId>,
}

/// A request variable, or a part of one, that is handed to a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct HandedRequests {
    /// The variable.
    pub variable: RequestId,
    /// What of it.
    pub part: HandedPart,
}

/// Which part of a request variable is handed to a procedure.
#[derive(Debug, Clone, PartialEq)]
pub enum HandedPart {
    /// All of it.
    Whole,
    /// This element, and for an array those behind it.
    From(Expression),
    /// A section from this element to its end.
    SectionFrom(Expression),
    /// A section from one element to another.
    Section(Expression, Expression),
}

impl Arguments {
    /// Arrays and integers.
    pub fn of(arrays: Vec<(ArrayId, Index)>, integers: Vec<Expression>) -> Self {
        Self { arrays, integers, ..Self::default() }
    }
}
