//! Completion queues, and where the pump thread sleeps until one has something.
//!
//! All queue pairs of a rank share two queues: one for what this side has sent, one for what has come. A queue tells
//! of completions by an event on its channel, one for each time that it was asked ([`Completions::request_events`]).
//! That request is the doorbell: it lies in the adapter of the rank that sleeps, where whatever comes is held against
//! it in order, so that nothing can slip between the last look and the request. While nobody asks, nothing is raised,
//! and a rank that polls is never interrupted. A doorbell at the peers would have to be written to each of them before
//! every sleep, and whoever has it in flight could not know what was sent before it arrived.

mod sleeping;

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::abi::{AsyncEvent, CompChannel, Cq, Wc, event};
use super::credits::RECEIVE_DEPTH;
use super::datagram;
use super::device::Device;
use super::library;
use super::queue_pair::SEND_DEPTH;
use crate::error::{Error, Result};
use crate::memory::fork;
use crate::sys::log;

/// Completions taken at once.
pub const BATCH: usize = 32;
const COMPLETIONS: u64 = 0;
const EVENTS: u64 = 1;
const WAKE: u64 = 2;
const OTHER: u64 = 3;
const AGAIN: u64 = 4;
const ARM: u64 = 5;
/// No absence of the application.
const NONE: u64 = u64::MAX;

/// Something that the device told without being asked, and that ends connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// A queue pair is not usable any more: its address, which is only compared, and why.
    QueuePair(usize, String),
    /// None is, and why.
    Device(String),
}

/// The completion queues of one rank.
pub struct Completions {
    device: Arc<Device>,
    channel: *mut CompChannel,
    sent: *mut Cq,
    received: *mut Cq,
    /// Holds the channel, the device's events and `wake`.
    sleeper: OwnedFd,
    wake: OwnedFd,
    /// Becomes readable when somebody is to look again though nothing may have come.
    again: OwnedFd,
    /// Becomes readable when the application has been gone for a while.
    gone: OwnedFd,
    /// Whether arrivals are to wake. The application stores this, then looks at the next two; the thread that waits
    /// stores those, then looks at this: in one order (SeqCst), so that one of both sees what the other has done.
    armed: AtomicBool,
    /// How often the application has come back, which numbers its absences.
    returns: AtomicU64,
    /// The absence in which the timer was set, and the one that is known to be long.
    timed: AtomicU64,
    long: AtomicU64,
    /// Whether `gone` is set.
    gone_is_set: AtomicBool,
    /// How often in a row it has found that the application had come back. Only the thread that waits writes it.
    looked_in_vain: AtomicU32,
    /// Whether both queues have been asked for an event that has not come.
    requested: AtomicBool,
    stopped: AtomicBool,
    has_trouble: AtomicBool,
    trouble: Mutex<Vec<Trouble>>,
}

// SAFETY: the verbs are thread-safe; the pointers are valid until this is dropped.
unsafe impl Send for Completions {}
// SAFETY: as above.
unsafe impl Sync for Completions {}

impl Completions {
    /// Queues for so many connections, and for datagrams.
    pub fn for_connections(device: &Arc<Device>, connections: usize) -> Result<Arc<Self>> {
        let [sent, received] = entries_for(connections);
        Self::new(device, sent, received)
    }

    /// Queues for so many completions of what is sent and of what comes.
    pub fn new(device: &Arc<Device>, sent: u32, received: u32) -> Result<Arc<Self>> {
        let library = device.library();
        let limit = device.limits.completions;
        if sent.max(received) > limit {
            let wanted = sent.max(received);
            let what = format!("making a completion queue of {wanted} entries: {} has at most {limit}", device.name);
            return Err(Error::system(what, &io::Error::from_raw_os_error(libc::EINVAL)).into());
        }
        let failed = |what: &str| {
            let cause = io::Error::last_os_error();
            Error::system(format!("{what} on {} ({})", device.name, super::device::pinning_limit()), &cause)
        };
        let descriptors = descriptors()
            .map_err(|cause| Error::system("creating an epoll set for verbs (limit: RLIMIT_NOFILE)", &cause))?;
        let [sleeper, wake, again, gone] = descriptors;
        // From here on, dropping it undoes what was done.
        let mut completions = Self {
            device: Arc::clone(device),
            channel: ptr::null_mut(),
            sent: ptr::null_mut(),
            received: ptr::null_mut(),
            sleeper,
            wake,
            again,
            gone,
            armed: AtomicBool::new(false),
            returns: AtomicU64::new(0),
            timed: AtomicU64::new(NONE),
            long: AtomicU64::new(NONE),
            gone_is_set: AtomicBool::new(false),
            looked_in_vain: AtomicU32::new(0),
            requested: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            has_trouble: AtomicBool::new(false),
            trouble: Mutex::default(),
        };
        // SAFETY: the context is open.
        completions.channel = unsafe { (library.create_comp_channel)(device.context()) };
        if completions.channel.is_null() {
            return Err(failed("making a completion channel").into());
        }
        let create = |entries: u32| {
            // SAFETY: the context and the channel are open.
            unsafe { (library.create_cq)(device.context(), entries as c_int, ptr::null_mut(), completions.channel, 0) }
        };
        let (for_sent, for_received) = (create(sent), create(received));
        (completions.sent, completions.received) = (for_sent, for_received);
        if completions.sent.is_null() || completions.received.is_null() {
            return Err(failed("making a completion queue").into());
        }
        fork::add_descriptor(completions.channel_descriptor());
        let watched = [
            (completions.channel_descriptor(), COMPLETIONS),
            (device.async_descriptor(), EVENTS),
            (completions.wake.as_raw_fd(), WAKE),
            (completions.again.as_raw_fd(), AGAIN),
            (completions.gone.as_raw_fd(), ARM),
        ];
        for (descriptor, data) in watched {
            completions.watch(descriptor, data).map_err(|cause| Error::system("watching an RDMA device", &cause))?;
        }
        Ok(Arc::new(completions))
    }

    fn channel_descriptor(&self) -> RawFd {
        // SAFETY: the channel is open.
        unsafe { (*self.channel).fd }
    }

    /// Adds a descriptor to those that wake; it must never block.
    fn watch(&self, descriptor: RawFd, data: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: data };
        // SAFETY: both descriptors are open, and the event is valid.
        let result = unsafe {
            let flags = libc::fcntl(descriptor, libc::F_GETFL);
            if libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0 {
                return Err(io::Error::last_os_error());
            }
            libc::epoll_ctl(self.sleeper.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &raw mut event)
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// For queue pairs: where completions of what they send and of what comes go.
    pub fn queues(&self) -> (*mut Cq, *mut Cq) {
        (self.sent, self.received)
    }

    /// How often in a row nobody was gone where that was looked for.
    #[cfg(all(test, not(miri)))]
    pub fn looked_in_vain(&self) -> u32 {
        self.looked_in_vain.load(Ordering::Relaxed)
    }

    /// Makes room for the completions of so many connections, besides those of datagrams.
    pub fn make_room(&self, connections: usize) -> Result<()> {
        let Device { limits, name, .. } = &*self.device;
        let [sent, received] = entries_for(connections);
        let describe = |why: &str| {
            let hint = "with GRAVEL_VERBS_CONNECT_ALL no smaller than the number of peers, all are connected at once";
            format!("making a completion queue of {} entries on {name}: {why} ({hint})", sent.max(received))
        };
        if sent.max(received) > limits.completions {
            let why = format!("the device has at most {}", limits.completions);
            return Err(Error::system(describe(&why), &io::Error::from_raw_os_error(libc::EINVAL)).into());
        }
        for (queue, entries) in [(self.sent, sent), (self.received, received)] {
            // SAFETY: the queue is open.
            let code = unsafe { (self.device.library().resize_cq)(queue, entries as c_int) };
            if code != 0 {
                let cause = io::Error::from_raw_os_error(code);
                return Err(Error::system(describe("the device can't make it longer"), &cause).into());
            }
        }
        Ok(())
    }

    /// Whoever waits is to look again so long from now, at the latest.
    pub fn look_again(&self, after: Duration) {
        sleeping::set_timer(&self.again, after);
    }

    /// Takes completions of what was sent, and says how many. An error means that the queue is lost.
    pub fn take_sent(&self, found: &mut [Wc; BATCH]) -> io::Result<usize> {
        take(self.sent, found)
    }

    /// Takes completions of what has come, and says how many.
    #[inline(always)]
    pub fn take_received(&self, found: &mut [Wc; BATCH]) -> io::Result<usize> {
        take(self.received, found)
    }

    /// Whether the device has told anything. Asked at every look, and hardly ever true: an exchange would cost more than the
    /// rest of the look.
    #[inline(always)]
    pub fn has_trouble(&self) -> bool {
        self.has_trouble.load(Ordering::Relaxed)
    }

    /// What the device has told since the last call.
    #[cold]
    pub fn take_trouble(&self) -> Vec<Trouble> {
        self.has_trouble.swap(false, Ordering::Acquire);
        std::mem::take(&mut self.trouble.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks both queues for an event, unless they have been asked and none has come. True if they had to be asked:
    /// what came before that raises none, so somebody must look.
    fn request_events(&self) -> bool {
        if self.requested.swap(true, Ordering::SeqCst) {
            return false;
        }
        // SAFETY: both queues are open. A failure means that the device is gone, of which it tells by an event.
        unsafe {
            library::req_notify_cq(self.sent, false);
            library::req_notify_cq(self.received, true);
        }
        true
    }

    /// Takes the events of completions that have come; true if there were any.
    fn take_completion_events(&self) -> bool {
        let mut any = false;
        loop {
            let (mut queue, mut context) = (ptr::null_mut::<Cq>(), ptr::null_mut::<c_void>());
            // SAFETY: the channel is open and does not block. An event that was taken is acknowledged at once: whoever
            // destroys its queue would wait for that.
            unsafe {
                if (self.device.library().get_cq_event)(self.channel, &raw mut queue, &raw mut context) != 0 {
                    return any;
                }
                (self.device.library().ack_cq_events)(queue, 1);
            }
            any = true;
        }
    }

    /// Takes what the device tells about itself; true if there was anything.
    fn take_device_events(&self) -> bool {
        let mut any = false;
        loop {
            let mut event = AsyncEvent { element: ptr::null_mut(), event_type: 0 };
            let library = self.device.library();
            // SAFETY: the context is open, and its descriptor does not block.
            if unsafe { (library.get_async_event)(self.device.context(), &raw mut event) } != 0 {
                return any;
            }
            let text = library.event_text(event.event_type);
            let name = &self.device.name;
            let trouble = match event.event_type {
                event::QP_FATAL | event::QP_REQ_ERR | event::QP_ACCESS_ERR => {
                    Some(Trouble::QueuePair(event.element.addr(), text))
                }
                event::CQ_ERR | event::DEVICE_FATAL => Some(Trouble::Device(format!("{name}: {text}"))),
                event::PORT_ERR => {
                    log::warning!("{name} is down ({text}): messages wait until it is up again, or are given up");
                    None
                }
                event::PORT_ACTIVE => {
                    log::warning!("{name} is up again");
                    None
                }
                _ => {
                    log::info!("{name}: {text}");
                    None
                }
            };
            if let Some(trouble) = trouble {
                self.note(trouble);
            }
            any = true;
            // SAFETY: the event was taken above, and is acknowledged once.
            unsafe { (library.ack_async_event)(&raw mut event) };
        }
    }

    fn note(&self, trouble: Trouble) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).push(trouble);
        self.has_trouble.store(true, Ordering::Release);
    }
}

/// Entries of both queues for so many connections, and for datagrams.
pub fn entries_for(connections: usize) -> [u32; 2] {
    let connections = u32::try_from(connections).unwrap_or(u32::MAX);
    let entries = |each: u32, more| connections.saturating_mul(each).saturating_add(more);
    [entries(SEND_DEPTH, datagram::SENDS), entries(RECEIVE_DEPTH, datagram::RECEIVES)]
}

impl Drop for Completions {
    fn drop(&mut self) {
        for descriptor in [&self.sleeper, &self.wake, &self.again, &self.gone] {
            fork::remove_descriptor(descriptor.as_raw_fd());
        }
        let library = self.device.library();
        // SAFETY: the queue pairs hold this value, so they are gone; all events have been acknowledged.
        unsafe {
            for queue in [self.sent, self.received] {
                if !queue.is_null() {
                    (library.destroy_cq)(queue);
                }
            }
            if !self.channel.is_null() {
                fork::remove_descriptor(self.channel_descriptor());
                (library.destroy_comp_channel)(self.channel);
            }
        }
    }
}

/// Into a place that is made once: it is large, and nearly every look finds nothing.
#[inline(always)]
fn take(queue: *mut Cq, found: &mut [Wc; BATCH]) -> io::Result<usize> {
    // SAFETY: the queue is open as long as the value that it belongs to.
    let count = unsafe { library::poll_cq(queue, found) };
    usize::try_from(count).map_err(|_| io::Error::other("the completion queue is lost"))
}

fn descriptors() -> io::Result<[OwnedFd; 4]> {
    let own = |descriptor: RawFd| {
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        fork::add_descriptor(descriptor);
        // SAFETY: just opened, and nobody else's.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    };
    // SAFETY: these calls have no preconditions.
    unsafe {
        let sleeper = own(libc::epoll_create1(libc::EPOLL_CLOEXEC))?;
        let wake = own(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))?;
        let timer = || own(libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK));
        Ok([sleeper, wake, timer()?, timer()?])
    }
}
