//! What was measured, and what follows from it.

use std::fmt;

use super::interval::Estimate;
use super::waits::Waits;
use crate::figure::Fabric;
use crate::kernels::Class;
use crate::mpi_flavour::MpiFlavour;

/// How much slower a transformed program may be: what disturbs it (another layout of the code, a library more) is of
/// this size.
pub const TOLERANCE: f64 = 1.02;

/// Which part of its time a program waits that communicates too much.
pub const COMMUNICATION_BOUND: f64 = 0.2;

/// Seconds of two programs, run one right after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Of the original.
    pub original: f64,
    /// Of the transformed program.
    pub transformed: f64,
}

/// A kernel with an MPI in a place.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The kernel.
    pub kernel: String,
    /// The MPI.
    pub mpi: MpiFlavour,
    /// What joins the ranks; by a link each of them has a host of its own.
    pub fabric: Fabric,
    /// How many there are.
    pub ranks: usize,
    /// Whether each rank has a core, so that the times say something about the programs.
    pub is_judged: bool,
    /// Whether gravelc has changed anything.
    pub is_changed: bool,
    /// The waits of the original, and those of the transformed program.
    pub waits: [Option<Waits>; 2],
    /// The measurements.
    pub pairs: Vec<Pair>,
    /// What went wrong, if something has.
    pub failure: Option<String>,
}

/// What the measurements say about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All of the interval is below 1.
    Faster,
    /// All of the interval is above [`TOLERANCE`].
    Slower,
    /// Neither.
    NotSlower,
    /// There are too few pairs for an interval.
    TooFewPairs,
    /// gravelc has left the kernel as it is.
    Unchanged,
    /// There are more ranks than cores.
    NotJudged,
    /// A run failed, or printed something else.
    Failed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Faster => "faster",
            Self::Slower => "SLOWER",
            Self::NotSlower => "not slower",
            Self::TooFewPairs => "too few pairs",
            Self::Unchanged => "unchanged",
            Self::NotJudged => "not judged",
            Self::Failed => "FAILED",
        })
    }
}

impl Cell {
    /// The time of the transformed program, where that of the original is 1.
    pub fn ratio(&self) -> Estimate {
        Estimate::of(&self.pairs.iter().map(|pair| pair.transformed / pair.original).collect::<Vec<_>>())
    }

    /// Seconds of the original.
    pub fn original(&self) -> Estimate {
        Estimate::of(&self.pairs.iter().map(|pair| pair.original).collect::<Vec<_>>())
    }

    /// Seconds of the transformed program.
    pub fn transformed(&self) -> Estimate {
        Estimate::of(&self.pairs.iter().map(|pair| pair.transformed).collect::<Vec<_>>())
    }

    /// What the measurements say.
    pub fn verdict(&self) -> Verdict {
        match self.ratio().interval {
            _ if self.failure.is_some() => Verdict::Failed,
            _ if !self.is_changed => Verdict::Unchanged,
            _ if !self.is_judged => Verdict::NotJudged,
            None => Verdict::TooFewPairs,
            Some((low, _)) if low > TOLERANCE => Verdict::Slower,
            Some((_, high)) if high < 1.0 => Verdict::Faster,
            Some(_) => Verdict::NotSlower,
        }
    }

    /// Whether the original waits for more than [`COMMUNICATION_BOUND`] of the time that it measures, as far as that
    /// is known.
    pub fn is_communication_bound(&self) -> bool {
        self.waits[0].is_some_and(|waits| waits.timed_share > COMMUNICATION_BOUND)
    }

    /// How many times faster overlap alone could make the original: the shorter of what it computes and what it waits
    /// then lies under the longer. A transformed program may do better where Gravel waits less than the MPI.
    pub fn overlap_limit(&self) -> Option<f64> {
        let waiting = self.waits[0]?.timed_share;
        Some(1.0 / waiting.max(1.0 - waiting))
    }

    /// How many times faster the transformed program is; 1 for one that is the original.
    fn gain(&self) -> Option<f64> {
        if !self.is_changed {
            return Some(1.0);
        }
        let ratio = self.ratio().median;
        (self.failure.is_none() && ratio > 0.0).then(|| 1.0 / ratio)
    }
}

/// Everything that was measured.
#[derive(Debug, Clone)]
pub struct Results {
    /// How large the problems were.
    pub class: Class,
    /// By kernel, fabric, ranks and MPI.
    pub cells: Vec<Cell>,
    /// What was not measured, and why.
    pub left_out: Vec<String>,
}

/// The gain over several programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanGain {
    /// The geometric mean of original over transformed.
    pub mean: f64,
    /// The geometric mean of what overlap alone could give ([`Cell::overlap_limit`]).
    pub limit: f64,
    /// Of so many programs.
    pub programs: usize,
}

impl Results {
    /// Fabrics and numbers of ranks, each once, in the order of the cells: those that are judged first.
    pub fn groups(&self) -> Vec<(Fabric, usize)> {
        let mut groups = Vec::new();
        for is_judged in [true, false] {
            let cells = self.cells.iter().filter(|cell| cell.is_judged == is_judged);
            for group in cells.map(|cell| (cell.fabric, cell.ranks)) {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        groups
    }

    /// The cells of a group.
    pub fn of(&self, (fabric, ranks): (Fabric, usize)) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |cell| cell.fabric == fabric && cell.ranks == ranks)
    }

    /// The mean over the programs of a group that are communication-bound; what gravelc has left as it is counts as 1.
    /// None where there is no such program.
    pub fn mean_gain(&self, group: (Fabric, usize)) -> Option<MeanGain> {
        let bound = self.of(group).filter(|cell| cell.is_communication_bound());
        let (gains, limits): (Vec<f64>, Vec<f64>) =
            bound.filter_map(|cell| Some((cell.gain()?, cell.overlap_limit()?))).unzip();
        let (mean, limit) = (geometric_mean(&gains), geometric_mean(&limits));
        (!gains.is_empty()).then_some(MeanGain { mean, limit, programs: gains.len() })
    }

    /// What went wrong.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().filter_map(|cell| cell.failure.as_deref())
    }
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::cluster::Link;

    /// A cell whose pairs have these ratios, and whose original waits for this share of its time.
    pub fn cell(kernel: &str, ratios: &[f64], share: f64) -> Cell {
        Cell {
            kernel: kernel.to_owned(),
            mpi: MpiFlavour::OpenMpi,
            fabric: Fabric::Link(Link::default()),
            ranks: 2,
            is_judged: true,
            is_changed: true,
            waits: [
                Some(Waits { waiting: share * 4.0, total: 4.0, timed_share: share + 0.05 }),
                Some(Waits { waiting: share * 2.0, total: 4.0, timed_share: 0.0 }),
            ],
            pairs: ratios.iter().map(|ratio| Pair { original: 2.0, transformed: 2.0 * ratio }).collect(),
            failure: None,
        }
    }

    /// Some of every kind.
    pub fn results() -> Results {
        let mut unchanged = cell("ft", &[], 0.5);
        unchanged.is_changed = false;
        let mut crowded = cell("lu", &[1.5; 7], 0.9);
        (crowded.ranks, crowded.is_judged) = (4, false);
        let mut failed = cell("mg", &[1.0], 0.3);
        failed.failure = Some("mg: standard output differs".to_owned());
        let cells = vec![
            cell("cg", &[0.25; 6], 0.5),
            cell("is", &[0.9, 1.1, 1.0, 0.95, 1.05, 1.0], 0.1),
            cell("sp", &[1.03; 6], 0.01),
            cell("bt", &[1.0; 5], 0.01),
            unchanged,
            crowded,
            failed,
        ];
        Results { class: Class::Small, cells, left_out: vec!["something".to_owned()] }
    }

    #[test]
    fn verdicts_need_the_whole_interval() {
        let verdicts: Vec<Verdict> = results().cells.iter().map(Cell::verdict).collect();
        let expected = [
            Verdict::Faster,
            Verdict::NotSlower,
            Verdict::Slower,
            Verdict::TooFewPairs,
            Verdict::Unchanged,
            Verdict::NotJudged,
            Verdict::Failed,
        ];
        assert_eq!(verdicts, expected);
        // An interval that reaches down to the tolerance does not show that a program is slower.
        let ratios = [1.02, 1.2, 1.2, 1.2, 1.2, 1.2];
        assert_eq!(cell("cg", &ratios, 0.5).verdict(), Verdict::NotSlower);
    }

    #[test]
    fn the_mean_is_that_of_programs_that_wait() {
        // Four times as fast, and one that gravelc has left as it is; one that failed has no gain.
        let mean = results().mean_gain((Fabric::Link(Link::default()), 2)).expect("two wait");
        assert_eq!(mean.programs, 2);
        assert!((mean.mean - 2.0).abs() < 1e-12, "{mean:?}");
        // Both wait for 55 % of the time that they measure.
        assert!((mean.limit - 1.0 / 0.55).abs() < 1e-12, "{mean:?}");
        assert_eq!(results().mean_gain((Fabric::SharedMemory, 2)), None);
    }

    #[test]
    fn overlap_hides_the_shorter_of_waits_and_computation() {
        let limits =
            [0.05, 0.45, 0.75].map(|share| cell("cg", &[], share).overlap_limit().expect("its waits are known"));
        let expected = [1.0 / 0.9, 2.0, 1.25];
        assert!(limits.iter().zip(expected).all(|(limit, wanted)| (limit - wanted).abs() < 1e-12), "{limits:?}");
        let mut unknown = cell("cg", &[], 0.5);
        unknown.waits = [None; 2];
        assert_eq!(unknown.overlap_limit(), None);
    }

    #[test]
    fn what_is_judged_comes_first() {
        let mut results = results();
        results.cells.rotate_right(2);
        let link = Fabric::Link(Link::default());
        assert_eq!(results.groups(), [(link, 2), (link, 4)]);
    }
}
