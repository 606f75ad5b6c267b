//! One rank's values for all.

use super::{Call, whole};
use crate::Rank;
use crate::api::{Element, Gravel, Peer};
use crate::error::{Error, Result};

impl Gravel {
    /// Gives all ranks the values of rank `root`. Collective; all buffers are equally long.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// let mut parameters = if gravel.rank() == 0 { [0.1, 0.7] } else { [0.0; 2] };
    /// gravel.broadcast(&mut parameters, 0)?;
    /// assert_eq!(parameters, [0.1, 0.7]);
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such rank, the lengths differ, or a rank has died that this one waits for. The buffer's contents are
    /// lost then.
    #[doc(alias = "MPI_Bcast")]
    pub fn broadcast<T: Element>(&self, buffer: &mut [T], root: Rank) -> Result<()> {
        self.check_root(root)?;
        self.broadcast_in(Call::Broadcast, buffer, root).map_err(|error| Call::Broadcast.failed(error))
    }

    fn check_root(&self, root: Rank) -> Result<()> {
        if root < self.ranks() {
            return Ok(());
        }
        Err(Error::InvalidRank { role: "root", rank: Peer::Rank(root).number(), size: self.ranks() }.into())
    }

    /// Along a binomial tree: a rank has its values from the one whose number has one bit less, counted from `root`.
    pub(super) fn broadcast_in<T: Element>(&self, call: Call, buffer: &mut [T], root: Rank) -> Result<()> {
        let (ranks, tag) = (self.ranks(), call.tag());
        let rank = (self.rank() + ranks - root) % ranks;
        let named = |relative: Rank| (relative + root) % ranks;
        let lowest_bit = if rank == 0 { ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() };
        self.scope(|scope| {
            let mut buffer = buffer;
            if rank > 0 {
                let parent = named(rank - lowest_bit);
                let received = scope.collective().receive(buffer, Peer::Rank(parent), tag)?.wait()?;
                buffer = whole(received, parent)?;
            }
            let buffer: &[T] = buffer;
            // The longest branch first.
            let distances = (0..lowest_bit.trailing_zeros()).rev().map(|bit| 1 << bit);
            let children = distances.map(|distance| rank + distance).filter(|&child| child < ranks);
            let sends: Vec<_> = children
                .map(|child| scope.collective().send(buffer, Peer::Rank(named(child)), tag))
                .collect::<Result<_>>()?;
            sends.into_iter().try_for_each(|send| send.wait().map(drop))
        })
    }
}
