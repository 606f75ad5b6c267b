//! Pieces of messages that travel through ledgers: inside an entry, or in the staging ring with an entry that says so.

use super::Sink;
use crate::Rank;
use crate::message::communicator::CommunicatorId;
use crate::message::ledger::{Entry, PAYLOAD_WORDS};
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus};
use crate::message::request::Handle;
use crate::message::wire::{Control, PROVIDER_KINDS, unpack};

/// Entries of a ring of handshakes.
pub const HANDSHAKE_SLOTS: usize = 64;

/// Fin ledger: a piece lies in the staging ring. Words: kind and length, request, offset, end position.
pub const STAGED: u32 = PROVIDER_KINDS;
/// Fin ledger: a piece lies in the entry itself. Words: kind and length, request, offset, then the bytes.
pub const INLINE: u32 = PROVIDER_KINDS + 1;
/// Handshake ledger: peers can reach a region of this rank's. The words are the provider's.
pub const ANNOUNCE: u32 = PROVIDER_KINDS + 2;
/// Handshake ledger: a region must not be used any more. Words: kind, id.
pub const RETIRE: u32 = PROVIDER_KINDS + 3;
/// Fin ledger: as [`INLINE`], for a piece that goes on in the entries behind, all of whose words are bytes.
pub const SPREAD: u32 = PROVIDER_KINDS + 4;
/// Added to the kinds of pieces: the message ends with this piece, there is no separate FIN.
pub const ENDS_MESSAGE: u32 = 0x1000;
/// Added likewise: the bytes are eager data. Words: kind and length, communicator and tag, number, then as above.
pub const EAGER: u32 = 0x2000;

/// First word of an inline piece's bytes, and the word of a staged piece's end position.
pub const INLINE_WORD: usize = 3;
/// Words of an inline piece's bytes.
pub const INLINE_WORDS: usize = PAYLOAD_WORDS - INLINE_WORD;
/// Longest inline piece in bytes.
pub const INLINE_BYTES: usize = INLINE_WORDS * 8;
/// Bytes in an entry all of whose words are a piece's.
pub const ENTRY_BYTES: usize = PAYLOAD_WORDS * 8;

/// Entries of the longest piece that is spread over several.
const SPREAD_ENTRIES: usize = 4;
/// Words of its bytes.
pub const SPREAD_WORDS: usize = SPREAD_ENTRIES * PAYLOAD_WORDS - INLINE_WORD;
/// Longest piece that is spread over several entries, in bytes.
pub const SPREAD_BYTES: usize = SPREAD_WORDS * 8;

/// How many entries follow the one that a spread piece of so many bytes begins in.
#[inline(always)]
pub fn entries_behind(bytes: usize) -> usize {
    bytes.saturating_sub(INLINE_BYTES).div_ceil(ENTRY_BYTES).min(SPREAD_ENTRIES - 1)
}

/// The bytes of an inline piece.
#[inline(always)]
pub fn inline_bytes(entry: &Entry) -> [u8; INLINE_BYTES] {
    let mut bytes = [0u8; INLINE_BYTES];
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(&entry[INLINE_WORD..]) {
        *chunk = word.to_ne_bytes();
    }
    bytes
}

/// Gives the bytes of an inline or staged entry to the protocol.
#[inline(always)]
pub fn hand_over(peer: Rank, entry: &Entry, piece: &[u8], sink: &mut dyn Sink) {
    let (kind, length) = unpack(entry[0]);
    if kind & EAGER != 0 {
        let (communicator, tag) = unpack(entry[1]);
        let communicator = CommunicatorId::from_wire(communicator);
        sink.eager(MatchKey { peer, communicator, tag: tag.cast_signed() }, entry[2], piece);
        return;
    }
    let (request, offset) = (Handle::from_raw(entry[1].cast_signed()), entry[2]);
    sink.data(peer, request, offset, piece);
    if kind & ENDS_MESSAGE != 0 {
        let fin = Fin { status: FinStatus::Delivered, bytes: offset.saturating_add(u64::from(length)) };
        sink.control(peer, &Control::Fin { request, fin }.encode());
    }
}
