//! Results as text, and as comma-separated values.

use std::fmt::Write as _;

use super::results::{Results, length};
use super::variant::Variant;

/// A table per pattern, fabric and length.
pub fn text(results: &Results) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    for cell in &results.cells {
        let (wire, computation) = (cell.wire(), cell.seconds(Variant::Computation));
        let _ = writeln!(
            text,
            "\n{}, {}, {} ranks, messages of {}: computation {:.3} ms, wire {:.3} ms; {} rounds",
            cell.pattern,
            cell.fabric,
            cell.ranks,
            length(cell.bytes),
            computation.median * 1e3,
            wire.median * 1e3,
            cell.rounds.len()
        );
        let _ = writeln!(
            text,
            "  {:<64} {:>9} {:>21} {:>21} {:>21}",
            "", "ms", "/ computation", "/ max(comp., wire)", "gain over best MPI"
        );
        for variant in Variant::ALL.into_iter().filter(|variant| variant.group() > 0) {
            let _ = writeln!(
                text,
                "  {:<64} {:>9.3} {:>21} {:>21} {:>21}",
                variant.to_string(),
                cell.seconds(variant).median * 1e3,
                cell.normalised(variant).to_string(),
                cell.against_bound(variant).to_string(),
                cell.gain(variant).to_string()
            );
        }
    }
    for reason in &results.left_out {
        let _ = writeln!(text, "\nnot measured: {reason}");
    }
    text
}

/// Every single measurement.
pub fn csv(results: &Results) -> String {
    let mut text = "pattern,fabric,ranks,bytes,work,round,variant,seconds\n".to_owned();
    for cell in &results.cells {
        for (number, round) in cell.rounds.iter().enumerate() {
            for (variant, seconds) in Variant::ALL.iter().zip(round).filter(|(_, seconds)| !seconds.is_nan()) {
                let (pattern, fabric) = (cell.pattern.name(), cell.fabric);
                let (ranks, bytes, work) = (cell.ranks, cell.bytes, cell.work);
                let _ = writeln!(
                    text,
                    "{pattern},{fabric},{ranks},{bytes},{work},{},\"{variant}\",{seconds:e}",
                    number + 1
                );
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::cell;
    use super::*;

    #[test]
    fn every_variant_has_a_line_and_every_measurement_one() {
        let results = Results { cells: vec![cell()], left_out: vec!["something".to_owned()] };
        let table = text(&results);
        assert!(table.contains("1-D ring, 1 Gbit/s link, 2 ranks, messages of 512 KiB"), "{table}");
        assert!(table.contains("computation 1.500 ms, wire 3.000 ms; 2 rounds"), "{table}");
        assert!(table.ends_with("not measured: something\n"), "{table}");
        let last = table.lines().find(|line| line.trim_start().starts_with("gravelc  ")).expect("it has a line");
        assert!(last.contains("3.00 (3.00 to 3.00)") && last.contains("1.50 (1.50 to 1.50)"), "{last}");
        assert_eq!(csv(&results).lines().count(), 1 + 2 * Variant::ALL.len());
    }
}
