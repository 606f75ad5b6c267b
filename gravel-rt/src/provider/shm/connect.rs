//! Connecting all ranks of a host: exchange of cards, opening of segments, probing of CMA.
//!
//! Connecting is collective, and every rank comes to the same verdict: a rank that fails on its own still takes part in
//! the exchanges, so that nobody is left waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::card::{CARD_BYTES, Card, own_affinity, processors_suffice};
use super::control_segment::ControlSegment;
use super::identity::{ProcessIdentity, boot_id, host_name};
use super::link::Link;
use super::{ShmProvider, cma};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::log;
use crate::settings::DataPaths;

/// What a rank prepares before it can be connected to.
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

/// The verdict of a rank about its connections, as exchanged.
const CONNECTED: u8 = 1;

/// Connects this rank to all others. A rank whose settings could not be read takes part, and fails with their error.
pub fn connect(host: &dyn Host, settings: Result<DataPaths>) -> Result<ShmProvider> {
    let (rank, size) = (host.rank(), host.size());
    let prepared = settings.and_then(|paths| Ok((paths, prepare(size)?)));
    let card = prepared.as_ref().map_or_else(|_| Card::encode_failure(), |(_, prepared)| prepared.card.encode());
    let cards = host.all_gather(&card)?;
    let connected = prepared.and_then(|(paths, prepared)| open_all(rank, size, &cards, paths, prepared));

    // The verdict: success, and to which peers this rank can write by CMA.
    let mut verdict = vec![0; 1 + size];
    if let Ok((provider, _)) = &connected {
        verdict[0] = CONNECTED;
        for (reached, link) in verdict[1..].iter_mut().zip(&provider.links) {
            *reached = u8::from(link.cma);
        }
    }
    let verdicts = host.all_gather(&verdict)?;
    let (mut provider, probe) = connected?;
    let expected = probe_value(probe.cookie.load(Ordering::Relaxed));
    for (peer, verdict) in verdicts.chunks_exact(1 + size).enumerate() {
        if verdict[0] != CONNECTED {
            return Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into());
        }
        // Believed only if the probe's bytes have really come.
        let arrived = probe.slots[peer].load(Ordering::Acquire) == expected;
        provider.links[peer].reaches_us = peer == rank || (verdict[1 + rank] != 0 && arrived);
    }
    Ok(provider)
}

fn prepare(size: Rank) -> Result<Prepared> {
    crate::memory::fork::install_handlers()?;
    let cookie = random_word()?;
    let segment = ControlSegment::create(size, cookie)?;
    let probe =
        ProbeWords { cookie: Box::new(AtomicU64::new(cookie)), slots: (0..size).map(|_| AtomicU64::new(0)).collect() };
    let card = Card {
        process: ProcessIdentity::current()?,
        cookie,
        descriptor: segment.descriptor(),
        probe: std::ptr::from_ref(&*probe.cookie).expose_provenance() as u64,
        probe_slots: probe.slots.as_ptr().expose_provenance() as u64,
        boot_id: boot_id(),
        host: host_name(),
        affinity: own_affinity(),
    };
    Ok(Prepared { segment, card, probe })
}

fn open_all(
    rank: Rank,
    size: Rank,
    cards: &[u8],
    paths: DataPaths,
    prepared: Prepared,
) -> Result<(ShmProvider, ProbeWords)> {
    let own = Arc::new(prepared.segment);
    // All cards first: where a rank has failed, the others find that here, and not that one of them has gone already.
    let cards = cards
        .chunks_exact(CARD_BYTES)
        .enumerate()
        .map(|(peer, bytes)| Card::decode(bytes).ok_or(Error::CollectiveFailed { peer, call: "gravel_init" }));
    let cards: Vec<Card> = cards.collect::<std::result::Result<_, _>>()?;
    let mut links = Vec::with_capacity(size);
    let mut affinities = Vec::with_capacity(size);
    for (peer, card) in cards.into_iter().enumerate() {
        let link = open_peer(rank, peer, &card, &prepared.card, &own, paths)?;
        links.push(link);
        affinities.push(card.affinity);
    }
    if links.len() != size {
        return Err(Error::Internal(format!("the exchange returned {} cards for {size} ranks", links.len())).into());
    }
    let processors_suffice = processors_suffice(affinities.iter());
    Ok((ShmProvider::new(rank, own, links, paths, processors_suffice), prepared.probe))
}

fn open_peer(
    rank: Rank,
    peer: Rank,
    card: &Card,
    own_card: &Card,
    own: &Arc<ControlSegment>,
    paths: DataPaths,
) -> Result<Link> {
    let unreachable =
        |reason: String| -> Box<Error> { Error::Unreachable { peer, host: card.host.clone(), reason }.into() };
    if peer == rank {
        return Ok(Link::new(rank, peer, card, own, Arc::clone(own), paths, true));
    }
    if card.boot_id != own_card.boot_id {
        return Err(unreachable(format!(
            "this rank runs on host {}, and this version of Gravel carries messages between the ranks of one host only: \
             run all ranks on one host, or run the program without Gravel",
            own_card.host
        )));
    }
    let segment =
        ControlSegment::open_peer(card.process.pid, card.descriptor, own.ranks(), card.cookie).map_err(unreachable)?;
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

fn random_word() -> Result<u64> {
    let mut word = [0u8; 8];
    // SAFETY: the buffer has the given length.
    let got = unsafe { libc::getrandom(word.as_mut_ptr().cast(), word.len(), 0) };
    if got != 8 {
        return Err(Error::system("drawing a random number", &std::io::Error::last_os_error()).into());
    }
    Ok(u64::from_le_bytes(word))
}
