//! `fork` with adopted pages: the child gets its own copy of them as they were at the fork, as of any private memory.
//!
//! Adopted pages are shared mappings, which a child would go on sharing with its parent. So the handler that runs in
//! the parent before the fork copies them into private memory, and the one in the child moves these copies over the
//! shared pages. The runtime's own shared segments are not inherited at all (MADV_DONTFORK), and the child may not
//! call the runtime. Adopted pages of the heap are not inherited either, because others may unmap them at any time: the
//! handler copies what is in their memfd, whatever lies at their addresses, and the child maps the copies only where
//! there is nothing. Its sockets would be inherited: the child puts /dev/null in their places, for otherwise peers would not
//! see the end of a rank whose child lives on.
//!
//! `vfork` and `posix_spawn` run no handlers and need none: their child shares all memory until it executes a program.

use std::cell::RefCell;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use super::MemoryRange;
use crate::error::{Error, Result};

/// Adopted pages, and while a fork is under way the address of their copy.
struct Listed {
    range: MemoryRange,
    copy: Option<usize>,
    /// Where the pages are, if they are not inherited.
    memfd: Option<RawFd>,
}

impl Listed {
    /// A private copy in new memory; nothing if there is no memory.
    fn copied(&self) -> Option<usize> {
        match self.memfd {
            Some(memfd) => copy_contents(memfd, self.range.bytes()),
            None => copy_pages(self.range),
        }
    }
}

static ADOPTED: Mutex<Vec<Listed>> = Mutex::new(Vec::new());
/// Descriptors that a child must not keep.
static DESCRIPTORS: Mutex<Vec<RawFd>> = Mutex::new(Vec::new());
static FORKED: AtomicBool = AtomicBool::new(false);

/// Both lists, locked.
type Lists = (MutexGuard<'static, Vec<Listed>>, MutexGuard<'static, Vec<RawFd>>);

thread_local! {
    /// The lists stay locked from before the fork until after it; all three handlers run in the forking thread.
    static DURING_FORK: RefCell<Option<Lists>> = const { RefCell::new(None) };
}

/// Whether this process is a child that was forked after the handlers were installed.
pub fn is_forked_child() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Installs the handlers, once per process.
pub fn install_handlers() -> Result<()> {
    static INSTALL: Once = Once::new();
    static FAILED: AtomicBool = AtomicBool::new(false);
    INSTALL.call_once(|| {
        // SAFETY: the handlers are functions of the right type that do not unwind, and are never unloaded before the
        // process ends: glibc removes handlers of a library that is unloaded.
        let code = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
        FAILED.store(code != 0, Ordering::Relaxed);
    });
    if FAILED.load(Ordering::Relaxed) {
        return Err(Error::system("installing fork handlers", &std::io::Error::from_raw_os_error(libc::ENOMEM)).into());
    }
    Ok(())
}

/// Lists pages that are about to be shared.
pub fn add(range: MemoryRange) -> Result<()> {
    install_handlers()?;
    lock().push(Listed { range, copy: None, memfd: None });
    Ok(())
}

/// Lists pages that are moved into a memfd by the function, which also sees to it that children do not inherit them. No
/// fork happens meanwhile.
pub fn add_moved(range: MemoryRange, memfd: RawFd, moves: impl FnOnce() -> std::io::Result<()>) -> Result<()> {
    install_handlers()?;
    let mut adopted = lock();
    moves()
        .map_err(|cause| Error::system(format!("mapping {} bytes of shared memory in place", range.bytes()), &cause))?;
    adopted.push(Listed { range, copy: None, memfd: Some(memfd) });
    Ok(())
}

/// Takes pages off the list that are private again.
pub fn remove(range: MemoryRange) {
    lock().retain(|listed| listed.range != range || listed.memfd.is_some());
}

/// Takes pages off the list that are nowhere mapped any more.
pub fn remove_moved(memfd: RawFd) {
    lock().retain(|listed| listed.memfd != Some(memfd));
}

/// Lists a descriptor that a forked child must not keep. The handlers have been installed before.
pub fn add_descriptor(descriptor: RawFd) {
    lock_descriptors().push(descriptor);
}

/// Takes a descriptor off the list that is about to be closed.
pub fn remove_descriptor(descriptor: RawFd) {
    lock_descriptors().retain(|&listed| listed != descriptor);
}

fn lock_descriptors() -> MutexGuard<'static, Vec<RawFd>> {
    DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock() -> MutexGuard<'static, Vec<Listed>> {
    ADOPTED.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn before() {
    let mut adopted = lock();
    for listed in adopted.iter_mut() {
        listed.copy = listed.copied();
        if listed.copy.is_none() {
            crate::sys::log::warning!(
                "no memory to copy {} bytes of receive buffers for a forked child: the child may see later contents",
                listed.range.bytes()
            );
        }
    }
    DURING_FORK.with(|during| *during.borrow_mut() = Some((adopted, lock_descriptors())));
}

extern "C" fn in_parent() {
    let Some((mut adopted, _descriptors)) = DURING_FORK.with(RefCell::take) else {
        return;
    };
    for listed in adopted.iter_mut() {
        if let Some(copy) = listed.copy.take() {
            // SAFETY: the copy was mapped by `before` with this length and nobody else knows it.
            unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(copy), listed.range.bytes()) };
        }
    }
}

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
    let Some((mut adopted, mut descriptors)) = DURING_FORK.with(RefCell::take) else {
        return;
    };
    replace_descriptors(&descriptors);
    descriptors.clear();
    // The latest first: where an earlier one has been left, it is what the program has there.
    for listed in adopted.iter_mut().rev() {
        let bytes = listed.range.bytes();
        let start: *mut libc::c_void = std::ptr::with_exposed_provenance_mut(listed.range.start);
        // Where the parent had no memory for a copy, the child tries once more; it may see later contents then.
        let Some(copy) = listed.copy.take().or_else(|| listed.copied()) else { end_child() };
        if listed.memfd.is_some() {
            if !fill_gaps(listed.range, copy) {
                end_child();
            }
            continue;
        }
        let copy = std::ptr::with_exposed_provenance_mut(copy);
        // SAFETY: moves the copy, which nobody else knows, over the shared pages; the child has only this thread.
        let moved = unsafe { libc::mremap(copy, bytes, bytes, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, start) };
        if moved == libc::MAP_FAILED {
            end_child();
        }
    }
    adopted.clear();
}

/// Puts /dev/null in the places of descriptors: their numbers stay in use, for whoever will close them in the child.
fn replace_descriptors(descriptors: &[RawFd]) {
    if descriptors.is_empty() {
        return;
    }
    // SAFETY: system calls that are allowed in a forked child, on descriptors that are the runtime's own.
    unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for &descriptor in descriptors {
            if libc::dup3(null, descriptor, libc::O_CLOEXEC) < 0 {
                libc::close(descriptor);
            }
        }
        libc::close(null);
    }
}

/// A private copy of pages in new memory; its address, or nothing if there is no memory.
fn copy_pages(range: MemoryRange) -> Option<usize> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping.
    let copy = unsafe { libc::mmap(std::ptr::null_mut(), range.bytes(), protection, flags, -1, 0) };
    if copy == libc::MAP_FAILED {
        return None;
    }
    let source: *const u8 = std::ptr::with_exposed_provenance(range.start);
    // SAFETY: both ranges have this length, and a new mapping overlaps nothing. A peer may be writing a receive buffer
    // at this moment: what the child finds in a buffer with a receive pending is undefined in any case.
    unsafe { std::ptr::copy_nonoverlapping(source, copy.cast(), range.bytes()) };
    Some(copy.expose_provenance())
}

/// A private copy of the first bytes of a memfd in new memory; its address, or nothing if there is no memory.
fn copy_contents(memfd: RawFd, bytes: usize) -> Option<usize> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping.
    let copy = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if copy == libc::MAP_FAILED {
        return None;
    }
    let mut done: libc::off_t = 0;
    // What has been emptied is no data, and reads as zeros as the new mapping does.
    // SAFETY: the memfd's offset is used by nobody else, and each read stays inside the mapping.
    unsafe {
        loop {
            let start = libc::lseek(memfd, done, libc::SEEK_DATA);
            let end = libc::lseek(memfd, start.max(0), libc::SEEK_HOLE).min(bytes as libc::off_t);
            if start < 0 || end <= start {
                break;
            }
            done = start;
            while done < end {
                let got = libc::pread(memfd, copy.byte_add(done as usize), (end - done) as usize, done);
                if got <= 0 {
                    libc::munmap(copy, bytes);
                    return None;
                }
                done += got as libc::off_t;
            }
        }
    }
    Some(copy.expose_provenance())
}

/// Moves a copy of a range to where nothing is mapped of it, all at once or page by page. What is mapped there is what the
/// parent has mapped since. False if there is no memory.
fn fill_gaps(range: MemoryRange, copy: usize) -> bool {
    let bytes = range.bytes();
    if let Some(filled) = fill_gap(range, copy) {
        return filled;
    }
    let page = super::page_size();
    let filled = (0..bytes).step_by(page).all(|place| {
        let part = MemoryRange { start: range.start + place, end: range.start + place + page };
        fill_gap(part, copy + place).unwrap_or(true)
    });
    // SAFETY: what is left of the copy, which nobody else knows.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(copy), bytes) };
    filled
}

/// Moves a copy to a range where nothing is mapped. False if there is no memory, nothing if something is mapped.
fn fill_gap(range: MemoryRange, copy: usize) -> Option<bool> {
    let bytes = range.bytes();
    let start: *mut libc::c_void = std::ptr::with_exposed_provenance_mut(range.start);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a new mapping that replaces none; where the copy then goes, which nobody else knows. The child has only this
    // thread.
    unsafe {
        let place = libc::mmap(start, bytes, libc::PROT_NONE, flags, -1, 0);
        if place == libc::MAP_FAILED {
            let cause = std::io::Error::last_os_error().raw_os_error();
            return if cause == Some(libc::EEXIST) { None } else { Some(false) };
        }
        if place != start {
            // A kernel that does not know the flag.
            libc::munmap(place, bytes);
            return None;
        }
        let copy = std::ptr::with_exposed_provenance_mut(copy);
        let moved = libc::mremap(copy, bytes, bytes, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, start);
        Some(moved != libc::MAP_FAILED)
    }
}

/// A child that would write into its parent's arrays must not run on.
fn end_child() -> ! {
    let text = b"gravel: a forked child could not get its own copy of the receive buffers (out of memory): ending it\n";
    // SAFETY: system calls that are allowed in a forked child.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(127)
    }
}
