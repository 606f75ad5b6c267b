//! The provider on the mock: what goes well.

use std::ptr::NonNull;

use super::connect::{Connected, Peer, connect};
use super::device::Device;
use super::mock::{self, Faults};
use super::*;
use crate::message::communicator::CommunicatorId;
use crate::message::ledger::PAYLOAD_WORDS;
use crate::message::wire::Control;
use crate::provider::Arrivals as _;
use crate::provider::thread_host::run_ranks;

/// What a rank has been given.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) entries: Vec<Entry>,
    pub(super) eager: Vec<(u64, Vec<u8>)>,
    /// Their tags.
    pub(super) tags: Vec<i32>,
    pub(super) completed: Vec<(Handle, Option<Box<Error>>)>,
    pub(super) buffer: Vec<u8>,
}

impl Sink for Recorder {
    fn control(&mut self, _: Rank, entry: &Entry) {
        self.entries.push(*entry);
    }

    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        self.tags.push(key.tag);
        self.eager.push((number, bytes.to_vec()));
    }

    fn landing(&mut self, _: Rank, _: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        let place = self.buffer.get_mut(offset as usize..(offset + bytes) as usize)?;
        NonNull::new(place.as_mut_ptr())
    }

    fn put_completed(&mut self, transfer: Handle, failure: Option<Box<Error>>) {
        self.completed.push((transfer, failure));
    }
}

/// Two ranks that are connected, both in this thread.
pub(super) struct Pair {
    pub(super) providers: [VerbsProvider; 2],
    pub(super) sinks: [Recorder; 2],
}

pub(super) fn connect_pair() -> Pair {
    connect_pair_with(Options { connect_all: 1, ..Options::default() })
}

pub(super) fn connect_pair_with(options: Options) -> Pair {
    let [first, second] = connect_between([mock::roce(), mock::roce()], options).map(|(connected, _)| {
        assert!(connected.works_between(0, 1), "{:?}", connected.reasons);
        connected.provider.expect("connected")
    });
    Pair { providers: [first, second], sinks: [Recorder::default(), Recorder::default()] }
}

/// Connects two ranks that have these devices, or tries to. Also gives what [`mock::left_of`] wants.
pub(super) fn connect_between(hardware: [mock::Hardware; 2], options: Options) -> [(Connected, usize); 2] {
    let connected = run_ranks(2, |host| {
        let rank = crate::host::Host::rank(&host);
        mock::plug_in(hardware[rank].clone());
        let peer = Peer { rank: 1 - rank, pid: 1, host: "mock".into(), process: None };
        let device = Device::open(mock::library());
        let connected = connect(&host, Some(device), vec![peer], |one, other| one != other, options);
        (connected.expect("an exchange"), mock::opened_last())
    });
    connected.try_into().unwrap_or_else(|_| panic!("two ranks"))
}

pub(super) fn entry(value: u64) -> Entry {
    // A kind that is the protocol's.
    let mut entry = [value; PAYLOAD_WORDS];
    entry[0] = pack(1, 7);
    entry
}

pub(super) fn key() -> MatchKey {
    MatchKey { peer: 1, communicator: CommunicatorId::FIRST, tag: 5 }
}

impl Pair {
    pub(super) fn poll(&mut self) {
        for (provider, sink) in self.providers.iter_mut().zip(&mut self.sinks) {
            while provider.poll_all(0, sink) {}
        }
    }

    /// Looks until all puts have completed, of which no entry behind them tells: the first look asks for that.
    pub(super) fn await_puts(&mut self) {
        self.poll();
        self.poll();
    }

    /// The number of rank 0's queue pair.
    pub(super) fn number(&self) -> u32 {
        self.providers[0].links[1].as_ref().expect("a link").number()
    }

    pub(super) fn fail(&self, faults: Faults) {
        mock::set_faults(self.number(), faults);
    }

    /// Registers a buffer of rank 1 and tells rank 0 of it, as the protocols do.
    pub(super) fn offer(&mut self, buffer: &[u8]) -> RemoteBuffer {
        let request = Handle::from_raw(9);
        let address = buffer.as_ptr().expose_provenance();
        let range = MemoryRange { start: address, end: address + buffer.len() };
        // SAFETY: the tests keep the buffer.
        for entry in unsafe { self.providers[1].register(0, request, range) } {
            assert!(self.providers[1].post(0, Ledger::Handshake, &entry));
        }
        self.poll();
        RemoteBuffer { request, address: address as u64, bytes: buffer.len() as u64 }
    }

    pub(super) fn put(&mut self, target: &RemoteBuffer, source: &[u8]) -> Result<PutOutcome> {
        self.put_as(target, source, false)
    }

    pub(super) fn put_as(&mut self, target: &RemoteBuffer, source: &[u8], ends_message: bool) -> Result<PutOutcome> {
        let start = source.as_ptr().expose_provenance();
        let around = MemoryRange { start, end: start + source.len() };
        let (transfer, bytes) = (Handle::from_raw(3), source.len() as u64);
        let put = Put { transfer, around, offset: 0, source: source.as_ptr(), bytes, ends_message };
        // SAFETY: the tests keep the source.
        unsafe { self.providers[0].put(1, target, put) }
    }

    pub(super) fn lost_because(&self) -> String {
        match self.providers[0].check_alive(1).map_err(|error| *error) {
            Err(Error::ConnectionLost { peer: 1, cause, .. }) => cause,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn entries_arrive_in_order_however_many() {
    const ENTRIES: u64 = 3000;
    let mut pair = connect_pair();
    for value in 0..ENTRIES {
        let ledger = if value % 3 == 0 { Ledger::Handshake } else { Ledger::Fin };
        while !pair.providers[0].post(1, ledger, &entry(value)) {
            pair.poll();
        }
    }
    pair.poll();
    assert_eq!(pair.sinks[1].entries.len() as u64, ENTRIES);
    for ledger in 0..2 {
        let of_ledger = |value: &u64| value.is_multiple_of(3) == (ledger == 0);
        let values: Vec<u64> = pair.sinks[1].entries.iter().map(|entry| entry[1]).filter(of_ledger).collect();
        assert!(values.is_sorted());
    }
    assert!(pair.providers.iter().all(|provider| provider.check_alive(0).is_ok() && provider.check_alive(1).is_ok()));
}

#[test]
fn eager_data_of_every_length_arrives_whole() {
    let mut pair = connect_pair();
    let message: Vec<u8> = (0..MAXIMUM_EAGER_DATA).map(|byte| ((byte * 7) >> 2) as u8).collect();
    // The longest that leave room for their entries before them are among these.
    let lengths = (0..=MAXIMUM_EAGER_DATA).step_by(31).chain(MAXIMUM_EAGER_DATA - 66..=MAXIMUM_EAGER_DATA);
    for (number, length) in lengths.clone().enumerate() {
        // SAFETY: the message is longer.
        while !unsafe { pair.providers[0].put_eager(key(), number as u64, message.as_ptr(), length) } {
            pair.poll();
        }
    }
    pair.poll();
    for (number, length) in lengths.enumerate() {
        assert_eq!(pair.sinks[1].eager[number], (number as u64, message[..length as usize].to_vec()));
    }
}

#[test]
fn a_short_message_is_one_request() {
    let mut pair = connect_pair();
    let message = vec![3; MAXIMUM_EAGER_DATA as usize];
    pair.fail(Faults { holds: true, ..Faults::default() });
    let expected = [(8, 1), (100, 2), (MAXIMUM_EAGER_DATA - 64, 3), (MAXIMUM_EAGER_DATA, 4)];
    for (number, (length, requests)) in expected.into_iter().enumerate() {
        // SAFETY: the message is that long.
        assert!(unsafe { pair.providers[0].put_eager(key(), number as u64, message.as_ptr(), length) });
        assert_eq!(mock::held_at(pair.number()), requests);
    }
    mock::let_go(pair.number());
    pair.poll();
    assert_eq!(pair.sinks[1].eager.len(), expected.len());
}

/// What is sent again and again takes along nothing but its bytes. Each message is in its receive, whatever came between.
#[test]
fn messages_like_those_before_are_as_long_as_their_bytes() {
    let mut pair = connect_pair();
    let message: Vec<u8> = (0..MAXIMUM_EAGER_DATA).map(|byte| ((byte * 5) >> 1) as u8).collect();
    let written = |pair: &Pair| mock::bytes_written_by(pair.number());
    let (mut sent, mut tags) = (Vec::new(), Vec::new());
    let mut send = |pair: &mut Pair, tag, number: u64, length: u64| {
        let before = written(pair);
        let bytes = &message[number as usize..][..length as usize];
        // SAFETY: as long as it says.
        assert!(unsafe { pair.providers[0].put_eager(MatchKey { tag, ..key() }, number, bytes.as_ptr(), length) });
        pair.poll();
        sent.push((number, bytes.to_vec()));
        tags.push(tag);
        written(pair) - before
    };
    for (number, length) in [100, 4096, 8, 0, 1, 8000, 64].into_iter().enumerate() {
        let expected = match (number, length) {
            (0, _) => 64 + length,
            // No bytes would be nothing to tell.
            (_, 0) => 64,
            _ => length,
        };
        assert_eq!(send(&mut pair, 1, number as u64, length), expected, "{length} bytes");
    }
    for tag in 2..9 {
        assert_eq!(send(&mut pair, tag, 0, 100), 164, "the first one of its key");
        assert_eq!(send(&mut pair, tag, 1, 100), 100);
    }
    assert_eq!(send(&mut pair, 1, 7, 100), 164, "seven others since");
    assert_eq!(send(&mut pair, 1, 9, 100), 164, "one has gone another way");
    assert_eq!(send(&mut pair, 1, 10, 100), 100);
    assert_eq!(pair.sinks[1].eager, sent);
    assert_eq!(pair.sinks[1].tags, tags);
}

/// A device that does not say how long a write was: found out by the first message of a key, which has an entry.
#[test]
fn a_device_that_does_not_tell_lengths_is_not_trusted() {
    let mut pair = connect_pair();
    pair.fail(Faults { tells_no_length: true, ..Faults::default() });
    // SAFETY: as long as it says.
    assert!(unsafe { pair.providers[0].put_eager(key(), 0, vec![1; 100].as_ptr(), 100) });
    pair.poll();
    assert!(pair.sinks[1].eager.is_empty());
    let lost = pair.providers[1].check_alive(0).expect_err("found out").to_string();
    assert!(lost.contains("no entry with it"), "{lost}");
}

#[test]
fn a_message_is_read_with_as_many_requests_as_there_are_tokens() {
    let mut pair = connect_pair();
    let message: Vec<u8> = (0..400_000u32).map(|byte| (byte >> 5) as u8).collect();
    let offered = pair.offer(&message);
    let mut target = vec![0; message.len()];
    let (owner, start) = (Handle::from_raw(4), target.as_mut_ptr().expose_provenance());
    let around = MemoryRange { start, end: start + target.len() };
    pair.fail(Faults { holds: true, ..Faults::default() });
    let mut done = 0;
    for _ in 0..100 {
        let bytes = (message.len() - done).min(150_000) as u64;
        // SAFETY: inside the target.
        let place = unsafe { target.as_mut_ptr().add(done) };
        let address = offered.address + done as u64;
        let get = Get { owner, around, address, target: place, bytes, ends_with: None };
        // SAFETY: the target lives on, and is nobody else's.
        match unsafe { pair.providers[0].get(1, get) }.expect("no failure") {
            GetOutcome::Taken(taken) => done += taken as usize,
            other => panic!("it is registered, and nobody is told: {other:?}"),
        }
        if done == message.len() {
            break;
        }
        mock::let_go(pair.number());
        pair.poll();
    }
    assert_eq!(done, message.len());
    assert_eq!(target, message);
    assert_eq!(mock::most_reads(pair.number()), 2, "as many as both devices can have");
}

/// What ends a message that is read is seen by its producer when the read is complete, and not before; with a fence, the
/// reader needs not look for that.
#[test]
fn what_ends_a_read_is_never_seen_before_the_read_is_complete() {
    for fences_reads in [false, true] {
        let mut pair = connect_pair_with(Options { fences_reads, connect_all: 1, ..Options::default() });
        let message = vec![7; 100_000];
        let offered = pair.offer(&message);
        let mut target = vec![0; message.len()];
        let (owner, start) = (Handle::from_raw(4), target.as_mut_ptr().expose_provenance());
        let around = MemoryRange { start, end: start + target.len() };
        let end = Control::Release { transfer: Handle::from_raw(3), refused: false }.encode();
        let (address, bytes) = (offered.address, message.len() as u64);
        let get = Get { owner, around, address, target: target.as_mut_ptr(), bytes, ends_with: Some(end) };
        pair.fail(Faults { holds_reads: true, ..Faults::default() });
        // SAFETY: the target lives on, and is nobody else's.
        assert_eq!(unsafe { pair.providers[0].get(1, get) }.expect("no failure"), GetOutcome::Taken(0));
        let [reader, producer] = &mut pair.sinks;
        // The mock's writes do overtake reads.
        assert!(pair.providers[0].post(1, Ledger::Handshake, &entry(1)));
        while pair.providers[1].poll_all(0, producer) {}
        assert_eq!(producer.entries, [entry(1)], "nothing else has overtaken the read");
        mock::let_go(pair.providers[0].links[1].as_ref().expect("a link").number());
        while pair.providers[1].poll_all(0, producer) {}
        assert_eq!(producer.entries.contains(&end), fences_reads, "the device has told, or nobody");
        while pair.providers[0].poll_all(0, reader) {}
        // SAFETY: as above.
        let outcome = unsafe { pair.providers[0].get(1, get) }.expect("no failure");
        assert_eq!(outcome, if fences_reads { GetOutcome::TakenAndTold } else { GetOutcome::Taken(bytes) });
        assert_eq!(target, message);
    }
}

#[test]
fn a_read_that_fails_behind_a_fence_tells_nobody() {
    let mut pair = connect_pair_with(Options { fences_reads: true, connect_all: 1, ..Options::default() });
    let message = vec![7; 60_000];
    let offered = pair.offer(&message);
    pair.providers[1].release(offered.request);
    let mut target = vec![0; message.len()];
    let (owner, start) = (Handle::from_raw(4), target.as_mut_ptr().expose_provenance());
    let around = MemoryRange { start, end: start + target.len() };
    let (address, bytes) = (offered.address, message.len() as u64);
    let get = Get { owner, around, address, target: target.as_mut_ptr(), bytes, ends_with: Some(entry(9)) };
    pair.fail(Faults { holds_reads: true, ..Faults::default() });
    // SAFETY: the target lives on, and is nobody else's.
    assert_eq!(unsafe { pair.providers[0].get(1, get) }.expect("it was taken"), GetOutcome::Taken(0));
    mock::let_go(pair.number());
    pair.poll();
    assert!(pair.sinks[1].entries.is_empty());
    // SAFETY: as above.
    assert!(unsafe { pair.providers[0].get(1, get) }.is_err(), "and the reader hears of it");
}

#[test]
fn arrivals_wake_only_who_has_asked() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    arrivals.arm();
    // What was there before has to be looked for, once, by who is woken or who arms; then there is nothing.
    assert!(arrivals.wait());
    assert!(!arrivals.arm_looking(), "there is somebody who has asked");
    pair.poll();
    assert!(!mock::has_event(&arrivals));
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    assert!(mock::has_event(&arrivals), "an entry");
    assert!(arrivals.wait());
    arrivals.disarm();
    pair.poll();
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(2)));
    assert!(!mock::has_event(&arrivals), "nobody has asked again");
}

/// An application that only makes another call is not disturbed by its pump; one that computes has it soon.
#[test]
fn arrivals_wake_nobody_before_the_application_has_been_gone_for_a_while() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    arrivals.arm_soon();
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    assert!(!mock::has_event(&arrivals), "nobody has asked yet");
    // The time comes: what was there before has to be looked for.
    assert!(arrivals.wait());
    pair.poll();
    assert_eq!(pair.sinks[1].entries, [entry(1)]);
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(2)));
    assert!(mock::has_event(&arrivals));
    assert!(arrivals.wait());
    arrivals.disarm();
    pair.poll();
    // Whoever sleeps at once has asked at once.
    arrivals.arm_soon();
    assert!(arrivals.arm_looking());
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(3)));
    assert!(mock::has_event(&arrivals));
}

/// A thread that takes a processor and the engine away from a ping-pong, for each of its messages, slows it down several
/// times. So it asks for events only where the application has been gone for some time without a break.
#[test]
fn an_application_that_calls_again_and_again_is_left_alone() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    // What the thread that waits does when it has been woken, whatever by.
    let wake_once = || {
        arrivals.look_again(Duration::from_nanos(1));
        assert!(arrivals.wait());
    };
    let mut raises_event = |value| {
        assert!(pair.providers[0].post(1, Ledger::Fin, &entry(value)));
        let raises = mock::has_event(&arrivals);
        pair.poll();
        raises
    };
    // It has slept just before: events are asked for, and the next one comes.
    arrivals.arm_looking();
    arrivals.called();
    assert!(raises_event(1) && arrivals.wait());
    for value in 2..6 {
        wake_once();
        assert!(!raises_event(value), "the thread has asked again");
        // The timer runs out, and the application was here meanwhile.
        std::thread::sleep(Duration::from_millis(3));
        if value % 2 == 0 {
            arrivals.called();
        } else {
            arrivals.disarm();
            arrivals.arm_soon();
        }
    }
    wake_once();
    assert!(!raises_event(6), "it was here a moment ago");
    // One that is gone has everything looked after, each time.
    assert!(arrivals.wait(), "what came before the question");
    for value in 7..10 {
        assert!(raises_event(value));
        assert!(arrivals.wait());
        assert!(arrivals.wait(), "what came before the next question");
    }
}

/// To find that an application has come back wakes a thread: one that comes back each time is looked at less and less often,
/// and one that does not, as soon as before.
#[test]
fn an_application_that_always_comes_back_is_looked_at_less_often() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    arrivals.arm_soon();
    for times in 0..6 {
        assert_eq!(arrivals.looked_in_vain(), times);
        // Longer than the longest time between two looks.
        std::thread::sleep(Duration::from_millis(25));
        arrivals.called();
        // What the thread that waits does: it sees that the time is over, and takes it again.
        for _ in 0..2 {
            arrivals.look_again(Duration::from_nanos(1));
            assert!(arrivals.wait());
        }
    }
    let left = std::time::Instant::now();
    assert!(arrivals.wait(), "what came before the question");
    assert!(left.elapsed() > Duration::from_millis(8), "{:?}", left.elapsed());
    assert_eq!(arrivals.looked_in_vain(), 0);
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)));
    assert!(mock::has_event(&arrivals), "it is gone, and looked after");
    arrivals.disarm();
    pair.poll();
}

/// What nobody waits for gives places back all the same, and what has failed is heard of, by looks that are not thorough.
#[test]
fn looks_of_a_wait_find_what_nobody_waits_for() {
    let mut pair = connect_pair();
    for value in 0..1000 {
        let mut looks = 0;
        while !pair.providers[0].post(1, Ledger::Fin, &entry(value)) {
            pair.providers[1].poll(0, &mut pair.sinks[1]);
            pair.providers[0].poll(1, &mut pair.sinks[0]);
            looks += 1;
            assert!(looks < 20, "no place is given back");
        }
    }
    pair.fail(Faults { status: Some(abi::wc_status::RETRY_EXC_ERR), ..Faults::default() });
    assert!(pair.providers[0].post(1, Ledger::Handshake, &entry(1)));
    pair.providers[0].poll(1, &mut pair.sinks[0]);
    let text = mock::library().status_text(abi::wc_status::RETRY_EXC_ERR);
    assert!(pair.lost_because().contains(&text), "its own failure, not that of what was flushed");
}
