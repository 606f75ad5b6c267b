//! Source that was not understood: what its text says all the same.

use super::SymbolId;

/// A statement or an expression that was not understood. It may read and write everything and go anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// What kind of thing it is: this decides.
    pub opacity: Opacity,
    /// What was not understood, for people: the same words for all of its kind.
    pub what: String,
    /// How it stands in the source, for people, where that says more.
    pub quoted: Option<String>,
    /// Whom it may call besides procedures of the program; `None` if that can't be told, and MPI may be among them.
    pub calls: Option<OutsideCalls>,
    /// The variables that its text names.
    pub variables: Vec<SymbolId>,
    /// The text may name objects with components.
    pub names_objects: bool,
}

/// The kinds of source that is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opacity {
    /// The grammar can't read it: `a = = b`.
    Syntax,
    /// A file or a macro that is not known decides what stands there: `include 'body.inc'`.
    UnknownText,
    /// It can be read, but not what it means: `x = y .of. z`.
    Meaning,
}

impl Opacity {
    /// May it end the procedure, and begin others?
    pub fn may_hold_more(self) -> bool {
        match self {
            Self::UnknownText => true,
            Self::Syntax | Self::Meaning => false,
        }
    }
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
    /// Something of which nothing is known but what it is.
    pub fn unknown(what: impl Into<String>) -> Self {
        Self {
            opacity: Opacity::Meaning,
            what: what.into(),
            quoted: None,
            calls: None,
            variables: Vec::new(),
            names_objects: true,
        }
    }

    /// What was not understood, with its text, for people.
    pub fn describe(&self) -> String {
        let Self { what, quoted, .. } = self;
        quoted.as_ref().map_or_else(|| what.clone(), |quoted| format!("{what}: {quoted}"))
    }
}
