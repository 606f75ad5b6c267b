//! What can be chosen of providers: the interconnects, and what is set about them.

use std::fmt;

use super::tcp::interfaces::Wanted;

/// A kind of interconnect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Interconnect {
    /// Shared memory, between ranks of one host.
    Shm = 1,
    /// RDMA devices.
    Verbs = 4,
    /// TCP connections.
    Tcp = 2,
}

impl Interconnect {
    /// All of them, the best first.
    pub const ALL: [Self; 3] = [Self::Shm, Self::Verbs, Self::Tcp];

    /// Its name in settings and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shm => "shm",
            Self::Verbs => "verbs",
            Self::Tcp => "tcp",
        }
    }
}

impl fmt::Display for Interconnect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of interconnects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interconnects(pub(super) u8);

impl Interconnects {
    /// Every interconnect.
    pub fn all() -> Self {
        Interconnect::ALL.into_iter().fold(Self::default(), Self::with)
    }

    /// From a comma list of names, or `auto` for all of them.
    pub fn parse(list: &str) -> Option<Self> {
        list.split(',').try_fold(Self::default(), |set, name| match name.trim() {
            "auto" => Some(Self::all()),
            name => Some(set.with(Interconnect::ALL.into_iter().find(|kind| kind.name() == name)?)),
        })
    }

    /// With one more.
    #[must_use]
    pub fn with(self, kind: Interconnect) -> Self {
        Self(self.0 | kind as u8)
    }

    /// Whether one is in it.
    pub fn contains(self, kind: Interconnect) -> bool {
        self.0 & kind as u8 != 0
    }

    /// With one less.
    #[must_use]
    pub(super) fn without(self, kind: Interconnect) -> Self {
        Self(self.0 & !(kind as u8))
    }

    /// The best one that is in both sets.
    pub(super) fn best_of_both(self, other: Self) -> Option<Interconnect> {
        Interconnect::ALL.into_iter().find(|&kind| self.contains(kind) && other.contains(kind))
    }
}

/// As [`Interconnects::parse`] reads it.
impl fmt::Display for Interconnects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() {
            return formatter.write_str("auto");
        }
        let names = Interconnect::ALL.into_iter().filter(|&kind| self.contains(kind)).map(Interconnect::name);
        formatter.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

/// Which ways of moving data the shared-memory provider may use besides its staging ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPaths {
    /// Move receive buffers into memory that peers map.
    pub adopt: bool,
    /// Write into peers with `process_vm_writev`.
    pub cma: bool,
}

/// What the user has set about providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// `GRAVEL_PROVIDER`.
    pub permitted: Interconnects,
    /// `GRAVEL_SHM`.
    pub shm: DataPaths,
    /// `GRAVEL_TCP_INTERFACE`.
    pub tcp: Wanted,
    /// `GRAVEL_VERBS_FENCE`.
    pub fences_reads: bool,
    /// `GRAVEL_VERBS_CONNECT_ALL`.
    pub connect_all: usize,
}
