//! Source that was not understood: what its text says all the same.

use super::SymbolId;

/// A statement or an expression that was not understood. It may read and write everything and go anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Why, and its text.
    pub why: String,
    /// Whom it may call besides procedures of the program; `None` if that can't be told, and MPI may be among them.
    pub calls: Option<OutsideCalls>,
    /// The variables that its text names.
    pub variables: Vec<SymbolId>,
    /// The text may name objects with components.
    pub names_objects: bool,
    /// A file or a macro that is not known decides what stands there: it may end the procedure, and begin others.
    pub may_hold_more: bool,
}

/// Procedures that were not given, of those that source may call which was not understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutsideCalls {
    /// Their names, as [`super::Callee::Unknown`] has them.
    pub names: Vec<String>,
    /// There may be others that the text does not name, or by names of which more is not known: what stands behind the operators
    /// and the generic names of modules that were not given.
    pub unnamed: bool,
}

impl Unread {
    /// Something of which nothing is known but why.
    pub fn unknown(why: impl Into<String>) -> Self {
        Self { why: why.into(), calls: None, variables: Vec::new(), names_objects: true, may_hold_more: false }
    }
}
