//! What users assert in directives, written into the program for the analyses to read.

use crate::ir::{AssertedIndependence, Program, StatementKind};
use crate::plan::Assertion;

use super::directives::Directives;

/// The program with what is asserted of its loops and variables; `None` where nothing is.
pub fn with_assertions(program: &Program, directives: &Directives) -> Option<Program> {
    if directives.independent_loops().next().is_none() && directives.variables_apart().next().is_none() {
        return None;
    }
    let mut copy = program.clone();
    for (procedure, statement, asserted, _) in directives.independent_loops() {
        if let StatementKind::Loop(counted) = &mut copy.procedure_mut(procedure).statements[statement.0].kind {
            counted.asserted = asserted.clone();
        }
    }
    for (procedure, variable, _) in directives.variables_apart() {
        copy.procedure_mut(procedure).symbols[variable.0].asserted_apart = true;
    }
    Some(copy)
}

/// The same for the report.
pub fn assertions(program: &Program, directives: &Directives) -> Vec<Assertion> {
    let name = |procedure, symbol| format!("`{}`", program.procedure(procedure).symbol(symbol).name);
    let of_loops = directives.independent_loops().map(|(procedure, statement, asserted, span)| {
        let line = program.line(program.procedure(procedure).statement(statement).span);
        let text = match asserted {
            AssertedIndependence::By(variables) => {
                let names: Vec<String> = variables.iter().map(|&symbol| name(procedure, symbol)).collect();
                format!("what the loop at line {line} does with {} is the same in any order", names.join(", "))
            }
            _ => format!("the iterations of the loop at line {line} give the same in any order"),
        };
        Assertion { span, text }
    });
    let of_variables = directives.variables_apart().map(|(procedure, symbol, span)| {
        let name = name(procedure, symbol);
        let text = format!("{name} shares memory with no other variable of `{}`", program.procedure(procedure).name);
        Assertion { span, text }
    });
    let mut found: Vec<Assertion> = of_loops.chain(of_variables).collect();
    found.sort_by_key(|assertion| assertion.span);
    found
}
