//! What devices hardly ever do, on the mock: each becomes an error of the peer that it concerns, or is mended.

use super::mock::{self, Faults};
use super::tests::{Pair, connect_pair, entry, key};
use super::*;
use crate::provider::Arrivals as _;

/// Every status that says that something has failed, by the number that the interface gives it.
const FAILURES: std::ops::RangeInclusive<u32> = 1..=23;

#[test]
fn every_status_is_an_error_of_the_put_and_of_the_peer_by_its_name() {
    let mut texts = std::collections::BTreeSet::new();
    for status in FAILURES {
        let mut pair = connect_pair();
        let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
        let remote = pair.offer(&target);
        pair.fail(Faults { status: Some(status), ..Faults::default() });
        assert_eq!(pair.put(&remote, &source).expect("it was taken").in_flight, 1);
        pair.poll();
        let [(_, Some(error))] = pair.sinks[0].completed.as_slice() else { panic!("status {status}") };
        assert!(matches!(**error, Error::ConnectionLost { peer: 1, .. }), "{error}");
        let text = mock::library().status_text(status);
        assert!(error.to_string().contains(&text) && pair.lost_because().contains(&text), "{error}");
        assert!(texts.insert(text), "each has its own");
        assert!(pair.put(&remote, &source).is_err(), "and so is everything after it");
        assert!(pair.providers[0].is_flushed(), "nobody waits for it at the end");
        assert!(pair.providers[0].take_news(), "who waits is woken");
    }
    for text in ["local protection error", "remote access error", "transport retry counter exceeded", "fatal error"] {
        assert!(texts.contains(text), "{text}");
    }
}

#[test]
fn every_status_is_an_error_of_who_reads_by_its_name() {
    for status in FAILURES {
        let mut pair = connect_pair();
        let message = vec![7; 60_000];
        let offered = pair.offer(&message);
        let mut target = vec![0; message.len()];
        let start = target.as_mut_ptr().expose_provenance();
        let around = MemoryRange { start, end: start + target.len() };
        let (owner, bytes) = (Handle::from_raw(4), message.len() as u64);
        let get = Get { owner, around, address: offered.address, target: target.as_mut_ptr(), bytes, ends_with: None };
        pair.fail(Faults { status: Some(status), ..Faults::default() });
        // SAFETY: the target lives on, and is nobody else's.
        assert_eq!(unsafe { pair.providers[0].get(1, get) }.expect("it was taken"), GetOutcome::Taken(0));
        pair.poll();
        // SAFETY: as above.
        let error = unsafe { pair.providers[0].get(1, get) }.expect_err("it has failed");
        assert!(error.to_string().contains(&mock::library().status_text(status)), "{error}");
        assert_eq!(target, vec![0; 60_000]);
        assert!(pair.providers[0].take_news(), "who waits is woken");
    }
}

/// Nothing has asked for a completion of these: devices report failures all the same.
#[test]
fn every_status_of_an_entry_that_nobody_waits_for_is_an_error_of_the_peer() {
    for status in FAILURES {
        let mut pair = connect_pair();
        pair.fail(Faults { status: Some(status), ..Faults::default() });
        assert!(pair.providers[0].post(1, Ledger::Handshake, &entry(1)));
        pair.poll();
        assert!(pair.lost_because().contains(&mock::library().status_text(status)), "{}", pair.lost_because());
        assert!(pair.sinks[1].entries.is_empty());
    }
}

#[test]
fn every_status_of_what_comes_is_an_error_of_the_peer() {
    for status in FAILURES {
        let mut pair = connect_pair();
        mock::fail_receive(pair.number(), status);
        pair.poll();
        assert!(pair.lost_because().contains(&mock::library().status_text(status)), "{}", pair.lost_because());
        assert!(pair.providers[0].take_news(), "who waits is woken");
    }
}

#[test]
fn a_full_send_queue_loses_nothing_and_sends_nothing_twice() {
    // Messages in an entry, in the staging ring, and those of which that takes only a few.
    let cases = [8, 500, MAXIMUM_EAGER_DATA];
    for (length, accepts) in cases.into_iter().flat_map(|length| (0..3).map(move |accepts| (length, accepts))) {
        let mut pair = connect_pair();
        pair.fail(Faults { accepts: Some(accepts), ..Faults::default() });
        let message = vec![accepts as u8 + 1; length as usize];
        let mut refusals = 0;
        for number in 0..3 {
            // SAFETY: the message is that long.
            while !unsafe { pair.providers[0].put_eager(key(), number, message.as_ptr(), length) } {
                refusals += 1;
                pair.fail(Faults::default());
            }
        }
        pair.poll();
        assert_eq!(refusals, 1, "after {accepts} requests");
        assert_eq!(pair.sinks[1].eager, (0..3).map(|number| (number, message.clone())).collect::<Vec<_>>());
    }
}

/// What a full send queue does not take takes no room in the peer's rings either, however often it is tried.
#[test]
fn what_is_refused_again_and_again_takes_no_room() {
    let mut pair = connect_pair();
    let message = vec![7; MAXIMUM_EAGER_DATA as usize];
    // SAFETY: the message is that long.
    let send = |pair: &mut Pair| unsafe { pair.providers[0].put_eager(key(), 0, message.as_ptr(), MAXIMUM_EAGER_DATA) };
    assert!(send(&mut pair));
    pair.poll();
    pair.fail(Faults { accepts: Some(0), ..Faults::default() });
    for _ in 0..50 {
        assert!(!send(&mut pair));
    }
    pair.fail(Faults::default());
    assert!(send(&mut pair));
    pair.poll();
    assert_eq!(pair.sinks[1].eager.len(), 2);
}

#[test]
fn a_device_that_refuses_a_request_loses_the_connection() {
    let mut pair = connect_pair();
    pair.fail(Faults { error: Some(libc::EIO), ..Faults::default() });
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)), "nobody will miss it");
    assert!(pair.lost_because().contains("Input/output error"));
}

#[test]
fn events_of_a_device_end_what_they_concern() {
    for (event, concerns_pair) in [
        (abi::event::QP_FATAL, true),
        (abi::event::QP_REQ_ERR, true),
        (abi::event::QP_ACCESS_ERR, true),
        (abi::event::CQ_ERR, false),
        (abi::event::DEVICE_FATAL, false),
    ] {
        let mut pair = connect_pair();
        let arrivals = pair.providers[0].arrivals();
        let address = pair.providers[0].links[1].as_ref().expect("a link").address();
        let device = arrivals.device().async_descriptor();
        // Another one's trouble is none of ours.
        mock::raise(device, abi::event::QP_FATAL, 1);
        mock::raise(device, abi::event::PORT_ERR, 1);
        assert!(arrivals.wait());
        pair.poll();
        assert!(pair.providers[0].check_alive(1).is_ok());
        mock::raise(device, event, if concerns_pair { address } else { 0 });
        assert!(arrivals.wait());
        pair.poll();
        let text = mock::library().event_text(event);
        assert!(pair.lost_because().contains(&text), "{}", pair.lost_because());
    }
}

/// Messages wait, or are given up by the device, which then says so: the port alone is no reason to end anything.
#[test]
fn a_port_that_goes_down_and_comes_up_again_is_told_and_ends_nothing() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[0].arrivals();
    let device = arrivals.device().async_descriptor();
    for (event, said) in [(abi::event::PORT_ERR, "mock0 port 1 is down"), (abi::event::PORT_ACTIVE, "is up again")] {
        crate::sys::log::take_lines();
        mock::raise(device, event, 1);
        assert!(arrivals.wait());
        let lines = crate::sys::log::take_lines();
        assert!(lines.len() == 1 && lines[0].contains(said), "{lines:?}");
        pair.poll();
    }
    assert!(pair.providers[0].check_alive(1).is_ok());
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    pair.poll();
    assert_eq!(pair.sinks[1].entries, [entry(1)]);
}

/// What credits exclude, if it happened all the same.
#[test]
fn a_completion_queue_that_overruns_loses_every_connection() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    let (_, received) = arrivals.queues();
    mock::shorten(received, 2);
    for value in 0..3 {
        assert!(pair.providers[0].post(1, Ledger::Fin, &entry(value)));
    }
    assert!(arrivals.wait(), "the device tells");
    pair.poll();
    let error = pair.providers[1].check_alive(0).expect_err("an error").to_string();
    assert!(error.contains("CQ error") || error.contains("completion queue"), "{error}");
    assert!(pair.providers[1].is_flushed() && pair.providers[1].take_news());
}

/// The descriptors of a device that is gone are readable for ever: a thread that goes on watching them never sleeps.
#[test]
fn a_device_that_is_removed_ends_all_connections_once() {
    let mut pair = connect_pair();
    let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
    let remote = pair.offer(&target);
    pair.fail(Faults { holds: true, ..Faults::default() });
    assert_eq!(pair.put(&remote, &source).expect("it was taken").in_flight, 1);
    let arrivals = pair.providers[0].arrivals();
    mock::remove_device(&arrivals);
    assert!(arrivals.wait());
    pair.poll();
    assert!(pair.lost_because().contains("has been removed"), "{}", pair.lost_because());
    assert!(pair.providers[0].take_news() && pair.providers[0].is_flushed(), "nobody waits for what is under way");
    assert!(pair.put(&remote, &source).is_err() && pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    let stopping = Arc::clone(&arrivals);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stopping.stop();
    });
    let wakings = std::iter::repeat_with(|| arrivals.wait()).take_while(|goes_on| *goes_on).count();
    assert!(wakings <= 2, "{wakings}");
    stopper.join().expect("it stops");
}

#[test]
fn requests_that_a_removed_device_refuses_lose_the_connection() {
    let pair = &mut connect_pair();
    mock::remove_device(&pair.providers[0].arrivals());
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)), "nobody will miss it");
    assert!(pair.lost_because().contains("Input/output error"));
}
