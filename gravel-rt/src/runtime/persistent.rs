//! Persistent operations (MPI 4.0, section 3.9): what a call describes once, and starts begin as often as the program wants.
//!
//! A persistent operation is not one of the engine's. Each start posts the receive, or sends the message, as the call of its
//! kind would, and keeps the request that this gives until a wait completes it. So the engine, the observer and the rules of
//! `GRAVEL_CHECK` see nothing but ordinary operations. Handles are marked and have a table of their own.

use std::sync::Arc;

use super::{AnyError, Buffer, Runtime};
use crate::engine::completion::Completion;
use crate::engine::transfer::Operation;
use crate::error::{Error, Result};
use crate::message::datatype::layout::Layout;
use crate::message::request::{Handle, Table};
use crate::message::retirement::Key;
use crate::sys::log;

/// What a start does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersistentKind {
    /// As [`Runtime::post_receive`].
    PostedReceive,
    /// As [`Runtime::post_send`].
    PostedSend,
    /// As [`Runtime::post_announced_receive`].
    AnnouncedReceive,
    /// As [`Runtime::announce_message`].
    AnnouncedSend,
    /// As [`Runtime::announce_buffered`].
    BufferedSend,
}

/// A persistent operation.
#[derive(Debug, Clone)]
struct Persistent {
    kind: PersistentKind,
    /// Without its layout.
    buffer: Buffer<'static>,
    /// That of its datatype, which the program may have freed.
    layout: Option<Arc<Layout>>,
    /// Source or destination.
    partner: i32,
    tag: i32,
    /// The communicator's handle, and which communicator that was: MPI may give the handle to another one.
    communicator: (i32, Key),
    /// The request of what was started, until it is completed: the null one where that is over already.
    active: Option<Handle>,
}

/// The persistent operations of a rank.
#[derive(Default)]
pub(super) struct PersistentOperations {
    table: Table<Persistent>,
    /// Requests of sends that were released while they were under way: nobody waits for them.
    released_sends: Vec<Handle>,
    /// Those of receives: they end by themselves.
    released_receives: Vec<Handle>,
}

impl PersistentOperations {
    fn stale(handle: Handle) -> Box<Error> {
        Error::StaleHandle { handle: handle.into_raw(), expected: "persistent request" }.into()
    }

    fn find(&mut self, operation: Handle) -> Result<&mut Persistent> {
        self.table.get_mut(operation).ok_or_else(|| Self::stale(operation.persistent()))
    }
}

impl Runtime {
    /// Describes a receive or a send, which [`Runtime::start`] begins: the request is inactive. Does not block.
    ///
    /// # Safety
    /// From each start of the request to the wait that follows, the buffer must be as the call for the kind says. It must be
    /// valid as long as the request may be started.
    pub unsafe fn prepare(
        &mut self,
        kind: PersistentKind,
        buffer: Buffer,
        partner: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        self.check_process()?;
        buffer.check()?;
        match kind {
            PersistentKind::PostedReceive => {
                self.numbered_source(partner, tag, communicator)?;
            }
            PersistentKind::AnnouncedReceive => {
                self.pattern(partner, tag, communicator)?;
            }
            PersistentKind::PostedSend | PersistentKind::AnnouncedSend | PersistentKind::BufferedSend => {
                self.partner("destination", partner, tag, communicator)?;
            }
        }
        let key = self.communicators.find(communicator)?.key;
        let communicator = (communicator, key);
        let layout = buffer.layout.cloned();
        let buffer = Buffer { layout: None, ..buffer };
        let operation = Persistent { kind, buffer, layout, partner, tag, communicator, active: None };
        Ok(self.persistent.table.insert(operation)?.persistent())
    }

    /// Begins what a persistent request stands for, which must be inactive. Does not block.
    pub fn start(&mut self, request: Handle) -> Result<()> {
        self.check_process()?;
        let Some(handle) = request.in_persistent() else { return Err(PersistentOperations::stale(request)) };
        let Persistent { kind, buffer, layout, partner, tag, communicator: (communicator, key), active } =
            self.persistent.find(handle)?.clone();
        let buffer = Buffer { layout: layout.as_ref(), ..buffer };
        if active.is_some() {
            return Err(Error::AlreadyStarted { handle: request.into_raw() }.into());
        }
        if self.communicators.find(communicator)?.key != key {
            return Err(Error::UnknownCommunicator { handle: communicator }.into());
        }
        // SAFETY: the caller of `prepare` has promised it.
        let begun = unsafe {
            match kind {
                PersistentKind::PostedReceive => self.post_receive(buffer, partner, tag, communicator),
                PersistentKind::PostedSend => self.post_send(buffer, partner, tag, communicator),
                PersistentKind::AnnouncedReceive => self.post_announced_receive(buffer, partner, tag, communicator),
                PersistentKind::AnnouncedSend => self.announce_message(buffer, partner, tag, communicator),
                PersistentKind::BufferedSend => {
                    self.announce_buffered(buffer, partner, tag, communicator).map(|()| Handle::NULL)
                }
            }
        }?;
        self.persistent.find(handle)?.active = Some(begun);
        Ok(())
    }

    /// The program needs the request no more, a persistent one or that of an operation under way (MPI 4.0, section 3.7.3). What
    /// it stands for goes on until it is over, although nobody waits for it. Does not block, but for a moment where it is a send
    /// that was cancelled: programs write its memory then, and what reads that finishes first.
    pub fn release(&mut self, request: Handle) -> Result<()> {
        self.check_process()?;
        if request == Handle::OVER {
            return Ok(());
        }
        let active = match request.in_persistent() {
            Some(handle) => {
                let released = self.persistent.table.remove(handle);
                released.ok_or_else(|| PersistentOperations::stale(request))?.active
            }
            None if self.is_of_one_message(request)? => Some(request),
            None => return Err(Error::StaleHandle { handle: request.into_raw(), expected: "request" }.into()),
        };
        let mut outcome = self.see_to_released_sends();
        self.see_to_released_receives();
        let Some(active) = active.filter(|active| !active.is_settled()) else { return outcome };
        if self.is_cancelled_send(active)? {
            return outcome.and(self.wait(active).map(drop));
        }
        if !self.is_receive(active)? {
            self.let_go(active, &mut outcome);
            return outcome;
        }
        if self.test(active)?.is_none() {
            // It stays under way, and is left over at the end if nothing comes.
            self.persistent.released_receives.push(active);
        }
        outcome
    }

    /// Whether a request is that of a message, and its operation exists.
    fn is_of_one_message(&self, request: Handle) -> Result<bool> {
        Ok(request.in_collectives().is_none() && (request.is_made_up() || self.is_live(request)?))
    }

    /// Whether an operation of this handle exists.
    pub(super) fn is_live(&self, request: Handle) -> Result<bool> {
        Ok(self.shared.lock()?.is_live(request))
    }

    fn is_cancelled_send(&self, request: Handle) -> Result<bool> {
        Ok(self.shared.lock()?.is_cancelled_send(request))
    }

    fn is_receive(&self, request: Handle) -> Result<bool> {
        let engine = self.shared.lock()?;
        Ok(matches!(engine.state.operations.get(request), Some(Operation::Receive(_) | Operation::Awaiting(_))))
    }

    /// Sends that were released, and are over by now, are forgotten.
    pub(super) fn see_to_released_sends(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        for active in std::mem::take(&mut self.persistent.released_sends) {
            self.let_go(active, &mut outcome);
        }
        outcome
    }

    /// Receives that were released end by themselves; what has come for them is put where it belongs.
    pub(crate) fn see_to_released_receives(&mut self) {
        for active in std::mem::take(&mut self.persistent.released_receives) {
            match self.test(active) {
                Ok(None) => self.persistent.released_receives.push(active),
                Ok(Some(_)) => {}
                Err(error) => log::error!("a receive whose request was released: {error}"),
            }
        }
    }

    /// Whether a receive that was released is under way.
    #[inline(always)]
    pub(crate) fn has_released_receives(&self) -> bool {
        !self.persistent.released_receives.is_empty()
    }

    /// Completes a released send if it is over, or keeps its request.
    fn let_go(&mut self, active: Handle, outcome: &mut Result<()>) {
        match self.test(active) {
            Ok(Some(_)) => {}
            Ok(None) => {
                self.tell(|observer, _| observer.released(active));
                self.persistent.released_sends.push(active);
            }
            Err(error) => *outcome = std::mem::replace(outcome, Ok(())).and(Err(error)),
        }
    }

    /// The request of what a persistent one has started, or the null one: it is over, or was never started.
    pub(super) fn active(&mut self, operation: Handle) -> Result<Handle> {
        Ok(self.persistent.find(operation)?.active.unwrap_or(Handle::NULL))
    }

    /// Whether a persistent request is active: started, and not completed since.
    pub(super) fn is_started(&mut self, operation: Handle) -> Result<bool> {
        Ok(self.persistent.find(operation)?.active.is_some())
    }

    /// What a persistent request has started is over: it is inactive. Other requests are none of this table's.
    fn deactivate(&mut self, request: Handle) {
        let operation = request.in_persistent().and_then(|operation| self.persistent.table.get_mut(operation));
        if let Some(operation) = operation {
            operation.active = None;
        }
    }

    /// [`Runtime::wait`] for a persistent request, which is inactive from then on, also if the operation failed.
    pub(super) fn wait_persistent(&mut self, operation: Handle) -> Result<Completion> {
        self.check_process()?;
        let active = self.active(operation)?;
        self.deactivate(operation.persistent());
        self.wait(active)
    }

    /// [`Runtime::test`] for a persistent request.
    pub(super) fn test_persistent(&mut self, operation: Handle) -> Result<Option<Completion>> {
        self.check_process()?;
        let active = self.active(operation)?;
        let outcome = self.test(active);
        if !matches!(outcome, Ok(None)) {
            self.deactivate(operation.persistent());
        }
        outcome
    }

    /// [`Runtime::block_until_any`] where some of the requests are persistent: inactive ones count as null ones.
    pub(super) fn wait_any_persistent(
        &mut self,
        requests: &[Handle],
    ) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        self.check_process()?;
        let mut active = Vec::with_capacity(requests.len());
        for (index, &request) in requests.iter().enumerate() {
            let own = match request.in_persistent() {
                None => Ok(Some(request)),
                Some(operation) => self.persistent.find(operation).map(|found| match found.active {
                    Some(active) if active.is_null() => None,
                    active => Some(active.unwrap_or(Handle::NULL)),
                }),
            };
            match own {
                Ok(Some(own)) => active.push(own),
                // A send that was over at once: it is active, and nothing is left to wait for.
                Ok(None) => {
                    self.deactivate(request);
                    return Ok(Some((index, Completion::Empty)));
                }
                Err(error) => return Err(AnyError { index: Some(index), error }),
            }
        }
        let outcome = self.block_until_any(&active);
        let place = match &outcome {
            Ok(place) => place.as_ref().map(|(place, _)| *place),
            Err(failure) => failure.index,
        };
        if let Some(place) = place {
            self.deactivate(requests[place]);
        }
        outcome
    }

    /// Before the runtime ends: sends that were released while they were under way are seen to their end. Their receives
    /// have been posted, or will be: who has called gravel_finalize has received everything that it wants.
    pub(super) fn end_persistent_operations(&mut self) -> Result<()> {
        for active in std::mem::take(&mut self.persistent.released_sends) {
            self.wait(active)?;
        }
        self.see_to_released_receives();
        let inactive = self.persistent.table.values().filter(|operation| operation.active.is_none()).count();
        if inactive > 0 {
            log::info!("gravel_finalize with {inactive} persistent requests that were never released");
        }
        Ok(())
    }

    /// For the MPI side: the communicator of a persistent operation, unless it has been freed.
    pub(super) fn communicator_of_persistent(&mut self, operation: Handle) -> Option<i32> {
        let (communicator, key) = self.persistent.table.get(operation)?.communicator;
        self.communicators.find(communicator).ok().filter(|found| found.key == key).map(|found| found.handle)
    }
}
