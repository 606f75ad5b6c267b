//! Ranks that an interconnect should join, but does not (those of one host, shared memory): who says so.
//!
//! All ranks know which pairs these are; only those that have failed know why, and one message is enough. So of the ranks that
//! such pairs connect with each other the one speaks that has failed with the most peers, the lowest of several.

use super::registry::Kind;
use crate::Rank;

/// Peers that a message names at most.
const NAMED: usize = 8;

/// Whether `rank` is to speak: `has_failed(a, b)` says that a, of the given ranks, has found that it can't reach b as it
/// should.
pub(super) fn speaks(rank: Rank, ranks: &[Rank], has_failed: impl Fn(Rank, Rank) -> bool) -> bool {
    let mut connected = vec![rank];
    let mut seen = 0;
    while let Some(&one) = connected.get(seen) {
        seen += 1;
        for &other in ranks {
            if !connected.contains(&other) && (has_failed(one, other) || has_failed(other, one)) {
                connected.push(other);
            }
        }
    }
    let failures = |one: Rank| ranks.iter().filter(|&&other| has_failed(one, other)).count();
    let own = failures(rank);
    own > 0 && connected.iter().all(|&other| failures(other) < own || (failures(other) == own && other >= rank))
}

/// The message: peers, what is used instead of what, and why.
pub(super) fn text(peers: &[(Rank, Kind)], expected: &str, reason: &str) -> String {
    let named: Vec<String> = peers.iter().take(NAMED).map(|(peer, _)| peer.to_string()).collect();
    let others = peers.len() - named.len();
    let ranks = match (&named[..], others) {
        ([one], 0) => format!("rank {one} on this host is"),
        ([first @ .., last], 0) => format!("ranks {} and {last} on this host are", first.join(", ")),
        (some, others) => format!("ranks {} and {others} more on this host are", some.join(", ")),
    };
    let is_used = |kind: &Kind| peers.iter().any(|(_, used)| used == kind);
    let used: Vec<_> = Kind::all().filter(is_used).map(Kind::name).collect();
    format!("{ranks} reached by {}, which is slower than {expected}: {reason}", used.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of the ranks 0 to 5 that speak, where these pairs fail, the first rank having found it.
    fn speakers(failed: &[(Rank, Rank)]) -> Vec<Rank> {
        let ranks: Vec<Rank> = (0..6).collect();
        ranks.iter().copied().filter(|&rank| speaks(rank, &ranks, |a, b| failed.contains(&(a, b)))).collect()
    }

    #[test]
    fn one_rank_speaks_for_all_that_fail_together() {
        assert!(speakers(&[]).is_empty());
        assert_eq!(speakers(&[(3, 1)]), [3]);
        assert_eq!(speakers(&[(3, 1), (1, 3)]), [1]);
        // Rank 3 reaches nobody: it has the reason.
        let nobody: Vec<_> = (0..6).filter(|&peer| peer != 3).flat_map(|peer| [(3, peer), (peer, 3)]).collect();
        assert_eq!(speakers(&nobody), [3]);
        let all: Vec<_> = (0..6).flat_map(|a| (0..6).filter(move |&b| b != a).map(move |b| (a, b))).collect();
        assert_eq!(speakers(&all), [0]);
        assert_eq!(speakers(&[(0, 1), (4, 5), (5, 4)]), [0, 4]);
    }

    #[test]
    fn the_message_names_peers_interconnects_and_the_reason() {
        let [verbs, tcp] = ["verbs", "tcp"].map(|name| Kind::of_name(name).expect("a name"));
        let text = |peers: &[_]| text(peers, "shared memory", "why");
        assert_eq!(text(&[(2, tcp)]), "rank 2 on this host is reached by tcp, which is slower than shared memory: why");
        assert!(
            text(&[(0, verbs), (1, tcp), (3, tcp)])
                .starts_with("ranks 0, 1 and 3 on this host are reached by verbs and tcp,")
        );
        let many: Vec<_> = (0..40).map(|peer| (peer, tcp)).collect();
        assert!(text(&many).starts_with("ranks 0, 1, 2, 3, 4, 5, 6, 7 and 32 more on this host are"));
    }
}
