//! How the application's thread waits.
//!
//! It polls for some time ([`super::patience`]), which is what a peer that is about to answer takes; lingers where nobody
//! else wants its processor; then it sleeps on the doorbell,
//! because ranks may outnumber processors and whoever it waits for may need this one. While it sleeps it wakes now and
//! then, first after 100 us and backing off, to let MPI advance: the peer may sit in MPI_Recv for a message that this
//! rank has started, and cannot answer before it has that. It also looks whether the peer's process still lives. Arrivals
//! on sockets ring no doorbell: while it sleeps, the pump takes them and rings ([`super::pump`]).

use std::ops::Range;
use std::time::{Duration, Instant};

use super::Shared;
use super::call_site::call_site;
use super::patience::Polling;
use crate::Rank;
use crate::engine::Engine;
use crate::engine::inquiry::Step;
use crate::error::Result;
use crate::host::Host;
use crate::provider::{SETTLING, Sleeper};
use crate::sys::clock::monotonic_nanoseconds;
use crate::sys::log;

/// First pause between two calls of MPI's progress.
const FIRST_PAUSE: Duration = Duration::from_micros(100);
/// Longest pause between two calls of MPI's progress.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);
/// How often a sleeping rank looks whether its peers live.
const LIVENESS_INTERVAL: Duration = Duration::from_millis(100);
/// Polls between two looks at the clock and at other peers than the one waited for.
const POLLS_PER_ROUND: u32 = 16;

/// Runs `done` until it has an answer, making progress between the attempts: polls, then sleeps. It is an error if one of
/// the `watched` ranks, those that are waited for, dies.
pub fn block_until<T>(
    shared: &Shared,
    host: &dyn Host,
    polling: Polling,
    watched: Range<Rank>,
    mut done: impl FnMut(&mut Engine) -> Result<Option<T>>,
) -> Result<T> {
    match poll_until(shared, polling, watched.clone(), &mut done)? {
        Some(answer) => Ok(answer),
        None => sleep_until(shared, host, watched, done),
    }
}

/// Between polling and sleeping: goes on polling where every rank has a processor of its own, but lets MPI advance as a
/// sleeper does.
pub fn linger<T>(
    shared: &Shared,
    host: &dyn Host,
    watched: Range<Rank>,
    mut done: impl FnMut(&mut Engine) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let lingering = shared.patience.lingering();
    if lingering.is_zero() {
        return Ok(None);
    }
    let until = Instant::now() + lingering;
    let between = Polling { duration: FIRST_PAUSE, yields: false };
    while Instant::now() < until {
        host.progress();
        if let Some(answer) = poll_until(shared, between, watched.clone(), &mut done)? {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// The last part of [`block_until`]: sleeps between the attempts.
pub fn sleep_until<T>(
    shared: &Shared,
    host: &dyn Host,
    watched: Range<Rank>,
    mut done: impl FnMut(&mut Engine) -> Result<Option<T>>,
) -> Result<T> {
    // Whether something is there already is seen below, before it sleeps.
    shared.arm_pump();
    let mut pause = FIRST_PAUSE;
    let mut now = Instant::now();
    let mut next_progress = now;
    let mut next_liveness = now + LIVENESS_INTERVAL;
    loop {
        if now >= next_progress {
            host.progress();
            next_progress = now + pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if let Some(answer) = sleep_once(shared, next_progress, &mut done)? {
            return Ok(answer);
        }
        now = Instant::now();
        if now >= next_liveness {
            next_liveness = now + LIVENESS_INTERVAL;
            let alive = watched.clone().try_for_each(|peer| shared.lock()?.provider.check_alive(peer));
            if alive.is_err() {
                // What the peer wrote before it died still counts.
                if let Some(answer) = attempt(shared, &mut done)? {
                    return Ok(answer);
                }
                alive?;
            }
            if let Err(never) = look_at_standstill(shared) {
                return match attempt(shared, &mut done)? {
                    Some(answer) => Ok(answer),
                    None => Err(never),
                };
            }
        }
    }
}

/// Under `GRAVEL_CHECK`: finds out what this wait waits for, and whether it can end; says so when it has lasted for long. An error
/// if what it waits for never comes.
pub fn look_at_standstill(shared: &Shared) -> Result<()> {
    let step = shared.lock()?.look_at_standstill(monotonic_nanoseconds());
    match step {
        Step::Nothing => Ok(()),
        Step::FindSite => {
            let site = call_site();
            shared.lock()?.set_site(site);
            Ok(())
        }
        Step::Report(text, never) => {
            log::warning!("GRAVEL_CHECK: {text}");
            never.map_or(Ok(()), Err)
        }
    }
}

/// One more try, and if it fails, sleep until the doorbell rings or the given time.
fn sleep_once<T>(
    shared: &Shared,
    until: Instant,
    done: &mut impl FnMut(&mut Engine) -> Result<Option<T>>,
) -> Result<Option<T>> {
    // Epoch, flag, one more look, sleep, in this order: see `Doorbell`.
    let epoch = shared.doorbell.epoch(Sleeper::Application);
    let newly_armed = shared.doorbell.arm(Sleeper::Application);
    let mut answer = attempt(shared, done);
    if newly_armed && matches!(answer, Ok(None)) {
        let armed = Instant::now();
        while armed.elapsed() < SETTLING {
            std::hint::spin_loop();
        }
        answer = attempt(shared, done);
    }
    if matches!(answer, Ok(None)) {
        // The flag stays: whoever rings takes it away.
        let timeout = until.saturating_duration_since(Instant::now());
        if let Some(ago) = shared.doorbell.sleep(Sleeper::Application, epoch, Some(timeout)) {
            shared.patience.woken_after(ago);
        }
    } else {
        shared.doorbell.disarm(Sleeper::Application);
    }
    answer
}

/// The first part of [`block_until`]: polls for the given time at most.
pub fn poll_until<T>(
    shared: &Shared,
    polling: Polling,
    watched: Range<Rank>,
    mut done: impl FnMut(&mut Engine) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let mut started = None;
    loop {
        if let Some(answer) = attempt(shared, &mut done)? {
            return Ok(Some(answer));
        }
        let now = Instant::now();
        if now - *started.get_or_insert(now) >= polling.duration {
            return Ok(None);
        }
        if polling.yields {
            std::thread::yield_now();
            continue;
        }
        for _ in 0..POLLS_PER_ROUND {
            let mut engine = shared.lock()?;
            let may_be_done = if watched.len() == 1 {
                // What others take meanwhile is seen in the next round.
                engine.progress_once(watched.start)
            } else {
                engine.progress(u64::MAX);
                true
            };
            if may_be_done && let Some(answer) = done(&mut engine)? {
                return Ok(Some(answer));
            }
            drop(engine);
            if !shared.looks_take_long() {
                std::hint::spin_loop();
            }
        }
    }
}

/// Progress with all peers, then one try.
fn attempt<T>(shared: &Shared, done: &mut impl FnMut(&mut Engine) -> Result<Option<T>>) -> Result<Option<T>> {
    let mut engine = shared.lock()?;
    engine.progress(u64::MAX);
    done(&mut engine)
}
