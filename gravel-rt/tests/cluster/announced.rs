//! The producer-initiated protocols: write (announce, answer, put, FIN) and read (announce, get, release).

use std::collections::VecDeque;

use crate::calls::received;
use crate::launcher::{Network, cluster, cluster_over};
use crate::world::{ANY_SOURCE, ANY_TAG, PROC_NULL, World, fill, first_difference, is_death_of, static_buffer};
use gravel::Error;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;

/// Source, tag and length.
type Received = (usize, i32, usize);

/// Around every threshold of both protocols.
const LENGTHS: [usize; 11] = [0, 1, 32, 33, 8192, 8193, 40_000, 65_536, 65_537, 1_000_003, 2 << 20];

/// Announces a message in one of the ways that a program can choose; `way` picks one.
fn announce_somehow(world: &mut World, message: &[u8], to: usize, tag: i32, way: usize) -> Handle {
    match way % 3 {
        0 => world.offer(message, to, tag),
        1 => {
            let transfer = world.announce(message, to, tag);
            // Nothing was put: the message goes whole.
            world.fin(transfer)
        }
        _ => {
            let transfer = world.announce(message, to, tag);
            let middle = message.len() / 3;
            world.put(transfer, message, middle, message.len() - middle);
            world.put(transfer, message, 0, middle);
            world.fin(transfer)
        }
    }
}

// Both sides in program data, so that they are adopted where that is allowed: the receive, and what is read.
on_every_path!(every_length_every_way_early_and_late, 2, |world: &mut World| {
    let peer = 1 - world.rank();
    let (mine, buffer) = static_buffer().split_at_mut(2 << 20);
    for (number, length) in LENGTHS.into_iter().enumerate() {
        for way in 0..6 {
            let seed = number * 10 + way;
            let (from, tag) = (peer, 3);
            fill(&mut mine[..length], seed + world.rank());
            buffer.fill(0xee);
            // In the first three the receive is posted first, else the announcement is there first.
            let mut receiving = Handle::NULL;
            if way < 3 {
                receiving = world.post_any(&mut buffer[..length], tag);
                world.outside_barrier();
            }
            let sending = announce_somehow(world, &mine[..length], peer, tag, way);
            if way >= 3 {
                world.outside_barrier();
                receiving = world.post_announced(&mut buffer[..length], from, tag);
            }
            assert_eq!(world.wait_any_source(receiving), (from, tag, length));
            assert_eq!(first_difference(&buffer[..length], seed + from), None, "{length} bytes, way {way}");
            assert!(buffer[length..].iter().all(|&byte| byte == 0xee));
            world.wait_send(sending);
        }
    }
});

on_every_path!(messages_to_oneself, 1, |world: &mut World| {
    for length in LENGTHS {
        for way in 0..3 {
            let (mut message, mut buffer) = (vec![0; length], vec![0; length]);
            fill(&mut message, way);
            for posted_first in [true, false] {
                buffer.fill(0);
                let mut receiving = Handle::NULL;
                if posted_first {
                    receiving = world.post_any(&mut buffer, 1);
                }
                let sending = announce_somehow(world, &message, 0, 1, way);
                if !posted_first {
                    receiving = world.post_any(&mut buffer, 1);
                }
                assert_eq!(world.wait_any_source(receiving), (0, 1, length));
                world.wait_send(sending);
                assert_eq!(first_difference(&buffer, way), None);
            }
        }
    }
});

on_every_path!(the_true_source_is_returned_and_each_peer_keeps_its_order, 4, |world: &mut World| {
    const MESSAGES: usize = 40;
    let length = |source: usize, message: usize| [10, 9000, 70_000][(source + message) % 3] + message;
    if world.rank() > 0 {
        let rank = world.rank();
        let mut sends = Vec::new();
        for message in 0..MESSAGES {
            let mut buffer = vec![0; length(rank, message)];
            fill(&mut buffer, rank * 1000 + message);
            sends.push((announce_somehow(world, &buffer, 0, 2, message / 3), buffer));
        }
        for (request, _buffer) in sends {
            world.wait_send(request);
        }
    } else {
        let mut next = [0; 4];
        for number in 0..3 * MESSAGES {
            let mut buffer = vec![0; 80_000];
            let request = world.post_any(&mut buffer, 2);
            let (source, tag, bytes) = world.wait_any_source(request);
            let message = next[source];
            next[source] += 1;
            assert_eq!((tag, bytes), (2, length(source, message)), "receive {number} from {source}");
            assert_eq!(first_difference(&buffer[..bytes], source * 1000 + message), None);
        }
        assert_eq!(next, [0, MESSAGES, MESSAGES, MESSAGES]);
    }
});

#[test]
fn a_peer_with_one_message_is_not_starved_by_peers_with_many() {
    cluster("announced::a_peer_with_one_message_is_not_starved_by_peers_with_many", 4, &[], |world| {
        // All that is sent is there before the first receive: from then on no peer waits longer than a turn of the others,
        // and what a poll takes from one peer at once.
        const MANY: usize = 200;
        let messages = [0, MANY, MANY, 1][world.rank()];
        for _ in 0..messages {
            let request = world.offer(&[world.rank() as u8], 0, 7);
            world.wait_send(request);
        }
        world.outside_barrier();
        if world.rank() == 0 {
            // What has been sent may still be on its way through a socket.
            for source in 1..4 {
                let found = world.runtime().wait_announcement(source, 7, crate::world::COMMUNICATOR);
                assert!(found.is_ok(), "{found:?}");
            }
            let mut sources = Vec::new();
            for _ in 0..2 * MANY + 1 {
                let mut buffer = [0];
                let request = world.post_any(&mut buffer, 7);
                let (source, ..) = world.wait_any_source(request);
                assert_eq!(usize::from(buffer[0]), source);
                sources.push(source);
            }
            let position = sources.iter().position(|&source| source == 3).expect("the one message");
            assert!(position < 4, "came as number {position}");
            let switches = sources.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(switches > MANY, "peers with equally many take turns: {switches} of {}", sources.len());
        }
    });
}

on_every_path!(tags_in_any_order_and_any_tag_in_their_order, 2, |world: &mut World| {
    const TAGS: i32 = 5;
    let length = |tag: i32, round: usize| 1 + tag as usize * 9000 + round;
    if world.rank() == 0 {
        let mut sends = Vec::new();
        for round in 0..4 {
            for tag in 0..TAGS {
                let mut buffer = vec![0; length(tag, round)];
                fill(&mut buffer, tag as usize * 100 + round);
                sends.push((announce_somehow(world, &buffer, 1, tag, round), buffer));
            }
        }
        world.outside_barrier();
        for (request, _buffer) in sends.into_iter().rev() {
            world.wait_send(request);
        }
    } else {
        world.outside_barrier();
        // Two rounds by tag, backwards; then the rest in the order in which it was announced.
        let mut receives = Vec::new();
        for tag in (0..TAGS).rev() {
            for round in 0..2 {
                let mut buffer = vec![0; 50_000];
                receives.push((world.post_announced(&mut buffer, 0, tag), buffer, tag, round));
            }
        }
        for round in 2..4 {
            for tag in 0..TAGS {
                let mut buffer = vec![0; 50_000];
                let source = if tag % 2 == 0 { ANY_SOURCE } else { 0 };
                let request = world.try_post_announced(&mut buffer, source, ANY_TAG).expect("any tag");
                receives.push((request, buffer, tag, round));
            }
        }
        for (request, buffer, tag, round) in receives {
            assert_eq!(world.wait_any_source(request), (0, tag, length(tag, round)));
            assert_eq!(first_difference(&buffer[..length(tag, round)], tag as usize * 100 + round), None);
        }
    }
});

on_every_path!(a_message_longer_than_its_receive_is_an_error_on_both_sides, 2, |world: &mut World| {
    for (posted, sent) in [(0, 70_000), (5000, 65_537), (20_000, 30_000), (200_000, 900_000)] {
        let expected = Error::Truncated {
            sent: sent as u64,
            posted: posted as u64,
            source_rank: 0,
            source_in_communicator: 0,
            destination: 1,
            tag: 6,
        };
        for way in 0..3 {
            if world.rank() == 0 {
                let message = vec![1; sent];
                let request = announce_somehow(world, &message, 1, 6, way);
                world.outside_barrier();
                world.outside_barrier();
                assert_eq!(world.try_wait(request), Err(expected.clone()), "{sent} bytes, way {way}");
            } else {
                let mut buffer = vec![0xaa; 900_000];
                world.outside_barrier();
                let request = world.post_any(&mut buffer[..posted], 6);
                assert_eq!(world.try_wait(request), Err(expected.clone()));
                assert!(buffer.iter().all(|&byte| byte == 0xaa));
                world.outside_barrier();
            }
        }
    }
});

#[test]
fn an_eager_announcement_that_is_too_long_is_an_error_at_its_receiver() {
    cluster("announced::an_eager_announcement_that_is_too_long_is_an_error_at_its_receiver", 2, &[], |world| {
        if world.rank() == 0 {
            let request = world.offer(&[1; 3000], 1, 6);
            world.wait_send(request);
        } else {
            let mut buffer = vec![0xaa; 2999];
            let request = world.post_any(&mut buffer, 6);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { sent: 3000, posted: 2999, .. })));
            assert!(buffer.iter().all(|&byte| byte == 0xaa));
        }
    });
}

/// The receive is there before the message, which could be read straight into it.
#[test]
fn a_posted_receive_that_is_too_short_is_left_alone() {
    let test = "announced::a_posted_receive_that_is_too_short_is_left_alone";
    cluster_over(&[Network::Tcp], test, 2, &[], |world| {
        for (posted, sent) in [(8193, 8194), (100, 50_000), (65_535, 65_536), (0, 20_000)] {
            for way in 0..2 {
                if world.rank() == 0 {
                    world.outside_barrier();
                    let message = vec![1; sent];
                    let request = announce_somehow(world, &message, 1, 6, way);
                    world.wait_send(request);
                    let request = world.offer(&message, 1, 6);
                    world.wait_send(request);
                } else {
                    let mut buffer = vec![0xaa; 65_536];
                    let request = world.post_any(&mut buffer[..posted], 6);
                    world.outside_barrier();
                    let expected = Error::Truncated {
                        sent: sent as u64,
                        posted: posted as u64,
                        source_rank: 0,
                        source_in_communicator: 0,
                        destination: 1,
                        tag: 6,
                    };
                    assert_eq!(world.try_wait(request), Err(expected), "{sent} bytes, way {way}");
                    assert!(buffer.iter().all(|&byte| byte == 0xaa));
                    // What comes behind it is not lost.
                    let request = world.post_any(&mut buffer, 6);
                    assert_eq!(world.wait_any_source(request), (0, 6, sent));
                }
            }
        }
    });
}

on_every_path!(a_moderate_announced_send_completes_without_its_receiver, 2, |world: &mut World| {
    const LENGTH: usize = 64 * 1024;
    if world.rank() == 0 {
        let mut buffer = vec![0; LENGTH];
        for message in 0..30 {
            fill(&mut buffer, message);
            let request = announce_somehow(world, &buffer, 1, 0, message);
            world.wait_send(request);
            buffer.fill(0xff);
        }
        world.outside_barrier();
        // Rank 1 receives before it enters: only the helper thread can have delivered.
        world.outside_barrier();
    } else {
        world.outside_barrier();
        for message in 0..30 {
            let mut buffer = vec![0; LENGTH];
            let request = world.post_any(&mut buffer, 0);
            assert_eq!(world.wait_any_source(request), (0, 0, LENGTH));
            assert_eq!(first_difference(&buffer, message), None, "message {message}");
        }
        world.outside_barrier();
    }
});

on_every_path!(a_receive_from_any_source_completes_its_senders_while_its_rank_is_elsewhere, 3, |world: &mut World| {
    // The long sends can only be over when rank 0's helper thread has met, answered or read them.
    const LENGTH: usize = 600_000;
    if world.rank() == 0 {
        let mut buffers = [vec![0; LENGTH], vec![0; LENGTH]];
        let requests = buffers.each_mut().map(|buffer| world.post_any(buffer, 4));
        world.outside_barrier();
        for (request, buffer) in requests.into_iter().zip(&buffers) {
            let (source, tag, bytes) = world.wait_any_source(request);
            assert_eq!((tag, bytes), (4, LENGTH));
            assert_eq!(first_difference(buffer, source), None);
        }
    } else {
        let mut message = vec![0; LENGTH];
        fill(&mut message, world.rank());
        let way = world.rank() - 1;
        let request = announce_somehow(world, &message, 0, 4, way);
        world.wait_send(request);
        world.outside_barrier();
    }
});

#[test]
fn ten_thousand_announced_sends_are_never_blocked() {
    cluster("announced::ten_thousand_announced_sends_are_never_blocked", 2, &[], |world| {
        const MESSAGES: usize = 10_000;
        if world.rank() == 0 {
            for message in 0..MESSAGES {
                // Now and then one that is too long to be its own announcement.
                let mut buffer = vec![0; if message % 100 == 7 { 10_000 } else { 8 }];
                buffer[..8].copy_from_slice(&message.to_ne_bytes());
                let request = announce_somehow(world, &buffer, 1, 0, message);
                world.wait_send(request);
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            let mut buffer = vec![0; 10_000];
            for message in 0..MESSAGES {
                let request = world.post_any(&mut buffer, 0);
                let (.., bytes) = world.wait_any_source(request);
                assert_eq!(bytes, if message % 100 == 7 { 10_000 } else { 8 });
                assert_eq!(buffer[..8], message.to_ne_bytes());
            }
        }
    });
}

/// Far more than sockets hold, before the first receive is posted.
#[test]
fn many_announced_messages_of_medium_length_need_no_receive() {
    let test = "announced::many_announced_messages_of_medium_length_need_no_receive";
    cluster_over(&[Network::Tcp], test, 2, &[], |world| {
        const MESSAGES: usize = 10_000;
        const LONGEST: usize = 65_536;
        let length = |message: usize| if message % 50 == 7 { LONGEST } else { 8193 + message % 100 };
        if world.rank() == 0 {
            let mut buffer = vec![0; LONGEST];
            for message in 0..MESSAGES {
                buffer[..8].copy_from_slice(&message.to_ne_bytes());
                let last = length(message) - 1;
                buffer[last] = message as u8;
                let request = announce_somehow(world, &buffer[..=last], 1, 0, message);
                world.wait_send(request);
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            let mut buffer = vec![0; LONGEST];
            for message in 0..MESSAGES {
                let request = world.post_any(&mut buffer, 0);
                assert_eq!(world.wait_any_source(request), (0, 0, length(message)));
                assert_eq!(buffer[..8], message.to_ne_bytes());
                assert_eq!(buffer[length(message) - 1], message as u8);
            }
        }
    });
}

/// Peers whose messages are read straight into receives from any source, mixed with ones that are not, and with receives
/// that are withdrawn in the middle.
#[test]
fn messages_that_are_read_in_place_keep_the_order_of_each_peer() {
    let test = "announced::messages_that_are_read_in_place_keep_the_order_of_each_peer";
    cluster_over(&[Network::Tcp, Network::Mixed], test, 3, &[], |world| {
        const MESSAGES: usize = 150;
        const LONGEST: usize = 70_000;
        let length = |source: usize, message: usize| [65_536, 9000, 100, 70_000, 0, 30_000][(source + message) % 6];
        if world.rank() > 0 {
            let rank = world.rank();
            let mut buffer = vec![0; LONGEST];
            for message in 0..MESSAGES {
                let part = &mut buffer[..length(rank, message)];
                fill(part, rank * 1000 + message);
                let request = announce_somehow(world, part, 0, (message % 2) as i32, message / 6);
                world.wait_send(request);
            }
            world.outside_barrier();
            return;
        }
        // Receives in the order of posting; of those that were waited for already, what they have brought.
        let mut posted: VecDeque<(Handle, Option<Received>, Vec<u8>)> = VecDeque::new();
        let mut next = [0; 3];
        for turn in 0.. {
            let left = 2 * MESSAGES - next.iter().sum::<usize>();
            if left == 0 {
                break;
            }
            while posted.len() < left.min(8) {
                let mut buffer = vec![0xaa; LONGEST];
                let request = world.try_post_announced(&mut buffer, ANY_SOURCE, ANY_TAG).expect("a receive");
                posted.push_back((request, None, buffer));
            }
            // The last one is the likeliest not to have met a message, and may meet one now.
            if turn % 5 == 0
                && let Some((request, brought @ None, buffer)) = posted.back_mut()
            {
                world.runtime().cancel(*request).expect("gravel_cancel");
                match world.try_wait(*request).expect("gravel_wait") {
                    Completion::Cancelled => {
                        assert!(buffer.iter().all(|&byte| byte == 0xaa), "nothing was written");
                        posted.pop_back();
                        continue;
                    }
                    completion => *brought = Some(received(Ok(completion))),
                }
            }
            let (request, brought, buffer) = posted.pop_front().expect("a receive");
            let (source, tag, bytes) = brought.unwrap_or_else(|| world.wait_any_source(request));
            let message = next[source];
            next[source] += 1;
            assert_eq!((tag, bytes), ((message % 2) as i32, length(source, message)), "from {source}");
            assert_eq!(first_difference(&buffer[..bytes], source * 1000 + message), None);
            assert!(buffer[bytes..].iter().all(|&byte| byte == 0xaa), "nothing behind it");
        }
        world.outside_barrier();
    });
}

on_every_path!(an_announcement_can_be_waited_for_before_its_receive_is_posted, 3, |world: &mut World| {
    if world.rank() == 0 {
        for _ in 0..2 {
            let found = world.runtime().wait_announcement(ANY_SOURCE, 8, crate::world::COMMUNICATOR);
            let (source, tag, bytes) = received(found.map_err(|error| *error));
            let mut buffer = vec![0; bytes];
            let request = world.post_announced(&mut buffer, source, tag);
            assert_eq!(world.wait_any_source(request), (source, 8, source * 50_000));
            assert_eq!(first_difference(&buffer, source), None);
        }
    } else {
        let mut message = vec![0; world.rank() * 50_000];
        fill(&mut message, world.rank());
        let request = world.offer(&message, 0, 8);
        world.wait_send(request);
    }
});

#[test]
fn nobody_is_a_partner_here_too() {
    cluster("announced::nobody_is_a_partner_here_too", 1, &[], |world| {
        let mut buffer = vec![1; 100];
        let receiving = world.try_post_announced(&mut buffer, PROC_NULL, ANY_TAG).expect("post");
        assert_eq!(world.try_wait(receiving), Ok(Completion::ProcNull));
        let sending = world.try_offer(&buffer, PROC_NULL, 0).expect("offer");
        assert_eq!(world.try_wait(sending), Ok(Completion::ProcNull));
        let found = world.runtime().wait_announcement(PROC_NULL, 0, crate::world::COMMUNICATOR);
        assert_eq!(found, Ok(Completion::ProcNull));
        assert_eq!(buffer, vec![1; 100]);
        for rank in [1, -9] {
            assert!(matches!(*world.try_offer(&buffer, rank, 0).unwrap_err(), Error::InvalidRank { .. }));
            assert!(matches!(*world.try_post_announced(&mut buffer, rank, 0).unwrap_err(), Error::InvalidRank { .. }));
        }
        assert!(matches!(*world.try_offer(&buffer, 0, -8).unwrap_err(), Error::InvalidTag { tag: -8 }));
    });
}

#[test]
fn waiting_for_any_source_with_a_dead_rank_ends_with_an_error() {
    cluster("announced::waiting_for_any_source_with_a_dead_rank_ends_with_an_error", 3, &[], |world| {
        if world.rank() == 1 {
            // Dies without a word, as after a crash.
            std::process::exit(0);
        }
        let mut buffer = vec![0; 100];
        let request = world.post_any(&mut buffer, 0);
        // The other survivor may have ended its test, and its process, in the meantime.
        let error = world.try_wait(request).unwrap_err();
        assert!(is_death_of(0, &error) || is_death_of(1, &error), "{error}");
        world.forsake();
    });
}
