//! How the ranks of a new communicator agree on its number.
//!
//! Every rank proposes the lowest number that is higher than all it has used; the highest proposal is the number. No
//! process ever uses a number twice, so that two communicators which share a process have different numbers, also if one
//! was freed long before the other was made: what is still under way for the one is never taken for the other's. Only
//! communicators without a common process may have the same number, and no message could be of both.
//!
//! A rank that cannot attach proposes a failure, which is higher than any number: then nobody attaches.

use crate::Rank;
use crate::message::communicator::CommunicatorId;

/// What a rank brings to the agreement, and what comes out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposal {
    /// A number that this rank has not used.
    Number(CommunicatorId),
    /// The lowest rank of the new communicator that has failed.
    Failed(Rank),
}

impl Proposal {
    /// The integer whose maximum over all ranks of the communicator is agreed on.
    pub fn encode(self) -> i64 {
        match self {
            Self::Number(id) => i64::from(id.to_wire()),
            Self::Failed(rank) => i64::MAX - i64::try_from(rank).unwrap_or(i64::MAX).min(i64::from(u32::MAX)),
        }
    }

    /// From such a maximum.
    pub fn decode(agreed: i64) -> Self {
        match u32::try_from(agreed) {
            Ok(number) => Self::Number(CommunicatorId::from_wire(number)),
            Err(_) => Self::Failed(Rank::try_from(i64::MAX.saturating_sub(agreed)).unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_number_wins_and_the_lowest_failed_rank_before_all() {
        let number = |number| Proposal::Number(CommunicatorId::from_wire(number));
        let agreed = |proposals: &[Proposal]| Proposal::decode(proposals.iter().map(|p| p.encode()).max().unwrap());
        assert_eq!(agreed(&[number(2), number(7), number(3)]), number(7));
        assert_eq!(agreed(&[number(u32::MAX), number(1)]), number(u32::MAX));
        assert_eq!(agreed(&[number(2), Proposal::Failed(9), Proposal::Failed(4), number(3)]), Proposal::Failed(4));
        assert_eq!(agreed(&[number(u32::MAX), Proposal::Failed(1_000_000)]), Proposal::Failed(1_000_000));
    }
}
