//! Messages in one call.

use super::element::Element;
use super::gravel::Gravel;
use super::matching::{Peer, Status};
use crate::error::{Error, Result};

impl Gravel {
    /// Sends a message and waits until it may be written again: at once up to the eager limit.
    ///
    /// # Errors
    /// If there is no such rank or tag, the message is longer than its receive, or the rank has died.
    pub fn send<T: Element>(&self, message: &[T], destination: impl Into<Peer>, tag: i32) -> Result<()> {
        self.scope(|scope| scope.post_send(message, destination, tag)?.wait().map(drop))
    }

    /// Receives a message; nothing from [`Peer::Nobody`].
    ///
    /// # Errors
    /// If there is no such rank or tag, the message is longer than the buffer, or the rank has died.
    pub fn receive<T: Element>(&self, buffer: &mut [T], source: impl Into<Peer>, tag: i32) -> Result<Option<Status>> {
        self.scope(|scope| Ok(scope.post_receive(buffer, source, tag)?.wait()?.outcome.message()))
    }

    /// Sends a message to one rank and receives one from another, both at once (MPI_Sendrecv): a ring of ranks that all call
    /// this ends, however long the messages are.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// let (rank, ranks) = (gravel.rank(), gravel.ranks());
    /// let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    /// let mut incoming = [0; 3];
    /// gravel.send_receive(&[rank; 3], next, &mut incoming, previous, 7)?;
    /// assert_eq!(incoming, [previous; 3]);
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Gravel::send`] and [`Gravel::receive`]; if both fail, that of the receive.
    pub fn send_receive<T: Element, U: Element>(
        &self,
        message: &[T],
        destination: impl Into<Peer>,
        buffer: &mut [U],
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<Option<Status>> {
        self.send_receive_with_tags(message, destination, tag, buffer, source, tag)
    }

    /// As [`Gravel::send_receive`], with a tag for what is sent and one for what is received.
    ///
    /// # Errors
    /// As [`Gravel::send_receive`].
    pub fn send_receive_with_tags<T: Element, U: Element>(
        &self,
        message: &[T],
        destination: impl Into<Peer>,
        send_tag: i32,
        buffer: &mut [U],
        source: impl Into<Peer>,
        receive_tag: i32,
    ) -> Result<Option<Status>> {
        let (destination, source) = (destination.into(), source.into());
        // Before anything is posted: a receive that is cancelled might have taken its message.
        self.check_partner("destination", destination, send_tag)?;
        self.check_partner("source", source, receive_tag)?;
        self.scope(|scope| {
            // The producer learns early where the buffer is.
            let receive = scope.post_receive(buffer, source, receive_tag)?;
            let send = scope.post_send(message, destination, send_tag)?;
            let received = receive.wait();
            // Also after an error: its receiver may be waiting for the message.
            let sent = send.wait();
            let status = received?.outcome.message();
            sent.map(|_| status)
        })
    }

    /// As [`Gravel::send_receive`], with one buffer (MPI_Sendrecv_replace): a copy of it is sent. A shorter message leaves
    /// what is behind its end, one from [`Peer::Nobody`] everything.
    ///
    /// # Errors
    /// As [`Gravel::send_receive`]. The buffer is as it was if nothing was received.
    pub fn send_receive_replace<T: Element>(
        &self,
        buffer: &mut [T],
        destination: impl Into<Peer>,
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<Option<Status>> {
        let message = buffer.to_vec();
        self.send_receive(&message, destination, buffer, source, tag)
    }

    /// What a post for this partner would refuse.
    fn check_partner(&self, role: &'static str, peer: Peer, tag: i32) -> Result<()> {
        match peer {
            Peer::Rank(rank) if rank >= self.ranks() => {
                Err(Error::InvalidRank { role, rank: peer.number(), size: self.ranks() }.into())
            }
            Peer::Rank(_) if tag < 0 => Err(Error::InvalidTag { tag }.into()),
            Peer::Rank(_) | Peer::Nobody => Ok(()),
        }
    }
}
