//! A runtime and its observer: how calls go through it, what it asks for, and how it ends.

use super::Runtime;
use crate::check::standstill::WaitingCall;
use crate::engine::completion::{AnyError, Completion};
use crate::engine::inquiry::Doing;
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::message::matching::Pattern;
use crate::message::request::Handle;
use crate::observe::{Calls, Ending, MessageOfReceive, Observer};
use crate::sys::clock::monotonic_nanoseconds;
use crate::tile::ForcedTile;

/// What calls go through: who watches them, if anybody does. Nobody but this file sees that.
pub(super) struct Door(Option<Box<Observer>>);

impl Door {
    /// Watched, if there is an observer.
    pub(super) fn new(observer: Option<Box<Observer>>) -> Self {
        Self(observer)
    }
}

impl Runtime {
    /// Lets the observer, if there is one, write what it has seen, together with those of the other ranks if that is
    /// possible. Fails if the rules are checked and requests were leaked.
    pub(super) fn finish_observer(&mut self, together: bool) -> Result<()> {
        let Some(observer) = self.door.0.take() else { return Ok(()) };
        let engine = self.shared.lock()?;
        let leaked = observer.leaked(|handle| engine.is_live(handle));
        let ending = Ending {
            provider: engine.counters(),
            waits: self.waits,
            helper_wakeups: self.shared.helper_wakeups(),
            left_to_mpi: self.left_to_mpi,
            overlaps: std::mem::take(&mut self.overlaps).into_sites(),
        };
        drop(engine);
        observer.finish(&*self.host, ending, together)?;
        if leaked.is_empty() { Ok(()) } else { Err(Error::RuleBroken(Violation::Leaked(leaked)).into()) }
    }

    /// The door that every call goes through: `make` makes it, or `watch` lets the observer see it, which makes it in the
    /// program's place. Nothing within either finds anybody who watches. Both own what they were given (`move`;
    /// a buffer, which is long, as a reference): arguments that they only refer to would lie in memory for the sake of the
    /// observer, also where there is none.
    #[inline(always)]
    pub(super) fn call<T, E: From<Box<Error>>>(
        &mut self,
        watch: impl FnOnce(&mut Observer, &mut Self) -> std::result::Result<T, E>,
        make: impl FnOnce(&mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.door.0.is_some() { self.observed(watch) } else { make(self) }
    }

    #[cold]
    fn observed<T, E: From<Box<Error>>>(
        &mut self,
        call: impl FnOnce(&mut Observer, &mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let Some(mut observer) = self.door.0.take() else {
            return Err(Box::new(Error::Internal("nobody observes".into())).into());
        };
        let result = call(&mut observer, self);
        self.door.0 = Some(observer);
        result
    }

    /// Tells the observer, if there is one, what is no call.
    #[inline(always)]
    pub(super) fn tell(&mut self, tell: impl FnOnce(&mut Observer, &Self)) {
        if let Some(mut observer) = self.door.0.take() {
            tell(&mut observer, self);
            self.door.0 = Some(observer);
        }
    }

    /// Whether there is one.
    #[inline(always)]
    pub(super) fn is_watched(&self) -> bool {
        self.door.0.is_some()
    }

    /// The application has no more calls to make.
    pub(super) fn note_finalizing(&self) -> Result<()> {
        self.shared.lock()?.note_finalizing();
        if let Some(observer) = &self.door.0 {
            observer.note_finalizing(self);
        }
        Ok(())
    }
}

/// What the observer makes in the program's place: the same calls, with nobody watching. So each has one body, which is
/// compiled into it.
impl Calls for Runtime {
    fn tile(&mut self, transfer: Handle, iterations: i64, multiple: i64) -> Result<i64> {
        Self::tile(self, transfer, iterations, multiple)
    }

    fn put(&mut self, transfer: Handle, address: usize, offset: i64, count: i64) -> Result<()> {
        Self::put(self, transfer, address, offset, count)
    }

    fn send_fin(&mut self, transfer: Handle) -> Result<Handle> {
        Self::send_fin(self, transfer)
    }

    fn give_up(&mut self, transfer: Handle) -> Result<()> {
        Self::give_up(self, transfer)
    }

    fn wait(&mut self, request: Handle) -> Result<Completion> {
        Self::wait(self, request)
    }

    fn test(&mut self, request: Handle) -> Result<Option<Completion>> {
        Self::test(self, request)
    }

    fn block_until_any(&mut self, requests: &[Handle]) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        Self::block_until_any(self, requests)
    }

    fn wait_range(&mut self, request: Handle, offset: i64, count: i64) -> Result<()> {
        Self::wait_range(self, request, offset, count)
    }

    fn wait_announcement(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Completion> {
        Self::wait_announcement(self, source, tag, communicator)
    }

    fn cancel(&mut self, request: Handle) -> Result<()> {
        Self::cancel(self, request)
    }

    fn pattern(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Option<Pattern>> {
        Self::pattern(self, source, tag, communicator)
    }

    fn is_nobody(&self, rank: i32) -> bool {
        Self::is_nobody(self, rank)
    }

    fn forced_tile(&self) -> Option<ForcedTile> {
        self.settings.tile
    }

    fn message_of(&self, request: Handle) -> Option<MessageOfReceive> {
        self.shared.lock().ok()?.message_of(request)
    }

    fn note_doing(&self, doing: Doing, call: WaitingCall) {
        // After a panic inside the engine the wait itself says so.
        if let Ok(mut engine) = self.shared.lock() {
            engine.note_doing(doing, call, monotonic_nanoseconds());
        }
    }

    fn note_vain_test(&self, request: Handle, call: WaitingCall) {
        if let Ok(mut engine) = self.shared.lock() {
            engine.note_vain_test(request, call, monotonic_nanoseconds());
        }
    }
}
