//! Every rank has a block for every rank, its own included.

use super::Call;
use super::blocks::Blocks;
use super::incoming::AllToAllReceive;
use super::outgoing::{AllToAllSendRequest, AllToAllTransfer};
use crate::api::{Element, Gravel, Scope};
use crate::error::Result;

impl Gravel {
    /// Sends block r of `outgoing` to rank r, and receives its block for this rank as block r of `incoming`. Collective. The
    /// blocks are equally long, and lie one behind the other in the order of ranks.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// let ranks = gravel.ranks();
    /// let outgoing: Vec<usize> = (0..ranks).map(|to| 10 * gravel.rank() + to).collect();
    /// let mut incoming = vec![0; ranks];
    /// gravel.alltoall(&outgoing, &mut incoming)?;
    /// assert!(incoming.iter().enumerate().all(|(from, &value)| value == 10 * from + gravel.rank()));
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a buffer can't be cut into equal blocks, the ranks' blocks differ in length, or a rank has died.
    #[doc(alias = "MPI_Alltoall")]
    pub fn alltoall<T: Element>(&self, outgoing: &[T], incoming: &mut [T]) -> Result<()> {
        let sends = Blocks::alike(outgoing.len(), self.ranks())?;
        let receives = Blocks::alike(incoming.len(), self.ranks())?;
        self.exchange(outgoing, &sends, incoming, &receives)
    }

    /// As [`Gravel::alltoall`], with blocks of `send_counts[r]` elements for rank r and of `receive_counts[r]` from it. What is
    /// behind the last block is left alone.
    ///
    /// # Errors
    /// If there are not as many counts as ranks, their sum is more than the buffer has, the ranks' counts do not agree, or a
    /// rank has died.
    #[doc(alias = "MPI_Alltoallv")]
    pub fn alltoallv<T: Element>(
        &self,
        outgoing: &[T],
        send_counts: &[usize],
        incoming: &mut [T],
        receive_counts: &[usize],
    ) -> Result<()> {
        let sends = Blocks::counted(send_counts, outgoing.len(), self.ranks())?;
        let receives = Blocks::counted(receive_counts, incoming.len(), self.ranks())?;
        self.exchange(outgoing, &sends, incoming, &receives)
    }

    fn exchange<T: Element>(
        &self,
        outgoing: &[T],
        sends: &Blocks,
        incoming: &mut [T],
        receives: &Blocks,
    ) -> Result<()> {
        let exchanged = self.scope(|scope| {
            let receive = AllToAllReceive::new(&scope.collective(), incoming, receives)?;
            let send = AllToAllSendRequest::new(&scope.collective(), outgoing, sends)?;
            let received = receive.wait().map(drop);
            // Also after an error: the others may be waiting for their blocks.
            let sent = send.wait().map(drop);
            received.and(sent)
        });
        exchanged.map_err(|error| Call::AllToAll.failed(error))
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Posts the receiving side of [`Gravel::alltoall`], whose blocks can be used as they arrive. Does not block. Collective:
    /// every rank opens the sending side, too.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// # let (ranks, rank) = (gravel.ranks(), gravel.rank());
    /// # let (mut outgoing, mut incoming) = (vec![0.0; 100 * ranks], vec![0.0; 100 * ranks]);
    /// # let mut sum = 0.0;
    /// gravel.scope(|scope| {
    ///     let mut receive = scope.post_alltoall(&mut incoming)?;
    ///     let mut transfer = scope.open_alltoall(&mut outgoing)?;
    ///     while let Some(mut block) = transfer.next_block()? {
    ///         let to = block.rank() as f64;
    ///         block.fill(to);
    ///         block.put()?;
    ///     }
    ///     let send = transfer.finish()?;
    ///     while let Some(block) = receive.next_block()? {
    ///         sum += block.iter().sum::<f64>();
    ///     }
    ///     receive.wait()?;
    ///     send.wait().map(drop)
    /// })?;
    /// # assert_eq!(sum, (100 * ranks * rank) as f64);
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the buffer can't be cut into equal blocks, or the runtime is in no state to.
    #[doc(alias = "gravel_post_alltoall")]
    pub fn post_alltoall<T: Element>(&'scope self, incoming: &'scope mut [T]) -> Result<AllToAllReceive<'scope, T>> {
        let blocks = Blocks::alike(incoming.len(), self.gravel().ranks())?;
        AllToAllReceive::new(&self.collective(), incoming, &blocks)
    }

    /// As [`Scope::post_alltoall`], with blocks of `counts[r]` elements from rank r.
    ///
    /// # Errors
    /// As there, and as [`Gravel::alltoallv`].
    #[doc(alias = "gravel_post_alltoallv")]
    pub fn post_alltoallv<T: Element>(
        &'scope self,
        incoming: &'scope mut [T],
        counts: &[usize],
    ) -> Result<AllToAllReceive<'scope, T>> {
        let blocks = Blocks::counted(counts, incoming.len(), self.gravel().ranks())?;
        AllToAllReceive::new(&self.collective(), incoming, &blocks)
    }

    /// Opens the sending side of [`Gravel::alltoall`], whose blocks are filled and put one after the other. Does not block.
    /// Collective.
    ///
    /// # Errors
    /// If the buffer can't be cut into equal blocks, or the runtime is in no state to.
    #[doc(alias = "gravel_open_alltoall")]
    pub fn open_alltoall<T: Element>(&'scope self, outgoing: &'scope mut [T]) -> Result<AllToAllTransfer<'scope, T>> {
        let blocks = Blocks::alike(outgoing.len(), self.gravel().ranks())?;
        AllToAllTransfer::new(&self.collective(), outgoing, &blocks)
    }

    /// As [`Scope::open_alltoall`], with blocks of `counts[r]` elements for rank r.
    ///
    /// # Errors
    /// As there, and as [`Gravel::alltoallv`].
    #[doc(alias = "gravel_open_alltoallv")]
    pub fn open_alltoallv<T: Element>(
        &'scope self,
        outgoing: &'scope mut [T],
        counts: &[usize],
    ) -> Result<AllToAllTransfer<'scope, T>> {
        let blocks = Blocks::counted(counts, outgoing.len(), self.gravel().ranks())?;
        AllToAllTransfer::new(&self.collective(), outgoing, &blocks)
    }

    /// Starts the sending side of [`Gravel::alltoall`] with all blocks at once, which are complete. Does not block. Collective:
    /// every rank posts the receiving side, too.
    ///
    /// # Errors
    /// If the buffer can't be cut into equal blocks, or the runtime is in no state to.
    #[doc(alias = "gravel_send_alltoall")]
    pub fn send_alltoall<T: Element>(&'scope self, outgoing: &'scope [T]) -> Result<AllToAllSendRequest<'scope, T>> {
        let blocks = Blocks::alike(outgoing.len(), self.gravel().ranks())?;
        AllToAllSendRequest::new(&self.collective(), outgoing, &blocks)
    }

    /// As [`Scope::send_alltoall`], with blocks of `counts[r]` elements for rank r.
    ///
    /// # Errors
    /// As there, and as [`Gravel::alltoallv`].
    #[doc(alias = "gravel_send_alltoallv")]
    pub fn send_alltoallv<T: Element>(
        &'scope self,
        outgoing: &'scope [T],
        counts: &[usize],
    ) -> Result<AllToAllSendRequest<'scope, T>> {
        let blocks = Blocks::counted(counts, outgoing.len(), self.gravel().ranks())?;
        AllToAllSendRequest::new(&self.collective(), outgoing, &blocks)
    }
}
