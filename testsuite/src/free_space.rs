//! Room on the disk for what the suite builds.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What all parts of the suite take in the target directory, in bytes: 4.6 GB at most.
const NEEDED: u64 = 5_000_000_000;

/// There is less room than all parts of the suite take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LittleSpace {
    folder: PathBuf,
    /// In bytes.
    free: u64,
}

impl LittleSpace {
    /// Whether there is too little in the file system of this folder.
    ///
    /// # Errors
    ///
    /// If the system does not tell.
    pub fn in_folder(folder: &Path) -> io::Result<Option<Self>> {
        let found = rustix::fs::statvfs(folder)?;
        let free = found.f_bavail.saturating_mul(found.f_frsize);
        Ok((free < NEEDED).then(|| Self { folder: folder.to_owned(), free }))
    }
}

impl fmt::Display for LittleSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [free, needed] = [self.free, NEEDED].map(|bytes| bytes as f64 / 1e9);
        write!(
            f,
            "warning: {free:.1} GB are free in {}; all parts together take about {needed:.1} GB. Failures may have no \
             other cause; CARGO_TARGET_DIR names another place",
            self.folder.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_much_there_is_and_what_is_needed() {
        let found = LittleSpace { folder: "/t".into(), free: 287_000_000 };
        assert_eq!(
            found.to_string(),
            "warning: 0.3 GB are free in /t; all parts together take about 5.0 GB. Failures may have no other cause; \
             CARGO_TARGET_DIR names another place"
        );
    }

    #[test]
    fn asks_the_file_system() {
        let place = tempfile::tempdir().expect("a temporary folder can be made");
        assert!(LittleSpace::in_folder(place.path()).is_ok());
        assert!(LittleSpace::in_folder(&place.path().join("nothing")).is_err());
    }
}
