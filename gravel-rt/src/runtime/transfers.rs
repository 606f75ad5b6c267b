//! The calls that open, fill and end a message, and the short message that is filled here before the engine hears of it.

use super::arguments::Partner;
use super::{Buffer, Runtime};
use crate::engine::short_transfer::ShortTransfer;
use crate::engine::transfer::{Initiation, NullOperation};
use crate::error::Result;
use crate::message::rendezvous::MAXIMUM_EAGER_DATA;
use crate::message::request::Handle;
use crate::tile;

/// Short messages are numbered modulo one more than this: what an interface has bits for.
const NUMBERS_OF_SHORTS: u32 = 0x03ff_ffff;

impl Runtime {
    /// Producer: opens the transfer of the next message. Does not block.
    ///
    /// # Safety
    /// The buffer must be valid until [`Runtime::wait`] returns for the transfer's request, and a segment must not be
    /// written from its put until then.
    pub unsafe fn open_transfer(
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
                let name = buffer.name_of("gravel_wait_rcv_buffer", "gravel_wait_rcv_buffer_synchronous");
                observer.open(runtime, name, *buffer, destination, tag, |runtime, buffer| {
                    runtime.open_transfer(buffer, destination, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe { runtime.open_transfer_unwatched(*buffer, destination, tag, communicator) },
        )
    }

    /// # Safety
    /// As [`Runtime::open_transfer`].
    #[inline(always)]
    unsafe fn open_transfer_unwatched(
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
            && message.bytes() <= MAXIMUM_EAGER_DATA
        {
            let handle = self.new_short_handle();
            self.short = Some(ShortTransfer::new(handle, message, scattered, envelope, Initiation::Consumer));
            return Ok(handle);
        }
        if let Some(source) = scattered {
            // SAFETY: passed on.
            return unsafe { self.open_scattered(message, source, partner, Initiation::Consumer) };
        }
        self.with_engine(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.open_transfer(message, envelope) },
            Partner::Nobody => engine.open_null(NullOperation::OpenTransfer),
        })
    }

    /// How many of `iterations` that fill the message of a transfer, or read that of a receive, make a tile, in multiples
    /// of `multiple` (see [`crate::tile`]). 0 for a message to nobody, and for a receive that gains nothing by
    /// tiles, because its message is short, has come, comes in one piece, or through memory that its sender sees: these leave
    /// the choice to the other messages of the loop.
    pub fn tile(&mut self, transfer: Handle, iterations: i64, multiple: i64) -> Result<i64> {
        if let Some(exchange) = transfer.in_collectives() {
            return self.tile_alltoall(exchange, iterations, multiple);
        }
        self.call(
            move |observer, runtime| observer.tile(runtime, transfer, iterations, multiple),
            move |runtime| runtime.tile_unwatched(transfer, iterations, multiple),
        )
    }

    #[inline(always)]
    pub(super) fn tile_unwatched(&mut self, transfer: Handle, iterations: i64, multiple: i64) -> Result<i64> {
        self.check_process()?;
        if transfer.is_null() {
            return Ok(iterations.max(1));
        }
        if transfer.in_persistent().is_some() {
            // Nothing tells of its parts.
            return Ok(0);
        }
        let forced = self.settings.tile;
        if let Some(ShortTransfer { message, .. }) = self.short.as_ref().filter(|short| short.handle == transfer) {
            return Ok(tile::tile(message.bytes(), iterations, multiple, message.advances_with_message, forced));
        }
        let transfer = self.engine_handle(transfer);
        let mut engine = self.shared.lock()?;
        if let Some((bytes, comes_in_parts)) = engine.awaited_bytes(transfer) {
            let gains =
                comes_in_parts && bytes >= tile::MINIMUM_MESSAGE || forced.is_some() && engine.has_parts(transfer);
            return Ok(if gains { tile::tile(bytes, iterations, multiple, true, forced) } else { 0 });
        }
        Ok(match engine.open_transfer_of(transfer)? {
            Some(transfer) => tile::tile(transfer.bytes, iterations, multiple, transfer.advances_with_message, forced),
            None => 0,
        })
    }

    /// Producer: puts `count` elements from element `offset` on; `address` is the message's first byte again. Does
    /// not block: before the handshake has come, the put is queued.
    pub fn put(&mut self, transfer: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        if let Some(exchange) = transfer.in_collectives() {
            return self.put_alltoall(exchange, address, offset, count);
        }
        self.call(
            move |observer, runtime| observer.put(runtime, transfer, address, offset, count),
            move |runtime| runtime.put_unwatched(transfer, address, offset, count),
        )
    }

    #[inline(always)]
    pub(super) fn put_unwatched(&mut self, transfer: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        self.check_process()?;
        if transfer.is_null() {
            return Ok(());
        }
        if let Some(short) = self.short.as_mut().filter(|short| short.handle == transfer) {
            if short.put(address, offset, count)? {
                return Ok(());
            }
            self.promote_short()?;
        }
        let transfer = self.engine_handle(transfer);
        self.with_engine(|engine| engine.put(transfer, address, offset, count))
    }

    /// Producer: ends the message. The handle is a request from now on. Does not block.
    pub fn send_fin(&mut self, transfer: Handle) -> Result<Handle> {
        if let Some(exchange) = transfer.in_collectives() {
            return self.end_alltoall(exchange);
        }
        self.call(
            move |observer, runtime| observer.send_fin(runtime, transfer),
            move |runtime| runtime.send_fin_unwatched(transfer),
        )
    }

    #[inline(always)]
    pub(super) fn send_fin_unwatched(&mut self, transfer: Handle) -> Result<Handle> {
        self.check_process()?;
        if transfer.is_null() {
            return Ok(Handle::NULL);
        }
        if let Some(short) = self.short.as_ref().filter(|short| short.handle == transfer && short.is_whole()) {
            if short.scattered.is_some() {
                return self.end_scattered_short();
            }
            if short.initiation != Initiation::Consumer {
                let short = self.short.take();
                return short.map_or(Ok(Handle::NULL), |short| self.end_announced_short(&short));
            }
            let ShortTransfer { message, envelope, .. } = *short;
            self.short = None;
            // SAFETY: the caller of `open_transfer` has promised it.
            return self.send(|engine| unsafe { engine.post_send(message, envelope) });
        }
        if self.short.as_ref().is_some_and(|short| short.handle == transfer) {
            self.promote_short()?;
        }
        let open = self.engine_handle(transfer);
        self.promoted.retain(|&(handle, _)| handle != transfer);
        self.send(|engine| engine.send_fin(open).map(|()| open))
    }

    /// Hands the short message that is being filled, if any, to the engine: before another message is opened, which must
    /// come behind it, and where it is filled in another order.
    #[inline(always)]
    pub(super) fn promote_short(&mut self) -> Result<()> {
        if self.short.is_none() { Ok(()) } else { self.promote_the_short_one() }
    }

    #[cold]
    fn promote_the_short_one(&mut self) -> Result<()> {
        let Some(short) = self.short.take() else {
            return Ok(());
        };
        let put = i64::try_from(short.elements_put()).unwrap_or(i64::MAX);
        let handle = self.with_engine(|engine| {
            // SAFETY: the caller of `open_transfer` has promised it.
            let handle = unsafe {
                match (short.scattered, short.initiation) {
                    (Some(source), initiation) => {
                        engine.open_packed_transfer(short.message, source, short.envelope, initiation)?
                    }
                    (None, Initiation::Consumer) => engine.open_transfer(short.message, short.envelope)?,
                    (None, _) => engine.announce_transfer(short.message, short.envelope)?,
                }
            };
            engine.put(handle, short.message.named, 0, put)?;
            Ok(handle)
        })?;
        self.promoted.push((short.handle, handle));
        Ok(())
    }

    /// As [`Runtime::promote_short`], before a message to this partner. One to nobody comes behind none.
    #[inline(always)]
    pub(super) fn promote_short_before(&mut self, partner: Partner) -> Result<()> {
        match partner {
            Partner::Rank(_) => self.promote_short(),
            Partner::Nobody => Ok(()),
        }
    }

    /// A handle for a short message.
    #[inline(always)]
    pub(super) fn new_short_handle(&mut self) -> Handle {
        let handle = Handle::outside_tables(self.shorts_opened);
        self.shorts_opened = (self.shorts_opened + 1) & NUMBERS_OF_SHORTS;
        handle
    }

    /// The engine's handle of a transfer.
    #[inline(always)]
    pub(super) fn engine_handle(&self, transfer: Handle) -> Handle {
        self.promoted.iter().find(|(handle, _)| *handle == transfer).map_or(transfer, |&(_, engine)| engine)
    }
}
