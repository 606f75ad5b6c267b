//! Every way to other memory, noticed.

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
    assert_eq!(monitor.free_slots(), SLOTS);
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
        ("offsetof(struct uffd_msg, arg.remap.len)".to_owned(), offset_of!(uffd::Message, arguments) as c_ulong + 16),
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
