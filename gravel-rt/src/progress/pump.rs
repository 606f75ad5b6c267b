//! The pump thread: keeps sockets moving while the application computes, sits inside MPI, or sleeps in a wait.
//!
//! Peers that are reached by shared memory ring when they have written something; the other end of a socket cannot. So this
//! thread sleeps until the system has something on one of the sockets, and then progresses in the application's place.
//! While the application polls itself the pump is disarmed, and no arrival wakes it. It exists only where some peer is
//! reached by sockets. Like the helper it blocks all signals, calls no MPI, and is not in a forked child.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use super::Shared;
use crate::error::{Error, Result};
use crate::provider::{Arrivals, Sleeper};
use crate::sys::clock::monotonic_nanoseconds;
use crate::sys::log;
use crate::sys::thread;

/// How long a program has time to send what goes along with a handshake, before the handshake leaves alone: what packing a
/// message of some ten KiB takes. With 20 us programs that do so had their pump woken in vain, which cost more than a send.
const COMPANY: Duration = Duration::from_micros(60);
/// Bytes put before the lock is handed to the application, if it waits for it.
const BUDGET: u64 = 256 * 1024;

/// Whether arrivals wake the pump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Arming {
    /// They do not: the application polls.
    Off,
    /// They will as soon as the application has been gone for a moment.
    Soon,
    /// They do.
    Now,
}

/// The pump thread of one runtime.
pub struct Pump {
    thread: JoinHandle<()>,
    arrivals: Arc<dyn Arrivals>,
    /// When it has been asked to look, in nanoseconds of the monotonic clock.
    reminded: Option<u64>,
}

impl Pump {
    /// Starts the pump, armed, if some peer is reached by sockets. Called by the thread that owns the engine.
    pub fn start(shared: &Arc<Shared>) -> Result<Option<Self>> {
        let Some(arrivals) = shared.arrivals.clone() else {
            return Ok(None);
        };
        shared.engine.share()?;
        let thread = {
            let (shared, arrivals) = (Arc::clone(shared), Arc::clone(&arrivals));
            let started = thread::start("gravel-pump", move || run(&shared, &*arrivals));
            started.map_err(|cause| Error::system("starting thread gravel-pump (limit: RLIMIT_NPROC)", &cause))?
        };
        if shared.arm_pump() {
            shared.lock()?.progress(u64::MAX);
        }
        Ok(Some(Self { thread, arrivals, reminded: None }))
    }

    /// Called with the engine locked when the application's thread leaves the runtime: has the pump send soon what the
    /// provider keeps, if it does.
    #[inline]
    pub fn remind(&mut self, keeps_something: bool) {
        if !keeps_something && self.reminded.is_none() {
            return;
        }
        let now = monotonic_nanoseconds();
        let at = keeps_something.then_some(now + COMPANY.as_nanos() as u64);
        // Until that time the pump will still look, and then sends what has been kept since, too.
        if at.is_none() || self.reminded.is_none_or(|reminded| now >= reminded) {
            self.reminded = at;
            self.arrivals.remind(at);
        }
    }

    /// Ends the thread.
    pub fn stop(self, shared: &Shared) {
        shared.disarm_pump();
        self.arrivals.stop();
        if self.thread.join().is_err() {
            log::error!("the pump thread ended with an internal error");
        }
    }
}

impl Shared {
    /// Lets arrivals wake the pump. Called by the application's thread when it stops polling. True if it has to look once
    /// more for what has come before.
    #[inline]
    pub fn arm_pump(&self) -> bool {
        match &self.arrivals {
            Some(arrivals) if self.arming() != Arming::Now as u8 => {
                self.pump_armed.store(Arming::Now as u8, Ordering::Relaxed);
                arrivals.arm_looking()
            }
            _ => false,
        }
    }

    /// As [`Shared::arm_pump`] where nothing is known that could make an arrival urgent.
    #[inline]
    pub fn arm_pump_soon(&self) {
        let Some(arrivals) = &self.arrivals else { return };
        if self.arming() == Arming::Off as u8 {
            self.pump_armed.store(Arming::Soon as u8, Ordering::Relaxed);
            arrivals.arm_soon();
        } else if arrivals.called() {
            self.pump_armed.store(Arming::Soon as u8, Ordering::Relaxed);
        }
    }

    /// Lets arrivals wake nobody. Called by the application's thread when it starts to poll itself.
    #[inline]
    pub fn disarm_pump(&self) {
        if let Some(arrivals) = &self.arrivals
            && self.arming() != Arming::Off as u8
        {
            self.pump_armed.store(Arming::Off as u8, Ordering::Relaxed);
            arrivals.disarm();
        }
    }

    fn arming(&self) -> u8 {
        self.pump_armed.load(Ordering::Relaxed)
    }
}

fn run(shared: &Shared, arrivals: &dyn Arrivals) {
    while arrivals.wait() {
        // It may have been disarmed meanwhile: then the application polls, and this would only be in its way.
        while shared.arming() != Arming::Off as u8 {
            // After a panic of the application's thread in the engine there is nothing left to help with.
            let Ok(mut engine) = shared.lock() else {
                return;
            };
            let more = engine.progress(BUDGET);
            let news = engine.provider.take_news();
            // Not by letting others have the processor: one that computes would keep it for milliseconds.
            engine.hand_over();
            // The application has armed the doorbell before it looked for the last time, with the engine locked: either it
            // has seen what was done here, or its flag is seen now.
            if news {
                shared.doorbell.ring_if_armed(Sleeper::Application);
            }
            if !more {
                break;
            }
        }
    }
}
