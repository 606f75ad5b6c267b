//! Which announced message meets which receive: the consumer's side of the producer-initiated protocols.
//!
//! A producer numbers what it announces to a peer on a communicator, over all tags. The consumer takes announcements in
//! that order, whatever way they came (what travels as eager data is its own announcement), and meets
//! each with the first posted receive that takes it; or keeps it until such a receive is posted. This is MPI's matching,
//! wildcards included.
//!
//! A receive from any source takes the message that arrived first from one of the peers that have some waiting, these in
//! turn: no peer is starved by another that sends more.
//!
//! Nothing searches: every message that waits is found by its key, and in the order of arrival for receives of any tag.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use crate::Rank;
use crate::message::communicator::CommunicatorId;
use crate::message::matching::{KeyHasher, KeyMap, MatchKey, Pattern};
use crate::message::rendezvous::RemoteMessage;
use crate::message::request::Handle;

type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// What is known of an announced message before a receive has met it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// A message that has come as eager data: all of it.
    Data(Box<[u8]>),
    /// A message that is still at its producer.
    Remote(RemoteMessage),
}

impl Announcement {
    /// Length of the message in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Data(data) => data.len() as u64,
            Self::Remote(message) => message.bytes,
        }
    }
}

/// What has a place in the order of a producer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// An announced message.
    Message(Announcement),
    /// A receive was taken back (see [`super::grants`]): what comes behind it passes it.
    Revoked(Handle),
}

/// A message that waited for the receive that was posted now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// Its key.
    pub key: MatchKey,
    /// What is known of it.
    pub announcement: Announcement,
    /// Whether its producer may be waiting for it, and has [summoned](AnnouncementOrder::note_summons) somebody in vain.
    pub is_awaited: bool,
}

/// Receives that take the same messages.
#[derive(Debug, Default)]
struct Receives {
    /// Those without a message, in the order of posting.
    posted: VecDeque<Posted>,
    /// Of receives of one key: how many messages of that key have met a receive, whatever else it takes, and how many
    /// receives were revoked.
    taken: u64,
}

/// A posted receive.
#[derive(Debug, Clone, Copy)]
struct Posted {
    /// Its place among all.
    place: u64,
    request: Handle,
    /// The number of its message among those of its key. None is known before one behind it needs to be.
    number: Option<u64>,
}

/// How many receives wait, by what they leave open: nobody looks for receives of a kind of which there are none, and mostly there
/// is one kind.
#[derive(Debug, Default)]
struct Waiting([usize; 4]);

impl Waiting {
    #[inline(always)]
    fn kind(pattern: &Pattern) -> usize {
        usize::from(pattern.source.is_none()) | usize::from(pattern.tag.is_none()) << 1
    }

    /// The number of receives that leave open what this one does.
    #[inline(always)]
    fn like(&mut self, pattern: &Pattern) -> &mut usize {
        &mut self.0[Self::kind(pattern)]
    }

    /// Whether there is one.
    #[inline(always)]
    fn any_like(&self, pattern: &Pattern) -> bool {
        self.0[Self::kind(pattern)] > 0
    }

    /// Whether some take messages of several keys.
    #[inline(always)]
    fn have_wildcards(&self) -> bool {
        self.0[1] | self.0[2] | self.0[3] != 0
    }
}

/// Receives without a message, and messages without a receive.
#[derive(Debug, Default)]
pub struct AnnouncementOrder {
    /// Posted receives by what they take.
    receives: KeyMap<Pattern, Receives>,
    /// Number of receives posted so far.
    posted: u64,
    /// How many receives wait.
    waiting: Waiting,
    /// Messages that wait for a receive.
    messages: FastMap<MatchKey, Queue>,
    /// Number of messages that ever had to wait.
    arrived: u64,
    /// How many had arrived when a producer summoned somebody for the last time.
    summoned_at: u64,
    /// All messages that wait, for receives of any tag: by communicator and place in the order of arrival.
    arrivals: BTreeMap<(CommunicatorId, u64), MatchKey>,
    /// The same ones by their peer, too; their tags.
    arrivals_from: BTreeMap<(CommunicatorId, Rank, u64), i32>,
    /// For receives from any source: the peers that have messages waiting, in turn. May name some that have none left.
    turns: FastMap<(CommunicatorId, i32), VecDeque<Rank>>,
    /// What has come from each peer on each communicator.
    streams: KeyMap<(Rank, CommunicatorId), Stream>,
    /// How many announcements are held, of all streams.
    held: usize,
}

#[derive(Debug, Default)]
struct Queue {
    /// Messages, each with its place in the order of arrival.
    waiting: VecDeque<(u64, Announcement)>,
    /// Whether the peer is in `turns`.
    takes_turns: bool,
}

#[derive(Debug, Default)]
struct Stream {
    /// Number of the next announcement.
    next: u64,
    /// What came before it.
    held: BTreeMap<u64, (i32, Turn)>,
}

impl AnnouncementOrder {
    /// Drops all about a communicator that is not attached any more, and on which no receive waits.
    pub fn forget(&mut self, communicator: CommunicatorId) {
        self.receives.retain(|pattern| pattern.communicator != communicator);
        self.messages.retain(|key, _| key.communicator != communicator);
        self.turns.retain(|&(other, _), _| other != communicator);
        self.arrivals.retain(|&(other, _), _| other != communicator);
        self.arrivals_from.retain(|&(other, ..), _| other != communicator);
        self.streams.retain(|&(_, other)| other != communicator);
        self.waiting = Waiting::default();
        for (pattern, receives) in self.receives.iter() {
            *self.waiting.like(pattern) += receives.posted.len();
        }
        self.held = self.streams.iter().map(|(_, stream)| stream.held.len()).sum();
    }

    /// A producer waits in vain for one of the messages that have arrived, or for one that has met its receive.
    pub fn note_summons(&mut self) {
        self.summoned_at = self.arrived;
    }

    /// Whether this is the next announcement of its peer, which has not been given to [`Self::is_next`] yet.
    pub fn expects(&self, peer: Rank, communicator: CommunicatorId, number: u64) -> bool {
        self.streams.get((peer, communicator)).map_or(0, |stream| stream.next) == number
    }

    /// How many announcements of a peer have come, in their order.
    pub fn arrived_from(&self, peer: Rank, communicator: CommunicatorId) -> u64 {
        self.streams.get((peer, communicator)).map_or(0, |stream| stream.next)
    }

    /// Whether this is the next announcement of its peer; if so, it must be given to [`Self::meet`] now, and then those
    /// that [`Self::next_held`] returns. If not, it must be [held](Self::hold).
    #[inline(always)]
    pub fn is_next(&mut self, peer: Rank, communicator: CommunicatorId, number: u64) -> bool {
        let stream = self.streams.entry((peer, communicator));
        let is_next = stream.next == number;
        stream.next += u64::from(is_next);
        is_next
    }

    /// Keeps what came before its turn.
    pub fn hold(&mut self, key: MatchKey, number: u64, turn: Turn) {
        let stream = self.streams.entry((key.peer, key.communicator));
        stream.held.insert(number, (key.tag, turn));
        self.held += 1;
    }

    /// What was held and whose turn has come, with its tag.
    #[inline]
    pub fn next_held(&mut self, peer: Rank, communicator: CommunicatorId) -> Option<(i32, Turn)> {
        if self.held == 0 {
            return None;
        }
        let stream = self.streams.get_mut((peer, communicator))?;
        let next = stream.held.remove(&stream.next)?;
        self.held -= 1;
        stream.next += 1;
        Some(next)
    }

    /// The receive that a message of this key meets: the first that was posted and takes it.
    #[inline(always)]
    pub fn meet(&mut self, key: MatchKey) -> Option<Handle> {
        if !self.waiting.have_wildcards() {
            let receives = self.receives.get_mut(key.into())?;
            let Posted { request, .. } = receives.posted.pop_front()?;
            receives.taken += 1;
            *self.waiting.like(&key.into()) -= 1;
            return Some(request);
        }
        let (pattern, _) = self.first_receive(key)?;
        let Posted { request, .. } = self.receives.get_mut(pattern)?.posted.pop_front()?;
        *self.waiting.like(&pattern) -= 1;
        self.receives.entry(key.into()).taken += 1;
        Some(request)
    }

    /// The receive that a message of this key would meet, which stays where it is; and what it takes.
    pub fn first_receive(&self, key: MatchKey) -> Option<(Pattern, Handle)> {
        let first = |pattern: &Pattern| Some((*self.receives.get(*pattern)?.posted.front()?, *pattern));
        if !self.waiting.have_wildcards() {
            let pattern = Pattern::from(key);
            return first(&pattern).map(|(posted, pattern)| (pattern, posted.request));
        }
        let receives = key.patterns();
        // Mostly all that wait are alike.
        let likely = receives.iter().filter(|pattern| self.waiting.any_like(pattern));
        let (posted, pattern) = likely.filter_map(first).min_by_key(|(posted, _)| posted.place)?;
        Some((pattern, posted.request))
    }

    /// Keeps a message that meets no receive.
    pub fn keep(&mut self, key: MatchKey, announcement: Announcement) {
        let queue = self.messages.entry(key).or_default();
        queue.waiting.push_back((self.arrived, announcement));
        self.arrivals.insert((key.communicator, self.arrived), key);
        self.arrivals_from.insert((key.communicator, key.peer, self.arrived), key.tag);
        self.arrived += 1;
        if !queue.takes_turns {
            queue.takes_turns = true;
            self.turns.entry((key.communicator, key.tag)).or_default().push_back(key.peer);
        }
    }

    /// Posts a receive, unless a message waits that it takes: then that is returned.
    #[inline(always)]
    pub fn post(&mut self, pattern: Pattern, request: Handle) -> Option<Met> {
        if let Some(key) = self.find(pattern) {
            let queue = self.messages.get_mut(&key)?;
            let (place, announcement) = queue.waiting.pop_front()?;
            self.leave(key, place);
            self.end_turn(key);
            self.receives.entry(key.into()).taken += 1;
            return Some(Met { key, announcement, is_awaited: place < self.summoned_at });
        }
        self.receives.entry(pattern).posted.push_back(Posted { place: self.posted, request, number: None });
        *self.waiting.like(&pattern) += 1;
        self.posted += 1;
        None
    }

    /// A message that has met no receive can't be read where it lies any more: whoever receives it asks for it.
    pub fn forget_place(&mut self, key: MatchKey, number: u64, transfer: Handle) {
        let stream = self.streams.get_mut((key.peer, key.communicator));
        let held = stream.and_then(|stream| stream.held.get_mut(&number)).and_then(|(_, turn)| match turn {
            Turn::Message(announcement) => Some(announcement),
            Turn::Revoked(_) => None,
        });
        let waiting = self.messages.get_mut(&key).into_iter().flat_map(|queue| &mut queue.waiting);
        for announcement in waiting.map(|(_, announcement)| announcement).chain(held) {
            if let Announcement::Remote(message) = announcement
                && message.transfer == transfer
            {
                message.address = None;
            }
        }
    }

    /// The message that a receive would take, which stays where it is.
    pub fn peek(&mut self, pattern: Pattern) -> Option<(MatchKey, &Announcement)> {
        let key = self.find(pattern)?;
        let (_, announcement) = self.messages.get(&key)?.waiting.front()?;
        Some((key, announcement))
    }

    /// Takes all messages of a key.
    pub fn drain(&mut self, key: MatchKey) -> impl Iterator<Item = Announcement> {
        let waiting = self.messages.get_mut(&key).map(|queue| std::mem::take(&mut queue.waiting)).unwrap_or_default();
        for &(place, _) in &waiting {
            self.leave(key, place);
        }
        if !waiting.is_empty() {
            self.receives.entry(key.into()).taken += waiting.len() as u64;
        }
        waiting.into_iter().map(|(_, announcement)| announcement)
    }

    /// A message of this key, with this place in the order of arrival, waits no longer.
    fn leave(&mut self, key: MatchKey, place: u64) {
        self.arrivals.remove(&(key.communicator, place));
        self.arrivals_from.remove(&(key.communicator, key.peer, place));
    }

    /// The number, among the messages of a key, of the one that the last posted receive of that key will meet; if that is
    /// certain: no receive that takes others, too, stands before it. Those that stand before it have their numbers from then on.
    pub fn number_last(&mut self, key: MatchKey) -> Option<u64> {
        let is_posted = |pattern: &Pattern| self.receives.get(*pattern).is_some_and(|it| !it.posted.is_empty());
        if self.waiting.have_wildcards() && key.patterns().iter().filter(|pattern| pattern.is_wildcard()).any(is_posted)
        {
            return None;
        }
        let Receives { posted, taken } = self.receives.get_mut(key.into())?;
        let numbers = (0..*taken + posted.len() as u64).rev();
        for (posted, number) in posted.iter_mut().rev().zip(numbers).take_while(|(posted, _)| posted.number.is_none()) {
            posted.number = Some(number);
        }
        posted.back()?.number
    }

    /// The number of a posted receive, if [`Self::number_last`] has given it one.
    pub fn number_of(&self, key: MatchKey, request: Handle) -> Option<u64> {
        self.receives.get(key.into())?.posted.iter().find(|posted| posted.request == request)?.number
    }

    /// Takes a receive back that has a number, for which there is no message. False if it has met one.
    pub fn revoke(&mut self, key: MatchKey, request: Handle) -> bool {
        let is_there = self.withdraw(key.into(), request);
        if is_there {
            self.receives.entry(key.into()).taken += 1;
        }
        is_there
    }

    /// Takes a receive back. False if a message has met it.
    pub fn withdraw(&mut self, pattern: Pattern, request: Handle) -> bool {
        let Some(receives) = self.receives.get_mut(pattern) else { return false };
        let place = receives.posted.iter().position(|posted| posted.request == request);
        let is_there = place.and_then(|place| receives.posted.remove(place)).is_some();
        *self.waiting.like(&pattern) -= usize::from(is_there);
        is_there
    }

    /// Takes all receives back.
    pub fn withdraw_all(&mut self) {
        self.receives.values_mut().for_each(|receives| receives.posted.clear());
        self.waiting = Waiting::default();
    }

    /// The key whose first message the pattern takes.
    #[inline(always)]
    fn find(&mut self, pattern: Pattern) -> Option<MatchKey> {
        // All that wait are there, and mostly none does.
        if self.arrivals.is_empty() { None } else { self.find_waiting(pattern) }
    }

    #[inline(never)]
    fn find_waiting(&mut self, pattern: Pattern) -> Option<MatchKey> {
        let Pattern { source, communicator, tag } = pattern;
        match (source, tag) {
            (Some(peer), Some(tag)) => {
                let key = MatchKey { peer, communicator, tag };
                self.messages.get(&key).is_some_and(|queue| !queue.waiting.is_empty()).then_some(key)
            }
            (None, Some(tag)) => loop {
                let turns = self.turns.get_mut(&(communicator, tag))?;
                let key = MatchKey { peer: *turns.front()?, communicator, tag };
                let queue = self.messages.get_mut(&key)?;
                if !queue.waiting.is_empty() {
                    return Some(key);
                }
                queue.takes_turns = false;
                turns.pop_front();
            },
            (None, None) => {
                let first = self.arrivals.range((communicator, 0)..=(communicator, u64::MAX)).next();
                first.map(|(_, &key)| key)
            }
            (Some(peer), None) => {
                let from = (communicator, peer, 0)..=(communicator, peer, u64::MAX);
                let first = self.arrivals_from.range(from).next();
                first.map(|(_, &tag)| MatchKey { peer, communicator, tag })
            }
        }
    }

    /// A message of this key was taken: if it was its peer's turn, the next one has it.
    fn end_turn(&mut self, key: MatchKey) {
        if let Some(turns) = self.turns.get_mut(&(key.communicator, key.tag))
            && turns.front() == Some(&key.peer)
        {
            turns.rotate_left(1);
        }
    }
}

#[cfg(test)]
mod tests;
