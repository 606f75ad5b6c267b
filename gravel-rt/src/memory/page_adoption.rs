//! Moving pages in place into memory that other processes can map.
//!
//! The bytes are copied into a memfd and the memfd is mapped over the old pages, so that every address of the program
//! stays valid, and a peer that maps the same memfd writes straight into the program's array. The caller guarantees
//! that nobody else writes the pages during the move; the runtime adopts only pages that lie wholly inside a buffer
//! that is just being posted as a receive, which by the contract belongs to it alone.
//!
//! `mmap` is called through the C library, so that hooks of other libraries (registration caches) see it. The memfd is
//! sealed against shrinking: a peer that has mapped it can never be killed by SIGBUS. `fork` is handled in
//! [`super::fork`].

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, RawFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use super::{MemoryRange, fork};
use crate::error::{Error, Result};

/// Pages that have been moved. They go back to private memory, with their contents, when this is dropped.
#[derive(Debug)]
pub struct AdoptedPages {
    range: MemoryRange,
    memfd: File,
    /// Whether the pages are still this memfd's (false once their library was unloaded).
    present: bool,
    /// Whether others may unmap them.
    is_heap: bool,
}

impl AdoptedPages {
    /// Moves the pages of `range` (page-aligned, not empty) into a new memfd.
    ///
    /// # Safety
    /// The pages must be mapped private, readable and writable, and must not be unmapped or mapped anew by others
    /// while the result lives, unless [`AdoptedPages::forget`] is called then. Nobody may write them during this call.
    pub unsafe fn adopt(range: MemoryRange) -> Result<Self> {
        // SAFETY: passed on.
        let memfd = unsafe { copied(range) }?;
        // Fork safety first: from the moment the pages are shared, a fork must find them listed.
        fork::add(range)?;
        // SAFETY: the range is page-aligned and the caller's to remap; the memfd holds the same bytes.
        if let Err(cause) = unsafe { map_over(range, libc::MAP_SHARED | libc::MAP_POPULATE, memfd.as_raw_fd()) } {
            // A failed MAP_FIXED may have removed the old pages.
            // SAFETY: as above.
            unsafe { put_back(range, &memfd) };
            fork::remove(range);
            return Err(
                Error::system(format!("mapping {} bytes of shared memory in place", range.bytes()), &cause).into()
            );
        }
        Ok(Self { range, memfd, present: true, is_heap: false })
    }

    /// Moves pages of the heap, which the program may unmap at any time afterwards.
    ///
    /// They never go back: for that, memory would have to be mapped over pages that may be other memory by then, as far as
    /// other threads go. Where nothing is left of them, [`AdoptedPages::forget`] ends it; else this must not be dropped.
    ///
    /// # Safety
    /// The pages must be mapped private, readable and writable. Nobody else may write or unmap them during this call.
    pub unsafe fn adopt_heap(range: MemoryRange) -> Result<Self> {
        // SAFETY: passed on.
        let memfd = unsafe { copied(range) }?;
        let descriptor = memfd.as_raw_fd();
        fork::add_moved(range, descriptor, || {
            // SAFETY: the range is page-aligned and the caller's to remap; the memfd holds the same bytes. The advice is on
            // what was just mapped.
            unsafe {
                map_over(range, libc::MAP_SHARED | libc::MAP_POPULATE, descriptor)
                    .and_then(|()| advise(range, libc::MADV_DONTFORK))
                    .inspect_err(|_| restore(range, &memfd))
            }
        })?;
        Ok(Self { range, memfd, present: true, is_heap: true })
    }

    /// Moves pages of the heap back that have just been moved.
    ///
    /// # Safety
    /// As [`AdoptedPages::adopt_heap`], all the time since that was called. No other process may have mapped them.
    pub unsafe fn undo(self) {
        // SAFETY: passed on.
        unsafe { restore(self.range, &self.memfd) };
        self.forget();
    }

    /// Whether any page of this memfd is mapped at any address, from the text of /proc/self/maps.
    pub fn is_anywhere(&self, maps: &str) -> bool {
        let Some(inode) = self.inode().map(|inode| inode.to_string()) else { return true };
        maps.lines().any(|line| line.split_ascii_whitespace().nth(4) == Some(&inode))
    }

    /// The memfd's number, as the list of mappings has it.
    pub fn inode(&self) -> Option<u64> {
        self.memfd.metadata().ok().map(|metadata| metadata.ino())
    }

    /// The addresses of the pages.
    pub fn range(&self) -> MemoryRange {
        self.range
    }

    /// The memfd's descriptor in this process, by which peers find it.
    pub fn descriptor(&self) -> RawFd {
        self.memfd.as_raw_fd()
    }

    /// Whether this memfd still is what is mapped at the range, from the text of /proc/self/maps.
    pub fn is_mapped(&self, maps: &str) -> bool {
        let Ok(metadata) = self.memfd.metadata() else {
            return false;
        };
        let start = format!("{:x}-", self.range.start);
        let inode = metadata.ino().to_string();
        maps.lines().any(|line| line.starts_with(&start) && line.split_ascii_whitespace().nth(4) == Some(&inode))
    }

    /// Gives the pages up because something else lies at their addresses now.
    pub fn forget(mut self) {
        self.unlist();
        self.present = false;
    }

    fn unlist(&self) {
        if self.is_heap {
            fork::remove_moved(self.memfd.as_raw_fd());
        } else {
            fork::remove(self.range);
        }
    }
}

impl Drop for AdoptedPages {
    fn drop(&mut self) {
        if self.present && !self.is_heap {
            // SAFETY: the pages are ours (see `adopt`) and hold the memfd's bytes. The program's only thread that may
            // touch a receive buffer is in the runtime; peers have been told to write no more.
            unsafe { put_back(self.range, &self.memfd) };
            self.unlist();
        }
    }
}

/// A memfd with the contents of a range.
///
/// # Safety
/// The pages must be mapped and readable, and nobody may write them during the call.
unsafe fn copied(range: MemoryRange) -> Result<File> {
    let memfd = sealed_memfd("gravel-pages", range.bytes())?;
    // SAFETY: by the contract of this function.
    let contents =
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u8>(range.start), range.bytes()) };
    memfd
        .write_all_at(contents, 0)
        .map_err(|cause| Error::system(format!("copying {} bytes into shared memory", range.bytes()), &cause))?;
    Ok(memfd)
}

/// A memfd of exactly `bytes` bytes that can neither shrink nor grow, and that `exec` closes.
pub fn sealed_memfd(name: &str, bytes: usize) -> Result<File> {
    let explain = |cause: &io::Error| {
        Error::system(
            format!("creating {bytes} bytes of shared memory (memfd_create; limits: RLIMIT_NOFILE, memory cgroup)"),
            cause,
        )
    };
    let name = std::ffi::CString::new(name).map_err(|_| Error::Internal("memfd name with a zero byte".into()))?;
    // SAFETY: the name is a valid C string.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if descriptor < 0 {
        return Err(explain(&io::Error::last_os_error()).into());
    }
    // SAFETY: the descriptor is new and ours.
    let memfd = unsafe { File::from_raw_fd(descriptor) };
    memfd.set_len(bytes as u64).map_err(|cause| explain(&cause))?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: fcntl with an integer argument on a valid descriptor.
    if unsafe { libc::fcntl(memfd.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(explain(&io::Error::last_os_error()).into());
    }
    Ok(memfd)
}

/// Whether a memfd is sealed against shrinking, which every mapping of a peer's memory relies on.
pub fn is_sealed(memfd: &File) -> bool {
    // SAFETY: fcntl without further arguments on a valid descriptor.
    let seals = unsafe { libc::fcntl(memfd.as_raw_fd(), libc::F_GET_SEALS) };
    seals >= 0 && seals & libc::F_SEAL_SHRINK != 0
}

/// Maps over existing pages, in place.
///
/// # Safety
/// `range` must be page-aligned and the caller's to replace.
unsafe fn map_over(range: MemoryRange, flags: libc::c_int, descriptor: RawFd) -> io::Result<()> {
    let start = std::ptr::with_exposed_provenance_mut(range.start);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: by the contract of this function.
    let mapped = unsafe { libc::mmap(start, range.bytes(), protection, flags | libc::MAP_FIXED, descriptor, 0) };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Replaces adopted pages by private memory with the memfd's contents. A program cannot live with a hole in its data,
/// so where the system has no memory left for it the process ends with a message.
///
/// # Safety
/// `range` must be adopted into `memfd` (or be in the middle of it), and nobody may write it meanwhile.
unsafe fn put_back(range: MemoryRange, memfd: &File) {
    // A private file mapping of the memfd has the right contents at once and for ever: nobody writes the memfd any
    // more, and pages that this process writes become its own. It needs no copy, unlike anonymous memory.
    // SAFETY: by the contract of this function.
    if let Err(cause) = unsafe { map_over(range, libc::MAP_PRIVATE, memfd.as_raw_fd()) } {
        crate::sys::log::error!("giving adopted pages back failed ({cause}): the program's data is lost, ending it");
        std::process::abort();
    }
}

/// # Safety
/// The range must be the caller's, and the advice one that changes no contents.
unsafe fn advise(range: MemoryRange, advice: libc::c_int) -> io::Result<()> {
    // SAFETY: by the contract of this function.
    let done = unsafe { libc::madvise(std::ptr::with_exposed_provenance_mut(range.start), range.bytes(), advice) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// As [`put_back`], for memory that the program may empty and expect zeros of: each page becomes the process's own, and what
/// is in the memfd behind them goes.
///
/// # Safety
/// As [`put_back`]; no other process may have the memfd mapped.
unsafe fn restore(range: MemoryRange, memfd: &File) {
    // SAFETY: passed on. The advice makes private copies of all pages, and keeps what is in them.
    let is_own = unsafe {
        put_back(range, memfd);
        advise(range, libc::MADV_POPULATE_WRITE).is_ok()
    };
    if is_own {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: of the memfd's contents nothing is mapped any more that is not this process's own copy.
        unsafe { libc::fallocate(memfd.as_raw_fd(), mode, 0, range.bytes() as libc::off_t) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    /// Pages of its own for every test, so that tests do not meet.
    struct Pages(MemoryRange);

    impl Pages {
        fn new(pages: usize) -> Self {
            let bytes = pages * super::super::page_size();
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: a new anonymous mapping.
            let start = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
            assert_ne!(start, libc::MAP_FAILED);
            Self(MemoryRange::new(start.expose_provenance(), bytes as u64).unwrap())
        }

        fn byte(&self, offset: usize) -> *mut u8 {
            assert!(offset < self.0.bytes());
            ptr::with_exposed_provenance_mut(self.0.start + offset)
        }

        fn write(&self, offset: usize, value: u8) {
            // SAFETY: inside the mapping; volatile, because another mapping may show the same page.
            unsafe { self.byte(offset).write_volatile(value) }
        }

        fn read(&self, offset: usize) -> u8 {
            // SAFETY: as above.
            unsafe { self.byte(offset).read_volatile() }
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: our own mapping, not used after this.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.0.start), self.0.bytes()) };
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn contents_survive_both_ways_and_two_mappings_share() {
        let pages = Pages::new(3);
        for offset in 0..pages.0.bytes() {
            pages.write(offset, offset as u8);
        }
        // SAFETY: the pages are this test's own.
        let adopted = unsafe { AdoptedPages::adopt(pages.0) }.unwrap();
        for offset in 0..pages.0.bytes() {
            assert_eq!(pages.read(offset), offset as u8);
        }
        assert!(adopted.is_mapped(&std::fs::read_to_string("/proc/self/maps").unwrap()));
        assert!(is_sealed(&adopted.memfd));
        // What a peer does: write through the memfd.
        adopted.memfd.write_all_at(&[99], 5000).unwrap();
        assert_eq!(pages.read(5000), 99);
        pages.write(4999, 98);
        let mut byte = [0];
        adopted.memfd.read_exact_at(&mut byte, 4999).unwrap();
        assert_eq!(byte, [98]);
        assert!(adopted.memfd.set_len(0).is_err(), "sealed against shrinking");
        drop(adopted);
        assert_eq!((pages.read(4999), pages.read(5000), pages.read(77)), (98, 99, 77));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn pages_given_back_are_private_again() {
        let pages = Pages::new(1);
        // SAFETY: the pages are this test's own.
        let adopted = unsafe { AdoptedPages::adopt(pages.0) }.unwrap();
        let memfd = adopted.memfd.try_clone().unwrap();
        drop(adopted);
        pages.write(0, 5);
        let mut byte = [0];
        memfd.read_exact_at(&mut byte, 0).unwrap();
        assert_eq!(byte, [0], "a write after giving back does not reach the memfd");
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_forked_child_has_its_own_copy() {
        let pages = Pages::new(2);
        pages.write(10, 1);
        // SAFETY: the pages are this test's own.
        let adopted = unsafe { AdoptedPages::adopt(pages.0) }.unwrap();
        let mut ready = [0; 2];
        let mut go = [0; 2];
        // SAFETY: two pipes for the two processes to take turns.
        unsafe {
            assert_eq!(libc::pipe(ready.as_mut_ptr()), 0);
            assert_eq!(libc::pipe(go.as_mut_ptr()), 0);
        }
        // SAFETY: the child uses only memory accesses and system calls, and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut byte = 0u8;
            // The parent writes 2 at offset 10 before it lets the child look, and the child writes 3 at 11.
            // SAFETY: system calls on valid descriptors.
            unsafe { libc::read(go[0], (&raw mut byte).cast(), 1) };
            let unchanged = pages.read(10) == 1;
            pages.write(11, 3);
            // SAFETY: as above.
            unsafe {
                libc::write(ready[1], (&raw const byte).cast(), 1);
                libc::_exit(if unchanged { 0 } else { 1 });
            }
        }
        pages.write(10, 2);
        let mut byte = 1u8;
        let mut status = 0;
        // SAFETY: system calls on valid descriptors and our own child.
        unsafe {
            assert_eq!(libc::write(go[1], (&raw const byte).cast(), 1), 1);
            assert_eq!(libc::read(ready[0], (&raw mut byte).cast(), 1), 1);
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
        }
        assert_eq!(status, 0, "the child saw a write that its parent made after the fork");
        assert_eq!(pages.read(11), 0, "the parent saw a write of its child");
        assert_eq!(pages.read(10), 2);
        assert!(adopted.is_mapped(&std::fs::read_to_string("/proc/self/maps").unwrap()), "the parent keeps sharing");
    }
}
