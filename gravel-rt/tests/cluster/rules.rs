//! GRAVEL_CHECK: every rule that is broken is an error which names the call, and a program that keeps them sees no
//! difference.

use crate::launcher::cluster;
use crate::world::{COMMUNICATOR, PROC_NULL, World, describe, fill, first_difference, static_buffer};
use gravel::error::violation::Violation;
use gravel::{Code, Error};

/// Bytes that are staged, written by CMA, and sent eagerly.
pub const LENGTHS: [usize; 3] = [100, 5000, 300_000];
pub const CHECK: [(&str, &str); 2] = [("GRAVEL_CHECK", "1"), ("GRAVEL_LOG", "off")];

pub fn violation<T: std::fmt::Debug>(result: Result<T, Error>) -> Violation {
    match result {
        Err(Error::RuleBroken(violation)) => violation,
        other => panic!("no rule was found broken: {other:?}"),
    }
}

/// Sends to the other rank what it expects, and takes what it sends.
fn exchange(world: &mut World, bytes: usize, tag: i32) {
    let peer = 1 - world.rank();
    let (mut incoming, mut outgoing) = (vec![0; bytes], vec![0; bytes]);
    fill(&mut outgoing, tag as usize);
    let receiving = world.post(&mut incoming, peer, tag);
    let sending = world.send(&outgoing, peer, tag);
    world.wait_receive(receiving, peer, tag);
    world.wait_send(sending);
    assert_eq!(first_difference(&incoming, tag as usize), None);
}

#[test]
fn a_program_that_keeps_the_rules_sees_no_difference() {
    cluster("rules::a_program_that_keeps_the_rules_sees_no_difference", 2, &[("GRAVEL_CHECK", "1")], |world| {
        let peer = 1 - world.rank();
        for (tag, bytes) in LENGTHS.into_iter().enumerate() {
            exchange(world, bytes, tag as i32);
            // Segments out of order, into a longer buffer whose rest stays as it is.
            let mut message = vec![0; bytes];
            fill(&mut message, 9);
            let mut buffer = vec![0x55; bytes + 1000];
            let receiving = world.post(&mut buffer, peer, 50);
            let transfer = world.open(&message, peer, 50);
            world.put(transfer, &message, bytes / 2, bytes - bytes / 2);
            world.put(transfer, &message, 0, bytes / 2);
            let sending = world.runtime().send_fin(transfer).expect("gravel_send_fin");
            assert_eq!(world.wait_receive(receiving, peer, 50), bytes);
            world.wait_send(sending);
            assert_eq!(first_difference(&buffer[..bytes], 9), None);
            assert!(buffer[bytes..].iter().all(|&byte| byte == 0x55));
        }
        // Nobody and nothing.
        let mut buffer = vec![3; 40];
        let nobody = world.try_post(&mut buffer, PROC_NULL, 0).expect("a receive from nobody");
        assert!(world.try_wait(nobody).is_ok());
        assert!(buffer.iter().all(|&byte| byte == 3));
        exchange(world, 0, 60);
    });
}

/// A page that nobody may touch, not even the system.
const NO_MEMORY: usize = 4096;

#[test]
fn messages_of_nobody_and_of_nothing_need_no_buffer() {
    cluster("rules::messages_of_nobody_and_of_nothing_need_no_buffer", 2, &CHECK, |world| {
        let peer = 1 - world.rank() as i32;
        for (partner, bytes) in [(PROC_NULL, 300_000), (PROC_NULL, 100), (peer, 0)] {
            let buffer = || describe(std::ptr::without_provenance(NO_MEMORY), bytes);
            let runtime = world.runtime();
            // SAFETY: no byte of such a message is read or written.
            let requests = unsafe {
                [
                    runtime.post_receive(buffer(), partner, 1, COMMUNICATOR),
                    runtime.post_segmented_receive(buffer(), partner, 2, COMMUNICATOR),
                    runtime.post_announced_receive(buffer(), partner, 3, COMMUNICATOR),
                    runtime.post_send(buffer(), partner, 1, COMMUNICATOR),
                    runtime.post_copied_send(buffer(), partner, 2, COMMUNICATOR),
                    runtime.announce_message(buffer(), partner, 3, COMMUNICATOR),
                ]
            };
            // SAFETY: as above.
            let receive = unsafe { runtime.post_receive(buffer(), partner, 4, COMMUNICATOR) };
            // SAFETY: as above.
            let transfer = unsafe { runtime.open_transfer(buffer(), partner, 4, COMMUNICATOR) };
            let transfer = transfer.expect("gravel_wait_rcv_buffer");
            let half = bytes as i64 / 2;
            assert_eq!(runtime.put(transfer, NO_MEMORY, 0, half), Ok(()));
            assert_eq!(runtime.put(transfer, NO_MEMORY, half, half), Ok(()));
            let put = runtime.send_fin(transfer);
            for request in requests.into_iter().chain([receive, put]) {
                let request = request.expect("the call looks at no buffer");
                assert!(world.try_wait(request).is_ok());
            }
        }
    });
}

#[test]
fn what_lies_beside_an_array_stays_as_it_is_where_nobody_sends() {
    cluster("rules::what_lies_beside_an_array_stays_as_it_is_where_nobody_sends", 2, &CHECK, |world| {
        // Column 0 of an array that begins at 100: another variable of the program's, which it uses meanwhile.
        let mut memory = [7; 200];
        let receiving = world.try_post(&mut memory[..100], PROC_NULL, 0).expect("a receive from nobody");
        assert!(memory.iter().all(|&byte| byte == 7));
        memory[50] = 8;
        let sending = world.try_send(&memory[..100], PROC_NULL, 0).expect("a send to nobody");
        memory[51] = 9;
        assert!(world.try_wait(receiving).is_ok());
        assert!(world.try_wait(sending).is_ok());
        assert_eq!((memory[49], memory[50], memory[51]), (7, 8, 9));
    });
}

#[test]
fn a_segment_that_changes_after_its_put_is_found() {
    cluster("rules::a_segment_that_changes_after_its_put_is_found", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in LENGTHS {
            let mut message = vec![1; bytes];
            let mut buffer = vec![0; bytes];
            let receiving = world.post(&mut buffer, peer, 1);
            let transfer = world.open(&message, peer, 1);
            world.put(transfer, &message, 0, bytes / 2);
            world.put(transfer, &message, bytes / 2, bytes - bytes / 2);
            let sending = world.runtime().send_fin(transfer).expect("gravel_send_fin");
            // Whether the send was over at once or not.
            message[bytes - 1] = 2;
            let Violation::SegmentChanged { start, end, opened, .. } = violation(world.try_wait(sending)) else {
                panic!("another rule");
            };
            assert_eq!((start, end), (bytes as u64 / 2, bytes as u64));
            assert_eq!((opened.name, opened.partner, opened.tag), ("gravel_wait_rcv_buffer", peer as i32, 1));
            world.wait_receive(receiving, peer, 1);

            // Before the message ends: the call that ends it notices, and the consumer gets the message all the same.
            let receiving = world.post(&mut buffer, peer, 2);
            let transfer = world.open(&message, peer, 2);
            world.put(transfer, &message, 0, bytes);
            message[0] = 9;
            let sending = world.runtime().send_fin(transfer).expect("gravel_send_fin");
            world.wait_receive(receiving, peer, 2);
            message[0] = 1;
            assert!(matches!(violation(world.try_wait(sending)), Violation::SegmentChanged { start: 0, .. }));
        }
    });
}

#[test]
fn a_posted_buffer_that_is_written_is_found_and_still_receives() {
    cluster("rules::a_posted_buffer_that_is_written_is_found_and_still_receives", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        for bytes in LENGTHS {
            let mut message = vec![0; bytes];
            fill(&mut message, 4);
            let mut buffer = vec![0; bytes];
            let receiving = world.post(&mut buffer, peer, 1);
            assert!(f32::from_ne_bytes(buffer[..4].try_into().expect("four bytes")).is_nan(), "what is read is poison");
            buffer[bytes / 3] = 7;
            let sending = world.send(&message, peer, 1);
            let error = violation(world.try_wait(receiving));
            assert!(
                matches!(error, Violation::ReceiveBufferWritten { offset, .. } if offset == bytes as u64 / 3),
                "{error}"
            );
            assert_eq!(error.code(), Code::Buffer);
            assert_eq!(first_difference(&buffer, 4), None);
            world.wait_send(sending);
        }
    });
}

#[test]
fn a_buffer_that_is_freed_while_posted_is_found() {
    cluster("rules::a_buffer_that_is_freed_while_posted_is_found", 2, &CHECK, |world| {
        const BYTES: usize = 1 << 20;
        let peer = 1 - world.rank();
        // Both sides at once; the message goes where nobody else is hurt.
        let (receive, send) = (Mapping::new(BYTES), Mapping::new(BYTES));
        let receiving = world.post(receive.bytes(), peer, 1);
        let sending = world.send(send.bytes(), peer, 1);
        world.outside_barrier();
        receive.unmap();
        assert!(matches!(violation(world.try_wait(receiving)), Violation::BufferGone { .. }));
        // Received by both, so that nobody reads the message any more.
        world.outside_barrier();
        send.unmap();
        assert!(matches!(violation(world.try_wait(sending)), Violation::BufferGone { .. }));
    });
}

#[test]
fn a_posted_buffer_serves_nothing_else() {
    cluster("rules::a_posted_buffer_serves_nothing_else", 1, &CHECK, |world| {
        let buffer = &mut static_buffer()[..10_000];
        let receiving = world.post(&mut buffer[100..200], 0, 1);
        let overlapping = |world: &mut World, from: usize, to: usize, buffer: &mut [u8]| {
            let posted = world.try_post(&mut buffer[from..to], 0, 2);
            assert!(matches!(violation(posted.map_err(|error| *error)), Violation::BuffersOverlap { .. }));
            let sent = world.try_send(&buffer[from..to], 0, 1);
            assert!(matches!(violation(sent.map_err(|error| *error)), Violation::BuffersOverlap { .. }));
            let transfer = world.open(&buffer[from..to], 0, 9);
            let address = buffer[from..].as_ptr().expose_provenance();
            let put = world.runtime().put(transfer, address, 0, (to - from) as i64);
            assert!(matches!(violation(put.map_err(|error| *error)), Violation::BuffersOverlap { .. }));
            transfer
        };
        let first = overlapping(world, 50, 101, buffer);
        let second = overlapping(world, 199, 5000, buffer);
        // Neighbours are no overlap.
        let left = world.post(&mut buffer[0..100], 0, 3);
        let right = world.send(&buffer[200..300], 0, 3);
        world.wait_send(right);
        world.wait_receive(left, 0, 3);
        // A posted receive of a segment that was put, and not waited for.
        let transfer = world.open(&buffer[300..400], 0, 1);
        world.put(transfer, &buffer[300..400], 50, 50);
        let posted = world.try_post(&mut buffer[399..500], 0, 4);
        assert!(matches!(violation(posted.map_err(|error| *error)), Violation::BuffersOverlap { .. }));
        world.put(transfer, &buffer[300..400], 0, 50);
        let sending = world.runtime().send_fin(transfer).expect("gravel_send_fin");
        world.wait_receive(receiving, 0, 1);
        world.wait_send(sending);
        // The transfers whose puts were refused can be ended: everything is free again.
        for transfer in [first, second] {
            let request = world.runtime().send_fin(transfer).expect("gravel_send_fin");
            world.wait_send(request);
        }
    });
}

#[test]
fn a_request_that_is_waited_for_twice_is_named() {
    cluster("rules::a_request_that_is_waited_for_twice_is_named", 1, &CHECK, |world| {
        let mut buffer = vec![0; 80];
        let receiving = world.post(&mut buffer, 0, 5);
        let sending = world.send(&[0; 80], 0, 5);
        world.wait_receive(receiving, 0, 5);
        world.wait_send(sending);
        for (request, name) in [(receiving, "gravel_post_rcv_buffer_rdma"), (sending, "gravel_post_send")] {
            let error = violation(world.try_wait(request));
            assert!(matches!(error, Violation::CompletedTwice { made, .. } if made.name == name), "{error}");
            assert_eq!(error.code(), Code::Request);
        }
        let unknown = world.try_wait(gravel::message::request::Handle::from_raw(77));
        assert!(matches!(unknown, Err(Error::StaleHandle { .. })), "{unknown:?}");
    });
}

#[test]
fn leaks_are_listed_with_their_calls() {
    cluster("rules::leaks_are_listed_with_their_calls", 2, &CHECK, |world| {
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 80];
        world.post(&mut buffer, peer, 5);
        exchange(world, 1000, 6);
        // Over at once, but to be waited for by the rules.
        world.send(&[0; 40], peer, 7);
        let Violation::Leaked(calls) = violation(world.try_finalize()) else { panic!("another rule") };
        let named: Vec<_> = calls.iter().map(|call| (call.number, call.name, call.tag)).collect();
        assert_eq!(named, [(1, "gravel_post_rcv_buffer_rdma", 5), (6, "gravel_post_send", 7)]);
    });
}

/// Memory whose end a test chooses.
struct Mapping(*mut u8, usize);

impl Mapping {
    fn new(bytes: usize) -> Self {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        Self(start.cast(), bytes)
    }

    #[allow(clippy::mut_from_ref, reason = "taken once per mapping")]
    fn bytes(&self) -> &mut [u8] {
        // SAFETY: mapped, and taken once.
        unsafe { std::slice::from_raw_parts_mut(self.0, self.1) }
    }

    fn unmap(self) {
        // SAFETY: the mapping's own range; the test does not use it any more.
        assert_eq!(unsafe { libc::munmap(self.0.cast(), self.1) }, 0);
    }
}
