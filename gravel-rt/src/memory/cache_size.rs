//! How much the processor's last cache holds, and how many processors share it.
//!
//! From sysfs, which describes the machine as the kernel sees it. The C library's answer (`_SC_LEVEL3_CACHE_SIZE`) is no
//! way out where there is no sysfs: on some virtual machines it is the size of the host's caches, all together.

use std::path::Path;

const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The cache between all others and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastCache {
    /// Bytes that it holds.
    pub bytes: u64,
    /// How many processors share it.
    pub processors: u64,
}

impl LastCache {
    /// The one of the first processor, as far as the system tells.
    pub fn of_this_machine() -> Option<Self> {
        Self::described_in(Path::new(CACHES))
    }

    /// Of the caches that the folders in this one describe, the last that holds data.
    fn described_in(folder: &Path) -> Option<Self> {
        let caches = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
            let read = |name: &str| Some(std::fs::read_to_string(entry.path().join(name)).ok()?.trim().to_owned());
            let level: u32 = read("level")?.parse().ok()?;
            let holds_data = read("type")? != "Instruction";
            let cache = Self { bytes: bytes(&read("size")?)?, processors: processors(&read("shared_cpu_list")?)? };
            holds_data.then_some((level, cache))
        });
        caches.max_by_key(|&(level, _)| level).map(|(_, cache)| cache)
    }
}

/// `32768K` in bytes.
fn bytes(size: &str) -> Option<u64> {
    let (number, unit) = match size.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (size.strip_suffix('M')?, 1 << 20),
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

/// How many there are in `0-3,8`.
fn processors(list: &str) -> Option<u64> {
    list.split(',').try_fold(0u64, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lists_are_read() {
        assert_eq!((bytes("32768K"), bytes("260M")), (Some(32 << 20), Some(260 << 20)));
        assert_eq!([bytes("0K"), bytes("12"), bytes("K"), bytes("99999999999999999999K")], [None; 4]);
        assert_eq!((processors("0"), processors("0-3,8,10-11")), (Some(1), Some(7)));
        assert_eq!(
            [processors(""), processors("3-1"), processors("a-b"), processors("0-18446744073709551615")],
            [None; 4]
        );
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn the_last_cache_that_holds_data_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let add = |name: &str, files: [(&str, &str); 4]| {
            let cache = folder.path().join(name);
            std::fs::create_dir(&cache).expect("a folder");
            for (file, text) in files {
                std::fs::write(cache.join(file), format!("{text}\n")).expect("a file");
            }
        };
        assert_eq!(LastCache::described_in(folder.path()), None);
        let first = [("level", "1"), ("type", "Data"), ("size", "32K"), ("shared_cpu_list", "0")];
        add("index0", first);
        assert_eq!(LastCache::described_in(folder.path()), Some(LastCache { bytes: 32 << 10, processors: 1 }));
        add("index3", [("level", "3"), ("type", "Unified"), ("size", "16384K"), ("shared_cpu_list", "0-7")]);
        add("index9", [("level", "9"), ("type", "Instruction"), ("size", "1K"), ("shared_cpu_list", "0")]);
        add("index4", [("level", "4"), ("type", "Unified"), ("size", "unknown"), ("shared_cpu_list", "0")]);
        assert_eq!(LastCache::described_in(folder.path()), Some(LastCache { bytes: 16 << 20, processors: 8 }));
        assert_eq!(LastCache::described_in(&folder.path().join("nowhere")), None);
    }
}
