//! What is said beside the lines of the source.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{Page, anchor_of, class_link, code_link, prose};
use crate::ir::{FileId, StatementId};
use crate::plan::{Decision, Missed, Outcome, Position, Reason, StepOperation};

/// A box beside a line.
pub(super) struct Remark {
    /// Says how it looks: `good`, `kept`, `moved` or `unread`.
    pub tone: &'static str,
    /// Names the site that it is about, if it is the place that tells of it.
    pub anchor: Option<String>,
    /// What it says.
    pub content: Markup,
    /// About how many lines of text that takes.
    pub height: usize,
}

/// Characters in a line of a box.
const WIDTH: usize = 46;

fn lines_for(characters: usize) -> usize {
    characters.div_ceil(WIDTH).max(1)
}

/// The remarks of a file by line.
pub(super) fn remarks_of(page: &Page, file: FileId) -> BTreeMap<usize, Vec<Remark>> {
    let mut remarks: BTreeMap<usize, Vec<Remark>> = BTreeMap::new();
    for decision in &page.plan.decisions {
        if decision.site.file == file {
            remarks
                .entry(page.program.row(page.site_span(&decision.site)))
                .or_default()
                .push(about_site(page, decision));
        }
        for (line, remark) in about_moves(page, file, decision) {
            remarks.entry(line).or_default().push(remark);
        }
    }
    for (span, why) in &page.program.file(file).unread {
        let remark = Remark {
            tone: "unread",
            anchor: None,
            content: html! { span.at { (page.row_link(file, page.program.row(*span))) } b { "could not be read" } ", and is taken to do anything: " (why) },
            height: lines_for(50 + why.len()),
        };
        remarks.entry(page.program.row(*span)).or_default().push(remark);
    }
    let asserted = page.plan.asserted.iter().map(|assertion| (assertion, "asserted, not proven: "));
    let believed = page.plan.believed.iter().map(|belief| (belief, "believed, not proven: "));
    for (assertion, lead) in asserted.chain(believed).filter(|(assertion, _)| assertion.span.file == file) {
        let line = page.program.row(assertion.span);
        let remark = Remark {
            tone: "moved",
            anchor: None,
            content: html! { span.at { (page.row_link(file, line)) } b { (lead) } (assertion.text) },
            height: lines_for(25 + assertion.text.len()),
        };
        remarks.entry(line).or_default().push(remark);
    }
    remarks
}

fn about_site(page: &Page, decision: &Decision) -> Remark {
    let site = &decision.site;
    let class = decision.class.map(class_link);
    let title = |what: &str| {
        let line = page.row_link(site.file, page.program.row(page.site_span(site)));
        html! { div.title { span.at { (line) } code { (site.routine) } " " (what) @if let Some(class) = &class { span.class { (class) } } } }
    };
    let misses =
        |missed: &[Missed]| -> usize { missed.iter().map(|missed| lines_for(missed.reason.message.len() + 60)).sum() };
    let tried_in_vain = |missed: &[Missed]| {
        html! {
            @for Missed { transformation, reason } in missed {
                li.missed { "not " (transformation.name()) ": " (why(page, site.file, reason)) }
            }
        }
    };
    match &decision.outcome {
        Outcome::Transformed { actions, missed, .. } => {
            let texts = actions.iter().map(|action| action.transformation.name().len() + action.text.len() + 4);
            Remark {
                tone: "good",
                anchor: Some(anchor_of(site)),
                height: 2 + texts.map(lines_for).sum::<usize>() + misses(missed),
                content: html! {
                    (title(if actions.is_empty() { "becomes a call of the runtime" } else { "is transformed" }))
                    ul {
                        @for action in actions {
                            li.applied { b { (action.transformation.name()) } ": " (action.text) }
                        }
                        (tried_in_vain(missed))
                    }
                },
            }
        }
        Outcome::Kept { reason, missed } => Remark {
            tone: "kept",
            anchor: Some(anchor_of(site)),
            height: 2 + lines_for(reason.message.len() + 50) + misses(missed),
            content: html! {
                (title("stays with MPI"))
                p { (why(page, site.file, reason)) }
                @if !missed.is_empty() { ul { (tried_in_vain(missed)) } }
            },
        },
    }
}

/// The message of a reason, its code, and the place that is in the way, told from this file.
pub(super) fn why(page: &Page, here: FileId, reason: &Reason) -> Markup {
    html! {
        (prose(&reason.message)) " (" (code_link(reason.code))
        @if let Some(span) = reason.span { ", " (page.place_from(here, span)) }
        ")"
    }
}

/// Where parts of a site have gone, as far as that is in this file.
fn about_moves(page: &Page, file: FileId, decision: &Decision) -> Vec<(usize, Remark)> {
    let site = &decision.site;
    let mut moves = Vec::new();
    for step in decision.steps() {
        // It may be in a procedure that calls the site's.
        let procedure = page.program.procedure(step.procedure);
        if procedure.span.file != file {
            continue;
        }
        let line_of = |statement: StatementId| page.program.row(procedure.statement(statement).span);
        let (statement, arrow, text) = match (&step.operation, step.position) {
            (StepOperation::PostReceive { .. } | StepOperation::PostReceiveOfCallee { .. }, Position::Before(next)) => {
                (next, "↑", "posted before it")
            }
            (StepOperation::Wait { .. }, Position::After(last)) => (last, "↓", "waited for after it"),
            (StepOperation::StripMine(_), Position::Replace(counted)) => {
                (counted, "▤", "cut into tiles: each leaves as it is done")
            }
            (StepOperation::WaitInTiles(_), Position::Replace(counted)) => {
                (counted, "▤", "cut into tiles: each waits for what it needs")
            }
            (StepOperation::SplitLoop { .. }, Position::Replace(counted)) => {
                (counted, "▤", "split: its first and last iterations wait")
            }
            _ => continue,
        };
        let line = match step.position {
            // The last line of what comes before.
            Position::After(last) => {
                let span = procedure.statement(last).span;
                page.program.file(span.file).row_of(span.end.saturating_sub(1).max(span.start))
            }
            _ => line_of(statement),
        };
        let remark = Remark {
            tone: "moved",
            anchor: None,
            content: html! {
                span.at { (page.row_link(file, line)) } span.arrow { (arrow) } " " (text) ": " code { (site.routine) }
                " of " a href=(format!("#{}", anchor_of(site))) { "line " (site.line) }
            },
            height: lines_for(text.len() + site.routine.len() + 25),
        };
        moves.push((line, remark));
    }
    moves
}
