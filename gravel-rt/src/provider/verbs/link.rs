//! The connection to one peer: its ledgers and staging ring, written by remote writes, and what is under way.
//!
//! An entry is written into the peer's ring together with an immediate that names the ring, or that says where in the
//! staging ring it lies (`copying`), or it is the immediate of a whole message (`finishing`). The reader takes an entry
//! only when the completion of that write has come to it: then the entry, and everything that was written before it
//! on this connection, is in its memory. Nothing here relies on the order in which a device makes bytes visible,
//! which few promise.

mod arriving;
mod copying;
mod finishing;
mod settling;

pub use self::finishing::Data;

use std::cell::Cell;
use std::collections::VecDeque;
use std::ptr::NonNull;

use super::abi::{WR_RDMA_READ, WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM};
use super::connect::Peer;
use super::credits::{FIN_SLOTS, ReadTokens, SendQueue};
use super::immediate::Arrival;
use super::queue_pair::{QueuePair, Request};
use super::recent_keys::RecentKeys;
use super::registration::RemoteRegions;
use super::rings::{Place, Rings, STAGING_RING, slot_offset, staging_offset};
use super::told_receives::ToldReceives;
use crate::Rank;
use crate::error::{Error, Result};
use crate::message::ledger::{self, Entry, Slot};
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::provider::identity::ProcessIdentity;
use crate::provider::piece::HANDSHAKE_SLOTS;
use crate::provider::staging;
use crate::sys::log;
use crate::sys::sync::AtomicU64;

/// Bits of a work request's number that count the requests of its queue pair; above is the peer.
pub const NUMBER_BITS: u32 = 40;

/// Whose request of a given number it is, by the number that it was posted under.
pub fn peer_of(number: u64) -> Rank {
    (number >> NUMBER_BITS) as Rank
}

/// A request that something waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// A piece of this transfer.
    Put(Handle),
    /// A part of the message that is read for this receive.
    Read(Handle),
}

/// The connection to one peer.
pub struct Link {
    peer: Peer,
    // Before the credits and the rings, which the device may use.
    pair: QueuePair,
    place: Place,
    /// The memory of the place, if it is this link's alone.
    own_rings: Option<Rings>,
    /// Whether the peer's end is known to be connected: nothing is sent before.
    is_open: bool,
    queue: SendQueue,
    /// Requests that something waits for, in order. Each has completed when a signalled one behind it has.
    pending: VecDeque<(u64, Pending)>,
    /// Tokens for reads.
    pub tokens: ReadTokens,
    /// What the peer has given back of its rings: handshakes and FINs.
    credits: Box<[AtomicU64; 2]>,
    staging_credit: u64,
    handshake_writer: ledger::Writer,
    handshake_reader: ledger::Reader,
    fin_writer: ledger::Writer,
    fin_reader: ledger::Reader,
    staging_writer: staging::Writer<STAGING_RING>,
    staging_reader: staging::Reader<STAGING_RING>,
    /// Keys of what this rank has sent, and of what has come.
    sent_keys: RecentKeys,
    received_keys: RecentKeys,
    /// Receives of which this rank has told the peer, and of which it has heard.
    told_receives: ToldReceives,
    heard_receives: ToldReceives,
    /// Whether credits are due that found no place in the send queue, by ring.
    owes: [bool; 3],
    /// Receive requests that were taken and are to be posted again.
    taken: u32,
    /// The peer's regions.
    pub regions: RemoteRegions,
    /// Whether somebody waits to hear that everything has completed, or that the peer answers at all.
    wants_sign: Cell<bool>,
    /// Whether its process has ended: then nothing can come any more.
    has_ended: Cell<bool>,
    /// Why the connection is lost.
    loss: Option<String>,
}

// SAFETY: the pointers name memory that outlives the link and is accessed by it alone, besides the device.
unsafe impl Send for Link {}

impl Link {
    /// A link over a connected queue pair.
    ///
    /// # Safety
    /// Both blocks must outlive the link, be zero, and be used by nobody else but the device.
    pub unsafe fn new(peer: Peer, pair: QueuePair, place: Place, reads: u8) -> Self {
        let credits: Box<[AtomicU64; 2]> = Box::new([AtomicU64::new(0), AtomicU64::new(0)]);
        // SAFETY: the credits are the link's, on the heap, and live as long; the slots by the contract.
        let (writers, readers) = unsafe {
            let writer = |index: usize, slots| ledger::Writer::new(slots, NonNull::from(&credits[index]));
            let reader = |ledger, slots| {
                let first = place.incoming.add(slot_offset(ledger, 0)).cast::<Slot>();
                ledger::Reader::new(first, slots)
            };
            (
                [writer(0, HANDSHAKE_SLOTS), writer(1, FIN_SLOTS)],
                [reader(Ledger::Handshake, HANDSHAKE_SLOTS), reader(Ledger::Fin, FIN_SLOTS)],
            )
        };
        let [handshake_writer, fin_writer] = writers;
        let [handshake_reader, fin_reader] = readers;
        Self {
            peer,
            pair,
            place,
            own_rings: None,
            is_open: false,
            queue: SendQueue::default(),
            pending: VecDeque::new(),
            tokens: ReadTokens::new(reads),
            credits,
            staging_credit: 0,
            handshake_writer,
            handshake_reader,
            fin_writer,
            fin_reader,
            staging_writer: staging::Writer::default(),
            staging_reader: staging::Reader::default(),
            sent_keys: RecentKeys::default(),
            received_keys: RecentKeys::default(),
            told_receives: ToldReceives::default(),
            heard_receives: ToldReceives::default(),
            owes: [false; 3],
            taken: 0,
            regions: RemoteRegions::default(),
            wants_sign: Cell::new(false),
            has_ended: Cell::new(false),
            loss: None,
        }
    }

    fn writer(&mut self, ledger: Ledger) -> &mut ledger::Writer {
        match ledger {
            Ledger::Handshake => &mut self.handshake_writer,
            Ledger::Fin => &mut self.fin_writer,
        }
    }

    /// Keeps the memory of its place as long as the queue pair.
    pub fn keep(&mut self, rings: Rings) {
        self.own_rings = Some(rings);
    }

    /// The peer's end is connected: sends from now on.
    pub fn open(&mut self) {
        self.is_open = true;
    }

    /// Whether the peer's end is known to be connected.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    fn has_room(&self, requests: u32) -> bool {
        self.is_open && self.queue.has_room(requests)
    }

    /// Whether nothing can be sent any more.
    pub fn is_lost(&self) -> bool {
        self.loss.is_some() || self.has_ended.get()
    }

    /// The connection is lost: what is outstanding will complete with errors.
    pub fn lose(&mut self, why: String) {
        if self.loss.is_none() {
            log::info!("the connection to rank {} on host {} is lost: {why}", self.peer.rank, self.peer.host);
            self.pair.stop();
            self.loss = Some(why);
        }
    }

    /// The number of its queue pair, and where that is.
    #[cfg(all(test, not(miri)))]
    pub fn number(&self) -> u32 {
        self.pair.number()
    }

    /// See above.
    #[cfg(all(test, not(miri)))]
    pub fn address(&self) -> usize {
        self.pair.address()
    }

    /// How many requests were posted.
    #[cfg(all(test, not(miri)))]
    pub fn posted(&self) -> u64 {
        self.queue.next()
    }

    /// Why the connection is lost, if it is.
    pub fn loss(&self) -> Option<&str> {
        self.loss.as_deref()
    }

    /// Sends an empty write, whose completion says that the peer is there.
    pub fn greet(&mut self) {
        self.wants_sign.set(true);
        self.settle();
    }

    /// Whether an event that names this address is about its queue pair.
    pub fn is_at(&self, address: usize) -> bool {
        self.pair.address() == address
    }

    /// An error if the connection is lost, or the peer's process has ended.
    pub fn check(&self) -> Result<()> {
        let (peer, pid, host) = (self.peer.rank, self.peer.pid, self.peer.host.clone());
        if self.has_ended.get() || self.peer.process.is_some_and(ProcessIdentity::has_ended) {
            if !self.has_ended.replace(true) {
                // From here on nothing of it is written into this process's memory.
                self.pair.stop();
            }
            return Err(Error::PeerDied { peer, pid, host }.into());
        }
        if let Some(cause) = self.loss.clone() {
            return Err(Error::ConnectionLost { peer, pid, host, cause }.into());
        }
        // A peer that is gone answers nothing: then what is asked here completes with an error.
        self.wants_sign.set(true);
        Ok(())
    }

    /// Whether everything has reached the peer.
    pub fn is_flushed(&self) -> bool {
        let is_flushed = self.is_lost() || (self.queue.is_empty() && self.owes == [false; 3]);
        if !is_flushed && self.queue.has_silent_end() {
            self.wants_sign.set(true);
        }
        is_flushed
    }

    /// Posts requests, of which the last is signalled if it says so itself, if it is an entry behind something that is waited
    /// for, and at least now and then. False if there is no place.
    ///
    /// # Safety
    /// As [`QueuePair::post`].
    unsafe fn submit<const N: usize>(&mut self, mut requests: [Request; N], pending: Option<Pending>) -> bool {
        if !self.has_room(N as u32) {
            return false;
        }
        let tells = pending.is_some() || self.has_silent_puts();
        let last = &mut requests[N - 1];
        last.signalled |= (tells && last.opcode == WR_RDMA_WRITE_WITH_IMM) || self.queue.must_signal(N as u32);
        let signalled = last.signalled;
        let first = self.queue.next();
        // SAFETY: passed on.
        match unsafe { self.pair.post((self.peer.rank as u64) << NUMBER_BITS | first, &requests) } {
            Ok(taken) if taken == N => {
                self.queue.note_posted(N as u32, signalled);
                if let Some(pending) = pending {
                    self.pending.push_back((first + N as u64 - 1, pending));
                }
                true
            }
            // What was taken of them has no effect without the last one.
            Ok(taken) => {
                self.queue.note_posted(taken as u32, false);
                false
            }
            Err(cause) => {
                self.lose(format!("posting a work request: {cause}"));
                false
            }
        }
    }

    /// Writes an entry into the peer's ring. False if there is no room. A connection that is lost takes everything. A
    /// fenced one leaves only when all reads before it have completed, which it could overtake otherwise (InfiniBand
    /// volume 1, 10.8.3.3); what is posted after it waits, too.
    pub fn post(&mut self, ledger: Ledger, entry: &Entry, fenced: bool) -> bool {
        if self.is_lost() {
            return true;
        }
        if !self.has_room(1) {
            return false;
        }
        let Some(reservation) = self.writer(ledger).reserve() else { return false };
        let request = Request { fenced, ..self.entry_request(ledger, reservation, entry) };
        // SAFETY: the slot stays as it is until the peer gives it back.
        let sent = unsafe { self.submit([request], None) };
        if sent {
            self.note_given_back(true);
            if ledger == Ledger::Handshake {
                self.told_receives.note(reservation.sequence - 1, entry);
            }
        } else {
            self.writer(ledger).unreserve();
        }
        sent || self.is_lost()
    }

    /// Somebody waits, perhaps for what nothing would tell of. True if the peer has to be asked for a sign.
    pub fn ask_for_silent_puts(&self) -> bool {
        let is_silent = !self.is_lost() && self.has_silent_puts();
        self.wants_sign.set(self.wants_sign.get() || is_silent);
        is_silent
    }

    /// Whether something waits for requests of which nothing will tell that they have completed.
    fn has_silent_puts(&self) -> bool {
        self.queue.has_silent_end() && !self.pending.is_empty()
    }

    /// The request that writes an entry, which is put at its place of the outgoing block.
    fn entry_request(&mut self, ledger: Ledger, reservation: ledger::Reservation, entry: &Entry) -> Request {
        let offset = slot_offset(ledger, reservation.slot);
        // SAFETY: the slot is in the block, and the peer has given it back.
        let local = unsafe { self.place.outgoing.add(offset) };
        // SAFETY: as above; slots are aligned in their block.
        unsafe { local.cast::<Slot>().as_ref() }.write(entry, reservation.sequence);
        let bytes = size_of::<Slot>() as u32;
        Request {
            opcode: WR_RDMA_WRITE_WITH_IMM,
            local: local.as_ptr(),
            bytes,
            local_key: (!self.pair.takes_inline(bytes)).then_some(self.place.local_key),
            remote: self.place.remote + offset as u64,
            remote_key: self.place.remote_key,
            immediate: Arrival::Entry(ledger, self.given_back(true)).encode(),
            signalled: false,
            solicited: true,
            fenced: false,
        }
    }

    /// Writes bytes straight into the peer's memory. False if there is no place, or only what is left to entries. That it
    /// has completed is mostly told by what is posted behind it: an entry, in the end the FIN of its message.
    ///
    /// # Safety
    /// The source must be registered under the key, and valid and unwritten until [`Pending::Put`] is over.
    pub unsafe fn write(&mut self, source: *const u8, bytes: u32, keys: [u32; 2], remote: u64, owner: Handle) -> bool {
        let request = Request { signalled: false, ..self.data_request(WR_RDMA_WRITE, source, bytes, keys, remote) };
        // SAFETY: passed on.
        self.has_room(1 + super::credits::RESERVED) && unsafe { self.submit([request], Some(Pending::Put(owner))) }
    }

    /// Reads bytes straight out of the peer's memory. False if there is no place or no token.
    ///
    /// # Safety
    /// The target must be registered under the key, and valid and the caller's until [`Pending::Read`] is over.
    pub unsafe fn read(&mut self, target: *mut u8, bytes: u32, keys: [u32; 2], remote: u64, owner: Handle) -> bool {
        if !self.has_room(1 + super::credits::RESERVED) || !self.tokens.take() {
            return false;
        }
        let request = self.data_request(WR_RDMA_READ, target, bytes, keys, remote);
        // SAFETY: passed on.
        let sent = unsafe { self.submit([request], Some(Pending::Read(owner))) };
        if !sent {
            self.tokens.give_back();
        }
        sent
    }

    fn data_request(&self, opcode: u32, local: *const u8, bytes: u32, keys: [u32; 2], remote: u64) -> Request {
        let [local_key, remote_key] = keys;
        Request {
            opcode,
            local,
            bytes,
            local_key: Some(local_key),
            remote,
            remote_key,
            immediate: 0,
            signalled: true,
            solicited: false,
            fenced: false,
        }
    }

    /// A request has completed, well or with this status. Hands those over that something has waited for.
    pub fn completed(&mut self, number: u64, failure: Option<String>, mut over: impl FnMut(Pending)) {
        let number = number & ((1 << NUMBER_BITS) - 1);
        if let Some(why) = failure {
            self.lose(why);
        }
        if !self.queue.note_completed(number) {
            self.lose(format!("request {number} has completed, which was never posted"));
        }
        while let Some(&(position, pending)) = self.pending.front().filter(|(position, _)| *position <= number) {
            debug_assert!(position <= number);
            self.pending.pop_front();
            if matches!(pending, Pending::Read(_)) {
                self.tokens.give_back();
            }
            over(pending);
        }
    }

    /// The bytes of a piece that the peer has staged.
    pub fn staged(&self, in_ring: usize) -> NonNull<u8> {
        // SAFETY: the staging ring is in the block.
        unsafe { self.place.incoming.add(staging_offset(in_ring)) }
    }

    /// A staged piece has been copied out.
    pub fn take_staged(&mut self, end: u64) {
        self.staging_reader.take(end);
    }
}
