//! Messages in one call.

use super::element::Element;
use super::gravel::Gravel;
use super::matching::{Peer, Source, Status, Tag};
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

    /// As [`Gravel::send`], of a message that its receiver takes with [`Gravel::receive_announced`] or [`Gravel::receive_vec`],
    /// from any source or of any length if it likes. All messages of a rank and tag are sent like this, or none.
    ///
    /// # Errors
    /// As [`Gravel::send`].
    pub fn send_announced<T: Element>(&self, message: &[T], destination: impl Into<Peer>, tag: i32) -> Result<()> {
        self.scope(|scope| scope.announce_message(message, destination, tag)?.wait().map(drop))
    }

    /// Receives an announced message, from [`Source::Any`] and with [`Tag::Any`] if need be; nothing from [`Peer::Nobody`].
    ///
    /// # Errors
    /// As [`Gravel::receive`].
    pub fn receive_announced<T: Element>(
        &self,
        buffer: &mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Option<Status>> {
        self.scope(|scope| Ok(scope.post_announced_receive(buffer, source, tag)?.wait()?.outcome.message()))
    }

    /// As [`Gravel::receive_announced`], of a message of any length.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// use gravel::{Source, Tag};
    /// # let send = gravel.announce_message(vec![1.0f64, 2.0], 0, 7)?;
    ///
    /// // Some rank has called `send_announced`.
    /// let (values, status) = gravel.receive_vec::<f64>(Source::Any, Tag::Any)?.expect("not from nobody");
    /// println!("{} values from rank {}", values.len(), status.source);
    /// # assert_eq!((values, status.tag), (vec![1.0, 2.0], 7));
    /// # send.wait()?;
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Gravel::receive`], and [`Error::PartialElement`].
    pub fn receive_vec<T: Element>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Option<(Vec<T>, Status)>> {
        let Some(Status { source, tag, bytes }) = self.wait_announcement(source, tag)? else { return Ok(None) };
        let element_bytes = size_of::<T>() as u64;
        // No message is longer than the address space. What is no whole number of elements is received, and refused then.
        let elements = if element_bytes == 0 { 0 } else { bytes.div_ceil(element_bytes) as usize };
        // SAFETY: every pattern of bytes is an element.
        let buffer = vec![unsafe { std::mem::zeroed::<T>() }; elements];
        let received = self.post_announced_receive(buffer, source, tag)?.wait()?;
        if bytes % element_bytes.max(1) != 0 {
            return Err(Error::PartialElement { bytes, element_bytes, source_rank: source, tag }.into());
        }
        Ok(received.outcome.message().map(|status| (received.buffer, status)))
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
