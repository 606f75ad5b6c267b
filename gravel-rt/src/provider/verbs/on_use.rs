//! Connections that are made when they are first used.
//!
//! Where a rank has many peers, most pairs never exchange a message, and a connection costs pinned memory and places in
//! the device. So nothing is connected at first but a queue pair for datagrams per rank ([`super::datagram`]). What is
//! posted to a peer finds no room until both have their ends:
//!
//! 1. Whoever wants to send makes its end, and asks: it says where its queue pair and its ring are.
//! 2. Who is asked makes its end, connects it, and answers the same, adding that it is connected, and asking in turn.
//! 3. Who hears where the other end is connects its own, and answers if it was asked. An end that is connected can
//!    receive; it sends once the other end has said that it is connected, or has sent something over the connection.
//!
//! Both may begin at once: each then hears in the first message of the other what it has asked for. Every message may
//! be lost or come twice: who has asked asks again, and what is known already changes nothing. The pump thread answers
//! while the application computes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abi::Wc;
use super::completion::Completions;
use super::connect::Peer;
use super::connection_request::ConnectionRequest;
use super::credits::RECEIVE_DEPTH;
use super::datagram::{Datagrams, Mailbox};
use super::link::Link;
use super::queue_pair::{Endpoint, QueuePair, RingsPlace, reads_between};
use super::rings::{Place, Rings};
use crate::Rank;
use crate::error::{Error, Result};
use crate::provider::identity::ProcessIdentity;
use crate::sys::log;

/// How long an answer may take before it is asked for again, at first and at last: answers come from a thread of the
/// peer that may have to wait for a processor.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How long a peer may leave all requests unanswered. No device tells whether anybody hears them, so here time has to
/// do for evidence; nothing but the stop of a whole host takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a rank knows of a peer that it can connect to.
pub struct Acquaintance {
    /// Who it is.
    pub peer: Peer,
    /// Where it takes datagrams.
    pub mailbox: Mailbox,
    /// What its end of a connection will be like, but for its rings.
    pub endpoint: Endpoint,
}

/// This rank's end of a connection that is being made.
struct End {
    pair: QueuePair,
    rings: Rings,
}

/// A connection that has been asked for, and that can't be sent over yet.
struct Asking {
    since: Instant,
    again: Instant,
    pause: Duration,
}

/// Makes connections of one rank.
pub struct Connector {
    rank: Rank,
    datagrams: Datagrams,
    completions: Arc<Completions>,
    own: Endpoint,
    known: HashMap<Rank, Acquaintance>,
    /// Ends that wait to hear of the other one.
    ends: HashMap<Rank, End>,
    /// Where this rank's ends are, also of connections that are complete: a peer may ask again.
    told: HashMap<Rank, (u32, RingsPlace)>,
    asking: HashMap<Rank, Asking>,
    failed: HashMap<Rank, String>,
    /// Ranks that can be sent to.
    open: HashSet<Rank>,
    /// Connections for which the completion queues have room.
    room: usize,
}

impl Connector {
    /// Connects nothing yet. The completion queues have `room` for so many connections.
    pub fn new(
        rank: Rank,
        datagrams: Datagrams,
        completions: &Arc<Completions>,
        own: Endpoint,
        known: HashMap<Rank, Acquaintance>,
        room: usize,
    ) -> Self {
        Self {
            rank,
            datagrams,
            completions: Arc::clone(completions),
            own,
            known,
            ends: HashMap::new(),
            told: HashMap::new(),
            asking: HashMap::new(),
            failed: HashMap::new(),
            open: HashSet::new(),
            room,
        }
    }

    /// Somebody wants to send to a peer that has no link: begins to connect to it. True if there will never be a link.
    pub fn want(&mut self, peer: Rank) -> bool {
        if self.failed.contains_key(&peer) || !self.known.contains_key(&peer) {
            return true;
        }
        if !self.asking.contains_key(&peer) && !self.open.contains(&peer) {
            self.ask(peer);
        }
        self.failed.contains_key(&peer)
    }

    /// Where this rank takes datagrams.
    #[cfg(all(test, not(miri)))]
    pub fn mailbox(&self) -> Mailbox {
        self.datagrams.mailbox()
    }

    /// Whether a peer can be sent to.
    pub fn is_open(&self, peer: Rank) -> bool {
        self.open.contains(&peer)
    }

    /// Whether an answer is waited for, or a peer to say that it is connected.
    pub fn is_waiting(&self) -> bool {
        !self.asking.is_empty()
    }

    /// An error if there will never be a connection to the peer, or its process has ended.
    pub fn check(&self, peer: Rank) -> Result<()> {
        let Some(Acquaintance { peer: Peer { rank, pid, host, process }, .. }) = self.known.get(&peer) else {
            return Ok(());
        };
        let (peer, pid, host) = (*rank, *pid, host.clone());
        if process.is_some_and(ProcessIdentity::has_ended) {
            return Err(Error::PeerDied { peer, pid, host }.into());
        }
        match self.failed.get(&peer).cloned() {
            Some(cause) => Err(Error::ConnectionLost { peer, pid, host, cause }.into()),
            None => Ok(()),
        }
    }

    /// Makes this rank's end and asks for the other one.
    fn ask(&mut self, peer: Rank) {
        let now = Instant::now();
        self.asking.insert(peer, Asking { since: now, again: now + FIRST_PAUSE, pause: FIRST_PAUSE });
        if self.prepare(peer) {
            self.say(peer, true);
        }
        self.completions.look_again(FIRST_PAUSE);
    }

    /// Makes this rank's end of a connection, if it has none. False if it can't.
    fn prepare(&mut self, peer: Rank) -> bool {
        if self.told.contains_key(&peer) {
            return true;
        }
        match self.make_end(peer) {
            Ok(end) => {
                let place = RingsPlace::of(&end.rings);
                self.told.insert(peer, (end.pair.number(), place));
                self.ends.insert(peer, end);
                true
            }
            Err(error) => {
                self.fail(peer, error.to_string());
                // The peer waits for this rank.
                self.say(peer, false);
                false
            }
        }
    }

    fn make_end(&mut self, peer: Rank) -> Result<End> {
        let device = Arc::clone(self.completions.device());
        if self.told.len() >= self.room {
            // In vain if the device has no more room than that.
            let room = (2 * self.room).min(self.known.len().max(1));
            self.completions.make_room(room)?;
            self.room = room;
        }
        let rings = Rings::new(&device, 1)?;
        let pair = QueuePair::new(&self.completions, RECEIVE_DEPTH)?;
        let failed = |cause| Error::system(format!("posting receive requests on {}", device.name), &cause);
        pair.post_receives(RECEIVE_DEPTH, peer as u64).map_err(failed)?;
        Ok(End { pair, rings })
    }

    fn fail(&mut self, peer: Rank, why: String) {
        log::info!("rank {peer} can't be connected to: {why}");
        self.asking.remove(&peer);
        self.ends.remove(&peer);
        self.failed.insert(peer, why);
    }

    /// Tells a peer what there is to know. A message that does not leave is as good as one that is lost.
    fn say(&mut self, peer: Rank, asks: bool) {
        let Some(Acquaintance { mailbox, .. }) = self.known.get(&peer) else { return };
        let (number, rings) = self.told.get(&peer).copied().unwrap_or_default();
        let is_connected = self.told.contains_key(&peer) && !self.ends.contains_key(&peer);
        let refuses = self.failed.contains_key(&peer);
        let request = ConnectionRequest { from: self.rank, number, rings, asks, is_connected, refuses };
        if let Err(cause) = self.datagrams.send(peer, mailbox, &request.encode()) {
            log::info!("a datagram to rank {peer} can't be sent: {cause}");
        }
    }

    /// A datagram has left its slot.
    pub fn sent(&mut self, slot: usize) {
        self.datagrams.sent(slot);
    }

    /// A datagram has come. Adds a link if it completes one. True if the application may be waiting for what it has
    /// changed.
    pub fn received(&mut self, completion: &Wc, slot: usize, links: &mut [Option<Link>]) -> bool {
        let Some(request) =
            self.datagrams.received(completion, slot).and_then(|bytes| ConnectionRequest::decode(&bytes))
        else {
            return false;
        };
        let peer = request.from;
        if !self.known.contains_key(&peer) {
            return false;
        }
        if self.failed.contains_key(&peer) {
            if request.asks {
                self.say(peer, false);
            }
            return false;
        }
        if request.refuses {
            // Whoever has a connection that works does not care.
            let is_new = !self.open.contains(&peer);
            if is_new {
                let why = format!("rank {peer} could not make its end of the connection: see its own messages");
                if let Some(link) = links[peer].as_mut() {
                    link.lose(why.clone());
                }
                self.fail(peer, why);
            }
            return is_new;
        }
        if !self.prepare(peer) {
            return true;
        }
        if let Some(end) = self.ends.remove(&peer) {
            match self.link(end, &request) {
                Ok(link) => links[peer] = Some(link),
                Err(error) => {
                    self.fail(peer, error.to_string());
                    self.say(peer, false);
                    return true;
                }
            }
        }
        if request.is_connected {
            self.opened(peer, links);
        }
        if request.asks {
            // Whoever has not been told that the other end is connected asks for that.
            let asks = !self.open.contains(&peer);
            if asks {
                let now = Instant::now();
                let asking = Asking { since: now, again: now + FIRST_PAUSE, pause: FIRST_PAUSE };
                self.asking.entry(peer).or_insert(asking);
                self.completions.look_again(FIRST_PAUSE);
            }
            self.say(peer, asks);
        }
        true
    }

    fn link(&self, end: End, request: &ConnectionRequest) -> Result<Link> {
        let Acquaintance { peer, endpoint, .. } = &self.known[&request.from];
        let End { pair, rings } = end;
        let far = Endpoint { rings: request.rings, ..*endpoint };
        pair.connect(&self.own, &far, request.number)?;
        let place = Place {
            incoming: rings.incoming(0),
            outgoing: rings.outgoing(0),
            local_key: rings.local_key(),
            remote: far.rings.address,
            remote_key: far.rings.key,
        };
        let reads = reads_between(&self.own, &far);
        // SAFETY: both blocks are this link's, which takes their memory along.
        let mut link = unsafe { Link::new(peer.clone(), pair, place, reads) };
        link.keep(rings);
        Ok(link)
    }

    /// A peer's end is connected: it can be sent to.
    pub fn opened(&mut self, peer: Rank, links: &mut [Option<Link>]) {
        if let Some(link) = links[peer].as_mut() {
            link.open();
            self.open.insert(peer);
            self.asking.remove(&peer);
        }
    }

    /// Asks again where answers are missing. True if a peer was given up.
    pub fn ask_again(&mut self, links: &mut [Option<Link>]) -> bool {
        if self.asking.is_empty() {
            return false;
        }
        let now = Instant::now();
        let due: Vec<Rank> =
            self.asking.iter().filter(|(_, asking)| asking.again <= now).map(|(&peer, _)| peer).collect();
        let mut any = false;
        for peer in due {
            let Some(asking) = self.asking.get_mut(&peer) else { continue };
            if now - asking.since >= PATIENCE {
                let why = format!("it has not answered requests for a connection within {} s", PATIENCE.as_secs());
                self.fail(peer, why.clone());
                if let Some(link) = links[peer].as_mut() {
                    link.lose(why);
                }
                any = true;
                continue;
            }
            asking.pause = (asking.pause * 2).min(LONGEST_PAUSE);
            asking.again = now + asking.pause;
            self.say(peer, true);
        }
        if let Some(next) = self.asking.values().map(|asking| asking.again).min() {
            self.completions.look_again(next.saturating_duration_since(now).max(Duration::from_millis(1)));
        }
        any
    }
}
