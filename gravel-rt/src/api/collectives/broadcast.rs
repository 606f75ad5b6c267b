//! One rank's values for all.

use super::Call;
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
    /// If there is no such rank, the lengths differ, or a rank has died that this one needs. The buffer's contents are lost
    /// then.
    #[doc(alias = "MPI_Bcast")]
    pub fn broadcast<T: Element>(&self, buffer: &mut [T], root: Rank) -> Result<()> {
        self.check_root(root)?;
        self.broadcast_in(Call::Broadcast, buffer, root, Ok(())).map_err(|error| Call::Broadcast.failed(error))
    }

    fn check_root(&self, root: Rank) -> Result<()> {
        if root < self.ranks() {
            return Ok(());
        }
        Err(Error::InvalidRank { role: "root", rank: Peer::Rank(root).number(), size: self.ranks() }.into())
    }

    /// Along a binomial tree: a rank has its values from the one whose number has one bit less, counted from `root`. If this
    /// rank's call has failed before, those behind it fail, too.
    pub(super) fn broadcast_in<T: Element>(
        &self,
        call: Call,
        buffer: &mut [T],
        root: Rank,
        outcome: Result<()>,
    ) -> Result<()> {
        let (parent, children) = self.place_in_tree(root);
        let heard = parent.map_or(Ok(()), |parent| self.hear(call, buffer, parent));
        self.tell_all(call, buffer, &children, outcome.and(heard))
    }

    /// Whom a rank has its values from, and whom it gives them to: those with the longest branches first.
    fn place_in_tree(&self, root: Rank) -> (Option<Rank>, Vec<Rank>) {
        let ranks = self.ranks();
        let rank = (self.rank() + ranks - root) % ranks;
        let named = |relative: Rank| (relative + root) % ranks;
        let lowest_bit = if rank == 0 { ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() };
        let distances = (0..lowest_bit.trailing_zeros()).rev().map(|bit| 1 << bit);
        let children = distances.map(|distance: Rank| rank + distance).filter(|&child| child < ranks);
        ((rank > 0).then(|| named(rank - lowest_bit)), children.map(named).collect())
    }
}
