//! What gravelc does with codes, as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::{Report, Status};

use super::scan::is_site;

/// How many of the reasons of all codes are named.
const LARGEST: usize = 10;

/// A line of the table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The code.
    pub name: String,
    /// Lines of all its files, with what they include.
    pub lines: usize,
    /// How long the transformation takes.
    pub seconds: f64,
    /// Calls in the text.
    pub in_text: usize,
    /// Calls in the report.
    pub seen: usize,
    /// Those that are transformed.
    pub transformed: usize,
    /// By which transformations.
    pub by: BTreeMap<String, usize>,
    /// Why the others are not.
    pub kept: BTreeMap<String, usize>,
}

impl Row {
    /// Adds what a report says. Other sites than those whose routines the scan counts are left out.
    pub fn add(&mut self, report: &Report) {
        for site in report.sites.iter().filter(|site| is_site(&site.call)) {
            self.seen += 1;
            match (site.status, &site.reason) {
                (Status::Transformed, _) => {
                    self.transformed += 1;
                    if site.actions.is_empty() {
                        // It is carried by the runtime, and nothing moved.
                        *self.by.entry("in place".to_owned()).or_default() += 1;
                    }
                    for action in &site.actions {
                        *self.by.entry(action.transformation.clone()).or_default() += 1;
                    }
                }
                (Status::Kept, reason) => {
                    let code = reason.as_ref().map_or("?", |reason| &reason.code);
                    *self.kept.entry(code.to_owned()).or_default() += 1;
                }
            }
        }
    }
}

/// The table, with the largest reasons of all codes.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    let _ = writeln!(
        text,
        "{:<20} {:>8} {:>8} {:>8} {:>6} {:>12}  by; kept by reason",
        "code", "lines", "seconds", "in text", "seen", "transformed"
    );
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    let mut sum = Row { name: "all".to_owned(), ..Row::default() };
    for row in rows {
        let _ = writeln!(text, "{}  {}; {}", figures(row), counts(&row.by), counts(&row.kept));
        for (reason, count) in &row.kept {
            *all.entry(reason.clone()).or_default() += count;
        }
        sum.lines += row.lines;
        sum.seconds += row.seconds;
        sum.in_text += row.in_text;
        sum.seen += row.seen;
        sum.transformed += row.transformed;
    }
    let _ = writeln!(text, "{}", figures(&sum));
    let _ = writeln!(text, "largest reasons:");
    for (reason, count) in largest_first(&all).into_iter().take(LARGEST) {
        let _ = writeln!(text, "  {count:>6} {reason}");
    }
    text
}

fn figures(row: &Row) -> String {
    let share = (100 * row.transformed).checked_div(row.seen).map_or("-".to_owned(), |share| format!("{share} %"));
    format!(
        "{:<20} {:>8} {:>8.1} {:>8} {:>6} {:>5} {:>6}",
        row.name, row.lines, row.seconds, row.in_text, row.seen, row.transformed, share
    )
}

fn counts(counts: &BTreeMap<String, usize>) -> String {
    let shown: Vec<String> = largest_first(counts).into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    if shown.is_empty() { "-".to_owned() } else { shown.join(", ") }
}

fn largest_first(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_counts_what_reports_say() {
        let report = r#"{ "sites": [
            { "line": 1, "call": "mpi_send", "status": "transformed", "actions": [{ "transformation": "hoist-send", "text": "" }], "reason": null },
            { "line": 2, "call": "mpi_recv", "status": "kept", "actions": [], "reason": { "code": "wildcard" } },
            { "line": 3, "call": "mpi_bcast", "status": "kept", "actions": [], "reason": { "code": "x" } }] }"#;
        let mut row = Row { name: "code".to_owned(), lines: 7, in_text: 3, ..Row::default() };
        row.add(&serde_json::from_str(report).expect("it is a report"));
        assert_eq!((row.seen, row.transformed), (2, 1));
        let text = text(&[row.clone(), row]);
        assert!(text.contains("hoist-send 1; wildcard 1\n"), "{text}");
        assert!(text.contains("     2 wildcard\n"), "{text}");
        assert!(text.lines().any(|line| line.starts_with("all ") && line.contains("50 %")), "{text}");
    }
}
