//! Providers move bytes over one kind of interconnect; the protocols above know none of them.
//!
//! A provider gives each ordered pair of ranks two ledgers (handshakes, FINs), one-sided puts into posted buffers,
//! notification ordered after data (an entry posted after a put is seen only after the put's bytes), polling, and a
//! doorbell to sleep on. Nothing here blocks: what an interconnect cannot take now is reported, and offered again by
//! the caller's progress.

pub mod card;
pub mod choice;
pub mod counters;
#[cfg(test)]
pub mod desk;
mod fallback;
#[cfg(feature = "hostile")]
pub mod hostile;
pub mod identity;
#[cfg(test)]
mod in_process;
pub mod interconnect;
pub mod interfaces;
mod piece;
pub mod probe;
mod prospects;
pub mod registry;
pub mod routed;
pub mod select;
mod several_arrivals;
pub mod shm;
mod staging;
pub mod survey;
pub mod tcp;
#[cfg(test)]
mod thread_host;
pub mod verbs;

use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::time::Duration;

use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{MAXIMUM_EAGER_DATA, RemoteBuffer};
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::provider::counters::ProviderCounters;

/// Takes what a poll finds.
pub trait Sink {
    /// A protocol entry arrived.
    fn control(&mut self, peer: Rank, entry: &Entry);

    /// Eager data arrived: a whole message. The number is the protocol's, as it was given to [`Provider::put_eager`].
    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]);

    /// The posted receive of a message whose eager data begins to arrive, if it is long enough for all of it: then they have
    /// met, the data is written where [`Sink::landing`] says, and [`Sink::eager_landed`] ends it. Else it must be collected,
    /// for [`Sink::eager`].
    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        let _ = (key, number, bytes);
        None
    }

    /// A whole message that [`Sink::eager_landing`] had a receive for is in its buffer.
    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        let _ = (peer, request, bytes);
    }

    /// Where bytes of a message belong that this side has to write into the receive buffer: valid for so many bytes until
    /// the sink is used again. Nothing if the receive is not posted by this handle for this peer, is over, or ends before
    /// them.
    fn landing(&mut self, peer: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>>;

    /// Bytes `start..end` of a message that [`Sink::landing`] had a place for are there. True if the receive can be waited
    /// for in parts, so that this is news to somebody.
    fn landed(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        let _ = (peer, request, start, end);
        false
    }

    /// A piece that was put has left its source, for which [`PutOutcome::in_flight`] has counted it; or it never will, and
    /// why.
    fn put_completed(&mut self, transfer: Handle, failure: Option<Box<Error>>) {
        let _ = (transfer, failure);
    }

    /// Bytes of a message arrived that this side has to copy into the receive buffer.
    fn data(&mut self, peer: Rank, request: Handle, offset: u64, bytes: &[u8]) {
        match self.landing(peer, request, offset, bytes.len() as u64) {
            // SAFETY: valid for that many bytes by the contract of `landing`; it is not where the bytes came from.
            Some(place) => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.as_ptr(), bytes.len()) },
            None => crate::sys::log::error!("rank {peer} sent bytes for a receive that is not posted: internal error"),
        }
    }
}

/// A put, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Put {
    /// The transfer that it belongs to: told when the source is not needed any more (see [`Sink::put_completed`]).
    pub transfer: Handle,
    /// Memory of which the source is a part and that is valid as long as the source: what an interconnect may register at
    /// once for all puts of a message.
    pub around: MemoryRange,
    /// Offset in the posted buffer.
    pub offset: u64,
    /// First byte here.
    pub source: *const u8,
    /// Length.
    pub bytes: u64,
    /// Whether it is the last put of its message and ends with it: then a provider that can do so cheaply sends the
    /// FIN along.
    pub ends_message: bool,
}

/// What became of a put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutOutcome {
    /// How many bytes, from the first on, were taken; fewer than asked for means that the rest must be offered again later.
    /// They have left the source for good, except those of pieces in flight.
    pub taken: u64,
    /// How many pieces of them the interconnect still reads: the source must stay valid and unwritten until
    /// [`Sink::put_completed`] has been called as often.
    pub in_flight: u32,
    /// Whether the FIN went along.
    pub fin_sent: bool,
}

/// A get, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Get {
    /// The operation whose buffer the target belongs to.
    pub owner: Handle,
    /// That buffer.
    pub around: MemoryRange,
    /// First byte at the peer.
    pub address: u64,
    /// First byte here.
    pub target: *mut u8,
    /// Length.
    pub bytes: u64,
    /// If the message ends with these bytes: the entry that tells the peer that it has been read. An interconnect that
    /// keeps entries behind reads itself may post it at once, and says so by [`GetOutcome::TakenAndTold`].
    pub ends_with: Option<Entry>,
}

/// What became of a get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GetOutcome {
    /// So many bytes, from the first on, are in the target; fewer than asked for means that the rest must be asked for
    /// again later.
    Taken(u64),
    /// All of them are in the target, and the entry that ends the message has been posted.
    TakenAndTold,
    /// This peer's memory can't be read: it must be asked to put.
    Impossible,
}

/// What a provider can do for one peer, from when they are connected to the end. The default is an interconnect that moves
/// bytes by itself, and as far as the other side has said where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the peer can get bytes of this process that were not registered.
    pub can_be_read: bool,
    /// Whether to get bytes from the peer is a copy that this side's processor makes: a call that should be short then leaves long
    /// ones to others.
    pub gets_are_copies: bool,
    /// Length of the longest message that the peer takes as eager data, in bytes. Beyond [`MAXIMUM_EAGER_DATA`] only where
    /// that costs less than to wait for a handshake: where bytes are copied anyway.
    pub longest_eager: u64,
    /// How long the peer takes if it answers at once, compared with one that shares this host's memory, in looks at what has
    /// come from it: that many times as often a wait looks before it does anything else.
    pub answer_takes: u32,
    /// Whether bytes from the peer can stay under way until this side polls.
    pub delivery_needs_polling: bool,
    /// Length of the longest message from the peer that arrives whether or not somebody here reads it. The rest of a longer
    /// one stays under way until then, which the pump does in the application's place.
    pub longest_unread: u64,
    /// Whether this side sees by itself which bytes of a message from the peer are there ([`Sink::landed`]), so that nobody
    /// has to tell it.
    pub sees_landings: bool,
    /// Whether the parts of a message from the peer come so far apart that it pays to wait for each: what lies in memory that
    /// both sides see costs about as much to tell as to copy.
    pub parts_come_apart: bool,
    /// Whether receives of announced messages tell the peer where they are before it announces anything
    /// ([`crate::engine::grants`]): where an answer would wait behind data that goes the same way. Both sides say the same.
    pub grants_come_first: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            can_be_read: false,
            gets_are_copies: false,
            longest_eager: MAXIMUM_EAGER_DATA,
            answer_takes: 1,
            delivery_needs_polling: false,
            longest_unread: u64::MAX,
            sees_landings: false,
            parts_come_apart: true,
            grants_come_first: false,
        }
    }
}

/// One kind of interconnect, connected to all ranks that it serves.
///
/// What is posted and put may leave at once, or be kept until [`Provider::notify`], which every call that sends ends with.
pub trait Provider: Send {
    /// Writes an entry into the peer's ledger. False if the ledger is full: then nothing was written.
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool;

    /// Puts bytes into a posted buffer.
    ///
    /// # Safety
    /// The source must be valid for the put's length, and nobody may write it during the call, nor until what is in flight
    /// afterwards has completed.
    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome>;

    /// Gets bytes that a peer has offered for reading, and for which it has called [`Provider::register`], unless it
    /// [can be read](Capabilities::can_be_read) anyway. Not every interconnect can. Whoever is told that only a part is there asks again for the rest, from there on.
    ///
    /// # Safety
    /// The target must be valid for the get's length and the caller's to write, until its owner is released.
    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        let _ = (peer, get);
        Ok(GetOutcome::Impossible)
    }

    /// Sends a whole message ahead of its handshake, with its key and its number, all 64 bits of it. False if there is no
    /// room now: then nothing was sent.
    ///
    /// # Safety
    /// `source` must be valid for `bytes` bytes, at most [`Capabilities::longest_eager`] of them, which nobody writes during
    /// the call.
    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool;

    /// Takes everything that has arrived from a peer. True if there was anything.
    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool;

    /// As [`Provider::poll`], but leaves alone what a wait for one short message does not need: where messages lie in
    /// order, it takes no more than one. True if there was anything.
    fn poll_once(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.poll(peer, sink)
    }

    /// There is a moment's time: a good one to prepare for sending a message like the last one to this peer.
    fn prepare(&mut self, peer: Rank) {
        let _ = peer;
    }

    /// Takes what has arrived from any peer, as [`Provider::poll`] does, `first`'s before others'. True if there was anything.
    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool;

    /// Prepares a receive buffer for puts by a peer, or a message for gets. Returns entries that must reach the peer's
    /// handshake ledger before the handshake or the announcement of this buffer, which is the operation `owner`'s.
    ///
    /// # Safety
    /// The buffer must be valid, and nobody else may write it during the call; it must stay valid until the owner is
    /// released.
    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry>;

    /// An operation is over: nobody reads or writes its memory on its behalf any more, and the memory may vanish.
    fn release(&mut self, owner: Handle) {
        let _ = owner;
    }

    /// Sends what was kept since the last call, and wakes the peers that sleep and for which something was written.
    fn notify(&mut self);

    /// As [`Provider::notify`], where sending at once is cheap. Else what was kept may go along with what is sent next: most
    /// programs post their receives just before they send. If nothing is sent next, whoever stands in for the application
    /// must be [reminded](Arrivals::remind) of it.
    fn notify_soon(&mut self) {
        self.notify();
    }

    /// Whether something is kept that [`Provider::notify`] would send.
    fn keeps_something(&self) -> bool {
        false
    }

    /// Wakes the peer's helper thread, whatever it has asked for: what was posted must not wait for its application. Not
    /// needed where arrivals wake a thread by themselves.
    fn summon(&mut self, peer: Rank) {
        let _ = peer;
    }

    /// What it can do for a peer. That never changes: whoever asks often keeps the answer.
    fn capabilities(&self, peer: Rank) -> Capabilities;

    /// An error if there is evidence that the peer's process has ended, or that nothing can come from it any more.
    fn check_alive(&self, peer: Rank) -> Result<()>;

    /// Whether everything that was taken has left this process.
    fn is_flushed(&self) -> bool;

    /// Whether something has happened since the last call that the application may be waiting for and that no peer rings
    /// for: then whoever has polled on its behalf must wake it.
    fn take_news(&mut self) -> bool;

    /// What it has counted since it was connected, for `GRAVEL_STATS`.
    fn counters(&self) -> ProviderCounters;
}

/// Where a thread sleeps until something has arrived for which no peer can ring: on sockets.
pub trait Arrivals: Send + Sync {
    /// Arrivals wake from now on; what is there already does so at once.
    fn arm(&self);

    /// As [`Arrivals::arm`], but where something may be there already, leaves it to the caller to look for that, which
    /// costs less than to be woken: true if it has to.
    fn arm_looking(&self) -> bool {
        self.arm();
        false
    }

    /// As [`Arrivals::arm`], but a moment later, where that saves something: whoever is gone for no longer is not
    /// disturbed.
    fn arm_soon(&self) {
        self.arm();
    }

    /// The application has called while armed, and leaves nothing urgent behind: for it is not gone for long. True if
    /// [`Arrivals::arm_looking`] is wanted again as soon as it leaves something urgent.
    fn called(&self) -> bool {
        false
    }

    /// No arrival wakes from now on.
    fn disarm(&self);

    /// Wakes once at this time, in nanoseconds of the monotonic clock, even if nothing arrives; at no time if there is none.
    fn remind(&self, at: Option<u64>) {
        let _ = at;
    }

    /// The reminder has been heard, by somebody who has not called [`Arrivals::wait`].
    fn take_reminder(&self) {}

    /// Sleeps until something has arrived while armed, or for no reason at all. False once it has been stopped.
    fn wait(&self) -> bool;

    /// Ends all waiting for good.
    fn stop(&self);

    /// Wakes, too, when this descriptor becomes readable, which is another interconnect's.
    fn also_watch(&self, descriptor: RawFd) -> Result<()>;

    /// What becomes readable when something has arrived while armed.
    fn descriptor(&self) -> RawFd;
}

/// The two threads of a process that may sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleeper {
    /// The application's thread, inside a wait.
    Application,
    /// The helper thread.
    Helper,
}

/// Well above the time that a processor keeps a store to itself.
pub const SETTLING: Duration = Duration::from_micros(2);

/// Where a process sleeps until a peer has written something for it.
///
/// The sleeper reads the epoch, arms, polls once more, and only then waits with that epoch. Then no wake-up of the helper
/// is lost. A ring for the application may be missed if its entry becomes visible within [`SETTLING`] after arming: after
/// newly arming, the application polls once more behind that time, and never sleeps without a limit.
pub trait Doorbell: Send + Sync {
    /// Changes with every ring.
    fn epoch(&self, sleeper: Sleeper) -> u32;

    /// Asks peers to ring from now on. False if they had been asked, and have not rung since.
    fn arm(&self, sleeper: Sleeper) -> bool;

    /// Rings are not needed any more.
    fn disarm(&self, sleeper: Sleeper);

    /// Sleeps until the epoch differs from the one given, or the time is over, or for no reason at all. If it was rung
    /// awake, says how long ago that was.
    fn sleep(&self, sleeper: Sleeper, epoch: u32, timeout: Option<Duration>) -> Option<Duration>;

    /// Wakes a thread of this process.
    fn ring(&self, sleeper: Sleeper);

    /// Wakes a thread of this process if it has armed the doorbell: as a peer does.
    fn ring_if_armed(&self, sleeper: Sleeper);

    /// How often a peer has summoned the helper ([`Provider::summon`]); changes before its epoch does.
    fn summonses(&self) -> u32;
}
