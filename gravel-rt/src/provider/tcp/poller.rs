//! Which connections have something, and where a thread sleeps until one has.
//!
//! All connections are in one epoll set, which whoever progresses looks at without blocking. The pump thread sleeps on a
//! second set that holds the first one, an eventfd, and a timer for what must not wait for the application's next call. So the pump is disarmed by taking one entry out of the second set,
//! and then no arrival wakes it: whatever comes is found by the application, which polls itself at that time.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::fork;
use crate::provider::Arrivals;

/// Connections taken from the set by one look.
const BATCH: usize = 64;
const CONNECTIONS: u64 = 0;
const WAKE: u64 = 1;
const REMINDER: u64 = 2;

/// What a connection has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// The peer.
    pub peer: Rank,
    /// Whether there are bytes to read, or the connection has ended.
    pub readable: bool,
    /// Whether there is room to write.
    pub writable: bool,
}

/// The connections of one rank.
pub struct Poller {
    connections: OwnedFd,
    sleeper: OwnedFd,
    wake: OwnedFd,
    reminder: OwnedFd,
    stopped: AtomicBool,
}

impl Poller {
    /// An empty set.
    pub fn new() -> Result<Self> {
        let describe = |cause| Error::system("creating epoll sets for tcp (limit: RLIMIT_NOFILE)", &cause);
        Self::open().map_err(|cause| describe(cause).into())
    }

    fn open() -> io::Result<Self> {
        // SAFETY: these calls have no preconditions.
        let (connections, sleeper, wake, reminder) = unsafe {
            (
                libc::epoll_create1(libc::EPOLL_CLOEXEC),
                libc::epoll_create1(libc::EPOLL_CLOEXEC),
                libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK),
                libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK),
            )
        };
        let own = |descriptor: RawFd| {
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            fork::add_descriptor(descriptor);
            // SAFETY: just opened, and nobody else's.
            Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
        };
        let poller = Self {
            connections: own(connections)?,
            sleeper: own(sleeper)?,
            wake: own(wake)?,
            reminder: own(reminder)?,
            stopped: AtomicBool::new(false),
        };
        // Disarmed at first: the entry is there, without any event.
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.connections.as_raw_fd(), 0, CONNECTIONS)?;
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.wake.as_raw_fd(), libc::EPOLLIN, WAKE)?;
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.reminder.as_raw_fd(), libc::EPOLLIN, REMINDER)?;
        Ok(poller)
    }

    /// Adds a peer's connection, for reading.
    pub fn add(&self, peer: Rank, socket: &impl AsRawFd) -> io::Result<()> {
        control(&self.connections, libc::EPOLL_CTL_ADD, socket.as_raw_fd(), libc::EPOLLIN, peer as u64)
    }

    /// Says whether room to write is waited for.
    pub fn wants_room(&self, peer: Rank, socket: &impl AsRawFd, wanted: bool) -> io::Result<()> {
        let events = if wanted { libc::EPOLLIN | libc::EPOLLOUT } else { libc::EPOLLIN };
        control(&self.connections, libc::EPOLL_CTL_MOD, socket.as_raw_fd(), events, peer as u64)
    }

    /// Takes a connection out. One that has ended would wake the pump for ever.
    pub fn remove(&self, socket: &impl AsRawFd) {
        // It was in, so there is nothing that could fail.
        let _ = control(&self.connections, libc::EPOLL_CTL_DEL, socket.as_raw_fd(), 0, 0);
    }

    /// Looks which connections have something now.
    pub fn ready(&self) -> impl Iterator<Item = Ready> + use<> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; BATCH];
        // SAFETY: the array has the given length.
        let count =
            unsafe { libc::epoll_wait(self.connections.as_raw_fd(), events.as_mut_ptr(), BATCH as libc::c_int, 0) };
        // An interrupted call has found nothing.
        let count = usize::try_from(count).unwrap_or(0);
        events.into_iter().take(count).map(|event| Ready {
            peer: event.u64 as Rank,
            readable: event.events & !libc::EPOLLOUT.cast_unsigned() != 0,
            writable: event.events & libc::EPOLLOUT.cast_unsigned() != 0,
        })
    }

    fn set_armed(&self, armed: bool) {
        let events = if armed { libc::EPOLLIN } else { 0 };
        let descriptor = self.connections.as_raw_fd();
        // The entry is there since the poller was made, so there is nothing that could fail.
        let _ = control(&self.sleeper, libc::EPOLL_CTL_MOD, descriptor, events, CONNECTIONS);
    }
}

impl Arrivals for Poller {
    fn arm(&self) {
        self.set_armed(true);
    }

    fn disarm(&self) {
        self.set_armed(false);
    }

    fn remind(&self, at: Option<u64>) {
        let nanoseconds = at.unwrap_or(0);
        let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let expiry = libc::timespec {
            tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
            tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
        };
        let setting = libc::itimerspec { it_interval: never, it_value: expiry };
        // SAFETY: the setting is valid during the call. It is one that a timer can have, so there is nothing that could fail.
        unsafe {
            let descriptor = self.reminder.as_raw_fd();
            libc::timerfd_settime(descriptor, libc::TFD_TIMER_ABSTIME, &raw const setting, std::ptr::null_mut());
        }
    }

    fn take_reminder(&self) {
        let mut expiries = 0u64;
        // SAFETY: room for eight bytes, as a timer wants. It does not block: where there is none, nothing is read.
        unsafe { libc::read(self.reminder.as_raw_fd(), (&raw mut expiries).cast(), size_of::<u64>()) };
    }

    fn wait(&self) -> bool {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        // SAFETY: room for one event.
        unsafe { libc::epoll_wait(self.sleeper.as_raw_fd(), &raw mut event, 1, -1) };
        if event.u64 == REMINDER {
            self.take_reminder();
        }
        // Interrupted or not: whoever is woken looks.
        !self.stopped.load(Ordering::Acquire)
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let one = 1u64;
        // SAFETY: eight bytes, as an eventfd wants. It is never read, so it stays readable.
        unsafe { libc::write(self.wake.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
    }

    fn descriptor(&self) -> RawFd {
        self.sleeper.as_raw_fd()
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        for descriptor in [&self.connections, &self.sleeper, &self.wake, &self.reminder] {
            fork::remove_descriptor(descriptor.as_raw_fd());
        }
    }
}

fn control(set: &OwnedFd, operation: i32, descriptor: RawFd, events: i32, data: u64) -> io::Result<()> {
    let mut event = libc::epoll_event { events: events.cast_unsigned(), u64: data };
    // SAFETY: the event is valid during the call.
    match unsafe { libc::epoll_ctl(set.as_raw_fd(), operation, descriptor, &raw mut event) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::monotonic_nanoseconds;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::time::Duration;

    #[test]
    fn arrivals_wake_only_while_armed() {
        let poller = Arc::new(Poller::new().unwrap());
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        poller.add(7, &ours).unwrap();
        assert_eq!(poller.ready().count(), 0);
        theirs.write_all(&[1]).unwrap();
        assert_eq!(poller.ready().collect::<Vec<_>>(), [Ready { peer: 7, readable: true, writable: false }]);
        poller.wants_room(7, &ours, true).unwrap();
        assert_eq!(poller.ready().collect::<Vec<_>>(), [Ready { peer: 7, readable: true, writable: true }]);

        let (woken, wakes) = mpsc::channel();
        let sleeper = {
            let poller = Arc::clone(&poller);
            std::thread::spawn(move || {
                while poller.wait() {
                    poller.disarm();
                    woken.send(()).unwrap();
                }
            })
        };
        // There are bytes, but nobody asked to be woken for them.
        assert_eq!(wakes.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        poller.arm();
        wakes.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(wakes.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        poller.remove(&ours);
        assert_eq!(poller.ready().count(), 0);
        // A reminder needs no arrival, and is one each time that it is set.
        for _ in 0..3 {
            poller.remind(Some(monotonic_nanoseconds() + 20_000));
            wakes.recv_timeout(Duration::from_secs(20)).unwrap();
            poller.remind(Some(monotonic_nanoseconds() + 20_000_000));
            poller.remind(None);
            assert_eq!(wakes.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        }
        poller.stop();
        sleeper.join().unwrap();
    }
}
