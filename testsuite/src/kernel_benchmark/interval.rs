//! A median, and how well it is known.

use std::fmt;

use crate::figure::Spread;

/// How often an interval may miss what it is about: it is one of 95 %.
const MISSES: f64 = 0.05;

/// The median of measurements, with a confidence interval that assumes nothing about their distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median of the measurements; not a number if there are none.
    pub median: f64,
    /// Where the median of all measurements that could be made lies, with a probability of 95 % at least; none where there
    /// are too few measurements for any such statement, that is fewer than six.
    ///
    /// Two of the sorted measurements: the k-th one from either end, where k is the greatest number for which so few of n
    /// throws of a coin, k - 1 at most, come out as heads with a probability of 2.5 % at most (W. J. Conover, Practical
    /// Nonparametric Statistics, 3rd edition, section 3.2; J.-Y. Le Boudec, Performance Evaluation of Computer and
    /// Communication Systems, theorem 2.1; recommended for this purpose by T. Hoefler and R. Belli, Scientific Benchmarking
    /// of Parallel Computing Systems, SC 2015, section 3.1.3).
    pub interval: Option<(f64, f64)>,
    /// Least and greatest.
    pub range: (f64, f64),
}

impl Estimate {
    /// Of these measurements.
    pub fn of(measurements: &[f64]) -> Self {
        let mut sorted = measurements.to_vec();
        sorted.sort_by(f64::total_cmp);
        let Spread { median, least, greatest } = Spread::of(sorted.iter().copied());
        let interval = rank_of_interval(sorted.len()).map(|rank| (sorted[rank - 1], sorted[sorted.len() - rank]));
        Self { median, interval, range: (least, greatest) }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.interval {
            Some((low, high)) => write!(f, "{:.3} ({low:.3} to {high:.3})", self.median),
            None if self.median.is_nan() => f.write_str("-"),
            None => write!(f, "{:.3} (too few)", self.median),
        }
    }
}

/// The place, from 1, of the lower end of the interval among so many sorted measurements.
fn rank_of_interval(measurements: usize) -> Option<usize> {
    let throws = i32::try_from(measurements).ok()?;
    let mut exactly = 0.5_f64.powi(throws);
    let mut at_most = exactly;
    let mut rank = 0;
    while at_most <= MISSES / 2.0 {
        rank += 1;
        exactly *= (measurements + 1 - rank) as f64 / rank as f64;
        at_most += exactly;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_table_in_the_book() {
        // Le Boudec, table A.1: confidence interval for the median at 95 %.
        let table = [(5, None), (6, Some(1)), (8, Some(1)), (9, Some(2)), (11, Some(2)), (12, Some(3)), (15, Some(4))];
        for (measurements, rank) in table.into_iter().chain([(20, Some(6)), (30, Some(10)), (50, Some(18))]) {
            assert_eq!(rank_of_interval(measurements), rank, "{measurements}");
        }
    }

    #[test]
    fn the_interval_holds_the_median_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(7);
        let trials = 4000;
        let hits = (0..trials).filter(|_| {
            // A lopsided distribution whose median is ln 2.
            let sample: Vec<f64> = (0..12).map(|_| -(1.0 - random.f64()).ln()).collect();
            let (low, high) = Estimate::of(&sample).interval.expect("twelve are enough");
            (low..=high).contains(&2.0_f64.ln())
        });
        // 96.1 % for twelve measurements; six standard deviations are 1.8 %.
        let share = hits.count() as f64 / f64::from(trials);
        assert!((0.943..0.979).contains(&share), "{share}");
    }

    #[test]
    fn is_shown_with_what_is_known_of_it() {
        assert_eq!(Estimate::of(&[]).to_string(), "-");
        assert_eq!(Estimate::of(&[1.0, 3.0]).to_string(), "2.000 (too few)");
        assert_eq!(Estimate::of(&[6.0, 1.0, 2.0, 3.0, 4.0, 5.0]).to_string(), "3.500 (1.000 to 6.000)");
    }
}
