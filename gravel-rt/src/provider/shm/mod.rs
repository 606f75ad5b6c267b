//! The provider for ranks of one host.
//!
//! Entries travel through rings in the receiving rank's `control_segment`. Bytes take one of three ways, chosen piece
//! by piece: a plain copy into pages that the consumer has adopted and this rank has mapped (`peer_regions`); one
//! `process_vm_writev` (`cma`); or the `staging` ring, out of which the consumer copies. The staging ring is best
//! for short pieces, and always works: whatever the system forbids, a message arrives.

mod card;
mod cma;
pub mod connect;
mod control_segment;
mod doorbell;
mod futex;
pub mod interconnect;
mod link;
mod paths;
mod peer_regions;
mod recent_targets;
mod survey;

use std::sync::Arc;

use self::control_segment::ControlSegment;
use self::control_segment::STAGING_RING;
use self::doorbell::OwnDoorbell;
use self::link::{Link, News};
use self::paths::{DataPaths, Moved};
use self::peer_regions::Reach;
use self::recent_targets::RecentTargets;
use super::piece::{self, ANNOUNCE, EAGER, ENDS_MESSAGE, INLINE, INLINE_WORD, RETIRE, SPREAD, STAGED, hand_over};
use super::{Capabilities, Doorbell, Get, GetOutcome, Provider, Put, PutOutcome, Sink, staging};
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::memory::cache_size::LastCache;
use crate::memory::registration::RegionTable;
use crate::memory::streaming_copy::copy_past_cache;
use crate::message::ledger::{Entry, PAYLOAD_WORDS};
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{MAXIMUM_EAGER_DATA, RemoteBuffer};
use crate::message::request::Handle;
use crate::message::wire::{Ledger, pack, unpack};
use crate::provider::counters::ProviderCounters;

/// Pieces up to this length are staged even where CMA works: two copies cost less than a system call.
const STAGED_BELOW_CMA: u64 = 8 * 1024;
const _: () = assert!(MAXIMUM_EAGER_DATA <= staging::MAXIMUM_PIECE);
/// Entries taken from one ring by one poll, so that a flood from one peer does not starve the others.
const POLL_BATCH: usize = 64;

/// The shared-memory provider of one rank.
pub struct ShmProvider {
    rank: Rank,
    paths: DataPaths,
    /// By rank; nothing for ranks that are reached otherwise. Before the segments, so that nothing points into an unmapped
    /// one.
    links: Vec<Option<Link>>,
    /// Peers for which something was written since they were last notified.
    to_notify: Vec<Rank>,
    /// Adopted pages of this rank.
    regions: RegionTable,
    /// What this rank's copies have left in the cache.
    recent_targets: RecentTargets,
    /// Pieces by path.
    moved: Moved,
    /// Peers woken.
    rings: u64,
    own: Arc<ControlSegment>,
}

impl ShmProvider {
    fn new(rank: Rank, own: Arc<ControlSegment>, links: Vec<Option<Link>>, paths: DataPaths) -> Self {
        let neighbours = links.iter().flatten().count() as u64;
        Self {
            rank,
            paths,
            links,
            to_notify: Vec::new(),
            regions: RegionTable::new(paths.heap),
            recent_targets: RecentTargets::new(LastCache::of_this_machine(), neighbours),
            moved: Moved::default(),
            rings: 0,
            own,
        }
    }

    /// The doorbell of this rank.
    pub fn doorbell(&self) -> Arc<dyn Doorbell> {
        Arc::new(OwnDoorbell(Arc::clone(&self.own)))
    }

    /// Takes at most one entry from each of a peer's ledgers.
    #[inline(always)]
    fn take(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let link = link_to(&mut self.links, peer);
        let (handshake, fin) = (link.handshake_reader.poll(), link.fin_reader.poll());
        if let Some(entry) = &handshake {
            self.dispatch(peer, entry, sink);
            self.return_credits(peer, Ledger::Handshake);
        }
        if let Some(entry) = &fin {
            self.dispatch(peer, entry, sink);
            self.return_credits(peer, Ledger::Fin);
        }
        handshake.is_some() || fin.is_some()
    }

    /// Gives room back to a peer, when enough has gathered.
    #[inline(always)]
    fn return_credits(&mut self, peer: Rank, read: Ledger) {
        if link_to(&mut self.links, peer).return_credits(read) {
            self.note_news(peer);
        }
    }

    /// Something was written for a peer.
    #[inline(always)]
    fn note_news(&mut self, peer: Rank) {
        // Mostly the same peer again; one that is listed twice is notified once.
        if self.to_notify.last() != Some(&peer) {
            self.to_notify.push(peer);
        }
    }

    /// Handles one entry of the peer's; the provider's own kinds end here.
    #[inline(always)]
    fn dispatch(&mut self, peer: Rank, entry: &Entry, sink: &mut dyn Sink) {
        let (kind, detail) = unpack(entry[0]);
        let link = link_to(&mut self.links, peer);
        match kind & !(ENDS_MESSAGE | EAGER) {
            INLINE => {
                let bytes = piece::inline_bytes(entry);
                if let Some(piece) = bytes.get(..detail as usize) {
                    hand_over(peer, entry, piece, sink);
                }
            }
            SPREAD => {
                if let Some(piece) = link.gather(entry, detail as usize) {
                    hand_over(peer, entry, piece, sink);
                }
            }
            STAGED => {
                let (bytes, end) = (u64::from(detail), entry[INLINE_WORD]);
                if let Some(offset) = staging::piece_offset::<STAGING_RING>(end, bytes) {
                    // SAFETY: inside the ring, and the peer leaves the piece alone until it is given back.
                    let piece = unsafe {
                        std::slice::from_raw_parts(self.own.staging(peer).add(offset).as_ptr(), bytes as usize)
                    };
                    hand_over(peer, entry, piece, sink);
                    link.staging_reader.take(end);
                }
            }
            ANNOUNCE => link.regions.announce(entry[1], entry[2], entry[3], detail.cast_signed()),
            RETIRE => link.regions.retire(entry[1]),
            _ => sink.control(peer, entry),
        }
    }

    /// What it means that a peer's memory cannot be reached.
    fn cma_failure(&self, peer: Rank, what: String, cause: &std::io::Error) -> Box<Error> {
        // A process that is just ending has lost its memory before it looks dead.
        if cause.raw_os_error() == Some(libc::ESRCH) {
            return link_of(&self.links, peer).death(peer).into();
        }
        self.check_alive(peer).err().unwrap_or_else(|| Error::system(what, cause).into())
    }

    /// Peers must unmap regions that are not what they were before they hear of anything new.
    fn retire_ended(&mut self, buffer: MemoryRange) {
        for id in self.regions.drop_ended(buffer) {
            for link in self.links.iter_mut().flatten() {
                if link.announced.remove(&id) {
                    let mut entry: Entry = [0; PAYLOAD_WORDS];
                    entry[0] = pack(RETIRE, 0);
                    entry[1] = id;
                    link.announcements.push(entry);
                }
            }
        }
    }
}

/// The link to a peer. Only ranks that have one are asked for: see [`crate::provider::routed`].
#[inline]
fn link_to(links: &mut [Option<Link>], peer: Rank) -> &mut Link {
    links[peer].as_mut().expect("a rank that is reached by shared memory")
}

/// As [`link_to`], for looking only.
fn link_of(links: &[Option<Link>], peer: Rank) -> &Link {
    links[peer].as_ref().expect("a rank that is reached by shared memory")
}

impl Provider for ShmProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        self.note_news(peer);
        link_to(&mut self.links, peer).post(ledger, entry)
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let Put { offset, source, bytes, ends_message, .. } = put;
        // The protocol has checked the message against the posted length; this is the last line of defence before
        // memory of another process is written.
        let address = match (offset.checked_add(bytes), target.address.checked_add(target.bytes)) {
            (Some(end), Some(_)) if end <= target.bytes => target.address + offset,
            _ => return Err(Error::Internal(format!("put of {bytes} bytes at {offset} is outside its buffer")).into()),
        };
        if peer == self.rank {
            let to: *mut u8 = std::ptr::with_exposed_provenance_mut(address as usize);
            // SAFETY: the posted buffer is this process's own and belongs to the runtime until its wait; a program that
            // sends a buffer to itself may have made both overlap.
            unsafe { std::ptr::copy(source, to, bytes as usize) };
            self.moved.own.add(bytes);
            return Ok(PutOutcome { taken: bytes, in_flight: 0, fin_sent: false });
        }
        self.note_news(peer);
        let is_cold = self.recent_targets.is_of_cold_stream(peer, address, bytes);
        let link = link_to(&mut self.links, peer);
        let mut done = 0;
        let mut fin_sent = false;
        while done < bytes {
            // SAFETY: inside the source, which has `bytes` bytes.
            let from = unsafe { source.add(done as usize) };
            match link.regions.reach(address + done, bytes - done) {
                Reach::Mapped(to, run) => {
                    // SAFETY: the mapping has `run` bytes at `to`; the consumer has given them to the runtime until its
                    // wait; the source is another process's memory than the target.
                    unsafe {
                        if is_cold {
                            copy_past_cache(from, to.as_ptr(), run as usize);
                            self.moved.past_cache.add(run);
                        } else {
                            std::ptr::copy_nonoverlapping(from, to.as_ptr(), run as usize);
                        }
                    }
                    self.moved.adopted.add(run);
                    done += run;
                }
                Reach::Unmapped(run) => {
                    if run <= STAGED_BELOW_CMA || !link.cma {
                        let length = run.min(staging::MAXIMUM_PIECE);
                        let ends_message = ends_message && done + length == bytes;
                        let piece = Put { offset: offset + done, source: from, bytes: length, ends_message, ..put };
                        // SAFETY: the source is valid for `run` bytes.
                        if unsafe { link.stage(target.request, piece) } {
                            self.moved.staged.add(length);
                            done += length;
                            fin_sent = ends_message;
                            continue;
                        }
                        if !link.cma {
                            break;
                        }
                    }
                    // SAFETY: the source is valid for `run` bytes; the peer has posted the target for this.
                    let written = unsafe { cma::write(link.process.pid, from, address + done, run) };
                    if let Err(cause) = written {
                        let at = address + done;
                        let what = format!("writing {run} bytes into the receive buffer of rank {peer} at {at:#x}");
                        return Err(self.cma_failure(peer, what, &cause));
                    }
                    self.moved.cma.add(run);
                    done += run;
                }
            }
        }
        self.recent_targets.note_copied(done);
        Ok(PutOutcome { taken: done, in_flight: 0, fin_sent })
    }

    unsafe fn get(&mut self, peer: Rank, get: Get) -> Result<GetOutcome> {
        let Get { address, target, bytes, .. } = get;
        if address.checked_add(bytes).is_none() {
            return Err(Error::Internal(format!("rank {peer} offers {bytes} bytes at {address:#x}")).into());
        }
        if peer == self.rank {
            let from: *const u8 = std::ptr::with_exposed_provenance(address as usize);
            // SAFETY: the message is this process's own and unwritten until its wait; a program that sends a buffer to
            // itself may have made both overlap.
            unsafe { std::ptr::copy(from, target, bytes as usize) };
            self.moved.own.add(bytes);
            return Ok(GetOutcome::Taken(bytes));
        }
        let link = link_to(&mut self.links, peer);
        let mut done = 0;
        while done < bytes {
            // SAFETY: inside the target, which has `bytes` bytes.
            let to = unsafe { target.add(done as usize) };
            done += match link.regions.reach(address + done, bytes - done) {
                Reach::Mapped(from, run) => {
                    // SAFETY: the mapping has `run` bytes at `from`, which the producer leaves alone until its wait; the
                    // target is this process's own memory, and valid for as many. Never past the cache: whoever is about
                    // to read it is this very processor.
                    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, run as usize) };
                    self.moved.adopted.add(run);
                    run
                }
                Reach::Unmapped(_) if !link.cma => return Ok(GetOutcome::Impossible),
                Reach::Unmapped(run) => {
                    // SAFETY: the target is valid for `run` bytes, and the caller's to write.
                    if let Err(cause) = unsafe { cma::read(link.process.pid, to, address + done, run) } {
                        let what = format!("reading {run} bytes of rank {peer}");
                        return Err(self.cma_failure(peer, what, &cause));
                    }
                    self.moved.cma.add(run);
                    run
                }
            };
        }
        self.recent_targets.note_copied(bytes);
        Ok(GetOutcome::Taken(bytes))
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        self.note_news(key.peer);
        // SAFETY: passed on; eager data is no longer than a piece.
        unsafe { link_to(&mut self.links, key.peer).stage_eager(key, number, source, bytes) }
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for _ in 0..POLL_BATCH {
            if !self.take(peer, sink) {
                break;
            }
            any = true;
        }
        any
    }

    fn poll_once(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.take(peer, sink)
    }

    fn prepare(&mut self, peer: Rank) {
        link_to(&mut self.links, peer).prepare_staging();
    }

    fn poll_all(&mut self, first: Rank, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        for peers in [first..self.links.len(), 0..first] {
            for peer in peers {
                // Mostly nothing has: then a peer costs two looks.
                let has_written = self.links[peer].as_ref().is_some_and(Link::has_written);
                any |= has_written && self.poll(peer, sink);
            }
        }
        any
    }

    unsafe fn register(&mut self, peer: Rank, _: Handle, buffer: MemoryRange) -> Vec<Entry> {
        if !self.paths.adopt || peer == self.rank {
            return Vec::new();
        }
        self.retire_ended(buffer);
        // SAFETY: passed on.
        unsafe { self.regions.adopt_buffer(buffer) };
        let link = link_to(&mut self.links, peer);
        for region in self.regions.meeting(buffer) {
            if link.announced.insert(region.id) {
                let range = region.pages.range();
                let descriptor = region.pages.descriptor().cast_unsigned();
                let bytes = range.bytes() as u64;
                link.announcements.push([pack(ANNOUNCE, descriptor), region.id, range.start as u64, bytes, 0, 0, 0]);
            }
        }
        std::mem::take(&mut link.announcements)
    }

    fn notify(&mut self) {
        while let Some(peer) = self.to_notify.pop() {
            let link = link_to(&mut self.links, peer);
            match std::mem::take(&mut link.news) {
                News::None => {}
                News::ForApplication => self.rings += u64::from(link.segment.bell().ring_application()),
                News::ForHelper => self.rings += u64::from(link.segment.bell().ring_all()),
            }
        }
    }

    fn summon(&mut self, peer: Rank) {
        self.rings += u64::from(link_to(&mut self.links, peer).segment.bell().summon_helper());
    }

    fn capabilities(&self, peer: Rank) -> Capabilities {
        let reaches_us = link_of(&self.links, peer).reaches_us;
        Capabilities {
            can_be_read: reaches_us,
            gets_are_copies: true,
            delivery_needs_polling: !reaches_us,
            parts_come_apart: false,
            ..Capabilities::default()
        }
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        let link = link_of(&self.links, peer);
        if link.process.has_ended() {
            return Err(link.death(peer).into());
        }
        Ok(())
    }

    /// What was written is in the peer's memory.
    fn is_flushed(&self) -> bool {
        true
    }

    /// Peers ring for everything that they write.
    fn take_news(&mut self) -> bool {
        false
    }

    fn counters(&self) -> ProviderCounters {
        let adoption = self.regions.counters().clone();
        ProviderCounters { paths: self.moved.by_path(), rings: self.rings, adoption, ..ProviderCounters::default() }
    }
}
