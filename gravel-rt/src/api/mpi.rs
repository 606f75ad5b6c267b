//! Attaching to MPI through the crate `mpi` (feature `mpi`).

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use mpi::collective::CommunicatorCollectives as _;
use mpi::point_to_point::Source as _;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Rank as MpiRank, request::Request};

use super::Gravel;
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;

impl Gravel {
    /// Connects the ranks of an MPI communicator, which is duplicated. Collective. To be finalized before MPI is; messages
    /// of Gravel and of MPI never mix.
    ///
    /// # Errors
    /// As [`Gravel::init`], and [`Error::Intercommunicator`].
    pub fn attach(communicator: &impl Communicator) -> Result<Self> {
        let mut is_inter = 0;
        // SAFETY: a valid communicator, and a place for the answer.
        unsafe { mpi::ffi::MPI_Comm_test_inter(communicator.as_raw(), &raw mut is_inter) };
        if is_inter != 0 {
            return Err(Error::Intercommunicator.into());
        }
        Self::init(MpiHost { communicator: ManuallyDrop::new(communicator.duplicate()), barrier: RefCell::new(None) })
    }
}

/// Collectives on a communicator that is used for nothing else.
struct MpiHost {
    communicator: ManuallyDrop<SimpleCommunicator>,
    barrier: RefCell<Option<Request<'static, ()>>>,
}

// SAFETY: handles of MPI may be used by any thread that may call MPI. The runtime calls its host on the thread that made
// it only, because `Gravel` is not `Send`.
unsafe impl Send for MpiHost {}

fn rank_from(number: MpiRank) -> Rank {
    Rank::try_from(number).unwrap_or(0)
}

fn is_finalized() -> bool {
    let mut finalized = 0;
    // SAFETY: may be called at any time, with a place for the answer.
    unsafe { mpi::ffi::MPI_Finalized(&raw mut finalized) };
    finalized != 0
}

/// After MPI_Finalize no call of MPI is allowed.
fn check_alive(call: &'static str) -> Result<()> {
    if is_finalized() { Err(Error::Mpi { call, code: -1 }.into()) } else { Ok(()) }
}

impl Host for MpiHost {
    fn rank(&self) -> Rank {
        rank_from(self.communicator.rank())
    }

    fn size(&self) -> Rank {
        rank_from(self.communicator.size())
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        check_alive("MPI_Allgather")?;
        let mut all = vec![0; mine.len() * self.size()];
        self.communicator.all_gather_into(mine, &mut all[..]);
        Ok(all)
    }

    fn progress(&self) {
        if !is_finalized() {
            // A probe that finds nothing makes MPI look at all its connections; nobody sends on this communicator.
            drop(self.communicator.any_process().immediate_probe());
        }
    }

    fn begin_barrier(&self) -> Result<()> {
        check_alive("MPI_Ibarrier")?;
        *self.barrier.borrow_mut() = Some(self.communicator.immediate_barrier());
        Ok(())
    }

    fn test_barrier(&self) -> Result<bool> {
        check_alive("MPI_Test")?;
        let mut barrier = self.barrier.borrow_mut();
        *barrier = barrier.take().and_then(|request| request.test().err());
        Ok(barrier.is_none())
    }
}

impl Drop for MpiHost {
    fn drop(&mut self) {
        // A barrier that not all ranks have entered can't be freed.
        std::mem::forget(self.barrier.take());
        if !is_finalized() {
            // SAFETY: dropped here only, and not used again.
            unsafe { ManuallyDrop::drop(&mut self.communicator) };
        }
    }
}
