//! What the runtime needs from the MPI that it works beside.
//!
//! libgravel links no MPI. The Fortran module and the C header, compiled with the user's own MPI, implement these few
//! operations over the communicator given to `gravel_init`; tests implement them without any MPI.

use crate::Rank;
use crate::error::Result;

/// The MPI side of a runtime. All calls come from the application's thread.
pub trait Host: Send {
    /// This process's rank.
    fn rank(&self) -> Rank;

    /// Number of ranks.
    fn size(&self) -> Rank;

    /// Collective: every rank gives equally many bytes and receives those of all ranks, in rank order.
    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>>;

    /// Lets MPI advance its own messages: another rank may need that before it can answer this one.
    fn progress(&self);

    /// Enters a barrier without waiting for it.
    fn begin_barrier(&self) -> Result<()>;

    /// Whether the barrier that was entered last has completed.
    fn test_barrier(&self) -> Result<bool>;
}
