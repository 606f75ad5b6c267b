//! The calls of the producer-initiated protocols.

use super::{Buffer, Partner, Runtime};
use crate::Rank;
use crate::engine::Engine;
use crate::engine::completion::Completion;
use crate::engine::short_transfer::ShortTransfer;
use crate::engine::transfer::{Initiation, NullOperation};
use crate::error::{Error, Result};
use crate::message::matching::Pattern;
use crate::message::rendezvous::MAXIMUM_EAGER_DATA;
use crate::message::request::Handle;

/// What the application's thread does when a call is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// It may compute for long.
    Anything,
    /// It waits.
    Wait,
}

impl Runtime {
    /// Producer: announces a message to its consumer, and opens its transfer. Does not block. What goes as eager data is
    /// known to its consumer when it has ended, or another message is opened.
    ///
    /// # Safety
    /// As [`Runtime::open_transfer`].
    pub unsafe fn announce_transfer(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                let name = buffer.name_of("gravel_post_snd_request", "gravel_post_snd_request_synchronous");
                observer.open(runtime, name, *buffer, destination, tag, |runtime, buffer| {
                    runtime.announce_transfer(buffer, destination, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe { runtime.announce_transfer_unwatched(*buffer, destination, tag, communicator) },
        )
    }

    /// # Safety
    /// As [`Runtime::announce_transfer`].
    #[inline(always)]
    unsafe fn announce_transfer_unwatched(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        self.check_process()?;
        let (message, scattered) = buffer.check()?;
        let partner = self.partner("destination", destination, tag, communicator)?;
        self.promote_short_before(partner)?;
        if let Partner::Rank(envelope) = partner
            && self.leaves_at_its_end(message.bytes(), envelope.peer)?
        {
            // It is its own announcement, when it ends.
            let handle = self.new_short_handle();
            self.short = Some(ShortTransfer::new(handle, message, scattered, envelope, Initiation::ProducerEagerly));
            return Ok(handle);
        }
        if let Some(source) = scattered {
            // SAFETY: passed on.
            return unsafe { self.open_scattered(message, source, partner, Initiation::Producer) };
        }
        self.with_engine(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.announce_transfer(message, envelope) },
            Partner::Nobody => engine.open_null(NullOperation::OpenTransfer),
        })
    }

    /// Producer: announces a whole message that its consumer may read. Does not block. A message of more than the eager
    /// limit is read if the consumer can; shorter ones are put, so that a wait for them need not block.
    ///
    /// # Safety
    /// As [`Runtime::open_transfer`], with the whole message as one segment.
    pub unsafe fn announce_message(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.announce(buffer, destination, tag, communicator, Next::Anything) }
    }

    /// As [`Runtime::announce_message`], where [`Runtime::wait`] for it is the next call, as after
    /// [`Runtime::post_awaited_receive`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn announce_awaited_message(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.announce(buffer, destination, tag, communicator, Next::Wait) }
    }

    /// # Safety
    /// As [`Runtime::announce_message`].
    #[inline(always)]
    unsafe fn announce(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
        next: Next,
    ) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                let name = buffer.name_of("gravel_post_snd_buffer_rdma", "gravel_post_snd_buffer_synchronous");
                observer.send(runtime, name, *buffer, destination, tag, |runtime, buffer| {
                    runtime.announce_message(buffer, destination, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe { runtime.announce_unwatched(*buffer, destination, tag, communicator, next) },
        )
    }

    /// # Safety
    /// As [`Runtime::announce_message`].
    #[inline(always)]
    unsafe fn announce_unwatched(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
        next: Next,
    ) -> Result<Handle> {
        self.check_process()?;
        let message = match buffer.layout {
            None => buffer.check_contiguous()?,
            Some(layout) => match buffer.check_layout(layout)? {
                (message, None) => message,
                (message, Some(source)) => {
                    let partner = self.partner("destination", destination, tag, communicator)?;
                    self.promote_short_before(partner)?;
                    // SAFETY: passed on.
                    return unsafe { self.send_scattered(message, &source, partner, Initiation::Producer) };
                }
            },
        };
        let partner = self.partner("destination", destination, tag, communicator)?;
        self.promote_short_before(partner)?;
        let eager_limit = self.settings.eager_limit;
        let post = |engine: &mut Engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_announced_send(message, envelope, eager_limit) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        };
        self.send_before(next, post)
    }

    /// Consumer: posts a receive of an announced message; source and tag may be wildcards. Does not block.
    ///
    /// # Safety
    /// As [`Runtime::post_receive`].
    pub unsafe fn post_announced_receive(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_announced(buffer, source, tag, communicator, Next::Anything) }
    }

    /// As [`Runtime::post_announced_receive`], where [`Runtime::wait`] for it is the next call: nobody need stand in for the
    /// application meanwhile.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn post_awaited_receive(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_announced(buffer, source, tag, communicator, Next::Wait) }
    }

    /// # Safety
    /// As [`Runtime::post_announced_receive`].
    #[inline(always)]
    unsafe fn post_announced(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
        next: Next,
    ) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                observer.receive(runtime, "gravel_post_rcv_announced", *buffer, source, tag, |runtime, buffer| {
                    runtime.post_announced_receive(buffer, source, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe { runtime.post_announced_unwatched(*buffer, source, tag, communicator, next) },
        )
    }

    /// # Safety
    /// As [`Runtime::post_announced_receive`].
    #[inline(always)]
    unsafe fn post_announced_unwatched(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
        next: Next,
    ) -> Result<Handle> {
        self.check_process()?;
        let message = match buffer.layout {
            None => buffer.check_contiguous()?,
            Some(layout) => match buffer.check_layout(layout)? {
                (message, None) => message,
                (message, Some(target)) => {
                    let pattern = self.pattern(source, tag, communicator)?;
                    // SAFETY: passed on.
                    return unsafe { self.post_scattered_announced_receive(message, target, pattern) };
                }
            },
        };
        let pattern = self.pattern(source, tag, communicator)?;
        let post = |engine: &mut Engine| match pattern {
            // SAFETY: passed on.
            Some(pattern) => unsafe { engine.post_announced_receive(message, pattern) },
            None => engine.open_null(NullOperation::Request),
        };
        if next == Next::Wait {
            let posted = post(&mut *self.shared.lock()?);
            if posted.is_ok() {
                return posted;
            }
            // Peers may have to hear of it.
            return self.with_engine(|_| posted);
        }
        self.with_engine(post)
    }

    /// Consumer: blocks until a message is announced that a receive of this source and tag would take, and says which. It
    /// stays there: the receive of that very source and tag takes it.
    pub fn wait_announcement(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Completion> {
        self.call(
            move |observer, runtime| observer.wait_announcement(runtime, source, tag, communicator),
            move |runtime| runtime.wait_announcement_unwatched(source, tag, communicator),
        )
    }

    pub(super) fn wait_announcement_unwatched(
        &mut self,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Completion> {
        self.check_process()?;
        let Some(pattern) = self.pattern(source, tag, communicator)? else {
            return Ok(Completion::ProcNull);
        };
        self.helper.disarm(&self.shared);
        let watched = pattern.source.map_or(0..self.ranks, |source| source..source + 1);
        let polling = self.shared.patience.polling(0);
        let waiting = self.block(polling, watched, |_, _| {}, |engine| engine.waiting_message(pattern));
        let engine = self.shared.lock()?;
        let source = |world_rank| engine.state.groups.rank_in(pattern.communicator, world_rank);
        let waiting = waiting.map(|waiting| (source(waiting.source), waiting));
        self.helper.arm(&self.shared, engine)?;
        let (source, waiting) = waiting?;
        Ok(Completion::Received { source, tag: waiting.tag, bytes: waiting.bytes })
    }

    /// Whether an announced message of this length goes as eager data to this peer. To announce it when it is opened would
    /// bring its consumer nothing: it is told of no segment, and gains tiles only of longer ones (see [`crate::tile`]).
    fn leaves_at_its_end(&self, bytes: u64, peer: Rank) -> Result<bool> {
        Ok(bytes <= MAXIMUM_EAGER_DATA || bytes <= self.shared.lock()?.capabilities(peer).longest_eager)
    }

    /// Sends a message that was kept, which is its own announcement.
    #[cold]
    pub(super) fn end_announced_short(&mut self, short: &ShortTransfer) -> Result<Handle> {
        // SAFETY: the caller of `announce_transfer` has promised it.
        self.send(|engine| unsafe { engine.post_announced_send(short.message, short.envelope, u64::MAX) })
    }

    /// Source, tag and communicator of a receive that the consumer matches; nothing for MPI_PROC_NULL.
    #[inline(always)]
    pub(crate) fn pattern(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Option<Pattern>> {
        let found = self.communicators.find(communicator)?;
        if source == self.constants.proc_null {
            return Ok(None);
        }
        let any_source = source == self.constants.any_source;
        let source = if any_source { None } else { Some(found.peer("source", source)?) };
        let any_tag = tag == self.constants.any_tag;
        if tag < 0 && !any_tag {
            return Err(Error::InvalidTag { tag }.into());
        }
        Ok(Some(Pattern { source, communicator: found.id, tag: (!any_tag).then_some(tag) }))
    }
}
