//! The processes of a communicator.

use crate::Rank;
use crate::error::{Error, Result};

/// Which ranks of the communicator that was given to `gravel_init` a communicator consists of, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    size: Rank,
    /// Nothing if the numbering is that of `gravel_init`'s communicator, as in its duplicates.
    renumbered: Option<Renumbering>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Renumbering {
    /// By rank in this communicator.
    world_ranks: Box<[Rank]>,
    /// Pairs (rank in `gravel_init`'s communicator, rank in this one), in order.
    ranks: Box<[(Rank, Rank)]>,
}

impl Group {
    /// The group of the communicator that was given to `gravel_init`.
    pub fn whole(size: Rank) -> Self {
        Self { size, renumbered: None }
    }

    /// A group by its members' ranks in `gravel_init`'s communicator, which has `world_size`; a negative rank stands for
    /// a process that is not in it.
    pub fn of(members: &[i32], world_size: Rank) -> Result<Self> {
        let size = members.len();
        if size == world_size && members.iter().enumerate().all(|(rank, &member)| Rank::try_from(member) == Ok(rank)) {
            return Ok(Self::whole(size));
        }
        let member = |(rank, &member): (Rank, &i32)| {
            let inside = Rank::try_from(member).ok().filter(|&member| member < world_size);
            inside.ok_or_else(|| Error::OutsideGroup { rank }.into())
        };
        let world_ranks: Box<[Rank]> = members.iter().enumerate().map(member).collect::<Result<_>>()?;
        let mut ranks: Box<[(Rank, Rank)]> =
            world_ranks.iter().enumerate().map(|(rank, &world)| (world, rank)).collect();
        ranks.sort_unstable();
        if let Some(twice) = ranks.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::Internal(format!("rank {} is in a communicator twice", twice[0].0)).into());
        }
        Ok(Self { size, renumbered: Some(Renumbering { world_ranks, ranks }) })
    }

    /// Number of processes.
    pub fn size(&self) -> Rank {
        self.size
    }

    /// The rank in `gravel_init`'s communicator of one of this group's ranks.
    #[inline]
    pub fn world_rank(&self, rank: Rank) -> Option<Rank> {
        match &self.renumbered {
            None => (rank < self.size).then_some(rank),
            Some(renumbering) => renumbering.world_ranks.get(rank).copied(),
        }
    }

    /// The rank in this group of a rank in `gravel_init`'s communicator.
    #[inline]
    pub fn rank_of(&self, world_rank: Rank) -> Option<Rank> {
        match &self.renumbered {
            None => (world_rank < self.size).then_some(world_rank),
            Some(Renumbering { ranks, .. }) => {
                let place = ranks.binary_search_by_key(&world_rank, |&(world, _)| world).ok()?;
                Some(ranks[place].1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_duplicate_needs_no_tables() {
        assert_eq!(Group::of(&[0, 1, 2, 3], 4), Ok(Group::whole(4)));
        assert_ne!(Group::of(&[0, 1, 2], 4), Ok(Group::whole(3)), "a part has other ranks outside");
    }

    #[test]
    fn processes_outside_are_refused() {
        assert_eq!(Group::of(&[0, -1], 4), Err(Error::OutsideGroup { rank: 1 }.into()));
        assert_eq!(Group::of(&[4], 4), Err(Error::OutsideGroup { rank: 0 }.into()));
        assert!(matches!(*Group::of(&[1, 1], 4).unwrap_err(), Error::Internal(_)));
    }

    proptest! {
        /// Both directions agree, and nobody outside has a rank.
        #[test]
        fn ranks_are_translated_there_and_back(
            shuffled in Just((0..20).collect::<Vec<i32>>()).prop_shuffle(), size in 0usize..=20,
        ) {
            let members = &shuffled[..size];
            let group = Group::of(members, 20).unwrap();
            prop_assert_eq!(group.size(), size);
            for (rank, &member) in members.iter().enumerate() {
                prop_assert_eq!(group.world_rank(rank), Some(member as Rank));
                prop_assert_eq!(group.rank_of(member as Rank), Some(rank));
            }
            prop_assert_eq!(group.world_rank(size), None);
            for &outside in &shuffled[size..] {
                prop_assert_eq!(group.rank_of(outside as Rank), None);
            }
        }
    }
}
