//! What the immediate of a write says.
//!
//! | upper bits | what has come |
//! |---|---|
//! | 0, 1 | an entry of the handshake ring, of the FIN ring |
//! | 2 | credits: which ring (2 bits), and the low bits of what the peer has read of it |
//! | 3 | a FIN entry that is not in its ring: its place in the staging ring, where its piece lies behind it |

use super::credits::COUNT_BITS;
use super::rings::STAGED_PLACES;
use crate::protocol::wire::Ledger;

const CREDITS: u32 = 2;
const STAGED: u32 = 3;
const KIND_SHIFT: u32 = 30;
const _: () = assert!(COUNT_BITS + 4 == u32::BITS);

/// What has come with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// An entry.
    Entry(Ledger),
    /// An entry with a piece behind it, at this place of the staging ring.
    Staged(u32),
    /// Credits: the ring, and the low bits of the count.
    Credits(u32, u32),
}

impl Arrival {
    /// As an immediate.
    pub fn encode(self) -> u32 {
        match self {
            Self::Entry(Ledger::Handshake) => 0,
            Self::Entry(Ledger::Fin) => 1 << KIND_SHIFT,
            Self::Staged(place) => STAGED << KIND_SHIFT | place,
            Self::Credits(ring, count) => CREDITS << KIND_SHIFT | ring << COUNT_BITS | count,
        }
    }

    /// Nothing if it says nothing that a peer says.
    pub fn decode(immediate: u32) -> Option<Self> {
        match immediate >> KIND_SHIFT {
            0 => Some(Self::Entry(Ledger::Handshake)),
            1 => Some(Self::Entry(Ledger::Fin)),
            CREDITS => Some(Self::Credits(immediate >> COUNT_BITS & 3, immediate & ((1 << COUNT_BITS) - 1))),
            _ => Some(immediate & ((1 << KIND_SHIFT) - 1)).filter(|&place| place < STAGED_PLACES).map(Self::Staged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_say_what_has_come() {
        let arrivals = [
            Arrival::Entry(Ledger::Handshake),
            Arrival::Entry(Ledger::Fin),
            Arrival::Credits(2, (1 << COUNT_BITS) - 1),
            Arrival::Credits(0, 0),
            Arrival::Staged(0),
            Arrival::Staged(STAGED_PLACES - 1),
        ];
        for arrival in arrivals {
            assert_eq!(Arrival::decode(arrival.encode()), Some(arrival));
        }
        assert_eq!(Arrival::decode(u32::MAX), None);
        assert_eq!(Arrival::decode(Arrival::Staged(STAGED_PLACES).encode()), None, "behind the ring");
    }
}
