//! What becomes of work requests and completions: the driver's own operations.

use std::ffi::{c_int, c_void};

use super::{Buffer, Held, Pair, World, with};
use crate::provider::verbs::abi::{
    self, Cq, Qp, RecvWr, SEND_FENCE, SEND_INLINE, SEND_SIGNALED, SEND_SOLICITED, SendWr, WC_RECV_RDMA_WITH_IMM,
    WR_RDMA_READ, WR_RDMA_WRITE_WITH_IMM, Wc, wc_status,
};

/// Memory that is not registered here.
const LOCAL_PROTECTION: u32 = 4;
/// Remote access error, which the mock itself finds.
const REMOTE_ACCESS: u32 = 10;
/// No receive request, and no more retries.
const RECEIVER_NOT_READY: u32 = 13;
/// What a device writes before a datagram.
const ROUTE_BYTES: usize = 40;

impl World {
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
        let (peer, shows_late, tells_no_length) = (pair.peer, pair.faults.shows_late, pair.faults.tells_no_length);
        if !self.pairs.get(&peer).is_some_and(|peer| self.reaches(pair, peer) && self.reaches(peer, pair)) {
            return wc_status::RETRY_EXC_ERR;
        }
        if inline.is_none() && !self.is_registered(*local_key, *local, *bytes) {
            return LOCAL_PROTECTION;
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
        self.pairs.get_mut(&number).expect("just seen").written +=
            if request.opcode == WR_RDMA_READ { 0 } else { *bytes };
        let (from, to) = if request.opcode == WR_RDMA_READ { (there, here) } else { (here, there) };
        let peer = self.pairs.get_mut(&peer).expect("just seen");
        if shows_late && request.opcode != WR_RDMA_READ && *bytes > 0 {
            // SAFETY: registered, so the tests keep it alive, or inline.
            peer.unseen.push((remote, unsafe { std::slice::from_raw_parts(from, *bytes) }.to_vec()));
        } else {
            // SAFETY: both are registered, so the tests keep them alive; what is written belongs to the device by its
            // contract.
            unsafe { std::ptr::copy(from, to, *bytes) };
        }
        if request.opcode == WR_RDMA_WRITE_WITH_IMM {
            let Some(Buffer { wr_id, .. }) = peer.requests.pop_front() else { return RECEIVER_NOT_READY };
            let (received, seen) = (peer.received, std::mem::take(&mut peer.unseen));
            let byte_len = if tells_no_length { 0 } else { *bytes as u32 };
            let imm_data = request.imm_data;
            let completion = Wc { wr_id, opcode: WC_RECV_RDMA_WITH_IMM, byte_len, imm_data, ..Wc::default() };
            self.complete(received, completion, request.send_flags & SEND_SOLICITED != 0, seen);
        }
        wc_status::SUCCESS
    }

    /// Whether what one queue pair sends is taken by another one.
    fn reaches(&self, from: &Pair, to: &Pair) -> bool {
        let (near, far) = (self.hardware(from.context), self.hardware(to.context));
        let is_ready = to.state == abi::QPS_RTR || to.state == abi::QPS_RTS;
        let is_known = from.mtu <= far.mtu && from.reads[0] <= to.reads[1];
        // An end that can't send yet has no first packet.
        let is_in_step = from.state != abi::QPS_RTS || from.packets[0] == to.packets[1];
        is_ready && is_known && is_in_step && near.reaches(&from.route, far)
    }

    /// Brings a datagram to whoever takes it; it may be lost, or come twice.
    fn send_datagram(&mut self, number: u32, Held { request, local, bytes, local_key, .. }: &Held) -> u32 {
        if !self.is_registered(*local_key, *local, *bytes) {
            return LOCAL_PROTECTION;
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
                return LOCAL_PROTECTION;
            }
            let from: *const u8 = std::ptr::with_exposed_provenance(*local);
            let to: *mut u8 = std::ptr::with_exposed_provenance_mut(buffer.start + ROUTE_BYTES);
            // SAFETY: both are registered, so the tests keep them alive.
            unsafe { std::ptr::copy(from, to, *bytes) };
            let byte_len = (ROUTE_BYTES + bytes) as u32;
            let completion = Wc { wr_id: buffer.wr_id, opcode: abi::WC_RECV, byte_len, ..Wc::default() };
            self.complete(received, completion, request.send_flags & SEND_SOLICITED != 0, Vec::new());
        }
        wc_status::SUCCESS
    }

    pub fn carry_out(&mut self, number: u32, held: Held) {
        let status = self.transfer(number, &held);
        let Some(pair) = self.pairs.get_mut(&number) else { return };
        let sent = pair.sent;
        let is_signalled = held.request.send_flags & SEND_SIGNALED != 0;
        if status != wc_status::SUCCESS || is_signalled {
            pair.outstanding = pair.held.len() as u32;
            let completion = Wc { wr_id: held.request.wr_id, status, qp_num: number, ..Wc::default() };
            self.complete(sent, completion, false, Vec::new());
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
                let takes_along = request.send_flags & SEND_INLINE != 0;
                if takes_along && (sge.length > pair.inline || request.opcode == WR_RDMA_READ) {
                    return libc::EINVAL;
                }
                pair.faults.accepts = pair.faults.accepts.map(|left| left - 1);
                pair.outstanding += 1;
                let inline = takes_along.then(|| {
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
                    let reads = pair.held.iter().filter(|held| held.request.opcode == WR_RDMA_READ).count();
                    pair.reads[2] = pair.reads[2].max(reads);
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
        for (index, (completion, seen)) in queue.completions.drain(..count).enumerate() {
            for (place, bytes) in seen {
                let place: *mut u8 = std::ptr::with_exposed_provenance_mut(place);
                // SAFETY: it was registered when the write came, and the tests keep it alive.
                unsafe { std::ptr::copy(bytes.as_ptr(), place, bytes.len()) };
            }
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
pub fn operations() -> [*mut c_void; abi::OPERATIONS] {
    let mut operations = [std::ptr::null_mut(); abi::OPERATIONS];
    operations[abi::POLL_CQ] = poll_cq as *mut c_void;
    operations[abi::REQ_NOTIFY_CQ] = req_notify_cq as *mut c_void;
    operations[abi::POST_SEND] = post_send as *mut c_void;
    operations[abi::POST_RECV] = post_recv as *mut c_void;
    operations
}
