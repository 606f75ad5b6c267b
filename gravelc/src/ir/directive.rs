//! What users ask of gravelc in their source.

use super::{ProcedureId, Span, StatementId};

/// A directive as it was written: what it means is decided, and its spelling checked, where it is obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// What stands behind the sentinel, without blanks at its ends.
    pub text: String,
    /// The place of `text`.
    pub span: Span,
    /// What it is about.
    pub place: DirectivePlace,
}

/// Where a directive stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectivePlace {
    /// On a line of its own before this executable statement, with nothing but comments in between.
    Before {
        /// The procedure.
        procedure: ProcedureId,
        /// The statement; of several that begin there the outermost.
        statement: StatementId,
    },
    /// Behind or inside a statement.
    Beside,
    /// Before something that is no executable statement: a declaration, an END, the end of the file.
    BeforeNothing,
}
