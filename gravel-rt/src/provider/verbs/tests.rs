//! The provider on the mock: what goes well, and what devices hardly ever do.

use std::ptr::NonNull;

use super::connect::{Connected, Peer, connect};
use super::device::Device;
use super::mock::{self, Faults};
use super::*;
use crate::communicator::CommunicatorId;
use crate::ledger::PAYLOAD_WORDS;
use crate::protocol::wire::Control;
use crate::provider::Arrivals as _;
use crate::provider::thread_host::run_ranks;

/// What a rank has been given.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) entries: Vec<Entry>,
    pub(super) eager: Vec<(u64, Vec<u8>)>,
    completed: Vec<(Handle, Option<Box<Error>>)>,
    buffer: Vec<u8>,
}

impl Sink for Recorder {
    fn control(&mut self, _: Rank, entry: &Entry) {
        self.entries.push(*entry);
    }

    fn eager(&mut self, _: MatchKey, number: u64, bytes: &[u8]) {
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
struct Pair {
    providers: [VerbsProvider; 2],
    sinks: [Recorder; 2],
}

fn connect_pair() -> Pair {
    connect_pair_with(Options { connect_all: 1, ..Options::default() })
}

fn connect_pair_with(options: Options) -> Pair {
    let connected: Vec<Connected> = run_ranks(2, |host| {
        let rank = crate::host::Host::rank(&host);
        let peer = Peer { rank: 1 - rank, pid: 1, host: "mock".into(), process: None };
        let device = Device::open(mock::library());
        connect(&host, Some(device), vec![peer], |one, other| one != other, options).expect("an exchange")
    });
    let mut providers = connected.into_iter().map(|connected| {
        assert!(connected.works_between(0, 1));
        connected.provider.expect("connected")
    });
    let providers = [providers.next().expect("a rank"), providers.next().expect("a rank")];
    Pair { providers, sinks: [Recorder::default(), Recorder::default()] }
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
    fn poll(&mut self) {
        for (provider, sink) in self.providers.iter_mut().zip(&mut self.sinks) {
            while provider.poll_all(0, sink) {}
        }
    }

    /// The number of rank 0's queue pair.
    fn number(&self) -> u32 {
        self.providers[0].links[1].as_ref().expect("a link").number()
    }

    fn fail(&self, faults: Faults) {
        mock::set_faults(self.number(), faults);
    }

    /// Registers a buffer of rank 1 and tells rank 0 of it, as the protocols do.
    fn offer(&mut self, buffer: &[u8]) -> RemoteBuffer {
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

    fn put(&mut self, target: &RemoteBuffer, source: &[u8]) -> Result<PutOutcome> {
        let start = source.as_ptr().expose_provenance();
        let around = MemoryRange { start, end: start + source.len() };
        let (transfer, bytes) = (Handle::from_raw(3), source.len() as u64);
        let put = Put { transfer, around, offset: 0, source: source.as_ptr(), bytes, ends_message: false };
        // SAFETY: the tests keep the source.
        unsafe { self.providers[0].put(1, target, put) }
    }

    fn lost_because(&self) -> String {
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
    for (number, length) in (0..=MAXIMUM_EAGER_DATA).step_by(31).enumerate() {
        // SAFETY: the message is longer.
        while !unsafe { pair.providers[0].put_eager(key(), number as u64, message.as_ptr(), length) } {
            pair.poll();
        }
    }
    pair.poll();
    for (number, length) in (0..=MAXIMUM_EAGER_DATA).step_by(31).enumerate() {
        assert_eq!(pair.sinks[1].eager[number], (number as u64, message[..length as usize].to_vec()));
    }
}

#[test]
fn a_long_put_is_in_flight_until_its_completions_come() {
    let mut pair = connect_pair();
    let source: Vec<u8> = (0..250_000u32).map(|byte| (byte >> 3) as u8).collect();
    let target = vec![0; source.len()];
    let remote = pair.offer(&target);
    pair.fail(Faults { holds: true, ..Faults::default() });
    let outcome = pair.put(&remote, &source).expect("no failure");
    // Pieces of at most 64 KiB, by what the device takes.
    assert_eq!((outcome.taken, outcome.in_flight, outcome.fin_sent), (250_000, 4, false));
    pair.poll();
    assert!(pair.sinks[0].completed.is_empty());
    mock::let_go(pair.number());
    pair.poll();
    assert_eq!(pair.sinks[0].completed, vec![(Handle::from_raw(3), None); 4]);
    // SAFETY: inside the vector; the device has written it.
    assert_eq!(unsafe { target.as_ptr().add(249_999).read_volatile() }, source[249_999]);
    assert_eq!(target, source);
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
fn every_status_is_an_error_of_the_put_and_of_the_peer() {
    for status in 1..=21 {
        let mut pair = connect_pair();
        let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
        let remote = pair.offer(&target);
        pair.fail(Faults { status: Some(status), ..Faults::default() });
        assert_eq!(pair.put(&remote, &source).expect("it was taken").in_flight, 1);
        pair.poll();
        let [(_, Some(error))] = pair.sinks[0].completed.as_slice() else { panic!("status {status}") };
        assert!(matches!(**error, Error::ConnectionLost { peer: 1, .. }), "{error}");
        let text = match status {
            5 => "flushed",
            10 => "remote access error",
            _ => "some failure",
        };
        assert!(pair.lost_because().contains(text), "status {status}: {}", pair.lost_because());
        assert!(pair.put(&remote, &source).is_err(), "and so is everything after it");
        assert!(pair.providers[0].is_flushed(), "nobody waits for it at the end");
        assert!(pair.providers[0].take_news(), "who waits is woken");
    }
}

#[test]
fn a_key_that_is_gone_is_an_error_and_writes_nothing() {
    let mut pair = connect_pair();
    let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
    let remote = pair.offer(&target);
    pair.providers[1].release(remote.request);
    pair.put(&remote, &source).expect("it was taken");
    pair.poll();
    assert!(pair.lost_because().contains("remote access error"));
    assert_eq!(target, vec![0; 20_000]);
}

#[test]
fn a_region_that_was_released_is_retired_before_the_next_one_is_announced() {
    let mut pair = connect_pair();
    let target = vec![0; 20_000];
    let first = pair.offer(&target);
    pair.providers[1].release(first.request);
    let second = pair.offer(&target);
    let source = vec![3; 20_000];
    pair.put(&second, &source).expect("it is registered anew");
    pair.poll();
    assert_eq!(pair.sinks[0].completed, [(Handle::from_raw(3), None)]);
    assert_eq!(target, source);
}

const KEEPS_PRIVATE: Options =
    Options { keeps_static: false, keeps_private: true, fences_reads: false, connect_all: 1 };

/// A run of memory that the program maps and unmaps itself.
struct Mapped {
    start: usize,
    protection: libc::c_int,
}

impl Mapped {
    const BYTES: usize = 20 * 4096;

    fn new(flags: libc::c_int) -> Self {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, flags | libc::MAP_ANONYMOUS, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        Self { start: start.expose_provenance(), protection }
    }

    /// Other memory at the same addresses.
    fn map_again(&mut self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: in the place of this test's own mapping.
        unsafe { libc::mmap(self.place().cast(), Self::BYTES, self.protection, flags, -1, 0) };
    }

    fn place(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.start)
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped, and the test's own.
        unsafe { std::slice::from_raw_parts_mut(self.place(), Self::BYTES) }
    }

    fn registrations(&self) -> usize {
        mock::registrations_of(self.start, Self::BYTES)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped above.
        unsafe { libc::munmap(self.place().cast(), Self::BYTES) };
    }
}

/// Puts a message and ends both operations.
fn put_once(pair: &mut Pair, source: &mut Mapped, target: &mut Mapped) {
    let remote = pair.offer(target.bytes());
    source.bytes().fill(5);
    assert_eq!(pair.put(&remote, source.bytes()).expect("it is registered").in_flight, 2);
    assert_eq!((source.registrations(), target.registrations()), (1, 1));
    pair.poll();
    pair.providers[0].release(Handle::from_raw(3));
    pair.providers[1].release(remote.request);
    assert!(target.bytes().iter().all(|&byte| byte == 5));
}

/// Where the kernel tells when memory is mapped anew, registrations are kept until then; else as long as a message.
#[test]
fn registrations_of_the_heap_last_until_other_memory_lies_there() {
    let mut pair = connect_pair_with(KEEPS_PRIVATE);
    let lasts = crate::memory::unmap_monitor::UnmapMonitor::new(|| {}).is_ok();
    let kept = usize::from(lasts);
    let (mut source, mut target) = (Mapped::new(libc::MAP_PRIVATE), Mapped::new(libc::MAP_PRIVATE));
    let before = mock::registered();
    for round in 0..3 {
        put_once(&mut pair, &mut source, &mut target);
        assert_eq!((source.registrations(), target.registrations()), (kept, kept), "round {round}");
    }
    assert!(mock::registered() - before == if lasts { 2 } else { 6 });
    for _ in 0..3 {
        target.map_again();
        source.map_again();
        put_once(&mut pair, &mut source, &mut target);
    }
    assert!(mock::registered() - before == if lasts { 8 } else { 12 }, "each once more for each other memory");
    // What nobody uses any more is not kept for that.
    source.map_again();
    pair.poll();
    assert_eq!((source.registrations(), target.registrations()), (0, kept));
    // A part of what is registered is registered.
    let whole = target.bytes();
    let (start, length) = (whole.as_ptr(), whole.len());
    // SAFETY: inside the mapping.
    let part = unsafe { std::slice::from_raw_parts(start.add(100), length - 9000) };
    let remote = pair.offer(part);
    assert_eq!(target.registrations(), 1);
    pair.providers[1].release(remote.request);
}

#[test]
fn memory_of_which_the_kernel_does_not_tell_is_registered_for_each_message() {
    let mut pair = connect_pair_with(KEEPS_PRIVATE);
    let (mut source, mut target) = (Mapped::new(libc::MAP_SHARED), Mapped::new(libc::MAP_SHARED));
    for _ in 0..3 {
        put_once(&mut pair, &mut source, &mut target);
        assert_eq!((source.registrations(), target.registrations()), (0, 0));
    }
}

#[test]
fn a_full_send_queue_loses_nothing_and_sends_nothing_twice() {
    for accepts in 0..4 {
        let mut pair = connect_pair();
        pair.fail(Faults { accepts: Some(accepts), ..Faults::default() });
        let message = vec![accepts as u8 + 1; 500];
        let mut refusals = 0;
        for number in 0..3 {
            // SAFETY: the message is that long.
            while !unsafe { pair.providers[0].put_eager(key(), number, message.as_ptr(), 500) } {
                refusals += 1;
                pair.fail(Faults::default());
            }
        }
        pair.poll();
        assert_eq!(refusals, 1, "after {accepts} requests");
        assert_eq!(pair.sinks[1].eager, (0..3).map(|number| (number, message.clone())).collect::<Vec<_>>());
    }
}

#[test]
fn a_device_that_refuses_a_request_loses_the_connection() {
    let mut pair = connect_pair();
    pair.fail(Faults { error: Some(libc::EIO), ..Faults::default() });
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(1)), "nobody will miss it");
    assert!(pair.lost_because().contains("Input/output error"));
}

#[test]
fn events_of_a_device_end_what_they_concern() {
    for (event, concerns_pair) in [(abi::event::QP_FATAL, true), (abi::event::DEVICE_FATAL, false)] {
        let mut pair = connect_pair();
        let arrivals = pair.providers[0].arrivals();
        let address = pair.providers[0].links[1].as_ref().expect("a link").address();
        let device = arrivals.device().async_descriptor();
        // Another one's trouble is none of ours.
        mock::raise(device, abi::event::QP_FATAL, 1);
        mock::raise(device, abi::event::PORT_ERR, 1);
        assert!(arrivals.wait());
        pair.poll();
        assert!(pair.providers[0].check_alive(1).is_ok());
        mock::raise(device, event, if concerns_pair { address } else { 0 });
        assert!(arrivals.wait());
        pair.poll();
        assert!(pair.lost_because().contains("some event"));
    }
}

#[test]
fn a_completion_queue_that_is_lost_loses_every_connection() {
    let mut pair = connect_pair();
    let (sent, _) = pair.providers[0].arrivals().queues();
    mock::lose_queue(sent);
    pair.poll();
    assert!(pair.lost_because().contains("completion queue"));
}

#[test]
fn without_registration_everything_is_staged() {
    let mut pair = connect_pair();
    mock::set_unregistrable(pair.providers[0].arrivals().device().context().addr());
    let source: Vec<u8> = (0..100_000u32).map(|byte| (byte >> 3) as u8).collect();
    let target = vec![0; source.len()];
    let remote = pair.offer(&target);
    pair.sinks[1].buffer = vec![0; source.len()];
    let mut taken = 0;
    while taken < source.len() {
        let rest = &source[taken..];
        let start = rest.as_ptr().expose_provenance();
        let around = MemoryRange { start, end: start + rest.len() };
        let (transfer, offset, bytes) = (Handle::from_raw(3), taken as u64, rest.len() as u64);
        let put = Put { transfer, around, offset, source: rest.as_ptr(), bytes, ends_message: true };
        // SAFETY: the source lives on.
        let outcome = unsafe { pair.providers[0].put(1, &remote, put) }.expect("no failure");
        assert_eq!(outcome.in_flight, 0, "the source is free at once");
        taken += outcome.taken as usize;
        assert_eq!(outcome.fin_sent, taken == source.len());
        pair.poll();
    }
    assert_eq!(pair.sinks[1].buffer, source);
    let fin = pair.sinks[1].entries.last().expect("the FIN rides on the last piece");
    assert!(matches!(Control::decode(fin), Ok(Control::Fin { .. })));
}

#[test]
fn arrivals_wake_only_who_has_asked() {
    let mut pair = connect_pair();
    let arrivals = pair.providers[1].arrivals();
    arrivals.arm();
    // What was there before has to be looked for, once; then there is nothing.
    assert!(arrivals.wait());
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

#[test]
fn nothing_is_left_behind() {
    let pair = connect_pair();
    let device = pair.providers[0].arrivals().device().async_descriptor();
    // Other tests' devices have other descriptors as long as this one is open.
    assert_eq!(mock::alive(device), 3, "a queue pair and two queues");
    let Pair { providers: [first, second], .. } = pair;
    let device = Arc::clone(first.arrivals().device());
    drop(first);
    assert_eq!(mock::alive(device.async_descriptor()), 0);
    assert_eq!(Arc::strong_count(&device), 1);
    drop(second);
}
