//! The state of one rank and how it advances: what both the application's thread and the helper thread work on, under
//! one lock. Nothing here sleeps or calls MPI.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::ptr::NonNull;

use crate::Rank;
use crate::communicator::{CommunicatorId, Groups};
use crate::error::Error;
use crate::ledger::Entry;
use crate::log;
use crate::matching::{KeyHasher, KeyMap, MatchKey, Matcher};
use crate::protocol::announcements::{Announcement, AnnouncementOrder, RemoteMessage};
use crate::protocol::eager::{self, ReceiveOrder};
use crate::protocol::inquiry::Standstill;
use crate::protocol::packed::Unpacking;
use crate::protocol::producer_read::Fetch;
use crate::protocol::protocol_use::ProtocolUse;
use crate::protocol::segments::Coverage;
use crate::protocol::transfer::{Fin, Handshake, Operation, Receive};
use crate::protocol::wire::{ANNOUNCED, Control, FinStatus, Ledger};
use crate::provider::{Provider, Sink};
use crate::request::{Handle, Table};

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
    /// Entries that found their ledger full, per peer.
    backlog: Vec<Backlog>,
    /// Number of entries in all backlogs.
    backlogged: usize,
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
    /// Receives that are not complete and whose bytes need this side to poll.
    polled_receives: usize,
    /// Likewise, whose bytes stay under way until they are read, which the pump does.
    pumped_receives: usize,
    /// Receives that a peer has been asked to withdraw, and whose answer has not come.
    pub(crate) withdrawing_receives: usize,
    /// For each peer, whether its helper is to be summoned once what is in the backlog has left.
    summons_due: Vec<bool>,
    /// For each peer, whether its receives count as polled ones.
    needs_polling: Vec<bool>,
    /// And the length in bytes beyond which they count as pumped ones.
    longest_unread: Vec<u64>,
}

#[derive(Default)]
struct Backlog {
    handshakes: VecDeque<Entry>,
    fins: VecDeque<Entry>,
}

impl Backlog {
    fn is_empty(&self) -> bool {
        self.handshakes.is_empty() && self.fins.is_empty()
    }

    fn ledger(&mut self, ledger: Ledger) -> &mut VecDeque<Entry> {
        match ledger {
            Ledger::Handshake => &mut self.handshakes,
            Ledger::Fin => &mut self.fins,
        }
    }
}

impl Engine {
    /// The engine of `rank` in a job of `ranks`, all of which the provider reaches.
    pub fn new(rank: Rank, ranks: Rank, provider: Box<dyn Provider>) -> Self {
        let needs_polling = (0..ranks).map(|peer| provider.delivery_needs_polling(peer)).collect();
        let longest_unread = (0..ranks).map(|peer| provider.longest_unread(peer)).collect();
        let state = State {
            operations: Table::default(),
            groups: Groups::default(),
            matcher: Matcher::default(),
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
            backlog: (0..ranks).map(|_| Backlog::default()).collect(),
            backlogged: 0,
            deferred_transfers: 0,
            standstill: None,
            finalizing: false,
            only_receivers_hear: false,
            blamed: None,
            polled_receives: 0,
            pumped_receives: 0,
            withdrawing_receives: 0,
            summons_due: vec![false; ranks],
            needs_polling,
            longest_unread,
        };
        Self { rank, provider, state }
    }

    /// Takes what peers have written and delivers what can be delivered, putting at most `budget` bytes. True if more
    /// than the budget was ready.
    pub fn progress(&mut self, budget: u64) -> bool {
        // In turn: no peer's messages always come before another's.
        let first = self.state.first_polled;
        self.provider.poll_all(first, &mut self.state);
        self.state.first_polled = if first + 1 < self.state.ranks() { first + 1 } else { 0 };
        self.advance(budget)
    }

    /// As [`Engine::progress`], looking at one peer only: the short path of waits and posts.
    pub fn progress_peer(&mut self, peer: Rank) {
        if self.provider.poll(peer, &mut self.state) {
            self.advance(u64::MAX);
        }
    }

    /// As [`Engine::progress_peer`], for a wait that may need no more than one message: says whether anything had arrived.
    #[inline(always)]
    pub fn progress_once(&mut self, peer: Rank) -> bool {
        let any = self.provider.poll_once(peer, &mut self.state);
        if any {
            self.advance(u64::MAX);
        }
        any
    }

    #[inline(always)]
    fn advance(&mut self, mut budget: u64) -> bool {
        while let Some(handle) = self.state.to_release.pop() {
            self.provider.release(handle);
        }
        self.flush_backlog();
        while let Some((handle, handshake)) = self.state.met.pop_front() {
            self.bind(handle, handshake);
        }
        if self.state.announced_work {
            self.do_announced_work(&mut budget);
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
        self.state.backlogged > 0 || self.state.ready_transfers > 0
    }

    /// Sends on for as long as that makes room: nothing would arrive that told of it.
    #[cold]
    fn fill_room(&mut self, budget: &mut u64) {
        loop {
            let waiting = (self.state.backlogged, self.state.ready_transfers);
            self.flush_backlog();
            self.deliver_all_ready(budget);
            self.provider.notify();
            if waiting == (self.state.backlogged, self.state.ready_transfers) {
                break;
            }
        }
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

    /// Sends a control message, now or as soon as the ledger has room. Messages of one ledger keep their order.
    pub(crate) fn send(&mut self, peer: Rank, control: Control) {
        self.send_entry(peer, control.ledger(), control.encode());
    }

    /// Sends an entry as it is.
    pub(crate) fn send_entry(&mut self, peer: Rank, ledger: Ledger, entry: Entry) {
        let backlog = self.state.backlog[peer].ledger(ledger);
        if !backlog.is_empty() || !self.provider.post(peer, ledger, &entry) {
            backlog.push_back(entry);
            self.state.backlogged += 1;
        }
    }

    /// Wakes a peer's helper for what has been posted, whatever the application does there: also once more for what has found
    /// no room yet. Nobody waits for this process but itself.
    pub(crate) fn summon(&mut self, peer: Rank) {
        if peer == self.rank {
            return;
        }
        self.state.summons_due[peer] = !self.state.backlog[peer].is_empty();
        self.provider.summon(peer);
    }

    #[inline(always)]
    fn flush_backlog(&mut self) {
        if self.state.backlogged > 0 {
            self.post_backlog();
        }
    }

    fn post_backlog(&mut self) {
        for (peer, backlog) in self.state.backlog.iter_mut().enumerate() {
            let mut any = false;
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                let queue = backlog.ledger(ledger);
                while let Some(entry) = queue.front() {
                    if !self.provider.post(peer, ledger, entry) {
                        break;
                    }
                    queue.pop_front();
                    self.state.backlogged -= 1;
                    any = true;
                }
            }
            // A withdrawal, or what a synchronous send waits for, may be among them, or behind what still has to be read there.
            if any && (self.state.withdrawing_receives > 0 || self.state.summons_due[peer]) {
                self.state.summons_due[peer] = !backlog.is_empty();
                self.provider.summon(peer);
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
        let State { backlogged, deferred_transfers, polled_receives, unmatched_receives, announced_work, .. } =
            self.state;
        // Asked at the end of every call.
        backlogged | deferred_transfers | polled_receives | unmatched_receives | usize::from(announced_work) != 0
    }

    /// Whether arrivals should be taken as soon as they come: more depends on them than what comes next here. What has been
    /// sent without a handshake is no reason, nor what is so short that the system takes all of it.
    #[inline]
    pub fn needs_arrivals(&self) -> bool {
        self.has_deferred_work() || self.state.pumped_receives > 0
    }

    /// Whether everything that has a handshake is on its way.
    pub fn is_flushed(&self) -> bool {
        let state = &self.state;
        let is_idle = state.backlogged == 0 && state.ready_transfers == 0 && !state.announced_work;
        is_idle && self.provider.is_flushed()
    }
}

impl State {
    /// A peer has been told where a receive of so many bytes is, or its message begins to arrive.
    pub(crate) fn note_announced(&mut self, peer: Rank, bytes: u64) {
        self.polled_receives += usize::from(self.needs_polling[peer]);
        self.pumped_receives += usize::from(bytes > self.longest_unread[peer]);
    }

    /// Such a receive is over.
    fn forget_announced(&mut self, peer: Rank, bytes: u64) {
        self.polled_receives -= usize::from(self.needs_polling[peer]);
        self.pumped_receives -= usize::from(bytes > self.longest_unread[peer]);
    }

    /// Number of ranks of the job.
    pub(crate) fn ranks(&self) -> Rank {
        self.backlog.len()
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

impl Sink for State {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        let key = |communicator, tag| MatchKey { peer, communicator, tag };
        match Control::decode(entry) {
            Ok(Control::Handshake { communicator, tag, number, handshake }) => {
                if let Some(met) = self.matcher.arrive(key(communicator, tag), number, handshake) {
                    self.met.push_back(met);
                }
            }
            Ok(Control::Fin { request, fin }) => self.finish_receive(peer, request, fin),
            Ok(Control::Announcement { communicator, tag, number, message }) => {
                self.announcement(key(communicator, tag), number, Announcement::Remote(message));
            }
            Ok(Control::Spilled { communicator, tag, number, message }) => {
                self.spilled(key(communicator, tag), number, message);
            }
            Ok(Control::Answer { transfer, handshake }) => self.answered(peer, transfer, handshake),
            Ok(Control::Release { transfer, refused }) => self.released(peer, transfer, refused),
            Ok(Control::Segment { request, start, end }) => {
                self.segment_arrived(peer, request, start, end);
            }
            Ok(Control::Withdrawal { communicator, tag, number, request }) => {
                self.withdrawal(peer, key(communicator, tag), number, request);
            }
            Ok(Control::Question { communicator, tag, transfer, wanted }) => {
                self.asked_for_handshakes(key(communicator, tag), transfer, wanted);
            }
            Ok(Control::TooLong { tag, sent, posted, .. }) => eager::note_too_long(peer, tag, sent, posted),
            Ok(Control::Inquiry(inquiry)) => self.inquired(peer, inquiry),
            Ok(Control::Text(bytes)) => self.take_text(peer, bytes),
            Ok(Control::Reply(reply)) => self.replied(peer, reply),
            Err(error) => log::error!("from rank {peer}: {error}"),
        }
    }

    #[inline(always)]
    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        if number & ANNOUNCED != 0 {
            self.announced_data(key, number & !ANNOUNCED, bytes);
            return;
        }
        let order = self.receives.entry(key);
        if let Some(request) = order.arrive(number, bytes) {
            self.finish_eagerly(request, bytes);
        } else if number == 0 && order.is_new() {
            self.note_consumer_initiated(key);
        }
    }

    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        if number & ANNOUNCED != 0 {
            return self.announced_landing(key, number & !ANNOUNCED, bytes);
        }
        self.numbered_landing(key, number, bytes)
    }

    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        self.finish_receive(peer, request, Fin { status: FinStatus::Delivered, bytes });
    }

    fn landing(&mut self, peer: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        let Some(Operation::Receive(receive)) = self.operations.get(request) else { return None };
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= receive.bytes);
        if receive.peer != peer || receive.fin.is_some() || !is_inside {
            return None;
        }
        // Inside the posted buffer, as just checked, which belongs to the runtime until its wait.
        NonNull::new(std::ptr::with_exposed_provenance_mut(receive.address + offset as usize))
    }

    fn landed(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        self.segment_arrived(peer, request, start, end)
    }

    fn put_completed(&mut self, handle: Handle, failure: Option<Box<Error>>) {
        // One whose peer has died may have been given up.
        let Some(Operation::Transfer(transfer)) = self.operations.get_mut(handle) else { return };
        transfer.in_flight = transfer.in_flight.saturating_sub(1);
        if let Some(failure) = failure {
            if transfer.detached {
                log::error!("a send that had completed could not be delivered: {failure}");
            }
            transfer.failure.get_or_insert(failure);
        }
        if transfer.in_flight > 0 {
            return;
        }
        transfer.kept.clear();
        if transfer.is_over() && transfer.detached {
            self.operations.remove(handle);
            self.to_release.push(handle);
        }
    }
}

#[cfg(test)]
mod tests;
