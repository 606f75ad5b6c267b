//! All-to-all exchanges (MPI_Alltoall and MPI_Alltoallv; MPI 4.0, section 6.8), split-phase: one operation that consists of a
//! consumer-initiated message from, or to, every rank of a communicator, the own one included.
//!
//! | call | side | what |
//! |---|---|---|
//! | post_alltoall | consumer | posts the receive of every block |
//! | open_alltoall | producer | the exchange takes its place in the order of the communicator's |
//! | put | producer | a run of the send buffer, cut where blocks begin |
//! | send_fin | producer | sends what was not put, and ends all messages |
//! | wait, test | both | complete all messages of one side |
//! | wait_range | consumer | waits for a run of the receive buffer |
//!
//! The messages have a tag that no program can give ([`ALLTOALL_TAG`]), so the k-th exchange that a rank posts on a
//! communicator meets the k-th that another one opens: collective calls match by their order.
//!
//! A loop that fills the send buffer knows where its elements are, but the number of ranks may be in no variable of its own.
//! So the puts of an exchange need not cover it: what lies behind the last block is left out, and what was not put is sent
//! by the end, when all of the buffer is final anyway. A block of which the whole is put at once, or nothing before the end,
//! is one send; only what comes in parts costs a transfer.

mod exchange;
mod waits;

use std::sync::Arc;

pub use self::exchange::Block;
use self::exchange::{AllToAll, Blocks, Part, State};
use super::Runtime;
use crate::Rank;
use crate::engine::buffer::Buffer;
use crate::engine::consumer_write::Envelope;
use crate::engine::ranges::SegmentNotices;
use crate::engine::segments::Coverage;
use crate::error::{Error, Result};
use crate::message::communicator::CommunicatorId;
use crate::message::matching::ALLTOALL_TAG;
use crate::message::request::{Handle, Table};
use crate::tile;

/// The exchanges of a runtime. One that is being worked on is taken out, and its place is empty.
#[derive(Default)]
pub(super) struct AllToAlls {
    table: Table<Option<Box<AllToAll>>>,
    /// Those of the sending side that may have parts which are not opened, in the order in which they were opened.
    open: Vec<Handle>,
}

impl AllToAlls {
    /// The communicator of the exchange that a handle of the application's names.
    pub(super) fn communicator_of(&self, handle: Handle) -> Option<CommunicatorId> {
        self.get(handle.in_collectives()?).map(|all| all.communicator)
    }

    fn get(&self, exchange: Handle) -> Option<&AllToAll> {
        self.table.get(exchange)?.as_deref()
    }

    fn take(&mut self, exchange: Handle, expected: &'static str) -> Result<Box<AllToAll>> {
        let taken = self.table.get_mut(exchange).and_then(Option::take);
        taken.ok_or_else(|| Error::StaleHandle { handle: exchange.collective().into_raw(), expected }.into())
    }

    fn put_back(&mut self, exchange: Handle, all: Box<AllToAll>) {
        if let Some(place) = self.table.get_mut(exchange) {
            *place = Some(all);
        }
    }
}

impl Runtime {
    /// Consumer: posts the receives of an exchange. `buffer` describes the block of rank 0, behind which the others follow.
    /// Never blocks. Where it fails, the memory may be written until [`Runtime::finalize`].
    ///
    /// # Safety
    /// As [`Runtime::post_receive`], for the blocks of all ranks.
    pub unsafe fn post_alltoall(&mut self, buffer: Buffer, communicator: i32) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_exchange(buffer, None, communicator, SegmentNotices::Unwanted) }
    }

    /// Consumer: as [`Runtime::post_alltoall`], for [`Runtime::wait_range`].
    ///
    /// # Safety
    /// As [`Runtime::post_segmented_receive`], for the blocks of all ranks.
    pub unsafe fn post_segmented_alltoall(&mut self, buffer: Buffer, communicator: i32) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_exchange(buffer, None, communicator, SegmentNotices::Wanted) }
    }

    /// Consumer: as [`Runtime::post_alltoall`], with a block of its own for each rank. `buffer` says where their places are
    /// counted from, `blocks` is asked once for each.
    ///
    /// # Safety
    /// As [`Runtime::post_alltoall`].
    pub unsafe fn post_alltoallv(
        &mut self,
        buffer: Buffer,
        blocks: &dyn Fn(Rank) -> Block,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_exchange(buffer, Some(blocks), communicator, SegmentNotices::Unwanted) }
    }

    /// Consumer: as [`Runtime::post_alltoallv`], for [`Runtime::wait_range`].
    ///
    /// # Safety
    /// As [`Runtime::post_segmented_alltoall`].
    pub unsafe fn post_segmented_alltoallv(
        &mut self,
        buffer: Buffer,
        blocks: &dyn Fn(Rank) -> Block,
        communicator: i32,
    ) -> Result<Handle> {
        // SAFETY: passed on.
        unsafe { self.post_exchange(buffer, Some(blocks), communicator, SegmentNotices::Wanted) }
    }

    /// # Safety
    /// As [`Runtime::post_alltoall`].
    unsafe fn post_exchange(
        &mut self,
        buffer: Buffer,
        blocks: Option<&dyn Fn(Rank) -> Block>,
        communicator: i32,
        notices: SegmentNotices,
    ) -> Result<Handle> {
        let mut all = self.describe_exchange(buffer, blocks, communicator, State::Posted(notices))?;
        for rank in 0..all.ranks() {
            // SAFETY: passed on; a block lies inside the buffer.
            let request = unsafe { self.post_part(all.block(rank), all.envelope(rank), rank, notices)? };
            all.parts[rank] = Part::Pending(request);
        }
        Ok(self.alltoalls.table.insert(Some(all))?.collective())
    }

    /// Producer: opens the sending side of an exchange. `buffer` describes the block of rank 0, behind which the others
    /// follow. Does not block.
    ///
    /// # Safety
    /// As [`Runtime::open_transfer`], for the blocks of all ranks.
    pub unsafe fn open_alltoall(&mut self, buffer: Buffer, communicator: i32) -> Result<Handle> {
        self.open_exchange(buffer, None, communicator)
    }

    /// Producer: as [`Runtime::open_alltoall`], with a block of its own for each rank. `buffer` says where their places are
    /// counted from, `blocks` is asked once for each. They may overlap.
    ///
    /// # Safety
    /// As [`Runtime::open_alltoall`].
    pub unsafe fn open_alltoallv(
        &mut self,
        buffer: Buffer,
        blocks: &dyn Fn(Rank) -> Block,
        communicator: i32,
    ) -> Result<Handle> {
        self.open_exchange(buffer, Some(blocks), communicator)
    }

    /// Producer: the sending side of an exchange with a block of its own for each rank, at once. Does not block.
    ///
    /// # Safety
    /// As [`Runtime::open_alltoallv`], with all of the buffer as one segment.
    pub unsafe fn send_alltoallv(
        &mut self,
        buffer: Buffer,
        blocks: &dyn Fn(Rank) -> Block,
        communicator: i32,
    ) -> Result<Handle> {
        let transfer = self.open_exchange(buffer, Some(blocks), communicator)?;
        self.send_fin(transfer)
    }

    fn open_exchange(
        &mut self,
        buffer: Buffer,
        blocks: Option<&dyn Fn(Rank) -> Block>,
        communicator: i32,
    ) -> Result<Handle> {
        let all = self.describe_exchange(buffer, blocks, communicator, State::Open)?;
        // What they send comes first.
        self.open_remaining_parts(Some(all.communicator))?;
        let exchange = self.alltoalls.table.insert(Some(all))?;
        self.alltoalls.open.push(exchange);
        Ok(exchange.collective())
    }

    /// Producer: the sending side of an exchange at once. Does not block.
    ///
    /// # Safety
    /// As [`Runtime::open_alltoall`], with all of the buffer as one segment.
    pub unsafe fn send_alltoall(&mut self, buffer: Buffer, communicator: i32) -> Result<Handle> {
        // SAFETY: passed on.
        let transfer = unsafe { self.open_alltoall(buffer, communicator)? };
        self.send_fin(transfer)
    }

    /// An exchange of which nothing is under way. Without `blocks` they are alike, and `buffer` is the first of them.
    fn describe_exchange(
        &mut self,
        buffer: Buffer,
        blocks: Option<&dyn Fn(Rank) -> Block>,
        communicator: i32,
        state: State,
    ) -> Result<Box<AllToAll>> {
        self.check_process()?;
        if let Some(layout) = buffer.layout {
            return Err(Error::GapsInExchange { name: layout.name.clone(), maker: layout.maker }.into());
        }
        let buffer = Buffer { layout: None, ..buffer };
        buffer.check_contiguous()?;
        let found = self.communicators.find(communicator)?;
        let (communicator, group) = (found.id, Arc::clone(&found.group));
        let ranks = group.size();
        let own_rank = group.rank_of(self.rank).unwrap_or(0);
        let blocks = match blocks {
            Some(block) => Blocks::Each((0..ranks).map(block).collect()),
            None => Blocks::Alike(buffer.count),
        };
        let parts = (0..ranks).map(|_| Part::Unopened).collect();
        let failure = None;
        let all = AllToAll { communicator, group, own_rank, buffer, blocks, state, parts, failure };
        all.check()?;
        Ok(Box::new(all))
    }

    /// Tells the engine of all messages that it does not know yet, of the exchanges of a communicator or of all: what is
    /// opened from now on comes behind them.
    pub(super) fn open_remaining_parts(&mut self, communicator: Option<CommunicatorId>) -> Result<()> {
        for exchange in self.alltoalls.open.clone() {
            let of_this = |all: &AllToAll| communicator.is_none_or(|communicator| communicator == all.communicator);
            if self.alltoalls.get(exchange).is_some_and(of_this) {
                self.with_alltoall(exchange, "open transfer", |runtime, all| {
                    (0..all.ranks()).try_for_each(|rank| runtime.open_part_of(all, rank).map(|_| ()))
                })?;
            }
        }
        Ok(())
    }

    /// Works on an exchange, which is put back afterwards.
    fn with_alltoall<T>(
        &mut self,
        exchange: Handle,
        expected: &'static str,
        work: impl FnOnce(&mut Self, &mut AllToAll) -> Result<T>,
    ) -> Result<T> {
        let mut all = self.alltoalls.take(exchange, expected)?;
        let result = work(self, &mut all);
        self.alltoalls.put_back(exchange, all);
        result
    }

    /// The transfer of a block, opened now if need be; nothing where the block has left.
    fn open_part_of<'a>(&mut self, all: &'a mut AllToAll, rank: Rank) -> Result<Option<(Handle, &'a mut Coverage)>> {
        if matches!(all.parts[rank], Part::Unopened) {
            // SAFETY: the caller of `open_alltoall` has promised it.
            let transfer = unsafe { self.open_part(all.block(rank), all.envelope(rank), rank)? };
            all.parts[rank] = Part::Open(transfer, Coverage::default());
        }
        Ok(match &mut all.parts[rank] {
            Part::Open(transfer, coverage) => Some((*transfer, coverage)),
            Part::Unopened | Part::Pending(_) => None,
        })
    }

    pub(super) fn tile_alltoall(&mut self, exchange: Handle, iterations: i64, multiple: i64) -> Result<i64> {
        self.check_process()?;
        let forced = self.settings.tile;
        let Some(all) = self.alltoalls.get(exchange) else {
            return Err(self.stale(exchange, "open transfer"));
        };
        let (bytes, advances) = (all.bytes(), all.advances_with_message());
        if let State::Posted(notices) = all.state {
            let engine = self.shared.lock()?;
            let is_awaited = || all.pending().iter().any(|&(_, request)| engine.parts_are_awaited(request));
            let comes_in_parts = notices == SegmentNotices::Wanted && bytes >= tile::MINIMUM_MESSAGE;
            if forced.is_none() && !(comes_in_parts && is_awaited()) {
                return Ok(0);
            }
        }
        let tile = tile::tile(bytes, iterations, multiple, advances, forced);
        self.tell(|observer, _| {
            observer.note_tile(ALLTOALL_TAG, bytes, iterations, tile, tile::reason(bytes, advances, forced));
        });
        Ok(tile)
    }

    pub(super) fn put_alltoall(&mut self, exchange: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        self.check_process()?;
        self.with_alltoall(exchange, "open transfer", |runtime, all| {
            if all.state != State::Open {
                return Err(runtime.stale(exchange, "open transfer"));
            }
            if !all.advances_with_message() {
                // Elements of the array are not those of the datatype: the end sends all.
                return Ok(());
            }
            let elements = all.elements().unsigned_abs();
            let outside = Error::PutOutsideMessage { offset, count, elements };
            let pieces = all.pieces(offset, count).ok_or(outside)?;
            let expected = all.buffer.address;
            if address != expected && !pieces.is_empty() {
                return Err(Error::BufferChanged { given: address, expected }.into());
            }
            pieces.into_iter().try_for_each(|piece| runtime.put_piece(all, piece))
        })
    }

    /// Puts elements of a block.
    fn put_piece(&mut self, all: &mut AllToAll, (rank, first, count): (Rank, i64, i64)) -> Result<()> {
        let block = all.block(rank);
        if matches!(all.parts[rank], Part::Unopened) && count == block.count {
            return self.send_block(all, rank);
        }
        // Elements of a block, whose length in bytes was checked.
        let start = first.unsigned_abs() * block.datatype_bytes;
        let end = start + count.unsigned_abs() * block.datatype_bytes;
        let Some((transfer, coverage)) = self.open_part_of(all, rank)? else {
            return Err(Error::PutOverlaps { start, end }.into());
        };
        coverage.add(start, end)?;
        self.put(transfer, block.address, first, count)
    }

    /// Sends a block that was not opened, as a whole.
    fn send_block(&mut self, all: &mut AllToAll, rank: Rank) -> Result<()> {
        // SAFETY: the caller of `open_alltoall` has promised it.
        let request = unsafe { self.send_part(all.block(rank), all.envelope(rank), rank)? };
        all.parts[rank] = Part::Pending(request);
        Ok(())
    }

    pub(super) fn end_alltoall(&mut self, exchange: Handle) -> Result<Handle> {
        self.check_process()?;
        let is_over = self.with_alltoall(exchange, "open transfer", |runtime, all| {
            if all.state != State::Open {
                return Err(runtime.stale(exchange, "open transfer"));
            }
            all.state = State::Ended;
            // Every rank begins with another one, so that not all wait for the same.
            let (own_rank, ranks) = (all.own_rank, all.ranks());
            for rank in (1..=ranks).map(|distance| (own_rank + distance) % ranks) {
                if rank == own_rank {
                    // The own block is copied: neither the others nor the network should have to wait until that is done.
                    runtime.with_engine(|engine| Ok(engine.progress(u64::MAX)))?;
                }
                let ended = runtime.end_part(all, rank);
                if let Err(error) = ended {
                    all.parts[rank] = Part::Pending(Handle::NULL);
                    all.failure.get_or_insert(error);
                }
            }
            Ok(all.pending().is_empty() && all.failure.is_none())
        })?;
        self.alltoalls.open.retain(|&open| open != exchange);
        if is_over {
            self.alltoalls.table.remove(exchange);
            return Ok(Handle::NULL);
        }
        Ok(exchange.collective())
    }

    /// Sends what was not put of a block, and ends its message.
    fn end_part(&mut self, all: &mut AllToAll, rank: Rank) -> Result<()> {
        let block = all.block(rank);
        match &all.parts[rank] {
            Part::Unopened => self.send_block(all, rank),
            Part::Pending(_) => Ok(()),
            Part::Open(transfer, coverage) => {
                let transfer = *transfer;
                // Of nothing that was put the end makes the whole.
                let gaps = if coverage.covered() == 0 { Vec::new() } else { coverage.gaps(all.block_bytes(rank)) };
                for (start, end) in gaps {
                    let elements = |bytes: u64| (bytes / block.datatype_bytes).cast_signed();
                    self.put(transfer, block.address, elements(start), elements(end - start))?;
                }
                let request = self.send_fin(transfer)?;
                all.parts[rank] = Part::Pending(request);
                Ok(())
            }
        }
    }

    fn stale(&self, exchange: Handle, expected: &'static str) -> Box<Error> {
        Error::StaleHandle { handle: exchange.collective().into_raw(), expected }.into()
    }

    /// # Safety
    /// As [`Runtime::post_receive`].
    unsafe fn post_part(
        &mut self,
        block: Buffer,
        envelope: Envelope,
        source: Rank,
        notices: SegmentNotices,
    ) -> Result<Handle> {
        let post = move |runtime: &mut Self, block: Buffer| {
            let message = block.check_contiguous()?;
            // SAFETY: passed on.
            runtime.with_engine(|engine| unsafe { engine.post_receive(message, envelope, notices) })
        };
        let (name, source) = ("gravel_post_alltoall", source as i32);
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe { observer.receive(runtime, name, block, source, ALLTOALL_TAG, post) },
            move |runtime| post(runtime, block),
        )
    }

    /// # Safety
    /// As [`Runtime::open_transfer`].
    unsafe fn open_part(&mut self, block: Buffer, envelope: Envelope, destination: Rank) -> Result<Handle> {
        let open = move |runtime: &mut Self, block: Buffer| {
            let message = block.check_contiguous()?;
            // SAFETY: passed on.
            runtime.with_engine(|engine| unsafe { engine.open_transfer(message, envelope) })
        };
        let (name, rank) = ("gravel_open_alltoall", destination as i32);
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe { observer.open(runtime, name, block, rank, ALLTOALL_TAG, open) },
            move |runtime| open(runtime, block),
        )
    }

    /// # Safety
    /// As [`Runtime::post_send`].
    unsafe fn send_part(&mut self, block: Buffer, envelope: Envelope, destination: Rank) -> Result<Handle> {
        let send = move |runtime: &mut Self, block: Buffer| {
            let message = block.check_contiguous()?;
            // SAFETY: passed on.
            runtime.send(|engine| unsafe { engine.post_send(message, envelope) })
        };
        let (name, rank) = ("gravel_send_alltoall", destination as i32);
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe { observer.send(runtime, name, block, rank, ALLTOALL_TAG, send) },
            move |runtime| send(runtime, block),
        )
    }
}
