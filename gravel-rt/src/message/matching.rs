//! Which message meets which receive.
//!
//! For each (peer, communicator, tag) both sides count: the producer its messages, the consumer its receives, each from
//! 0 in the order in which they were opened or posted. Message n meets receive n. This is MPI's rule that messages do not
//! overtake, and different tags are independent. A handshake carries its receive's number, and eager data its message's,
//! so either may travel, or not be needed at all, without a count getting out of step. A receive that is cancelled takes its
//! number with it: the producer skips that.
//!
//! This file is the producer's side; the consumer's is [`crate::engine::eager::ReceiveOrder`]. Messages that their
//! producer announces are matched by the consumer, in [`crate::engine::announcements`];
//! their producer counts them as well, for those that are [granted](crate::engine::grants).

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::Rank;
use crate::message::communicator::CommunicatorId;

pub use crate::error::tag::ALLTOALL_TAG;

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

impl MatchKey {
    /// All patterns that take messages of this key.
    pub fn patterns(&self) -> [Pattern; 4] {
        let &Self { peer, communicator, tag } = self;
        let pattern = |source, tag| Pattern { source, communicator, tag };
        // A receive of any tag takes none of an all-to-all exchange.
        let any_tag = (tag == ALLTOALL_TAG).then_some(tag);
        [pattern(Some(peer), Some(tag)), pattern(None, Some(tag)), pattern(Some(peer), any_tag), pattern(None, any_tag)]
    }
}

impl From<MatchKey> for Pattern {
    fn from(key: MatchKey) -> Self {
        Self { source: Some(key.peer), communicator: key.communicator, tag: Some(key.tag) }
    }
}

/// Which messages a receive takes that the consumer matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// From this rank; none means MPI_ANY_SOURCE.
    pub source: Option<Rank>,
    /// On this communicator.
    pub communicator: CommunicatorId,
    /// With this tag; none means MPI_ANY_TAG.
    pub tag: Option<i32>,
}

impl Pattern {
    /// Whether messages of several keys are taken.
    #[inline(always)]
    pub fn is_wildcard(&self) -> bool {
        self.source.is_none() || self.tag.is_none()
    }

    /// The only key whose messages are taken, if there is one.
    pub fn key(&self) -> Option<MatchKey> {
        Some(MatchKey { peer: self.source?, communicator: self.communicator, tag: self.tag? })
    }

    /// Whether messages of this key are taken.
    pub fn covers(&self, key: MatchKey) -> bool {
        self.communicator == key.communicator
            && self.source.is_none_or(|source| source == key.peer)
            && self.tag.map_or(key.tag != ALLTOALL_TAG, |tag| tag == key.tag)
    }
}

/// A map by match key, or what a key is made of, which looks first at the key that was used last: most messages of a program's
/// inner loop have the key of the one before.
#[derive(Debug)]
pub struct KeyMap<K, V> {
    places: HashMap<K, usize, BuildHasherDefault<KeyHasher>>,
    entries: Vec<(K, V)>,
    last: usize,
}

impl<K, V> Default for KeyMap<K, V> {
    fn default() -> Self {
        Self { places: HashMap::default(), entries: Vec::new(), last: 0 }
    }
}

impl<K: Copy + Eq + Hash, V: Default> KeyMap<K, V> {
    /// The value of a key, made if there is none.
    #[inline(always)]
    pub fn entry(&mut self, key: K) -> &mut V {
        if self.entries.get(self.last).is_none_or(|(last, _)| *last != key) {
            self.search(key);
        }
        &mut self.entries[self.last].1
    }

    #[inline(never)]
    fn search(&mut self, key: K) {
        self.last = *self.places.entry(key).or_insert_with(|| {
            self.entries.push((key, V::default()));
            self.entries.len() - 1
        });
    }

    /// The value of a key, if it was ever made.
    #[inline(always)]
    pub fn get(&self, key: K) -> Option<&V> {
        match self.entries.get(self.last) {
            Some((last, value)) if *last == key => Some(value),
            _ => self.find(key),
        }
    }

    #[inline(never)]
    fn find(&self, key: K) -> Option<&V> {
        self.places.get(&key).map(|&place| &self.entries[place].1)
    }

    /// As [`KeyMap::get`], to change it.
    #[inline(always)]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        if self.entries.get(self.last).is_none_or(|(last, _)| *last != key) {
            self.last = *self.places.get(&key)?;
        }
        Some(&mut self.entries[self.last].1)
    }

    /// All keys and their values.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.entries.iter()
    }

    /// All values, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Drops all other keys.
    pub fn retain(&mut self, is_kept: impl Fn(&K) -> bool) {
        self.entries.retain(|(key, _)| is_kept(key));
        self.places = self.entries.iter().enumerate().map(|(place, &(key, _))| (key, place)).collect();
        self.last = 0;
    }
}

/// Meets transfers `T` with handshakes `H`.
pub struct Matcher<T, H> {
    queues: KeyMap<MatchKey, Queues<T, H>>,
}

struct Queues<T, H> {
    /// Number of messages opened so far: the next one's number.
    opened: u64,
    /// Messages below `opened` that wait for their handshake.
    transfers: BTreeMap<u64, T>,
    /// Handshakes of messages from `opened` on; none for a receive that was withdrawn.
    handshakes: BTreeMap<u64, Option<H>>,
}

impl<T, H> Queues<T, H> {
    #[inline(always)]
    fn open(&mut self) -> (u64, Option<H>) {
        let number = self.opened;
        self.opened += 1;
        // The common case for short messages, whose handshakes do not come.
        if self.handshakes.is_empty() {
            return (number, None);
        }
        match self.handshakes.remove(&number) {
            None => (number, None),
            Some(Some(handshake)) => (number, Some(handshake)),
            // Withdrawn: the message takes the next number.
            Some(None) => self.open(),
        }
    }
}

impl<T, H> Default for Queues<T, H> {
    fn default() -> Self {
        Self { opened: 0, transfers: BTreeMap::new(), handshakes: BTreeMap::new() }
    }
}

impl<T, H> Default for Matcher<T, H> {
    fn default() -> Self {
        Self { queues: KeyMap::default() }
    }
}

impl<T, H> Matcher<T, H> {
    /// Opens the next message for `key`: returns its number (from 0) and its handshake, if that has come.
    pub fn open(&mut self, key: MatchKey) -> (u64, Option<H>) {
        self.queues.entry(key).open()
    }

    /// As [`Matcher::open`], but nothing is done for the first message of a key.
    #[inline(always)]
    pub fn open_next(&mut self, key: MatchKey) -> Option<(u64, Option<H>)> {
        let queues = self.queues.entry(key);
        if queues.opened == 0 { None } else { Some(queues.open()) }
    }

    /// How many messages of a key were opened: the next one's number.
    pub fn opened(&self, key: MatchKey) -> u64 {
        self.queues.get(key).map_or(0, |queues| queues.opened)
    }

    /// Withdraws the receive with this number, whether its handshake has come or not. False if a message has that number
    /// already.
    pub fn withdraw_receive(&mut self, key: MatchKey, number: u64) -> bool {
        let queues = self.queues.entry(key);
        let free = number >= queues.opened;
        if free {
            queues.handshakes.insert(number, None);
        }
        free
    }

    /// Keeps a transfer until the handshake of its number comes.
    pub fn await_handshake(&mut self, key: MatchKey, number: u64, transfer: T) {
        self.queues.entry(key).transfers.insert(number, transfer);
    }

    /// The message with this number needs no handshake any more.
    pub fn withdraw(&mut self, key: MatchKey, number: u64) {
        self.queues.entry(key).transfers.remove(&number);
    }

    /// Drops the counts of a communicator on which no more message is opened.
    pub fn forget(&mut self, communicator: CommunicatorId) {
        self.queues.retain(|key| key.communicator != communicator);
    }

    /// Takes the handshake of a number: returns it with the transfer that it meets, or keeps it for a message that has not
    /// been opened. One whose message has travelled without it is dropped.
    pub fn arrive(&mut self, key: MatchKey, number: u64, handshake: H) -> Option<(T, H)> {
        let queues = self.queues.entry(key);
        if number < queues.opened {
            return queues.transfers.remove(&number).map(|transfer| (transfer, handshake));
        }
        queues.handshakes.insert(number, Some(handshake));
        None
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
    fn a_key_map_finds_what_was_used_last_and_all_else() {
        let mut map = KeyMap::<u8, Vec<u8>>::default();
        for key in [1, 2, 3, 2, 1] {
            map.entry(key).push(key);
        }
        assert_eq!([1, 2, 3, 4].map(|key| map.get(key).map(Vec::len)), [Some(2), Some(2), Some(1), None]);
        assert_eq!(map.get_mut(4), None);
        map.get_mut(3).expect("it was made").push(9);
        map.retain(|&key| key != 1);
        assert_eq!(map.iter().map(|(key, value)| (*key, value.len())).collect::<Vec<_>>(), [(2, 2), (3, 2)]);
        assert_eq!((map.get(1), map.get(3)), (None, Some(&vec![3, 9])));
        map.values_mut().for_each(Vec::clear);
        assert_eq!(map.get(2), Some(&vec![]));
    }

    #[test]
    fn a_forgotten_communicator_leaves_the_others_as_they_were() {
        let mut matcher = Matcher::default();
        let freed = MatchKey { communicator: CommunicatorId::from_wire(9), ..key(1, 7) };
        assert_eq!(open(&mut matcher, freed, 'a'), None);
        assert_eq!(open(&mut matcher, key(1, 7), 'b'), None);
        assert_eq!(open(&mut matcher, key(2, 7), 'c'), None);
        matcher.forget(freed.communicator);
        assert_eq!(matcher.arrive(key(2, 7), 0, 3), Some(('c', 3)));
        assert_eq!(matcher.arrive(key(1, 7), 0, 2), Some(('b', 2)));
        assert_eq!(matcher.arrive(freed, 0, 1), None);
        assert_eq!(matcher.open(key(1, 7)), (1, None));
    }

    /// Opens a message and waits for its handshake if it has not come.
    fn open(matcher: &mut Matcher<char, u32>, key: MatchKey, transfer: char) -> Option<u32> {
        let (number, met) = matcher.open(key);
        if met.is_none() {
            matcher.await_handshake(key, number, transfer);
        }
        met
    }

    #[test]
    fn tags_peers_and_communicators_are_independent() {
        let mut matcher = Matcher::default();
        assert_eq!(open(&mut matcher, key(1, 7), 'a'), None);
        assert_eq!(matcher.arrive(key(1, 8), 0, 1), None);
        assert_eq!(matcher.arrive(key(2, 7), 0, 2), None);
        let other = MatchKey { communicator: CommunicatorId::from_wire(9), ..key(1, 7) };
        assert_eq!(matcher.arrive(other, 0, 4), None);
        assert_eq!(matcher.arrive(key(1, 7), 0, 3), Some(('a', 3)));
    }

    #[test]
    fn a_message_that_went_without_its_handshake_leaves_the_others_in_step() {
        let mut matcher = Matcher::default();
        assert_eq!(open(&mut matcher, key(0, 0), 'a'), None);
        assert_eq!(matcher.open(key(0, 0)), (1, None), "sent eagerly at once");
        assert_eq!(open(&mut matcher, key(0, 0), 'c'), None);
        matcher.withdraw(key(0, 0), 0);
        assert_eq!(matcher.arrive(key(0, 0), 0, 10), None);
        assert_eq!(matcher.arrive(key(0, 0), 2, 12), Some(('c', 12)), "handshakes may come out of order");
        assert_eq!(matcher.arrive(key(0, 0), 1, 11), None);
        assert_eq!(matcher.open(key(0, 0)), (3, None), "none of the dropped ones is taken for it");
    }

    #[test]
    fn a_withdrawn_receive_takes_its_number_with_it() {
        let mut matcher = Matcher::default();
        assert_eq!(matcher.arrive(key(0, 0), 0, 10), None);
        assert!(matcher.withdraw_receive(key(0, 0), 0));
        assert!(matcher.withdraw_receive(key(0, 0), 1), "its handshake never came");
        assert_eq!(matcher.arrive(key(0, 0), 2, 12), None);
        assert_eq!(open(&mut matcher, key(0, 0), 'a'), Some(12));
        assert_eq!(open(&mut matcher, key(0, 0), 'b'), None);
        assert!(!matcher.withdraw_receive(key(0, 0), 3), "a message has that number already");
        assert_eq!(matcher.arrive(key(0, 0), 3, 13), Some(('b', 13)));
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Open,
        OpenEager,
        Handshake,
    }

    proptest! {
        /// In any interleaving, for each key on its own, and with any handshakes left out, message n meets handshake n.
        #[test]
        fn the_nth_meets_the_nth(
            steps in proptest::collection::vec(
                (prop_oneof![Just(Step::Open), Just(Step::OpenEager), Just(Step::Handshake)], 0usize..3, 0i32..3, 0u64..3), 0..200),
        ) {
            let mut matcher = Matcher::default();
            let mut opened: HashMap<MatchKey, u64> = HashMap::new();
            let mut posted: HashMap<MatchKey, u64> = HashMap::new();
            let mut open_numbers: HashMap<(MatchKey, u64), bool> = HashMap::new();
            let mut sent: Vec<(MatchKey, u64)> = Vec::new();
            for (step, peer, tag, skipped) in steps {
                let key = key(peer, tag);
                match step {
                    Step::Open | Step::OpenEager => {
                        let expected = opened.entry(key).or_default();
                        let (number, met) = matcher.open(key);
                        prop_assert_eq!(number, *expected);
                        *expected += 1;
                        prop_assert_eq!(met, sent.contains(&(key, number)).then_some(number));
                        let waits = matches!(step, Step::Open) && met.is_none();
                        open_numbers.insert((key, number), waits);
                        if waits {
                            matcher.await_handshake(key, number, number);
                        }
                    }
                    Step::Handshake => {
                        let next = posted.entry(key).or_default();
                        let number = *next + skipped;
                        *next = number + 1;
                        sent.push((key, number));
                        let waits = open_numbers.get(&(key, number)).copied().unwrap_or(false);
                        prop_assert_eq!(matcher.arrive(key, number, number), waits.then_some((number, number)));
                    }
                }
            }
        }
    }
}
