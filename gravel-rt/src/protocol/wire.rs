//! The two control messages, as ledger entries.
//!
//! Word 0 holds the kind in its low 32 bits. Kinds below [`PROVIDER_KINDS`] are the protocol's; a provider may send
//! entries of its own kinds through the same ledgers (so that they keep their order with handshakes) and takes them out
//! again before the protocol sees them.

use super::transfer::{Fin, RemoteBuffer};
use crate::communicator::CommunicatorId;
use crate::error::{Error, Result};
use crate::ledger::Entry;
use crate::request::Handle;

/// First kind that belongs to the provider.
pub const PROVIDER_KINDS: u32 = 0x100;

const HANDSHAKE: u32 = 1;
const FIN: u32 = 2;

/// Which ring of a pair an entry travels in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ledger {
    /// Consumer to producer: where receive buffers are (the paper's receive-info ledger).
    Handshake,
    /// Producer to consumer: ends of messages (the paper's RDMA-FIN ledger).
    Fin,
}

/// Whether a message arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum FinStatus {
    /// All data is in the receive buffer.
    Delivered = 0,
    /// The message was longer than the receive; nothing was written.
    Truncated = 1,
    /// The producer could not complete the message.
    GaveUp = 2,
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
        buffer: RemoteBuffer,
    },
    /// A message has ended.
    Fin {
        /// The consumer's receive.
        request: Handle,
        /// How it ended.
        fin: Fin,
    },
}

impl Control {
    /// The ring it travels in.
    pub fn ledger(&self) -> Ledger {
        match self {
            Self::Handshake { .. } => Ledger::Handshake,
            Self::Fin { .. } => Ledger::Fin,
        }
    }

    /// As an entry.
    pub fn encode(&self) -> Entry {
        match *self {
            Self::Handshake { communicator, tag, number, buffer } => [
                pack(HANDSHAKE, communicator.to_wire()),
                u64::from(tag.cast_unsigned()),
                buffer.request.into_raw().cast_unsigned(),
                buffer.address,
                buffer.bytes,
                number,
                0,
            ],
            Self::Fin { request, fin } => {
                [pack(FIN, fin.status as u32), request.into_raw().cast_unsigned(), fin.bytes, 0, 0, 0, 0]
            }
        }
    }

    /// From an entry; an unknown kind is damage or another version of the library.
    pub fn decode(entry: &Entry) -> Result<Self> {
        let (kind, detail) = unpack(entry[0]);
        match kind {
            HANDSHAKE => Ok(Self::Handshake {
                communicator: CommunicatorId::from_wire(detail),
                tag: low_half(entry[1]).cast_signed(),
                number: entry[5],
                buffer: RemoteBuffer {
                    request: Handle::from_raw(entry[2].cast_signed()),
                    address: entry[3],
                    bytes: entry[4],
                },
            }),
            FIN => {
                let status = match detail {
                    0 => FinStatus::Delivered,
                    1 => FinStatus::Truncated,
                    2 => FinStatus::GaveUp,
                    other => {
                        return Err(Error::Internal(format!("FIN with unknown status {other}")).into());
                    }
                };
                let fin = Fin { status, bytes: entry[2] };
                Ok(Self::Fin { request: Handle::from_raw(entry[1].cast_signed()), fin })
            }
            other => Err(Error::Internal(format!("ledger entry of unknown kind {other}")).into()),
        }
    }
}

/// Two halves as one word.
pub fn pack(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}

/// The low and the high half of a word.
pub fn unpack(word: u64) -> (u32, u32) {
    (low_half(word), low_half(word >> 32))
}

fn low_half(word: u64) -> u32 {
    (word & 0xffff_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn handshakes_survive_the_wire(
            communicator: u32, tag: i32, number: u64, request: i64, address: u64, bytes: u64,
        ) {
            let message = Control::Handshake {
                communicator: CommunicatorId::from_wire(communicator),
                tag,
                number,
                buffer: RemoteBuffer { request: Handle::from_raw(request), address, bytes },
            };
            prop_assert_eq!(Control::decode(&message.encode()), Ok(message));
        }

        #[test]
        fn fins_survive_the_wire(request: i64, bytes: u64, status in 0usize..3) {
            let status = [FinStatus::Delivered, FinStatus::Truncated, FinStatus::GaveUp][status];
            let message = Control::Fin { request: Handle::from_raw(request), fin: Fin { status, bytes } };
            prop_assert_eq!(Control::decode(&message.encode()), Ok(message));
        }
    }

    #[test]
    fn damage_is_reported() {
        assert!(Control::decode(&[0; 7]).is_err());
        assert!(Control::decode(&[pack(FIN, 9), 0, 0, 0, 0, 0, 0]).is_err());
    }
}
