//! Who a message goes to or comes from, as calls name it.

use crate::Rank;
use crate::runtime::MpiConstants;

/// The values by which this interface names what is no rank and no tag. Tags and ranks of applications are not negative.
pub(super) const CONSTANTS: MpiConstants = MpiConstants { proc_null: -1, any_source: -2, any_tag: i32::MIN };

fn number(rank: Rank) -> i32 {
    // No communicator is so large: the call that gets the number refuses it.
    i32::try_from(rank).unwrap_or(i32::MAX)
}

/// The other side of a message: a rank, or nobody at the edge of a grid (MPI_PROC_NULL). Calls take a rank, or an
/// `Option` of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// This rank.
    Rank(Rank),
    /// Nobody: nothing is moved, and the operation is complete.
    Nobody,
}

impl Peer {
    pub(super) fn number(self) -> i32 {
        match self {
            Self::Rank(rank) => number(rank),
            Self::Nobody => CONSTANTS.proc_null,
        }
    }
}

impl From<Rank> for Peer {
    fn from(rank: Rank) -> Self {
        Self::Rank(rank)
    }
}

impl From<Option<Rank>> for Peer {
    fn from(rank: Option<Rank>) -> Self {
        rank.map_or(Self::Nobody, Self::Rank)
    }
}

/// Whose announced messages a receive takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Those of any rank; announcements of all ranks are served in turn (MPI_ANY_SOURCE).
    Any,
    /// Those of one rank, or of nobody.
    Peer(Peer),
}

impl Source {
    pub(super) fn number(self) -> i32 {
        match self {
            Self::Any => CONSTANTS.any_source,
            Self::Peer(peer) => peer.number(),
        }
    }
}

impl<P: Into<Peer>> From<P> for Source {
    fn from(peer: P) -> Self {
        Self::Peer(peer.into())
    }
}

/// Which tags of announced messages a receive takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// All (MPI_ANY_TAG).
    Any,
    /// This one.
    Is(i32),
}

impl Tag {
    pub(super) fn number(self) -> i32 {
        match self {
            Self::Any => CONSTANTS.any_tag,
            Self::Is(tag) => tag,
        }
    }
}

impl From<i32> for Tag {
    fn from(tag: i32) -> Self {
        Self::Is(tag)
    }
}

/// What has been received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Who sent it.
    pub source: Rank,
    /// Its tag.
    pub tag: i32,
    /// Its length in bytes.
    pub bytes: u64,
}

/// How a receive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a message.
    Message(Status),
    /// It was a receive from [`Peer::Nobody`].
    Nobody,
    /// It was cancelled before a message met it.
    Cancelled,
}

impl Outcome {
    /// The message, if there was one.
    pub fn message(self) -> Option<Status> {
        match self {
            Self::Message(status) => Some(status),
            Self::Nobody | Self::Cancelled => None,
        }
    }
}
