//! Who is emptying memory: which callers of `madvise` wait for their event to be read, and what they empty.
//!
//! The kernel says it in /proc/self/task: `wchan` names the function in which a thread sleeps, `syscall` the call that it
//! is in, with its arguments. A thread that sleeps in a wait for an event stays there until its event has been read, which
//! only the reader of these files does. So what they say still holds when it is acted upon. A thread that is anywhere else
//! in its call might leave it at any time, and is left alone.
//!
//! Nothing here allocates memory or takes a lock.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use crate::memory::{MemoryRange, page_size};

/// What the functions of the kernel are called in which a thread waits for its event. That for a fault of a page is another
/// (`handle_userfault`).
const WAITING: &[u8] = b"userfaultfd_";
/// How often all threads are looked at before a waiting one must have been among them: the last steps into its sleep are
/// short, and an event is there a moment before them.
const TRIES: usize = 100;

/// What is needed to look.
pub struct Emptying {
    /// /proc/self/task.
    tasks: OwnedFd,
    /// Its place is for the files that are looked into, also where the process has used up its descriptors.
    spare: RawFd,
}

impl Emptying {
    /// Tries it. The error says what is missing.
    pub fn new() -> Result<Self, String> {
        let tasks: OwnedFd = File::open("/proc/self/task").map_err(|cause| format!("/proc/self/task: {cause}"))?.into();
        let mut emptying = Self { tasks, spare: -1 };
        emptying.keep_spare();
        let mut text = [0; 256];
        let mut sees = |name: &CStr| {
            let mut own = Name::default();
            // SAFETY: no preconditions.
            own.push_number(unsafe { libc::syscall(libc::SYS_gettid) } as u64);
            own.push(name.to_bytes());
            emptying.read(&own, &mut text).is_some_and(|read| !read.is_empty())
        };
        for name in [c"/syscall", c"/wchan"] {
            if !sees(name) {
                return Err(format!("/proc/self/task/*{} cannot be read", name.to_string_lossy()));
            }
        }
        Ok(emptying)
    }

    /// What is emptied by threads that wait for their event to be read; which has been found to be there.
    pub fn each(&mut self, mut empties: impl FnMut(MemoryRange)) {
        for _ in 0..TRIES {
            if self.look(&mut empties) {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// Looks at every thread once. Whether one waits.
    fn look(&mut self, empties: &mut impl FnMut(MemoryRange)) -> bool {
        let mut waits = false;
        let mut entries = [0u64; 512];
        // SAFETY: a descriptor of ours.
        unsafe { libc::lseek(self.tasks.as_raw_fd(), 0, libc::SEEK_SET) };
        loop {
            let bytes = size_of_val(&entries);
            // SAFETY: room for so many bytes, aligned as entries of directories are.
            let got = unsafe {
                libc::syscall(libc::SYS_getdents64, self.tasks.as_raw_fd(), entries.as_mut_ptr(), bytes)
            };
            let Some(got) = usize::try_from(got).ok().filter(|&got| got > 0) else { return waits };
            // SAFETY: the kernel has written so many bytes.
            let mut rest = unsafe { std::slice::from_raw_parts(entries.as_ptr().cast::<u8>(), got) };
            while let Some((name, behind)) = next_entry(rest) {
                rest = behind;
                waits |= name[0].is_ascii_digit() && self.look_at(name, empties);
            }
        }
    }

    /// Looks at one thread. Whether it waits.
    fn look_at(&mut self, thread: &[u8], empties: &mut impl FnMut(MemoryRange)) -> bool {
        let mut text = [0; 256];
        let named = |file: &[u8]| {
            let mut name = Name::default();
            name.push(thread);
            name.push(file);
            name
        };
        // In this order: what it is in is the call that it was found waiting in.
        if !self.read(&named(b"/wchan"), &mut text).is_some_and(|place| place.starts_with(WAITING)) {
            return false;
        }
        if let Some(range) = self.read(&named(b"/syscall"), &mut text).and_then(emptied) {
            empties(range);
        }
        true
    }

    /// What is in a file of a thread.
    fn read<'a>(&mut self, name: &Name, text: &'a mut [u8]) -> Option<&'a [u8]> {
        if self.spare >= 0 {
            // SAFETY: ours.
            unsafe { libc::close(self.spare) };
            self.spare = -1;
        }
        let flags: c_int = libc::O_RDONLY | libc::O_CLOEXEC;
        // SAFETY: a name that ends with a zero byte; room for as many bytes as is said; a descriptor that was just opened.
        let got = unsafe {
            let file = libc::openat(self.tasks.as_raw_fd(), name.0.as_ptr().cast(), flags);
            if file < 0 {
                self.keep_spare();
                return None;
            }
            let file = OwnedFd::from_raw_fd(file);
            libc::read(file.as_raw_fd(), text.as_mut_ptr().cast(), text.len())
        };
        self.keep_spare();
        text.get(..usize::try_from(got).ok()?)
    }

    fn keep_spare(&mut self) {
        // SAFETY: duplicates a descriptor of ours.
        self.spare = unsafe { libc::fcntl(self.tasks.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
    }
}

impl Drop for Emptying {
    fn drop(&mut self) {
        if self.spare >= 0 {
            // SAFETY: ours.
            unsafe { libc::close(self.spare) };
        }
    }
}

/// A short name of a file, which ends with a zero byte.
#[derive(Default)]
struct Name([u8; 32], usize);

impl Name {
    fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // The last one stays zero.
            if self.1 + 1 < self.0.len() {
                self.0[self.1] = byte;
                self.1 += 1;
            }
        }
    }

    fn push_number(&mut self, number: u64) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.push(&[b'0' + (number % 10) as u8]);
    }
}

/// The name of the first of some entries of a directory, and the others.
fn next_entry(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    const LENGTH: usize = std::mem::offset_of!(libc::dirent64, d_reclen);
    const NAME: usize = std::mem::offset_of!(libc::dirent64, d_name);
    let length = u16::from_ne_bytes(*entries.get(LENGTH..)?.first_chunk()?);
    let entry = entries.get(..usize::from(length))?;
    let name = entry.get(NAME..)?.split(|&byte| byte == 0).next()?;
    (!name.is_empty()).then_some((name, &entries[usize::from(length)..]))
}

/// The range that a call empties, if it is one that does: the text is its number, and its arguments with `0x`.
fn emptied(call: &[u8]) -> Option<MemoryRange> {
    let mut words = std::str::from_utf8(call).ok()?.split_ascii_whitespace();
    let number: libc::c_long = words.next()?.parse().ok()?;
    let mut argument = || usize::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let (start, bytes, advice) = (argument()?, argument()?, argument()?);
    let empties = [libc::MADV_DONTNEED, libc::MADV_DONTNEED_LOCKED].map(|advice| advice as usize).contains(&advice);
    if number != libc::SYS_madvise || !empties {
        return None;
    }
    Some(MemoryRange { start, end: start.checked_add(bytes.checked_next_multiple_of(page_size())?)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_that_empty_memory_are_recognised() {
        let madvise = libc::SYS_madvise;
        let call = |text: &str| emptied(text.replace("madvise", &madvise.to_string()).as_bytes());
        let range = Some(MemoryRange { start: 0x7000, end: 0x9000 });
        assert_eq!(call("madvise 0x7000 0x2000 0x4 0x0 0x0 0x0 0x7ffd 0x7fbb\n"), range);
        assert_eq!(call("madvise 0x7000 0x1001 0x18 0x0 0x0 0x0 0x7ffd 0x7fbb\n"), range);
        for other in [
            "madvise 0x7000 0x2000 0x8 0x0",
            "madvise 0xfffffffffffff000 0x2000 0x4 0x0",
            "madvise 0x7000 0xffffffffffffffff 0x4 0x0",
            "1 0x7000 0x2000 0x4 0x0",
            "-1 0x7000 0x2000",
            "running",
            "",
        ] {
            assert_eq!(call(other), None, "{other}");
        }
    }

    #[test]
    fn entries_end_where_the_kernel_says() {
        let mut entry = vec![0; 16];
        entry.extend(24u16.to_ne_bytes());
        entry.extend([4, b'1', b'2', 0, 0, 0]);
        let two = [entry.clone(), entry.clone()].concat();
        let (name, rest) = next_entry(&two).expect("two entries");
        assert_eq!((name, rest), (&b"12"[..], &entry[..]));
        assert!(next_entry(&two[..20]).is_none(), "cut off");
        assert!(next_entry(&[]).is_none());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn nobody_waits_here() {
        let Ok(mut emptying) = Emptying::new() else { return };
        assert!(!emptying.look(&mut |_| panic!("no thread empties memory")));
    }
}
