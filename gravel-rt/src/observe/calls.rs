//! The calls of a runtime, watched: each makes the same call of the runtime, which has no observer meanwhile.

use std::time::Duration;

use super::{Made, Observer};
use crate::check::{Call, Checker};
use crate::error::{Error, Result};
use crate::log;
use crate::matching::MatchKey;
use crate::protocol::consumer_write::{Completion, Message};
use crate::protocol::transfer::byte_range;
use crate::request::Handle;
use crate::runtime::{Buffer, Runtime};
use crate::stats::TileSite;
use crate::tile;
use crate::trace::{self, Details, Flow, FlowId};

/// A call that names a message, before it is made.
struct Begun {
    made: Made,
    /// Nothing if the buffer is impossible: the runtime will say so.
    message: Option<Message>,
    start: u64,
}

fn details(call: &Call) -> Details {
    Details { peer: Some(call.partner.into()), tag: Some(call.tag), bytes: Some(call.bytes), offset: None }
}

impl Observer {
    fn begin(&mut self, name: &'static str, buffer: Buffer, partner: i32, tag: i32) -> Begun {
        self.number += 1;
        let message = buffer.check().ok();
        let bytes = message.map_or(0, |message| message.bytes());
        let call =
            Call { number: self.number, name, address: buffer.address, bytes, count: buffer.count, partner, tag };
        let advances_with_message = buffer.element_bytes == buffer.datatype_bytes;
        let made = Made { call, element_bytes: buffer.datatype_bytes, advances_with_message };
        Begun { made, message, start: trace::now() }
    }

    /// Ends a call: under the rules, a failed one is named.
    fn end<T>(&self, call: &Call, start: u64, flow: Flow, result: Result<T>) -> Result<T> {
        self.record(call.name, start, details(call), flow);
        self.name_failure(call, result)
    }

    fn name_failure<T>(&self, call: &Call, result: Result<T>) -> Result<T> {
        if let (Err(error), true) = (&result, self.check.is_some())
            && !matches!(**error, Error::RuleBroken(_))
        {
            log::error!("GRAVEL_CHECK: the call that fails is {call}");
        }
        result
    }

    /// # Safety
    /// As [`Runtime::post_receive`].
    pub(crate) unsafe fn post_receive(
        &mut self,
        runtime: &mut Runtime,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let Begun { made, message, start } = self.begin("gravel_post_rcv_buffer_rdma", buffer, source, tag);
        let call = made.call;
        let stand_in = match &self.check {
            // SAFETY: passed on.
            Some(check) if message.is_some() => unsafe { check.prepare_receive(&call).map_err(Error::RuleBroken)? },
            _ => None,
        };
        let address = stand_in.as_ref().map_or(buffer.address, |stand_in| stand_in.address());
        // SAFETY: passed on; a stand-in lives until it is released.
        let result = unsafe { runtime.post_receive(Buffer { address, ..buffer }, source, tag, communicator) };
        match (&result, &mut self.check) {
            // SAFETY: passed on.
            (Ok(request), Some(check)) => unsafe { check.posted(*request, call, stand_in) },
            (Err(_), _) => {
                if let Some(stand_in) = stand_in {
                    // SAFETY: nobody has been told of it.
                    unsafe { stand_in.release() };
                }
            }
            (Ok(_), None) => {}
        }
        if let Ok(request) = result {
            self.calls.receives.add(call.bytes);
            self.made.insert(request, made);
        }
        self.end(&call, start, Flow::None, result)
    }

    /// # Safety
    /// As [`Runtime::open_transfer`].
    pub(crate) unsafe fn open_transfer(
        &mut self,
        runtime: &mut Runtime,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let Begun { made, start, .. } = self.begin("gravel_wait_rcv_buffer", buffer, destination, tag);
        // SAFETY: passed on.
        let result = unsafe { runtime.open_transfer(buffer, destination, tag, communicator) };
        if let Ok(transfer) = result {
            self.calls.sends.add(made.call.bytes);
            self.made.insert(transfer, made);
            if let Some(check) = &mut self.check {
                check.opened(transfer, made.call);
            }
        }
        self.end(&made.call, start, Flow::None, result)
    }

    pub(crate) fn tile(&mut self, runtime: &mut Runtime, transfer: Handle, iterations: i64) -> Result<i64> {
        self.number += 1;
        let tile = runtime.tile(transfer, iterations)?;
        if let Some(made) = self.made.get(&transfer) {
            let Call { tag, bytes, .. } = made.call;
            let reason = tile::reason(bytes, made.advances_with_message, runtime.forced_tile());
            *self.calls.tiles.entry(TileSite { tag, bytes, iterations, tile, reason }).or_default() += 1;
        }
        Ok(tile)
    }

    pub(crate) fn put(
        &mut self,
        runtime: &mut Runtime,
        transfer: Handle,
        address: usize,
        offset: i64,
        count: i64,
    ) -> Result<()> {
        self.number += 1;
        let start = trace::now();
        let Some(&made) = self.made.get(&transfer) else {
            return runtime.put(transfer, address, offset, count);
        };
        let elements = made.call.bytes.checked_div(made.element_bytes).unwrap_or(0);
        // A range outside of the message, or of other memory, is the runtime's to refuse.
        let range = byte_range(elements, made.element_bytes, offset, count).ok();
        let range = range.filter(|_| address == made.call.address);
        let (first, last) = range.unwrap_or((0, 0));
        let call = Call {
            number: self.number,
            name: "gravel_post_os_put",
            address: address.saturating_add(first as usize),
            bytes: last - first,
            count,
            ..made.call
        };
        if let Some(check) = &mut self.check {
            check.may_send(&call).map_err(Error::RuleBroken)?;
            // SAFETY: just found mapped, and the program has given it to this call.
            unsafe { check.put(transfer, first, last, call.number) };
        }
        let result = runtime.put(transfer, address, offset, count);
        if result.is_ok() {
            self.calls.segments.add(last - first);
        }
        self.record(call.name, start, Details { offset: Some(first), ..details(&call) }, Flow::None);
        self.name_failure(&call, result)
    }

    pub(crate) fn send_fin(&mut self, runtime: &mut Runtime, transfer: Handle) -> Result<Handle> {
        self.number += 1;
        let start = trace::now();
        let Some(made) = self.made.remove(&transfer) else {
            return runtime.send_fin(transfer);
        };
        let call = Call { number: self.number, name: "gravel_send_fin", ..made.call };
        if let Some(check) = &mut self.check {
            // SAFETY: the program has given the buffer to the transfer.
            unsafe { check.end(transfer, call.number) };
        }
        let mut result = runtime.send_fin(transfer);
        match (&mut result, &mut self.check) {
            (Ok(request), Some(check)) => *request = check.ended(transfer, *request),
            (Err(_), Some(check)) => check.forget(transfer),
            (_, None) => {}
        }
        if let Ok(request) = result
            && !request.is_null()
        {
            self.made.insert(request, made);
        }
        self.end(&call, start, Flow::None, result)
    }

    /// # Safety
    /// As [`Runtime::post_send`].
    pub(crate) unsafe fn post_send(
        &mut self,
        runtime: &mut Runtime,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let Begun { made, message, start } = self.begin("gravel_post_send", buffer, destination, tag);
        let call = made.call;
        if let Some(check) = self.check.as_ref().filter(|_| message.is_some()) {
            check.may_send(&call).map_err(Error::RuleBroken)?;
        }
        // SAFETY: passed on.
        let mut result = unsafe { runtime.post_send(buffer, destination, tag, communicator) };
        if let Ok(request) = &mut result {
            self.calls.sends.add(call.bytes);
            if let Some(check) = &mut self.check {
                if request.is_null() {
                    *request = check.make_up();
                }
                check.opened(*request, call);
                // SAFETY: passed on; it was found mapped.
                unsafe { check.put(*request, 0, call.bytes, call.number) };
            }
            if !request.is_null() {
                self.made.insert(*request, made);
            }
        }
        self.end(&call, start, Flow::None, result)
    }

    pub(crate) fn wait(&mut self, runtime: &mut Runtime, request: Handle) -> Result<Completion> {
        self.number += 1;
        let start = trace::now();
        let message = if self.trace.is_some() { runtime.message_of(request) } else { None };
        let made_up = self.check.as_ref().is_some_and(|check| check.is_made_up(request));
        let result = if made_up { Ok(Completion::Empty) } else { runtime.wait(request) };
        if !request.is_null() {
            self.calls.waits += 1;
            self.calls.wait_time += Duration::from_nanos(trace::now() - start);
        }
        let flow = match (&result, message) {
            (Ok(Completion::Received { .. }), Some((key, number))) => {
                Flow::Ends(FlowId::received(self.rank, key, number))
            }
            _ => Flow::None,
        };
        let Some(made) = self.made.remove(&request) else {
            self.record("gravel_wait", start, Details::default(), flow);
            return explain(self.check.as_ref(), request, self.number, result);
        };
        let call = Call { number: self.number, name: "gravel_wait", ..made.call };
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
}

/// A request that names nothing may be one that was completed before.
fn explain(check: Option<&Checker>, request: Handle, number: u64, result: Result<Completion>) -> Result<Completion> {
    match result {
        Err(error) if matches!(*error, Error::StaleHandle { .. }) => {
            let violation = check.and_then(|check| check.explain(request, number));
            Err(violation.map_or(error, |violation| Error::RuleBroken(violation).into()))
        }
        other => other,
    }
}

/// The message of a receive: its key and its number among those of the key.
pub(crate) type MessageOfReceive = (MatchKey, u64);
