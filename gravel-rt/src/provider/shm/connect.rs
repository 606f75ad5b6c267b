//! Opening the ranks of a host: exchange of cards, opening of segments, probing of CMA.
//!
//! The exchange is collective: a rank that fails on its own still takes part, so that nobody is left waiting. What is found
//! about each peer goes to [`crate::provider::select`], which decides for all ranks alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::card::{CARD_BYTES, Card, Sharing, own_affinity, processors_suffice};
use super::control_segment::ControlSegment;
use super::identity::{ProcessIdentity, boot_id, host_name, network_namespace};
use super::link::Link;
use super::{ShmProvider, cma};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::provider::choice::DataPaths;
use crate::provider::tcp::setup as tcp;
use crate::provider::verbs::connect::Peer;
use crate::sys::log;
use crate::sys::random::{DRAWING, random};

/// What a rank prepares before it can be opened.
struct Prepared {
    segment: ControlSegment,
    card: Card,
    probe: ProbeWords,
}

/// Words that peers read and write to find out whether CMA works. Kept until all have probed.
struct ProbeWords {
    cookie: Box<AtomicU64>,
    slots: Box<[AtomicU64]>,
}

/// What this rank has found about a peer.
pub struct OpenedPeer {
    /// What the peer says about itself.
    pub card: Card,
    /// The link to it, or why there is none.
    pub link: std::result::Result<Link, String>,
}

impl OpenedPeer {
    /// Whether this rank can write to it by CMA.
    pub fn is_reached_by_cma(&self) -> bool {
        self.link.as_ref().is_ok_and(|link| link.cma)
    }
}

/// All ranks, as far as they can be reached by shared memory from here.
pub struct Opened {
    rank: Rank,
    own: Arc<ControlSegment>,
    probe: ProbeWords,
    paths: DataPaths,
    /// By rank.
    pub peers: Vec<OpenedPeer>,
}

/// Opens the segments of the ranks of this host, if this rank may use shared memory (`permitted`) and can. Collective. The outer
/// error is that of the exchange; the inner one is this rank's, which the others have to be told.
pub fn open_all(host: &dyn Host, choice: Result<(DataPaths, bool)>) -> Result<Result<Opened>> {
    let (rank, size) = (host.rank(), host.size());
    let prepared = choice.and_then(|(paths, permitted)| Ok((paths, prepare(size, permitted)?)));
    let card = prepared.as_ref().map_or_else(|_| Card::encode_failure(), |(_, prepared)| prepared.card.encode());
    let cards = host.all_gather(&card)?;
    Ok(prepared.and_then(|(paths, prepared)| {
        let Prepared { segment, card: own_card, probe } = prepared;
        let own = Arc::new(segment);
        // All cards first: where a rank has failed, the others find that here, and not that one of them has gone already.
        let cards = cards
            .chunks_exact(CARD_BYTES)
            .enumerate()
            .map(|(peer, bytes)| Card::decode(bytes).ok_or(Error::CollectiveFailed { peer, call: "gravel_init" }));
        let cards: Vec<Card> = cards.collect::<std::result::Result<_, _>>()?;
        let mut peers = Vec::with_capacity(size);
        for (peer, card) in cards.into_iter().enumerate() {
            let link = open_peer(rank, peer, &card, &own_card, &own, paths);
            peers.push(OpenedPeer { card, link });
        }
        if peers.len() != size {
            let cards = peers.len();
            return Err(Error::Internal(format!("the exchange returned {cards} cards for {size} ranks")).into());
        }
        Ok(Opened { rank, own, probe, paths, peers })
    }))
}

impl Opened {
    /// The ranks of this host that may use shared memory, if this rank may.
    pub fn neighbours(&self) -> Vec<Rank> {
        let own = &self.peers[self.rank].card;
        let shares = |card: &Card| card.sharing != Sharing::Unwanted && card.shares_kernel(own);
        let neighbours = self.peers.iter().enumerate().filter(|(_, peer)| shares(own) && shares(&peer.card));
        neighbours.map(|(rank, _)| rank).collect()
    }

    /// Notes whether a peer says that it can write to this rank by CMA. Believed only if the probe's bytes have come.
    pub fn set_reached_by(&mut self, peer: Rank, reached: bool) {
        let expected = probe_value(self.probe.cookie.load(Ordering::Relaxed));
        let arrived = self.probe.slots[peer].load(Ordering::Acquire) == expected;
        if let Ok(link) = &mut self.peers[peer].link {
            link.reaches_us = peer == self.rank || (reached && arrived);
        }
    }

    /// A peer as the TCP provider sees it.
    pub fn tcp_peer(&self, rank: Rank) -> tcp::Peer {
        let (own, card) = (&self.peers[self.rank].card, &self.peers[rank].card);
        let shares_loopback = card.shares_loopback(own);
        tcp::Peer { rank, pid: card.process.pid, host: card.host.clone(), shares_loopback }
    }

    /// A peer as the verbs provider sees it.
    pub fn verbs_peer(&self, rank: Rank) -> Peer {
        let (own, card) = (&self.peers[self.rank].card, &self.peers[rank].card);
        let process = (card.shares_kernel(own) && card.process.is_known()).then_some(card.process);
        Peer { rank, pid: card.process.pid, host: card.host.clone(), process }
    }

    /// The provider, with links to those ranks that it is to serve.
    pub fn into_provider(self, serves: impl Fn(Rank) -> bool) -> ShmProvider {
        let Self { rank, own, paths, peers, .. } = self;
        let own_card = peers[rank].card.clone();
        // Ranks of other hosts do not compete for this one's processors.
        let neighbours = peers
            .iter()
            .map(|peer| &peer.card)
            .filter(|card| card.shares_kernel(&own_card) || own_card.boot_id.is_empty());
        let processors_suffice = processors_suffice(neighbours.map(|card| &card.affinity));
        let links = peers.into_iter().enumerate().map(|(peer, opened)| opened.link.ok().filter(|_| serves(peer)));
        ShmProvider::new(rank, own, links.collect(), paths, processors_suffice)
    }
}

/// A rank that can't share memory can still do all else.
fn prepare(size: Rank, permitted: bool) -> Result<Prepared> {
    crate::memory::fork::install_handlers()?;
    let cookie = u64::from_le_bytes(random().map_err(|cause| Error::system(DRAWING, &cause))?);
    let process = ProcessIdentity::current();
    let shared = match &process {
        _ if !permitted => Err(Sharing::Unwanted),
        Err(error) => Err(Sharing::Impossible(error.to_string())),
        Ok(_) => ControlSegment::create(size, cookie).map_err(|error| Sharing::Impossible(error.to_string())),
    };
    let (segment, sharing) = match shared {
        Ok(segment) => {
            let descriptor = segment.descriptor();
            (segment, Sharing::Segment(descriptor))
        }
        Err(sharing) => (ControlSegment::create_private(size)?, sharing),
    };
    let probe =
        ProbeWords { cookie: Box::new(AtomicU64::new(cookie)), slots: (0..size).map(|_| AtomicU64::new(0)).collect() };
    let card = Card {
        process: process.unwrap_or_else(|_| ProcessIdentity::unknown()),
        cookie,
        sharing,
        probe: std::ptr::from_ref(&*probe.cookie).expose_provenance() as u64,
        probe_slots: probe.slots.as_ptr().expose_provenance() as u64,
        network: network_namespace(),
        boot_id: boot_id(),
        host: host_name(),
        affinity: own_affinity(),
    };
    Ok(Prepared { segment, card, probe })
}

fn open_peer(
    rank: Rank,
    peer: Rank,
    card: &Card,
    own_card: &Card,
    own: &Arc<ControlSegment>,
    paths: DataPaths,
) -> std::result::Result<Link, String> {
    if peer == rank {
        return Ok(Link::new(rank, peer, card, own, Arc::clone(own), paths, true));
    }
    if own_card.sharing == Sharing::Unwanted {
        return Err("GRAVEL_PROVIDER of this rank does not name it".into());
    }
    if !card.shares_kernel(own_card) {
        return Err(format!("it runs on another host ({}; this rank runs on {})", card.host, own_card.host));
    }
    if let Sharing::Impossible(reason) = &own_card.sharing {
        return Err(reason.clone());
    }
    let descriptor = match &card.sharing {
        Sharing::Segment(descriptor) => *descriptor,
        Sharing::Unwanted => return Err(format!("GRAVEL_PROVIDER of rank {peer} does not name it")),
        Sharing::Impossible(reason) => return Err(format!("rank {peer}: {reason}")),
    };
    let segment = ControlSegment::open_peer(card.process.pid, descriptor, rank, own.ranks(), card.cookie)?;
    let cma = paths.cma && probe_cma(rank, peer, card);
    Ok(Link::new(rank, peer, card, own, Arc::new(segment), paths, cma))
}

/// A real transfer in both directions, after making sure that the pid means the process that opened its segment to us.
fn probe_cma(rank: Rank, peer: Rank, card: &Card) -> bool {
    let mut cookie = 0u64;
    let slot = card.probe_slots.wrapping_add(rank as u64 * 8);
    let value = probe_value(card.cookie);
    // SAFETY: local words are ours; the peer keeps its probe words until all have probed, and expects them written.
    let result = unsafe {
        cma::read(card.process.pid, (&raw mut cookie).cast(), card.probe, 8).and_then(|()| {
            if cookie != card.cookie {
                return Err(std::io::Error::other("the pid names another process: different pid namespaces"));
            }
            cma::write(card.process.pid, (&raw const value).cast(), slot, 8)
        })
    };
    match result {
        Ok(()) => true,
        Err(cause) => {
            log::info!(
                "process_vm_writev to rank {peer} does not work ({cause}; ptrace permission is needed): \
                 bytes outside adopted pages are staged"
            );
            false
        }
    }
}

/// What a rank that probes the owner of `cookie` writes.
fn probe_value(cookie: u64) -> u64 {
    !cookie.rotate_left(17)
}
