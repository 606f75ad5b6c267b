//! A runtime and its observer: how calls go through it, what it asks for, and how it ends.

use super::Runtime;
use crate::check::standstill::WaitingCall;
use crate::engine::inquiry::Doing;
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::observe::{Ending, MessageOfReceive, Observer};
use crate::sys::clock::monotonic_nanoseconds;
use crate::tile::ForcedTile;

impl Runtime {
    /// Lets the observer, if there is one, write what it has seen, together with those of the other ranks if that is
    /// possible. Fails if the rules are checked and requests were leaked.
    pub(super) fn finish_observer(&mut self, together: bool) -> Result<()> {
        let Some(observer) = self.observer.take() else { return Ok(()) };
        let engine = self.shared.lock()?;
        let leaked = observer.leaked(|handle| engine.is_live(handle));
        let ending = Ending {
            provider: engine.counters(),
            waits: self.waits,
            helper_wakeups: self.shared.helper_wakeups(),
            left_to_mpi: self.left_to_mpi,
        };
        drop(engine);
        observer.finish(&*self.host, ending, together)?;
        if leaked.is_empty() { Ok(()) } else { Err(Error::RuleBroken(Violation::Leaked(leaked)).into()) }
    }

    /// Makes a call through the observer, which makes it again with nobody watching.
    #[cold]
    pub(super) fn observed<T, E: From<Box<Error>>>(
        &mut self,
        call: impl FnOnce(&mut Observer, &mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let Some(mut observer) = self.observer.take() else {
            return Err(Box::new(Error::Internal("nobody observes".into())).into());
        };
        let result = call(&mut observer, self);
        self.observer = Some(observer);
        result
    }

    /// For the observer, where the rules are checked: the application begins a wait in this call, or has ended it.
    pub(crate) fn note_doing(&self, doing: Doing, call: WaitingCall) {
        // After a panic inside the engine the wait itself says so.
        if let Ok(mut engine) = self.shared.lock() {
            engine.note_doing(doing, call, monotonic_nanoseconds());
        }
    }

    /// For the observer, likewise: a test was in vain.
    pub(crate) fn note_vain_test(&self, request: Handle, call: WaitingCall) {
        if let Ok(mut engine) = self.shared.lock() {
            engine.note_vain_test(request, call, monotonic_nanoseconds());
        }
    }

    /// The application has no more calls to make.
    pub(super) fn note_finalizing(&self) -> Result<()> {
        self.shared.lock()?.note_finalizing();
        if let Some(observer) = &self.observer {
            observer.note_finalizing(self);
        }
        Ok(())
    }

    /// For the observer: what the settings say about tiles.
    pub(crate) fn forced_tile(&self) -> Option<ForcedTile> {
        self.settings.tile
    }

    /// For the observer: the message that a receive is for.
    pub(crate) fn message_of(&self, request: Handle) -> Option<MessageOfReceive> {
        self.shared.lock().ok()?.message_of(request)
    }
}
