//! Receives into memory that is allocated, freed, moved, emptied and allocated again: the right bytes, and the pages of
//! what comes back adopted.

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::adoption::{exchange, is_adopted, mapping_of};
use crate::launcher::{Network, cluster_over};
use crate::world::{World, fill, first_difference};

const PAGE: usize = 4096;
const LENGTH: usize = 200_000;
/// So often must a buffer come back.
const TIMES: i32 = 5;
/// And so often to have been worth it.
const WORTH: i32 = 40;

fn on_heap(test: &str, settings: &[(&str, &str)], body: impl FnOnce(&mut World)) {
    let settings = [&[("GRAVEL_SHM", "adopt,cma")], settings].concat();
    cluster_over(&[Network::Shm], &format!("heap::{test}"), 2, &settings, body);
}

/// Whether this kernel tells of the end of memory. Where it does not, all the rest must be true all the same.
fn can_be_adopted() -> bool {
    // SAFETY: opens a descriptor, and closes it. 1 is UFFD_USER_MODE_ONLY.
    let is_told = unsafe {
        let events = libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | 1);
        events >= 0 && libc::close(events as i32) == 0
    };
    if !is_told {
        let _ = writeln!(std::io::stderr(), "SKIPPED: adoption of the heap: the kernel does not tell of its end");
    }
    is_told
}

/// Uses a buffer until it must have been adopted.
fn warm(world: &mut World, buffer: &mut [u8]) {
    warm_for(world, buffer, TIMES);
}

/// As [`warm`], so often that it was worth it: else memory that is unmapped is not adopted again soon.
fn warm_for(world: &mut World, buffer: &mut [u8], times: i32) {
    for tag in 0..times {
        exchange(world, buffer, tag);
    }
    assert_eq!(is_adopted(buffer), can_be_adopted(), "{}", mapping_of(buffer));
}

/// Memory that the test maps itself.
fn map(at: *mut u8, bytes: usize, flags: i32) -> &'static mut [u8] {
    let flags = flags | libc::MAP_ANONYMOUS | if at.is_null() { 0 } else { libc::MAP_FIXED };
    // SAFETY: a new mapping, or one in the place of the test's own.
    unsafe {
        let start = libc::mmap(at.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        std::slice::from_raw_parts_mut(start.cast(), bytes)
    }
}

fn unmap(memory: &mut [u8]) {
    // SAFETY: the test's own, which it does not use again before it is mapped.
    assert_eq!(unsafe { libc::munmap(memory.as_mut_ptr().cast(), memory.len()) }, 0);
}

/// Memory of the C library.
struct Allocated(*mut u8, usize);

impl Allocated {
    fn new(bytes: usize) -> Self {
        // SAFETY: no preconditions.
        Self(unsafe { libc::malloc(bytes) }.cast(), bytes)
    }

    fn zeroed(bytes: usize) -> Self {
        // SAFETY: no preconditions.
        Self(unsafe { libc::calloc(1, bytes) }.cast(), bytes)
    }

    fn resize(&mut self, bytes: usize) {
        // SAFETY: allocated so.
        self.0 = unsafe { libc::realloc(self.0.cast(), bytes) }.cast();
        self.1 = bytes;
    }

    fn bytes(&mut self) -> &mut [u8] {
        assert!(!self.0.is_null());
        // SAFETY: as long as it is; the tests write before they read, or have it zeroed.
        unsafe { std::slice::from_raw_parts_mut(self.0, self.1) }
    }
}

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: allocated so, and used no more.
        unsafe { libc::free(self.0.cast()) };
    }
}

#[test]
fn what_comes_back_is_adopted() {
    on_heap("what_comes_back_is_adopted", &[], |world| {
        // By brk, and by a mapping.
        for bytes in [60_000, 120_000, 2 << 20] {
            let mut buffer = vec![0; bytes];
            exchange(world, &mut buffer, 0);
            assert!(!is_adopted(&buffer), "it is used once: {}", mapping_of(&buffer));
            warm(world, &mut buffer);
        }
    });
}

#[test]
fn stacks_shared_and_locked_memory_are_left_alone() {
    on_heap("stacks_shared_and_locked_memory_are_left_alone", &[], |world| {
        let mut on_stack = [0u8; LENGTH];
        let shared = map(std::ptr::null_mut(), LENGTH, libc::MAP_SHARED);
        for tag in 0..3 * TIMES {
            exchange(world, &mut on_stack, tag);
            exchange(world, shared, tag);
        }
        assert!(!is_adopted(&on_stack), "{}", mapping_of(&on_stack));
        assert!(!is_adopted(shared), "{}", mapping_of(shared));
        let locked = map(std::ptr::null_mut(), 10 * PAGE, libc::MAP_PRIVATE);
        // SAFETY: the test's own memory.
        if unsafe { libc::mlock(locked.as_ptr().cast(), locked.len()) } == 0 {
            for tag in 0..3 * TIMES {
                exchange(world, locked, tag);
            }
            assert!(!is_adopted(locked), "{}", mapping_of(locked));
        }
    });
}

#[test]
fn freed_and_allocated_again() {
    on_heap("freed_and_allocated_again", &[], |world| {
        let lengths = [20_000, 150_000, 40_000, 700_000, 150_000, 90_000, 3 << 20];
        let mut kept: Vec<Allocated> = Vec::new();
        for round in 0..300 {
            let bytes = lengths[round % lengths.len()];
            let mut buffer = if round % 3 == 0 { Allocated::zeroed(bytes) } else { Allocated::new(bytes) };
            if round % 3 == 0 {
                assert!(buffer.bytes().iter().all(|&byte| byte == 0), "round {round}: calloc");
            }
            exchange(world, buffer.bytes(), round as i32);
            let growing = 2 * bytes;
            if round % 5 == 0 {
                let before = buffer.bytes().to_vec();
                buffer.resize(growing);
                assert!(buffer.bytes()[..bytes] == before, "round {round}: realloc");
                exchange(world, buffer.bytes(), round as i32);
            }
            if round % 4 == 0 {
                kept.push(buffer);
            }
            if kept.len() > 6 {
                kept.remove(round % 6);
            }
            if round % 50 == 49 {
                // SAFETY: no preconditions.
                unsafe { libc::malloc_trim(0) };
            }
        }
    });
}

#[test]
fn other_memory_at_the_same_address() {
    on_heap("other_memory_at_the_same_address", &[], |world| {
        let buffer = map(std::ptr::null_mut(), LENGTH, libc::MAP_PRIVATE);
        let start = buffer.as_mut_ptr();
        let kinds = [libc::MAP_PRIVATE, libc::MAP_SHARED, libc::MAP_PRIVATE, libc::MAP_PRIVATE];
        for round in 0..12 {
            let buffer = map(start, LENGTH, libc::MAP_PRIVATE);
            warm_for(world, buffer, WORTH);
            // All of it, or the end: what is left is the program's.
            let from = if round % 2 == 0 { 0 } else { 20 * PAGE };
            let before = buffer[..from].to_vec();
            if round % 3 != 0 {
                unmap(&mut buffer[from..]);
            }
            let again = map(start.wrapping_add(from), LENGTH - from, kinds[round % 4]);
            assert!(again.iter().all(|&byte| byte == 0), "round {round}");
            // SAFETY: all of it is mapped.
            let whole = unsafe { std::slice::from_raw_parts_mut(start, LENGTH) };
            assert!(whole[..from] == before, "round {round}");
            exchange(world, whole, 100);
            exchange(world, whole, 101);
        }
    });
}

/// A message is read from where other memory was adopted before: the peer must not read that.
#[test]
fn messages_are_read_from_other_memory_at_the_same_address() {
    on_heap("messages_are_read_from_other_memory_at_the_same_address", &[], |world| {
        let peer = 1 - world.rank();
        let start = map(std::ptr::null_mut(), LENGTH, libc::MAP_PRIVATE).as_mut_ptr();
        let mut received = vec![0; LENGTH];
        for round in 0..6 {
            let buffer = map(start, LENGTH, libc::MAP_PRIVATE);
            warm_for(world, buffer, WORTH);
            unmap(buffer);
            let message = map(start, LENGTH, libc::MAP_PRIVATE);
            fill(message, 1000 + round + world.rank());
            let sending = world.offer(message, peer, 900 + round as i32);
            let receiving = world.post_announced(&mut received, peer, 900 + round as i32);
            assert_eq!(world.wait_receive(receiving, peer, 900 + round as i32), LENGTH);
            world.wait_send(sending);
            assert_eq!(first_difference(&received, 1000 + round + peer), None, "round {round}");
        }
    });
}

#[test]
fn moved_memory() {
    on_heap("moved_memory", &[], |world| {
        let mut buffer = map(std::ptr::null_mut(), LENGTH.next_multiple_of(PAGE), libc::MAP_PRIVATE);
        warm(world, buffer);
        let before = buffer.to_vec();
        let (start, bytes) = (buffer.as_mut_ptr(), buffer.len());
        // SAFETY: the test's own memory, of which nothing else is used.
        unsafe {
            let whole = libc::mremap(start.cast(), bytes, 2 * bytes, libc::MREMAP_MAYMOVE);
            if whole == libc::MAP_FAILED {
                assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EFAULT));
            } else {
                assert!(!can_be_adopted());
                buffer = std::slice::from_raw_parts_mut(whole.cast(), bytes);
            }
        }
        assert!(buffer == before);
        exchange(world, buffer, 50);
        // A part of it, somewhere else; then a receive into either.
        let (start, before) = (buffer.as_mut_ptr(), buffer.to_vec());
        let elsewhere = map(std::ptr::null_mut(), 8 * PAGE, libc::MAP_PRIVATE);
        let fixed = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: as above.
        let part = unsafe {
            let from = start.add(10 * PAGE);
            libc::mremap(from.cast(), 8 * PAGE, 8 * PAGE, fixed, elsewhere.as_mut_ptr())
        };
        assert_ne!(part, libc::MAP_FAILED);
        assert!(elsewhere == &before[10 * PAGE..18 * PAGE]);
        map(start.wrapping_add(10 * PAGE), 8 * PAGE, libc::MAP_PRIVATE);
        for tag in 60..60 + 2 * TIMES {
            exchange(world, buffer, tag);
            exchange(world, elsewhere, tag);
            assert_eq!(first_difference(buffer, 1 - world.rank() + tag as usize), None);
        }
    });
}

#[test]
fn emptied_memory_is_zero() {
    on_heap("emptied_memory_is_zero", &[], |world| {
        let buffer = map(std::ptr::null_mut(), LENGTH.next_multiple_of(PAGE), libc::MAP_PRIVATE);
        warm(world, buffer);
        for round in 0..50 {
            let (start, bytes) = if round % 2 == 0 { (0, buffer.len()) } else { (round % 20 * PAGE, 9 * PAGE) };
            let part = &mut buffer[start..start + bytes];
            // SAFETY: the test's own memory.
            assert_eq!(unsafe { libc::madvise(part.as_mut_ptr().cast(), bytes, libc::MADV_DONTNEED) }, 0);
            assert!(part.iter().all(|&byte| byte == 0), "round {round}");
            part.fill(7);
            assert!(part.iter().all(|&byte| byte == 7), "round {round}");
            exchange(world, buffer, round as i32);
            // What an allocator that purges lazily does; it may fail.
            let all = buffer.as_mut_ptr().cast();
            // SAFETY: as above.
            let freed = unsafe { libc::madvise(all, buffer.len(), libc::MADV_FREE) } == 0;
            let expected = 1 - world.rank() + round;
            assert!(freed || first_difference(buffer, expected).is_none(), "round {round}");
        }
        assert_eq!(is_adopted(buffer), can_be_adopted());
    });
}

#[test]
fn a_forked_child_has_its_own_copy() {
    on_heap("a_forked_child_has_its_own_copy", &[], |world| {
        let mut buffer = Allocated::new(LENGTH);
        warm(world, buffer.bytes());
        // A part that is gone, and one that something else has replaced.
        let mapped = map(std::ptr::null_mut(), 40 * PAGE, libc::MAP_PRIVATE);
        warm(world, mapped);
        unmap(&mut mapped[4 * PAGE..8 * PAGE]);
        map(mapped[6 * PAGE..].as_mut_ptr(), PAGE, libc::MAP_PRIVATE)[0] = 33;
        let before = buffer.bytes().to_vec();
        let (first, last) = (mapped[3 * PAGE], mapped[39 * PAGE]);
        let mut status = 0;
        // SAFETY: the child only looks at memory and writes to it, and leaves by _exit.
        unsafe {
            let mut go = [0; 2];
            assert_eq!(libc::pipe(go.as_mut_ptr()), 0);
            let child = libc::fork();
            if child == 0 {
                let mut byte = 0u8;
                libc::read(go[0], (&raw mut byte).cast(), 1);
                let is_same = buffer.bytes() == before
                    && (mapped[3 * PAGE], mapped[6 * PAGE], mapped[39 * PAGE]) == (first, 33, last);
                buffer.bytes().fill(3);
                mapped[39 * PAGE] = !last;
                libc::_exit(i32::from(!is_same));
            }
            exchange(world, buffer.bytes(), 77);
            assert_eq!(libc::write(go[1], c"!".as_ptr().cast(), 1), 1);
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        }
        assert_eq!(status, 0, "the child did not have what was there at the fork");
        assert_eq!(first_difference(buffer.bytes(), 1 - world.rank() + 77), None, "the child wrote to its parent");
        assert_eq!(mapped[39 * PAGE], last);
        exchange(world, buffer.bytes(), 78);
        assert!(is_adopted(buffer.bytes()) || !can_be_adopted());
    });
}

#[test]
fn threads_allocate_while_messages_arrive() {
    on_heap("threads_allocate_while_messages_arrive", &[], |world| {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..3u8 {
                let done = &done;
                scope.spawn(move || {
                    let mut round = 0usize;
                    while !done.load(Ordering::Acquire) {
                        round += 1;
                        let bytes = 10_000 + (round * 7919 + usize::from(thread) * 31) % 400_000;
                        let mut memory =
                            if round.is_multiple_of(2) { Allocated::zeroed(bytes) } else { Allocated::new(bytes) };
                        assert!(round % 2 == 1 || memory.bytes().iter().all(|&byte| byte == 0), "calloc");
                        memory.bytes().fill(thread + 1);
                        std::thread::yield_now();
                        assert!(memory.bytes().iter().all(|&byte| byte == thread + 1), "others wrote here");
                        if round.is_multiple_of(64) {
                            // SAFETY: no preconditions.
                            unsafe { libc::malloc_trim(0) };
                        }
                    }
                });
            }
            for round in 0..200 {
                let mut buffer = Allocated::new(30_000 + round % 5 * 60_000);
                for tag in 0..3 {
                    exchange(world, buffer.bytes(), tag);
                }
            }
            done.store(true, Ordering::Release);
        });
    });
}

#[test]
fn no_more_than_the_limit() {
    on_heap("no_more_than_the_limit", &[("GRAVEL_ADOPT_HEAP", "1")], |world| {
        let mut buffers: Vec<Vec<u8>> = (0..4).map(|_| vec![0; 400_000]).collect();
        for tag in 0..2 * TIMES {
            buffers.iter_mut().for_each(|buffer| exchange(world, buffer, tag));
        }
        let adopted = buffers.iter().filter(|buffer| is_adopted(buffer)).count();
        assert_eq!(adopted, if can_be_adopted() { 2 } else { 0 });
    });
}

#[test]
fn none_where_the_limit_is_none() {
    on_heap("none_where_the_limit_is_none", &[("GRAVEL_ADOPT_HEAP", "0")], |world| {
        let mut buffer = vec![0; LENGTH];
        for tag in 0..2 * TIMES {
            exchange(world, &mut buffer, tag);
        }
        assert!(!is_adopted(&buffer));
    });
}

#[test]
fn huge_pages_stay() {
    on_heap("huge_pages_stay", &[], |world| {
        let enabled = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
        let buffer = map(std::ptr::null_mut(), 8 << 20, libc::MAP_PRIVATE);
        // SAFETY: the test's own memory.
        let is_advised = unsafe { libc::madvise(buffer.as_mut_ptr().cast(), 8 << 20, libc::MADV_HUGEPAGE) } == 0;
        buffer.fill(1);
        for tag in 0..TIMES {
            exchange(world, buffer, tag);
        }
        // The kernel gives huge pages where it has some.
        let smaps = fs::read_to_string("/proc/self/smaps").expect("reading smaps");
        let has_some = smaps.lines().any(|line| line.starts_with("AnonHugePages:") && !line.ends_with(" 0 kB"));
        if is_advised && has_some && !enabled.contains("[never]") {
            assert!(!is_adopted(buffer), "{}", mapping_of(buffer));
        }
    });
}

/// What was adopted is the program's memory like any other, also when the runtime has ended.
#[test]
fn memory_lives_on_when_the_runtime_has_ended() {
    on_heap("memory_lives_on_when_the_runtime_has_ended", &[], |world| {
        let buffer = map(std::ptr::null_mut(), LENGTH.next_multiple_of(PAGE), libc::MAP_PRIVATE);
        warm(world, buffer);
        let mut freed = Allocated::new(LENGTH);
        warm(world, freed.bytes());
        let before = buffer.to_vec();
        assert_eq!(world.finalize(), 0);
        assert!(buffer == before);
        drop(freed);
        // SAFETY: the test's own memory.
        unsafe {
            assert_eq!(libc::madvise(buffer.as_mut_ptr().cast(), buffer.len(), libc::MADV_DONTNEED), 0);
            assert!(buffer.iter().all(|&byte| byte == 0));
            buffer.fill(4);
            let child = libc::fork();
            if child == 0 {
                buffer.fill(5);
                libc::_exit(0);
            }
            let mut status = 1;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            assert_eq!(status, 0);
        }
        assert!(buffer.iter().all(|&byte| byte == 4));
        unmap(buffer);
        let again = map(buffer.as_mut_ptr(), buffer.len(), libc::MAP_PRIVATE);
        assert!(again.iter().all(|&byte| byte == 0));
    });
}
