//! What posts and ends do with messages whose bytes lie apart (see [`crate::engine::packed`]): the other halves of the
//! calls, which those of contiguous messages leave at one branch.

use super::Runtime;
use super::arguments::Partner;
use crate::engine::consumer_write::Message;
use crate::engine::short_transfer::ShortTransfer;
use crate::engine::transfer::{Initiation, NullOperation};
use crate::error::{Error, Result};
use crate::message::datatype::scattered::Scattered;
use crate::message::matching::Pattern;
use crate::message::request::Handle;

impl Runtime {
    /// # Safety
    /// As [`Runtime::post_receive`].
    #[cold]
    pub(super) unsafe fn post_scattered_receive(
        &mut self,
        message: Message,
        target: Scattered,
        partner: Partner,
    ) -> Result<Handle> {
        self.with_engine(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_packed_receive(message, target, envelope) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }

    /// # Safety
    /// As [`Runtime::post_announced_receive`].
    #[cold]
    pub(super) unsafe fn post_scattered_announced_receive(
        &mut self,
        message: Message,
        target: Scattered,
        pattern: Option<Pattern>,
    ) -> Result<Handle> {
        self.with_engine(|engine| match pattern {
            // SAFETY: passed on.
            Some(pattern) => unsafe { engine.post_packed_announced_receive(message, target, pattern) },
            None => engine.open_null(NullOperation::Request),
        })
    }

    /// # Safety
    /// As [`Runtime::post_send`].
    #[cold]
    pub(super) unsafe fn send_scattered(
        &mut self,
        message: Message,
        source: &Scattered,
        partner: Partner,
        initiation: Initiation,
    ) -> Result<Handle> {
        let limit = self.settings.eager_limit;
        self.send(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_packed_send(message, source, envelope, initiation, limit) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }

    /// # Safety
    /// As [`Runtime::post_copied_send`].
    #[cold]
    pub(super) unsafe fn send_scattered_copy(
        &mut self,
        message: Message,
        source: &Scattered,
        partner: Partner,
        initiation: Initiation,
    ) -> Result<Handle> {
        let limit = self.settings.eager_limit;
        self.send(|engine| match partner {
            Partner::Rank(envelope) => {
                // SAFETY: passed on.
                let handle = unsafe { engine.post_packed_send(message, source, envelope, initiation, limit) }?;
                Ok(if engine.spill(handle, limit) { Handle::NULL } else { handle })
            }
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }

    /// # Safety
    /// As [`Runtime::open_transfer`].
    #[cold]
    pub(super) unsafe fn open_scattered(
        &mut self,
        message: Message,
        source: Scattered,
        partner: Partner,
        initiation: Initiation,
    ) -> Result<Handle> {
        self.with_engine(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.open_packed_transfer(message, source, envelope, initiation) },
            Partner::Nobody => engine.open_null(NullOperation::OpenTransfer),
        })
    }

    /// Ends the short message that is being filled, whose bytes lie apart and are whole.
    #[cold]
    pub(super) fn end_scattered_short(&mut self) -> Result<Handle> {
        let Some(ShortTransfer { message, envelope, scattered: Some(source), initiation, .. }) = self.short.take()
        else {
            return Err(Error::Internal("a short message vanished while it was ended".into()).into());
        };
        let initiation = match initiation {
            Initiation::Consumer => Initiation::Consumer,
            // It is its own announcement: nothing of it is to be read from afar.
            Initiation::Producer | Initiation::ProducerEagerly => Initiation::Producer,
        };
        self.send(|engine| {
            // SAFETY: the caller of `open_transfer` or `announce_transfer` has promised it.
            unsafe { engine.post_packed_send(message, &source, envelope, initiation, u64::MAX) }
        })
    }
}
