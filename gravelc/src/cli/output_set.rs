//! Files that are written together: all of them, or none.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Failure;

/// Permissions of a new file that copies those of no other, before the umask.
const DEFAULT_MODE: u32 = 0o666;

/// Files that are written together.
///
/// Each is first written in full to a temporary file in the folder of its destination, so that a full disk or a folder
/// that can't be written is noticed before anything is replaced; [`OutputSet::commit`] then only renames. Dropping the
/// set without that removes the temporary files.
#[derive(Debug, Default)]
pub(super) struct OutputSet {
    staged: Vec<StagedFile>,
}

#[derive(Debug)]
struct StagedFile {
    destination: PathBuf,
    temporary: NamedTempFile,
}

impl OutputSet {
    /// Adds a file with this text. `permissions` are those it gets; `None` leaves them to the umask. A destination that
    /// is a link stays one: the file that it leads to is written.
    pub fn stage(&mut self, destination: &Path, text: &[u8], permissions: Option<Permissions>) -> Result<(), Failure> {
        let destination = destination.canonicalize().unwrap_or_else(|_| destination.to_owned());
        let temporary = write_temporary(&destination, text, permissions).map_err(|error| {
            Failure::input(format!("cannot write {}: {error}", destination.display()))
                .note("nothing was written")
                .help("check that the folder exists, can be written and has space left")
        })?;
        self.staged.push(StagedFile { destination, temporary });
        Ok(())
    }

    /// Puts every file in its place.
    pub fn commit(self) -> Result<(), Failure> {
        let mut written: Vec<PathBuf> = Vec::new();
        for StagedFile { destination, temporary } in self.staged {
            if let Err(error) = temporary.persist(&destination) {
                let failure = Failure::input(format!("cannot replace {}: {}", destination.display(), error.error));
                let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
                return Err(match names.as_slice() {
                    [] => failure.note("nothing was written"),
                    names => failure.note(format!("already written: {}", names.join(", "))),
                });
            }
            written.push(destination);
        }
        Ok(())
    }
}

fn write_temporary(
    destination: &Path,
    text: &[u8],
    permissions: Option<Permissions>,
) -> std::io::Result<NamedTempFile> {
    let folder = match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(".gravelc-")
        .permissions(Permissions::from_mode(DEFAULT_MODE))
        .tempfile_in(folder)?;
    temporary.write_all(text)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    Ok(temporary)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("the entry can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_all_with_the_permissions_asked_for() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut outputs = OutputSet::default();
        outputs
            .stage(&folder.path().join("a.f90"), b"a", Some(Permissions::from_mode(0o640)))
            .expect("it can be written");
        outputs.stage(&folder.path().join("b.f90"), b"b\xff", None).expect("it can be written");
        outputs.commit().expect("the files can be renamed");
        assert_eq!(entries(folder.path()), ["a.f90", "b.f90"]);
        assert_eq!(fs::read(folder.path().join("b.f90")).expect("it was written"), b"b\xff");
        let metadata = fs::metadata(folder.path().join("a.f90")).expect("it was written");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn writes_nothing_if_one_cannot_be_written() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut outputs = OutputSet::default();
        outputs.stage(&folder.path().join("a.f90"), b"a", None).expect("it can be written");
        let failure =
            outputs.stage(&folder.path().join("missing/b.f90"), b"b", None).expect_err("the folder is missing");
        assert!(failure.message().contains("missing/b.f90"), "{}", failure.message());
        drop(outputs);
        assert!(entries(folder.path()).is_empty(), "{:?}", entries(folder.path()));
    }

    #[test]
    fn writes_through_links() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").expect("a file can be written");
        symlink(&file, &link).expect("a link can be made");
        let mut outputs = OutputSet::default();
        outputs.stage(&link, b"new", None).expect("it can be written");
        outputs.commit().expect("the file can be renamed");
        assert_eq!(fs::read(&file).expect("it was written"), b"new");
        assert!(link.is_symlink());
    }
}
