//! The ways on which shared memory moves data: which of them may be used, and what was counted on each.

use crate::provider::counters::{Path, PathCounters, STAGED};
use crate::provider::interconnect::Options;
use crate::sys::setting::Setting;
use crate::sys::tally::Tally;

/// Which ways of moving data may be used besides the staging ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPaths {
    /// Move receive buffers into memory that peers map.
    pub adopt: bool,
    /// Write into peers with `process_vm_writev`.
    pub cma: bool,
    /// How many bytes of the heap may be adopted at a time.
    pub heap: u64,
}

impl Default for DataPaths {
    fn default() -> Self {
        Self { adopt: true, cma: true, heap: u64::MAX }
    }
}

impl Options for DataPaths {
    const SETTINGS: &'static [Setting] = &[
        Setting {
            name: HEAP,
            values: "MiB, `0` for none, or `all`",
            default: "`all`",
            meaning: "how much memory of the heap may be adopted at a time, where GRAVEL_SHM has page adoption; static \
                      memory does not count",
            example: "64",
        },
        Setting {
            name: "GRAVEL_SHM",
            values: "comma list of `adopt`, `cma`, or `staged`",
            default: "`adopt,cma`",
            meaning: "data paths of the shared-memory provider: page adoption, process_vm_writev; `staged` alone forbids \
                      both",
            example: "cma",
        },
    ];

    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), &'static str> {
        if name == HEAP {
            let mebibytes = match value.trim() {
                "all" => u64::MAX,
                number => number.parse().map_err(|_| "a number of MiB, or all")?,
            };
            self.heap = mebibytes.saturating_mul(1 << 20);
            return Ok(());
        }
        let mut paths = Self { adopt: false, cma: false, heap: self.heap };
        for path in value.split(',') {
            match path.trim() {
                "adopt" => paths.adopt = true,
                "cma" => paths.cma = true,
                "staged" => {}
                _ => return Err("a comma list of adopt, cma and staged"),
            }
        }
        *self = paths;
        Ok(())
    }

    fn value(&self, name: &str) -> Option<String> {
        if name == HEAP {
            return Some(if self.heap == u64::MAX { "all".into() } else { (self.heap >> 20).to_string() });
        }
        let names = [(self.adopt, "adopt"), (self.cma, "cma"), (!self.adopt && !self.cma, "staged")];
        Some(names.iter().filter(|(is_used, _)| *is_used).map(|(_, name)| *name).collect::<Vec<_>>().join(","))
    }
}

/// How much of the heap may be adopted.
const HEAP: &str = "GRAVEL_ADOPT_HEAP";

/// The ways that are counted.
pub const PATHS: &[&Path] = &[&ADOPTED, &PAST_CACHE, &CMA, &STAGED, &OWN];
static ADOPTED: Path = Path { key: "adopted", text: "moved into or out of adopted pages" };
static PAST_CACHE: Path = Path { key: "past_cache", text: "of these past the cache" };
static CMA: Path = Path { key: "cma", text: "moved by process_vm_writev and readv" };
static OWN: Path = Path { key: "own", text: "moved within this rank" };

/// Pieces by the way that they took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moved {
    /// Copied straight into pages that the consumer has adopted, or out of such pages of the producer.
    pub adopted: Tally,
    /// Those of them that were copied past the cache, in which their targets were not any more.
    pub past_cache: Tally,
    /// Written or read by the kernel (process_vm_writev, process_vm_readv).
    pub cma: Tally,
    /// Through the staging ring, or inside an entry of a ledger.
    pub staged: Tally,
    /// From this rank to itself.
    pub own: Tally,
}

impl Moved {
    /// For `GRAVEL_STATS`.
    pub fn by_path(&self) -> PathCounters {
        let &Self { adopted, past_cache, cma, staged, own } = self;
        PathCounters::of([(&ADOPTED, adopted), (&PAST_CACHE, past_cache), (&CMA, cma), (&STAGED, staged), (&OWN, own)])
    }
}
