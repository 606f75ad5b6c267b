//! What became of receive buffers that could have been adopted, counted.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::sys::tally::Tally;

/// Why (a part of) a receive buffer was not adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// It is not static data of the program: heap, stack, or a mapping of its own. Counted at every post.
    NotProgramData,
    /// It has too few whole pages. Counted at every post.
    TooShort,
    /// The kernel's list of mappings cannot be read.
    MapsUnreadable,
    /// A page is not private and writable any more.
    NotPrivateWritable,
    /// A page is mapped from a file that is not the program's.
    ForeignFile,
    /// It lies in transparent huge pages.
    HugePages,
    /// As many regions are adopted as may be.
    TooManyRegions,
    /// The system refused.
    System,
}

impl Refusal {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotProgramData => "not static data of the program",
            Self::TooShort => "too few whole pages",
            Self::MapsUnreadable => "list of mappings unreadable",
            Self::NotPrivateWritable => "not private and writable",
            Self::ForeignFile => "mapped from another file",
            Self::HugePages => "in transparent huge pages",
            Self::TooManyRegions => "too many regions",
            Self::System => "refused by the system",
        }
    }
}

/// What became of receive buffers that could have been adopted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdoptionCounters {
    /// Regions adopted.
    pub regions: Tally,
    /// What was not adopted, by reason.
    pub refused: BTreeMap<Refusal, u64>,
}

impl AdoptionCounters {
    /// Something was not adopted.
    pub fn refuse(&mut self, reason: Refusal) {
        *self.refused.entry(reason).or_default() += 1;
    }
}

impl AddAssign for AdoptionCounters {
    fn add_assign(&mut self, other: Self) {
        self.regions += other.regions;
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
    }
}
