//! Connecting the pairs of ranks that are to use verbs.
//!
//! Every rank makes its ends of all connections, tells all others where these are, connects them, and then sends an
//! empty write over each: only a connection that has carried one counts. All of that is collective, and a rank that
//! fails on its own still takes part. Pairs that did not come together are told to all, and use the next
//! interconnect.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abi::{Wc, wc_status};
use super::completion::{BATCH, Completions};
use super::credits::RECEIVE_DEPTH;
use super::device::Device;
use super::library;
use super::link::{self, Link};
use super::queue_pair::{ENDPOINT_BYTES, Endpoint, QueuePair, RingsPlace, SEND_DEPTH, WIRE_VERSION, reads_between};
use super::rings::{BLOCK_BYTES, Place, Rings};
use super::{Options, VerbsProvider};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::provider::identity::ProcessIdentity;
use crate::sys::log;
use crate::sys::random::{DRAWING, random};

/// How long an adapter may take to say that another one does not answer: some seconds, by its retries.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How often MPI is let progress meanwhile.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(5);

/// The device of this machine, or why there is none that can be used.
pub fn probe() -> std::result::Result<Arc<Device>, String> {
    Device::open(library::installed()?)
}

/// Who a peer is.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its rank.
    pub rank: Rank,
    /// Its process id, for people.
    pub pid: u32,
    /// Its host.
    pub host: String,
    /// Its process, if it runs on this host.
    pub process: Option<ProcessIdentity>,
}

/// What came of it.
pub struct Connected {
    /// Reaches the peers that could be connected; nothing if there are none.
    pub provider: Option<VerbsProvider>,
    /// Whether a pair of ranks could be connected; by both ranks, equal on all.
    pub(super) works: Vec<bool>,
    /// Number of ranks.
    pub(super) size: Rank,
    /// By rank: why this rank has no connection to it.
    pub reasons: Vec<Option<String>>,
}

impl Connected {
    /// Whether two ranks are connected.
    pub fn works_between(&self, one: Rank, other: Rank) -> bool {
        self.works[one * self.size + other] && self.works[other * self.size + one]
    }
}

/// This rank's ends of its connections.
struct Prepared {
    completions: Arc<Completions>,
    rings: Rings,
    /// One per peer.
    pairs: Vec<QueuePair>,
    endpoint: Endpoint,
}

/// What a rank tells: whether it is prepared, its endpoint, and the number of its queue pair for each rank.
fn card_bytes(size: Rank) -> usize {
    1 + ENDPOINT_BYTES + 4 * size
}

/// Connects this rank to its `peers`, which are the ranks that it `joins`. Collective over all ranks.
///
/// The device is none where there are no peers.
pub fn connect(
    host: &dyn Host,
    device: Option<std::result::Result<Arc<Device>, String>>,
    peers: Vec<Peer>,
    joins: impl Fn(Rank, Rank) -> bool,
    options: Options,
) -> Result<Connected> {
    let is_asked_for = peers.len() > options.connect_all;
    if host.all_gather(&[u8::from(is_asked_for)])?.contains(&1) {
        let outcome = super::setup_on_use::connect(host, device.clone(), peers.clone(), &joins, options)?;
        if let Some(connected) = outcome {
            return Ok(connected);
        }
    }
    connect_all(host, device, peers, joins, options)
}

/// Connects all pairs at once.
fn connect_all(
    host: &dyn Host,
    device: Option<std::result::Result<Arc<Device>, String>>,
    peers: Vec<Peer>,
    joins: impl Fn(Rank, Rank) -> bool,
    options: Options,
) -> Result<Connected> {
    let (rank, size) = (host.rank(), host.size());
    let prepared =
        device.map(|device| device.and_then(|device| prepare(&device, &peers).map_err(|error| error.to_string())));
    let mut reasons: Vec<Option<String>> = vec![None; size];
    let prepared = match prepared {
        Some(Err(reason)) => {
            log::info!("no RDMA device is used: {reason}");
            peers.iter().for_each(|peer| reasons[peer.rank] = Some(reason.clone()));
            None
        }
        Some(Ok(prepared)) => Some(prepared),
        None => None,
    };
    let mut card = vec![0; card_bytes(size)];
    if let Some(prepared) = &prepared {
        card[0] = 1;
        card[1..=ENDPOINT_BYTES].copy_from_slice(&prepared.endpoint.encode());
        for (peer, pair) in peers.iter().zip(&prepared.pairs) {
            let at = 1 + ENDPOINT_BYTES + 4 * peer.rank;
            card[at..at + 4].copy_from_slice(&pair.number().to_le_bytes());
        }
    }
    let cards = host.all_gather(&card)?;
    if cards.len() != size * card_bytes(size) {
        return Err(Error::Internal(format!("the exchange returned {} bytes of cards", cards.len())).into());
    }
    if cards.chunks(card_bytes(size)).all(|card| card[0] == 0) {
        return Ok(Connected { provider: None, works: vec![false; size * size], size, reasons });
    }
    // Which of a peer's blocks is this rank's: it counts the ranks that it joins.
    let index_at = |peer: Rank| (0..rank).filter(|&other| other != peer && joins(peer, other)).count();
    let mut links: Vec<Option<Link>> = (0..size).map(|_| None).collect();
    let mut parts = None;
    if let Some(Prepared { completions, rings, pairs, endpoint }) = prepared {
        for (index, (peer, pair)) in peers.into_iter().zip(pairs).enumerate() {
            let number = peer.rank;
            let card = &cards[number * card_bytes(size)..][..card_bytes(size)];
            let made = far_end(card, rank, &peer, &endpoint).and_then(|far| {
                let place = Place {
                    incoming: rings.incoming(index),
                    outgoing: rings.outgoing(index),
                    local_key: rings.local_key(),
                    remote: far.endpoint.rings.address + (index_at(number) * BLOCK_BYTES) as u64,
                    remote_key: far.endpoint.rings.key,
                };
                link_to(peer, pair, &far, &endpoint, place)
            });
            match made {
                Ok(link) => links[number] = Some(link),
                Err(reason) => reasons[number] = Some(reason),
            }
        }
        parts = Some((completions, rings));
    }
    // Nobody sends before all can receive.
    host.all_gather(&[1])?;
    if let Some((completions, _)) = &parts {
        greet(host, completions, &mut links);
    }
    for (peer, link) in links.iter_mut().enumerate() {
        if let Some(why) = link.as_ref().and_then(Link::loss) {
            reasons[peer] = Some(why.to_owned());
            *link = None;
        }
    }
    let works: Vec<u8> = links.iter().map(|link| u8::from(link.is_some())).collect();
    let works: Vec<bool> = host.all_gather(&works)?.into_iter().map(|works| works == 1).collect();
    let mut connected = Connected { provider: None, works, size, reasons };
    for (peer, link) in links.iter_mut().enumerate() {
        if link.is_some() && !connected.works_between(rank, peer) {
            *link = None;
            connected.reasons[peer] = Some(format!("rank {peer} could not connect to this rank"));
        }
    }
    if let Some((completions, rings)) = parts
        && links.iter().any(Option::is_some)
    {
        connected.provider = Some(VerbsProvider::new(links, None, Some(rings), completions, options));
    }
    Ok(connected)
}

fn prepare(device: &Arc<Device>, peers: &[Peer]) -> Result<Prepared> {
    let count = u32::try_from(peers.len()).unwrap_or(u32::MAX);
    let completions = Completions::new(device, SEND_DEPTH.saturating_mul(count), RECEIVE_DEPTH.saturating_mul(count))?;
    let rings = Rings::new(device, peers.len())?;
    let mut pairs = Vec::with_capacity(peers.len());
    for peer in peers {
        let pair = QueuePair::new(&completions, RECEIVE_DEPTH)?;
        let failed = |cause| Error::system(format!("posting receive requests on {}", device.name), &cause);
        pair.post_receives(RECEIVE_DEPTH, peer.rank as u64).map_err(failed)?;
        pairs.push(pair);
    }
    let endpoint = Endpoint { rings: RingsPlace::of(&rings), ..own_endpoint(device)? };
    Ok(Prepared { completions, rings, pairs, endpoint })
}

/// What this rank's ends are like, but for their rings.
pub fn own_endpoint(device: &Device) -> Result<Endpoint> {
    let limits = device.limits;
    Ok(Endpoint {
        address: device.address.address,
        version: WIRE_VERSION,
        mtu: limits.mtu as u8,
        reads: [limits.reads, limits.answered_reads],
        rings: RingsPlace::default(),
        // Packets of an earlier connection between two queue pairs of the same numbers must not pass for this one's.
        packet: random_word()? & 0x00ff_ffff,
    })
}

/// A word that nobody can guess.
pub fn random_word() -> Result<u32> {
    random().map(u32::from_ne_bytes).map_err(|cause| Error::system(DRAWING, &cause).into())
}

/// The other end of a connection.
struct FarEnd {
    endpoint: Endpoint,
    /// The number of the queue pair there.
    number: u32,
}

/// The end of a connection at a peer that is for `rank`, by the peer's card.
fn far_end(card: &[u8], rank: Rank, peer: &Peer, own: &Endpoint) -> std::result::Result<FarEnd, String> {
    let number = card.get(1 + ENDPOINT_BYTES + 4 * rank..).and_then(|rest| rest.first_chunk());
    let endpoint = card.get(1..).and_then(|rest| rest.first_chunk::<ENDPOINT_BYTES>());
    let (1, Some(endpoint), Some(number)) = (card[0], endpoint, number) else {
        return Err(format!("rank {} could not prepare its connections: see its own error text", peer.rank));
    };
    let endpoint = Endpoint::decode(endpoint);
    if let Some(reason) = own.mismatch(&endpoint, &peer.host) {
        return Err(reason);
    }
    Ok(FarEnd { endpoint, number: u32::from_le_bytes(*number) })
}

/// The link to a peer.
fn link_to(
    peer: Peer,
    pair: QueuePair,
    far: &FarEnd,
    own: &Endpoint,
    place: Place,
) -> std::result::Result<Link, String> {
    pair.connect(own, &far.endpoint, far.number).map_err(|error| error.to_string())?;
    let reads = reads_between(own, &far.endpoint);
    // SAFETY: the provider drops its links before the rings, of which each link has two blocks for itself.
    let mut link = unsafe { Link::new(peer, pair, place, reads) };
    // Nobody sends before all have come here.
    link.open();
    Ok(link)
}

/// Sends an empty write over every link, and waits until each has arrived or never will.
fn greet(host: &dyn Host, completions: &Completions, links: &mut [Option<Link>]) {
    let started = Instant::now();
    let mut next_progress = started;
    let mut found = [Wc::default(); BATCH];
    links.iter_mut().flatten().for_each(Link::greet);
    loop {
        let count = match completions.take_sent(&mut found) {
            Ok(count) => count,
            Err(cause) => {
                links.iter_mut().flatten().for_each(|link| link.lose(cause.to_string()));
                return;
            }
        };
        for completion in &found[..count] {
            let failed = completion.status != wc_status::SUCCESS;
            let failure = failed.then(|| completions.device().library().status_text(completion.status));
            if let Some(link) = links.get_mut(link::peer_of(completion.wr_id)).and_then(Option::as_mut) {
                link.completed(completion.wr_id, failure, |_| {});
            }
        }
        if links.iter().flatten().all(Link::is_flushed) {
            return;
        }
        let now = Instant::now();
        if now - started > PATIENCE {
            for link in links.iter_mut().flatten().filter(|link| !link.is_flushed()) {
                link.lose(format!("nothing has arrived within {} s", PATIENCE.as_secs()));
            }
            return;
        }
        if now >= next_progress {
            host.progress();
            next_progress = now + PROGRESS_INTERVAL;
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_with_another_version_of_the_library_is_not_connected_to() {
        let own = Endpoint { version: WIRE_VERSION, ..Endpoint::default() };
        let peer = Peer { rank: 1, pid: 1, host: "there".into(), process: None };
        for version in [0, WIRE_VERSION - 1, WIRE_VERSION, WIRE_VERSION + 1] {
            let mut card = vec![0; card_bytes(2)];
            card[0] = 1;
            card[1..=ENDPOINT_BYTES].copy_from_slice(&Endpoint { version, ..own }.encode());
            match far_end(&card, 0, &peer, &own) {
                Ok(_) => assert_eq!(version, WIRE_VERSION),
                Err(reason) => {
                    assert_ne!(version, WIRE_VERSION);
                    assert!(reason.contains("different versions") && reason.contains("there"), "{reason}");
                }
            }
        }
    }
}
