//! Waiting for a part of a message before its end.

use crate::launcher::{Network, cluster, cluster_over};
use crate::world::{PROC_NULL, World, fill, first_difference, static_buffer};
use gravel::Error;
use gravel::engine::consumer_write::Completion;
use gravel::message::request::Handle;

const LENGTH: usize = 1_000_000;
const SEGMENTS: usize = 10;
const SEGMENT: usize = LENGTH / SEGMENTS;

// The producer puts a segment only when the consumer has seen the one before: without notices this would hang.
on_every_path!(each_segment_can_be_waited_for_while_the_next_is_not_yet_put, 2, |world: &mut World| {
    // In order, and backwards.
    for backwards in [false, true] {
        let place = |number: usize| if backwards { SEGMENTS - 1 - number } else { number } * SEGMENT;
        if world.rank() == 0 {
            let mut message = vec![0; LENGTH];
            let mut whole = vec![0; LENGTH];
            fill(&mut whole, 5);
            let transfer = world.open(&message, 1, 0);
            for number in 0..SEGMENTS {
                let start = place(number);
                message[start..start + SEGMENT].copy_from_slice(&whole[start..start + SEGMENT]);
                world.put(transfer, &message, start, SEGMENT);
                world.outside_barrier();
            }
            let request = world.fin(transfer);
            world.wait_send(request);
        } else {
            let mut whole = vec![0; LENGTH];
            fill(&mut whole, 5);
            let mut heap = vec![0; LENGTH];
            let buffer = if backwards { &mut heap[..] } else { &mut static_buffer()[..LENGTH] };
            let request = world.post_segmented(buffer, 0, 0);
            for number in 0..SEGMENTS {
                let start = place(number);
                assert_eq!(world.runtime().wait_range(request, start as i64, SEGMENT as i64), Ok(()));
                assert_eq!(buffer[start..start + SEGMENT], whole[start..start + SEGMENT], "segment at {start}");
                world.outside_barrier();
            }
            assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
            assert_eq!(first_difference(buffer, 5), None);
        }
    }
});

on_every_path!(puts_before_the_handshake_are_told_of_when_they_leave, 2, |world: &mut World| {
    if world.rank() == 0 {
        let mut message = vec![0; LENGTH];
        fill(&mut message, 6);
        let transfer = world.open(&message, 1, 0);
        // Queued: there is no receive yet. The middle is left for later.
        world.put(transfer, &message, 0, 3 * SEGMENT);
        world.put(transfer, &message, 6 * SEGMENT, 4 * SEGMENT);
        world.outside_barrier();
        world.outside_barrier();
        world.put(transfer, &message, 3 * SEGMENT, 3 * SEGMENT);
        let request = world.fin(transfer);
        world.wait_send(request);
    } else {
        world.outside_barrier();
        let mut buffer = vec![0; LENGTH];
        let request = world.post_segmented(&mut buffer, 0, 0);
        let mut whole = vec![0; LENGTH];
        fill(&mut whole, 6);
        for (first, count) in [(8, 2), (0, 3), (1, 1), (6, 4)] {
            let (start, bytes) = (first * SEGMENT, count * SEGMENT);
            assert_eq!(world.runtime().wait_range(request, start as i64, bytes as i64), Ok(()));
            assert_eq!(buffer[start..start + bytes], whole[start..start + bytes]);
        }
        world.outside_barrier();
        // Across what was told before and what comes now.
        assert_eq!(world.runtime().wait_range(request, 10, LENGTH as i64 - 10), Ok(()));
        assert_eq!(first_difference(&buffer, 6), None);
        assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
    }
});

// The producer is elsewhere between its last put and the end: its helper takes the late handshake.
on_every_path!(a_message_that_is_all_put_but_not_ended_leaves_when_its_receive_comes, 2, |world: &mut World| {
    if world.rank() == 0 {
        let mut message = vec![0; LENGTH];
        fill(&mut message, 7);
        let transfer = world.open(&message, 1, 0);
        for number in 0..SEGMENTS {
            world.put(transfer, &message, number * SEGMENT, SEGMENT);
        }
        world.outside_barrier();
        world.outside_barrier();
        let request = world.fin(transfer);
        world.wait_send(request);
    } else {
        world.outside_barrier();
        let mut buffer = vec![0; LENGTH];
        let request = world.post_segmented(&mut buffer, 0, 0);
        assert_eq!(world.runtime().wait_range(request, 0, LENGTH as i64), Ok(()));
        assert_eq!(first_difference(&buffer, 7), None);
        world.outside_barrier();
        assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
    }
});

#[test]
fn a_range_of_any_other_receive_is_there_when_the_message_is() {
    cluster("ranges::a_range_of_any_other_receive_is_there_when_the_message_is", 2, &[], |world| {
        for length in [10, 100_000] {
            let mut message = vec![0; length];
            fill(&mut message, length);
            if world.rank() == 0 {
                let sends = [world.send(&message, 1, 0), world.send(&message, 1, 0), world.offer(&message, 1, 1)];
                for request in sends {
                    world.wait_send(request);
                }
            } else {
                let mut buffers = [vec![0; length + 50], vec![0; length + 50], vec![0; length + 50]];
                let [first, second, third] = &mut buffers;
                let requests = [world.post(first, 0, 0), world.post_segmented(second, 0, 0), world.post_any(third, 1)];
                for ((request, buffer), tag) in requests.into_iter().zip(&buffers).zip([0, 0, 1]) {
                    assert_eq!(world.runtime().wait_range(request, 5, 3), Ok(()));
                    assert_eq!(first_difference(&buffer[..length], length), None);
                    // Beyond the message: it has ended, and there will be no more.
                    assert_eq!(world.runtime().wait_range(request, length as i64, 50), Ok(()));
                    assert_eq!(world.wait_receive(request, 0, tag), length);
                }
            }
        }
    });
}

#[test]
fn a_receive_has_a_say_in_tiles_as_long_as_parts_of_it_are_awaited() {
    let test = "ranges::a_receive_has_a_say_in_tiles_as_long_as_parts_of_it_are_awaited";
    cluster_over(&[Network::Tcp, Network::Verbs], test, 2, &[], |world| ask_for_tiles(world, 65, 64));
}

/// Memory that both ranks see is as fast as the loop.
#[test]
fn a_receive_by_shared_memory_leaves_tiles_to_others() {
    let test = "ranges::a_receive_by_shared_memory_leaves_tiles_to_others";
    cluster_over(&[Network::Shm], test, 2, &[], |world| ask_for_tiles(world, 0, 0));
}

/// What receives answer where a tile may be one iteration, or is a multiple of a vector.
fn ask_for_tiles(world: &mut World, one: i64, vector: i64) {
    let mut message = vec![0; LENGTH];
    if world.rank() == 0 {
        world.outside_barrier();
        for length in [LENGTH, LENGTH, 10] {
            let request = world.send(&message[..length], 1, 0);
            world.wait_send(request);
        }
    } else {
        let mut other = vec![0; LENGTH];
        let mut short = vec![0; 10];
        let in_parts = world.post_segmented(&mut message, 0, 0);
        let whole = world.post(&mut other, 0, 0);
        let brief = world.post_segmented(&mut short, 0, 0);
        let nobody = world.try_post(&mut [], PROC_NULL, 0).expect("post");
        let tiles = |world: &mut World, multiple| {
            [in_parts, whole, brief, nobody].map(|request| world.runtime().tile(request, 1000, multiple))
        };
        assert_eq!(tiles(world, 1), [Ok(one), Ok(0), Ok(0), Ok(0)]);
        assert_eq!(tiles(world, 64), [Ok(vector), Ok(0), Ok(0), Ok(0)]);
        world.outside_barrier();
        assert_eq!(world.runtime().wait_range(in_parts, 0, LENGTH as i64), Ok(()));
        assert_eq!(world.wait_receive(whole, 0, 0), LENGTH);
        // By now the first message has ended.
        assert_eq!(world.runtime().tile(in_parts, 1000, 1), Ok(0));
        assert_eq!(world.wait_receive(in_parts, 0, 0), LENGTH);
        assert_eq!(world.wait_receive(brief, 0, 0), 10);
        assert_eq!(world.try_wait(nobody), Ok(Completion::ProcNull));
    }
}

#[test]
fn ranges_of_failed_messages_are_errors_and_so_is_their_wait() {
    cluster("ranges::ranges_of_failed_messages_are_errors_and_so_is_their_wait", 2, &[], |world| {
        if world.rank() == 0 {
            let message = vec![1; 100_000];
            let transfer = world.open(&message, 1, 2);
            world.put(transfer, &message, 0, 60_000);
            assert!(matches!(*world.runtime().send_fin(transfer).unwrap_err(), Error::IncompleteMessage { .. }));
            let request = world.send(&message, 1, 3);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { .. })));
        } else {
            let mut buffer = vec![0; 100_000];
            let request = world.post_segmented(&mut buffer, 0, 2);
            let gave_up = Error::PeerGaveUp { peer: 0, tag: 2 };
            assert_eq!(world.runtime().wait_range(request, 70_000, 1), Err(gave_up.clone().into()));
            assert_eq!(world.try_wait(request), Err(gave_up));
            let request = world.post_segmented(&mut buffer[..90_000], 0, 3);
            assert!(matches!(*world.runtime().wait_range(request, 0, 1).unwrap_err(), Error::Truncated { .. }));
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { sent: 100_000, .. })));
        }
    });
}

#[test]
fn impossible_ranges_are_refused() {
    cluster("ranges::impossible_ranges_are_refused", 1, &[], |world| {
        let (mut buffer, mut nothing) = (vec![0; 100], vec![0; 100]);
        let request = world.post_segmented(&mut buffer, 0, 0);
        for (offset, count) in [(-1, 2), (50, 51), (i64::MAX, i64::MAX), (0, -1)] {
            let error = world.runtime().wait_range(request, offset, count).unwrap_err();
            assert_eq!(*error, Error::RangeOutsideReceive { offset, count, elements: 100 });
        }
        assert_eq!(world.runtime().wait_range(request, 100, 0), Ok(()), "nothing is there at once");
        let long = vec![0; 20_000];
        let transfer = world.open(&long, 0, 1);
        assert!(matches!(*world.runtime().wait_range(transfer, 0, 1).unwrap_err(), Error::StaleHandle { .. }));
        assert_eq!(world.runtime().wait_range(Handle::NULL, 0, 1), Ok(()));
        let null = world.try_post(&mut nothing, PROC_NULL, 0).expect("post");
        assert_eq!(world.runtime().wait_range(null, 0, 1), Ok(()));
        world.try_wait(null).expect("wait");
        let sending = world.send(&[7; 100], 0, 0);
        world.wait_send(sending);
        world.wait_receive(request, 0, 0);
        assert!(matches!(*world.runtime().wait_range(request, 0, 1).unwrap_err(), Error::StaleHandle { .. }));
        let request = world.fin(transfer);
        let mut long = vec![0; 20_000];
        let receiving = world.post(&mut long, 0, 1);
        world.wait_receive(receiving, 0, 1);
        world.wait_send(request);
    });
}
