//! Ranks that are killed, at each step of each protocol: others get an error that names the rank, whatever they wait for, and
//! nobody hangs.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use gravel::Error;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;

use crate::launcher::{Network, processes};
use crate::world::{ANY_SOURCE, COMMUNICATOR, World, describe, fill, first_difference, is_death_of};

/// Long enough to be put, not sent eagerly, and to need several pieces of the staging ring.
const LONG: usize = 300_000;

/// How far rank 1 comes with a message each way before it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Initialised,
    Posted,
    Opened,
    HalfPut,
    AllPut,
    Ended,
}

fn killed_at(name: &str, last: Step, data_paths: &str) {
    killed_over(&[Network::Shm], name, last, data_paths);
}

fn killed_over(networks: &[Network], name: &str, last: Step, data_paths: &str) {
    processes(networks, &format!("deaths::{name}"), 3, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_SHM", data_paths), ("GRAVEL_LOG", "off"), provider]);
        let mut received = vec![0; LONG];
        let mut message = vec![0; LONG];
        fill(&mut message, rank);
        if rank == 1 {
            if last >= Step::Posted {
                world.post(&mut received, 0, 5);
            }
            if last >= Step::Opened {
                let transfer = world.open(&message, 0, 5);
                if last >= Step::HalfPut {
                    world.put(transfer, &message, 0, LONG / 2);
                }
                if last >= Step::AllPut {
                    world.put(transfer, &message, LONG / 2, LONG - LONG / 2);
                }
                if last >= Step::Ended {
                    world.runtime().send_fin(transfer).expect("gravel_send_fin");
                }
            }
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        if rank == 0 {
            let receiving = world.post(&mut received, 1, 5);
            let sending = world.send(&message, 1, 5);
            // A message that was whole before the death may arrive, ended or not; nothing else may be taken for one.
            match world.try_wait(receiving) {
                Ok(_) => {
                    assert!(last >= Step::AllPut, "a message that was never whole has arrived");
                    assert_eq!(first_difference(&received, 1), None);
                }
                Err(error) => assert!(is_death_of(1, &error), "{error}"),
            }
            match world.try_wait(sending) {
                Ok(_) => assert!(last >= Step::Posted, "a send without a receive has completed"),
                Err(error) => assert!(is_death_of(1, &error), "{error}"),
            }
        }
        // The others go on.
        let peer = 2 - rank;
        let receiving = world.post(&mut received, peer, 6);
        let sending = world.send(&message, peer, 6);
        assert_eq!(world.wait_receive(receiving, peer, 6), LONG);
        assert_eq!(first_difference(&received, peer), None);
        world.wait_send(sending);
        world.forsake();
    });
}

#[test]
fn a_rank_is_killed_after_init() {
    killed_at("a_rank_is_killed_after_init", Step::Initialised, "adopt,cma");
}

#[test]
fn a_rank_is_killed_after_its_handshake() {
    killed_at("a_rank_is_killed_after_its_handshake", Step::Posted, "adopt,cma");
}

#[test]
fn a_rank_is_killed_after_opening_a_transfer() {
    killed_at("a_rank_is_killed_after_opening_a_transfer", Step::Opened, "adopt,cma");
}

#[test]
fn a_rank_is_killed_in_mid_put() {
    killed_at("a_rank_is_killed_in_mid_put", Step::HalfPut, "adopt,cma");
}

#[test]
fn a_rank_is_killed_in_mid_put_of_staged_bytes() {
    killed_at("a_rank_is_killed_in_mid_put_of_staged_bytes", Step::HalfPut, "staged");
}

#[test]
fn a_rank_is_killed_before_the_fin() {
    killed_at("a_rank_is_killed_before_the_fin", Step::AllPut, "cma");
}

#[test]
fn a_rank_is_killed_after_the_fin() {
    killed_at("a_rank_is_killed_after_the_fin", Step::Ended, "adopt,cma");
}

/// Over networks, between ranks that have only them, and where the survivors share memory.
const NETWORKS: [Network; 4] = [Network::Tcp, Network::Mixed, Network::Verbs, Network::MixedVerbs];

#[test]
fn a_rank_is_killed_after_its_handshake_over_networks() {
    killed_over(&NETWORKS, "a_rank_is_killed_after_its_handshake_over_networks", Step::Posted, "adopt,cma");
}

/// The steps between those that are looked at in every mixture.
const ONE_NETWORK: [Network; 2] = [Network::Tcp, Network::Verbs];

#[test]
fn a_rank_is_killed_after_init_over_networks() {
    killed_over(&ONE_NETWORK, "a_rank_is_killed_after_init_over_networks", Step::Initialised, "adopt,cma");
}

#[test]
fn a_rank_is_killed_after_opening_a_transfer_over_networks() {
    killed_over(&ONE_NETWORK, "a_rank_is_killed_after_opening_a_transfer_over_networks", Step::Opened, "adopt,cma");
}

#[test]
fn a_rank_is_killed_before_the_fin_over_networks() {
    killed_over(&ONE_NETWORK, "a_rank_is_killed_before_the_fin_over_networks", Step::AllPut, "adopt,cma");
}

#[test]
fn a_rank_is_killed_in_mid_put_over_networks() {
    killed_over(&NETWORKS, "a_rank_is_killed_in_mid_put_over_networks", Step::HalfPut, "adopt,cma");
}

#[test]
fn a_rank_is_killed_after_the_fin_over_networks() {
    killed_over(&NETWORKS, "a_rank_is_killed_after_the_fin_over_networks", Step::Ended, "adopt,cma");
}

/// What rank 1 does with messages that producers announce before it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    /// Offers a whole message, which the consumer reads, if it can.
    Offered,
    /// Announces a message of which it puts the first half when it is asked to.
    HalfPut,
    /// Posts a receive for what it is offered.
    Received,
}

fn killed_while_announced(name: &str, step: Announced) {
    let networks = [Network::Shm, Network::Tcp, Network::Mixed, Network::Verbs, Network::MixedVerbs];
    processes(&networks, &format!("deaths::{name}"), 3, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        let mut received = vec![0; LONG];
        let mut message = vec![0; LONG];
        fill(&mut message, rank);
        if rank == 1 {
            match step {
                Announced::Offered => drop(world.offer(&message, 0, 5)),
                Announced::HalfPut => {
                    let transfer = world.announce(&message, 0, 5);
                    world.put(transfer, &message, 0, LONG / 2);
                }
                Announced::Received => drop(world.post_announced(&mut received, 0, 5)),
            }
            // Rank 0 has not looked at what has been announced.
            world.outside_barrier();
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            unreachable!("killed");
        }
        world.outside_barrier();
        if rank == 0 {
            let request = match step {
                Announced::Received => world.offer(&message, 1, 5),
                _ => world.post_announced(&mut received, 1, 5),
            };
            match world.try_wait(request) {
                // It can have been taken before the death; nothing else may be taken for a message.
                Ok(_) => match step {
                    Announced::Offered => assert_eq!(first_difference(&received, 1), None),
                    Announced::HalfPut => panic!("a message that was never ended has arrived"),
                    Announced::Received => {}
                },
                Err(error) => assert!(is_death_of(1, &error), "{error}"),
            }
        }
        // The others go on, announced or not.
        let peer = 2 - rank;
        let receiving = world.post_announced(&mut received, peer, 6);
        let sending = world.offer(&message, peer, 6);
        assert_eq!(world.wait_receive(receiving, peer, 6), LONG);
        assert_eq!(first_difference(&received, peer), None);
        world.wait_send(sending);
        world.forsake();
    });
}

#[test]
fn a_rank_is_killed_whose_message_is_to_be_read() {
    killed_while_announced("a_rank_is_killed_whose_message_is_to_be_read", Announced::Offered);
}

#[test]
fn a_rank_is_killed_in_mid_put_of_an_announced_message() {
    killed_while_announced("a_rank_is_killed_in_mid_put_of_an_announced_message", Announced::HalfPut);
}

#[test]
fn a_rank_is_killed_that_awaits_an_announced_message() {
    killed_while_announced("a_rank_is_killed_that_awaits_an_announced_message", Announced::Received);
}

/// The others enter `gravel_finalize`, with nothing left to be sent: they are told, and do not wait for the dead in its
/// barriers.
#[test]
fn a_rank_that_was_killed_is_missed_in_finalize() {
    let networks = [Network::Shm, Network::Tcp, Network::Mixed, Network::Verbs, Network::MixedVerbs];
    processes(&networks, "deaths::a_rank_that_was_killed_is_missed_in_finalize", 3, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if rank == 1 {
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        let error = world.try_finalize().expect_err("rank 1 never comes");
        // The other survivor may have ended in the meantime, and its end be seen first.
        assert!((0..3).any(|peer| peer != rank && is_death_of(peer, &error)), "{error}");
    });
}

/// Every way to wait for a message of a rank that is killed: for its announcement, a part of it, an exchange with it, and
/// for the cancel of its receive.
#[test]
fn a_rank_is_killed_for_which_others_wait_in_every_way() {
    let networks = [Network::Shm, Network::Tcp, Network::Verbs];
    let test = "deaths::a_rank_is_killed_for_which_others_wait_in_every_way";
    processes(&networks, test, 2, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if rank == 1 {
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        let [mut first, mut second, mut third] = [vec![0; LONG], vec![0; LONG], vec![0; 2 * LONG]];
        let in_parts = world.post_segmented(&mut first, 1, 5);
        let cancelled = world.post(&mut second, 1, 6);
        let block = describe(third.as_mut_ptr(), LONG);
        let blocks = vec![1; 2 * LONG];
        // SAFETY: the buffers outlive the runtime's use of them, and nobody touches them.
        let exchange = unsafe { world.runtime().post_alltoall(block, COMMUNICATOR) }.expect("gravel_post_alltoall");
        // SAFETY: as above.
        let sends = unsafe { world.runtime().send_alltoall(describe(blocks.as_ptr(), LONG), COMMUNICATOR) };
        let sends = sends.expect("gravel_send_alltoall");
        world.runtime().cancel(cancelled).expect("gravel_cancel");
        let is_death = |error: Error| assert!(is_death_of(1, &error), "{error}");
        for source in [1, ANY_SOURCE] {
            is_death(*world.runtime().wait_announcement(source, 9, COMMUNICATOR).expect_err("nothing is announced"));
        }
        is_death(*world.runtime().wait_range(in_parts, 0, 1).expect_err("nothing was put"));
        is_death(world.try_wait(in_parts).expect_err("nothing was put"));
        // The dead can't be asked any more.
        match world.try_wait(cancelled) {
            Ok(completion) => assert_eq!(completion, Completion::Cancelled),
            Err(error) => is_death(error),
        }
        is_death(world.try_wait(exchange).expect_err("one block never comes"));
        is_death(world.try_wait(sends).expect_err("one block is never taken"));
        world.forsake();
    });
}

/// Every way to test in a loop for a message of a rank that is killed; the other one lives, and neither sends nor receives.
#[test]
fn a_rank_is_killed_for_which_others_test_in_every_way() {
    let networks = [Network::Shm, Network::Tcp, Network::Mixed, Network::Verbs];
    let test = "deaths::a_rank_is_killed_for_which_others_test_in_every_way";
    processes(&networks, test, 3, &[1], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        if rank == 1 {
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        if rank == 0 {
            test_in_every_way(&mut world);
            world.mark("tested");
        }
        while !world.is_marked("tested") {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        world.forsake();
    });
}

fn test_in_every_way(world: &mut World) {
    let is_death = |error: &Error| assert!(is_death_of(1, error), "{error}");
    // What a call gives in the end that is called again for as long as it gives nothing.
    fn until<T>(mut call: impl FnMut() -> Option<T>) -> T {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            if let Some(answer) = call() {
                return answer;
            }
            assert!(std::time::Instant::now() < end, "the test loop spins");
        }
    }
    let mut buffers = [(); 12].map(|()| vec![0; LONG]);
    let message = vec![1; LONG];
    let mut buffers = buffers.iter_mut();
    let mut buffer = || buffers.next().expect("enough buffers");
    // From and to one that lives: these are never complete.
    let [alive_in, alive_out] = [world.post(buffer(), 2, 1), world.send(&message, 2, 1)];

    let receive = world.post(buffer(), 1, 2);
    is_death(&until(|| world.runtime().test(receive).transpose()).expect_err("nothing comes"));
    let short = world.post(&mut buffer()[..8], 1, 2);
    is_death(&until(|| world.runtime().test(short).transpose()).expect_err("nothing comes"));
    let send = world.send(&message, 1, 3);
    is_death(&until(|| world.runtime().test(send).transpose()).expect_err("nobody receives"));
    let announced = world.post_announced(buffer(), 1, 4);
    is_death(&until(|| world.runtime().test(announced).transpose()).expect_err("nothing comes"));
    let from_any = world.post_any(buffer(), 5);
    is_death(&until(|| world.runtime().test(from_any).transpose()).expect_err("one of them is dead"));

    let any = [alive_in, world.post(buffer(), 1, 6), alive_out];
    let error = until(|| match world.runtime().test_any(&any) {
        Ok(gravel::runtime::AnyTested::NotYet) => None,
        Ok(other) => panic!("{other:?}"),
        Err(error) => Some(error),
    });
    assert_eq!(error.index, Some(1));
    is_death(&error.error);
    let some = [alive_in, world.post(buffer(), 1, 7), alive_out, world.send(&message, 1, 7)];
    // Each is told of once, as it is found.
    let mut told = Vec::new();
    until(|| {
        let pending: Vec<_> = some
            .iter()
            .enumerate()
            .map(|(index, &request)| if told.contains(&index) { Handle::NULL } else { request })
            .collect();
        for ended in world.runtime().test_some(&pending).expect("gravel_testsome").expect("some are active") {
            is_death(&ended.outcome.expect_err("a death"));
            told.push(ended.index);
        }
        (told.len() == 2).then_some(())
    });
    assert_eq!((told[0] + told[1], told[0] * told[1]), (4, 3));
    let all = [alive_in, world.post(buffer(), 1, 8), alive_out];
    let ended = until(|| world.runtime().test_all(&all).expect("gravel_testall"));
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].index, 1);
    is_death(ended[0].outcome.as_ref().expect_err("a death"));
    // Those of the living are as they were.
    assert_eq!(world.runtime().test(alive_in), Ok(None));
    assert_eq!(world.runtime().test(alive_out), Ok(None));

    let persistent = {
        let (buffer, kind) = (buffer(), gravel::runtime::PersistentKind::PostedReceive);
        // SAFETY: as above.
        unsafe { world.runtime().prepare(kind, describe(buffer.as_ptr(), LONG), 1, 9, COMMUNICATOR) }
    };
    let persistent = persistent.expect("gravel_prepare_receive");
    for _ in 0..2 {
        world.runtime().start(persistent).expect("gravel_start");
        is_death(&until(|| world.runtime().test(persistent).transpose()).expect_err("nothing comes"));
        world.runtime().start(persistent).expect("it is inactive again");
        let ended = until(|| world.runtime().test_all(&[alive_in, persistent]).expect("gravel_testall"));
        is_death(ended[0].outcome.as_ref().expect_err("a death"));
    }
}

#[test]
fn a_killed_rank_leaves_no_file() {
    // But for what this program makes itself, for the meetings of its ranks.
    let own = "gravel-cluster-";
    let named = || {
        let folders = [Path::new("/dev/shm"), &std::env::temp_dir()].map(|folder| fs::read_dir(folder).into_iter());
        let names = folders.into_iter().flatten().flatten().flatten().map(|entry| entry.file_name());
        let is_ours = |name: &OsString| {
            let name = name.to_string_lossy();
            name.contains("gravel") && !name.starts_with(own)
        };
        names.filter(is_ours).collect::<HashSet<_>>()
    };
    let before = named();
    killed_over(&[Network::Shm, Network::Tcp], "a_killed_rank_leaves_no_file", Step::HalfPut, "adopt,cma");
    assert_eq!(named().difference(&before).collect::<Vec<_>>(), Vec::<&OsString>::new());
}
