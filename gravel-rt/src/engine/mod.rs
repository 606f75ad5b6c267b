//! The state of one rank, and the protocols that change it: how the two sides of a message agree where its bytes go.
//!
//! One room, for neither is anything without the other. [`Engine`] is what both the application's thread and the helper
//! thread work on, under one lock; nothing here sleeps or calls MPI. This file takes what the provider brings and sends on
//! what it can; each of the others adds one part of a protocol to [`Engine`] and its state.
//!
//! The paper's four are here. In [`consumer_write`] the consumer's handshake tells the producer where the receive buffer is,
//! the producer puts segments straight into it, any number of them (the advanced write protocol), and its FIN tells the
//! consumer that all have arrived; the consumer can wait for parts of it ([`ranges`]). In [`producer_write`] the producer
//! announces its message first, for receives that their consumer has to match ([`announcements`]; [`grants`]: which of them tell
//! their producers early); in [`producer_read`] the consumer reads it. Which protocol a message uses is the program's choice, one per match key ([`protocol_use`]).
//!
//! [`delivery`] is how segments leave, [`segments`] keeps track of partial messages, [`eager`] is how sends complete without
//! their receiver ([`eager_landing`], [`spilled_read`]: how it then gets the message), [`copied_send`] how their memory is free
//! at once, [`synchronous`] how sends end that their receiver has to know of, [`packed`] how messages leave and come whose bytes
//! lie apart, [`question`] how a producer asks for a handshake, [`completion`] how requests complete, [`probes`] how a
//! message is matched before its receive, and [`cancel`] how receives are withdrawn; [`cancelled_send`] what becomes
//! of a send that is cancelled.

pub mod announcements;
mod arrivals;
mod backlog;
pub mod buffer;
pub mod cancel;
pub mod cancelled_send;
pub mod completion;
pub mod consumer_write;
pub mod copied_send;
pub mod delivery;
pub mod eager;
pub mod eager_landing;
pub mod grants;
pub mod inquiry;
pub mod packed;
pub mod probes;
pub mod producer_read;
pub mod producer_write;
pub mod protocol_use;
pub mod question;
pub mod ranges;
pub mod segments;
pub mod short_transfer;
pub mod spilled_read;
pub mod synchronous;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_grants;
pub mod transfer;
mod unread;

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use self::announcements::AnnouncementOrder;
use self::backlog::Backlogs;
use self::eager::ReceiveOrder;
use self::inquiry::Standstill;
use self::packed::Unpacking;
use self::producer_read::{Fetch, LongReads};
use self::protocol_use::ProtocolUse;
use self::segments::Coverage;
use self::transfer::{Operation, Receive};
use self::unread::Unread;
use crate::Rank;
use crate::message::communicator::{CommunicatorId, Groups};
use crate::message::matching::{KeyHasher, KeyMap, MatchKey, Matcher};
use crate::message::rendezvous::{Fin, FinStatus, Handshake, RemoteMessage};
use crate::message::request::{Handle, Table};
use crate::message::wire::Control;
use crate::provider::{Capabilities, Provider};
use crate::sys::log;

/// One rank's operations in flight, and the provider that moves their bytes.
pub struct Engine {
    /// This rank.
    pub(crate) rank: Rank,
    pub(crate) provider: Box<dyn Provider>,
    pub(crate) state: State,
}

/// Everything but the provider, so that the provider can be polled into it.
pub(crate) struct State {
    pub(crate) operations: Table<Operation>,
    /// The processes of communicators.
    pub(crate) groups: Groups,
    /// Transfers that wait for a handshake, and handshakes that wait for a transfer.
    pub(crate) matcher: Matcher<Handle, Handshake>,
    /// Likewise announced ones, and grants.
    pub(crate) grants: Matcher<Handle, Handshake>,
    /// Receives in order of posting, and eager data that came before them.
    pub(crate) receives: KeyMap<MatchKey, ReceiveOrder>,
    /// Transfers that met a handshake in the last poll.
    pub(crate) met: VecDeque<(Handle, Handshake)>,
    /// Transfers that have something to deliver and only wait for room, for each peer in order.
    pub(crate) ready: Vec<VecDeque<Handle>>,
    /// How many these are.
    pub(crate) ready_transfers: usize,
    /// Announced messages and their receives.
    pub(crate) announcements: AnnouncementOrder,
    /// Number of messages announced so far, per peer and communicator.
    pub(crate) announced: KeyMap<(Rank, CommunicatorId), u64>,
    /// Receives that have met the announcement of a message, which is to be answered.
    pub(crate) to_answer: VecDeque<(Handle, RemoteMessage)>,
    /// Messages that are being read.
    pub(crate) fetching: VecDeque<Fetch>,
    /// Receives that are to send their handshakes, because their producer has asked.
    pub(crate) to_announce: VecDeque<Handle>,
    /// Control messages that answer others.
    pub(crate) replies: VecDeque<(Rank, Control)>,
    /// Whether one of the last four has something in it.
    pub(crate) announced_work: bool,
    /// Operations that are over and of which the provider has not been told.
    pub(crate) to_release: Vec<Handle>,
    /// Receives that wait for an announcement, which may need an answer.
    pub(crate) unmatched_receives: usize,
    /// What has arrived of messages whose receives want to know that.
    pub(crate) segments: HashMap<Handle, Coverage, BuildHasherDefault<KeyHasher>>,
    /// Receives whose messages are unpacked when they have come.
    pub(crate) unpacking: HashMap<Handle, Unpacking, BuildHasherDefault<KeyHasher>>,
    /// Which protocols this rank's messages use, as their producer.
    pub(crate) producing: ProtocolUse,
    /// Likewise as their consumer.
    pub(crate) consuming: ProtocolUse,
    /// Sends of peers that wait for a handshake, the first of each key.
    pub(crate) questions: HashMap<MatchKey, Handle, BuildHasherDefault<KeyHasher>>,
    /// Which peer is polled first.
    first_polled: Rank,
    /// Entries that found their ledger full.
    pub(crate) backlogs: Backlogs,
    /// Transfers that have something queued.
    pub(crate) deferred_transfers: usize,
    /// What the application waits for, where that is looked at.
    pub(crate) standstill: Option<Box<Standstill>>,
    /// Whether the application has called `gravel_finalize`.
    pub(crate) finalizing: bool,
    /// Whether only its receiver hears of a message that is too long.
    pub(crate) only_receivers_hear: bool,
    /// The communicator of the operation that has failed last.
    pub(crate) blamed: Option<CommunicatorId>,
    /// What the provider can do, by peer.
    pub(crate) capabilities: Vec<Capabilities>,
    /// Receives whose bytes are not here before this side reads them.
    pub(crate) unread: Unread,
    /// Messages that a probe has taken, and whose receives may read them where they lie.
    pub(crate) taken_in_place: Vec<(Rank, Handle)>,
    /// Receives that a peer has been asked to withdraw, and whose answer has not come.
    pub(crate) withdrawing_receives: usize,
}

impl Engine {
    /// The engine of `rank` in a job of `ranks`, all of which the provider reaches.
    pub fn new(rank: Rank, ranks: Rank, provider: Box<dyn Provider>) -> Self {
        let state = State {
            operations: Table::default(),
            groups: Groups::default(),
            matcher: Matcher::default(),
            grants: Matcher::default(),
            receives: KeyMap::default(),
            met: VecDeque::new(),
            ready: (0..ranks).map(|_| VecDeque::new()).collect(),
            ready_transfers: 0,
            announcements: AnnouncementOrder::default(),
            announced: KeyMap::default(),
            to_answer: VecDeque::new(),
            fetching: VecDeque::new(),
            to_announce: VecDeque::new(),
            replies: VecDeque::new(),
            announced_work: false,
            to_release: Vec::new(),
            unmatched_receives: 0,
            segments: HashMap::default(),
            unpacking: HashMap::default(),
            producing: ProtocolUse::default(),
            consuming: ProtocolUse::default(),
            questions: HashMap::default(),
            first_polled: 0,
            backlogs: Backlogs::new(ranks),
            deferred_transfers: 0,
            standstill: None,
            finalizing: false,
            only_receivers_hear: false,
            blamed: None,
            unread: Unread::default(),
            capabilities: (0..ranks).map(|peer| provider.capabilities(peer)).collect(),
            taken_in_place: Vec::new(),
            withdrawing_receives: 0,
        };
        Self { rank, provider, state }
    }

    /// Takes what peers have written and delivers what can be delivered, putting at most `budget` bytes. True if more
    /// than the budget was ready.
    pub fn progress(&mut self, budget: u64) -> bool {
        self.take_arrivals();
        self.advance(budget, LongReads::Now)
    }

    /// As [`Engine::progress`] without a limit, where nothing is mostly found. False if nothing was: then no request is any
    /// nearer to its end.
    #[inline(always)]
    pub fn progress_if_any(&mut self) -> bool {
        if !self.take_arrivals() && self.is_idle() {
            return false;
        }
        self.advance(u64::MAX, LongReads::Now);
        true
    }

    /// As [`Engine::progress`] without a limit, at the end of a call that only begins something: what the program does next may
    /// be what its peers wait for.
    pub fn progress_in_passing(&mut self) {
        self.take_arrivals();
        self.advance(u64::MAX, LongReads::Later);
    }

    /// Takes what peers have written. True if there was anything.
    #[inline(always)]
    fn take_arrivals(&mut self) -> bool {
        // In turn: no peer's messages always come before another's.
        let first = self.state.first_polled;
        self.state.first_polled = if first + 1 < self.state.ranks() { first + 1 } else { 0 };
        self.provider.poll_all(first, &mut self.state)
    }

    /// Whether [`Engine::advance`] would find nothing to do.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        let State { ref to_release, ref backlogs, ref met, announced_work, ready_transfers, .. } = self.state;
        let counts = to_release.len() | backlogs.count() | met.len() | ready_transfers;
        counts == 0 && !announced_work && !self.provider.keeps_something()
    }

    /// As [`Engine::progress_in_passing`], looking at one peer only: the short path of waits and posts.
    pub fn progress_peer(&mut self, peer: Rank) {
        if self.provider.poll(peer, &mut self.state) {
            self.advance(u64::MAX, LongReads::Later);
        }
    }

    /// As [`Engine::progress_peer`], for a wait that may need no more than one message: says whether anything had arrived.
    #[inline(always)]
    pub fn progress_once(&mut self, peer: Rank) -> bool {
        let any = self.provider.poll_once(peer, &mut self.state);
        if any {
            self.advance(u64::MAX, LongReads::Now);
        }
        any
    }

    #[inline(always)]
    fn advance(&mut self, mut budget: u64, long_reads: LongReads) -> bool {
        while let Some(handle) = self.state.to_release.pop() {
            self.provider.release(handle);
        }
        self.flush_backlog();
        while let Some((handle, handshake)) = self.state.met.pop_front() {
            self.bind(handle, handshake);
        }
        if self.state.announced_work {
            self.do_announced_work(&mut budget, long_reads);
        }
        if self.state.ready_transfers > 0 {
            self.deliver_all_ready(&mut budget);
        }
        let makes_room = self.provider.keeps_something();
        self.provider.notify();
        if makes_room && self.has_found_no_room() {
            self.fill_room(&mut budget);
        }
        budget == 0
    }

    /// Whether something waits for room at the provider.
    fn has_found_no_room(&self) -> bool {
        self.state.backlogs.count() > 0 || self.state.ready_transfers > 0
    }

    /// Sends on for as long as that makes room: nothing would arrive that told of it.
    #[cold]
    fn fill_room(&mut self, budget: &mut u64) {
        loop {
            let waiting = (self.state.backlogs.count(), self.state.ready_transfers);
            self.flush_backlog();
            self.deliver_all_ready(budget);
            self.provider.notify();
            if waiting == (self.state.backlogs.count(), self.state.ready_transfers) {
                break;
            }
        }
    }

    /// What the provider can do for a peer.
    pub fn capabilities(&self, peer: Rank) -> &Capabilities {
        &self.state.capabilities[peer]
    }

    /// Whether something has been kept that will leave only when [`Engine::progress`] is called once more.
    pub fn keeps_something(&self) -> bool {
        self.provider.keeps_something() || self.has_found_no_room()
    }

    #[inline(never)]
    fn deliver_all_ready(&mut self, budget: &mut u64) {
        for peer in 0..self.state.ready.len() {
            self.deliver_ready(peer, budget);
        }
    }

    /// Delivers what is ready for a peer, until it has no more room: there may be thousands waiting for that.
    fn deliver_ready(&mut self, peer: Rank, budget: &mut u64) {
        while let Some(&handle) = self.state.ready[peer].front() {
            if !self.deliver(handle, budget) {
                return;
            }
            self.state.ready[peer].pop_front();
            self.state.ready_transfers -= 1;
            if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) {
                transfer.ready = false;
            }
        }
    }

    /// Forgets all about the communicators that are not attached any more, unless operations on them are in flight. Their
    /// numbers never come back: what might still arrive for them meets nothing.
    pub(crate) fn forget_communicators(&mut self, is_attached: impl Fn(CommunicatorId) -> bool) {
        let state = &mut self.state;
        let is_used = |id| state.operations.values().any(|operation| operation.communicator() == Some(id));
        for freed in state.groups.retain(|id| is_attached(id) || is_used(id)) {
            state.matcher.forget(freed);
            state.grants.forget(freed);
            state.receives.retain(|key| key.communicator != freed);
            state.announcements.forget(freed);
            state.announced.retain(|&(_, communicator)| communicator != freed);
            state.producing.forget(freed);
            state.consuming.forget(freed);
            state.questions.retain(|key, _| key.communicator != freed);
        }
    }

    /// Whether anything would have to happen while the application is elsewhere.
    pub fn has_deferred_work(&self) -> bool {
        let State { ref backlogs, ref unread, deferred_transfers, unmatched_receives, announced_work, .. } = self.state;
        // Asked at the end of every call.
        backlogs.count() | unread.polled() | deferred_transfers | unmatched_receives | usize::from(announced_work) != 0
    }

    /// Whether arrivals should be taken as soon as they come: more depends on them than what comes next here. What has been
    /// sent without a handshake is no reason, nor what is so short that the system takes all of it.
    #[inline]
    pub fn needs_arrivals(&self) -> bool {
        self.has_deferred_work() || self.state.unread.pumped() > 0
    }

    /// Whether everything that has a handshake is on its way.
    pub fn is_flushed(&self) -> bool {
        let state = &self.state;
        let is_idle = state.backlogs.count() == 0 && state.ready_transfers == 0 && !state.announced_work;
        is_idle && self.provider.is_flushed()
    }
}

impl State {
    /// A peer has been told where a receive of so many bytes is, or its message begins to arrive.
    #[inline(always)]
    pub(crate) fn note_announced(&mut self, peer: Rank, bytes: u64) {
        self.unread.note(&self.capabilities[peer], bytes);
    }

    /// Such a receive is over.
    #[inline(always)]
    fn forget_announced(&mut self, peer: Rank, bytes: u64) {
        self.unread.forget(&self.capabilities[peer], bytes);
    }

    /// Number of ranks of the job.
    pub(crate) fn ranks(&self) -> Rank {
        self.backlogs.ranks()
    }

    /// Notes that an operation has failed and is over: the error handler of its communicator may be called for it.
    #[cold]
    pub(crate) fn blame(&mut self, operation: Option<&Operation>) {
        self.blamed = operation.and_then(Operation::communicator).or(self.blamed);
    }

    /// Answers a control message, as soon as the provider is free.
    pub(crate) fn reply(&mut self, peer: Rank, control: Control) {
        self.replies.push_back((peer, control));
        self.announced_work = true;
    }

    /// A receive that is over, and has not been so before, needs no polling any more and leaves the order.
    pub(crate) fn close_receive(&mut self, receive: &Receive) {
        if receive.announced {
            self.forget_announced(receive.peer, receive.bytes);
        }
        self.withdrawing_receives -= usize::from(receive.withdrawing);
        if let Some(number) = receive.number {
            self.receives.entry(receive.key()).close(number);
        }
    }

    /// Ends a receive by its FIN.
    pub(crate) fn finish_receive(&mut self, peer: Rank, request: Handle, fin: Fin) {
        match self.operations.get_mut(request) {
            Some(Operation::Receive(receive)) if receive.peer == peer && receive.fin.is_none() => {
                receive.fin = Some(fin);
                let receive = *receive;
                self.close_receive(&receive);
            }
            _ => log::error!("rank {peer} ended a message for a receive that is not posted: internal error"),
        }
    }

    /// Ends a receive, which has left the order of its key already, by its eager data.
    #[inline(always)]
    pub(crate) fn finish_eagerly(&mut self, request: Handle, bytes: &[u8]) {
        let Some(Operation::Receive(receive)) = self.operations.get_mut(request) else { return };
        let length = bytes.len() as u64;
        let status = if length <= receive.bytes {
            let target: *mut u8 = std::ptr::with_exposed_provenance_mut(receive.address);
            // SAFETY: inside the posted buffer, as just checked, which belongs to the runtime until its wait.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
            FinStatus::Delivered
        } else {
            FinStatus::Truncated
        };
        receive.fin = Some(Fin { status, bytes: length });
        let (announced, peer, withdrawing) = (receive.announced, receive.peer, receive.withdrawing);
        let posted = receive.bytes;
        self.withdrawing_receives -= usize::from(withdrawing);
        if announced {
            self.forget_announced(peer, posted);
        }
        if status == FinStatus::Truncated {
            self.tell_too_long(request, length);
        }
    }
}
