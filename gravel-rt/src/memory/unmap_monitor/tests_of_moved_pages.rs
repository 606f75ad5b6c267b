//! Pages in a memfd: what is emptied reads as zeros at once, and what is written behind it stays.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::ptr;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::memory::page_adoption::AdoptedPages;

const PAGE: usize = 4096;
const BYTES: usize = 16 * PAGE;

fn monitor() -> Option<UnmapMonitor> {
    let monitor = UnmapMonitor::new(|| {}).map_err(|cause| cause.to_string());
    match monitor.and_then(|monitor| monitor.sees_emptying().map_err(str::to_owned).map(|()| monitor)) {
        Ok(monitor) => Some(monitor),
        Err(cause) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: the kernel does not tell of emptied memory: {cause}");
            None
        }
    }
}

/// A new mapping with pages around the range, full of ones.
fn mapped() -> MemoryRange {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping.
    let start = unsafe {
        let start = libc::mmap(ptr::null_mut(), BYTES + 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        ptr::write_bytes(start.cast::<u8>(), 1, BYTES + 2 * PAGE);
        start.expose_provenance() + PAGE
    };
    MemoryRange { start, end: start + BYTES }
}

fn moved(monitor: &mut UnmapMonitor) -> (AdoptedPages, Watch) {
    let range = mapped();
    // SAFETY: the test's own.
    let pages = unsafe { AdoptedPages::adopt_heap(range) }.expect("pages can be moved");
    let watch = monitor.watch_moved(range, pages.descriptor()).expect("they can be watched");
    (pages, watch)
}

fn at(address: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address)
}

fn read(address: usize) -> u8 {
    // SAFETY: the test's own memory.
    unsafe { at(address).read_volatile() }
}

fn empty(start: usize, bytes: usize) {
    // SAFETY: the test's own memory.
    assert_eq!(unsafe { libc::madvise(at(start).cast(), bytes, libc::MADV_DONTNEED) }, 0);
}

fn unmap(range: MemoryRange) {
    // SAFETY: the test's own memory, and what lies around it.
    assert_eq!(unsafe { libc::munmap(at(range.start - PAGE).cast(), range.bytes() + 2 * PAGE) }, 0);
}

/// What is left in the memfd.
fn contents(pages: &AdoptedPages) -> Vec<u8> {
    let file = File::open(format!("/proc/self/fd/{}", pages.descriptor())).expect("it is open");
    let mut bytes = vec![9; BYTES];
    file.read_exact_at(&mut bytes, 0).expect("so many bytes");
    bytes
}

#[test]
fn what_is_emptied_is_zero_and_what_is_written_then_stays() {
    let Some(mut monitor) = monitor() else { return };
    let (pages, watch) = moved(&mut monitor);
    let MemoryRange { start, .. } = pages.range();
    for round in 0..500 {
        let from = start + round % 12 * PAGE;
        for page in 0..16 {
            // SAFETY: the test's own memory.
            unsafe { at(start + page * PAGE + 7).write_volatile(5) };
        }
        // Pages beside it are emptied along, as by an allocator that purges what is free.
        empty(
            if round % 2 == 0 { from } else { start - PAGE },
            from + 4 * PAGE - if round % 2 == 0 { from } else { start - PAGE },
        );
        let first = if round % 2 == 0 { from } else { start };
        for page in (first..from + 4 * PAGE).step_by(PAGE) {
            assert_eq!(read(page + 7), 0, "round {round}");
            // SAFETY: as above.
            unsafe { at(page + 8).write_volatile(6) };
        }
        for page in (start..start + BYTES).step_by(PAGE) {
            let is_emptied = (first..from + 4 * PAGE).contains(&page);
            assert_eq!(read(page + 7), if is_emptied { 0 } else { 5 }, "round {round}");
            assert!(!is_emptied || read(page + 8) == 6, "round {round}: a late hole");
        }
    }
    assert!(monitor.is_intact(&watch), "it is still watched");
    unmap(pages.range());
    assert!(!monitor.is_intact(&watch));
    assert!(contents(&pages).iter().all(|&byte| byte == 0), "its memory is free");
    monitor.forget(watch);
    pages.forget();
}

/// Several threads at once: each only ever sees its own emptying.
#[test]
fn threads_that_empty_and_unmap_do_not_meet() {
    let Some(mut monitor) = monitor() else { return };
    let done = AtomicBool::new(false);
    let emptied: Vec<_> = (0..3).map(|_| moved(&mut monitor)).collect();
    let mut unmapped: Vec<_> = (0..40).map(|_| moved(&mut monitor)).collect();
    std::thread::scope(|scope| {
        for (pages, _) in &emptied {
            let (start, done) = (pages.range().start, &done);
            scope.spawn(move || {
                let mut rounds = 0u32;
                while !done.load(Ordering::Acquire) || rounds < 100 {
                    rounds += 1;
                    empty(start, BYTES);
                    for page in 0..16 {
                        assert_eq!(read(start + page * PAGE), 0, "round {rounds}");
                        // SAFETY: the test's own memory.
                        unsafe { at(start + page * PAGE).write_volatile(rounds as u8 | 1) };
                    }
                    std::hint::spin_loop();
                    for page in 0..16 {
                        assert_eq!(read(start + page * PAGE), rounds as u8 | 1, "round {rounds}: a late hole");
                    }
                }
            });
        }
        for (pages, _) in &unmapped {
            unmap(pages.range());
            std::thread::yield_now();
        }
        done.store(true, Ordering::Release);
    });
    for (pages, watch) in emptied {
        unmap(pages.range());
        unmapped.push((pages, watch));
    }
    for (pages, watch) in unmapped {
        assert!(!monitor.is_intact(&watch));
        monitor.forget(watch);
        pages.forget();
    }
}

#[test]
fn what_is_moved_keeps_its_contents() {
    let Some(mut monitor) = monitor() else { return };
    let (pages, watch) = moved(&mut monitor);
    let start = pages.range().start;
    // SAFETY: the test's own memory.
    let whole = unsafe { libc::mremap(at(start - PAGE).cast(), BYTES + 2 * PAGE, 4 * BYTES, libc::MREMAP_MAYMOVE) };
    assert_eq!(whole, libc::MAP_FAILED, "several mappings");
    assert!(monitor.is_intact(&watch));
    // SAFETY: as above; a part of one mapping.
    let part = unsafe {
        let elsewhere = mapped();
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        libc::mremap(at(start + PAGE).cast(), 2 * PAGE, 2 * PAGE, flags, at(elsewhere.start))
    };
    assert_ne!(part, libc::MAP_FAILED);
    monitor.settle();
    assert!(!monitor.was_intact(&watch) && monitor.take_change());
    assert_eq!(read(part.expose_provenance() + PAGE + 3), 1);
    unmap(pages.range());
    assert_eq!(read(part.expose_provenance() + 3), 1, "what was at its old address is of no interest any more");
    monitor.forget(watch);
    std::mem::forget(pages);
}

/// The child has what was there at the fork, in all that is mapped; and nothing of what came to the same addresses.
#[test]
fn a_forked_child_has_its_own_copy() {
    let Some(mut monitor) = monitor() else { return };
    let (pages, watch) = moved(&mut monitor);
    let (start, end) = (pages.range().start, pages.range().end);
    empty(start + 2 * PAGE, PAGE);
    // Something else lies where a part was.
    // SAFETY: the test's own memory.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        libc::mmap(at(start).cast(), PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        at(start).write_volatile(77);
    }
    let mut status = 0;
    // SAFETY: the child only touches memory, and leaves by _exit.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let others = (start + 3 * PAGE..end).step_by(PAGE).all(|page| read(page) == 1);
            let is_right = read(start) == 77 && read(start + PAGE) == 1 && read(start + 2 * PAGE) == 0 && others;
            at(start + PAGE).write_volatile(9);
            at(end - 1).write_volatile(9);
            libc::_exit(i32::from(!is_right));
        }
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
    }
    assert_eq!(status, 0, "the child had something else");
    assert_eq!((read(start + PAGE), read(end - 1)), (1, 1), "the parent saw a write of its child");
    unmap(pages.range());
    monitor.forget(watch);
    pages.forget();
}

#[test]
fn what_goes_back_is_private_memory() {
    let range = mapped();
    // SAFETY: the test's own memory.
    unsafe { AdoptedPages::adopt_heap(range).expect("pages can be moved").undo() };
    assert_eq!(read(range.start + 5), 1);
    empty(range.start, BYTES);
    assert_eq!(read(range.start + 5), 0);
    unmap(range);
}
