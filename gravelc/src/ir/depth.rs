//! How deep the ends of a loop are.

use serde::{Deserialize, Serialize};

/// So many iterations at the beginning of a loop and at its end. They need a message, and those between them do not: how
/// far a stencil reaches into the ghost layers on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    /// As many of the first iterations.
    pub first: u8,
    /// As many of the last ones.
    pub last: u8,
}

impl Depth {
    /// No iteration.
    pub const NONE: Self = Self::both(0);
    /// The first iteration and the last one.
    pub const ONE: Self = Self::both(1);
    /// More are not looked for on either side.
    pub const MAX: u8 = 16;

    /// As many on either side.
    pub const fn both(depth: u8) -> Self {
        Self { first: depth, last: depth }
    }

    /// How many iterations there are at both ends together.
    pub fn iterations(self) -> i64 {
        i64::from(self.first) + i64::from(self.last)
    }

    /// Deep enough for both.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self { first: self.first.max(other.first), last: self.last.max(other.last) }
    }
}
