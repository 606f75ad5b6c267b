//! Where the pump sleeps where some peers are reached by verbs, and others by another network.

use std::os::fd::RawFd;
use std::sync::Arc;

use super::completion::Completions;
use crate::error::Result;
use crate::provider::Arrivals;

/// Where the pump sleeps for this provider and for another one.
pub struct BothArrivals {
    verbs: Arc<Completions>,
    other: Arc<dyn Arrivals>,
}

impl BothArrivals {
    /// Wakes for either.
    pub fn new(verbs: Arc<Completions>, other: Arc<dyn Arrivals>) -> Result<Self> {
        verbs.also_watch(other.descriptor())?;
        Ok(Self { verbs, other })
    }
}

impl Arrivals for BothArrivals {
    fn arm(&self) {
        self.other.arm();
        self.verbs.arm();
    }

    fn arm_looking(&self) -> bool {
        self.other.arm_looking() | self.verbs.arm_looking()
    }

    fn arm_soon(&self) {
        self.other.arm_soon();
        self.verbs.arm_soon();
    }

    fn called(&self) -> bool {
        self.other.called() | self.verbs.called()
    }

    fn disarm(&self) {
        self.verbs.disarm();
        self.other.disarm();
    }

    fn remind(&self, at: Option<u64>) {
        self.other.remind(at);
    }

    fn wait(&self) -> bool {
        let goes_on = self.verbs.wait();
        self.other.take_reminder();
        goes_on
    }

    fn stop(&self) {
        self.other.stop();
        self.verbs.stop();
    }

    fn descriptor(&self) -> RawFd {
        self.verbs.descriptor()
    }
}
