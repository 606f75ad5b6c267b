//! A text file that grows and is whole at any time: what was written stays when the process is killed, and can be read.
//!
//! The part of the file that is written is mapped, so that the text is the file's, and not this process's, as soon as it is
//! stored, without a system call. Its end (the closing brackets of JSON) stands behind the text at any time; a text is stored
//! behind the end first, and its first bytes last, over the end. Only between the last two stores is the file not whole.
//!
//! Room is made in chunks of blanks, which are written and not only reserved: to store into a mapped hole of a file system that
//! is full would end the process.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use crate::memory::fork::is_forked_child;

/// Bytes by which a file grows.
const CHUNK: usize = 256 * 1024;
/// What a mapping begins with a multiple of, on every machine that this runs on.
const GRANULE: u64 = 64 * 1024;

/// A file and the mapped part of it that is being written.
#[derive(Debug)]
pub(super) struct WholeFile {
    path: PathBuf,
    file: File,
    /// What stands behind the text.
    end: &'static [u8],
    /// Bytes of text so far, and what they begin with.
    length: u64,
    begins: u64,
    window: Window,
}

impl WholeFile {
    /// A new file, in the place of an old one, that consists of `begin` and `end`.
    pub(super) fn create(path: &Path, begin: &str, end: &'static str) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no ordinary file"));
        }
        let made = Window::at(&file, 0, CHUNK).and_then(|window| {
            let (path, end) = (path.to_owned(), end.as_bytes());
            let mut whole = Self { path, file, end, length: 0, begins: 0, window };
            whole.store(&[begin.as_bytes(), whole.end].concat(), 0)?;
            whole.length = begin.len() as u64;
            whole.begins = whole.length;
            Ok(whole)
        });
        if made.is_err() {
            let _ = std::fs::remove_file(path);
        }
        made
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends text. After an error the file is as it was before, but that there may be more blanks.
    pub(super) fn append(&mut self, text: &[u8]) -> io::Result<()> {
        let bytes = [text, self.end].concat();
        let last = self.length + bytes.len() as u64;
        if last > self.window.end() {
            let start = self.length / GRANULE * GRANULE;
            self.window = Window::at(&self.file, start, (last - start) as usize + CHUNK)?;
        }
        let behind = self.end.len().min(bytes.len());
        self.store(&bytes[behind..], self.length + behind as u64)?;
        // Not before what they make valid.
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
        self.store(&bytes[..behind], self.length)?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// The text, without what the file was begun with and its end. The file is as long as it has to be from now on.
    pub(super) fn finish(self) -> io::Result<(Vec<u8>, PathBuf)> {
        let Self { path, file, end, length, begins, window } = self;
        drop(window);
        file.set_len(length + end.len() as u64)?;
        let mut text = vec![0; (length - begins) as usize];
        file.read_exact_at(&mut text, begins)?;
        Ok((text, path))
    }

    fn store(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        let outside = || io::Error::other("a text outside of what is mapped");
        let offset = at.checked_sub(self.window.start).ok_or_else(outside)? as usize;
        if offset.checked_add(bytes.len()).is_none_or(|last| last > self.window.bytes) {
            return Err(outside());
        }
        // SAFETY: inside the mapping, as just checked, which is this value's alone. Somebody who shortens the file meanwhile ends
        // this process, as who takes its memory away.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.window.address.as_ptr().add(offset), bytes.len());
        }
        Ok(())
    }
}

/// A mapped part of a file.
#[derive(Debug)]
struct Window {
    address: NonNull<u8>,
    /// Where it begins in the file, and its length.
    start: u64,
    bytes: usize,
}

// SAFETY: the mapping is the value's own, and does not depend on threads.
unsafe impl Send for Window {}

impl Window {
    /// Maps so many bytes of a file from `start` on, a multiple of [`GRANULE`], after writing blanks where it is shorter.
    fn at(file: &File, start: u64, bytes: usize) -> io::Result<Self> {
        let end = start + bytes as u64;
        let length = file.metadata()?.len();
        if length < end {
            file.write_all_at(&vec![b' '; (end - length) as usize], length)?;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let from = libc::off_t::try_from(start).map_err(io::Error::other)?;
        // SAFETY: a new mapping.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), from) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // A forked child is another process, and has nothing to write here.
        // SAFETY: advice on a mapping of our own.
        unsafe { libc::madvise(address, bytes, libc::MADV_DONTFORK) };
        let address = NonNull::new(address.cast()).ok_or_else(|| io::Error::other("a mapping at address zero"))?;
        Ok(Self { address, start, bytes })
    }

    fn end(&self) -> u64 {
        self.start + self.bytes as u64
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // A forked child has no such mapping.
        if !is_forked_child() {
            // SAFETY: the mapping is ours and not used after this.
            unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes) };
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn it_is_whole_after_every_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole");
        std::fs::write(&path, "an old and longer text".repeat(100_000)).unwrap();
        let mut whole = WholeFile::create(&path, "{\"all\":[0", "\n]}\n").unwrap();
        let mut texts = String::new();
        for number in 0..20_u32 {
            let text = format!(",\n\"{number}{}\"", "x".repeat((CHUNK / 3 * number as usize) % 400_000));
            whole.append(text.as_bytes()).unwrap();
            texts.push_str(&text);
            let read: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(read["all"].as_array().map(Vec::len), Some(number as usize + 2));
        }
        // Shorter than the end that it is written over.
        whole.append(b" ").unwrap();
        texts.push(' ');
        let (text, own) = whole.finish().unwrap();
        assert!(text == texts.as_bytes() && own == path);
        assert!(std::fs::read_to_string(&path).unwrap() == format!("{{\"all\":[0{texts}\n]}}\n"));
    }

    #[test]
    fn what_is_no_file_is_refused() {
        assert!(WholeFile::create(Path::new("/dev/null"), "", "").is_err());
        assert!(Path::new("/dev/null").exists(), "it was removed");
        assert!(WholeFile::create(Path::new("/nowhere/at/all"), "", "").is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(WholeFile::create(folder.path(), "", "").is_err());
    }
}
