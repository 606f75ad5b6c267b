//! Sleeping until something has come, or the application has been gone for so long that somebody has to look for it.
//!
//! An application that calls the runtime again and again polls in every call, and takes what has come itself. A thread
//! that is woken meanwhile takes a processor and the engine from it, in vain. So an absence of the application
//! counts once it has lasted for [`GONE`]: only then are events asked for, and again after each of them. Where the
//! application has left work behind or sleeps itself, they are at once ([`Arrivals::arm_looking`]).

use std::ffi::c_int;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{AGAIN, ARM, COMPLETIONS, Completions, EVENTS, OTHER, Trouble, WAKE};
use crate::error::Result;
use crate::provider::Arrivals;
use crate::provider::several_arrivals::watch_too;

/// How long an application may be gone before arrivals wake the pump: one that only makes another call is not
/// disturbed by a thread that it does not need.
const GONE: Duration = Duration::from_millis(1);
/// An absence is looked for again after twice the time each time that the application has come back, up to this. With one
/// look in each millisecond, messages of some hundred microseconds took a tenth longer.
const LONGEST_GONE: Duration = Duration::from_millis(16);

impl Completions {
    /// The application was here. Only its thread counts that.
    fn count_return(&self) {
        self.returns.store(self.returns.load(Ordering::Relaxed).wrapping_add(1), Ordering::SeqCst);
    }

    /// Sees to it that the thread that waits notices when this absence of the application has become a long one, or when
    /// something comes.
    fn time_absence(&self) {
        // Of events that have been asked for, the next one wakes at once.
        if !self.requested.load(Ordering::SeqCst) && !self.gone_is_set.swap(true, Ordering::SeqCst) {
            self.timed.store(self.returns.load(Ordering::SeqCst), Ordering::SeqCst);
            let doublings = self.looked_in_vain.load(Ordering::Relaxed).min(16);
            set_timer(&self.gone, GONE.saturating_mul(1 << doublings).min(LONGEST_GONE));
        }
    }

    /// Sleeps until something happens. True if somebody has to look for what has come.
    fn sleep(&self) -> bool {
        let mut is_due = false;
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 6];
        // SAFETY: room for the given number of events.
        let count =
            unsafe { libc::epoll_wait(self.sleeper.as_raw_fd(), events.as_mut_ptr(), events.len() as c_int, -1) };
        for event in events.iter().take(usize::try_from(count).unwrap_or(0)) {
            let is_broken = event.events & (libc::EPOLLERR | libc::EPOLLHUP).cast_unsigned() != 0;
            match event.u64 {
                COMPLETIONS | EVENTS if is_broken => {
                    // What it has told before still says more.
                    self.take_device_events();
                    self.forget_device();
                    is_due = true;
                }
                COMPLETIONS => {
                    if self.take_completion_events() {
                        self.requested.store(false, Ordering::SeqCst);
                        is_due |= self.armed.load(Ordering::SeqCst);
                    }
                }
                EVENTS => is_due |= self.take_device_events(),
                WAKE => {
                    forget(&self.wake);
                    is_due = true;
                }
                AGAIN => {
                    forget(&self.again);
                    is_due = true;
                }
                ARM => {
                    forget(&self.gone);
                    let timed = self.timed.load(Ordering::SeqCst);
                    // If the application has come back meanwhile, its present absence is timed anew.
                    if timed == self.returns.load(Ordering::SeqCst) {
                        self.long.store(timed, Ordering::SeqCst);
                        self.looked_in_vain.store(0, Ordering::Relaxed);
                    } else {
                        self.looked_in_vain
                            .store(self.looked_in_vain.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
                    }
                    self.gone_is_set.store(false, Ordering::SeqCst);
                }
                _ => is_due = true,
            }
        }
        is_due
    }

    /// A device that was removed has nothing to tell any more, and says so for ever: nobody must wait for it.
    fn forget_device(&self) {
        for descriptor in [self.channel_descriptor(), self.device.async_descriptor()] {
            // SAFETY: both descriptors are open. One that is not in the set any more is an error that says nothing.
            unsafe {
                libc::epoll_ctl(self.sleeper.as_raw_fd(), libc::EPOLL_CTL_DEL, descriptor, ptr::null_mut());
            }
        }
        self.note(Trouble::Device(format!("{} has been removed", self.device.name)));
    }

    /// Wakes the thread that waits, once.
    fn wake(&self) {
        let one = 1u64;
        // SAFETY: eight bytes, as an eventfd wants.
        unsafe { libc::write(self.wake.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
    }
}

impl Arrivals for Completions {
    fn arm(&self) {
        if self.arm_looking() {
            // What came before the request is looked for by the thread that waits.
            self.wake();
        }
    }

    fn arm_looking(&self) -> bool {
        self.long.store(self.returns.load(Ordering::SeqCst), Ordering::SeqCst);
        self.armed.store(true, Ordering::SeqCst);
        self.request_events()
    }

    fn arm_soon(&self) {
        self.armed.store(true, Ordering::SeqCst);
        self.time_absence();
    }

    fn disarm(&self) {
        // Events that have been asked for may still come, once: whoever is woken by one finds that it is disarmed.
        self.armed.store(false, Ordering::SeqCst);
        self.count_return();
    }

    fn called(&self) -> bool {
        self.count_return();
        true
    }

    fn wait(&self) -> bool {
        while !self.stopped.load(Ordering::Acquire) {
            if self.armed.load(Ordering::SeqCst) {
                if self.long.load(Ordering::SeqCst) == self.returns.load(Ordering::SeqCst) {
                    // Asked again after each event; what came meanwhile has to be looked for.
                    if self.request_events() {
                        break;
                    }
                } else {
                    self.time_absence();
                }
            }
            if self.sleep() {
                break;
            }
        }
        !self.stopped.load(Ordering::Acquire)
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.wake();
    }

    fn also_watch(&self, descriptor: RawFd) -> Result<()> {
        watch_too(&self.sleeper, descriptor, OTHER)
    }

    fn descriptor(&self) -> RawFd {
        self.sleeper.as_raw_fd()
    }
}

/// Takes what an eventfd or a timer has counted.
fn forget(descriptor: &OwnedFd) {
    let mut count = 0u64;
    // SAFETY: room for eight bytes, as both want; neither blocks.
    unsafe { libc::read(descriptor.as_raw_fd(), (&raw mut count).cast(), size_of::<u64>()) };
}

/// Makes a timer readable so long from now, once.
pub fn set_timer(timer: &OwnedFd, after: Duration) {
    let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let tv_nsec = libc::c_long::from(after.subsec_nanos().cast_signed()).max(1);
    let value = libc::timespec { tv_sec: after.as_secs().cast_signed(), tv_nsec };
    let time = libc::itimerspec { it_interval: none, it_value: value };
    // SAFETY: the timer is open, and the structure valid.
    unsafe { libc::timerfd_settime(timer.as_raw_fd(), 0, &raw const time, ptr::null_mut()) };
}
