//! What only ranks that are joined by RDMA devices have.

use crate::launcher::{Network, cluster_over, processes};
use crate::world::{World, fill, first_difference};

const LONG: usize = 3_000_001;

pub fn exchange(world: &mut World, peer: usize, tag: i32, length: usize) {
    let mut message = vec![0; length];
    fill(&mut message, world.rank());
    let mut received = vec![0; length];
    let receiving = world.post(&mut received, peer, tag);
    let sending = world.send(&message, peer, tag);
    assert_eq!(world.wait_receive(receiving, peer, tag), length);
    assert_eq!(first_difference(&received, peer), None);
    world.wait_send(sending);
}

#[test]
fn peers_are_reached_as_their_settings_say() {
    let test = "rdma::peers_are_reached_as_their_settings_say";
    cluster_over(&[Network::MixedVerbs], test, 3, &[], |world| {
        let rank = world.rank();
        for (peer, route) in world.runtime().routes().to_vec().iter().enumerate() {
            let expected = peer != rank && (peer == 2 || rank == 2);
            assert_eq!(route.interconnect.name() == "verbs", expected, "rank {rank}: {route:?}");
        }
    });
}

#[test]
fn long_messages_are_written_where_they_belong() {
    let test = "rdma::long_messages_are_written_where_they_belong";
    cluster_over(&[Network::Verbs], test, 2, &[], |world| {
        let peer = 1 - world.rank();
        // Lengths around the limits of what is staged, and longer than one request.
        for (tag, length) in [8192, 8193, 100_000, LONG].into_iter().enumerate() {
            exchange(world, peer, tag as i32, length);
        }
    });
}

/// Limits what this process may pin. The administrator's processes may pin as much as they like: that privilege goes.
/// Devices serve whoever opened them and nobody else, so it has to go before.
fn limit_pinning(bytes: libc::rlim_t) {
    const VERSION: u32 = 0x2008_0522;
    const CAP_IPC_LOCK: u32 = 14;
    let mut head = [VERSION, 0];
    // Effective, permitted and inheritable privileges: the lower 32 of each, then the upper ones.
    let mut sets = [[0u32; 3]; 2];
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: all structures are valid and as long as the version says.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit), 0);
        assert_eq!(libc::syscall(libc::SYS_capget, head.as_mut_ptr(), sets.as_mut_ptr()), 0);
        sets[0][0] &= !(1 << CAP_IPC_LOCK);
        assert_eq!(libc::syscall(libc::SYS_capset, head.as_mut_ptr(), sets.as_ptr()), 0);
    }
}

#[test]
fn where_memory_cannot_be_pinned_messages_are_copied() {
    let test = "rdma::where_memory_cannot_be_pinned_messages_are_copied";
    processes(&[Network::Verbs], test, 2, &[], |meeting, provider| {
        // Enough for the ledgers, not for a long message.
        if meeting.rank() == 0 {
            limit_pinning(1 << 20);
        }
        let mut world = World::new(meeting, &[provider, ("GRAVEL_LOG", "off")]);
        let peer = 1 - world.rank();
        exchange(&mut world, peer, 1, LONG);
        exchange(&mut world, peer, 2, 100_000);
        world.finish();
    });
}

/// Sends a message from rank 0 to rank 1, and back what has come.
fn there_and_back(world: &mut World, memory: &mut [u8], seed: usize) {
    let peer = 1 - world.rank();
    if world.rank() == 0 {
        fill(memory, seed);
        let sending = world.send(memory, peer, 1);
        world.wait_send(sending);
        memory.fill(0);
    }
    let receiving = world.post(memory, peer, 1);
    assert_eq!(world.wait_receive(receiving, peer, 1), memory.len());
    assert_eq!(first_difference(memory, seed), None);
    if world.rank() == 1 {
        let sending = world.send(memory, peer, 1);
        world.wait_send(sending);
    }
}

/// A device keeps the pages that were there when memory was registered: whoever used a registration after the program has
/// given its memory back would send, and overwrite, what is not there any more.
#[test]
fn memory_that_is_mapped_again_at_the_same_place_is_other_memory() {
    const BYTES: usize = 1 << 20;
    let test = "rdma::memory_that_is_mapped_again_at_the_same_place_is_other_memory";
    cluster_over(&[Network::Verbs], test, 2, &[], |world| {
        let map = |place: *mut libc::c_void, flags| {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags;
            // SAFETY: a new mapping; where a place is given, it was this test's and is free.
            let start = unsafe { libc::mmap(place, BYTES, protection, flags, -1, 0) };
            assert_ne!(start, libc::MAP_FAILED);
            start
        };
        let place = map(std::ptr::null_mut(), 0);
        for seed in 1..6 {
            // SAFETY: mapped, and used by nobody else.
            let memory = unsafe { std::slice::from_raw_parts_mut(place.cast::<u8>(), BYTES) };
            assert!(memory.iter().all(|&byte| byte == 0), "new pages");
            there_and_back(world, memory, seed);
            // SAFETY: mapped above, and all operations on it are over.
            assert_eq!(unsafe { libc::munmap(place, BYTES) }, 0);
            assert_eq!(map(place, libc::MAP_FIXED_NOREPLACE), place);
        }
    });
}

#[test]
fn messages_are_read_with_and_without_a_fence() {
    let test = "rdma::messages_are_read_with_and_without_a_fence";
    processes(&[Network::Verbs], test, 2, &[], |meeting, provider| {
        for fence in ["0", "1"] {
            let name = format!("fence{fence}");
            let mut world = World::new(meeting.named(&name), &[provider, ("GRAVEL_VERBS_FENCE", fence)]);
            let peer = 1 - world.rank();
            // Longer than one request, and more than a device reads at once.
            let message = |number: usize| {
                let mut message = vec![0; LONG + number];
                fill(&mut message, number);
                message
            };
            let messages: Vec<Vec<u8>> = (0..6).map(message).collect();
            let sends: Vec<_> = messages.iter().map(|message| world.offer(message, peer, 3)).collect();
            for number in 0..messages.len() {
                let mut received = vec![0; LONG + number];
                let receiving = world.post_announced(&mut received, peer, 3);
                assert_eq!(world.wait_receive(receiving, peer, 3), received.len());
                assert_eq!(first_difference(&received, number), None, "fence {fence}");
            }
            for sending in sends {
                world.wait_send(sending);
            }
            world.finish();
        }
    });
}

#[test]
fn verbs_and_tcp_carry_messages_at_once() {
    let test = "rdma::verbs_and_tcp_carry_messages_at_once";
    cluster_over(&[Network::VerbsAndTcp], test, 3, &[], |world| {
        let (rank, ranks) = (world.rank(), world.ranks());
        for (peer, route) in world.runtime().routes().to_vec().iter().enumerate().filter(|&(peer, _)| peer != rank) {
            let expected = if peer == 2 || rank == 2 { "tcp" } else { "verbs" };
            assert_eq!(route.interconnect.name(), expected, "rank {rank}: {route:?}");
        }
        let peers: Vec<usize> = (0..ranks).filter(|&peer| peer != rank).collect();
        for length in [100, 20_000, LONG] {
            let mut message = vec![0; length];
            fill(&mut message, rank);
            let mut buffers: Vec<_> = peers.iter().map(|&peer| (peer, vec![0; length])).collect();
            let receives: Vec<_> = buffers.iter_mut().map(|(peer, buffer)| world.post(buffer, *peer, 4)).collect();
            let sends: Vec<_> = peers.iter().map(|&peer| world.send(&message, peer, 4)).collect();
            // All come while this rank waits for one of them.
            for (receiving, (peer, buffer)) in receives.into_iter().zip(&buffers).rev() {
                assert_eq!(world.wait_receive(receiving, *peer, 4), length);
                assert_eq!(first_difference(buffer, *peer), None);
            }
            for sending in sends {
                world.wait_send(sending);
            }
        }
    });
}
