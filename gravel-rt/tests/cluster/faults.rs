//! What the machine does to a job: ranks that are stopped, calls that the system forbids, limits that are reached. Others get
//! an error that names the rank or the limit, and nobody hangs. What happens where ranks are killed is in `deaths`.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use gravel::{Error, MpiConstants, Runtime};

use crate::launcher::{Meeting, Network, cluster_over, processes};
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, fill, first_difference, static_buffer};

/// Long enough to be put, not sent eagerly, and to need several pieces of the staging ring.
const LONG: usize = 300_000;

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
            let is_unreachable = matches!(*error, Error::Unreachable { peer: 1, .. });
            assert!(is_unreachable || matches!(*error, Error::CollectiveFailed { peer: 1, .. }), "{error}");
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
        // What the thread would do, for the receive is posted later, waits for the next call.
        let mut message = vec![0; LONG];
        if world.rank() == 0 {
            let sending = world.send(&message, 1, 1);
            world.outside_barrier();
            world.wait_send(sending);
        } else {
            world.outside_barrier();
            let receiving = world.post(&mut message, 0, 1);
            assert_eq!(world.wait_receive(receiving, 0, 1), LONG);
        }
        world.finish();
    });
}
