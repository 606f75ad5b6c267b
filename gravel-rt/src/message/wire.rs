//! The control messages, as ledger entries.
//!
//! | message | ledger | from | what |
//! |---|---|---|---|
//! | handshake | handshake | consumer | a receive was posted |
//! | announcement | handshake | producer | a message is about to be sent, or can be read (the paper's send-info ledger) |
//! | answer | handshake | consumer | where an announced message goes |
//! | release | FIN | consumer | an announced message was read, or can't be received |
//! | segment | FIN | producer | a part of a message is there, for consumers that asked for it |
//! | FIN | FIN | producer | a message has ended, or a receive is withdrawn |
//! | withdrawal | handshake | consumer | a receive is to be cancelled |
//! | grant | handshake | consumer | where the message goes that an announced receive will meet ([`crate::engine::grants`]) |
//! | revocation | handshake | consumer | such a receive is to be cancelled |
//! | revoked | handshake | producer | it has no message, and will have none |
//! | question | handshake | producer | a send waits for its handshake: can one come? Of which receives? |
//! | spilled | FIN | producer | a message without a handshake is over for its program: its copy can be read |
//! | recall | handshake | producer | a message whose send is cancelled is not to be read where it lies ([`crate::engine::cancelled_send`]) |
//! | recalled | FIN | consumer | it is not, and will not be |
//! | inquiry, text, reply | handshake | both | what does a rank do that is waited for long? ([`crate::engine::inquiry`]) |
//! | too long | handshake | consumer | a message that had left without a handshake was longer than its receive |
//!
//! Word 0 holds the kind in its low 32 bits. Kinds below [`PROVIDER_KINDS`] are the protocol's; a provider may send
//! entries of its own kinds through the same ledgers (so that they keep their order with handshakes) and takes them out
//! again before the protocol sees them.

mod words;

use super::inquiry::{Inquiry, Reply, TEXT_BYTES};
use super::rendezvous::{Asked, Fin, FinStatus, Handshake, RemoteBuffer, RemoteMessage};
use crate::Rank;
use crate::error::{Error, Result};
use crate::message::communicator::CommunicatorId;
use crate::message::ledger::Entry;
use crate::message::request::Handle;

use self::words::{
    decode_handle, decode_handshake, decode_message, decode_need, decode_reply, encode_cancel, encode_handle,
    encode_handshake, encode_message, encode_need, encode_rank, encode_receive, encode_reply, encode_tag, low_half,
};
pub use self::words::{pack, unpack};

/// First kind that belongs to the provider.
pub const PROVIDER_KINDS: u32 = 0x100;

const HANDSHAKE: u32 = 1;
const FIN: u32 = 2;
const ANNOUNCEMENT: u32 = 3;
const ANSWER: u32 = 4;
const RELEASE: u32 = 5;
const SEGMENT: u32 = 6;
const WITHDRAWAL: u32 = 7;
const QUESTION: u32 = 8;
const SPILLED: u32 = 9;
const TOO_LONG: u32 = 10;
const INQUIRY: u32 = 11;
const TEXT: u32 = 12;
const REPLY: u32 = 13;
const GRANT: u32 = 14;
const REVOCATION: u32 = 15;
const REVOKED: u32 = 16;
const RECALL: u32 = 17;
const RECALLED: u32 = 18;

/// Added to the number of eager data that is its own announcement.
pub const ANNOUNCED: u64 = 1 << 63;

/// Which ring of a pair an entry travels in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ledger {
    /// Consumer to producer: where receive buffers are (the paper's receive-info ledger).
    Handshake,
    /// Producer to consumer: ends of messages (the paper's RDMA-FIN ledger).
    Fin,
}

/// A control message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// A receive was posted.
    Handshake {
        /// Communicator of the receive.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its number among the receives of its match key, from 0.
        number: u64,
        /// Its buffer.
        handshake: Handshake,
    },
    /// A message has ended.
    Fin {
        /// The consumer's receive.
        request: Handle,
        /// How it ended.
        fin: Fin,
    },
    /// A message is about to be sent, or can be read.
    Announcement {
        /// Communicator of the message.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its number among what this producer has announced to this consumer on this communicator, from 0.
        number: u64,
        /// The message.
        message: RemoteMessage,
    },
    /// Where an announced message goes.
    Answer {
        /// The producer's transfer.
        transfer: Handle,
        /// The buffer that it met.
        handshake: Handshake,
    },
    /// The consumer is done with an announced message.
    Release {
        /// The producer's transfer.
        transfer: Handle,
        /// Whether it was refused, because its key uses another protocol; else it was read.
        refused: bool,
    },
    /// Where a message goes that the producer has not announced, or whose announcement is on its way.
    Grant {
        /// Communicator of the receive.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// The number of its message among all that this producer announces to this consumer with that tag, from 0.
        number: u64,
        /// Its buffer.
        handshake: Handshake,
    },
    /// The receive of a message with this number is to be cancelled; it may have been granted or not.
    Revocation {
        /// Communicator of the receive.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// The number, as in a grant.
        number: u64,
        /// The receive.
        request: Handle,
    },
    /// There is no message with the number of a revocation, and there will be none.
    Revoked {
        /// Communicator of the receive.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// The number of this entry among the announcements of this producer to this consumer on this communicator.
        number: u64,
        /// The receive.
        request: Handle,
    },
    /// A segment of a message is there.
    Segment {
        /// The consumer's receive.
        request: Handle,
        /// First byte.
        start: u64,
        /// One past its last byte.
        end: u64,
    },
    /// A receive is to be cancelled.
    Withdrawal {
        /// Communicator of the receive.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its number among the receives of its match key.
        number: u64,
        /// The receive.
        request: Handle,
    },
    /// A consumer-initiated message of this key waits for its handshake.
    Question {
        /// Communicator of the message.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// The producer's transfer.
        transfer: Handle,
        /// Which receives of the key are to send theirs.
        wanted: Asked,
    },
    /// A consumer-initiated message can be read (see [`crate::engine::spilled_read`]).
    Spilled {
        /// Communicator of the message.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its number among the messages of its match key, from 0.
        number: u64,
        /// The message, with an address.
        message: RemoteMessage,
    },
    /// An announced message that no receive has met is not to be read where it lies any more.
    Recall {
        /// Communicator of the message.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// The number of its announcement.
        number: u64,
        /// The producer's transfer.
        transfer: Handle,
    },
    /// Nobody reads an announced message where it lies, now and later: the consumer asks for it when it has met a receive.
    Recalled {
        /// The producer's transfer.
        transfer: Handle,
    },
    /// A message that had left without a handshake was not received.
    TooLong {
        /// Communicator of the message.
        communicator: CommunicatorId,
        /// Its tag.
        tag: i32,
        /// Its length in bytes.
        sent: u64,
        /// Length of the receive that it met.
        posted: u64,
    },
    /// What does this rank do?
    Inquiry(Inquiry),
    /// A part of the text of the answer; what is left of the last one is zero.
    Text([u8; TEXT_BYTES]),
    /// The answer.
    Reply(Reply),
}

impl Control {
    /// The ring it travels in.
    pub fn ledger(&self) -> Ledger {
        match self {
            Self::Handshake { .. }
            | Self::Announcement { .. }
            | Self::Answer { .. }
            | Self::Withdrawal { .. }
            | Self::Grant { .. }
            | Self::Revocation { .. }
            | Self::Revoked { .. }
            | Self::Question { .. }
            | Self::Recall { .. }
            | Self::TooLong { .. }
            | Self::Inquiry(_)
            | Self::Text(_)
            | Self::Reply(_) => Ledger::Handshake,
            Self::Fin { .. }
            | Self::Release { .. }
            | Self::Recalled { .. }
            | Self::Segment { .. }
            | Self::Spilled { .. } => Ledger::Fin,
        }
    }

    /// As an entry.
    pub fn encode(&self) -> Entry {
        match *self {
            Self::Handshake { communicator, tag, number, handshake } => {
                encode_receive(HANDSHAKE, communicator, tag, number, handshake)
            }
            Self::Grant { communicator, tag, number, handshake } => {
                encode_receive(GRANT, communicator, tag, number, handshake)
            }
            Self::Fin { request, fin } => [pack(FIN, fin.status as u32), encode_handle(request), fin.bytes, 0, 0, 0, 0],
            Self::Announcement { communicator, tag, number, message } => {
                encode_message(ANNOUNCEMENT, communicator, tag, number, message)
            }
            Self::Spilled { communicator, tag, number, message } => {
                encode_message(SPILLED, communicator, tag, number, message)
            }
            Self::Answer { transfer, handshake } => {
                let [request, address, bytes, flags] = encode_handshake(handshake);
                [pack(ANSWER, 0), encode_handle(transfer), request, address, bytes, 0, flags]
            }
            Self::Release { transfer, refused } => {
                [pack(RELEASE, u32::from(refused)), encode_handle(transfer), 0, 0, 0, 0, 0]
            }
            Self::Recall { communicator, tag, number, transfer } => {
                encode_cancel(RECALL, communicator, tag, number, transfer)
            }
            Self::Recalled { transfer } => [pack(RECALLED, 0), encode_handle(transfer), 0, 0, 0, 0, 0],
            Self::Segment { request, start, end } => [pack(SEGMENT, 0), encode_handle(request), start, end, 0, 0, 0],
            Self::Withdrawal { communicator, tag, number, request } => {
                encode_cancel(WITHDRAWAL, communicator, tag, number, request)
            }
            Self::Revocation { communicator, tag, number, request } => {
                encode_cancel(REVOCATION, communicator, tag, number, request)
            }
            Self::Revoked { communicator, tag, number, request } => {
                encode_cancel(REVOKED, communicator, tag, number, request)
            }
            Self::Question { communicator, tag, transfer, wanted } => {
                let all = u64::from(wanted == Asked::All);
                [pack(QUESTION, communicator.to_wire()), encode_tag(tag), encode_handle(transfer), 0, 0, 0, all]
            }
            Self::TooLong { communicator, tag, sent, posted } => {
                [pack(TOO_LONG, communicator.to_wire()), encode_tag(tag), sent, posted, 0, 0, 0]
            }
            Self::Inquiry(Inquiry { about, need, has_alternatives, round }) => {
                let [what, tag, number] = encode_need(need);
                let kind = pack(INQUIRY, u32::from(has_alternatives));
                [kind, pack(encode_rank(about), round), what, tag, number, 0, 0]
            }
            Self::Text(bytes) => {
                let mut entry = [pack(TEXT, 0), 0, 0, 0, 0, 0, 0];
                for (word, bytes) in entry[2..].iter_mut().zip(bytes.as_chunks::<8>().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
                entry
            }
            Self::Reply(reply) => encode_reply(reply),
        }
    }

    /// From an entry; an unknown kind is damage or another version of the library.
    pub fn decode(entry: &Entry) -> Result<Self> {
        let (kind, detail) = unpack(entry[0]);
        let communicator = CommunicatorId::from_wire(detail);
        let tag = low_half(entry[1]).cast_signed();
        match kind {
            HANDSHAKE => {
                Ok(Self::Handshake { communicator, tag, number: entry[5], handshake: decode_handshake(entry) })
            }
            FIN => {
                let status = match detail {
                    0 => FinStatus::Delivered,
                    1 => FinStatus::Truncated,
                    2 => FinStatus::GaveUp,
                    3 => FinStatus::Withdrawn,
                    other => {
                        return Err(Error::Internal(format!("FIN with unknown status {other}")).into());
                    }
                };
                let fin = Fin { status, bytes: entry[2] };
                Ok(Self::Fin { request: decode_handle(entry[1]), fin })
            }
            ANNOUNCEMENT => {
                Ok(Self::Announcement { communicator, tag, number: entry[5], message: decode_message(entry) })
            }
            SPILLED => Ok(Self::Spilled { communicator, tag, number: entry[5], message: decode_message(entry) }),
            ANSWER => Ok(Self::Answer { transfer: decode_handle(entry[1]), handshake: decode_handshake(entry) }),
            RELEASE => Ok(Self::Release { transfer: decode_handle(entry[1]), refused: detail != 0 }),
            RECALL => Ok(Self::Recall { communicator, tag, number: entry[5], transfer: decode_handle(entry[2]) }),
            RECALLED => Ok(Self::Recalled { transfer: decode_handle(entry[1]) }),
            SEGMENT => Ok(Self::Segment { request: decode_handle(entry[1]), start: entry[2], end: entry[3] }),
            WITHDRAWAL => {
                Ok(Self::Withdrawal { communicator, tag, number: entry[5], request: decode_handle(entry[2]) })
            }
            GRANT => Ok(Self::Grant { communicator, tag, number: entry[5], handshake: decode_handshake(entry) }),
            REVOCATION => {
                Ok(Self::Revocation { communicator, tag, number: entry[5], request: decode_handle(entry[2]) })
            }
            REVOKED => Ok(Self::Revoked { communicator, tag, number: entry[5], request: decode_handle(entry[2]) }),
            QUESTION => {
                let wanted = if entry[6] & 1 != 0 { Asked::All } else { Asked::NotShort };
                Ok(Self::Question { communicator, tag, transfer: decode_handle(entry[2]), wanted })
            }
            TOO_LONG => Ok(Self::TooLong { communicator, tag, sent: entry[2], posted: entry[3] }),
            INQUIRY => {
                let (about, round) = unpack(entry[1]);
                let need = decode_need([entry[2], entry[3], entry[4]]);
                Ok(Self::Inquiry(Inquiry { about: about as Rank, need, has_alternatives: detail != 0, round }))
            }
            TEXT => {
                let mut bytes = [0; TEXT_BYTES];
                for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(&entry[2..]) {
                    *bytes = word.to_le_bytes();
                }
                Ok(Self::Text(bytes))
            }
            REPLY => Ok(Self::Reply(decode_reply(entry, detail))),
            other => Err(Error::Internal(format!("ledger entry of unknown kind {other}")).into()),
        }
    }
}

/// The receive buffer that an entry tells of, if it does.
pub fn buffer_of(entry: &Entry) -> Option<RemoteBuffer> {
    matches!(unpack(entry[0]).0, HANDSHAKE | ANSWER | GRANT).then(|| decode_handshake(entry).buffer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::missing::Aspect;
    use crate::message::inquiry::{Need, State as Does};

    fn handles() -> impl Strategy<Value = Handle> {
        any::<i64>().prop_map(Handle::from_raw)
    }

    fn handshakes() -> impl Strategy<Value = Handshake> {
        (handles(), any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(request, address, bytes, wants_segments)| {
            Handshake { buffer: RemoteBuffer { request, address, bytes }, wants_segments }
        })
    }

    fn needs() -> impl Strategy<Value = Need> {
        (0u8..5, any::<u32>(), any::<i32>(), any::<u64>()).prop_map(|(aspect, communicator, tag, number)| {
            let communicator = CommunicatorId::from_wire(communicator);
            Need { aspect: Aspect::from_number(aspect), communicator, tag, number }
        })
    }

    fn states() -> impl Strategy<Value = Does> {
        prop_oneof![
            Just(Does::Unwatched),
            Just(Does::Elsewhere),
            Just(Does::WaitingForSome),
            Just(Does::Finalizing),
            Just(Does::Testing),
            (any::<u32>(), needs()).prop_map(|(peer, need)| Does::Waiting(peer as Rank, need)),
        ]
    }

    fn controls() -> impl Strategy<Value = Control> {
        let communicators = || any::<u32>().prop_map(CommunicatorId::from_wire);
        let statuses = [FinStatus::Delivered, FinStatus::Truncated, FinStatus::GaveUp, FinStatus::Withdrawn].map(Just);
        let [delivered, truncated, gave_up, withdrawn] = statuses;
        let statuses = prop_oneof![delivered, truncated, gave_up, withdrawn];
        prop_oneof![
            (communicators(), any::<i32>(), any::<u64>(), handshakes()).prop_map(
                |(communicator, tag, number, handshake)| Control::Handshake { communicator, tag, number, handshake }
            ),
            (communicators(), any::<i32>(), any::<u64>(), handshakes()).prop_map(
                |(communicator, tag, number, handshake)| Control::Grant { communicator, tag, number, handshake }
            ),
            (handles(), statuses, any::<u64>())
                .prop_map(|(request, status, bytes)| Control::Fin { request, fin: Fin { status, bytes } }),
            (communicators(), any::<i32>(), any::<u64>(), handles(), any::<u64>(), any::<Option<u64>>()).prop_map(
                |(communicator, tag, number, transfer, bytes, address)| {
                    let message = RemoteMessage { transfer, bytes, address };
                    Control::Announcement { communicator, tag, number, message }
                }
            ),
            (handles(), handshakes()).prop_map(|(transfer, handshake)| Control::Answer { transfer, handshake }),
            (communicators(), any::<i32>(), any::<u64>(), handles()).prop_map(
                |(communicator, tag, number, transfer)| Control::Recall { communicator, tag, number, transfer }
            ),
            handles().prop_map(|transfer| Control::Recalled { transfer }),
            (handles(), any::<bool>()).prop_map(|(transfer, refused)| Control::Release { transfer, refused }),
            (handles(), any::<u64>(), any::<u64>()).prop_map(|(request, start, end)| Control::Segment {
                request,
                start,
                end
            }),
            (communicators(), any::<i32>(), any::<u64>(), handles()).prop_map(
                |(communicator, tag, number, request)| Control::Withdrawal { communicator, tag, number, request }
            ),
            (communicators(), any::<i32>(), any::<u64>(), handles()).prop_map(
                |(communicator, tag, number, request)| Control::Revocation { communicator, tag, number, request }
            ),
            (communicators(), any::<i32>(), any::<u64>(), handles()).prop_map(
                |(communicator, tag, number, request)| Control::Revoked { communicator, tag, number, request }
            ),
            (communicators(), any::<i32>(), handles(), any::<bool>()).prop_map(|(communicator, tag, transfer, all)| {
                let wanted = if all { Asked::All } else { Asked::NotShort };
                Control::Question { communicator, tag, transfer, wanted }
            }),
            (communicators(), any::<i32>(), any::<u64>(), handles(), any::<u64>(), any::<Option<u64>>()).prop_map(
                |(communicator, tag, number, transfer, bytes, address)| {
                    let message = RemoteMessage { transfer, bytes, address };
                    Control::Spilled { communicator, tag, number, message }
                }
            ),
            (any::<u32>(), any::<u32>(), needs(), any::<bool>()).prop_map(|(about, round, need, has_alternatives)| {
                Control::Inquiry(Inquiry { about: about as Rank, need, has_alternatives, round })
            }),
            any::<[u64; 5]>().prop_map(|words| {
                let mut bytes = [0; TEXT_BYTES];
                bytes
                    .as_chunks_mut::<8>()
                    .0
                    .iter_mut()
                    .zip(words)
                    .for_each(|(bytes, word)| *bytes = word.to_le_bytes());
                Control::Text(bytes)
            }),
            (any::<u32>(), any::<u32>(), states(), any::<u32>(), any::<u64>()).prop_map(
                |(about, round, state, since, count)| {
                    Control::Reply(Reply { about: about as Rank, round, state, since: since.into(), count })
                }
            ),
            (communicators(), any::<i32>(), any::<u64>(), any::<u64>())
                .prop_map(|(communicator, tag, sent, posted)| Control::TooLong { communicator, tag, sent, posted }),
        ]
    }

    proptest! {
        #[test]
        fn control_messages_survive_the_wire(message in controls()) {
            prop_assert_eq!(Control::decode(&message.encode()), Ok(message));
        }

        /// Whatever a damaged or foreign entry holds, it is read or refused, and what is read means the same again.
        #[test]
        fn every_entry_is_read_or_refused(kind in 0u32..18, detail: u32, words: [u64; 6]) {
            let entry: Entry = [pack(kind, detail), words[0], words[1], words[2], words[3], words[4], words[5]];
            if let Ok(message) = Control::decode(&entry) {
                prop_assert_eq!(Control::decode(&message.encode()), Ok(message));
            }
        }
    }

    #[test]
    fn damage_is_reported() {
        assert!(Control::decode(&[0; 7]).is_err());
        assert!(Control::decode(&[pack(FIN, 9), 0, 0, 0, 0, 0, 0]).is_err());
    }
}
