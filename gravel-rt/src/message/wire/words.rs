//! What the words of an entry hold: ranks, handles, buffers, messages, in the places that all kinds of entries agree on.

use super::REPLY;
use crate::Rank;
use crate::error::missing::Aspect;
use crate::message::communicator::CommunicatorId;
use crate::message::inquiry::State as Does;
use crate::message::inquiry::{Need, Reply};
use crate::message::ledger::Entry;
use crate::message::rendezvous::{Handshake, RemoteBuffer, RemoteMessage};
use crate::message::request::Handle;

pub(super) fn encode_rank(rank: Rank) -> u32 {
    u32::try_from(rank).unwrap_or(u32::MAX)
}

/// Words 2 to 4 of a reply are what its rank needs itself, if it waits for one other; word 5 is that other.
pub(super) fn encode_reply(reply: Reply) -> Entry {
    let Reply { about, round, state, since, count } = reply;
    let (code, needed) = match state {
        Does::Unwatched => (0, None),
        Does::Elsewhere => (1, None),
        Does::WaitingForSome => (2, None),
        Does::Finalizing => (3, None),
        Does::Testing => (5, None),
        Does::Waiting(peer, need) => (4, Some((peer, need))),
    };
    let [what, tag, number] = needed.map_or([0; 3], |(_, need)| encode_need(need));
    let peer = needed.map_or(0, |(peer, _)| encode_rank(peer));
    let since = u32::try_from(since).unwrap_or(u32::MAX);
    // Tags have 32 bits.
    let tag_and_since = pack(low_half(tag), since);
    [pack(REPLY, code), pack(encode_rank(about), round), what, tag_and_since, number, u64::from(peer), count]
}

pub(super) fn decode_reply(entry: &Entry, code: u32) -> Reply {
    let (about, round) = unpack(entry[1]);
    let (tag, since) = unpack(entry[3]);
    let state = match code {
        1 => Does::Elsewhere,
        2 => Does::WaitingForSome,
        3 => Does::Finalizing,
        5 => Does::Testing,
        4 => Does::Waiting(low_half(entry[5]) as Rank, decode_need([entry[2], u64::from(tag), entry[4]])),
        _ => Does::Unwatched,
    };
    Reply { about: about as Rank, round, state, since: u64::from(since), count: entry[6] }
}

pub(super) fn encode_tag(tag: i32) -> u64 {
    u64::from(tag.cast_unsigned())
}

pub(super) fn encode_handle(handle: Handle) -> u64 {
    handle.into_raw().cast_unsigned()
}

pub(super) fn decode_handle(word: u64) -> Handle {
    Handle::from_raw(word.cast_signed())
}

/// Words 2 to 4, and 6.
pub(super) fn encode_handshake(handshake: Handshake) -> [u64; 4] {
    let Handshake { buffer: RemoteBuffer { request, address, bytes }, wants_segments } = handshake;
    [encode_handle(request), address, bytes, u64::from(wants_segments)]
}

pub(super) fn decode_handshake(entry: &Entry) -> Handshake {
    let buffer = RemoteBuffer { request: decode_handle(entry[2]), address: entry[3], bytes: entry[4] };
    Handshake { buffer, wants_segments: entry[6] & 1 != 0 }
}

pub(super) fn encode_receive(
    kind: u32,
    communicator: CommunicatorId,
    tag: i32,
    number: u64,
    handshake: Handshake,
) -> Entry {
    let [request, address, bytes, flags] = encode_handshake(handshake);
    [pack(kind, communicator.to_wire()), encode_tag(tag), request, address, bytes, number, flags]
}

pub(super) fn encode_cancel(kind: u32, communicator: CommunicatorId, tag: i32, number: u64, request: Handle) -> Entry {
    [pack(kind, communicator.to_wire()), encode_tag(tag), encode_handle(request), 0, 0, number, 0]
}

pub(super) fn encode_message(
    kind: u32,
    communicator: CommunicatorId,
    tag: i32,
    number: u64,
    message: RemoteMessage,
) -> Entry {
    let RemoteMessage { transfer, bytes, address } = message;
    let (kind, transfer) = (pack(kind, communicator.to_wire()), encode_handle(transfer));
    let readable = u64::from(address.is_some());
    [kind, encode_tag(tag), transfer, address.unwrap_or(0), bytes, number, readable]
}

pub(super) fn decode_message(entry: &Entry) -> RemoteMessage {
    let address = (entry[6] & 1 != 0).then_some(entry[3]);
    RemoteMessage { transfer: decode_handle(entry[2]), bytes: entry[4], address }
}

/// A need, as the words of an entry: communicator, aspect and tag, and number.
pub(super) fn encode_need(need: Need) -> [u64; 3] {
    let Need { aspect, communicator, tag, number } = need;
    [pack(communicator.to_wire(), u32::from(aspect as u8)), u64::from(tag.cast_unsigned()), number]
}

/// From such words.
pub(super) fn decode_need(words: [u64; 3]) -> Need {
    let (communicator, aspect) = unpack(words[0]);
    let aspect = Aspect::from_number((aspect & 0xff) as u8);
    let tag = unpack(words[1]).0.cast_signed();
    Need { aspect, communicator: CommunicatorId::from_wire(communicator), tag, number: words[2] }
}

/// Two halves as one word.
pub fn pack(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}

/// The low and the high half of a word.
pub fn unpack(word: u64) -> (u32, u32) {
    (low_half(word), low_half(word >> 32))
}

pub(super) fn low_half(word: u64) -> u32 {
    (word & 0xffff_ffff) as u32
}
