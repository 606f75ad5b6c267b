//! The connection to one peer: writers and readers of both ledgers and of the staging ring, and what either side knows of
//! the other's regions. A rank has a link to itself, too, through its own segment.

use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::Arc;

use super::control_segment::{ControlSegment, CreditLine, STAGING_RING};
use super::paths::DataPaths;
use super::peer_regions::PeerRegions;
use crate::Rank;
use crate::error::Error;
use crate::memory::prefetch;
use crate::message::ledger::{self, Entry, PAYLOAD_WORDS, Slot};
use crate::message::matching::MatchKey;
use crate::message::request::Handle;
use crate::message::wire::{Ledger, pack};
use crate::provider::card::RankIdentity;
use crate::provider::identity::ProcessIdentity;
use crate::provider::piece::{
    EAGER, ENDS_MESSAGE, ENTRY_BYTES, INLINE, INLINE_BYTES, INLINE_WORD, INLINE_WORDS, SPREAD, SPREAD_BYTES,
    SPREAD_WORDS, STAGED, entries_behind,
};
use crate::provider::{Put, staging};
use crate::sys::sync::{AtomicU64, Ordering};

/// The connection to one peer (this rank itself is one, too).
pub struct Link {
    rank: Rank,
    peer: Rank,
    own: Arc<ControlSegment>,
    pub(super) process: ProcessIdentity,
    pub(super) host: String,
    pub(super) segment: Arc<ControlSegment>,
    handshake_writer: ledger::Writer,
    pub(super) handshake_reader: ledger::Reader,
    fin_writer: ledger::Writer,
    pub(super) fin_reader: ledger::Reader,
    staging_writer: staging::Writer<STAGING_RING>,
    /// Length of the last piece, until the place of one like it has been prepared.
    last_staged: u64,
    /// Likewise, of how many entries the last piece needed besides its first.
    last_spread: usize,
    pub(super) staging_reader: staging::Reader<STAGING_RING>,
    /// The last piece that came in several entries.
    gathered: [u64; SPREAD_WORDS],
    /// The peer's regions that this rank may map.
    pub(super) regions: PeerRegions,
    /// This rank's regions that the peer knows.
    pub(super) announced: BTreeSet<u64>,
    /// Entries that must precede the next handshake.
    pub(super) announcements: Vec<Entry>,
    /// Whether this rank can write to the peer by CMA.
    pub(super) cma: bool,
    /// Whether the peer can write to this rank by CMA.
    pub(super) reaches_us: bool,
    /// What was written for the peer since it was last notified.
    pub(super) news: News,
}

/// Who at a peer could be asleep while it waits for what was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// Nothing was written.
    #[default]
    None,
    /// Only its application, inside a wait.
    ForApplication,
    /// Its helper thread, too.
    ForHelper,
}

impl Link {
    pub(super) fn new(
        rank: Rank,
        peer: Rank,
        identity: &RankIdentity,
        own: &Arc<ControlSegment>,
        segment: Arc<ControlSegment>,
        paths: DataPaths,
        cma: bool,
    ) -> Self {
        // The peer returns credits for what we write to it into our own segment.
        let writer = |ledger| {
            let (_, slots) = segment.ring(rank, ledger);
            // SAFETY: the provider keeps its own segment mapped as long as its links, and credits are atomic words.
            unsafe { ledger::Writer::new(slots, NonNull::from(own.credits(peer).ledger(ledger))) }
        };
        let reader = |ledger| {
            let (start, slots) = own.ring(peer, ledger);
            // SAFETY: as above, for the rings.
            unsafe { ledger::Reader::new(start, slots) }
        };
        Self {
            process: identity.process,
            rank,
            peer,
            own: Arc::clone(own),
            host: identity.host.clone(),
            handshake_writer: writer(Ledger::Handshake),
            handshake_reader: reader(Ledger::Handshake),
            fin_writer: writer(Ledger::Fin),
            fin_reader: reader(Ledger::Fin),
            staging_writer: staging::Writer::default(),
            last_staged: 0,
            last_spread: 0,
            staging_reader: staging::Reader::default(),
            gathered: [0; SPREAD_WORDS],
            regions: PeerRegions::new(identity.process.pid, paths.adopt),
            announced: BTreeSet::new(),
            announcements: Vec::new(),
            cma,
            reaches_us: false,
            news: News::None,
            segment,
        }
    }

    /// The error that says that the peer is dead.
    pub(super) fn death(&self, peer: Rank) -> Error {
        Error::PeerDied { peer, pid: self.process.pid, host: self.host.clone() }
    }

    /// Writes an entry into the peer's ring.
    pub(super) fn post(&mut self, ledger: Ledger, entry: &Entry) -> bool {
        let writer = match ledger {
            Ledger::Handshake => &mut self.handshake_writer,
            Ledger::Fin => &mut self.fin_writer,
        };
        let Some(place) = writer.reserve() else {
            return false;
        };
        let (slots, _) = self.segment.ring(self.rank, ledger);
        // SAFETY: the writer hands out slots of this very ring.
        unsafe { slots.add(place.slot).as_ref() }.write(entry, place.sequence);
        // A helper can have deferred work that a handshake releases; a FIN releases only waits.
        self.tell(if ledger == Ledger::Handshake { News::ForHelper } else { News::ForApplication });
        true
    }

    /// Notes that something was written.
    #[inline(always)]
    fn tell(&mut self, news: News) {
        self.news = self.news.max(news);
    }

    /// Sends a piece of a message through the staging ring or inside an entry; false if there is no room now.
    ///
    /// # Safety
    /// The piece's source must be valid for its length, at most [`staging::MAXIMUM_PIECE`].
    pub(super) unsafe fn stage(&mut self, request: Handle, piece: Put) -> bool {
        let flag = if piece.ends_message { ENDS_MESSAGE } else { 0 };
        // Where nothing but staging reaches the peer, its helper must make room for the rest.
        if !self.cma {
            self.tell(News::ForHelper);
        }
        // SAFETY: passed on.
        unsafe { self.stage_bytes(flag, request.into_raw().cast_unsigned(), piece.offset, piece.source, piece.bytes) }
    }

    /// Sends eager data the same way.
    ///
    /// # Safety
    /// As [`Link::stage`].
    #[inline(always)]
    pub(super) unsafe fn stage_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        let key = pack(key.communicator.to_wire(), key.tag.cast_unsigned());
        // SAFETY: passed on.
        unsafe { self.stage_bytes(EAGER, key, number, source, bytes) }
    }

    /// Sends bytes under an entry with a flag in its kind and two words that say what they are.
    #[inline(always)]
    unsafe fn stage_bytes(&mut self, flag: u32, first: u64, second: u64, source: *const u8, bytes: u64) -> bool {
        let mut entry: Entry = [0; PAYLOAD_WORDS];
        entry[1] = first;
        entry[2] = second;
        // A piece is far shorter than 4 GiB.
        let length = bytes as u32;
        if bytes as usize <= INLINE_BYTES {
            let mut inline = [0u8; INLINE_BYTES];
            // SAFETY: the source is valid for `bytes`, which fit.
            unsafe { std::ptr::copy_nonoverlapping(source, inline.as_mut_ptr(), bytes as usize) };
            for (word, chunk) in entry[INLINE_WORD..].iter_mut().zip(inline.as_chunks::<8>().0) {
                *word = u64::from_ne_bytes(*chunk);
            }
            entry[0] = pack(INLINE | flag, length);
            return self.post(Ledger::Fin, &entry);
        }
        if bytes as usize <= SPREAD_BYTES {
            entry[0] = pack(SPREAD | flag, length);
            // SAFETY: passed on.
            return unsafe { self.spread(entry, source, bytes as usize) };
        }
        // Room for the entry first: bytes reserved without it would be lost.
        let Some(place) = self.fin_writer.reserve() else { return false };
        let credit = || self.own.credits(self.peer).staging.load(Ordering::Acquire);
        let position = self.staging_writer.reserve(bytes, credit);
        let piece = position.and_then(|position| {
            Some((position + bytes, staging::piece_offset::<STAGING_RING>(position + bytes, bytes)?))
        });
        let Some((end, in_ring)) = piece else {
            self.fin_writer.unreserve();
            return false;
        };
        // SAFETY: the piece lies in the ring by the writer's arithmetic, and is ours until its entry is written.
        unsafe {
            let target = self.segment.staging(self.rank).add(in_ring);
            std::ptr::copy_nonoverlapping(source, target.as_ptr(), bytes as usize);
        }
        self.last_staged = bytes;
        entry[0] = pack(STAGED | flag, length);
        entry[INLINE_WORD] = end;
        let (slots, _) = self.segment.ring(self.rank, Ledger::Fin);
        // SAFETY: the writer hands out slots of this very ring.
        unsafe { slots.add(place.slot).as_ref() }.write(&entry, place.sequence);
        self.tell(News::ForApplication);
        true
    }

    /// Sends bytes in an entry and those behind it: they lie side by side, and where the second one is does not depend on what
    /// the first one says. So the reader's processor need not wait for the one before it asks for the other.
    ///
    /// # Safety
    /// The source must be valid for `bytes`, at most [`SPREAD_BYTES`].
    #[inline(always)]
    unsafe fn spread(&mut self, mut entry: Entry, source: *const u8, bytes: usize) -> bool {
        let behind = entries_behind(bytes);
        let next = self.fin_writer.ahead(1);
        let Some(place) = self.fin_writer.reserve_several(1 + behind as u64) else { return false };
        // SAFETY: the piece is longer than what the first entry takes of it.
        entry[INLINE_WORD..].copy_from_slice(&unsafe { source.cast::<[u64; INLINE_WORDS]>().read_unaligned() });
        let (slots, count) = self.segment.ring(self.rank, Ledger::Fin);
        for follower in 0..behind {
            let start = INLINE_BYTES + follower * ENTRY_BYTES;
            // SAFETY: a place inside the source, of which so many bytes are left there.
            let words = unsafe { words_of(source.add(start), bytes - start) };
            let slot = (next.slot + follower) & (count - 1);
            // SAFETY: the writer hands out slots of this very ring.
            unsafe { slots.add(slot).as_ref() }.write(&words, next.sequence + follower as u64);
        }
        // SAFETY: as above.
        unsafe { slots.add(place.slot).as_ref() }.write(&entry, place.sequence);
        self.last_spread = behind;
        self.tell(News::ForApplication);
        true
    }

    /// The bytes of a spread piece whose first entry has been read: until the next one is gathered. Nothing if there can be no
    /// such piece.
    #[inline(always)]
    pub(super) fn gather(&mut self, entry: &Entry, bytes: usize) -> Option<&[u8]> {
        let (first, rest) = self.gathered.split_at_mut(INLINE_WORDS);
        first.copy_from_slice(&entry[INLINE_WORD..]);
        for words in rest.as_chunks_mut::<PAYLOAD_WORDS>().0.iter_mut().take(entries_behind(bytes)) {
            // It was written before the first one.
            *words = self.fin_reader.poll()?;
        }
        // SAFETY: bytes of words, whatever they are.
        let gathered = unsafe { std::slice::from_raw_parts(self.gathered.as_ptr().cast::<u8>(), SPREAD_BYTES) };
        gathered.get(..bytes)
    }

    /// Prepares the place of a piece that is as long as the last one: the peer's processor has read what was there before,
    /// and to get its cache lines back is a large part of what writing costs.
    #[inline(always)]
    pub(super) fn prepare_staging(&mut self) {
        for ahead in 1..=std::mem::take(&mut self.last_spread) {
            let (slots, _) = self.segment.ring(self.rank, Ledger::Fin);
            // SAFETY: a slot of the ring, which is in one mapping.
            unsafe {
                prefetch::for_writing(slots.add(self.fin_writer.ahead(ahead as u64).slot).cast(), size_of::<Slot>())
            };
        }
        if self.last_staged == 0 {
            return;
        }
        let bytes = std::mem::take(&mut self.last_staged);
        if let Some(in_ring) = self.staging_writer.ahead(bytes) {
            // SAFETY: inside the ring, which is in one mapping.
            unsafe { prefetch::for_writing(self.segment.staging(self.rank).add(in_ring), bytes as usize) };
        }
    }

    /// Whether the peer has written an entry that was not taken.
    #[inline(always)]
    pub(super) fn has_written(&self) -> bool {
        self.handshake_reader.has_arrived() || self.fin_reader.has_arrived()
    }

    /// Gives room back to the peer that writes to us, when enough has gathered since an entry was read. True if it did.
    #[inline(always)]
    pub(super) fn return_credits(&mut self, read: Ledger) -> bool {
        match read {
            Ledger::Handshake => {
                let due = self.handshake_reader.credit_due();
                due.is_some_and(|due| self.give_back(due, |credits| &credits.handshake))
            }
            Ledger::Fin => {
                let due = self.fin_reader.credit_due();
                let entries = due.is_some_and(|due| self.give_back(due, |credits| &credits.fin));
                let due = self.staging_reader.credit_due();
                due.is_some_and(|due| self.give_back(due, |credits| &credits.staging)) | entries
            }
        }
    }

    #[inline(never)]
    fn give_back(&mut self, due: u64, word: impl Fn(&CreditLine) -> &AtomicU64) -> bool {
        word(self.segment.credits(self.rank)).store(due, Ordering::Release);
        self.news = News::ForHelper;
        true
    }
}

/// The next bytes of a source, as words: zeros behind its end. Word by word, and not through memory: to read what was written
/// there in other parts, the processor would wait until all that was written before, the peer's memory, has left it.
///
/// # Safety
/// The source must be valid for `bytes`.
#[inline(always)]
unsafe fn words_of(source: *const u8, bytes: usize) -> Entry {
    if bytes >= ENTRY_BYTES {
        // SAFETY: so many bytes are there.
        return unsafe { source.cast::<Entry>().read_unaligned() };
    }
    std::array::from_fn(|word| {
        let start = word * 8;
        if start + 8 <= bytes {
            // SAFETY: inside the source.
            return unsafe { source.add(start).cast::<u64>().read_unaligned() };
        }
        // SAFETY: inside the source, for all bytes from here to its end.
        (start..bytes).rev().fold(0, |word, byte| word << 8 | u64::from(unsafe { *source.add(byte) })).to_le()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ledger::Slot;

    /// Whatever the length and the alignment: the words are the bytes, zeros behind them, and nothing else is read.
    #[test]
    fn words_are_the_bytes_of_their_source() {
        let bytes: Vec<u8> = (1..=90).collect();
        for start in 0..9 {
            for length in 0..=ENTRY_BYTES + 3 {
                let source = &bytes[start..start + length];
                // SAFETY: the slice is valid for its length.
                let words = unsafe { words_of(source.as_ptr(), source.len()) };
                let mut expected = source[..length.min(ENTRY_BYTES)].to_vec();
                expected.resize(ENTRY_BYTES, 0);
                let given: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                assert_eq!(given, expected, "{length} bytes from {start} on");
            }
        }
    }

    #[test]
    fn so_many_entries_as_the_bytes_need() {
        let needed = [(0, 0), (INLINE_BYTES, 0), (INLINE_BYTES + 1, 1), (INLINE_BYTES + ENTRY_BYTES, 1)];
        for (bytes, behind) in needed {
            assert_eq!(entries_behind(bytes), behind, "{bytes}");
        }
        assert_eq!(entries_behind(SPREAD_BYTES), SPREAD_WORDS / PAYLOAD_WORDS);
        // What a damaged entry says does not lead further.
        assert_eq!(entries_behind(usize::MAX), entries_behind(SPREAD_BYTES));
        assert_eq!(SPREAD_BYTES, INLINE_BYTES + entries_behind(SPREAD_BYTES) * ENTRY_BYTES);
        assert_eq!(size_of::<Slot>(), ENTRY_BYTES + 8);
    }
}
