//! A barrier: no rank leaves it before all have entered it.

use super::Call;
use crate::api::{Gravel, Peer};
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
    /// If a rank has died that this one waits for.
    #[doc(alias = "MPI_Barrier")]
    pub fn barrier(&self) -> Result<()> {
        let (rank, ranks, tag) = (self.rank(), self.ranks(), Call::Barrier.tag());
        let mut distance = 1;
        while distance < ranks {
            let round = self.scope(|scope| {
                let before = Peer::Rank((rank + ranks - distance) % ranks);
                let receive = scope.collective().receive(&mut [0u8; 0][..], before, tag)?;
                scope.collective().send(&[0u8; 0][..], Peer::Rank((rank + distance) % ranks), tag)?.wait()?;
                receive.wait().map(drop)
            });
            round.map_err(|error| Call::Barrier.failed(error))?;
            distance *= 2;
        }
        Ok(())
    }
}
