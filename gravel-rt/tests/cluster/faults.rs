//! What the machine does to a job: ranks that are killed or stopped, calls that the system forbids, limits that are
//! reached. Others get an error that names the rank or the limit, and nobody hangs.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use gravel::{Error, MpiConstants, Runtime};

use crate::launcher::{Meeting, Network, cluster_over, processes};
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, fill, first_difference, is_death_of};

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
    processes(networks, &format!("faults::{name}"), 3, &[1], |meeting, provider| {
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
            // A message that was complete before the death may arrive; nothing else may be taken for one.
            match world.try_wait(receiving) {
                Ok(_) => {
                    assert_eq!(last, Step::Ended, "a message that was never ended has arrived");
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

#[test]
fn a_rank_is_killed_in_mid_put_over_networks() {
    killed_over(&NETWORKS, "a_rank_is_killed_in_mid_put_over_networks", Step::HalfPut, "adopt,cma");
}

#[test]
fn a_rank_is_killed_after_the_fin_over_networks() {
    killed_over(&NETWORKS, "a_rank_is_killed_after_the_fin_over_networks", Step::Ended, "adopt,cma");
}

#[test]
fn a_killed_rank_leaves_no_file() {
    let named = || {
        let names = fs::read_dir("/dev/shm").into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().contains("gravel")).collect::<Vec<_>>()
    };
    let before = named();
    killed_at("a_killed_rank_leaves_no_file", Step::HalfPut, "adopt,cma");
    assert_eq!(named(), before);
}

#[test]
fn a_stopped_rank_is_waited_for() {
    let networks = [Network::Shm, Network::Tcp, Network::Verbs];
    cluster_over(&networks, "faults::a_stopped_rank_is_waited_for", 2, &[], |world| {
        let stopped = Duration::from_secs(2);
        let peer = 1 - world.rank();
        let mut message = vec![0; LONG];
        fill(&mut message, world.rank());
        let mut received = vec![0; LONG];
        if world.rank() == 1 {
            // SAFETY: the child only sleeps, continues its parent, and leaves by _exit.
            unsafe {
                let stopper = libc::getpid();
                let child = libc::fork();
                if child == 0 {
                    libc::usleep(stopped.as_micros() as libc::useconds_t);
                    libc::kill(stopper, libc::SIGCONT);
                    libc::_exit(0);
                }
                libc::kill(stopper, libc::SIGSTOP);
                let mut status = 0;
                libc::waitpid(child, &raw mut status, 0);
            }
        }
        let receiving = world.post(&mut received, peer, 0);
        let sending = world.send(&message, peer, 0);
        assert_eq!(world.wait_receive(receiving, peer, 0), LONG);
        assert_eq!(first_difference(&received, peer), None);
        world.wait_send(sending);
    });
}

fn init(meeting: &Meeting) -> gravel::Result<Runtime> {
    let constants = MpiConstants { proc_null: PROC_NULL, any_source: ANY_SOURCE, any_tag: ANY_TAG };
    let variables = [(OsString::from("GRAVEL_LOG"), OsString::from("off"))];
    Runtime::init(Box::new(meeting.clone()), COMMUNICATOR, constants, variables)
}

/// Makes a system call fail in this process, as containers and limits do.
fn forbid(call: libc::c_long, errno: libc::c_int) {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let instruction = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut program = [
        instruction(LOAD_NUMBER, 0, 0, 0),
        instruction(JUMP_IF_EQUAL, 0, 1, call as u32),
        instruction(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | errno as u32),
        instruction(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog { len: program.len() as libc::c_ushort, filter: program.as_mut_ptr() };
    // SAFETY: the filter and its program are valid during the calls; it concerns this process and its children.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter), 0);
    }
}

/// One of three ranks cannot initialise; then none does, and that one says why.
fn nobody_initialises(name: &str, call: libc::c_long, errno: libc::c_int, said: &str) {
    processes(&[Network::Shm], &format!("faults::{name}"), 3, &[], |meeting, _| {
        if meeting.rank() == 1 {
            forbid(call, errno);
        }
        let error = init(&meeting).err().expect("a rank cannot initialise");
        if meeting.rank() == 1 {
            assert!(error.to_string().contains(said), "{error}");
        } else {
            assert!(matches!(*error, Error::CollectiveFailed { peer: 1, .. }), "{error}");
        }
    });
}

#[test]
fn out_of_file_descriptors_nobody_initialises() {
    nobody_initialises(
        "out_of_file_descriptors_nobody_initialises",
        libc::SYS_memfd_create,
        libc::EMFILE,
        "Too many open files",
    );
}

#[test]
fn out_of_memory_for_segments_nobody_initialises() {
    nobody_initialises(
        "out_of_memory_for_segments_nobody_initialises",
        libc::SYS_ftruncate,
        libc::ENOSPC,
        "No space left on device",
    );
}

#[test]
fn where_process_vm_writev_is_forbidden_messages_are_staged() {
    let name = "faults::where_process_vm_writev_is_forbidden_messages_are_staged";
    processes(&[Network::Shm], name, 2, &[], |meeting, provider| {
        if meeting.rank() == 1 {
            forbid(libc::SYS_process_vm_writev, libc::EPERM);
        }
        let mut world = World::new(meeting, &[provider]);
        let peer = 1 - world.rank();
        let mut message = vec![0; LONG];
        fill(&mut message, world.rank());
        let mut received = vec![0; LONG];
        let receiving = world.post(&mut received, peer, 0);
        let sending = world.send(&message, peer, 0);
        assert_eq!(world.wait_receive(receiving, peer, 0), LONG);
        assert_eq!(first_difference(&received, peer), None);
        world.wait_send(sending);
        world.finish();
    });
}
