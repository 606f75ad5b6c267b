//! What became of receive buffers that could have been adopted, counted.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::sys::tally::Tally;

/// Why (a part of) a receive buffer was not adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// It is not static data of the program, and nothing else is to be adopted.
    NotProgramData,
    /// It has too few whole pages.
    TooShort,
    /// Parts of pages at its ends, and the first and last page of heap memory. The rest was adopted.
    Edges,
    /// It is heap memory that has not come back often enough.
    Seldom,
    /// The kernel does not tell when the memory vanishes.
    Unwatched,
    /// It is, or may be, the stack of a thread.
    Stack,
    /// The process has locked memory.
    Locked,
    /// More heap memory would be adopted than may be.
    HeapLimit,
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
            Self::Edges => "edges of adopted buffers",
            Self::Seldom => "heap that has not come back often",
            Self::Unwatched => "nobody tells when it is unmapped",
            Self::Stack => "on a stack",
            Self::Locked => "the program has locked memory",
            Self::HeapLimit => "more heap than GRAVEL_ADOPT_HEAP allows",
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
    /// Posted buffers, or parts of them, that were not adopted, by reason.
    pub refused: BTreeMap<Refusal, Tally>,
}

impl AdoptionCounters {
    /// So many bytes of a buffer that is being posted are not adopted.
    pub fn refuse(&mut self, reason: Refusal, bytes: usize) {
        self.refused.entry(reason).or_default().add(bytes as u64);
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
