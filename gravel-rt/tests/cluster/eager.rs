//! Messages of medium length over a network: they leave without their handshakes, unless their producers put segments.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::launcher::{Network, cluster_over};
use crate::observation::{observe, read_json};
use crate::world::{ANY_SOURCE, ANY_TAG, World, fill, first_difference};

const ROUNDS: usize = 12;
/// Longer than short messages, and as long as a network takes without a handshake.
const LENGTHS: [usize; 4] = [8193, 20_000, 50_000, 65_536];

fn counter(directory: &std::path::Path, rank: usize, path: &str) -> u64 {
    let json = read_json(&directory.join("counters.json"));
    json["ranks"][rank].pointer(path).and_then(Value::as_u64).expect("a counter")
}

/// Rank 0 posts receives that are longer than their messages, half of them before and half of them after these have left.
fn send_whole(world: &mut World) {
    let mut buffers = LENGTHS.map(|_| vec![0; 65_536]);
    for round in 0..ROUNDS {
        let mut post = |world: &mut World, tag: usize| world.post(&mut buffers[tag], 1, tag as i32);
        if world.rank() == 0 {
            let before = [0, 1].map(|tag| post(world, tag));
            world.outside_barrier();
            world.outside_barrier();
            let after = [2, 3].map(|tag| post(world, tag));
            for (tag, request) in before.into_iter().chain(after).enumerate() {
                assert_eq!(world.wait_receive(request, 1, tag as i32), LENGTHS[tag]);
                assert_eq!(first_difference(&buffers[tag][..LENGTHS[tag]], round + tag), None);
            }
        } else {
            world.outside_barrier();
            for (tag, length) in LENGTHS.into_iter().enumerate() {
                let mut message = vec![0; length];
                fill(&mut message, round + tag);
                let request = world.send(&message, 0, tag as i32);
                world.wait_send(request);
            }
            world.outside_barrier();
        }
    }
}

#[test]
fn whole_messages_need_no_handshake() {
    let test = "eager::whole_messages_need_no_handshake";
    observe(Network::Tcp, test, "GRAVEL_STATS", "counters.json", send_whole, |directory| {
        let messages = (ROUNDS * LENGTHS.len()) as u64;
        assert_eq!(counter(directory, 1, "/eager_sent/count"), messages);
        assert_eq!(counter(directory, 0, "/eager_received/count"), messages);
        assert_eq!(counter(directory, 1, "/puts/count"), 0);
    });
}

/// Both ranks let the other one wait for longer than a wait polls at first.
fn answer_slowly(world: &mut World) {
    let mut buffer = [0; 8];
    for round in 0..20 * ROUNDS {
        if round % 2 == world.rank() {
            let request = world.post(&mut buffer, 1 - world.rank(), 7);
            assert_eq!(world.wait_receive(request, 1 - world.rank(), 7), buffer.len());
        } else {
            let started = Instant::now();
            while started.elapsed() < Duration::from_micros(500) {
                std::hint::spin_loop();
            }
            let request = world.send(&[1; 8], 1 - world.rank(), 7);
            world.wait_send(request);
        }
    }
}

/// To tell where a short receive is helps nobody as long as its message is only a little late.
#[test]
fn short_receives_send_no_handshake_while_their_waits_poll() {
    let test = "eager::short_receives_send_no_handshake_while_their_waits_poll";
    observe(Network::Tcp, test, "GRAVEL_STATS", "counters.json", answer_slowly, |directory| {
        for rank in [0, 1] {
            let sent = counter(directory, rank, "/handshakes_sent");
            let slept = counter(directory, rank, "/waits/slept");
            assert!(sent <= slept, "{sent} handshakes, and {slept} waits have slept");
        }
    });
}

/// As [`send_whole`], announced: whole, or opened and filled from the start on. The receives take any source or any tag.
fn announce_whole(world: &mut World) {
    let mut buffers = LENGTHS.map(|_| vec![0; 65_536]);
    for round in 0..ROUNDS {
        let mut post = |world: &mut World, tag: usize| {
            let (source, wanted) = if tag.is_multiple_of(2) { (ANY_SOURCE, tag as i32) } else { (1, ANY_TAG) };
            world.try_post_announced(&mut buffers[tag], source, wanted).expect("a receive")
        };
        if world.rank() == 0 {
            let before = [0, 1].map(|tag| post(world, tag));
            world.outside_barrier();
            world.outside_barrier();
            let after = [2, 3].map(|tag| post(world, tag));
            for (tag, request) in before.into_iter().chain(after).enumerate() {
                assert_eq!(world.wait_any_source(request), (1, tag as i32, LENGTHS[tag]));
                assert_eq!(first_difference(&buffers[tag][..LENGTHS[tag]], round + tag), None);
                assert!(buffers[tag][LENGTHS[tag]..].iter().all(|&byte| byte == 0), "nothing behind it");
            }
        } else {
            world.outside_barrier();
            for (tag, length) in LENGTHS.into_iter().enumerate() {
                let mut message = vec![0; length];
                fill(&mut message, round + tag);
                let request = if (round + tag) % 2 == 0 {
                    world.offer(&message, 0, tag as i32)
                } else {
                    let transfer = world.announce(&message, 0, tag as i32);
                    world.put(transfer, &message, 0, length / 2);
                    world.put(transfer, &message, length / 2, length - length / 2);
                    world.fin(transfer)
                };
                world.wait_send(request);
            }
            world.outside_barrier();
        }
    }
}

#[test]
fn announced_messages_need_no_handshake() {
    let test = "eager::announced_messages_need_no_handshake";
    observe(Network::Tcp, test, "GRAVEL_STATS", "counters.json", announce_whole, |directory| {
        let messages = (ROUNDS * LENGTHS.len()) as u64;
        assert_eq!(counter(directory, 1, "/eager_sent/count"), messages);
        assert_eq!(counter(directory, 0, "/eager_received/count"), messages);
        assert_eq!(counter(directory, 1, "/announcements_sent"), 0);
        assert_eq!(counter(directory, 1, "/puts/count"), 0);
    });
}

/// Rank 1 puts each message in two segments, the second one first.
fn send_segments(world: &mut World) {
    const LENGTH: usize = 40_000;
    let mut buffer = vec![0; LENGTH];
    for round in 0..ROUNDS {
        if world.rank() == 0 {
            let request = world.post(&mut buffer, 1, 7);
            world.outside_barrier();
            assert_eq!(world.wait_receive(request, 1, 7), LENGTH);
            assert_eq!(first_difference(&buffer, round), None);
        } else {
            world.outside_barrier();
            fill(&mut buffer, round);
            let transfer = world.open(&buffer, 0, 7);
            world.put(transfer, &buffer, LENGTH / 2, LENGTH / 2);
            world.put(transfer, &buffer, 0, LENGTH / 2);
            let request = world.fin(transfer);
            world.wait_send(request);
        }
    }
}

/// The first message asks, so that the second one's handshake is there when it is opened.
#[test]
fn segments_leave_as_they_are_put() {
    let test = "eager::segments_leave_as_they_are_put";
    observe(Network::Tcp, test, "GRAVEL_STATS", "counters.json", send_segments, |directory| {
        assert!(counter(directory, 1, "/eager_sent/count") <= 1);
        assert!(counter(directory, 1, "/puts/count") >= 2 * (ROUNDS as u64 - 1));
        assert!(counter(directory, 0, "/handshakes_sent") >= ROUNDS as u64 - 1);
    });
}

/// Rank 1 has put all of its message, and ends it only when rank 0 has received it.
#[test]
fn what_was_put_at_once_is_there_before_its_end() {
    let test = "eager::what_was_put_at_once_is_there_before_its_end";
    cluster_over(&[Network::Tcp], test, 2, &[], |world| {
        // The first two may leave without a handshake; the others need theirs, and end with their last byte.
        for (round, length) in [8193, 65_536, 65_537, 200_000].into_iter().cycle().take(ROUNDS).enumerate() {
            let mut buffer = vec![0; length];
            if world.rank() == 0 {
                let request = world.post(&mut buffer, 1, 7);
                world.outside_barrier();
                assert_eq!(world.wait_receive(request, 1, 7), length);
                assert_eq!(first_difference(&buffer, round), None);
                world.outside_barrier();
            } else {
                fill(&mut buffer, round);
                world.outside_barrier();
                let transfer = world.open(&buffer, 0, 7);
                world.put(transfer, &buffer, 0, length);
                world.outside_barrier();
                let request = world.fin(transfer);
                world.wait_send(request);
            }
        }
    });
}
