//! GRAVEL_CHECK and the calls beside the plain wait: tests, waits for any, for ranges and for announcements, cancels; and
//! announced messages. Each knows the requests that the rules have made up, and what it completes is compared.

use crate::calls::received;
use crate::launcher::cluster;
use crate::rules::{CHECK, LENGTHS, violation};
use crate::world::{World, fill, first_difference};
use gravel::engine::completion::Completion;
use gravel::error::violation::Violation;
use gravel::message::request::Handle;

/// A receive from the other rank and a send to it, both of which will complete.
fn begin(world: &mut World, incoming: &mut [u8], outgoing: &[u8], tag: i32) -> (Handle, Handle) {
    let peer = 1 - world.rank();
    (world.post(incoming, peer, tag), world.send(outgoing, peer, tag))
}

#[test]
fn tests_complete_and_compare() {
    cluster("rules_of_waits::tests_complete_and_compare", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in LENGTHS {
            let mut message = vec![0; bytes];
            fill(&mut message, 3);
            let mut buffer = vec![0; bytes];
            let (receiving, sending) = begin(world, &mut buffer, &message, 1);
            assert_eq!(received(world.test_until_done(receiving)), (peer, 1, bytes));
            assert_eq!(first_difference(&buffer, 3), None);
            assert_eq!(world.test_until_done(sending), Ok(Completion::Empty));
            for request in [receiving, sending] {
                assert!(matches!(violation(world.test_until_done(request)), Violation::CompletedTwice { .. }));
            }

            let (receiving, sending) = begin(world, &mut buffer, &message, 2);
            buffer[bytes / 2] ^= 1;
            let error = violation(world.test_until_done(receiving));
            assert!(matches!(error, Violation::ReceiveBufferWritten { .. }), "{error}");
            message[0] ^= 1;
            assert!(matches!(violation(world.test_until_done(sending)), Violation::SegmentChanged { .. }));
        }
    });
}

#[test]
fn waits_for_any_complete_and_compare() {
    cluster("rules_of_waits::waits_for_any_complete_and_compare", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in LENGTHS {
            let mut message = vec![0; bytes];
            fill(&mut message, 4);
            let mut buffers = [vec![0; bytes], vec![0; bytes]];
            let [first, second] = &mut buffers;
            let (one, two) = (begin(world, first, &message, 1), begin(world, second, &message, 2));
            let mut requests = [Handle::NULL, one.0, one.1, two.0, two.1];
            let mut completions = [None; 5];
            while let Some((index, completion)) = world.runtime().wait_any(&requests).expect("gravel_waitany") {
                requests[index] = Handle::NULL;
                assert_eq!(completions[index].replace(completion), None);
            }
            let receive = |tag| Some(Completion::Received { source: peer, tag, bytes: bytes as u64 });
            let send = Some(Completion::Empty);
            assert_eq!(completions, [None, receive(1), send, receive(2), send]);
            assert!(buffers.iter().all(|buffer| first_difference(buffer, 4).is_none()));

            let [buffer, _] = &mut buffers;
            let (receiving, sending) = begin(world, buffer, &message, 3);
            world.wait_send(sending);
            buffer[0] ^= 1;
            let failure = world.runtime().wait_any(&[Handle::NULL, receiving]).expect_err("a broken rule");
            assert_eq!(failure.index, Some(1));
            let error = violation::<()>(Err(*failure.error));
            assert!(matches!(error, Violation::ReceiveBufferWritten { offset: 0, .. }), "{error}");
        }
    });
}

#[test]
fn a_range_that_was_waited_for_can_be_read() {
    const BYTES: usize = 300_000;
    const HALF: usize = BYTES / 2;
    cluster("rules_of_waits::a_range_that_was_waited_for_can_be_read", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        let mut message = vec![0; BYTES];
        fill(&mut message, 5);
        // The program reads its part, or writes it.
        for writes in [false, true] {
            let mut buffer = vec![0; BYTES];
            let receiving = world.post_segmented(&mut buffer, peer, 1);
            let transfer = world.open(&message, peer, 1);
            world.put(transfer, &message, 0, HALF);
            assert_eq!(world.runtime().wait_range(receiving, 0, HALF as i64), Ok(()));
            assert_eq!(first_difference(&buffer[..HALF], 5), None);
            assert_ne!(buffer[HALF..], message[HALF..], "the rest is poison");
            if writes {
                buffer[7] ^= 1;
            }
            world.put(transfer, &message, HALF, BYTES - HALF);
            let sending = world.fin(transfer);
            if writes {
                let error = violation(world.try_wait(receiving));
                assert!(matches!(error, Violation::ReceiveBufferWritten { offset: 7, .. }), "{error}");
            } else {
                assert_eq!(world.wait_receive(receiving, peer, 1), BYTES);
            }
            assert_eq!(first_difference(&buffer, 5), None);
            world.wait_send(sending);
            let again = world.runtime().wait_range(receiving, 0, 1).map_err(|error| *error);
            assert!(matches!(violation(again), Violation::CompletedTwice { .. }));
        }
    });
}

#[test]
fn cancelled_receives_leave_their_buffers_as_they_were() {
    cluster("rules_of_waits::cancelled_receives_leave_their_buffers_as_they_were", 1, &CHECK, |world| {
        let (mut buffer, mut other) = (vec![0x33; 5000], [0; 8]);
        for receiving in [world.post(&mut buffer, 0, 1), world.post_any(&mut other, 2)] {
            assert_eq!(world.runtime().cancel(receiving), Ok(()));
            assert_eq!(world.try_wait(receiving), Ok(Completion::Cancelled));
            let again = world.runtime().cancel(receiving).map_err(|error| *error);
            assert!(matches!(violation(again), Violation::CompletedTwice { .. }));
        }
        assert!(buffer.iter().all(|&byte| byte == 0x33));
        // A send is not cancelled, whether it was over at once or not.
        let receiving = world.post(&mut buffer, 0, 3);
        let sending = world.send(&[7; 5000], 0, 3);
        assert_eq!(world.runtime().cancel(sending), Ok(()));
        world.wait_send(sending);
        world.wait_receive(receiving, 0, 3);
        assert!(buffer.iter().all(|&byte| byte == 7));
    });
}

#[test]
fn announced_messages_are_watched() {
    cluster("rules_of_waits::announced_messages_are_watched", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in LENGTHS {
            let mut message = vec![0; bytes];
            fill(&mut message, 6);
            let mut buffer = vec![0; bytes];
            for whole in [true, false] {
                // A program that keeps the rules.
                let sending = if whole {
                    world.offer(&message, peer, 1)
                } else {
                    let transfer = world.announce(&message, peer, 1);
                    world.put(transfer, &message, 0, bytes);
                    world.fin(transfer)
                };
                let waiting = world.runtime().wait_announcement(peer as i32, 1, crate::world::COMMUNICATOR);
                assert_eq!(received(waiting.map_err(|error| *error)), (peer, 1, bytes));
                let receiving = world.post_any(&mut buffer, 1);
                assert_eq!(world.wait_any_source(receiving), (peer, 1, bytes));
                world.wait_send(sending);
                assert_eq!(first_difference(&buffer, 6), None);

                // One that writes into both buffers, after the message has arrived.
                let receiving = world.post_announced(&mut buffer, peer, 1);
                let sending = if whole {
                    world.offer(&message, peer, 1)
                } else {
                    let transfer = world.announce(&message, peer, 1);
                    world.put(transfer, &message, 0, bytes);
                    world.fin(transfer)
                };
                buffer[bytes - 1] ^= 1;
                let error = violation(world.try_wait(receiving));
                assert!(matches!(error, Violation::ReceiveBufferWritten { .. }), "{error}");
                world.outside_barrier();
                message[0] ^= 1;
                assert!(matches!(violation(world.try_wait(sending)), Violation::SegmentChanged { start: 0, .. }));
                message[0] ^= 1;
            }
        }
    });
}
