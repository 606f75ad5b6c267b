//! Random traffic in all protocols: sizes, tags, peers, segments, ways to wait, payload verified.
//!
//! The short form runs with fixed seeds. The long form carries as many times more messages as the variable says, which is a
//! million here:
//!
//!    SOAK=230 cargo test -p gravel-rt --release --test cluster soak -- --test-threads=1
//!
//! It says how many messages each test has carried.
//!
//! All ranks draw the same plan from the same seed, so every rank knows which messages it must receive.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use crate::calls::received;
use crate::launcher::{Network, cluster_over};
use crate::world::{COMMUNICATOR, World, describe, fill, first_difference, static_buffer};
use gravel::Rank;
use gravel::engine::completion::Completion;
use gravel::message::request::Handle;

/// Rounds of the short form.
const ROUNDS: usize = 4;
const MESSAGES_PER_ROUND: usize = 60;
/// Tags below this one are consumer-initiated.
const FIRST_ANNOUNCED_TAG: i32 = 3;
/// Announced tags below this one are received from known sources, the others from any.
const FIRST_ANY_SOURCE_TAG: i32 = 5;
const TAGS: i32 = 7;
/// A tag that nobody sends.
const SILENT_TAG: i32 = 99;

/// How many times longer than its short form the test is.
pub fn length() -> u32 {
    std::env::var("SOAK").ok().and_then(|value| value.parse().ok()).unwrap_or(1)
}

/// Xorshift: the same numbers on all ranks.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A message of the plan.
#[derive(Clone, Copy)]
struct Planned {
    from: Rank,
    to: Rank,
    tag: i32,
    bytes: usize,
    seed: usize,
    /// Chooses among the ways of sending and of receiving it.
    way: usize,
}

fn plan(random: &mut Random, ranks: Rank, round: usize) -> Vec<Planned> {
    let mut message = |number: usize| {
        let bytes = [random.below(64), random.below(10_000), random.below(80_000), random.below(400_000)];
        Planned {
            from: random.below(ranks),
            to: random.below(ranks),
            tag: random.below(TAGS as usize) as i32,
            bytes: bytes[random.below(4)],
            seed: round * 1000 + number,
            way: random.below(1000),
        }
    };
    (0..MESSAGES_PER_ROUND).map(&mut message).collect()
}

/// Starts a send in one of the ways that its protocol has.
fn send(world: &mut World, planned: Planned, buffer: &[u8], own: &mut Random) -> Handle {
    let Planned { to, tag, bytes, way, .. } = planned;
    let announced = tag >= FIRST_ANNOUNCED_TAG;
    if way.is_multiple_of(5) {
        return send_synchronously(world, planned, buffer);
    }
    if way.is_multiple_of(2) {
        return if announced { world.offer(buffer, to, tag) } else { world.send(buffer, to, tag) };
    }
    let transfer = if announced { world.announce(buffer, to, tag) } else { world.open(buffer, to, tag) };
    let segments = 1 + own.below(6);
    let mut order: Vec<_> = (0..segments).collect();
    for place in (1..segments).rev() {
        order.swap(place, own.below(place + 1));
    }
    for segment in order {
        let (start, end) = (segment * bytes / segments, (segment + 1) * bytes / segments);
        world.put(transfer, buffer, start, end - start);
    }
    world.fin(transfer)
}

/// The whole message, so that its end says that it was met.
fn send_synchronously(world: &mut World, planned: Planned, buffer: &[u8]) -> Handle {
    let Planned { to, tag, .. } = planned;
    let description = describe(buffer.as_ptr(), buffer.len()).synchronous();
    // SAFETY: the buffer lives, and is left alone, until the wait.
    let request = unsafe {
        if tag >= FIRST_ANNOUNCED_TAG {
            world.runtime().announce_message(description, to as i32, tag, COMMUNICATOR)
        } else {
            world.runtime().post_send(description, to as i32, tag, COMMUNICATOR)
        }
    };
    request.expect("a synchronous send")
}

/// Memory of a receive: only program data is adopted.
enum Memory<'a> {
    Heap(Vec<u8>),
    Program(&'a mut [u8]),
}

impl Deref for Memory<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(memory) => memory,
            Self::Program(memory) => memory,
        }
    }
}

impl DerefMut for Memory<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(memory) => memory,
            Self::Program(memory) => memory,
        }
    }
}

/// A posted receive. Which message it gets is known only when it is complete, if it is from any source.
struct Posted<'a> {
    request: Handle,
    buffer: Memory<'a>,
    planned: Planned,
    completed: Option<(Rank, i32, usize)>,
}

fn post<'a>(world: &mut World, planned: Planned, slack: usize, program_data: &mut &'a mut [u8]) -> Posted<'a> {
    let Planned { from, tag, bytes, way, .. } = planned;
    // From any source, the longest of all may come.
    let room = if tag >= FIRST_ANY_SOURCE_TAG { 400_000 } else { bytes + slack };
    let mut buffer = if way.is_multiple_of(4) && room <= program_data.len() {
        let (taken, rest) = std::mem::take(program_data).split_at_mut(room);
        *program_data = rest;
        taken.fill(0);
        Memory::Program(taken)
    } else {
        Memory::Heap(vec![0; room])
    };
    let request = match tag {
        tag if tag >= FIRST_ANY_SOURCE_TAG => world.post_any(&mut buffer, tag),
        tag if tag >= FIRST_ANNOUNCED_TAG => world.post_announced(&mut buffer, from, tag),
        tag if way.is_multiple_of(3) => world.post_segmented(&mut buffer, from, tag),
        tag => world.post(&mut buffer, from, tag),
    };
    Posted { request, buffer, planned, completed: None }
}

/// Completes all receives in a random order and in random ways.
fn complete(world: &mut World, posted: &mut [Posted<'_>], own: &mut Random) {
    let mut left: Vec<usize> = (0..posted.len()).collect();
    while !left.is_empty() {
        let place = own.below(left.len());
        let receive = &mut posted[left[place]];
        let done = match own.below(4) {
            0 => Some((place, world.test_until_done(receive.request))),
            1 => {
                let requests: Vec<_> = left.iter().map(|&index| posted[index].request).collect();
                let (place, completion) = world.runtime().wait_any(&requests).expect("waitany").expect("one is left");
                Some((place, Ok(completion)))
            }
            2 if receive.planned.tag < FIRST_ANNOUNCED_TAG && receive.planned.bytes > 0 => {
                // A part of it is right before the end, too.
                let start = own.below(receive.planned.bytes);
                let count = own.below(receive.planned.bytes - start + 1);
                let waited = world.runtime().wait_range(receive.request, start as i64, count as i64);
                assert_eq!(waited, Ok(()));
                let mut expected = vec![0; receive.planned.bytes];
                fill(&mut expected, receive.planned.seed);
                assert_eq!(receive.buffer[start..start + count], expected[start..start + count]);
                None
            }
            _ => Some((place, world.try_wait(receive.request))),
        };
        if let Some((place, completion)) = done {
            let index = left.swap_remove(place);
            posted[index].completed = Some(received(completion));
        }
    }
}

/// Every receive got the message that was its turn.
fn verify(rank: Rank, plan: &[Planned], posted: &[Posted<'_>]) {
    let mut next: HashMap<(Rank, i32), Vec<Planned>> = HashMap::new();
    for planned in plan.iter().rev().filter(|planned| planned.to == rank) {
        next.entry((planned.from, planned.tag)).or_default().push(*planned);
    }
    for Posted { buffer, planned, completed, .. } in posted {
        let (source, tag, bytes) = completed.expect("all are complete");
        assert_eq!(tag, planned.tag);
        let message = next.get_mut(&(source, tag)).and_then(Vec::pop).expect("a message of that source and tag");
        assert_eq!(bytes, message.bytes);
        assert!(tag >= FIRST_ANY_SOURCE_TAG || message.seed == planned.seed, "not the one whose turn it was");
        assert_eq!(first_difference(&buffer[..bytes], message.seed), None);
        assert!(buffer[bytes..].iter().all(|&byte| byte == 0), "bytes beyond the message were written");
    }
}

fn soak(world: &mut World, seed: u64) {
    let (rank, ranks) = (world.rank(), world.ranks());
    let mut common = Random(seed);
    let mut own = Random(seed ^ (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let statics = static_buffer();
    let rounds = ROUNDS * length() as usize;
    for round in 0..rounds {
        let plan = plan(&mut common, ranks, round);
        let mut program_data = &mut *statics;
        let mut posted = Vec::new();
        let mut sends = Vec::new();
        let mut silent = [0; 20_000];
        let silent_bytes = own.below(silent.len());
        let cancelled = world.post_any(&mut silent[..silent_bytes], SILENT_TAG);
        // Some ranks post all receives first, others all sends, others as the plan goes.
        let order = own.below(3);
        let mine =
            |planned: &&Planned, receives: bool| if receives { planned.to == rank } else { planned.from == rank };
        let phases: &[(bool, bool)] =
            [&[(true, false), (false, true)][..], &[(false, true), (true, false)], &[(true, true)]][order];
        for &(receives, starts) in phases {
            for planned in &plan {
                if receives && mine(&planned, true) {
                    posted.push(post(world, *planned, own.below(3), &mut program_data));
                }
                if starts && mine(&planned, false) {
                    let mut buffer = vec![0; planned.bytes];
                    fill(&mut buffer, planned.seed);
                    sends.push((send(world, *planned, &buffer, &mut own), buffer));
                }
            }
        }
        world.runtime().cancel(cancelled).expect("gravel_cancel");
        complete(world, &mut posted, &mut own);
        verify(rank, &plan, &posted);
        for (request, _buffer) in sends {
            if own.below(2) == 0 {
                world.wait_send(request);
            } else {
                assert_eq!(world.test_until_done(request), Ok(Completion::Empty));
            }
        }
        assert_eq!(world.try_wait(cancelled), Ok(Completion::Cancelled));
        // A receive from any source would take messages of the next round, too.
        world.outside_barrier();
    }
    if rank == 0 {
        println!("    {} messages among {ranks} ranks", rounds * MESSAGES_PER_ROUND);
    }
}

on_every_path!(two_ranks, 2, |world: &mut World| soak(world, 0x2545_f491_4f6c_dd1d));
on_every_path!(three_ranks, 3, |world: &mut World| soak(world, 0x1234_5678_9abc_def1));
on_every_path!(four_ranks, 4, |world: &mut World| soak(world, 0xfedc_ba98_7654_3211));

/// Over sockets, and with both providers in one job: the last rank is reached by sockets, the others share memory.
fn over_networks(name: &str, ranks: Rank, seed: u64) {
    let networks: &[Network] = if ranks == 2 { &[Network::Tcp] } else { &[Network::Tcp, Network::Mixed] };
    cluster_over(networks, &format!("soak::{name}"), ranks, &[], |world| soak(world, seed));
}

#[test]
fn two_ranks_over_sockets() {
    over_networks("two_ranks_over_sockets", 2, 0x0f1e_2d3c_4b5a_6978);
}

#[test]
fn three_ranks_over_sockets_and_both_ways() {
    over_networks("three_ranks_over_sockets_and_both_ways", 3, 0x1357_9bdf_0246_8ace);
}

#[test]
fn five_ranks_over_sockets_and_both_ways() {
    over_networks("five_ranks_over_sockets_and_both_ways", 5, 0xdead_10cc_0bad_cafe);
}

#[test]
fn eight_ranks_over_sockets_and_both_ways() {
    over_networks("eight_ranks_over_sockets_and_both_ways", 8, 0x8bad_f00d_5eed_5eed);
}

on_every_path!(eight_ranks, 8, |world: &mut World| soak(world, 0x0123_4567_89ab_cdef));
