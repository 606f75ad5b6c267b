//! What is in an archive of objects.

use std::fs;
use std::path::Path;

use object::read::archive::ArchiveFile;

use crate::cli::digest::sha256_of;

/// The members of the archive at `path`, by their names and digests. None where it is no archive, or can't be read.
pub(super) fn members(path: &Path) -> Vec<(String, String)> {
    let Ok(bytes) = fs::read(path) else { return Vec::new() };
    let Ok(archive) = ArchiveFile::parse(&*bytes) else { return Vec::new() };
    let beside = path.parent().unwrap_or(Path::new(""));
    let mut members = Vec::new();
    for member in archive.members().filter_map(Result::ok) {
        let name = String::from_utf8_lossy(member.name()).into_owned();
        // One that is thin only names them.
        let digest = match member.is_thin() {
            true => fs::read(beside.join(&name)).ok().map(|bytes| sha256_of(&bytes)),
            false => member.data(&*bytes).ok().map(sha256_of),
        };
        members.extend(digest.map(|digest| (name, digest)));
    }
    members
}
