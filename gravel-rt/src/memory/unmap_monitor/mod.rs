//! Tells when memory of the program is not what it was: unmapped, mapped anew, moved, or emptied.
//!
//! Whoever keeps something by an address (a registration with a device, pages that peers have mapped) must know when
//! other memory lies there. The kernel tells by userfaultfd(2): of a range that is registered with it, every `munmap`,
//! `mremap`, `brk`, and `madvise` that drops pages waits until its event has been read. Ranges are registered for write
//! protection, which is then never used, so no access of the program faults or becomes slower. No privilege is needed.
//!
//! A thread reads the events. It takes no lock, allocates nothing and frees nothing: whoever unmaps memory waits for
//! it, which may be any thread of the process, holding any lock. What a program has unmapped before it calls is seen by
//! [`UnmapMonitor::is_intact`], by whichever thread; a thread that is unmapping at that very moment, too, is seen.
//!
//! # Pages that were moved into a memfd
//!
//! They are watched differently ([`UnmapMonitor::watch_moved`]), because the kernel does less for a shared mapping than
//! for the private memory that the program takes it for. `madvise(MADV_DONTNEED)` takes the pages away and leaves their
//! contents in the memfd: the next access would find what should be zeros. Allocators rely on the zeros. So what is
//! emptied must be emptied in the memfd, too, before the caller goes on; and not a moment later, for it may write there
//! at once. Reading the event lets it go on. But a caller whose event has not been read stands still, and
//! `emptying` finds out who that is and what it empties.
//!
//! A range that is unmapped is emptied in the memfd, too, so that its memory is free at once, unless it was moved to
//! another address.

mod emptying;
#[cfg(all(test, not(miri), not(loom)))]
mod tests;
#[cfg(all(test, not(miri), not(loom)))]
mod tests_of_moved_pages;
mod uffd;

use std::ffi::{c_int, c_ulong};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;

use self::emptying::Emptying;
use super::program_data::is_private_anonymous;
use super::{MemoryRange, fork, page_size};
use crate::sys::thread;

/// Ranges that may be watched at once. Each splits a mapping of the process, of which the kernel allows 65530.
const SLOTS: usize = 2048;
/// Who may share a thread, over its whole life.
const CLIENTS: usize = 64;
/// What is in a slot in the place of a descriptor.
const NO_MEMFD: RawFd = -1;

#[derive(Debug)]
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    is_intact: AtomicBool,
    /// Where its pages are, if they were moved.
    memfd: AtomicI32,
    /// Whether some of its pages have got another address: what is at the old one says nothing about them.
    has_left: AtomicBool,
    /// Whose it is.
    client: AtomicUsize,
}

impl Slot {
    fn new() -> Self {
        Self {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            is_intact: AtomicBool::new(false),
            memfd: AtomicI32::new(NO_MEMFD),
            has_left: AtomicBool::new(false),
            client: AtomicUsize::new(0),
        }
    }

    fn range(&self) -> MemoryRange {
        MemoryRange { start: self.start.load(Ordering::Relaxed), end: self.end.load(Ordering::Relaxed) }
    }

    /// Makes the part of a range that is in a memfd read as zeros there.
    fn empty(&self, range: MemoryRange) {
        let memfd = self.memfd.load(Ordering::SeqCst);
        let part = range.intersection(self.range());
        if memfd == NO_MEMFD || part.bytes() == 0 || self.has_left.load(Ordering::SeqCst) {
            return;
        }
        let place = (part.start - self.start.load(Ordering::Relaxed)) as libc::off_t;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: the descriptor is open while it is in the slot. What is emptied is the program's no more: it has unmapped it,
        // or is inside a call that empties it.
        unsafe { libc::fallocate(memfd, mode, place, part.bytes() as libc::off_t) };
    }
}

/// One of those who share a thread.
#[derive(Default)]
struct Client {
    /// Whether a range of its has ceased to be intact since it asked.
    has_changed: AtomicBool,
    /// Whether it is still there.
    listens: AtomicBool,
    /// Called by the thread, from inside whatever it is that waits for it.
    tell: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

struct Shared {
    events: OwnedFd,
    stop: OwnedFd,
    /// Odd while an event that may have been read has not been noted.
    step: AtomicU64,
    slots: Box<[Slot]>,
    clients: [Client; CLIENTS],
}

/// A thread that reads events, and what it shares with those who want to know.
struct Core {
    shared: Arc<Shared>,
    free: Mutex<Vec<usize>>,
    clients: AtomicUsize,
    /// Whether it can be known who empties memory, or why not.
    sees_emptying: Result<(), String>,
    thread: Option<JoinHandle<()>>,
}

/// A range that is watched.
#[derive(Debug, PartialEq, Eq)]
pub struct Watch(usize);

/// Watches ranges of this process's memory.
pub struct UnmapMonitor {
    core: Arc<Core>,
    client: usize,
}

impl UnmapMonitor {
    /// Watches nothing yet. An error where the kernel does not tell, or not this process. When a range is not intact
    /// any more, `tell` is called by another thread: it must neither lock, nor allocate or free memory.
    pub fn new(tell: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        Self::of(Arc::new(Core::new()?), Box::new(tell))
    }

    /// As [`UnmapMonitor::new`], but shares the thread with others of this process. The kernel tells only one of a range,
    /// and a caller that stands still can only be told from others where it waits for this very one.
    pub fn shared(tell: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        static PROCESS: Mutex<Weak<Core>> = Mutex::new(Weak::new());
        let mut process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let core = match process.upgrade().filter(|core| core.clients.load(Ordering::Relaxed) < CLIENTS) {
            Some(core) => core,
            None => {
                let core = Arc::new(Core::new()?);
                *process = Arc::downgrade(&core);
                core
            }
        };
        Self::of(core, Box::new(tell))
    }

    fn of(core: Arc<Core>, tell: Box<dyn Fn() + Send + Sync>) -> io::Result<Self> {
        let client = core.clients.fetch_add(1, Ordering::Relaxed);
        let place = core.shared.clients.get(client).ok_or_else(|| io::Error::from(io::ErrorKind::QuotaExceeded))?;
        place.tell.get_or_init(|| tell);
        place.listens.store(true, Ordering::SeqCst);
        Ok(Self { core, client })
    }

    /// Watches a range from now on; nothing if that can't be done for this kind of memory, or for no more of it.
    pub fn watch(&mut self, range: MemoryRange) -> Option<Watch> {
        let page = page_size();
        let (start, end) = (range.start & !(page - 1), range.end.checked_next_multiple_of(page)?);
        // Of memory that others can change by another name, the kernel does not tell everything.
        if start == end || !is_private_anonymous(MemoryRange { start, end }) {
            return None;
        }
        self.begin(MemoryRange { start, end }, NO_MEMFD).ok()
    }

    /// Why pages that were moved can't be watched here, if they can't.
    pub fn sees_emptying(&self) -> Result<(), &str> {
        self.core.sees_emptying.as_ref().map(|&()| ()).map_err(String::as_str)
    }

    /// Watches pages that were moved into the beginning of a memfd. What is emptied at their addresses is emptied in the
    /// memfd, also when other parts have gone; until the watch is forgotten, which must be before the memfd is closed.
    ///
    /// # Errors
    /// If the kernel does not tell of such memory, or others watch it, or too much is watched.
    pub fn watch_moved(&mut self, range: MemoryRange, memfd: RawFd) -> io::Result<Watch> {
        self.begin(range, memfd)
    }

    fn begin(&mut self, range: MemoryRange, memfd: RawFd) -> io::Result<Watch> {
        let place = self.core.free().pop().ok_or_else(|| io::Error::from(io::ErrorKind::QuotaExceeded))?;
        let slot = &self.core.shared.slots[place];
        slot.client.store(self.client, Ordering::Relaxed);
        slot.start.store(range.start, Ordering::Relaxed);
        slot.end.store(range.end, Ordering::Relaxed);
        slot.has_left.store(false, Ordering::Relaxed);
        slot.memfd.store(memfd, Ordering::SeqCst);
        slot.is_intact.store(true, Ordering::SeqCst);
        let (start, len) = (range.start as u64, range.bytes() as u64);
        let mut register = uffd::Register { start, len, mode: uffd::REGISTER_MODE_WP, ioctls: 0 };
        control(&self.core.shared.events, uffd::IOCTL_REGISTER, &raw mut register).inspect_err(|_| {
            self.forget(Watch(place));
        })?;
        Ok(Watch(place))
    }

    /// Whether the memory still is what it was when the watch began.
    pub fn is_intact(&self, watch: &Watch) -> bool {
        let slot = &self.core.shared.slots[watch.0];
        self.wait_until_noted();
        if !slot.is_intact.load(Ordering::SeqCst) {
            return false;
        }
        // While another thread is about to tell, this fails with EAGAIN; it changes nothing.
        let (start, len) = (slot.start.load(Ordering::Relaxed) as u64, page_size() as u64);
        let mut nothing = uffd::WriteProtect { start, len, mode: 0 };
        control(&self.core.shared.events, uffd::IOCTL_WRITEPROTECT, &raw mut nothing).is_ok()
    }

    /// As [`UnmapMonitor::is_intact`], of what has been noted so far: after [`UnmapMonitor::settle`], all.
    pub fn was_intact(&self, watch: &Watch) -> bool {
        self.core.shared.slots[watch.0].is_intact.load(Ordering::SeqCst)
    }

    /// Returns when everything has been noted that any thread has unmapped before the call.
    pub fn settle(&self) {
        loop {
            // An empty range: EAGAIN as long as an event is under way, from before memory is unmapped until it has been
            // read; else EINVAL, at the cost of a system call.
            let mut nothing = uffd::WriteProtect { start: 0, len: 0, mode: 0 };
            match control(&self.core.shared.events, uffd::IOCTL_WRITEPROTECT, &raw mut nothing) {
                Err(cause) if cause.raw_os_error() == Some(libc::EAGAIN) => std::thread::yield_now(),
                _ => break,
            }
        }
        self.wait_until_noted();
    }

    /// Whether any range has ceased to be intact since the last call.
    pub fn take_change(&self) -> bool {
        self.wait_until_noted();
        let changed = &self.core.shared.clients[self.client].has_changed;
        changed.load(Ordering::Relaxed) && changed.swap(false, Ordering::AcqRel)
    }

    /// Whoever has unmapped something goes on once its event has been read, and it may not have been noted yet.
    fn wait_until_noted(&self) {
        while !self.core.shared.step.load(Ordering::SeqCst).is_multiple_of(2) {
            std::thread::yield_now();
        }
    }

    /// Ends a watch. The kernel goes on telling of the range, as another watch may have a part of it.
    pub fn forget(&mut self, watch: Watch) {
        let slot = &self.core.shared.slots[watch.0];
        slot.is_intact.store(false, Ordering::SeqCst);
        if slot.memfd.swap(NO_MEMFD, Ordering::SeqCst) != NO_MEMFD {
            // The thread may have read it before.
            self.wait_until_noted();
        }
        self.core.free().push(watch.0);
    }

    /// Ranges that can be watched besides those that are.
    #[cfg(test)]
    fn free_slots(&self) -> usize {
        self.core.free().len()
    }
}

impl Drop for UnmapMonitor {
    fn drop(&mut self) {
        let shared = &self.core.shared;
        shared.clients[self.client].listens.store(false, Ordering::SeqCst);
        // Watches that were not forgotten are nobody's; others may share the thread.
        let mut free = self.core.free();
        for (place, slot) in shared.slots.iter().enumerate() {
            if slot.client.load(Ordering::Relaxed) == self.client && !free.contains(&place) {
                slot.is_intact.store(false, Ordering::SeqCst);
                slot.memfd.store(NO_MEMFD, Ordering::SeqCst);
                slot.client.store(CLIENTS, Ordering::Relaxed);
                free.push(place);
            }
        }
        drop(free);
        self.wait_until_noted();
    }
}

impl Core {
    fn new() -> io::Result<Self> {
        // SAFETY: a system call without preconditions.
        let events = own(unsafe {
            libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | libc::O_NONBLOCK | uffd::USER_MODE_ONLY) as RawFd
        })?;
        let features = uffd::FEATURE_PAGEFAULT_FLAG_WP
            | uffd::FEATURE_EVENT_REMAP
            | uffd::FEATURE_EVENT_REMOVE
            | uffd::FEATURE_EVENT_UNMAP;
        let mut api = uffd::Api { api: uffd::API, features, ioctls: 0 };
        control(&events, uffd::IOCTL_API, &raw mut api)?;
        // SAFETY: no preconditions.
        let stop = own(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) })?;
        let shared = Arc::new(Shared {
            events,
            stop,
            step: AtomicU64::new(0),
            slots: (0..SLOTS).map(|_| Slot::new()).collect(),
            clients: std::array::from_fn(|_| Client::default()),
        });
        let (emptying, sees_emptying) = match Emptying::new() {
            Ok(emptying) => (Some(emptying), Ok(())),
            Err(cause) => (None, Err(cause)),
        };
        let thread = {
            let shared = Arc::clone(&shared);
            thread::start("gravel-unmap", move || run(&shared, emptying)).map_err(|cause| {
                io::Error::other(format!("starting thread gravel-unmap (limit: RLIMIT_NPROC): {cause}"))
            })?
        };
        let free = Mutex::new((0..SLOTS).rev().collect());
        Ok(Self { shared, free, clients: AtomicUsize::new(0), sees_emptying, thread: Some(thread) })
    }

    /// Never locked by the thread.
    fn free(&self) -> MutexGuard<'_, Vec<usize>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let one = 1u64;
        // SAFETY: eight bytes, as an eventfd wants.
        unsafe { libc::write(self.shared.stop.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            crate::sys::log::error!("the thread that hears of unmapped memory ended with an internal error");
        }
        for descriptor in [&self.shared.events, &self.shared.stop] {
            fork::remove_descriptor(descriptor.as_raw_fd());
        }
    }
}

fn own(descriptor: RawFd) -> io::Result<OwnedFd> {
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    fork::add_descriptor(descriptor);
    // SAFETY: just opened, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn control<T>(events: &OwnedFd, request: c_ulong, argument: *mut T) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the argument the structure that the request takes.
    let result: c_int = unsafe { libc::ioctl(events.as_raw_fd(), request as _, argument) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn run(shared: &Shared, mut emptying: Option<Emptying>) {
    let watched = |descriptor: &OwnedFd| libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut descriptors = [watched(&shared.events), watched(&shared.stop)];
    loop {
        // SAFETY: an array of the given length.
        unsafe { libc::poll(descriptors.as_mut_ptr(), descriptors.len() as libc::nfds_t, -1) };
        if descriptors[1].revents != 0 {
            break;
        }
        shared.step.fetch_add(1, Ordering::SeqCst);
        let told = read_events(shared, emptying.as_mut());
        shared.step.fetch_add(1, Ordering::SeqCst);
        for (place, client) in shared.clients.iter().enumerate() {
            if told & (1 << place) != 0
                && client.listens.load(Ordering::SeqCst)
                && let Some(tell) = client.tell.get()
            {
                tell();
            }
        }
    }
    // Nobody reads events from here on: what is unmapped must not wait for that. Memory of this process is not touched
    // by what this thread still does, but for its stack.
    for slot in &shared.slots {
        slot.is_intact.store(false, Ordering::SeqCst);
    }
    // SAFETY: /dev/null in the place of the descriptor closes what was there and keeps the number ours.
    unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if null >= 0 {
            libc::dup3(null, shared.events.as_raw_fd(), libc::O_CLOEXEC);
            libc::close(null);
        }
    }
}

/// Notes the events that have come. Which clients have a range that is not intact any more, a bit for each.
fn read_events(shared: &Shared, mut emptying: Option<&mut Emptying>) -> u64 {
    let mut told = 0;
    let mut have_woken = false;
    while is_readable(&shared.events) {
        // Before the event is read: then whoever waits goes on.
        if let Some(emptying) = emptying.as_mut()
            && shared.slots.iter().any(|slot| slot.memfd.load(Ordering::SeqCst) != NO_MEMFD)
        {
            emptying.each(have_woken, |range| shared.slots.iter().for_each(|slot| slot.empty(range)));
        }
        let mut message = uffd::Message { event: 0, reserved: [0; 7], arguments: [0; 3] };
        let bytes = size_of::<uffd::Message>();
        // SAFETY: room for one message.
        let got = unsafe { libc::read(shared.events.as_raw_fd(), (&raw mut message).cast(), bytes) };
        if usize::try_from(got) == Ok(bytes) {
            told |= note(shared, &message);
            have_woken = true;
        }
    }
    told
}

/// Notes one event.
fn note(shared: &Shared, message: &uffd::Message) -> u64 {
    let [first, second, third] = message.arguments.map(|argument| argument as usize);
    let range = match message.event {
        uffd::EVENT_REMOVE | uffd::EVENT_UNMAP => MemoryRange { start: first, end: second },
        uffd::EVENT_REMAP => MemoryRange { start: first, end: first.saturating_add(third) },
        _ => return 0,
    };
    let mut told = 0;
    for slot in &shared.slots {
        if slot.range().intersection(range).bytes() == 0 {
            continue;
        }
        let has_moved_pages = slot.memfd.load(Ordering::SeqCst) != NO_MEMFD;
        match message.event {
            // They have been emptied where they are, and are still there.
            uffd::EVENT_REMOVE if has_moved_pages => continue,
            uffd::EVENT_UNMAP => slot.empty(range),
            uffd::EVENT_REMAP => slot.has_left.store(true, Ordering::SeqCst),
            _ => {}
        }
        let client = slot.client.load(Ordering::Relaxed);
        // Of pages that were moved the rest is still somebody's.
        if (slot.is_intact.swap(false, Ordering::SeqCst) || has_moved_pages)
            && let Some(place) = shared.clients.get(client)
        {
            place.has_changed.store(true, Ordering::Release);
            told |= 1 << client;
        }
    }
    told
}

fn is_readable(descriptor: &OwnedFd) -> bool {
    let mut wanted = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, as it is told.
    unsafe { libc::poll(&raw mut wanted, 1, 0) == 1 && wanted.revents & libc::POLLIN != 0 }
}
