//! Ranks that a launcher has started, without MPI.
//!
//! | launcher | rank, ranks | job |
//! |---|---|---|
//! | gravel-run | `GRAVEL_RANK`, `GRAVEL_RANKS` | `GRAVEL_JOB`; on several hosts `GRAVEL_MEETING` |
//! | mpirun of Open MPI | `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE` | `PMIX_NAMESPACE`, `OMPI_MCA_orte_hnp_uri` |
//! | mpirun of MPICH and its relatives | `PMI_RANK` (or `PMI_ID`), `PMI_SIZE` | `PMI_JOBID`, or the process behind `PMI_FD`, or the parent |
//! | srun | `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS` | `SLURM_JOB_ID`, `SLURM_STEP_ID` |
//!
//! The first that is there counts. Ranks on several hosts are gravel-run's; of the others they are refused where the launcher
//! tells, and there the runtime attaches through MPI. The ranks meet at a socket that rank 0 opens under a name made of
//! user and job ([`rendezvous`]).

pub mod job;
pub mod rendezvous;

use std::cell::RefCell;

use self::job::Job;
use self::rendezvous::Meeting;
use crate::Rank;
use crate::error::Result;
use crate::host::Host;

/// A [`Host`] without MPI: collectives over sockets, and nothing to progress.
pub struct LauncherHost {
    rank: Rank,
    ranks: Rank,
    meeting: RefCell<Meeting>,
}

impl LauncherHost {
    /// Meets the other ranks of the job that the environment names; there are none if it names no job. Collective.
    ///
    /// # Errors
    /// If the variables contradict each other, the ranks are on several hosts, or another rank ends meanwhile.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        Self::meet(&Job::from_variables(variable)?.unwrap_or_else(Job::alone))
    }

    /// Meets the other ranks of a job.
    ///
    /// # Errors
    /// As [`LauncherHost::from_variables`].
    pub fn meet(job: &Job) -> Result<Self> {
        Ok(Self { rank: job.rank, ranks: job.ranks, meeting: RefCell::new(Meeting::open(job)?) })
    }
}

impl Host for LauncherHost {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> Rank {
        self.ranks
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        self.meeting.borrow_mut().all_gather(self.ranks, mine)
    }

    fn progress(&self) {}

    fn begin_barrier(&self) -> Result<()> {
        self.meeting.borrow_mut().begin_barrier()
    }

    fn test_barrier(&self) -> Result<bool> {
        self.meeting.borrow_mut().test_barrier()
    }
}
