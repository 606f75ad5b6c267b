//! Places that keep procedures from being touched, as they are found in the text.

use std::ops::Range;

use crate::ir::UntouchableCause;

/// Why something is not the whole truth, or nothing may be changed, with the place.
#[derive(Debug, Clone)]
pub struct Unclear {
    /// The place, in its file.
    pub range: Range<usize>,
    /// What kind of thing it is.
    pub cause: UntouchableCause,
    /// What it is, for people.
    pub why: String,
}
