//! How long the ring takes per iteration: as it is, transformed, and if communication cost nothing.
//!
//! Machines are noisy and differ, so that only ratios within one round (each variant once, one after the other) are
//! compared; the table shows their median and their range.

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

use crate::ring_variants::{RingVariants, Variant};

/// The lengths of the messages in bytes, with so many iterations that a run takes some tenths of a second.
const SIZES: [(usize, usize); 4] = [(1 << 10, 20_000), (32 << 10, 4_000), (512 << 10, 400), (4 << 20, 40)];

/// More ranks than cores take turns, which costs a run much more time.
const CROWDED_DIVISOR: usize = 4;

const MOST_ROUNDS: usize = 9;
const FEWEST_ROUNDS: usize = 2;

/// The times of one message length.
#[derive(Debug, Clone)]
struct Row {
    bytes: usize,
    rounds: Vec<[f64; 3]>,
}

/// The table.
#[derive(Debug, Clone)]
pub struct OverheadTable {
    ranks: usize,
    rows: Vec<Row>,
}

impl OverheadTable {
    /// Measures; takes about `budget`, and longer only if not even two rounds fit.
    ///
    /// # Errors
    ///
    /// A message, if a run fails.
    pub fn measure(ring: &RingVariants, ranks: usize, budget: Duration) -> Result<Self, String> {
        let began = Instant::now();
        let crowded = ranks > cores();
        let mut rows: Vec<Row> = SIZES.iter().map(|&(bytes, _)| Row { bytes, rounds: Vec::new() }).collect();
        for round in 0..MOST_ROUNDS {
            // A round that would end after the budget is not begun.
            let done = u32::try_from(round).unwrap_or(u32::MAX);
            if round >= FEWEST_ROUNDS && began.elapsed() + began.elapsed() / done.max(1) > budget {
                break;
            }
            for (row, (bytes, iterations)) in rows.iter_mut().zip(SIZES) {
                let iterations = if crowded { iterations / CROWDED_DIVISOR } else { iterations };
                let mut times = [0.0; 3];
                for variant in Variant::ALL {
                    times[variant as usize] = ring.seconds_per_iteration(variant, ranks, bytes, iterations)?;
                }
                row.rounds.push(times);
            }
        }
        Ok(Self { ranks, rows })
    }
}

impl fmt::Display for OverheadTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} ranks on {} cores; microseconds per iteration: median; ratios: median (least to greatest) of {} rounds",
            self.ranks,
            cores(),
            self.rows.first().map_or(0, |row| row.rounds.len())
        )?;
        writeln!(
            f,
            "{:>8} {:>10} {:>12} {:>12}   {:>25} {:>25} {:>25}",
            "message",
            "original",
            "transformed",
            "computation",
            "transformed/original",
            "original/computation",
            "transformed/comput."
        )?;
        for row in &self.rows {
            let time = |variant: Variant| median(&row.column(|times| times[variant as usize] * 1e6));
            let ratio = |numerator: Variant, denominator: Variant| {
                range(&row.column(|times| times[numerator as usize] / times[denominator as usize]))
            };
            writeln!(
                f,
                "{:>8} {:>10.1} {:>12.1} {:>12.1}   {:>25} {:>25} {:>25}",
                size(row.bytes),
                time(Variant::Original),
                time(Variant::Transformed),
                time(Variant::ComputationAlone),
                ratio(Variant::Transformed, Variant::Original),
                ratio(Variant::Original, Variant::ComputationAlone),
                ratio(Variant::Transformed, Variant::ComputationAlone),
            )?;
        }
        Ok(())
    }
}

impl Row {
    fn column(&self, value: impl Fn(&[f64; 3]) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = self.rounds.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// The median of sorted values.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// Median, least and greatest of sorted values.
fn range(sorted: &[f64]) -> String {
    let mut text = format!("{:.2}", median(sorted));
    if let (Some(least), Some(greatest)) = (sorted.first(), sorted.last()) {
        // Writing to a String can't fail.
        let _ = write!(text, " ({least:.2} to {greatest:.2})");
    }
    text
}

fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

/// The cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ranges() {
        assert_eq!(range(&[1.0, 2.0, 4.0]), "2.00 (1.00 to 4.00)");
        assert_eq!(range(&[1.0, 2.0]), "1.50 (1.00 to 2.00)");
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_table_shows_ratios_within_rounds() {
        // Each round twice as fast, and twice as noisy, as the one before: the ratios stay.
        let rounds = vec![[4e-6, 2e-6, 1e-6], [2e-6, 1e-6, 0.5e-6]];
        let table = OverheadTable { ranks: 2, rows: vec![Row { bytes: 32 << 10, rounds }] };
        let text = table.to_string();
        let row = text.lines().last().expect("there is a row");
        assert!(row.trim_start().starts_with("32 KiB"), "{text}");
        for ratio in ["0.50 (0.50 to 0.50)", "4.00 (4.00 to 4.00)", "2.00 (2.00 to 2.00)"] {
            assert!(row.contains(ratio), "{text}");
        }
    }
}
