//! The calls that complete requests, or wait for something else, watched.

use std::time::Duration;

use super::{Calls, Observer};
use crate::check::standstill::WaitingCall;
use crate::engine::completion::{AnyError, Completion};
use crate::engine::inquiry::Doing;
use crate::engine::transfer::byte_range;
use crate::error::violation::Call;
use crate::error::{Error, Result};
use crate::message::matching::MatchKey;
use crate::message::request::Handle;
use crate::trace::{self, Details, Flow, FlowId};

/// The message of a receive: its key and its number among those of the key.
pub(crate) type MessageOfReceive = (MatchKey, u64);

impl Observer {
    /// The calls that follow make up one of this name.
    pub(crate) fn begin_several(&mut self, name: &'static str) {
        self.number += 1;
        self.several = Some(name);
    }

    pub(crate) fn end_several(&mut self) {
        self.several = None;
    }

    /// One more call, unless it is a part of one.
    fn begin_wait(&mut self) {
        self.number += u64::from(self.several.is_none());
    }

    /// Makes a call that waits. Where the rules are checked, others are told what for, if they ask.
    fn waiting<C: Calls, T>(
        &self,
        runtime: &mut C,
        name: &'static str,
        request: Option<Handle>,
        doing: impl FnOnce() -> Doing,
        call: impl FnOnce(&mut C) -> T,
    ) -> T {
        if self.check.is_none() {
            return call(runtime);
        }
        let made = request.and_then(|request| self.made.get(&request)).map(|made| made.call);
        let waiting = WaitingCall { number: self.number, name: self.several.unwrap_or(name), made };
        runtime.note_doing(doing(), waiting);
        let result = call(runtime);
        runtime.note_doing(Doing::Elsewhere, waiting);
        result
    }

    /// A test was in vain. Where the rules are checked, others are told of the loop that it may be in.
    pub(crate) fn note_vain_test(&mut self, runtime: &impl Calls, name: &'static str, request: Handle) {
        if self.check.is_some() && self.testing != Some(request) {
            self.testing = Some(request);
            let made = self.made.get(&request).map(|made| made.call);
            let call = WaitingCall { number: self.number, name: self.several.unwrap_or(name), made };
            runtime.note_vain_test(request, call);
        }
    }

    /// The program does something else than to test in vain.
    pub(super) fn end_testing(&mut self, runtime: &impl Calls) {
        if self.testing.take().is_some() {
            let call = WaitingCall { number: self.number, name: self.several.unwrap_or("gravel_test"), made: None };
            runtime.note_doing(Doing::Elsewhere, call);
        }
    }

    /// `gravel_finalize` begins to wait for the others.
    pub(crate) fn note_finalizing(&self, runtime: &impl Calls) {
        if self.check.is_some() {
            let call = WaitingCall { number: self.number + 1, name: "gravel_finalize", made: None };
            runtime.note_doing(Doing::Finalizing, call);
        }
    }

    pub(crate) fn wait(&mut self, runtime: &mut impl Calls, request: Handle) -> Result<Completion> {
        self.begin_wait();
        let start = trace::now();
        let message = self.message_of(runtime, request);
        let result = if self.is_made_up(request) {
            Ok(Completion::Empty)
        } else {
            let doing = || Doing::Waiting(vec![request]);
            self.waiting(runtime, "gravel_wait", Some(request), doing, |runtime| runtime.wait(request))
        };
        self.completed("gravel_wait", request, start, message, result)
    }

    pub(crate) fn test(&mut self, runtime: &mut impl Calls, request: Handle) -> Result<Option<Completion>> {
        self.begin_wait();
        let start = trace::now();
        let message = self.message_of(runtime, request);
        let result = if self.is_made_up(request) { Ok(Some(Completion::Empty)) } else { runtime.test(request) };
        // Programs test in loops: what was in vain is no event.
        match result.transpose() {
            None => {
                self.note_vain_test(runtime, "gravel_test", request);
                Ok(None)
            }
            Some(outcome) => {
                self.end_testing(runtime);
                self.completed("gravel_test", request, start, message, outcome).map(Some)
            }
        }
    }

    pub(crate) fn wait_any(
        &mut self,
        runtime: &mut impl Calls,
        requests: &[Handle],
    ) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        self.begin_wait();
        let start = trace::now();
        let messages: Vec<_> = requests.iter().map(|&request| self.message_of(runtime, request)).collect();
        // Without the rules, a send that is over has no request, and is not waited for.
        let result = match requests.iter().position(|&request| self.is_made_up(request)) {
            Some(index) => Ok(Some((index, Completion::Empty))),
            None => {
                let doing = || Doing::Waiting(requests.to_vec());
                self.waiting(runtime, "gravel_waitany", None, doing, |runtime| runtime.block_until_any(requests))
            }
        };
        let (index, outcome) = match result {
            Ok(Some((index, completion))) => (index, Ok(completion)),
            Err(AnyError { index: Some(index), error }) => (index, Err(error)),
            other => return other,
        };
        match self.completed("gravel_waitany", requests[index], start, messages[index], outcome) {
            Ok(completion) => Ok(Some((index, completion))),
            Err(error) => Err(AnyError { index: Some(index), error }),
        }
    }

    pub(crate) fn wait_range<C: Calls>(
        &mut self,
        runtime: &mut C,
        request: Handle,
        offset: i64,
        count: i64,
    ) -> Result<()> {
        self.number += 1;
        let start = trace::now();
        let doing = || Doing::Waiting(vec![request]);
        let wait = |runtime: &mut C| runtime.wait_range(request, offset, count);
        let result = self.waiting(runtime, "gravel_wait_range", Some(request), doing, wait);
        self.count_wait(request, start);
        let Some(&made) = self.made.get(&request) else { return self.explain(request, result) };
        // The runtime has refused what is outside of the buffer.
        let elements = made.call.bytes.checked_div(made.element_bytes).unwrap_or(0);
        let (first, last) = match byte_range(elements, made.element_bytes, offset, count).unwrap_or((0, 0)) {
            // Elements of the buffer are not those of the datatype: which part it is can't be told, and all of it was waited for.
            _ if count > 0 && !made.parts_are_named => (0, made.call.bytes),
            (first, last) if first < last && !made.advances_with_message => (0, made.call.bytes),
            part => part,
        };
        let call = Call {
            number: self.number,
            name: "gravel_wait_range",
            address: made.call.address.saturating_add(first as usize),
            bytes: last - first,
            count,
            ..made.call
        };
        let rules = match &mut self.check {
            // SAFETY: the program is in its wait, and the bytes have arrived.
            Some(check) if result.is_ok() => unsafe { check.arrived(request, first, last, call.number) },
            _ => Ok(()),
        };
        self.end(&call, start, Flow::None, result.and_then(|()| Ok(rules.map_err(Error::RuleBroken)?)))
    }

    /// The elements before the end of this range are the program's, although their request is not over.
    pub(crate) fn note_taken(&mut self, request: Handle, offset: i64, count: i64) {
        let (Some(made), Some(check)) = (self.made.get(&request), &mut self.check) else { return };
        let elements = made.call.bytes.checked_div(made.element_bytes).unwrap_or(0);
        // The wait has refused what is outside of the buffer.
        if let Ok((_, end)) = byte_range(elements, made.element_bytes, offset, count) {
            check.taken(request, end);
        }
    }

    pub(crate) fn wait_announcement<C: Calls>(
        &mut self,
        runtime: &mut C,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Completion> {
        self.number += 1;
        let start = trace::now();
        let pattern = runtime.pattern(source, tag, communicator).ok().flatten();
        let doing = || pattern.map_or(Doing::Elsewhere, Doing::Awaiting);
        let wait = |runtime: &mut C| runtime.wait_announcement(source, tag, communicator);
        let result = self.waiting(runtime, "gravel_wait_snd_request", None, doing, wait);
        self.calls.waits += 1;
        self.calls.wait_time += Duration::from_nanos(trace::now() - start);
        let details = match result {
            Ok(Completion::Received { source, tag, bytes }) => {
                Details { peer: i64::try_from(source).ok(), tag: Some(tag), bytes: Some(bytes), offset: None }
            }
            _ => Details { peer: Some(source.into()), tag: Some(tag), ..Details::default() },
        };
        self.record("gravel_wait_snd_request", start, details, Flow::None);
        result
    }

    pub(crate) fn cancel(&mut self, runtime: &mut impl Calls, request: Handle) -> Result<()> {
        self.number += 1;
        let start = trace::now();
        // A send that was over at once stays so.
        let result = if self.is_made_up(request) { Ok(()) } else { runtime.cancel(request) };
        self.record("gravel_cancel", start, Details::default(), Flow::None);
        self.explain(request, result)
    }

    fn is_made_up(&self, request: Handle) -> bool {
        self.check.as_ref().is_some_and(|check| check.is_made_up(request))
    }

    /// The message that a request is for, while the request is there; only a trace shows it.
    fn message_of(&self, runtime: &impl Calls, request: Handle) -> Option<MessageOfReceive> {
        if self.trace.is_some() { runtime.message_of(request) } else { None }
    }

    fn count_wait(&mut self, request: Handle, start: u64) {
        if !request.is_null() {
            self.calls.waits += 1;
            self.calls.wait_time += Duration::from_nanos(trace::now() - start);
        }
    }

    /// The call of this name has completed a request, with this result.
    fn completed(
        &mut self,
        name: &'static str,
        request: Handle,
        start: u64,
        message: Option<MessageOfReceive>,
        result: Result<Completion>,
    ) -> Result<Completion> {
        self.count_wait(request, start);
        let name = self.several.unwrap_or(name);
        let flow = match (&result, message) {
            (Ok(Completion::Received { .. }), Some((key, number))) => {
                Flow::Ends(FlowId::received(self.rank, key, number))
            }
            _ => Flow::None,
        };
        let Some(made) = self.made.remove(&request) else {
            self.record(name, start, Details::default(), flow);
            return self.explain(request, result);
        };
        let call = Call { number: self.number, name, ..made.call };
        let rules = match &mut self.check {
            Some(check) => {
                let (received, quiet) = match &result {
                    Ok(Completion::Received { bytes, .. }) => (*bytes, true),
                    Ok(_) => (0, true),
                    // After other errors a peer may still be writing.
                    Err(error) => (0, matches!(**error, Error::Truncated { .. } | Error::PeerGaveUp { .. })),
                };
                // SAFETY: the program is in its wait: the buffer is the runtime's still.
                unsafe { check.completed(request, call.number, received, quiet) }
            }
            None => Ok(()),
        };
        self.end(
            &call,
            start,
            flow,
            result.and_then(|completion| Ok(rules.map(|()| completion).map_err(Error::RuleBroken)?)),
        )
    }

    /// A request that names nothing may be one that was completed before.
    fn explain<T>(&self, request: Handle, result: Result<T>) -> Result<T> {
        match result {
            Err(error) if matches!(*error, Error::StaleHandle { .. }) => {
                let violation = self.check.as_ref().and_then(|check| check.explain(request, self.number));
                Err(violation.map_or(error, |violation| Error::RuleBroken(violation).into()))
            }
            other => other,
        }
    }
}
