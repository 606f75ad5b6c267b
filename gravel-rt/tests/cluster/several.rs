//! Tests of several requests, and waits for any and for some of them.

use std::thread::sleep;
use std::time::Duration;

use crate::calls::received;
use crate::launcher::cluster;
use crate::persistent::{prepare, release, start};
use crate::rules::{CHECK, violation};
use crate::world::{World, fill, first_difference};
use gravel::engine::completion::Completion;
use gravel::error::Error;
use gravel::error::violation::Violation;
use gravel::message::request::Handle;
use gravel::runtime::PersistentKind::{PostedReceive, PostedSend};
use gravel::runtime::{AnyTested, Ended};

/// A send as the header and the module hand it out: over at once or not, all waits and tests tell of it.
fn told_of(request: Handle) -> Handle {
    if request.is_null() { Handle::OVER } else { request }
}

/// Takes note of what has ended.
fn note(ended: Vec<Ended>, requests: &mut [Handle], seen: &mut [Option<Completion>]) {
    assert!(ended.is_sorted_by_key(|one| one.index));
    for Ended { index, outcome, .. } in ended {
        let completion = outcome.unwrap_or_else(|error| panic!("request {index}: {error}"));
        assert_eq!(seen[index].replace(completion), None, "request {index} has ended before");
        // All but persistent ones, which carry this mark.
        if requests[index].into_raw() & (3 << 30) != 1 << 30 {
            requests[index] = Handle::NULL;
        }
    }
}

on_every_path!(each_request_is_told_of_once_whatever_it_is, 2, |world: &mut World| {
    let (rank, peer) = (world.rank(), 1 - world.rank());
    for (round, length) in [0, 100, 20_000, 300_000].into_iter().enumerate() {
        for way in 0..4 {
            let tag = 100 * (round as i32) + 10 * way;
            let mut message = vec![0; length];
            fill(&mut message, rank);
            let [mut first, mut second, third] = [vec![0; length], vec![0; length], vec![0; length]];
            let (prepared_receive, prepared_send) = (
                prepare(world, PostedReceive, &third, peer, tag + 2),
                prepare(world, PostedSend, &message, peer, tag + 2),
            );
            let idle = prepare(world, PostedSend, &message, peer, tag + 3);
            let mut requests = [
                world.post(&mut first, peer, tag),
                Handle::NULL,
                world.post_any(&mut second, 5000 + tag),
                prepared_receive,
                told_of(world.send(&message, peer, tag)),
                told_of(world.offer(&message, peer, 5000 + tag)),
                prepared_send,
                idle,
            ];
            start(world, prepared_receive);
            start(world, prepared_send);
            let mut seen = [None; 8];
            loop {
                let ended = match way {
                    0 => world.runtime().wait_some(&requests).expect("gravel_waitsome"),
                    1 => world.runtime().test_some(&requests).expect("gravel_testsome"),
                    2 => match world.runtime().test_any(&requests).expect("gravel_testany") {
                        AnyTested::NoneActive => None,
                        AnyTested::NotYet => Some(Vec::new()),
                        AnyTested::Ended(index, completion) => {
                            Some(vec![Ended { index, outcome: Ok(completion), blamed: None }])
                        }
                    },
                    _ => world
                        .runtime()
                        .wait_any(&requests)
                        .expect("gravel_waitany")
                        .map(|(index, completion)| vec![Ended { index, outcome: Ok(completion), blamed: None }]),
                };
                let Some(ended) = ended else { break };
                assert!(way == 1 || way == 2 || !ended.is_empty());
                note(ended, &mut requests, &mut seen);
            }
            let receive = |tag| Some(Completion::Received { source: peer, tag, bytes: length as u64 });
            let send = Some(Completion::Empty);
            assert_eq!(seen, [receive(tag), None, receive(5000 + tag), receive(tag + 2), send, send, send, None]);
            for buffer in [&first, &second, &third] {
                assert_eq!(first_difference(buffer, peer), None);
            }
            let all = world.runtime().test_all(&requests).expect("gravel_testall").expect("nothing is active");
            assert!(all.len() == 8 && all.iter().all(|one| one.outcome == Ok(Completion::Empty)));
            release(world, &[prepared_receive, prepared_send, idle]);
        }
    }
});

on_every_path!(a_test_for_all_completes_all_or_none, 2, |world: &mut World| {
    let (rank, peer) = (world.rank(), 1 - world.rank());
    for length in [10, 50_000, 300_000] {
        let mut message = vec![0; length];
        fill(&mut message, rank);
        let (mut early, mut late) = (vec![0; length], vec![0; length]);
        let mut requests = [
            world.post(&mut early, peer, 0),
            world.post(&mut late, peer, 1),
            told_of(world.send(&message, peer, 0)),
            Handle::NULL,
        ];
        for _ in 0..50 {
            assert_eq!(world.runtime().test_all(&requests), Ok(None), "the second message has not been sent");
        }
        world.outside_barrier();
        requests[3] = told_of(world.send(&message, peer, 1));
        let all = loop {
            if let Some(all) = world.runtime().test_all(&requests).expect("gravel_testall") {
                break all;
            }
        };
        let outcomes: Vec<_> = all.into_iter().map(|one| one.outcome).collect();
        let receive = |tag| Ok(Completion::Received { source: peer, tag, bytes: length as u64 });
        assert_eq!(outcomes, [receive(0), receive(1), Ok(Completion::Empty), Ok(Completion::Empty)]);
        for buffer in [&early, &late] {
            assert_eq!(first_difference(buffer, peer), None);
        }
        for request in &requests[..2] {
            assert!(matches!(world.try_wait(*request), Err(Error::StaleHandle { .. })), "completed by the test");
        }
    }
});

/// A send that is over as soon as it is started is not chosen again and again before a receive that has come.
#[test]
fn requests_take_turns() {
    cluster("several::requests_take_turns", 2, &[], |world| {
        let peer = 1 - world.rank();
        let (message, incoming) = ([1; 10], [0; 10]);
        let sending = prepare(world, PostedSend, &message, peer, 0);
        let receiving = prepare(world, PostedReceive, &incoming, peer, 0);
        let requests = [sending, receiving];
        let mut received = 0;
        let mut sent = 0;
        start(world, receiving);
        start(world, sending);
        while received < 20 {
            let index = match received % 2 {
                0 => world.runtime().wait_any(&requests).expect("gravel_waitany").expect("active").0,
                _ => loop {
                    if let AnyTested::Ended(index, _) = world.runtime().test_any(&requests).expect("gravel_testany") {
                        break index;
                    }
                },
            };
            match index {
                0 => {
                    sent += 1;
                    // The peer may be waiting for a processor.
                    if sent > 500 {
                        sleep(Duration::from_millis(1));
                    }
                    assert!(sent < 20_000, "the receive is never chosen");
                    start(world, sending);
                }
                _ => {
                    received += 1;
                    if received < 20 {
                        start(world, receiving);
                    }
                }
            }
        }
        // Whoever is done first has sent enough; what is left over is received.
        world.try_wait(sending).expect("gravel_wait");
        let mine = sent + 1;
        let theirs: usize = world
            .outside_exchange(&[mine as u8, (mine >> 8) as u8])
            .chunks(2)
            .nth(peer)
            .map_or(0, |n| usize::from(n[0]) + 256 * usize::from(n[1]));
        for _ in received..theirs {
            start(world, receiving);
            world.try_wait(receiving).expect("gravel_wait");
        }
        release(world, &requests);
    });
}

#[test]
fn loops_of_tests_let_mpi_progress() {
    cluster("several::loops_of_tests_let_mpi_progress", 2, &[], |world| {
        for way in 0..3 {
            if world.rank() == 0 {
                let mut buffer = [0; 8];
                let requests = [Handle::NULL, world.post(&mut buffer, 1, way)];
                let completion = loop {
                    let found = match way {
                        0 => match world.runtime().test_any(&requests).expect("gravel_testany") {
                            AnyTested::Ended(_, completion) => Some(completion),
                            _ => None,
                        },
                        1 => {
                            let ended = world.runtime().test_some(&requests).expect("gravel_testsome").expect("active");
                            ended.into_iter().next().map(|one| one.outcome.expect("it is received"))
                        }
                        _ => {
                            let all = world.runtime().test_all(&requests).expect("gravel_testall");
                            all.map(|all| all[1].outcome.clone().expect("it is received"))
                        }
                    };
                    if let Some(completion) = found {
                        break completion;
                    }
                };
                assert_eq!(received(Ok(completion)), (1, way, 8));
            } else {
                world.wait_until_mpi_progressed(0);
                let request = world.send(&[1; 8], 0, way);
                world.wait_send(request);
            }
            world.outside_barrier();
        }
    });
}

#[test]
fn one_that_fails_is_told_of_among_the_others() {
    cluster("several::one_that_fails_is_told_of_among_the_others", 2, &[], |world| {
        if world.rank() == 0 {
            for way in 0..3 {
                for (tag, length) in [(3 * way, 10), (3 * way + 1, 100), (3 * way + 2, 10)] {
                    let request = world.send(&vec![1; length], 1, tag);
                    world.wait_send(request);
                }
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            for way in 0..3 {
                let mut buffers = [[0; 10]; 3];
                let mut tag = 3 * way - 1;
                let requests = buffers.each_mut().map(|buffer| {
                    tag += 1;
                    world.post(buffer, 0, tag)
                });
                let mut all: Vec<Ended> = Vec::new();
                while all.len() < 3 {
                    let left: Vec<Handle> = (0..3)
                        .map(
                            |index| {
                                if all.iter().any(|one| one.index == index) { Handle::NULL } else { requests[index] }
                            },
                        )
                        .collect();
                    let ended = match way {
                        0 => world.runtime().wait_some(&left).expect("gravel_waitsome"),
                        1 => world.runtime().test_some(&left).expect("gravel_testsome"),
                        _ => world.runtime().test_all(&left).expect("gravel_testall"),
                    };
                    all.extend(ended.unwrap_or_default());
                }
                all.sort_by_key(|one| one.index);
                assert!(matches!(&all[1].outcome, Err(error) if matches!(**error, Error::Truncated { .. })));
                assert!(all[1].blamed.is_some() && all[0].blamed.is_none());
                assert!(all[0].outcome.is_ok() && all[2].outcome.is_ok());
            }
        }
    });
}

#[test]
fn the_rules_see_what_several_complete() {
    cluster("several::the_rules_see_what_several_complete", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in [100, 300_000] {
            let mut message = vec![0; bytes];
            fill(&mut message, 4);
            for way in 0..3 {
                let mut buffer = vec![0; bytes];
                let mut requests = [world.post(&mut buffer, peer, way), world.send(&message, peer, way)];
                let mut seen = [None; 2];
                while seen.contains(&None) {
                    let ended = match way {
                        0 => world.runtime().wait_some(&requests).expect("gravel_waitsome"),
                        1 => world.runtime().test_some(&requests).expect("gravel_testsome"),
                        _ => world.runtime().test_all(&requests).expect("gravel_testall"),
                    };
                    note(ended.unwrap_or_default(), &mut requests, &mut seen);
                }
                assert_eq!(first_difference(&buffer, 4), None);
                assert_eq!(world.runtime().test_some(&requests), Ok(None));

                let receiving = world.post(&mut buffer, peer, way);
                let sending = world.send(&message, peer, way);
                world.wait_send(sending);
                buffer[0] ^= 1;
                let outcome = loop {
                    let ended = match way {
                        0 => world.runtime().wait_some(&[receiving]).expect("gravel_waitsome"),
                        1 => world.runtime().test_some(&[receiving]).expect("gravel_testsome"),
                        _ => world.runtime().test_all(&[receiving]).expect("gravel_testall"),
                    };
                    if let Some(one) = ended.unwrap_or_default().into_iter().next() {
                        break one.outcome;
                    }
                };
                let error = violation::<()>(Err(*outcome.expect_err("a broken rule")));
                assert!(matches!(error, Violation::ReceiveBufferWritten { offset: 0, .. }), "{error}");
            }
        }
    });
}
