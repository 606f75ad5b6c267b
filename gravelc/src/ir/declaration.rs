//! Declarations as text, for taking names out of the source that the transformed program has no use for.

use super::Span;

/// A statement that declares variables, one after the other. Several may declare one (its type, its dimensions).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationStatement {
    /// The whole statement.
    pub span: Span,
    /// What it declares, in order.
    pub entities: Vec<DeclaredEntity>,
}

/// A variable in a [`DeclarationStatement`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredEntity {
    /// The name, in the spelling that the language compares (Fortran: lower case).
    pub name: String,
    /// Its part of the statement: the name with its dimensions and its initial value.
    pub span: Span,
    /// It is a dummy argument.
    pub is_dummy: bool,
    /// Every place of the procedure, and of those inside it, that could name the variable, but for what such statements say of
    /// it and, of a dummy argument, but for the list of dummy arguments.
    pub mentions: Vec<Span>,
}
