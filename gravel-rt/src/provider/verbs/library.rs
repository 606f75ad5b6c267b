//! libibverbs, loaded when it is first needed.
//!
//! A machine without it runs everything else; so nothing links it. What verbs.h defines as inline functions calls
//! through the table of operations that every context has, which is done here likewise. Tests put a table of their
//! own in the library's place ([`super::mock`]).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use super::abi::{
    self, Ah, AhAttr, AsyncEvent, CompChannel, Context, Cq, Device, DeviceAttr, GidEntry, Mr, Pd, PortAttr, Qp, QpAttr,
    QpInitAttr, RecvWr, SendWr, Wc,
};

/// Declares the table and how it is filled: one function pointer per symbol of libibverbs.
macro_rules! library {
    ($($(#[$about:meta])* $name:ident = $symbol:literal: fn($($type:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of libibverbs that are used.
        pub struct Library {
            $($(#[$about])* pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Library {
            fn load() -> Result<Self, String> {
                let handle = open()?;
                Ok(Self {
                    $($name: {
                        let address = symbol(handle, concat!($symbol, "\0"))?;
                        // SAFETY: the symbol is this function of libibverbs, whose type is part of its stable
                        // interface.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(address)
                        }
                    },)*
                })
            }
        }
    };
}

library! {
    get_device_list = "ibv_get_device_list": fn(*mut c_int) -> *mut *mut Device;
    free_device_list = "ibv_free_device_list": fn(*mut *mut Device);
    open_device = "ibv_open_device": fn(*mut Device) -> *mut Context;
    close_device = "ibv_close_device": fn(*mut Context) -> c_int;
    query_device = "ibv_query_device": fn(*mut Context, *mut DeviceAttr) -> c_int;
    /// The frozen symbol: it fills what the structure had in 2006, which is all that is used here.
    query_port = "ibv_query_port": fn(*mut Context, u8, *mut PortAttr) -> c_int;
    query_gid_ex = "_ibv_query_gid_ex": fn(*mut Context, u32, u32, *mut GidEntry, u32, usize) -> c_int;
    alloc_pd = "ibv_alloc_pd": fn(*mut Context) -> *mut Pd;
    dealloc_pd = "ibv_dealloc_pd": fn(*mut Pd) -> c_int;
    /// The frozen symbol: it takes the access flags that it had in 2006, which are all that are used here.
    reg_mr = "ibv_reg_mr": fn(*mut Pd, *mut c_void, usize, c_int) -> *mut Mr;
    dereg_mr = "ibv_dereg_mr": fn(*mut Mr) -> c_int;
    create_comp_channel = "ibv_create_comp_channel": fn(*mut Context) -> *mut CompChannel;
    destroy_comp_channel = "ibv_destroy_comp_channel": fn(*mut CompChannel) -> c_int;
    create_cq = "ibv_create_cq": fn(*mut Context, c_int, *mut c_void, *mut CompChannel, c_int) -> *mut Cq;
    resize_cq = "ibv_resize_cq": fn(*mut Cq, c_int) -> c_int;
    destroy_cq = "ibv_destroy_cq": fn(*mut Cq) -> c_int;
    get_cq_event = "ibv_get_cq_event": fn(*mut CompChannel, *mut *mut Cq, *mut *mut c_void) -> c_int;
    ack_cq_events = "ibv_ack_cq_events": fn(*mut Cq, c_uint);
    create_ah = "ibv_create_ah": fn(*mut Pd, *mut AhAttr) -> *mut Ah;
    destroy_ah = "ibv_destroy_ah": fn(*mut Ah) -> c_int;
    create_qp = "ibv_create_qp": fn(*mut Pd, *mut QpInitAttr) -> *mut Qp;
    modify_qp = "ibv_modify_qp": fn(*mut Qp, *mut QpAttr, c_int) -> c_int;
    destroy_qp = "ibv_destroy_qp": fn(*mut Qp) -> c_int;
    get_async_event = "ibv_get_async_event": fn(*mut Context, *mut AsyncEvent) -> c_int;
    ack_async_event = "ibv_ack_async_event": fn(*mut AsyncEvent);
    is_fork_initialized = "ibv_is_fork_initialized": fn() -> c_int;
    fork_init = "ibv_fork_init": fn() -> c_int;
    wc_status_str = "ibv_wc_status_str": fn(u32) -> *const c_char;
    event_type_str = "ibv_event_type_str": fn(u32) -> *const c_char;
}

/// The installed library, or why it can't be used.
pub fn installed() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    if !cfg!(feature = "verbs") {
        return Err("this library was built without its feature verbs".into());
    }
    LIBRARY.get_or_init(Library::load).as_ref().map_err(Clone::clone)
}

fn open() -> Result<*mut c_void, String> {
    // SAFETY: loading a system library, whose constructors do nothing but set up its own state. It is never unloaded.
    let handle = unsafe { libc::dlopen(c"libibverbs.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(format!("libibverbs can't be loaded: {} (Debian's package is libibverbs1)", loader_error()));
    }
    Ok(handle)
}

fn symbol(handle: *mut c_void, name: &'static str) -> Result<*mut c_void, String> {
    // SAFETY: the handle is open, and the name ends with a zero byte.
    let address = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
    if address.is_null() {
        let name = name.trim_end_matches('\0');
        return Err(format!("libibverbs has no {name}: it is older than version 33 of rdma-core (2021)"));
    }
    Ok(address)
}

fn loader_error() -> String {
    // SAFETY: the text, if there is one, is valid until the next call of the loader by this thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { "no reason given".into() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

impl Library {
    /// What the status of a completion means.
    pub fn status_text(&self, status: u32) -> String {
        // SAFETY: the library returns one of its own texts, for every number.
        unsafe { text((self.wc_status_str)(status)) }
    }

    /// What the type of an asynchronous event means.
    pub fn event_text(&self, event: u32) -> String {
        // SAFETY: as above.
        unsafe { text((self.event_type_str)(event)) }
    }
}

/// # Safety
/// The text must be null, or end with a zero byte and stay valid during the call.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return "unknown".into();
    }
    // SAFETY: by the contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Takes up to as many completions as there is room for out of a queue. A negative number is an error of the device.
///
/// # Safety
/// The queue must be open.
#[inline(always)]
pub unsafe fn poll_cq(cq: *mut Cq, completions: &mut [Wc]) -> c_int {
    type PollCq = unsafe extern "C" fn(*mut Cq, c_int, *mut Wc) -> c_int;
    // SAFETY: the context of an open queue has its driver's operations, this one with this type.
    unsafe {
        let poll: PollCq = std::mem::transmute((*(*cq).context).operations[abi::POLL_CQ]);
        poll(cq, completions.len() as c_int, completions.as_mut_ptr())
    }
}

/// Asks for one event on the queue's channel when the next completion comes: any one, or only a solicited or failed
/// one.
///
/// # Safety
/// The queue must be open.
pub unsafe fn req_notify_cq(cq: *mut Cq, solicited_only: bool) -> c_int {
    type ReqNotifyCq = unsafe extern "C" fn(*mut Cq, c_int) -> c_int;
    // SAFETY: as in `poll_cq`.
    unsafe {
        let request: ReqNotifyCq = std::mem::transmute((*(*cq).context).operations[abi::REQ_NOTIFY_CQ]);
        request(cq, c_int::from(solicited_only))
    }
}

/// Posts a chain of work requests to the send queue. An error code, and the first request that was not taken.
///
/// # Safety The queue pair must be open, the chain and its lists valid during the call, and what they name valid
/// until completion.
pub unsafe fn post_send(qp: *mut Qp, first: *mut SendWr) -> (c_int, *mut SendWr) {
    type PostSend = unsafe extern "C" fn(*mut Qp, *mut SendWr, *mut *mut SendWr) -> c_int;
    let mut refused = std::ptr::null_mut();
    // SAFETY: as in `poll_cq`; the rest by the contract.
    let code = unsafe {
        let post: PostSend = std::mem::transmute((*(*qp).context).operations[abi::POST_SEND]);
        post(qp, first, &raw mut refused)
    };
    (code, refused)
}

/// Posts a chain of work requests to the receive queue.
///
/// # Safety
/// As [`post_send`].
pub unsafe fn post_recv(qp: *mut Qp, first: *mut RecvWr) -> c_int {
    type PostRecv = unsafe extern "C" fn(*mut Qp, *mut RecvWr, *mut *mut RecvWr) -> c_int;
    let mut refused = std::ptr::null_mut();
    // SAFETY: as in `post_send`.
    unsafe {
        let post: PostRecv = std::mem::transmute((*(*qp).context).operations[abi::POST_RECV]);
        post(qp, first, &raw mut refused)
    }
}
