//! Results as text: a table for people, comma-separated values for programs.

use std::fmt::Write as _;

use super::results::{Run, Sample, Subject, TESTS, Test};

/// A table of medians with their quartiles, and how many times better Gravel is than the MPI.
pub fn text(run: &Run) -> String {
    let mut text = format!("\nGravel beside {}\n", run.mpi);
    for test in TESTS {
        let lengths = run.lengths(test);
        if lengths.is_empty() {
            continue;
        }
        let has_copy = run.samples.contains_key(&(test, lengths[0], Subject::Copy));
        // Writing into a string cannot fail.
        let _ = writeln!(text, "\n{}", test.title());
        let _ =
            write!(text, "{:>9}  {:>30}  {:>30}  {:>6}", "bytes", "Gravel (quartiles)", "MPI (quartiles)", "better");
        let _ = writeln!(text, "{}", if has_copy { "   plain copy  of copy" } else { "" });
        for bytes in lengths {
            let sample = |subject| run.samples.get(&(test, bytes, subject));
            let (Some(gravel), Some(mpi)) = (sample(Subject::Gravel), sample(Subject::Mpi)) else { continue };
            let _ = write!(
                text,
                "{:>9}  {:>30}  {:>30}  {:>6}",
                length(bytes),
                spread(gravel),
                spread(mpi),
                better(test, gravel, mpi)
            );
            if let Some(copy) = sample(Subject::Copy) {
                let share = 100.0 * gravel.median() / copy.median();
                let _ = write!(text, "  {:>11}  {share:>5.0} %", number(copy.median()));
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
            let subject = match subject {
                Subject::Gravel => "gravel",
                Subject::Mpi => "mpi",
                Subject::Copy => "copy",
            };
            for value in sample.values() {
                let _ = writeln!(text, "\"{mpi}\",{},{bytes},{subject},{value}", test.name());
            }
        }
    }
    text
}

/// How many times better Gravel is; nothing where one of both is not positive (exposed time can be).
fn better(test: Test, gravel: &Sample, mpi: &Sample) -> String {
    let (gravel, mpi) = (gravel.median(), mpi.median());
    if gravel <= 0.0 || mpi <= 0.0 {
        return "-".into();
    }
    format!("{:.2}x", if test.more_is_better() { gravel / mpi } else { mpi / gravel })
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
    fn values_are_listed_one_by_one() {
        let csv = csv(&[Run::parse(&OUTPUT.replace("Some MPI", "Some \"MPI\",")).unwrap()]);
        assert_eq!(csv.lines().nth(1), Some("\"Some \"\"MPI\"\", 1.0\",latency,8,gravel,0.5"));
        assert_eq!(csv.lines().count(), 1 + 9);
    }
}
