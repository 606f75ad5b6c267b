//! What a peer costs: memory that is in use, not only mapped.

use std::fs;

use crate::launcher::{Network, cluster_over};
use crate::world::{World, fill, first_difference};

/// What a peer may cost, messages that wait to be sent or received excepted.
const PEER_LIMIT: usize = 64 * 1024;

/// Sends so much to every peer that all of their ledgers and staging rings have been used.
fn use_every_ring(world: &mut World) {
    let (rank, ranks) = (world.rank(), world.ranks());
    let lengths = [8, 100, 3000, 8192, 20_000];
    for round in 0..60 {
        for distance in 1..ranks {
            let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
            for (tag, length) in (0..).zip(lengths) {
                let (mut message, mut received) = (vec![0; length], vec![0; length]);
                fill(&mut message, rank + round);
                let receiving = world.post(&mut received, from, tag);
                let sending = world.send(&message, to, tag);
                assert_eq!(world.wait_receive(receiving, from, tag), length);
                assert_eq!(first_difference(&received, from + round), None);
                world.wait_send(sending);
            }
        }
    }
}

/// Bytes of pages in use by mappings of this name, in this process alone and its share of those that others use, too.
fn pages_in_use(name: &str) -> [usize; 2] {
    let smaps = fs::read_to_string("/proc/self/smaps").expect("reading /proc/self/smaps");
    let mut is_counted = false;
    let mut sums = [0, 0];
    for line in smaps.lines() {
        match line.split_once(':') {
            Some(("Rss" | "Pss", kib)) if is_counted => {
                let kib: usize = kib.trim().trim_end_matches(" kB").parse().expect("a number");
                sums[usize::from(line.starts_with('P'))] += kib * 1024;
            }
            _ if line.contains('-') && line.contains(' ') && !line.contains(": ") => is_counted = line.contains(name),
            _ => {}
        }
    }
    sums
}

#[test]
fn a_peer_costs_no_more_than_64_kib_of_memory_in_use() {
    let test = "footprint::a_peer_costs_no_more_than_64_kib_of_memory_in_use";
    cluster_over(&[Network::Shm], test, 6, &[("GRAVEL_SHM", "staged")], |world| {
        use_every_ring(world);
        world.outside_barrier();
        let [_, shared] = pages_in_use("memfd:gravel-control");
        // Nobody unmaps what others look at.
        world.outside_barrier();
        let peer = shared / world.ranks();
        assert!(peer <= PEER_LIMIT, "{peer} bytes per peer");
        assert!(peer > PEER_LIMIT / 2, "only {peer} bytes per peer: are these the mappings that hold the rings?");
    });
}
