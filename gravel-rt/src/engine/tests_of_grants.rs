//! Two engines, joined by whatever may happen between them: which message meets which receive is what MPI says, and its bytes
//! are those that it was sent with, although its memory is written as soon as its send is over, cancelled or not.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::completion::Completion;
use super::consumer_write::{Envelope, Message};
use super::tests::message_of;
use super::*;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::Pattern;
use crate::message::rendezvous::{MAXIMUM_EAGER_DATA, RemoteBuffer, SendMode};
use crate::message::wire::Ledger;
use crate::provider::counters::ProviderCounters;
use crate::provider::{Get, GetOutcome, Put, PutOutcome, Sink};

const CONSUMER: Rank = 0;
const PRODUCER: Rank = 1;
const COMMUNICATOR: CommunicatorId = CommunicatorId::FIRST;
/// Too long to be eager data, and as long as that may be.
const LONG: usize = MAXIMUM_EAGER_DATA as usize + 100;
const SHORT: usize = 24;

/// What is on its way from one rank to the other: three queues, of which each keeps its order.
#[derive(Default)]
struct Way {
    entries: [VecDeque<Entry>; 2],
    eager: VecDeque<(MatchKey, u64, Vec<u8>)>,
}

#[derive(Default)]
struct Between {
    /// By destination.
    ways: [Way; 2],
    random: u64,
    /// Addresses of the buffers of receives that are not over.
    open: HashSet<usize>,
    /// Where the producer's messages lie whose sends are not over.
    lent: HashSet<usize>,
}

impl Between {
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}

/// One rank's end of it.
struct End {
    rank: Rank,
    between: Arc<Mutex<Between>>,
    grants_come_first: bool,
    /// Whether messages can be read where they lie. If not, who tries asks for them.
    can_read: bool,
    /// Whether all goes through at once from now on.
    is_tame: Arc<Mutex<bool>>,
}

impl End {
    /// Whether something finds no room.
    fn refuses(&self, between: &mut Between) -> bool {
        !*self.is_tame.lock().unwrap() && between.below(4) == 0
    }
}

fn queue_of(ledger: Ledger) -> usize {
    usize::from(ledger == Ledger::Fin)
}

impl Provider for End {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        let between = &mut *self.between.lock().unwrap();
        let takes = !self.refuses(between);
        if takes {
            between.ways[peer].entries[queue_of(ledger)].push_back(*entry);
        }
        takes
    }

    unsafe fn put(&mut self, _: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let between = &mut *self.between.lock().unwrap();
        assert!(put.offset + put.bytes <= target.bytes);
        let address = target.address as usize;
        assert!(between.open.contains(&address), "a put into the buffer of a receive that is over");
        let taken = if self.refuses(between) { between.below(put.bytes + 1) } else { put.bytes };
        let place = std::ptr::with_exposed_provenance_mut::<u8>(address + put.offset as usize);
        // SAFETY: inside the buffer of a receive that is not over; the source is valid by the contract of `put`.
        unsafe { place.copy_from_nonoverlapping(put.source, taken as usize) };
        Ok(PutOutcome { taken, in_flight: 0, fin_sent: false })
    }

    unsafe fn get(&mut self, _: Rank, get: Get) -> Result<GetOutcome> {
        let between = &mut *self.between.lock().unwrap();
        if !self.can_read {
            return Ok(GetOutcome::Impossible);
        }
        let address = get.address as usize;
        let is_lent = |&start: &usize| (start..start + LONG).contains(&address);
        assert!(between.lent.iter().any(is_lent), "a message is read whose send is over");
        let taken = if self.refuses(between) { between.below(get.bytes) } else { get.bytes };
        let source = std::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: inside a message whose send is not over; the target is valid by the contract of `get`.
        unsafe { get.target.copy_from_nonoverlapping(source, taken as usize) };
        Ok(GetOutcome::Taken(taken))
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        let between = &mut *self.between.lock().unwrap();
        let takes = !self.refuses(between);
        if takes {
            // SAFETY: valid by the contract.
            let bytes = unsafe { std::slice::from_raw_parts(source, bytes as usize) }.to_vec();
            let key_there = MatchKey { peer: self.rank, ..key };
            between.ways[key.peer].eager.push_back((key_there, number, bytes));
        }
        takes
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        loop {
            let between = &mut *self.between.lock().unwrap();
            let is_tame = *self.is_tame.lock().unwrap();
            if !is_tame && between.below(3) == 0 {
                return any;
            }
            let queue = between.below(3) as usize;
            let way = &mut between.ways[self.rank];
            let is_empty = way.eager.is_empty() && way.entries.iter().all(VecDeque::is_empty);
            if is_empty {
                return any;
            }
            if queue == 2 {
                if let Some((key, number, bytes)) = way.eager.pop_front() {
                    sink.eager(key, number, &bytes);
                    any = true;
                }
            } else if let Some(entry) = way.entries[queue].pop_front() {
                sink.control(peer, &entry);
                any = true;
            }
        }
    }

    fn poll_all(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        self.poll(1 - self.rank, sink)
    }

    unsafe fn register(&mut self, _: Rank, _: Handle, _: MemoryRange) -> Vec<Entry> {
        Vec::new()
    }

    fn notify(&mut self) {}

    fn notify_soon(&mut self) {}

    fn keeps_something(&self) -> bool {
        false
    }

    fn capabilities(&self, _: Rank) -> Capabilities {
        Capabilities { grants_come_first: self.grants_come_first, ..Capabilities::default() }
    }

    fn check_alive(&self, _: Rank) -> Result<()> {
        Ok(())
    }

    fn is_flushed(&self) -> bool {
        true
    }

    fn take_news(&mut self) -> bool {
        false
    }

    fn counters(&self) -> ProviderCounters {
        ProviderCounters::default()
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// The consumer posts a receive, from its only peer or any source.
    Post { source: Option<Rank>, tag: Option<i32>, is_long: bool },
    /// It takes a message by a matched probe, if one waits.
    Take { source: Option<Rank>, tag: Option<i32> },
    /// It cancels one of the receives that are not over.
    Cancel(prop::sample::Index),
    /// It looks what has come.
    Look,
    /// The producer sends a whole message, and offers a long one for reading.
    Send { tag: i32, is_long: bool, is_offered: bool, mode: SendMode },
    /// It cancels one of the sends that are not over.
    CancelSend(prop::sample::Index),
    /// It opens one, puts it in two parts, and ends it.
    Open { tag: i32 },
    /// It looks what has come, and writes the messages whose sends are over.
    LookThere,
}

fn steps() -> impl Strategy<Value = Step> {
    let sources = || prop_oneof![5 => Just(Some(PRODUCER)), 1 => Just(None)];
    let tags = || prop_oneof![5 => (0..2).prop_map(Some), 1 => Just(None)];
    let lengths = || prop_oneof![3 => Just(true), 1 => Just(false)];
    let modes = prop_oneof![4 => Just(SendMode::Standard), 1 => Just(SendMode::Synchronous)];
    prop_oneof![
        6 => (sources(), tags(), lengths()).prop_map(|(source, tag, is_long)| Step::Post { source, tag, is_long }),
        1 => (sources(), tags()).prop_map(|(source, tag)| Step::Take { source, tag }),
        3 => any::<prop::sample::Index>().prop_map(Step::Cancel),
        3 => Just(Step::Look),
        5 => (0..2, lengths(), any::<bool>(), modes)
            .prop_map(|(tag, is_long, is_offered, mode)| Step::Send { tag, is_long, is_offered, mode }),
        2 => any::<prop::sample::Index>().prop_map(Step::CancelSend),
        1 => (0..2).prop_map(|tag| Step::Open { tag }),
        3 => Just(Step::LookThere),
    ]
}

/// A receive of the consumer, in the order of posting, and what became of it.
struct Posted {
    pattern: Pattern,
    request: Handle,
    buffer: Box<[u8]>,
    result: Option<Result<Completion>>,
}

/// A message: its tag, and its bytes, which say which one it is until its send is over.
struct Sent {
    tag: i32,
    mode: SendMode,
    bytes: Box<[u8]>,
    request: Handle,
    is_cancelled: bool,
    result: Option<Result<Completion>>,
}

impl Sent {
    /// Its send is over: the memory is the program's.
    fn end(&mut self, result: Result<Completion>, between: &Mutex<Between>) {
        self.result = Some(result);
        between.lock().unwrap().lent.remove(&self.bytes.as_ptr().expose_provenance());
        self.bytes.fill(0xff);
    }
}

struct Pair {
    consumer: Engine,
    producer: Engine,
    between: Arc<Mutex<Between>>,
    is_tame: Arc<Mutex<bool>>,
    posted: Vec<Posted>,
    sent: Vec<Sent>,
}

impl Pair {
    fn new(random: u64, grants_come_first: bool, can_read: bool) -> Self {
        let between = Arc::new(Mutex::new(Between { random: random | 1, ..Between::default() }));
        let is_tame = Arc::new(Mutex::new(false));
        let engine = |rank| {
            let (between, is_tame) = (between.clone(), is_tame.clone());
            let end = End { rank, between, grants_come_first, can_read, is_tame };
            Engine::new(rank, 2, Box::new(end))
        };
        let (consumer, producer) = (engine(CONSUMER), engine(PRODUCER));
        Self { consumer, producer, between, is_tame, posted: Vec::new(), sent: Vec::new() }
    }

    fn pattern(source: Option<Rank>, tag: Option<i32>) -> Pattern {
        Pattern { source, communicator: COMMUNICATOR, tag }
    }

    fn open(&self, buffer: &mut [u8]) -> Message {
        let message = message_of(buffer);
        let address = buffer.as_mut_ptr().expose_provenance();
        self.between.lock().unwrap().open.insert(address);
        Message { address, ..message }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Post { source, tag, is_long } => {
                let mut buffer = vec![0; if is_long { LONG } else { SHORT }].into_boxed_slice();
                let (message, pattern) = (self.open(&mut buffer), Self::pattern(source, tag));
                // SAFETY: the buffer lives as long as the engine, and is read when the receive is over.
                let request = unsafe { self.consumer.post_announced_receive(message, pattern) }.unwrap();
                self.posted.push(Posted { pattern, request, buffer, result: None });
            }
            Step::Take { source, tag } => {
                let pattern = Self::pattern(source, tag);
                if let Some(matched) = self.consumer.take_message(pattern).unwrap() {
                    let mut buffer = vec![0; LONG].into_boxed_slice();
                    let message = self.open(&mut buffer);
                    // SAFETY: as above.
                    let request = unsafe { self.consumer.receive_matched(message, matched) }.unwrap();
                    self.posted.push(Posted { pattern, request, buffer, result: None });
                }
            }
            Step::Cancel(which) => {
                let open: Vec<_> = self.posted.iter().filter(|posted| posted.result.is_none()).collect();
                if !open.is_empty() {
                    self.consumer.cancel(which.get(&open).request).unwrap();
                }
            }
            Step::Look => {
                self.consumer.progress(u64::MAX);
                self.test_all();
            }
            Step::Send { tag, is_long, is_offered, mode } => {
                let bytes = self.next_message(if is_long { LONG } else { SHORT });
                let message = Message { mode, ..message_of(&bytes) };
                let envelope = Envelope { peer: CONSUMER, communicator: COMMUNICATOR, tag };
                let write_limit = if is_offered { MAXIMUM_EAGER_DATA } else { u64::MAX };
                // SAFETY: the message lives as long as the engine, and nobody writes it before its send is over.
                let request = unsafe { self.producer.post_announced_send(message, envelope, write_limit) }.unwrap();
                self.sent(tag, mode, bytes, request);
            }
            Step::CancelSend(which) => {
                let mut open: Vec<_> = self.sent.iter_mut().filter(|sent| sent.result.is_none()).collect();
                if !open.is_empty() {
                    let place = which.index(open.len());
                    self.producer.cancel(open[place].request).unwrap();
                    open[place].is_cancelled = true;
                }
            }
            Step::Open { tag } => {
                let bytes = self.next_message(LONG);
                let message = message_of(&bytes);
                let envelope = Envelope { peer: CONSUMER, communicator: COMMUNICATOR, tag };
                // SAFETY: as above.
                let request = unsafe { self.producer.announce_transfer(message, envelope) }.unwrap();
                let half = LONG as i64 / 2;
                self.producer.put(request, message.named, half, LONG as i64 - half).unwrap();
                self.producer.progress(u64::MAX);
                self.producer.put(request, message.named, 0, half).unwrap();
                self.producer.send_fin(request).unwrap();
                self.sent(tag, SendMode::Standard, bytes, request);
            }
            Step::LookThere => {
                self.producer.progress(u64::MAX);
                self.test_sends();
            }
        }
    }

    fn next_message(&self, bytes: usize) -> Box<[u8]> {
        let message: Box<[u8]> = vec![content(self.sent.len()); bytes].into();
        self.between.lock().unwrap().lent.insert(message.as_ptr().expose_provenance());
        message
    }

    fn sent(&mut self, tag: i32, mode: SendMode, bytes: Box<[u8]>, request: Handle) {
        let mut sent = Sent { tag, mode, bytes, request, is_cancelled: false, result: None };
        if request == Handle::NULL {
            sent.end(Ok(Completion::Empty), &self.between);
        }
        self.sent.push(sent);
    }

    fn test_sends(&mut self) {
        for sent in self.sent.iter_mut().filter(|sent| sent.result.is_none()) {
            if let Some(result) = self.producer.test(sent.request).transpose() {
                sent.end(result, &self.between);
            }
        }
    }

    fn test_all(&mut self) {
        for posted in self.posted.iter_mut().filter(|posted| posted.result.is_none()) {
            posted.result = self.consumer.test(posted.request).transpose();
            if posted.result.is_some() {
                let address = posted.buffer.as_ptr().expose_provenance();
                self.between.lock().unwrap().open.remove(&address);
            }
        }
    }

    /// Lets all arrive.
    fn settle(&mut self) {
        *self.is_tame.lock().unwrap() = true;
        for _ in 0..20 {
            self.consumer.progress(u64::MAX);
            self.producer.progress(u64::MAX);
        }
        self.test_all();
        self.test_sends();
    }

    /// Which message each receive must have: MPI's rule. Each message in turn meets the first posted receive that takes it. The
    /// moments at which messages come and receives are posted make no difference where there is one producer: in every order
    /// both prefer what is first, and there is only one matching in which no pair would rather have each other. A receive that
    /// was cancelled has never been there.
    fn expected(&self) -> HashMap<usize, usize> {
        let mut met = HashMap::new();
        for (message, sent) in self.sent.iter().enumerate() {
            let key = MatchKey { peer: PRODUCER, communicator: COMMUNICATOR, tag: sent.tag };
            let first = self.posted.iter().enumerate().find(|(place, posted)| {
                let is_cancelled = matches!(posted.result, Some(Ok(Completion::Cancelled)));
                !is_cancelled && !met.contains_key(place) && posted.pattern.covers(key)
            });
            if let Some((place, _)) = first {
                met.insert(place, message);
            }
        }
        met
    }

    fn check(&mut self) -> std::result::Result<(), TestCaseError> {
        let expected = self.expected();
        for (place, posted) in self.posted.iter().enumerate() {
            let message = expected.get(&place).map(|&message| (message, &self.sent[message]));
            match (&posted.result, message) {
                (Some(Ok(Completion::Cancelled)), None) => {}
                (None, None) => {}
                (Some(Ok(Completion::Received { tag, bytes, .. })), Some((number, sent))) => {
                    prop_assert_eq!((*tag, *bytes), (sent.tag, sent.bytes.len() as u64));
                    let is_whole = posted.buffer[..sent.bytes.len()].iter().all(|&byte| byte == content(number));
                    prop_assert!(is_whole, "receive {place} has message {number}");
                }
                (Some(Err(error)), Some((_, sent))) => {
                    prop_assert!(matches!(**error, Error::Truncated { .. }), "{}", error);
                    prop_assert!(sent.bytes.len() > posted.buffer.len());
                }
                (result, message) => {
                    let message = message.map(|(number, _)| number);
                    prop_assert!(false, "receive {place} ended as {result:?}, and its message is {message:?}");
                }
            }
        }
        // A send is over when its message was received, and a short one before, or one that was cancelled.
        for (number, sent) in self.sent.iter().enumerate() {
            let is_met = expected.values().any(|&message| message == number);
            prop_assert!(sent.result.is_some() || !is_met, "message {number} was received, and its send is not over");
            let is_let_go = sent.is_cancelled && sent.mode == SendMode::Standard;
            prop_assert!(
                sent.result.is_some() || !is_let_go,
                "the send of message {number} was cancelled, and goes on"
            );
            let is_synchronous = sent.mode == SendMode::Synchronous;
            prop_assert!(is_met || !is_synchronous || sent.result.is_none(), "message {number} has met nothing");
        }
        prop_assert_eq!(self.consumer.state.withdrawing_receives, 0);
        // Who stands in for the application looks at nothing that needs no answer.
        let may_need_an_answer =
            |operation: &Operation| matches!(operation, Operation::Awaiting(awaiting) if awaiting.may_need_an_answer());
        let unmatched = self.consumer.state.operations.values().filter(|it| may_need_an_answer(it)).count();
        prop_assert_eq!(self.consumer.state.unmatched_receives, unmatched);
        Ok(())
    }
}

/// What a message is full of.
fn content(number: usize) -> u8 {
    number as u8 + 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 5 } else { 2000 }))]

    #[test]
    fn messages_meet_receives_as_mpi_says(
        steps in prop::collection::vec(steps(), 1..60), random: u64, grants_come_first in prop::bool::weighted(0.7),
        can_read: bool,
    ) {
        let mut pair = Pair::new(random, grants_come_first, can_read);
        for step in steps {
            pair.step(step);
        }
        pair.settle();
        pair.check()?;
    }
}
