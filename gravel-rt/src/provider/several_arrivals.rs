//! Where the pump sleeps where peers are reached by several interconnects for which nobody rings.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;

use super::Arrivals;
use crate::error::{Error, Result};

/// Adds another interconnect's descriptor to the epoll set on which one sleeps, under this number.
pub(super) fn watch_too(sleeper: &OwnedFd, descriptor: RawFd, number: u64) -> Result<()> {
    let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: number };
    // SAFETY: both descriptors are open, and the event is valid.
    let result = unsafe { libc::epoll_ctl(sleeper.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &raw mut event) };
    if result != 0 {
        return Err(Error::system("watching two interconnects", &io::Error::last_os_error()).into());
    }
    Ok(())
}

/// One of them wakes for all.
pub struct SeveralArrivals {
    first: Arc<dyn Arrivals>,
    others: Vec<Arc<dyn Arrivals>>,
}

impl SeveralArrivals {
    /// Wakes for any of these; nothing if there are none.
    pub fn together(all: Vec<Arc<dyn Arrivals>>) -> Result<Option<Arc<dyn Arrivals>>> {
        let mut all = all.into_iter();
        let Some(first) = all.next() else { return Ok(None) };
        let others: Vec<_> = all.collect();
        if others.is_empty() {
            return Ok(Some(first));
        }
        for other in &others {
            first.also_watch(other.descriptor())?;
        }
        Ok(Some(Arc::new(Self { first, others })))
    }

    /// All of them, the one that waits last.
    fn each(&self) -> impl Iterator<Item = &dyn Arrivals> {
        self.others.iter().chain([&self.first]).map(|arrivals| &**arrivals)
    }
}

impl Arrivals for SeveralArrivals {
    fn arm(&self) {
        self.each().for_each(Arrivals::arm);
    }

    fn arm_looking(&self) -> bool {
        self.each().fold(false, |any, one| any | one.arm_looking())
    }

    fn arm_soon(&self) {
        self.each().for_each(Arrivals::arm_soon);
    }

    fn called(&self) -> bool {
        self.each().fold(false, |any, one| any | one.called())
    }

    fn disarm(&self) {
        self.first.disarm();
        self.others.iter().for_each(|other| other.disarm());
    }

    fn remind(&self, at: Option<u64>) {
        self.each().for_each(|one| one.remind(at));
    }

    fn wait(&self) -> bool {
        let goes_on = self.first.wait();
        self.others.iter().for_each(|other| other.take_reminder());
        goes_on
    }

    fn stop(&self) {
        self.each().for_each(Arrivals::stop);
    }

    fn also_watch(&self, descriptor: RawFd) -> Result<()> {
        self.first.also_watch(descriptor)
    }

    fn descriptor(&self) -> RawFd {
        self.first.descriptor()
    }
}
