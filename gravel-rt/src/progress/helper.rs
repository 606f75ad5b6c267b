//! The helper thread: delivers deferred work while the application computes or sits inside MPI.
//!
//! Deferred work is a put whose handshake had not come, a spilled message that its consumer can't read, an entry that
//! found its ledger full, or a receive whose bytes this side must copy itself. The thread sleeps on its own futex of the
//! doorbell, and peers ring only while its flag is set, which it is only while there is deferred work and the application
//! is not polling itself: with nothing pending, nothing wakes. A peer that withdraws a receive, that can't read a message
//! which it was offered, or that waits in vain for the receive of a synchronous send or for a message to be read, summons it
//! without any flag: its wait must not depend on what the application does here. The thread blocks all signals, calls no MPI, and is not in a forked
//! child. Where no peer rings it is not started: the pump ([`super::pump`]) does its work.
//!
//! Until it has something to do it leaves the engine to the application's thread alone (see [`super::engine_lock`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use super::Shared;
use super::asymmetric_fence;
use super::engine_lock::EngineGuard;
use super::pump::Pump;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::provider::Sleeper;
use crate::sys::log;
use crate::sys::thread;

/// Bytes put before the lock is handed to the application, if it waits for it.
const BUDGET: u64 = 256 * 1024;

/// The threads that stand in for the application's.
pub struct Helper {
    /// The helper thread, where a peer can ring for it, and the system has let it start.
    thread: Option<JoinHandle<()>>,
    /// The pump thread, where some peer is reached by sockets.
    pump: Option<Pump>,
    /// Whether the user has been told that there is no helper thread.
    is_missed: bool,
}

impl Helper {
    /// Starts the threads that will be needed. Called by the thread that owns the engine.
    pub fn new(shared: &Arc<Shared>) -> Result<Self> {
        let pump = Pump::start(shared)?;
        if !shared.peers_ring {
            return Ok(Self { thread: None, pump, is_missed: false });
        }
        // Where it could not take the engine when it is summoned, it must be able to lock it at any time.
        if !asymmetric_fence::is_supported() {
            shared.engine.share()?;
        }
        let mut helper = Self { thread: None, pump, is_missed: false };
        helper.start(shared);
        Ok(helper)
    }

    /// Starts the helper thread, if that is possible now; else this is tried again when there is something for it to do, which
    /// until then waits for the next call. That is said, and no error: most programs come to the next call. One that waits
    /// inside MPI for a peer which waits for this one does not.
    fn start(&mut self, shared: &Arc<Shared>) {
        match start(shared) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) if !self.is_missed => {
                self.is_missed = true;
                log::warning!("peers may have to wait for the next call of Gravel here: {error}");
            }
            Err(_) => {}
        }
    }

    /// [`Helper::new`] on every rank, or on none. Collective.
    pub fn on_all_ranks(host: &dyn Host, shared: &Arc<Shared>) -> Result<Self> {
        let started = Self::new(shared);
        let verdicts = host.all_gather(&[u8::from(started.is_ok())]);
        let failed = verdicts.map(|verdicts| verdicts.iter().position(|&started| started == 0));
        let mut helper = started?;
        let error = match failed {
            Ok(None) => return Ok(helper),
            Ok(Some(peer)) => Error::CollectiveFailed { peer, call: "gravel_init" }.into(),
            Err(error) => error,
        };
        helper.stop(shared);
        Err(error)
    }

    /// Called with the engine locked when the application's thread leaves the runtime: arms the helper if there is
    /// deferred work, and disarms it if there is none.
    #[inline(always)]
    pub fn arm<'a>(&mut self, shared: &'a Arc<Shared>, mut engine: EngineGuard<'a>) -> Result<()> {
        if let Some(pump) = &mut self.pump {
            if !engine.needs_arrivals() {
                shared.arm_pump_soon();
            } else if shared.arm_pump() {
                engine.progress_in_passing();
            }
            pump.remind(engine.keeps_something());
        }
        if engine.has_deferred_work() && shared.peers_ring {
            return self.arm_for_work(shared, engine);
        }
        self.disarm_thread(shared);
        Ok(())
    }

    fn arm_for_work<'a>(&mut self, shared: &'a Arc<Shared>, mut engine: EngineGuard<'a>) -> Result<()> {
        if !shared.engine.is_shared() || self.thread.is_none() {
            drop(engine);
            shared.engine.share()?;
            if self.thread.is_none() {
                self.start(shared);
            }
            engine = shared.lock()?;
            if self.thread.is_none() {
                return Ok(());
            }
        }
        if !shared.is_helper_armed() {
            shared.set_helper_armed(true);
            shared.doorbell.arm(Sleeper::Helper);
            // What came before the flag was set has rung for nobody.
            engine.progress_in_passing();
        }
        Ok(())
    }

    /// Called when the application's thread starts to poll itself.
    #[inline(always)]
    pub fn disarm(&self, shared: &Shared) {
        if self.pump.is_some() {
            shared.disarm_pump();
        }
        self.disarm_thread(shared);
    }

    #[inline(always)]
    fn disarm_thread(&self, shared: &Shared) {
        if shared.is_helper_armed() {
            shared.set_helper_armed(false);
            shared.doorbell.disarm(Sleeper::Helper);
        }
    }

    /// Ends the threads.
    pub fn stop(&mut self, shared: &Shared) {
        if let Some(pump) = self.pump.take() {
            pump.stop(shared);
        }
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

fn start(shared: &Arc<Shared>) -> Result<JoinHandle<()>> {
    let for_helper = Arc::clone(shared);
    let started = thread::start("gravel-helper", move || run(&for_helper));
    started.map_err(|cause| Error::system("starting thread gravel-helper (limit: RLIMIT_NPROC)", &cause).into())
}

fn run(shared: &Shared) {
    let mut summonses = 0;
    loop {
        let epoch = shared.doorbell.epoch(Sleeper::Helper);
        if shared.helper_stop.load(Ordering::Acquire) {
            return;
        }
        let summoned = shared.doorbell.summonses();
        // If it is armed just now, the application's thread looks once more itself.
        let is_summoned = summoned != summonses;
        let more = if shared.is_helper_armed() || is_summoned {
            summonses = summoned;
            // After a panic of the application's thread in the engine there is nothing left to help with.
            let Ok(engine) = shared.engine.seize() else {
                return;
            };
            help(shared, engine, is_summoned)
        } else {
            false
        };
        if !more {
            shared.doorbell.sleep(Sleeper::Helper, epoch, None);
            shared.helper_wakeups.store(shared.helper_wakeups() + 1, Ordering::Relaxed);
        }
    }
}

/// Does what is to be done, and stays armed while there is more to come. True if more than the budget was ready.
fn help(shared: &Shared, mut engine: EngineGuard<'_>, is_summoned: bool) -> bool {
    let mut more = engine.progress(BUDGET);
    if is_summoned {
        engine.state.announcements.note_summons();
    }
    if engine.has_deferred_work() {
        shared.set_helper_armed(true);
        shared.doorbell.arm(Sleeper::Helper);
        more |= engine.progress(BUDGET);
    } else {
        shared.set_helper_armed(false);
        shared.doorbell.disarm(Sleeper::Helper);
    }
    engine.hand_over();
    more
}
