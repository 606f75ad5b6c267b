//! What ranks that wait for long ask each other, and what they answer.

use super::communicator::CommunicatorId;
use crate::Rank;
use crate::error::missing::{Aspect, Missing};

/// Bytes of text in an entry.
pub const TEXT_BYTES: usize = 40;

/// What a wait needs of another rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// What is to happen there.
    pub aspect: Aspect,
    /// On which communicator.
    pub communicator: CommunicatorId,
    /// With which tag; negative for any.
    pub tag: i32,
    /// How often it has happened in vain.
    pub number: u64,
}

impl Need {
    /// Whether it has not happened, where it has happened so often.
    pub fn is_open(&self, count: u64) -> bool {
        match self.aspect {
            Aspect::UnderWay => false,
            Aspect::Message | Aspect::Receive | Aspect::Announcement => count <= self.number,
            Aspect::Taking => true,
        }
    }

    /// As texts name it.
    pub fn missing(&self) -> Missing {
        let communicator = Some(self.communicator).filter(|&id| id != CommunicatorId::FIRST);
        Missing {
            aspect: self.aspect,
            tag: Some(self.tag).filter(|&tag| tag >= 0),
            communicator: communicator.map(CommunicatorId::to_wire),
        }
    }
}

/// What a rank does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nobody watches it: GRAVEL_CHECK is not set there.
    Unwatched,
    /// It is in no call that waits.
    Elsewhere,
    /// It waits for one of several ranks.
    WaitingForSome,
    /// It waits for one rank.
    Waiting(Rank, Need),
    /// It tests in a loop, and may do something else at any time.
    Testing,
    /// It has called `gravel_finalize`.
    Finalizing,
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inquiry {
    /// The rank whose wait it is about.
    pub about: Rank,
    /// What that needs.
    pub need: Need,
    /// Whether something else would end it, too.
    pub has_alternatives: bool,
    /// The round of the rank that asks.
    pub round: u32,
}

/// An answer, but for its text, which goes ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// The rank whose wait was asked about.
    pub about: Rank,
    /// The round of the rank that has asked.
    pub round: u32,
    /// What this rank does.
    pub state: State,
    /// For how long, in milliseconds.
    pub since: u64,
    /// How often what was asked about has happened here.
    pub count: u64,
}
