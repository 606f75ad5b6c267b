//! test, waitany and cancel.

use crate::calls::received;
use crate::launcher::cluster;
use crate::world::{PROC_NULL, World, fill, first_difference, is_death_of};
use gravel::Error;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;

on_every_path!(tests_complete_every_kind_of_request, 2, |world: &mut World| {
    let peer = 1 - world.rank();
    for length in [0, 100, 20_000, 300_000] {
        let mut message = vec![0; length];
        fill(&mut message, world.rank());
        let mut buffers = [vec![0; length], vec![0; length], vec![0; length]];
        let [first, second, third] = &mut buffers;
        let receives = [world.post(first, peer, 0), world.post_any(second, 1), world.post_segmented(third, peer, 2)];
        let sends = [world.send(&message, peer, 0), world.offer(&message, peer, 1), world.send(&message, peer, 2)];
        for (tag, request) in receives.into_iter().enumerate() {
            assert_eq!(received(world.test_until_done(request)), (peer, tag as i32, length));
            assert!(matches!(world.try_wait(request), Err(Error::StaleHandle { .. })), "completed by the test");
            assert!(matches!(world.test_until_done(request), Err(Error::StaleHandle { .. })));
        }
        for request in sends {
            assert_eq!(world.test_until_done(request), Ok(Completion::Empty));
        }
        for buffer in &buffers {
            assert_eq!(first_difference(buffer, peer), None);
        }
    }
});

#[test]
fn tests_of_a_short_receive_tell_its_producer_that_its_message_is_too_long() {
    cluster("waits::tests_of_a_short_receive_tell_its_producer_that_its_message_is_too_long", 2, &[], |world| {
        // The message needs a handshake, which a short receive sends only when it has been asked for in vain.
        if world.rank() == 0 {
            let request = world.send(&vec![1; 70_000], 1, 0);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { .. })));
        } else {
            let mut buffer = vec![0; 100];
            let request = world.post(&mut buffer, 0, 0);
            assert!(matches!(world.test_until_done(request), Err(Error::Truncated { .. })));
        }
    });
}

#[test]
fn a_loop_of_tests_lets_mpi_progress() {
    cluster("waits::a_loop_of_tests_lets_mpi_progress", 2, &[], |world| {
        if world.rank() == 0 {
            let mut buffer = [0; 8];
            let request = world.post(&mut buffer, 1, 0);
            assert_eq!(received(world.test_until_done(request)), (1, 0, 8));
        } else {
            world.wait_until_mpi_progressed(0);
            let request = world.send(&[1; 8], 0, 0);
            world.wait_send(request);
        }
    });
}

#[test]
fn a_test_of_a_moderate_send_completes_without_its_receiver() {
    cluster("waits::a_test_of_a_moderate_send_completes_without_its_receiver", 2, &[], |world| {
        if world.rank() == 0 {
            for (tag, length) in [(0, 64 * 1024), (1, 64 * 1024)] {
                let mut message = vec![0; length];
                fill(&mut message, 3);
                let request = if tag == 0 { world.send(&message, 1, tag) } else { world.offer(&message, 1, tag) };
                assert_eq!(world.runtime().test(request), Ok(Some(Completion::Empty)), "the first test");
            }
            let long = vec![0; 64 * 1024 + 1];
            let request = world.send(&long, 1, 2);
            assert_eq!(world.runtime().test(request), Ok(None), "longer than the eager limit");
            world.outside_barrier();
            world.wait_send(request);
        } else {
            world.outside_barrier();
            let mut buffer = vec![0; 64 * 1024 + 1];
            for tag in 0..3 {
                let request = if tag == 1 { world.post_any(&mut buffer, tag) } else { world.post(&mut buffer, 0, tag) };
                let (.., bytes) = world.wait_any_source(request);
                assert!(tag == 2 || first_difference(&buffer[..bytes], 3).is_none());
            }
        }
    });
}

on_every_path!(wait_any_takes_each_request_once_and_the_ready_one_first, 3, |world: &mut World| {
    const LENGTH: usize = 100_000;
    if world.rank() == 0 {
        let mut buffers = [vec![0; LENGTH], vec![0; LENGTH], vec![0; LENGTH]];
        let [first, second, third] = &mut buffers;
        let long = vec![0; LENGTH];
        let mut requests = [
            Handle::NULL,
            world.post(first, 1, 0),
            world.post_any(second, 1),
            world.post(third, 2, 0),
            world.send(&long, 2, 9),
        ];
        // Rank 1 does not send tag 0 before it has been told, which happens after the others are complete. The send is null
        // if it could leave at once.
        let mut order = Vec::new();
        while requests != [Handle::NULL; 5] {
            let (index, completion) = world.runtime().wait_any(&requests).expect("waitany").expect("one is left");
            if index < 4 {
                assert_eq!(received(Ok(completion)), ([0, 1, 1, 2][index], [0, 0, 1, 0][index], LENGTH));
            } else {
                assert_eq!(completion, Completion::Empty);
            }
            requests[index] = Handle::NULL;
            order.push(index);
            let left = requests.iter().filter(|request| !request.is_null()).count();
            if left == 1 {
                world.outside_barrier();
            }
        }
        assert_eq!(order.last(), Some(&1));
        assert_eq!(world.runtime().wait_any(&requests), Ok(None));
        assert_eq!(world.runtime().wait_any(&[]), Ok(None));
        for (buffer, seed) in buffers.iter().zip([1, 1, 2]) {
            assert_eq!(first_difference(buffer, seed), None);
        }
    } else {
        let mut message = vec![0; LENGTH];
        fill(&mut message, world.rank());
        if world.rank() == 1 {
            let request = world.offer(&message, 0, 1);
            world.wait_send(request);
            world.outside_barrier();
            let request = world.send(&message, 0, 0);
            world.wait_send(request);
        } else {
            let mut buffer = vec![0; LENGTH];
            let receiving = world.post(&mut buffer, 0, 9);
            let request = world.send(&message, 0, 0);
            world.wait_send(request);
            world.wait_receive(receiving, 0, 9);
            world.outside_barrier();
        }
    }
});

#[test]
fn wait_any_names_the_request_that_failed() {
    cluster("waits::wait_any_names_the_request_that_failed", 3, &[], |world| {
        if world.rank() == 1 {
            world.outside_barrier();
            std::process::exit(0);
        }
        if world.rank() == 2 {
            let request = world.send(&[1; 10], 0, 0);
            world.wait_send(request);
            world.outside_barrier();
            world.forsake();
            return;
        }
        let (mut first, mut second) = (vec![0; 100], vec![0; 20_000]);
        let requests = [world.post(&mut first, 2, 0), world.post(&mut second, 1, 0)];
        let (index, _) = world.runtime().wait_any(&requests).expect("waitany").expect("one");
        assert_eq!(index, 0);
        world.outside_barrier();
        let failure = world.runtime().wait_any(&[Handle::NULL, requests[1]]).unwrap_err();
        assert_eq!(failure.index, Some(1));
        assert!(is_death_of(1, &failure.error), "{}", failure.error);
        // The failed one is over; a stale handle is named, too.
        let stale = world.runtime().wait_any(&[requests[1]]).unwrap_err();
        assert!(stale.index == Some(0) && matches!(*stale.error, Error::StaleHandle { .. }));
        world.forsake();
    });
}

#[test]
fn a_short_receive_is_cancelled_where_it_is() {
    cluster("waits::a_short_receive_is_cancelled_where_it_is", 2, &[], |world| {
        if world.rank() == 0 {
            let mut buffers = [[0u8; 8]; 4];
            let requests = buffers.each_mut().map(|buffer| world.post(buffer, 1, 0));
            // The producer is not asked: it is in a barrier of its own. The ones behind move up.
            for cancelled in [1, 3] {
                assert_eq!(world.runtime().cancel(requests[cancelled]), Ok(()));
                assert_eq!(world.try_wait(requests[cancelled]), Ok(Completion::Cancelled));
            }
            world.outside_barrier();
            world.outside_barrier();
            // The data has come: these can't be cancelled any more.
            for (request, expected) in [(requests[0], 10), (requests[2], 11)] {
                assert_eq!(world.runtime().cancel(request), Ok(()));
                assert_eq!(world.wait_receive(request, 1, 0), 8);
                assert_eq!(buffers[if expected == 10 { 0 } else { 2 }], [expected; 8]);
            }
            let mut last = [0; 8];
            let request = world.post(&mut last, 1, 0);
            assert_eq!(world.wait_receive(request, 1, 0), 8);
            assert_eq!((last, buffers[1], buffers[3]), ([12; 8], [0; 8], [0; 8]));
        } else {
            world.outside_barrier();
            for message in 10..13 {
                let request = world.send(&[message; 8], 0, 0);
                world.wait_send(request);
            }
            world.outside_barrier();
        }
    });
}

on_every_path!(a_handshake_is_withdrawn_or_loses_and_the_next_receive_gets_the_message, 2, |world: &mut World| {
    const LENGTH: usize = 100_000;
    if world.rank() == 0 {
        let mut buffers = vec![vec![0; LENGTH]; 3];
        let requests: Vec<_> = buffers.iter_mut().map(|buffer| world.post(buffer, 1, 0)).collect();
        world.outside_barrier();
        assert_eq!(world.runtime().cancel(requests[0]), Ok(()));
        assert_eq!(world.runtime().cancel(requests[0]), Ok(()), "twice changes nothing");
        assert_eq!(world.try_wait(requests[0]), Ok(Completion::Cancelled));
        world.outside_barrier();
        // The second receive has its message, which is not complete yet: its cancel loses.
        world.outside_barrier();
        assert_eq!(world.runtime().cancel(requests[1]), Ok(()));
        world.outside_barrier();
        assert_eq!(world.wait_receive(requests[1], 1, 0), LENGTH);
        assert_eq!(world.wait_receive(requests[2], 1, 0), LENGTH);
        assert!(buffers[0].iter().all(|&byte| byte == 0));
        for (buffer, seed) in buffers[1..].iter().zip([1, 2]) {
            assert_eq!(first_difference(buffer, seed), None);
        }
    } else {
        let (mut first, mut second) = (vec![0; LENGTH], vec![0; LENGTH]);
        fill(&mut first, 1);
        fill(&mut second, 2);
        world.outside_barrier();
        // The helper answers the withdrawal meanwhile.
        world.outside_barrier();
        let transfer = world.open(&first, 0, 0);
        world.put(transfer, &first, 0, 1000);
        world.outside_barrier();
        world.outside_barrier();
        world.put(transfer, &first, 1000, LENGTH - 1000);
        let request = world.fin(transfer);
        world.wait_send(request);
        let request = world.send(&second, 0, 0);
        world.wait_send(request);
    }
});

/// Receives of which the producer has been told, more than its ledger holds, are withdrawn while it never calls Gravel.
#[test]
fn handshakes_are_withdrawn_while_the_producer_is_elsewhere() {
    cluster("waits::handshakes_are_withdrawn_while_the_producer_is_elsewhere", 3, &[], |world| {
        const LENGTH: usize = 20_000;
        const RECEIVES: usize = 300;
        if world.rank() > 0 {
            // Nothing of Gravel is called here until rank 0 has waited for all that it has cancelled.
            world.outside_barrier();
            let mut message = vec![0; LENGTH];
            fill(&mut message, world.rank());
            let request = world.send(&message, 0, 0);
            world.wait_send(request);
            return;
        }
        let mut buffers = vec![vec![0; LENGTH]; RECEIVES];
        let peers = [1, 2];
        let requests: Vec<_> =
            buffers.iter_mut().enumerate().map(|(index, buffer)| world.post(buffer, peers[index % 2], 0)).collect();
        // The last first, and one after the other: what is answered makes no room for those before it.
        for &request in requests.iter().rev() {
            assert_eq!(world.runtime().cancel(request), Ok(()));
            assert_eq!(world.try_wait(request), Ok(Completion::Cancelled));
        }
        let [first, second, ..] = &mut buffers[..] else { unreachable!("there are more") };
        let receives = [world.post(first, 1, 0), world.post(second, 2, 0)];
        world.outside_barrier();
        for (request, peer) in receives.into_iter().zip(peers) {
            assert_eq!(world.wait_receive(request, peer, 0), LENGTH);
            assert_eq!(first_difference(&buffers[peer - 1], peer), None);
        }
        assert!(buffers[2..].iter().flatten().all(|&byte| byte == 0));
    });
}

on_every_path!(an_announced_receive_is_cancelled_if_nothing_was_announced, 2, |world: &mut World| {
    const LENGTH: usize = 100_000;
    if world.rank() == 0 {
        let mut buffers = vec![vec![0; LENGTH]; 3];
        let requests: Vec<_> = buffers.iter_mut().map(|buffer| world.post_any(buffer, 0)).collect();
        assert_eq!(world.runtime().cancel(requests[1]), Ok(()));
        assert_eq!(world.try_wait(requests[1]), Ok(Completion::Cancelled));
        world.outside_barrier();
        for (index, seed) in [(0, 1), (2, 2)] {
            assert_eq!(world.wait_any_source(requests[index]), (1, 0, LENGTH));
            assert_eq!(first_difference(&buffers[index], seed), None);
        }
        assert!(buffers[1].iter().all(|&byte| byte == 0));
    } else {
        world.outside_barrier();
        for seed in [1, 2] {
            let mut message = vec![0; LENGTH];
            fill(&mut message, seed);
            let request = world.offer(&message, 0, 0);
            world.wait_send(request);
        }
    }
});

#[test]
fn what_can_not_be_cancelled_is_left_alone_or_refused() {
    cluster("waits::what_can_not_be_cancelled_is_left_alone_or_refused", 1, &[], |world| {
        let mut buffer = vec![0; 100_000];
        let long = vec![0; 100_000];
        let transfer = world.open(&long, 0, 0);
        assert!(matches!(*world.runtime().cancel(transfer).unwrap_err(), Error::StaleHandle { .. }));
        let sending = world.fin(transfer);
        assert_eq!(world.runtime().cancel(sending), Ok(()), "a send is never cancelled");
        let receiving = world.post(&mut buffer, 0, 0);
        world.wait_send(sending);
        world.wait_receive(receiving, 0, 0);
        for stale in [receiving, Handle::NULL, Handle::from_raw(-3)] {
            assert!(matches!(*world.runtime().cancel(stale).unwrap_err(), Error::StaleHandle { .. }));
        }
        let null = world.try_post(&mut buffer, PROC_NULL, 0).expect("post");
        assert_eq!(world.runtime().cancel(null), Ok(()));
        assert_eq!(world.try_wait(null), Ok(Completion::ProcNull));
    });
}
