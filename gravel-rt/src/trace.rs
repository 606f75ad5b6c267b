//! What `GRAVEL_TRACE` records, and how it is written: the Trace Event Format (JSON), which Perfetto and
//! chrome://tracing open.
//!
//! Every rank is a process with two threads, the application and the helper. What takes time is a complete event (`X`);
//! a message is a flow, an arrow from the FIN or the eager data at its producer (`s`) to the wait that completed it at
//! its consumer (`f`, bound to the enclosing slice). Both ends name the flow by producer, consumer, communicator, tag and
//! the message's number among those of its key, which both sides count (see [`crate::matching`]).
//!
//! Times are of CLOCK_MONOTONIC, which all processes of a host share; ranks of other hosts are shifted by what was
//! measured in `gravel_init` ([`crate::observe`]).

use std::fmt::{self, Write as _};
use std::thread::ThreadId;

use crate::Rank;
use crate::clock::monotonic_nanoseconds;
use crate::matching::MatchKey;

/// Events kept per rank; later ones are only counted.
pub const MAXIMUM_EVENTS: usize = if cfg!(miri) { 10 } else { 100_000 };

/// A message, named alike by its producer and its consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowId {
    /// Its producer.
    pub producer: Rank,
    /// Its consumer.
    pub consumer: Rank,
    /// Its communicator.
    pub communicator: u32,
    /// Its tag.
    pub tag: i32,
    /// Its number among the messages of this producer, consumer, communicator and tag.
    pub number: u64,
}

impl FlowId {
    /// The message that `producer` sends with this key (whose peer is the consumer).
    pub fn sent(producer: Rank, key: MatchKey, number: u64) -> Self {
        Self { producer, consumer: key.peer, communicator: key.communicator.to_wire(), tag: key.tag, number }
    }

    /// The message that `consumer` receives with this key (whose peer is the producer).
    pub fn received(consumer: Rank, key: MatchKey, number: u64) -> Self {
        Self { producer: key.peer, consumer, communicator: key.communicator.to_wire(), tag: key.tag, number }
    }
}

impl fmt::Display for FlowId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { producer, consumer, communicator, tag, number } = self;
        write!(formatter, "{producer}>{consumer}:{communicator}:{tag}:{number}")
    }
}

/// How an event is tied to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Not at all.
    None,
    /// The message leaves here.
    Starts(FlowId),
    /// The message has arrived here.
    Ends(FlowId),
}

/// What an event is about, shown as its arguments. What does not apply is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Details {
    /// The other rank, as the program or the provider named it.
    pub peer: Option<i64>,
    /// Tag.
    pub tag: Option<i32>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// Offset in the message, in bytes.
    pub offset: Option<u64>,
}

/// Something that took some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    name: &'static str,
    /// Nanoseconds.
    start: u64,
    end: u64,
    by_helper: bool,
    details: Details,
    flow: Flow,
}

/// The events of one rank.
#[derive(Debug)]
pub struct Trace {
    rank: Rank,
    application: ThreadId,
    events: Vec<Event>,
    dropped: u64,
}

/// Nanoseconds of the clock that events are recorded in.
pub fn now() -> u64 {
    monotonic_nanoseconds()
}

impl Trace {
    /// An empty one. The calling thread is the application's.
    pub fn new(rank: Rank) -> Self {
        Self { rank, application: std::thread::current().id(), events: Vec::new(), dropped: 0 }
    }

    /// Records something that began at `start` and ends now.
    pub fn record(&mut self, name: &'static str, start: u64, details: Details, flow: Flow) {
        if self.events.len() >= MAXIMUM_EVENTS {
            self.dropped += 1;
            return;
        }
        let by_helper = std::thread::current().id() != self.application;
        // An event has a length, so that what happens at its end is inside it.
        let end = now().max(start + 1);
        self.events.push(Event { name, start, end, by_helper, details, flow });
    }

    /// How many events did not fit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// As JSON objects, one per line, separated by commas, with `offset` nanoseconds added to all times.
    pub fn to_json_lines(&self, offset: i64) -> String {
        let rank = self.rank;
        let mut lines = format!(
            "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{rank},\"args\":{{\"name\":\"rank {rank}\"}}}},\n\
             {{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{rank},\"args\":{{\"sort_index\":{rank}}}}},\n\
             {{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{rank},\"tid\":0,\"args\":{{\"name\":\"application\"}}}},\n\
             {{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{rank},\"tid\":1,\"args\":{{\"name\":\"helper\"}}}}"
        );
        for event in &self.events {
            // Writing into a string cannot fail.
            let _ = event.write(&mut lines, rank, offset);
        }
        if self.dropped > 0 {
            let last = self.events.last().map_or(0, |event| event.end);
            let _ = write!(
                lines,
                ",\n{{\"ph\":\"i\",\"s\":\"p\",\"name\":\"{} later events were not kept\",\"pid\":{rank},\"tid\":0,\"ts\":{}}}",
                self.dropped,
                Microseconds(last, offset)
            );
        }
        lines
    }
}

impl Event {
    fn write(&self, lines: &mut String, rank: Rank, offset: i64) -> fmt::Result {
        let Self { name, start, end, details, flow, .. } = self;
        let tid = u8::from(self.by_helper);
        let ts = Microseconds(*start, offset);
        let duration = Microseconds(end - start, 0);
        write!(
            lines,
            ",\n{{\"ph\":\"X\",\"cat\":\"gravel\",\"name\":\"{name}\",\"pid\":{rank},\"tid\":{tid},\"ts\":{ts},\
             \"dur\":{duration},\"args\":{{"
        )?;
        let Details { peer, tag, bytes, offset: place } = *details;
        let number = match flow {
            Flow::Starts(id) | Flow::Ends(id) => i64::try_from(id.number).ok(),
            Flow::None => None,
        };
        let arguments = [
            ("peer", peer),
            ("tag", tag.map(i64::from)),
            ("number", number),
            ("bytes", bytes.and_then(|bytes| i64::try_from(bytes).ok())),
            ("offset", place.and_then(|place| i64::try_from(place).ok())),
        ];
        let given = arguments.iter().filter_map(|&(name, value)| Some((name, value?)));
        for (place, (name, value)) in given.enumerate() {
            write!(lines, "{}\"{name}\":{value}", if place == 0 { "" } else { "," })?;
        }
        lines.push_str("}}");
        let (phase, id, at) = match flow {
            Flow::None => return Ok(()),
            Flow::Starts(id) => ("s\"", id, *start),
            // Inside the slice, which its end is not.
            Flow::Ends(id) => ("f\",\"bp\":\"e\"", id, end - 1),
        };
        let ts = Microseconds(at, offset);
        write!(
            lines,
            ",\n{{\"ph\":\"{phase},\"cat\":\"message\",\"name\":\"message\",\"id\":\"{id}\",\"pid\":{rank},\
             \"tid\":{tid},\"ts\":{ts}}}"
        )
    }
}

/// Nanoseconds, shifted, as the microseconds that the format wants.
struct Microseconds(u64, i64);

impl fmt::Display for Microseconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.saturating_add_signed(self.1);
        write!(formatter, "{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(trace: &Trace, offset: i64) -> Vec<serde_json::Value> {
        serde_json::from_str(&format!("[{}]", trace.to_json_lines(offset))).unwrap()
    }

    #[test]
    fn events_carry_their_times_and_arguments() {
        let mut trace = Trace::new(2);
        let id = FlowId { producer: 2, consumer: 0, communicator: 1, tag: -4, number: 9 };
        let details = Details { peer: Some(0), tag: Some(-4), bytes: Some(80), offset: None };
        trace.record("FIN", 1_234_567, details, Flow::Starts(id));
        let events = parse(&trace, 1000);
        let slice = events.iter().find(|event| event["ph"] == "X").unwrap();
        assert_eq!(slice["ts"], 1235.567);
        assert_eq!(slice["args"], serde_json::json!({ "peer": 0, "tag": -4, "number": 9, "bytes": 80 }));
        let flow = events.iter().find(|event| event["ph"] == "s").unwrap();
        assert_eq!((&flow["ts"], &flow["id"]), (&slice["ts"], &serde_json::json!("2>0:1:-4:9")));
    }

    #[test]
    fn memory_is_bounded_and_the_trace_says_so() {
        let mut trace = Trace::new(0);
        for _ in 0..MAXIMUM_EVENTS + 3 {
            trace.record("wait", 1, Details::default(), Flow::None);
        }
        assert_eq!((trace.events.len(), trace.dropped()), (MAXIMUM_EVENTS, 3));
        let events = parse(&trace, 0);
        assert_eq!(events.last().unwrap()["name"], "3 later events were not kept");
    }

    #[test]
    fn other_threads_are_the_helper() {
        let mut trace = Trace::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| trace.record("put", now(), Details::default(), Flow::None));
        });
        trace.record("put", now(), Details::default(), Flow::None);
        let threads: Vec<_> =
            parse(&trace, 0).iter().filter(|event| event["ph"] == "X").map(|event| event["tid"].clone()).collect();
        assert_eq!(threads, [1, 0]);
    }
}
