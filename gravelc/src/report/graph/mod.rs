//! Pictures of a program as Graphviz text: who could meet whom, who calls whom, what must keep its order.

mod call_graph;
mod dependence_graph;
mod graphviz;
mod match_graph;

use crate::analysis::facts::Facts;
use crate::ir::{ProcedureId, Program, StatementId};
use crate::plan::Plan;

#[cfg(feature = "cli")]
pub(super) use dependence_graph::{edges_to_draw, label_of_edge};

/// Which graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphKind {
    /// Sends and receives that could meet, by match class.
    Match,
    /// Procedures and their calls.
    Call,
    /// Statements that must keep their order, by procedure.
    Dependence,
}

/// The graph of a program in the DOT language; the same program always gives the same bytes. `planned` is the program with what
/// `plan` was made from: its dependences are those that the planner believes.
pub fn render_graph(program: &Program, planned: &Program, plan: &Plan, kind: GraphKind) -> String {
    match kind {
        GraphKind::Match => match_graph::draw(&Facts::new(program), plan),
        GraphKind::Call => call_graph::draw(program),
        GraphKind::Dependence => dependence_graph::draw(&Facts::new(planned)),
    }
}

/// The most characters of a statement that a picture shows.
const MAX_LABEL: usize = 60;

/// `line: text` of a statement: its first line, shortened.
pub(super) fn statement_label(program: &Program, procedure: ProcedureId, statement: StatementId) -> String {
    let span = program.procedure(procedure).statement(statement).span;
    format!("{}: {}", program.line(span), short_text(&program.text(span)))
}

/// The first line of a text, shortened.
pub(super) fn short_text(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(MAX_LABEL) {
        Some((cut, _)) => format!("{}…", line[..cut].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
