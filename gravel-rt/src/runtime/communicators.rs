//! Attaching communicators.
//!
//! `gravel_attach` is collective over the new communicator. The runtime has no MPI call for communicators other than
//! `gravel_init`'s, so whoever calls it makes the one collective step in the middle:
//!
//! 1. [`Runtime::propose`] on every rank,
//! 2. the maximum of all proposals over the ranks of the communicator,
//! 3. [`Runtime::attach`] with that on every rank, which succeeds on all of them or on none.

use std::sync::Arc;

use super::Runtime;
use crate::Rank;
use crate::engine::transfer::Operation;
use crate::error::{Error, Result};
use crate::message::communicator::agreement::Proposal;
use crate::message::communicator::group::Group;
use crate::message::request::Handle;
use crate::message::retirement::{Key, Retirements};

/// A communicator that is to be attached.
#[derive(Debug, Clone, Copy)]
pub struct NewCommunicator<'a> {
    /// The Fortran handle by which later calls name it.
    pub handle: i32,
    /// This process's rank in it.
    pub rank: Rank,
    /// The ranks of its processes in `gravel_init`'s communicator; negative for a process that is not in that.
    pub members: &'a [i32],
}

impl Runtime {
    /// What this rank brings to the agreement about a new communicator. Never fails: a failure is a proposal, too.
    pub fn propose(&self, new: NewCommunicator<'_>) -> Proposal {
        match self.check_new(new).and_then(|_| self.communicators.propose()) {
            Ok(number) => Proposal::Number(number),
            Err(_) => Proposal::Failed(new.rank),
        }
    }

    /// Attaches a communicator, on which messages can be posted from now on. The key is to be retired when the
    /// communicator is freed (see [`crate::message::retirement`]).
    pub fn attach(&mut self, new: NewCommunicator<'_>, agreed: Proposal) -> Result<Key> {
        let group = Arc::new(self.check_new(new)?);
        let id = match agreed {
            Proposal::Number(id) => id,
            Proposal::Failed(rank) => {
                let peer = group.world_rank(rank).unwrap_or(rank);
                return Err(Error::CollectiveFailed { peer, call: "gravel_attach" }.into());
            }
        };
        // An open transfer keeps its communicator's counts, if the engine knows of it.
        self.open_remaining_parts(None)?;
        self.promote_short()?;
        let key = self.communicators.attach(new.handle, id, Arc::clone(&group))?;
        let mut engine = self.shared.lock()?;
        engine.forget_communicators(|id| self.communicators.holds(id));
        engine.state.groups.add(id, group);
        Ok(key)
    }

    /// The key of an attached communicator; nothing if it is not attached.
    pub fn key_of(&mut self, handle: i32) -> Option<Key> {
        self.communicators.find(handle).ok().map(|communicator| communicator.key)
    }

    /// Whether an observer would see a call on a communicator that is not attached, which is MPI's.
    #[inline(always)]
    pub(crate) fn is_watched_elsewhere(&mut self, communicator: i32) -> bool {
        self.is_watched() && self.key_of(communicator).is_none()
    }

    /// The MPI side sends or receives a message by MPI, for its communicator is not attached.
    pub fn note_message_of_mpi(&mut self) {
        self.left_to_mpi += 1;
    }

    /// The handle of the communicator of an operation whose call has failed just now: MPI calls the error handler of that
    /// one (MPI 4.0, section 9.3). Nothing if the call named no operation, or its communicator is freed.
    pub fn communicator_of_failure(&mut self, handle: Handle) -> Option<i32> {
        let short = self.short.as_ref().filter(|short| short.handle == handle);
        if let Some(operation) = handle.in_persistent() {
            return self.communicator_of_persistent(operation);
        }
        let own = short.map(|short| short.envelope.communicator).or_else(|| self.alltoalls.communicator_of(handle));
        let id = match own {
            Some(id) => Some(id),
            None => {
                let handle = self.engine_handle(handle);
                let state = &mut self.shared.lock().ok()?.state;
                let blamed = state.blamed.take();
                state.operations.get(handle).and_then(Operation::communicator).or(blamed)
            }
        };
        self.communicators.handle_of(id?)
    }

    /// Where the keys of freed communicators go.
    pub fn retirements(&self) -> Arc<Retirements> {
        self.communicators.retirements()
    }

    fn check_new(&self, new: NewCommunicator<'_>) -> Result<Group> {
        self.check_process()?;
        let group = Group::of(new.members, self.ranks)?;
        match group.world_rank(new.rank) {
            Some(rank) if rank == self.rank => Ok(group),
            _ => Err(Error::Internal(format!("rank {} of the new communicator is another process", new.rank)).into()),
        }
    }
}
