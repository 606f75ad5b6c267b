//! The communicators that Gravel carries messages on.
//!
//! A communicator is known on the wire by a number that all its ranks agree on, and in calls by its Fortran handle.
//! Today the table holds the one communicator that was given to `gravel_init`.

use crate::Rank;
use crate::error::{Error, Result};

/// The number of a communicator, equal on all its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

/// One attached communicator.
#[derive(Debug, Clone, Copy)]
pub struct Communicator {
    /// Its number on the wire.
    pub id: CommunicatorId,
    /// Its Fortran handle in this process.
    pub handle: i32,
    /// Number of its ranks.
    pub size: Rank,
}

impl Communicator {
    /// A rank given by the application, checked.
    pub fn rank(&self, role: &'static str, rank: i32) -> Result<Rank> {
        usize::try_from(rank)
            .ok()
            .filter(|&rank| rank < self.size)
            .ok_or_else(|| Error::InvalidRank { role, rank, size: self.size }.into())
    }
}

/// All attached communicators. There are few: they are searched in order.
#[derive(Debug)]
pub struct CommunicatorTable {
    attached: Vec<Communicator>,
}

impl CommunicatorTable {
    /// A table with the communicator that was given to `gravel_init`.
    pub fn new(handle: i32, size: Rank) -> Self {
        Self { attached: vec![Communicator { id: CommunicatorId::FIRST, handle, size }] }
    }

    /// The communicator with this Fortran handle.
    pub fn find(&self, handle: i32) -> Result<Communicator> {
        self.attached
            .iter()
            .find(|communicator| communicator.handle == handle)
            .copied()
            .ok_or_else(|| Error::UnknownCommunicator { handle }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_attached_communicators_are_found() {
        let table = CommunicatorTable::new(44, 4);
        assert_eq!(table.find(44).unwrap().id, CommunicatorId::FIRST);
        assert_eq!(table.find(0).unwrap_err(), Error::UnknownCommunicator { handle: 0 }.into());
    }

    #[test]
    fn ranks_outside_the_communicator_are_refused() {
        let communicator = CommunicatorTable::new(0, 4).find(0).unwrap();
        assert_eq!(communicator.rank("source", 3), Ok(3));
        for rank in [-1, 4, i32::MIN, i32::MAX] {
            assert!(communicator.rank("source", rank).is_err());
        }
    }
}
