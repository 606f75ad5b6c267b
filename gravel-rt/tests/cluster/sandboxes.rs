//! System calls that sandboxes forbid, one by one, in one rank and in all: what does the same job in another way is used, one
//! line says so where that costs something, and only where nothing is left does `gravel_init` fail, on every rank.

use std::fs;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _};

use gravel::{Error, MpiConstants, Rank, Runtime};

use crate::faults::forbid;
use crate::launcher::{Meeting, Network, processes};
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, fill, first_difference, static_buffer};

const RANKS: Rank = 3;
const LONG: usize = 300_000;

/// Which ranks may not make the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    One,
    All,
}

impl Where {
    fn holds_for(self, rank: Rank) -> bool {
        self == Self::All || rank == 1
    }
}

/// Does something while standard error goes to a file, and says what was written.
fn written(call: impl FnOnce()) -> String {
    // SAFETY: descriptors of this process, which nobody closes meanwhile; the file is new.
    unsafe {
        let before = libc::dup(2);
        let mut file = tempfile::tempfile().expect("a file");
        assert_eq!(libc::dup2(file.as_raw_fd(), 2), 2);
        call();
        libc::dup2(before, 2);
        drop(fs::File::from_raw_fd(before));
        let mut text = String::new();
        std::io::Seek::rewind(&mut file).expect("a file");
        file.read_to_string(&mut text).expect("text");
        text
    }
}

fn init(meeting: &Meeting, providers: &str) -> gravel::Result<Runtime> {
    let constants = MpiConstants { proc_null: PROC_NULL, any_source: ANY_SOURCE, any_tag: ANY_TAG };
    let variables = [("GRAVEL_PROVIDER".into(), providers.into())];
    Runtime::init(Box::new(meeting.clone()), COMMUNICATOR, constants, variables)
}

/// Messages of all lengths between all ranks, into program data, too.
fn exchange(world: &mut World, program_data: &mut [u8]) {
    let (next, previous) = ((world.rank() + 1) % RANKS, (world.rank() + RANKS - 1) % RANKS);
    for (tag, length) in [(0, 8), (1, 10_000), (2, LONG)] {
        let mut message = vec![0; length];
        fill(&mut message, world.rank());
        let receiving = world.post(&mut program_data[..length], previous, tag);
        let sending = world.send(&message, next, tag);
        assert_eq!(world.wait_receive(receiving, previous, tag), length);
        assert_eq!(first_difference(&program_data[..length], previous), None);
        world.wait_send(sending);
    }
}

/// The lines that each rank has written during `gravel_init`, on every rank.
fn said_by_all(world: &World, mine: &str) -> Vec<String> {
    let mut padded = mine.as_bytes().to_vec();
    assert!(padded.len() <= 4096, "{mine}");
    padded.resize(4096, 0);
    let all = world.outside_exchange(&padded);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    all.chunks(4096).map(text).filter(|text| !text.is_empty()).collect()
}

/// Between ranks of which some may not make a call. `is_memfd`: there is no shared memory without it.
fn with_a_substitute(name: &str, call: libc::c_long, errno: libc::c_int, ranks: Where) {
    let is_memfd = call == libc::SYS_memfd_create;
    processes(&[Network::Shm], &format!("sandboxes::{name}"), RANKS, &[], |meeting, _| {
        if ranks.holds_for(meeting.rank()) {
            forbid(call, errno);
        }
        let mut world = None;
        let said = written(|| world = Some(World::new(meeting, &[("GRAVEL_PROVIDER", "auto")])));
        let mut world = world.expect("gravel_init");
        for route in world.runtime().routes().to_vec() {
            let is_concerned = ranks.holds_for(route.peer) || ranks.holds_for(world.rank());
            let by_tcp = is_memfd && is_concerned && route.peer != world.rank();
            assert_eq!(route.interconnect.name() == "tcp", by_tcp, "{route:?}");
        }
        let said = said_by_all(&world, &said);
        if is_memfd {
            let [line] = &said[..] else { panic!("{said:?}") };
            assert_eq!(line.lines().count(), 1, "{line}");
            let who = match ranks {
                Where::One => "rank 1: ranks 0 and 2",
                Where::All => "rank 0: ranks 1 and 2",
            };
            let what = "on this host are reached by tcp, which is slower than shared memory: ";
            assert!(line.starts_with(&format!("gravel: {who} {what}")), "{line}");
            let why = std::io::Error::from_raw_os_error(errno).to_string();
            assert!(line.contains("memfd_create") && line.contains(&why), "{line}");
        } else {
            assert!(said.is_empty(), "{said:?}");
        }
        exchange(&mut world, static_buffer());
        world.finish();
    });
}

/// A test for each call that libgravel makes of those that sandboxes are known to forbid: how, and where.
macro_rules! each_with_a_substitute {
    ($($name:ident: $call:ident, $errno:ident, $ranks:ident;)*) => {$(
        #[test]
        fn $name() {
            with_a_substitute(stringify!($name), libc::$call, libc::$errno, Where::$ranks);
        }
    )*};
}

each_with_a_substitute! {
    without_memfd_create_in_one_rank: SYS_memfd_create, EPERM, One;
    without_memfd_create: SYS_memfd_create, ENOSYS, All;
    without_getrandom: SYS_getrandom, EPERM, All;
    without_getrandom_in_one_rank: SYS_getrandom, ENOSYS, One;
    without_pidfd_open: SYS_pidfd_open, EPERM, All;
    without_pidfd_open_in_one_rank: SYS_pidfd_open, ENOSYS, One;
    without_process_vm_readv: SYS_process_vm_readv, ENOSYS, All;
    without_process_vm_writev_in_one_rank: SYS_process_vm_writev, EPERM, One;
    without_membarrier: SYS_membarrier, ENOSYS, All;
    without_membarrier_in_one_rank: SYS_membarrier, EPERM, One;
    without_userfaultfd: SYS_userfaultfd, EPERM, All;
    without_madvise: SYS_madvise, EPERM, All;
    without_mlock: SYS_mlock, EPERM, All;
    without_sched_getaffinity_in_one_rank: SYS_sched_getaffinity, EPERM, One;
}

/// With tcp alone, what shared memory needs is not missed, and the other way round.
#[test]
fn what_is_not_used_may_be_forbidden() {
    let networks = [Network::Shm, Network::Tcp];
    processes(&networks, "sandboxes::what_is_not_used_may_be_forbidden", RANKS, &[], |meeting, (_, provider)| {
        let calls: &[libc::c_long] = match provider {
            "tcp" => &[libc::SYS_memfd_create, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev],
            _ => &[libc::SYS_socket, libc::SYS_epoll_create1, libc::SYS_eventfd2, libc::SYS_timerfd_create],
        };
        calls.iter().for_each(|&call| forbid(call, libc::EPERM));
        let mut world = None;
        let said = written(|| world = Some(World::new(meeting, &[("GRAVEL_PROVIDER", provider)])));
        assert_eq!(said, "");
        let mut world = world.expect("gravel_init");
        exchange(&mut world, static_buffer());
        world.finish();
    });
}

/// Rank 1 may use shared memory alone, which rank 2 has not: both hear why.
#[test]
fn a_pair_without_anything_in_common_hears_why() {
    let name = "sandboxes::a_pair_without_anything_in_common_hears_why";
    processes(&[Network::Shm], name, RANKS, &[], |meeting, _| {
        let (rank, provider) = (meeting.rank(), ["shm,tcp", "shm", "shm,tcp"][meeting.rank()]);
        if rank == 2 {
            forbid(libc::SYS_memfd_create, libc::EPERM);
        }
        let error = *init(&meeting, provider).err().expect("two ranks have nothing in common");
        match rank {
            0 => assert!(matches!(error, Error::CollectiveFailed { .. }), "{error}"),
            _ => {
                let Error::Unreachable { peer, reason, .. } = &error else { panic!("{error}") };
                assert_eq!(*peer, 3 - rank);
                assert!(reason.contains("memfd_create") && reason.contains("tcp"), "{reason}");
            }
        }
    });
}

/// Rank 1 may not make a call without which tcp can't be, where nothing else is left: nobody initialises, and nobody hangs.
fn nothing_is_left(name: &str, call: libc::c_long) {
    processes(&[Network::Shm], &format!("sandboxes::{name}"), RANKS, &[], |meeting, _| {
        forbid(libc::SYS_memfd_create, libc::EPERM);
        if meeting.rank() == 1 {
            forbid(call, libc::EPERM);
        }
        let error = *init(&meeting, "auto").err().expect("nothing is left");
        match (meeting.rank(), &error) {
            (1, error) => assert!(error.to_string().contains("Operation not permitted"), "{error}"),
            (_, Error::CollectiveFailed { peer: 1, .. } | Error::Unreachable { peer: 1, .. }) => {}
            (_, error) => panic!("{error}"),
        }
    });
}

macro_rules! each_with_nothing_left {
    ($($name:ident: $call:ident;)*) => {$(
        #[test]
        fn $name() {
            nothing_is_left(stringify!($name), libc::$call);
        }
    )*};
}

each_with_nothing_left! {
    nothing_is_left_without_sockets: SYS_socket;
    nothing_is_left_without_epoll: SYS_epoll_create1;
    nothing_is_left_without_eventfd: SYS_eventfd2;
    nothing_is_left_without_timerfd: SYS_timerfd_create;
}
