//! Opening the ranks of a host: exchange of cards, opening of segments, probing of CMA.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::card::{Card, Sharing};
use super::control_segment::ControlSegment;
use super::link::Link;
use super::paths::DataPaths;
use super::{ShmProvider, cma};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::provider::card::RankIdentity;
use crate::provider::identity::ProcessIdentity;
use crate::provider::interconnect::{Connected, NOT_NAMED, Pairs, Ranks, SetUp, Start};
use crate::sys::log;
use crate::sys::random::{DRAWING, random};

/// Words that peers read and write to find out whether CMA works. Kept until all have probed.
struct ProbeWords {
    cookie: Box<AtomicU64>,
    slots: Box<[AtomicU64]>,
}

/// What this rank has found about a peer.
struct OpenedPeer {
    sharing: Sharing,
    /// The link to it, or why there is none.
    link: std::result::Result<Link, String>,
}

/// Shared memory on its way to its provider.
pub struct Opening {
    own: Arc<ControlSegment>,
    card: Card,
    probe: ProbeWords,
    paths: DataPaths,
    /// The ranks of this host that may use shared memory, if this rank may.
    neighbours: Vec<Rank>,
    /// By rank; none before the ranks have met.
    peers: Vec<OpenedPeer>,
}

impl Opening {
    /// A rank that can't share memory can still do all else.
    pub fn begin(start: &Start, paths: DataPaths) -> Result<Self> {
        let size = start.ranks;
        crate::memory::fork::install_handlers()?;
        let cookie = u64::from_le_bytes(random().map_err(|cause| Error::system(DRAWING, &cause))?);
        let shared = match ProcessIdentity::current() {
            _ if !start.is_permitted => Err(Sharing::Unwanted),
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
        let slots = (0..size).map(|_| AtomicU64::new(0)).collect();
        let probe = ProbeWords { cookie: Box::new(AtomicU64::new(cookie)), slots };
        let card = Card {
            cookie,
            sharing,
            probe: std::ptr::from_ref(&*probe.cookie).expose_provenance() as u64,
            probe_slots: probe.slots.as_ptr().expose_provenance() as u64,
        };
        Ok(Self { own: Arc::new(segment), card, probe, paths, neighbours: Vec::new(), peers: Vec::new() })
    }

    fn open_peer(&self, ranks: &Ranks, peer: Rank, card: &Card) -> std::result::Result<Link, String> {
        let (rank, identity, own_identity) = (ranks.rank, &ranks.identities[peer], ranks.own());
        let link = |segment, cma| Link::new(rank, peer, identity, &self.own, segment, self.paths, cma);
        if peer == rank {
            return Ok(link(Arc::clone(&self.own), true));
        }
        if self.card.sharing == Sharing::Unwanted {
            return Err(NOT_NAMED.into());
        }
        if !identity.shares_kernel(own_identity) {
            return Err(format!(
                "it runs on another host ({}; this rank runs on {})",
                identity.host, own_identity.host
            ));
        }
        if let Sharing::Impossible(reason) = &self.card.sharing {
            return Err(reason.clone());
        }
        let descriptor = match &card.sharing {
            Sharing::Segment(descriptor) => *descriptor,
            Sharing::Unwanted => return Err(format!("GRAVEL_PROVIDER of rank {peer} does not name it")),
            Sharing::Impossible(reason) => return Err(format!("rank {peer}: {reason}")),
        };
        let pid = identity.process.pid;
        let segment = ControlSegment::open_peer(pid, descriptor, rank, self.own.ranks(), card.cookie)?;
        let cma = self.paths.cma && probe_cma(rank, peer, pid, card);
        Ok(link(Arc::new(segment), cma))
    }
}

impl SetUp for Opening {
    fn card(&self) -> Vec<u8> {
        self.card.encode()
    }

    fn meet(&mut self, ranks: &Ranks, cards: &[&[u8]]) -> Result<()> {
        for (peer, card) in cards.iter().enumerate() {
            let card = Card::decode(card).ok_or(Error::CollectiveFailed { peer, call: "gravel_init" })?;
            let link = self.open_peer(ranks, peer, &card);
            self.peers.push(OpenedPeer { sharing: card.sharing, link });
        }
        let own = ranks.own();
        let shares = |peer: Rank, identity: &RankIdentity| {
            self.peers[peer].sharing != Sharing::Unwanted && identity.shares_kernel(own)
        };
        if shares(ranks.rank, own) {
            let neighbours = ranks.identities.iter().enumerate().filter(|&(peer, identity)| shares(peer, identity));
            self.neighbours = neighbours.map(|(peer, _)| peer).collect();
        }
        Ok(())
    }

    /// A rank always reaches itself so. Tells whether this one can write to the peer by CMA.
    fn finding(&self, peer: Rank) -> std::result::Result<bool, String> {
        self.peers[peer].link.as_ref().map(|link| link.cma).map_err(Clone::clone)
    }

    fn expected(&self) -> Vec<Rank> {
        self.neighbours.clone()
    }

    fn connect(self: Box<Self>, _: &dyn Host, ranks: &Ranks, pairs: &Pairs, told: &[bool]) -> Result<Connected> {
        let Self { own, probe, paths, mut peers, .. } = *self;
        let rank = ranks.rank;
        // Believed only if the probe's bytes have come.
        let expected = probe_value(probe.cookie.load(Ordering::Relaxed));
        for (peer, opened) in peers.iter_mut().enumerate() {
            let arrived = probe.slots[peer].load(Ordering::Acquire) == expected;
            if let Ok(link) = &mut opened.link {
                link.reaches_us = peer == rank || (told[peer] && arrived);
            }
        }
        let serves = |peer: Rank| pairs.contains(rank, peer);
        let links = peers.into_iter().enumerate().map(|(peer, opened)| opened.link.ok().filter(|_| serves(peer)));
        let provider = ShmProvider::new(rank, own, links.collect(), paths);
        Ok(Connected {
            arrivals: None,
            doorbell: Some(provider.doorbell()),
            peers_ring: pairs.with(rank).any(|peer| peer != rank),
            pairs: pairs.clone(),
            reasons: Vec::new(),
            provider: Some(Box::new(provider)),
        })
    }
}

/// A real transfer in both directions, after making sure that the pid means the process that opened its segment to us.
fn probe_cma(rank: Rank, peer: Rank, pid: u32, card: &Card) -> bool {
    let mut cookie = 0u64;
    let slot = card.probe_slots.wrapping_add(rank as u64 * 8);
    let value = probe_value(card.cookie);
    // SAFETY: local words are ours; the peer keeps its probe words until all have probed, and expects them written.
    let result = unsafe {
        cma::read(pid, (&raw mut cookie).cast(), card.probe, 8).and_then(|()| {
            if cookie != card.cookie {
                return Err(std::io::Error::other("the pid names another process: different pid namespaces"));
            }
            cma::write(pid, (&raw const value).cast(), slot, 8)
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
