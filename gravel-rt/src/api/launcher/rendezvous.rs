//! Where the ranks of a job meet: an abstract socket of rank 0, which serves the collectives.
//!
//! Every other rank keeps one connection to rank 0. Both ends see which user the other belongs to, and refuse any but
//! their own. A rank that ends closes its connection: the others get an error, and none waits for it.
//!
//! On several hosts both ends of a connection come to the switchboard of gravel-run, which is a socket on each host, and say
//! who calls whom (gravelc's `cli/launch/switchboard.rs`). From then on all is as on one host.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use super::job::{Job, user};
use crate::Rank;
use crate::error::{Error, Result};
use crate::sys::log;

/// First bytes of every connection: name and version of the protocol.
const MAGIC: [u8; 8] = *b"gravel 1";
/// Magic, rank, ranks.
const HELLO_BYTES: usize = 24;
/// How long rank 0 listens to one connection that does not say who it is.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest pause between two attempts to find rank 0.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);
/// After so long a rank says whom it is waiting for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Answers a hello, and a barrier.
const GO: [u8; 1] = [1];

/// The connections of one rank.
pub enum Meeting {
    /// Of rank 0: to ranks 1, 2, ..., and which of them have entered the barrier.
    Center(Vec<Member>),
    /// Of another rank: to rank 0.
    Member(UnixStream),
}

/// A connection of rank 0.
pub struct Member {
    stream: UnixStream,
    is_in_barrier: bool,
}

/// Whom a socket is connected to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer {
    /// Its process, or that which made the socket.
    pub(super) process: i32,
    user: u32,
}

/// The other end of a local socket, if it is one.
pub(super) fn peer_of(descriptor: RawFd) -> Option<Peer> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut bytes = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the result is a structure of the given length; a descriptor that is no socket is an error.
    let code = unsafe {
        libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut credentials).cast(), &raw mut bytes)
    };
    (code == 0).then_some(Peer { process: credentials.pid, user: credentials.uid })
}

fn is_ours(stream: &UnixStream) -> bool {
    peer_of(stream.as_raw_fd()).is_some_and(|peer| peer.user == user())
}

impl Meeting {
    /// Connects the ranks of a job. Collective.
    pub(super) fn open(job: &Job) -> Result<Self> {
        if job.ranks == 1 {
            return Ok(Self::Center(Vec::new()));
        }
        if let Some(switchboard) = &job.switchboard {
            return if job.rank == 0 { Self::call(job, switchboard) } else { Self::answer(job, switchboard) };
        }
        let address = SocketAddr::from_abstract_name(&job.name)
            .map_err(|error| Error::system(format!("naming the meeting point {}", job.name), &error))?;
        if job.rank == 0 { Self::gather(job, &address) } else { Self::join(job, &address) }
    }

    /// Rank 0 calls all others.
    fn call(job: &Job, switchboard: &Path) -> Result<Self> {
        let called = |rank| connected(job, switchboard, rank);
        let streams: Vec<UnixStream> = (1..job.ranks).map(called).collect::<Result<_>>()?;
        let mut members = Vec::new();
        for (rank, mut stream) in (1..).zip(streams) {
            if hello_from(&mut stream, job.ranks) != Some(rank) {
                return Err(Error::Launcher(format!("what answers for rank {rank} is not of this job")).into());
            }
            members.push(Member { stream, is_in_barrier: false });
        }
        release(&mut members)?;
        Ok(Self::Center(members))
    }

    /// Another rank is called by rank 0.
    fn answer(job: &Job, switchboard: &Path) -> Result<Self> {
        Self::introduced(job, connected(job, switchboard, 0)?)
    }

    fn gather(job: &Job, address: &SocketAddr) -> Result<Self> {
        let failed = |error| Error::system(format!("opening the meeting point {}", job.name), &error);
        let listener = UnixListener::bind_addr(address).map_err(failed)?;
        let mut members: Vec<Option<UnixStream>> = (1..job.ranks).map(|_| None).collect();
        while members.iter().any(Option::is_none) {
            let (mut stream, _) = listener.accept().map_err(failed)?;
            let Some(rank) = hello_from(&mut stream, job.ranks) else { continue };
            match &mut members[rank - 1] {
                place @ None => *place = Some(stream),
                Some(_) => log::error!("a second process says that it is rank {rank} of this job: refused"),
            }
        }
        let mut members: Vec<Member> =
            members.into_iter().flatten().map(|stream| Member { stream, is_in_barrier: false }).collect();
        // Only now: whoever goes on finds nobody at the old address.
        drop(listener);
        release(&mut members)?;
        Ok(Self::Center(members))
    }

    fn join(job: &Job, address: &SocketAddr) -> Result<Self> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        let mut has_complained = false;
        let stream = loop {
            match UnixStream::connect_addr(address) {
                Ok(stream) => break stream,
                Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => {}
                Err(error) => {
                    return Err(Error::system(format!("joining the meeting point {}", job.name), &error).into());
                }
            }
            if !has_complained && started.elapsed() > PATIENCE {
                log::warning!("rank {} is waiting for rank 0 of its job to start on this host", job.rank);
                has_complained = true;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        };
        if !is_ours(&stream) {
            let text = format!("another user's process has taken the name {} of this job's meeting point", job.name);
            return Err(Error::Launcher(text).into());
        }
        Self::introduced(job, stream)
    }

    /// Says who is there, and waits until all are.
    fn introduced(job: &Job, mut stream: UnixStream) -> Result<Self> {
        let hello = hello(job.rank, job.ranks);
        let mut answer = GO;
        stream.write_all(&hello).and_then(|()| stream.read_exact(&mut answer)).map_err(|error| lost(0, &error))?;
        Ok(Self::Member(stream))
    }

    /// See [`crate::host::Host::all_gather`].
    pub(super) fn all_gather(&mut self, ranks: Rank, mine: &[u8]) -> Result<Vec<u8>> {
        let bytes = mine.len();
        match self {
            Self::Center(members) => {
                let mut all = vec![0; bytes * ranks];
                all[..bytes].copy_from_slice(mine);
                for (index, member) in members.iter_mut().enumerate() {
                    let (rank, mut length) = (index + 1, [0; 8]);
                    member.stream.read_exact(&mut length).map_err(|error| lost(rank, &error))?;
                    if u64::from_le_bytes(length) != bytes as u64 {
                        let text = format!("rank {rank} exchanges other things than rank 0: is it the same program?");
                        return Err(Error::Launcher(text).into());
                    }
                    let place = &mut all[rank * bytes..(rank + 1) * bytes];
                    member.stream.read_exact(place).map_err(|error| lost(rank, &error))?;
                }
                for (index, member) in members.iter_mut().enumerate() {
                    member.stream.write_all(&all).map_err(|error| lost(index + 1, &error))?;
                }
                Ok(all)
            }
            Self::Member(stream) => {
                let mut all = vec![0; bytes * ranks];
                let mut frame = (bytes as u64).to_le_bytes().to_vec();
                frame.extend_from_slice(mine);
                let exchanged = stream.write_all(&frame).and_then(|()| stream.read_exact(&mut all));
                exchanged.map_err(|error| lost(0, &error))?;
                Ok(all)
            }
        }
    }

    /// See [`crate::host::Host::begin_barrier`].
    pub(super) fn begin_barrier(&mut self) -> Result<()> {
        match self {
            Self::Center(_) => Ok(()),
            Self::Member(stream) => stream.write_all(&GO).map_err(|error| lost(0, &error)),
        }
    }

    /// See [`crate::host::Host::test_barrier`].
    pub(super) fn test_barrier(&mut self) -> Result<bool> {
        match self {
            Self::Center(members) => {
                for (index, member) in members.iter_mut().enumerate() {
                    if !member.is_in_barrier {
                        member.is_in_barrier = has_come(&mut member.stream).map_err(|error| lost(index + 1, &error))?;
                    }
                }
                let is_complete = members.iter().all(|member| member.is_in_barrier);
                if is_complete {
                    release(members)?;
                }
                Ok(is_complete)
            }
            Self::Member(stream) => has_come(stream).map_err(|error| lost(0, &error)),
        }
    }
}

/// Magic, and two numbers: a rank and the number of ranks, or who calls whom.
fn hello(first: Rank, second: Rank) -> [u8; HELLO_BYTES] {
    let mut hello = [0; HELLO_BYTES];
    hello[..8].copy_from_slice(&MAGIC);
    hello[8..16].copy_from_slice(&(first as u64).to_le_bytes());
    hello[16..].copy_from_slice(&(second as u64).to_le_bytes());
    hello
}

/// A connection to another rank by the switchboard, once it has called, too.
fn connected(job: &Job, switchboard: &Path, other: Rank) -> Result<UnixStream> {
    let failed = |error| Error::system(format!("calling rank {other} at {}", switchboard.display()), &error);
    let mut stream = UnixStream::connect(switchboard).map_err(failed)?;
    if !is_ours(&stream) {
        let text = format!("the socket {} is another user's: it does not lead to this job", switchboard.display());
        return Err(Error::Launcher(text).into());
    }
    let called = stream.write_all(&hello(job.rank, other)).and_then(|()| {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut answered = stream.read_exact(&mut [0]);
        stream.set_read_timeout(None)?;
        if answered.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
            log::warning!("rank {} is waiting for rank {other} of its job to start", job.rank);
            answered = stream.read_exact(&mut [0]);
        }
        answered
    });
    called.map_err(|error| lost(other, &error))?;
    Ok(stream)
}

/// The rank that a new connection comes from; none if it is not of this job.
fn hello_from(stream: &mut UnixStream, ranks: Rank) -> Option<Rank> {
    let mut hello = [0; HELLO_BYTES];
    let has_come = is_ours(stream)
        && stream.set_read_timeout(Some(HELLO_TIMEOUT)).is_ok()
        && stream.read_exact(&mut hello).is_ok()
        && stream.set_read_timeout(None).is_ok();
    let rank = has_come.then(|| rank_in(&hello, ranks)).flatten();
    if rank.is_none() {
        log::warning!("a stranger came to the meeting point of this job: refused");
    }
    rank
}

/// The rank that a hello names, if it is for this job.
fn rank_in(hello: &[u8; HELLO_BYTES], ranks: Rank) -> Option<Rank> {
    let word = |start: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hello[start..start + 8]);
        Rank::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let rank = word(8)?;
    (hello[..8] == MAGIC && word(16) == Some(ranks) && (1..ranks).contains(&rank)).then_some(rank)
}

/// Lets all ranks go on.
fn release(members: &mut [Member]) -> Result<()> {
    for (index, member) in members.iter_mut().enumerate() {
        member.is_in_barrier = false;
        member.stream.write_all(&GO).map_err(|error| lost(index + 1, &error))?;
    }
    Ok(())
}

/// Whether the other end has written its byte.
fn has_come(stream: &mut UnixStream) -> std::io::Result<bool> {
    stream.set_nonblocking(true)?;
    let result = stream.read_exact(&mut [0]);
    stream.set_nonblocking(false)?;
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

fn lost(rank: Rank, error: &std::io::Error) -> Box<Error> {
    Error::Launcher(format!("rank {rank} has ended or given up ({error}): see its own error text")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranks_of_this_job_are_let_in() {
        let hello = |magic: &[u8; 8], rank: u64, ranks: u64| {
            let mut hello = [0; HELLO_BYTES];
            hello[..8].copy_from_slice(magic);
            hello[8..16].copy_from_slice(&rank.to_le_bytes());
            hello[16..].copy_from_slice(&ranks.to_le_bytes());
            hello
        };
        assert_eq!(rank_in(&hello(&MAGIC, 3, 4), 4), Some(3));
        for (rank, ranks) in [(0, 4), (4, 4), (u64::MAX, 4), (1, 2)] {
            assert_eq!(rank_in(&hello(&MAGIC, rank, ranks), 4), None, "{rank} of {ranks}");
        }
        assert_eq!(rank_in(&hello(b"gravel 2", 1, 4), 4), None);
    }

    /// The ranks as threads.
    fn meet(ranks: Rank, name: &str, body: impl Fn(Rank, Meeting) + Sync) {
        let name = format!("gravel-test-{}-{name}", std::process::id());
        std::thread::scope(|scope| {
            for rank in 0..ranks {
                let (name, body) = (name.clone(), &body);
                let job = Job { rank, ranks, name, switchboard: None };
                scope.spawn(move || body(rank, Meeting::open(&job).unwrap()));
            }
        });
    }

    #[test]
    fn everybody_gets_everything_in_rank_order() {
        meet(5, "gather", |rank, mut meeting| {
            for round in 0..3 {
                let all = meeting.all_gather(5, &[rank as u8, round]).unwrap();
                assert_eq!(all, [0, round, 1, round, 2, round, 3, round, 4, round]);
            }
        });
    }

    #[test]
    fn a_barrier_waits_for_the_last_rank() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let entered = AtomicUsize::new(0);
        meet(4, "barrier", |_, mut meeting| {
            for round in 1..=3 {
                entered.fetch_add(1, Ordering::SeqCst);
                meeting.begin_barrier().unwrap();
                while !meeting.test_barrier().unwrap() {
                    std::thread::yield_now();
                }
                assert!(entered.load(Ordering::SeqCst) >= 4 * round);
            }
        });
    }

    #[test]
    fn a_rank_that_ends_is_missed_by_all() {
        meet(3, "loss", |rank, mut meeting| {
            if rank != 2 {
                let error = meeting.all_gather(3, &[1]).unwrap_err();
                let missed = if rank == 0 { "rank 2" } else { "rank 0" };
                assert!(error.to_string().contains(missed), "{error}");
            }
        });
    }
}
