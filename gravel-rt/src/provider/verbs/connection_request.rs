//! What ranks say to one another by datagrams, to connect.

use super::datagram::MESSAGE_BYTES;
use super::queue_pair::RingsPlace;
use crate::Rank;

/// Tells datagrams of this protocol and version from others.
const MARK: u32 = 0x4752_5602;
const ASKS: u32 = 1;
const IS_CONNECTED: u32 = 2;
const REFUSES: u32 = 4;

/// Says where one end of a connection is, and what its rank knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectionRequest {
    /// Who says it.
    pub from: Rank,
    /// The number of its queue pair, and where the ring is that the other end writes.
    pub number: u32,
    /// See above.
    pub rings: RingsPlace,
    /// Whether an answer is wanted.
    pub asks: bool,
    /// Whether that queue pair is connected to the other end's: then it may be sent to.
    pub is_connected: bool,
    /// Whether this rank will never have its end of the connection.
    pub refuses: bool,
}

impl ConnectionRequest {
    /// As bytes.
    pub fn encode(&self) -> [u8; MESSAGE_BYTES] {
        let flags = [(self.asks, ASKS), (self.is_connected, IS_CONNECTED), (self.refuses, REFUSES)];
        let flags = flags.into_iter().filter(|&(set, _)| set).fold(0, |flags, (_, flag)| flags | flag);
        let mut bytes = [0; MESSAGE_BYTES];
        // Ranks fit 32 bits, as in MPI.
        for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip([
            MARK,
            flags,
            self.from as u32,
            self.number,
            self.rings.key,
            self.rings.address as u32,
            (self.rings.address >> 32) as u32,
        ]) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// Reads what [`ConnectionRequest::encode`] wrote; nothing if it was something else.
    pub fn decode(bytes: &[u8; MESSAGE_BYTES]) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes(bytes.as_chunks::<4>().0[at]);
        let flags = word(1);
        (word(0) == MARK).then(|| Self {
            from: word(2) as Rank,
            number: word(3),
            rings: RingsPlace { key: word(4), address: u64::from(word(5)) | u64::from(word(6)) << 32 },
            asks: flags & ASKS != 0,
            is_connected: flags & IS_CONNECTED != 0,
            refuses: flags & REFUSES != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_their_way_and_nothing_else_is_one() {
        for flags in 0..8 {
            let request = ConnectionRequest {
                from: 70_000,
                number: 0x1_2345,
                rings: RingsPlace { address: 0x7f12_3456_789a_bcd0, key: 77 },
                asks: flags & 1 != 0,
                is_connected: flags & 2 != 0,
                refuses: flags & 4 != 0,
            };
            let mut bytes = request.encode();
            assert_eq!(ConnectionRequest::decode(&bytes), Some(request));
            bytes[0] ^= 1;
            assert_eq!(ConnectionRequest::decode(&bytes), None);
        }
    }
}
