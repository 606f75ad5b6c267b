//! The calls that make and fill messages, watched: each makes the call of the runtime behind its door. Those that name a message differ only in that call, and give it. [`super::waits`] has those that complete them.

use super::{Calls, Made, Observer};
use crate::engine::buffer::Buffer;
use crate::engine::consumer_write::Message;
use crate::engine::transfer::byte_range;
use crate::error::violation::Call;
use crate::error::{Error, Result};
use crate::message::datatype::scattered::Scattered;
use crate::message::request::Handle;
use crate::stats::TileSite;
use crate::sys::log;
use crate::tile::{self, TileReason};
use crate::trace::{self, Details, Flow};

/// A call that names a message, before it is made.
struct Begun {
    made: Made,
    /// Nothing if the buffer is impossible: the runtime will say so.
    message: Option<Message>,
    /// Where its bytes are, if they lie apart.
    scattered: Option<Scattered>,
    start: u64,
}

fn details(call: &Call) -> Details {
    Details { peer: Some(call.partner.into()), tag: Some(call.tag), bytes: Some(call.bytes), offset: None }
}

impl Observer {
    fn begin(&mut self, runtime: &impl Calls, name: &'static str, buffer: Buffer<'_>, partner: i32, tag: i32) -> Begun {
        self.number += 1;
        self.end_testing(runtime);
        let (message, scattered) = buffer.check().ok().unzip();
        // Nobody looks at the buffer of a message to or from nobody: programs name what lies beside their arrays there.
        let bytes = match message {
            Some(message) if !runtime.is_nobody(partner) => message.bytes(),
            _ => 0,
        };
        let address = message.map_or(buffer.address, |message| message.address);
        let call = Call { number: self.number, name, address, bytes, count: buffer.count, partner, tag };
        let advances_with_message = message.is_some_and(|message| message.advances_with_message);
        let parts_are_named = message.is_some_and(|message| message.parts_are_named);
        let element_bytes = buffer.datatype_bytes;
        let made = Made { call, named: buffer.address, element_bytes, advances_with_message, parts_are_named };
        Begun { made, message, scattered: scattered.flatten(), start: trace::now() }
    }

    /// Ends a call: under the rules, a failed one is named.
    pub(super) fn end<T>(&self, call: &Call, start: u64, flow: Flow, result: Result<T>) -> Result<T> {
        self.record(call.name, start, details(call), flow);
        self.name_failure(call, result)
    }

    pub(super) fn name_failure<T>(&self, call: &Call, result: Result<T>) -> Result<T> {
        if let (Err(error), true) = (&result, self.check.is_some())
            && !matches!(**error, Error::RuleBroken(_))
        {
            log::error!("GRAVEL_CHECK: the call that fails is {call}");
        }
        result
    }

    /// Posts a receive: `post` does it, with the buffer that is to receive.
    ///
    /// # Safety
    /// As [`crate::Runtime::post_receive`].
    pub(crate) unsafe fn receive<C: Calls>(
        &mut self,
        runtime: &mut C,
        name: &'static str,
        buffer: Buffer<'_>,
        source: i32,
        tag: i32,
        post: impl FnOnce(&mut C, Buffer<'_>) -> Result<Handle>,
    ) -> Result<Handle> {
        let Begun { made, message, scattered, start } = self.begin(runtime, name, buffer, source, tag);
        let call = made.call;
        let stand_in = match &self.check {
            Some(check) if message.is_some() => {
                // SAFETY: passed on.
                unsafe { check.prepare_receive(&call, scattered).map_err(Error::RuleBroken)? }
            }
            _ => None,
        };
        let posted = match &stand_in {
            // It is packed memory. A message that lies apart comes as a whole, also where it could be waited for in parts.
            Some(stand_in) => {
                let element_bytes = if buffer.layout.is_some() { 0 } else { buffer.element_bytes };
                Buffer { address: stand_in.address(), element_bytes, layout: None, ..buffer }
            }
            None => buffer,
        };
        let result = post(runtime, posted);
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

    /// Opens a transfer: `open` does it.
    ///
    /// # Safety
    /// As [`crate::Runtime::open_transfer`].
    pub(crate) unsafe fn open<C: Calls>(
        &mut self,
        runtime: &mut C,
        name: &'static str,
        buffer: Buffer<'_>,
        destination: i32,
        tag: i32,
        open: impl FnOnce(&mut C, Buffer<'_>) -> Result<Handle>,
    ) -> Result<Handle> {
        let Begun { made, scattered, start, .. } = self.begin(runtime, name, buffer, destination, tag);
        let result = open(runtime, buffer);
        if let Ok(transfer) = result {
            self.calls.sends.add(made.call.bytes);
            self.made.insert(transfer, made);
            if let Some(check) = &mut self.check {
                check.opened(transfer, made.call, scattered);
            }
        }
        self.end(&made.call, start, Flow::None, result)
    }

    /// Sends a whole message: `send` does it.
    ///
    /// # Safety
    /// As [`crate::Runtime::post_send`].
    pub(crate) unsafe fn send<C: Calls>(
        &mut self,
        runtime: &mut C,
        name: &'static str,
        buffer: Buffer<'_>,
        destination: i32,
        tag: i32,
        send: impl FnOnce(&mut C, Buffer<'_>) -> Result<Handle>,
    ) -> Result<Handle> {
        let Begun { made, message, scattered, start } = self.begin(runtime, name, buffer, destination, tag);
        let call = made.call;
        if let Some(check) = self.check.as_ref().filter(|_| message.is_some()) {
            check.may_send(&call, scattered.as_ref()).map_err(Error::RuleBroken)?;
        }
        let mut result = send(runtime, buffer);
        if let Ok(request) = &mut result {
            self.calls.sends.add(call.bytes);
            if let Some(check) = &mut self.check {
                if request.is_null() {
                    *request = check.make_up();
                }
                check.opened(*request, call, scattered);
                // SAFETY: passed on; it was found mapped.
                unsafe { check.put(*request, 0, call.bytes, call.number) };
            }
            if !request.is_null() {
                self.made.insert(*request, made);
            }
        }
        self.end(&call, start, Flow::None, result)
    }

    /// Sends a copy of a whole message: `send` does it. The program may write the message afterwards.
    pub(crate) fn send_copy<C: Calls>(
        &mut self,
        runtime: &mut C,
        name: &'static str,
        buffer: Buffer<'_>,
        destination: i32,
        tag: i32,
        send: impl FnOnce(&mut C, Buffer<'_>) -> Result<Handle>,
    ) -> Result<Handle> {
        let Begun { made, message, scattered, start } = self.begin(runtime, name, buffer, destination, tag);
        let call = made.call;
        if let Some(check) = self.check.as_ref().filter(|_| message.is_some()) {
            check.may_send(&call, scattered.as_ref()).map_err(Error::RuleBroken)?;
        }
        let mut result = send(runtime, buffer);
        if let Ok(request) = &mut result {
            self.calls.sends.add(call.bytes);
            if let Some(check) = &mut self.check {
                if request.is_null() {
                    *request = check.make_up();
                }
                check.sent_copy(*request, call);
            }
            if !request.is_null() {
                self.made.insert(*request, made);
            }
        }
        self.end(&call, start, Flow::None, result)
    }

    pub(crate) fn tile(
        &mut self,
        runtime: &mut impl Calls,
        transfer: Handle,
        iterations: i64,
        multiple: i64,
    ) -> Result<i64> {
        self.number += 1;
        let tile = runtime.tile(transfer, iterations, multiple)?;
        if let Some(made) = self.made.get(&transfer) {
            let Call { tag, bytes, .. } = made.call;
            // What leaves the choice to others leaves the loop in one piece, if it is alone.
            let (tile, reason) = match tile {
                0 => (iterations.max(1), TileReason::NoGain),
                tile => (tile, tile::reason(bytes, made.advances_with_message, runtime.forced_tile())),
            };
            *self.calls.tiles.entry(TileSite { tag, bytes, iterations, tile, reason }).or_default() += 1;
        }
        Ok(tile)
    }

    /// Counts the tiles of a loop that fills or reads an all-to-all exchange, which has no message of its own.
    pub(crate) fn note_tile(&mut self, tag: i32, bytes: u64, iterations: i64, tile: i64, reason: tile::TileReason) {
        self.number += 1;
        *self.calls.tiles.entry(TileSite { tag, bytes, iterations, tile, reason }).or_default() += 1;
    }

    pub(crate) fn put(
        &mut self,
        runtime: &mut impl Calls,
        transfer: Handle,
        address: usize,
        offset: i64,
        count: i64,
    ) -> Result<()> {
        self.number += 1;
        let start = trace::now();
        let made = self.made.get(&transfer).copied().filter(|made| made.parts_are_named);
        let Some(made) = made else {
            return runtime.put(transfer, address, offset, count);
        };
        let elements = made.call.bytes.checked_div(made.element_bytes).unwrap_or(0);
        // A range outside of the message, or of other memory, is the runtime's to refuse.
        let range = byte_range(elements, made.element_bytes, offset, count).ok();
        let range = range.filter(|_| address == made.named);
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
            check.may_put(transfer, &call).map_err(Error::RuleBroken)?;
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

    pub(crate) fn send_fin(&mut self, runtime: &mut impl Calls, transfer: Handle) -> Result<Handle> {
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

    pub(crate) fn give_up(&mut self, runtime: &mut impl Calls, transfer: Handle) -> Result<()> {
        self.number += 1;
        let start = trace::now();
        let Some(made) = self.made.remove(&transfer) else {
            return runtime.give_up(transfer);
        };
        let call = Call { number: self.number, name: "give_up", ..made.call };
        let result = runtime.give_up(transfer);
        // The message is the program's again, and nothing is left to wait for.
        if let Some(check) = &mut self.check {
            check.forget(transfer);
        }
        self.end(&call, start, Flow::None, result)
    }
}
