//! The producer-initiated read protocol (Gravel 2008, section 2.1, figure 1c): for messages that are there before their
//! receive can be.
//!
//! The producer announces where its message lies ([`Engine::post_announced_send`]); the consumer reads it into the buffer
//! that it meets, and releases it. Where an interconnect or the system does not let the consumer read, it answers with its
//! buffer instead, and the message goes on as in [`super::producer_write`].

use crate::Rank;
use crate::engine::Engine;
use crate::engine::transfer::Operation;
use crate::memory::MemoryRange;
use crate::message::rendezvous::{Fin, FinStatus, RemoteMessage};
use crate::message::request::Handle;
use crate::message::wire::Control;
use crate::provider::{Get, GetOutcome};
use crate::sys::log;

/// A message that is being read by this consumer.
#[derive(Debug, Clone, Copy)]
pub struct Fetch {
    /// The receive.
    request: Handle,
    /// The producer.
    peer: Rank,
    /// The producer's transfer.
    transfer: Handle,
    /// Where the message lies there.
    address: u64,
    /// Its length, which the receive's buffer has.
    bytes: u64,
    /// How much of it has been read.
    done: u64,
}

impl Fetch {
    /// Nothing has been read yet. The buffer is as long as the message, at least.
    pub fn new(request: Handle, peer: Rank, message: RemoteMessage, address: u64) -> Self {
        Self { request, peer, transfer: message.transfer, address, bytes: message.bytes, done: 0 }
    }

    /// Whether it is this transfer's of that producer.
    pub(super) fn is_of(&self, peer: Rank, transfer: Handle) -> bool {
        self.peer == peer && self.transfer == transfer
    }
}

/// When long messages are read that this side's processor itself would have to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongReads {
    /// At once.
    Now,
    /// In a wait, in a test, or by the helper when the producer waits in vain. Posts leave them: of two ranks that both post a
    /// receive and then a send, one would copy after the other, as neither has announced its own message while it copies.
    Later,
}

/// What is read in a post is no longer than this, in bytes: some microseconds.
const SHORT_READ: u64 = 16 * 1024;

impl Engine {
    /// Answers announcements that were met, reads up to `budget` bytes of messages that can be read, and sends what has to
    /// be replied.
    pub(crate) fn do_announced_work(&mut self, budget: &mut u64, long_reads: LongReads) {
        while let Some((request, message)) = self.state.to_answer.pop_front() {
            self.answer(request, message);
        }
        self.announce_asked();
        for _ in 0..self.state.fetching.len() {
            let Some(mut fetch) = self.state.fetching.pop_front() else { break };
            let is_for_later = long_reads == LongReads::Later
                && fetch.bytes > SHORT_READ
                && self.state.capabilities[fetch.peer].gets_are_copies;
            if is_for_later || !self.fetch(&mut fetch, budget) {
                self.state.fetching.push_back(fetch);
            }
        }
        self.send_replies();
        self.state.announced_work = !self.state.fetching.is_empty();
    }

    /// Sends what has to be replied.
    pub(super) fn send_replies(&mut self) {
        while let Some((peer, control)) = self.state.replies.pop_front() {
            self.send(peer, control);
        }
        self.provider.notify();
    }

    /// Reads on. True if nothing is left to do.
    fn fetch(&mut self, fetch: &mut Fetch, budget: &mut u64) -> bool {
        let Fetch { request, peer, transfer, address, bytes, done } = *fetch;
        let Some(Operation::Receive(receive)) = self.state.operations.get(request) else { return true };
        let wanted = (bytes - done).min(*budget);
        let around = MemoryRange { start: receive.address, end: receive.address + bytes as usize };
        let target = std::ptr::with_exposed_provenance_mut(receive.address + done as usize);
        let release = Control::Release { transfer, refused: false };
        let ends_with = (done + wanted == bytes).then(|| release.encode());
        let address = address.wrapping_add(done);
        let get = Get { owner: request, around, address, target, bytes: wanted, ends_with };
        let mut is_told = false;
        // SAFETY: the message is no longer than the posted buffer, which belongs to the runtime until its wait.
        match unsafe { self.provider.get(peer, get) } {
            Ok(GetOutcome::Taken(taken)) => {
                *budget -= taken;
                fetch.done += taken;
            }
            Ok(GetOutcome::TakenAndTold) => {
                *budget -= wanted;
                fetch.done += wanted;
                is_told = true;
            }
            Ok(GetOutcome::Impossible) => {
                self.ask_for(request, peer, transfer);
                return true;
            }
            Err(error) => {
                // If the peer is dead, the wait finds out; else it can still put.
                log::info!("a message of rank {peer} can't be read, and is asked for: {error}");
                self.ask_for(request, peer, transfer);
                return true;
            }
        }
        if fetch.done < bytes {
            return false;
        }
        self.state.finish_receive(peer, request, Fin { status: FinStatus::Delivered, bytes });
        if !is_told {
            self.send(peer, release);
        }
        true
    }

    /// A message that can't be read must be put.
    fn ask_for(&mut self, request: Handle, peer: Rank, transfer: Handle) {
        self.answer_with_buffer(request, peer, transfer);
        // The program of a spilled message is over with it, and its helper does not wait for anything.
        self.provider.notify();
        self.summon(peer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::completion::{Completion, Vain};
    use crate::engine::consumer_write::{Envelope, Message};
    use crate::engine::tests::message_of;
    use crate::message::communicator::CommunicatorId;
    use crate::message::matching::Pattern;
    use crate::provider::desk::{Desk, PEER};

    const TAG: i32 = 5;

    /// An engine to which the peer has announced a message, which has been taken.
    fn announced(message: &[u8]) -> (Engine, Desk) {
        let desk = Desk::that_reads();
        let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
        let address = Some(message.as_ptr().expose_provenance() as u64);
        let remote = RemoteMessage { transfer: Handle::from_raw(77), bytes: message.len() as u64, address };
        let communicator = CommunicatorId::FIRST;
        *desk.coming.lock().unwrap() =
            Some(Control::Announcement { communicator, tag: TAG, number: 0, message: remote });
        engine.progress(u64::MAX);
        (engine, desk)
    }

    fn post(engine: &mut Engine, buffer: &mut [u8]) -> Handle {
        let message = Message { address: buffer.as_mut_ptr().expose_provenance(), ..message_of(buffer) };
        let pattern = Pattern { source: None, communicator: CommunicatorId::FIRST, tag: Some(TAG) };
        // SAFETY: the tests look at the buffer again when the receive is over.
        unsafe { engine.post_announced_receive(message, pattern) }.expect("it is posted")
    }

    fn received(bytes: usize) -> Option<Completion> {
        Some(Completion::Received { source: PEER, tag: TAG, bytes: bytes as u64 })
    }

    #[test]
    fn a_post_leaves_a_long_message_to_the_wait() {
        let message = vec![7; 100_000];
        let mut buffer = vec![0; message.len()];
        let (mut engine, desk) = announced(&message);
        let receive = post(&mut engine, &mut buffer);
        assert_eq!((engine.test(receive), *desk.read.lock().unwrap()), (Ok(None), 0));
        assert!(engine.has_deferred_work(), "the helper may do it");
        engine.progress_in_passing();
        engine.progress_peer(PEER);
        assert_eq!((engine.test(receive), *desk.read.lock().unwrap()), (Ok(None), 0));
        assert!(engine.progress_if_any(), "there is something to do, although nothing has arrived");
        assert_eq!(engine.test(receive), Ok(received(message.len())));
        assert_eq!(buffer, message);
        assert!(matches!(desk.sent.lock().unwrap()[..], [Control::Release { refused: false, .. }]));
        assert!(!engine.progress_if_any());
    }

    #[test]
    fn a_post_reads_a_short_message_at_once() {
        let message = vec![7; SHORT_READ as usize];
        let mut buffer = vec![0; message.len()];
        let (mut engine, _) = announced(&message);
        let receive = post(&mut engine, &mut buffer);
        assert_eq!(engine.test(receive), Ok(received(message.len())));
    }

    /// Whoever was summoned has found no receive: the producer waits, and nobody will summon again.
    #[test]
    fn a_post_reads_at_once_what_its_producer_waits_for() {
        let message = vec![7; 100_000];
        let mut buffer = vec![0; message.len()];
        let (mut engine, _) = announced(&message);
        engine.state.announcements.note_summons();
        let receive = post(&mut engine, &mut buffer);
        assert_eq!(engine.test(receive), Ok(received(message.len())));
        assert_eq!(buffer, message);
    }

    #[test]
    fn a_producer_that_waits_in_vain_summons_its_consumer_once_for_each_message_that_is_read() {
        let message = vec![7; 100_000];
        let desk = Desk::that_reads();
        let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: TAG };
        let mut send = |write_limit| {
            // SAFETY: the message outlives the engine.
            unsafe { engine.post_announced_send(message_of(&message), envelope, write_limit) }.expect("it is sent")
        };
        // The second one is put when its receive is known.
        let (read, put) = (send(1000), send(1_000_000));
        engine.waited_in_vain(put, Vain::Lingering);
        assert!(desk.summoned.lock().unwrap().is_empty());
        engine.waited_in_vain(read, Vain::Polling);
        engine.waited_in_vain(read, Vain::Lingering);
        assert_eq!(*desk.summoned.lock().unwrap(), [PEER]);
    }
}
