//! How requests complete, on both sides and in every protocol.

use std::ops::Range;

use super::eager;
use super::transfer::{NullOperation, Operation, Receive, Transfer};
use crate::Rank;
use crate::engine::Engine;
use crate::error::tag::tag_text;
use crate::error::{Error, Result};
use crate::message::communicator::Groups;
use crate::message::rendezvous::{Asked, Fin, FinStatus, MAXIMUM_EAGER_DATA, SendMode};
use crate::message::request::Handle;

/// So many tests in vain of a short receive send its handshake.
const TESTS_BEFORE_ANNOUNCING: u8 = 16;

/// What a completed request was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// A null request, or a send: the status says nothing.
    Empty,
    /// An operation with MPI_PROC_NULL.
    ProcNull,
    /// A receive that was cancelled before its message came.
    Cancelled,
    /// A receive.
    Received {
        /// Source: its rank in the communicator of the receive.
        source: Rank,
        /// Tag.
        tag: i32,
        /// Length of the message in bytes.
        bytes: u64,
    },
}

/// What a wait has done in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vain {
    /// It has polled, and goes on with that if nobody else wants the processor.
    Polling,
    /// It has done that, too, and will sleep.
    Lingering,
}

/// After so many looks in vain a wait uses its time otherwise, for a moment: what comes at once is not kept waiting.
const LOOKS_BEFORE_PREPARING: u32 = 2;

/// An error of a wait for one of several requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnyError {
    /// The request that failed; none if the wait itself did.
    pub index: Option<usize>,
    /// What went wrong.
    pub error: Box<Error>,
}

impl From<Box<Error>> for AnyError {
    fn from(error: Box<Error>) -> Self {
        Self { index: None, error }
    }
}

impl Engine {
    /// Completes a request if it can be completed. An error completes it, too.
    pub fn test(&mut self, handle: Handle) -> Result<Option<Completion>> {
        let stale = || Error::StaleHandle { handle: handle.into_raw(), expected: "request" }.into();
        let completion = match self.state.operations.get_mut(handle) {
            Some(Operation::Null(NullOperation::Request)) => Ok(Completion::ProcNull),
            Some(Operation::Null(NullOperation::Cancelled)) => Ok(Completion::Cancelled),
            Some(Operation::Failed { error, .. }) => Err(error.clone()),
            Some(Operation::Awaiting(_)) => return Ok(None),
            Some(Operation::Transfer(transfer)) if transfer.ended && !transfer.detached => {
                if !transfer.is_over() {
                    if !transfer.is_let_go() {
                        return Ok(None);
                    }
                    transfer.detached = true;
                    self.release_given_back(handle);
                    return Ok(Some(Completion::Empty));
                }
                match transfer.failure.take() {
                    // Its receiver hears of that, and nobody else, as with MPI.
                    Some(error) if self.state.only_receivers_hear && matches!(*error, Error::Truncated { .. }) => {
                        Ok(Completion::Empty)
                    }
                    failure => failure.map_or(Ok(Completion::Empty), Err),
                }
            }
            Some(Operation::Receive(receive)) => {
                let Some(fin) = receive.fin else {
                    return Ok(None);
                };
                if receive.wants_segments {
                    self.state.segments.remove(&handle);
                }
                match fin.status {
                    FinStatus::Delivered => {
                        let source = self.state.groups.rank_in(receive.communicator, receive.peer);
                        Ok(Completion::Received { source, tag: receive.tag, bytes: fin.bytes })
                    }
                    FinStatus::Withdrawn => Ok(Completion::Cancelled),
                    FinStatus::Truncated | FinStatus::GaveUp => Err(failure(receive, &self.state.groups, self.rank)),
                }
            }
            _ => return Err(stale()),
        };
        if !self.state.unpacking.is_empty() {
            self.unpack(handle, &completion);
        }
        let removed = self.remove(handle);
        if completion.is_err() {
            self.state.blame(removed.as_ref());
        }
        completion.map(Some)
    }

    /// Completes what most waits find, a receive whose message is in its buffer and of which nothing more is kept: as
    /// [`Engine::test`], which knows all the rest.
    #[inline(always)]
    fn take_delivered(&mut self, handle: Handle) -> Option<Completion> {
        let Some(Operation::Receive(receive)) = self.state.operations.get(handle) else { return None };
        let Some(Fin { status: FinStatus::Delivered, bytes }) = receive.fin else { return None };
        if receive.wants_segments || !self.state.unpacking.is_empty() || receive.bytes > MAXIMUM_EAGER_DATA {
            return None;
        }
        let source = self.state.groups.rank_in(receive.communicator, receive.peer);
        let completion = Completion::Received { source, tag: receive.tag, bytes };
        self.state.operations.discard(handle);
        Some(completion)
    }

    /// As [`Engine::test`], after taking what the peer has written, message by message until the request is complete: what
    /// comes behind is left where it is, for receives that are posted later. Looks at what the peer has written so many
    /// times in vain, or longer where an answer takes longer, without a look at the clock.
    #[inline(always)]
    pub fn test_with_progress(&mut self, handle: Handle, looks: u32) -> Result<Option<Completion>> {
        // A receive whose message has not come is what a wait mostly finds. Most sends are over already: no need to look at
        // the peer's entries for them.
        let is_open =
            matches!(self.state.operations.get(handle), Some(Operation::Receive(receive)) if receive.fin.is_none());
        if !is_open && let Some(completion) = self.test(handle)? {
            return Ok(Some(completion));
        }
        let watched = self.watched(handle);
        if watched.len() != 1 {
            // From any source. A look at many peers takes longer.
            let looks = looks as usize / watched.len().max(1);
            for _ in 0..looks {
                if self.progress_if_any()
                    && let Some(completion) = self.test(handle)?
                {
                    return Ok(Some(completion));
                }
            }
            return Ok(None);
        }
        let looks = if looks > 1 { looks * self.state.capabilities[watched.start].answer_takes } else { looks };
        let mut in_vain = 0;
        while in_vain < looks {
            if !self.progress_once(watched.start) {
                in_vain += 1;
                if in_vain == LOOKS_BEFORE_PREPARING {
                    self.provider.prepare(watched.start);
                }
            } else if let Some(completion) = self.take_delivered(handle) {
                return Ok(Some(completion));
            } else if let Some(completion) = self.test(handle)? {
                return Ok(Some(completion));
            }
        }
        Ok(None)
    }

    /// Whether a wait for a request would end at once, a send of up to `limit` bytes by copying what is left of it. That is so
    /// from then on, but for what an adapter reads meanwhile. One that names nothing counts: it is an error at once.
    pub fn could_complete(&self, handle: Handle, limit: u64) -> bool {
        match self.state.operations.get(handle) {
            Some(Operation::Awaiting(_)) => false,
            Some(Operation::Receive(receive)) => receive.fin.is_some(),
            Some(Operation::Transfer(transfer)) if transfer.ended && !transfer.detached => {
                transfer.is_over() || transfer.is_let_go() || Self::may_spill(transfer, limit)
            }
            _ => true,
        }
    }

    /// Can the send be completed by copying what is left of it?
    fn may_spill(transfer: &Transfer, limit: u64) -> bool {
        transfer.ended
            && !transfer.detached
            && !transfer.fin_sent
            // One that was cancelled is copied already.
            && !transfer.cancelled
            // That would be no end of a synchronous send.
            && transfer.mode == SendMode::Standard
            && transfer.bytes <= limit
            // What is in flight is read from where it is, and will be soon: the wait is for the adapter alone.
            && transfer.in_flight == 0
    }

    /// Completes a send that is at most `limit` bytes long by copying what is left of it. True if it did.
    pub fn spill(&mut self, handle: Handle, limit: u64) -> bool {
        match self.state.operations.get_mut(handle) {
            Some(Operation::Transfer(transfer)) if Self::may_spill(transfer, limit) => {
                // What is a copy already stays where it is until the message has left.
                if transfer.copy.is_none() && !eager::spill(transfer) {
                    return false;
                }
                transfer.detached = true;
                self.release_given_back(handle);
                if !self.offer_spilled(handle) {
                    self.ask_for_handshake(handle);
                }
                true
            }
            _ => false,
        }
    }

    /// The program's buffer is its own again, although the message has not left: the interconnect forgets what lay there, for
    /// other memory may soon. What is sent of the copy is made known to it anew.
    fn release_given_back(&mut self, handle: Handle) {
        let operation = self.state.operations.get(handle);
        if let Some(Operation::Transfer(transfer)) = operation
            && transfer.copy.is_none()
            && transfer.bytes > MAXIMUM_EAGER_DATA
        {
            self.provider.release(handle);
        }
    }

    /// Called when a wait for a request has gone on for so long: tells the other side what it may be waiting to hear.
    pub fn waited_in_vain(&mut self, handle: Handle, vain: Vain) {
        if vain == Vain::Lingering || !self.is_no_hurry(handle) {
            self.announce(handle);
        }
        self.ask_for_handshake(handle);
        self.summon_for(handle);
    }

    /// Whether this is a receive that may tell later where it is. To tell it costs both sides a message, and most waits for
    /// a short one are nearly over. Two producers wait to be told: one that has put a part, and asked then; and one
    /// whose message is too long, which is an error, and has time.
    fn is_no_hurry(&mut self, handle: Handle) -> bool {
        match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) if receive.number.is_some() && receive.bytes <= MAXIMUM_EAGER_DATA => {
                let key = receive.key();
                self.state.receives.entry(key).asked() == Asked::None
            }
            _ => false,
        }
    }

    /// Called when a test was in vain. As above, for a receive when it has happened some times.
    #[inline(always)]
    pub fn tested_in_vain(&mut self, handle: Handle) {
        match self.state.operations.get_mut(handle) {
            // One that has met an announcement is told of otherwise.
            Some(Operation::Receive(receive)) if receive.announced || receive.number.is_none() => return,
            Some(Operation::Receive(receive)) => {
                receive.vain_tests += 1;
                if receive.vain_tests < TESTS_BEFORE_ANNOUNCING {
                    return;
                }
                receive.vain_tests = 0;
            }
            Some(Operation::Transfer(_)) => {}
            _ => return,
        }
        self.waited_in_vain(handle, Vain::Lingering);
    }

    /// The ranks that a request waits for: one of them for sure, or it is over.
    #[inline(always)]
    pub fn watched(&self, handle: Handle) -> Range<Rank> {
        let peer = match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => receive.peer,
            Some(Operation::Transfer(transfer)) => transfer.peer,
            Some(Operation::Awaiting(awaiting)) => match awaiting.pattern.source {
                Some(source) => source,
                None => return 0..self.state.ranks(),
            },
            Some(Operation::Null(_) | Operation::Failed { .. }) | None => return 0..0,
        };
        peer..peer + 1
    }

    /// For each rank, whether some operation waits for it.
    pub fn waited_for(&self) -> Vec<bool> {
        let mut waited_for = vec![false; self.state.ranks()];
        for handle in self.state.operations.handles() {
            waited_for[self.watched(handle)].fill(true);
        }
        waited_for
    }

    /// Length of a request's buffer or message.
    pub fn bytes_of(&self, handle: Handle) -> u64 {
        match self.state.operations.get(handle) {
            Some(Operation::Receive(receive)) => receive.bytes,
            Some(Operation::Awaiting(awaiting)) => awaiting.bytes,
            Some(Operation::Transfer(transfer)) => transfer.bytes,
            Some(Operation::Null(_) | Operation::Failed { .. }) | None => 0,
        }
    }

    /// Takes an operation that is over out of the table. The interconnect may forget its memory.
    #[inline(always)]
    pub(super) fn remove(&mut self, handle: Handle) -> Option<Operation> {
        let removed = self.state.operations.remove(handle);
        if removed.as_ref().is_some_and(Operation::may_be_registered) {
            self.provider.release(handle);
        }
        removed
    }

    /// Gives up a request whose peer is dead.
    pub fn abandon(&mut self, handle: Handle) {
        let removed = self.remove(handle);
        self.state.blame(removed.as_ref());
        self.abandon_unpacking(handle);
        match removed {
            Some(Operation::Transfer(transfer)) => self.state.deferred_transfers -= usize::from(transfer.deferred),
            Some(Operation::Receive(receive)) => {
                self.state.segments.remove(&handle);
                if receive.fin.is_none() {
                    self.state.close_receive(&receive);
                }
            }
            Some(Operation::Awaiting(awaiting)) => self.state.forget_awaiting(&awaiting, handle),
            Some(Operation::Null(_) | Operation::Failed { .. }) | None => {}
        }
    }

    /// What the application has not waited for, in words, and how many messages nobody has received.
    pub fn leftovers(&self) -> (Vec<String>, usize) {
        let mut leaked = Vec::new();
        let mut unreceived = 0;
        for operation in self.state.operations.values() {
            match operation {
                Operation::Receive(receive) => {
                    leaked.push(format!(
                        "receive from rank {}, {}, {} bytes",
                        receive.peer,
                        tag_text(receive.tag),
                        receive.bytes
                    ));
                }
                Operation::Transfer(transfer) if transfer.detached => unreceived += 1,
                Operation::Transfer(transfer) => {
                    let what = if transfer.ended { "send" } else { "transfer without gravel_send_fin" };
                    leaked.push(format!(
                        "{what} to rank {}, {}, {} bytes",
                        transfer.peer,
                        tag_text(transfer.tag),
                        transfer.bytes
                    ));
                }
                Operation::Awaiting(awaiting) => {
                    let source = awaiting.pattern.source.map_or("any rank".into(), |source| format!("rank {source}"));
                    let tag = awaiting.pattern.tag.map_or("any tag".into(), |tag| format!("tag {tag}"));
                    leaked.push(format!(
                        "receive of an announced message from {source}, {tag}, {} bytes",
                        awaiting.bytes
                    ));
                }
                Operation::Null(NullOperation::Cancelled) => leaked.push("cancelled receive".into()),
                Operation::Null(_) => leaked.push("operation with MPI_PROC_NULL".into()),
                Operation::Failed { error, .. } => leaked.push(format!("failed operation ({error})")),
            }
        }
        (leaked, unreceived)
    }

    /// Forgets a send that is over already, so that nobody need wait for it. True if it was.
    #[inline(always)]
    pub fn retire_if_sent(&mut self, handle: Handle) -> bool {
        let is_over = matches!(
            self.state.operations.get(handle),
            Some(Operation::Transfer(transfer))
                if transfer.ended && transfer.is_over() && !transfer.detached && transfer.failure.is_none()
        );
        if is_over {
            self.remove(handle);
        }
        is_over
    }
}

/// The error of a receive of this rank whose FIN has brought one.
#[cold]
pub(super) fn failure(receive: &Receive, groups: &Groups, rank: Rank) -> Box<Error> {
    let (peer, tag) = (receive.peer, receive.tag);
    match receive.fin {
        Some(Fin { status: FinStatus::Truncated, bytes }) => Error::Truncated {
            sent: bytes,
            posted: receive.bytes,
            source_rank: peer,
            source_in_communicator: groups.rank_in(receive.communicator, peer),
            destination: rank,
            tag,
        },
        _ => Error::PeerGaveUp { peer, tag },
    }
    .into()
}
