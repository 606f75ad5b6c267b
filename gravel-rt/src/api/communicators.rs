//! Several communicators: parts of the ranks, with numbers, messages and collective calls of their own.

use std::rc::Rc;
use std::sync::Arc;

use super::gravel::{Contexts, Gravel};
use crate::Rank;
use crate::error::{Error, Result};
use crate::message::communicator::CommunicatorId;
use crate::message::communicator::agreement::Proposal;
use crate::message::retirement::{Key, Retirements};
use crate::runtime::Runtime;
use crate::runtime::communicators::NewCommunicator;

/// What a communicator is known by that was made of another one. Dropped, it is freed.
pub(super) struct Membership {
    /// Its ranks in the communicator of all ranks.
    members: Vec<i32>,
    keys: [Key; 2],
    retired: Arc<Retirements>,
}

impl Drop for Membership {
    fn drop(&mut self) {
        // What was posted before completes as usual.
        self.keys.into_iter().for_each(|key| self.retired.retire(key));
    }
}

/// Attaches a communicator once for messages and once for collective calls.
fn attach(
    runtime: &mut Runtime,
    contexts: Contexts,
    rank: Rank,
    members: &[i32],
    agreed: Proposal,
) -> Result<[Key; 2]> {
    let second = match agreed {
        Proposal::Number(first) => {
            let second = first.to_wire().checked_add(1);
            let used_up = || Error::Internal("more than 2^32 communicators were attached".into());
            Proposal::Number(CommunicatorId::from_wire(second.ok_or_else(used_up)?))
        }
        failed @ Proposal::Failed(_) => failed,
    };
    let first = runtime.attach(NewCommunicator { handle: contexts.messages, rank, members }, agreed)?;
    match runtime.attach(NewCommunicator { handle: contexts.collectives, rank, members }, second) {
        Ok(second) => Ok([first, second]),
        Err(error) => {
            runtime.retirements().retire(first);
            Err(error)
        }
    }
}

/// All ranks, as members.
fn everybody(ranks: Rank) -> Vec<i32> {
    (0..ranks).map(|member| i32::try_from(member).unwrap_or(-1)).collect()
}

/// Attaches the collective calls of all ranks, who agree on its number without a message: it is the first that all of them attach.
pub(super) fn attach_world_collectives(runtime: &mut Runtime, handle: i32, rank: Rank, ranks: Rank) -> Result<()> {
    let members = everybody(ranks);
    let new = NewCommunicator { handle, rank, members: &members };
    let number = runtime.propose(new);
    runtime.attach(new, number).map(drop)
}

impl Gravel {
    /// Makes communicators of parts of the ranks: one for each color, of the ranks that give it. They are numbered in the order
    /// of their keys, and of their ranks here where keys are equal. Without a color a rank is in none. Collective.
    ///
    /// What is sent on one communicator is received on that one only. All communicators share the runtime: they are dropped
    /// before [`Gravel::finalize`].
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// use gravel::Reduction;
    ///
    /// // Rows of a grid that is two ranks wide.
    /// let row = gravel.split(Some((gravel.rank() / 2) as u32), 0)?.expect("a color");
    /// assert_eq!(row.rank(), gravel.rank() % 2);
    /// let row_sum = row.all_reduce_value(1.0, Reduction::Sum)?;
    /// assert_eq!(row_sum, row.ranks() as f64);
    /// drop(row);
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a rank has died, or no more communicators can be made.
    #[doc(alias = "MPI_Comm_split")]
    #[doc(alias = "gravel_attach")]
    pub fn split(&self, color: Option<u32>, key: i64) -> Result<Option<Self>> {
        let world: Vec<i32> = match self.membership() {
            Some(membership) => membership.members.clone(),
            None => everybody(self.ranks()),
        };
        let contexts = self.joint().new_contexts()?;
        let new = NewCommunicator { handle: contexts.messages, rank: self.rank(), members: &world };
        let proposal = self.call(|runtime| Ok(runtime.propose(new)))?.encode();
        let mine = [color.map_or(-1, i64::from), key, proposal];
        let mut all = vec![mine; self.ranks()];
        self.alltoall(&vec![mine; self.ranks()], &mut all)?;
        let agreed = Proposal::decode(all.iter().map(|entry| entry[2]).max().unwrap_or(proposal));
        if let Proposal::Failed(rank) = agreed {
            return Err(Error::CollectiveFailed { peer: rank, call: "split" }.into());
        }
        if color.is_none() {
            return Ok(None);
        }
        let mut ranks: Vec<Rank> = (0..self.ranks()).filter(|&rank| all[rank][0] == mine[0]).collect();
        ranks.sort_by_key(|&rank| all[rank][1]);
        let members: Vec<i32> = ranks.iter().map(|&rank| world[rank]).collect();
        let rank = ranks.iter().position(|&rank| rank == self.rank()).unwrap_or(0);
        let keys = self.call(|runtime| attach(runtime, contexts, rank, &members, agreed))?;
        let retired = self.call(|runtime| Ok(runtime.retirements()))?;
        let membership = Membership { members, keys, retired };
        Ok(Some(Self::of(Rc::clone(self.joint()), contexts, rank, ranks.len(), Some(membership))))
    }

    /// Makes another communicator of the same ranks, for a library whose messages are to meet none of the program's.
    /// Collective.
    ///
    /// # Errors
    /// As [`Gravel::split`].
    #[doc(alias = "MPI_Comm_dup")]
    pub fn duplicate(&self) -> Result<Self> {
        let duplicate = self.split(Some(0), 0)?;
        duplicate.ok_or_else(|| Error::Internal("a rank with a color is in no communicator".into()).into())
    }
}
