//! Tests of requests whose peers are dead: a program that tests in a loop is told, as one that waits is.
//!
//! A test is no more than a look at memory, so what asks the system is done now and then: when a test was in vain and the last
//! look is long ago, and for a few peers at a time. What was found stays found. Even a look at the clock is a fifth of a test:
//! where tests follow each other at once, one of sixteen takes it.

use super::Runtime;
use crate::Rank;
use crate::engine::Engine;
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::progress::wait::look_at_standstill;
use crate::sys::clock::coarse_nanoseconds;

/// How often tests in vain look whether peers live, in nanoseconds: as often as waits do.
const INTERVAL: u64 = 100_000_000;
/// Tests of a fast loop that go without a look at the clock.
const WITHOUT_CLOCK: u8 = 15;
/// A loop is fast if so many take no longer than this, in nanoseconds: what the coarse clock can tell.
const FAST: u64 = 10_000_000;
/// Peers that one look asks for at most: each may take some ten microseconds.
const PEERS_AT_ONCE: usize = 16;

/// The dead peers that tests have found.
#[derive(Debug, Default)]
pub(super) struct DeadPeers {
    /// When the next look is due; never before the first test in vain.
    next_look: Option<u64>,
    /// Tests that do not look at the clock, and when the last one did.
    unclocked: u8,
    clocked: u64,
    /// The peer that the next look begins with, of those that are waited for.
    next_peer: Rank,
    found: Vec<(Rank, Box<Error>)>,
    /// Whether peers were asked for since somebody wanted to know that.
    has_looked: bool,
}

impl DeadPeers {
    /// After a test in vain: whether a look is to be taken, at the clock at least.
    #[inline(always)]
    pub(super) fn are_due(&mut self) -> bool {
        let due = self.unclocked == 0;
        self.unclocked -= u8::from(!due);
        due
    }

    /// After a probe in vain of messages of these peers: looks whether they live, if that was not done lately, and gives the
    /// error of the first that is dead.
    pub(super) fn look_for(&mut self, engine: &Engine, peers: std::ops::Range<Rank>) -> Result<()> {
        self.look_at(engine, |waited_for| waited_for[peers.clone()].fill(true));
        match self.found.iter().find(|(peer, _)| peers.contains(peer)) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Looks whether peers live, if that was not done lately.
    fn look(&mut self, engine: &Engine) {
        self.look_at(engine, |_| {});
    }

    /// As [`DeadPeers::look`], where others are waited for, too.
    fn look_at(&mut self, engine: &Engine, add: impl FnOnce(&mut [bool])) {
        let now = coarse_nanoseconds();
        match self.next_look {
            Some(due) if now < due => {}
            Some(_) => {
                self.next_look = Some(now + INTERVAL);
                self.has_looked = true;
                let mut waited_for = engine.waited_for();
                add(&mut waited_for);
                waited_for[engine.rank] = false;
                self.ask(&waited_for, |peer| engine.provider.check_alive(peer));
            }
            None => self.next_look = Some(now + INTERVAL),
        }
        // Where somebody is dead, each request may be waiting for that one.
        let may_skip = now - self.clocked < FAST && self.found.is_empty();
        self.unclocked = if may_skip { WITHOUT_CLOCK } else { 0 };
        self.clocked = now;
    }

    /// Asks for some of the peers that operations wait for, in turn.
    fn ask(&mut self, waited_for: &[bool], is_alive: impl Fn(Rank) -> Result<()>) {
        let ranks = waited_for.len();
        let from = if self.next_peer < ranks { self.next_peer } else { 0 };
        self.next_peer = 0;
        let mut asked = 0;
        for peer in (from..ranks).chain(0..from).filter(|&peer| waited_for[peer]) {
            if asked == PEERS_AT_ONCE {
                self.next_peer = peer;
                break;
            }
            if self.found.iter().any(|(found, _)| *found == peer) {
                continue;
            }
            asked += 1;
            if let Err(error) = is_alive(peer) {
                self.found.push((peer, error));
            }
        }
    }

    /// The error of a request that waits for a dead peer.
    fn failure_of(&self, engine: &Engine, request: Handle) -> Option<Box<Error>> {
        let watched = engine.watched(request);
        self.found.iter().find(|(peer, _)| watched.contains(peer)).map(|(_, error)| error.clone())
    }
}

impl Runtime {
    /// After a test of a request that was in vain, when a look is due: its completion if what a peer wrote before it died has
    /// brought that, the error of its death if it has not, or of what never comes; else nothing.
    #[cold]
    pub(super) fn test_thoroughly(&mut self, request: Handle) -> Result<Option<Completion>> {
        let mut engine = self.shared.lock()?;
        let died = Self::look_for_death(&mut self.dead_peers, &mut engine, request);
        self.helper.arm(&self.shared, engine)?;
        let done = died?;
        if done.is_some() {
            return Ok(done);
        }
        let done = self.look_at_test_loop(request)?;
        if done.is_none() {
            self.tested_in_vain();
        }
        Ok(done)
    }

    fn look_for_death(dead: &mut DeadPeers, engine: &mut Engine, request: Handle) -> Result<Option<Completion>> {
        dead.look(engine);
        if dead.failure_of(engine, request).is_none() {
            return Ok(None);
        }
        engine.progress(u64::MAX);
        if let Some(completion) = engine.test(request)? {
            return Ok(Some(completion));
        }
        // It may have met another peer's message.
        let Some(error) = dead.failure_of(engine, request) else { return Ok(None) };
        engine.abandon(request);
        Err(error)
    }

    /// After a test in vain, with the engine unlocked: as often as a look is taken whether peers live, looks at what the test
    /// loop waits for, where the rules are checked. The request is over if that never comes.
    fn look_at_test_loop(&mut self, request: Handle) -> Result<Option<Completion>> {
        if !std::mem::take(&mut self.dead_peers.has_looked) {
            return Ok(None);
        }
        let Err(never) = look_at_standstill(&self.shared) else { return Ok(None) };
        let mut engine = self.shared.lock()?;
        engine.progress(u64::MAX);
        if let Some(completion) = engine.test(request)? {
            return Ok(Some(completion));
        }
        engine.abandon(request);
        Err(never)
    }

    /// As [`Runtime::look_at_test_loop`], for a loop that waits for several requests: what never comes is said, and ends nothing.
    pub(super) fn report_test_loop(&mut self) {
        if std::mem::take(&mut self.dead_peers.has_looked) {
            // It has been reported.
            let _ = look_at_standstill(&self.shared);
        }
    }

    /// As [`Runtime::test_thoroughly`], changing nothing: whether a test of the request would fail now.
    pub(super) fn would_fail(dead: &mut DeadPeers, engine: &Engine, request: Handle) -> bool {
        if !dead.are_due() {
            return false;
        }
        dead.look(engine);
        dead.failure_of(engine, request).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The peers that one look asks for.
    fn asked(dead: &mut DeadPeers, waited_for: &[bool], died: &[Rank]) -> Vec<Rank> {
        let asked = std::cell::RefCell::new(Vec::new());
        dead.ask(waited_for, |peer| {
            asked.borrow_mut().push(peer);
            if died.contains(&peer) { Err(Error::Forked.into()) } else { Ok(()) }
        });
        asked.into_inner()
    }

    #[test]
    fn many_peers_are_asked_for_in_turn() {
        let mut dead = DeadPeers::default();
        let mut waited_for = vec![true; 40];
        waited_for[3] = false;
        assert_eq!(asked(&mut dead, &waited_for, &[5]), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        assert_eq!(asked(&mut dead, &waited_for, &[]), (17..33).collect::<Vec<_>>());
        // Who is known to be dead is not asked for again.
        let third: Vec<Rank> = (33..40).chain([0, 1, 2, 4, 6, 7, 8, 9, 10]).collect();
        assert_eq!(asked(&mut dead, &waited_for, &[]), third);
        assert_eq!(dead.found.iter().map(|(peer, _)| *peer).collect::<Vec<_>>(), [5]);
        assert!(asked(&mut dead, &[false; 40], &[]).is_empty());
        assert_eq!(asked(&mut dead, &[true], &[]), [0]);
    }
}
