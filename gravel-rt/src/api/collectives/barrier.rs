//! A barrier: no rank leaves it before all have entered it.

use super::Call;
use crate::api::Gravel;
use crate::error::Result;

impl Gravel {
    /// Waits until all ranks are here. Collective.
    ///
    /// In round k every rank tells the one 2^k behind it, and waits for the one 2^k before it (dissemination barrier; Hensgen,
    /// Finkel, Manber 1988).
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// gravel.barrier()?;
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a rank has died.
    #[doc(alias = "MPI_Barrier")]
    pub fn barrier(&self) -> Result<()> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let mut outcome = Ok(());
        let mut distance = 1;
        while distance < ranks {
            // The send of an empty message does not wait for its receive.
            let told = self.tell(Call::Barrier, &[0u8; 0], (rank + distance) % ranks, &outcome);
            let heard = self.hear(Call::Barrier, &mut [0u8; 0], (rank + ranks - distance) % ranks);
            outcome = outcome.and(heard).and(told);
            distance *= 2;
        }
        outcome.map_err(|error| Call::Barrier.failed(error))
    }
}
