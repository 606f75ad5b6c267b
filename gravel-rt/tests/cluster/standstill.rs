//! GRAVEL_CHECK names the ranks of a wait that lasts: who waits for whom, and whether it can end.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::time::{Duration, Instant};

use gravel::message::request::Handle;
use gravel::{Error, Rank};

use crate::launcher::Network;
use crate::observation::files_of;
use crate::world::{COMMUNICATOR, World};

/// Long enough to be put, and not to be sent before its receive is known.
const LONG: usize = 300_000;

/// Runs ranks under GRAVEL_CHECK, and checks what each has written to standard error.
fn watched(
    network: Network,
    test: &str,
    ranks: Rank,
    killed: &[Rank],
    body: impl FnOnce(&mut World),
    check: impl FnOnce(&[String]),
) {
    let name = |rank| format!("said.{rank}");
    files_of(
        network,
        test,
        ranks,
        killed,
        |meeting, provider, directory| {
            let said = fs::File::create(directory.join(name(meeting.rank()))).expect("a file");
            // SAFETY: descriptors of this process; standard error goes to the file from now on.
            assert_eq!(unsafe { libc::dup2(said.as_raw_fd(), 2) }, 2);
            let mut world = World::new(meeting, &[("GRAVEL_CHECK", "1"), provider]);
            body(&mut world);
            world.finish();
        },
        |directory: &Path| {
            let read = |rank| fs::read_to_string(directory.join(name(rank))).expect("what was said");
            check(&(0..ranks).map(read).collect::<Vec<_>>());
        },
    );
}

fn assert_said(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

/// Rank 0 waits, by `wait`, for what rank 1 does not do, because it has called gravel_finalize; rank 2 has nothing to do with it.
fn deprived(network: Network, test: &str, wait: fn(&mut World) -> Error, omitted: &str, call: &str) {
    watched(
        network,
        test,
        3,
        &[],
        |world| {
            if world.rank() == 0 {
                let began = Instant::now();
                let error = wait(world);
                assert!(matches!(error, Error::NeverComes { waiting: 0, peer: 1, .. }), "{error}");
                assert!(began.elapsed() < Duration::from_secs(20));
            }
        },
        |said| {
            assert_said(&said[0], &["GRAVEL_CHECK: this rank ", " since 3 s in call ", call, " at ", omitted]);
            assert_said(&said[0], &["rank 1 is in call ", ", gravel_finalize"]);
            assert_said(
                &said[1],
                &["GRAVEL_CHECK: this rank is in call ", ", gravel_finalize in ", "world.rs:", omitted],
            );
            assert_eq!(said[2], "");
        },
    );
}

fn error_of(world: &mut World, request: Handle) -> Error {
    world.try_wait(request).expect_err("it never comes")
}

const NOT_SENT: &str =
    "rank 1 has called gravel_finalize and has not sent the message with tag 7 that rank 0 waits for";
const NOT_RECEIVED: &str = "rank 1 has called gravel_finalize and has not posted a receive for the message with tag 7 that rank 0 waits to send";

fn receives(world: &mut World) -> Error {
    let mut buffer = vec![0; 100];
    let request = world.post(&mut buffer, 1, 7);
    error_of(world, request)
}

#[test]
fn a_message_that_is_never_sent() {
    let test = "standstill::a_message_that_is_never_sent";
    deprived(Network::Shm, test, receives, NOT_SENT, "gravel_post_rcv_buffer_rdma (buffer 0x");
}

#[test]
fn a_message_that_is_never_sent_over_tcp() {
    let test = "standstill::a_message_that_is_never_sent_over_tcp";
    deprived(Network::Tcp, test, receives, NOT_SENT, "gravel_post_rcv_buffer_rdma (buffer 0x");
}

#[test]
fn a_message_that_is_never_received() {
    let send = |world: &mut World| {
        let message = vec![1; LONG];
        let request = world.send(&message, 1, 7);
        error_of(world, request)
    };
    deprived(Network::Shm, "standstill::a_message_that_is_never_received", send, NOT_RECEIVED, "gravel_post_send (");
}

#[test]
fn an_announced_message_that_is_never_received() {
    let send = |world: &mut World| {
        let message = vec![1; LONG];
        let request = world.offer(&message, 1, 7);
        error_of(world, request)
    };
    let test = "standstill::an_announced_message_that_is_never_received";
    deprived(Network::Tcp, test, send, NOT_RECEIVED, "gravel_post_snd_buffer_rdma (");
}

#[test]
fn an_announcement_that_never_comes() {
    let wait = |world: &mut World| *world.runtime().wait_announcement(1, 7, COMMUNICATOR).expect_err("it never comes");
    deprived(
        Network::Shm,
        "standstill::an_announcement_that_never_comes",
        wait,
        NOT_SENT,
        "gravel_wait_snd_request in ",
    );
}

#[test]
fn a_test_loop_for_a_message_that_is_never_sent() {
    let test = |world: &mut World| {
        let mut buffer = vec![0; 100];
        let request = world.post(&mut buffer, 1, 7);
        loop {
            match world.runtime().test(request) {
                Ok(None) => {}
                Ok(completion) => panic!("{completion:?}"),
                Err(error) => break *error,
            }
        }
    };
    let name = "standstill::a_test_loop_for_a_message_that_is_never_sent";
    deprived(Network::Shm, name, test, NOT_SENT, "gravel_test in ");
}

/// Ends this process after the waits of a test have been looked at, whatever it does.
fn end_in(seconds: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        // SAFETY: ends this process at once, without any of its own code.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    });
}

fn circle(network: Network, test: &str) {
    watched(
        network,
        test,
        3,
        &[0, 1, 2],
        |world| {
            // After gravel_init, so that all have waited as long.
            end_in(8);
            let next = (world.rank() + 1) % 3;
            let mut buffer = vec![0; 100];
            let request = world.post(&mut buffer, next, 4);
            let _ = world.try_wait(request);
        },
        |said| {
            for (rank, said) in said.iter().enumerate() {
                let (next, last) = ((rank + 1) % 3, (rank + 2) % 3);
                let [own, first, second] = [
                    format!("gravel: rank {rank}: GRAVEL_CHECK: this rank waits since "),
                    format!("rank {next} waits for rank {last} since "),
                    format!("rank {last} waits for rank {rank} since "),
                ];
                let end = format!("none can go on: rank {rank}, rank {next}, rank {last}, rank {rank}");
                assert_said(said, &[&own, &first, &second, &end, "gravel_wait in ", "tag 4"]);
                assert_eq!(said.matches("none can go on").count(), 1, "{said}");
            }
        },
    );
}

#[test]
fn a_circle_is_named_by_all_of_its_ranks() {
    circle(Network::Shm, "standstill::a_circle_is_named_by_all_of_its_ranks");
}

#[test]
fn a_circle_over_tcp_is_named() {
    circle(Network::Tcp, "standstill::a_circle_over_tcp_is_named");
}

/// Rank 1 comes late, rank 2 later still; and rank 0 waits for any of them, and for rank 1 that waits for rank 2.
#[test]
fn who_is_only_late_is_not_accused() {
    watched(
        Network::Shm,
        "standstill::who_is_only_late_is_not_accused",
        3,
        &[],
        |world| {
            let mut buffer = vec![0; 100];
            match world.rank() {
                0 => {
                    let receiving = world.post(&mut buffer, 1, 1);
                    world.wait_receive(receiving, 1, 1);
                    let receiving = world.post_any(&mut buffer, 2);
                    assert_eq!(world.wait_any_source(receiving), (2, 2, 100));
                }
                1 => {
                    let receiving = world.post(&mut buffer, 2, 1);
                    world.wait_receive(receiving, 2, 1);
                    let sending = world.send(&buffer, 0, 1);
                    world.wait_send(sending);
                }
                _ => {
                    std::thread::sleep(Duration::from_secs(5));
                    let sending = world.send(&buffer, 1, 1);
                    world.wait_send(sending);
                    std::thread::sleep(Duration::from_secs(4));
                    let sending = world.offer(&buffer, 0, 2);
                    world.wait_send(sending);
                }
            }
        },
        |said| assert!(said.iter().all(String::is_empty), "{said:?}"),
    );
}

/// One of several that would do ends nothing: it may be another.
#[test]
fn of_several_waits_none_is_ended() {
    watched(
        Network::Shm,
        "standstill::of_several_waits_none_is_ended",
        3,
        &[],
        |world| {
            let mut buffer = vec![0; 100];
            match world.rank() {
                0 => {
                    let receiving = world.post_any(&mut buffer, 2);
                    assert_eq!(world.wait_any_source(receiving), (2, 2, 100));
                }
                1 => {}
                _ => {
                    std::thread::sleep(Duration::from_secs(5));
                    let sending = world.offer(&buffer, 0, 2);
                    world.wait_send(sending);
                }
            }
        },
        |said| assert!(said.iter().all(String::is_empty), "{said:?}"),
    );
}
