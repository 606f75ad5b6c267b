//! The match keys of the last messages on a connection, so that a message like one of them needs no entry that names it.
//!
//! Programs send the same few messages to a peer again and again, numbered one by one. A message whose key is among the
//! last [`RECENT_KEYS`] and whose number is the next one is sent as its bytes alone: the immediate says which key it is,
//! the completion how long it is. So it is as long as in a program that is written for verbs: 64 bytes more are another
//! packet where the message fills whole ones.
//!
//! Both ends note the same messages in the same order, which is that of the connection, so both know the same keys.

use crate::message::wire::unpack;
use crate::provider::piece::EAGER;

/// So many keys are known.
pub const RECENT_KEYS: u32 = 7;

/// What one end knows of the messages that have been sent in one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentKeys {
    /// A key as its entries have it, and the number of its next message.
    keys: [Option<(u64, u64)>; RECENT_KEYS as usize],
    /// Which one goes next.
    oldest: usize,
}

impl RecentKeys {
    /// Which of the keys it is, if this is the number of its next message.
    pub fn find(&self, [key, number]: [u64; 2]) -> Option<u32> {
        // Places fit 32 bits.
        self.keys.iter().position(|&known| known == Some((key, number))).map(|place| place as u32)
    }

    /// Key and number of the next message of one of the keys, which has been sent, or has come.
    pub fn take_next(&mut self, place: u32) -> Option<[u64; 2]> {
        let (key, number) = self.keys.get_mut(place as usize)?.as_mut()?;
        let next = [*key, *number];
        *number = number.wrapping_add(1);
        Some(next)
    }

    /// A message with this key and number has been sent, or has come.
    pub fn note(&mut self, [key, number]: [u64; 2]) {
        let known = |place: &Option<(u64, u64)>| place.is_some_and(|(known, _)| known == key);
        let place = self.keys.iter().position(known).unwrap_or_else(|| {
            let place = self.oldest;
            self.oldest = (place + 1) % self.keys.len();
            place
        });
        self.keys[place] = Some((key, number.wrapping_add(1)));
    }

    /// As [`RecentKeys::note`], for an entry that may be about something else.
    pub fn note_entry(&mut self, kind_and_length: u64, words: [u64; 2]) {
        if unpack(kind_and_length).0 & EAGER != 0 {
            self.note(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is sent, a message that is sent without its key and number is taken for what it is.
        #[test]
        fn both_ends_know_the_same(steps in proptest::collection::vec((0u64..10, prop_oneof![3 => Just(0u64), 1 => 0u64..3]), 0..200)) {
            let (mut sender, mut receiver) = (RecentKeys::default(), RecentKeys::default());
            let mut numbers = [0u64; 10];
            for (key, skipped) in steps {
                // Others leave by other ways.
                numbers[key as usize] += skipped;
                let words = [key, numbers[key as usize]];
                numbers[key as usize] += 1;
                if let Some(place) = sender.find(words) {
                    prop_assert_eq!(sender.take_next(place), Some(words));
                    prop_assert_eq!(receiver.take_next(place), Some(words));
                } else {
                    sender.note(words);
                    receiver.note(words);
                }
                prop_assert_eq!(&sender, &receiver);
            }
        }
    }

    #[test]
    fn only_the_next_number_of_a_recent_key_is_found() {
        let mut keys = RecentKeys::default();
        for key in 0..u64::from(RECENT_KEYS) + 1 {
            keys.note([key, 5]);
        }
        assert_eq!((keys.find([1, 6]), keys.find([1, 5]), keys.find([1, 7])), (Some(1), None, None));
        assert_eq!(keys.find([0, 6]), None, "the oldest one has gone");
        assert_eq!(keys.find([u64::from(RECENT_KEYS), 6]), Some(0));
        assert_eq!(keys.take_next(RECENT_KEYS), None);
    }
}
