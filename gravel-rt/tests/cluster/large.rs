//! Messages of more than 2^32 bytes, in buffers that take little memory: one chunk is mapped over and over, but for the
//! last one, which is memory of its own and shows whether the end has arrived.

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use crate::world::{World, fill, first_difference};

const CHUNK: usize = 64 << 20;
/// Past 2^32, and no multiple of anything.
const LENGTH: usize = (4 << 30) + CHUNK + 12_345;
/// What of the message is in the last mapping.
const LAST: usize = LENGTH % CHUNK;

/// A long buffer, never unmapped: the process ends with its test.
fn aliased_buffer() -> &'static mut [u8] {
    let whole = LENGTH - LAST;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let fixed = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: new mappings, the later ones inside the first one.
    unsafe {
        let memfd = libc::memfd_create(c"large".as_ptr(), libc::MFD_CLOEXEC);
        assert!(memfd >= 0);
        let memfd = OwnedFd::from_raw_fd(memfd);
        assert_eq!(libc::ftruncate(memfd.as_raw_fd(), CHUNK as libc::off_t), 0);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), whole + CHUNK, protection, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        for offset in (0..whole).step_by(CHUNK) {
            let mapped = libc::mmap(start.byte_add(offset), CHUNK, protection, fixed, memfd.as_raw_fd(), 0);
            assert_ne!(mapped, libc::MAP_FAILED);
        }
        std::slice::from_raw_parts_mut(start.cast(), LENGTH)
    }
}

/// Sends a long message by the given way, from rank 0 to rank 1.
fn carry(
    world: &mut World,
    send: impl FnOnce(&mut World, &[u8]),
    receive: impl FnOnce(&mut World, &mut [u8]) -> usize,
) {
    let buffer = aliased_buffer();
    if world.rank() == 0 {
        fill(&mut buffer[..CHUNK], 1);
        fill(&mut buffer[LENGTH - LAST..], 2);
        send(world, buffer);
    } else {
        assert_eq!(receive(world, buffer), LENGTH);
        assert_eq!(first_difference(&buffer[..CHUNK], 1), None);
        assert_eq!(first_difference(&buffer[LENGTH - LAST..], 2), None);
    }
}

#[test]
fn more_than_four_gigabytes_are_put_in_segments() {
    crate::launcher::cluster("large::more_than_four_gigabytes_are_put_in_segments", 2, &[], |world| {
        let send = |world: &mut World, message: &[u8]| {
            let transfer = world.open(message, 1, 0);
            for (start, end) in [(1 << 31, (1 << 32) + 5), (0, 1 << 31), ((1 << 32) + 5, LENGTH)] {
                world.put(transfer, message, start, end - start);
            }
            let request = world.fin(transfer);
            world.wait_send(request);
        };
        let receive = |world: &mut World, buffer: &mut [u8]| {
            let request = world.post_segmented(buffer, 0, 0);
            assert_eq!(world.runtime().wait_range(request, (1 << 32) + 6, 1000), Ok(()));
            world.wait_receive(request, 0, 0)
        };
        carry(world, send, receive);
    });
}

#[test]
fn more_than_four_gigabytes_are_read() {
    crate::launcher::cluster("large::more_than_four_gigabytes_are_read", 2, &[], |world| {
        let send = |world: &mut World, message: &[u8]| {
            let request = world.offer(message, 1, 0);
            world.wait_send(request);
        };
        let receive = |world: &mut World, buffer: &mut [u8]| {
            let request = world.post_any(buffer, 0);
            world.wait_any_source(request).2
        };
        carry(world, send, receive);
    });
}
