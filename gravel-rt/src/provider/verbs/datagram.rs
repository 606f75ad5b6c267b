//! Datagrams between ranks that have no connection yet: an unreliable queue pair per rank, whose messages ask for one.
//!
//! What is sent may be lost, or come twice; whoever needs an answer asks again ([`super::on_use`]). The queue pair
//! takes only what names its key, a random word that the ranks of the job tell one another.

use std::collections::HashMap;
use std::ffi::c_int;
use std::io;
use std::ptr;
use std::sync::Arc;

use super::abi::{self, Ah, Qp, QpAttr, QpCap, QpInitAttr, RecvWr, SendWr, Sge, Wc, qp_mask};
use super::addressing::Address;
use super::completion::Completions;
use super::device::{Registered, pinning_limit};
use super::library;
use super::link::NUMBER_BITS;
use super::queue_pair::EMPTY;
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;

/// Bytes of a message.
pub const MESSAGE_BYTES: usize = 40;
/// Datagrams that may come before somebody looks; further ones are lost.
pub const RECEIVES: u32 = 128;
/// Datagrams that may be under way at once.
pub const SENDS: u32 = 32;
/// What devices write before each datagram: the head of the global route, or what they like.
const ROUTE_BYTES: usize = 40;
const SLOT_BYTES: usize = ROUTE_BYTES + MESSAGE_BYTES;
/// Numbers of work requests for datagrams: no rank is that large.
const MARK: u64 = (1 << (64 - NUMBER_BITS)) - 1;

/// Where a rank takes datagrams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// Where its port is.
    pub address: Address,
    /// The number of its queue pair.
    pub number: u32,
    /// The key that datagrams must name.
    pub key: u32,
}

/// The queue pair for datagrams of one rank.
pub struct Datagrams {
    completions: Arc<Completions>,
    qp: *mut Qp,
    key: u32,
    /// By rank: how its port is reached.
    routes: HashMap<Rank, *mut Ah>,
    registered: Registered,
    /// A slot for each receive request, then one for each send request.
    slots: Box<[[u8; SLOT_BYTES]]>,
    /// Slots from which nothing is being sent.
    free: Vec<usize>,
}

// SAFETY: the verbs are thread-safe, and the pointers are valid until this is dropped.
unsafe impl Send for Datagrams {}

/// The slot of a datagram, if it is one whose request has this number.
pub fn slot_of(number: u64) -> Option<usize> {
    (number >> NUMBER_BITS == MARK).then_some((number & u64::from(u32::MAX)) as usize)
}

impl Datagrams {
    /// A queue pair that takes datagrams with this key.
    pub fn new(completions: &Arc<Completions>, key: u32) -> Result<Self> {
        let device = completions.device();
        let describe = |cause: &io::Error| {
            Error::system(format!("making a queue pair for datagrams on {} ({})", device.name, pinning_limit()), cause)
        };
        let (wanted, limit) = (RECEIVES.max(SENDS), device.limits.queue);
        if wanted > limit {
            let what = format!("making a queue pair of {wanted} requests: {} has at most {limit}", device.name);
            return Err(Error::system(what, &io::Error::from_raw_os_error(libc::EINVAL)).into());
        }
        let mut slots = vec![[0; SLOT_BYTES]; (RECEIVES + SENDS) as usize].into_boxed_slice();
        let start = slots.as_mut_ptr().expose_provenance();
        let range = MemoryRange { start, end: start + size_of_val(&*slots) };
        // SAFETY: the slots live as long as the registration, which is dropped before them.
        let registered = unsafe { Registered::new(device, range) }.map_err(|cause| describe(&cause))?;
        let (send_cq, recv_cq) = completions.queues();
        let cap =
            QpCap { max_send_wr: SENDS, max_recv_wr: RECEIVES, max_send_sge: 1, max_recv_sge: 1, max_inline_data: 0 };
        let null = ptr::null_mut();
        let mut attributes =
            QpInitAttr { qp_context: null, send_cq, recv_cq, srq: null, cap, qp_type: abi::QPT_UD, sq_sig_all: 1 };
        // SAFETY: the protection domain and the queues are open; the structure is valid.
        let qp = unsafe { (device.library().create_qp)(device.pd(), &raw mut attributes) };
        if qp.is_null() {
            return Err(describe(&io::Error::last_os_error()).into());
        }
        let free = (RECEIVES as usize..slots.len()).collect();
        let mut datagrams =
            Self { completions: Arc::clone(completions), qp, key, routes: HashMap::new(), registered, slots, free };
        datagrams.open().map_err(|cause| describe(&cause))?;
        Ok(datagrams)
    }

    fn open(&mut self) -> io::Result<()> {
        let device = Arc::clone(self.completions.device());
        let states = [
            (abi::QPS_INIT, qp_mask::STATE | qp_mask::PKEY_INDEX | qp_mask::PORT | qp_mask::QKEY),
            (abi::QPS_RTR, qp_mask::STATE),
            (abi::QPS_RTS, qp_mask::STATE | qp_mask::SQ_PSN),
        ];
        for (qp_state, mask) in states {
            let mut attributes = QpAttr { qp_state, port_num: device.port, qkey: self.key, ..QpAttr::default() };
            // SAFETY: the queue pair is open, and the structure is valid.
            let code = unsafe { (device.library().modify_qp)(self.qp, &raw mut attributes, mask) };
            if code != 0 {
                return Err(io::Error::from_raw_os_error(code));
            }
        }
        (0..RECEIVES as usize).try_for_each(|slot| self.post_receive(slot))
    }

    /// Where others reach it.
    pub fn mailbox(&self) -> Mailbox {
        // SAFETY: open until dropped.
        let number = unsafe { (*self.qp).qp_num };
        Mailbox { address: self.completions.device().address.address, number, key: self.key }
    }

    fn place_of(&mut self, slot: usize) -> u64 {
        self.slots[slot].as_mut_ptr().expose_provenance() as u64
    }

    fn post_receive(&mut self, slot: usize) -> io::Result<()> {
        let (addr, lkey) = (self.place_of(slot), self.registered.local_key());
        let mut list = Sge { addr, length: SLOT_BYTES as u32, lkey };
        let wr_id = MARK << NUMBER_BITS | slot as u64;
        let mut request = RecvWr { wr_id, next: ptr::null_mut(), sg_list: &raw mut list, num_sge: 1 };
        // SAFETY: the queue pair is open; the slot is registered, and left alone until the request has completed.
        match unsafe { library::post_recv(self.qp, &raw mut request) } {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }

    /// Sends a message. It may be lost: where too many are under way, or the peer can't be reached now, at once.
    pub fn send(&mut self, peer: Rank, to: &Mailbox, message: &[u8; MESSAGE_BYTES]) -> io::Result<()> {
        let ah = self.route_to(peer, to)?;
        let Some(slot) = self.free.pop() else { return Ok(()) };
        self.slots[slot][..MESSAGE_BYTES].copy_from_slice(message);
        let (addr, lkey) = (self.place_of(slot), self.registered.local_key());
        let mut list = Sge { addr, length: MESSAGE_BYTES as u32, lkey };
        let mut request = SendWr {
            wr_id: MARK << NUMBER_BITS | slot as u64,
            sg_list: &raw mut list,
            num_sge: 1,
            opcode: abi::WR_SEND,
            // Whoever is to answer may be asleep.
            send_flags: abi::SEND_SIGNALED | abi::SEND_SOLICITED,
            // The three members of the union for datagrams lie where those for remote writes do.
            remote_addr: ah.expose_provenance() as u64,
            rkey: to.number,
            remote_qkey: to.key,
            ..EMPTY
        };
        // SAFETY: the queue pair is open, the request valid; the slot stays as it is until it has completed.
        let (code, _) = unsafe { library::post_send(self.qp, &raw mut request) };
        if code != 0 {
            self.free.push(slot);
            if code != libc::ENOMEM {
                return Err(io::Error::from_raw_os_error(code));
            }
        }
        Ok(())
    }

    fn route_to(&mut self, peer: Rank, to: &Mailbox) -> io::Result<*mut Ah> {
        if let Some(&ah) = self.routes.get(&peer) {
            return Ok(ah);
        }
        let device = self.completions.device();
        let mut attributes = device.address.route_to(&to.address, device.port);
        // SAFETY: the protection domain is open, and the structure is valid.
        let ah = unsafe { (device.library().create_ah)(device.pd(), &raw mut attributes) };
        if ah.is_null() {
            return Err(io::Error::last_os_error());
        }
        self.routes.insert(peer, ah);
        Ok(ah)
    }

    /// A datagram has left, or never will: its slot is free.
    pub fn sent(&mut self, slot: usize) {
        if (RECEIVES as usize..self.slots.len()).contains(&slot) && !self.free.contains(&slot) {
            self.free.push(slot);
        }
    }

    /// Takes a datagram that has come; nothing if it is none of this protocol's.
    pub fn received(&mut self, completion: &Wc, slot: usize) -> Option<[u8; MESSAGE_BYTES]> {
        if completion.status != abi::wc_status::SUCCESS || slot >= RECEIVES as usize {
            return None;
        }
        let is_whole = completion.byte_len as usize == SLOT_BYTES;
        let place: *const u8 = ptr::with_exposed_provenance(self.place_of(slot) as usize);
        // SAFETY: in the slot, which the device has written and will not again before the request is posted again.
        let message = unsafe { place.add(ROUTE_BYTES).cast::<[u8; MESSAGE_BYTES]>().read() };
        // Without it datagrams are lost as soon as there are no others: they are asked for again, in vain in the end.
        if let Err(cause) = self.post_receive(slot) {
            crate::sys::log::info!("posting a receive request for datagrams: {cause}");
        }
        is_whole.then_some(message)
    }
}

impl Drop for Datagrams {
    fn drop(&mut self) {
        let library = self.completions.device().library();
        // SAFETY: open, and not used after this; nothing is sent by the routes once the queue pair is gone.
        unsafe {
            let _: c_int = (library.destroy_qp)(self.qp);
            for &ah in self.routes.values() {
                (library.destroy_ah)(ah);
            }
        }
    }
}
