//! What only ranks that are joined by sockets can suffer.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

use crate::launcher::{Network, cluster_over};
use crate::world::{World, fill, first_difference, is_death_of};

/// Descriptors of this process's TCP connections.
fn connections() -> Vec<i32> {
    let entries = fs::read_dir("/proc/self/fd").expect("reading /proc/self/fd");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_tcp = |descriptor: &i32| {
        let mut protocol: i32 = 0;
        let mut length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: writes one integer; a descriptor that is no socket is an error.
        let result = unsafe {
            let value = (&raw mut protocol).cast();
            libc::getsockopt(*descriptor, libc::SOL_SOCKET, libc::SO_PROTOCOL, value, &raw mut length)
        };
        result == 0 && protocol == libc::IPPROTO_TCP
    };
    numbers.filter(is_tcp).collect()
}

/// How often the pump thread has been switched to and from.
fn pump_switches() -> u64 {
    // A thread names itself, which takes as long as it has to wait for a processor.
    for _ in 0..10_000 {
        for task in fs::read_dir("/proc/self/task").expect("reading /proc/self/task") {
            let task = task.expect("a task").path();
            let Ok(status) = fs::read_to_string(task.join("status")) else { continue };
            if status.starts_with("Name:\tgravel-pump\n") {
                let switches = status.lines().filter(|line| line.contains("ctxt_switches"));
                return switches
                    .map(|line| line.split('\t').nth(1).expect("a value").parse::<u64>().expect("a number"))
                    .sum();
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("there is no pump thread");
}

#[test]
fn peers_are_reached_as_their_settings_say() {
    let test = "network::peers_are_reached_as_their_settings_say";
    cluster_over(&[Network::Mixed], test, 3, &[], |world| {
        let rank = world.rank();
        let routes = world.runtime().routes().to_vec();
        for (peer, route) in routes.iter().enumerate() {
            let expected = peer != rank && (peer == 2 || rank == 2);
            assert_eq!(route.interconnect.name() == "tcp", expected, "rank {rank}: {route:?}");
        }
        assert_eq!(connections().len(), if rank == 2 { 2 } else { 1 }, "no other socket is left open");
    });
}

/// Handshakes may wait for what is sent next; nothing is.
#[test]
fn handshakes_leave_while_their_receiver_is_elsewhere() {
    let test = "network::handshakes_leave_while_their_receiver_is_elsewhere";
    cluster_over(&[Network::Tcp, Network::Mixed, Network::Verbs], test, 2, &[], |world| {
        const ROUNDS: usize = 60;
        const LENGTH: usize = 70_000;
        let mut buffers = [vec![0; LENGTH], vec![0; LENGTH]];
        for round in 0..ROUNDS {
            if world.rank() == 0 {
                let [first, second] = &mut buffers;
                let first = world.post(first, 1, 0);
                // The second one before, while and after the first one's leaves.
                let pause = Duration::from_micros(2 * round as u64);
                let start = Instant::now();
                while start.elapsed() < pause {
                    std::hint::spin_loop();
                }
                let second = world.post(second, 1, 1);
                // Rank 1 arrives when its sends are over, for which both have to be known.
                world.outside_barrier();
                for (tag, request) in [(0, first), (1, second)] {
                    assert_eq!(world.wait_receive(request, 1, tag), LENGTH);
                }
                assert!(buffers.iter().all(|buffer| first_difference(buffer, round).is_none()));
            } else {
                fill(&mut buffers[0], round);
                for tag in [0, 1] {
                    let request = world.send(&buffers[0], 0, tag);
                    world.wait_send(request);
                }
                world.outside_barrier();
            }
        }
    });
}

#[test]
fn data_lands_while_the_receiver_computes() {
    cluster_over(&[Network::Tcp, Network::Verbs], "network::data_lands_while_the_receiver_computes", 2, &[], |world| {
        const LENGTH: usize = 8 << 20;
        let mut buffer = vec![0u8; LENGTH];
        if world.rank() == 0 {
            fill(&mut buffer, 3);
            buffer[LENGTH - 1] = 77;
            let request = world.send(&buffer, 1, 0);
            world.outside_barrier();
            world.wait_send(request);
        } else {
            let request = world.post(&mut buffer, 0, 0);
            // The handshake leaves with the post; nothing of Gravel is called until the last byte is here.
            // The system looks: this thread may not, before its wait, and sanitizers would see that it does.
            let memory = fs::File::open("/proc/self/mem").expect("opening /proc/self/mem");
            let last = (&raw const buffer[LENGTH - 1]).addr() as u64;
            let mut seen = [0];
            while seen != [77] {
                memory.read_exact_at(&mut seen, last).expect("reading /proc/self/mem");
                std::thread::sleep(Duration::from_millis(1));
            }
            world.outside_barrier();
            assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
            assert_eq!(first_difference(&buffer[..LENGTH - 1], 3), None);
        }
    });
}

/// Messages that come without a handshake do so, too, though nothing is known to depend on them.
#[test]
fn messages_of_medium_length_land_while_the_receiver_computes() {
    cluster_over(
        &[Network::Tcp],
        "network::messages_of_medium_length_land_while_the_receiver_computes",
        2,
        &[],
        |world| {
            const LENGTH: usize = 50_000;
            const MESSAGES: usize = 40;
            let mut buffer = vec![0u8; LENGTH * MESSAGES];
            if world.rank() == 0 {
                buffer.fill(77);
                world.outside_barrier();
                for part in buffer.chunks(LENGTH) {
                    let request = world.send(part, 1, 0);
                    world.wait_send(request);
                }
                // They are not left to the barrier of gravel_finalize.
                world.outside_barrier();
            } else {
                let requests: Vec<_> = buffer.chunks_mut(LENGTH).map(|part| world.post(part, 0, 0)).collect();
                world.outside_barrier();
                let memory = fs::File::open("/proc/self/mem").expect("opening /proc/self/mem");
                let last = (&raw const buffer[LENGTH * MESSAGES - 1]).addr() as u64;
                let mut seen = [0];
                while seen != [77] {
                    memory.read_exact_at(&mut seen, last).expect("reading /proc/self/mem");
                    std::thread::sleep(Duration::from_millis(1));
                }
                world.outside_barrier();
                for request in requests {
                    assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
                }
                assert!(buffer.iter().all(|&byte| byte == 77));
            }
        },
    );
}

/// The pump looks once in a moment whether the application is gone, and is woken by no message that it comes back for.
#[test]
fn who_comes_back_soon_finds_messages_that_have_woken_nobody() {
    cluster_over(
        &[Network::Tcp],
        "network::who_comes_back_soon_finds_messages_that_have_woken_nobody",
        2,
        &[],
        |world| {
            const LENGTH: usize = 9000;
            const ROUNDS: usize = 500;
            let peer = 1 - world.rank();
            let (message, mut buffer) = (vec![1; LENGTH], vec![0; LENGTH]);
            world.outside_barrier();
            let (before, started) = (pump_switches(), Instant::now());
            for _ in 0..ROUNDS {
                let request = world.post(&mut buffer, peer, 0);
                let sending = world.send(&message, peer, 0);
                world.wait_receive(request, peer, 0);
                world.wait_send(sending);
                let computing = Instant::now();
                while computing.elapsed() < Duration::from_micros(50) {
                    std::hint::spin_loop();
                }
            }
            // Where others take the processor, absences are not short. Once for the timer, and once for a message.
            let milliseconds = u64::try_from(started.elapsed().as_millis()).expect("not that long");
            let switches = pump_switches() - before;
            assert!(switches <= 3 * milliseconds + 20, "{switches} in {milliseconds} ms");
            world.outside_barrier();
        },
    );
}

#[test]
fn with_nothing_pending_the_pump_sleeps() {
    cluster_over(&[Network::Tcp, Network::Verbs], "network::with_nothing_pending_the_pump_sleeps", 2, &[], |world| {
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 100_000];
        let request = world.post(&mut buffer, peer, 0);
        let message = vec![1; 100_000];
        let sending = world.send(&message, peer, 0);
        world.wait_receive(request, peer, 0);
        world.wait_send(sending);
        // A receive is posted and sends are over; then nothing happens at all.
        let pending = world.post(&mut buffer, peer, 1);
        world.outside_barrier();
        // Where others take the processor it may be a while before the last of it has been done.
        let sleeps = || {
            let before = pump_switches();
            std::thread::sleep(Duration::from_millis(300));
            pump_switches() == before
        };
        assert!((0..100).any(|_| sleeps()));
        world.outside_barrier();
        let sending = world.send(&message, peer, 1);
        world.wait_receive(pending, peer, 1);
        world.wait_send(sending);
    });
}

/// Puts the first half of a message, and then something happens to the connection.
fn half_a_message(world: &mut World, happens: impl FnOnce()) {
    const LENGTH: usize = 6_000_000;
    const HALF: usize = LENGTH / 2;
    if world.rank() == 0 {
        let mut message = vec![0; LENGTH];
        fill(&mut message, 8);
        // The handshake is there: the puts go at once.
        world.outside_barrier();
        let transfer = world.open(&message, 1, 0);
        world.put(transfer, &message, 0, HALF);
        happens();
        world.put(transfer, &message, HALF, LENGTH - HALF);
        let request = world.runtime().send_fin(transfer).expect("gravel_send_fin");
        assert!(is_death_of(1, &world.try_wait(request).unwrap_err()));
    } else {
        let mut buffer = vec![0xaa; LENGTH + 64];
        let request = world.post(&mut buffer[..LENGTH], 0, 0);
        world.outside_barrier();
        assert!(is_death_of(0, &world.try_wait(request).unwrap_err()));
        let received = buffer.iter().rposition(|&byte| byte != 0xaa).map_or(0, |last| last + 1);
        assert!(received <= HALF, "bytes of a put that was never made");
        // Whatever has come is right, but for bytes that happen to look as untouched ones.
        assert_eq!(first_difference(&buffer[..received], 8), None);
        // What is posted later fails at once, too.
        let request = world.post(&mut buffer[..LENGTH], 0, 1);
        assert!(is_death_of(0, &world.try_wait(request).unwrap_err()));
    }
    world.forsake();
}

#[test]
fn a_connection_that_is_cut_in_mid_put_is_an_error_on_both_sides() {
    let test = "network::a_connection_that_is_cut_in_mid_put_is_an_error_on_both_sides";
    cluster_over(&[Network::Tcp], test, 2, &[], |world| {
        half_a_message(world, || {
            for connection in connections() {
                // SAFETY: ends a connection of this process; nothing is freed.
                assert_eq!(unsafe { libc::shutdown(connection, libc::SHUT_RDWR) }, 0);
            }
        });
    });
}

#[test]
fn a_rank_that_dies_in_mid_put_is_named() {
    cluster_over(&[Network::Tcp], "network::a_rank_that_dies_in_mid_put_is_named", 2, &[], |world| {
        // SAFETY: ends the process at once, as a signal would; the launcher wants to see an orderly end.
        half_a_message(world, || unsafe { libc::_exit(0) });
    });
}

#[test]
fn the_death_of_one_rank_leaves_the_others_alone() {
    let test = "network::the_death_of_one_rank_leaves_the_others_alone";
    cluster_over(&[Network::Tcp, Network::Mixed], test, 3, &[], |world| {
        let rank = world.rank();
        if rank == 2 {
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(0) };
        }
        let mut buffer = vec![0; 300_000];
        let request = world.post(&mut buffer, 2, 0);
        assert!(is_death_of(2, &world.try_wait(request).unwrap_err()));
        let peer = 1 - rank;
        let mut message = vec![0; 300_000];
        fill(&mut message, rank);
        let receiving = world.post(&mut buffer, peer, 0);
        let sending = world.send(&message, peer, 0);
        assert_eq!(world.wait_receive(receiving, peer, 0), 300_000);
        world.wait_send(sending);
        assert_eq!(first_difference(&buffer, peer), None);
        world.forsake();
    });
}

#[test]
fn a_forked_child_does_not_hide_the_death_of_its_parent() {
    let test = "network::a_forked_child_does_not_hide_the_death_of_its_parent";
    cluster_over(&[Network::Tcp], test, 2, &[], |world| {
        if world.rank() == 1 {
            // SAFETY: the child calls nothing but what a forked child may call.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: as above. Should nobody end it, it ends itself.
                unsafe {
                    libc::alarm(60);
                    loop {
                        libc::pause();
                    }
                }
            }
            world.outside_exchange(&child.to_le_bytes());
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(0) };
        }
        let pids = world.outside_exchange(&0i32.to_le_bytes());
        let child = i32::from_le_bytes(pids[4..8].try_into().expect("a pid"));
        let mut buffer = vec![0; 100];
        let request = world.post(&mut buffer, 1, 0);
        assert!(is_death_of(1, &world.try_wait(request).unwrap_err()));
        // SAFETY: ends the child that this test has started, which must still be there.
        assert_eq!(unsafe { libc::kill(child, libc::SIGKILL) }, 0, "the child had ended before");
        world.forsake();
    });
}
