//! `GRAVEL_CHECK`: watches, while the program runs, the rules that make a split-phase transfer correct.
//!
//! | rule | how it is watched |
//! |---|---|
//! | a segment is not written from its put to the wait | fingerprints, compared when the message ends and in the wait |
//! | a posted buffer is neither read nor written until the wait | the message arrives elsewhere; the buffer is poisoned, and compared in the wait |
//! | a buffer lives until the wait | its pages are looked up in the wait |
//! | a posted buffer belongs to one operation | ranges are compared at every post and put |
//! | every request is waited for once | completed requests are remembered, and what is left is listed at the end |
//!
//! A message to or from nobody, or without bytes, has no buffer: what it is given may be no memory of the program's, or another
//! variable.
//!
//! A broken rule is an error of the call that notices it ([`Violation`]); the data arrives as it would have. What a program
//! reads too early is not noticed, but it reads what is not a number. A send that is over at once has a request to wait for
//! here, which it does not have otherwise, so that the rules hold for it as well.

pub mod memory;
pub mod standstill;

use std::collections::{HashMap, VecDeque};

use self::memory::{Place, StandIn};
use crate::error::violation::{Call, Violation};
use crate::message::datatype::scattered::Scattered;
use crate::message::request::Handle;

/// Completed requests that are remembered.
const REMEMBERED: usize = 4096;

/// A segment of a message that was put.
struct Segment {
    start: u64,
    end: u64,
    fingerprint: u64,
    /// Number of the call that put it.
    put: u64,
}

/// What is watched of an operation.
enum Watched {
    /// A send: the segments that were put.
    Send(Vec<Segment>),
    /// A receive with its stand-in.
    Receive(StandIn),
    /// A buffer without bytes, or one that is the program's already: its message is a copy.
    Nothing,
}

struct Operation {
    call: Call,
    /// Where the bytes of its message are.
    place: Place,
    watched: Watched,
    /// A rule that was found broken in a call which could not fail, because then nobody would wait for the message.
    broken: Option<Violation>,
}

impl Operation {
    fn new(call: Call, place: Place, watched: Watched) -> Self {
        Self { call, place, watched, broken: None }
    }
}

/// The operations of one rank that are under way.
#[derive(Default)]
pub struct Checker {
    operations: HashMap<Handle, Operation>,
    /// Requests that were completed, what had made them, and the numbers of the calls that completed them; oldest first.
    completed: VecDeque<(Handle, Call, u64)>,
    /// How many requests were made up.
    made_up: u32,
}

/// Where the message of a call is. One without bytes is nowhere, also where it is given a buffer.
fn place_of(call: &Call, scattered: Option<Scattered>) -> Place {
    scattered.filter(|_| call.bytes > 0).map_or(Place::Run(call.address, call.bytes), Place::Apart)
}

impl Checker {
    /// A receive is about to be posted: the stand-in that is to receive, unless there are no bytes. The buffer's length
    /// has been checked.
    ///
    /// # Safety
    /// If the buffer is mapped, nobody may write it during the call.
    pub unsafe fn prepare_receive(
        &self,
        call: &Call,
        scattered: Option<Scattered>,
    ) -> Result<Option<StandIn>, Violation> {
        let place = place_of(call, scattered);
        let overlapped = self.operations.values().find(|operation| match &operation.watched {
            Watched::Receive(_) => operation.place.overlaps(&place),
            Watched::Send(segments) => {
                segments.iter().any(|segment| operation.place.part(segment.start, segment.end).overlaps(&place))
            }
            Watched::Nothing => false,
        });
        if let Some(earlier) = overlapped {
            return Err(Violation::BuffersOverlap { later: *call, earlier: earlier.call });
        }
        if !place.is_mapped() {
            return Err(Violation::BufferGone { made: *call, noticed: call.number });
        }
        // SAFETY: just found mapped; the rest is passed on.
        Ok((call.bytes > 0).then(|| unsafe { StandIn::new(place) }))
    }

    /// A receive was posted with its stand-in.
    ///
    /// # Safety
    /// As [`Checker::prepare_receive`].
    pub unsafe fn posted(&mut self, request: Handle, call: Call, stand_in: Option<StandIn>) {
        let (place, watched) = match stand_in {
            Some(stand_in) => {
                // SAFETY: it was mapped when the stand-in was made; the rest is passed on.
                unsafe { stand_in.poison() };
                (stand_in.place().clone(), Watched::Receive(stand_in))
            }
            None => (place_of(&call, None), Watched::Nothing),
        };
        self.operations.insert(request, Operation::new(call, place, watched));
    }

    /// A transfer was opened.
    pub fn opened(&mut self, transfer: Handle, call: Call, scattered: Option<Scattered>) {
        let place = place_of(&call, scattered);
        self.operations.insert(transfer, Operation::new(call, place, Watched::Send(Vec::new())));
    }

    /// A copy of a message was sent: only its request is watched.
    pub fn sent_copy(&mut self, request: Handle, call: Call) {
        self.operations.insert(request, Operation::new(call, place_of(&call, None), Watched::Nothing));
    }

    /// The program has released the request of a send, and may know otherwise when the message has left: from then on its
    /// buffer is the program's.
    pub fn released(&mut self, request: Handle) {
        if let Some(operation) = self.operations.get_mut(&request) {
            operation.watched = Watched::Nothing;
        }
    }

    /// A message is about to be sent: fails if a part of it is in a posted receive.
    pub fn may_send(&self, call: &Call, scattered: Option<&Scattered>) -> Result<(), Violation> {
        self.may_read(call, &place_of(call, scattered.cloned()))
    }

    /// As [`Checker::may_send`], for a segment of a transfer that is about to be put, at the call's address.
    pub fn may_put(&self, transfer: Handle, call: &Call) -> Result<(), Violation> {
        match self.operations.get(&transfer).map(|operation| &operation.place) {
            Some(place @ Place::Apart(_)) if call.bytes > 0 => self.may_read(call, place),
            _ => self.may_read(call, &place_of(call, None)),
        }
    }

    fn may_read(&self, call: &Call, place: &Place) -> Result<(), Violation> {
        let receive = self
            .operations
            .values()
            .find(|operation| matches!(operation.watched, Watched::Receive(_)) && operation.place.overlaps(place));
        match receive {
            Some(receive) => Err(Violation::BuffersOverlap { later: *call, earlier: receive.call }),
            None if !place.is_mapped() => Err(Violation::BufferGone { made: *call, noticed: call.number }),
            None => Ok(()),
        }
    }

    /// A segment of a transfer is about to be put: bytes `start..end` of its message.
    ///
    /// # Safety
    /// The segment must be mapped, and written by nobody during the call.
    pub unsafe fn put(&mut self, transfer: Handle, start: u64, end: u64, number: u64) {
        if let Some(Operation { place, watched: Watched::Send(segments), .. }) = self.operations.get_mut(&transfer)
            && start < end
        {
            // SAFETY: passed on.
            let fingerprint = unsafe { place.fingerprint(start, end) };
            segments.push(Segment { start, end, fingerprint, put: number });
        }
    }

    /// A message is about to end: its segments must be as they were put. If there are none, the whole message is one. What
    /// is wrong is an error of the wait.
    ///
    /// # Safety
    /// If the buffer is mapped, nobody may write it during the call.
    pub unsafe fn end(&mut self, transfer: Handle, number: u64) {
        let Some(Operation { call, place, watched: Watched::Send(segments), .. }) = self.operations.get(&transfer)
        else {
            return;
        };
        let found = if segments.is_empty() {
            let whole = Call { number, name: "gravel_send_fin", ..*call };
            let found = self.may_read(&whole, place);
            if found.is_ok() {
                // SAFETY: just found mapped; the rest is passed on.
                unsafe { self.put(transfer, 0, whole.bytes, number) };
            }
            found
        } else {
            compare_segments(call, place, segments, number)
        };
        if let (Err(violation), Some(operation)) = (found, self.operations.get_mut(&transfer)) {
            operation.broken = Some(violation);
        }
    }

    /// A message has ended: its transfer is a request now, a made-up one if it was over at once.
    pub fn ended(&mut self, transfer: Handle, request: Handle) -> Handle {
        let Some(operation) = self.operations.remove(&transfer) else { return request };
        let request = if request.is_null() { self.make_up() } else { request };
        self.operations.insert(request, operation);
        request
    }

    /// A message could not be ended: nothing is left to wait for.
    pub fn forget(&mut self, transfer: Handle) {
        self.operations.remove(&transfer);
    }

    /// A request for a send that is over.
    pub fn make_up(&mut self) -> Handle {
        self.made_up = self.made_up.wrapping_add(1);
        Handle::made_up(self.made_up)
    }

    /// Whether a request was made up, and is still under way.
    pub fn is_made_up(&self, request: Handle) -> bool {
        request.is_made_up() && self.operations.contains_key(&request)
    }

    /// Call `number` has waited for bytes `start..end` of a receive: the program may read them.
    ///
    /// # Safety
    /// They have arrived, or never will. If the buffer is mapped, nobody may write it during the call.
    pub unsafe fn arrived(&mut self, request: Handle, start: u64, end: u64, number: u64) -> Result<(), Violation> {
        let Some(Operation { call, place, watched: Watched::Receive(stand_in), .. }) =
            self.operations.get_mut(&request)
        else {
            return Ok(());
        };
        if !place.is_mapped() {
            return Err(Violation::BufferGone { made: *call, noticed: number });
        }
        // SAFETY: just found mapped; the rest is passed on.
        match unsafe { stand_in.deliver_part(start as usize, end as usize) } {
            Some(offset) => Err(Violation::ReceiveBufferWritten { posted: *call, offset, noticed: number }),
            None => Ok(()),
        }
    }

    /// The program may also write the bytes of a receive before `end`, for all of which it has waited.
    pub fn taken(&mut self, request: Handle, end: u64) {
        if let Some(Operation { watched: Watched::Receive(stand_in), .. }) = self.operations.get_mut(&request) {
            stand_in.take(end as usize);
        }
    }

    /// A request was completed by call `number`; `received` is the length of its message, if it was a receive that
    /// succeeded. `quiet` says that no peer can write its memory any more.
    ///
    /// # Safety
    /// If the buffer is mapped, nobody may write it during the call.
    pub unsafe fn completed(
        &mut self,
        request: Handle,
        number: u64,
        received: u64,
        quiet: bool,
    ) -> Result<(), Violation> {
        let Some(Operation { call, place, watched, broken }) = self.operations.remove(&request) else {
            return Ok(());
        };
        if self.completed.len() == REMEMBERED {
            self.completed.pop_front();
        }
        self.completed.push_back((request, call, number));
        match watched {
            Watched::Nothing => Ok(()),
            Watched::Send(_) if broken.is_some() => broken.map_or(Ok(()), Err),
            Watched::Send(segments) => compare_segments(&call, &place, &segments, number),
            Watched::Receive(stand_in) => {
                let mapped = place.is_mapped();
                // SAFETY: just found mapped; the rest is passed on.
                let written = if mapped { unsafe { stand_in.deliver(received as usize) } } else { None };
                if quiet {
                    // SAFETY: by the caller's word.
                    unsafe { stand_in.release() };
                }
                match written {
                    _ if !mapped => Err(Violation::BufferGone { made: call, noticed: number }),
                    Some(offset) => Err(Violation::ReceiveBufferWritten { posted: call, offset, noticed: number }),
                    None => Ok(()),
                }
            }
        }
    }

    /// What there is to say about a request that names nothing.
    pub fn explain(&self, request: Handle, number: u64) -> Option<Violation> {
        let &(_, made, first) = self.completed.iter().find(|(completed, ..)| *completed == request)?;
        Some(Violation::CompletedTwice { made, first, again: number })
    }

    /// The calls whose requests were never waited for, in order, of those that are still `live`.
    pub fn leaked(&self, live: impl Fn(Handle) -> bool) -> Vec<Call> {
        let mut calls: Vec<_> =
            self.operations.iter().filter(|(handle, _)| live(**handle)).map(|(_, operation)| operation.call).collect();
        calls.sort_by_key(|call| call.number);
        calls
    }
}

/// Fails if a segment is not what it was when it was put.
fn compare_segments(call: &Call, place: &Place, segments: &[Segment], number: u64) -> Result<(), Violation> {
    for &Segment { start, end, fingerprint: expected, put } in segments {
        if !place.part(start, end).is_mapped() {
            return Err(Violation::BufferGone { made: *call, noticed: number });
        }
        // SAFETY: just found mapped; the program's one thread that may use it is in this call.
        if unsafe { place.fingerprint(start, end) } != expected {
            return Err(Violation::SegmentChanged { opened: *call, start, end, put, noticed: number });
        }
    }
    Ok(())
}
