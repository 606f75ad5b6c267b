//! The Rust interface between processes.

use std::mem::forget;

use crate::launcher::{Network, processes};
use crate::world::static_buffer;
use gravel::{Error, Gravel, Outcome, Peer, Rank, Result, Source, Status, Tag, Tested};

/// Around the thresholds of the protocols.
pub const LENGTHS: [usize; 6] = [0, 1, 1000, 1025, 8193, 200_000];
pub const TAG: i32 = 5;

/// Runs `body` on every rank, between init and finalize, and expects `leaked` operations.
fn ranks_leaking(test: &str, ranks: Rank, leaked: usize, body: impl FnOnce(&Gravel) -> Result<()>) {
    let networks: &[Network] = if ranks == 1 { &[Network::Shm] } else { &[Network::Shm, Network::Tcp, Network::Verbs] };
    processes(networks, test, ranks, &[], |meeting, (name, value)| {
        let gravel = Gravel::init_with(meeting, [(name.into(), value.into())]).expect("init");
        body(&gravel).expect("the body of the test");
        assert_eq!(gravel.finalize(), Ok(leaked));
    });
}

fn ranks(test: &str, ranks: Rank, body: impl FnOnce(&Gravel) -> Result<()>) {
    ranks_leaking(test, ranks, 0, body);
}

/// As [`ranks`], once as it is and once with its rules checked.
pub fn checked_ranks(test: &str, ranks: Rank, body: impl Fn(&Gravel) -> Result<()>) {
    let networks: &[Network] = if ranks == 1 { &[Network::Shm] } else { &[Network::Shm, Network::Tcp, Network::Verbs] };
    processes(networks, test, ranks, &[], |meeting, (name, value)| {
        for check in ["0", "1"] {
            let settings = [(name.into(), value.into()), ("GRAVEL_CHECK".into(), check.into())];
            let gravel = Gravel::init_with(meeting.named(check), settings).expect("init");
            body(&gravel).expect("the body of the test");
            assert_eq!(gravel.finalize(), Ok(0), "GRAVEL_CHECK={check}");
        }
    });
}

pub fn values(length: usize, seed: usize) -> Vec<f64> {
    (0..length).map(|index| (seed * 1_000_003 + index) as f64).collect()
}

fn message(source: Rank, elements: usize) -> Outcome {
    Outcome::Message(Status { source, tag: TAG, bytes: elements as u64 * 8 })
}

#[test]
fn owned_memory_goes_and_comes_back() {
    ranks("api::owned_memory_goes_and_comes_back", 3, |gravel| {
        let (next, previous) = ((gravel.rank() + 1) % 3, (gravel.rank() + 2) % 3);
        for length in LENGTHS {
            let mut longer = vec![-1.0; length + 3];
            longer.reserve(100);
            let capacity = longer.capacity();
            let receive = gravel.post_receive(longer, previous, TAG)?;
            let send = gravel.post_send(values(length, gravel.rank()).into_boxed_slice(), next, TAG)?;
            let received = receive.wait()?;
            assert_eq!(received.outcome, message(previous, length));
            assert_eq!(received.elements(), length);
            assert_eq!(received.buffer[..length], values(length, previous));
            assert_eq!((&received.buffer[length..], received.buffer.capacity()), (&[-1.0; 3][..], capacity));
            assert_eq!(*send.wait()?, values(length, gravel.rank())[..]);
        }
        Ok(())
    });
}

#[test]
fn borrowed_memory_comes_back_from_its_wait_and_can_be_posted_again() {
    ranks("api::borrowed_memory_comes_back_from_its_wait_and_can_be_posted_again", 2, |gravel| {
        let peer = 1 - gravel.rank();
        let mut incoming = vec![0.0; 200_000];
        let mut outgoing = values(200_000, gravel.rank());
        gravel.scope(|scope| {
            let (mut buffer, mut message) = (&mut incoming[..], &mut outgoing[..]);
            for round in 0..5 {
                let receive = scope.post_receive(buffer, peer, TAG)?;
                let mut transfer = scope.open_transfer(message, peer, TAG)?;
                let mut tiles: Vec<_> = transfer.tiles(30_000).collect();
                tiles.reverse();
                for mut tile in tiles {
                    tile.iter_mut().for_each(|element| *element += 1.0);
                    tile.put()?;
                }
                message = transfer.finish()?.wait()?;
                buffer = receive.wait()?.buffer;
                assert_eq!(buffer[199_999], values(200_000, peer)[199_999] + f64::from(round + 1));
            }
            Ok(())
        })?;
        assert_eq!(incoming[7], values(8, peer)[7] + 5.0);
        Ok(())
    });
}

#[test]
fn static_memory_is_posted_without_a_scope() {
    ranks("api::static_memory_is_posted_without_a_scope", 2, |gravel| {
        let peer = 1 - gravel.rank();
        let buffer = static_buffer();
        let length = buffer.len();
        let receive = gravel.post_receive(buffer, peer, TAG)?;
        let send = gravel.post_send(vec![peer as u8 + 1; length], peer, TAG)?;
        let received = receive.wait()?;
        assert!(received.buffer.iter().all(|&byte| usize::from(byte) == gravel.rank() + 1));
        send.wait().map(drop)
    });
}

#[test]
fn what_a_scope_has_not_waited_for_is_over_at_its_end() {
    ranks("api::what_a_scope_has_not_waited_for_is_over_at_its_end", 2, |gravel| {
        let peer = 1 - gravel.rank();
        for length in LENGTHS {
            let mut incoming = [vec![0.0; length], vec![0.0; length]];
            let mut outgoing = [values(length, 1), values(length, 2)];
            gravel.scope(|scope| {
                let [first, second] = &mut incoming;
                // One is leaked, one is dropped.
                forget(scope.post_receive(first, peer, TAG)?);
                drop(scope.post_receive(second, peer, TAG)?);
                let [first, second] = &mut outgoing;
                forget(scope.post_send(first, peer, TAG)?);
                drop(scope.open_transfer(second, peer, TAG)?.finish()?);
                Ok(())
            })?;
            assert!(incoming == outgoing, "{length} elements");
        }
        Ok(())
    });
}

#[test]
fn an_error_in_a_scope_cancels_its_receives() {
    ranks("api::an_error_in_a_scope_cancels_its_receives", 2, |gravel| {
        let peer = 1 - gravel.rank();
        let mut buffer = vec![3u8; 100_000];
        let result: Result<()> = gravel.scope(|scope| {
            forget(scope.post_receive(&mut buffer, peer, TAG)?);
            Err(Error::NonContiguousBuffer.into())
        });
        assert_eq!(result, Err(Error::NonContiguousBuffer.into()));
        assert_eq!(buffer, [3; 100_000]);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            gravel.scope(|scope| -> Result<()> {
                forget(scope.post_receive(&mut buffer, peer, TAG)?);
                std::panic::resume_unwind(Box::new("on purpose"))
            })
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"on purpose"));
        // Both have cancelled: the next message meets the next receive.
        gravel.send(&[0u8], peer, TAG + 1)?;
        gravel.receive(&mut [0u8], peer, TAG + 1)?;
        let send = gravel.post_send(vec![8u8; 100_000], peer, TAG)?;
        assert!(gravel.receive(&mut buffer, peer, TAG)?.is_some());
        assert_eq!(buffer, [8; 100_000]);
        send.wait().map(drop)
    });
}

#[test]
fn a_transfer_that_is_dropped_is_an_error_at_its_consumer() {
    ranks("api::a_transfer_that_is_dropped_is_an_error_at_its_consumer", 2, |gravel| {
        for length in [10, 2000, 200_000] {
            if gravel.rank() == 0 {
                // Nothing put; one tile put; a tile taken and not put; announced.
                drop(gravel.open_transfer(values(length, 0), 1, TAG)?);
                let mut transfer = gravel.open_transfer(values(length, 0), 1, TAG)?;
                transfer.next_tile(length / 2).expect("a tile").put()?;
                drop(transfer);
                let mut transfer = gravel.open_transfer(values(length, 0), 1, TAG)?;
                assert_eq!(transfer.next_tile(5).expect("a tile").len(), 5);
                let error = transfer.finish().map(drop).unwrap_err();
                assert!(matches!(*error, Error::IncompleteMessage { covered: 0, peer: 1, .. }), "{error}");
                drop(gravel.announce_transfer(values(length, 0), 1, TAG + 1)?);
                gravel.send(&values(length, 1), 1, TAG)?;
            } else {
                let gone = Err(Error::PeerGaveUp { peer: 0, tag: TAG }.into());
                let mut buffer = vec![0.0; length];
                for _ in 0..3 {
                    assert_eq!(gravel.receive(&mut buffer, 0, TAG), gone);
                }
                let announced = gravel.post_announced_receive(vec![0.0; length], Source::Any, TAG + 1)?;
                let error = announced.wait().unwrap_err();
                assert_eq!(*error, Error::PeerGaveUp { peer: 0, tag: TAG + 1 });
                gravel.receive(&mut buffer, 0, TAG)?;
                assert_eq!(buffer, values(length, 1));
            }
        }
        Ok(())
    });
}

/// A panic of the program that drops operations of every kind while it unwinds is the program's alone.
#[test]
fn a_panic_of_the_program_leaves_the_runtime_usable() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    // Kept by the application's thread, put at once, queued until a handshake comes, and all of them as a helper would see them.
    for_each_length("api::a_panic_of_the_program_leaves_the_runtime_usable", |gravel, length| {
        let peer = 1 - gravel.rank();
        if gravel.rank() == 0 {
            for in_scope in [false, true] {
                let mut borrowed = values(length, 3);
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    let mut received = vec![0.0; 10];
                    let outcome: Result<()> = gravel.scope(|scope| {
                        let mut unmatched = values(length, 9);
                        let _queued = gravel.post_receive(vec![0.0; length], peer, TAG + 7)?;
                        let _posted = scope.post_receive(&mut received, peer, TAG + 8)?;
                        if in_scope {
                            let mut transfer = scope.open_transfer(&mut borrowed, peer, TAG)?;
                            transfer.next_tile(length / 2).expect("a tile").put()?;
                            panic!("of the program");
                        }
                        unmatched[0] = 1.0;
                        let mut transfer = gravel.open_transfer(unmatched, peer, TAG)?;
                        transfer.next_tile(length / 2).expect("a tile").put()?;
                        panic!("of the program");
                    });
                    outcome
                }));
                assert!(caught.is_err());
                gravel.send(&values(length, 5), peer, TAG + 1)?;
                // For the receive that runs on.
                gravel.receive(&mut vec![0.0; length], peer, TAG + 2)?;
            }
        } else {
            for _ in 0..2 {
                let error = gravel.receive(&mut vec![0.0; length], peer, TAG).expect_err("given up");
                assert_eq!(*error, Error::PeerGaveUp { peer, tag: TAG });
                let mut later = vec![0.0; length];
                gravel.receive(&mut later, peer, TAG + 1)?;
                assert_eq!(later, values(length, 5));
                gravel.send(&values(length, 6), peer, TAG + 7)?;
                gravel.send(&values(length, 6), peer, TAG + 2)?;
            }
        }
        Ok(())
    });
}

fn for_each_length(test: &str, body: impl Fn(&Gravel, usize) -> Result<()>) {
    ranks(test, 2, |gravel| [100, 20_000, 1 << 18].into_iter().try_for_each(|length| body(gravel, length)));
}

#[test]
fn a_watched_transfer_that_is_dropped_breaks_no_rule() {
    let networks = [Network::Shm, Network::Tcp, Network::Verbs];
    processes(&networks, "api::a_watched_transfer_that_is_dropped_breaks_no_rule", 2, &[], |meeting, (name, value)| {
        let settings = [(name.into(), value.into()), ("GRAVEL_CHECK".into(), "1".into())];
        let gravel = Gravel::init_with(meeting, settings).expect("init");
        for length in [10, 2000, 200_000] {
            if gravel.rank() == 0 {
                let mut transfer = gravel.open_transfer(values(length, 1), 1, TAG).expect("a transfer");
                transfer.next_tile(length / 2).expect("a tile").put().expect("a put");
                drop(transfer);
            } else {
                let receive = gravel.post_receive(vec![0.0; length], 0, TAG).expect("a receive");
                assert!(matches!(*receive.wait().unwrap_err(), Error::PeerGaveUp { peer: 0, .. }));
            }
        }
        // A transfer that the observer still knew would be a leak.
        assert_eq!(gravel.finalize(), Ok(0));
    });
}

#[test]
fn dropped_requests_run_on_and_their_memory_is_freed_when_they_are_over() {
    ranks_leaking("api::dropped_requests_run_on_and_their_memory_is_freed_when_they_are_over", 2, 1, |gravel| {
        let peer = 1 - gravel.rank();
        for length in LENGTHS {
            drop(gravel.post_receive(vec![0.0; length], peer, TAG)?);
            drop(gravel.post_send(values(length, 0), peer, TAG)?);
            // The first message from there comes behind the handshake that the send may have waited for; the second one, which
            // takes the same way, behind its message.
            for (tag, elements) in [(TAG + 1, 1), (TAG + 2, 3000)] {
                gravel.send(&vec![length; elements], peer, tag)?;
                let mut behind = vec![0; elements];
                gravel.receive(&mut behind, peer, tag)?;
                assert_eq!(behind, vec![length; elements]);
            }
        }
        // Never sent: still there at the end.
        forget(gravel.post_receive(vec![0u8; 100_000], peer, TAG + 3)?);
        Ok(())
    });
}

#[test]
fn parts_of_a_message_are_read_while_it_arrives() {
    ranks("api::parts_of_a_message_are_read_while_it_arrives", 2, |gravel| {
        const TILES: usize = 8;
        const TILE: usize = 10_000;
        if gravel.rank() == 1 {
            let receive = gravel.post_segmented_receive(vec![0.0; TILES * TILE], 0, TAG)?;
            for tile in 0..TILES {
                let range = tile * TILE..(tile + 1) * TILE;
                assert_eq!(receive.wait_range(range.clone())?, &values(TILES * TILE, 3)[range]);
                // The next tile comes only after this.
                gravel.send(&[tile], 0, TAG)?;
            }
            let outside = Error::RangeOutsideReceive { offset: 1, count: 80_000, elements: 80_000 };
            assert_eq!(receive.wait_range(1..TILES * TILE + 1), Err(outside.into()));
            assert_eq!(receive.wait()?.elements(), TILES * TILE);
        } else {
            let mut transfer = gravel.open_transfer(values(TILES * TILE, 3), 1, TAG)?;
            for (number, tile) in transfer.tiles(TILE).enumerate() {
                tile.put()?;
                let mut answer = [usize::MAX];
                gravel.receive(&mut answer, 1, TAG)?;
                assert_eq!(answer, [number]);
            }
            transfer.finish()?.wait()?;
        }
        Ok(())
    });
}

#[test]
fn announced_messages_are_received_from_any_source() {
    ranks("api::announced_messages_are_received_from_any_source", 4, |gravel| {
        for length in LENGTHS {
            if gravel.rank() == 0 {
                let mut seen = [true, false, false, false];
                for _ in 1..4 {
                    let waiting = gravel.wait_announcement(Source::Any, Tag::Any)?.expect("a message");
                    let received =
                        gravel.post_announced_receive(vec![0.0; length], waiting.source, waiting.tag)?.wait()?;
                    assert_eq!(received.outcome.message(), Some(waiting));
                    assert_eq!(received.buffer, values(length, waiting.source));
                    assert!(!std::mem::replace(&mut seen[waiting.source], true));
                }
                // The next round's messages have other lengths.
                for rank in 1..4 {
                    gravel.send(&[length], rank, TAG)?;
                }
                continue;
            }
            if gravel.rank() == 1 {
                gravel.announce_message(values(length, 1), 0, TAG)?.wait()?;
            } else {
                let mut transfer = gravel.announce_transfer(values(length, gravel.rank()), 0, TAG)?;
                for tile in transfer.tiles(900) {
                    tile.put()?;
                }
                transfer.finish()?.wait()?;
            }
            gravel.receive(&mut [0usize], 0, TAG)?;
        }
        assert_eq!(gravel.wait_announcement(Peer::Nobody, TAG), Ok(None));
        Ok(())
    });
}

#[test]
fn several_requests_complete_in_any_order() {
    ranks("api::several_requests_complete_in_any_order", 3, |gravel| {
        if gravel.rank() > 0 {
            gravel.send(&values(30_000, gravel.rank()), 0, TAG)?;
            return Ok(());
        }
        let post = |source| gravel.post_receive(vec![0.0; 30_000], source, TAG);
        let mut requests = vec![post(Peer::Nobody)?, post(Peer::Rank(1))?, post(Peer::Rank(2))?];
        let mut sources = Vec::new();
        while let Some((_, received)) = gravel.wait_any(&mut requests)? {
            if let Some(status) = received.outcome.message() {
                assert_eq!(received.buffer, values(30_000, status.source));
                sources.push(status.source);
            }
        }
        sources.sort_unstable();
        assert_eq!(sources, [1, 2]);
        Ok(())
    });
}

#[test]
fn nobody_is_a_peer_and_tests_give_requests_back() {
    ranks("api::nobody_is_a_peer_and_tests_give_requests_back", 1, |gravel| {
        let nobody: Option<Rank> = None;
        assert_eq!(gravel.post_receive(vec![1u8], nobody, TAG)?.wait()?.outcome, Outcome::Nobody);
        gravel.send(&[1u8], nobody, TAG)?;
        let mut transfer = gravel.open_transfer(vec![0u16; 10], nobody, TAG)?;
        for tile in transfer.tiles(3) {
            tile.put()?;
        }
        assert_eq!(transfer.finish()?.wait()?.len(), 10);

        let receive = gravel.post_receive(vec![0i32; 3], 0, TAG)?;
        let Tested::Pending(receive) = receive.test()? else { panic!("nothing was sent") };
        let sends = [gravel.post_send(vec![1, 2, 3], 0, TAG)?];
        gravel.wait_all(sends)?;
        assert_eq!(receive.wait()?.buffer, [1, 2, 3]);
        let cancelled = gravel.post_receive(vec![0i32; 3], 0, TAG)?;
        cancelled.cancel()?;
        assert_eq!(cancelled.wait()?.outcome, Outcome::Cancelled);
        Ok(())
    });
}

#[test]
fn wrong_arguments_are_errors_and_free_the_memory() {
    ranks("api::wrong_arguments_are_errors_and_free_the_memory", 1, |gravel| {
        let error = |result: Result<()>| *result.unwrap_err();
        let rank = error(gravel.post_send(vec![1u8], 1, TAG).map(drop));
        assert!(matches!(rank, Error::InvalidRank { rank: 1, size: 1, .. }));
        assert!(matches!(error(gravel.send(&[1u8], usize::MAX, TAG)), Error::InvalidRank { .. }));
        assert_eq!(error(gravel.send(&[1u8], 0, -1)), Error::InvalidTag { tag: -1 });
        let send = gravel.post_send(vec![0u8; 9], 0, TAG)?;
        let truncated = error(gravel.receive(&mut [0u8; 8], 0, TAG).map(drop));
        assert!(matches!(truncated, Error::Truncated { sent: 9, posted: 8, .. }));
        send.wait().map(drop)
    });
}

#[test]
fn a_process_has_one_runtime() {
    ranks("api::a_process_has_one_runtime", 1, |_| {
        let second = Gravel::from_environment();
        assert_eq!(second.err(), Some(Error::AlreadyInitialized.into()));
        Ok(())
    });
}

#[test]
fn synchronous_sends_are_over_when_a_receive_has_met_them() {
    ranks("api::synchronous_sends_are_over_when_a_receive_has_met_them", 1, |gravel| {
        for length in LENGTHS {
            let mut pending = gravel.post_send_synchronous(values(length, 3), 0, TAG)?;
            for _ in 0..50 {
                let Tested::Pending(still) = pending.test()? else { panic!("{length} elements met no receive") };
                pending = still;
            }
            let receive = gravel.post_receive(vec![0.0; length], 0, TAG)?;
            assert_eq!(pending.wait()?, values(length, 3));
            assert_eq!(receive.wait()?.buffer, values(length, 3));
            let (mut outgoing, mut incoming) = (vec![0.0; length], vec![0.0; length]);
            gravel.scope(|scope| {
                let mut transfer = scope.announce_transfer_synchronous(&mut outgoing, 0, TAG + 1)?;
                for mut tile in transfer.tiles(300) {
                    let first = tile.offset();
                    tile.iter_mut().enumerate().for_each(|(index, element)| *element = (first + index) as f64);
                    tile.put()?;
                }
                let send = transfer.finish()?;
                let Tested::Pending(send) = send.test()? else { panic!("{length} elements met no receive") };
                let receive = scope.post_announced_receive(&mut incoming, Source::Any, TAG + 1)?;
                assert_eq!(receive.wait()?.buffer, values(length, 0));
                send.wait().map(drop)
            })?;
        }
        Ok(())
    });
}
