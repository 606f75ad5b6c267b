//! The functions that make, change and destroy things.

use std::collections::VecDeque;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::os::fd::RawFd;

use super::{Faults, PORT_ACTIVE, Pair, Queue, REGISTERED, operations, with};
use crate::provider::verbs::abi::{
    self, Ah, AhAttr, AsyncEvent, CompChannel, Context, Cq, Device, DeviceAttr, GidEntry, Mr, Pd, PortAttr, Qp, QpAttr,
    QpInitAttr, qp_mask,
};
use crate::provider::verbs::library::Library;

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

unsafe extern "C" fn open_device(device: *mut Device) -> *mut Context {
    let (cmd_fd, async_fd) = (descriptor(), descriptor());
    Box::into_raw(Box::new(Context { device, operations: operations(), cmd_fd, async_fd, num_comp_vectors: 1 }))
}

unsafe extern "C" fn close_device(context: *mut Context) -> c_int {
    // Another one may get its address.
    with(|world| {
        world.unregistrable.retain(|&other| other != context.addr());
        world.without_pairs.retain(|&other| other != context.addr());
        world.removed.retain(|&other| other != context.addr());
    });
    // SAFETY: made above, and closed once.
    unsafe {
        close((*context).cmd_fd);
        close((*context).async_fd);
        free(context)
    }
}

unsafe extern "C" fn query_device(_: *mut Context, attributes: *mut DeviceAttr) -> c_int {
    // SAFETY: the caller gives a valid structure.
    let attributes = unsafe { &mut *attributes };
    (attributes.max_qp_wr, attributes.max_cqe, attributes.phys_port_cnt) = (4096, 1 << 20, 1);
    (attributes.max_qp_rd_atom, attributes.max_qp_init_rd_atom) = (2, 2);
    0
}

unsafe extern "C" fn query_port(_: *mut Context, _: u8, attributes: *mut PortAttr) -> c_int {
    // SAFETY: as above.
    let attributes = unsafe { &mut *attributes };
    (attributes.state, attributes.active_mtu, attributes.gid_tbl_len) = (PORT_ACTIVE, 5, 1);
    (attributes.max_msg_sz, attributes.link_layer) = (1 << 16, abi::LINK_LAYER_ETHERNET);
    0
}

unsafe extern "C" fn query_gid_ex(
    _: *mut Context,
    port_num: u32,
    gid_index: u32,
    entry: *mut GidEntry,
    _: u32,
    _: usize,
) -> c_int {
    let gid = [0, u64::from_ne_bytes([0, 0, 0xff, 0xff, 10, 0, 0, 1])];
    let gid_type = abi::GID_TYPE_ROCE_V2;
    // SAFETY: as above.
    unsafe { *entry = GidEntry { gid, gid_index, port_num, gid_type, ndev_ifindex: 1 } };
    0
}

unsafe extern "C" fn alloc_pd(context: *mut Context) -> *mut Pd {
    Box::into_raw(Box::new(Pd { context, handle: 0 }))
}

unsafe extern "C" fn dealloc_pd(pd: *mut Pd) -> c_int {
    // SAFETY: made above.
    unsafe { free(pd) }
}

unsafe extern "C" fn reg_mr(pd: *mut Pd, addr: *mut c_void, length: usize, _: c_int) -> *mut Mr {
    // SAFETY: the caller gives an open protection domain.
    let context = unsafe { (*pd).context };
    let key = with(|world| {
        if world.unregistrable.contains(&context.addr()) {
            return None;
        }
        let key = world.next();
        world.memory.insert(key, (addr.addr(), length));
        REGISTERED.with(|registered| registered.set(registered.get() + 1));
        Some(key)
    });
    let Some(key) = key else {
        // SAFETY: this thread's own.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return std::ptr::null_mut();
    };
    Box::into_raw(Box::new(Mr { context, pd, addr, length, handle: 0, lkey: key, rkey: key }))
}

unsafe extern "C" fn dereg_mr(mr: *mut Mr) -> c_int {
    // SAFETY: made above.
    unsafe {
        with(|world| world.memory.remove(&(*mr).lkey));
        free(mr)
    }
}

unsafe extern "C" fn create_comp_channel(context: *mut Context) -> *mut CompChannel {
    Box::into_raw(Box::new(CompChannel { context, fd: descriptor(), refcnt: 0 }))
}

unsafe extern "C" fn destroy_comp_channel(channel: *mut CompChannel) -> c_int {
    // SAFETY: made above.
    unsafe {
        close((*channel).fd);
        with(|world| world.events.remove(&(*channel).fd));
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
    let cq = Box::into_raw(Box::new(Cq { context, channel, cq_context, handle: 0, cqe }));
    // SAFETY: the caller gives an open context and channel.
    let (channel, device) = unsafe { ((*channel).fd, (*context).async_fd) };
    let (capacity, completions) = (cqe as usize, VecDeque::new());
    let queue = Queue { capacity, channel, completions, asked: None, is_lost: false, device };
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
    with(|world| world.queues.remove(&cq.addr()));
    // SAFETY: made above.
    unsafe { free(cq) }
}

unsafe extern "C" fn get_cq_event(channel: *mut CompChannel, cq: *mut *mut Cq, context: *mut *mut c_void) -> c_int {
    // SAFETY: the caller gives an open channel, and places for the answer.
    unsafe {
        let Some((_, address)) = take_event((*channel).fd) else { return -1 };
        *cq = std::ptr::without_provenance_mut(address);
        *context = std::ptr::null_mut();
    }
    0
}

unsafe extern "C" fn ack_cq_events(_: *mut Cq, _: c_uint) {}

unsafe extern "C" fn create_ah(pd: *mut Pd, _: *mut AhAttr) -> *mut Ah {
    // SAFETY: the caller gives an open protection domain.
    let context = unsafe { (*pd).context };
    with(|world| world.routes += 1);
    Box::into_raw(Box::new(Ah { context, pd, handle: 0 }))
}

unsafe extern "C" fn destroy_ah(ah: *mut Ah) -> c_int {
    with(|world| world.routes -= 1);
    // SAFETY: made above.
    unsafe { free(ah) }
}

unsafe extern "C" fn create_qp(pd: *mut Pd, attributes: *mut QpInitAttr) -> *mut Qp {
    // SAFETY: the caller gives an open protection domain and a valid structure.
    let (context, attributes) = unsafe { ((*pd).context, &mut *attributes) };
    let QpInitAttr { qp_context, send_cq, recv_cq, srq, cap, qp_type, .. } = *attributes;
    let is_refused = with(|world| world.without_pairs.contains(&context.addr()));
    if is_refused && qp_type == abi::QPT_RC {
        // SAFETY: this thread's own.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return std::ptr::null_mut();
    }
    with(|world| {
        let qp_num = world.next();
        let qp = Qp { context, qp_context, pd, send_cq, recv_cq, srq, handle: 0, qp_num, state: 0, qp_type };
        let qp = Box::into_raw(Box::new(qp));
        let pair = Pair {
            address: qp.addr(),
            sent: send_cq.addr(),
            received: recv_cq.addr(),
            state: 0,
            peer: 0,
            key: 0,
            depths: [cap.max_send_wr, cap.max_recv_wr],
            outstanding: 0,
            requests: VecDeque::new(),
            held: VecDeque::new(),
            faults: Faults::default(),
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
        free(qp)
    }
}

unsafe extern "C" fn get_async_event(context: *mut Context, event: *mut AsyncEvent) -> c_int {
    // SAFETY: the caller gives an open context, and a place for the answer.
    unsafe {
        let Some((event_type, element)) = take_event((*context).async_fd) else { return -1 };
        *event = AsyncEvent { element: std::ptr::without_provenance_mut(element), event_type };
    }
    0
}

unsafe extern "C" fn ack_async_event(_: *mut AsyncEvent) {}

unsafe extern "C" fn is_fork_initialized() -> c_int {
    2
}

unsafe extern "C" fn fork_init() -> c_int {
    unreachable!("nobody has asked for it")
}

unsafe extern "C" fn wc_status_str(status: u32) -> *const c_char {
    match status {
        5 => c"flushed".as_ptr(),
        10 => c"remote access error".as_ptr(),
        _ => c"some failure".as_ptr(),
    }
}

unsafe extern "C" fn event_type_str(_: u32) -> *const c_char {
    c"some event".as_ptr()
}
