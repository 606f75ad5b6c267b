//! All-to-all exchanges: every block arrives, exchanges of a communicator meet in their order and nothing else, and what the
//! ranks disagree about is an error.

use gravel::engine::consumer_write::Completion;
use gravel::message::communicator::agreement::Proposal;
use gravel::message::request::Handle;
use gravel::runtime::Block;
use gravel::runtime::communicators::NewCommunicator;
use gravel::{Error, Rank, Result};

use crate::launcher::{Network, cluster, cluster_over};
use crate::rules::{CHECK, violation};
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, World, describe, fill, first_difference, static_buffer};
use gravel::error::violation::Violation;

/// Lengths of blocks around every threshold.
const BLOCKS: [usize; 10] = [0, 1, 31, 33, 4096, 8192, 8193, 40_000, 65_537, 300_001];

/// What rank `from` sends to rank `to` in the exchange `seed`.
fn fill_block(block: &mut [u8], from: Rank, to: Rank, seed: usize) {
    fill(block, seed * 1000 + from * 10 + to);
}

fn outgoing(world: &World, block: usize, seed: usize) -> Vec<u8> {
    let mut buffer = vec![0; block * world.ranks()];
    for to in 0..world.ranks() {
        fill_block(&mut buffer[to * block..(to + 1) * block], world.rank(), to, seed);
    }
    buffer
}

fn check_incoming(world: &World, buffer: &[u8], block: usize, seed: usize) {
    for from in 0..world.ranks() {
        let found = first_difference(&buffer[from * block..(from + 1) * block], seed * 1000 + from * 10 + world.rank());
        assert_eq!(found, None, "from rank {from}, {block} bytes, exchange {seed}");
    }
}

fn post_on(world: &mut World, buffer: &mut [u8], block: usize, communicator: i32) -> Handle {
    let description = describe(buffer.as_ptr(), block);
    // SAFETY: the tests keep buffers alive and untouched from post to wait.
    unsafe { world.runtime().post_alltoall(description, communicator) }.expect("gravel_post_alltoall")
}

fn post(world: &mut World, buffer: &mut [u8], block: usize) -> Handle {
    post_on(world, buffer, block, COMMUNICATOR)
}

fn post_segments(world: &mut World, buffer: &mut [u8], block: usize) -> Handle {
    let description = describe(buffer.as_ptr(), block);
    // SAFETY: as above.
    unsafe { world.runtime().post_segmented_alltoall(description, COMMUNICATOR) }
        .expect("gravel_post_alltoall_segments")
}

fn open(world: &mut World, buffer: &[u8], block: usize) -> Handle {
    // SAFETY: as above.
    unsafe { world.runtime().open_alltoall(describe(buffer.as_ptr(), block), COMMUNICATOR) }
        .expect("gravel_open_alltoall")
}

fn send(world: &mut World, buffer: &[u8], block: usize) -> Handle {
    // SAFETY: as above.
    unsafe { world.runtime().send_alltoall(describe(buffer.as_ptr(), block), COMMUNICATOR) }
        .expect("gravel_send_alltoall")
}

fn fin(world: &mut World, transfer: Handle) -> Handle {
    world.runtime().send_fin(transfer).expect("gravel_send_fin")
}

fn finish(world: &mut World, request: Handle) {
    assert_eq!(world.try_wait(request).expect("gravel_wait"), Completion::Empty);
}

on_every_path!(whole_exchanges_of_every_length, 3, |world: &mut World| {
    let buffer = static_buffer();
    for (seed, block) in BLOCKS.into_iter().enumerate() {
        for receives_first in [true, false] {
            let mine = outgoing(world, block, seed);
            let incoming = &mut buffer[..block * 3];
            incoming.fill(0xee);
            // Also ranks that differ in what they do first.
            let (receiving, sending) = if receives_first == (world.rank() == 1) {
                let receiving = post(world, incoming, block);
                (receiving, send(world, &mine, block))
            } else {
                let sending = send(world, &mine, block);
                (post(world, incoming, block), sending)
            };
            finish(world, receiving);
            finish(world, sending);
            check_incoming(world, incoming, block, seed);
        }
    }
});

on_every_path!(tiles_across_the_borders_of_blocks, 3, |world: &mut World| {
    let buffer = static_buffer();
    for (seed, block) in BLOCKS.into_iter().enumerate() {
        for tile in [1 + block / 7, block.max(1), 1 + block * 3 / 2, 1 + block * 3] {
            let mine = outgoing(world, block, seed);
            let incoming = &mut buffer[..block * 3];
            let receiving = post(world, incoming, block);
            let transfer = open(world, &mine, block);
            for start in (0..mine.len()).step_by(tile) {
                world.put(transfer, &mine, start, tile.min(mine.len() - start));
            }
            let sending = fin(world, transfer);
            finish(world, receiving);
            finish(world, sending);
            check_incoming(world, incoming, block, seed);
        }
    }
});

/// The blocks of rank `own` in an exchange of different lengths: what it sends overlaps, what it receives lies in the opposite
/// order of ranks, with a gap before each block; every third pair has nothing for each other.
fn blocks_of(own: Rank, ranks: Rank, block: usize, is_sent: bool) -> impl Fn(Rank) -> Block {
    move |other| {
        let (from, to) = if is_sent { (own, other) } else { (other, own) };
        let count = if (from + to) % 3 == 2 { 0 } else { block + 3 * from };
        let place = if is_sent { 5 * other } else { (ranks - 1 - other) * (block + 20) + 7 };
        Block { place: place as i64, count: count as i64 }
    }
}

fn check_blocks(world: &World, buffer: &[u8], block: usize, seed: usize) {
    let mut expected = vec![0xee; buffer.len()];
    let incoming = blocks_of(world.rank(), world.ranks(), block, false);
    for from in 0..world.ranks() {
        let Block { place, count } = incoming(from);
        let theirs = made_of(from, 2 * block + 100, seed);
        let start = blocks_of(from, world.ranks(), block, true)(world.rank()).place as usize;
        let (place, count) = (place as usize, count as usize);
        expected[place..place + count].copy_from_slice(&theirs[start..start + count]);
    }
    assert!(buffer == expected, "{block} bytes, exchange {seed}");
}

fn made_of(rank: Rank, length: usize, seed: usize) -> Vec<u8> {
    let mut buffer = vec![0; length];
    fill(&mut buffer, seed * 10 + rank);
    buffer
}

on_every_path!(blocks_of_different_lengths, 3, |world: &mut World| {
    for (seed, block) in BLOCKS.into_iter().enumerate() {
        for tile in [None, Some(1 + block / 7), Some(1 + block * 3 / 2)] {
            let mine = made_of(world.rank(), 2 * block + 100, seed);
            let incoming = vec![0xee; (block + 30) * world.ranks()];
            let (rank, ranks) = (world.rank(), world.ranks());
            let (sends, receives) = (blocks_of(rank, ranks, block, true), blocks_of(rank, ranks, block, false));
            let nothing = describe(incoming.as_ptr(), 0);
            // SAFETY: as above.
            let receiving = unsafe { world.runtime().post_segmented_alltoallv(nothing, &receives, COMMUNICATOR) };
            let receiving = receiving.expect("gravel_post_alltoallv_segments");
            let nothing = describe(mine.as_ptr(), 0);
            let sending = match tile {
                // SAFETY: as above.
                None => unsafe { world.runtime().send_alltoallv(nothing, &sends, COMMUNICATOR) }
                    .expect("gravel_send_alltoallv"),
                Some(tile) => {
                    // SAFETY: as above.
                    let transfer = unsafe { world.runtime().open_alltoallv(nothing, &sends, COMMUNICATOR) };
                    let transfer = transfer.expect("gravel_open_alltoallv");
                    // Not all of it, and beyond it.
                    for start in (block / 3..2 * block).step_by(tile) {
                        world.put(transfer, &mine, start, tile.min(2 * block - start));
                    }
                    fin(world, transfer)
                }
            };
            world.runtime().wait_range(receiving, 0, block as i64).expect("gravel_wait_range");
            finish(world, receiving);
            finish(world, sending);
            check_blocks(world, &incoming, block, seed);
        }
    }
});

#[test]
fn one_rank_alone() {
    cluster("alltoall::one_rank_alone", 1, &[], |world| {
        for (seed, block) in BLOCKS.into_iter().enumerate() {
            let (mine, mut incoming) = (outgoing(world, block, seed), vec![0; block]);
            let sending = send(world, &mine, block);
            let receiving = post(world, &mut incoming, block);
            finish(world, sending);
            finish(world, receiving);
            check_incoming(world, &incoming, block, seed);
        }
    });
}

/// The end sends what the puts have left out, and nothing goes beyond the last block.
#[test]
fn puts_need_not_cover_the_exchange() {
    cluster("alltoall::puts_need_not_cover_the_exchange", 4, &[], |world| {
        for (seed, block) in [100, 9000, 200_000].into_iter().enumerate() {
            // With memory behind the last block.
            let mut mine = outgoing(world, block, seed);
            let whole = mine.len();
            mine.resize(whole + 5000, 0x77);
            for (start, count) in [(0, 0), (0, whole + 5000), (block / 2, block), (whole - 10, 100), (whole, 5000)] {
                let mut incoming = vec![0; whole];
                let receiving = post(world, &mut incoming, block);
                let transfer = open(world, &mine, block);
                world.put(transfer, &mine, start, count);
                let sending = fin(world, transfer);
                finish(world, receiving);
                finish(world, sending);
                check_incoming(world, &incoming, block, seed);
            }
        }
    });
}

/// Exchanges meet in the order in which they are opened, whichever is put into, ended, and waited for first.
#[test]
fn several_in_flight_meet_in_order() {
    cluster("alltoall::several_in_flight_meet_in_order", 3, &[], |world| {
        for block in [500, 70_000] {
            let sources: Vec<_> = (0..4).map(|seed| outgoing(world, block, seed)).collect();
            let mut targets: Vec<_> = (0..4).map(|_| vec![0; block * 3]).collect();
            let receiving: Vec<_> = targets.iter_mut().map(|target| post(world, target, block)).collect();
            let transfers: Vec<_> = sources[..3].iter().map(|source| open(world, source, block)).collect();
            world.put(transfers[2], &sources[2], block, block + 7);
            world.put(transfers[0], &sources[0], 0, block);
            let whole = send(world, &sources[3], block);
            world.put(transfers[1], &sources[1], 3, block * 3 - 3);
            let mut sending = vec![whole];
            sending.extend([2, 0, 1].map(|number| fin(world, transfers[number])));
            for number in [3, 1, 0, 2] {
                finish(world, receiving[number]);
                check_incoming(world, &targets[number], block, number);
            }
            sending.into_iter().for_each(|request| finish(world, request));
        }
    });
}

/// Neither tag 0 nor a receive of any tag from anybody takes what belongs to an exchange, and the other way round.
#[test]
fn messages_and_exchanges_do_not_meet() {
    cluster("alltoall::messages_and_exchanges_do_not_meet", 2, &[], |world| {
        let peer = 1 - world.rank();
        for block in [64, 50_000] {
            let (mine, mut incoming) = (outgoing(world, block, 1), vec![0; block * 2]);
            let (message, mut received) = (vec![5; block], vec![0; block]);
            let numbered = world.post(&mut received, peer, 0);
            let receiving = post(world, &mut incoming, block);
            let sending = [send(world, &mine, block), world.send(&message, peer, 0)];
            assert_eq!(world.wait_receive(numbered, peer, 0), block);
            assert!(received.iter().all(|&byte| byte == 5));
            finish(world, receiving);
            check_incoming(world, &incoming, block, 1);
            sending.into_iter().for_each(|request| finish(world, request));
        }
    });
}

#[test]
fn a_receive_of_any_tag_takes_no_exchange() {
    cluster("alltoall::a_receive_of_any_tag_takes_no_exchange", 2, &[], |world| {
        let peer = 1 - world.rank();
        for block in [64, 50_000] {
            let (mine, mut incoming) = (outgoing(world, block, 1), vec![0; block * 2]);
            let (message, mut received) = (vec![5; block], vec![0; block]);
            let any = world.try_post_announced(&mut received, ANY_SOURCE, ANY_TAG).expect("gravel_post_rcv_announced");
            let receiving = post(world, &mut incoming, block);
            let sending = send(world, &mine, block);
            finish(world, receiving);
            check_incoming(world, &incoming, block, 1);
            let offered = world.offer(&message, peer, 3);
            let completion = world.try_wait(any).expect("gravel_wait");
            assert_eq!(completion, Completion::Received { source: peer, tag: 3, bytes: block as u64 });
            [sending, offered].into_iter().for_each(|request| finish(world, request));
        }
    });
}

/// Ranks whose counts differ hear of it, whether their blocks are longer or shorter.
#[test]
fn blocks_of_different_lengths_are_errors() {
    cluster("alltoall::blocks_of_different_lengths_are_errors", 3, &[("GRAVEL_LOG", "off")], |world| {
        for (short, long) in [(10, 20), (0, 8), (9000, 100_000), (100, 100_000)] {
            let block = if world.rank() == 1 { long } else { short };
            let (mine, mut incoming) = (outgoing(world, block, 1), vec![0xee; block * 3]);
            let receiving = post(world, &mut incoming, block);
            let sending = send(world, &mine, block);
            let error = world.try_wait(receiving).expect_err("the blocks differ");
            if world.rank() == 1 {
                let expected = Error::BlocksDiffer { sent: short as u64, expected: long as u64, source_rank: 0 };
                assert_eq!(error, expected);
            } else {
                assert!(matches!(error, Error::Truncated { source_rank: 1, .. }), "{error}");
                assert!(error.to_string().contains("all-to-all"), "{error}");
            }
            // A long send of which a receive was too short fails as well.
            let _ = world.try_wait(sending);
            world.outside_barrier();
        }
        // And the next exchange is none the worse for it.
        let (mine, mut incoming) = (outgoing(world, 7, 1), vec![0; 21]);
        let (receiving, sending) = (post(world, &mut incoming, 7), send(world, &mine, 7));
        finish(world, receiving);
        finish(world, sending);
        check_incoming(world, &incoming, 7, 1);
    });
}

#[test]
fn misuse_is_an_error() {
    cluster("alltoall::misuse_is_an_error", 2, &[("GRAVEL_LOG", "off")], |world| {
        const BLOCK: usize = 1000;
        let stale = |result: Result<()>| assert!(matches!(*result.unwrap_err(), Error::StaleHandle { .. }));
        let (mine, mut incoming) = (outgoing(world, BLOCK, 1), vec![0; BLOCK * 2]);
        let address = mine.as_ptr().expose_provenance();
        let receiving = post(world, &mut incoming, BLOCK);
        stale(world.runtime().put(receiving, address, 0, 1));
        stale(world.runtime().send_fin(receiving).map(|_| ()));
        let cancelled = world.runtime().cancel(receiving).unwrap_err();
        assert_eq!(*cancelled, Error::CollectiveCancelled);
        let transfer = open(world, &mine, BLOCK);
        stale(world.runtime().wait(transfer).map(|_| ()));
        stale(world.runtime().wait_range(transfer, 0, 1));
        for (offset, count) in [(-1, 5), (i64::MIN, 1), (i64::MAX, 1)] {
            let error = world.runtime().put(transfer, address, offset, count).unwrap_err();
            assert!(matches!(*error, Error::PutOutsideMessage { .. }));
            let error = world.runtime().wait_range(receiving, offset, count).unwrap_err();
            assert!(matches!(*error, Error::RangeOutsideReceive { .. }));
        }
        // A nest with a negative extent counts so, and does nothing.
        world.runtime().put(transfer, address, -30, -10).expect("gravel_post_os_put");
        world.runtime().wait_range(receiving, 0, -10).expect("gravel_wait_range");
        let error = world.runtime().put(transfer, address + 1, 0, 1).unwrap_err();
        assert!(matches!(*error, Error::BufferChanged { .. }));
        for (offset, count) in [(0, BLOCK), (BLOCK + 5, 10)] {
            world.put(transfer, &mine, offset, count);
            let error = world.runtime().put(transfer, address, offset as i64, count as i64).unwrap_err();
            assert!(matches!(*error, Error::PutOverlaps { .. }));
        }
        let sending = fin(world, transfer);
        stale(world.runtime().put(transfer, address, 0, 1));
        finish(world, receiving);
        finish(world, sending);
        check_incoming(world, &incoming, BLOCK, 1);
        stale(world.runtime().wait(receiving).map(|_| ()));
        // SAFETY: nothing is posted.
        let unknown = unsafe { world.runtime().post_alltoall(describe(incoming.as_ptr(), 1), 99) };
        assert!(matches!(*unknown.unwrap_err(), Error::UnknownCommunicator { handle: 99 }));
        let too_long = gravel::Buffer { count: i64::MAX / 2 + 1, ..describe(incoming.as_ptr(), 1) };
        // SAFETY: nothing is posted.
        let too_long = unsafe { world.runtime().post_alltoall(too_long, COMMUNICATOR) };
        assert!(matches!(*too_long.unwrap_err(), Error::InvalidCount { .. }));
    });
}

/// The consumer waits for runs that begin and end inside of blocks, while the producer still puts.
#[test]
fn ranges_come_one_after_the_other() {
    cluster("alltoall::ranges_come_one_after_the_other", 2, &[], |world| {
        const BLOCK: usize = 100_000;
        let (mine, mut incoming) = (outgoing(world, BLOCK, 1), vec![0; BLOCK * 2]);
        let receiving = post_segments(world, &mut incoming, BLOCK);
        let transfer = open(world, &mine, BLOCK);
        let mut needed = 0;
        for step in 1..=10 {
            let start = (step - 1) * BLOCK / 10;
            // The next part of every block.
            for rank in 0..2 {
                world.put(transfer, &mine, rank * BLOCK + start, BLOCK / 10);
            }
            let here = start + BLOCK / 10;
            world.runtime().wait_range(receiving, 0, here as i64).expect("gravel_wait_range");
            let mut expected = vec![0; BLOCK];
            fill_block(&mut expected, 0, world.rank(), 1);
            assert_eq!(incoming[needed..here], expected[needed..here]);
            needed = here;
        }
        let sending = fin(world, transfer);
        // Across the border, and further than there is something.
        world.runtime().wait_range(receiving, BLOCK as i64 - 5, 2 * BLOCK as i64).expect("gravel_wait_range");
        check_incoming(world, &incoming, BLOCK, 1);
        finish(world, receiving);
        finish(world, sending);
    });
}

#[test]
fn tiles_are_cut_by_the_length_of_all_blocks() {
    let test = "alltoall::tiles_are_cut_by_the_length_of_all_blocks";
    cluster_over(&[Network::Tcp, Network::Verbs], test, 2, &[], |world| cut_by_all_blocks(world, true));
}

/// The receiving side has no say there.
#[test]
fn tiles_are_cut_by_the_sending_side_on_shared_memory() {
    let test = "alltoall::tiles_are_cut_by_the_sending_side_on_shared_memory";
    cluster_over(&[Network::Shm], test, 2, &[], |world| cut_by_all_blocks(world, false));
}

fn cut_by_all_blocks(world: &mut World, comes_in_parts: bool) {
    for (block, tile) in [(60_000, 120_000), (100_000, 65_536)] {
        let (mine, mut incoming) = (outgoing(world, block, 1), vec![0; block * 2]);
        let iterations = 2 * block as i64;
        let receiving = post_segments(world, &mut incoming, block);
        let has_say = comes_in_parts && block > 65_536;
        let answer = world.runtime().tile(receiving, iterations, 64).expect("gravel_tile");
        assert_eq!(answer, if has_say { tile } else { 0 });
        let transfer = open(world, &mine, block);
        assert_eq!(world.runtime().tile(transfer, iterations, 64).expect("gravel_tile"), tile);
        let sending = fin(world, transfer);
        // When all has come there is nothing to wait for in parts.
        world.runtime().wait_range(receiving, 0, iterations).expect("gravel_wait_range");
        while world.runtime().tile(receiving, iterations, 64).expect("gravel_tile") != 0 {
            world.runtime().test(sending).expect("gravel_test");
        }
        finish(world, receiving);
        if world.runtime().communicator_of_failure(sending).is_some() {
            finish(world, sending);
        }
    }
}

#[test]
fn tests_and_waits_for_any_complete_exchanges() {
    cluster("alltoall::tests_and_waits_for_any_complete_exchanges", 3, &[], |world| {
        let (next, previous) = ((world.rank() + 1) % 3, (world.rank() + 2) % 3);
        for block in [100, 80_000] {
            let (mine, mut incoming) = (outgoing(world, block, 1), vec![0; block * 3]);
            let receiving = post(world, &mut incoming, block);
            let sending = send(world, &mine, block);
            while world.runtime().test(receiving).expect("gravel_test").is_none() {}
            check_incoming(world, &incoming, block, 1);
            finish(world, sending);

            let (mut first, mut second, mut message) = (vec![0; block * 3], vec![0; block * 3], vec![0; block]);
            let mut requests = [
                post(world, &mut first, block),
                Handle::NULL,
                world.post(&mut message, previous, 4),
                post(world, &mut second, block),
                send(world, &mine, block),
                world.send(&mine[..block], next, 4),
                send(world, &mine, block),
            ];
            let mut done = 0;
            while let Some((index, _)) = world.runtime().wait_any(&requests).expect("gravel_waitany") {
                assert!(!requests[index].is_null());
                requests[index] = Handle::NULL;
                done += 1;
            }
            assert!((3..=6).contains(&done), "sends may be over at once");
            check_incoming(world, &first, block, 1);
            check_incoming(world, &second, block, 1);
        }
    });
}

/// Ranks are those of the communicator, and its exchanges are not those of another.
#[test]
fn communicators_have_exchanges_of_their_own() {
    cluster("alltoall::communicators_have_exchanges_of_their_own", 4, &[], |world| {
        const HANDLE: i32 = 7;
        let members: [Rank; 3] = [3, 0, 2];
        let own = members.iter().position(|&member| member == world.rank());
        if let Some(rank) = own {
            let as_handles = members.map(|member| member as i32);
            let new = NewCommunicator { handle: HANDLE, rank, members: &as_handles };
            let Proposal::Number(_) = world.runtime().propose(new) else { panic!("a proposal") };
            let mine = world.runtime().propose(new).encode();
            let agreed = world.maximum("exchanges", &members, mine);
            world.runtime().attach(new, Proposal::decode(agreed)).expect("gravel_attach");
        }
        for block in [40, 90_000] {
            let mut of_world = vec![0; block * 4];
            let mut of_some = vec![0; block * 3];
            let world_receives = post(world, &mut of_world, block);
            let source = outgoing(world, block, 1);
            let mut some = None;
            if let Some(rank) = own {
                let receives = post_on(world, &mut of_some, block, HANDLE);
                let mut source = vec![0; block * 3];
                for to in 0..3 {
                    fill_block(&mut source[to * block..(to + 1) * block], rank, to, 2);
                }
                // SAFETY: as above.
                let sends = unsafe { world.runtime().send_alltoall(describe(source.as_ptr(), block), HANDLE) };
                some = Some((rank, receives, sends.expect("gravel_send_alltoall"), source));
            }
            let world_sends = send(world, &source, block);
            if let Some((rank, receives, sends, source)) = some {
                finish(world, receives);
                finish(world, sends);
                drop(source);
                for from in 0..3 {
                    let found = &of_some[from * block..(from + 1) * block];
                    assert_eq!(first_difference(found, 2000 + from * 10 + rank), None);
                }
            }
            finish(world, world_receives);
            finish(world, world_sends);
            check_incoming(world, &of_world, block, 1);
        }
    });
}

#[test]
fn checked_exchanges_see_no_difference() {
    cluster("alltoall::checked_exchanges_see_no_difference", 3, &[("GRAVEL_CHECK", "1")], |world| {
        for (seed, block) in BLOCKS.into_iter().enumerate() {
            let (mine, mut incoming) = (outgoing(world, block, seed), vec![0; block * 3]);
            let receiving = post_segments(world, &mut incoming, block);
            let transfer = open(world, &mine, block);
            world.put(transfer, &mine, 0, mine.len() / 2);
            let sending = fin(world, transfer);
            world.runtime().wait_range(receiving, 0, block as i64 + 1).expect("gravel_wait_range");
            finish(world, receiving);
            finish(world, sending);
            check_incoming(world, &incoming, block, seed);
        }
    });
}

/// The rules of split-phase transfers hold for every block.
#[test]
fn rules_that_are_broken_in_a_block_are_found() {
    cluster("alltoall::rules_that_are_broken_in_a_block_are_found", 2, &CHECK, |world| {
        const BLOCK: usize = 50_000;
        let (mut mine, mut incoming) = (outgoing(world, BLOCK, 1), vec![0; BLOCK * 2]);
        let receiving = post(world, &mut incoming, BLOCK);
        let transfer = open(world, &mine, BLOCK);
        world.put(transfer, &mine, 0, BLOCK + 10);
        mine[BLOCK + 5] ^= 1;
        let sending = fin(world, transfer);
        incoming[BLOCK + 3] = 1;
        let written = violation(world.try_wait(receiving));
        assert!(matches!(written, Violation::ReceiveBufferWritten { .. }), "{written}");
        let changed = violation(world.try_wait(sending));
        assert!(matches!(changed, Violation::SegmentChanged { .. }), "{changed}");
    });
}

#[test]
fn an_exchange_that_is_forgotten_is_reported() {
    cluster("alltoall::an_exchange_that_is_forgotten_is_reported", 2, &[("GRAVEL_LOG", "off")], |world| {
        let mine = outgoing(world, 100, 1);
        open(world, &mine, 100);
        assert_eq!(world.finalize(), 2, "one transfer for each rank");
    });
}
