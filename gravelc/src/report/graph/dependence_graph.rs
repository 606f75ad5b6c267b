//! The dependence graph of every procedure: statements inside the constructs that hold them, and what orders them.

use std::collections::BTreeMap;

use super::graphviz::Dot;
use super::statement_label;
use crate::analysis::facts::Facts;
use crate::analysis::loops::dependence_graph::{Dependence, DependenceKind, dependences};
use crate::analysis::memory::region_text::region_text;
use crate::ir::{Procedure, ProcedureId, StatementId, StatementKind};

pub(super) fn draw(facts: &Facts) -> String {
    let mut dot = Dot::new("dependences", "TB");
    for (id, procedure) in facts.program.procedures() {
        dot.begin_cluster(&format!("p{}", id.0), &procedure.name, "gray60");
        for &statement in &procedure.body {
            draw_statement(&mut dot, facts, id, statement);
        }
        dot.end();
    }
    for (id, procedure) in facts.program.procedures() {
        for (from, to, dependences) in edges_to_draw(procedure, dependences(facts, id)) {
            let label = label_of_edge(facts, id, &dependences, "\n");
            let style = if dependences.iter().any(|found| found.is_certain) { "solid" } else { "dashed" };
            dot.edge(
                &name_of(id, from),
                &name_of(id, to),
                &label,
                &[("style", style), ("color", colour_of(&dependences))],
            );
        }
    }
    dot.finish()
}

fn name_of(procedure: ProcedureId, statement: StatementId) -> String {
    format!("p{}s{}", procedure.0, statement.0)
}

/// A statement; one that holds others is a box with a node for itself, which its dependences go to.
fn draw_statement(dot: &mut Dot, facts: &Facts, procedure: ProcedureId, id: StatementId) {
    let statement = facts.procedure(procedure).statement(id);
    let blocks = statement.kind.blocks();
    let name = name_of(procedure, id);
    if !blocks.is_empty() {
        dot.begin_cluster(&name, "", "gray80");
    }
    let fill = match &statement.kind {
        StatementKind::Communication(_) => "lightcyan",
        StatementKind::Opaque(_) => "mistyrose",
        _ => "white",
    };
    dot.node(&name, &statement_label(facts.program, procedure, id), &[("fillcolor", fill)]);
    if !blocks.is_empty() {
        for &inner in blocks.into_iter().flatten() {
            draw_statement(dot, facts, procedure, inner);
        }
        dot.end();
    }
}

/// The dependences between the same two statements together, in order. Those over the variable of a counted loop that sets
/// it anew are left out: nearly every two loops have them, and they say nothing.
pub(in crate::report) fn edges_to_draw(
    procedure: &Procedure,
    dependences: Vec<Dependence>,
) -> Vec<(StatementId, StatementId, Vec<Dependence>)> {
    let mut edges: BTreeMap<(usize, StatementId, usize, StatementId), Vec<Dependence>> = BTreeMap::new();
    for found in dependences {
        let symbol = found.region.as_ref().map(|region| region.symbol);
        let counts = |id| matches!(&procedure.statement(id).kind, StatementKind::Loop(l) if Some(l.variable) == symbol);
        if found.kind != DependenceKind::Flow && counts(found.to) {
            continue;
        }
        let start = |id: StatementId| procedure.statement(id).span.start;
        edges.entry((start(found.from), found.from, start(found.to), found.to)).or_default().push(found);
    }
    edges.into_iter().map(|((_, from, _, to), found)| (from, to, found)).collect()
}

/// What the dependences between two statements are, one after the other: kind, memory, loop that carries it; a question
/// mark where it can't be excluded but is not certain.
pub(in crate::report) fn label_of_edge(
    facts: &Facts,
    procedure: ProcedureId,
    dependences: &[Dependence],
    separator: &str,
) -> String {
    let body = facts.procedure(procedure);
    let labels = dependences.iter().map(|found| {
        let mut label = found.kind.name().to_owned();
        if let Some(region) = &found.region {
            label.push_str(&format!(" {}", region_text(body, region)));
        }
        if !found.is_certain && found.kind != DependenceKind::Unknown {
            label.push('?');
        }
        if let Some(around) = found.carried_by {
            label.push_str(&format!(" (next iteration, line {})", facts.program.line(body.statement(around).span)));
        }
        label
    });
    labels.collect::<Vec<_>>().join(separator)
}

/// By the strongest of the dependences.
fn colour_of(dependences: &[Dependence]) -> &'static str {
    match dependences.iter().map(|found| found.kind).min() {
        Some(DependenceKind::Flow) => "royalblue",
        Some(DependenceKind::Anti) => "darkorange",
        Some(DependenceKind::Output) => "purple",
        Some(DependenceKind::Effect) => "gray40",
        Some(DependenceKind::Unknown) | None => "firebrick",
    }
}
