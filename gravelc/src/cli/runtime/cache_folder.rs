//! The folder in which what was compiled for the user is kept between runs.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::Failure;

/// The folder of gravelc in the user's cache: `$GRAVEL_CACHE_DIR`, else `$XDG_CACHE_HOME/gravel`, else
/// `~/.cache/gravel`, else (no home, or none that can be written) a folder of the user's own among the temporary files.
///
/// # Errors
///
/// If none of them can be made; a GRAVEL_CACHE_DIR that can't be made is an error even if another could be.
pub(super) fn cache_folder() -> Result<PathBuf, Failure> {
    if let Some(folder) = variable("GRAVEL_CACHE_DIR") {
        return make_writable(&folder).map(|()| folder.clone()).map_err(|error| {
            Failure::input(format!("cannot use the cache folder {}: {error}", folder.display()))
                .help("it comes from GRAVEL_CACHE_DIR; name a folder that can be written")
        });
    }
    let home_cache = || variable("HOME").map(|home| home.join(".cache"));
    // A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
    let user_cache = variable("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()).or_else(home_cache);
    if let Some(folder) = user_cache.map(|folder| folder.join("gravel"))
        && make_writable(&folder).is_ok()
    {
        return Ok(folder);
    }
    temporary_cache().map_err(|error| {
        Failure::input(format!("cannot make a cache folder: {error}"))
            .help("set GRAVEL_CACHE_DIR to a folder that can be written")
    })
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Makes the folder if there is none, and tries it.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// A folder among the temporary files that belongs to this user alone: in a place that everybody can write, a folder
/// that somebody else prepared must not become part of the user's programs.
fn temporary_cache() -> io::Result<PathBuf> {
    let user = fs::metadata("/proc/self")?.uid();
    let folder = env::temp_dir().join(format!("gravel-cache-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(&folder)?;
    if metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o022 == 0 {
        return Ok(folder);
    }
    Err(io::Error::other(format!("{} does not belong to this user alone", folder.display())))
}

/// What the user's cache holds for one key.
pub(super) struct CacheEntry {
    folder: PathBuf,
    parent: PathBuf,
    key: String,
}

/// Name of the file that says what an entry is for.
const KEY_FILE: &str = "key.txt";

impl CacheEntry {
    /// The entry with this key, whether it exists or not; its folder's name begins with `kind`.
    pub fn new(kind: &str, key: String) -> Result<Self, Failure> {
        let parent = cache_folder()?;
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let folder = parent.join(format!("{kind}-{:016x}", hasher.finish()));
        Ok(Self { folder, parent, key })
    }

    /// The folder of the entry, filled by `fill` if there is none yet.
    ///
    /// It is filled under another name and then renamed: a folder that exists is complete. Where several processes
    /// (a parallel `make`) fill it at once, the first rename wins and the others take its result.
    pub fn get_or_fill(self, fill: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<PathBuf, Failure> {
        if self.holds_key() {
            return Ok(self.folder);
        }
        let failed = |error: io::Error| {
            Failure::input(format!("cannot write to the cache folder {}: {error}", self.parent.display()))
                .help("set GRAVEL_CACHE_DIR to a folder that can be written")
        };
        let unfinished = tempfile::Builder::new().prefix(".new-").tempdir_in(&self.parent).map_err(failed)?;
        fill(unfinished.path())?;
        fs::write(unfinished.path().join(KEY_FILE), &self.key).map_err(failed)?;
        self.publish(unfinished).map_err(failed)?;
        Ok(self.folder)
    }

    fn publish(&self, unfinished: TempDir) -> io::Result<()> {
        match fs::rename(unfinished.path(), &self.folder) {
            Ok(()) => {
                // It has its final name now: nothing is left for the guard to remove.
                let _ = unfinished.keep();
                Ok(())
            }
            // Another process was faster.
            Err(_) if self.holds_key() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn holds_key(&self) -> bool {
        fs::read(self.folder.join(KEY_FILE)).is_ok_and(|key| key == self.key.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(parent: &Path) -> CacheEntry {
        CacheEntry { folder: parent.join("entry"), parent: parent.to_owned(), key: "key".to_owned() }
    }

    #[test]
    fn is_filled_once() {
        let parent = tempfile::tempdir().expect("a temporary folder can be made");
        let fill =
            |folder: &Path| fs::write(folder.join("file"), "text").map_err(|error| Failure::input(error.to_string()));
        let folder = entry(parent.path()).get_or_fill(fill).expect("it can be filled");
        assert_eq!(fs::read_to_string(folder.join("file")).expect("it was filled"), "text");
        let again = entry(parent.path()).get_or_fill(|_| Err(Failure::input("filled twice")));
        assert_eq!(again.expect("it is there"), folder);
        assert_eq!(fs::read_dir(parent.path()).expect("it can be read").count(), 1, "nothing is left behind");
    }

    #[test]
    fn the_loser_of_a_race_takes_the_winners_result() {
        let parent = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = entry(parent.path())
            .get_or_fill(|_| entry(parent.path()).get_or_fill(|_| Ok(())).map(drop))
            .expect("the other one's result is there");
        assert!(folder.join(KEY_FILE).exists());
        assert_eq!(fs::read_dir(parent.path()).expect("it can be read").count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_failure_leaves_no_entry() {
        let parent = tempfile::tempdir().expect("a temporary folder can be made");
        assert!(entry(parent.path()).get_or_fill(|_| Err(Failure::input("no"))).is_err());
        assert_eq!(fs::read_dir(parent.path()).expect("it can be read").count(), 0);
    }
}
