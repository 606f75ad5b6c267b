//! The C header of the runtime.

use std::fs;
use std::path::PathBuf;

use super::cache_folder::CacheEntry;
use crate::cli::Failure;

/// The header, as the runtime of this version has it.
pub(in crate::cli) const HEADER: &str = include_str!("../../../../gravel-rt/include/gravel.h");

/// The folder of the cache that holds `gravel.h`, for `-I`.
pub(in crate::cli) fn header_folder() -> Result<PathBuf, Failure> {
    CacheEntry::new("header", HEADER.to_owned())?.get_or_fill(|folder| {
        let path = folder.join("gravel.h");
        fs::write(&path, HEADER).map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))
    })
}
