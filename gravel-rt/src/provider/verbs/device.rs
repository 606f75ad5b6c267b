//! A device that is open: its context, its port, its protection domain, and the memory registered with it.

use std::ffi::{CStr, c_int};
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

use super::abi::{self, Context, Device as RawDevice, DeviceAttr, GidEntry, Mr, Pd, PortAttr};
use super::addressing::{LocalAddress, is_of_interface};
use super::library::Library;
use crate::memory::{MemoryRange, fork};
use crate::provider::interfaces::all_addresses;

/// What a device can do, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Work requests per queue.
    pub queue: u32,
    /// Entries of a completion queue.
    pub completions: u32,
    /// Reads that this side may have outstanding.
    pub reads: u8,
    /// Reads of a peer that this side can answer at once.
    pub answered_reads: u8,
    /// Bytes of one message.
    pub message: u64,
    /// Maximum transmission unit, as `IBV_MTU_*`.
    pub mtu: u32,
}

/// An open device with one of its ports.
pub struct Device {
    library: &'static Library,
    context: *mut Context,
    pd: *mut Pd,
    /// Its name and port, for people.
    pub name: String,
    /// Number of the port.
    pub port: u8,
    /// Its address.
    pub(super) address: LocalAddress,
    /// Its limits.
    pub limits: Limits,
}

// SAFETY: the verbs may be called from any thread, and concurrently (ibv_* are thread-safe by rdma-core's contract).
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// Opens the first port that is up and has an address, of all devices of this machine.
    pub(super) fn open(library: &'static Library) -> Result<Arc<Self>, String> {
        let mut count: c_int = 0;
        // SAFETY: the count is valid; the list is freed below.
        let list = unsafe { (library.get_device_list)(&raw mut count) };
        if list.is_null() {
            let cause = io::Error::last_os_error();
            // Without the kernel's module there is nothing to ask.
            return Err(match cause.raw_os_error() {
                Some(libc::ENOSYS) | None => "this machine has no RDMA device".into(),
                _ => format!("RDMA devices can't be listed: {cause}"),
            });
        }
        let mut reasons = Vec::new();
        let mut found = None;
        for index in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the list has `count` devices, which are valid until it is freed.
            match unsafe { Self::open_one(library, *list.add(index)) } {
                Ok(device) => {
                    found = Some(Arc::new(device));
                    break;
                }
                Err(reason) => reasons.push(reason),
            }
        }
        // SAFETY: made above; an open device stays valid without it.
        unsafe { (library.free_device_list)(list) };
        found.ok_or_else(
            || {
                if reasons.is_empty() { "this machine has no RDMA device".into() } else { reasons.join("; ") }
            },
        )
    }

    /// # Safety
    /// The device must be one of a list that has not been freed.
    unsafe fn open_one(library: &'static Library, device: *mut RawDevice) -> Result<Self, String> {
        // SAFETY: by the contract; names end with a zero byte.
        let (name, transport) = unsafe {
            (CStr::from_ptr((*device).name.as_ptr()).to_string_lossy().into_owned(), (*device).transport_type)
        };
        if transport != abi::TRANSPORT_IB {
            return Err(format!("{name} speaks iWARP, which has no write with immediate data"));
        }
        // SAFETY: by the contract.
        let context = unsafe { (library.open_device)(device) };
        if context.is_null() {
            let cause = io::Error::last_os_error();
            return Err(format!("{name} can't be opened: {cause} (/dev/infiniband/uverbs* must be accessible)"));
        }
        // From here on, dropping it closes the context.
        let mut opened = Self {
            library,
            context,
            pd: std::ptr::null_mut(),
            name: name.clone(),
            port: 0,
            address: LocalAddress::default(),
            limits: Limits { queue: 0, completions: 0, reads: 0, answered_reads: 0, message: 0, mtu: 0 },
        };
        // SAFETY: the context is open.
        fork::add_descriptor(unsafe { (*context).cmd_fd });
        fork::add_descriptor(opened.async_descriptor());
        opened.prepare_fork();
        // SAFETY: plain numbers, for which zeros are valid.
        let mut attributes: DeviceAttr = unsafe { std::mem::zeroed() };
        // SAFETY: the context is open, and the structure is valid.
        let code = unsafe { (library.query_device)(context, &raw mut attributes) };
        if code != 0 {
            return Err(format!("{name} can't be queried: {}", io::Error::from_raw_os_error(code)));
        }
        let mut reasons = Vec::new();
        for port in 1..=attributes.phys_port_cnt.max(1) {
            match opened.choose_port(port, &attributes) {
                Ok(()) => {
                    // SAFETY: the context is open.
                    opened.pd = unsafe { (library.alloc_pd)(context) };
                    if opened.pd.is_null() {
                        let cause = io::Error::last_os_error();
                        return Err(format!("{name} has no protection domain left: {cause}"));
                    }
                    opened.name = format!("{name} port {port}");
                    return Ok(opened);
                }
                Err(reason) => reasons.push(format!("{name} port {port}: {reason}")),
            }
        }
        Err(reasons.join("; "))
    }

    /// Where old kernels need it, keeps pinned pages out of forked children: otherwise a write after a fork would
    /// give this process another page than the device has.
    fn prepare_fork(&self) {
        // SAFETY: no preconditions; nothing has been registered by this process's runtime yet.
        unsafe {
            if (self.library.is_fork_initialized)() == abi::FORK_DISABLED && (self.library.fork_init)() != 0 {
                crate::sys::log::warning!("libibverbs can't protect pinned memory from forks of this process");
            }
        }
    }

    fn choose_port(&mut self, port: u8, device: &DeviceAttr) -> Result<(), String> {
        // SAFETY: plain numbers, for which zeros are valid.
        let mut attributes: PortAttr = unsafe { std::mem::zeroed() };
        // SAFETY: the context is open, and the structure is valid.
        let code = unsafe { (self.library.query_port)(self.context, port, &raw mut attributes) };
        if code != 0 {
            return Err(format!("it can't be queried: {}", io::Error::from_raw_os_error(code)));
        }
        if attributes.state != abi::PORT_ACTIVE {
            return Err("it is not active: the cable, the network interface or the subnet manager is missing".into());
        }
        let mut gids = Vec::new();
        for index in 0..u32::try_from(attributes.gid_tbl_len).unwrap_or(0) {
            let mut entry = GidEntry::default();
            // SAFETY: the context is open, and the entry is valid for its size.
            let code = unsafe {
                let bytes = size_of::<GidEntry>();
                (self.library.query_gid_ex)(self.context, u32::from(port), index, &raw mut entry, 0, bytes)
            };
            // Empty entries are errors.
            if code == 0 && entry.gid != [0; 2] {
                gids.push(entry);
            }
        }
        // Without that list the best guess has to do.
        let addresses = all_addresses().unwrap_or_default();
        let is_given = |interface, address| is_of_interface(&addresses, interface, address);
        self.address = LocalAddress::choose(&attributes, &gids, is_given)?;
        self.port = port;
        let at_least_one = |limit: c_int| u32::try_from(limit).unwrap_or(0).max(1);
        let reads = |limit: c_int| at_least_one(limit).min(16) as u8;
        self.limits = Limits {
            queue: at_least_one(device.max_qp_wr),
            completions: at_least_one(device.max_cqe),
            reads: reads(device.max_qp_init_rd_atom),
            answered_reads: reads(device.max_qp_rd_atom),
            message: u64::from(attributes.max_msg_sz),
            mtu: attributes.active_mtu,
        };
        Ok(())
    }

    /// What it is, for people.
    pub fn describe(&self) -> String {
        let Limits { queue, reads, mtu, .. } = self.limits;
        let LocalAddress { address, gid_index } = self.address;
        let bytes = 128u32 << mtu;
        let place = match address.link_layer {
            abi::LINK_LAYER_INFINIBAND => format!("InfiniBand, LID {}", address.lid),
            _ => format!("RoCE v2, GID {gid_index} {}", address.host()),
        };
        format!("{}: {place}, MTU {bytes}, {queue} requests per queue, {reads} reads at once", self.name)
    }

    /// The functions of the library that opened it.
    pub(super) fn library(&self) -> &'static Library {
        self.library
    }

    /// For calls that take it.
    pub(super) fn context(&self) -> *mut Context {
        self.context
    }

    /// Likewise.
    pub(super) fn pd(&self) -> *mut Pd {
        self.pd
    }

    /// What becomes readable when the device has something to tell.
    pub fn async_descriptor(&self) -> RawFd {
        // SAFETY: the context is open.
        unsafe { (*self.context).async_fd }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        fork::remove_descriptor(self.async_descriptor());
        // SAFETY: whatever was made with the context holds this value, so it is gone. Nothing can be done about
        // failures.
        unsafe {
            fork::remove_descriptor((*self.context).cmd_fd);
            if !self.pd.is_null() {
                (self.library.dealloc_pd)(self.pd);
            }
            (self.library.close_device)(self.context);
        }
    }
}

/// Memory that a device may read and write.
pub struct Registered {
    device: Arc<Device>,
    mr: *mut Mr,
}

// SAFETY: as for the device, which it belongs to.
unsafe impl Send for Registered {}

impl Registered {
    /// Registers memory. Memory that can't be written is registered for reading.
    ///
    /// # Safety
    /// The range must be mapped. What a device is told to do with it is up to those who name its keys.
    pub unsafe fn new(device: &Arc<Device>, range: MemoryRange) -> io::Result<Self> {
        let all = abi::ACCESS_LOCAL_WRITE | abi::ACCESS_REMOTE_WRITE | abi::ACCESS_REMOTE_READ;
        let register = |access| {
            let start = std::ptr::with_exposed_provenance_mut(range.start);
            // SAFETY: the protection domain is open; the kernel checks the range.
            unsafe { (device.library.reg_mr)(device.pd, start, range.bytes(), access) }
        };
        let mut mr = register(all);
        if mr.is_null() && io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT) {
            mr = register(abi::ACCESS_REMOTE_READ);
        }
        if mr.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { device: Arc::clone(device), mr })
    }

    /// Key for this side's work requests.
    pub fn local_key(&self) -> u32 {
        // SAFETY: registered until dropped.
        unsafe { (*self.mr).lkey }
    }

    /// Key for the peers' work requests.
    pub fn remote_key(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (*self.mr).rkey }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // SAFETY: registered above, and not used after this.
        let code = unsafe { (self.device.library.dereg_mr)(self.mr) };
        if code != 0 {
            let cause = io::Error::from_raw_os_error(code);
            crate::sys::log::warning!("memory stays registered with {}: {cause}", self.device.name);
        }
    }
}

/// How much memory may be pinned, in words: the reason why most registrations fail.
pub fn pinning_limit() -> String {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is valid.
    unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
    if limit.rlim_cur == libc::RLIM_INFINITY {
        return "RLIMIT_MEMLOCK is unlimited".into();
    }
    format!("RLIMIT_MEMLOCK is {} KiB: ulimit -l unlimited lifts it", limit.rlim_cur >> 10)
}
