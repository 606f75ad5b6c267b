//! What a rank tells the others of its shared memory, as bytes of a fixed length.

use crate::provider::card::{Decoder, Encoder};

const REASON_BYTES: usize = 160;
/// Length of an encoded card.
pub const CARD_BYTES: usize = 8 + 4 + REASON_BYTES + 8 + 8;

/// Whether a rank shares memory with others of its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// It does: the descriptor of its control segment.
    Segment(i32),
    /// Its settings do not permit it.
    Unwanted,
    /// It can't, and why.
    Impossible(String),
}

/// In the place of a descriptor.
const UNWANTED: i32 = -1;
/// Likewise.
const IMPOSSIBLE: i32 = -2;

/// One rank's card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Drawn at random, written in the control segment and at `probe`.
    pub cookie: u64,
    /// Whether it can be reached by shared memory.
    pub sharing: Sharing,
    /// Address of a word that holds the cookie, for reading by CMA.
    pub probe: u64,
    /// Address of one word per rank, for writing by CMA.
    pub probe_slots: u64,
}

impl Card {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder(Vec::with_capacity(CARD_BYTES));
        encoder.0.extend_from_slice(&self.cookie.to_le_bytes());
        let (descriptor, reason) = match &self.sharing {
            Sharing::Segment(descriptor) => (*descriptor, ""),
            Sharing::Unwanted => (UNWANTED, ""),
            Sharing::Impossible(reason) => (IMPOSSIBLE, &**reason),
        };
        encoder.0.extend_from_slice(&descriptor.to_le_bytes());
        encoder.text(reason, REASON_BYTES);
        encoder.0.extend_from_slice(&self.probe.to_le_bytes());
        encoder.0.extend_from_slice(&self.probe_slots.to_le_bytes());
        encoder.0
    }

    /// From bytes; nothing if there are too few.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder(bytes);
        Some(Self {
            cookie: u64::from_le_bytes(decoder.take()?),
            sharing: {
                let descriptor = i32::from_le_bytes(decoder.take()?);
                let reason = decoder.text::<REASON_BYTES>()?;
                match descriptor {
                    UNWANTED => Sharing::Unwanted,
                    IMPOSSIBLE => Sharing::Impossible(reason),
                    descriptor => Sharing::Segment(descriptor),
                }
            },
            probe: u64::from_le_bytes(decoder.take()?),
            probe_slots: u64::from_le_bytes(decoder.take()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        Card { cookie: 6, sharing: Sharing::Segment(7), probe: 8, probe_slots: 9 }
    }

    #[test]
    fn cards_survive_the_wire() {
        let bytes = card().encode();
        assert_eq!(bytes.len(), CARD_BYTES);
        assert_eq!(Card::decode(&bytes), Some(card()));
        for sharing in [Sharing::Unwanted, Sharing::Impossible("memfd_create: no".into())] {
            let card = Card { sharing, ..card() };
            assert_eq!(Card::decode(&card.encode()), Some(card));
        }
    }

    #[test]
    fn short_cards_are_no_cards() {
        assert_eq!(Card::decode(&card().encode()[..CARD_BYTES - 1]), None);
    }
}
