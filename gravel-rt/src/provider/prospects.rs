//! What all ranks have found about one another, and what becomes of it: the best interconnect of each pair that is left.

use super::choice::Interconnects;
use super::interconnect::{NOT_NAMED, Pairs, Ranks};
use super::registry::Kind;
use crate::Rank;
use crate::error::{Error, Result};

/// How one peer is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The peer.
    pub peer: Rank,
    /// Its host.
    pub host: String,
    /// What is used.
    pub interconnect: Kind,
    /// What was tried before, or may not be used, and why.
    pub rejected: Vec<(Kind, String)>,
}

/// A finding: the interconnects by which a peer can be reached, and those that have one thing more to tell it.
pub const FINDING_BYTES: usize = 2;

/// What one rank has found about one peer, by interconnect.
pub type Findings = Vec<std::result::Result<bool, String>>;

/// What is known of all pairs.
pub struct Prospects {
    rank: Rank,
    size: Rank,
    permitted: Interconnects,
    /// What this rank has found, by peer.
    findings: Vec<Findings>,
    /// What can be used and what is told, by finder and peer.
    known: Vec<[Interconnects; FINDING_BYTES]>,
    /// What each pair has tried in vain.
    lost: Vec<Interconnects>,
    /// Why this rank has, by peer.
    failures: Vec<Vec<(Kind, String)>>,
}

impl Prospects {
    /// Writes findings about all peers for the others to read.
    pub fn encode(findings: &[Findings], bytes: &mut [u8]) {
        for (place, findings) in bytes.as_chunks_mut::<FINDING_BYTES>().0.iter_mut().zip(findings) {
            for (kind, finding) in Kind::all().zip(findings) {
                if let Ok(told) = finding {
                    place[0] |= kind.bit();
                    place[1] |= if *told { kind.bit() } else { 0 };
                }
            }
        }
    }

    /// From this rank's findings, and those of all ranks as they have been encoded.
    pub fn new(rank: Rank, permitted: Interconnects, findings: Vec<Findings>, all: &[&[u8]]) -> Self {
        let size = all.len();
        let known = all.iter().flat_map(|findings| findings.as_chunks::<FINDING_BYTES>().0);
        let known = known.map(|&[usable, told]| [Interconnects(usable), Interconnects(told)]).collect();
        let (lost, failures) = (vec![Interconnects::default(); size * size], vec![Vec::new(); size]);
        Self { rank, size, permitted, findings, known, lost, failures }
    }

    /// This rank.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Whether a rank has found that it can reach another one so.
    pub fn finds(&self, one: Rank, other: Rank, kind: Kind) -> bool {
        self.known[one * self.size + other][0].contains(kind)
    }

    /// Whether it tells the other one something more.
    pub fn tells(&self, one: Rank, other: Rank, kind: Kind) -> bool {
        self.known[one * self.size + other][1].contains(kind)
    }

    /// Why this rank can't reach a peer so, as far as it has found that itself.
    pub fn reason(&self, peer: Rank, kind: Kind) -> Option<&str> {
        self.findings[peer][kind.index()].as_ref().err().map(String::as_str)
    }

    /// The best interconnect that two ranks have left, the same for both.
    pub fn best(&self, one: Rank, other: Rank) -> Option<Kind> {
        let [there, back] = [(one, other), (other, one)].map(|(one, other)| one * self.size + other);
        self.known[there][0].of_both(self.known[back][0]).without(self.lost[there]).best()
    }

    /// Of these pairs, those have come together; `reasons` has by rank why this one is not among them.
    pub fn settle(&mut self, kind: Kind, tried: &Pairs, joined: &Pairs, reasons: Vec<Option<String>>) {
        for one in 0..self.size {
            for other in tried.with(one).filter(|&other| !joined.contains(one, other)) {
                let lost = &mut self.lost[one * self.size + other];
                *lost = lost.with(kind);
            }
        }
        for (failures, reason) in self.failures.iter_mut().zip(reasons) {
            failures.extend(reason.map(|reason| (kind, reason)));
        }
    }

    /// How each peer is reached if everything that is left works. Fails on all ranks if some pair has nothing left: whoever
    /// cannot reach a peer has the reason; everybody else only learns that there is such a pair.
    pub fn check(&self, ranks: &Ranks) -> Result<Vec<Route>> {
        let routes = (0..self.size).map(|peer| self.route(ranks, peer)).collect::<Result<Vec<Route>>>()?;
        let mut pairs = (0..self.size).flat_map(|one| (0..one).map(move |other| (one, other)));
        match pairs.find(|&(one, other)| self.best(one, other).is_none()) {
            Some((peer, _)) => Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into()),
            None => Ok(routes),
        }
    }

    /// The route to a peer, or the error that there is none, with everything that was tried.
    fn route(&self, ranks: &Ranks, peer: Rank) -> Result<Route> {
        let chosen = self.best(self.rank, peer);
        let failure =
            |kind: Kind| self.failures[peer].iter().find(|(failed, _)| *failed == kind).map(|(_, why)| &**why);
        let mut rejected = Vec::new();
        for kind in Kind::all().take_while(|kind| Some(*kind) != chosen) {
            let is_permitted = self.permitted.contains(kind);
            if !is_permitted && !kind.entry().is_offered {
                continue;
            }
            let reason = match self.reason(peer, kind).or_else(|| failure(kind)) {
                _ if !is_permitted => NOT_NAMED.to_owned(),
                Some(reason) => reason.to_owned(),
                None => format!("rank {peer} has rejected it, or its GRAVEL_PROVIDER does not name it"),
            };
            rejected.push((kind, reason));
        }
        let host = ranks.identities[peer].host.clone();
        match chosen {
            Some(interconnect) => Ok(Route { peer, host, interconnect, rejected }),
            None => {
                let reasons: Vec<String> = rejected.iter().map(|(kind, reason)| format!("{kind}: {reason}")).collect();
                Err(Error::Unreachable { peer, host, reason: reasons.join("; ") }.into())
            }
        }
    }
}
