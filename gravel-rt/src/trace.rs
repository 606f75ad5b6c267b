//! What `GRAVEL_TRACE` records, and how it is written: the Trace Event Format (JSON), which Perfetto and
//! chrome://tracing open.
//!
//! Every rank is a process with two threads, the application and the helper. What takes time is a complete event (`X`);
//! a message is a flow, an arrow from the FIN or the eager data at its producer (`s`) to the wait that completed it at
//! its consumer (`f`, bound to the enclosing slice). Both ends name the flow by producer, consumer, communicator, tag and
//! the message's number among those of its key, which both sides count (see [`crate::message::matching`]).
//!
//! Times are of CLOCK_MONOTONIC, which all processes of a host share; ranks of other hosts are shifted by what was
//! measured in `gravel_init` ([`crate::observe`]).

use std::fmt;
use std::io;
use std::thread::ThreadId;

use crate::Rank;
use crate::message::matching::MatchKey;
use crate::sys::clock::monotonic_nanoseconds;

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

/// Where the text of a trace goes as it is made.
pub trait Keeper: Send + fmt::Debug {
    /// Takes one more piece.
    ///
    /// # Errors
    /// If it can take no more; then the piece is not in it.
    fn keep(&mut self, text: &[u8]) -> io::Result<()>;
}

/// In this process's memory.
impl Keeper for Vec<u8> {
    fn keep(&mut self, text: &[u8]) -> io::Result<()> {
        self.extend_from_slice(text);
        Ok(())
    }
}

/// The events of one rank, as JSON objects, one per line, separated by commas: written as they happen, so that they are there
/// when the process is not any more.
#[derive(Debug)]
pub struct Trace<K> {
    rank: Rank,
    application: ThreadId,
    /// Nanoseconds to add to all times.
    offset: i64,
    events: usize,
    dropped: u64,
    /// When the last event that was kept ended.
    last: u64,
    /// The text that is being made.
    line: Vec<u8>,
    keeper: K,
}

/// Nanoseconds of the clock that events are recorded in.
pub fn now() -> u64 {
    monotonic_nanoseconds()
}

impl<K: Keeper> Trace<K> {
    /// One without events, with `offset` nanoseconds to be added to all times. The calling thread is the application's.
    ///
    /// # Errors
    /// If the keeper takes nothing.
    pub fn new(rank: Rank, offset: i64, mut keeper: K) -> io::Result<Self> {
        let names = format!(
            "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{rank},\"args\":{{\"name\":\"rank {rank}\"}}}},\n\
             {{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{rank},\"args\":{{\"sort_index\":{rank}}}}},\n\
             {{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{rank},\"tid\":0,\"args\":{{\"name\":\"application\"}}}},\n\
             {{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{rank},\"tid\":1,\"args\":{{\"name\":\"helper\"}}}}"
        );
        keeper.keep(names.as_bytes())?;
        let application = std::thread::current().id();
        Ok(Self { rank, application, offset, events: 0, dropped: 0, last: 0, line: Vec::new(), keeper })
    }

    /// Records something that began at `start` and ends now.
    pub fn record(&mut self, name: &'static str, start: u64, details: Details, flow: Flow) {
        if self.events >= MAXIMUM_EVENTS {
            self.dropped += 1;
            return;
        }
        let by_helper = std::thread::current().id() != self.application;
        // An event has a length, so that what happens at its end is inside it.
        let end = now().max(start + 1);
        self.line.clear();
        Event { name, start, end, by_helper, details, flow }.write(&mut self.line, self.rank, self.offset);
        if self.keeper.keep(&self.line).is_err() {
            // The disk is full.
            self.events = MAXIMUM_EVENTS;
            self.dropped += 1;
            return;
        }
        self.events += 1;
        self.last = end;
        if self.events == MAXIMUM_EVENTS {
            // Who is killed can't count those that follow.
            self.note("later events are not kept");
        }
    }

    /// How many events did not fit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Who keeps the events.
    pub fn keeper_mut(&mut self) -> &mut K {
        &mut self.keeper
    }

    /// Says at the end how many events did not fit, and gives who has kept the others away. Nothing is kept any more.
    pub fn finish(&mut self) -> K
    where
        K: Default,
    {
        if self.dropped > 0 {
            let text = format!("{} later events were not kept", self.dropped);
            self.note(&text);
        }
        self.events = MAXIMUM_EVENTS;
        std::mem::take(&mut self.keeper)
    }

    fn note(&mut self, text: &str) {
        self.line.clear();
        self.line.extend_from_slice(b",\n{\"ph\":\"i\",\"s\":\"p\",\"name\":\"");
        self.line.extend_from_slice(text.as_bytes());
        self.line.extend_from_slice(b"\",\"pid\":");
        push_number(&mut self.line, self.rank as u64);
        self.line.extend_from_slice(b",\"tid\":0,\"ts\":");
        push_microseconds(&mut self.line, self.last.saturating_add_signed(self.offset));
        self.line.push(b'}');
        // There is nobody to tell if it does not fit.
        let _ = self.keeper.keep(&self.line);
    }
}

impl Event {
    /// Appends it as JSON. By hand: this is what an event costs.
    fn write(&self, line: &mut Vec<u8>, rank: Rank, offset: i64) {
        let Self { name, start, end, details, flow, by_helper } = *self;
        let shifted = |time: u64| time.saturating_add_signed(offset);
        line.extend_from_slice(b",\n{\"ph\":\"X\",\"cat\":\"gravel\",\"name\":\"");
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\",");
        push_place(line, rank, by_helper, shifted(start));
        line.extend_from_slice(b",\"dur\":");
        push_microseconds(line, end - start);
        line.extend_from_slice(b",\"args\":");
        let Details { peer, tag, bytes, offset: place } = details;
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
        let mut before = b'{';
        for (name, value) in arguments.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            line.extend_from_slice(&[before, b'"']);
            line.extend_from_slice(name.as_bytes());
            line.extend_from_slice(b"\":");
            push_signed(line, value);
            before = b',';
        }
        line.extend_from_slice(if before == b'{' { b"{}}" } else { b"}}" });
        let (phase, id, at): (&[u8], _, _) = match flow {
            Flow::None => return,
            Flow::Starts(id) => (b"s\"", id, start),
            // Inside the slice, which its end is not.
            Flow::Ends(id) => (b"f\",\"bp\":\"e\"", id, end - 1),
        };
        line.extend_from_slice(b",\n{\"ph\":\"");
        line.extend_from_slice(phase);
        line.extend_from_slice(b",\"cat\":\"message\",\"name\":\"message\",\"id\":\"");
        let FlowId { producer, consumer, communicator, tag, number } = id;
        push_number(line, producer as u64);
        line.push(b'>');
        push_number(line, consumer as u64);
        line.push(b':');
        push_number(line, communicator.into());
        line.push(b':');
        push_signed(line, tag.into());
        line.push(b':');
        push_number(line, number);
        line.extend_from_slice(b"\",");
        push_place(line, rank, by_helper, shifted(at));
        line.push(b'}');
    }
}

/// Process, thread and time.
fn push_place(line: &mut Vec<u8>, rank: Rank, by_helper: bool, time: u64) {
    line.extend_from_slice(b"\"pid\":");
    push_number(line, rank as u64);
    line.extend_from_slice(if by_helper { b",\"tid\":1,\"ts\":" } else { b",\"tid\":0,\"ts\":" });
    push_microseconds(line, time);
}

fn push_signed(line: &mut Vec<u8>, number: i64) {
    if number < 0 {
        line.push(b'-');
    }
    push_number(line, number.unsigned_abs());
}

fn push_number(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}

/// Nanoseconds as the microseconds that the format wants.
fn push_microseconds(line: &mut Vec<u8>, nanoseconds: u64) {
    push_number(line, nanoseconds / 1000);
    let rest = nanoseconds % 1000;
    line.extend_from_slice(&[b'.', b'0' + (rest / 100) as u8, b'0' + (rest / 10 % 10) as u8, b'0' + (rest % 10) as u8]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(rank: Rank, offset: i64) -> Trace<Vec<u8>> {
        Trace::new(rank, offset, Vec::new()).unwrap()
    }

    fn parse(mut trace: Trace<Vec<u8>>) -> Vec<serde_json::Value> {
        serde_json::from_slice(&[b"[", &trace.finish()[..], b"]"].concat()).unwrap()
    }

    #[test]
    fn events_carry_their_times_and_arguments() {
        let mut trace = new(2, 1000);
        let id = FlowId { producer: 2, consumer: 0, communicator: 1, tag: -4, number: 9 };
        let details = Details { peer: Some(0), tag: Some(-4), bytes: Some(80), offset: None };
        trace.record("FIN", 1_234_567, details, Flow::Starts(id));
        let events = parse(trace);
        let slice = events.iter().find(|event| event["ph"] == "X").unwrap();
        assert_eq!(slice["ts"], 1235.567);
        assert_eq!(slice["args"], serde_json::json!({ "peer": 0, "tag": -4, "number": 9, "bytes": 80 }));
        let flow = events.iter().find(|event| event["ph"] == "s").unwrap();
        assert_eq!((&flow["ts"], &flow["id"]), (&slice["ts"], &serde_json::json!("2>0:1:-4:9")));
    }

    #[test]
    fn memory_is_bounded_and_the_trace_says_so() {
        let mut trace = new(0, 0);
        for _ in 0..MAXIMUM_EVENTS + 3 {
            trace.record("wait", 1, Details::default(), Flow::None);
        }
        assert_eq!((trace.events, trace.dropped()), (MAXIMUM_EVENTS, 3));
        let events = parse(trace);
        assert_eq!(events[events.len() - 2]["name"], "later events are not kept");
        assert_eq!(events.last().unwrap()["name"], "3 later events were not kept");
    }

    #[test]
    fn numbers_are_written_as_they_are() {
        for number in [0, 1, -1, 9, 10, 1234567890, i64::MAX, i64::MIN] {
            let mut line = Vec::new();
            push_signed(&mut line, number);
            assert_eq!(String::from_utf8(line).unwrap(), number.to_string());
        }
        let mut line = Vec::new();
        push_microseconds(&mut line, 1_002_030);
        assert_eq!(line, b"1002.030");
    }

    /// Takes so many pieces.
    #[derive(Debug, Default)]
    struct Full(usize, Vec<u8>);

    impl Keeper for Full {
        fn keep(&mut self, text: &[u8]) -> io::Result<()> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| io::Error::other("full"))?;
            self.1.keep(text)
        }
    }

    #[test]
    fn a_full_disk_ends_the_trace_and_nothing_else() {
        let mut trace = Trace::new(0, 0, Full(3, Vec::new())).unwrap();
        for _ in 0..5 {
            trace.record("wait", 1, Details::default(), Flow::None);
        }
        assert_eq!(trace.dropped(), 3);
        let text = trace.finish().1;
        let events: Vec<serde_json::Value> = serde_json::from_slice(&[b"[", &text[..], b"]"].concat()).unwrap();
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 2);
    }

    #[test]
    fn other_threads_are_the_helper() {
        let mut trace = new(0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| trace.record("put", now(), Details::default(), Flow::None));
        });
        trace.record("put", now(), Details::default(), Flow::None);
        let threads: Vec<_> =
            parse(trace).iter().filter(|event| event["ph"] == "X").map(|event| event["tid"].clone()).collect();
        assert_eq!(threads, [1, 0]);
    }
}
