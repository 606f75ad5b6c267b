//! Sends that are cancelled: they end whatever their receiver does, their memory is the program's again, and their
//! messages are received as if nothing had been.

use crate::launcher::{Network, cluster, cluster_over, processes};
use crate::world::{COMMUNICATOR, World, describe, fill, first_difference, is_death_of};
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;
use gravel::runtime::Matched;
use gravel::runtime::PersistentKind::{AnnouncedSend, PostedSend};

/// Eager, around its limit, of medium length, and longer than what may be spilled.
const LENGTHS: [usize; 7] = [1, 8192, 8193, 65_536, 65_537, 300_000, 2_000_000];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Send,
    Open,
    Prepared,
    Offer,
    Announce,
    PreparedOffer,
}

/// The ways to send: numbered and announced, as a whole and put.
const WAYS: [Way; 6] = [Way::Send, Way::Open, Way::Prepared, Way::Offer, Way::Announce, Way::PreparedOffer];

impl Way {
    fn is_announced(self) -> bool {
        matches!(self, Self::Offer | Self::Announce | Self::PreparedOffer)
    }
}

fn start(world: &mut World, way: Way, buffer: &[u8], to: usize, tag: i32) -> Handle {
    let description = describe(buffer.as_ptr(), buffer.len());
    let (to, runtime) = (to as i32, world.runtime());
    // SAFETY: the tests keep buffers alive and untouched until their cancelled sends have been waited for or released.
    let handle = unsafe {
        match way {
            Way::Send => return runtime.post_send(description, to, tag, COMMUNICATOR).expect("gravel_post_send"),
            Way::Offer => {
                return runtime.announce_message(description, to, tag, COMMUNICATOR).expect("gravel_post_snd");
            }
            Way::Open => runtime.open_transfer(description, to, tag, COMMUNICATOR),
            Way::Announce => runtime.announce_transfer(description, to, tag, COMMUNICATOR),
            Way::Prepared | Way::PreparedOffer => {
                let kind = if way == Way::Prepared { PostedSend } else { AnnouncedSend };
                let request = runtime.prepare(kind, description, to, tag, COMMUNICATOR).expect("gravel_prepare_send");
                runtime.start(request).expect("gravel_start");
                return request;
            }
        }
    }
    .expect("an open transfer");
    let half = buffer.len() / 2;
    world.put(handle, buffer, 0, half);
    world.put(handle, buffer, half, buffer.len() - half);
    world.fin(handle)
}

fn cancel(world: &mut World, request: Handle) {
    if request != Handle::NULL {
        world.runtime().cancel(request).expect("gravel_cancel");
    }
}

/// Ends a cancelled send in one of several ways.
fn end(world: &mut World, way: Way, request: Handle, number: usize) {
    match number % 3 {
        0 => world.wait_send(request),
        1 => while world.runtime().test(request).expect("gravel_test").is_none() {},
        // It was over at once.
        _ if request == Handle::NULL => return,
        _ => return world.runtime().release(request).expect("gravel_release"),
    }
    if matches!(way, Way::Prepared | Way::PreparedOffer) {
        world.runtime().release(request).expect("gravel_release");
    }
}

fn post(world: &mut World, way: Way, buffer: &mut [u8], tag: i32) -> Handle {
    if way.is_announced() { world.post_any(buffer, tag) } else { world.post(buffer, 0, tag) }
}

/// Receives message `number` of rank 0, which fills the buffer.
fn receive(world: &mut World, way: Way, buffer: &mut [u8], tag: i32, number: usize) {
    let request = post(world, way, buffer, tag);
    assert_eq!(world.wait_receive(request, 0, tag), buffer.len(), "{way:?}, message {number}");
    assert_eq!(first_difference(buffer, number), None, "{way:?}, {} bytes, message {number}", buffer.len());
}

fn end_without_their_receiver(world: &mut World) {
    for (tag, way) in (0..).zip(WAYS) {
        for number in 0..LENGTHS.len() * 3 {
            let length = LENGTHS[number % LENGTHS.len()];
            let mut buffer = vec![0xaa; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                let request = start(world, way, &buffer, 1, tag);
                cancel(world, request);
                end(world, way, request, number / LENGTHS.len());
                buffer.fill(0xff);
                drop(buffer);
                // Rank 1 is outside of the runtime until this.
                world.outside_barrier();
            } else {
                world.outside_barrier();
                receive(world, way, &mut buffer, tag, number);
            }
        }
    }
}

on_every_path!(they_end_without_their_receiver_and_are_received, 2, end_without_their_receiver);

fn cross_their_receives(world: &mut World) {
    for (tag, way) in (0..).zip(WAYS) {
        for number in 0..60 {
            let length = LENGTHS[number % LENGTHS.len()];
            let mut buffer = vec![0xaa; length];
            if world.rank() == 0 {
                fill(&mut buffer, number);
                let request = start(world, way, &buffer, 1, tag);
                cancel(world, request);
                end(world, way, request, number);
                buffer.fill(0xff);
            } else {
                receive(world, way, &mut buffer, tag, number);
            }
        }
    }
}

on_every_path!(a_cancel_that_crosses_the_receive_changes_nothing, 2, cross_their_receives);

fn are_taken_by_probes(world: &mut World) {
    for (tag, length) in (100..).zip(LENGTHS) {
        let mut buffer = vec![0xaa; length];
        if world.rank() == 0 {
            fill(&mut buffer, length);
            let request = world.offer(&buffer, 1, tag);
            world.outside_barrier();
            cancel(world, request);
            world.wait_send(request);
            buffer.fill(0xff);
            world.outside_barrier();
        } else {
            let taken = world.runtime().wait_matched(0, tag, COMMUNICATOR).expect("gravel_mprobe");
            let Matched::Message(message, _) = taken else { panic!("{taken:?}") };
            world.outside_barrier();
            world.outside_barrier();
            let description = describe(buffer.as_mut_ptr(), length);
            // SAFETY: the buffer lives until the wait.
            let request = unsafe { world.runtime().receive_matched(description, message) }.expect("gravel_imrecv");
            assert_eq!(world.wait_receive(request, 0, tag), length);
            assert_eq!(first_difference(&buffer, length), None, "{length} bytes");
        }
    }
}

on_every_path!(one_that_a_probe_has_taken_is_received, 2, are_taken_by_probes);

fn are_dropped(world: &mut World) {
    if world.rank() == 0 {
        for (tag, way) in (0..).zip(WAYS) {
            for (number, length) in LENGTHS.into_iter().enumerate() {
                let buffer = vec![1; length];
                let request = start(world, way, &buffer, 1, tag);
                cancel(world, request);
                end(world, way, request, number);
            }
        }
    }
}

on_every_path!(those_that_nobody_receives_are_dropped_in_the_end, 2, are_dropped);

/// All of the above over TCP, where the consumer can't read: it says so to who offers that.
#[test]
fn over_tcp() {
    cluster_over(&[Network::Tcp], "cancelled_sends::over_tcp", 2, &[], |world| {
        end_without_their_receiver(world);
        cross_their_receives(world);
        are_taken_by_probes(world);
        are_dropped(world);
    });
}

/// The rules are kept: the checks see the end of the send, and what is written then is no fault.
#[test]
fn where_the_rules_are_checked() {
    let networks = [Network::Shm, Network::Tcp];
    let test = "cancelled_sends::where_the_rules_are_checked";
    cluster_over(&networks, test, 2, &[("GRAVEL_CHECK", "1")], |world| {
        end_without_their_receiver(world);
        cross_their_receives(world);
        are_taken_by_probes(world);
        are_dropped(world);
    });
}

/// Nobody else looks whether such a message may still be read.
#[test]
fn to_oneself() {
    cluster("cancelled_sends::to_oneself", 1, &[], |world| {
        for (tag, way) in (0..).zip(WAYS) {
            for number in 0..LENGTHS.len() * 3 {
                let length = LENGTHS[number % LENGTHS.len()];
                let (mut message, mut buffer) = (vec![0xaa; length], vec![0xaa; length]);
                fill(&mut message, number);
                let request = start(world, way, &message, 0, tag);
                let is_posted_first = number % 2 == 0;
                let early = is_posted_first.then(|| post(world, way, &mut buffer, tag));
                cancel(world, request);
                end(world, way, request, number / LENGTHS.len());
                message.fill(0xff);
                drop(message);
                let receive = early.unwrap_or_else(|| post(world, way, &mut buffer, tag));
                assert_eq!(world.wait_receive(receive, 0, tag), length, "{way:?}");
                assert_eq!(first_difference(&buffer, number), None, "{way:?}, {length} bytes");
            }
        }
    });
}

/// Nobody answers the recall of a message to a rank that is killed: each way to end its send ends.
#[test]
fn the_receiver_is_killed() {
    let networks = [Network::Shm, Network::Tcp, Network::Verbs];
    processes(&networks, "cancelled_sends::the_receiver_is_killed", 2, &[1], |meeting, provider| {
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if world.rank() == 1 {
            world.outside_barrier();
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        let buffer = vec![7; 2_000_000];
        let started: Vec<_> = (0..3)
            .flat_map(|_| WAYS)
            .zip(0..)
            .map(|(way, tag)| (way, start(&mut world, way, &buffer, 1, tag)))
            .collect();
        world.outside_barrier();
        // By then the death can be noticed.
        std::thread::sleep(std::time::Duration::from_millis(300));
        for (number, &(_, request)) in started.iter().enumerate() {
            cancel(&mut world, request);
            let outcome = match number / WAYS.len() {
                0 => world.try_wait(request).map(drop),
                1 => loop {
                    match world.runtime().test(request) {
                        Ok(None) => {}
                        Ok(Some(_)) => break Ok(()),
                        Err(error) => break Err(*error),
                    }
                },
                _ => world.runtime().release(request).map_err(|error| *error),
            };
            if let Err(error) = outcome {
                assert!(is_death_of(1, &error), "{error}");
            }
        }
        world.forsake();
    });
}

#[test]
fn a_synchronous_one_goes_on() {
    cluster("cancelled_sends::a_synchronous_one_goes_on", 2, &[], |world| {
        let mut buffer = [5; 100];
        if world.rank() == 0 {
            let description = describe(buffer.as_ptr(), buffer.len()).synchronous();
            // SAFETY: the buffer is not touched until the wait.
            let request = unsafe { world.runtime().announce_message(description, 1, 3, COMMUNICATOR) }.expect("a send");
            cancel(world, request);
            assert_eq!(world.runtime().test(request), Ok(None));
            world.outside_barrier();
            world.wait_send(request);
        } else {
            world.outside_barrier();
            let request = world.post_any(&mut buffer, 3);
            assert!(matches!(world.try_wait(request), Ok(Completion::Received { bytes: 100, .. })));
        }
    });
}
