//! The doorbell in a rank's control segment: a futex word per sleeper, and a word that says who sleeps.
//!
//! A peer that has written something rings only if the flag of a sleeper is set, so that nothing is paid while everybody
//! is awake. The sleeper sets its flag, passes a full fence, looks for entries once more, and sleeps. What a writer does
//! depends on who may be waiting for its entry:
//!
//! - *The helper thread*: the writer passes a full fence, too, between its entry and its look at the flags. At least one
//!   of both sees the other's store, so no wake-up is lost, and the helper can sleep without a time limit.
//! - *The helper thread, which may not have asked*: a receive is withdrawn, and the wait for that may not depend on what the
//!   application of the peer does. The writer rings without a look at the flags, and counts it, which tells the helper that
//!   there is something to do.
//! - *Only the application, inside a wait*: every message ends with such an entry, and the fence would wait until the
//!   entry's line has come from the peer's cache. So there is none. The writer's look may then pass its own entry by the
//!   time that this store needs to become visible; the sleeper therefore looks again after that time
//!   ([`crate::progress::wait`]), and its sleep has a limit anyway because it must let MPI progress.

use std::sync::Arc;
use std::time::Duration;

use super::control_segment::ControlSegment;
use super::futex;
use crate::provider::{Doorbell, Sleeper};
use crate::sys::clock::monotonic_nanoseconds;
use crate::sys::sync::{AtomicU32, AtomicU64, Ordering, compiler_fence, fence};

/// The words in shared memory.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Bell {
    /// One bit per sleeper.
    asleep: AtomicU32,
    /// Incremented by every ring.
    epochs: [AtomicU32; 2],
    /// When the last ring was, in nanoseconds of the clock that all processes of the host share.
    rung: [AtomicU64; 2],
    /// Rings for the helper that it has not asked for.
    summonses: AtomicU32,
}

fn index(sleeper: Sleeper) -> usize {
    match sleeper {
        Sleeper::Application => 0,
        Sleeper::Helper => 1,
    }
}

fn bit(sleeper: Sleeper) -> u32 {
    1 << index(sleeper)
}

impl Bell {
    /// Called by whoever has written something that the application, but not the helper, can be waiting for. Returns how
    /// many threads were woken.
    pub fn ring_application(&self) -> u32 {
        // The entry is stored first in program order; when it becomes visible is left to the processor (see above).
        compiler_fence(Ordering::SeqCst);
        self.ring_if_asleep(Sleeper::Application, self.asleep.load(Ordering::Relaxed))
    }

    /// Called by whoever has written something else for this rank, after writing it. Returns how many threads were woken.
    pub fn ring_all(&self) -> u32 {
        fence(Ordering::SeqCst);
        let asleep = self.asleep.load(Ordering::Relaxed);
        self.ring_if_asleep(Sleeper::Application, asleep) + self.ring_if_asleep(Sleeper::Helper, asleep)
    }

    /// Called by whoever has written something that the helper must see even if it has not asked to be rung. Returns how many
    /// threads were woken.
    pub fn summon_helper(&self) -> u32 {
        // Before the ring: the helper looks at them after it has read the epoch that it will sleep with.
        self.summonses.fetch_add(1, Ordering::SeqCst);
        self.ring(Sleeper::Helper);
        1
    }

    fn ring_if_asleep(&self, sleeper: Sleeper, asleep: u32) -> u32 {
        // Whoever clears the bit rings: several writers need only one ring.
        if asleep & bit(sleeper) == 0 || self.asleep.fetch_and(!bit(sleeper), Ordering::SeqCst) & bit(sleeper) == 0 {
            return 0;
        }
        self.ring(sleeper);
        1
    }

    fn ring(&self, sleeper: Sleeper) {
        let epoch = &self.epochs[index(sleeper)];
        self.rung[index(sleeper)].store(monotonic_nanoseconds(), Ordering::Relaxed);
        epoch.fetch_add(1, Ordering::SeqCst);
        futex::wake_all(epoch);
    }

    fn arm(&self, sleeper: Sleeper) -> bool {
        let before = self.asleep.fetch_or(bit(sleeper), Ordering::SeqCst);
        fence(Ordering::SeqCst);
        before & bit(sleeper) == 0
    }

    fn disarm(&self, sleeper: Sleeper) {
        self.asleep.fetch_and(!bit(sleeper), Ordering::SeqCst);
    }

    fn sleep(&self, sleeper: Sleeper, epoch: u32, timeout: Option<Duration>) -> Option<Duration> {
        let woken = futex::wait(&self.epochs[index(sleeper)], epoch, timeout);
        let rung = self.rung[index(sleeper)].load(Ordering::Relaxed);
        woken.then(|| Duration::from_nanos(monotonic_nanoseconds().saturating_sub(rung)))
    }
}

/// This rank's own doorbell.
pub struct OwnDoorbell(pub Arc<ControlSegment>);

impl Doorbell for OwnDoorbell {
    fn epoch(&self, sleeper: Sleeper) -> u32 {
        self.0.bell().epochs[index(sleeper)].load(Ordering::SeqCst)
    }

    fn arm(&self, sleeper: Sleeper) -> bool {
        self.0.bell().arm(sleeper)
    }

    fn disarm(&self, sleeper: Sleeper) {
        self.0.bell().disarm(sleeper);
    }

    fn sleep(&self, sleeper: Sleeper, epoch: u32, timeout: Option<Duration>) -> Option<Duration> {
        self.0.bell().sleep(sleeper, epoch, timeout)
    }

    fn ring(&self, sleeper: Sleeper) {
        self.0.bell().ring(sleeper);
    }

    fn ring_if_armed(&self, sleeper: Sleeper) {
        let bell = self.0.bell();
        bell.ring_if_asleep(sleeper, bell.asleep.load(Ordering::SeqCst));
    }

    fn summonses(&self) -> u32 {
        self.0.bell().summonses.load(Ordering::SeqCst)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nobody_asleep_means_no_ring() {
        let bell = Bell::default();
        assert_eq!(bell.ring_all(), 0);
        assert_eq!(bell.epochs[0].load(Ordering::Relaxed), 0);
        bell.arm(Sleeper::Helper);
        assert_eq!(bell.ring_all(), 1);
        assert_eq!(bell.epochs[0].load(Ordering::Relaxed), 0);
        assert_eq!(bell.epochs[1].load(Ordering::Relaxed), 1);
        bell.ring_all();
        assert_eq!(bell.epochs[1].load(Ordering::Relaxed), 1, "one ring until armed again");
    }

    #[test]
    fn no_wake_up_is_lost() {
        const ROUNDS: u64 = if cfg!(miri) { 20 } else { 20_000 };
        let (bell, posted, taken) = (Bell::default(), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    posted.store(round, Ordering::Release);
                    bell.ring_all();
                    while taken.load(Ordering::Acquire) < round {
                        std::thread::yield_now();
                    }
                }
            });
            for round in 1..=ROUNDS {
                while posted.load(Ordering::Acquire) < round {
                    let epoch = bell.epochs[0].load(Ordering::SeqCst);
                    bell.arm(Sleeper::Application);
                    if posted.load(Ordering::Acquire) < round {
                        let before = std::time::Instant::now();
                        bell.sleep(Sleeper::Application, epoch, Some(Duration::from_secs(20)));
                        assert!(before.elapsed() < Duration::from_secs(10), "slept through a ring");
                    }
                    bell.disarm(Sleeper::Application);
                }
                taken.store(round, Ordering::Release);
            }
        });
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A writer stores an entry and rings; a sleeper that has not seen it sleeps without a limit. In every interleaving, and
    /// whatever the memory model lets the two delay, the sleeper ends.
    #[test]
    fn no_wake_up_of_the_helper_is_lost() {
        loom::model(|| {
            let shared = Arc::new((Bell::default(), AtomicU32::new(0)));
            let writer = Arc::clone(&shared);
            let writing = thread::spawn(move || {
                writer.1.store(1, Ordering::Release);
                writer.0.ring_all();
            });
            let (bell, entry) = &*shared;
            let epoch = bell.epochs[index(Sleeper::Helper)].load(Ordering::SeqCst);
            bell.arm(Sleeper::Helper);
            if entry.load(Ordering::Acquire) == 0 {
                bell.sleep(Sleeper::Helper, epoch, None);
            }
            bell.disarm(Sleeper::Helper);
            assert_eq!(entry.load(Ordering::Acquire), 1);
            writing.join().unwrap();
        });
    }

    /// Two writers ring one sleeper: it sees both entries after at most two sleeps.
    #[test]
    fn writers_that_share_a_ring_lose_nothing() {
        loom::model(|| {
            let shared = Arc::new((Bell::default(), [AtomicU32::new(0), AtomicU32::new(0)]));
            let writers = [0, 1].map(|own| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.1[own].store(1, Ordering::Release);
                    shared.0.ring_all();
                })
            });
            let (bell, entries) = &*shared;
            let arrived = || entries.iter().all(|entry| entry.load(Ordering::Acquire) == 1);
            while !arrived() {
                let epoch = bell.epochs[index(Sleeper::Helper)].load(Ordering::SeqCst);
                bell.arm(Sleeper::Helper);
                if !arrived() {
                    bell.sleep(Sleeper::Helper, epoch, None);
                }
                bell.disarm(Sleeper::Helper);
            }
            for writer in writers {
                writer.join().unwrap();
            }
        });
    }

    /// A writer summons a helper that has not armed the doorbell: it never sleeps without a limit with the summons unseen.
    #[test]
    fn no_summons_is_lost() {
        loom::model(|| {
            let shared = Arc::new((Bell::default(), AtomicU32::new(0)));
            let writer = Arc::clone(&shared);
            let writing = thread::spawn(move || {
                writer.1.store(1, Ordering::Release);
                writer.0.summon_helper();
            });
            let (bell, entry) = &*shared;
            let mut seen = 0;
            while seen == 0 {
                let epoch = bell.epochs[index(Sleeper::Helper)].load(Ordering::SeqCst);
                seen = bell.summonses.load(Ordering::SeqCst);
                if seen == 0 {
                    bell.sleep(Sleeper::Helper, epoch, None);
                }
            }
            assert_eq!(entry.load(Ordering::Acquire), 1);
            writing.join().unwrap();
        });
    }
}
