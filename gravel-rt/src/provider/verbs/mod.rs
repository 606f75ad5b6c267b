//! The provider for ranks whose hosts have RDMA devices: InfiniBand or RoCE, through libibverbs.
//!
//! One reliable connection (`link`, `queue_pair`) per pair of ranks. Entries are written into the peer's rings
//! (`rings`) with an immediate, so that it takes them by completions. A put goes by RDMA WRITE straight from the
//! message into the posted buffer, a get by RDMA READ, where both are registered (`registration`); else through the
//! staging ring. Nothing overruns a queue (`credits`). While the application computes, the pump thread sleeps on
//! the completion channel (`completion`).

mod abi;
mod addressing;
mod completion;
pub mod connect;
mod connection_request;
mod credits;
mod datagram;
pub mod device;
mod immediate;
pub mod interconnect;
mod library;
mod link;
mod on_use;
mod polling;
// Both make system calls that the interpreter for undefined behaviour has not.
#[cfg(all(test, not(miri)))]
mod mock;
mod queue_pair;
mod reading;
mod recent_keys;
mod registration;
mod rings;
mod setup_on_use;
mod survey;
#[cfg(all(test, not(miri)))]
mod tests;
#[cfg(all(test, not(miri)))]
mod tests_of_devices;
#[cfg(all(test, not(miri)))]
mod tests_of_faults;
#[cfg(all(test, not(miri)))]
mod tests_of_puts;
#[cfg(all(test, not(miri)))]
mod tests_of_queues;
#[cfg(all(test, not(miri)))]
mod tests_of_registrations;
#[cfg(all(test, not(miri)))]
mod tests_on_use;
mod told_receives;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use self::abi::Wc;
use self::completion::{BATCH, Completions};
use self::link::{Data, Link};
use self::on_use::Connector;
use self::reading::Reading;
use self::registration::Registrations;
use self::rings::Rings;
use super::piece::{EAGER, ENDS_MESSAGE};
use super::{Capabilities, Get, GetOutcome, Provider, Put, PutOutcome, Sink, staging};
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::memory::unmap_monitor::UnmapMonitor;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus, MAXIMUM_EAGER_DATA, RemoteBuffer};
use crate::message::request::Handle;
use crate::message::wire::{Ledger, pack};
use crate::provider::counters::{Path, PathCounters, ProviderCounters, STAGED};
use crate::sys::tally::Tally;

/// Buffers up to this length are not registered: what comes for them is copied, which is cheaper.
const UNREGISTERED_BELOW: u64 = 8 * 1024;
/// Pieces up to this length go through the staging ring, wherever they belong: to copy them costs less than to keep their
/// source until a completion comes.
const COPIED_BELOW: u64 = 1024;
/// How verbs is used by a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether nothing moves this program's static data to other pages.
    pub keeps_static: bool,
    /// Whether the entry that tells the producer of a message that it has been read is posted behind the reads, with a
    /// fence, instead of once they have completed here (Sur et al. 2006, section 4.2: both ways).
    pub fences_reads: bool,
    /// Whether registrations of private memory are kept until other memory lies there.
    pub keeps_private: bool,
    /// Up to so many peers, all are connected at once; with more, a peer is connected when something is first sent.
    pub connect_all: usize,
}

/// Longest piece that one request writes or reads, where the device takes as much.
const LONGEST_PIECE: u64 = 1 << 20;

static WRITTEN: Path = Path { key: "verbs_written", text: "written by RDMA" };
static READ: Path = Path { key: "verbs_read", text: "read by RDMA" };

/// The verbs provider of one rank.
pub struct VerbsProvider {
    /// By rank; nothing for ranks that are reached otherwise, or that nothing has been sent to. Before everything that
    /// the device may use on their behalf.
    links: Vec<Option<Link>>,
    /// Makes the others, if they are made when they are needed.
    connector: Option<Connector>,
    registrations: Registrations,
    _rings: Option<Rings>,
    completions: Arc<Completions>,
    /// Room for those that one look finds.
    found: Box<[Wc; BATCH]>,
    /// Messages that are being read.
    readings: HashMap<Handle, Reading>,
    /// Bytes of the longest piece.
    longest: u64,
    /// Whether the entry that ends a message which was read is posted behind the reads, for the device to order.
    fences_reads: bool,
    /// Pieces under way whose completions something waits for.
    awaited: usize,
    /// How many looks may be at arrivals alone, before one that is at everything.
    quick_looks: u32,
    /// Whether a link wants to be settled though nothing has come.
    unsettled: Cell<bool>,
    /// Whether the completion queues are lost: nothing that is outstanding will ever be heard of.
    is_blind: bool,
    /// Whether something has come or left that the application may be waiting for.
    news: bool,
    written: Tally,
    read: Tally,
    staged: Tally,
}

impl VerbsProvider {
    fn new(
        links: Vec<Option<Link>>,
        connector: Option<Connector>,
        rings: Option<Rings>,
        completions: Arc<Completions>,
        options: Options,
    ) -> Self {
        let device = completions.device();
        let longest = LONGEST_PIECE.min(device.limits.message.max(MAXIMUM_EAGER_DATA));
        let telling = Arc::clone(&completions);
        let monitor = || {
            UnmapMonitor::shared(move || telling.look_again(Duration::from_micros(1))).inspect_err(|cause| {
                crate::sys::log::info!("registrations of memory last no longer than messages: {cause} (userfaultfd)");
            })
        };
        let monitor = options.keeps_private.then(monitor).and_then(|monitor| monitor.ok());
        Self {
            registrations: Registrations::new(device, links.len(), options.keeps_static, monitor),
            links,
            connector,
            _rings: rings,
            completions,
            found: Box::new([Wc::default(); BATCH]),
            readings: HashMap::new(),
            longest,
            fences_reads: options.fences_reads,
            awaited: 0,
            quick_looks: 0,
            unsettled: Cell::new(false),
            is_blind: false,
            news: false,
            written: Tally::default(),
            read: Tally::default(),
            staged: Tally::default(),
        }
    }

    /// Where the pump thread sleeps, together with whoever else it waits for.
    pub fn arrivals(&self) -> Arc<Completions> {
        Arc::clone(&self.completions)
    }

    /// Name and port of the device.
    pub fn device(&self) -> &str {
        &self.completions.device().name
    }

    /// Whether a peer can be sent to; connects to it if nobody has. An error if that will never be.
    fn reach(&mut self, peer: Rank) -> Result<bool> {
        let is_open = self.links[peer].as_ref().is_some_and(Link::is_open);
        if !is_open && self.is_never_reached(peer) {
            self.check_alive(peer)?;
        }
        Ok(is_open)
    }

    /// Something is to be sent to a peer that has no link: asks for one. True if there will never be one; then there is
    /// nobody who would miss it.
    fn is_never_reached(&mut self, peer: Rank) -> bool {
        self.connector.as_mut().is_none_or(|connector| connector.want(peer))
    }
}

impl Provider for VerbsProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        self.news |= ledger == Ledger::Fin;
        match self.links[peer].as_mut() {
            Some(link) => link.post(ledger, entry, false),
            None => self.is_never_reached(peer),
        }
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let Put { transfer, around, offset, source, bytes, ends_message } = put;
        let address = match (offset.checked_add(bytes), target.address.checked_add(target.bytes)) {
            (Some(end), Some(_)) if end <= target.bytes => target.address + offset,
            _ => return Err(Error::Internal(format!("put of {bytes} bytes at {offset} is outside its buffer")).into()),
        };
        let Some(link) = self.links[peer].as_mut() else {
            if self.is_never_reached(peer) {
                self.check_alive(peer)?;
                return Err(Error::Internal(format!("rank {peer} is not reached by verbs")).into());
            }
            return Ok(PutOutcome { taken: 0, in_flight: 0, fin_sent: false });
        };
        let (mut taken, mut in_flight, mut fin_sent) = (0, 0, false);
        while taken < bytes && !link.is_lost() {
            let run = bytes - taken;
            // SAFETY: inside the source, which has `bytes` bytes.
            let from = unsafe { source.add(taken as usize) };
            let remote_key = if run > COPIED_BELOW { link.regions.key(address + taken, run) } else { None };
            // SAFETY: the memory around the source is valid as long as the source, which is until the transfer is over.
            let local_key = remote_key.and_then(|_| unsafe { self.registrations.local_key(transfer, around) });
            if let (Some(local_key), Some(remote_key)) = (local_key, remote_key) {
                let length = run.min(self.longest) as u32;
                let (keys, to) = ([local_key, remote_key], address + taken);
                if ends_message && u64::from(length) == run {
                    let fin = Fin { status: FinStatus::Delivered, bytes: offset + bytes };
                    let data = Data { source: from, bytes: length, keys, remote: to, owner: transfer };
                    // SAFETY: the source is registered, valid and unwritten until its completion is reported.
                    fin_sent = unsafe { link.write_with_fin(data, target.request, fin) };
                }
                // SAFETY: as above.
                if !fin_sent && !unsafe { link.write(from, length, keys, to, transfer) } {
                    break;
                }
                self.written.add(u64::from(length));
                in_flight += 1;
                self.awaited += 1;
                taken += u64::from(length);
                continue;
            }
            let length = run.min(staging::MAXIMUM_PIECE);
            let ends = ends_message && taken + length == bytes;
            let words = [target.request.into_raw().cast_unsigned(), offset + taken];
            // SAFETY: the source is valid for `run` bytes.
            if !unsafe { link.stage(if ends { ENDS_MESSAGE } else { 0 }, words, from, length) } {
                break;
            }
            self.staged.add(length);
            taken += length;
            fin_sent = ends;
        }
        if link.is_lost() {
            link.check()?;
        }
        self.news |= fin_sent;
        Ok(PutOutcome { taken, in_flight, fin_sent })
    }

    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        let Get { owner, around, address, target, bytes, ends_with } = get;
        if bytes == 0 || address.checked_add(bytes).is_none() {
            return Ok(GetOutcome::Impossible);
        }
        let start = target.expose_provenance();
        self.readings.entry(owner).or_insert_with(|| Reading {
            peer,
            start,
            address,
            bytes,
            asked: 0,
            done: 0,
            is_told: false,
            pieces: std::collections::VecDeque::new(),
        });
        // SAFETY: passed on.
        match unsafe { self.read_on(owner, around, ends_with.as_ref()) } {
            Ok(true) => {}
            Ok(false) => {
                self.readings.remove(&owner);
                return Ok(GetOutcome::Impossible);
            }
            Err(error) => {
                self.readings.remove(&owner);
                return Err(error);
            }
        }
        let Some(reading) = self.readings.get(&owner) else { return Ok(GetOutcome::Taken(0)) };
        let before = (start - reading.start) as u64;
        let taken = (reading.done - before).min(bytes);
        let (is_over, is_told) = (before + taken == reading.bytes, reading.is_told);
        if is_over {
            self.readings.remove(&owner);
        }
        Ok(if is_over && is_told { GetOutcome::TakenAndTold } else { GetOutcome::Taken(taken) })
    }

    #[inline]
    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        let words = [pack(key.communicator.to_wire(), key.tag.cast_unsigned()), number];
        match self.links[key.peer].as_mut() {
            // SAFETY: passed on; eager data is no longer than a piece.
            Some(link) => unsafe { link.stage(EAGER, words, source, bytes) },
            None => self.is_never_reached(key.peer),
        }
    }

    /// Completions of all peers are in one queue.
    fn poll(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.look(sink)
    }

    #[inline]
    fn poll_once(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.look(sink)
    }

    fn poll_all(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.take_completions(sink, true)
    }

    unsafe fn register(&mut self, peer: Rank, owner: Handle, buffer: MemoryRange) -> Vec<Entry> {
        if buffer.bytes() as u64 <= UNREGISTERED_BELOW {
            return self.registrations.retire(peer);
        }
        // SAFETY: passed on.
        unsafe { self.registrations.announce(peer, owner, buffer) }
    }

    fn release(&mut self, owner: Handle) {
        self.readings.remove(&owner);
        self.registrations.release(owner);
    }

    /// What is written leaves at once.
    fn notify(&mut self) {}

    fn capabilities(&self, _: Rank) -> Capabilities {
        // The pump thread polls, and needs not be asked. An answer takes some microseconds, and a look a twentieth of that.
        Capabilities { answer_takes: 4, ..Capabilities::default() }
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.unsettled.set(true);
        match (&self.links[peer], &self.connector) {
            (Some(link), _) => link.check(),
            (None, Some(connector)) => connector.check(peer),
            (None, None) => Ok(()),
        }
    }

    fn is_flushed(&self) -> bool {
        let is_flushed = self.links.iter().flatten().fold(true, |all, link| all & link.is_flushed());
        if !is_flushed {
            self.unsettled.set(true);
        }
        is_flushed
    }

    fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    fn counters(&self) -> ProviderCounters {
        let paths = PathCounters::of([(&WRITTEN, self.written), (&READ, self.read), (&STAGED, self.staged)]);
        ProviderCounters { paths, ..ProviderCounters::default() }
    }
}
