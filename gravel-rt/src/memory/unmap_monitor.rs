//! Tells when memory of the program is not what it was: unmapped, mapped anew, moved, or emptied.
//!
//! Whoever keeps something by an address (a registration with a device, above all) must know when other memory lies
//! there. The kernel tells by userfaultfd(2): of a range that is registered with it, every `munmap`, `mremap`, `brk`,
//! and `madvise` that drops pages waits until its event has been read. Ranges are registered for write protection,
//! which is then never used, so no access of the program faults or becomes slower. No privilege is needed.
//!
//! A thread reads the events. It takes no lock, allocates nothing and frees nothing: whoever unmaps memory waits for
//! it, which may be any thread of the process, holding any lock. What a program has unmapped before it calls is seen by
//! [`UnmapMonitor::is_intact`], by whichever thread; a thread that is unmapping at that very moment, too, is seen.

use std::ffi::{c_int, c_ulong};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use super::program_data::is_private_anonymous;
use super::{MemoryRange, fork, page_size};
use crate::sys::thread;

/// Ranges that may be watched at once. Each splits a mapping of the process, of which the kernel allows 65530.
const SLOTS: usize = 1024;

/// What <linux/userfaultfd.h> defines, as far as it is used here.
mod uffd {
    use std::ffi::{c_int, c_ulong};

    pub const API: u64 = 0xaa;
    pub const USER_MODE_ONLY: c_int = 1;
    pub const FEATURE_PAGEFAULT_FLAG_WP: u64 = 1 << 0;
    pub const FEATURE_EVENT_REMAP: u64 = 1 << 2;
    pub const FEATURE_EVENT_REMOVE: u64 = 1 << 3;
    pub const FEATURE_EVENT_UNMAP: u64 = 1 << 6;
    pub const REGISTER_MODE_WP: u64 = 1 << 1;
    pub const EVENT_REMAP: u8 = 0x14;
    pub const EVENT_REMOVE: u8 = 0x15;
    pub const EVENT_UNMAP: u8 = 0x16;
    pub const IOCTL_API: c_ulong = 0xc018_aa3f;
    pub const IOCTL_REGISTER: c_ulong = 0xc020_aa00;
    pub const IOCTL_WRITEPROTECT: c_ulong = 0xc018_aa06;

    #[repr(C)]
    pub struct Api {
        pub api: u64,
        pub features: u64,
        pub ioctls: u64,
    }

    #[repr(C)]
    pub struct Register {
        pub start: u64,
        pub len: u64,
        pub mode: u64,
        pub ioctls: u64,
    }

    #[repr(C)]
    pub struct WriteProtect {
        pub start: u64,
        pub len: u64,
        pub mode: u64,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Message {
        pub event: u8,
        pub reserved: [u8; 7],
        /// Start and end; of a move from, to, and length.
        pub arguments: [u64; 3],
    }
}

#[derive(Debug, Default)]
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    is_intact: AtomicBool,
}

struct Shared {
    events: OwnedFd,
    stop: OwnedFd,
    /// Odd while an event that may have been read has not been noted.
    step: AtomicU64,
    /// Whether a range has ceased to be intact since somebody asked.
    has_changed: AtomicBool,
    slots: Box<[Slot]>,
    /// Called by the thread, from inside whatever it is that waits for it.
    tell: Box<dyn Fn() + Send + Sync>,
}

/// A range that is watched.
#[derive(Debug, PartialEq, Eq)]
pub struct Watch(usize);

/// Watches ranges of this process's memory.
pub struct UnmapMonitor {
    shared: Arc<Shared>,
    free: Vec<usize>,
    thread: Option<JoinHandle<()>>,
}

impl UnmapMonitor {
    /// Watches nothing yet. An error where the kernel does not tell, or not this process. When a range is not intact
    /// any more, `tell` is called by another thread: it must neither lock, nor allocate or free memory.
    pub fn new(tell: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
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
            has_changed: AtomicBool::new(false),
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            tell: Box::new(tell),
        });
        let thread = {
            let shared = Arc::clone(&shared);
            thread::start("gravel-unmap", move || run(&shared)).map_err(|cause| {
                io::Error::other(format!("starting thread gravel-unmap (limit: RLIMIT_NPROC): {cause}"))
            })?
        };
        Ok(Self { shared, free: (0..SLOTS).rev().collect(), thread: Some(thread) })
    }

    /// Watches a range from now on; nothing if that can't be done for this kind of memory, or for no more of it.
    pub fn watch(&mut self, range: MemoryRange) -> Option<Watch> {
        let page = page_size();
        let (start, end) = (range.start & !(page - 1), range.end.checked_next_multiple_of(page)?);
        // Of memory that others can change by another name, the kernel does not tell everything.
        if start == end || !is_private_anonymous(MemoryRange { start, end }) {
            return None;
        }
        let place = self.free.pop()?;
        let slot = &self.shared.slots[place];
        slot.start.store(start, Ordering::Relaxed);
        slot.end.store(end, Ordering::Relaxed);
        slot.is_intact.store(true, Ordering::SeqCst);
        let (start, len) = (start as u64, (end - start) as u64);
        let mut register = uffd::Register { start, len, mode: uffd::REGISTER_MODE_WP, ioctls: 0 };
        if control(&self.shared.events, uffd::IOCTL_REGISTER, &raw mut register).is_err() {
            self.forget(Watch(place));
            return None;
        }
        Some(Watch(place))
    }

    /// Whether the memory still is what it was when the watch began.
    pub fn is_intact(&self, watch: &Watch) -> bool {
        let slot = &self.shared.slots[watch.0];
        self.wait_until_noted();
        if !slot.is_intact.load(Ordering::SeqCst) {
            return false;
        }
        // While another thread is about to tell, this fails with EAGAIN; it changes nothing.
        let (start, len) = (slot.start.load(Ordering::Relaxed) as u64, page_size() as u64);
        let mut nothing = uffd::WriteProtect { start, len, mode: 0 };
        control(&self.shared.events, uffd::IOCTL_WRITEPROTECT, &raw mut nothing).is_ok()
    }

    /// Whether any range has ceased to be intact since the last call.
    pub fn take_change(&self) -> bool {
        self.wait_until_noted();
        self.shared.has_changed.load(Ordering::Relaxed) && self.shared.has_changed.swap(false, Ordering::AcqRel)
    }

    /// Whoever has unmapped something goes on once its event has been read, and it may not have been noted yet.
    fn wait_until_noted(&self) {
        while !self.shared.step.load(Ordering::SeqCst).is_multiple_of(2) {
            std::thread::yield_now();
        }
    }

    /// Ends a watch. The kernel goes on telling of the range, as another watch may have a part of it.
    pub fn forget(&mut self, watch: Watch) {
        self.shared.slots[watch.0].is_intact.store(false, Ordering::SeqCst);
        self.free.push(watch.0);
    }
}

impl Drop for UnmapMonitor {
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

fn run(shared: &Shared) {
    let watched = |descriptor: &OwnedFd| libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut descriptors = [watched(&shared.events), watched(&shared.stop)];
    loop {
        // SAFETY: an array of the given length.
        unsafe { libc::poll(descriptors.as_mut_ptr(), descriptors.len() as libc::nfds_t, -1) };
        if descriptors[1].revents != 0 {
            break;
        }
        shared.step.fetch_add(1, Ordering::SeqCst);
        let any = read_events(shared);
        shared.step.fetch_add(1, Ordering::SeqCst);
        if any {
            (shared.tell)();
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

/// Notes the events that have come; true if one was about a range that is watched.
fn read_events(shared: &Shared) -> bool {
    let mut any = false;
    loop {
        let mut message = uffd::Message { event: 0, reserved: [0; 7], arguments: [0; 3] };
        let bytes = size_of::<uffd::Message>();
        // SAFETY: room for one message.
        let got = unsafe { libc::read(shared.events.as_raw_fd(), (&raw mut message).cast(), bytes) };
        if usize::try_from(got) != Ok(bytes) {
            return any;
        }
        let [first, second, third] = message.arguments;
        let (start, end) = match message.event {
            uffd::EVENT_REMOVE | uffd::EVENT_UNMAP => (first, second),
            uffd::EVENT_REMAP => (first, first.saturating_add(third)),
            _ => continue,
        };
        for slot in &shared.slots {
            let overlaps =
                (slot.start.load(Ordering::Relaxed) as u64) < end && start < slot.end.load(Ordering::Relaxed) as u64;
            if overlaps && slot.is_intact.swap(false, Ordering::SeqCst) {
                shared.has_changed.store(true, Ordering::Release);
                any = true;
            }
        }
    }
}

#[cfg(all(test, not(miri), not(loom)))]
mod tests {
    use std::io::Write as _;
    use std::mem::offset_of;
    use std::ptr;

    use super::*;

    const BYTES: usize = 1 << 20;
    type Way = fn(MemoryRange);

    fn map(place: usize, flags: c_int) -> MemoryRange {
        let flags = libc::MAP_ANONYMOUS | flags;
        // SAFETY: a new mapping, in the place of one of the test's own if one is given.
        let start = unsafe {
            let place = ptr::with_exposed_provenance_mut(place);
            libc::mmap(place, BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.expose_provenance();
        MemoryRange { start, end: start + BYTES }
    }

    fn monitor() -> Option<UnmapMonitor> {
        match UnmapMonitor::new(|| {}) {
            Ok(monitor) => Some(monitor),
            Err(cause) => {
                // Past the capture of test output: what is not tested is seen.
                let _ = writeln!(std::io::stderr(), "SKIPPED: the kernel does not tell of unmapped memory: {cause}");
                None
            }
        }
    }

    #[test]
    fn every_way_to_other_memory_is_noticed_at_once() {
        let Some(mut monitor) = monitor() else { return };
        let ways: [(&str, Way); 7] = [
            ("nothing", |_| {}),
            ("unmapped", |range| {
                // SAFETY: the test's own mapping, as in all of these.
                assert_eq!(unsafe { libc::munmap(ptr::with_exposed_provenance_mut(range.start), BYTES) }, 0);
            }),
            ("a page in the middle unmapped", |range| {
                let page = ptr::with_exposed_provenance_mut(range.start + BYTES / 2);
                // SAFETY: as above.
                assert_eq!(unsafe { libc::munmap(page, 4096) }, 0);
            }),
            ("mapped anew", |range| {
                let _: MemoryRange = map(range.start, libc::MAP_PRIVATE | libc::MAP_FIXED);
            }),
            ("emptied", |range| {
                let start = ptr::with_exposed_provenance_mut(range.start + BYTES - 8192);
                // SAFETY: as above.
                assert_eq!(unsafe { libc::madvise(start, 4096, libc::MADV_DONTNEED) }, 0);
            }),
            ("given up", |range| {
                let start = ptr::with_exposed_provenance_mut(range.start);
                // SAFETY: as above.
                assert_eq!(unsafe { libc::madvise(start, 4096, libc::MADV_FREE) }, 0);
            }),
            ("moved", |range| {
                let start = ptr::with_exposed_provenance_mut(range.start);
                // SAFETY: as above.
                let moved = unsafe { libc::mremap(start, BYTES, 2 * BYTES, libc::MREMAP_MAYMOVE) };
                assert_ne!(moved, libc::MAP_FAILED);
            }),
        ];
        for (name, way) in ways {
            for _ in 0..20 {
                let range = map(0, libc::MAP_PRIVATE);
                // Not on the edges of pages.
                let watch = monitor.watch(MemoryRange { start: range.start + 100, end: range.end - 100 }).expect(name);
                assert!(monitor.is_intact(&watch), "{name}");
                let before = map(0, libc::MAP_PRIVATE);
                // Memory beside it is none of its.
                // SAFETY: just mapped.
                unsafe { libc::munmap(ptr::with_exposed_provenance_mut(before.start), BYTES) };
                assert!(monitor.is_intact(&watch), "{name}");
                if name == "moved" {
                    // Behind it there is something: it can't grow where it is.
                    let _ = map(range.end, libc::MAP_PRIVATE);
                }
                way(range);
                let is_gone = !monitor.is_intact(&watch);
                // A mapping may have grown without moving.
                assert!(is_gone == (name != "nothing") || name == "moved", "{name}");
                monitor.forget(watch);
            }
            assert!(monitor.take_change() == (name != "nothing") || name == "moved");
        }
    }

    #[test]
    fn other_threads_are_noticed_too() {
        let Some(mut monitor) = monitor() else { return };
        for _ in 0..200 {
            let range = map(0, libc::MAP_PRIVATE);
            let watch = monitor.watch(range).expect("anonymous memory");
            let again = std::thread::spawn(move || map(range.start, libc::MAP_PRIVATE | libc::MAP_FIXED));
            // Whatever has been written there when the watch still holds, is written to the old pages.
            again.join().expect("it maps");
            assert!(!monitor.is_intact(&watch));
            monitor.forget(watch);
        }
    }

    #[test]
    fn memory_that_others_can_change_is_not_watched() {
        let Some(mut monitor) = monitor() else { return };
        assert_eq!(monitor.watch(map(0, libc::MAP_SHARED)), None);
        static CONSTANT: [u8; 8192] = [7; 8192];
        let start = CONSTANT.as_ptr().expose_provenance();
        assert_eq!(monitor.watch(MemoryRange { start, end: start + 8192 }), None);
        assert_eq!(monitor.watch(MemoryRange { start: 4096, end: 8192 }), None, "nothing is mapped there");
        assert_eq!(monitor.free.len(), SLOTS);
    }

    #[test]
    fn nobody_waits_for_a_monitor_that_is_gone() {
        let Some(mut monitor) = monitor() else { return };
        let range = map(0, libc::MAP_PRIVATE);
        assert!(monitor.watch(range).is_some());
        drop(monitor);
        // SAFETY: mapped above.
        assert_eq!(unsafe { libc::munmap(ptr::with_exposed_provenance_mut(range.start), BYTES) }, 0);
    }

    #[test]
    fn places_are_used_again_and_run_out() {
        let Some(mut monitor) = monitor() else { return };
        let range = map(0, libc::MAP_PRIVATE);
        for _ in 0..3 {
            let watches: Vec<Watch> = (0..SLOTS).map(|_| monitor.watch(range).expect("a place")).collect();
            assert_eq!(monitor.watch(range), None);
            watches.into_iter().for_each(|watch| monitor.forget(watch));
        }
    }

    #[test]
    fn structures_are_those_of_the_header() {
        if !std::path::Path::new("/usr/include/linux/userfaultfd.h").exists() {
            let _ = writeln!(std::io::stderr(), "SKIPPED: layout of userfaultfd, whose header is not installed");
            return;
        }
        let same = [
            ("UFFDIO_API".to_owned(), uffd::IOCTL_API),
            ("UFFDIO_REGISTER".to_owned(), uffd::IOCTL_REGISTER),
            ("UFFDIO_WRITEPROTECT".to_owned(), uffd::IOCTL_WRITEPROTECT),
            ("UFFD_USER_MODE_ONLY".to_owned(), uffd::USER_MODE_ONLY as c_ulong),
            ("UFFD_FEATURE_EVENT_UNMAP".to_owned(), uffd::FEATURE_EVENT_UNMAP as c_ulong),
            ("UFFD_FEATURE_EVENT_REMOVE".to_owned(), uffd::FEATURE_EVENT_REMOVE as c_ulong),
            ("UFFD_FEATURE_EVENT_REMAP".to_owned(), uffd::FEATURE_EVENT_REMAP as c_ulong),
            ("UFFD_FEATURE_PAGEFAULT_FLAG_WP".to_owned(), uffd::FEATURE_PAGEFAULT_FLAG_WP as c_ulong),
            ("UFFDIO_REGISTER_MODE_WP".to_owned(), uffd::REGISTER_MODE_WP as c_ulong),
            ("UFFD_EVENT_UNMAP".to_owned(), c_ulong::from(uffd::EVENT_UNMAP)),
            ("UFFD_EVENT_REMOVE".to_owned(), c_ulong::from(uffd::EVENT_REMOVE)),
            ("UFFD_EVENT_REMAP".to_owned(), c_ulong::from(uffd::EVENT_REMAP)),
            ("sizeof(struct uffd_msg)".to_owned(), size_of::<uffd::Message>() as c_ulong),
            ("offsetof(struct uffd_msg, arg)".to_owned(), offset_of!(uffd::Message, arguments) as c_ulong),
            (
                "offsetof(struct uffd_msg, arg.remap.len)".to_owned(),
                offset_of!(uffd::Message, arguments) as c_ulong + 16,
            ),
            ("sizeof(struct uffdio_register)".to_owned(), size_of::<uffd::Register>() as c_ulong),
        ];
        let mut text = String::from("#include <linux/userfaultfd.h>\n#include <sys/ioctl.h>\n#include <stddef.h>\n");
        for (name, value) in same {
            text.push_str(&format!("_Static_assert({name} == {value}UL, \"{name}\");\n"));
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("layouts.c");
        std::fs::write(&source, &text).expect("a file can be written");
        let compiler = std::process::Command::new("cc").arg("-fsyntax-only").arg(&source).output().expect("cc runs");
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    }
}
