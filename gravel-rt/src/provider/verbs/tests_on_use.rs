//! Connections on first use, on the mock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connect::{Connected, Peer, connect};
use super::device::Device;
use super::mock::{self, Faults};
use super::tests::{Recorder, entry, key};
use super::*;
use crate::provider::thread_host::run_ranks;

/// Ranks of which none is connected yet, but for those that the set-up connects: each to the next one. Nothing is on its
/// way any more: the set-up is over when each has heard that the next one is connected, and the next one may not have
/// read yet that this one is.
struct Job {
    providers: Vec<VerbsProvider>,
    sinks: Vec<Recorder>,
}

const RANKS: Rank = 5;

fn job() -> Job {
    let connected: Vec<Connected> = run_ranks(RANKS, |host| {
        let rank = crate::host::Host::rank(&host);
        let peer = |peer| Peer { rank: peer, pid: 1, host: "mock".into(), process: None };
        let peers = (0..RANKS).filter(|&other| other != rank).map(peer).collect();
        let options = Options { connect_all: 3, ..Options::default() };
        connect(&host, Some(Device::open(mock::library())), peers, |one, other| one != other, options)
            .expect("an exchange")
    });
    let provider = |connected: Connected| {
        assert!((1..RANKS).all(|peer| connected.works_between(0, peer) && connected.works_between(peer, 0)));
        connected.provider.expect("a device")
    };
    let providers = connected.into_iter().map(provider).collect();
    let mut job = Job { providers, sinks: (0..RANKS).map(|_| Recorder::default()).collect() };
    job.settle();
    job
}

impl Job {
    fn poll(&mut self) {
        for (provider, sink) in self.providers.iter_mut().zip(&mut self.sinks) {
            while provider.poll_all(0, sink) {}
        }
    }

    /// Until nothing is asked for any more.
    fn settle(&mut self) {
        let started = Instant::now();
        loop {
            self.poll();
            let is_waiting = |provider: &VerbsProvider| provider.connector.as_ref().expect("one").is_waiting();
            if !self.providers.iter().any(is_waiting) {
                return self.poll();
            }
            assert!(started.elapsed() < Duration::from_secs(30), "it does not come to an end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn post(&mut self, from: Rank, to: Rank, value: u64) -> bool {
        self.providers[from].post(to, Ledger::Fin, &entry(value))
    }

    fn links_of(&self, rank: Rank) -> Vec<Rank> {
        let links = &self.providers[rank].links;
        (0..RANKS).filter(|&peer| links[peer].as_ref().is_some_and(Link::is_open)).collect()
    }

    fn context(&self, rank: Rank) -> usize {
        self.providers[rank].arrivals().device().context().addr()
    }

    fn lose_datagrams(&self, rank: Rank, each: u32) {
        let number = self.providers[rank].connector.as_ref().expect("one").mailbox().number;
        mock::set_faults(number, Faults { loses: Some(each), ..Faults::default() });
    }
}

#[test]
fn only_pairs_that_exchange_something_are_connected() {
    let mut job = job();
    for rank in 0..RANKS {
        let mut neighbours = vec![(rank + 1) % RANKS, (rank + RANKS - 1) % RANKS];
        neighbours.sort_unstable();
        assert_eq!(job.links_of(rank), neighbours, "by the set-up, which tries whether it works");
    }
    assert!(!job.post(0, 2, 7), "there is no room yet");
    job.settle();
    assert!(job.links_of(0).contains(&2) && job.links_of(2).contains(&0));
    assert!(!job.links_of(0).contains(&3) && !job.links_of(1).contains(&3));
    assert!(job.providers[0].take_news(), "whoever waits for room is woken");
    assert!(job.post(0, 2, 7) && job.post(2, 0, 8));
    job.poll();
    assert_eq!((&job.sinks[2].entries, &job.sinks[0].entries), (&vec![entry(7)], &vec![entry(8)]));
    // Somebody has to ask for a sign that the last entry has come.
    let is_flushed =
        |job: &Job| job.providers.iter().map(Provider::is_flushed).filter(|is_flushed| !is_flushed).count();
    assert!(is_flushed(&job) > 0);
    // It is asked for, and comes.
    job.poll();
    job.poll();
    assert_eq!(is_flushed(&job), 0);
}

#[test]
fn both_may_begin_at_once() {
    let mut job = job();
    let message = [3u8; 100];
    let eager = |job: &mut Job, from: Rank, to| {
        let key = MatchKey { peer: to, ..key() };
        // SAFETY: the message is that long.
        unsafe { job.providers[from].put_eager(key, 1, message.as_ptr(), 100) }
    };
    assert!(!eager(&mut job, 1, 3) && !eager(&mut job, 3, 1) && !job.post(1, 3, 4));
    job.settle();
    assert!(eager(&mut job, 1, 3) && eager(&mut job, 3, 1) && job.post(1, 3, 4));
    job.poll();
    for rank in [1, 3] {
        assert_eq!(job.sinks[rank].eager, [(1, message.to_vec())]);
        let left = mock::left_of(job.context(rank));
        assert!(left.contains(&(mock::Thing::QueuePair, 3)), "there is one connection, not two: {left:?}");
    }
}

#[test]
fn what_is_lost_is_asked_for_again_and_what_comes_twice_changes_nothing() {
    for each in 1..6 {
        let mut job = job();
        // Where every one is lost, it is so only for some time.
        (0..RANKS).for_each(|rank| job.lose_datagrams(rank, each));
        for rank in 0..RANKS {
            assert!(!job.post(rank, (rank + 2) % RANKS, rank as u64));
        }
        if each == 1 {
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(100) {
                job.poll();
            }
            assert!((0..RANKS).all(|rank| job.links_of(rank).len() == 2), "nothing has come");
            (0..RANKS).for_each(|rank| job.lose_datagrams(rank, 3));
        }
        job.settle();
        for rank in 0..RANKS {
            assert_eq!(job.links_of(rank).len(), 4);
            assert!(job.post(rank, (rank + 2) % RANKS, rank as u64));
        }
        job.poll();
        for rank in 0..RANKS {
            assert_eq!(job.sinks[(rank + 2) % RANKS].entries, [entry(rank as u64)]);
        }
    }
}

/// What comes over a connection says as much as the datagram that was lost.
#[test]
fn an_entry_tells_that_the_other_end_is_connected() {
    let mut job = job();
    assert!(!job.post(0, 2, 1));
    // Rank 2 answers, and hears nothing more: what rank 0 says next is lost.
    let Job { providers, sinks } = &mut job;
    while providers[2].poll_all(0, &mut sinks[2]) {}
    job.lose_datagrams(0, 1);
    let Job { providers, sinks } = &mut job;
    while providers[0].poll_all(0, &mut sinks[0]) {}
    assert!(job.links_of(0).contains(&2) && !job.links_of(2).contains(&0));
    assert!(!job.post(2, 0, 5), "it may not send yet");
    assert!(job.post(0, 2, 1));
    job.poll();
    assert_eq!(job.sinks[2].entries, [entry(1)]);
    assert!(job.post(2, 0, 5));
    job.poll();
    assert_eq!(job.sinks[0].entries, [entry(5)]);
}

#[test]
fn a_rank_that_has_no_place_for_a_connection_is_an_error_of_both_and_names_the_other() {
    for asker in [0, 2] {
        let mut job = job();
        mock::refuse_pairs(job.context(2));
        assert_eq!(job.post(asker, 2 - asker, 1), asker == 2, "what nobody will miss is taken");
        job.settle();
        for (rank, peer, why) in [(0, 2, "rank 2 could not make its end"), (2, 0, "making a queue pair")] {
            if rank != asker && rank == 0 {
                // It has not asked, but is told when it does.
                job.post(0, 2, 1);
                job.settle();
            }
            let error = *job.providers[rank].check_alive(peer).expect_err("an error");
            let Error::ConnectionLost { peer: named, cause, .. } = error else { panic!("{error}") };
            assert!(named == peer && cause.contains(why), "{cause}");
            let source = [0u8; 16];
            let start = source.as_ptr().expose_provenance();
            let put = Put {
                transfer: Handle::from_raw(3),
                around: MemoryRange { start, end: start + source.len() },
                offset: 0,
                source: source.as_ptr(),
                bytes: 16,
                ends_message: false,
            };
            let target = RemoteBuffer { request: Handle::from_raw(9), address: 4096, bytes: 16 };
            // SAFETY: the source is valid.
            assert!(unsafe { job.providers[rank].put(peer, &target, put) }.is_err());
            assert!(job.post(rank, peer, 2) && job.providers[rank].is_flushed(), "nobody waits for ever");
        }
        // Others go on.
        assert!(job.providers[2].check_alive(1).is_ok() && job.post(1, 2, 3));
    }
}

#[test]
fn ranks_that_come_to_an_end_leave_nothing_behind() {
    let mut job = job();
    for (from, to) in [(0, 2), (3, 0), (1, 4)] {
        job.post(from, to, 1);
    }
    // One connection is half made then.
    let devices: Vec<_> = job.providers.iter().map(|provider| Arc::clone(provider.arrivals().device())).collect();
    drop(job);
    for device in devices {
        let context = device.context().addr();
        assert_eq!(Arc::strong_count(&device), 1);
        drop(device);
        assert_eq!(mock::left_of(context), []);
    }
}
