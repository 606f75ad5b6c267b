//! Connections over RDMA devices that are made when they are first used.

use crate::launcher::{Network, processes};
use crate::rdma::exchange;
use crate::world::{World, fill, first_difference, is_death_of};

const LONG: usize = 1_000_001;

/// Settings by which every connection is made when it is first used.
fn on_first_use<'a>(provider: (&'a str, &'a str)) -> [(&'a str, &'a str); 2] {
    [provider, ("GRAVEL_VERBS_CONNECT_ALL", "0")]
}

#[test]
fn connections_are_made_on_first_use() {
    let test = "connections::connections_are_made_on_first_use";
    processes(&[Network::Verbs], test, 4, &[], |meeting, provider| {
        let mut world = World::new(meeting, &on_first_use(provider));
        let (rank, ranks) = (world.rank(), world.ranks());
        assert!(
            world.runtime().routes().iter().all(|route| { route.peer == rank || route.interconnect.name() == "verbs" })
        );
        // First messages of every kind; both of a pair at once, then one that the other waits for.
        for (round, length) in [20, 5000, 100_000, LONG].into_iter().enumerate() {
            let step = 1 + round % (ranks - 1);
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            let mut message = vec![0; length];
            fill(&mut message, rank);
            let mut received = vec![0; length];
            let receiving = world.post(&mut received, from, 1);
            let sending = world.send(&message, to, 1);
            assert_eq!(world.wait_receive(receiving, from, 1), length);
            assert_eq!(first_difference(&received, from), None);
            world.wait_send(sending);
        }
        // A send that is over at once, to a rank that computes.
        let (mut first, mut second) = (vec![0; 3000], vec![0; 3000]);
        let partner = rank ^ 2;
        fill(&mut first, rank);
        let sending = world.send(&first, partner, 2);
        world.wait_send(sending);
        world.outside_barrier();
        let receiving = world.post(&mut second, partner, 2);
        assert_eq!(world.wait_receive(receiving, partner, 2), 3000);
        assert_eq!(first_difference(&second, partner), None);
        world.finish();
    });
}

#[test]
fn a_rank_that_dies_before_anybody_has_connected_to_it_is_named() {
    let test = "connections::a_rank_that_dies_before_anybody_has_connected_to_it_is_named";
    processes(&[Network::Verbs], test, 4, &[2], |meeting, provider| {
        let rank = meeting.rank();
        let settings = [provider, ("GRAVEL_VERBS_CONNECT_ALL", "0"), ("GRAVEL_LOG", "off")];
        let mut world = World::new(meeting, &settings);
        if rank == 2 {
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        // Only ranks 1 and 3 are its neighbours, to which the set-up connects.
        if rank == 0 {
            let mut received = vec![0; LONG];
            let message = vec![1; LONG];
            let receiving = world.post(&mut received, 2, 5);
            let sending = world.send(&message, 2, 5);
            for request in [receiving, sending] {
                let error = world.try_wait(request).expect_err("nobody is there");
                assert!(is_death_of(2, &error), "{error}");
            }
        }
        // Others go on.
        if rank < 2 {
            exchange(&mut world, 1 - rank, 6, 20_000);
        }
        world.forsake();
    });
}
