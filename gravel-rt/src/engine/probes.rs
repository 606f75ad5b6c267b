//! Matched probes (MPI 4.0, section 3.8.2): a message is taken out of the consumer's order before its receive is known.
//!
//! Nobody is told: its producer waits for the answer of the receive, as for that of one that was posted late.

use crate::engine::Engine;
use crate::engine::announcements::{Announcement, Met};
use crate::engine::consumer_write::Message;
use crate::engine::producer_read::LongReads;
use crate::engine::producer_write::Waiting;
use crate::engine::transfer::{Awaiting, Operation};
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::matching::{MatchKey, Pattern};
use crate::message::request::Handle;

/// A message that was taken, and whose receive is to come.
#[derive(Debug)]
pub struct MatchedMessage {
    /// Whose it is.
    pub key: MatchKey,
    announcement: Announcement,
}

impl MatchedMessage {
    /// What a probe tells of it.
    pub fn waiting(&self) -> Waiting {
        Waiting { source: self.key.peer, tag: self.key.tag, bytes: self.announcement.bytes() }
    }
}

impl Engine {
    /// Consumer: takes the message that a receive of this pattern would take now.
    pub fn take_message(&mut self, pattern: Pattern) -> Result<Option<MatchedMessage>> {
        if self.waiting_message(pattern)?.is_none() {
            return Ok(None);
        }
        // Something waits, so nothing is posted.
        let taken = self.state.announcements.post(pattern, Handle::NULL);
        if let Some(Met { key, announcement: Announcement::Remote(message), .. }) = &taken
            && message.address.is_some()
        {
            self.state.taken_in_place.push((key.peer, message.transfer));
        }
        Ok(taken.map(|Met { key, announcement, .. }| MatchedMessage { key, announcement }))
    }

    /// Consumer: receives a message that was taken.
    ///
    /// # Safety
    /// As [`Engine::post_announced_receive`].
    pub unsafe fn receive_matched(&mut self, buffer: Message, matched: MatchedMessage) -> Result<Handle> {
        let bytes = buffer.bytes();
        if MemoryRange::new(buffer.address, bytes).is_none() {
            return Err(Error::InvalidCount { count: i64::MAX, element_bytes: bytes }.into());
        }
        let pattern = Pattern::from(matched.key);
        let awaiting = Awaiting {
            pattern,
            address: buffer.address,
            bytes,
            element_bytes: buffer.element_bytes,
            parts_are_named: buffer.parts_are_named,
        };
        let request = self.state.operations.insert(Operation::Awaiting(awaiting))?;
        self.state.unmatched_receives += usize::from(awaiting.may_need_an_answer());
        let MatchedMessage { key, mut announcement } = matched;
        if let Announcement::Remote(message) = &mut announcement
            && message.address.is_some()
            && !self.state.forget_taken(key.peer, message.transfer)
        {
            // Its send was cancelled meanwhile.
            message.address = None;
        }
        self.state.meet(request, key, announcement);
        let mut unlimited = u64::MAX;
        self.do_announced_work(&mut unlimited, LongReads::Now);
        self.provider.notify();
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::completion::Completion;
    use crate::message::communicator::CommunicatorId;
    use crate::message::rendezvous::SendMode;
    use crate::provider::desk::{Desk, PEER};

    fn key(tag: i32) -> MatchKey {
        MatchKey { peer: PEER, communicator: CommunicatorId::FIRST, tag }
    }

    fn engine_with(tags: &[i32]) -> Engine {
        let mut engine = Engine::new(0, 2, Box::new(Desk::default()));
        for (number, &tag) in (0..).zip(tags) {
            engine.state.announced_data(key(tag), number, &[tag as u8]);
        }
        engine
    }

    fn into(buffer: &mut [u8]) -> Message {
        Message {
            address: buffer.as_mut_ptr().expose_provenance(),
            named: 0,
            elements: buffer.len() as u64,
            element_bytes: 1,
            advances_with_message: true,
            parts_are_named: true,
            mode: SendMode::Standard,
        }
    }

    /// What was taken is not seen by later probes and receives, whatever they take; order among the others stays.
    #[test]
    fn a_message_that_was_taken_is_only_for_its_own_receive() {
        let mut engine = engine_with(&[5, 6, 5]);
        let any = Pattern { source: None, communicator: CommunicatorId::FIRST, tag: None };
        let first = engine.take_message(any).unwrap().unwrap();
        assert_eq!(first.waiting(), Waiting { source: PEER, tag: 5, bytes: 1 });
        let second = engine.take_message(any).unwrap().unwrap();
        assert_eq!(second.waiting().tag, 6);
        assert_eq!(engine.waiting_message(key(6).into()), Ok(None));
        let mut buffers = [[0u8; 1]; 3];
        let [of_second, of_third, of_first] = &mut buffers;
        // SAFETY: the buffers outlive the engine, and are read when it is done.
        let request = unsafe { engine.receive_matched(into(of_second), second) }.unwrap();
        assert_eq!(engine.test(request), Ok(Some(Completion::Received { source: PEER, tag: 6, bytes: 1 })));
        // SAFETY: as above.
        let request = unsafe { engine.post_announced_receive(into(of_third), any) }.unwrap();
        assert_eq!(engine.test(request), Ok(Some(Completion::Received { source: PEER, tag: 5, bytes: 1 })));
        // SAFETY: as above.
        let request = unsafe { engine.receive_matched(into(of_first), first) }.unwrap();
        assert_eq!(engine.test(request), Ok(Some(Completion::Received { source: PEER, tag: 5, bytes: 1 })));
        assert_eq!(buffers, [[6], [5], [5]]);
        assert_eq!(engine.waiting_message(any), Ok(None));
    }

    #[test]
    fn a_receive_that_is_too_short_fails_and_nothing_is_left_of_its_message() {
        let mut engine = engine_with(&[5]);
        let taken = engine.take_message(key(5).into()).unwrap().unwrap();
        // SAFETY: nothing is written into an empty buffer.
        let request = unsafe { engine.receive_matched(into(&mut []), taken) }.unwrap();
        assert!(matches!(*engine.test(request).unwrap_err(), Error::Truncated { .. }));
        assert_eq!(engine.waiting_message(key(5).into()), Ok(None));
    }
}
