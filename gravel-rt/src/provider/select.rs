//! Which interconnect serves which peer.
//!
//! Between two ranks the first of the list ([`super::registry`]) is used that both may use (`GRAVEL_PROVIDER`) and that was
//! seen to work in both directions. Every rank learns what every other one has found, so all come to the same choice for every
//! pair without asking again. What was tried for a peer and why it was rejected is kept, for error texts and for people.

use std::sync::Arc;

use super::card::{IDENTITY_BYTES, RankIdentity, processors_suffice};
use super::choice::{Choice, Interconnects};
use super::interconnect::{Pairs, Ranks, SetUp, Start};
pub use super::prospects::Route;
use super::prospects::{FINDING_BYTES, Findings, Prospects};
use super::registry::{INTERCONNECTS, Kind, WRAPPERS};
use super::several_arrivals::SeveralArrivals;
use super::{Arrivals, Doorbell, Provider, fallback};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::sys::log;

/// All ranks, connected.
pub struct Connected {
    /// Reaches every rank.
    pub provider: Box<dyn Provider>,
    /// Where this process sleeps.
    pub doorbell: Arc<dyn Doorbell>,
    /// Where a thread sleeps until something comes for which nobody rings, if anything can.
    pub arrivals: Option<Arc<dyn Arrivals>>,
    /// Whether other ranks ring this one's doorbell.
    pub peers_ring: bool,
    /// Whether every rank can have a processor of its own.
    pub processors_suffice: bool,
    /// How each rank is reached.
    pub routes: Vec<Route>,
}

/// A verdict begins with this if the rank could prepare itself; then come its findings, one per rank.
const PREPARED: u8 = 1;

/// The set-up of each interconnect, in the order of the list.
type SetUps = Vec<Box<dyn SetUp>>;

/// Connects this rank to all others. Collective, and all ranks come to the same verdict: one that fails on its own still
/// takes part in the exchanges. A rank whose settings could not be read takes part, too, and fails with their error.
pub fn connect(host: &dyn Host, choice: Result<Choice>) -> Result<Connected> {
    let (rank, size) = (host.rank(), host.size());
    let permitted = choice.as_ref().map_or_else(|_| Interconnects::default(), |choice| choice.permitted);
    let begun = choice.and_then(|choice| begin(size, &choice));
    let card = begun.as_ref().map_or_else(|_| vec![0; card_bytes()], own_card);
    let cards = host.all_gather(&card)?;
    let met = begun.and_then(|set_ups| meet(rank, size, set_ups, &cards));

    let mut verdict = vec![0; 1 + FINDING_BYTES * size];
    let met = met.map(|(set_ups, ranks)| {
        let of = |peer| set_ups.iter().map(|set_up| set_up.finding(peer)).collect();
        let findings: Vec<Findings> = (0..size).map(of).collect();
        (set_ups, ranks, findings)
    });
    if let Ok((_, _, findings)) = &met {
        verdict[0] = PREPARED;
        Prospects::encode(findings, &mut verdict[1..]);
    }
    let verdicts = host.all_gather(&verdict)?;
    let (set_ups, ranks, findings) = met?;
    let verdicts: Vec<&[u8]> = verdicts.chunks_exact(1 + FINDING_BYTES * size).collect();
    if let Some(peer) = verdicts.iter().position(|verdict| verdict[0] != PREPARED) {
        return Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into());
    }
    let verdicts: Vec<&[u8]> = verdicts.into_iter().map(|verdict| &verdict[1..]).collect();
    let mut prospects = Prospects::new(rank, permitted, findings, &verdicts);

    let mut providers = Vec::new();
    let mut all_arrivals = Vec::new();
    let (mut doorbell, mut peers_ring) = (None, false);
    let expected: Vec<Vec<Rank>> = set_ups.iter().map(|set_up| set_up.expected()).collect();
    for (kind, set_up) in Kind::all().zip(set_ups) {
        prospects.check(&ranks)?;
        let pairs = Pairs::of(size, |one, other| prospects.best(one, other) == Some(kind));
        if pairs.is_empty() {
            continue;
        }
        let told: Vec<bool> = (0..size).map(|peer| prospects.tells(peer, rank, kind)).collect();
        let made = set_up.connect(host, &ranks, &pairs, &told)?;
        prospects.settle(kind, &pairs, &made.pairs, made.reasons);
        providers.extend(made.provider.map(|provider| (kind, provider)));
        all_arrivals.extend(made.arrivals);
        doorbell = doorbell.or(made.doorbell);
        peers_ring |= made.peers_ring;
    }
    let routes = prospects.check(&ranks)?;

    let reached_by: Vec<Kind> = routes.iter().map(|route| route.interconnect).collect();
    for (kind, expected) in Kind::all().zip(expected) {
        warn_of_fallback(&prospects, kind, &expected, &reached_by);
    }
    for route in &routes {
        for (kind, reason) in &route.rejected {
            log::info!("rank {} is reached by {}, not by {kind}: {reason}", route.peer, route.interconnect);
        }
    }
    // Ranks of other hosts do not compete for this one's processors.
    let own = ranks.own();
    let neighbours = ranks.identities.iter().filter(|peer| peer.shares_kernel(own) || own.boot_id.is_empty());
    let processors_suffice = processors_suffice(neighbours.map(|peer| &peer.affinity));

    let missing = |what: &str| Error::Internal(format!("no interconnect has a {what}"));
    let mut providers = providers.into_iter();
    let (_, first) = providers.next().ok_or_else(|| missing("provider"))?;
    let doorbell = doorbell.ok_or_else(|| missing("doorbell"))?;
    let (kinds, others): (Vec<Kind>, Vec<Box<dyn Provider>>) =
        providers.map(|(kind, provider)| (kind, provider as Box<dyn Provider>)).unzip();
    let place_of = |kind: &Kind| kinds.iter().position(|other| other == kind).unwrap_or(kinds.len());
    let chosen = reached_by.iter().map(place_of).collect();
    let mut provider: Box<dyn Provider> = if others.is_empty() { first } else { first.joined(others, chosen) };
    let arrivals = SeveralArrivals::together(all_arrivals)?;
    for wrapper in WRAPPERS {
        // One rings for what it has held back, also where no peer would.
        peers_ring |= (wrapper.is_asked_for)();
        provider = (wrapper.wrap)(provider, rank, (Arc::clone(&doorbell), arrivals.clone()));
    }
    Ok(Connected { provider, doorbell, arrivals, peers_ring, processors_suffice, routes })
}

fn begin(ranks: Rank, choice: &Choice) -> Result<SetUps> {
    let Choice { permitted, options } = choice;
    let moves_static_data = Kind::all().any(|kind| permitted.contains(kind) && options.move_static_data(kind));
    let begin = |kind| options.begin(kind, &Start { ranks, is_permitted: permitted.contains(kind), moves_static_data });
    Kind::all().map(begin).collect()
}

/// What a rank tells the others before anything else: who it is, and what its interconnects have to tell.
fn card_bytes() -> usize {
    IDENTITY_BYTES + INTERCONNECTS.iter().map(|entry| entry.card_bytes).sum::<usize>()
}

fn own_card(set_ups: &SetUps) -> Vec<u8> {
    let mut card = RankIdentity::current().encode();
    for (kind, set_up) in Kind::all().zip(set_ups) {
        let end = card.len() + kind.entry().card_bytes;
        card.extend(set_up.card());
        card.resize(end, 0);
    }
    card
}

fn meet(rank: Rank, size: Rank, mut set_ups: SetUps, cards: &[u8]) -> Result<(SetUps, Ranks)> {
    let cards: Vec<&[u8]> = cards.chunks_exact(card_bytes()).collect();
    if cards.len() != size {
        let cards = cards.len();
        return Err(Error::Internal(format!("the exchange returned {cards} cards for {size} ranks")).into());
    }
    // All of them first: where a rank has failed, the others find that here, and not that it has gone already.
    let decode = |(peer, card): (Rank, &&[u8])| {
        RankIdentity::decode(card).ok_or(Error::CollectiveFailed { peer, call: "gravel_init" })
    };
    let identities = cards.iter().enumerate().map(decode).collect::<std::result::Result<Vec<_>, _>>()?;
    let ranks = Ranks { rank, identities };
    let mut start = IDENTITY_BYTES;
    for (entry, set_up) in INTERCONNECTS.iter().zip(&mut set_ups) {
        let end = start + entry.card_bytes;
        let its: Vec<&[u8]> = cards.iter().map(|card| &card[start..end]).collect();
        set_up.meet(&ranks, &its)?;
        start = end;
    }
    Ok((set_ups, ranks))
}

/// Says if ranks that an interconnect should join are reached otherwise.
fn warn_of_fallback(prospects: &Prospects, kind: Kind, expected: &[Rank], reached_by: &[Kind]) {
    let has_failed = |one: Rank, other: Rank| one != other && !prospects.finds(one, other, kind);
    let rank = prospects.rank();
    if !fallback::speaks(rank, expected, has_failed) {
        return;
    }
    let failed = expected.iter().filter(|&&peer| has_failed(rank, peer));
    let failed: Vec<_> = failed.map(|&peer| (peer, reached_by[peer])).collect();
    let reason = failed.first().and_then(|&(peer, _)| prospects.reason(peer, kind));
    log::warning!("{}", fallback::text(&failed, kind.entry().title, reason.unwrap_or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::thread_host::run_ranks;

    fn choice(providers: &str) -> Choice {
        let permitted = Interconnects::parse(providers).expect("a list");
        Choice { permitted, ..Choice::default() }
    }

    /// How each rank of a job reaches each other one, or the errors.
    fn connect_ranks(settings: &[&str]) -> Vec<Result<Vec<Route>>> {
        run_ranks(settings.len(), |host| {
            let connected = connect(&host, Ok(choice(settings[host.rank()])));
            // Nobody leaves before all have connected.
            host.all_gather(&[])?;
            connected.map(|connected| {
                assert_eq!(connected.arrivals.is_some(), connected.routes.iter().any(by_tcp));
                connected.routes
            })
        })
    }

    fn by_tcp(route: &Route) -> bool {
        route.interconnect.name() == "tcp"
    }

    #[test]
    fn pairs_use_what_both_permit() {
        let routes = connect_ranks(&["auto", "shm,tcp", "tcp", "auto"]);
        for (rank, routes) in routes.into_iter().enumerate() {
            let routes = routes.expect("connected");
            let expected: Vec<bool> = (0..4).map(|peer| peer != rank && (peer == 2 || rank == 2)).collect();
            assert_eq!(routes.iter().map(by_tcp).collect::<Vec<_>>(), expected, "rank {rank}");
            for route in routes {
                assert_eq!(route.rejected.len(), 2 * usize::from(by_tcp(&route)), "{route:?}");
            }
        }
    }

    #[test]
    fn without_tcp_nobody_opens_a_socket() {
        for routes in connect_ranks(&["auto", "shm", "auto"]) {
            assert!(!routes.expect("connected").iter().any(by_tcp));
        }
    }

    #[test]
    fn a_pair_without_anything_in_common_fails_everybody_with_reasons() {
        let errors: Vec<Error> = connect_ranks(&["shm", "tcp", "auto"])
            .into_iter()
            .map(|outcome| *outcome.expect_err("a failure"))
            .collect();
        for (rank, peer, own, other) in [(0, 1, "tcp", "shm"), (1, 0, "shm", "tcp")] {
            let Error::Unreachable { peer: named, reason, .. } = &errors[rank] else { panic!("{:?}", errors[rank]) };
            assert_eq!(*named, peer);
            assert!(reason.contains(&format!("{own}: GRAVEL_PROVIDER of this rank")), "{reason}");
            let elsewhere = match other {
                "shm" => format!("shm: GRAVEL_PROVIDER of rank {peer} does not name it"),
                _ => format!("{other}: rank {peer} has rejected it"),
            };
            assert!(reason.contains(&elsewhere), "{reason}");
        }
        assert!(matches!(errors[2], Error::CollectiveFailed { .. }));
    }

    #[test]
    fn settings_that_cannot_be_read_fail_everybody() {
        let invalid = Error::InvalidSetting { name: "GRAVEL_SHM".into(), value: "x".into(), expected: "y" };
        let outcomes = run_ranks(3, |host| {
            let choice = if host.rank() == 1 { Err(invalid.clone().into()) } else { Ok(choice("auto")) };
            connect(&host, choice).map(drop)
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            let error = *outcome.expect_err("a failure");
            if rank == 1 {
                assert_eq!(error, invalid);
            } else {
                assert!(matches!(error, Error::CollectiveFailed { peer: 1, .. }), "{error}");
            }
        }
    }
}
