//! The functions that make, change and destroy things.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::os::fd::RawFd;

use super::hardware::{Thing, plugged_in};
use super::texts::{event_type_str, wc_status_str};
use super::work::operations;
use super::{Faults, Pair, Queue, REGISTERED, with};
use crate::provider::verbs::abi::{
    self, Ah, AhAttr, AsyncEvent, CompChannel, Context, Cq, Device, DeviceAttr, GidEntry, Mr, Pd, PortAttr, Qp, QpAttr,
    QpInitAttr, qp_mask,
};
use crate::provider::verbs::library::Library;

thread_local! {
    /// What libibverbs says about forks (`IBV_FORK_*`), and how often it has been asked to be prepared for them.
    static FORKS: Cell<(c_int, u32)> = const { Cell::new((2, 0)) };
    /// The context whose event this thread has taken and not acknowledged.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// What libibverbs says about forks, in this thread.
pub fn set_forks(state: c_int) {
    FORKS.with(|forks| forks.set((state, 0)));
}

/// How often this thread has asked it to be prepared for them.
pub fn prepared_for_forks() -> u32 {
    FORKS.with(|forks| forks.get().1)
}

/// The mock in the place of libibverbs.
pub fn library() -> &'static Library {
    static LIBRARY: Library = Library {
        get_device_list,
        free_device_list,
        open_device,
        close_device,
        query_device,
        query_port,
        query_gid_ex,
        alloc_pd,
        dealloc_pd,
        reg_mr,
        dereg_mr,
        create_comp_channel,
        destroy_comp_channel,
        create_cq,
        resize_cq,
        destroy_cq,
        get_cq_event,
        ack_cq_events,
        create_ah,
        destroy_ah,
        create_qp,
        modify_qp,
        destroy_qp,
        get_async_event,
        ack_async_event,
        is_fork_initialized,
        fork_init,
        wc_status_str,
        event_type_str,
    };
    &LIBRARY
}

fn descriptor() -> RawFd {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: room for two descriptors.
    assert_eq!(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) }, 0, "no descriptors left");
    with(|world| world.far_ends.insert(ends[0], ends[1]));
    ends[0]
}

/// Closes what [`descriptor`] has opened.
fn close(descriptor: RawFd) {
    super::hang_up(descriptor);
    // Another one may get its number.
    with(|world| world.events.remove(&descriptor));
    // SAFETY: opened above, and closed once.
    unsafe { libc::close(descriptor) };
}

/// The next event of a descriptor.
fn take_event(descriptor: RawFd) -> Option<(u32, usize)> {
    let event = with(|world| world.events.get_mut(&descriptor)?.pop_front())?;
    let mut count = 0u64;
    // SAFETY: room for eight bytes.
    unsafe { libc::read(descriptor, (&raw mut count).cast(), 8) };
    Some(event)
}

/// # Safety
/// Must have been made by `Box::into_raw` with this type, and not be used any more.
unsafe fn free<T>(pointer: *mut T) -> c_int {
    // SAFETY: by the contract.
    drop(unsafe { Box::from_raw(pointer) });
    0
}

unsafe extern "C" fn get_device_list(count: *mut c_int) -> *mut *mut Device {
    let mut name = [0; 64];
    for (place, byte) in name.iter_mut().zip(b"mock0") {
        *place = *byte as c_char;
    }
    let operations = [std::ptr::null_mut(); 2];
    let device = Device { operations, node_type: 1, transport_type: abi::TRANSPORT_IB, name };
    // SAFETY: the caller gives a place for the number.
    unsafe { *count = 1 };
    Box::into_raw(Box::new([Box::into_raw(Box::new(device)), std::ptr::null_mut()])).cast()
}

unsafe extern "C" fn free_device_list(list: *mut *mut Device) {
    // SAFETY: made above. The device itself stays, as contexts name it.
    unsafe { free(list.cast::<[*mut Device; 2]>()) };
}

/// As drivers say that there is no more of something.
fn none_left<T>() -> *mut T {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    std::ptr::null_mut()
}

/// Notes that something is made; false if the device has none left.
///
/// # Safety
/// The context must be open.
unsafe fn make(context: *mut Context, thing: Thing) -> bool {
    with(|world| world.make(context.addr(), thing))
}

/// Notes that something is gone: 0, or an error if something else needs it.
fn unmake(context: *mut Context, thing: Thing) -> c_int {
    if with(|world| world.unmake(context.addr(), thing)) { 0 } else { libc::EBUSY }
}

unsafe extern "C" fn open_device(device: *mut Device) -> *mut Context {
    let (cmd_fd, async_fd) = (descriptor(), descriptor());
    let context = Context { device, operations: operations(), cmd_fd, async_fd, num_comp_vectors: 1 };
    let (context, hardware) = (Box::into_raw(Box::new(context)), plugged_in());
    if with(|world| world.open(context.addr(), hardware)) {
        return context;
    }
    close(cmd_fd);
    close(async_fd);
    none_left()
}

unsafe extern "C" fn close_device(context: *mut Context) -> c_int {
    let code = unmake(context, Thing::Context);
    if code == 0 {
        // SAFETY: made above, and closed once. Its memory stays: no other device is to have its address.
        unsafe {
            close((*context).cmd_fd);
            close((*context).async_fd);
        }
    }
    code
}

unsafe extern "C" fn query_device(context: *mut Context, attributes: *mut DeviceAttr) -> c_int {
    // SAFETY: the caller gives a valid structure.
    let attributes = unsafe { &mut *attributes };
    with(|world| {
        let hardware = world.hardware(context.addr());
        (attributes.max_qp_wr, attributes.max_cqe) = (hardware.requests, hardware.completions);
        [attributes.max_qp_init_rd_atom, attributes.max_qp_rd_atom] = hardware.reads;
        attributes.phys_port_cnt = 1;
    });
    0
}

unsafe extern "C" fn query_port(context: *mut Context, _: u8, attributes: *mut PortAttr) -> c_int {
    // SAFETY: as above.
    let attributes = unsafe { &mut *attributes };
    with(|world| {
        let hardware = world.hardware(context.addr());
        (attributes.state, attributes.active_mtu) = (hardware.state, hardware.mtu);
        (attributes.gid_tbl_len, attributes.max_msg_sz) = (16, hardware.message);
        (attributes.link_layer, attributes.lid) = (hardware.link_layer, hardware.lid);
    });
    0
}

unsafe extern "C" fn query_gid_ex(
    context: *mut Context,
    _: u32,
    gid_index: u32,
    entry: *mut GidEntry,
    _: u32,
    _: usize,
) -> c_int {
    let found = with(|world| {
        let table = &world.hardware(context.addr()).gids;
        table.iter().find(|entry| entry.gid_index == gid_index).copied()
    });
    let Some(found) = found else { return libc::ENODATA };
    // SAFETY: as above.
    unsafe { *entry = found };
    0
}

unsafe extern "C" fn alloc_pd(context: *mut Context) -> *mut Pd {
    // SAFETY: the caller gives an open context.
    if !unsafe { make(context, Thing::ProtectionDomain) } {
        return none_left();
    }
    Box::into_raw(Box::new(Pd { context, handle: 0 }))
}

unsafe extern "C" fn dealloc_pd(pd: *mut Pd) -> c_int {
    // SAFETY: made above.
    unsafe {
        let code = unmake((*pd).context, Thing::ProtectionDomain);
        if code == 0 { free(pd) } else { code }
    }
}

unsafe extern "C" fn reg_mr(pd: *mut Pd, addr: *mut c_void, length: usize, _: c_int) -> *mut Mr {
    // SAFETY: the caller gives an open protection domain.
    let context = unsafe { (*pd).context };
    let key = with(|world| {
        if world.unregistrable.contains(&context.addr()) || !world.make(context.addr(), Thing::Memory) {
            return None;
        }
        let key = world.next();
        world.memory.insert(key, (addr.addr(), length));
        REGISTERED.with(|registered| registered.set(registered.get() + 1));
        Some(key)
    });
    let Some(key) = key else { return none_left() };
    Box::into_raw(Box::new(Mr { context, pd, addr, length, handle: 0, lkey: key, rkey: key }))
}

unsafe extern "C" fn dereg_mr(mr: *mut Mr) -> c_int {
    // SAFETY: made above.
    unsafe {
        with(|world| world.memory.remove(&(*mr).lkey));
        unmake((*mr).context, Thing::Memory);
        free(mr)
    }
}

unsafe extern "C" fn create_comp_channel(context: *mut Context) -> *mut CompChannel {
    // SAFETY: the caller gives an open context.
    if !unsafe { make(context, Thing::Channel) } {
        return none_left();
    }
    Box::into_raw(Box::new(CompChannel { context, fd: descriptor(), refcnt: 0 }))
}

unsafe extern "C" fn destroy_comp_channel(channel: *mut CompChannel) -> c_int {
    // SAFETY: made above.
    unsafe {
        let code = unmake((*channel).context, Thing::Channel);
        if code != 0 {
            return code;
        }
        close((*channel).fd);
        free(channel)
    }
}

unsafe extern "C" fn create_cq(
    context: *mut Context,
    cqe: c_int,
    cq_context: *mut c_void,
    channel: *mut CompChannel,
    _: c_int,
) -> *mut Cq {
    let is_short = with(|world| cqe > 0 && cqe <= world.hardware(context.addr()).completions);
    // SAFETY: the caller gives an open context.
    if !is_short || !unsafe { make(context, Thing::CompletionQueue) } {
        return none_left();
    }
    let cq = Box::into_raw(Box::new(Cq { context, channel, cq_context, handle: 0, cqe }));
    // SAFETY: the caller gives an open context and channel.
    let (channel, device) = unsafe { ((*channel).fd, (*context).async_fd) };
    let (capacity, completions) = (cqe as usize, VecDeque::new());
    let queue = Queue { capacity, channel, completions, asked: None, is_lost: false, context: context.addr(), device };
    with(|world| world.queues.insert(cq.addr(), queue));
    cq
}

unsafe extern "C" fn resize_cq(cq: *mut Cq, cqe: c_int) -> c_int {
    with(|world| {
        let queue = world.queues.get_mut(&cq.addr()).expect("an open queue");
        if cqe as usize > super::LONGEST_RESIZED || queue.completions.len() > cqe as usize {
            return libc::EINVAL;
        }
        queue.capacity = cqe as usize;
        0
    })
}

unsafe extern "C" fn destroy_cq(cq: *mut Cq) -> c_int {
    // SAFETY: made above.
    unsafe {
        let code = unmake((*cq).context, Thing::CompletionQueue);
        if code != 0 {
            return code;
        }
        with(|world| world.queues.remove(&cq.addr()));
        free(cq)
    }
}

unsafe extern "C" fn get_cq_event(channel: *mut CompChannel, cq: *mut *mut Cq, context: *mut *mut c_void) -> c_int {
    // SAFETY: the caller gives an open channel, and places for the answer.
    unsafe {
        let Some((_, address)) = take_event((*channel).fd) else { return -1 };
        make((*channel).context, Thing::Event);
        *cq = std::ptr::without_provenance_mut(address);
        *context = std::ptr::null_mut();
    }
    0
}

unsafe extern "C" fn ack_cq_events(cq: *mut Cq, count: c_uint) {
    for _ in 0..count {
        with(|world| {
            let context = world.queues[&cq.addr()].context;
            world.unmake(context, Thing::Event);
        });
    }
}

unsafe extern "C" fn create_ah(pd: *mut Pd, _: *mut AhAttr) -> *mut Ah {
    // SAFETY: the caller gives an open protection domain.
    let context = unsafe { (*pd).context };
    // SAFETY: as above.
    if !unsafe { make(context, Thing::Route) } {
        return none_left();
    }
    Box::into_raw(Box::new(Ah { context, pd, handle: 0 }))
}

unsafe extern "C" fn destroy_ah(ah: *mut Ah) -> c_int {
    // SAFETY: made above.
    unsafe {
        unmake((*ah).context, Thing::Route);
        free(ah)
    }
}

unsafe extern "C" fn create_qp(pd: *mut Pd, attributes: *mut QpInitAttr) -> *mut Qp {
    // SAFETY: the caller gives an open protection domain and a valid structure.
    let (context, attributes) = unsafe { ((*pd).context, &mut *attributes) };
    let QpInitAttr { qp_context, send_cq, recv_cq, srq, cap, qp_type, .. } = *attributes;
    let depth = cap.max_send_wr.max(cap.max_recv_wr);
    let (fits, inline) = with(|world| {
        let hardware = world.hardware(context.addr());
        let has_room = i64::from(depth) <= i64::from(hardware.requests) && cap.max_inline_data <= hardware.inline;
        // The one for datagrams is no connection.
        let is_made = has_room && (qp_type != abi::QPT_RC || world.make(context.addr(), Thing::QueuePair));
        (is_made, world.hardware(context.addr()).inline)
    });
    if !fits {
        return none_left();
    }
    // Devices give more than was asked for.
    attributes.cap.max_inline_data = inline;
    with(|world| {
        let qp_num = world.next();
        let qp = Qp { context, qp_context, pd, send_cq, recv_cq, srq, handle: 0, qp_num, state: 0, qp_type };
        let qp = Box::into_raw(Box::new(qp));
        let pair = Pair {
            context: context.addr(),
            address: qp.addr(),
            sent: send_cq.addr(),
            received: recv_cq.addr(),
            state: 0,
            peer: 0,
            route: AhAttr::default(),
            mtu: 0,
            packets: [0; 2],
            reads: [0; 3],
            inline,
            key: 0,
            depths: [cap.max_send_wr, cap.max_recv_wr],
            outstanding: 0,
            requests: VecDeque::new(),
            held: VecDeque::new(),
            faults: Faults::default(),
            unseen: Vec::new(),
            written: 0,
        };
        world.pairs.insert(qp_num, pair);
        qp
    })
}

unsafe extern "C" fn modify_qp(qp: *mut Qp, attributes: *mut QpAttr, mask: c_int) -> c_int {
    // SAFETY: the caller gives an open queue pair and a valid structure.
    let (number, attributes) = unsafe { ((*qp).qp_num, &*attributes) };
    // SAFETY: as above.
    let context = unsafe { (*qp).context.addr() };
    with(|world| {
        if world.removed.contains(&context) {
            return libc::EIO;
        }
        let pair = world.pairs.get_mut(&number).expect("an open queue pair");
        if mask & qp_mask::DEST_QPN != 0 {
            pair.peer = attributes.dest_qp_num;
        }
        let set = |flag: c_int| mask & flag != 0;
        if set(qp_mask::AV) {
            pair.route = attributes.ah_attr;
        }
        if set(qp_mask::PATH_MTU) {
            pair.mtu = attributes.path_mtu;
        }
        if set(qp_mask::SQ_PSN) {
            pair.packets[0] = attributes.sq_psn;
        }
        if set(qp_mask::RQ_PSN) {
            pair.packets[1] = attributes.rq_psn;
        }
        if set(qp_mask::MAX_QP_RD_ATOMIC) {
            pair.reads[0] = usize::from(attributes.max_rd_atomic);
        }
        if set(qp_mask::MAX_DEST_RD_ATOMIC) {
            pair.reads[1] = usize::from(attributes.max_dest_rd_atomic);
        }
        if mask & qp_mask::QKEY != 0 {
            pair.key = attributes.qkey;
        }
        pair.state = attributes.qp_state;
        if attributes.qp_state == abi::QPS_ERR {
            world.flush(number);
        }
        0
    })
}

unsafe extern "C" fn destroy_qp(qp: *mut Qp) -> c_int {
    // SAFETY: made above.
    unsafe {
        let pair = with(|world| world.pairs.remove(&(*qp).qp_num));
        assert!(pair.is_some_and(|pair| pair.address == qp.addr()), "destroyed twice");
        if (*qp).qp_type == abi::QPT_RC {
            unmake((*qp).context, Thing::QueuePair);
        }
        free(qp)
    }
}

unsafe extern "C" fn get_async_event(context: *mut Context, event: *mut AsyncEvent) -> c_int {
    // SAFETY: the caller gives an open context, and a place for the answer.
    unsafe {
        let Some((event_type, element)) = take_event((*context).async_fd) else { return -1 };
        make(context, Thing::Event);
        TAKEN.with(|taken| taken.set(context.addr()));
        *event = AsyncEvent { element: std::ptr::without_provenance_mut(element), event_type };
    }
    0
}

unsafe extern "C" fn ack_async_event(_: *mut AsyncEvent) {
    // An event does not say whose it is; who takes one acknowledges it before the next.
    let context = TAKEN.with(Cell::take);
    assert!(context != 0, "acknowledged twice");
    with(|world| world.unmake(context, Thing::Event));
}

unsafe extern "C" fn is_fork_initialized() -> c_int {
    FORKS.with(|forks| forks.get().0)
}

unsafe extern "C" fn fork_init() -> c_int {
    FORKS.with(|forks| {
        let (state, asked) = forks.get();
        forks.set((state, asked + 1));
    });
    0
}
