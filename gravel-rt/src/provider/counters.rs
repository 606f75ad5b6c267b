//! What providers count, for `GRAVEL_STATS`. Always on: plain numbers, under the engine's lock.

use std::ops::AddAssign;

use crate::memory::counters::AdoptionCounters;
use crate::sys::tally::Tally;

/// A way that pieces of messages take.
#[derive(Debug, PartialEq, Eq)]
pub struct Path {
    /// Its name for programs.
    pub key: &'static str,
    /// What happens on it, for people.
    pub text: &'static str,
}

/// Through the staging ring, or inside an entry of a ledger.
pub static STAGED: Path = Path { key: "staged", text: "moved through staging rings" };

/// The pieces of messages that this rank has moved, by the way that they took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathCounters(Vec<(&'static Path, Tally)>);

impl PathCounters {
    /// What was counted on these.
    pub fn of(counted: impl IntoIterator<Item = (&'static Path, Tally)>) -> Self {
        Self(counted.into_iter().collect())
    }

    /// What was counted on one.
    pub fn on(&self, path: &Path) -> Tally {
        self.0.iter().filter(|(counted, _)| *counted == path).fold(Tally::default(), |mut sum, &(_, tally)| {
            sum += tally;
            sum
        })
    }
}

/// Control messages and eager data, as an observed provider sees them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireCounters {
    /// Messages that left with their data, ahead of any handshake.
    pub eager_sent: Tally,
    /// Messages that came that way.
    pub eager_received: Tally,
    /// Messages that were copied, because their program waited before their handshake came, and offered for reading.
    pub spilled_sent: Tally,
    /// Messages that peers have offered that way.
    pub spilled_received: Tally,
    /// Puts into posted buffers.
    pub puts: Tally,
    /// Gets out of messages that peers have offered for reading.
    pub gets: Tally,
    /// Pieces that this rank copied into its own posted buffers.
    pub copied: Tally,
    /// Handshakes sent.
    pub handshakes_sent: u64,
    /// Handshakes that came.
    pub handshakes_received: u64,
    /// Announcements sent, except for eager data, which is its own.
    pub announcements_sent: u64,
    /// Announcements that came, with the same exception.
    pub announcements_received: u64,
    /// FINs sent, alone or with the last piece.
    pub fins_sent: u64,
    /// FINs that came.
    pub fins_received: u64,
    /// Receive buffers prepared for puts.
    pub registrations: Tally,
}

/// Everything that a provider counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderCounters {
    /// Pieces by path.
    pub paths: PathCounters,
    /// Peers woken.
    pub rings: u64,
    /// Adoption.
    pub adoption: AdoptionCounters,
    /// Control messages; zero unless the provider is observed.
    pub wire: WireCounters,
}

impl AddAssign for ProviderCounters {
    fn add_assign(&mut self, other: Self) {
        let Self { paths, rings, adoption, wire } = other;
        self.paths.0.extend(paths.0);
        self.rings += rings;
        self.adoption += adoption;
        self.wire += wire;
    }
}

impl AddAssign for WireCounters {
    fn add_assign(&mut self, other: Self) {
        self.eager_sent += other.eager_sent;
        self.eager_received += other.eager_received;
        self.spilled_sent += other.spilled_sent;
        self.spilled_received += other.spilled_received;
        self.puts += other.puts;
        self.gets += other.gets;
        self.copied += other.copied;
        self.handshakes_sent += other.handshakes_sent;
        self.handshakes_received += other.handshakes_received;
        self.announcements_sent += other.announcements_sent;
        self.announcements_received += other.announcements_received;
        self.fins_sent += other.fins_sent;
        self.fins_received += other.fins_received;
        self.registrations += other.registrations;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_several_providers_add_up() {
        static OWN: Path = Path { key: "own", text: "moved within" };
        let tally = |bytes| Tally { count: 1, bytes };
        let counted = |paths| ProviderCounters { paths: PathCounters::of(paths), rings: 1, ..Default::default() };
        let mut sum = counted(vec![(&STAGED, tally(1)), (&OWN, tally(2))]);
        sum += counted(vec![(&STAGED, tally(4))]);
        assert_eq!(sum.paths.on(&STAGED), Tally { count: 2, bytes: 5 });
        assert_eq!(sum.paths.on(&OWN), tally(2));
        assert_eq!(sum.rings, 2);
    }
}
