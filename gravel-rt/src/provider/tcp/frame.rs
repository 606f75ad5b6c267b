//! What travels on an established connection, as pure functions over bytes.
//!
//! A frame is a head of [`HEAD_BYTES`] and a body. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0 | kind |
//! | 1 | flags: bit 0 of a data frame says that the message ends with it |
//! | 2..4 | zero |
//! | 4..8 | length of the body |
//! | 8..16 | entry: word 0; data: the receive's handle; eager data: communicator and tag |
//! | 16..24 | entry: word 1; data: offset in the receive buffer; eager data: the message's number |
//!
//! The body of an entry is its other words; that of data goes straight into the posted buffer; that of eager data is a
//! whole message. Lengths have limits, so a damaged length can neither make anybody allocate nor wait for gigabytes.

use crate::message::communicator::CommunicatorId;
use crate::message::ledger::{Entry, PAYLOAD_WORDS};
use crate::message::request::Handle;
use crate::message::wire::{Ledger, pack, unpack};

/// Length of a head in bytes.
pub const HEAD_BYTES: usize = 24;
/// Words of an entry that travel in the head.
const HEAD_WORDS: usize = 2;
/// Length of an entry's body.
pub const ENTRY_BODY_BYTES: usize = (PAYLOAD_WORDS - HEAD_WORDS) * 8;
/// Longest body of a data frame. What a socket does not take of a frame is copied, and what follows in the stream waits
/// behind it, so it is not longer than what a fast network takes at once.
pub const MAXIMUM_DATA: u64 = 256 * 1024;

/// Longest body of an eager frame. The sending system copies bytes anyway: what eager data saves, the round trip of a
/// handshake, is worth more up to this length, as both MPIs' sockets have it too.
pub const MAXIMUM_EAGER: u64 = 64 * 1024;

const HANDSHAKE_ENTRY: u8 = 1;
const FIN_ENTRY: u8 = 2;
const DATA: u8 = 3;
const EAGER: u8 = 4;
const ENDS_MESSAGE: u8 = 1;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// An entry of a ledger; its body follows.
    Entry {
        /// Which ledger.
        ledger: Ledger,
        /// Its first words.
        words: [u64; HEAD_WORDS],
    },
    /// Bytes of a message, for a posted receive.
    Data {
        /// The receive.
        request: Handle,
        /// Where they go, in bytes from the start of its buffer.
        offset: u64,
        /// How many follow: 1 to [`MAXIMUM_DATA`].
        bytes: u64,
        /// Whether they are the last of their message and its end.
        ends_message: bool,
    },
    /// A whole message ahead of its handshake.
    Eager {
        /// Its communicator.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its number among the messages of its sender, communicator and tag.
        number: u64,
        /// How many bytes follow: up to [`MAXIMUM_EAGER`].
        bytes: u64,
    },
}

/// Bytes that are no frame: the peer is of another version, or is not what it claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a malformed frame")]
pub struct Malformed;

impl Head {
    /// As bytes.
    pub fn encode(&self) -> [u8; HEAD_BYTES] {
        let (kind, flags, length, first, second) = match *self {
            Self::Entry { ledger, words: [first, second] } => {
                let kind = match ledger {
                    Ledger::Handshake => HANDSHAKE_ENTRY,
                    Ledger::Fin => FIN_ENTRY,
                };
                (kind, 0, ENTRY_BODY_BYTES as u64, first, second)
            }
            Self::Data { request, offset, bytes, ends_message } => {
                let flags = if ends_message { ENDS_MESSAGE } else { 0 };
                (DATA, flags, bytes, request.into_raw().cast_unsigned(), offset)
            }
            Self::Eager { communicator, tag, number, bytes } => {
                (EAGER, 0, bytes, pack(communicator.to_wire(), tag.cast_unsigned()), number)
            }
        };
        let mut head = [0; HEAD_BYTES];
        head[0] = kind;
        head[1] = flags;
        // The limits of all kinds are below 4 GiB.
        head[4..8].copy_from_slice(&(length as u32).to_le_bytes());
        head[8..16].copy_from_slice(&first.to_le_bytes());
        head[16..24].copy_from_slice(&second.to_le_bytes());
        head
    }

    /// From bytes.
    pub fn decode(head: &[u8; HEAD_BYTES]) -> Result<Self, Malformed> {
        let &[kind, flags, zero, zero_too, l0, l1, l2, l3, ref words @ ..] = head;
        let bytes = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
        let (words, _) = words.as_chunks::<8>();
        let (first, second) = (u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]));
        if (zero, zero_too) != (0, 0) || flags & !(if kind == DATA { ENDS_MESSAGE } else { 0 }) != 0 {
            return Err(Malformed);
        }
        match kind {
            HANDSHAKE_ENTRY | FIN_ENTRY if bytes == ENTRY_BODY_BYTES as u64 => {
                let ledger = if kind == FIN_ENTRY { Ledger::Fin } else { Ledger::Handshake };
                Ok(Self::Entry { ledger, words: [first, second] })
            }
            DATA if (1..=MAXIMUM_DATA).contains(&bytes) && second.checked_add(bytes).is_some() => Ok(Self::Data {
                request: Handle::from_raw(first.cast_signed()),
                offset: second,
                bytes,
                ends_message: flags == ENDS_MESSAGE,
            }),
            EAGER if bytes <= MAXIMUM_EAGER => {
                let (communicator, tag) = unpack(first);
                let communicator = CommunicatorId::from_wire(communicator);
                Ok(Self::Eager { communicator, tag: tag.cast_signed(), number: second, bytes })
            }
            _ => Err(Malformed),
        }
    }

    /// How many bytes follow the head.
    pub fn body_bytes(&self) -> u64 {
        match *self {
            Self::Entry { .. } => ENTRY_BODY_BYTES as u64,
            Self::Data { bytes, .. } | Self::Eager { bytes, .. } => bytes,
        }
    }
}

/// An entry as a whole frame.
pub fn encode_entry(ledger: Ledger, entry: &Entry) -> [u8; HEAD_BYTES + ENTRY_BODY_BYTES] {
    let mut frame = [0; HEAD_BYTES + ENTRY_BODY_BYTES];
    let (head, body) = frame.split_at_mut(HEAD_BYTES);
    head.copy_from_slice(&Head::Entry { ledger, words: [entry[0], entry[1]] }.encode());
    for (chunk, word) in body.as_chunks_mut::<8>().0.iter_mut().zip(&entry[HEAD_WORDS..]) {
        *chunk = word.to_le_bytes();
    }
    frame
}

/// The entry whose head held the first words.
pub fn decode_entry([first, second]: [u64; HEAD_WORDS], body: &[u8; ENTRY_BODY_BYTES]) -> Entry {
    let mut entry: Entry = [first, second, 0, 0, 0, 0, 0];
    for (word, chunk) in entry[HEAD_WORDS..].iter_mut().zip(body.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*chunk);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heads() -> impl Strategy<Value = Head> {
        let ledgers = prop_oneof![Just(Ledger::Handshake), Just(Ledger::Fin)];
        prop_oneof![
            (ledgers, any::<[u64; 2]>()).prop_map(|(ledger, words)| Head::Entry { ledger, words }),
            (any::<i64>(), any::<u64>(), 1..=MAXIMUM_DATA, any::<bool>()).prop_map(
                |(request, offset, bytes, ends_message)| Head::Data {
                    request: Handle::from_raw(request),
                    offset: offset.min(u64::MAX - bytes),
                    bytes,
                    ends_message,
                }
            ),
            (any::<u32>(), any::<i32>(), any::<u64>(), 0..=MAXIMUM_EAGER).prop_map(
                |(communicator, tag, number, bytes)| Head::Eager {
                    communicator: CommunicatorId::from_wire(communicator),
                    tag,
                    number,
                    bytes,
                }
            ),
        ]
    }

    /// What every accepted head must keep.
    fn is_within_limits(head: &Head) -> bool {
        match *head {
            Head::Entry { .. } => true,
            Head::Data { offset, bytes, .. } => {
                bytes > 0 && bytes <= MAXIMUM_DATA && offset.checked_add(bytes).is_some()
            }
            Head::Eager { bytes, .. } => bytes <= MAXIMUM_EAGER,
        }
    }

    proptest! {
        #[test]
        fn heads_survive_the_wire(head in heads()) {
            prop_assert_eq!(Head::decode(&head.encode()), Ok(head));
        }

        #[test]
        fn entries_survive_the_wire(fin: bool, entry: Entry) {
            let ledger = if fin { Ledger::Fin } else { Ledger::Handshake };
            let frame = encode_entry(ledger, &entry);
            let (head, body) = frame.split_first_chunk::<HEAD_BYTES>().unwrap();
            let Ok(Head::Entry { ledger: decoded, words }) = Head::decode(head) else { panic!("not an entry") };
            prop_assert_eq!(decoded, ledger);
            prop_assert_eq!(decode_entry(words, body.try_into().unwrap()), entry);
        }

        /// Random bytes, most of them with a kind that exists.
        #[test]
        fn garbage_is_refused_or_within_limits(mut bytes: [u8; HEAD_BYTES], kind in 0u8..8, tame: bool) {
            if tame {
                bytes[0] = kind;
                bytes[1] &= 1;
                bytes[2..4].fill(0);
                bytes[6..8].fill(0);
            }
            if let Ok(head) = Head::decode(&bytes) {
                prop_assert!(is_within_limits(&head));
                prop_assert_eq!(head.encode(), bytes, "an accepted head has one form");
            }
        }

        /// Every damaged byte of a good head gives another good head or none, never one out of bounds.
        #[test]
        fn damage_never_leaves_the_limits(head in heads(), place in 0..HEAD_BYTES, damage: u8) {
            let mut bytes = head.encode();
            bytes[place] ^= damage;
            if let Ok(head) = Head::decode(&bytes) {
                prop_assert!(is_within_limits(&head));
            }
        }
    }

    fn head(kind: u8, flags: u8, length: u32, second: u64) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[0] = kind;
        head[1] = flags;
        head[4..8].copy_from_slice(&length.to_le_bytes());
        head[16..24].copy_from_slice(&second.to_le_bytes());
        head
    }

    #[test]
    fn each_rule_refuses_what_it_forbids() {
        let entry = ENTRY_BODY_BYTES as u32;
        let mut reserved = head(DATA, 0, 1, 0);
        reserved[3] = 1;
        for (what, bytes) in [
            ("no kind", [0; HEAD_BYTES]),
            ("unknown kind", head(5, 0, 1, 0)),
            ("every bit", [0xff; HEAD_BYTES]),
            ("short entry", head(HANDSHAKE_ENTRY, 0, entry - 8, 0)),
            ("long entry", head(FIN_ENTRY, 0, entry + 8, 0)),
            ("entry with a flag", head(FIN_ENTRY, ENDS_MESSAGE, entry, 0)),
            ("empty data", head(DATA, 0, 0, 0)),
            ("data that is too long", head(DATA, 0, MAXIMUM_DATA as u32 + 1, 0)),
            ("data of 4 GiB", head(DATA, 0, u32::MAX, 0)),
            ("data that wraps around", head(DATA, 0, 16, u64::MAX - 15)),
            ("data with an unknown flag", head(DATA, 2, 16, 0)),
            ("reserved bytes in use", reserved),
            ("eager data that is too long", head(EAGER, 0, MAXIMUM_EAGER as u32 + 1, 0)),
            ("eager data with a flag", head(EAGER, ENDS_MESSAGE, 8, 0)),
            ("text of another protocol", *b"GET / HTTP/1.1\r\nHost: a\r"),
            ("a TLS greeting", [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]),
        ] {
            assert_eq!(Head::decode(&bytes), Err(Malformed), "{what}");
        }
        for (what, bytes) in [
            ("data at the very end", head(DATA, 0, 16, u64::MAX - 16)),
            ("the longest data", head(DATA, ENDS_MESSAGE, MAXIMUM_DATA as u32, 0)),
            ("an empty eager message", head(EAGER, 0, 0, 0)),
            ("the longest eager message", head(EAGER, 0, MAXIMUM_EAGER as u32, u64::MAX)),
        ] {
            assert!(Head::decode(&bytes).is_ok(), "{what}");
        }
    }
}
