//! Waiting for all-to-all exchanges: for all of their messages, for a run of what they bring, and among other requests.

use super::exchange::{AllToAll, Part, State};
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::message::request::Handle;
use crate::runtime::{AnyError, Runtime};

impl Runtime {
    pub(in crate::runtime) fn wait_alltoall(&mut self, exchange: Handle) -> Result<Completion> {
        self.check_process()?;
        self.with_alltoall(exchange, "request", |runtime, all| {
            if all.state == State::Open {
                return Err(runtime.stale(exchange, "request"));
            }
            // Also after an error: no peer may write when the wait returns.
            for (rank, request) in all.pending() {
                let result = runtime.wait(request);
                all.complete(rank, result);
            }
            Ok(())
        })?;
        self.conclude_alltoall(exchange)
    }

    pub(in crate::runtime) fn test_alltoall(&mut self, exchange: Handle) -> Result<Option<Completion>> {
        self.check_process()?;
        if self.advance_alltoall(exchange)? { self.conclude_alltoall(exchange).map(Some) } else { Ok(None) }
    }

    /// Completes what is over of an exchange, which stays, and says whether that is all of it.
    pub(in crate::runtime) fn advance_alltoall(&mut self, exchange: Handle) -> Result<bool> {
        self.with_alltoall(exchange, "request", |runtime, all| {
            if all.state == State::Open {
                return Err(runtime.stale(exchange, "request"));
            }
            for (rank, request) in all.pending() {
                if let Some(result) = runtime.test(request).transpose() {
                    all.complete(rank, result);
                }
            }
            Ok(all.pending().is_empty())
        })
    }

    /// The end of an exchange whose messages are all over.
    fn conclude_alltoall(&mut self, exchange: Handle) -> Result<Completion> {
        let all = self.alltoalls.take(exchange, "request")?;
        self.alltoalls.table.remove(exchange);
        match all.failure {
            None => Ok(Completion::Empty),
            Some(error) => {
                self.shared.lock()?.state.blamed = Some(all.communicator);
                Err(error)
            }
        }
    }

    pub(in crate::runtime) fn wait_alltoall_range(&mut self, exchange: Handle, offset: i64, count: i64) -> Result<()> {
        self.check_process()?;
        self.with_alltoall(exchange, "receive", |runtime, all| {
            if !matches!(all.state, State::Posted(_)) {
                return Err(runtime.stale(exchange, "receive"));
            }
            let elements = all.elements().unsigned_abs();
            let (offset, count) = match all.advances_with_message() {
                true => (offset, count),
                // Elements of the array are not those of the datatype: whatever part it is.
                false => (0, if count > 0 { elements.cast_signed() } else { 0 }),
            };
            let outside = Error::RangeOutsideReceive { offset, count, elements };
            for (rank, first, count) in all.pieces(offset, count).ok_or(outside)? {
                if let Part::Pending(request) = all.parts[rank] {
                    runtime.wait_range(request, first, count)?;
                }
            }
            Ok(())
        })
    }

    /// A wait for one of several requests, exchanges among them: their messages take their places.
    pub(in crate::runtime) fn wait_any_alltoall(
        &mut self,
        requests: &[Handle],
    ) -> std::result::Result<Option<(usize, Completion)>, AnyError> {
        loop {
            let mut messages = Vec::new();
            let mut origins = Vec::new();
            for (index, &request) in requests.iter().enumerate() {
                let Some(exchange) = request.in_collectives() else {
                    messages.push(request);
                    origins.push((index, None));
                    continue;
                };
                let named = |error| AnyError { index: Some(index), error };
                if let Some(completion) = self.test_alltoall(exchange).map_err(named)? {
                    return Ok(Some((index, completion)));
                }
                for (rank, message) in self.alltoalls.get(exchange).map(AllToAll::pending).unwrap_or_default() {
                    messages.push(message);
                    origins.push((index, Some((exchange, rank))));
                }
            }
            let (place, result) = match self.block_until_any(&messages) {
                Ok(Some((place, completion))) => (place, Ok(completion)),
                Ok(None) => return Ok(None),
                Err(AnyError { index: Some(place), error }) => (place, Err(error)),
                Err(error) => return Err(error),
            };
            match origins[place] {
                (index, None) => {
                    let named = |error| AnyError { index: Some(index), error };
                    return result.map(|completion| Some((index, completion))).map_err(named);
                }
                (_, Some((exchange, rank))) => self.with_alltoall(exchange, "request", |_, all| {
                    all.complete(rank, result);
                    Ok(())
                })?,
            }
        }
    }
}
