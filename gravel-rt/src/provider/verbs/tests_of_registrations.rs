//! Registered memory on the mock: how long a registration is used, and what happens without one.

use super::mock;
use super::tests::{Pair, connect_pair, connect_pair_with};
use super::*;
use crate::message::wire::Control;

#[test]
fn a_key_that_is_gone_is_an_error_and_writes_nothing() {
    let mut pair = connect_pair();
    let (source, target) = (vec![1; 20_000], vec![0; 20_000]);
    let remote = pair.offer(&target);
    pair.providers[1].release(remote.request);
    pair.put(&remote, &source).expect("it was taken");
    pair.poll();
    assert!(pair.lost_because().contains("remote access error"));
    assert_eq!(target, vec![0; 20_000]);
}

#[test]
fn a_region_that_was_released_is_retired_before_the_next_one_is_announced() {
    let mut pair = connect_pair();
    let target = vec![0; 20_000];
    let first = pair.offer(&target);
    pair.providers[1].release(first.request);
    let second = pair.offer(&target);
    let source = vec![3; 20_000];
    pair.put(&second, &source).expect("it is registered anew");
    pair.await_puts();
    assert_eq!(pair.sinks[0].completed, [(Handle::from_raw(3), None)]);
    assert_eq!(target, source);
}

const KEEPS_PRIVATE: Options =
    Options { keeps_static: false, keeps_private: true, fences_reads: false, connect_all: 1 };

/// A run of memory that the program maps and unmaps itself.
struct Mapped {
    start: usize,
    protection: libc::c_int,
}

impl Mapped {
    const BYTES: usize = 20 * 4096;

    fn new(flags: libc::c_int) -> Self {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, flags | libc::MAP_ANONYMOUS, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        Self { start: start.expose_provenance(), protection }
    }

    /// Other memory at the same addresses.
    fn map_again(&mut self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: in the place of this test's own mapping.
        unsafe { libc::mmap(self.place().cast(), Self::BYTES, self.protection, flags, -1, 0) };
    }

    fn place(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.start)
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped, and the test's own.
        unsafe { std::slice::from_raw_parts_mut(self.place(), Self::BYTES) }
    }

    fn registrations(&self) -> usize {
        mock::registrations_of(self.start, Self::BYTES)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped above.
        unsafe { libc::munmap(self.place().cast(), Self::BYTES) };
    }
}

/// Puts a message and ends both operations.
fn put_once(pair: &mut Pair, source: &mut Mapped, target: &mut Mapped) {
    let remote = pair.offer(target.bytes());
    source.bytes().fill(5);
    assert_eq!(pair.put(&remote, source.bytes()).expect("it is registered").in_flight, 2);
    assert_eq!((source.registrations(), target.registrations()), (1, 1));
    pair.poll();
    pair.providers[0].release(Handle::from_raw(3));
    pair.providers[1].release(remote.request);
    assert!(target.bytes().iter().all(|&byte| byte == 5));
}

/// Where the kernel tells when memory is mapped anew, registrations are kept until then; else as long as a message.
#[test]
fn registrations_of_the_heap_last_until_other_memory_lies_there() {
    let mut pair = connect_pair_with(KEEPS_PRIVATE);
    let lasts = crate::memory::unmap_monitor::UnmapMonitor::new(|| {}).is_ok();
    let kept = usize::from(lasts);
    let (mut source, mut target) = (Mapped::new(libc::MAP_PRIVATE), Mapped::new(libc::MAP_PRIVATE));
    let before = mock::registered();
    for round in 0..3 {
        put_once(&mut pair, &mut source, &mut target);
        assert_eq!((source.registrations(), target.registrations()), (kept, kept), "round {round}");
    }
    assert!(mock::registered() - before == if lasts { 2 } else { 6 });
    for _ in 0..3 {
        target.map_again();
        source.map_again();
        put_once(&mut pair, &mut source, &mut target);
    }
    assert!(mock::registered() - before == if lasts { 8 } else { 12 }, "each once more for each other memory");
    // What nobody uses any more is not kept for that.
    source.map_again();
    pair.poll();
    assert_eq!((source.registrations(), target.registrations()), (0, kept));
    // A part of what is registered is registered.
    let whole = target.bytes();
    let (start, length) = (whole.as_ptr(), whole.len());
    // SAFETY: inside the mapping.
    let part = unsafe { std::slice::from_raw_parts(start.add(100), length - 9000) };
    let remote = pair.offer(part);
    assert_eq!(target.registrations(), 1);
    pair.providers[1].release(remote.request);
}

/// An operation that is over is released a little later, and by then other memory may lie there.
#[test]
fn what_has_not_been_released_yet_is_not_used_for_other_memory() {
    let mut pair = connect_pair_with(KEEPS_PRIVATE);
    if crate::memory::unmap_monitor::UnmapMonitor::new(|| {}).is_err() {
        return;
    }
    for drops_first in [false, true] {
        let mut memory = Mapped::new(libc::MAP_PRIVATE);
        let range = MemoryRange { start: memory.start, end: memory.start + Mapped::BYTES };
        let [_, provider] = &mut pair.providers;
        // SAFETY: mapped, as below.
        let key = unsafe { provider.registrations.local_key(Handle::from_raw(1), range) };
        memory.map_again();
        if drops_first {
            provider.registrations.drop_changed();
        }
        // SAFETY: as above.
        let other = unsafe { provider.registrations.local_key(Handle::from_raw(2), range) };
        assert!(key.is_some() && other.is_some() && key != other);
        provider.release(Handle::from_raw(1));
        assert_eq!(memory.registrations(), 1);
        provider.release(Handle::from_raw(2));
        assert_eq!(memory.registrations(), 1, "kept");
    }
}

#[test]
fn memory_of_which_the_kernel_does_not_tell_is_registered_for_each_message() {
    let mut pair = connect_pair_with(KEEPS_PRIVATE);
    let (mut source, mut target) = (Mapped::new(libc::MAP_SHARED), Mapped::new(libc::MAP_SHARED));
    for _ in 0..3 {
        put_once(&mut pair, &mut source, &mut target);
        assert_eq!((source.registrations(), target.registrations()), (0, 0));
    }
}

#[test]
fn without_registration_everything_is_staged() {
    let mut pair = connect_pair();
    crate::sys::log::take_lines();
    mock::set_unregistrable(pair.providers[0].arrivals().device().context().addr());
    let source: Vec<u8> = (0..100_000u32).map(|byte| (byte >> 3) as u8).collect();
    let target = vec![0; source.len()];
    let remote = pair.offer(&target);
    pair.sinks[1].buffer = vec![0; source.len()];
    let mut taken = 0;
    while taken < source.len() {
        let rest = &source[taken..];
        let start = rest.as_ptr().expose_provenance();
        let around = MemoryRange { start, end: start + rest.len() };
        let (transfer, offset, bytes) = (Handle::from_raw(3), taken as u64, rest.len() as u64);
        let put = Put { transfer, around, offset, source: rest.as_ptr(), bytes, ends_message: true };
        // SAFETY: the source lives on.
        let outcome = unsafe { pair.providers[0].put(1, &remote, put) }.expect("no failure");
        assert_eq!(outcome.in_flight, 0, "the source is free at once");
        taken += outcome.taken as usize;
        assert_eq!(outcome.fin_sent, taken == source.len());
        pair.poll();
    }
    assert_eq!(pair.sinks[1].buffer, source);
    let fin = pair.sinks[1].entries.last().expect("the FIN rides on the last piece");
    assert!(matches!(Control::decode(fin), Ok(Control::Fin { .. })));
    // A second message goes the same way, without another word.
    let remote = pair.offer(&target);
    assert_eq!(pair.put(&remote, &source).expect("no failure").in_flight, 0);
    let lines = crate::sys::log::take_lines();
    assert!(lines.len() == 1 && lines[0].contains("can't be registered with mock0 port 1"), "{lines:?}");
    assert!(lines[0].contains("RLIMIT_MEMLOCK"), "{lines:?}");
}
