//! Results as text: a table for people, comma-separated values for programs.

use std::fmt::Write as _;

use super::results::{Run, Sample, Subject, TESTS, Test};

/// A table of medians with their quartiles, how many times better Gravel is than the MPI, and which share of the speed of
/// a yardstick it reaches: a plain copy, or a plain loop over libibverbs.
pub fn text(run: &Run) -> String {
    let mut text = format!("\nGravel beside {}\n", run.mpi);
    for test in TESTS {
        let lengths = run.lengths(test);
        if lengths.is_empty() {
            continue;
        }
        let has = |subject| lengths.iter().any(|&bytes| run.sample(test, bytes, subject).is_some());
        let yardstick = [
            (Subject::Copy, "plain copy", "of copy"),
            (Subject::Verbs, "bare verbs", "of verbs"),
            (Subject::Spinning, "spinning", "of that"),
        ];
        let yardstick = yardstick.into_iter().find(|&(subject, ..)| has(subject));
        // Writing into a string cannot fail.
        let of_what = if test == Test::Init { "ranks" } else { "bytes" };
        let _ = write!(text, "\n{}\n{of_what:>9}  {:>30}", test.title(), "Gravel (quartiles)");
        if has(Subject::Mpi) {
            let _ = write!(text, "  {:>30}  {:>6}", "MPI (quartiles)", "better");
        }
        if let Some((_, name, share)) = yardstick {
            let _ = write!(text, "  {name:>30}  {share:>8}");
        }
        text.push('\n');
        for &bytes in &lengths {
            let column = |subject| run.sample(test, bytes, subject).map_or_else(|| "-".into(), spread);
            let of_what = if test == Test::Init { bytes.to_string() } else { length(bytes) };
            let _ = write!(text, "{of_what:>9}  {:>30}", column(Subject::Gravel));
            if has(Subject::Mpi) {
                let better = run.speed_over(test, bytes, Subject::Mpi);
                let better = better.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}x"));
                let _ = write!(text, "  {:>30}  {better:>6}", column(Subject::Mpi));
            }
            if let Some((subject, ..)) = yardstick {
                let share = run.speed_over(test, bytes, subject);
                let share = share.map_or_else(|| "-".into(), |ratio| format!("{:.0} %", 100.0 * ratio));
                let _ = write!(text, "  {:>30}  {share:>8}", column(subject));
            }
            text.push('\n');
        }
    }
    text
}

/// Every single value.
pub fn csv(runs: &[Run]) -> String {
    let mut text = String::from("mpi,test,bytes,subject,value\n");
    for run in runs {
        // A quotation mark inside quotation marks is doubled (RFC 4180).
        let mpi = run.mpi.replace('"', "\"\"");
        for (&(test, bytes, subject), sample) in &run.samples {
            for value in sample.values() {
                let _ = writeln!(text, "\"{mpi}\",{},{bytes},{},{value}", test.name(), subject.name());
            }
        }
    }
    text
}

fn spread(sample: &Sample) -> String {
    let (first, third) = sample.quartiles();
    format!("{} ({} .. {})", number(sample.median()), number(first), number(third))
}

/// Three significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A length with a binary unit where it is a multiple of one.
pub fn length(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::OUTPUT;
    use super::*;

    #[test]
    fn the_table_compares_medians() {
        let text = text(&Run::parse(OUTPUT).unwrap());
        let row = |start: &str| text.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
        assert!(row("8 B").contains("0.600 (0.550 .. 0.650)") && row("8 B").ends_with("0.50x"), "{text}");
        assert!(row("64 KiB").contains("2.00x") && row("64 KiB").ends_with("80 %"), "{text}");
        assert!(!text.contains("overlap"), "what was not measured is not shown");
    }

    #[test]
    fn bare_verbs_are_a_yardstick_and_what_mpi_does_not_do_has_no_column() {
        let output = "library X\nstart\nlatency gravel 8 5\nlatency mpi 8 10\nlatency verbs 8 4\n\
            get-latency gravel 131072 20\nget-latency verbs 131072 15\nget-bandwidth gravel 131072 900\n";
        let text = text(&Run::parse(output).unwrap());
        let mut rows = text.lines().filter(|line| line.contains(" B ") || line.contains("KiB"));
        let latency = rows.next().unwrap();
        assert!(latency.contains("2.00x") && latency.ends_with(" 80 %"), "{text}");
        let get = rows.next().unwrap();
        assert!(!get.contains('x') && get.ends_with(" 75 %"), "{text}");
        assert!(rows.next().unwrap().contains("0.900"), "{text}");
    }

    #[test]
    fn the_ring_has_spinning_ranks_beside_it_and_the_set_up_a_number_of_ranks() {
        let output = "library X\nstart\nring gravel 8 50\nring mpi 8 25\nring spinning 8 500\ninit gravel 64 0.25\n";
        let text = text(&Run::parse(output).unwrap());
        let row = |start: &str| text.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
        assert!(row("8 B").contains("0.50x") && row("8 B").ends_with("1000 %"), "{text}");
        assert!(row("64 ").contains("0.250") && !text.contains("64 B"), "{text}");
    }

    #[test]
    fn values_are_listed_one_by_one() {
        let csv = csv(&[Run::parse(&OUTPUT.replace("Some MPI", "Some \"MPI\",")).unwrap()]);
        assert_eq!(csv.lines().nth(1), Some("\"Some \"\"MPI\"\", 1.0\",latency,8,gravel,0.5"));
        assert_eq!(csv.lines().count(), 1 + 9);
    }
}
