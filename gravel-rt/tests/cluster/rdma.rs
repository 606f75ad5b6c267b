//! What only ranks that are joined by RDMA devices have.

use crate::launcher::{Network, cluster_over, processes};
use crate::world::{World, fill, first_difference};
use gravel::provider::select::Interconnect;

const LONG: usize = 3_000_001;

fn exchange(world: &mut World, peer: usize, tag: i32, length: usize) {
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
            assert_eq!(route.interconnect == Interconnect::Verbs, expected, "rank {rank}: {route:?}");
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
