//! The communicators that Gravel carries messages on.
//!
//! A communicator is known on the wire by a number that all its ranks agree on ([`agreement`]), and in calls by its
//! Fortran handle. Its ranks are translated to those of the communicator that was given to `gravel_init` ([`group`]),
//! by which everything behind the interface knows a process.
//!
//! When the program frees a communicator, its key is retired ([`crate::message::retirement`]): no message can be posted on it any
//! more, and another communicator that MPI gives the same handle is not taken for it. What was posted before completes as
//! usual; for that, the engine keeps the group until the last operation on it is over ([`Groups`]).

pub mod agreement;
pub mod group;

use std::sync::Arc;

use crate::Rank;
use crate::error::{Error, Result};
use crate::message::retirement::{Key, Retirements};

use group::Group;

/// The number of a communicator, equal on all its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommunicatorId(u32);

impl CommunicatorId {
    /// The communicator that was given to `gravel_init`.
    pub const FIRST: Self = Self(1);

    /// From an entry that a peer wrote.
    pub fn from_wire(number: u32) -> Self {
        Self(number)
    }

    /// For an entry that a peer will read.
    pub fn to_wire(self) -> u32 {
        self.0
    }

    fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }
}

/// One attached communicator.
#[derive(Debug, Clone)]
pub struct Communicator {
    /// Its number on the wire.
    pub id: CommunicatorId,
    /// Its Fortran handle in this process.
    pub handle: i32,
    /// What its attribute holds.
    pub key: Key,
    /// Its processes.
    pub group: Arc<Group>,
}

impl Communicator {
    /// The process that the application names by a rank of this communicator.
    #[inline]
    pub fn peer(&self, role: &'static str, rank: i32) -> Result<Rank> {
        let peer = Rank::try_from(rank).ok().and_then(|rank| self.group.world_rank(rank));
        peer.ok_or_else(|| Error::InvalidRank { role, rank, size: self.group.size() }.into())
    }
}

/// All attached communicators. There are few, and the last one is mostly meant again: they are searched in order.
#[derive(Debug)]
pub struct CommunicatorTable {
    attached: Vec<Communicator>,
    /// Place of the one that was found last.
    last: usize,
    /// Higher than every number that was used; nothing when all are used up.
    next: Option<CommunicatorId>,
    retired: Arc<Retirements>,
}

impl CommunicatorTable {
    /// A table with the communicator that was given to `gravel_init`.
    pub fn new(handle: i32, size: Rank) -> Self {
        let first =
            Communicator { id: CommunicatorId::FIRST, handle, key: Key::new(), group: Arc::new(Group::whole(size)) };
        Self {
            attached: vec![first],
            last: 0,
            next: CommunicatorId::FIRST.next(),
            retired: Arc::new(Retirements::default()),
        }
    }

    /// Where the keys of freed communicators go.
    pub fn retirements(&self) -> Arc<Retirements> {
        Arc::clone(&self.retired)
    }

    /// The communicator with this Fortran handle.
    #[inline]
    pub fn find(&mut self, handle: i32) -> Result<&Communicator> {
        let is_last = self.attached.get(self.last).is_some_and(|last| last.handle == handle);
        if !is_last || self.retired.any() {
            self.search(handle)?;
        }
        Ok(&self.attached[self.last])
    }

    #[cold]
    fn search(&mut self, handle: i32) -> Result<()> {
        self.drop_retired();
        let place = self.attached.iter().position(|communicator| communicator.handle == handle);
        self.last = place.ok_or(Error::UnknownCommunicator { handle })?;
        Ok(())
    }

    /// The Fortran handle of the communicator with this number, as long as messages can be posted on it.
    pub fn handle_of(&self, id: CommunicatorId) -> Option<i32> {
        self.attached.iter().find(|communicator| communicator.id == id).map(|communicator| communicator.handle)
    }

    /// The number that this rank proposes for a new communicator.
    pub fn propose(&self) -> Result<CommunicatorId> {
        self.next.ok_or_else(|| Error::Internal("more than 2^32 communicators were attached".into()).into())
    }

    /// Adds a communicator under the number that its ranks have agreed on.
    pub fn attach(&mut self, handle: i32, id: CommunicatorId, group: Arc<Group>) -> Result<Key> {
        self.drop_retired();
        if self.next.is_none_or(|next| id < next) {
            return Err(Error::Internal(format!("communicator number {} is used already", id.to_wire())).into());
        }
        if self.attached.iter().any(|communicator| communicator.handle == handle) {
            return Err(Error::Internal(format!("communicator handle {handle} is attached already")).into());
        }
        self.next = id.next();
        let key = Key::new();
        self.attached.push(Communicator { id, handle, key, group });
        Ok(key)
    }

    /// Whether messages can still be posted on the communicator with this number.
    pub fn holds(&self, id: CommunicatorId) -> bool {
        self.attached.iter().any(|communicator| communicator.id == id)
    }

    fn drop_retired(&mut self) {
        for key in self.retired.take() {
            self.attached.retain(|communicator| communicator.key != key);
        }
    }
}

/// The groups of all communicators with operations in flight, freed ones included.
#[derive(Debug, Default)]
pub struct Groups {
    /// Without `gravel_init`'s communicator, in which ranks are what they are.
    known: Vec<(CommunicatorId, Arc<Group>)>,
}

impl Groups {
    /// Adds the group of a new communicator.
    pub fn add(&mut self, id: CommunicatorId, group: Arc<Group>) {
        self.known.push((id, group));
    }

    /// Drops the groups for which `keep` is false, and returns their numbers.
    pub fn retain(&mut self, keep: impl Fn(CommunicatorId) -> bool) -> Vec<CommunicatorId> {
        self.known.extract_if(.., |(id, _)| !keep(*id)).map(|(id, _)| id).collect()
    }

    /// The processes of a communicator, in a job of so many ranks.
    pub fn members_of(&self, communicator: CommunicatorId, ranks: Rank) -> Vec<Rank> {
        match self.known.iter().find(|(id, _)| *id == communicator) {
            Some((_, group)) => (0..group.size()).filter_map(|rank| group.world_rank(rank)).collect(),
            None => (0..ranks).collect(),
        }
    }

    /// The rank in a communicator of a process.
    #[inline]
    pub fn rank_in(&self, communicator: CommunicatorId, peer: Rank) -> Rank {
        if communicator == CommunicatorId::FIRST {
            return peer;
        }
        let group = self.known.iter().find(|(id, _)| *id == communicator);
        // Every operation was opened on a communicator that was attached, and its peer is one of that.
        group.and_then(|(_, group)| group.rank_of(peer)).unwrap_or(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attach(table: &mut CommunicatorTable, handle: i32, members: &[i32]) -> Key {
        let id = table.propose().unwrap();
        table.attach(handle, id, Arc::new(Group::of(members, 4).unwrap())).unwrap()
    }

    #[test]
    fn only_attached_communicators_are_found() {
        let mut table = CommunicatorTable::new(44, 4);
        assert_eq!(table.find(44).unwrap().id, CommunicatorId::FIRST);
        assert_eq!(table.find(0).unwrap_err(), Error::UnknownCommunicator { handle: 0 }.into());
        attach(&mut table, 0, &[3, 1]);
        assert_eq!(table.find(0).unwrap().id, CommunicatorId(2));
        assert_eq!(table.find(44).unwrap().id, CommunicatorId::FIRST);
    }

    #[test]
    fn ranks_are_those_of_the_communicator() {
        let mut table = CommunicatorTable::new(0, 4);
        attach(&mut table, 1, &[3, 1]);
        assert_eq!(table.find(0).unwrap().peer("source", 3), Ok(3));
        assert_eq!(table.find(1).unwrap().peer("source", 0), Ok(3));
        assert_eq!(table.find(1).unwrap().peer("source", 1), Ok(1));
        for (handle, rank) in [(0, -1), (0, 4), (0, i32::MIN), (0, i32::MAX), (1, 2), (1, -3)] {
            assert!(table.find(handle).unwrap().peer("source", rank).is_err());
        }
    }

    #[test]
    fn a_handle_that_is_used_again_is_another_communicator() {
        let mut table = CommunicatorTable::new(0, 4);
        let freed = attach(&mut table, 7, &[0, 1]);
        let kept = attach(&mut table, 8, &[2, 1]);
        assert_ne!(freed, kept);
        table.retirements().retire(freed);
        assert!(table.find(7).is_err());
        assert_eq!(table.find(8).unwrap().key, kept);
        attach(&mut table, 7, &[1, 2]);
        assert_eq!(table.find(7).unwrap().id, CommunicatorId(4), "numbers are never used again");
        assert!(!table.holds(CommunicatorId(2)));
        assert!(table.holds(CommunicatorId(3)));
    }

    #[test]
    fn the_agreed_number_may_be_higher_than_the_proposed_one_but_not_lower() {
        let mut table = CommunicatorTable::new(0, 4);
        let group = Arc::new(Group::whole(4));
        table.attach(1, CommunicatorId(100), Arc::clone(&group)).unwrap();
        assert_eq!(table.propose(), Ok(CommunicatorId(101)));
        assert!(table.attach(2, CommunicatorId(100), Arc::clone(&group)).is_err());
        assert!(table.attach(1, CommunicatorId(101), Arc::clone(&group)).is_err(), "the handle is taken");
        table.attach(3, CommunicatorId(u32::MAX), group).unwrap();
        assert!(table.propose().is_err(), "no number is left");
    }

    #[test]
    fn sources_are_ranks_of_the_communicator() {
        let mut groups = Groups::default();
        let id = CommunicatorId(5);
        groups.add(id, Arc::new(Group::of(&[3, 1], 4).unwrap()));
        assert_eq!(groups.rank_in(CommunicatorId::FIRST, 3), 3);
        assert_eq!(groups.rank_in(id, 3), 0);
        assert_eq!(groups.rank_in(id, 1), 1);
        assert_eq!(groups.retain(|_| true), []);
        assert_eq!(groups.retain(|kept| kept != id), [id]);
    }
}
