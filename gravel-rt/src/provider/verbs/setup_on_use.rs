//! Setting ranks up to connect on first use ([`super::on_use`]): they tell one another where they take datagrams, and
//! each connects to the next one, so that all of them know whether that works here.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Instant;

use super::completion::Completions;
use super::connect::{Connected, PATIENCE, PROGRESS_INTERVAL, Peer, own_endpoint, random_word};
use super::datagram::{Datagrams, Mailbox};
use super::device::Device;
use super::link::Link;
use super::on_use::{Acquaintance, Connector};
use super::queue_pair::{ENDPOINT_BYTES, Endpoint};
use super::{Options, VerbsProvider};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::request::Handle;
use crate::provider::{Provider as _, Sink};
use crate::sys::log;

/// Connections for which there is room in the completion queues at first.
const FIRST_ROOM: usize = 16;
/// What a rank tells: whether it can take part, its endpoint, and the number and the key of its mailbox.
const CARD_BYTES: usize = 1 + ENDPOINT_BYTES + 8;

/// Prepares this rank to connect to those `peers` with which it has something to exchange. Collective. Nothing, on all
/// ranks, where connecting so does not work.
pub fn connect(
    host: &dyn Host,
    own: Option<std::result::Result<Arc<Device>, String>>,
    peers: Vec<Peer>,
    joins: &impl Fn(Rank, Rank) -> bool,
    options: Options,
) -> Result<Option<Connected>> {
    let (rank, size) = (host.rank(), host.size());
    let prepared =
        own.map(|own| own.and_then(|device| prepare(&device, peers.len()).map_err(|error| error.to_string())));
    let (prepared, failure) = match prepared {
        Some(Ok(prepared)) => (Some(prepared), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let mut card = [0; CARD_BYTES];
    if let Some((_, datagrams, endpoint)) = &prepared {
        let mailbox = datagrams.mailbox();
        card[0] = 1;
        card[1..=ENDPOINT_BYTES].copy_from_slice(&endpoint.encode());
        card[1 + ENDPOINT_BYTES..][..4].copy_from_slice(&mailbox.number.to_le_bytes());
        card[1 + ENDPOINT_BYTES + 4..].copy_from_slice(&mailbox.key.to_le_bytes());
    }
    let cards = host.all_gather(&card)?;
    let cards = cards.as_chunks::<CARD_BYTES>().0;
    if cards.len() != size {
        return Err(Error::Internal(format!("the exchange returned {} cards", cards.len())).into());
    }
    let works_between = |one: Rank, other: Rank| joins(one, other) && do_match(&cards[one], &cards[other]);
    let mut reasons: Vec<Option<String>> = vec![None; size];
    for peer in (0..size).filter(|&peer| joins(rank, peer) && !works_between(rank, peer)) {
        reasons[peer] = Some(failure.clone().unwrap_or_else(|| why_not(&cards[rank], &cards[peer], peer)));
    }
    let works = (0..size * size).map(|pair| works_between(pair / size, pair % size)).collect();
    let mut connected = Connected { provider: None, works, size, reasons };
    let mut is_fine = true;
    if let Some((completions, datagrams, endpoint)) = prepared {
        let reached = peers.into_iter().filter(|peer| works_between(rank, peer.rank));
        let known: HashMap<Rank, Acquaintance> =
            reached.map(|peer| (peer.rank, acquaintance(&cards[peer.rank], peer))).collect();
        if !known.is_empty() {
            let room = FIRST_ROOM.min(known.len());
            let connector = Connector::new(rank, datagrams, &completions, endpoint, known, room);
            let links = (0..size).map(|_| None::<Link>).collect();
            connected.provider = Some(VerbsProvider::new(links, Some(connector), None, completions, options));
        }
    }
    // Whoever waits for this rank.
    let next = |one: Rank| (1..size).map(|step| (one + step) % size).find(|&other| works_between(one, other));
    host.all_gather(&[])?;
    if let Some(provider) = &mut connected.provider {
        is_fine = meet(host, provider, next(rank))?;
    } else {
        host.begin_barrier()?;
        let mut next_progress = Instant::now();
        while !host.test_barrier()? {
            let_progress(host, &mut next_progress);
        }
    }
    if host.all_gather(&[u8::from(is_fine)])?.contains(&0) {
        log::warning!("RDMA connections can't be made on first use here, so all are made now");
        return Ok(None);
    }
    Ok(Some(connected))
}

fn prepare(device: &Arc<Device>, peers: usize) -> Result<(Arc<Completions>, Datagrams, Endpoint)> {
    let completions = Completions::for_connections(device, FIRST_ROOM.min(peers.max(1)))?;
    // Keys above belong to the system.
    let datagrams = Datagrams::new(&completions, random_word()? & 0x7fff_ffff)?;
    Ok((completions, datagrams, own_endpoint(device)?))
}

/// What a card says of its rank's ends of connections.
fn endpoint_of(card: &[u8; CARD_BYTES]) -> Endpoint {
    card[1..].first_chunk().map(Endpoint::decode).unwrap_or_default()
}

/// Whether two ranks with these cards can be connected.
fn do_match(one: &[u8; CARD_BYTES], other: &[u8; CARD_BYTES]) -> bool {
    one[0] == 1 && other[0] == 1 && endpoint_of(one).mismatch(&endpoint_of(other), "").is_none()
}

/// Why the rank with the first card, which has a device, is not connected to a peer with the other one.
fn why_not(own: &[u8; CARD_BYTES], card: &[u8; CARD_BYTES], peer: Rank) -> String {
    let mismatch = (card[0] == 1).then(|| endpoint_of(own).mismatch(&endpoint_of(card), &format!("rank {peer}")));
    mismatch.flatten().unwrap_or_else(|| format!("rank {peer} has no device that this rank's can be connected to"))
}

fn acquaintance(card: &[u8; CARD_BYTES], peer: Peer) -> Acquaintance {
    let endpoint = endpoint_of(card);
    let word = |at: usize| card[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let mailbox =
        Mailbox { address: endpoint.address, number: word(1 + ENDPOINT_BYTES), key: word(1 + ENDPOINT_BYTES + 4) };
    Acquaintance { peer, mailbox, endpoint }
}

/// Connects to one peer, and answers others until all ranks have done so. False if nothing came of it.
fn meet(host: &dyn Host, provider: &mut VerbsProvider, peer: Option<Rank>) -> Result<bool> {
    let started = Instant::now();
    let mut next_progress = started;
    let mut outcome = None;
    loop {
        provider.poll_all(0, &mut Nobody);
        if outcome.is_none() {
            outcome = match peer.map(|peer| provider.reach(peer)) {
                None | Some(Ok(true)) => Some(true),
                Some(Err(error)) => {
                    log::info!("{error}");
                    Some(false)
                }
                Some(Ok(false)) => (started.elapsed() > PATIENCE).then_some(false),
            };
            if outcome.is_some() {
                host.begin_barrier()?;
            }
        }
        if let Some(is_fine) = outcome
            && host.test_barrier()?
        {
            return Ok(is_fine);
        }
        let_progress(host, &mut next_progress);
    }
}

fn let_progress(host: &dyn Host, next_progress: &mut Instant) {
    let now = Instant::now();
    if now >= *next_progress {
        host.progress();
        *next_progress = now + PROGRESS_INTERVAL;
    }
    std::thread::yield_now();
}

/// Nothing comes before all ranks are set up.
struct Nobody;

impl Sink for Nobody {
    fn control(&mut self, peer: Rank, _: &Entry) {
        log::error!("rank {peer} has sent something before all ranks were set up: internal error");
    }

    fn eager(&mut self, key: MatchKey, _: u64, _: &[u8]) {
        self.control(key.peer, &Entry::default());
    }

    fn landing(&mut self, _: Rank, _: Handle, _: u64, _: u64) -> Option<NonNull<u8>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::verbs::queue_pair::WIRE_VERSION;

    #[test]
    fn ranks_with_different_versions_of_the_library_are_not_connected() {
        let card = |version| {
            let mut card = [0; CARD_BYTES];
            card[0] = 1;
            card[1..=ENDPOINT_BYTES].copy_from_slice(&Endpoint { version, ..Endpoint::default() }.encode());
            card
        };
        let (own, same, other) = (card(WIRE_VERSION), card(WIRE_VERSION), card(0));
        assert!(do_match(&own, &same) && !do_match(&own, &other) && !do_match(&other, &own));
        assert!(why_not(&own, &other, 3).contains("different versions"));
        assert!(why_not(&own, &[0; CARD_BYTES], 3).contains("rank 3 has no device"));
    }
}
