//! `fork` with adopted pages: the child gets its own copy of them as they were at the fork, as of any private memory.
//!
//! Adopted pages are shared mappings, which a child would go on sharing with its parent. So the handler that runs in
//! the parent before the fork copies them into private memory, and the one in the child moves these copies over the
//! shared pages. The runtime's own shared segments are not inherited at all (MADV_DONTFORK), and the child may not
//! call the runtime. Its sockets would be inherited: the child puts /dev/null in their places, for otherwise peers would not
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
    lock().push(Listed { range, copy: None });
    Ok(())
}

/// Takes pages off the list that are private again.
pub fn remove(range: MemoryRange) {
    lock().retain(|listed| listed.range != range);
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
        listed.copy = copy_pages(listed.range);
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
    for listed in adopted.iter_mut() {
        let bytes = listed.range.bytes();
        let start: *mut libc::c_void = std::ptr::with_exposed_provenance_mut(listed.range.start);
        // Where the parent had no memory for a copy, the child tries once more; it may see later contents then.
        let Some(copy) = listed.copy.take().or_else(|| copy_pages(listed.range)) else { end_child() };
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

/// A child that would write into its parent's arrays must not run on.
fn end_child() -> ! {
    let text = b"gravel: a forked child could not get its own copy of the receive buffers (out of memory): ending it\n";
    // SAFETY: system calls that are allowed in a forked child.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(127)
    }
}
