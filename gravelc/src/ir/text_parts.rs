//! Where the text of a procedure can be taken apart, so that further procedures are made of its parts.

use super::Span;

/// What of a procedure's text has to be written otherwise in a procedure that is made of a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextParts {
    /// Its name where it begins.
    pub name: Span,
    /// The statement with which it begins.
    pub head: Span,
    /// Its name where it ends, if that says it.
    pub name_at_end: Option<Span>,
    /// The statement with which it ends.
    pub end: Span,
    /// What says of dummy arguments that they have no value when it begins (Fortran INTENT(OUT)): a part that runs later may need
    /// the value of an earlier one.
    pub resets: Vec<Span>,
}

/// Why the text of a procedure can't be taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indivisible {
    /// Where.
    pub span: Span,
    /// Why, as the end of a sentence that begins with its name.
    pub why: String,
}

impl Indivisible {
    /// Nothing that is written in its language is made of parts of procedures.
    pub fn by_language(span: Span) -> Self {
        Self { span, why: "is in a language in which no procedures are made of parts of it yet".to_owned() }
    }
}
