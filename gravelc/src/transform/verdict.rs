//! What is decided of a match class.

use std::collections::BTreeMap;

use crate::analysis::facts::SiteId;
use crate::plan::{Missed, Reason};

/// Whether a class converts.
pub enum Verdict {
    /// It does.
    Converts,
    /// It does not.
    Kept {
        /// Why: the first of the obstacles, or one of the whole program.
        reason: Reason,
        /// What is in the way of which members.
        obstacles: BTreeMap<SiteId, Reason>,
        /// Which transformations were tried in vain.
        missed: BTreeMap<SiteId, Vec<Missed>>,
    },
}

impl Verdict {
    /// It does not, and nothing was tried.
    pub fn kept(reason: &Reason, obstacles: BTreeMap<SiteId, Reason>) -> Self {
        Self::Kept { reason: reason.clone(), obstacles, missed: BTreeMap::new() }
    }
}
