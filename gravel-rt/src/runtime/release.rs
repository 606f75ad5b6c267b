//! What an interface needs that owns the memory of its operations: to end a transfer that will not be finished, and to
//! know when the memory of an operation is the application's again.

use super::Runtime;
use crate::error::{Error, Result};
use crate::message::request::Handle;

impl Runtime {
    /// Runs a call. Should it panic while the thread unwinds already, no later one finds the runtime usable. (Whether a panic
    /// began inside the engine can be told only from the first one.)
    #[inline(always)]
    pub fn call_in_unwinding<T>(&mut self, unwinds: bool, call: impl FnOnce(&mut Self) -> T) -> T {
        struct Bomb<'a>(&'a mut Runtime, bool);
        impl Drop for Bomb<'_> {
            fn drop(&mut self) {
                if self.1 {
                    self.0.shared.poison();
                }
            }
        }
        // One place for both cases, so that the call is compiled into its caller.
        let mut bomb = Bomb(self, unwinds);
        let result = call(&mut *bomb.0);
        bomb.1 = false;
        result
    }

    /// Producer: ends a transfer without its message. What has not left is dropped, no byte of the message is read any
    /// more, and the consumer's wait fails with [`crate::Error::PeerGaveUp`]. Does not block.
    pub fn give_up(&mut self, transfer: Handle) -> Result<()> {
        self.call(
            move |observer, runtime| observer.give_up(runtime, transfer),
            move |runtime| runtime.give_up_unwatched(transfer),
        )
    }

    pub(super) fn give_up_unwatched(&mut self, transfer: Handle) -> Result<()> {
        self.check_process()?;
        if transfer.is_null() {
            return Ok(());
        }
        if self.short.as_ref().is_some_and(|short| short.handle == transfer) {
            self.promote_short()?;
        }
        let open = self.engine_handle(transfer);
        self.promoted.retain(|&(handle, _)| handle != transfer);
        self.with_engine(|engine| engine.give_up(open))
    }

    /// Whether a request whose wait has failed is over: nothing writes or reads its memory any more.
    ///
    /// It is, by the contract of [`Runtime::wait`], unless the wait could not look at it: after a panic inside the engine
    /// nothing is certain. In a forked child it is, for peers know only the memory of its parent.
    ///
    /// Not watched by the observer: it is a question, and changes nothing. A request that `GRAVEL_CHECK` has made up is
    /// over, as the send that it stands for.
    pub fn is_over(&self, request: Handle) -> bool {
        debug_assert!(request.in_persistent().is_none(), "the interface that owns memory has no persistent operations");
        match self.check_process().and_then(|()| self.shared.lock()) {
            Ok(engine) => !engine.is_live(request),
            Err(error) => matches!(*error, Error::Forked),
        }
    }
}
