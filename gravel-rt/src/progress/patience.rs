//! How long a wait polls before it sleeps.
//!
//! To sleep pays only where the wait lasts longer than being woken takes; and if both ranks of a pair sleep, each waits for
//! the other's waking, finds that its own polling was too short for that, and sleeps again. So a wait polls some times what
//! waking takes here (a microsecond or two between processors that are awake, a hundred where a hypervisor has to be asked),
//! which is measured whenever it happens.
//!
//! Where every rank has a processor of its own, nobody else wants it: there a wait goes on polling for much longer, now and
//! then letting MPI advance. To be woken costs more than its time where others do want the processor after all: what
//! has taken it meanwhile gives it back late.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A wait polls at least so long: some times what a peer takes to answer.
const SHORTEST: Duration = Duration::from_micros(20);
/// A wait polls so many times what waking takes.
const WAKINGS: u32 = 3;
/// But not longer than this: then the processor is wanted by others, which polling would only delay.
const LONGEST_FOR_WAKING: Duration = Duration::from_micros(200);

/// A peer that is delivering a long message takes as long as copying it: a wait polls that much longer, in bytes per
/// microsecond, before it sleeps.
const COPY_RATE: u64 = 8000;
/// But no longer than this in all.
const LONGEST: Duration = Duration::from_micros(300);

/// How long a wait lingers where nobody else wants its processor: a hundred times the longest that waking takes, so that
/// being woken after it does not count beside the wait. (With 2 ms, a program whose messages take 4 ms each was 8 % slower
/// than with MPI, which polls for ever.)
const LINGERING: Duration = Duration::from_millis(50);

/// Looks that a wait takes before anything else: some ten nanoseconds each.
const LOOKS_AT_ONCE: u32 = 120;

/// How a wait polls before it sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polling {
    /// For how long.
    pub duration: Duration,
    /// Whether it offers its processor to others between two polls, because ranks outnumber processors: then the one
    /// that is waited for is likely to be among them.
    pub yields: bool,
}

/// The policy of one rank.
#[derive(Debug)]
pub struct Patience {
    /// What the user has set.
    forced: Option<Duration>,
    yields: bool,
    /// What waking takes, in nanoseconds: a mean that follows longer times faster than shorter ones.
    waking: AtomicU64,
}

impl Patience {
    /// `forced` is GRAVEL_SPIN; `yields` says that ranks outnumber processors.
    pub fn new(forced: Option<Duration>, yields: bool) -> Self {
        Self { forced, yields, waking: AtomicU64::new(0) }
    }

    /// How a wait for a message of so many bytes polls.
    pub fn polling(&self, bytes: u64) -> Polling {
        let duration = self.forced.unwrap_or_else(|| {
            let waking = Duration::from_nanos(self.waking.load(Ordering::Relaxed));
            (waking * WAKINGS).clamp(SHORTEST, LONGEST_FOR_WAKING)
        });
        let copying = Duration::from_micros(bytes / COPY_RATE);
        let lengthened = if self.yields || duration.is_zero() { duration } else { (duration + copying).min(LONGEST) };
        Polling { duration: duration.max(lengthened), yields: self.yields }
    }

    /// How often a wait looks before it begins to measure how long it waits. Where ranks have a processor each, for about
    /// as long as a peer takes that answers at once: a look at the clock would be a large part of that. Not where the user
    /// has set how long to poll.
    #[inline(always)]
    pub fn looks_at_once(&self) -> u32 {
        if self.yields || self.forced.is_some() { 1 } else { LOOKS_AT_ONCE }
    }

    /// How long a wait that has polled in vain goes on, letting MPI advance, before it sleeps: not at all where ranks
    /// outnumber processors or the user has set how long to poll.
    pub fn lingering(&self) -> Duration {
        if self.yields || self.forced.is_some() { Duration::ZERO } else { LINGERING }
    }

    /// A sleeper was running again so long after the doorbell had rung.
    pub fn woken_after(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).min(LONGEST.as_nanos() as u64);
        let mean = self.waking.load(Ordering::Relaxed);
        let mean = if took > mean { mean.midpoint(took) } else { mean - (mean - took) / 8 };
        self.waking.store(mean, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(microseconds: u64) -> Duration {
        Duration::from_micros(microseconds)
    }

    #[test]
    fn polls_longer_where_waking_takes_longer() {
        let patience = Patience::new(None, false);
        assert_eq!(patience.polling(0), Polling { duration: SHORTEST, yields: false });
        for _ in 0..20 {
            patience.woken_after(us(50));
        }
        let duration = patience.polling(0).duration;
        assert!(duration > us(140) && duration <= us(150), "{duration:?}");
        for _ in 0..100 {
            patience.woken_after(us(1));
        }
        assert_eq!(patience.polling(0).duration, SHORTEST);
    }

    #[test]
    fn a_busy_machine_does_not_make_it_poll_for_ever() {
        let patience = Patience::new(None, false);
        for _ in 0..100 {
            patience.woken_after(Duration::from_secs(3600));
        }
        assert_eq!(patience.polling(0).duration, LONGEST_FOR_WAKING);
        assert_eq!(patience.polling(u64::MAX).duration, LONGEST);
    }

    #[test]
    fn what_the_user_has_set_is_what_happens() {
        let patience = Patience::new(Some(us(500)), false);
        patience.woken_after(us(100));
        assert_eq!(patience.polling(1 << 30).duration, us(500));
        assert_eq!(patience.lingering(), us(0));
        assert_eq!(Patience::new(Some(us(0)), false).polling(1 << 30).duration, us(0));
        assert_eq!(Patience::new(None, true).polling(1 << 30), Polling { duration: SHORTEST, yields: true });
    }

    #[test]
    fn looks_often_at_once_only_where_that_delays_nobody() {
        assert_eq!(Patience::new(None, false).looks_at_once(), LOOKS_AT_ONCE);
        assert_eq!(Patience::new(None, true).looks_at_once(), 1);
        assert_eq!(Patience::new(Some(us(0)), false).looks_at_once(), 1);
    }

    #[test]
    fn lingers_only_where_each_rank_has_a_processor() {
        assert_eq!(Patience::new(None, false).lingering(), LINGERING);
        assert_eq!(Patience::new(None, true).lingering(), us(0));
    }
}
