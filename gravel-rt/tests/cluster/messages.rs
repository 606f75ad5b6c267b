//! Messages arrive whole, in order, and with their length, on every data path.

use crate::launcher::cluster;
use crate::world::{PROC_NULL, World, fill, first_difference, static_buffer};
use gravel::engine::consumer_write::Completion;
use gravel::message::request::Handle;

/// Around every threshold: nothing, inline, staged, whole pages, many pages.
const LENGTHS: [usize; 14] =
    [0, 1, 31, 32, 33, 4096, 8192, 8193, 16 * 1024 + 1, 40_000, 65_536, 65_537, 1_000_003, 4 << 20];

/// Every rank sends to the next and receives from the previous one, all lengths, twice.
fn ring(world: &mut World, receive: &mut [u8]) {
    let (rank, ranks) = (world.rank(), world.ranks());
    let (previous, next) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    let mut send = vec![0u8; 4 << 20];
    for (number, length) in LENGTHS.into_iter().chain(LENGTHS).enumerate() {
        // The receive buffer moves, so that regions grow and edges change.
        let start = (number * 4099) % (receive.len() - length + 1).min(100_000);
        let receive = &mut receive[start..start + length];
        receive.fill(0xee);
        let receiving = world.post(receive, previous, 5);
        fill(&mut send[..length], rank * 100 + number);
        let sending = world.send(&send[..length], next, 5);
        assert_eq!(world.wait_receive(receiving, previous, 5), length);
        assert_eq!(first_difference(receive, previous * 100 + number), None, "message of {length} bytes");
        world.wait_send(sending);
    }
}

#[test]
fn ring_into_adopted_pages() {
    cluster("messages::ring_into_adopted_pages", 2, &[], |world| ring(world, static_buffer()));
}

#[test]
fn ring_by_cma() {
    cluster("messages::ring_by_cma", 2, &[("GRAVEL_SHM", "cma")], |world| ring(world, &mut vec![0; 4 << 20]));
}

#[test]
fn ring_through_staging_only() {
    cluster("messages::ring_through_staging_only", 2, &[("GRAVEL_SHM", "staged")], |world| {
        ring(world, &mut vec![0; 4 << 20]);
    });
}

#[test]
fn ring_adopted_without_cma_and_more_ranks_than_processors() {
    cluster(
        "messages::ring_adopted_without_cma_and_more_ranks_than_processors",
        4,
        &[("GRAVEL_SHM", "adopt")],
        |world| ring(world, static_buffer()),
    );
}

#[test]
fn a_message_to_oneself() {
    cluster("messages::a_message_to_oneself", 1, &[], |world| {
        for length in LENGTHS {
            let (mut send, mut receive) = (vec![0; length], vec![0; length]);
            fill(&mut send, length);
            // Both orders: receive first, and send first.
            let receiving = world.post(&mut receive, 0, 1);
            let sending = world.send(&send, 0, 1);
            world.wait_send(sending);
            assert_eq!(world.wait_receive(receiving, 0, 1), length);
            assert_eq!(first_difference(&receive, length), None);
            receive.fill(0);
            let sending = world.send(&send, 0, 2);
            let receiving = world.post(&mut receive, 0, 2);
            assert_eq!(world.wait_receive(receiving, 0, 2), length);
            world.wait_send(sending);
            assert_eq!(first_difference(&receive, length), None);
        }
    });
}

#[test]
fn many_in_flight_with_tags_in_opposite_orders() {
    const TAGS: usize = 7;
    const ROUNDS: usize = 20;
    cluster("messages::many_in_flight_with_tags_in_opposite_orders", 2, &[], |world| {
        let peer = 1 - world.rank();
        // Message r of tag t has its own length and contents.
        let length = |tag: usize, round: usize| 1 + tag * 5000 + round * 37;
        if world.rank() == 0 {
            let mut sends = Vec::new();
            for round in 0..ROUNDS {
                for tag in 0..TAGS {
                    let mut buffer = vec![0; length(tag, round)];
                    fill(&mut buffer, tag * 1000 + round);
                    sends.push((world.send(&buffer, peer, tag as i32), buffer));
                }
            }
            world.outside_barrier();
            for (request, _buffer) in sends.into_iter().rev() {
                world.wait_send(request);
            }
        } else {
            world.outside_barrier();
            let mut receives = Vec::new();
            for tag in (0..TAGS).rev() {
                for round in 0..ROUNDS {
                    let mut buffer = vec![0; 100_000];
                    receives.push((world.post(&mut buffer, peer, tag as i32), buffer, tag, round));
                }
            }
            for (request, buffer, tag, round) in receives.into_iter().rev() {
                let bytes = world.wait_receive(request, peer, tag as i32);
                assert_eq!(bytes, length(tag, round), "tag {tag}, message {round}");
                assert_eq!(first_difference(&buffer[..bytes], tag * 1000 + round), None);
            }
        }
    });
}

#[test]
fn eager_and_late_messages_of_one_tag_keep_their_order() {
    cluster("messages::eager_and_late_messages_of_one_tag_keep_their_order", 2, &[], |world| {
        let lengths = [10, 500_000, 0, 8192, 8193, 3, 100_000, 1];
        let peer = 1 - world.rank();
        for posted_first in 0..=lengths.len() {
            // Some receives are posted before the sends, the others after.
            if world.rank() == 0 {
                world.outside_barrier();
                let mut sends = Vec::new();
                for (message, length) in lengths.into_iter().enumerate() {
                    let mut buffer = vec![0; length];
                    fill(&mut buffer, message);
                    sends.push((world.send(&buffer, peer, 1), buffer));
                }
                world.outside_barrier();
                for (request, _buffer) in sends {
                    world.wait_send(request);
                }
            } else {
                let mut buffers: Vec<_> = lengths.iter().map(|&length| vec![0; length]).collect();
                let mut requests = Vec::new();
                for (message, buffer) in buffers.iter_mut().enumerate() {
                    if message == posted_first {
                        world.outside_barrier();
                        world.outside_barrier();
                    }
                    requests.push(world.post(buffer, peer, 1));
                }
                if posted_first == lengths.len() {
                    world.outside_barrier();
                    world.outside_barrier();
                }
                for (message, request) in requests.into_iter().enumerate() {
                    assert_eq!(world.wait_receive(request, peer, 1), lengths[message], "message {message}");
                    assert_eq!(first_difference(&buffers[message], message), None, "message {message}");
                }
            }
        }
    });
}

#[test]
fn segments_in_any_order_make_one_message() {
    cluster("messages::segments_in_any_order_make_one_message", 2, &[], |world| {
        const LENGTH: usize = 1_000_000;
        const SEGMENTS: usize = 13;
        let peer = 1 - world.rank();
        for round in 0..4 {
            if world.rank() == 0 {
                let mut buffer = vec![0; LENGTH];
                if round % 2 == 1 {
                    // The handshake is there: puts go at once. In even rounds they are queued first.
                    world.outside_barrier();
                }
                let transfer = world.open(&buffer, peer, 3);
                for segment in 0..SEGMENTS {
                    let segment = segment * 5 % SEGMENTS;
                    let (start, end) = (segment * LENGTH / SEGMENTS, (segment + 1) * LENGTH / SEGMENTS);
                    let mut whole = vec![0; LENGTH];
                    fill(&mut whole, round);
                    buffer[start..end].copy_from_slice(&whole[start..end]);
                    world.put(transfer, &buffer, start, end - start);
                }
                let request = world.runtime().send_fin(transfer).expect("gravel_send_fin");
                if round % 2 == 0 {
                    world.outside_barrier();
                }
                world.wait_send(request);
            } else {
                let mut buffer = vec![0; LENGTH];
                if round % 2 == 0 {
                    world.outside_barrier();
                }
                let request = world.post(&mut buffer, peer, 3);
                if round % 2 == 1 {
                    world.outside_barrier();
                }
                assert_eq!(world.wait_receive(request, peer, 3), LENGTH);
                assert_eq!(first_difference(&buffer, round), None);
            }
        }
    });
}

#[test]
fn a_short_message_reports_its_length_and_leaves_the_rest() {
    cluster("messages::a_short_message_reports_its_length_and_leaves_the_rest", 2, &[], |world| {
        for length in [0, 10, 5000, 300_000] {
            let peer = 1 - world.rank();
            let mut buffer = vec![0xaa; 400_000];
            let request = world.post(&mut buffer, peer, 1);
            let mut message = vec![0; length];
            fill(&mut message, length);
            let sending = world.send(&message, peer, 1);
            assert_eq!(world.wait_receive(request, peer, 1), length);
            assert_eq!(first_difference(&buffer[..length], length), None);
            assert!(buffer[length..].iter().all(|&byte| byte == 0xaa), "bytes beyond the message were written");
            world.wait_send(sending);
        }
    });
}

#[test]
fn nobody_is_a_partner_that_answers_at_once() {
    cluster("messages::nobody_is_a_partner_that_answers_at_once", 1, &[], |world| {
        let mut buffer = vec![1; 100];
        let receiving = world.try_post(&mut buffer, PROC_NULL, 0).expect("post");
        assert_eq!(world.try_wait(receiving), Ok(Completion::ProcNull));
        let sending = world.try_send(&buffer, PROC_NULL, 0).expect("send");
        assert_eq!(world.try_wait(sending), Ok(Completion::ProcNull));
        assert_eq!(buffer, vec![1; 100]);
        assert_eq!(world.try_wait(Handle::NULL), Ok(Completion::Empty));
        let null = Handle::NULL;
        assert_eq!(world.runtime().tile(null, -5, 64), Ok(1));
        assert_eq!(world.runtime().put(null, 0, 0, 10), Ok(()));
        assert_eq!(world.runtime().send_fin(null), Ok(null));
    });
}

/// Random traffic between all pairs, more ranks than processors; every rank knows what it must receive.
#[test]
fn random_traffic_between_all_pairs() {
    cluster("messages::random_traffic_between_all_pairs", 4, &[], |world| {
        let (rank, ranks) = (world.rank(), world.ranks());
        // A generator that all ranks run alike, so that each knows the messages of the others.
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        for round in 0..6 {
            let mut sends = Vec::new();
            let mut receives = Vec::new();
            for message in 0..60 {
                let (from, to, tag) = (random(ranks), random(ranks), random(3) as i32);
                let length = [random(64), random(10_000), random(200_000)][random(3)];
                let seed = round * 1000 + message;
                if to == rank {
                    let mut buffer = vec![0; length + random(2)];
                    receives.push((world.post(&mut buffer, from, tag), buffer, from, tag, length, seed));
                } else {
                    random(2);
                }
                if from == rank {
                    let mut buffer = vec![0; length];
                    fill(&mut buffer, seed);
                    sends.push((world.send(&buffer, to, tag), buffer));
                }
            }
            for (request, buffer, from, tag, length, seed) in receives {
                assert_eq!(world.wait_receive(request, from, tag), length);
                assert_eq!(first_difference(&buffer[..length], seed), None);
            }
            for (request, _buffer) in sends {
                world.wait_send(request);
            }
        }
    });
}

/// A short message that is being filled stays what it is beside one to nobody, and comes in front of the next.
#[test]
fn a_short_message_is_open_beside_one_to_nobody() {
    cluster("messages::a_short_message_is_open_beside_one_to_nobody", 2, &[], |world| {
        let (message, mut buffers) = ([7; 100], [[0; 100], [0; 100]]);
        if world.rank() == 0 {
            let open = world.open(&message, 1, 5);
            world.put(open, &message, 0, 50);
            let nobody = world.try_send(&message, PROC_NULL, 5).expect("a message to nobody");
            world.put(open, &message, 50, 50);
            let second = world.send(&[8; 100], 1, 5);
            assert_eq!(world.try_wait(nobody), Ok(Completion::ProcNull));
            let first = world.fin(open);
            world.wait_send(first);
            world.wait_send(second);
        } else {
            for (buffer, byte) in buffers.iter_mut().zip([7, 8]) {
                let request = world.post(buffer, 0, 5);
                assert_eq!(world.wait_receive(request, 0, 5), 100);
                assert_eq!(*buffer, [byte; 100]);
            }
        }
    });
}
