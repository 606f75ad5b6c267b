//! Persistent operations: begun again and again, in both protocols, whatever way the message takes; and what the program may
//! and may not do with their requests.

use crate::calls::received;
use crate::launcher::cluster;
use crate::rules::{CHECK, violation};
use crate::world::{ANY_SOURCE, COMMUNICATOR, PROC_NULL, World, describe, fill, first_difference};
use gravel::engine::completion::Completion;
use gravel::error::violation::Violation;
use gravel::message::request::Handle;
use gravel::runtime::PersistentKind::{self, AnnouncedReceive, AnnouncedSend, PostedReceive, PostedSend};
use gravel::{Code, Error};

/// Eager, around its limit, spilled, and longer than what may be spilled.
const LENGTHS: [usize; 7] = [0, 1, 8192, 8193, 65_536, 65_537, 700_000];

fn try_prepare(
    world: &mut World,
    kind: PersistentKind,
    buffer: &[u8],
    partner: i32,
    tag: i32,
) -> gravel::Result<Handle> {
    let description = describe(buffer.as_ptr(), buffer.len());
    // SAFETY: the tests keep buffers alive, and untouched from each start to the wait.
    unsafe { world.runtime().prepare(kind, description, partner, tag, COMMUNICATOR) }
}

pub fn prepare(world: &mut World, kind: PersistentKind, buffer: &[u8], partner: usize, tag: i32) -> Handle {
    try_prepare(world, kind, buffer, partner as i32, tag).expect("gravel_prepare")
}

pub fn start(world: &mut World, request: Handle) {
    world.runtime().start(request).expect("gravel_start");
}

pub fn release(world: &mut World, requests: &[Handle]) {
    requests.iter().for_each(|&request| world.runtime().release(request).expect("gravel_release"));
}

on_every_path!(a_ring_starts_the_same_operations_again_and_again, 3, |world: &mut World| {
    let (ranks, rank) = (3, world.rank());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for (number, length) in LENGTHS.into_iter().enumerate() {
        for (first_tag, receive, send) in [(0, PostedReceive, PostedSend), (50, AnnouncedReceive, AnnouncedSend)] {
            let tag = first_tag + number as i32;
            let (mut outgoing, incoming) = (vec![0; length], vec![0; length]);
            let source = if receive == AnnouncedReceive { ANY_SOURCE } else { previous as i32 };
            let receiving = try_prepare(world, receive, &incoming, source, tag).expect("gravel_prepare");
            let sending = prepare(world, send, &outgoing, next, tag);
            assert_eq!(world.try_wait(receiving), Ok(Completion::Empty), "nothing was started");
            for step in 0..5 {
                if step % ranks == rank {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                fill(&mut outgoing, rank + 11 * step);
                // The order of starts and waits differs from rank to rank and from step to step.
                let (first, second) = if (rank + step) % 2 == 0 { (receiving, sending) } else { (sending, receiving) };
                start(world, first);
                start(world, second);
                if step % 3 == 2 {
                    let (place, _) = world.runtime().wait_any(&[sending, receiving]).expect("waitany").expect("active");
                    let rest = world.runtime().wait_any(&[sending, receiving]).expect("waitany").expect("active").0;
                    assert_eq!(place + rest, 1, "each was completed once");
                } else {
                    assert_eq!(received(world.try_wait(receiving)), (previous, tag, length));
                    assert_eq!(world.test_until_done(sending), Ok(Completion::Empty));
                }
                assert_eq!(first_difference(&incoming, previous + 11 * step), None, "{length} bytes, step {step}");
                assert_eq!(world.runtime().wait_any(&[sending, receiving]), Ok(None), "both are inactive");
                assert_eq!(world.try_wait(sending), Ok(Completion::Empty));
            }
            release(world, &[sending, receiving]);
            assert!(world.runtime().wait(receiving).is_err(), "it names nothing any more");
        }
    }
});

#[test]
fn persistent_operations_meet_ordinary_ones() {
    cluster("persistent::persistent_operations_meet_ordinary_ones", 2, &[], |world| {
        let (rank, peer) = (world.rank(), 1 - world.rank());
        for length in LENGTHS {
            let (mut outgoing, mut incoming) = (vec![0; length], vec![0; length]);
            fill(&mut outgoing, rank);
            if rank == 0 {
                let sending = prepare(world, PostedSend, &outgoing, peer, 3);
                for _ in 0..3 {
                    start(world, sending);
                    assert_eq!(world.try_wait(sending), Ok(Completion::Empty));
                }
                release(world, &[sending]);
            } else {
                for _ in 0..3 {
                    incoming.fill(0xff);
                    let receiving = world.post(&mut incoming, peer, 3);
                    assert_eq!(world.wait_receive(receiving, peer, 3), length);
                    assert_eq!(first_difference(&incoming, peer), None);
                }
            }
        }
    });
}

#[test]
fn with_oneself_and_with_nobody() {
    cluster("persistent::with_oneself_and_with_nobody", 2, &[], |world| {
        let rank = world.rank();
        for length in LENGTHS {
            let (mut outgoing, incoming) = (vec![0; length], vec![0; length]);
            let receiving = prepare(world, PostedReceive, &incoming, rank, 1);
            let sending = prepare(world, PostedSend, &outgoing, rank, 1);
            for step in 0..3 {
                fill(&mut outgoing, step);
                start(world, receiving);
                start(world, sending);
                assert_eq!(world.wait_receive(receiving, rank, 1), length);
                world.wait_send(sending);
                assert_eq!(first_difference(&incoming, step), None);
            }
            release(world, &[receiving, sending]);
        }
        for kind in [PostedReceive, PostedSend, AnnouncedReceive, AnnouncedSend] {
            let nobody = try_prepare(world, kind, &[4; 100], PROC_NULL, 2).expect("a message with nobody");
            for _ in 0..2 {
                start(world, nobody);
                assert_eq!(world.try_wait(nobody), Ok(Completion::ProcNull));
                assert_eq!(world.try_wait(nobody), Ok(Completion::Empty));
            }
            release(world, &[nobody]);
        }
    });
}

/// Rank 0 sends, and releases the request at once.
fn send_and_release(world: &mut World) {
    let peer = 1 - world.rank();
    for length in LENGTHS {
        if world.rank() == 0 {
            let mut outgoing = vec![0; length];
            fill(&mut outgoing, 5);
            let sending = prepare(world, PostedSend, &outgoing, peer, 8);
            start(world, sending);
            release(world, &[sending]);
            // The answer tells that the message has left.
            let mut answer = [0];
            let answered = world.post(&mut answer, peer, 9);
            world.wait_receive(answered, peer, 9);
        } else {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let mut incoming = vec![0; length];
            let receiving = world.post(&mut incoming, peer, 8);
            assert_eq!(world.wait_receive(receiving, peer, 8), length);
            assert_eq!(first_difference(&incoming, 5), None);
            let answering = world.send(&[1], peer, 9);
            world.wait_send(answering);
        }
    }
    assert_eq!(world.finalize(), 0, "nothing is left over");
}

on_every_path!(a_send_that_is_released_arrives_all_the_same, 2, send_and_release);

#[test]
fn the_rules_let_a_send_be_released() {
    cluster("persistent::the_rules_let_a_send_be_released", 2, &CHECK, send_and_release);
}

#[test]
fn what_is_no_inactive_request_is_not_started() {
    let settings = [("GRAVEL_LOG", "off")];
    cluster("persistent::what_is_no_inactive_request_is_not_started", 2, &settings, |world| {
        let (rank, peer) = (world.rank(), 1 - world.rank());
        let (outgoing, mut incoming) = ([7; 100_000], vec![0; 100_000]);
        let sending = prepare(world, PostedSend, &outgoing, peer, 1);
        let receiving = prepare(world, PostedReceive, &incoming, peer, 1);
        for request in [sending, receiving] {
            start(world, request);
            let refused = world.runtime().start(request).expect_err("it is active");
            assert!(matches!(*refused, Error::AlreadyStarted { .. }), "{refused}");
            assert_eq!(refused.code(), Code::Request);
        }
        assert_eq!(world.wait_receive(receiving, peer, 1), 100_000);
        world.wait_send(sending);
        release(world, &[sending, receiving]);
        let ordinary = world.post(&mut incoming, peer, 2);
        for request in [Handle::NULL, ordinary, sending, Handle::from_raw(-1)] {
            let error = world.runtime().start(request).expect_err("it is no persistent request");
            assert!(matches!(*error, Error::StaleHandle { expected: "persistent request", .. }), "{error}");
        }
        for request in [Handle::NULL, sending, Handle::from_raw(-1)] {
            let error = world.runtime().release(request).expect_err("it is no request");
            assert!(matches!(*error, Error::StaleHandle { .. }), "{error}");
        }
        let answer = world.send(&outgoing, peer, 2);
        world.wait_receive(ordinary, peer, 2);
        world.wait_send(answer);
        // What a post refuses, a preparation does.
        for (kind, partner, tag, code) in [
            (PostedReceive, ANY_SOURCE, 1, Code::Tag),
            (PostedSend, peer as i32, -4, Code::Tag),
            (AnnouncedReceive, 2, 1, Code::Rank),
            (AnnouncedSend, -77, 1, Code::Rank),
        ] {
            let refused = try_prepare(world, kind, &incoming, partner, tag).expect_err("it is not possible");
            assert_eq!(refused.code(), code, "rank {rank}, {kind:?}: {refused}");
        }
    });
}

#[test]
fn a_failed_operation_is_inactive_again() {
    cluster("persistent::a_failed_operation_is_inactive_again", 2, &[("GRAVEL_LOG", "off")], |world| {
        let peer = 1 - world.rank();
        let (outgoing, incoming) = (vec![3; 300_000], vec![0; 299_999]);
        let receiving = prepare(world, PostedReceive, &incoming, peer, 1);
        let sending = prepare(world, PostedSend, &outgoing, peer, 1);
        for _ in 0..2 {
            start(world, receiving);
            start(world, sending);
            for request in [receiving, sending] {
                let error = world.try_wait(request).expect_err("the message is too long");
                assert!(matches!(error, Error::Truncated { .. }), "{error}");
            }
        }
        release(world, &[receiving, sending]);
    });
}

#[test]
fn the_rules_hold_from_each_start_to_its_wait() {
    cluster("persistent::the_rules_hold_from_each_start_to_its_wait", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for length in [100, 5000, 300_000] {
            let (mut outgoing, mut incoming) = (vec![0; length], vec![0; length]);
            let receiving = prepare(world, PostedReceive, &incoming, peer, 4);
            let sending = prepare(world, PostedSend, &outgoing, peer, 4);
            for step in 0..3 {
                // Both buffers are the program's.
                fill(&mut outgoing, step);
                incoming.fill(1);
                start(world, receiving);
                start(world, sending);
                assert_eq!(world.wait_receive(receiving, peer, 4), length);
                assert_eq!(first_difference(&incoming, step), None);
                world.wait_send(sending);
            }
            start(world, sending);
            start(world, receiving);
            world.wait_receive(receiving, peer, 4);
            outgoing[length / 2] ^= 1;
            let broken = violation(world.try_wait(sending));
            assert!(matches!(broken, Violation::SegmentChanged { .. }), "{broken}");
            release(world, &[sending, receiving]);
        }
        // A receive that is released while nothing has come ends by itself, as with MPI_Request_free.
        let incoming = [0; 64];
        let receiving = prepare(world, PostedReceive, &incoming, peer, 5);
        start(world, receiving);
        world.runtime().release(receiving).expect("legal in MPI");
        world.outside_barrier();
        let sending = world.send(&[1; 64], peer, 5);
        world.wait_send(sending);
        world.outside_barrier();
        let another = prepare(world, PostedReceive, &incoming, peer, 6);
        release(world, &[another]);
        // SAFETY: valid; the compiler need not know that the message has come.
        assert_eq!(unsafe { std::ptr::from_ref(&incoming).read_volatile() }, [1; 64]);
    });
}
