//! Which connections have something, and where a thread sleeps until one has.
//!
//! All connections are in one epoll set, which whoever progresses looks at without blocking. The pump thread sleeps on a
//! second set that holds the first one, an eventfd, and a timer for what must not wait for the application's next call. So
//! the pump is disarmed by taking one entry out of the second set, and then no arrival wakes it: whatever comes is found by
//! the application, which polls itself at that time.
//!
//! Where nothing depends on what arrives, the entry comes back only when the application has been gone for a moment
//! ([`Arrivals::arm_soon`]): to be woken for a message that the application is about to ask for would take a processor from
//! it. A timer costs as much as several system calls. So it is not set for each absence, but runs on while the application
//! comes and goes.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::fork;
use crate::provider::Arrivals;
use crate::provider::several_arrivals::watch_too;

/// Connections taken from the set by one look.
const BATCH: usize = 64;
const CONNECTIONS: u64 = 0;
const WAKE: u64 = 1;
const REMINDER: u64 = 2;
const GONE: u64 = 3;
const OTHER: u64 = 4;
/// An application that has been gone for once or twice as long has arrivals taken in its place.
const MOMENT: Duration = Duration::from_millis(1);
/// As long as the application comes back each time, looking whether it has is put off for longer and longer, up to so long:
/// a look takes a processor from it for a while.
const LONGEST_MOMENT: Duration = Duration::from_millis(16);

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
    gone: OwnedFd,
    arming: Mutex<Arming>,
    stopped: AtomicBool,
}

/// Whether arrivals wake. What it says and what the system has been told change together.
#[derive(Debug, Default)]
struct Arming {
    /// Whether arrivals wake now.
    is_armed: bool,
    /// Whether they shall, unless the application comes back soon.
    is_near: bool,
    /// Whether the timer runs, which it does wherever that is so.
    is_timed: bool,
    /// How often the application has left so.
    departures: u64,
    /// How often it had when the timer was set.
    counted: u64,
    /// How often in a row the timer has found that it had come back.
    returns: u32,
    /// Connections that wait for room: no arrival, but what makes it tells the system only.
    blocked: usize,
}

impl Poller {
    /// An empty set.
    pub fn new() -> Result<Self> {
        let describe = |cause| Error::system("creating epoll sets for tcp (limit: RLIMIT_NOFILE)", &cause);
        Self::open().map_err(|cause| describe(cause).into())
    }

    fn open() -> io::Result<Self> {
        // SAFETY: these calls have no preconditions.
        let timer = || unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK) };
        // SAFETY: likewise.
        let (connections, sleeper, wake) = unsafe {
            (
                libc::epoll_create1(libc::EPOLL_CLOEXEC),
                libc::epoll_create1(libc::EPOLL_CLOEXEC),
                libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK),
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
            reminder: own(timer())?,
            gone: own(timer())?,
            arming: Mutex::default(),
            stopped: AtomicBool::new(false),
        };
        // Disarmed at first: the entry is there, without any event.
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.connections.as_raw_fd(), 0, CONNECTIONS)?;
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.wake.as_raw_fd(), libc::EPOLLIN, WAKE)?;
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.reminder.as_raw_fd(), libc::EPOLLIN, REMINDER)?;
        control(&poller.sleeper, libc::EPOLL_CTL_ADD, poller.gone.as_raw_fd(), libc::EPOLLIN, GONE)?;
        Ok(poller)
    }

    /// Adds a peer's connection, for reading.
    pub fn add(&self, peer: Rank, socket: &impl AsRawFd) -> io::Result<()> {
        control(&self.connections, libc::EPOLL_CTL_ADD, socket.as_raw_fd(), libc::EPOLLIN, peer as u64)
    }

    /// Says whether room to write is waited for. It was not so before, or the other way round.
    pub fn wants_room(&self, peer: Rank, socket: &impl AsRawFd, wanted: bool) -> io::Result<()> {
        let events = if wanted { libc::EPOLLIN | libc::EPOLLOUT } else { libc::EPOLLIN };
        control(&self.connections, libc::EPOLL_CTL_MOD, socket.as_raw_fd(), events, peer as u64)?;
        let mut arming = self.arming.lock();
        if wanted {
            arming.blocked += 1;
            // A peer may be waiting for what could not be sent: that does not bear waiting.
            if arming.is_near {
                self.set_armed(&mut arming, true);
            }
        } else {
            arming.blocked = arming.blocked.saturating_sub(1);
        }
        Ok(())
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

    fn set_armed(&self, arming: &mut Arming, armed: bool) {
        arming.is_near = false;
        if std::mem::replace(&mut arming.is_armed, armed) == armed {
            return;
        }
        let events = if armed { libc::EPOLLIN } else { 0 };
        let descriptor = self.connections.as_raw_fd();
        // The entry is there since the poller was made, so there is nothing that could fail.
        let _ = control(&self.sleeper, libc::EPOLL_CTL_MOD, descriptor, events, CONNECTIONS);
    }

    /// The application leaves, and nothing wakes the pump until it has been gone for a moment.
    fn depart(&self, arming: &mut Arming) {
        arming.departures += 1;
        arming.is_near = !arming.is_armed;
        if arming.is_near && !arming.is_timed {
            self.start_timer(arming);
        }
    }

    fn start_timer(&self, arming: &mut Arming) {
        (arming.is_timed, arming.counted) = (true, arming.departures);
        let moment = MOMENT.saturating_mul(1 << arming.returns.min(16)).min(LONGEST_MOMENT);
        let moment = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(moment.subsec_nanos().cast_signed()) };
        set_timer(&self.gone, 0, moment);
    }

    /// The application may have been gone for a moment: then arrivals wake from now on. True if they do.
    fn take_moment(&self) -> bool {
        if !has_expired(&self.gone) {
            return false;
        }
        let mut arming = self.arming.lock();
        if arming.departures != arming.counted && !arming.is_armed {
            arming.returns = arming.returns.saturating_add(1);
            self.start_timer(&mut arming);
            return false;
        }
        (arming.is_timed, arming.returns) = (false, 0);
        let is_gone = arming.is_near;
        if is_gone {
            self.set_armed(&mut arming, true);
        }
        is_gone
    }
}

/// Makes a timer readable once at this time, or never if it is zero.
fn set_timer(timer: &OwnedFd, flags: libc::c_int, value: libc::timespec) {
    let setting = libc::itimerspec { it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
    // SAFETY: the setting is valid during the call. It is one that a timer can have, so there is nothing that could fail.
    unsafe { libc::timerfd_settime(timer.as_raw_fd(), flags, &raw const setting, std::ptr::null_mut()) };
}

/// Whether a timer has become readable; it is not any more.
fn has_expired(timer: &OwnedFd) -> bool {
    let mut expiries = 0u64;
    // SAFETY: room for eight bytes, as a timer wants. It does not block: where there is none, nothing is read.
    unsafe { libc::read(timer.as_raw_fd(), (&raw mut expiries).cast(), size_of::<u64>()) > 0 }
}

impl Arrivals for Poller {
    fn arm(&self) {
        self.set_armed(&mut self.arming.lock(), true);
    }

    fn arm_soon(&self) {
        let mut arming = self.arming.lock();
        if arming.blocked > 0 {
            self.set_armed(&mut arming, true);
            return;
        }
        self.depart(&mut arming);
    }

    fn called(&self) -> bool {
        let mut arming = self.arming.lock();
        if arming.blocked > 0 {
            return false;
        }
        self.set_armed(&mut arming, false);
        self.depart(&mut arming);
        true
    }

    fn disarm(&self) {
        self.set_armed(&mut self.arming.lock(), false);
    }

    fn remind(&self, at: Option<u64>) {
        let nanoseconds = at.unwrap_or(0);
        let expiry = libc::timespec {
            tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
            tv_nsec: (nanoseconds % 1_000_000_000).cast_signed(),
        };
        set_timer(&self.reminder, libc::TFD_TIMER_ABSTIME, expiry);
    }

    fn take_reminder(&self) {
        has_expired(&self.reminder);
        self.take_moment();
    }

    fn wait(&self) -> bool {
        loop {
            let mut event = libc::epoll_event { events: 0, u64: CONNECTIONS };
            // SAFETY: room for one event.
            unsafe { libc::epoll_wait(self.sleeper.as_raw_fd(), &raw mut event, 1, -1) };
            match event.u64 {
                REMINDER => {
                    has_expired(&self.reminder);
                }
                // The application has only come and gone, or is here.
                GONE if !self.take_moment() => continue,
                _ => {}
            }
            // Interrupted or not: whoever is woken looks.
            return !self.stopped.load(Ordering::Acquire);
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let one = 1u64;
        // SAFETY: eight bytes, as an eventfd wants. It is never read, so it stays readable.
        unsafe { libc::write(self.wake.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
    }

    fn also_watch(&self, descriptor: RawFd) -> Result<()> {
        watch_too(&self.sleeper, descriptor, OTHER)
    }

    fn descriptor(&self) -> RawFd {
        self.sleeper.as_raw_fd()
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        for descriptor in [&self.connections, &self.sleeper, &self.wake, &self.reminder, &self.gone] {
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
    use crate::provider::several_arrivals::SeveralArrivals;
    use crate::sys::clock::monotonic_nanoseconds;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::time::Duration;

    /// Whether the pump would wake within some time.
    fn would_wake(poller: &Poller, milliseconds: libc::c_int) -> bool {
        let mut event = libc::pollfd { fd: poller.descriptor(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor.
        unsafe { libc::poll(&raw mut event, 1, milliseconds) > 0 }
    }

    /// What comes for another interconnect wakes whoever sleeps for both.
    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn one_set_wakes_for_another() {
        let [first, other] = [(); 2].map(|()| Arc::new(Poller::new().expect("a set")));
        let all: Vec<Arc<dyn Arrivals>> = vec![first, Arc::clone(&other) as Arc<dyn Arrivals>];
        let both = SeveralArrivals::together(all).expect("watched").expect("there are some");
        other.remind(Some(monotonic_nanoseconds() + 1));
        assert!(both.wait());
        both.stop();
        assert!(!both.wait());
    }

    #[test]
    fn arrivals_wake_when_the_application_has_been_gone_for_a_moment() {
        let poller = Poller::new().unwrap();
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        poller.add(7, &ours).unwrap();
        theirs.write_all(&[1]).unwrap();
        // It comes and goes: the timer runs on, arms nothing, and ends when it stays.
        for _ in 0..3 {
            poller.arm_soon();
            poller.disarm();
            poller.arm_soon();
            assert!(would_wake(&poller, 20_000));
            assert!(!poller.take_moment());
            poller.disarm();
        }
        while would_wake(&poller, 50) {
            assert!(!poller.take_moment());
        }
        assert!(!poller.arming.lock().is_timed);
        // It goes and does not come back.
        poller.arm_soon();
        let started = monotonic_nanoseconds();
        assert!(poller.wait());
        assert!(monotonic_nanoseconds() - started >= MOMENT.as_nanos() as u64 / 2);
        assert!(would_wake(&poller, 0), "the byte is still there, and wakes now");
        assert!(!poller.arming.lock().is_timed);
        poller.disarm();
        assert!(!would_wake(&poller, 50));
    }

    /// What arrived while it was gone has woken the pump; what arrives between its next calls does not.
    #[test]
    fn who_calls_again_while_armed_is_not_gone() {
        let poller = Poller::new().unwrap();
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        poller.add(7, &ours).unwrap();
        theirs.write_all(&[1]).unwrap();
        poller.arm_soon();
        assert!(poller.wait() && would_wake(&poller, 0), "it is gone");
        assert!(poller.called());
        assert!(!poller.arming.lock().is_armed);
        assert!(poller.wait() && would_wake(&poller, 0), "it is gone again");
        // Whoever waits for room must be seen at once, whatever is called.
        poller.wants_room(7, &ours, true).unwrap();
        assert!(!poller.called());
        assert!(would_wake(&poller, 0));
    }

    #[test]
    fn who_comes_back_each_time_is_looked_at_less_and_less() {
        let poller = Poller::new().unwrap();
        poller.arm_soon();
        let started = monotonic_nanoseconds();
        for _ in 0..6 {
            poller.called();
            assert!(would_wake(&poller, 20_000));
            assert!(!poller.take_moment());
        }
        // 1 + 2 + 4 + 8 + 16 + 16 ms.
        assert!(monotonic_nanoseconds() - started >= 45_000_000);
        // It stays away: the next absence is a moment again.
        assert!(would_wake(&poller, 20_000) && poller.take_moment());
        assert_eq!(poller.arming.lock().returns, 0);
    }

    /// Room to write is not waited for a moment longer: its peer may be waiting for what comes then.
    #[test]
    fn who_waits_for_room_is_armed_at_once() {
        let poller = Poller::new().unwrap();
        let (ours, _theirs) = UnixStream::pair().unwrap();
        poller.add(7, &ours).unwrap();
        poller.wants_room(7, &ours, true).unwrap();
        poller.arm_soon();
        assert!(would_wake(&poller, 0));
        poller.disarm();
        poller.wants_room(7, &ours, false).unwrap();
        poller.arm_soon();
        assert!(!would_wake(&poller, 0));
        poller.wants_room(7, &ours, true).unwrap();
        assert!(would_wake(&poller, 0));
    }

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
