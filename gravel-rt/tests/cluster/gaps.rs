//! Messages of datatypes with gaps, of other orders and with negative strides: they arrive as MPI would deliver them, whatever
//! way they take, and what lies in a gap is never written.

use std::sync::Arc;

use crate::calls::received;
use crate::launcher::cluster;
use crate::rules::{CHECK, violation};
use crate::world::{ANY_SOURCE, COMMUNICATOR, PROC_NULL, World, fill};
use gravel::engine::completion::Completion;
use gravel::error::violation::Violation;
use gravel::message::datatype::blocks::Blocks;
use gravel::message::datatype::layout::Layout;
use gravel::message::request::Handle;
use gravel::runtime::PersistentKind::{self, AnnouncedReceive, AnnouncedSend, PostedReceive, PostedSend};
use gravel::{Buffer, Error, Result, SendMode};

/// Within eager data and around its limit, what may be spilled, and longer than that.
const LENGTHS: [usize; 7] = [7, 1000, 8192, 8193, 65_536, 65_544, 300_000];
/// What is in memory where nothing is to be written.
const UNTOUCHED: u8 = 0xaa;
/// Announced messages have tags from here on.
const ANNOUNCED: i32 = 50;

/// A message in memory of its own.
struct Message {
    memory: Vec<u8>,
    /// Where in the memory the address is that the program would give.
    origin: usize,
    count: i64,
    datatype_bytes: u64,
    layout: Option<Arc<Layout>>,
    /// Where the bytes are in the memory, in order.
    places: Vec<usize>,
}

/// Ways in which a message can lie.
const SHAPES: usize = 6;

fn run(place: i64, bytes: i64) -> Blocks {
    Blocks::run(place, bytes).expect("it is short")
}

fn joined(parts: &[(Blocks, i64)]) -> Blocks {
    Blocks::joined(parts.iter().cloned().map(Some)).expect("they are short")
}

impl Message {
    /// Of so many bytes. Shape 0 is contiguous.
    fn new(shape: usize, bytes: usize) -> Self {
        let bytes = bytes as i64;
        // One element, whose last bytes lie somewhere else.
        let with_rest = |unit: Blocks, stride: i64, rest_at: i64| {
            let length = unit.bytes() as i64;
            let whole = unit.repeated(bytes / length, stride).expect("it is short");
            joined(&[(whole, 0), (run(0, bytes % length), rest_at)])
        };
        let (element, extent, count) = match shape {
            0 => return Self::contiguous(bytes as usize),
            // Words of a column.
            1 => (with_rest(run(0, 8), 40, -16), 100_000_000, 1),
            // Rows from the last to the first, each cut in two.
            2 => (with_rest(joined(&[(run(0, 100), 40), (run(0, 29), 0)]), -150, 200), -1, 1),
            // Blocks of all lengths in no order.
            3 => {
                let mut parts = Vec::new();
                let (mut left, mut number) = (bytes, 0);
                while left > 0 {
                    let length = (1 + (number * 37 + 5) % 211).min(left);
                    parts.push((run(0, length), 220 * (number ^ 1)));
                    left -= length;
                    number += 1;
                }
                (joined(&parts), 17, 1)
            }
            // Many elements, one of them with a block in front of the address.
            4 if bytes % 8 == 0 => (joined(&[(run(0, 4), 8), (run(0, 4), -12)]), 24, bytes / 8),
            4 => (run(0, 1), 3, bytes),
            // A cube out of a larger one, and a rest.
            _ => {
                let plane = run(0, 24).repeated(5, 64).and_then(|plane| plane.repeated(3, 640)).expect("it is short");
                (with_rest(plane, 2560, -400), 5, 1)
            }
        };
        let all = element.repeated(count, extent).expect("it is short");
        assert_eq!(all.bytes() as i64, bytes);
        let datatype_bytes = element.bytes();
        let layout = Layout { element, extent, name: String::new(), maker: "made by a test" };
        let (low, high) = all.bounds().expect("there are bytes");
        let origin = 64 - low.min(0);
        let mut places = Vec::new();
        all.any_run(&mut |start, end| {
            places.extend((start..end).map(|place| (origin + place) as usize));
            false
        });
        let memory = vec![UNTOUCHED; (origin + high.max(0) + 64) as usize];
        let layout = Some(Arc::new(layout));
        Self { memory, origin: origin as usize, count, datatype_bytes, layout, places }
    }

    fn contiguous(bytes: usize) -> Self {
        let memory = vec![UNTOUCHED; 64 + bytes + 64];
        let places = (64..64 + bytes).collect();
        Self { memory, origin: 64, count: bytes as i64, datatype_bytes: 1, layout: None, places }
    }

    /// With the bytes that this seed gives to a message.
    fn filled(shape: usize, bytes: usize, seed: usize) -> Self {
        let mut message = Self::new(shape, bytes);
        message.fill(seed);
        message
    }

    fn fill(&mut self, seed: usize) {
        let mut packed = vec![0; self.places.len()];
        fill(&mut packed, seed);
        self.places.iter().zip(packed).for_each(|(&place, byte)| self.memory[place] = byte);
    }

    /// The first bytes are those of the seed, the others and the gaps as they were.
    fn check(&self, bytes: usize, seed: usize, what: &str) {
        let mut packed = vec![0; bytes];
        fill(&mut packed, seed);
        let mut expected = vec![UNTOUCHED; self.memory.len()];
        self.places.iter().zip(packed).for_each(|(&place, byte)| expected[place] = byte);
        let difference = self.memory.iter().zip(&expected).position(|(one, other)| one != other);
        assert_eq!(
            difference,
            None,
            "{what}: place relative to the address {:?}",
            difference.map(|at| at as i64 - self.origin as i64)
        );
    }

    fn address(&self) -> usize {
        self.memory.as_ptr().expose_provenance() + self.origin
    }

    fn describe(&self) -> Buffer<'_> {
        Buffer {
            address: self.address(),
            count: self.count,
            datatype_bytes: self.datatype_bytes,
            element_bytes: self.datatype_bytes,
            layout: self.layout.as_ref(),
            mode: SendMode::Standard,
        }
    }

    /// Exposed for writing.
    fn describe_mut(&mut self) -> Buffer<'_> {
        self.memory.as_mut_ptr().expose_provenance();
        self.describe()
    }
}

/// Ways to send a message.
const SENDS: usize = 4;

fn send(world: &mut World, message: &Message, to: i32, tag: i32, way: usize) -> Result<Handle> {
    let (buffer, announced) = (message.describe(), tag >= ANNOUNCED);
    let runtime = world.runtime();
    // SAFETY: the tests keep messages alive and untouched until the wait.
    unsafe {
        match (way, announced) {
            (0, false) => runtime.post_send(buffer, to, tag, COMMUNICATOR),
            (0, true) => runtime.announce_message(buffer, to, tag, COMMUNICATOR),
            (1, false) => runtime.post_copied_send(buffer, to, tag, COMMUNICATOR),
            (1, true) => runtime.announce_copied_message(buffer, to, tag, COMMUNICATOR),
            (_, _) => {
                let transfer = match announced {
                    false => runtime.open_transfer(buffer, to, tag, COMMUNICATOR),
                    true => runtime.announce_transfer(buffer, to, tag, COMMUNICATOR),
                }?;
                let tile = runtime.tile(transfer, message.count.max(1), 1)?;
                assert!(tile == message.count.max(1) || message.layout.is_none() || tile == 0, "one tile");
                if way == 2 {
                    // In two parts, the second before the first.
                    let half = message.count / 2;
                    runtime.put(transfer, message.address(), half, message.count - half)?;
                    runtime.put(transfer, message.address(), 0, half)?;
                }
                runtime.send_fin(transfer)
            }
        }
    }
}

fn post(world: &mut World, message: &mut Message, from: i32, tag: i32, segmented: bool) -> Result<Handle> {
    let buffer = message.describe_mut();
    // SAFETY: as above.
    unsafe {
        match (tag >= ANNOUNCED, segmented) {
            (true, _) => world.runtime().post_announced_receive(buffer, from, tag, COMMUNICATOR),
            (false, false) => world.runtime().post_receive(buffer, from, tag, COMMUNICATOR),
            (false, true) => world.runtime().post_segmented_receive(buffer, from, tag, COMMUNICATOR),
        }
    }
}

fn prepare(world: &mut World, kind: PersistentKind, message: &mut Message, partner: i32, tag: i32) -> Handle {
    let buffer = message.describe_mut();
    // SAFETY: as above, from each start to the wait.
    unsafe { world.runtime().prepare(kind, buffer, partner, tag, COMMUNICATOR) }.expect("gravel_prepare")
}

/// Sends to the other rank in this way and shape, and receives in another: one side or the other is late, by turns.
fn exchange(world: &mut World, length: usize, shapes: [usize; 2], way: usize, tag: i32) {
    let (rank, peer) = (world.rank(), 1 - world.rank());
    let seed = length + 7 * way + shapes[0];
    let outgoing = Message::filled(shapes[0], length, seed + rank);
    let mut incoming = Message::new(shapes[1], length);
    let what = format!("{length} bytes from shape {} to {}, way {way}, tag {tag}", shapes[0], shapes[1]);
    let segmented = (length + way) % 2 == 1;
    let from = if tag >= ANNOUNCED && way.is_multiple_of(2) { ANY_SOURCE } else { peer as i32 };
    let post_first = (way + shapes[0] + rank).is_multiple_of(2);
    let mut receiving = Handle::NULL;
    if post_first {
        receiving = post(world, &mut incoming, from, tag, segmented).expect("a receive");
    }
    let sending = send(world, &outgoing, peer as i32, tag, way).expect("a send");
    if !post_first {
        if length == 8193 {
            world.outside_barrier();
        }
        receiving = post(world, &mut incoming, from, tag, segmented).expect("a receive");
    } else if length == 8193 {
        world.outside_barrier();
    }
    if segmented {
        world.runtime().wait_range(receiving, 0, incoming.count).expect("gravel_wait_range");
        incoming.check(length, seed + peer, &what);
    }
    let completion = match way {
        0 => world.test_until_done(receiving),
        1 => {
            let (index, completion) = world.runtime().wait_any(&[Handle::NULL, receiving]).expect("any").expect("one");
            assert_eq!(index, 1);
            Ok(completion)
        }
        _ => world.try_wait(receiving),
    };
    assert_eq!(received(completion), (peer, tag, length), "{what}");
    incoming.check(length, seed + peer, &what);
    world.wait_send(sending);
}

fn exchange_in_every_shape(world: &mut World) {
    let mut number = 0;
    for length in LENGTHS {
        for shape in 0..SHAPES {
            for way in 0..SENDS {
                number += 1;
                let shapes = [shape, (shape + 1 + number % (SHAPES - 1)) % SHAPES];
                exchange(world, length, shapes, way, 1);
                exchange(world, length, shapes, way, ANNOUNCED);
            }
        }
    }
}

on_every_path!(messages_arrive_in_every_shape, 2, exchange_in_every_shape);

#[test]
fn messages_arrive_over_every_network() {
    cluster("gaps::messages_arrive_over_every_network", 2, &[], exchange_in_every_shape);
}

on_every_path!(persistent_messages_are_packed_at_each_start, 2, |world: &mut World| {
    let (rank, peer) = (world.rank(), 1 - world.rank() as i32);
    for length in LENGTHS {
        for (tag, receive, send) in [(1, PostedReceive, PostedSend), (ANNOUNCED, AnnouncedReceive, AnnouncedSend)] {
            let (mut outgoing, mut incoming) = (Message::new(3, length), Message::new(1, length));
            let receiving = prepare(world, receive, &mut incoming, peer, tag);
            let sending = prepare(world, send, &mut outgoing, peer, tag);
            // Freed: the requests keep what they need of them.
            drop((outgoing.layout.take(), incoming.layout.take()));
            for step in 0..4 {
                outgoing.fill(step + 10 * rank);
                incoming.memory.fill(UNTOUCHED);
                let (first, second) = if step % 2 == rank { (receiving, sending) } else { (sending, receiving) };
                world.runtime().start(first).expect("gravel_start");
                world.runtime().start(second).expect("gravel_start");
                world.wait_send(sending);
                assert_eq!(world.wait_receive(receiving, peer as usize, tag), length);
                incoming.check(length, step + 10 * peer as usize, "persistent");
            }
            world.runtime().release(receiving).expect("gravel_release");
            world.runtime().release(sending).expect("gravel_release");
        }
    }
});

on_every_path!(a_shorter_message_leaves_the_rest_alone, 2, |world: &mut World| {
    let (rank, peer) = (world.rank(), 1 - world.rank());
    for length in LENGTHS {
        for shape in 1..SHAPES {
            for tag in [1, ANNOUNCED] {
                let outgoing = Message::filled(SHAPES - shape, length, shape + rank);
                let mut incoming = Message::new(shape, length + 1001);
                let receiving = post(world, &mut incoming, peer as i32, tag, true).expect("a receive");
                let sending = send(world, &outgoing, peer as i32, tag, 0).expect("a send");
                assert_eq!(world.wait_receive(receiving, peer, tag), length);
                incoming.check(length, shape + peer, "a shorter message");
                world.wait_send(sending);
            }
        }
    }
});

on_every_path!(what_fails_or_is_cancelled_writes_nothing, 2, [("GRAVEL_LOG", "off")], |world: &mut World| {
    let peer = 1 - world.rank();
    for length in [1000, 300_000] {
        for tag in [1, ANNOUNCED] {
            // Too long: nothing is written, and the sender of a long one hears of it.
            let outgoing = Message::filled(2, length, 1);
            let mut incoming = Message::new(1, length - 8);
            let receiving = post(world, &mut incoming, peer as i32, tag, false).expect("a receive");
            let sending = send(world, &outgoing, peer as i32, tag, 0).expect("a send");
            assert!(matches!(world.try_wait(receiving), Err(Error::Truncated { .. })));
            incoming.check(0, 0, "too long");
            let sent = world.try_wait(sending);
            assert!(matches!(sent, Ok(Completion::Empty) | Err(Error::Truncated { .. })), "{sent:?}");
            world.outside_barrier();

            // Cancelled, known to the producer or not; and the next message takes the next receive.
            let mut incoming = Message::new(3, length);
            let receiving = post(world, &mut incoming, peer as i32, tag, false).expect("a receive");
            assert_eq!(world.runtime().test(receiving), Ok(None));
            world.runtime().cancel(receiving).expect("gravel_cancel");
            assert_eq!(world.try_wait(receiving), Ok(Completion::Cancelled));
            incoming.check(0, 0, "cancelled");
            world.outside_barrier();
            exchange(world, length, [5, 4], 0, tag);
            world.outside_barrier();
        }
    }
});

on_every_path!(many_are_under_way_at_once, 3, |world: &mut World| {
    const MESSAGES: usize = 60;
    let (rank, ranks) = (world.rank(), 3);
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let length = |number: usize| LENGTHS[number % LENGTHS.len()];
    let mut outgoing: Vec<_> =
        (0..MESSAGES).map(|number| Message::filled(number % SHAPES, length(number), number + rank)).collect();
    let mut incoming: Vec<_> =
        (0..MESSAGES).map(|number| Message::new((number + 2) % SHAPES, length(number))).collect();
    let sends: Vec<_> =
        outgoing.iter().map(|message| send(world, message, next as i32, 1, 0).expect("a send")).collect();
    let mut receives: Vec<_> = incoming
        .iter_mut()
        .map(|message| post(world, message, previous as i32, 1, false).expect("a receive"))
        .collect();
    for _ in 0..MESSAGES {
        let (number, completion) = world.runtime().wait_any(&receives).expect("gravel_waitany").expect("one of them");
        receives[number] = Handle::NULL;
        assert_eq!(received(Ok(completion)), (previous, 1, length(number)));
        incoming[number].check(length(number), number + previous, "one of many");
    }
    sends.into_iter().for_each(|sending| world.wait_send(sending));
    outgoing.clear();
});

#[test]
fn to_oneself_and_to_nobody() {
    cluster("gaps::to_oneself_and_to_nobody", 2, &[], |world| {
        let rank = world.rank();
        for length in LENGTHS {
            for (way, tag) in (0..SENDS).flat_map(|way| [(way, 1), (way, ANNOUNCED)]) {
                let outgoing = Message::filled(1 + way, length, way);
                let mut incoming = Message::new(5, length);
                let receiving = post(world, &mut incoming, rank as i32, tag, false).expect("a receive");
                let sending = send(world, &outgoing, rank as i32, tag, way).expect("a send");
                assert_eq!(world.wait_receive(receiving, rank, tag), length);
                incoming.check(length, way, "to oneself");
                world.wait_send(sending);

                let receiving = post(world, &mut incoming, PROC_NULL, tag, false).expect("a receive from nobody");
                let sending = send(world, &outgoing, PROC_NULL, tag, way).expect("a send to nobody");
                assert_eq!(world.try_wait(receiving), Ok(Completion::ProcNull));
                assert_eq!(world.try_wait(sending), Ok(Completion::ProcNull));
                incoming.check(length, way, "from nobody");
            }
        }
    });
}

#[test]
fn impossible_messages_and_exchanges_are_refused() {
    cluster("gaps::impossible_messages_and_exchanges_are_refused", 2, &[], |world| {
        let mut message = Message::new(2, 1000);
        let layout = message.layout.clone();
        let buffer = Buffer { layout: layout.as_ref(), ..Message::contiguous(0).describe_owned() };
        for (buffer, is_expected) in [
            (Buffer { address: 0, count: 1, datatype_bytes: 1000, ..buffer }, "NullBuffer"),
            (Buffer { count: i64::MAX / 1000, datatype_bytes: 1000, ..buffer }, "InvalidCount"),
            (Buffer { count: -1, datatype_bytes: 1000, ..buffer }, "InvalidCount"),
            // A block in front of the first address there is.
            (Buffer { address: 8, count: 1, datatype_bytes: 1000, ..buffer }, "InvalidCount"),
        ] {
            // SAFETY: nothing is done with such a buffer.
            let refused = unsafe { world.runtime().post_receive(buffer, 0, 1, COMMUNICATOR) }.expect_err("refused");
            assert!(format!("{refused:?}").contains(is_expected), "{refused:?}");
        }
        // SAFETY: likewise.
        let refused =
            unsafe { world.runtime().post_alltoall(message.describe_mut(), COMMUNICATOR) }.expect_err("refused");
        assert!(matches!(*refused, Error::GapsInExchange { .. }), "{refused}");
        // An incomplete message, and a put of other memory.
        let peer = 1 - world.rank() as i32;
        for length in [1000, 300_000] {
            let outgoing = Message::filled(4, length, 0);
            let mut incoming = Message::new(4, length);
            let receiving = post(world, &mut incoming, peer, 1, false).expect("a receive");
            // SAFETY: as above.
            let transfer =
                unsafe { world.runtime().open_transfer(outgoing.describe(), peer, 1, COMMUNICATOR) }.expect("open");
            let other = world.runtime().put(transfer, outgoing.address() + 8, 0, 1).expect_err("other memory");
            assert!(matches!(*other, Error::BufferChanged { .. }), "{other}");
            world.runtime().put(transfer, outgoing.address(), 1, 3).expect("a put");
            let twice = world.runtime().put(transfer, outgoing.address(), 3, 1).expect_err("put twice");
            assert!(matches!(*twice, Error::PutOverlaps { .. }), "{twice}");
            let incomplete = world.runtime().send_fin(transfer).expect_err("incomplete");
            assert!(matches!(*incomplete, Error::IncompleteMessage { .. }), "{incomplete}");
            assert!(matches!(world.try_wait(receiving), Err(Error::PeerGaveUp { .. })));
            incoming.check(0, 0, "given up");
        }
    });
}

impl Message {
    /// Of nothing in particular.
    fn describe_owned(&self) -> Buffer<'static> {
        let Buffer { address, count, datatype_bytes, element_bytes, mode, .. } = self.describe();
        Buffer { address, count, datatype_bytes, element_bytes, layout: None, mode }
    }
}

#[test]
fn what_is_left_over_at_the_end_is_counted_and_stays_alone() {
    cluster("gaps::what_is_left_over_at_the_end_is_counted_and_stays_alone", 2, &[("GRAVEL_LOG", "off")], |world| {
        let peer = 1 - world.rank() as i32;
        let (mut short, mut long) = (Message::new(1, 1000), Message::new(2, 300_000));
        post(world, &mut short, peer, 1, false).expect("a receive");
        post(world, &mut long, peer, 2, false).expect("a receive");
        let sent = Message::filled(3, 300_000, 1);
        send(world, &sent, peer, 2, 0).expect("a send");
        world.finalize();
        short.check(0, 0, "never came");
        long.check(0, 0, "never waited for");
    });
}

#[test]
fn a_program_that_keeps_the_rules_sees_no_difference() {
    cluster("gaps::a_program_that_keeps_the_rules_sees_no_difference", 2, &[("GRAVEL_CHECK", "1")], |world| {
        for length in LENGTHS {
            for shape in 0..SHAPES {
                for way in 0..SENDS {
                    exchange(world, length, [shape, (shape + way + 1) % SHAPES], way, 1);
                    exchange(world, length, [shape, (shape + way + 1) % SHAPES], way, ANNOUNCED);
                }
            }
        }
    });
}

#[test]
fn the_rules_hold_for_the_bytes_and_not_for_the_gaps() {
    cluster("gaps::the_rules_hold_for_the_bytes_and_not_for_the_gaps", 2, &CHECK, |world| {
        let (rank, peer) = (world.rank(), 1 - world.rank() as i32);
        for length in [1000, 300_000] {
            let (mut outgoing, mut incoming) = (Message::filled(1, length, rank), Message::new(3, length));
            let receiving = post(world, &mut incoming, peer, 1, false).expect("a receive");
            let (byte, gap) = (incoming.places[length / 2], incoming.memory.len() - 1);
            incoming.memory[gap] = 1;
            incoming.memory[byte] ^= 1;
            let sending = send(world, &outgoing, peer, 1, 0).expect("a send");
            let gap_between = outgoing.places[0] + 8;
            outgoing.memory[gap_between] = 1;
            outgoing.memory[outgoing.places[3]] ^= 1;
            let written = violation(world.try_wait(receiving));
            let offset = length as u64 / 2;
            assert!(matches!(written, Violation::ReceiveBufferWritten { offset: at, .. } if at == offset), "{written}");
            incoming.memory[gap] = UNTOUCHED;
            incoming.check(length, peer as usize, "it has come all the same");
            assert!(matches!(violation(world.try_wait(sending)), Violation::SegmentChanged { .. }));
        }

        // Columns of one field: what is received into lies between what is sent.
        let mut field = Message::filled(1, 8000, rank);
        let layout = field.layout.clone();
        let address = field.memory.as_mut_ptr().expose_provenance() + field.origin;
        let column = |by: usize| Buffer { address: address + by, ..field.describe() };
        // SAFETY: only the last bytes of the memory stay unused.
        unsafe {
            let receiving = world.runtime().post_receive(column(8), peer, 1, COMMUNICATOR).expect("a receive");
            let sending = world.runtime().post_send(column(16), peer, 1, COMMUNICATOR).expect("a send");
            let refused = world.runtime().post_send(column(4), peer, 1, COMMUNICATOR).expect_err("they overlap");
            assert!(matches!(violation::<Handle>(Err(*refused)), Violation::BuffersOverlap { .. }));
            let refused = world.runtime().post_receive(column(20), peer, 1, COMMUNICATOR).expect_err("they overlap");
            assert!(matches!(violation::<Handle>(Err(*refused)), Violation::BuffersOverlap { .. }));
            world.wait_receive(receiving, peer as usize, 1);
            world.wait_send(sending);
        }
        drop(layout);
    });
}

#[test]
fn synchronous_sends_wait_for_their_receives() {
    cluster("gaps::synchronous_sends_wait_for_their_receives", 2, &[], |world| {
        for (number, (shape, length)) in (1..SHAPES).flat_map(|shape| LENGTHS.map(|length| (shape, length))).enumerate()
        {
            for first_tag in [0, ANNOUNCED] {
                let (tag, mark) = (first_tag + 100 * number as i32, format!("about to receive {number} {first_tag}"));
                if world.rank() == 0 {
                    let outgoing = Message::filled(shape, length, number);
                    let buffer = outgoing.describe().synchronous();
                    // SAFETY: it stays as it is until the wait.
                    let request = unsafe {
                        match first_tag {
                            0 => world.runtime().post_send(buffer, 1, tag, COMMUNICATOR),
                            _ => world.runtime().announce_message(buffer, 1, tag, COMMUNICATOR),
                        }
                    };
                    world.wait_send(request.expect("a synchronous send"));
                    assert!(world.is_marked(&mark), "{length} bytes of shape {shape} met no receive");
                } else {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    world.mark(&mark);
                    let mut incoming = Message::new(SHAPES - shape, length);
                    let buffer = incoming.describe_mut();
                    // SAFETY: as above.
                    let request = unsafe {
                        match first_tag {
                            0 => world.runtime().post_receive(buffer, 0, tag, COMMUNICATOR),
                            _ => world.runtime().post_announced_receive(buffer, ANY_SOURCE, tag, COMMUNICATOR),
                        }
                    };
                    let completion = world.try_wait(request.expect("a receive"));
                    assert_eq!(received(completion), (0, tag, length));
                    incoming.check(length, number, "synchronous");
                }
            }
        }
    });
}
