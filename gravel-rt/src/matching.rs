//! Which message meets which receive.
//!
//! The consumer-initiated protocol matches at the producer: for each (consumer, communicator, tag), the k-th transfer
//! that the producer opens meets the k-th handshake that arrives. Handshakes of one consumer arrive in the order in
//! which it posted its receives, so this is MPI's rule that messages do not overtake. Different tags are independent.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use crate::Rank;
use crate::communicator::CommunicatorId;

/// What messages and receives must agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatchKey {
    /// The other rank.
    pub peer: Rank,
    /// The communicator.
    pub communicator: CommunicatorId,
    /// The tag.
    pub tag: i32,
}

/// A map by match key.
pub type KeyMap<V> = HashMap<MatchKey, V, BuildHasherDefault<KeyHasher>>;

/// Meets transfers `T` with handshakes `H`. For one key only one of the two queues can hold anything.
pub struct Matcher<T, H> {
    queues: KeyMap<Queues<T, H>>,
}

struct Queues<T, H> {
    /// Number of transfers opened so far.
    opened: u64,
    transfers: VecDeque<T>,
    handshakes: VecDeque<H>,
}

impl<T, H> Default for Queues<T, H> {
    fn default() -> Self {
        Self { opened: 0, transfers: VecDeque::new(), handshakes: VecDeque::new() }
    }
}

impl<T, H> Default for Matcher<T, H> {
    fn default() -> Self {
        Self { queues: HashMap::default() }
    }
}

impl<T: PartialEq, H> Matcher<T, H> {
    /// Opens the next transfer for `key`: returns its number (from 0) and the handshake that it meets, or queues it.
    pub fn open(&mut self, key: MatchKey, transfer: T) -> (u64, Option<H>) {
        let queues = self.queues.entry(key).or_default();
        let number = queues.opened;
        queues.opened += 1;
        let met = queues.handshakes.pop_front();
        if met.is_none() {
            queues.transfers.push_back(transfer);
        }
        (number, met)
    }

    /// Puts something else in the place of a transfer that still waits for its handshake.
    pub fn replace(&mut self, key: MatchKey, transfer: &T, replacement: T) {
        let queues = self.queues.entry(key).or_default();
        // It was opened lately: the search begins at the end.
        if let Some(place) = queues.transfers.iter_mut().rev().find(|waiting| *waiting == transfer) {
            *place = replacement;
        }
    }

    /// Takes the next handshake for `key`: returns the transfer that it meets (with the handshake), or queues it.
    pub fn arrive(&mut self, key: MatchKey, handshake: H) -> Option<(T, H)> {
        let queues = self.queues.entry(key).or_default();
        match queues.transfers.pop_front() {
            Some(transfer) => Some((transfer, handshake)),
            None => {
                queues.handshakes.push_back(handshake);
                None
            }
        }
    }
}

/// Multiplicative hashing of the few words of a key: the keys are the program's own ranks and tags, so there is no
/// attacker to guard against, and this lookup lies on the path of every message.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        // The table uses the high bits for its tags and the low bits for the bucket.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_i32(&mut self, word: i32) {
        self.write_u64(u64::from(word.cast_unsigned()));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(peer: Rank, tag: i32) -> MatchKey {
        MatchKey { peer, communicator: CommunicatorId::FIRST, tag }
    }

    #[test]
    fn tags_peers_and_communicators_are_independent() {
        let mut matcher = Matcher::default();
        assert_eq!(matcher.open(key(1, 7), 'a'), (0, None));
        assert_eq!(matcher.arrive(key(1, 8), 1), None);
        assert_eq!(matcher.arrive(key(2, 7), 2), None);
        let other = MatchKey { communicator: CommunicatorId::from_wire(9), ..key(1, 7) };
        assert_eq!(matcher.arrive(other, 4), None);
        assert_eq!(matcher.arrive(key(1, 7), 3), Some(('a', 3)));
    }

    #[test]
    fn a_replacement_keeps_the_place() {
        let mut matcher = Matcher::default();
        for transfer in ['a', 'b', 'c'] {
            matcher.open(key(0, 0), transfer);
        }
        matcher.replace(key(0, 0), &'b', 'x');
        let order: Vec<_> = (0..3).filter_map(|handshake| matcher.arrive(key(0, 0), handshake)).collect();
        assert_eq!(order, [('a', 0), ('x', 1), ('c', 2)]);
    }

    proptest! {
        /// In any interleaving, and for each key on its own, the k-th transfer meets the k-th handshake.
        #[test]
        fn the_kth_meets_the_kth(steps in proptest::collection::vec((any::<bool>(), 0usize..3, 0i32..3), 0..200)) {
            let mut matcher = Matcher::default();
            let mut opened: HashMap<MatchKey, u32> = HashMap::new();
            let mut arrived: HashMap<MatchKey, u32> = HashMap::new();
            let mut met: HashMap<MatchKey, u32> = HashMap::new();
            for (open, peer, tag) in steps {
                let key = key(peer, tag);
                let pair = if open {
                    let number = opened.entry(key).or_default();
                    *number += 1;
                    {
                        let (opened_before, met) = matcher.open(key, *number);
                        prop_assert_eq!(opened_before + 1, u64::from(*number));
                        met.map(|handshake| (*number, handshake))
                    }
                } else {
                    let number = arrived.entry(key).or_default();
                    *number += 1;
                    matcher.arrive(key, *number)
                };
                if let Some((transfer, handshake)) = pair {
                    prop_assert_eq!(transfer, handshake);
                    let last = met.entry(key).or_default();
                    prop_assert_eq!(transfer, *last + 1);
                    *last = transfer;
                }
                let expected = opened.get(&key).copied().unwrap_or(0).min(arrived.get(&key).copied().unwrap_or(0));
                prop_assert_eq!(met.get(&key).copied().unwrap_or(0), expected);
            }
        }
    }
}
