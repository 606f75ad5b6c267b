//! Whatever two ranks send one another, looking or not, no queue of theirs overruns and nothing is lost: on the mock, which
//! fails as a device does where a write finds no receive request, or a completion no place.

use proptest::prelude::*;

use super::mock::{self, Faults};
use super::tests::{Pair, Recorder, connect_pair, entry, key};
use super::*;
use crate::message::rendezvous::Fin;
use crate::message::wire::Control;

/// What one of both ranks does.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Posts entries until there is no more room, or so many.
    Post(Ledger, u32),
    /// Sends eager data of this length, likewise.
    Eager(u64, u32),
    /// Puts a long message.
    Put,
    /// Likewise, and ends it: for the receive of which it was told so many handshakes ago.
    PutWhole(usize),
    /// Takes what has come.
    Look,
    /// Its device stops, or goes on.
    Stop,
    GoOn,
}

fn step() -> impl Strategy<Value = Step> {
    let many = prop_oneof![1u32..5, Just(1000)];
    prop_oneof![
        many.clone().prop_map(|count| Step::Post(Ledger::Fin, count)),
        many.clone().prop_map(|count| Step::Post(Ledger::Handshake, count)),
        (prop_oneof![1u64..40, 1..=MAXIMUM_EAGER_DATA], many).prop_map(|(length, count)| Step::Eager(length, count)),
        Just(Step::Put),
        prop_oneof![0usize..3, 0usize..80].prop_map(Step::PutWhole),
        Just(Step::Look),
        Just(Step::Look),
        Just(Step::Look),
        Just(Step::Stop),
        Just(Step::GoOn),
    ]
}

/// What a rank has sent, in the order of each kind.
#[derive(Default)]
struct Sent {
    posted: [Vec<u64>; 2],
    eager: Vec<(u64, Vec<u8>)>,
    tags: Vec<i32>,
    in_flight: usize,
    /// The receives of messages that were put and ended.
    ended: Vec<Handle>,
}

fn number_of(pair: &Pair, rank: Rank) -> u32 {
    pair.providers[rank].links[1 - rank].as_ref().expect("a link").number()
}

fn do_step(pair: &mut Pair, sent: &mut Sent, rank: Rank, step: Step, source: &[u8], target: &RemoteBuffer) {
    let peer = 1 - rank;
    match step {
        Step::Post(ledger, count) => {
            let posted = &mut sent.posted[usize::from(ledger == Ledger::Fin)];
            for _ in 0..count {
                // Even and odd tell the ledgers apart.
                let value = 2 * posted.len() as u64 + u64::from(ledger == Ledger::Fin);
                if !pair.providers[rank].post(peer, ledger, &entry(value)) {
                    break;
                }
                posted.push(value);
            }
        }
        Step::Eager(length, count) => {
            for _ in 0..count {
                // Some follow others of their key, and there are more keys than both ends remember.
                let number = sent.eager.len() as u64;
                let key = MatchKey { peer, tag: (number / 3 % 9) as i32, ..key() };
                let bytes = &source[number as usize % 50..][..length as usize];
                // SAFETY: as long as it says.
                if !unsafe { pair.providers[rank].put_eager(key, number, bytes.as_ptr(), length) } {
                    break;
                }
                sent.eager.push((number, bytes.to_vec()));
                sent.tags.push(key.tag);
            }
        }
        // One rank is enough for this.
        Step::Put if rank == 0 => sent.in_flight += pair.put(target, source).expect("no failure").in_flight as usize,
        Step::PutWhole(ago) if rank == 0 => {
            let told = pair.sinks[0].entries.iter().map(|entry| entry[1]).filter(|value| value % 2 == 0);
            let Some(value) = told.rev().nth(ago) else { return };
            let request = Handle::from_raw(value.cast_signed());
            let outcome = pair.put_as(&RemoteBuffer { request, ..*target }, source, true).expect("no failure");
            sent.in_flight += outcome.in_flight as usize;
            sent.ended.extend(outcome.fin_sent.then_some(request));
        }
        Step::Put | Step::PutWhole(_) => {}
        Step::Look => {
            pair.providers[rank].poll_all(peer, &mut pair.sinks[rank]);
        }
        Step::Stop => mock::set_faults(number_of(pair, rank), Faults { holds: true, ..Faults::default() }),
        Step::GoOn => {
            mock::set_faults(number_of(pair, rank), Faults::default());
            mock::let_go(number_of(pair, rank));
        }
    }
}

fn assert_arrived(sent: &Sent, arrived: &Recorder) {
    for (posted, kind) in sent.posted.iter().zip(0..) {
        let posted_entries = arrived.entries.iter().filter(|of| of[0] == entry(0)[0]);
        let of_kind = posted_entries.map(|entry| entry[1]).filter(|value| value % 2 == kind);
        assert!(of_kind.eq(posted.iter().copied()), "an entry is lost, or overtaken");
    }
    let ended = arrived.entries.iter().filter_map(|entry| match Control::decode(entry) {
        Ok(Control::Fin { request, fin: Fin { bytes: 20_000, .. } }) => Some(request),
        _ => None,
    });
    assert!(ended.eq(sent.ended.iter().copied()), "the end of a message is lost, or taken for that of another one");
    assert!(arrived.eager == sent.eager, "eager data is lost, or damaged");
    assert!(arrived.tags == sent.tags, "eager data is taken for that of another key");
}

/// Posts entries until the ring is full; looks itself where only its send queue was.
fn fill(pair: &mut Pair, rank: Rank, ledger: Ledger) -> usize {
    let mut posted = 0;
    for looks in [true, false] {
        while pair.providers[rank].post(1 - rank, ledger, &entry(7)) {
            posted += 1;
        }
        if looks {
            pair.providers[rank].poll_all(1 - rank, &mut pair.sinks[rank]);
        }
    }
    posted
}

/// One rank looks at nothing, and its peer fills both rings and gives back room of both: each of these takes a receive
/// request.
#[test]
fn entries_and_credits_of_all_rings_find_a_receive_request() {
    let mut pair = connect_pair();
    for number in 0..4 {
        // SAFETY: as long as it says.
        assert!(unsafe { pair.providers[0].put_eager(key(), number, vec![1; 8000].as_ptr(), 8000) });
    }
    for _ in 0..40 {
        assert!(pair.providers[0].post(1, Ledger::Handshake, &entry(1)));
        assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    }
    let posted = fill(&mut pair, 1, Ledger::Handshake) + fill(&mut pair, 1, Ledger::Fin);
    assert_eq!(posted, crate::provider::piece::HANDSHAKE_SLOTS + super::credits::FIN_SLOTS, "both rings are full");
    pair.poll();
    for rank in 0..2 {
        let state = pair.providers[rank].check_alive(1 - rank);
        assert!(state.is_ok(), "{state:?}");
    }
    assert_eq!(pair.sinks[0].entries.len(), posted);
}

/// Where messages go both ways, each gives back what came before it: a request for each, and none for credits. Those of one
/// way are told of by themselves.
#[test]
fn messages_that_go_both_ways_give_rooms_back() {
    const MESSAGES: u64 = 300;
    let mut pair = connect_pair();
    let posted =
        |pair: &Pair| [0, 1].map(|rank: Rank| pair.providers[rank].links[1 - rank].as_ref().expect("a link").posted());
    for (length, answers) in [(8, true), (4000, true), (4000, false)] {
        let before = posted(&pair);
        for number in 0..MESSAGES {
            for rank in 0..if answers { 2 } else { 1 } {
                let key = MatchKey { peer: 1 - rank, ..key() };
                // SAFETY: as long as it says.
                assert!(unsafe {
                    pair.providers[rank].put_eager(key, number, vec![1; length].as_ptr(), length as u64)
                });
                pair.poll();
            }
        }
        let requests = posted(&pair);
        assert_eq!(requests[0] - before[0], MESSAGES, "{length} bytes");
        let returned = requests[1] - before[1];
        assert!(
            if answers { returned == MESSAGES } else { (1..MESSAGES).contains(&returned) },
            "{length} bytes: {returned}"
        );
    }
    for sink in &pair.sinks {
        assert!(sink.eager.len() as u64 >= 2 * MESSAGES);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn nothing_overruns_and_nothing_is_lost(steps in proptest::collection::vec((0usize..2, step()), 1..60)) {
        let mut pair = connect_pair();
        let source: Vec<u8> = (0..20_000u32).map(|byte| (byte >> 4) as u8).collect();
        let target = vec![0; source.len()];
        let remote = pair.offer(&target);
        let mut sent = [Sent::default(), Sent::default()];
        for (rank, step) in steps {
            do_step(&mut pair, &mut sent[rank], rank, step, &source, &remote);
            prop_assert!(pair.providers[rank].check_alive(1 - rank).is_ok());
        }
        for (rank, sent) in sent.iter_mut().enumerate() {
            do_step(&mut pair, sent, rank, Step::GoOn, &source, &remote);
        }
        // What is given back makes room for what is owed.
        for _ in 0..4 {
            pair.poll();
        }
        for (rank, sent) in sent.iter().enumerate() {
            let state = pair.providers[rank].check_alive(1 - rank);
            prop_assert!(state.is_ok(), "{:?}", state);
            assert_arrived(sent, &pair.sinks[1 - rank]);
        }
        prop_assert_eq!(pair.sinks[0].completed.len(), sent[0].in_flight);
        // There is room again for whatever is posted.
        for rank in 0..2 {
            for ledger in [Ledger::Handshake, Ledger::Fin] {
                prop_assert!(pair.providers[rank].post(1 - rank, ledger, &entry(0)));
            }
        }
    }
}
