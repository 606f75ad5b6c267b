//! What was measured.

use std::fmt;

use super::variant::{Pattern, Variant};
use crate::cluster::Link;

/// What joins the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fabric {
    /// The memory of one host.
    SharedMemory,
    /// Links of limited speed between hosts of one rank each.
    Link(Link),
}

impl fmt::Display for Fabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharedMemory => f.write_str("shared memory"),
            Self::Link(link) => write!(f, "{link} link"),
        }
    }
}

/// The times of one pattern, fabric and length of messages.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The pattern.
    pub pattern: Pattern,
    /// What joins the ranks.
    pub fabric: Fabric,
    /// How many there are.
    pub ranks: usize,
    /// The length of a message.
    pub bytes: usize,
    /// Steps of computation per element.
    pub work: usize,
    /// Seconds per iteration: for each round those of [`Variant::ALL`].
    pub rounds: Vec<[f64; Variant::ALL.len()]>,
}

/// Median, least and greatest of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// Of values, of which there is at least one; else everything is not a number.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => f64::NAN,
            length if length % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        let end = |value: Option<&f64>| value.copied().unwrap_or(f64::NAN);
        Self { median, least: end(sorted.first()), greatest: end(sorted.last()) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.least, self.greatest)
    }
}

impl Cell {
    /// Seconds per iteration of a variant.
    pub fn seconds(&self, variant: Variant) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round[variant.index()]))
    }

    /// Its time, where computation alone takes 1.
    pub fn normalised(&self, variant: Variant) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round[variant.index()] / round[Variant::Computation.index()]))
    }

    /// Its time, where what takes longer, computation or wire, takes 1: nobody can be faster.
    pub fn against_bound(&self, variant: Variant) -> Spread {
        Spread::of(
            self.rounds
                .iter()
                .map(|round| round[variant.index()] / round[Variant::Computation.index()].max(wire(round))),
        )
    }

    /// How many times slower the faster one of the two MPIs is in the plain program.
    pub fn gain(&self, variant: Variant) -> Spread {
        use crate::mpi_flavour::MpiFlavour::{Mpich, OpenMpi};
        let plain = |round: &[f64]| round[Variant::Mpi(OpenMpi).index()].min(round[Variant::Mpi(Mpich).index()]);
        Spread::of(self.rounds.iter().map(|round| plain(round) / round[variant.index()]))
    }

    /// Seconds that an iteration's messages take on the wire: by whatever is fastest at it.
    pub fn wire(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| wire(round)))
    }
}

fn wire(round: &[f64]) -> f64 {
    use crate::mpi_flavour::MpiFlavour::{Mpich, OpenMpi};
    // A minimum passes over what is not a number: there are sockets between hosts only.
    [Variant::Wire(OpenMpi), Variant::Wire(Mpich), Variant::Socket]
        .into_iter()
        .map(|variant| round[variant.index()])
        .fold(f64::INFINITY, f64::min)
}

/// Everything that was measured.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// By pattern, fabric and length.
    pub cells: Vec<Cell>,
    /// What was not measured, and why.
    pub left_out: Vec<String>,
}

/// A length in words.
pub fn length(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A cell in which computation takes 1 ms, the wire 2 ms, and every other variant 3 ms; a second round in which
    /// everything takes twice as long.
    pub fn cell() -> Cell {
        let mut round = [3e-3; Variant::ALL.len()];
        round[0] = 1e-3;
        round[1] = 2e-3;
        let slower = round.map(|seconds| seconds * 2.0);
        let (pattern, fabric) = (Pattern::Ring, Fabric::Link(Link::default()));
        Cell { pattern, fabric, ranks: 2, bytes: 512 << 10, work: 30, rounds: vec![round, slower] }
    }

    #[test]
    fn ratios_are_those_within_rounds() {
        let cell = cell();
        let one = |value| Spread { median: value, least: value, greatest: value };
        assert_eq!(cell.normalised(Variant::Transformed), one(3.0));
        assert_eq!(cell.against_bound(Variant::Transformed), one(1.5));
        assert_eq!(cell.gain(Variant::Transformed), one(1.0));
        assert_eq!(cell.wire(), Spread { median: 3e-3, least: 2e-3, greatest: 4e-3 });
        assert_eq!(cell.seconds(Variant::Computation).median, 1.5e-3);
    }

    #[test]
    fn nothing_measured_is_no_number() {
        assert!(Spread::of(std::iter::empty()).median.is_nan());
    }
}
