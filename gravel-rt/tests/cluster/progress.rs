//! What must happen while the application is elsewhere: in a barrier of MPI, computing, or in finalize.

use crate::launcher::{Network, cluster, cluster_over};
use crate::world::{fill, first_difference, static_buffer};

#[test]
fn a_moderate_send_completes_without_its_receiver() {
    cluster("progress::a_moderate_send_completes_without_its_receiver", 2, &[], |world| {
        const MESSAGES: usize = 30;
        const LENGTH: usize = 64 * 1024;
        if world.rank() == 0 {
            let mut buffer = vec![0; LENGTH];
            for message in 0..MESSAGES {
                fill(&mut buffer, message);
                let request = world.send(&buffer, 1, 0);
                world.wait_send(request);
                buffer.fill(0xff);
            }
            world.outside_barrier();
            // Rank 1 receives before it enters: only the helper thread can have delivered.
            world.outside_barrier();
        } else {
            world.outside_barrier();
            for message in 0..MESSAGES {
                let mut buffer = vec![0; LENGTH];
                let request = world.post(&mut buffer, 0, 0);
                assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
                assert_eq!(first_difference(&buffer, message), None, "message {message}");
            }
            world.outside_barrier();
        }
    });
}

/// A long send whose sender is elsewhere is delivered by its helper thread.
fn long_send_while_elsewhere(test: &str, settings: &[(&str, &str)]) {
    cluster(test, 2, settings, |world| {
        const LENGTH: usize = 3_000_000;
        if world.rank() == 0 {
            let mut buffer = vec![0; LENGTH];
            fill(&mut buffer, 9);
            let request = world.send(&buffer, 1, 0);
            world.outside_barrier();
            world.outside_barrier();
            world.wait_send(request);
        } else {
            world.outside_barrier();
            let buffer = &mut static_buffer()[..LENGTH];
            let request = world.post(buffer, 0, 0);
            assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
            assert_eq!(first_difference(buffer, 9), None);
            world.outside_barrier();
        }
    });
}

#[test]
fn queued_puts_are_delivered_while_the_sender_is_elsewhere() {
    long_send_while_elsewhere("progress::queued_puts_are_delivered_while_the_sender_is_elsewhere", &[]);
}

#[test]
fn queued_puts_are_staged_while_the_sender_is_elsewhere() {
    let settings = [("GRAVEL_SHM", "staged")];
    long_send_while_elsewhere("progress::queued_puts_are_staged_while_the_sender_is_elsewhere", &settings);
}

#[test]
fn a_long_staged_send_completes_while_the_receiver_is_elsewhere() {
    let settings = [("GRAVEL_SHM", "staged")];
    cluster("progress::a_long_staged_send_completes_while_the_receiver_is_elsewhere", 2, &settings, |world| {
        const LENGTH: usize = 3_000_000;
        let mut buffer = vec![0; LENGTH];
        if world.rank() == 0 {
            fill(&mut buffer, 9);
            let request = world.send(&buffer, 1, 0);
            world.wait_send(request);
            world.outside_barrier();
        } else {
            let request = world.post(&mut buffer, 0, 0);
            world.outside_barrier();
            assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
            assert_eq!(first_difference(&buffer, 9), None);
        }
    });
}

#[test]
fn posts_far_beyond_the_ledger_are_never_blocked() {
    cluster("progress::posts_far_beyond_the_ledger_are_never_blocked", 2, &[], |world| {
        const MESSAGES: usize = 2000;
        // So long that each sends a handshake when it is posted.
        const BYTES: usize = 9000;
        if world.rank() == 0 {
            // Far more receives than the ledger holds, while the other side does not look.
            let mut buffers = vec![vec![0u8; BYTES]; MESSAGES];
            let requests: Vec<_> = buffers.iter_mut().map(|buffer| world.post(buffer, 1, 0)).collect();
            world.outside_barrier();
            for (message, (request, buffer)) in requests.into_iter().zip(&buffers).enumerate() {
                assert_eq!(world.wait_receive(request, 1, 0), BYTES);
                assert_eq!(*buffer, vec![message as u8; BYTES]);
            }
        } else {
            world.outside_barrier();
            for message in 0..MESSAGES {
                let buffer = vec![message as u8; BYTES];
                let request = world.send(&buffer, 0, 0);
                world.wait_send(request);
            }
        }
    });
}

#[test]
fn ten_thousand_sends_are_never_blocked() {
    cluster("progress::ten_thousand_sends_are_never_blocked", 2, &[], |world| {
        const MESSAGES: usize = 10_000;
        if world.rank() == 0 {
            for message in 0..MESSAGES {
                let buffer = message.to_ne_bytes();
                let request = world.send(&buffer, 1, 0);
                world.wait_send(request);
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            for message in 0..MESSAGES {
                let mut buffer = [0; 8];
                let request = world.post(&mut buffer, 0, 0);
                assert_eq!(world.wait_receive(request, 0, 0), 8);
                assert_eq!(usize::from_ne_bytes(buffer), message);
            }
        }
    });
}

#[test]
fn finalize_delivers_what_is_still_wanted_and_drops_the_rest() {
    cluster("progress::finalize_delivers_what_is_still_wanted_and_drops_the_rest", 2, &[], |world| {
        if world.rank() == 0 {
            let mut buffer = vec![0; 50_000];
            fill(&mut buffer, 4);
            for tag in [1, 2] {
                let request = world.send(&buffer, 1, tag);
                world.wait_send(request);
            }
            // Nobody receives tag 2.
            assert_eq!(world.finalize(), 0);
        } else {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let mut buffer = vec![0; 50_000];
            let request = world.post(&mut buffer, 0, 1);
            assert_eq!(world.wait_receive(request, 0, 1), 50_000);
            assert_eq!(first_difference(&buffer, 4), None);
        }
    });
}

#[test]
fn mpi_progresses_while_a_wait_blocks() {
    cluster("progress::mpi_progresses_while_a_wait_blocks", 2, &[], |world| {
        if world.rank() == 0 {
            let mut buffer = [0; 8];
            let request = world.post(&mut buffer, 1, 0);
            world.wait_receive(request, 1, 0);
        } else {
            // Rank 1 cannot send before rank 0's MPI has advanced, and rank 0 is blocked in Gravel.
            world.wait_until_mpi_progressed(0);
            let request = world.send(&[1; 8], 0, 0);
            world.wait_send(request);
        }
    });
}

/// How often the helper thread has been switched to and from: as often as it has slept.
fn helper_switches() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("reading /proc/self/task");
    let read = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.expect("a task").path().join("status")).unwrap_or_default()
    };
    // A thread names itself, which takes as long as it has to wait for a processor.
    let Some(status) = tasks.map(read).find(|status| status.starts_with("Name:\tgravel-helper\n")) else { return 0 };
    let switches = status.lines().filter(|line| line.starts_with("voluntary_ctxt_switches"));
    switches.map(|line| line.split('\t').nth(1).expect("a value").parse::<u64>().expect("a number")).sum()
}

/// The same once the helper sleeps: it has slept before, and does nothing for a while.
fn switches_of_sleeping_helper() -> u64 {
    for _ in 0..600 {
        let before = helper_switches();
        std::thread::sleep(std::time::Duration::from_millis(100));
        if before > 0 && helper_switches() == before {
            return before;
        }
    }
    panic!("the helper thread does not sleep");
}

#[test]
fn with_nothing_pending_the_helper_sleeps() {
    let test = "progress::with_nothing_pending_the_helper_sleeps";
    cluster_over(&[Network::Shm], test, 2, &[], |world| {
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 100_000];
        let request = world.post(&mut buffer, peer, 0);
        // The handshakes are there before either side sends, so nothing is ever deferred.
        world.outside_barrier();
        // It takes its name, and goes to sleep for the first time, when it first runs.
        let before = switches_of_sleeping_helper();
        let message = vec![1; 100_000];
        let sending = world.send(&message, peer, 0);
        world.wait_send(sending);
        world.wait_receive(request, peer, 0);
        assert_eq!(helper_switches(), before);
        // A send without a receive that is short enough to travel at once, and one that its receiver will read.
        for (tag, length) in [(2, 10), (3, 10_000)] {
            let sending = world.send(&message[..length], peer, tag);
            world.wait_send(sending);
            world.outside_barrier();
            assert_eq!(helper_switches(), before);
        }
        let request = world.post(&mut buffer, peer, 3);
        assert_eq!(world.wait_receive(request, peer, 3), 10_000);
        world.outside_barrier();
        assert_eq!(helper_switches(), before);
        // A long one is deferred work, and its handshake the event.
        let sending = world.send(&message, peer, 1);
        world.outside_barrier();
        let request = world.post(&mut buffer, peer, 1);
        world.outside_barrier();
        while helper_switches() == before {
            std::thread::yield_now();
        }
        world.wait_receive(request, peer, 1);
        world.wait_send(sending);
        let request = world.post(&mut buffer, peer, 2);
        world.wait_receive(request, peer, 2);
    });
}
