//! What must keep its order around the sites: for each block that holds some, its statements and arcs between them.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{Page, anchor_of};
use crate::analysis::facts::Facts;
use crate::analysis::loops::dependence_graph::{Dependence, DependenceKind, dependences as dependences_of};
use crate::ir::{Procedure, ProcedureId, StatementId, StatementKind};
use crate::report::graph::{edges_to_draw, label_of_edge, statement_label};

/// Statements around the sites of a block that are drawn as well.
const CONTEXT: usize = 6;
/// Blocks with more statements than these between their sites are not drawn.
const MOST_STATEMENTS: usize = 60;
const ROW: usize = 22;
const CHARACTER: f64 = 6.7;
const LEFT: f64 = 90.0;

/// The arrow heads that all pictures use, one for each kind.
pub(super) fn arrow_heads() -> Markup {
    html! {
        svg.hidden width="0" height="0" aria-hidden="true" {
            defs {
                @for kind in ["flow", "anti", "output", "effect", "unknown"] {
                    marker id=(format!("head-{kind}")) class=(format!("head {kind}")) viewBox="0 0 8 8" refX="7" refY="4"
                        markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse" {
                        path d="M0 0 L8 4 L0 8 z" {}
                    }
                }
            }
        }
    }
}

pub(super) fn dependences(page: &Page, planned: &Facts) -> Markup {
    html! {
        section #dependences {
            h2 { "Dependences" }
            p.note {
                "What orders the statements around each site; a construct stands for everything in it. "
                span class="key flow" { "flow" } ": reads what was written. "
                span class="key anti" { "anti" } ": overwrites what was read. "
                span class="key output" { "output" } ": overwrites what was written. "
                span class="key effect" { "effect" } ": others can see both. "
                span class="key unknown" { "unknown" } ": may do anything. "
                "Dashed: can't be excluded. On the left: on an earlier iteration of the loop around. Orders that follow from "
                "others are left out, but for flow. Point at an arc to see the memory; "
                code { "gravelc graph --kind dependence" } " draws all of them."
            }
            @for (procedure, blocks) in blocks_of(page) {
                @let edges = edges_to_draw(page.program.procedure(procedure), dependences_of(planned, procedure));
                @for block in blocks { (one_block(page, procedure, &block, &edges)) }
            }
        }
    }
}

type Edge = (StatementId, StatementId, Vec<Dependence>);

/// The outermost branch around a statement that no loop separates from it; the statement itself where there is none.
fn outside_branches(procedure: &Procedure, id: StatementId) -> StatementId {
    let parent = |id: &StatementId| procedure.statement(*id).parent;
    let is_branch = |id: &StatementId| {
        let kind = &procedure.statement(*id).kind;
        matches!(kind, StatementKind::If { .. } | StatementKind::Select { .. } | StatementKind::Scope(_))
    };
    std::iter::successors(parent(&id), parent).take_while(is_branch).last().unwrap_or(id)
}

/// The blocks of loops and procedures that hold sites, by procedure, in the order of the program.
fn blocks_of(page: &Page) -> Vec<(ProcedureId, Vec<Vec<StatementId>>)> {
    let mut procedures = Vec::new();
    for (id, procedure) in page.program.procedures() {
        let mut blocks: Vec<Vec<StatementId>> = Vec::new();
        for decision in page.plan.decisions.iter().filter(|decision| decision.site.procedure == id) {
            let block = procedure.siblings(outside_branches(procedure, decision.site.statement)).0;
            if !blocks.contains(block) {
                blocks.push(block.clone());
            }
        }
        if !blocks.is_empty() {
            procedures.push((id, blocks));
        }
    }
    procedures
}

fn one_block(page: &Page, procedure: ProcedureId, block: &[StatementId], edges: &[Edge]) -> Markup {
    let body = page.program.procedure(procedure);
    let sites: BTreeSet<StatementId> = page
        .plan
        .decisions
        .iter()
        .filter(|decision| decision.site.procedure == procedure)
        .map(|decision| outside_branches(body, decision.site.statement))
        .collect();
    let positions: Vec<usize> = (0..block.len()).filter(|&index| sites.contains(&block[index])).collect();
    let (Some(&first), Some(&last)) = (positions.first(), positions.last()) else { return html! {} };
    let shown = &block[first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(block.len())];
    let line = |id: StatementId| page.program.line(body.statement(id).span);
    html! {
        details.card open {
            summary { code { (body.name) } ", lines " (line(shown[0])) " to " (line(shown[shown.len() - 1])) }
            @if shown.len() > MOST_STATEMENTS {
                p.note { "The block has " (shown.len()) " statements between its sites: too many to draw here." }
            } @else {
                div.scroll { (arcs(page, procedure, shown, edges)) }
            }
        }
    }
}

fn arcs(page: &Page, procedure: ProcedureId, shown: &[StatementId], edges: &[Edge]) -> Markup {
    let labels: Vec<String> = shown.iter().map(|&id| statement_label(page.program, procedure, id)).collect();
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let index_of = |id: StatementId| shown.iter().position(|&other| other == id);
    let inside: Vec<(usize, usize, &[Dependence])> = edges
        .iter()
        .filter_map(|(from, to, found)| Some((index_of(*from)?, index_of(*to)?, found.as_slice())))
        .collect();
    let right = LEFT + 14.0 + as_length(longest) * CHARACTER;
    let furthest = inside.iter().map(|&(from, to, _)| from.abs_diff(to)).max().unwrap_or(0);
    let width = right + reach(furthest) + 20.0;
    let height = ROW * shown.len() + 4;
    let drawn = inside.iter().flat_map(|&(from, to, found)| {
        [false, true].into_iter().filter_map(move |is_carried| {
            let found: Vec<Dependence> =
                found.iter().filter(|one| one.carried_by.is_some() == is_carried).cloned().collect();
            (!found.is_empty()).then_some((from, to, is_carried, found))
        })
    });
    let drawn: Vec<(usize, usize, bool, Vec<Dependence>)> = drawn.collect();
    html! {
        svg.arcs width=(format!("{width:.0}")) height=(height) viewBox=(format!("0 0 {width:.0} {height}")) role="img"
            aria-label="statements and their dependences" {
            @for (from, to, is_carried, found) in &drawn {
                @if !is_implied(&drawn, *from, *to, *is_carried, found) {
                    (arc(page, procedure, *from, *to, *is_carried, found, right))
                }
            }
            @for (index, (id, label)) in shown.iter().zip(&labels).enumerate() {
                @let y = ROW * index + 15;
                @let decision = page.plan.decisions.iter().find(|decision| {
                    let body = page.program.procedure(procedure);
                    decision.site.procedure == procedure && outside_branches(body, decision.site.statement) == *id
                });
                @if let Some(decision) = decision {
                    a href=(format!("#{}", anchor_of(&decision.site))) {
                        text class=(if super::is_transformed(decision) { "good" } else { "kept" })
                            x=(format!("{LEFT}")) y=(y) { (label) }
                    }
                } @else {
                    text x=(format!("{LEFT}")) y=(y) { (label) }
                }
            }
        }
    }
}

/// Does the order of the two follow from others in the picture, or say nothing? Flow within an iteration is always shown.
fn is_implied(
    drawn: &[(usize, usize, bool, Vec<Dependence>)],
    from: usize,
    to: usize,
    is_carried: bool,
    found: &[Dependence],
) -> bool {
    let has = |one: usize, two: usize| drawn.iter().any(|(f, t, carried, _)| (*f, *t, *carried) == (one, two, false));
    let strongest = found.iter().map(|one| one.kind).min();
    if is_carried {
        // Nearly every statement of a loop overwrites what it wrote before, and what is ordered within an iteration is
        // ordered from one to the next as well.
        return has(from, to) || matches!(strongest, Some(DependenceKind::Output | DependenceKind::Effect));
    }
    if strongest == Some(DependenceKind::Flow) {
        return false;
    }
    (from + 1..to).any(|between| has(from, between) && has(between, to))
}

/// How far an arc over so many rows goes to the side.
fn reach(rows: usize) -> f64 {
    18.0 + 15.0 * as_length(rows).sqrt() + 4.0 * as_length(rows)
}

fn as_length(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn arc(
    page: &Page,
    procedure: ProcedureId,
    from: usize,
    to: usize,
    is_carried: bool,
    found: &[Dependence],
    right: f64,
) -> Markup {
    let strongest = found.iter().map(|one| one.kind).min().unwrap_or(DependenceKind::Unknown).name();
    let doubt = if found.iter().any(|one| one.is_certain) { "" } else { " doubtful" };
    let y1 = as_length(ROW * from) + 11.0 + if from < to { 3.0 } else { -3.0 };
    let y2 = as_length(ROW * to) + 11.0 + if from < to { -3.0 } else { 3.0 };
    let path = if is_carried {
        let (x, bend) = (LEFT - 6.0, LEFT - 6.0 - (reach(from.abs_diff(to)) * 1.3).min(LEFT - 10.0));
        format!("M{x:.1} {y1:.1} C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x:.1} {y2:.1}")
    } else {
        let bend = right + reach(from.abs_diff(to)) * 4.0 / 3.0 - 6.0;
        format!("M{right:.1} {y1:.1} C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {right:.1} {y2:.1}")
    };
    html! {
        g class=(format!("arc {strongest}{doubt}")) {
            @if let Some(planned) = page.planned { title { (label_of_edge(planned, procedure, found, "\n")) } }
            path.wide d=(path) {}
            path.line d=(path) marker-end=(format!("url(#head-{strongest})")) {}
        }
    }
}
