//! Results as text, and as comma-separated values.

use std::fmt::Write as _;

use super::results::{COMMUNICATION_BOUND, Cell, Results, TOLERANCE, Verdict};

/// What the column says.
const LIMIT_MEANS: &str = "limit: how many times faster overlap alone could make the original, with all waits under computation or all computation\n\
     under waits (1 / the larger share); no program gets there whose messages need what it computes last.";

/// A table per fabric and number of ranks.
pub fn text(results: &Results) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    for group in results.groups() {
        let cells: Vec<&Cell> = results.of(group).collect();
        let is_judged = cells.iter().all(|cell| cell.is_judged);
        let note = if is_judged { "" } else { "; more ranks than cores: nothing follows from these times" };
        let _ = writeln!(text, "\n{}, {}, class {}{note}", group.0, ranks_text(group.1), results.class);
        let _ = writeln!(
            text,
            "  {:<10} {:<8} {:>5} {:>10} {:>11} {:>26} {:>10} {:>7} {:>16}   verdict",
            "kernel",
            "MPI",
            "pairs",
            "original",
            "transformed",
            "ratio (95 % interval)",
            "waits, %",
            "limit",
            "of whole run"
        );
        for cell in &cells {
            let _ = writeln!(
                text,
                "  {:<10} {:<8} {:>5} {:>10} {:>11} {:>26} {:>10} {:>7} {:>16}   {}",
                cell.kernel,
                cell.mpi.to_string(),
                cell.pairs.len(),
                seconds(cell.original().median),
                seconds(cell.transformed().median),
                cell.ratio().to_string(),
                cell.waits[0].map_or("?".to_owned(), |waits| percent(waits.timed_share)),
                cell.overlap_limit().map_or("?".to_owned(), |limit| format!("{limit:.2}x")),
                waits_text(cell),
                cell.verdict()
            );
        }
        let bound = cells.iter().filter(|cell| cell.is_communication_bound()).count();
        let _ =
            write!(text, "  programs that wait for more than {} % of their time: {bound}", COMMUNICATION_BOUND * 100.0);
        let _ = match results.mean_gain(group) {
            Some(gain) => writeln!(
                text,
                "; geometric mean of original/transformed over the {} with measurements: {:.3}, of limits {:.3}",
                gain.programs, gain.mean, gain.limit
            ),
            None => writeln!(text),
        };
    }
    let _ = writeln!(text, "\n{LIMIT_MEANS}");
    let slower: Vec<&Cell> = results.cells.iter().filter(|cell| cell.verdict() == Verdict::Slower).collect();
    let judged = results.cells.iter().filter(|cell| cell.is_judged && cell.ratio().interval.is_some()).count();
    let _ = writeln!(
        text,
        "\nof {judged} programs that were measured often enough {} are slower (all of the interval above {TOLERANCE})",
        slower.len()
    );
    for cell in slower {
        let _ = writeln!(
            text,
            "  {} ({}, {}, {}): {}",
            cell.kernel,
            cell.mpi,
            cell.fabric,
            ranks_text(cell.ranks),
            cell.ratio()
        );
    }
    for reason in &results.left_out {
        let _ = writeln!(text, "not measured: {reason}");
    }
    for failure in results.failures() {
        let _ = writeln!(text, "FAILED: {failure}");
    }
    text
}

/// Every single measurement.
pub fn pairs_csv(results: &Results) -> String {
    let mut text = "kernel,class,mpi,fabric,ranks,pair,original_seconds,transformed_seconds\n".to_owned();
    for cell in &results.cells {
        for (number, pair) in cell.pairs.iter().enumerate() {
            let _ = writeln!(
                text,
                "{},{},{}",
                columns(results, cell),
                number + 1,
                comma([pair.original, pair.transformed])
            );
        }
    }
    text
}

/// What follows for every program.
pub fn summary_csv(results: &Results) -> String {
    let mut text = "kernel,class,mpi,fabric,ranks,judged,pairs,ratio,ratio_low,ratio_high,\
                    timed_wait_share,overlap_limit,original_wait_seconds,original_rank_seconds,transformed_wait_seconds,\
                    transformed_rank_seconds,verdict\n"
        .to_owned();
    for cell in &results.cells {
        let ratio = cell.ratio();
        let (low, high) = ratio.interval.unwrap_or((f64::NAN, f64::NAN));
        let [before, after] = cell.waits.map(|waits| waits.map_or([f64::NAN; 2], |waits| [waits.waiting, waits.total]));
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{}",
            columns(results, cell),
            cell.is_judged,
            cell.pairs.len(),
            comma([ratio.median, low, high]),
            comma([
                cell.waits[0].map_or(f64::NAN, |waits| waits.timed_share),
                cell.overlap_limit().unwrap_or(f64::NAN),
            ]),
            comma(before),
            comma(after),
            cell.verdict()
        );
    }
    text
}

fn columns(results: &Results, cell: &Cell) -> String {
    format!("{},{},{},{},{}", cell.kernel, results.class, cell.mpi, cell.fabric, cell.ranks)
}

/// Numbers, separated by commas; what is not a number is left empty.
fn comma<const N: usize>(numbers: [f64; N]) -> String {
    numbers.map(|number| if number.is_nan() { String::new() } else { format!("{number:.6}") }).join(",")
}

pub(super) fn ranks_text(ranks: usize) -> String {
    if ranks == 1 { "1 rank".to_owned() } else { format!("{ranks} ranks") }
}

fn seconds(median: f64) -> String {
    if median.is_nan() { "-".to_owned() } else { format!("{median:.3} s") }
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// The part of their whole time that programs wait: before and after.
fn waits_text(cell: &Cell) -> String {
    let [before, after] = cell.waits.map(|waits| waits.map_or("?".to_owned(), |waits| percent(waits.share())));
    if cell.is_changed { format!("{before} -> {after}") } else { before }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn every_program_has_a_line_and_every_pair_one() {
        let (results, pairs) = (results(), 6 + 6 + 6 + 5 + 7 + 1);
        let table = text(&results);
        let line = |kernel: &str| table.lines().find(|line| line.trim_start().starts_with(kernel)).expect("a line");
        assert!(table.contains("1 Gbit/s link, 2 ranks, class small\n"), "{table}");
        assert!(table.contains("1 Gbit/s link, 4 ranks, class small; more ranks than cores"), "{table}");
        assert!(line("cg").contains("0.250 (0.250 to 0.250)") && line("cg").contains("50.0 -> 25.0"), "{table}");
        assert!(line("cg").contains(" 1.82x ") && table.contains("\nlimit: how many times"), "{table}");
        assert!(line("sp").ends_with("SLOWER") && line("ft").ends_with("50.0   unchanged"), "{table}");
        assert!(
            table.contains(
                "of their time: 3; geometric mean of original/transformed over the 2 with measurements: 2.000, of limits 1.818"
            ),
            "{table}"
        );
        assert!(
            table.contains("1 are slower") && table.contains("sp (Open MPI, 1 Gbit/s link, 2 ranks): 1.030"),
            "{table}"
        );
        assert!(table.contains("not measured: something") && table.contains("FAILED: mg: standard"), "{table}");
        assert_eq!(pairs_csv(&results).lines().count(), 1 + pairs);
        let summary = summary_csv(&results);
        assert_eq!(summary.lines().count(), 1 + results.cells.len());
        let commas = |line: &str| line.matches(',').count();
        assert!(summary.lines().all(|line| commas(line) == 16), "{summary}");
        assert!(
            summary.contains("ft,small,Open MPI,1 Gbit/s link,2,true,0,,,,0.550000,1.818182,2.000000,4.000000,"),
            "{summary}"
        );
    }
}
