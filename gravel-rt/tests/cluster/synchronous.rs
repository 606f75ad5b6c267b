//! Synchronous sends: their end says that a receive was posted, and what its process did before has happened, whatever way the
//! message takes; and they end as soon as that is so, wherever the receiver is.

use std::thread::sleep;
use std::time::Duration;

use crate::launcher::cluster;
use crate::world::{COMMUNICATOR, PROC_NULL, World, describe, fill, first_difference};
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;
use gravel::runtime::PersistentKind::{AnnouncedSend, PostedSend};
use gravel::{Error, Result};

/// Eager, around its limit, of medium length, and longer than what may be spilled.
const LENGTHS: [usize; 8] = [0, 1, 100, 8192, 8193, 65_536, 65_537, 700_000];

/// The ways to send and to receive: numbered and announced, as a whole and put.
const WAYS: [Way; 6] = [Way::Send, Way::Open, Way::Prepared, Way::Offer, Way::Announce, Way::PreparedOffer];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Send,
    Open,
    Prepared,
    Offer,
    Announce,
    PreparedOffer,
}

impl Way {
    fn is_announced(self) -> bool {
        matches!(self, Self::Offer | Self::Announce | Self::PreparedOffer)
    }
}

fn try_start(world: &mut World, way: Way, buffer: &[u8], to: i32, tag: i32) -> Result<Handle> {
    let description = describe(buffer.as_ptr(), buffer.len()).synchronous();
    let runtime = world.runtime();
    // SAFETY: the tests keep buffers alive and untouched until the wait.
    let handle = unsafe {
        match way {
            Way::Send => return runtime.post_send(description, to, tag, COMMUNICATOR),
            Way::Offer => return runtime.announce_message(description, to, tag, COMMUNICATOR),
            Way::Open => runtime.open_transfer(description, to, tag, COMMUNICATOR)?,
            Way::Announce => runtime.announce_transfer(description, to, tag, COMMUNICATOR)?,
            Way::Prepared | Way::PreparedOffer => {
                let kind = if way == Way::Prepared { PostedSend } else { AnnouncedSend };
                let request = runtime.prepare(kind, description, to, tag, COMMUNICATOR)?;
                runtime.start(request)?;
                return Ok(request);
            }
        }
    };
    let half = buffer.len() / 2;
    world.put(handle, buffer, 0, half);
    world.put(handle, buffer, half, buffer.len() - half);
    world.runtime().send_fin(handle)
}

fn start(world: &mut World, way: Way, buffer: &[u8], to: usize, tag: i32) -> Handle {
    try_start(world, way, buffer, to as i32, tag).expect("a synchronous send")
}

fn post(world: &mut World, way: Way, buffer: &mut [u8], from: usize, tag: i32) -> Handle {
    if way.is_announced() { world.post_any(buffer, tag) } else { world.post(buffer, from, tag) }
}

/// Ends a send, in one of several ways.
fn end(world: &mut World, way: Way, request: Handle, number: usize) {
    match number % 4 {
        0 => world.wait_send(request),
        1 => assert_eq!(world.test_until_done(request), Ok(Completion::Empty)),
        2 if !request.is_null() => {
            assert_eq!(world.runtime().wait_any(&[request]), Ok(Some((0, Completion::Empty))));
        }
        _ => while world.runtime().test_all(&[request]).expect("gravel_testall").is_none() {},
    }
    if matches!(way, Way::Prepared | Way::PreparedOffer) {
        world.runtime().release(request).expect("gravel_release");
    }
}

/// The number of a message, which is its tag where every message has a key of its own.
fn each_way() -> impl Iterator<Item = (usize, usize, Way)> {
    let all = LENGTHS.into_iter().flat_map(|length| WAYS.map(|way| (length, way)));
    all.enumerate().map(|(number, (length, way))| (number, length, way))
}

/// Rank 1 receives late and says so before; rank 0 must have heard of it when its send is over.
fn late_receives(world: &mut World, tag_of: impl Fn(usize, Way) -> i32) {
    for (number, length, way) in each_way() {
        let (tag, mark) = (tag_of(number, way), format!("about to receive {number}"));
        let mut buffer = vec![0; length];
        if world.rank() == 0 {
            fill(&mut buffer, number);
            let request = start(world, way, &buffer, 1, tag);
            end(world, way, request, number);
            assert!(world.is_marked(&mark), "{way:?} of {length} bytes was over before its receive");
        } else {
            sleep(Duration::from_millis(3));
            world.mark(&mark);
            let request = post(world, way, &mut buffer, 0, tag);
            assert_eq!(world.wait_receive(request, 0, tag), length);
            assert_eq!(first_difference(&buffer, number), None, "{way:?} of {length} bytes");
        }
    }
}

on_every_path!(a_send_is_over_only_when_its_receive_was_posted, 2, |world: &mut World| {
    late_receives(world, |number, _| number as i32);
});

// From the second message of a key on, receives tell of themselves when they are posted.
#[test]
fn so_is_every_later_one_of_the_same_key() {
    cluster("synchronous::so_is_every_later_one_of_the_same_key", 2, &[], |world| {
        late_receives(world, |_, way| i32::from(way.is_announced()));
    });
}

#[test]
fn so_it_is_under_the_rules() {
    cluster("synchronous::so_it_is_under_the_rules", 2, &[("GRAVEL_CHECK", "1")], |world| {
        late_receives(world, |_, way| i32::from(way.is_announced()));
    });
}

// The receiver makes no call of Gravel between its post and the end of the send: it waits inside MPI for the sender.
on_every_path!(a_posted_receive_suffices_wherever_the_receiver_is, 2, |world: &mut World| {
    for (number, length, way) in each_way() {
        for is_early in [false, true] {
            let tag = 2 * number as i32 + i32::from(is_early);
            let mut buffer = vec![0; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                if is_early {
                    world.outside_barrier();
                }
                let request = start(world, way, &buffer, 1, tag);
                end(world, way, request, number);
                world.outside_barrier();
            } else {
                // Late, the wait for the send has begun by then, and has said what it had to say.
                if !is_early {
                    sleep(Duration::from_millis(2));
                }
                let request = post(world, way, &mut buffer, 0, tag);
                if is_early {
                    world.outside_barrier();
                }
                world.outside_barrier();
                assert_eq!(world.wait_receive(request, 0, tag), length);
                assert_eq!(first_difference(&buffer, number), None, "{way:?} of {length} bytes");
            }
        }
    }
});

#[test]
fn messages_leave_while_the_sender_is_elsewhere() {
    cluster("synchronous::messages_leave_while_the_sender_is_elsewhere", 2, &[], |world| {
        for (number, length, way) in each_way() {
            let tag = number as i32;
            let mut buffer = vec![0; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                let request = start(world, way, &buffer, 1, tag);
                world.outside_barrier();
                end(world, way, request, number);
            } else {
                let request = post(world, way, &mut buffer, 0, tag);
                assert_eq!(world.wait_receive(request, 0, tag), length);
                assert_eq!(first_difference(&buffer, number), None, "{way:?} of {length} bytes");
                world.outside_barrier();
            }
        }
    });
}

#[test]
fn standard_and_synchronous_messages_of_a_key_keep_their_order() {
    cluster("synchronous::standard_and_synchronous_messages_of_a_key_keep_their_order", 2, &[], |world| {
        const MESSAGES: usize = 400;
        let length = |number: usize| [8, 0, 3000, 8192, 20_000, 100_000][number * 7 % 6];
        for way in [Way::Send, Way::Open, Way::Offer, Way::Announce] {
            let tag = 1 + way as i32;
            if world.rank() == 0 {
                let mut sends = Vec::new();
                for number in 0..MESSAGES {
                    let mut buffer = vec![0; length(number)];
                    fill(&mut buffer, number);
                    let request = match (number % 3, way.is_announced()) {
                        (0, false) => world.send(&buffer, 1, tag),
                        (0, true) => world.offer(&buffer, 1, tag),
                        _ => start(world, way, &buffer, 1, tag),
                    };
                    sends.push((request, buffer));
                    // Some are waited for before the next one begins.
                    if number % 50 == 49 {
                        sends.drain(..).for_each(|(request, _buffer)| world.wait_send(request));
                    }
                }
                sends.into_iter().for_each(|(request, _buffer)| world.wait_send(request));
            } else {
                for number in 0..MESSAGES {
                    if number % 40 == 0 {
                        sleep(Duration::from_millis(1));
                    }
                    let mut buffer = vec![0; 100_000];
                    let request = post(world, way, &mut buffer, 0, tag);
                    assert_eq!(world.wait_receive(request, 0, tag), length(number));
                    assert_eq!(first_difference(&buffer[..length(number)], number), None, "message {number}, {way:?}");
                }
            }
            world.outside_barrier();
        }
    });
}

#[test]
fn thousands_are_posted_without_blocking() {
    cluster("synchronous::thousands_are_posted_without_blocking", 2, &[], |world| {
        const MESSAGES: usize = 3000;
        for way in [Way::Send, Way::Offer] {
            let tag = 1 + way as i32;
            if world.rank() == 0 {
                let buffers: Vec<_> = (0..MESSAGES).map(|number| number.to_ne_bytes()).collect();
                let sends: Vec<_> = buffers.iter().map(|buffer| start(world, way, buffer, 1, tag)).collect();
                world.outside_barrier();
                sends.into_iter().for_each(|request| world.wait_send(request));
                // The receives were posted and nobody waits for them yet.
                world.outside_barrier();
            } else {
                world.outside_barrier();
                let mut buffers = vec![[0; 8]; MESSAGES];
                let receives: Vec<_> = buffers.iter_mut().map(|buffer| post(world, way, buffer, 0, tag)).collect();
                world.outside_barrier();
                receives.into_iter().for_each(|request| assert_eq!(world.wait_receive(request, 0, tag), 8));
                assert!(buffers.iter().enumerate().all(|(number, buffer)| usize::from_ne_bytes(*buffer) == number));
            }
            world.outside_barrier();
        }
    });
}

#[test]
fn a_message_to_oneself_waits_for_its_receive() {
    cluster("synchronous::a_message_to_oneself_waits_for_its_receive", 1, &[], |world| {
        for (number, length, way) in each_way() {
            let tag = number as i32;
            let (mut outgoing, mut incoming) = (vec![0; length], vec![0; length]);
            fill(&mut outgoing, number);
            let is_posted_first = number % 2 == 0;
            let posted = is_posted_first.then(|| post(world, way, &mut incoming, 0, tag));
            let sending = start(world, way, &outgoing, 0, tag);
            let receiving = posted.unwrap_or_else(|| {
                for _ in 0..100 {
                    assert_eq!(world.runtime().test(sending), Ok(None), "{way:?} of {length} bytes met no receive");
                }
                post(world, way, &mut incoming, 0, tag)
            });
            end(world, way, sending, number);
            assert_eq!(world.wait_receive(receiving, 0, tag), length);
            assert_eq!(first_difference(&incoming, number), None, "{way:?} of {length} bytes");
        }
    });
}

#[test]
fn a_message_that_is_too_long_is_an_error_on_both_sides() {
    cluster("synchronous::a_message_that_is_too_long_is_an_error_on_both_sides", 2, &[], |world| {
        for (number, (posted, sent)) in [(0, 1), (99, 100), (5000, 8192), (100, 20_000)].into_iter().enumerate() {
            for way in WAYS {
                let tag = (number * WAYS.len()) as i32 + way as i32;
                let mut buffer = vec![0; if world.rank() == 0 { sent } else { posted }];
                let request = match world.rank() {
                    0 => start(world, way, &buffer, 1, tag),
                    _ => post(world, way, &mut buffer, 0, tag),
                };
                let error = world.try_wait(request).expect_err("it is too long");
                let is_told = matches!(error, Error::Truncated { sent: told, posted: room, .. }
                    if (told, room) == (sent as u64, posted as u64));
                assert!(is_told, "{way:?} of {sent} bytes: {error}");
                world.outside_barrier();
            }
        }
    });
}

#[test]
fn a_receive_that_is_cancelled_ends_no_send() {
    cluster("synchronous::a_receive_that_is_cancelled_ends_no_send", 2, &[], |world| {
        for (number, length, way) in each_way() {
            let (tag, mark) = (number as i32, format!("about to receive {number}"));
            let mut buffer = vec![0; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                world.outside_barrier();
                let request = start(world, way, &buffer, 1, tag);
                end(world, way, request, number);
                assert!(world.is_marked(&mark), "{way:?} of {length} bytes was over before its receive");
            } else {
                let mut cancelled = vec![0; length];
                let request = post(world, way, &mut cancelled, 0, tag);
                world.runtime().cancel(request).expect("gravel_cancel");
                assert_eq!(world.try_wait(request), Ok(Completion::Cancelled));
                world.outside_barrier();
                sleep(Duration::from_millis(1));
                world.mark(&mark);
                let request = post(world, way, &mut buffer, 0, tag);
                assert_eq!(world.wait_receive(request, 0, tag), length);
                assert_eq!(first_difference(&buffer, number), None, "{way:?} of {length} bytes");
            }
        }
    });
}

#[test]
fn a_cancel_and_a_send_that_cross_leave_one_receive_for_one_message() {
    cluster("synchronous::a_cancel_and_a_send_that_cross_leave_one_receive_for_one_message", 2, &[], |world| {
        for number in 0..200 {
            let (length, tag) = ([8, 9000][number % 2], 7);
            let mut buffer = vec![0; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                let request = start(world, Way::Send, &buffer, 1, tag);
                end(world, Way::Send, request, number);
            } else {
                let request = world.post(&mut buffer, 0, tag);
                world.runtime().cancel(request).expect("gravel_cancel");
                match world.try_wait(request).expect("gravel_wait") {
                    Completion::Cancelled => {
                        let request = world.post(&mut buffer, 0, tag);
                        assert_eq!(world.wait_receive(request, 0, tag), length);
                    }
                    completion => assert_eq!(completion, Completion::Received { source: 0, tag, bytes: length as u64 }),
                }
                assert_eq!(first_difference(&buffer, number), None, "message {number}");
            }
        }
    });
}

#[test]
fn a_message_to_nobody_is_over_at_once() {
    cluster("synchronous::a_message_to_nobody_is_over_at_once", 1, &[], |world| {
        for way in [Way::Send, Way::Open, Way::Offer, Way::Announce] {
            let request = try_start(world, way, &[1, 2, 3], PROC_NULL, 3).expect("a synchronous send");
            assert_eq!(world.try_wait(request), Ok(Completion::ProcNull), "{way:?}");
        }
    });
}

// Its start is a send as any, and is let go while nothing has met it.
#[test]
fn a_prepared_send_that_is_released_still_arrives() {
    cluster("synchronous::a_prepared_send_that_is_released_still_arrives", 2, &[], |world| {
        for (number, way) in [(0, Way::Prepared), (1, Way::PreparedOffer)] {
            let mut buffer = vec![0; 500];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                let request = start(world, way, &buffer, 1, number as i32);
                world.runtime().release(request).expect("gravel_release");
                world.outside_barrier();
                world.outside_barrier();
            } else {
                world.outside_barrier();
                let request = post(world, way, &mut buffer, 0, number as i32);
                assert_eq!(world.wait_receive(request, 0, number as i32), 500);
                assert_eq!(first_difference(&buffer, number), None);
                world.outside_barrier();
            }
        }
    });
}
