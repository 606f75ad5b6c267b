//! The helper thread: delivers deferred work while the application computes or sits inside MPI.
//!
//! Deferred work is a put whose handshake had not come, a spilled message, an entry that found its ledger full, or a
//! receive whose bytes this side must copy itself. The thread starts with the first of it. It sleeps on its own
//! futex of the doorbell, and peers ring only while its flag is set, which it is only while there is deferred work
//! and the application is not polling itself: with nothing pending, nothing wakes. It blocks all signals, calls no
//! MPI, and is not in a forked child.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use super::Shared;
use super::engine_lock::EngineGuard;
use crate::error::{Error, Result};
use crate::log;
use crate::provider::Sleeper;

/// Bytes put before the lock is released once, so that the application never waits long for it.
const BUDGET: u64 = 256 * 1024;

/// The helper thread of one runtime, if it was needed yet.
#[derive(Default)]
pub struct Helper {
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    /// Called with the engine locked when the application's thread leaves the runtime: arms the helper if there is
    /// deferred work, starting it at the first time, and disarms it if there is none.
    #[inline]
    pub fn arm<'a>(&mut self, shared: &'a Arc<Shared>, engine: EngineGuard<'a>) -> Result<()> {
        if engine.has_deferred_work() {
            return self.arm_for_work(shared, engine);
        }
        self.disarm(shared);
        Ok(())
    }

    fn arm_for_work<'a>(&mut self, shared: &'a Arc<Shared>, mut engine: EngineGuard<'a>) -> Result<()> {
        if self.thread.is_none() {
            drop(engine);
            shared.engine.share()?;
            self.thread = Some(start(Arc::clone(shared))?);
            engine = shared.lock()?;
        }
        if !shared.is_helper_armed() {
            shared.set_helper_armed(true);
            shared.doorbell.arm(Sleeper::Helper);
            // What came before the flag was set has rung for nobody.
            engine.progress(u64::MAX);
        }
        Ok(())
    }

    /// Called when the application's thread starts to poll itself.
    #[inline]
    pub fn disarm(&self, shared: &Shared) {
        if shared.is_helper_armed() {
            shared.set_helper_armed(false);
            shared.doorbell.disarm(Sleeper::Helper);
        }
    }

    /// Ends the thread.
    pub fn stop(&mut self, shared: &Shared) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        shared.helper_stop.store(true, Ordering::Release);
        shared.doorbell.ring(Sleeper::Helper);
        if thread.join().is_err() {
            log::error!("the helper thread ended with an internal error");
        }
    }
}

/// Starts the thread with all signals blocked: they are the application's.
fn start(shared: Arc<Shared>) -> Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name("gravel-helper".into());
    // SAFETY: signal sets are plain data that sigfillset initialises; the mask of this thread is restored below.
    let mut previous = unsafe {
        let mut all = std::mem::zeroed();
        let mut previous = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut previous);
        previous
    };
    let thread = builder.spawn(move || run(&shared));
    // SAFETY: the mask that was in force.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw mut previous, std::ptr::null_mut()) };
    thread.map_err(|cause| Error::system("starting the helper thread (limit: RLIMIT_NPROC)", &cause).into())
}

fn run(shared: &Shared) {
    loop {
        let epoch = shared.doorbell.epoch(Sleeper::Helper);
        if shared.helper_stop.load(Ordering::Acquire) {
            return;
        }
        // After a panic of the application's thread in the engine there is nothing left to help with.
        let Ok(mut engine) = shared.lock() else {
            return;
        };
        let mut more = false;
        if shared.is_helper_armed() {
            more = engine.progress(BUDGET);
            if engine.has_deferred_work() {
                shared.doorbell.arm(Sleeper::Helper);
                more |= engine.progress(BUDGET);
            } else {
                shared.set_helper_armed(false);
                shared.doorbell.disarm(Sleeper::Helper);
            }
        }
        drop(engine);
        if more {
            std::thread::yield_now();
        } else {
            shared.doorbell.sleep(Sleeper::Helper, epoch, None);
            shared.helper_wakeups.store(shared.helper_wakeups() + 1, Ordering::Relaxed);
        }
    }
}
