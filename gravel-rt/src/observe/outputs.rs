//! The files that observers write, before they do: what can't be written at the end is found in `gravel_init`.
//!
//! Nothing is opened for that, so that a file that is there stays as it is, and none is left behind where there was none.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::Agreement;
use super::whole_file::WholeFile;
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::settings::{Settings, StatsOutput};
use crate::sys::log;
use crate::trace::Keeper;

/// Fails on every rank if one of them can't write a file that its settings name: on that one with the reason. Collective.
///
/// A file of all ranks is written by rank 0, which need not share a file system with the others.
pub fn check_on_all_ranks(host: &dyn Host, settings: &Settings, agreement: Agreement) -> Result<()> {
    if !agreement.any_file {
        return Ok(());
    }
    let rank = host.rank();
    let counters = match &settings.stats {
        Some(StatsOutput::File(path)) => Some(path),
        _ => None,
    };
    let files = [
        ("GRAVEL_TRACE", settings.trace.as_ref(), agreement.all_trace),
        ("GRAVEL_STATS", counters, agreement.all_count),
    ];
    let check = |(name, path, together): (&'static str, Option<&PathBuf>, bool)| match path {
        Some(path) if !together => check(name, &own(path, rank)),
        Some(path) if rank == 0 => check(name, path),
        _ => Ok(()),
    };
    let checked = files.into_iter().try_for_each(check);
    let verdicts = host.all_gather(&[u8::from(checked.is_ok())]);
    checked?;
    match verdicts?.iter().position(|&verdict| verdict == 0) {
        Some(peer) => Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into()),
        None => Ok(()),
    }
}

/// The file of one rank alone.
pub(super) fn own(path: &Path, rank: Rank) -> PathBuf {
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{rank}"));
    own.into()
}

fn check(name: &'static str, path: &Path) -> Result<()> {
    check_writable(path).map_err(|cause| {
        let (path, cause) = (path.display().to_string(), cause.to_string());
        Error::Unwritable { name, path, cause }.into()
    })
}

/// Whether a file can be written, or made, as far as that can be told without doing so.
fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(_) => access(path, libc::W_OK),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            // A link to what is not there makes that.
            let target = fs::read_link(path).map(|target| path.with_file_name("").join(target));
            let target = target.unwrap_or_else(|_| path.to_owned());
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            access(folder, libc::W_OK | libc::X_OK)
        }
        Err(cause) => Err(cause),
    }
}

/// What the effective user may do with a file.
fn access(path: &Path, mode: libc::c_int) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: a valid C string.
    match unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), mode, libc::AT_EACCESS) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What keeps the trace of a rank: its file, which outlives the process, and memory before there is one or where none can be
/// made.
#[derive(Debug)]
pub(super) enum TraceKeeper {
    Memory(Vec<u8>),
    File(WholeFile),
}

impl Default for TraceKeeper {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl TraceKeeper {
    /// From now on in a file of this name. Without one, the trace is lost if this process is killed, and that is said.
    pub(super) fn move_to(&mut self, path: &Path, begin: &str, end: &'static str) {
        let Self::Memory(text) = self else { return };
        let made = WholeFile::create(path, begin, end).and_then(|mut file| {
            let moved = file.append(text);
            if moved.is_err() {
                let _ = fs::remove_file(path);
            }
            moved.map(|()| file)
        });
        match made {
            Ok(file) => *self = Self::File(file),
            Err(cause) => {
                log::warning!("the trace is lost if this process is killed: {} can't be made: {cause}", path.display());
            }
        }
    }

    /// The text, and the file in which it is.
    pub(super) fn finish(self) -> (Vec<u8>, Option<PathBuf>) {
        match self {
            Self::Memory(text) => (text, None),
            Self::File(file) => {
                let path = file.path().to_owned();
                match file.finish() {
                    Ok((text, path)) => (text, Some(path)),
                    Err(cause) => {
                        log::error!("{} cannot be read: {cause}", path.display());
                        (Vec::new(), Some(path))
                    }
                }
            }
        }
    }
}

impl Keeper for TraceKeeper {
    fn keep(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::Memory(memory) => memory.keep(text),
            Self::File(file) => file.append(text),
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_is_told_without_writing() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        fs::write(inside("there"), "kept").unwrap();
        std::os::unix::fs::symlink("not-yet", inside("link")).unwrap();
        std::os::unix::fs::symlink("nowhere/file", inside("dangling")).unwrap();
        for name in ["there", "new", "link"] {
            assert!(check_writable(&inside(name)).is_ok(), "{name}");
        }
        assert!(check_writable(Path::new("/dev/null")).is_ok());
        assert!(check_writable(Path::new("relative-and-new")).is_ok());
        let refused = |path: PathBuf| check_writable(&path).unwrap_err().kind();
        assert_eq!(refused(folder.path().into()), io::ErrorKind::IsADirectory);
        assert_eq!(refused(inside("nowhere/file")), io::ErrorKind::NotFound);
        assert_eq!(refused(inside("dangling")), io::ErrorKind::NotFound);
        assert_eq!(refused(inside("there/file")), io::ErrorKind::NotADirectory);
        assert_eq!(refused(inside(&"x".repeat(300))), io::ErrorKind::InvalidFilename);
        assert_eq!(fs::read_to_string(inside("there")).unwrap(), "kept");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_trace_moves_into_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.3");
        let mut keeper = TraceKeeper::Memory(b"first".to_vec());
        keeper.move_to(&path, "<", ">");
        keeper.keep(b" second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), "<first second>");
        assert_eq!(keeper.finish(), (b"first second".to_vec(), Some(path.clone())));
        assert_eq!(fs::read_to_string(&path).unwrap(), "<first second>");
    }
}
