//! Preprocessing tokens, each with where it is spelled and through which macros it came.

use super::symbols::Symbol;

/// A file of the unit, as its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

impl FileId {
    /// The file that is translated.
    pub const MAIN: Self = Self(0);

    /// Its place in the list of files.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A macro's invocation, as its number from 1; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub(super) u32);

impl StepId {
    /// No macro.
    pub const NONE: Self = Self(0);

    /// The invocation of this number, from 1.
    pub(in crate::frontend::c) fn of_number(number: usize) -> Self {
        Self(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Is there no macro?
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// What a token is (ISO C 6.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or a keyword.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A character constant.
    Character,
    /// A string literal.
    String,
    /// A punctuator.
    Punctuator,
    /// A byte that is nothing else, or what a quote without its partner begins.
    Other,
}

/// Bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Place {
    /// Do all bytes of `other` belong to this one?
    pub fn contains(&self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Have they a byte in common?
    pub fn meets(&self, other: Self) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }
}

/// Facts of a token, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u16);

impl Flags {
    /// Blanks or a comment stand in front of it.
    pub const SPACE: Self = Self(1);
    /// It is the first one of its line.
    pub const LINE_START: Self = Self(2);
    /// It is spelled in the definition of a macro.
    pub const IN_BODY: Self = Self(4);
    /// It is the name of a macro inside of that macro's own expansion and stays a name (6.10.3.4).
    pub(super) const NO_EXPAND: Self = Self(8);
    /// A system's header stands there.
    pub const IN_SYSTEM: Self = Self(16);
    /// It belongs to a line that is left to the compiler: `#pragma` or `#ident`.
    pub const DIRECTIVE: Self = Self(32);
    /// It was made by `##`, `#` or `_Pragma`: its place is where that began.
    pub const MADE: Self = Self(64);
    /// It is the value of `__FILE__`, `__LINE__` or the like: an edit of the file may change it.
    pub const OF_PLACE: Self = Self(128);
    /// It is the value of `__DATE__` or the like: each run of a compiler has another.
    pub const OF_TIME: Self = Self(256);
    /// A punctuator in its other spelling (`<:`).
    pub(super) const DIGRAPH: Self = Self(512);

    /// Is one of these set?
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Sets them.
    pub(super) fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Clears them.
    pub(super) fn clear(&mut self, other: Self) {
        self.0 &= !other.0;
    }

    /// Those of these that are set.
    pub(super) fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A preprocessing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its spelling, without trigraphs and continued lines.
    pub symbol: Symbol,
    /// Where it is spelled.
    pub place: Place,
    /// The innermost invocation that it came through, as part of the macro or as an argument.
    pub step: StepId,
    /// What it is.
    pub kind: TokenKind,
    /// Facts.
    pub flags: Flags,
}

impl Token {
    /// Is it this punctuator?
    pub(super) fn is(&self, symbol: Symbol) -> bool {
        self.kind == TokenKind::Punctuator && self.symbol == symbol
    }

    /// Does it tell of the place where it stands, or of the time: `__LINE__`, `__FILE__`, `__DATE__`?
    pub fn tells_of_place_or_time(&self) -> bool {
        self.flags.has(Flags::OF_PLACE.and(Flags::OF_TIME))
    }

    /// Is it this name?
    pub(super) fn is_name(&self, symbol: Symbol) -> bool {
        self.kind == TokenKind::Identifier && self.symbol == symbol
    }
}

/// One invocation of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The macro's name.
    pub name: Symbol,
    /// Where the name is spelled that was replaced.
    pub at: Place,
    /// Behind the invocation's closing parenthesis, in the file of `at`, as far as it stands there; without arguments behind the name.
    pub end: u32,
    /// Is the name itself spelled in the definition of a macro?
    pub is_in_body: bool,
    /// Do name and closing parenthesis stand together, in one file or in one argument, and is no parenthesis or comma of what it became
    /// one of another macro's arguments?
    pub is_complete: bool,
    /// The invocation that it is a part or an argument of.
    pub outer: StepId,
}

impl Step {
    /// From the name to the closing parenthesis.
    pub fn place(&self) -> Place {
        Place { end: self.end.max(self.at.end), ..self.at }
    }
}
