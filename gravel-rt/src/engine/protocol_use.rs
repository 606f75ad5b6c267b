//! Which protocol the messages of a match key use.
//!
//! The program chooses the protocol by the calls that it makes, and all messages of one (peer, communicator, tag) must use
//! the same: consumer-initiated messages are matched by their numbers at the producer, announced ones at the consumer, and
//! neither side would ever find the other's. Each side notes what it sees, its own calls and what comes from the peer, and
//! a mixture is an error. A receive with a wildcard covers all keys that it could take a message of.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use crate::error::{Error, Result};
use crate::message::communicator::CommunicatorId;
use crate::message::matching::{KeyHasher, MatchKey, Pattern};
use crate::message::rendezvous::Asked;

type FastSet<T> = HashSet<T, BuildHasherDefault<KeyHasher>>;

/// The protocols in use, on the producing or on the consuming side of a rank.
#[derive(Debug, Default)]
pub struct ProtocolUse {
    /// All patterns that cover a key with consumer-initiated messages.
    consumer_initiated: FastSet<Pattern>,
    /// Patterns of announced messages.
    announced: FastSet<Pattern>,
    /// The one of these that was used last, which no key with consumer-initiated messages is covered by: most messages of a
    /// program's inner loop have the pattern of the one before.
    last_announced: Option<Pattern>,
    /// Keys about which the consumer has been asked (see [`ProtocolUse::asks_first`]), and for what.
    asked: HashMap<MatchKey, Asked, BuildHasherDefault<KeyHasher>>,
    /// Keys for whose synchronous sends the consumer's helper has been summoned.
    summoned: FastSet<MatchKey>,
}

impl ProtocolUse {
    /// A key is used with the consumer-initiated protocol.
    pub fn use_consumer_initiated(&mut self, key: MatchKey) -> Result<()> {
        if key.patterns().iter().any(|pattern| self.announced.contains(pattern)) {
            return Err(mixture(key.into()));
        }
        self.consumer_initiated.extend(key.patterns());
        self.last_announced = None;
        Ok(())
    }

    /// As [`ProtocolUse::use_consumer_initiated`], for what the peer does: noted in any case. False if it is a mixture.
    pub fn note_consumer_initiated(&mut self, key: MatchKey) -> bool {
        let alone = self.use_consumer_initiated(key).is_ok();
        if !alone {
            self.consumer_initiated.extend(key.patterns());
            self.last_announced = None;
        }
        alone
    }

    /// A pattern is used with the producer-initiated protocols.
    #[inline(always)]
    pub fn use_announced(&mut self, pattern: Pattern) -> Result<()> {
        if self.last_announced == Some(pattern) { Ok(()) } else { self.use_another_announced(pattern) }
    }

    #[inline(never)]
    fn use_another_announced(&mut self, pattern: Pattern) -> Result<()> {
        if self.consumer_initiated.contains(&pattern) {
            return Err(mixture(pattern));
        }
        self.announced.insert(pattern);
        self.last_announced = Some(pattern);
        Ok(())
    }

    /// Drops all about a communicator that is not attached any more.
    pub fn forget(&mut self, communicator: CommunicatorId) {
        self.consumer_initiated.retain(|pattern| pattern.communicator != communicator);
        self.announced.retain(|pattern| pattern.communicator != communicator);
        self.last_announced = None;
        self.asked.retain(|key, _| key.communicator != communicator);
        self.summoned.retain(|key| key.communicator != communicator);
    }

    /// Whether it is the first time that a send of this key waits for a handshake, or the first for which so many receives
    /// have to send one: then the consumer is told, which knows whether one can ever come.
    pub fn asks_first(&mut self, key: MatchKey, wanted: Asked) -> bool {
        let asked = self.asked.entry(key).or_default();
        let is_more = wanted > *asked;
        *asked = wanted.max(*asked);
        is_more
    }

    /// Whether it is the first time that a synchronous send of this key was waited for in vain.
    pub fn summons_first(&mut self, key: MatchKey) -> bool {
        self.summoned.insert(key)
    }

    /// The consumer has said that no handshake can come: the next send asks again.
    pub fn was_refused(&mut self, key: MatchKey) {
        self.asked.remove(&key);
        self.summoned.remove(&key);
    }
}

/// The error for a mixture.
pub fn mixture(pattern: Pattern) -> Box<Error> {
    Error::MixedProtocols { peer: pattern.source, tag: pattern.tag }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(peer: usize, tag: i32) -> MatchKey {
        MatchKey { peer, communicator: CommunicatorId::FIRST, tag }
    }

    fn pattern(source: Option<usize>, tag: Option<i32>) -> Pattern {
        Pattern { source, communicator: CommunicatorId::FIRST, tag }
    }

    #[test]
    fn one_key_has_one_protocol() {
        let mut uses = ProtocolUse::default();
        assert_eq!(uses.use_consumer_initiated(key(1, 5)), Ok(()));
        assert_eq!(uses.use_announced(key(1, 6).into()), Ok(()));
        assert_eq!(uses.use_announced(key(2, 5).into()), Ok(()));
        assert_eq!(uses.use_consumer_initiated(key(1, 5)), Ok(()), "again");
        assert_eq!(uses.use_announced(key(1, 6).into()), Ok(()), "again");
        for mixed in [uses.use_announced(key(1, 5).into()), uses.use_consumer_initiated(key(2, 5))] {
            assert!(matches!(*mixed.unwrap_err(), Error::MixedProtocols { .. }));
        }
    }

    #[test]
    fn the_consumer_is_asked_again_only_for_more() {
        let mut uses = ProtocolUse::default();
        assert!(uses.asks_first(key(1, 5), Asked::NotShort));
        assert!(!uses.asks_first(key(1, 5), Asked::NotShort));
        assert!(uses.asks_first(key(1, 5), Asked::All));
        assert!(!uses.asks_first(key(1, 5), Asked::NotShort));
        assert!(!uses.asks_first(key(1, 5), Asked::All));
        assert!(uses.asks_first(key(2, 5), Asked::All));
        uses.was_refused(key(1, 5));
        assert!(uses.asks_first(key(1, 5), Asked::NotShort));
    }

    #[test]
    fn a_wildcard_covers_its_keys() {
        let mut uses = ProtocolUse::default();
        assert_eq!(uses.use_consumer_initiated(key(1, 5)), Ok(()));
        assert!(uses.use_announced(pattern(None, Some(5))).is_err());
        assert!(uses.use_announced(pattern(Some(1), None)).is_err());
        assert!(uses.use_announced(pattern(None, None)).is_err());
        assert_eq!(uses.use_announced(pattern(None, Some(6))), Ok(()));
        assert_eq!(uses.use_announced(pattern(Some(3), None)), Ok(()));
        assert!(uses.use_consumer_initiated(key(9, 6)).is_err());
        assert!(uses.use_consumer_initiated(key(3, 1)).is_err());
        assert_eq!(uses.use_consumer_initiated(key(9, 7)), Ok(()));
    }
}
