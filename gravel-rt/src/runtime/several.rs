//! Tests of several requests, and waits for whichever of them comes first (MPI 4.0, section 3.7.5).
//!
//! Null requests and persistent ones that are inactive do not count. Of several that could be completed the one is that
//! comes next, in turn, behind the one that was the last time: no request that is ready is passed over for ever. The calls
//! for several are made of those for one, which the observer sees under the name of the whole.

use std::time::{Duration, Instant};

use super::Runtime;
use super::vain_tests::InVain;
use crate::engine::Engine;
use crate::engine::completion::{AnyError, Completion, Vain};
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::progress::wait::{linger, poll_until, sleep_until};

/// How often a wait for several requests looks whether their peers live.
const LIVENESS_INTERVAL: Duration = Duration::from_millis(100);

/// What a test of several requests has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyTested {
    /// No request is active.
    NoneActive,
    /// None of those that are active could be completed.
    NotYet,
    /// The request at this place was completed.
    Ended(usize, Completion),
}

/// One of several requests that a call has completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its place among them.
    pub index: usize,
    /// What it was, or why it has failed.
    pub outcome: Result<Completion>,
    /// The communicator of one that has failed, by its handle, as [`Runtime::communicator_of_failure`] tells it.
    pub blamed: Option<i32>,
}

/// What a wait for a request would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readiness {
    /// End at once.
    Over,
    /// Block.
    NotYet,
    /// Fail, for a rank is dead.
    Dead,
}

impl Runtime {
    /// Waits until one of several requests is complete, and says which; nothing if none is active. An error is that of a
    /// request that failed, which is over; or of a handle that names none.
    pub fn wait_any(&mut self, requests: &[Handle]) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        self.seen_as("gravel_waitany", |runtime| runtime.await_any(requests))
    }

    /// Completes one of several requests if that is possible now. Does not block. An error is as that of
    /// [`Runtime::wait_any`].
    pub fn test_any(&mut self, requests: &[Handle]) -> std::result::Result<AnyTested, AnyError> {
        self.seen_as("gravel_testany", |runtime| runtime.first_ended(requests))
    }

    /// Waits until at least one of several requests is complete, and completes all that are, in the order of their places;
    /// nothing if none is active.
    pub fn wait_some(&mut self, requests: &[Handle]) -> Result<Option<Vec<Ended>>> {
        self.seen_as("gravel_waitsome", |runtime| {
            let (index, outcome) = match runtime.await_any(requests) {
                Ok(None) => return Ok(None),
                Ok(Some((index, completion))) => (index, Ok(completion)),
                Err(AnyError { index: Some(index), error }) => (index, Err(error)),
                Err(AnyError { index: None, error }) => return Err(error),
            };
            let first = runtime.ended(index, requests[index], outcome);
            let (mut all, _) = runtime.all_ended(requests, Some(index))?;
            all.push(first);
            all.sort_by_key(|ended| ended.index);
            Ok(Some(all))
        })
    }

    /// Completes all of several requests that can be completed now, in the order of their places; nothing if none is active.
    /// Does not block.
    pub fn test_some(&mut self, requests: &[Handle]) -> Result<Option<Vec<Ended>>> {
        self.seen_as("gravel_testsome", |runtime| {
            let (all, any_active) = runtime.all_ended(requests, None)?;
            Ok(any_active.then_some(all))
        })
    }

    /// Completes all requests if that is possible now, else none of them. Does not block. Those that are not active count
    /// as complete. Where that will never be possible, because some wait for dead ranks, those alone are completed, by their
    /// errors.
    pub fn test_all(&mut self, requests: &[Handle]) -> Result<Option<Vec<Ended>>> {
        self.seen_as("gravel_testall", |runtime| {
            runtime.check_process()?;
            if runtime.was_in_vain(requests, InVain::AnyWaits)? {
                return Ok(None);
            }
            let mut are_over = true;
            let mut failed = Vec::new();
            for (index, &request) in requests.iter().enumerate() {
                match runtime.could_complete(request)? {
                    Readiness::NotYet => are_over = false,
                    Readiness::Over => {}
                    Readiness::Dead => {
                        // What has come at the last moment is an outcome, too.
                        match runtime.test(request).transpose() {
                            Some(outcome) => failed.push(runtime.ended(index, request, outcome)),
                            None => are_over = false,
                        }
                    }
                }
            }
            if !failed.is_empty() {
                return Ok(Some(failed));
            }
            if !are_over {
                runtime.tell(|observer, runtime| {
                    let pending = requests.iter().filter(|request| !request.is_settled() && !request.is_made_up());
                    pending.for_each(|&request| observer.note_vain_test(runtime, "gravel_testall", request));
                });
                runtime.report_test_loop();
                runtime.tested_in_vain();
                return Ok(None);
            }
            // Nothing but an adapter that reads what a send has put can still be waited for.
            let complete = |(index, &request): (usize, &Handle)| {
                let outcome = runtime.wait(request);
                runtime.ended(index, request, outcome)
            };
            Ok(Some(requests.iter().enumerate().map(complete).collect()))
        })
    }

    /// What MPI leaves open is as in its own implementations from now on, on which some programs rely: the first of several
    /// requests that can be completed is the one at the lowest place, and only its receiver hears of a message that is too long.
    pub fn stand_for_mpi(&mut self) -> Result<()> {
        self.takes_turns = false;
        self.errors_return()
    }

    /// The program goes on after errors: only its receiver hears of a message that is too long, as with MPI.
    pub fn errors_return(&mut self) -> Result<()> {
        self.shared.lock()?.state.only_receivers_hear = true;
        Ok(())
    }

    /// Lets the observer see the calls that make up one by the name of that one.
    fn seen_as<T>(&mut self, name: &'static str, calls: impl FnOnce(&mut Self) -> T) -> T {
        self.tell(|observer, _| observer.begin_several(name));
        let result = calls(self);
        self.tell(|observer, _| observer.end_several());
        result
    }

    fn ended(&mut self, index: usize, request: Handle, outcome: Result<Completion>) -> Ended {
        let blamed = if outcome.is_err() { self.communicator_of_failure(request) } else { None };
        Ended { index, outcome, blamed }
    }

    /// Whether a wait for the request has something to tell: it is neither null, nor persistent and inactive.
    pub(crate) fn is_active(&mut self, request: Handle) -> Result<bool> {
        match request.in_persistent() {
            Some(operation) => self.is_started(operation),
            None => Ok(!request.is_null()),
        }
    }

    /// The first request, in turn, that can be completed now.
    fn first_ended(&mut self, requests: &[Handle]) -> std::result::Result<AnyTested, AnyError> {
        self.check_process()?;
        if self.was_in_vain(requests, InVain::AllWait)? {
            return Ok(AnyTested::NotYet);
        }
        let first = if self.takes_turns && self.next_in_turn < requests.len() { self.next_in_turn } else { 0 };
        let mut found = AnyTested::NoneActive;
        for index in (first..requests.len()).chain(0..first) {
            let named = |error| AnyError { index: Some(index), error };
            if !self.is_active(requests[index]).map_err(named)? {
                continue;
            }
            found = AnyTested::NotYet;
            let outcome = self.test(requests[index]);
            if !matches!(outcome, Ok(None)) {
                self.next_in_turn = index + 1;
            }
            if let Some(completion) = outcome.map_err(named)? {
                return Ok(AnyTested::Ended(index, completion));
            }
        }
        Ok(found)
    }

    fn await_any(&mut self, requests: &[Handle]) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        match self.first_ended(requests)? {
            AnyTested::NoneActive => return Ok(None),
            AnyTested::Ended(index, completion) => return Ok(Some((index, completion))),
            AnyTested::NotYet => {}
        }
        let outcome = self.block_until_any(requests);
        if let Ok(Some((index, _))) | Err(AnyError { index: Some(index), .. }) = outcome {
            self.next_in_turn = index + 1;
        }
        outcome
    }

    /// Completes what can be completed now, without the request at the place `but`, and says whether any other is active.
    fn all_ended(&mut self, requests: &[Handle], but: Option<usize>) -> Result<(Vec<Ended>, bool)> {
        self.check_process()?;
        if but.is_none() && self.was_in_vain(requests, InVain::AllWait)? {
            return Ok((Vec::new(), true));
        }
        let mut all = Vec::new();
        let mut any_active = false;
        for (index, &request) in requests.iter().enumerate().filter(|&(index, _)| Some(index) != but) {
            let outcome = match self.is_active(request) {
                Ok(false) => continue,
                Ok(true) => self.test(request).transpose(),
                Err(error) => Some(Err(error)),
            };
            any_active = true;
            if let Some(outcome) = outcome {
                all.push(self.ended(index, request, outcome));
            }
        }
        Ok((all, any_active))
    }

    /// Whether a wait for the request would end at once. It changes nothing that the program can see. A handle that names
    /// nothing counts: its wait fails at once.
    fn could_complete(&mut self, request: Handle) -> Result<Readiness> {
        if request.is_settled() || request.is_made_up() {
            return Ok(Readiness::Over);
        }
        if let Some(operation) = request.in_persistent() {
            return match self.active(operation) {
                Ok(active) => self.could_complete(active),
                Err(_) => Ok(Readiness::Over),
            };
        }
        if let Some(exchange) = request.in_collectives() {
            let is_over = self.advance_alltoall(exchange).unwrap_or(true);
            return Ok(if is_over { Readiness::Over } else { Readiness::NotYet });
        }
        let limit = self.settings.eager_limit;
        let mut engine = self.shared.lock()?;
        engine.progress(u64::MAX);
        let readiness = if engine.could_complete(request, limit) {
            Readiness::Over
        } else {
            engine.tested_in_vain(request);
            let is_dead = Self::would_fail(&mut self.dead_peers, &engine, request);
            if is_dead { Readiness::Dead } else { Readiness::NotYet }
        };
        self.helper.arm(&self.shared, engine)?;
        Ok(readiness)
    }

    /// Blocks until one of several requests is complete, of which none was a moment ago.
    pub(crate) fn block_until_any(
        &mut self,
        requests: &[Handle],
    ) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        if requests.iter().any(|request| request.in_persistent().is_some()) {
            return self.wait_any_persistent(requests);
        }
        if requests.iter().any(|request| request.in_collectives().is_some()) {
            return self.wait_any_alltoall(requests);
        }
        self.call(
            move |observer, runtime| observer.wait_any(runtime, requests),
            move |runtime| runtime.block_until_any_unwatched(requests),
        )
    }

    pub(super) fn block_until_any_unwatched(
        &mut self,
        requests: &[Handle],
    ) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        self.check_process()?;
        let requests: Vec<_> = requests.iter().copied().enumerate().filter(|(_, request)| !request.is_null()).collect();
        if requests.is_empty() {
            return Ok(None);
        }
        let limit = self.settings.eager_limit;
        let test = |engine: &mut Engine| {
            let done = |engine: &mut Engine, (index, request)| match engine.test(request) {
                Ok(None) => None,
                Ok(Some(completion)) => Some(Ok((index, completion))),
                Err(error) => Some(Err(AnyError { index: Some(index), error })),
            };
            requests.iter().find_map(|&request| done(engine, request))
        };
        let mut engine = self.shared.lock()?;
        engine.progress(u64::MAX);
        let mut done = test(&mut engine);
        if done.is_none() {
            let spilled = requests.iter().find(|&&(_, request)| engine.spill(request, limit));
            done = spilled.map(|&(index, _)| Ok((index, Completion::Empty)));
        }
        if done.is_none() {
            drop(engine);
            done = Some(self.block_for_any(&requests, test)?);
            engine = self.shared.lock()?;
        }
        self.helper.arm(&self.shared, engine)?;
        done.transpose()
    }

    /// Blocks until `test` has an answer, or the peer of a request is dead.
    fn block_for_any<T>(
        &mut self,
        requests: &[(usize, Handle)],
        test: impl Fn(&mut Engine) -> Option<std::result::Result<T, AnyError>>,
    ) -> Result<std::result::Result<T, AnyError>> {
        self.helper.disarm(&self.shared);
        let polling = self.shared.patience.polling(0);
        if let Some(answer) = poll_until(&self.shared, polling, 0..0, |engine| Ok(test(engine)))? {
            self.waits.polled += 1;
            return Ok(answer);
        }
        let in_vain = |vain| -> Result<()> {
            let mut engine = self.shared.lock()?;
            requests.iter().for_each(|&(_, request)| engine.waited_in_vain(request, vain));
            Ok(())
        };
        in_vain(Vain::Polling)?;
        if let Some(answer) = linger(&self.shared, &*self.host, 0..0, |engine| Ok(test(engine)))? {
            self.waits.polled += 1;
            return Ok(answer);
        }
        in_vain(Vain::Lingering)?;
        self.waits.slept += 1;
        let mut next_liveness = Instant::now() + LIVENESS_INTERVAL;
        sleep_until(&self.shared, &*self.host, 0..0, |engine| {
            if let Some(answer) = test(engine) {
                return Ok(Some(answer));
            }
            if Instant::now() < next_liveness {
                return Ok(None);
            }
            next_liveness = Instant::now() + LIVENESS_INTERVAL;
            if first_with_dead_peer(engine, requests).is_none() {
                return Ok(None);
            }
            // What the peer wrote before it died still counts, and another one may have met a receive from any source.
            engine.progress(u64::MAX);
            if let Some(answer) = test(engine) {
                return Ok(Some(answer));
            }
            Ok(first_with_dead_peer(engine, requests).map(|(index, request, error)| {
                engine.abandon(request);
                Err(AnyError { index: Some(index), error })
            }))
        })
    }
}

/// The first request that waits for a rank whose process has ended.
fn first_with_dead_peer(engine: &Engine, requests: &[(usize, Handle)]) -> Option<(usize, Handle, Box<Error>)> {
    requests.iter().find_map(|&(index, request)| {
        let error = engine.watched(request).find_map(|peer| engine.provider.check_alive(peer).err())?;
        Some((index, request, error))
    })
}
