//! The calls that complete requests, or wait for a part of one.

use std::ops::Range;

use super::Runtime;
use crate::Rank;
use crate::engine::Engine;
use crate::engine::completion::{Completion, Vain};
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::progress::patience::Polling;
use crate::progress::wait::{linger, poll_until, sleep_until};

/// So many tests in vain let MPI advance: a program that tests in a loop may be waiting for a rank that waits for that.
const TESTS_IN_VAIN: u32 = 16;

impl Runtime {
    /// Waits for a request: a receive until its message is in the buffer, a send until its buffer may be written
    /// again. Blocks, but never on a send of up to the eager limit.
    pub fn wait(&mut self, request: Handle) -> Result<Completion> {
        if let Some(exchange) = request.in_collectives() {
            return self.wait_alltoall(exchange);
        }
        if let Some(operation) = request.in_persistent() {
            return self.wait_persistent(operation);
        }
        self.call(
            move |observer, runtime| observer.wait(runtime, request),
            move |runtime| runtime.wait_unwatched(request),
        )
    }

    #[inline(always)]
    pub(super) fn wait_unwatched(&mut self, request: Handle) -> Result<Completion> {
        self.check_process()?;
        if request.is_settled() {
            return Ok(Completion::Empty);
        }
        let mut engine = self.shared.lock()?;
        if let Some(completion) = engine.test_with_progress(request, self.shared.patience.looks_at_once())? {
            self.helper.arm(&self.shared, engine)?;
            return Ok(completion);
        }
        let watched = engine.watched(request);
        if engine.spill(request, self.settings.eager_limit) {
            self.helper.arm(&self.shared, engine)?;
            return Ok(Completion::Empty);
        }
        self.helper.disarm(&self.shared);
        let polling = self.shared.patience.polling(engine.bytes_of(request));
        drop(engine);
        let test = |engine: &mut Engine| engine.test(request);
        let in_vain = |engine: &mut Engine, vain: Vain| engine.waited_in_vain(request, vain);
        let result = match self.poll(polling, watched.clone(), in_vain, test) {
            Ok(Some(completion)) => Ok(completion),
            Ok(None) => self.sleep_for(request, watched),
            Err(error) => Err(error),
        };
        let mut engine = self.shared.lock()?;
        if result.is_err() {
            engine.abandon(request);
        }
        self.helper.arm(&self.shared, engine)?;
        result
    }

    /// Blocks until `test` has an answer: polls, lingers and sleeps, and calls `in_vain` where it goes on to the next of
    /// these. Counts which it was.
    pub(super) fn block<T>(
        &mut self,
        polling: Polling,
        watched: Range<Rank>,
        in_vain: impl Fn(&mut Engine, Vain),
        test: impl Fn(&mut Engine) -> Result<Option<T>>,
    ) -> Result<T> {
        match self.poll(polling, watched.clone(), in_vain, &test)? {
            Some(answer) => Ok(answer),
            None => sleep_until(&self.shared, &*self.host, watched, test),
        }
    }

    /// The first part of [`Runtime::block`]: nothing if the caller is to sleep now.
    fn poll<T>(
        &mut self,
        polling: Polling,
        watched: Range<Rank>,
        in_vain: impl Fn(&mut Engine, Vain),
        test: impl Fn(&mut Engine) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut answer = poll_until(&self.shared, polling, watched.clone(), &test)?;
        if answer.is_none() {
            in_vain(&mut *self.shared.lock()?, Vain::Polling);
            answer = linger(&self.shared, &*self.host, watched, &test)?;
        }
        if answer.is_none() {
            in_vain(&mut *self.shared.lock()?, Vain::Lingering);
        }
        if answer.is_some() {
            self.waits.polled += 1;
        } else {
            self.waits.slept += 1;
        }
        Ok(answer)
    }

    /// Sleeps until a request is complete, or a rank that it waits for is dead.
    fn sleep_for(&self, request: Handle, mut watched: Range<Rank>) -> Result<Completion> {
        loop {
            let result = sleep_until(&self.shared, &*self.host, watched.clone(), |engine| engine.test(request));
            let Err(error) = result else { return result };
            let mut engine = self.shared.lock()?;
            let now_watched = engine.watched(request);
            if now_watched.is_empty() || now_watched == watched {
                engine.abandon(request);
                return Err(error);
            }
            // A receive from any source has met a message meanwhile, and its producer may be writing: it is given up only
            // if that one is dead.
            watched = now_watched;
        }
    }

    /// Completes a request if that is possible now. Does not block. A send of up to the eager limit is always complete. One
    /// that waits for a rank whose process has ended fails, as its wait would, within some tenths of a second.
    pub fn test(&mut self, request: Handle) -> Result<Option<Completion>> {
        if let Some(exchange) = request.in_collectives() {
            return self.test_alltoall(exchange);
        }
        if let Some(operation) = request.in_persistent() {
            return self.test_persistent(operation);
        }
        self.call(
            move |observer, runtime| observer.test(runtime, request),
            move |runtime| runtime.test_unwatched(request),
        )
    }

    #[inline(always)]
    pub(super) fn test_unwatched(&mut self, request: Handle) -> Result<Option<Completion>> {
        self.check_process()?;
        if request.is_settled() {
            return Ok(Some(Completion::Empty));
        }
        let mut engine = self.shared.lock()?;
        let mut done = engine.test(request)?;
        if done.is_none() {
            engine.progress(u64::MAX);
            done = engine.test(request)?;
        }
        if done.is_none() && engine.spill(request, self.settings.eager_limit) {
            done = Some(Completion::Empty);
        }
        if done.is_none() {
            engine.tested_in_vain(request);
            if self.dead_peers.are_due() {
                drop(engine);
                return self.test_thoroughly(request);
            }
        }
        self.helper.arm(&self.shared, engine)?;
        if done.is_none() {
            self.tested_in_vain();
        }
        Ok(done)
    }

    /// After a test that has completed nothing: from time to time MPI advances, and others get the processor.
    pub(super) fn tested_in_vain(&mut self) {
        self.tests_in_vain = self.tests_in_vain.wrapping_add(1);
        if self.tests_in_vain.is_multiple_of(TESTS_IN_VAIN) {
            self.host.progress();
            if self.shared.patience.polling(0).yields {
                std::thread::yield_now();
            }
        }
    }

    /// Consumer: waits until `count` elements from element `offset` on are in the buffer of a receive, or its message has
    /// ended. The request stays, and must be waited for. Only a receive that was posted for it
    /// ([`Runtime::post_segmented_receive`]) knows its parts before the end.
    pub fn wait_range(&mut self, request: Handle, offset: i64, count: i64) -> Result<()> {
        if let Some(exchange) = request.in_collectives() {
            return self.wait_alltoall_range(exchange, offset, count);
        }
        if let Some(operation) = request.in_persistent() {
            let active = self.active(operation)?;
            return self.wait_range(active, offset, count);
        }
        self.call(
            move |observer, runtime| observer.wait_range(runtime, request, offset, count),
            move |runtime| runtime.wait_range_unwatched(request, offset, count),
        )
    }

    /// Consumer: as [`Runtime::wait_range`]; from now on the application may also write these elements, and all before them.
    /// Nothing of the runtime touches them any more.
    pub fn take_range(&mut self, request: Handle, offset: i64, count: i64) -> Result<()> {
        self.wait_range(request, offset, count)?;
        self.tell(|observer, _| observer.note_taken(request, offset, count));
        Ok(())
    }

    #[inline(always)]
    pub(super) fn wait_range_unwatched(&mut self, request: Handle, offset: i64, count: i64) -> Result<()> {
        self.check_process()?;
        if request.is_null() {
            return Ok(());
        }
        let mut engine = self.shared.lock()?;
        let watched = engine.watched(request);
        let test = |engine: &mut Engine| engine.test_range(request, offset, count);
        if watched.len() == 1 {
            engine.progress_peer(watched.start);
        }
        if test(&mut engine)?.is_some() {
            engine.unpack_early(request);
            return self.helper.arm(&self.shared, engine);
        }
        self.helper.disarm(&self.shared);
        let polling = self.shared.patience.polling(engine.bytes_of(request));
        drop(engine);
        let result = self.block(polling, watched, |engine, vain| engine.waited_in_vain(request, vain), test);
        let mut engine = self.shared.lock()?;
        engine.unpack_early(request);
        self.helper.arm(&self.shared, engine)?;
        result
    }

    /// Cancels a receive, if no message has met it. The request must still be waited for: it completes as
    /// [`Completion::Cancelled`], or with its message. Where the producer has been told of the receive, it must be asked,
    /// and answers when it progresses. A send is never taken back: its cancel has lost, but its wait ends
    /// whether or not the message is ever received, unless it is synchronous.
    pub fn cancel(&mut self, request: Handle) -> Result<()> {
        if request.in_collectives().is_some() {
            return Err(Error::CollectiveCancelled.into());
        }
        if let Some(operation) = request.in_persistent() {
            let active = self.active(operation)?;
            if active.is_null() && self.is_started(operation)? {
                // A send that was over at once.
                return Ok(());
            }
            return self.cancel(active);
        }
        self.call(
            move |observer, runtime| observer.cancel(runtime, request),
            move |runtime| runtime.cancel_unwatched(request),
        )
    }

    pub(super) fn cancel_unwatched(&mut self, request: Handle) -> Result<()> {
        self.check_process()?;
        if request.is_null() {
            return Err(Error::StaleHandle { handle: 0, expected: "request" }.into());
        }
        self.with_engine(|engine| {
            // What has come already has met its receive.
            engine.progress(u64::MAX);
            engine.cancel(request)
        })
    }
}
