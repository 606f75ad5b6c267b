//! The call graph: the procedures of the program, what they call, and where MPI is called.

use std::collections::{BTreeMap, BTreeSet};

use super::graphviz::Dot;
use crate::ir::{Callee, ExpressionKind, Procedure, ProcedureId, ProcedureKind, Program, StatementKind};

/// What a procedure calls, with how often the calls are written.
#[derive(Default)]
struct Calls {
    procedures: BTreeMap<ProcedureId, usize>,
    unknown: BTreeMap<String, usize>,
    messaging: BTreeMap<String, usize>,
}

pub(super) fn draw(program: &Program) -> String {
    let mut dot = Dot::new("calls", "TB");
    let calls: Vec<Calls> = program.procedures().map(|(_, procedure)| calls_of(procedure)).collect();
    for (file_index, file) in program.files.iter().enumerate() {
        dot.begin_cluster(&format!("file{file_index}"), &file.path.display().to_string(), "gray60");
        for (id, procedure) in program.procedures().filter(|(_, procedure)| procedure.span.file.0 == file_index) {
            dot.node(&name_of(id), &label_of(program, procedure, &calls[id.0]), &look_of(procedure, &calls[id.0]));
        }
        dot.end();
    }
    let unknown: BTreeSet<&String> = calls.iter().flat_map(|calls| calls.unknown.keys()).collect();
    for name in unknown {
        dot.node(&format!("unknown {name}"), &format!("{name}\n(not given)"), &[("style", "dashed")]);
    }
    for (index, calls) in calls.iter().enumerate() {
        let from = name_of(ProcedureId(index));
        for (&callee, &count) in &calls.procedures {
            dot.edge(&from, &name_of(callee), &times(count), &[]);
        }
        for (name, &count) in &calls.unknown {
            dot.edge(&from, &format!("unknown {name}"), &times(count), &[("style", "dashed")]);
        }
    }
    dot.finish()
}

fn name_of(id: ProcedureId) -> String {
    format!("p{}", id.0)
}

fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!("{count}×") }
}

fn label_of(program: &Program, procedure: &Procedure, calls: &Calls) -> String {
    let kind = match procedure.kind {
        ProcedureKind::Main => "program",
        ProcedureKind::Subroutine => "subroutine",
        ProcedureKind::Function => "function",
    };
    let mut label = format!("{kind} {}\nline {}", procedure.name, program.line(procedure.span));
    for (routine, &count) in &calls.messaging {
        label.push_str(format!("\n{routine} {}", times(count)).trim_end_matches(' '));
    }
    label
}

/// Procedures that call MPI stand out, and so do those that must not be touched.
fn look_of(procedure: &Procedure, calls: &Calls) -> Vec<(&'static str, &'static str)> {
    let mut look = Vec::new();
    if !calls.messaging.is_empty() {
        look.push(("fillcolor", "lightcyan"));
    }
    if procedure.untouchable.is_some() {
        look.push(("color", "firebrick"));
    }
    look
}

fn calls_of(procedure: &Procedure) -> Calls {
    let mut calls = Calls::default();
    let mut add = |callee: &Callee| match callee {
        Callee::Procedure(id) => *calls.procedures.entry(*id).or_default() += 1,
        Callee::Unknown(name) => *calls.unknown.entry(name.clone()).or_default() += 1,
        Callee::PureIntrinsic(_) => {}
    };
    let mut messaging: BTreeMap<String, usize> = BTreeMap::new();
    for id in procedure.statements_in_order() {
        let kind = &procedure.statement(id).kind;
        match kind {
            StatementKind::Call { callee, .. } => add(callee),
            StatementKind::Communication(found) if found.wrapper.is_some() => {
                found.wrapper.iter().for_each(|wrapper| add(&Callee::Procedure(wrapper.procedure)));
            }
            StatementKind::Communication(found) => *messaging.entry(found.routine.clone()).or_default() += 1,
            _ => {}
        }
        for part in kind.expressions().into_iter().flat_map(|expression| expression.walk()) {
            if let ExpressionKind::Call { callee, .. } = &part.kind {
                add(callee);
            }
        }
    }
    calls.messaging = messaging;
    calls
}
