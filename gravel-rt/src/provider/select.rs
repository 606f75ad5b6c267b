//! Which provider serves which peer.
//!
//! Between two ranks the first of [`Interconnect::ALL`] is used that both may use (`GRAVEL_PROVIDER`) and that was seen to
//! work in both directions. Every rank learns what every other one has found, so all come to the same choice for every
//! pair without asking again. What was tried for a peer and why it was rejected is kept, for error texts and for people.

use std::sync::Arc;

use super::choice::{Choice, Interconnect, Interconnects};
use super::routed::RoutedProvider;
use super::shm::connect::{self as shm, Opened};
use super::tcp::setup as tcp;
use super::verbs::connect as verbs;
use super::verbs::{BothArrivals, Options};
use super::{Arrivals, Doorbell, Provider, fallback};
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::sys::log;

/// How one peer is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The peer.
    pub peer: Rank,
    /// Its host.
    pub host: String,
    /// What is used.
    pub interconnect: Interconnect,
    /// What was tried before, or may not be used, and why.
    pub rejected: Vec<(Interconnect, String)>,
}

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

/// A verdict begins with this if the rank could prepare itself; then come its findings, one byte per rank.
const PREPARED: u8 = 1;
/// In a finding, beside the interconnects that work: that this rank can write to that one by CMA.
const CMA: u8 = 0x80;

/// Connects this rank to all others. Collective, and all ranks come to the same verdict: one that fails on its own still
/// takes part in the exchanges. A rank whose settings could not be read takes part, too, and fails with their error.
pub fn connect(host: &dyn Host, choice: Result<Choice>) -> Result<Connected> {
    let (rank, size) = (host.rank(), host.size());
    let shm_choice = choice.as_ref().map(|choice| (choice.shm, choice.permitted.contains(Interconnect::Shm)));
    let opened = shm::open_all(host, shm_choice.map_err(Clone::clone))?;

    let mut verdict = vec![0; 1 + size];
    if let (Ok(opened), Ok(choice)) = (&opened, &choice) {
        verdict[0] = PREPARED;
        for (finding, peer) in verdict[1..].iter_mut().zip(&opened.peers) {
            *finding = finding_for(peer, choice.permitted);
        }
    }
    let verdicts = host.all_gather(&verdict)?;
    let (mut opened, choice) = (opened?, choice?);
    let verdicts: Vec<&[u8]> = verdicts.chunks_exact(1 + size).collect();
    if let Some(peer) = verdicts.iter().position(|verdict| verdict[0] != PREPARED) {
        return Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into());
    }
    let common =
        |one: Rank, other: Rank| (Interconnects(verdicts[one][1 + other]), Interconnects(verdicts[other][1 + one]));
    let prefers_verbs = |one: Rank, other: Rank| {
        let (there, back) = common(one, other);
        there.best_of_both(back) == Some(Interconnect::Verbs)
    };
    let mut pairs = (0..size).flat_map(|one| (0..one).map(move |other| (one, other)));
    let mut by_verbs = None;
    if pairs.clone().any(|(one, other)| prefers_verbs(one, other)) {
        let peers: Vec<_> =
            (0..size).filter(|&peer| prefers_verbs(rank, peer)).map(|peer| opened.verbs_peer(peer)).collect();
        let device = if peers.is_empty() { None } else { Some(verbs::probe()) };
        // Where shared memory adopts pages, these move.
        let keeps_static = !choice.permitted.contains(Interconnect::Shm) || !choice.shm.adopt;
        let (fences_reads, connect_all) = (choice.fences_reads, choice.connect_all);
        let options = Options { keeps_static, keeps_private: true, fences_reads, connect_all };
        by_verbs = Some(verbs::connect(host, device, peers, prefers_verbs, options)?);
    }
    let chosen = |one: Rank, other: Rank| {
        let (there, back) = common(one, other);
        let works = by_verbs.as_ref().is_some_and(|connected| connected.works_between(one, other));
        if works { there.best_of_both(back) } else { there.without(Interconnect::Verbs).best_of_both(back) }
    };
    let without_verbs = |peer: Rank| by_verbs.as_ref().and_then(|connected| connected.reasons[peer].clone());
    let routes = (0..size).map(|peer| route(&opened, peer, chosen(rank, peer), choice.permitted, without_verbs(peer)));
    let routes = routes.collect::<Result<Vec<Route>>>()?;
    // Whoever cannot reach a peer has the reason; everybody else only learns that there is such a pair.
    if let Some((peer, _)) = pairs.clone().find(|&(one, other)| chosen(one, other).is_none()) {
        return Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into());
    }

    for (peer, verdict) in verdicts.iter().enumerate() {
        opened.set_reached_by(peer, verdict[1 + rank] & CMA != 0);
    }
    let reached_by: Vec<Interconnect> = routes.iter().map(|route| route.interconnect).collect();
    let is_tcp_used = pairs.any(|(one, other)| chosen(one, other) == Some(Interconnect::Tcp));
    let by_tcp = (0..size).filter(|&peer| reached_by[peer] == Interconnect::Tcp);
    let peers: Vec<tcp::Peer> = by_tcp.map(|peer| opened.tcp_peer(peer)).collect();
    let tcp = if is_tcp_used { tcp::connect(host, &peers, &choice.tcp)? } else { None };

    let neighbours = opened.neighbours();
    let has_failed = |one: Rank, other: Rank| one != other && !common(one, other).0.contains(Interconnect::Shm);
    if fallback::speaks(rank, &neighbours, has_failed) {
        let failed = neighbours.iter().filter(|&&peer| has_failed(rank, peer));
        let failed: Vec<_> = failed.map(|&peer| (peer, reached_by[peer])).collect();
        let reason = failed.first().and_then(|&(peer, _)| opened.peers[peer].link.as_ref().err());
        log::warning!("{}", fallback::text(&failed, reason.map_or("", String::as_str)));
    }
    for route in &routes {
        for (kind, reason) in &route.rejected {
            log::info!("rank {} is reached by {}, not by {kind}: {reason}", route.peer, route.interconnect);
        }
    }
    let shm = opened.into_provider(|peer| reached_by[peer] == Interconnect::Shm);
    let (doorbell, processors_suffice) = (shm.doorbell(), shm.processors_suffice());
    let peers_ring = (0..size).any(|peer| peer != rank && reached_by[peer] == Interconnect::Shm);
    // That provider rings for what it has held back, also over networks where no peer would.
    #[cfg(feature = "hostile")]
    let peers_ring = peers_ring || super::hostile::is_asked_for();
    let verbs = by_verbs.and_then(|connected| connected.provider);
    let arrivals = match (&verbs, &tcp) {
        (Some(verbs), Some(tcp)) => Some(Arc::new(BothArrivals::new(verbs.arrivals(), tcp.arrivals())?) as Arc<_>),
        (Some(verbs), None) => Some(verbs.arrivals() as Arc<dyn Arrivals>),
        (None, Some(tcp)) => Some(tcp.arrivals()),
        (None, None) => None,
    };
    let verbs = verbs.map(|verbs| (Interconnect::Verbs, Box::new(verbs) as Box<dyn Provider>));
    let tcp = tcp.map(|tcp| (Interconnect::Tcp, Box::new(tcp) as Box<dyn Provider>));
    let networks: Vec<_> = verbs.into_iter().chain(tcp).collect();
    let provider: Box<dyn Provider> = match networks.is_empty() {
        true => Box::new(shm),
        false => Box::new(RoutedProvider::new(shm, networks, &reached_by)),
    };
    #[cfg(feature = "hostile")]
    let provider = super::hostile::wrap(provider, rank, &doorbell, arrivals.as_ref());
    Ok(Connected { provider, doorbell, arrivals, peers_ring, processors_suffice, routes })
}

/// What this rank has found about a peer, as a byte.
fn finding_for(peer: &shm::OpenedPeer, permitted: Interconnects) -> u8 {
    let mut finding = Interconnects::default();
    let mut cma = 0;
    if peer.link.is_ok() {
        finding = finding.with(Interconnect::Shm);
        cma = if peer.is_reached_by_cma() { CMA } else { 0 };
    }
    // Whether there is a device is found out where one is needed: nobody looks for one where shared memory does.
    if permitted.contains(Interconnect::Verbs) {
        finding = finding.with(Interconnect::Verbs);
    }
    if permitted.contains(Interconnect::Tcp) {
        finding = finding.with(Interconnect::Tcp);
    }
    finding.0 | cma
}

/// The route to a peer, or the error that there is none, with everything that was tried.
fn route(
    opened: &Opened,
    peer: Rank,
    chosen: Option<Interconnect>,
    permitted: Interconnects,
    without_verbs: Option<String>,
) -> Result<Route> {
    let found = &opened.peers[peer];
    let mut rejected = Vec::new();
    for kind in Interconnect::ALL {
        if Some(kind) == chosen {
            break;
        }
        let reason = match (kind, &found.link) {
            _ if !permitted.contains(kind) => "GRAVEL_PROVIDER of this rank does not name it".to_owned(),
            (Interconnect::Shm, Err(reason)) => reason.clone(),
            (Interconnect::Verbs, _) if without_verbs.is_some() => without_verbs.clone().unwrap_or_default(),
            _ => format!("rank {peer} has rejected it, or its GRAVEL_PROVIDER does not name it"),
        };
        rejected.push((kind, reason));
    }
    let host = found.card.host.clone();
    match chosen {
        Some(interconnect) => Ok(Route { peer, host, interconnect, rejected }),
        None => {
            let reasons: Vec<String> = rejected.iter().map(|(kind, reason)| format!("{kind}: {reason}")).collect();
            Err(Error::Unreachable { peer, host, reason: reasons.join("; ") }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::choice::DataPaths;
    use crate::provider::tcp::interfaces::Wanted;
    use crate::provider::thread_host::run_ranks;

    fn choice(providers: &str) -> Choice {
        let permitted = Interconnects::parse(providers).expect("a list");
        let shm = DataPaths { adopt: true, cma: true };
        Choice { permitted, shm, tcp: Wanted::default(), fences_reads: false, connect_all: 64 }
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
        route.interconnect == Interconnect::Tcp
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

    #[test]
    fn names_make_sets() {
        let tcp = Interconnects::default().with(Interconnect::Tcp);
        assert_eq!(Interconnects::parse("tcp"), Some(tcp));
        assert_eq!(Interconnects::parse("tcp, verbs,shm"), Some(Interconnects::all()));
        assert_eq!(Interconnects::parse("auto"), Some(Interconnects::all()));
        for invalid in ["", "ofi", "tcp,", "TCP "] {
            assert_eq!(Interconnects::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn the_best_that_both_can_use_is_taken() {
        let (all, none) = (Interconnects::all(), Interconnects::default());
        let (shm, tcp) = (none.with(Interconnect::Shm), none.with(Interconnect::Tcp));
        assert_eq!(all.best_of_both(all), Some(Interconnect::Shm));
        assert_eq!(all.best_of_both(tcp), Some(Interconnect::Tcp));
        assert_eq!(shm.best_of_both(tcp), None);
        // The mark for CMA is no interconnect.
        assert_eq!(Interconnects(CMA).best_of_both(Interconnects(CMA)), None);
    }
}
