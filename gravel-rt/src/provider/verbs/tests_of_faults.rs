//! What devices hardly ever do, on the mock: each becomes an error of the peer that it concerns, or is mended.

use super::mock::{self, Faults};
use super::tests::{connect_pair, entry, key};
use super::*;
use crate::provider::Arrivals as _;

#[test]
fn every_status_is_an_error_of_the_put_and_of_the_peer() {
    for status in 1..=21 {
        let mut pair = connect_pair();
        let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
        let remote = pair.offer(&target);
        pair.fail(Faults { status: Some(status), ..Faults::default() });
        assert_eq!(pair.put(&remote, &source).expect("it was taken").in_flight, 1);
        pair.poll();
        let [(_, Some(error))] = pair.sinks[0].completed.as_slice() else { panic!("status {status}") };
        assert!(matches!(**error, Error::ConnectionLost { peer: 1, .. }), "{error}");
        let text = match status {
            5 => "flushed",
            10 => "remote access error",
            _ => "some failure",
        };
        assert!(pair.lost_because().contains(text), "status {status}: {}", pair.lost_because());
        assert!(pair.put(&remote, &source).is_err(), "and so is everything after it");
        assert!(pair.providers[0].is_flushed(), "nobody waits for it at the end");
        assert!(pair.providers[0].take_news(), "who waits is woken");
    }
}

#[test]
fn a_full_send_queue_loses_nothing_and_sends_nothing_twice() {
    for accepts in 0..4 {
        let mut pair = connect_pair();
        pair.fail(Faults { accepts: Some(accepts), ..Faults::default() });
        let message = vec![accepts as u8 + 1; 500];
        let mut refusals = 0;
        for number in 0..3 {
            // SAFETY: the message is that long.
            while !unsafe { pair.providers[0].put_eager(key(), number, message.as_ptr(), 500) } {
                refusals += 1;
                pair.fail(Faults::default());
            }
        }
        pair.poll();
        assert_eq!(refusals, 1, "after {accepts} requests");
        assert_eq!(pair.sinks[1].eager, (0..3).map(|number| (number, message.clone())).collect::<Vec<_>>());
    }
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
    for (event, concerns_pair) in [(abi::event::QP_FATAL, true), (abi::event::DEVICE_FATAL, false)] {
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
        assert!(pair.lost_because().contains("some event"));
    }
}

#[test]
fn a_completion_queue_that_is_lost_loses_every_connection() {
    let mut pair = connect_pair();
    let (sent, _) = pair.providers[0].arrivals().queues();
    mock::lose_queue(sent);
    pair.poll();
    assert!(pair.lost_because().contains("completion queue"));
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
