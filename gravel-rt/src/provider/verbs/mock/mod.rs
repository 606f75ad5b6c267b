//! A driver for tests: the functions of libibverbs over memory of this process, for what real devices do not produce on
//! demand.
//!
//! Requests are carried out when they are posted, or held until a test lets them go. What a correct program never
//! causes (a write without a receive request, a queue that overruns, memory that is not registered) is an error here
//! as it is on a device, so tests find it. [`Faults`] are set per queue pair.

mod hardware;
mod objects;
mod texts;
mod work;

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_int;
use std::os::fd::RawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::hardware::Opened;
pub use self::hardware::{Hardware, Thing, gid, infiniband, left_of, opened_last, plug_in, roce};
pub use self::objects::{library, prepared_for_forks, set_forks};
use super::abi::{self, AhAttr, Cq, SendWr, Wc, wc_status};

/// Entries of a completion queue that can be made longer at most.
const LONGEST_RESIZED: usize = 16_384;

/// What goes wrong at a queue pair.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// The next request fails with this status.
    pub status: Option<u32>,
    /// So many requests are taken, then the send queue is full.
    pub accepts: Option<u32>,
    /// Posting fails with this error.
    pub error: Option<c_int>,
    /// Requests are carried out only when [`let_go`] is called.
    pub holds: bool,
    /// Reads are held so, and requests behind a fence; others overtake them, as they may on a device.
    pub holds_reads: bool,
    /// What it writes is in the peer's memory only once the peer has taken the completion of a write behind it: devices
    /// promise no more.
    pub shows_late: bool,
    /// The peer's completions do not say how long what it writes was.
    pub tells_no_length: bool,
    /// Each datagram with a number that this divides is lost, and each behind one comes twice.
    pub loses: Option<u32>,
    /// Datagrams so far.
    pub datagrams: u32,
}

#[derive(Default)]
struct World {
    /// By their contexts.
    devices: HashMap<usize, Opened>,
    pairs: HashMap<u32, Pair>,
    queues: HashMap<usize, Queue>,
    /// By remote key and by local key: start and length.
    memory: HashMap<u32, (usize, usize)>,
    /// Events of channels and devices, by their descriptors.
    events: HashMap<RawFd, VecDeque<(u32, usize)>>,
    /// Contexts whose registrations fail.
    unregistrable: Vec<usize>,
    /// Contexts whose device has been removed.
    removed: Vec<usize>,
    /// Of descriptors of channels and devices: where to write what they become readable by.
    far_ends: HashMap<RawFd, RawFd>,
    last: u32,
}

struct Pair {
    context: usize,
    address: usize,
    sent: usize,
    received: usize,
    state: u32,
    peer: u32,
    /// How packets find the peer, how long they are at most, and the numbers of the first one that it sends and takes.
    route: AhAttr,
    mtu: u32,
    packets: [u32; 2],
    /// Reads that it may have outstanding, that it answers, and that it has had at most.
    reads: [usize; 3],
    /// Most bytes that a request takes along.
    inline: u32,
    /// What datagrams must name.
    key: u32,
    depths: [u32; 2],
    outstanding: u32,
    requests: VecDeque<Buffer>,
    held: VecDeque<Held>,
    faults: Faults,
    /// Bytes that have come and can't be seen yet.
    unseen: Vec<Write>,
    /// How many bytes it has written.
    written: usize,
}

/// Bytes on their way into memory: where they belong, and what they are.
type Write = (usize, Vec<u8>);

/// A receive request: its number, and where what comes goes.
#[derive(Clone, Copy)]
struct Buffer {
    wr_id: u64,
    start: usize,
    bytes: usize,
    key: u32,
}

/// A request that was posted. Inline bytes are its own.
struct Held {
    request: SendWr,
    local: usize,
    bytes: usize,
    inline: Option<Vec<u8>>,
    local_key: u32,
}

struct Queue {
    capacity: usize,
    channel: RawFd,
    /// With what may be seen when they are taken.
    completions: VecDeque<(Wc, Vec<Write>)>,
    /// Whether an event is asked for, and whether only for solicited completions.
    asked: Option<bool>,
    is_lost: bool,
    context: usize,
    device: RawFd,
}

// SAFETY: the pointers of a request that was posted are not followed again.
unsafe impl Send for Held {}

thread_local! {
    /// Registrations that this thread has made.
    static REGISTERED: Cell<usize> = const { Cell::new(0) };
}

static WORLD: Mutex<Option<World>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<World>> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(action: impl FnOnce(&mut World) -> T) -> T {
    action(lock().get_or_insert_with(World::default))
}

/// Sets what goes wrong at a queue pair.
pub fn set_faults(number: u32, faults: Faults) {
    with(|world| world.pairs.get_mut(&number).expect("a queue pair").faults = faults);
}

/// Carries out what was held at a queue pair.
pub fn let_go(number: u32) {
    with(|world| {
        while let Some(held) = world.pairs.get_mut(&number).and_then(|pair| pair.held.pop_front()) {
            world.carry_out(number, held);
        }
    });
}

/// How many requests are held at a queue pair.
pub fn held_at(number: u32) -> usize {
    with(|world| world.pairs[&number].held.len())
}

/// How many bytes a queue pair has written.
pub fn bytes_written_by(number: u32) -> u64 {
    with(|world| world.pairs[&number].written as u64)
}

/// Whether registering memory with a device fails from now on.
pub fn set_unregistrable(context: usize) {
    with(|world| world.unregistrable.push(context));
}

/// Nothing will become readable at a descriptor any more.
fn hang_up(descriptor: RawFd) {
    if let Some(far) = with(|world| world.far_ends.remove(&descriptor)) {
        // SAFETY: opened together with the descriptor, and closed once.
        unsafe { libc::close(far) };
    }
}

/// A device is removed, as by unloading its driver: calls fail, nothing completes any more, and its descriptors say so.
pub fn remove_device(completions: &super::completion::Completions) {
    let (sent, _) = completions.queues();
    let device = completions.device();
    let channel = with(|world| {
        world.removed.push(device.context().addr());
        world.queues[&sent.addr()].channel
    });
    hang_up(channel);
    hang_up(device.async_descriptor());
}

/// A device has no place for another reliable queue pair from now on.
pub fn refuse_pairs(context: usize) {
    with(|world| {
        world.devices.get_mut(&context).expect("an open device").hardware.lacks = Some((Thing::QueuePair, 0));
    });
}

/// A completion queue has room for no more than so many from now on.
pub fn shorten(queue: *mut Cq, capacity: usize) {
    with(|world| world.queues.get_mut(&queue.addr()).expect("an open queue").capacity = capacity);
}

/// Something comes for a queue pair and fails with this status.
pub fn fail_receive(number: u32, status: u32) {
    with(|world| {
        let pair = world.pairs.get_mut(&number).expect("a queue pair");
        let (received, request) = (pair.received, pair.requests.pop_front().expect("a receive request"));
        let completion = Wc { wr_id: request.wr_id, status, qp_num: number, ..Wc::default() };
        world.complete(received, completion, false, Vec::new());
        world.flush(number);
    });
}

/// The length of packets of a queue pair, as `IBV_MTU_*`, and how it reaches its peer.
pub fn path_of(number: u32) -> (u32, AhAttr) {
    with(|world| (world.pairs[&number].mtu, world.pairs[&number].route))
}

/// How many reads a queue pair has had outstanding at most.
pub fn most_reads(number: u32) -> usize {
    with(|world| world.pairs[&number].reads[2])
}

/// How many registrations reach into a run of memory.
pub fn registrations_of(start: usize, bytes: usize) -> usize {
    let reaches = |&&(first, length): &&(usize, usize)| first < start + bytes && start < first + length;
    with(|world| world.memory.values().filter(reaches).count())
}

/// How many registrations this thread has made so far.
pub fn registered() -> usize {
    REGISTERED.with(Cell::get)
}

/// A device tells something about a queue pair, or about itself.
pub fn raise(descriptor: RawFd, event: u32, element: usize) {
    with(|world| world.raise(descriptor, event, element));
}

impl World {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn raise(&mut self, descriptor: RawFd, event: u32, element: usize) {
        self.events.entry(descriptor).or_default().push_back((event, element));
        let one = 1u64;
        let Some(&far) = self.far_ends.get(&descriptor) else { return };
        // SAFETY: eight bytes.
        unsafe { libc::write(far, (&raw const one).cast(), 8) };
    }

    fn complete(&mut self, address: usize, completion: Wc, solicited: bool, seen: Vec<Write>) {
        let Some(queue) = self.queues.get_mut(&address) else { return };
        if queue.completions.len() >= queue.capacity {
            queue.is_lost = true;
            let device = queue.device;
            return self.raise(device, abi::event::CQ_ERR, address);
        }
        queue.completions.push_back((completion, seen));
        let is_due = queue.asked.is_some_and(|only| !only || solicited || completion.status != wc_status::SUCCESS);
        if is_due {
            queue.asked = None;
            let channel = queue.channel;
            self.raise(channel, 0, address);
        }
    }

    /// A queue pair has failed: everything that was posted completes with an error.
    fn flush(&mut self, number: u32) {
        let Some(pair) = self.pairs.get_mut(&number) else { return };
        pair.state = abi::QPS_ERR;
        let (held, requests) = (std::mem::take(&mut pair.held), std::mem::take(&mut pair.requests));
        let (sent, received) = (pair.sent, pair.received);
        pair.outstanding = 0;
        let flushed = |wr_id| Wc { wr_id, status: wc_status::WR_FLUSH_ERR, qp_num: number, ..Wc::default() };
        for held in held {
            self.complete(sent, flushed(held.request.wr_id), false, Vec::new());
        }
        for request in requests {
            self.complete(received, flushed(request.wr_id), false, Vec::new());
        }
    }
}

/// Whether an event waits for somebody.
pub fn has_event(completions: &super::completion::Completions) -> bool {
    let (sent, _) = completions.queues();
    with(|world| {
        let channel = world.queues[&sent.addr()].channel;
        world.events.get(&channel).is_some_and(|events| !events.is_empty())
    })
}
