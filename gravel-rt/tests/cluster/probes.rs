//! Probes, matched probes, buffered sends; and what they say of ranks that are killed.

use std::time::{Duration, Instant};

use gravel::Error;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;
use gravel::runtime::Matched;

use crate::launcher::{Network, processes};
use crate::world::{
    ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, describe, fill, first_difference, is_death_of,
};

/// Below and above what travels as eager data, and long enough to be read from afar.
const LENGTHS: [usize; 4] = [5, 9000, 70_000, 1 << 20];

fn probe(world: &mut World, source: i32, tag: i32) -> Completion {
    loop {
        if let Some(found) = world.runtime().probe(source, tag, COMMUNICATOR).expect("gravel_iprobe") {
            return found;
        }
    }
}

fn take(world: &mut World, source: i32, tag: i32) -> (Handle, Completion) {
    match world.runtime().wait_matched(source, tag, COMMUNICATOR).expect("gravel_mprobe") {
        Matched::Message(message, found) => (message, found),
        Matched::Nobody => panic!("a message of nobody"),
    }
}

fn receive(world: &mut World, message: Handle, buffer: &mut [u8]) -> Completion {
    let description = describe(buffer.as_ptr(), buffer.len());
    // SAFETY: the buffer lives, and is not touched, until the wait has returned.
    let request = unsafe { world.runtime().receive_matched(description, message) }.expect("gravel_imrecv");
    world.try_wait(request).expect("gravel_wait")
}

on_every_path!(probes_leave_messages_and_matched_probes_take_them, 2, |world: &mut World| {
    let nothing = world.runtime().probe(ANY_SOURCE, 99, COMMUNICATOR).expect("gravel_iprobe");
    assert_eq!(nothing, None);
    if world.rank() == 0 {
        let mut messages = LENGTHS.map(|length| vec![0; length]);
        let mut sends = Vec::new();
        for (number, message) in messages.iter_mut().enumerate() {
            fill(message, number);
            sends.push(world.offer(message, 1, number as i32 % 2));
        }
        for send in sends {
            world.try_wait(send).expect("gravel_wait");
        }
    } else {
        let of =
            |number: usize| Completion::Received { source: 0, tag: number as i32 % 2, bytes: LENGTHS[number] as u64 };
        assert_eq!(probe(world, ANY_SOURCE, ANY_TAG), of(0));
        let (first, found) = take(world, ANY_SOURCE, ANY_TAG);
        assert_eq!(found, of(0));
        assert_eq!(probe(world, 0, 0), of(2), "the first is gone for others");
        let (second, found) = take(world, 0, 1);
        assert_eq!(found, of(1));
        let (third, found) = take(world, 0, ANY_TAG);
        assert_eq!(found, of(2));
        for (number, message) in [(2, third), (0, first), (1, second)] {
            let mut buffer = vec![0; LENGTHS[number] + 7];
            assert_eq!(receive(world, message, &mut buffer), of(number));
            assert_eq!(first_difference(&buffer[..LENGTHS[number]], number), None);
        }
        let mut buffer = vec![0; LENGTHS[3]];
        let request = world.post_announced(&mut buffer, 0, 1);
        assert_eq!(world.try_wait(request), Ok(of(3)));
        assert_eq!(first_difference(&buffer, 3), None);
        let stale = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: nothing is received.
        let refused = unsafe { world.runtime().receive_matched(stale, first) };
        assert!(matches!(*refused.expect_err("it was received"), Error::StaleHandle { .. }));
    }
    let nobody = world.runtime().probe(PROC_NULL, 1, COMMUNICATOR);
    assert_eq!(nobody, Ok(Some(Completion::ProcNull)));
    assert!(matches!(world.runtime().probe_matched(PROC_NULL, 1, COMMUNICATOR), Ok(Some(Matched::Nobody))));
});

on_every_path!(buffered_sends_need_no_receive_and_no_more_room_than_there_is, 2, |world: &mut World| {
    const LENGTH: usize = 100_000;
    let peer = 1 - world.rank();
    let mut message = vec![0; LENGTH];
    let buffered = |world: &mut World, message: &[u8]| {
        let description = describe(message.as_ptr(), message.len());
        // SAFETY: the message lives during the call.
        unsafe { world.runtime().announce_buffered(description, peer as i32, 4, COMMUNICATOR) }
    };
    assert!(matches!(*buffered(world, &message).expect_err("no room"), Error::BufferFull { .. }));
    world.runtime().attach_buffer(Some((2 * (LENGTH as u64 + 96), 96)));
    for seed in 0..2 {
        fill(&mut message, seed + world.rank());
        buffered(world, &message).expect("gravel_post_bsend");
        message.fill(0);
    }
    // What is under way takes room; whether it is, depends on the interconnect.
    world.outside_barrier();
    for seed in 0..2 {
        let request = world.post_announced(&mut message, peer, 4);
        world.try_wait(request).expect("gravel_wait");
        assert_eq!(first_difference(&message, seed + peer), None);
    }
    world.outside_barrier();
    world.runtime().attach_buffer(None);
});

const OVER_NETWORKS: [Network; 4] = [Network::Tcp, Network::Mixed, Network::Verbs, Network::MixedVerbs];
const EVERY_NETWORK: [Network; 3] = [Network::Shm, Network::Tcp, Network::Verbs];

/// What rank 0 is about to do when rank 1 has died.
#[derive(Debug, Clone, Copy)]
enum Step {
    Probing,
    WaitingForAProbe,
    ReceivingMatched,
}

fn killed_at(name: &str, step: Step, networks: &[Network]) {
    processes(networks, &format!("probes::{name}"), 2, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        let message = vec![1; 1 << 20];
        if rank == 1 {
            if matches!(step, Step::ReceivingMatched) {
                // It is announced, and can't be read any more when its receive is there.
                world.announce(&message, 0, 5);
                while !world.is_marked("matched") {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        let error = match step {
            Step::Probing => {
                let begin = Instant::now();
                loop {
                    match world.runtime().probe(1, 5, COMMUNICATOR) {
                        Ok(found) => assert!(found.is_none() && begin.elapsed() < Duration::from_secs(30)),
                        Err(error) => break *error,
                    }
                }
            }
            Step::WaitingForAProbe => *world.runtime().wait_matched(1, 5, COMMUNICATOR).expect_err("nothing comes"),
            Step::ReceivingMatched => {
                let (taken, _) = take(&mut world, 1, 5);
                world.mark("matched");
                let mut buffer = vec![0; 1 << 20];
                let description = describe(buffer.as_mut_ptr(), buffer.len());
                // SAFETY: the buffer lives until the wait has returned.
                let request = unsafe { world.runtime().receive_matched(description, taken) }.expect("gravel_imrecv");
                world.try_wait(request).expect_err("it was never put")
            }
        };
        assert!(is_death_of(1, &error), "{step:?}: {error}");
        world.forsake();
    });
}

#[test]
fn a_probe_in_a_loop_hears_of_a_killed_rank() {
    killed_at("a_probe_in_a_loop_hears_of_a_killed_rank", Step::Probing, &[Network::Shm]);
}

#[test]
fn a_probe_in_a_loop_hears_of_a_killed_rank_over_networks() {
    killed_at("a_probe_in_a_loop_hears_of_a_killed_rank_over_networks", Step::Probing, &OVER_NETWORKS);
}

#[test]
fn a_blocking_probe_hears_of_a_killed_rank() {
    killed_at("a_blocking_probe_hears_of_a_killed_rank", Step::WaitingForAProbe, &EVERY_NETWORK);
}

#[test]
fn the_receive_of_a_matched_message_hears_of_a_killed_rank() {
    killed_at("the_receive_of_a_matched_message_hears_of_a_killed_rank", Step::ReceivingMatched, &EVERY_NETWORK);
}

/// A buffered send that fits, of a message that rank 1 and rank 0 know.
fn send_buffered(world: &mut World, message: &[u8], to: i32) -> Result<(), Box<Error>> {
    let description = describe(message.as_ptr(), message.len());
    // SAFETY: the message lives during the call.
    unsafe { world.runtime().announce_buffered(description, to, 5, COMMUNICATOR) }
}

/// Messages that nobody waits for: their copies are under way when their receiver dies. Later ones, and the end, say so.
fn receiver_is_killed(name: &str, bytes: usize) {
    processes(&EVERY_NETWORK, &format!("probes::{name}"), 2, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if rank == 1 {
            while !world.is_marked("sent") {
                std::thread::sleep(Duration::from_millis(1));
            }
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        world.runtime().attach_buffer(Some((1 << 30, 96)));
        let message = vec![1; bytes];
        for _ in 0..3 {
            send_buffered(&mut world, &message, 1).expect("the receiver lives");
        }
        world.mark("sent");
        let error = world.try_finalize().expect_err("its messages were never received");
        assert!(is_death_of(1, &error), "{error}");
        world.forsake();
    });
}

#[test]
fn long_buffered_sends_hear_of_their_killed_receiver() {
    receiver_is_killed("long_buffered_sends_hear_of_their_killed_receiver", 1 << 20);
}

/// What has been sent before the death of its sender arrives, or its receive hears of that.
#[test]
fn receives_of_buffered_sends_hear_of_their_killed_sender() {
    let name = "probes::receives_of_buffered_sends_hear_of_their_killed_sender";
    processes(&EVERY_NETWORK, name, 2, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if rank == 1 {
            world.runtime().attach_buffer(Some((1 << 30, 96)));
            for (number, length) in LENGTHS.into_iter().enumerate() {
                let mut message = vec![0; length];
                fill(&mut message, number);
                send_buffered(&mut world, &message, 0).expect("the receiver lives");
            }
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        let mut has_died = false;
        for (number, length) in LENGTHS.into_iter().enumerate() {
            let mut buffer = vec![0; length];
            let request = world.post_announced(&mut buffer, 1, 5);
            match world.try_wait(request) {
                Ok(found) => {
                    assert!(!has_died, "a message has overtaken one that was lost");
                    assert_eq!(found, Completion::Received { source: 1, tag: 5, bytes: length as u64 });
                    assert_eq!(first_difference(&buffer, number), None);
                }
                Err(error) => {
                    assert!(is_death_of(1, &error), "message {number}: {error}");
                    has_died = true;
                }
            }
        }
        let mut buffer = [0];
        let request = world.post_announced(&mut buffer, 1, 5);
        let error = world.try_wait(request).expect_err("it was never sent");
        assert!(is_death_of(1, &error), "{error}");
        world.forsake();
    });
}
