//! The source with remarks beside its lines; stretches without remarks are folded.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::marks::{Mark, marked};
use super::remarks::{Remark, remarks_of};
use super::{Page, is_transformed};
use crate::ir::{FileId, SourceFile, Span};
use crate::plan::{Outcome, Reason};

/// Lines that are shown around a line with a remark.
const CONTEXT: usize = 8;
/// Shorter stretches are not folded.
const SHORTEST_FOLD: usize = 6;

pub(super) fn files(page: &Page) -> Markup {
    html! {
        @for (index, file) in page.program.files.iter().enumerate() {
            section.source id=(format!("f{index}")) {
                h2 { (file.path.display()) }
                (listing(page, FileId(index), file))
            }
        }
    }
}

fn listing(page: &Page, id: FileId, file: &SourceFile) -> Markup {
    let remarks = remarks_of(page, id);
    let marks = marks_of(page, id);
    let starts = line_starts(&file.text);
    let marked_lines = marks.iter().map(|mark| file.row_of(mark.start));
    let told: BTreeSet<usize> = remarks.keys().copied().chain(marked_lines).collect();
    html! {
        @for (first, last, is_open) in stretches(starts.len(), &told) {
            @let lines = Lines { id, file, starts: &starts, marks: &marks, first, last };
            @if is_open {
                (lines.show(&remarks))
            } @else {
                details.fold { summary { "lines " (file.line_of(starts[first - 1])) " to " (file.line_of(starts[last - 1])) } (lines.show(&BTreeMap::new())) }
            }
        }
    }
}

/// The offsets at which lines begin; a line feed at the end of the file begins none.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let feeds = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1);
    [0].into_iter().chain(feeds.filter(|&start| start < text.len())).collect()
}

/// The lines from 1 to `count` in stretches: first, last, and whether they are shown.
fn stretches(count: usize, told: &BTreeSet<usize>) -> Vec<(usize, usize, bool)> {
    let is_near =
        |line: usize| told.range(line.saturating_sub(CONTEXT)..=line + CONTEXT).next().is_some() || told.is_empty();
    let mut stretches: Vec<(usize, usize, bool)> = Vec::new();
    for line in 1..=count {
        match stretches.last_mut() {
            Some((_, last, is_open)) if *is_open == is_near(line) => *last = line,
            _ => stretches.push((line, line, is_near(line))),
        }
    }
    // Short folds are not worth a click.
    for stretch in &mut stretches {
        stretch.2 |= stretch.1 - stretch.0 + 1 < SHORTEST_FOLD;
    }
    let mut merged: Vec<(usize, usize, bool)> = Vec::new();
    for (first, last, is_open) in stretches {
        match merged.last_mut() {
            Some(before) if before.2 && is_open => before.1 = last,
            _ => merged.push((first, last, is_open)),
        }
    }
    merged
}

struct Lines<'a> {
    id: FileId,
    file: &'a SourceFile,
    starts: &'a [usize],
    marks: &'a [Mark],
    first: usize,
    last: usize,
}

impl Lines<'_> {
    /// A grid of three columns. Remarks begin at their line, or below the one before, and reach over as many lines as they
    /// need, so that the lines stay together.
    fn show(&self, remarks: &BTreeMap<usize, Vec<Remark>>) -> Markup {
        let mut free_row = 1;
        html! {
            div.listing {
                @for line in self.first..=self.last {
                    @let own: &[Remark] = remarks.get(&line).map_or(&[], Vec::as_slice);
                    @let row = line - self.first + 1;
                    span.n id=(format!("f{}l{line}", self.id.0)) { (self.file.line_of(self.starts[line - 1])) }
                    span class=(if own.is_empty() { "c" } else { "c told" }) { (self.text(line)) }
                    @if !own.is_empty() {
                        @let start = row.max(free_row);
                        @let height: usize = own.iter().map(|remark| remark.height).sum();
                        @let () = { free_row = start + height };
                        aside style=(format!("--row: {start} / span {height}")) {
                            @for remark in own {
                                div class=(format!("remark {}", remark.tone)) id=[&remark.anchor] {
                                    (remark.content)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn text(&self, line: usize) -> Markup {
        let start = self.starts[line - 1];
        let mut end = self.starts.get(line).copied().unwrap_or(self.file.text.len());
        while end > start && matches!(self.file.text[end - 1], b'\n' | b'\r') {
            end -= 1;
        }
        marked(&self.file.text, start, end, self.marks)
    }
}

/// The sites, and what is in their way.
fn marks_of(page: &Page, file: FileId) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut add = |span: Span, class: &'static str| {
        if span.file == file {
            marks.push(Mark { start: span.start, end: span.end, class });
        }
    };
    for decision in &page.plan.decisions {
        add(page.site_span(&decision.site), if is_transformed(decision) { "site good" } else { "site kept" });
        let reasons: Vec<&Reason> = match &decision.outcome {
            Outcome::Kept { reason, missed } => {
                std::iter::once(reason).chain(missed.iter().map(|missed| &missed.reason)).collect()
            }
            Outcome::Transformed { missed, .. } => missed.iter().map(|missed| &missed.reason).collect(),
        };
        for span in reasons.into_iter().filter_map(|reason| reason.span) {
            // A reason that is the site itself, or a whole construct, marks nothing that helps.
            let site = page.site_span(&decision.site);
            let is_site = span == site;
            let is_long =
                page.program.text(span).lines().count() > 1 && !(site.start <= span.start && span.end <= site.end);
            if !is_site && !is_long {
                add(span, "way");
            }
        }
    }
    for (span, _) in &page.program.file(file).unread {
        add(*span, "unread");
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_what_nobody_asks_for() {
        let told = BTreeSet::from([30]);
        assert_eq!(stretches(60, &told), [(1, 21, false), (22, 38, true), (39, 60, false)]);
        assert_eq!(stretches(40, &told), [(1, 21, false), (22, 40, true)], "two lines are not folded");
        assert_eq!(stretches(9, &BTreeSet::new()), [(1, 9, true)]);
    }

    #[test]
    fn lines_are_those_of_the_file() {
        assert_eq!(line_starts(b"a\r\nb\n"), [0, 3]);
        assert_eq!(line_starts(b"a\n\nb"), [0, 2, 3]);
        assert_eq!(line_starts(b""), [0]);
    }
}
