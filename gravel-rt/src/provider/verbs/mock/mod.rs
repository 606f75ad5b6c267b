//! A driver for tests: the functions of libibverbs over memory of this process, for what real devices do not produce on
//! demand.
//!
//! Requests are carried out when they are posted, or held until a test lets them go. What a correct program never
//! causes (a write without a receive request, a queue that overruns, memory that is not registered) is an error here
//! as it is on a device, so tests find it. [`Faults`] are set per queue pair.

mod objects;

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use self::objects::library;
use super::abi::{
    self, Cq, PORT_ACTIVE, Qp, RecvWr, SEND_FENCE, SEND_INLINE, SEND_SIGNALED, SEND_SOLICITED, SendWr,
    WC_RECV_RDMA_WITH_IMM, WR_RDMA_READ, WR_RDMA_WRITE_WITH_IMM, Wc, wc_status,
};

/// Remote access error, which the mock itself finds.
pub const REMOTE_ACCESS: u32 = 10;
/// What a device writes before a datagram.
const ROUTE_BYTES: usize = 40;
/// Entries of a completion queue that can be made longer at most.
const LONGEST_RESIZED: usize = 16_384;
/// No receive request, and no more retries.
pub const RECEIVER_NOT_READY: u32 = 13;

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
    /// Each datagram with a number that this divides is lost, and each behind one comes twice.
    pub loses: Option<u32>,
    /// Datagrams so far.
    pub datagrams: u32,
}

#[derive(Default)]
struct World {
    pairs: HashMap<u32, Pair>,
    queues: HashMap<usize, Queue>,
    /// By remote key and by local key: start and length.
    memory: HashMap<u32, (usize, usize)>,
    /// Events of channels and devices, by their descriptors.
    events: HashMap<RawFd, VecDeque<(u32, usize)>>,
    /// Contexts whose registrations fail.
    unregistrable: Vec<usize>,
    /// Contexts that have no place for another reliable queue pair.
    without_pairs: Vec<usize>,
    /// Contexts whose device has been removed.
    removed: Vec<usize>,
    /// Of descriptors of channels and devices: where to write what they become readable by.
    far_ends: HashMap<RawFd, RawFd>,
    /// Address handles.
    routes: usize,
    last: u32,
}

struct Pair {
    address: usize,
    sent: usize,
    received: usize,
    state: u32,
    peer: u32,
    /// What datagrams must name.
    key: u32,
    depths: [u32; 2],
    outstanding: u32,
    requests: VecDeque<Buffer>,
    held: VecDeque<Held>,
    faults: Faults,
}

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
    completions: VecDeque<Wc>,
    /// Whether an event is asked for, and whether only for solicited completions.
    asked: Option<bool>,
    is_lost: bool,
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
    with(|world| world.without_pairs.push(context));
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

/// How many queue pairs and queues exist whose device is this one.
pub fn alive(descriptor: RawFd) -> usize {
    with(|world| {
        let of_device = |address: &usize| world.queues.get(address).is_some_and(|queue| queue.device == descriptor);
        world.pairs.values().filter(|pair| of_device(&pair.sent)).count()
            + world.queues.values().filter(|queue| queue.device == descriptor).count()
    })
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

    fn complete(&mut self, address: usize, completion: Wc, solicited: bool) {
        let Some(queue) = self.queues.get_mut(&address) else { return };
        if queue.completions.len() >= queue.capacity {
            queue.is_lost = true;
            let device = queue.device;
            return self.raise(device, abi::event::CQ_ERR, address);
        }
        queue.completions.push_back(completion);
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
            self.complete(sent, flushed(held.request.wr_id), false);
        }
        for request in requests {
            self.complete(received, flushed(request.wr_id), false);
        }
    }

    fn is_registered(&self, key: u32, start: usize, bytes: usize) -> bool {
        let inside = |&(first, length): &(usize, usize)| first <= start && start + bytes <= first + length;
        bytes == 0 || self.memory.get(&key).is_some_and(inside)
    }

    /// Does what a request says. The status of its completion.
    fn transfer(&mut self, number: u32, held: &Held) -> u32 {
        let Held { request, local, bytes, inline, local_key } = held;
        let pair = &self.pairs[&number];
        if let Some(status) = pair.faults.status {
            return status;
        }
        if request.opcode == abi::WR_SEND {
            return self.send_datagram(number, held);
        }
        let peer = pair.peer;
        if !self.pairs.get(&peer).is_some_and(|peer| peer.state == abi::QPS_RTR || peer.state == abi::QPS_RTS) {
            return wc_status::RETRY_EXC_ERR;
        }
        if inline.is_none() && !self.is_registered(*local_key, *local, *bytes) {
            return 4;
        }
        let remote = request.remote_addr as usize;
        if !self.is_registered(request.rkey, remote, *bytes) {
            return REMOTE_ACCESS;
        }
        let there: *mut u8 = std::ptr::with_exposed_provenance_mut(remote);
        let here: *mut u8 = match inline {
            Some(inline) => inline.as_ptr().cast_mut(),
            None => std::ptr::with_exposed_provenance_mut(*local),
        };
        let (from, to) = if request.opcode == WR_RDMA_READ { (there, here) } else { (here, there) };
        // SAFETY: both are registered, so the tests keep them alive; what is written belongs to the device by its
        // contract.
        unsafe { std::ptr::copy(from, to, *bytes) };
        if request.opcode == WR_RDMA_WRITE_WITH_IMM {
            let peer = self.pairs.get_mut(&peer).expect("just seen");
            let Some(Buffer { wr_id, .. }) = peer.requests.pop_front() else { return RECEIVER_NOT_READY };
            let received = peer.received;
            let completion = Wc { wr_id, opcode: WC_RECV_RDMA_WITH_IMM, imm_data: request.imm_data, ..Wc::default() };
            self.complete(received, completion, request.send_flags & SEND_SOLICITED != 0);
        }
        wc_status::SUCCESS
    }

    /// Brings a datagram to whoever takes it; it may be lost, or come twice.
    fn send_datagram(&mut self, number: u32, Held { request, local, bytes, local_key, .. }: &Held) -> u32 {
        if !self.is_registered(*local_key, *local, *bytes) {
            return 4;
        }
        let faults = &mut self.pairs.get_mut(&number).expect("an open queue pair").faults;
        faults.datagrams += 1;
        let times = match faults.loses {
            Some(each) if faults.datagrams.is_multiple_of(each) => 0,
            Some(each) if faults.datagrams % each == 1 => 2,
            _ => 1,
        };
        for _ in 0..times {
            let Some(peer) = self.pairs.get_mut(&request.rkey).filter(|pair| pair.key == request.remote_qkey) else {
                continue;
            };
            let Some(buffer) = peer.requests.pop_front() else { continue };
            let received = peer.received;
            if !self.is_registered(buffer.key, buffer.start, buffer.bytes) || buffer.bytes < ROUTE_BYTES + bytes {
                return 4;
            }
            let from: *const u8 = std::ptr::with_exposed_provenance(*local);
            let to: *mut u8 = std::ptr::with_exposed_provenance_mut(buffer.start + ROUTE_BYTES);
            // SAFETY: both are registered, so the tests keep them alive.
            unsafe { std::ptr::copy(from, to, *bytes) };
            let byte_len = (ROUTE_BYTES + bytes) as u32;
            let completion = Wc { wr_id: buffer.wr_id, opcode: abi::WC_RECV, byte_len, ..Wc::default() };
            self.complete(received, completion, request.send_flags & SEND_SOLICITED != 0);
        }
        wc_status::SUCCESS
    }

    fn carry_out(&mut self, number: u32, held: Held) {
        let status = self.transfer(number, &held);
        let Some(pair) = self.pairs.get_mut(&number) else { return };
        let sent = pair.sent;
        let is_signalled = held.request.send_flags & SEND_SIGNALED != 0;
        if status != wc_status::SUCCESS || is_signalled {
            pair.outstanding = pair.held.len() as u32;
            let completion = Wc { wr_id: held.request.wr_id, status, qp_num: number, ..Wc::default() };
            self.complete(sent, completion, false);
        }
        if status != wc_status::SUCCESS {
            self.flush(number);
        }
    }
}

unsafe extern "C" fn post_send(qp: *mut Qp, first: *mut SendWr, refused: *mut *mut SendWr) -> c_int {
    // SAFETY: the caller gives an open queue pair, a valid chain, and a place for the answer.
    unsafe {
        let (number, context) = ((*qp).qp_num, (*qp).context.addr());
        let mut next = first;
        while let Some(request) = next.as_ref() {
            let sge = if request.num_sge > 0 { *request.sg_list } else { abi::Sge::default() };
            let code = with(|world| {
                let pair = world.pairs.get_mut(&number).expect("an open queue pair");
                if world.removed.contains(&context) {
                    return libc::EIO;
                }
                if let Some(code) = pair.faults.error {
                    return code;
                }
                let is_full = pair.outstanding >= pair.depths[0] || pair.faults.accepts == Some(0);
                if is_full || pair.state < abi::QPS_RTS {
                    return libc::ENOMEM;
                }
                pair.faults.accepts = pair.faults.accepts.map(|left| left - 1);
                pair.outstanding += 1;
                let inline = (request.send_flags & SEND_INLINE != 0).then(|| {
                    let bytes: *const u8 = std::ptr::with_exposed_provenance(sge.addr as usize);
                    std::slice::from_raw_parts(bytes, sge.length as usize).to_vec()
                });
                let (local, bytes) = (sge.addr as usize, sge.length as usize);
                let held = Held { request: *request, local, bytes, inline, local_key: sge.lkey };
                let is_lost = pair.state == abi::QPS_ERR;
                let is_behind = request.send_flags & SEND_FENCE != 0 && !pair.held.is_empty();
                let is_slow = request.opcode == WR_RDMA_READ || is_behind;
                if is_lost || pair.faults.holds || (pair.faults.holds_reads && is_slow) {
                    pair.held.push_back(held);
                } else {
                    world.carry_out(number, held);
                }
                if is_lost {
                    world.flush(number);
                }
                0
            });
            if code != 0 {
                *refused = next;
                return code;
            }
            next = request.next;
        }
    }
    0
}

unsafe extern "C" fn post_recv(qp: *mut Qp, first: *mut RecvWr, refused: *mut *mut RecvWr) -> c_int {
    // SAFETY: as above.
    unsafe {
        let number = (*qp).qp_num;
        let list = if (*first).num_sge > 0 { *(*first).sg_list } else { abi::Sge::default() };
        let (wr_id, start, bytes, key) = ((*first).wr_id, list.addr as usize, list.length as usize, list.lkey);
        let is_taken = with(|world| {
            let pair = world.pairs.get_mut(&number).expect("an open queue pair");
            let has_room = pair.requests.len() < pair.depths[1] as usize;
            if has_room {
                pair.requests.push_back(Buffer { wr_id, start, bytes, key });
            }
            has_room
        });
        if !is_taken {
            *refused = first;
            return libc::ENOMEM;
        }
    }
    0
}

unsafe extern "C" fn poll_cq(cq: *mut Cq, room: c_int, completions: *mut Wc) -> c_int {
    with(|world| {
        let queue = world.queues.get_mut(&cq.addr()).expect("an open queue");
        if queue.is_lost {
            return -1;
        }
        let count = queue.completions.len().min(room as usize);
        for (index, completion) in queue.completions.drain(..count).enumerate() {
            // SAFETY: the caller has room for so many.
            unsafe { completions.add(index).write(completion) };
        }
        count as c_int
    })
}

unsafe extern "C" fn req_notify_cq(cq: *mut Cq, solicited_only: c_int) -> c_int {
    with(|world| world.queues.get_mut(&cq.addr()).expect("an open queue").asked = Some(solicited_only != 0));
    0
}

/// The driver's operations, at their places.
fn operations() -> [*mut c_void; abi::OPERATIONS] {
    let mut operations = [std::ptr::null_mut(); abi::OPERATIONS];
    operations[abi::POLL_CQ] = poll_cq as *mut c_void;
    operations[abi::REQ_NOTIFY_CQ] = req_notify_cq as *mut c_void;
    operations[abi::POST_SEND] = post_send as *mut c_void;
    operations[abi::POST_RECV] = post_recv as *mut c_void;
    operations
}

/// A completion queue has overrun.
pub fn lose_queue(queue: *mut Cq) {
    with(|world| world.queues.get_mut(&queue.addr()).expect("an open queue").is_lost = true);
}

/// Whether an event waits for somebody.
pub fn has_event(completions: &super::completion::Completions) -> bool {
    let (sent, _) = completions.queues();
    with(|world| {
        let channel = world.queues[&sent.addr()].channel;
        world.events.get(&channel).is_some_and(|events| !events.is_empty())
    })
}
