//! Mistakes and deaths become errors: on the side that made them, on the other side where it must know, never a hang.

use std::time::{Duration, Instant};

use crate::launcher::cluster;
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, first_difference, is_death_of, static_buffer};
use gravel::message::request::Handle;
use gravel::{Buffer, Error, SendMode};

#[test]
fn a_message_that_is_too_long_is_an_error_on_both_sides_and_writes_nothing() {
    cluster("failures::a_message_that_is_too_long_is_an_error_on_both_sides_and_writes_nothing", 2, &[], |world| {
        // Short receives announce themselves only when a wait for them polls in vain, and over sockets no handshake leaves at
        // once: the messages are so long here that the send does not complete before that.
        for (posted, sent) in [(0, 70_000), (5000, 65_537), (8192, 100_000), (20_000, 80_000), (200_000, 900_000)] {
            let expected = Error::Truncated {
                sent: sent as u64,
                posted: posted as u64,
                source_rank: 0,
                source_in_communicator: 0,
                destination: 1,
                tag: 6,
            };
            if world.rank() == 0 {
                world.outside_barrier();
                let message = vec![1; sent];
                let request = world.send(&message, 1, 6);
                assert_eq!(world.try_wait(request), Err(expected));
            } else {
                let mut buffer = vec![0xaa; 900_000];
                let request = world.post(&mut buffer[..posted], 0, 6);
                world.outside_barrier();
                assert_eq!(world.try_wait(request), Err(expected));
                assert!(buffer.iter().all(|&byte| byte == 0xaa));
            }
        }
    });
}

#[test]
fn eager_data_that_is_too_long_is_an_error_at_its_receiver() {
    let settings = [("GRAVEL_LOG", "off")];
    cluster("failures::eager_data_that_is_too_long_is_an_error_at_its_receiver", 2, &settings, |world| {
        // Two messages of one tag: the second is not disturbed by the first.
        if world.rank() == 0 {
            for message in [vec![1; 3000], vec![2; 20]] {
                let request = world.send(&message, 1, 6);
                world.wait_send(request);
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            let mut buffer = vec![0xaa; 3000];
            let request = world.post(&mut buffer[..2999], 0, 6);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { sent: 3000, posted: 2999, .. })));
            assert!(buffer.iter().all(|&byte| byte == 0xaa));
            let request = world.post(&mut buffer, 0, 6);
            assert_eq!(world.wait_receive(request, 0, 6), 20);
            assert_eq!(buffer[..20], [2; 20]);
        }
    });
}

/// A message of medium length could leave without its handshake over a network: it does not where that has come.
#[test]
fn a_message_whose_handshake_shows_that_it_is_too_long_is_an_error_on_both_sides() {
    let test = "failures::a_message_whose_handshake_shows_that_it_is_too_long_is_an_error_on_both_sides";
    cluster(test, 2, &[], |world| {
        for (posted, sent) in [(0, 20_000), (8192, 8193), (9000, 50_000), (65_535, 65_536)] {
            let expected = Error::Truncated {
                sent: sent as u64,
                posted: posted as u64,
                source_rank: 0,
                source_in_communicator: 0,
                destination: 1,
                tag: 6,
            };
            if world.rank() == 0 {
                world.outside_barrier();
                let message = vec![1; sent];
                let request = world.send(&message, 1, 6);
                assert_eq!(world.try_wait(request), Err(expected));
            } else {
                let mut buffer = vec![0xaa; sent];
                let request = world.post(&mut buffer[..posted], 0, 6);
                // Tests in vain send the handshake of a receive that would need none.
                for _ in 0..100 {
                    assert_eq!(world.runtime().test(request), Ok(None));
                }
                world.outside_barrier();
                assert_eq!(world.try_wait(request), Err(expected));
                assert!(buffer.iter().all(|&byte| byte == 0xaa));
            }
        }
    });
}

/// Lets standard error of this process go to memory, of which the text is returned at the end.
fn with_captured_errors(body: impl FnOnce()) -> String {
    // SAFETY: descriptors of this process, in which no other thread opens or closes any now.
    let (memory, kept) = unsafe { (libc::memfd_create(c"errors".as_ptr(), 0), libc::dup(2)) };
    assert!(memory >= 0 && kept >= 0);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::dup2(memory, 2) }, 2);
    body();
    // SAFETY: as above.
    assert_eq!(unsafe { libc::dup2(kept, 2) }, 2);
    std::fs::read_to_string(format!("/proc/self/fd/{memory}")).expect("what was written")
}

/// Short ones, those of medium length over a network, spilled ones that their consumer reads, and announced ones: the
/// receive fails, and names everything; the sender's process says so, too.
#[test]
fn of_a_completed_send_that_was_too_long_both_sides_are_told() {
    cluster("failures::of_a_completed_send_that_was_too_long_both_sides_are_told", 2, &[], |world| {
        const CASES: [(usize, usize); 6] =
            [(3000, 2999), (50_000, 100), (20_000, 0), (700, 699), (40_000, 39_999), (65_536, 0)];
        const FIRST_ANNOUNCED: usize = 3;
        if world.rank() == 0 {
            let text = with_captured_errors(|| {
                for (tag, (sent, _)) in CASES.into_iter().enumerate() {
                    let message = vec![1; sent];
                    let request = match tag {
                        FIRST_ANNOUNCED.. => world.offer(&message, 1, tag as i32),
                        _ => world.send(&message, 1, tag as i32),
                    };
                    world.wait_send(request);
                }
                world.outside_barrier();
                world.finalize();
            });
            for (tag, (sent, posted)) in CASES.into_iter().enumerate() {
                let told = |line: &str| {
                    let parts = [
                        "a send that had completed could not be delivered".to_owned(),
                        format!("message of {sent} bytes"),
                        format!("tag {tag},"),
                        format!("posted receive of {posted} bytes"),
                    ];
                    parts.iter().all(|part| line.contains(part))
                };
                assert_eq!(text.lines().filter(|line| told(line)).count(), 1, "tag {tag}: {text}");
            }
        } else {
            world.outside_barrier();
            for (tag, (sent, posted)) in CASES.into_iter().enumerate() {
                let mut buffer = vec![0xaa; sent];
                let request = match tag {
                    FIRST_ANNOUNCED.. => world.post_any(&mut buffer[..posted], tag as i32),
                    _ => world.post(&mut buffer[..posted], 0, tag as i32),
                };
                let expected = Error::Truncated {
                    sent: sent as u64,
                    posted: posted as u64,
                    source_rank: 0,
                    source_in_communicator: 0,
                    destination: 1,
                    tag: tag as i32,
                };
                assert_eq!(world.try_wait(request), Err(expected));
                assert!(buffer.iter().all(|&byte| byte == 0xaa));
            }
            world.finalize();
        }
    });
}

#[test]
fn waiting_for_a_dead_rank_ends_with_an_error() {
    cluster("failures::waiting_for_a_dead_rank_ends_with_an_error", 2, &[], |world| {
        if world.rank() == 1 {
            // Dies without a word, as after a crash.
            std::process::exit(0);
        }
        let started = Instant::now();
        let mut buffer = vec![0; 100];
        let receiving = world.post(&mut buffer, 1, 0);
        assert!(is_death_of(1, &world.try_wait(receiving).unwrap_err()));
        let message = vec![0; 1 << 20];
        let sending = world.send(&message, 1, 0);
        assert!(is_death_of(1, &world.try_wait(sending).unwrap_err()));
        // It takes a fraction of a second, and longer where others take the processor.
        assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
        world.forsake();
    });
}

#[test]
fn an_incomplete_message_is_an_error_on_both_sides() {
    cluster("failures::an_incomplete_message_is_an_error_on_both_sides", 2, &[], |world| {
        // Once with the handshake there before, once not.
        for early in [true, false] {
            if world.rank() == 0 {
                let message = vec![1; 1000];
                if early {
                    world.outside_barrier();
                }
                let transfer = world.open(&message, 1, 2);
                world.put(transfer, &message, 0, 400);
                world.put(transfer, &message, 500, 500);
                let expected = Error::IncompleteMessage { covered: 900, bytes: 1000, peer: 1, tag: 2 };
                assert_eq!(world.runtime().send_fin(transfer), Err(expected.into()));
                if !early {
                    world.outside_barrier();
                }
                assert!(matches!(world.try_wait(transfer), Err(Error::StaleHandle { .. })));
            } else {
                let mut buffer = vec![0; 1000];
                if !early {
                    world.outside_barrier();
                }
                let request = world.post(&mut buffer, 0, 2);
                if early {
                    world.outside_barrier();
                }
                assert_eq!(world.try_wait(request), Err(Error::PeerGaveUp { peer: 0, tag: 2 }));
            }
        }
    });
}

#[test]
fn misuse_of_handles_and_buffers_is_refused() {
    cluster("failures::misuse_of_handles_and_buffers_is_refused", 1, &[], |world| {
        let mut buffer = vec![0; 100];
        let message = vec![5; 100];
        let address = message.as_ptr().expose_provenance();
        let transfer = world.open(&message, 0, 0);
        assert!(matches!(world.try_wait(transfer), Err(Error::StaleHandle { .. })), "a transfer is no request yet");
        for (offset, count) in [(-1, 2), (50, 51), (i64::MAX, i64::MAX), (0, -1)] {
            let error = world.runtime().put(transfer, address, offset, count).unwrap_err();
            assert!(matches!(*error, Error::PutOutsideMessage { .. }), "{offset} {count}: {error:?}");
        }
        assert!(matches!(*world.runtime().put(transfer, address + 8, 0, 1).unwrap_err(), Error::BufferChanged { .. }));
        world.put(transfer, &message, 0, 60);
        assert!(matches!(*world.runtime().put(transfer, address, 59, 1).unwrap_err(), Error::PutOverlaps { .. }));
        world.put(transfer, &message, 60, 0);
        world.put(transfer, &message, 60, 40);
        let request = world.runtime().send_fin(transfer).expect("gravel_send_fin");
        assert!(request.is_null(), "a short message is on its way at once: there is nothing to wait for");
        assert!(matches!(*world.runtime().put(transfer, address, 0, 1).unwrap_err(), Error::StaleHandle { .. }));
        assert!(matches!(*world.runtime().send_fin(transfer).unwrap_err(), Error::StaleHandle { .. }));
        world.wait_send(request);

        let receiving = world.post(&mut buffer, 0, 0);
        assert!(matches!(*world.runtime().put(receiving, address, 0, 1).unwrap_err(), Error::StaleHandle { .. }));
        world.wait_receive(receiving, 0, 0);
        assert!(matches!(world.try_wait(receiving), Err(Error::StaleHandle { .. })), "waited for twice");
        // The slot is reused; the old handle is not the new operation.
        let next = world.post(&mut buffer, 0, 0);
        assert_ne!(receiving, next);
        assert!(matches!(world.try_wait(receiving), Err(Error::StaleHandle { .. })));
        let sending = world.send(&message, 0, 0);
        world.wait_receive(next, 0, 0);
        world.wait_send(sending);
        assert!(matches!(world.try_wait(Handle::from_raw(-7)), Err(Error::StaleHandle { .. })));
    });
}

#[test]
fn impossible_partners_are_refused() {
    cluster("failures::impossible_partners_are_refused", 1, &[], |world| {
        let mut buffer = vec![0; 8];
        for rank in [1, -9, i32::MAX] {
            assert!(matches!(*world.try_send(&buffer, rank, 0).unwrap_err(), Error::InvalidRank { .. }));
        }
        assert!(matches!(*world.try_post(&mut buffer, ANY_SOURCE, 0).unwrap_err(), Error::Wildcard { .. }));
        assert!(matches!(*world.try_post(&mut buffer, 0, ANY_TAG).unwrap_err(), Error::Wildcard { .. }));
        assert!(matches!(*world.try_send(&buffer, 0, -8).unwrap_err(), Error::InvalidTag { tag: -8 }));
        let null = Buffer {
            address: 0,
            count: 1,
            datatype_bytes: 8,
            element_bytes: 8,
            layout: None,
            mode: SendMode::Standard,
        };
        // SAFETY: a null buffer is refused.
        let refused = unsafe { world.runtime().post_receive(null, 0, 0, COMMUNICATOR) };
        assert_eq!(refused, Err(Error::NullBuffer { bytes: 8 }.into()));
        let other = Buffer { address: 0, count: 0, ..null };
        // SAFETY: there is no byte.
        let refused = unsafe { world.runtime().post_receive(other, 0, 0, COMMUNICATOR + 1) };
        assert_eq!(refused, Err(Error::UnknownCommunicator { handle: COMMUNICATOR + 1 }.into()));
    });
}

#[test]
fn leaked_requests_are_counted() {
    cluster("failures::leaked_requests_are_counted", 2, &[("GRAVEL_LOG", "off")], |world| {
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 8];
        // Too long to leave before its receive is posted.
        let long = vec![0; 100_000];
        let short = vec![0; 8];
        world.post(&mut buffer, peer, 1);
        world.open(&long, peer, 2);
        world.send(&long, peer, 3);
        world.open(&short, peer, 4);
        assert_eq!(world.finalize(), 4);
    });
}

#[test]
fn a_forked_child_may_not_call_and_does_not_share() {
    cluster("failures::a_forked_child_may_not_call_and_does_not_share", 2, &[], |world| {
        let peer = 1 - world.rank();
        let buffer = &mut static_buffer()[..200_000];
        let message = vec![7; 200_000];
        let request = world.post(buffer, peer, 0);
        let sending = world.send(&message, peer, 0);
        world.wait_receive(request, peer, 0);
        world.wait_send(sending);
        // SAFETY: the child makes one call that is refused, touches memory, and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = matches!(world.try_wait(Handle::NULL), Err(Error::Forked));
            buffer.fill(99);
            // SAFETY: ends the child.
            unsafe { libc::_exit(if refused { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: our own child.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert!(buffer.iter().all(|&byte| byte == 7), "the child wrote into its parent's array");
        // The parent goes on as before.
        let mut second = vec![0; 200_000];
        crate::world::fill(&mut second, 3);
        let request = world.post(buffer, peer, 0);
        let sending = world.send(&second, peer, 0);
        world.wait_receive(request, peer, 0);
        world.wait_send(sending);
        assert_eq!(first_difference(buffer, 3), None);
    });
}
