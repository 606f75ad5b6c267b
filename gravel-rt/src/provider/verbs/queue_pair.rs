//! A reliable connection to one peer: its states, and how work requests are posted.
//!
//! | attribute | value | why |
//! |---|---|---|
//! | timeout | 17: 0.5 s | an answer that is late because hosts are busy must not end a job |
//! | retries | 7 | then, after some seconds, the peer's adapter does not answer: its process or host has ended |
//! | retries of RNR | 6 | the credits leave no entry without a receive request: it never happens |
//! | path MTU | the smaller of both ports' | |
//! | reads | at most 16 | what one side may have outstanding the other must be able to answer |

use std::ffi::c_int;
use std::io;
use std::sync::Arc;

use super::abi::{self, Qp, QpAttr, QpCap, QpInitAttr, RecvWr, SendWr, Sge, qp_mask};
use super::addressing::{ADDRESS_BYTES, Address};
use super::completion::Completions;
use super::device::pinning_limit;
use super::library;
use super::rings::Rings;
use crate::error::{Error, Result};

/// Work requests of the send queue.
pub const SEND_DEPTH: u32 = 128;
/// Bytes that the device should take along with a request: an entry.
const INLINE_BYTES: u32 = 64;
const TIMEOUT: u8 = 17;
const RETRIES: u8 = 7;
const RNR_RETRIES: u8 = 6;
/// 0.64 ms, by the table of the InfiniBand specification (volume 1, 9.7.5.2.8).
const RNR_TIMER: u8 = 12;

/// What is written over a connection, and how it is made. Changes with the rings, their entries and the immediates.
pub const WIRE_VERSION: u8 = 3;

/// What a rank tells all others about its end of every connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// Where its port is.
    pub address: Address,
    /// What it writes and takes: [`WIRE_VERSION`].
    pub version: u8,
    /// Its maximum transmission unit, as `IBV_MTU_*`.
    pub mtu: u8,
    /// Reads that it may have outstanding, and that it can answer.
    pub reads: [u8; 2],
    /// Where its rings are.
    pub rings: RingsPlace,
    /// First packet number of every connection.
    pub packet: u32,
}

/// Where rings are that a peer writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RingsPlace {
    /// Where they begin.
    pub address: u64,
    /// The key to write there.
    pub key: u32,
}

impl RingsPlace {
    /// Of all rings, the first of which begins there.
    pub fn of(rings: &Rings) -> Self {
        let (address, key) = rings.for_peers();
        Self { address, key }
    }
}

/// Bytes of an endpoint in an exchange.
pub const ENDPOINT_BYTES: usize = 40;

impl Endpoint {
    /// As bytes.
    pub fn encode(&self) -> [u8; ENDPOINT_BYTES] {
        let mut bytes = [0; ENDPOINT_BYTES];
        bytes[..ADDRESS_BYTES].copy_from_slice(&self.address.encode());
        bytes[20] = self.mtu;
        bytes[21..23].copy_from_slice(&self.reads);
        // Zero in the versions that did not tell.
        bytes[23] = self.version;
        bytes[24..32].copy_from_slice(&self.rings.address.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.rings.key.to_le_bytes());
        bytes[36..].copy_from_slice(&self.packet.to_le_bytes());
        bytes
    }

    /// Why this rank and the one at the other end, on that host, can't be connected, if they can't.
    pub fn mismatch(&self, far: &Self, host: &str) -> Option<String> {
        if self.version != far.version {
            return Some(format!("the ranks use different versions of this library: rebuild the program ({host})"));
        }
        let differ = self.address.link_layer != far.address.link_layer;
        differ.then(|| format!("one of the ranks is on InfiniBand, the other on Ethernet ({host})"))
    }

    /// Reads what [`Endpoint::encode`] wrote.
    pub fn decode(bytes: &[u8; ENDPOINT_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let address = bytes.first_chunk().map(Address::decode).unwrap_or_default();
        let rings = RingsPlace { address: u64::from(word(24)) | u64::from(word(28)) << 32, key: word(32) };
        Self { address, version: bytes[23], mtu: bytes[20], reads: [bytes[21], bytes[22]], rings, packet: word(36) }
    }
}

/// One work request of the send queue: a run of local memory, written or read at once.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// `IBV_WR_*`.
    pub opcode: u32,
    /// First byte here.
    pub local: *const u8,
    /// Its length.
    pub bytes: u32,
    /// The key of its registration; none if the device takes the bytes along.
    pub local_key: Option<u32>,
    /// First byte there.
    pub remote: u64,
    /// The key there.
    pub remote_key: u32,
    /// What the peer is told, if the operation says so.
    pub immediate: u32,
    /// Whether its completion is to be reported.
    pub signalled: bool,
    /// Whether the peer is woken by it.
    pub solicited: bool,
    /// Whether it waits until all reads before it have completed.
    pub fenced: bool,
}

/// A queue pair.
pub struct QueuePair {
    completions: Arc<Completions>,
    qp: *mut Qp,
    /// Bytes that the device takes along with a request.
    inline: u32,
}

// SAFETY: the verbs are thread-safe, and the pointer is valid until this is dropped.
unsafe impl Send for QueuePair {}

impl QueuePair {
    /// A queue pair whose receive queue takes so many requests, in the state INIT.
    pub fn new(completions: &Arc<Completions>, receive_depth: u32) -> Result<Self> {
        let device = completions.device();
        let (send_cq, recv_cq) = completions.queues();
        let limit = device.limits.queue;
        if SEND_DEPTH.max(receive_depth) > limit {
            let wanted = SEND_DEPTH.max(receive_depth);
            let what = format!("making a queue pair of {wanted} requests: {} has at most {limit}", device.name);
            return Err(Error::system(what, &io::Error::from_raw_os_error(libc::EINVAL)).into());
        }
        let create = |inline| {
            let cap = QpCap {
                max_send_wr: SEND_DEPTH,
                max_recv_wr: receive_depth,
                max_send_sge: 1,
                max_recv_sge: 1,
                max_inline_data: inline,
            };
            let null = std::ptr::null_mut();
            let mut attributes =
                QpInitAttr { qp_context: null, send_cq, recv_cq, srq: null, cap, qp_type: abi::QPT_RC, sq_sig_all: 0 };
            // SAFETY: the protection domain and the queues are open; the structure is valid.
            let qp = unsafe { (device.library().create_qp)(device.pd(), &raw mut attributes) };
            (qp, attributes.cap.max_inline_data)
        };
        let (mut qp, mut inline) = create(INLINE_BYTES);
        if qp.is_null() {
            (qp, inline) = create(0);
        }
        if qp.is_null() {
            let cause = io::Error::last_os_error();
            let what = format!("making a queue pair on {} ({})", device.name, pinning_limit());
            return Err(Error::system(what, &cause).into());
        }
        let pair = Self { completions: Arc::clone(completions), qp, inline };
        let mut attributes = QpAttr {
            qp_state: abi::QPS_INIT,
            port_num: device.port,
            qp_access_flags: (abi::ACCESS_REMOTE_WRITE | abi::ACCESS_REMOTE_READ).cast_unsigned(),
            ..QpAttr::default()
        };
        let mask = qp_mask::STATE | qp_mask::PKEY_INDEX | qp_mask::PORT | qp_mask::ACCESS_FLAGS;
        pair.modify(&mut attributes, mask, "INIT")?;
        Ok(pair)
    }

    /// Its number, which the peer has to know.
    pub fn number(&self) -> u32 {
        // SAFETY: open until dropped.
        unsafe { (*self.qp).qp_num }
    }

    /// What events about it name.
    pub fn address(&self) -> usize {
        self.qp.addr()
    }

    /// Whether a request of so many bytes may be sent without registered memory.
    pub fn takes_inline(&self, bytes: u32) -> bool {
        bytes <= self.inline
    }

    /// Connects it to a peer's queue pair with this number: receives from now on, and may send.
    pub fn connect(&self, own: &Endpoint, peer: &Endpoint, number: u32) -> Result<()> {
        let device = self.completions.device();
        let mut attributes = QpAttr {
            qp_state: abi::QPS_RTR,
            path_mtu: device.limits.mtu.min(u32::from(peer.mtu)),
            rq_psn: peer.packet,
            dest_qp_num: number,
            ah_attr: device.address.route_to(&peer.address, device.port),
            max_dest_rd_atomic: own.reads[1].min(peer.reads[0]).max(1),
            min_rnr_timer: RNR_TIMER,
            ..QpAttr::default()
        };
        let mask = qp_mask::STATE
            | qp_mask::AV
            | qp_mask::PATH_MTU
            | qp_mask::DEST_QPN
            | qp_mask::RQ_PSN
            | qp_mask::MAX_DEST_RD_ATOMIC
            | qp_mask::MIN_RNR_TIMER;
        self.modify(&mut attributes, mask, "RTR")?;
        let mut attributes = QpAttr {
            qp_state: abi::QPS_RTS,
            sq_psn: own.packet,
            timeout: TIMEOUT,
            retry_cnt: RETRIES,
            rnr_retry: RNR_RETRIES,
            max_rd_atomic: reads_between(own, peer),
            ..QpAttr::default()
        };
        let mask = qp_mask::STATE
            | qp_mask::SQ_PSN
            | qp_mask::TIMEOUT
            | qp_mask::RETRY_CNT
            | qp_mask::RNR_RETRY
            | qp_mask::MAX_QP_RD_ATOMIC;
        self.modify(&mut attributes, mask, "RTS")
    }

    /// Stops it: everything that is outstanding completes with an error.
    pub fn stop(&self) {
        let mut attributes = QpAttr { qp_state: abi::QPS_ERR, ..QpAttr::default() };
        if let Err(error) = self.modify(&mut attributes, qp_mask::STATE, "ERR") {
            crate::sys::log::info!("{error}");
        }
    }

    fn modify(&self, attributes: &mut QpAttr, mask: c_int, state: &str) -> Result<()> {
        let device = self.completions.device();
        // SAFETY: the queue pair is open, and the structure is valid.
        let code = unsafe { (device.library().modify_qp)(self.qp, attributes, mask) };
        if code == 0 {
            return Ok(());
        }
        let what = format!("bringing a queue pair of {} into the state {state}", device.name);
        Err(Error::system(what, &io::Error::from_raw_os_error(code)).into())
    }

    /// Posts requests, numbered from `first` on, in one call. Says how many were taken; an error is one of the device.
    ///
    /// # Safety
    /// What they name must stay valid, and as the operation needs it, until they have completed.
    pub unsafe fn post<const N: usize>(&self, first: u64, requests: &[Request; N]) -> io::Result<usize> {
        const { assert!(N > 0) };
        let mut lists = requests.map(|request| Sge {
            addr: request.local.addr() as u64,
            length: request.bytes,
            lkey: request.local_key.unwrap_or(0),
        });
        let mut number = first;
        let mut chain = requests.map(|request| {
            let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
            let wr_id = number;
            number += 1;
            SendWr {
                wr_id,
                num_sge: c_int::from(request.bytes > 0),
                opcode: request.opcode,
                send_flags: flag(request.signalled, abi::SEND_SIGNALED)
                    | flag(request.solicited, abi::SEND_SOLICITED)
                    | flag(request.fenced, abi::SEND_FENCE)
                    | flag(request.local_key.is_none() && request.bytes > 0, abi::SEND_INLINE),
                imm_data: request.immediate.to_be(),
                remote_addr: request.remote,
                rkey: request.remote_key,
                ..EMPTY
            }
        });
        let (lists, start) = (lists.as_mut_ptr(), chain.as_mut_ptr());
        for index in 0..N {
            // SAFETY: inside the arrays, which are as long as the chain.
            unsafe {
                (*start.add(index)).sg_list = lists.add(index);
                if index + 1 < N {
                    (*start.add(index)).next = start.add(index + 1);
                }
            }
        }
        // SAFETY: the queue pair is open, the chain valid; the rest by the contract.
        let (code, refused) = unsafe { library::post_send(self.qp, start) };
        match code {
            0 => Ok(N),
            // Full, against all counting: whoever wants to send comes again.
            libc::ENOMEM if !refused.is_null() => Ok((refused.addr() - start.addr()) / size_of::<SendWr>()),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }

    /// Posts receive requests under a number; each takes an immediate.
    pub fn post_receives(&self, count: u32, number: u64) -> io::Result<()> {
        let mut request =
            RecvWr { wr_id: number, next: std::ptr::null_mut(), sg_list: std::ptr::null_mut(), num_sge: 0 };
        for _ in 0..count {
            // SAFETY: the queue pair is open; a request without memory is valid.
            let code = unsafe { library::post_recv(self.qp, &raw mut request) };
            if code != 0 {
                return Err(io::Error::from_raw_os_error(code));
            }
        }
        Ok(())
    }
}

/// Reads that one side may have outstanding at the other.
pub fn reads_between(own: &Endpoint, peer: &Endpoint) -> u8 {
    own.reads[0].min(peer.reads[1]).max(1)
}

/// A request that does nothing.
pub const EMPTY: SendWr = SendWr {
    wr_id: 0,
    next: std::ptr::null_mut(),
    sg_list: std::ptr::null_mut(),
    num_sge: 0,
    opcode: 0,
    send_flags: 0,
    imm_data: 0,
    remote_addr: 0,
    rkey: 0,
    remote_qkey: 0,
    rest: [0; 9],
};

impl Drop for QueuePair {
    fn drop(&mut self) {
        // SAFETY: open, and not used after this.
        unsafe { (self.completions.device().library().destroy_qp)(self.qp) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_survive_the_exchange() {
        let endpoint = Endpoint {
            address: Address { link_layer: 2, lid: 3, gid: [7; 16] },
            version: WIRE_VERSION,
            mtu: 5,
            reads: [16, 4],
            rings: RingsPlace { address: 0x1234_5678_9abc_def0, key: 0xdead_beef },
            packet: 0x00ab_cdef,
        };
        assert_eq!(Endpoint::decode(&endpoint.encode()), endpoint);
        let peer = Endpoint { reads: [8, 8], ..endpoint };
        assert_eq!((reads_between(&endpoint, &peer), reads_between(&peer, &endpoint)), (8, 4));
    }
}
