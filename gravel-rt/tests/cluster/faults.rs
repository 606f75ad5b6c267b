//! What the machine does to a job: ranks that are killed or stopped, calls that the system forbids, limits that are
//! reached. Others get an error that names the rank or the limit, and nobody hangs.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use gravel::protocol::completion::Completion;
use gravel::{Error, MpiConstants, Runtime};

use crate::launcher::{Meeting, Network, cluster_over, processes};
use crate::world::{
    ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, describe, fill, first_difference, is_death_of, static_buffer,
};

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
    processes(&networks, &format!("faults::{name}"), 3, &[1], |meeting, provider| {
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
    processes(&networks, "faults::a_rank_that_was_killed_is_missed_in_finalize", 3, &[1], |meeting, provider| {
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
    let test = "faults::a_rank_is_killed_for_which_others_wait_in_every_way";
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

#[test]
fn a_stopped_rank_is_waited_for() {
    let networks = [Network::Shm, Network::Tcp, Network::Verbs];
    cluster_over(&networks, "faults::a_stopped_rank_is_waited_for", 2, &[], |world| {
        // A minute in the long form: longer than anything in the system that counts time.
        let stopped = Duration::from_secs(if crate::soak::length() > 1 { 60 } else { 2 });
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

fn init(meeting: &Meeting, (name, value): (&str, &str)) -> gravel::Result<Runtime> {
    let constants = MpiConstants { proc_null: PROC_NULL, any_source: ANY_SOURCE, any_tag: ANY_TAG };
    let variables = [("GRAVEL_LOG", "off"), (name, value)].map(|(name, value)| (OsString::from(name), value.into()));
    Runtime::init(Box::new(meeting.clone()), COMMUNICATOR, constants, variables)
}

/// Makes a system call fail in this process, as containers and limits do.
pub fn forbid(call: libc::c_long, errno: libc::c_int) {
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

/// Sends a long message each way, into program data.
fn exchange(world: &mut World, program_data: &mut [u8], tag: i32) {
    let peer = 1 - world.rank();
    let mut message = vec![0; LONG];
    fill(&mut message, world.rank());
    let receiving = world.post(&mut program_data[..LONG], peer, tag);
    let sending = world.send(&message, peer, tag);
    assert_eq!(world.wait_receive(receiving, peer, tag), LONG);
    assert_eq!(first_difference(&program_data[..LONG], peer), None);
    world.wait_send(sending);
}

/// One of three ranks cannot initialise; then none does, and that one says why.
fn nobody_initialises(networks: &[Network], name: &str, call: libc::c_long, errno: libc::c_int, said: &str) {
    processes(networks, &format!("faults::{name}"), 3, &[], |meeting, provider| {
        if meeting.rank() == 1 {
            forbid(call, errno);
        }
        let error = init(&meeting, provider).err().expect("a rank cannot initialise");
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
        &[Network::Shm],
        "out_of_file_descriptors_nobody_initialises",
        libc::SYS_memfd_create,
        libc::EMFILE,
        "Too many open files",
    );
}

#[test]
fn out_of_memory_for_segments_nobody_initialises() {
    nobody_initialises(
        &[Network::Shm],
        "out_of_memory_for_segments_nobody_initialises",
        libc::SYS_ftruncate,
        libc::ENOSPC,
        "No space left on device",
    );
}

/// Between sockets nothing moves without the pump thread. Without the helper thread it does.
#[test]
fn where_the_pump_cannot_start_nobody_initialises() {
    nobody_initialises(
        &[Network::Tcp, Network::Mixed],
        "where_the_pump_cannot_start_nobody_initialises",
        libc::SYS_clone3,
        libc::EAGAIN,
        "starting thread gravel-pump (limit: RLIMIT_NPROC)",
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

#[test]
fn where_process_vm_readv_is_forbidden_offers_are_put() {
    let name = "faults::where_process_vm_readv_is_forbidden_offers_are_put";
    processes(&[Network::Shm], name, 2, &[], |meeting, provider| {
        if meeting.rank() == 1 {
            forbid(libc::SYS_process_vm_readv, libc::EPERM);
        }
        let mut world = World::new(meeting, &[provider]);
        let peer = 1 - world.rank();
        let mut message = vec![0; LONG];
        fill(&mut message, world.rank());
        let mut received = vec![0; LONG];
        let receiving = world.post_any(&mut received, 0);
        let sending = world.offer(&message, peer, 0);
        assert_eq!(world.wait_any_source(receiving), (peer, 0, LONG));
        assert_eq!(first_difference(&received, peer), None);
        world.wait_send(sending);
        world.finish();
    });
}

/// Sets the soft limit of a resource, and says what it was.
pub fn limit(resource: libc::__rlimit_resource_t, value: libc::rlim_t) -> libc::rlim_t {
    // SAFETY: the limits are plain numbers, of which both calls get valid ones.
    unsafe {
        let mut limits: libc::rlimit = std::mem::zeroed();
        assert_eq!(libc::getrlimit(resource, &raw mut limits), 0);
        let before = std::mem::replace(&mut limits.rlim_cur, value);
        assert_eq!(libc::setrlimit(resource, &raw const limits), 0);
        before
    }
}

#[test]
fn with_no_file_descriptor_left_messages_arrive_all_the_same() {
    let networks = [Network::Shm, Network::Tcp];
    cluster_over(&networks, "faults::with_no_file_descriptor_left_messages_arrive_all_the_same", 2, &[], |world| {
        let program_data = static_buffer();
        let next = fs::File::open("/dev/null").expect("a descriptor is left");
        let next = std::os::fd::AsRawFd::as_raw_fd(&next) as libc::rlim_t;
        // Neither can the own pages be adopted, nor the peer's be mapped, nor its life be looked at.
        let before = limit(libc::RLIMIT_NOFILE, next);
        assert!(fs::File::open("/dev/null").is_err(), "a descriptor is left");
        exchange(world, program_data, 0);
        limit(libc::RLIMIT_NOFILE, before);
        world.outside_barrier();
        exchange(world, program_data, 1);
    });
}

#[test]
fn without_descriptors_a_long_wait_goes_on() {
    let networks = [Network::Shm, Network::Tcp];
    cluster_over(&networks, "faults::without_descriptors_a_long_wait_goes_on", 2, &[], |world| {
        let program_data = static_buffer();
        if world.rank() == 0 {
            // Long enough for the wait to look several times whether the peer lives.
            world.outside_barrier();
            std::thread::sleep(Duration::from_millis(500));
            exchange(world, program_data, 0);
        } else {
            world.outside_barrier();
            let before = limit(libc::RLIMIT_NOFILE, 3);
            exchange(world, program_data, 0);
            limit(libc::RLIMIT_NOFILE, before);
        }
        world.outside_barrier();
    });
}

#[test]
fn where_no_memory_may_be_locked_messages_arrive() {
    let networks = [Network::Shm, Network::Tcp];
    processes(&networks, "faults::where_no_memory_may_be_locked_messages_arrive", 2, &[], |meeting, provider| {
        limit(libc::RLIMIT_MEMLOCK, 0);
        let mut world = World::new(meeting, &[provider]);
        let program_data = static_buffer();
        exchange(&mut world, program_data, 0);
        world.finish();
    });
}

/// Puts an empty file system, which takes nothing, where others put files of shared memory. False if this process may not.
fn take_shared_memory_files_away() -> bool {
    // SAFETY: valid strings; it concerns this thread, which goes on in a name space of its own, and what it starts.
    unsafe {
        if libc::unshare(libc::CLONE_NEWNS) != 0 {
            return false;
        }
        let (none, root) = (c"none".as_ptr(), c"/".as_ptr());
        let private = libc::MS_REC | libc::MS_PRIVATE;
        assert_eq!(libc::mount(none, root, std::ptr::null(), private, std::ptr::null()), 0);
        let (place, kind) = (c"/dev/shm".as_ptr(), c"tmpfs".as_ptr());
        assert_eq!(libc::mount(none, place, kind, libc::MS_RDONLY, std::ptr::null()), 0);
    }
    assert!(fs::write("/dev/shm/gravel-test", []).is_err(), "the file system takes files");
    true
}

#[test]
fn without_dev_shm_everything_works() {
    processes(&[Network::Shm], "faults::without_dev_shm_everything_works", 2, &[], |meeting, provider| {
        if !take_shared_memory_files_away() {
            println!("    without_dev_shm_everything_works: only its messages, for this user may not mount");
        }
        let mut world = World::new(meeting, &[provider]);
        exchange(&mut world, static_buffer(), 0);
        world.finish();
    });
}

#[test]
fn where_no_thread_can_be_started_messages_arrive_in_waits() {
    let name = "faults::where_no_thread_can_be_started_messages_arrive_in_waits";
    processes(&[Network::Shm], name, 2, &[], |meeting, provider| {
        forbid(libc::SYS_clone3, libc::EAGAIN);
        assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "a thread has been started");
        let mut world = World::new(meeting, &[provider, ("GRAVEL_LOG", "off")]);
        exchange(&mut world, static_buffer(), 0);
        world.finish();
    });
}
