//! Waits that last: what ranks tell each other about what they wait for, and what follows from it.
//!
//! A rank whose wait has lasted for some seconds asks the rank that it waits for what that one does, which its helper or pump
//! answers, whatever its program does; if that one waits, too, the next is asked, and so on ([`judge`]). Time alone proves
//! nothing, and ends no wait. Two things are proven, by counts that only calls of the program change:
//!
//! - *It never comes*: the rank that is waited for has called `gravel_finalize`, and has not sent (or received) as many
//!   messages of this kind as the wait is for.
//! - *A circle*: each rank waits for the next one, which has not sent what it waits for, and all have waited at one time: since
//!   before the first was asked, until after the last.

use std::collections::BTreeMap;

use crate::Rank;
use crate::error::missing::never;
use crate::error::violation::Call;
use crate::message::inquiry::{Need, State};

/// A rank counts as one that waits if it did so for so long already when it was asked, in milliseconds: longer than
/// [`ROUND`].
pub const SETTLED: u64 = 1500;
/// Answers are waited for no longer than this, in milliseconds.
pub const ROUND: u64 = 1000;
/// Ranks that are asked, and named, at most.
pub const MOST: usize = 16;

/// The call that waits, or that has been the last to do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingCall {
    /// Its number among the rank's calls, from 1.
    pub number: u64,
    /// Its name.
    pub name: &'static str,
    /// The call that has made the request, if it waits for one.
    pub made: Option<Call>,
}

impl WaitingCall {
    /// In words, with the place in the program where it is made, if that is known.
    pub fn text(&self, site: &str) -> String {
        let Self { number, name, made } = self;
        let at = if site.is_empty() { String::new() } else { format!(" {site}") };
        match made {
            Some(made) => format!("call {number}, {name}{at}, for {made}"),
            None => format!("call {number}, {name}{at}"),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the rank does.
    pub state: State,
    /// For how long, in milliseconds.
    pub since: u64,
    /// How often what was asked about has happened there.
    pub count: u64,
    /// The call that it is in, or its last, in words.
    pub text: String,
}

/// Answers by the rank that gave them, and the one whose wait was asked about.
pub type Answers = BTreeMap<(Rank, Rank), Answer>;

/// What follows from answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This rank's answer about the other one's wait is needed.
    Ask(Rank, Rank, Need),
    /// Nothing: the last rank has not answered, or does something, or what is waited for is under way.
    Open,
    /// The first waits for the second, which has called `gravel_finalize`, and will not do what the need says.
    Never(Rank, Rank, Need),
    /// These wait for one another, in this order.
    Circle(Vec<Rank>),
}

/// Follows the waits from `rank`, which has settled in one for `peer`, from answer to answer. `is_final` says that no more will come.
pub fn judge(rank: Rank, peer: Rank, need: Need, answers: &Answers, is_final: bool) -> Verdict {
    let (mut waiting, mut waited_for, mut need) = (rank, peer, need);
    let mut chain = vec![rank];
    loop {
        let Some(answer) = answers.get(&(waited_for, waiting)) else {
            return if is_final { Verdict::Open } else { Verdict::Ask(waited_for, waiting, need) };
        };
        if !need.is_open(answer.count) {
            return Verdict::Open;
        }
        if let Some(place) = chain.iter().position(|&rank| rank == waited_for) {
            return Verdict::Circle(chain.split_off(place));
        }
        match answer.state {
            State::Finalizing => return Verdict::Never(waiting, waited_for, need),
            State::Waiting(next, next_need) if answer.since >= SETTLED && chain.len() < MOST => {
                chain.push(waited_for);
                (waiting, waited_for, need) = (waited_for, next, next_need);
            }
            _ => return Verdict::Open,
        }
    }
}

/// What is said: the rank's own wait, or vain tests, what others answered, and what follows.
pub fn report(own: &str, answers: &Answers, unanswered: &[Rank], verdict: &Verdict) -> String {
    let mut lines = vec![own.to_owned()];
    let mut told = Vec::new();
    for (&(rank, _), Answer { state, since, text, .. }) in answers {
        if told.contains(&rank) {
            continue;
        }
        told.push(rank);
        let seconds = since / 1000;
        lines.push(match state {
            State::Unwatched => format!("rank {rank} does not say what it does: GRAVEL_CHECK is not set there"),
            State::Elsewhere if text.is_empty() => format!("rank {rank} has been in no wait of Gravel"),
            State::Elsewhere => format!("rank {rank} is in no wait of Gravel since {seconds} s; its last was {text}"),
            State::WaitingForSome => format!("rank {rank} waits for one of several since {seconds} s in {text}"),
            State::Testing => format!("rank {rank} tests in vain since {seconds} s in {text}"),
            State::Waiting(peer, _) => format!("rank {rank} waits for rank {peer} since {seconds} s in {text}"),
            State::Finalizing => format!("rank {rank} is in {text} since {seconds} s"),
        });
    }
    lines.extend(unanswered.iter().map(|rank| format!("rank {rank} has not answered")));
    match verdict {
        Verdict::Circle(ranks) => {
            let ranks: Vec<_> = ranks.iter().chain(ranks.first()).map(|rank| format!("rank {rank}")).collect();
            lines.push(format!("each of these waits for the next, and none can go on: {}", ranks.join(", ")));
        }
        Verdict::Never(waiting, peer, need) => lines.push(never(*waiting, *peer, need.missing())),
        Verdict::Ask(..) | Verdict::Open => {}
    }
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::missing::Aspect;
    use crate::message::communicator::CommunicatorId;

    fn need(number: u64) -> Need {
        Need { aspect: Aspect::Message, communicator: CommunicatorId::FIRST, tag: 7, number }
    }

    fn answers(all: &[(Rank, Rank, State, u64)]) -> Answers {
        let answer = |&(rank, about, state, count)| {
            ((rank, about), Answer { state, since: SETTLED, count, text: format!("call {rank}") })
        };
        all.iter().map(answer).collect()
    }

    #[test]
    fn waits_are_followed_from_rank_to_rank() {
        let waiting = |peer| State::Waiting(peer, need(1));
        let judge = |all: &[_]| judge(0, 1, need(3), &answers(all), false);
        assert_eq!(judge(&[]), Verdict::Ask(1, 0, need(3)));
        assert_eq!(judge(&[(1, 0, waiting(2), 3)]), Verdict::Ask(2, 1, need(1)));
        assert_eq!(judge(&[(1, 0, State::Elsewhere, 3)]), Verdict::Open);
        assert_eq!(judge(&[(1, 0, State::Finalizing, 3)]), Verdict::Never(0, 1, need(3)));
        assert_eq!(judge(&[(1, 0, State::Finalizing, 4)]), Verdict::Open, "it was sent before");
        let to_two = (1, 0, waiting(2), 3);
        assert_eq!(judge(&[to_two, (2, 1, State::Finalizing, 0)]), Verdict::Never(1, 2, need(1)));
        let to_three = (2, 1, waiting(0), 0);
        assert_eq!(judge(&[to_two, to_three]), Verdict::Ask(0, 2, need(1)));
        let closed = [to_two, to_three, (0, 2, waiting(1), 1)];
        assert_eq!(judge(&closed), Verdict::Circle(vec![0, 1, 2]));
        assert_eq!(judge(&[to_two, to_three, (0, 2, waiting(1), 2)]), Verdict::Open, "this rank has sent it");
        // A circle that this rank only waits for.
        let others = [to_two, (2, 1, waiting(1), 0), (1, 2, waiting(2), 0)];
        assert_eq!(judge(&others), Verdict::Circle(vec![1, 2]));
    }

    #[test]
    fn who_waits_only_for_a_moment_is_in_no_circle() {
        let mut all = answers(&[(1, 0, State::Waiting(0, need(0)), 0), (0, 1, State::Waiting(1, need(0)), 0)]);
        assert_eq!(judge(0, 1, need(0), &all, true), Verdict::Circle(vec![0, 1]));
        all.get_mut(&(1, 0)).unwrap().since = SETTLED - 1;
        assert_eq!(judge(0, 1, need(0), &all, true), Verdict::Open);
    }

    #[test]
    fn a_report_names_every_rank_and_what_follows() {
        let all = answers(&[(1, 0, State::Waiting(0, need(0)), 0), (0, 1, State::Waiting(1, need(0)), 0)]);
        let own = "this rank waits since 3 s in call 5, gravel_wait";
        let text = report(own, &all, &[9], &Verdict::Circle(vec![0, 1]));
        for part in [
            "this rank waits since 3 s in call 5, gravel_wait",
            "rank 1 waits for rank 0 since 1 s in call 1",
            "rank 9 has not answered",
            "none can go on: rank 0, rank 1, rank 0",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let text = report("call 5", &Answers::new(), &[], &Verdict::Never(0, 1, need(0)));
        assert!(text.contains("rank 1 has called gravel_finalize and has not sent the message with tag 7 that rank 0"));
    }
}
