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

impl Engine {
    /// Answers announcements that were met, reads up to `budget` bytes of messages that can be read, and sends what has to
    /// be replied.
    pub(crate) fn do_announced_work(&mut self, budget: &mut u64) {
        while let Some((request, message)) = self.state.to_answer.pop_front() {
            self.answer(request, message);
        }
        self.announce_asked();
        for _ in 0..self.state.fetching.len() {
            let Some(mut fetch) = self.state.fetching.pop_front() else { break };
            if !self.fetch(&mut fetch, budget) {
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
