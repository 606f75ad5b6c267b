//! What the immediate of a write says.
//!
//! | upper bits | what has come |
//! |---|---|
//! | 0, 1 | an entry of the handshake ring, of the FIN ring, and what its sender has given back; or, where bits above that are set, a whole message: how long ago its receive was told of, and likewise |
//! | 2 | credits: which ring (2 bits), and the low bits of what the peer has read of it |
//! | 3 | a piece: its place in the staging ring, where its entry lies before it, or which recent key it is of; and likewise |

use super::credits::{COUNT_BITS, FIN_SLOTS};
use super::recent_keys::RECENT_KEYS;
use super::rings::STAGED_PLACES;
use super::told_receives::LONGEST_AGO;
use crate::message::wire::Ledger;
use crate::provider::piece::HANDSHAKE_SLOTS;

const CREDITS: u32 = 2;
const STAGED: u32 = 3;
const KIND_SHIFT: u32 = 30;
const _: () = assert!(COUNT_BITS + 4 == u32::BITS);

/// Low bits of counts: a writer is never further ahead of what it knows than its ring is long, so one bit more than that
/// tells them apart.
pub const HANDSHAKE_BITS: u32 = HANDSHAKE_SLOTS.ilog2() + 1;
/// See above.
pub const FIN_BITS: u32 = FIN_SLOTS.ilog2() + 1;
/// See above; of the staging ring, places are counted.
pub const STAGED_BITS: u32 = STAGED_PLACES.ilog2() + 1;
/// Bits of a place in the staging ring.
const PLACE_BITS: u32 = STAGED_PLACES.ilog2();
/// Bits of what an entry gives back.
const ENTRY_BITS: u32 = HANDSHAKE_BITS + FIN_BITS + STAGED_BITS;
/// Above these, zero says that it is an entry; both kinds of entries leave so many other values.
const AGES: u32 = (1 << (KIND_SHIFT - ENTRY_BITS)) - 1;
const _: () = assert!(ENTRY_BITS < KIND_SHIFT && LONGEST_AGO <= 2 * AGES);
/// Bits that say which recent key it is of: none is zero.
const KEY_BITS: u32 = (RECENT_KEYS + 1).ilog2();
const KEY_SHIFT: u32 = PLACE_BITS + FIN_BITS + STAGED_BITS;
const _: () = assert!(KEY_SHIFT + KEY_BITS <= KIND_SHIFT && 1 << KEY_BITS == RECENT_KEYS + 1);
const _: () =
    assert!(HANDSHAKE_SLOTS.is_power_of_two() && FIN_SLOTS.is_power_of_two() && STAGED_PLACES.is_power_of_two());

/// What the sender of an entry has read of the rings that its peer writes: low bits of the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenBack {
    /// Handshakes; an entry in the staging ring has no room for them.
    pub handshakes: Option<u32>,
    /// Entries of the FIN ring.
    pub fins: u32,
    /// Places of the staging ring.
    pub staged: u32,
}

/// What has come with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// An entry.
    Entry(Ledger, GivenBack),
    /// An entry with a piece behind it, at this place of the staging ring; or only the piece, which is eager data, if it is
    /// of that recent key.
    Staged(u32, Option<u32>, GivenBack),
    /// All of a message, which its receive has: so many entries before those that are given back, its handshake came.
    Written(u32, GivenBack),
    /// Credits: the ring, and the low bits of the count.
    Credits(u32, u32),
}

impl GivenBack {
    /// Of these counts.
    pub fn of(handshakes: Option<u64>, fins: u64, staged: u64) -> Self {
        let low = |count: u64, bits: u32| (count & ((1 << bits) - 1)) as u32;
        Self {
            handshakes: handshakes.map(|count| low(count, HANDSHAKE_BITS)),
            fins: low(fins, FIN_BITS),
            staged: low(staged, STAGED_BITS),
        }
    }

    fn encode(self) -> u32 {
        self.handshakes.unwrap_or(0) << (FIN_BITS + STAGED_BITS) | self.fins << STAGED_BITS | self.staged
    }

    fn decode(bits: u32, has_handshakes: bool) -> Self {
        let field = |shift: u32, width: u32| bits >> shift & ((1 << width) - 1);
        Self {
            handshakes: has_handshakes.then(|| field(FIN_BITS + STAGED_BITS, HANDSHAKE_BITS)),
            fins: field(STAGED_BITS, FIN_BITS),
            staged: field(0, STAGED_BITS),
        }
    }
}

impl Arrival {
    /// As an immediate.
    pub fn encode(self) -> u32 {
        match self {
            Self::Entry(Ledger::Handshake, given_back) => given_back.encode(),
            Self::Entry(Ledger::Fin, given_back) => 1 << KIND_SHIFT | given_back.encode(),
            Self::Staged(place, key, given_back) => {
                let key = key.map_or(0, |key| key + 1);
                STAGED << KIND_SHIFT | key << KEY_SHIFT | given_back.encode() << PLACE_BITS | place
            }
            Self::Written(ago, given_back) => {
                let (kind, age) = ((ago - 1) / AGES, (ago - 1) % AGES + 1);
                kind << KIND_SHIFT | age << ENTRY_BITS | given_back.encode()
            }
            Self::Credits(ring, count) => CREDITS << KIND_SHIFT | ring << COUNT_BITS | count,
        }
    }

    /// What an immediate says.
    pub fn decode(immediate: u32) -> Self {
        match immediate >> KIND_SHIFT {
            kind @ (0 | 1) => {
                let given_back = GivenBack::decode(immediate, true);
                match immediate >> ENTRY_BITS & AGES {
                    0 if kind == 0 => Self::Entry(Ledger::Handshake, given_back),
                    0 => Self::Entry(Ledger::Fin, given_back),
                    age => Self::Written(kind * AGES + age, given_back),
                }
            }
            CREDITS => Self::Credits(immediate >> COUNT_BITS & 3, immediate & ((1 << COUNT_BITS) - 1)),
            _ => {
                let key = immediate >> KEY_SHIFT & ((1 << KEY_BITS) - 1);
                let given_back = GivenBack::decode(immediate >> PLACE_BITS, false);
                Self::Staged(immediate & (STAGED_PLACES - 1), key.checked_sub(1), given_back)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_say_what_has_come() {
        let counts = [(0, 0, 0), (64, 128, 512), (127, 255, 1023), (1 << 40, 77, 12_345)];
        let mut arrivals = vec![Arrival::Credits(2, (1 << COUNT_BITS) - 1), Arrival::Credits(0, 0)];
        for (handshakes, fins, staged) in counts {
            let all = GivenBack::of(Some(handshakes), fins, staged);
            let behind = GivenBack::of(None, fins, staged);
            arrivals.extend([Arrival::Entry(Ledger::Handshake, all), Arrival::Entry(Ledger::Fin, all)]);
            arrivals.extend((1..=LONGEST_AGO).map(|ago| Arrival::Written(ago, all)));
            for key in [None, Some(0), Some(RECENT_KEYS - 1)] {
                arrivals.extend([0, STAGED_PLACES - 1].map(|place| Arrival::Staged(place, key, behind)));
            }
        }
        for arrival in &arrivals {
            assert_eq!(Arrival::decode(arrival.encode()), *arrival);
        }
        let distinct: std::collections::HashSet<u32> = arrivals.iter().map(|arrival| arrival.encode()).collect();
        assert_eq!(distinct.len(), arrivals.len(), "two that are not the same look the same");
    }
}
