//! Who is emptying memory: which callers of `madvise` wait for their event to be read, and what they empty.
//!
//! The kernel says it in /proc/self/task: `wchan` names the function in which a thread sleeps, `syscall` the call that it
//! is in, with its arguments. A thread that sleeps in a wait for an event stays there until its event has been read, which
//! only the reader of these files does. So what they say still holds when it is acted upon. A thread that is anywhere else
//! in its call might leave it at any time, and is left alone.
//!
//! A thread is seen in its wait only when it has left its processor, which it may be kept from: it has just woken this
//! reader. Its state, though, is that of a sleeper (`stat`) from before its event can be seen. So where a thread is in that
//! state and in no function, all are looked at again. When one event has been read, the kernel wakes all that wait; the
//! others sleep again when each has had a moment of a processor. So where events come at the same time, a thread that does
//! not sleep is waited for: until it does, or has run for longer than that takes.
//!
//! Nothing here allocates memory or takes a lock.

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use crate::memory::{MemoryRange, page_size};

/// What the functions of the kernel are called in which a thread waits for its event. That for a fault of a page is another
/// (`handle_userfault`).
const WAITING: &[u8] = b"userfaultfd_";
/// How often all threads are looked at until each that waits is asleep, at most.
const TRIES: usize = 10_000;

/// A thread that has been woken for nothing sleeps again within this time on a processor, in nanoseconds.
const SLEEPS_AGAIN: u64 = 50_000;
/// So many threads that do not sleep can be told apart; more are not waited for.
const AWAKE: usize = 512;
/// And for so long, in nanoseconds: until then whoever empties memory stands still, and behind it old contents could be found
/// where zeros are expected. On a processor that many share a moment can be long in coming.
const PATIENCE: u64 = 5_000_000_000;

/// What is needed to look.
pub struct Emptying {
    /// /proc/self/task.
    tasks: OwnedFd,
    /// Its place is for the files that are looked into, also where the process has used up its descriptors.
    spare: RawFd,
    /// Threads that did not sleep, and what they had run by then.
    awake: Box<[(u64, u64)]>,
    known: usize,
}

impl Emptying {
    /// Tries it. The error says what is missing.
    pub fn new() -> Result<Self, String> {
        let tasks: OwnedFd = File::open("/proc/self/task").map_err(|cause| format!("/proc/self/task: {cause}"))?.into();
        let mut emptying = Self { tasks, spare: -1, awake: vec![(0, 0); AWAKE].into(), known: 0 };
        emptying.keep_spare();
        let mut text = [0; 256];
        let mut sees = |name: &CStr| {
            let mut own = Name::default();
            // SAFETY: no preconditions.
            own.push_number(unsafe { libc::syscall(libc::SYS_gettid) } as u64);
            own.push(name.to_bytes());
            emptying.read(&own, &mut text).is_some_and(|read| !read.is_empty())
        };
        for name in [c"/syscall", c"/wchan", c"/stat"] {
            if !sees(name) {
                return Err(format!("/proc/self/task/*{} cannot be read", name.to_string_lossy()));
            }
        }
        Ok(emptying)
    }

    /// What is emptied by threads that wait for their event to be read; of which there is one. `have_woken` says that they may
    /// have been woken for nothing just now.
    pub fn each(&mut self, have_woken: bool, mut empties: impl FnMut(MemoryRange)) {
        self.known = 0;
        let begin = if have_woken { running_time(libc::CLOCK_MONOTONIC) } else { Some(0) };
        for tried in 0..TRIES {
            if self.look(have_woken, &mut empties) == Seen::Waiting {
                return;
            }
            std::thread::yield_now();
            let late = |begin: u64| running_time(libc::CLOCK_MONOTONIC).is_none_or(|now| now - begin > PATIENCE);
            if have_woken && tried % 16 == 15 && begin.is_none_or(late) {
                return;
            }
        }
    }

    /// Looks at every thread once.
    fn look(&mut self, have_woken: bool, empties: &mut impl FnMut(MemoryRange)) -> Seen {
        let mut seen = Seen::Elsewhere;
        let mut entries = [0u64; 512];
        // SAFETY: a descriptor of ours.
        unsafe { libc::lseek(self.tasks.as_raw_fd(), 0, libc::SEEK_SET) };
        loop {
            let bytes = size_of_val(&entries);
            // SAFETY: room for so many bytes, aligned as entries of directories are.
            let got =
                unsafe { libc::syscall(libc::SYS_getdents64, self.tasks.as_raw_fd(), entries.as_mut_ptr(), bytes) };
            let Some(got) = usize::try_from(got).ok().filter(|&got| got > 0) else { return seen };
            // SAFETY: the kernel has written so many bytes.
            let mut rest = unsafe { std::slice::from_raw_parts(entries.as_ptr().cast::<u8>(), got) };
            while let Some((name, behind)) = next_entry(rest) {
                rest = behind;
                if name[0].is_ascii_digit() {
                    seen = seen.max(self.look_at(name, have_woken, empties));
                }
            }
        }
    }

    /// Looks at one thread.
    fn look_at(&mut self, thread: &[u8], have_woken: bool, empties: &mut impl FnMut(MemoryRange)) -> Seen {
        let mut text = [0; 256];
        let named = |file: &[u8]| {
            let mut name = Name::default();
            name.push(thread);
            name.push(file);
            name
        };
        // In this order: what it is in is the call that it was found waiting in.
        let place = self.read(&named(b"/wchan"), &mut text).unwrap_or_default();
        if place.starts_with(WAITING) {
            if let Some(range) = self.read(&named(b"/syscall"), &mut text).and_then(emptied) {
                empties(range);
            }
            return Seen::Waiting;
        }
        let is_nowhere = matches!(place, b"" | b"0");
        let state = if is_nowhere { self.read(&named(b"/stat"), &mut text).and_then(state) } else { None };
        match state {
            Some(b'D') => Seen::FallingAsleep,
            Some(b'R') if have_woken && self.may_have_woken(thread) => Seen::FallingAsleep,
            _ => Seen::Elsewhere,
        }
    }

    /// Whether a thread that does not sleep may have been woken just now, and not have run since.
    fn may_have_woken(&mut self, thread: &[u8]) -> bool {
        let Some(thread) = std::str::from_utf8(thread).ok().and_then(|text| text.parse::<u64>().ok()) else {
            return false;
        };
        // SAFETY: no preconditions.
        if thread == unsafe { libc::syscall(libc::SYS_gettid) } as u64 {
            return false;
        }
        // The clock of a thread's own time, as <linux/posix-timers.h> makes it.
        let Some(time) = running_time(((!thread << 3) | 6) as libc::clockid_t) else { return false };
        match self.awake[..self.known].iter().find(|(known, _)| *known == thread) {
            Some((_, before)) => time < before + SLEEPS_AGAIN,
            None if self.known < AWAKE => {
                self.awake[self.known] = (thread, time);
                self.known += 1;
                true
            }
            None => false,
        }
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

/// A clock, in nanoseconds.
fn running_time(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for a time.
    let known = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
    known.then(|| time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned())
}

/// Where a thread was seen; of several, what says most about all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Elsewhere,
    /// In a wait for its event.
    Waiting,
    /// On its way into some wait, perhaps this.
    FallingAsleep,
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

/// The state of a thread: the letter behind its name, which is in parentheses and may hold some.
fn state(stat: &[u8]) -> Option<u8> {
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    stat.get(end + 2).copied()
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
    fn the_state_is_behind_the_name() {
        assert_eq!(state(b"17 (a) b) (c) D 1 2"), Some(b'D'));
        assert_eq!(state(b"17 (a)"), None);
        assert_eq!(state(b""), None);
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
    fn every_thread_is_looked_at() {
        let Ok(mut emptying) = Emptying::new() else { return };
        let computes = std::thread::spawn(|| {
            let end = std::time::Instant::now() + std::time::Duration::from_millis(200);
            while std::time::Instant::now() < end {
                std::hint::spin_loop();
            }
        });
        // Until the one that computes has been found to do so.
        while !emptying.awake.iter().any(|&(_, time)| time > 0) {
            emptying.look(true, &mut |_| {});
        }
        computes.join().expect("it ends");
    }
}
