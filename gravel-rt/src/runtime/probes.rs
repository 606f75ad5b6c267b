//! The calls that look for announced messages without receiving them, and the receives of what they have matched.

use super::{Buffer, Runtime};
use crate::Rank;
use crate::engine::completion::Completion;
use crate::engine::probes::MatchedMessage;
use crate::engine::producer_write::Waiting;
use crate::error::{Error, Result};
use crate::message::matching::Pattern;
use crate::message::request::Handle;

/// Handles of matched messages: those of no table, and of no transfer of a message that MPI carries.
const FIRST: i64 = i64::MIN / 2;
const LAST: i64 = i64::MIN / 4;

/// Messages that probes have matched, and whose receives are to come.
#[derive(Default)]
pub(super) struct MatchedMessages {
    messages: Vec<Option<MatchedMessage>>,
}

impl MatchedMessages {
    fn add(&mut self, message: MatchedMessage) -> Handle {
        let free = self.messages.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.messages.push(None);
            self.messages.len() - 1
        });
        self.messages[place] = Some(message);
        // A position in an array in memory.
        Handle::from_raw(FIRST + place as i64)
    }

    fn place(&self, handle: Handle) -> Result<usize> {
        let raw = handle.into_raw();
        let place = (FIRST..LAST).contains(&raw).then(|| raw - FIRST).and_then(|place| usize::try_from(place).ok());
        let place = place.filter(|&place| self.messages.get(place).is_some_and(Option::is_some));
        place.ok_or_else(|| Error::StaleHandle { handle: raw, expected: "message" }.into())
    }

    fn get(&self, handle: Handle) -> Result<&MatchedMessage> {
        let place = self.place(handle)?;
        self.messages[place].as_ref().ok_or_else(Self::vanished)
    }

    fn take(&mut self, handle: Handle) -> Result<MatchedMessage> {
        let place = self.place(handle)?;
        self.messages[place].take().ok_or_else(Self::vanished)
    }

    #[cold]
    fn vanished() -> Box<Error> {
        Error::Internal("a matched message vanished".into()).into()
    }
}

/// What a matched probe has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matched {
    /// A message, by its handle, and what it is.
    Message(Handle, Completion),
    /// The probe was for MPI_PROC_NULL.
    Nobody,
}

impl Runtime {
    /// Consumer: which message a receive of this source and tag would take now, if there is one. It stays there. Does not
    /// block. Fails where the source, or a rank that could be, has died.
    pub fn probe(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Option<Completion>> {
        self.check_process()?;
        let Some(pattern) = self.pattern(source, tag, communicator)? else {
            return Ok(Some(Completion::ProcNull));
        };
        let found = self.look_for(pattern)?;
        Ok(found.map(|waiting| self.probed(pattern, waiting)))
    }

    /// Consumer: as [`Runtime::probe`], and takes the message: only [`Runtime::receive_matched`] receives it.
    pub fn probe_matched(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Option<Matched>> {
        self.check_process()?;
        let Some(pattern) = self.pattern(source, tag, communicator)? else {
            return Ok(Some(Matched::Nobody));
        };
        if self.look_for(pattern)?.is_none() {
            return Ok(None);
        }
        let taken = self.with_engine(|engine| engine.take_message(pattern))?;
        Ok(taken.map(|message| {
            let completion = self.probed(pattern, message.waiting());
            Matched::Message(self.matched.add(message), completion)
        }))
    }

    /// Consumer: as [`Runtime::probe_matched`], when there is a message. Blocks until then.
    pub fn wait_matched(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Matched> {
        loop {
            self.wait_announcement(source, tag, communicator)?;
            if let Some(matched) = self.probe_matched(source, tag, communicator)? {
                return Ok(matched);
            }
        }
    }

    /// Consumer: receives a message that [`Runtime::probe_matched`] has taken. Does not block. The message stays if the buffer
    /// is impossible.
    ///
    /// # Safety
    /// As [`Runtime::post_receive`].
    pub unsafe fn receive_matched(&mut self, buffer: Buffer, message: Handle) -> Result<Handle> {
        // SAFETY: passed on.
        let receive =
            |runtime: &mut Self, buffer: Buffer| unsafe { runtime.receive_matched_unwatched(buffer, message) };
        self.call(
            move |observer, runtime| {
                let matched = runtime.matched.get(message)?;
                let (communicator, waiting) = (matched.key.communicator, matched.waiting());
                // Ranks came in as this type.
                let source = runtime.shared.lock()?.state.groups.rank_in(communicator, waiting.source) as i32;
                // SAFETY: passed on.
                unsafe { observer.receive(runtime, "gravel_imrecv", buffer, source, waiting.tag, receive) }
            },
            move |runtime| receive(runtime, buffer),
        )
    }

    /// # Safety
    /// As [`Runtime::receive_matched`].
    unsafe fn receive_matched_unwatched(&mut self, buffer: Buffer, message: Handle) -> Result<Handle> {
        self.check_process()?;
        let (posted, scattered) = buffer.check()?;
        let matched = self.matched.take(message)?;
        self.with_engine(|engine| match scattered {
            // SAFETY: passed on.
            Some(target) => unsafe { engine.receive_matched_packed(posted, target, matched) },
            // SAFETY: passed on.
            None => unsafe { engine.receive_matched(posted, matched) },
        })
    }

    /// The communicator's handle of a matched message, for errors.
    pub fn communicator_of_matched(&self, message: Handle) -> Option<i32> {
        self.communicators.handle_of(self.matched.get(message).ok()?.key.communicator)
    }

    /// What waits for a receive of this pattern; looks at what has come first, if nothing does.
    fn look_for(&mut self, pattern: Pattern) -> Result<Option<Waiting>> {
        let mut engine = self.shared.lock()?;
        let mut found = engine.waiting_message(pattern)?;
        if found.is_none() {
            engine.progress(u64::MAX);
            found = engine.waiting_message(pattern)?;
        }
        let watched = pattern.source.map_or(0..self.ranks, |source| source..source + 1);
        let mut died = Ok(());
        if found.is_none() && self.dead_peers.are_due() {
            died = self.dead_peers.look_for(&engine, watched);
            if died.is_err() {
                // What it wrote before it died counts.
                engine.progress(u64::MAX);
                found = engine.waiting_message(pattern)?;
            }
        }
        self.helper.arm(&self.shared, engine)?;
        if found.is_none() {
            died?;
            self.tested_in_vain();
        }
        Ok(found)
    }

    fn probed(&self, pattern: Pattern, waiting: Waiting) -> Completion {
        let Waiting { source, tag, bytes } = waiting;
        let in_communicator = |rank: Rank| match self.shared.lock() {
            Ok(engine) => engine.state.groups.rank_in(pattern.communicator, rank),
            // The next call says what has happened.
            Err(_) => rank,
        };
        Completion::Received { source: in_communicator(source), tag, bytes }
    }
}
