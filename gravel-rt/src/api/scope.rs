//! A scope, in which messages can be sent from and received into borrowed memory.
//!
//! A guard that waits when it is dropped would not do: it can be leaked, and the memory used while a peer still writes
//! it. A scope ends inside of [`Gravel::scope`], whatever the program does with its operations.

use std::marker::PhantomData;

use super::element::Element;
use super::gravel::Gravel;
use super::matching::{Peer, Source, Tag};
use super::memory::Memory;
use super::operation::{Keeper, Pending};
use super::post::Poster;
use super::receive::ReceiveRequest;
use super::segmented_receive::SegmentedReceive;
use super::send::SendRequest;
use super::transfer::Transfer;
use crate::error::Result;
use crate::message::rendezvous::SendMode;

/// Posts of borrowed memory. What is borrowed comes back from the wait for its operation.
///
/// The calls are those of [`Gravel`], where each is described.
pub struct Scope<'scope, 'env: 'scope> {
    gravel: &'env Gravel,
    pending: Pending,
    /// Invariant: neither lifetime may be made longer or shorter.
    lifetimes: PhantomData<(&'scope mut &'scope (), &'env mut &'env ())>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    pub(super) fn new(gravel: &'env Gravel) -> Self {
        Self { gravel, pending: Pending::default(), lifetimes: PhantomData }
    }

    pub(super) fn pending(&self) -> &Pending {
        &self.pending
    }

    fn poster<B: Memory>(&'scope self) -> Poster<'scope, B> {
        self.poster_on(self.gravel.contexts().messages)
    }

    /// Posts messages that no message of the program can meet.
    pub(super) fn collective<B: Memory>(&'scope self) -> Poster<'scope, B> {
        self.poster_on(self.gravel.contexts().collectives)
    }

    fn poster_on<B: Memory>(&'scope self, communicator: i32) -> Poster<'scope, B> {
        Poster { gravel: self.gravel, keeper: Keeper::Scope(&self.pending), mode: SendMode::Standard, communicator }
    }

    /// The communicator.
    pub(super) fn gravel(&self) -> &'env Gravel {
        self.gravel
    }

    /// Consumer: [`Gravel::post_receive`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_rcv_buffer_rdma")]
    pub fn post_receive<T: Element>(
        &'scope self,
        buffer: &'scope mut [T],
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<ReceiveRequest<'scope, &'scope mut [T]>> {
        self.poster().receive(buffer, source.into(), tag)
    }

    /// Consumer: [`Gravel::post_segmented_receive`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_rcv_segments")]
    pub fn post_segmented_receive<T: Element>(
        &'scope self,
        buffer: &'scope mut [T],
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<SegmentedReceive<'scope, &'scope mut [T]>> {
        self.poster().segmented_receive(buffer, source.into(), tag)
    }

    /// Consumer: [`Gravel::post_announced_receive`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_rcv_announced")]
    pub fn post_announced_receive<T: Element>(
        &'scope self,
        buffer: &'scope mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<ReceiveRequest<'scope, &'scope mut [T]>> {
        self.poster().announced_receive(buffer, source.into(), tag.into())
    }

    /// Producer: [`Gravel::open_transfer`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_wait_rcv_buffer")]
    pub fn open_transfer<T: Element>(
        &'scope self,
        message: &'scope mut [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'scope, &'scope mut [T]>> {
        self.poster().transfer(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::announce_transfer`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_snd_request")]
    pub fn announce_transfer<T: Element>(
        &'scope self,
        message: &'scope mut [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'scope, &'scope mut [T]>> {
        self.poster().announced_transfer(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::post_send`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_send")]
    pub fn post_send<T: Element>(
        &'scope self,
        message: &'scope [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'scope, &'scope [T]>> {
        self.poster().send(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::announce_message`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_snd_buffer_rdma")]
    pub fn announce_message<T: Element>(
        &'scope self,
        message: &'scope [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'scope, &'scope [T]>> {
        self.poster().announced_send(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::post_send_synchronous`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_send_synchronous")]
    pub fn post_send_synchronous<T: Element>(
        &'scope self,
        message: &'scope [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'scope, &'scope [T]>> {
        self.poster().synchronous().send(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::announce_message_synchronous`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_snd_buffer_synchronous")]
    pub fn announce_message_synchronous<T: Element>(
        &'scope self,
        message: &'scope [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'scope, &'scope [T]>> {
        self.poster().synchronous().announced_send(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::open_transfer_synchronous`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_wait_rcv_buffer_synchronous")]
    pub fn open_transfer_synchronous<T: Element>(
        &'scope self,
        message: &'scope mut [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'scope, &'scope mut [T]>> {
        self.poster().synchronous().transfer(message, destination.into(), tag)
    }

    /// Producer: [`Gravel::announce_transfer_synchronous`].
    ///
    /// # Errors
    /// As there.
    #[doc(alias = "gravel_post_snd_request_synchronous")]
    pub fn announce_transfer_synchronous<T: Element>(
        &'scope self,
        message: &'scope mut [T],
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'scope, &'scope mut [T]>> {
        self.poster().synchronous().announced_transfer(message, destination.into(), tag)
    }
}
