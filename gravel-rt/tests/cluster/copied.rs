//! Sends from copies, as MPI_Sendrecv_replace needs them: what was sent is written, or received into, as soon as the call has
//! returned, whatever way the message takes and whoever is late.

use crate::launcher::cluster;
use crate::rules::CHECK;
use crate::world::{PROC_NULL, World, fill, first_difference};
use gravel::Error;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;

/// Eager, around its limit, spilled, and longer than what may be spilled.
const LENGTHS: [usize; 8] = [0, 1, 100, 8192, 8193, 65_536, 65_537, 700_000];

/// Sends what is in the buffer and receives into it, both numbered or both announced: the requests of both.
fn replace(world: &mut World, buffer: &mut [u8], to: usize, from: usize, tag: i32) -> (Handle, Handle) {
    let is_announced = tag >= ANNOUNCED;
    let sending = if is_announced { world.offer_copied(buffer, to, tag) } else { world.send_copied(buffer, to, tag) };
    let receiving = if is_announced { world.post_any(buffer, tag) } else { world.post(buffer, from, tag) };
    (sending, receiving)
}

/// Tags from here on are those of announced messages.
const ANNOUNCED: i32 = 50;

on_every_path!(a_ring_shifts_in_one_buffer, 3, |world: &mut World| {
    let (ranks, rank) = (3, world.rank());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for (number, length) in LENGTHS.into_iter().enumerate() {
        for first_tag in [0, ANNOUNCED] {
            let tag = first_tag + number as i32;
            let mut buffer = vec![0; length];
            fill(&mut buffer, rank + 7 * number);
            for step in 1..=2 * ranks {
                // One rank is late, and one waits for its send first.
                if step % ranks == rank {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                let (sending, receiving) = replace(world, &mut buffer, next, previous, tag);
                if rank == 0 {
                    world.wait_send(sending);
                }
                assert_eq!(world.wait_receive(receiving, previous, tag), length);
                let origin = (rank + 2 * ranks - step) % ranks;
                assert_eq!(first_difference(&buffer, origin + 7 * number), None, "{length} bytes, step {step}");
                if rank != 0 {
                    world.wait_send(sending);
                }
            }
        }
    }
});

on_every_path!(what_was_sent_may_be_written_before_it_has_left, 2, |world: &mut World| {
    let peer = 1 - world.rank();
    for (number, length) in LENGTHS.into_iter().enumerate() {
        for tag in [0, ANNOUNCED] {
            let mut message = vec![0; length];
            fill(&mut message, number);
            let is_announced = tag == ANNOUNCED;
            let sending = match is_announced {
                true => world.offer_copied(&message, peer, tag),
                false => world.send_copied(&message, peer, tag),
            };
            assert!(length > 65_536 || sending.is_null(), "{length} bytes need no wait");
            message.fill(0xff);
            drop(message);
            world.outside_barrier();
            let mut buffer = vec![0; length + 3];
            let receiving =
                if is_announced { world.post_any(&mut buffer, tag) } else { world.post(&mut buffer, peer, tag) };
            assert_eq!(world.wait_receive(receiving, peer, tag), length);
            assert_eq!(first_difference(&buffer[..length], number), None, "{length} bytes");
            assert_eq!(buffer[length..], [0; 3]);
            world.wait_send(sending);
        }
    }
});

on_every_path!(a_shorter_message_leaves_the_rest_as_it_was_sent, 2, |world: &mut World| {
    let (rank, peer) = (world.rank(), 1 - world.rank());
    for (length, shorter) in [(100, 60), (20_000, 9000), (700_000, 70_000)] {
        let length_of = |rank: usize| if rank == 0 { shorter } else { length };
        let mut buffer = vec![0; length];
        fill(&mut buffer, rank);
        let before = buffer.clone();
        let sending = world.send_copied(&buffer[..length_of(rank)], peer, 0);
        let receiving = world.post(&mut buffer, peer, 0);
        let received = world.wait_receive(receiving, peer, 0);
        assert_eq!(received, length_of(peer));
        assert_eq!(first_difference(&buffer[..received], peer), None);
        assert_eq!(buffer[received..], before[received..]);
        world.wait_send(sending);
    }
});

#[test]
fn to_oneself_and_to_nobody() {
    cluster("copied::to_oneself_and_to_nobody", 2, &[], |world| {
        let rank = world.rank();
        for (number, length) in LENGTHS.into_iter().enumerate() {
            for tag in [0, ANNOUNCED] {
                let mut buffer = vec![0; length];
                fill(&mut buffer, number);
                let (sending, receiving) = replace(world, &mut buffer, rank, rank, tag);
                assert_eq!(world.wait_receive(receiving, rank, tag), length);
                assert_eq!(first_difference(&buffer, number), None);
                world.wait_send(sending);
            }
        }
        let mut buffer = vec![4; 100_000];
        let sending = world.try_send_copied(&buffer, PROC_NULL, 0).expect("a message to nobody");
        let receiving = world.try_post(&mut buffer, PROC_NULL, 0).expect("a receive from nobody");
        assert_eq!(world.try_wait(receiving).expect("gravel_wait"), Completion::ProcNull);
        assert_eq!(world.try_wait(sending).expect("gravel_wait"), Completion::ProcNull);
        assert_eq!(buffer, vec![4; 100_000]);
    });
}

#[test]
fn a_message_that_is_too_long_writes_nothing() {
    cluster("copied::a_message_that_is_too_long_writes_nothing", 2, &[("GRAVEL_LOG", "off")], |world| {
        const LENGTH: usize = 300_000;
        let peer = 1 - world.rank();
        let mut buffer = vec![0x5a; LENGTH];
        // What is copied is longer than what may be spilled, so both sides get the error.
        let sending = world.send_copied(&buffer, peer, 0);
        let receiving = world.post(&mut buffer[..LENGTH - 1], peer, 0);
        let is_too_long = |error: &Error| matches!(error, Error::Truncated { sent: 300_000, posted: 299_999, .. });
        assert!(is_too_long(&world.try_wait(receiving).expect_err("too long")));
        assert!(is_too_long(&world.try_wait(sending).expect_err("too long")));
        assert_eq!(buffer, vec![0x5a; LENGTH]);
    });
}

#[test]
fn posts_without_a_receiver_are_never_blocked() {
    cluster("copied::posts_without_a_receiver_are_never_blocked", 2, &[], |world| {
        const MESSAGES: usize = 2000;
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 100_000];
        let length = |message: usize| if message.is_multiple_of(50) { 100_000 } else { 1 + 17 * message % 10_000 };
        let mut sends = Vec::new();
        for message in 0..MESSAGES {
            fill(&mut buffer[..length(message)], message);
            sends.push(world.send_copied(&buffer[..length(message)], peer, 0));
        }
        world.outside_barrier();
        for message in 0..MESSAGES {
            let receiving = world.post(&mut buffer, peer, 0);
            assert_eq!(world.wait_receive(receiving, peer, 0), length(message));
            assert_eq!(first_difference(&buffer[..length(message)], message), None, "message {message}");
        }
        sends.into_iter().for_each(|sending| world.wait_send(sending));
    });
}

#[test]
fn the_rules_let_a_copied_message_be_written_and_want_its_wait() {
    cluster("copied::the_rules_let_a_copied_message_be_written_and_want_its_wait", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for length in LENGTHS {
            let mut buffer = vec![0; length];
            fill(&mut buffer, world.rank());
            let (sending, receiving) = replace(world, &mut buffer, peer, peer, 0);
            assert!(!sending.is_null(), "there is a request to wait for under the rules");
            assert_eq!(world.wait_receive(receiving, peer, 0), length);
            assert_eq!(first_difference(&buffer, peer), None);
            buffer.fill(9);
            world.wait_send(sending);
        }
        // What is being received is not to be sent.
        let mut buffer = vec![0; 100];
        let receiving = world.post(&mut buffer, peer, 1);
        let refused = world.try_send_copied(&buffer[50..], peer as i32, 2).expect_err("it is being received into");
        assert!(matches!(*refused, Error::RuleBroken(_)), "{refused}");
        let sending = world.send_copied(&[7; 100], peer, 1);
        world.wait_receive(receiving, peer, 1);
        world.wait_send(sending);
    });
}
