//! Eager data that is read straight into its receive.
//!
//! Where an interconnect copies bytes anyway, eager data of medium length need not be collected first: when it begins to come,
//! it is asked whether its message has a receive ([`crate::provider::Sink::eager_landing`]), and the system reads it into the
//! buffer. From then on the receive has met its message, which is still coming: nothing else meets either of them.
//!
//! What has no receive yet, whose receive is too short, or whose turn has not come, is collected, and met when it is whole.

use super::transfer::{Operation, Receive};
use crate::engine::State;
use crate::message::matching::MatchKey;
use crate::message::request::Handle;

impl State {
    /// The posted receive of a numbered message that begins to arrive, if it is long enough.
    pub(crate) fn numbered_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        let request = self.receives.entry(key).open_receive(number)?;
        let Some(Operation::Receive(receive)) = self.operations.get(request) else { return None };
        if bytes > receive.bytes {
            return None;
        }
        self.has_begun(request);
        Some(request)
    }

    /// The posted receive that an announced message meets which begins to arrive: if its turn has come, and the receive is long
    /// enough.
    pub(crate) fn announced_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        let MatchKey { peer, communicator, .. } = key;
        if !self.announcements.expects(peer, communicator, number) {
            return None;
        }
        let (_, request) = self.announcements.first_receive(key)?;
        let posted = match self.operations.get(request) {
            Some(Operation::Awaiting(awaiting)) => awaiting.bytes,
            Some(Operation::Receive(receive)) if receive.is_in_order && receive.fin.is_none() => receive.bytes,
            _ => return None,
        };
        if bytes > posted {
            return None;
        }
        self.announcements.is_next(peer, communicator, number);
        self.announcements.meet(key);
        self.become_receive(request, key);
        self.has_begun(request);
        // They came before it, and nothing of them depends on its bytes.
        self.take_held(peer, communicator);
        Some(request)
    }

    /// A receive has met its message: its producer need not hear of it, and it can't be withdrawn here any more.
    fn has_begun(&mut self, request: Handle) {
        let Some(Operation::Receive(receive)) = self.operations.get_mut(request) else { return };
        let was_announced = std::mem::replace(&mut receive.announced, true);
        let &mut Receive { peer, bytes, .. } = receive;
        if !was_announced {
            self.note_announced(peer, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;
    use crate::engine::Engine;
    use crate::engine::completion::Completion;
    use crate::engine::consumer_write::{Envelope, Message};
    use crate::engine::ranges::SegmentNotices;
    use crate::error::{Error, Result};
    use crate::message::communicator::CommunicatorId;
    use crate::message::matching::Pattern;
    use crate::message::rendezvous::SendMode;
    use crate::message::wire::{ANNOUNCED, Control};
    use crate::provider::Sink;
    use crate::provider::desk::Desk;
    use proptest::prelude::*;

    const COMMUNICATOR: CommunicatorId = CommunicatorId::FIRST;
    const RANKS: Rank = 4;

    fn engine() -> Engine {
        Engine::new(0, RANKS, Box::new(Desk::that_takes(64 * 1024)))
    }

    fn key(peer: Rank, tag: i32) -> MatchKey {
        MatchKey { peer, communicator: COMMUNICATOR, tag }
    }

    fn message(buffer: &mut [u8]) -> Message {
        let address = buffer.as_mut_ptr().expose_provenance();
        Message {
            address,
            named: address,
            elements: buffer.len() as u64,
            element_bytes: 1,
            advances_with_message: true,
            parts_are_named: true,
            mode: SendMode::Standard,
        }
    }

    /// Posts a receive of an announced message; the buffer outlives it.
    fn post(engine: &mut Engine, buffer: &mut [u8], source: Option<Rank>, tag: Option<i32>) -> Handle {
        let pattern = Pattern { source, communicator: COMMUNICATOR, tag };
        // SAFETY: as said above; the test looks at the buffer when the receive is over.
        unsafe { engine.post_announced_receive(message(buffer), pattern) }.unwrap()
    }

    /// Writes a message where its landing says, in two parts.
    fn land(state: &mut State, peer: Rank, request: Handle, bytes: &[u8]) {
        let middle = bytes.len() / 3;
        for (offset, part) in [(0, &bytes[..middle]), (middle, &bytes[middle..])] {
            state.data(peer, request, offset as u64, part);
        }
        state.eager_landed(peer, request, bytes.len() as u64);
    }

    fn received(source: Rank, tag: i32, bytes: usize) -> Result<Option<Completion>> {
        Ok(Some(Completion::Received { source, tag, bytes: bytes as u64 }))
    }

    #[test]
    fn a_numbered_message_lands_in_the_receive_of_its_number() {
        let mut engine = engine();
        let (mut buffers, message_bytes) = ([[0; 100], [0; 100]], [7; 90]);
        let envelope = Envelope { peer: 2, communicator: COMMUNICATOR, tag: 5 };
        let [first, second] = buffers.each_mut().map(|buffer| {
            // SAFETY: the buffers outlive the receives.
            unsafe { engine.post_receive(message(buffer), envelope, SegmentNotices::Unwanted) }.unwrap()
        });
        assert_eq!(engine.state.eager_landing(key(2, 5), 1, 90), Some(second));
        assert_eq!(engine.state.eager_landing(key(2, 5), 0, 101), None, "too long");
        assert_eq!(engine.state.eager_landing(key(2, 5), 2, 90), None, "not posted");
        land(&mut engine.state, 2, second, &message_bytes);
        assert_eq!(engine.test(second), received(2, 5, 90));
        assert_eq!(engine.test(first), Ok(None));
        assert_eq!(buffers[1][..91], [[7; 90].as_slice(), &[0]].concat());
    }

    #[test]
    fn an_announced_message_lands_in_the_first_receive_that_takes_it() {
        let mut engine = engine();
        let mut buffers = [[0; 100], [0; 100], [0; 100]];
        let [other, wild, exact] = &mut buffers;
        let other = post(&mut engine, other, Some(1), None);
        let wild = post(&mut engine, wild, None, None);
        let exact = post(&mut engine, exact, Some(2), Some(5));
        assert_eq!(engine.state.eager_landing(key(2, 5), ANNOUNCED, 90), Some(wild));
        // While its bytes come, the next one meets the next receive, and may be there before.
        assert_eq!(engine.state.eager_landing(key(2, 5), 1 | ANNOUNCED, 80), Some(exact));
        assert_eq!(engine.state.unmatched_receives, 0, "none is so long that it might need an answer");
        land(&mut engine.state, 2, exact, &[8; 80]);
        assert_eq!(engine.test(exact), received(2, 5, 80));
        assert_eq!(engine.test(wild), Ok(None));
        land(&mut engine.state, 2, wild, &[7; 90]);
        assert_eq!(engine.test(wild), received(2, 5, 90));
        assert_eq!(engine.test(other), Ok(None));
        assert_eq!(
            buffers,
            [[0; 100], std::array::from_fn(|place| if place < 90 { 7 } else { 0 }), {
                std::array::from_fn(|place| if place < 80 { 8 } else { 0 })
            }]
        );
    }

    #[test]
    fn an_announced_message_that_comes_before_its_turn_is_collected() {
        let mut engine = engine();
        let mut buffers = [[0; 10], [0; 10], [0; 10]];
        let [first, second, third] = buffers.each_mut().map(|buffer| post(&mut engine, buffer, None, Some(5)));
        let state = &mut engine.state;
        assert_eq!(state.eager_landing(key(2, 5), 1 | ANNOUNCED, 10), None);
        state.eager(key(2, 5), 1 | ANNOUNCED, &[1; 10]);
        assert_eq!(state.eager_landing(key(2, 5), ANNOUNCED, 10), Some(first));
        // What was held has met its receive; the one behind it lands again.
        assert_eq!(state.eager_landing(key(2, 5), 2 | ANNOUNCED, 10), Some(third));
        land(state, 2, first, &[9; 10]);
        land(state, 2, third, &[2; 10]);
        for request in [first, second, third] {
            assert_eq!(engine.test(request), received(2, 5, 10));
        }
        assert_eq!(buffers, [[9; 10], [1; 10], [2; 10]]);
    }

    #[test]
    fn an_announced_message_that_is_too_long_is_collected_and_both_sides_are_told() {
        let mut engine = engine();
        let mut buffer = [0; 20];
        let (front, rest) = buffer.split_at_mut(9);
        let (short, long) = (post(&mut engine, front, None, Some(5)), post(&mut engine, rest, None, Some(5)));
        assert_eq!(engine.state.eager_landing(key(2, 5), ANNOUNCED, 10), None);
        engine.state.eager(key(2, 5), ANNOUNCED, &[1; 10]);
        let told = Control::TooLong { communicator: COMMUNICATOR, tag: 5, sent: 10, posted: 9 };
        assert_eq!(engine.state.replies.pop_front(), Some((2, told)));
        assert!(matches!(*engine.test(short).unwrap_err(), Error::Truncated { sent: 10, posted: 9, .. }));
        assert_eq!(engine.state.eager_landing(key(2, 5), 1 | ANNOUNCED, 11), Some(long));
        assert_eq!(buffer, [0; 20]);
    }

    #[test]
    fn a_receive_that_an_announced_message_has_met_is_not_cancelled() {
        let mut engine = engine();
        let mut buffers = [[0; 9000], [0; 9000]];
        let [cancelled, met] = buffers.each_mut().map(|buffer| post(&mut engine, buffer, None, None));
        assert_eq!(engine.state.unmatched_receives, 2);
        engine.cancel(cancelled).unwrap();
        assert_eq!(engine.test(cancelled), Ok(Some(Completion::Cancelled)));
        assert_eq!(engine.state.eager_landing(key(3, 1), ANNOUNCED, 8500), Some(met));
        assert_eq!(engine.state.unmatched_receives, 0);
        engine.cancel(met).unwrap();
        assert_eq!(engine.test(met), Ok(None), "its message is coming");
        land(&mut engine.state, 3, met, &[4; 8500]);
        assert_eq!(engine.test(met), received(3, 1, 8500));
        // Nobody waits any more.
        assert_eq!(engine.state.eager_landing(key(3, 1), 1 | ANNOUNCED, 8500), None);
    }

    #[test]
    fn what_is_given_up_while_its_message_comes_has_no_landing() {
        let mut engine = engine();
        let mut buffer = [0; 100];
        let request = post(&mut engine, &mut buffer, Some(1), Some(1));
        assert_eq!(engine.state.eager_landing(key(1, 1), ANNOUNCED, 100), Some(request));
        engine.abandon(request);
        assert_eq!(engine.state.landing(1, request, 0, 100), None);
    }

    proptest! {
        /// Read in place or collected: each message meets the same receive.
        #[test]
        fn landing_meets_as_collecting_does(
            steps in proptest::collection::vec((any::<bool>(), proptest::option::of(1usize..4), proptest::option::of(0i32..3)), 1..60),
        ) {
            let outcome = |lands: bool| {
                let mut engine = engine();
                let mut buffers = vec![[0u8; 8]; steps.len()];
                let (mut sent, mut posted) = ([0; RANKS], Vec::new());
                for (step, (&(is_receive, source, tag), buffer)) in steps.iter().zip(&mut buffers).enumerate() {
                    if is_receive {
                        posted.push(post(&mut engine, buffer, source, tag));
                        continue;
                    }
                    let (key, bytes) = (key(source.unwrap_or(1), tag.unwrap_or(0)), [step as u8; 8]);
                    let number = sent[key.peer] | ANNOUNCED;
                    sent[key.peer] += 1;
                    match lands.then(|| engine.state.eager_landing(key, number, 8)).flatten() {
                        Some(request) => land(&mut engine.state, key.peer, request, &bytes),
                        None => engine.state.eager(key, number, &bytes),
                    }
                }
                let done: Vec<_> = posted.into_iter().map(|request| engine.test(request)).collect();
                (done, buffers)
            };
            prop_assert_eq!(outcome(true), outcome(false));
        }
    }
}
