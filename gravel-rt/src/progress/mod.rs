//! What makes operations advance: the application's waits ([`wait`]), the helper thread ([`helper`]) and the pump thread
//! ([`pump`]) while the application is elsewhere, and the agreed flush at the end ([`flush`]).

mod asymmetric_fence;
mod call_site;
pub mod engine_lock;
pub mod flush;
pub mod helper;
#[cfg(all(test, loom))]
mod models;
pub mod patience;
pub mod pump;
pub mod wait;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use self::engine_lock::{EngineGuard, EngineLock};
use self::patience::Patience;
use crate::engine::Engine;
use crate::error::Result;
use crate::provider::{Arrivals, Doorbell};

/// What the application's thread, the helper thread and the pump thread share.
pub struct Shared {
    engine: EngineLock,
    /// Where the application and the helper sleep.
    pub doorbell: Arc<dyn Doorbell>,
    /// Where the pump sleeps, if some peer is reached by sockets.
    arrivals: Option<Arc<dyn Arrivals>>,
    /// Whether some peer rings the doorbell: otherwise there is nothing that the helper could be woken for.
    peers_ring: bool,
    /// How long the application polls before it sleeps.
    pub patience: Patience,
    /// Whether the helper is wanted; changed only under the engine's lock.
    helper_armed: AtomicBool,
    /// Tells the helper to end.
    helper_stop: AtomicBool,
    /// Whether arrivals wake the pump ([`pump::Arming`]); changed only by the application's thread.
    pump_armed: AtomicU8,
    /// How often the helper has woken; written by the helper alone.
    helper_wakeups: AtomicU64,
}

impl Shared {
    /// Shares an engine.
    pub fn new(
        engine: Engine,
        doorbell: Arc<dyn Doorbell>,
        arrivals: Option<Arc<dyn Arrivals>>,
        peers_ring: bool,
        patience: Patience,
    ) -> Self {
        Self {
            engine: EngineLock::new(engine),
            doorbell,
            arrivals,
            peers_ring,
            patience,
            helper_armed: AtomicBool::new(false),
            helper_stop: AtomicBool::new(false),
            pump_armed: AtomicU8::new(pump::Arming::Off as u8),
            helper_wakeups: AtomicU64::new(0),
        }
    }

    /// Locks the engine. After a panic inside it nothing about it is certain, and every call fails.
    pub fn lock(&self) -> Result<EngineGuard<'_>> {
        self.engine.lock()
    }

    /// Makes every call fail from now on: one has ended in a panic, and nobody can tell where.
    pub fn poison(&self) {
        self.engine.poison();
    }

    /// Whether a look at what has come takes so long by itself that nothing is gained by a pause before the next one: it
    /// asks the system, or a device.
    fn looks_take_long(&self) -> bool {
        self.arrivals.is_some()
    }

    fn is_helper_armed(&self) -> bool {
        self.helper_armed.load(Ordering::Relaxed)
    }

    /// How often the helper thread has woken.
    pub fn helper_wakeups(&self) -> u64 {
        self.helper_wakeups.load(Ordering::Relaxed)
    }

    fn set_helper_armed(&self, armed: bool) {
        self.helper_armed.store(armed, Ordering::Relaxed);
    }
}
