//! Puts on the mock: in flight until they have completed, and how the messages that they belong to end.

use super::mock::{self, Faults};
use super::tests::{Pair, connect_pair, entry, key};
use super::*;
use crate::message::rendezvous::{Fin, FinStatus, Handshake};
use crate::message::wire::Control;

#[test]
fn a_long_put_is_in_flight_until_its_completions_come() {
    let mut pair = connect_pair();
    let source: Vec<u8> = (0..250_000u32).map(|byte| (byte >> 3) as u8).collect();
    let target = vec![0; source.len()];
    let remote = pair.offer(&target);
    pair.fail(Faults { holds: true, ..Faults::default() });
    let outcome = pair.put(&remote, &source).expect("no failure");
    // Pieces of at most 64 KiB, by what the device takes.
    assert_eq!((outcome.taken, outcome.in_flight, outcome.fin_sent), (250_000, 4, false));
    pair.poll();
    assert!(pair.sinks[0].completed.is_empty());
    mock::let_go(pair.number());
    pair.poll();
    assert_eq!(pair.sinks[0].completed, vec![(Handle::from_raw(3), None); 4]);
    // SAFETY: inside the vector; the device has written it.
    assert_eq!(unsafe { target.as_ptr().add(249_999).read_volatile() }, source[249_999]);
    assert_eq!(target, source);
}

/// Data and FIN leave together if they can; where the device takes only the data, or nothing, both are offered again.
#[test]
fn the_fin_leaves_with_the_last_piece() {
    for accepts in [None, Some(3), Some(4)] {
        let mut pair = connect_pair();
        let source: Vec<u8> = (0..250_000u32).map(|byte| (byte >> 3) as u8).collect();
        let target = vec![0; source.len()];
        let remote = pair.offer(&target);
        if accepts.is_some() {
            pair.fail(Faults { accepts, ..Faults::default() });
            let outcome = pair.put_as(&remote, &source, true).expect("no failure");
            assert!(outcome.taken < 250_000 && !outcome.fin_sent, "{outcome:?}");
            pair.poll();
            assert!(pair.sinks[1].entries.is_empty(), "the message has not ended");
            pair.fail(Faults::default());
            pair.await_puts();
            assert_eq!(pair.sinks[0].completed.len(), outcome.in_flight as usize);
        }
        let before = pair.sinks[0].completed.len();
        let outcome = pair.put_as(&remote, &source, true).expect("no failure");
        assert_eq!((outcome.taken, outcome.in_flight, outcome.fin_sent), (250_000, 4, true));
        pair.poll();
        assert_eq!(pair.sinks[0].completed[before..], vec![(Handle::from_raw(3), None); 4]);
        let fin = Fin { status: FinStatus::Delivered, bytes: 250_000 };
        assert_eq!(pair.sinks[1].entries, [Control::Fin { request: remote.request, fin }.encode()]);
        assert_eq!(target, source);
    }
}

/// A put of which no entry tells is told of as soon as somebody waits; entries behind it tell of it by themselves, whatever
/// way they go.
#[test]
fn silent_puts_are_told_of_by_what_is_behind_them() {
    let source: Vec<u8> = (0..9000u32).map(|byte| (byte >> 3) as u8).collect();
    let behind: [fn(&mut Pair); 4] = [
        |pair| assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1))),
        |pair| assert!(pair.providers[0].post(1, Ledger::Handshake, &entry(1))),
        // SAFETY: as long as it says.
        |pair| assert!(unsafe { pair.providers[0].put_eager(key(), 0, vec![1; 100].as_ptr(), 100) }),
        |pair| {
            pair.await_puts();
        },
    ];
    for post in behind {
        let mut pair = connect_pair();
        let target = vec![0; source.len()];
        let remote = pair.offer(&target);
        for _ in 0..3 {
            assert_eq!(pair.put(&remote, &source).expect("no failure").in_flight, 1);
        }
        // One look after another, as in a wait that polls.
        assert!(!pair.providers[0].poll(1, &mut pair.sinks[0]));
        assert!(pair.sinks[0].completed.is_empty(), "none of them is signalled");
        post(&mut pair);
        pair.providers[0].poll(1, &mut pair.sinks[0]);
        assert_eq!(pair.sinks[0].completed, vec![(Handle::from_raw(3), None); 3]);
    }
}

/// Rank 1 tells rank 0 where a receive is.
fn tell(pair: &mut Pair, buffer: RemoteBuffer) {
    let handshake = Handshake { buffer, wants_segments: false };
    let control = Control::Handshake { communicator: key().communicator, tag: 5, number: 0, handshake };
    assert!(pair.providers[1].post(0, Ledger::Handshake, &control.encode()));
    pair.poll();
}

/// A message that is written as a whole ends with that write, if the receive is one of the last that the producer was told of,
/// and the consumer, which may have told of others meanwhile, finds the right one.
#[test]
fn a_message_of_one_write_has_no_entry() {
    let source: Vec<u8> = (0..20_000u32).map(|byte| (byte >> 3) as u8).collect();
    for (others, unread) in [(0, 0), (1, 0), (40, 0), (61, 0), (62, 0), (0, 40), (61, 40)] {
        let mut pair = connect_pair();
        let target = vec![0; source.len()];
        let remote = pair.offer(&target);
        tell(&mut pair, remote);
        for number in 0..others {
            tell(&mut pair, RemoteBuffer { request: Handle::from_raw(100 + number), ..remote });
        }
        for value in 0..unread {
            assert!(pair.providers[1].post(0, Ledger::Handshake, &entry(1000 + value)));
        }
        let before = mock::bytes_written_by(pair.number());
        let outcome = pair.put_as(&remote, &source, true).expect("no failure");
        assert_eq!((outcome.taken, outcome.in_flight, outcome.fin_sent), (20_000, 1, true));
        let beside = mock::bytes_written_by(pair.number()) - before - source.len() as u64;
        assert_eq!(beside, if others < 62 { 0 } else { 64 }, "{others} others");
        pair.poll();
        assert_eq!(pair.sinks[0].completed, [(Handle::from_raw(3), None)]);
        let fin = Fin { status: FinStatus::Delivered, bytes: 20_000 };
        assert_eq!(pair.sinks[1].entries, [Control::Fin { request: remote.request, fin }.encode()]);
        assert_eq!(target, source);
    }
}

/// Nothing is taken from a device that does not say how long a message was.
#[test]
fn a_message_of_unknown_length_is_not_taken() {
    let mut pair = connect_pair();
    let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
    let remote = pair.offer(&target);
    tell(&mut pair, remote);
    pair.fail(Faults { tells_no_length: true, ..Faults::default() });
    assert!(pair.put_as(&remote, &source, true).expect("no failure").fin_sent);
    pair.poll();
    assert!(pair.sinks[1].entries.is_empty());
    let lost = pair.providers[1].check_alive(0).expect_err("found out").to_string();
    assert!(lost.contains("no entry with it"), "{lost}");
}
