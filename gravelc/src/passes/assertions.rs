//! What is taken to be true: what users assert in directives, written into the program for the analyses to read, and what the
//! language demands of calls that were not given.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{AssertedIndependence, Expression, ProcedureId, Program, Span, StatementKind, SymbolId};
use crate::passes::argument_aliases::names_taken_apart;
use crate::plan::{Assertion, Outcome, Plan};

use crate::directives::{self, Directives};

/// The program with what is asserted of its loops and variables; `None` where nothing is.
pub fn with_assertions(program: &Program) -> Option<Program> {
    let (directives, _) = directives::read(program);
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
        let line = program.line_named(program.procedure(procedure).statement(statement).span);
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

/// What is believed of calls that were not given: in the order of the procedures that such calls may reach and in which the plan
/// transforms something.
pub fn beliefs(facts: &Facts, plan: &Plan) -> Vec<Assertion> {
    let mut named: BTreeMap<ProcedureId, BTreeSet<SymbolId>> = BTreeMap::new();
    let transformed = plan.decisions.iter().filter(|it| matches!(it.outcome, Outcome::Transformed { .. }));
    for site in transformed.map(|decision| &decision.site) {
        let call = facts.communication(SiteId { procedure: site.procedure, statement: site.statement });
        let parts = call.into_iter().flat_map(|call| call.expressions()).flat_map(Expression::walk);
        named.entry(site.procedure).or_default().extend(parts.filter_map(Expression::designated));
    }
    let of_procedure = |(procedure, named): (ProcedureId, BTreeSet<SymbolId>)| {
        let body = facts.procedure(procedure);
        let apart = names_taken_apart(facts, procedure, &named);
        let names: Vec<String> = apart.iter().map(|&symbol| format!("`{}`", body.symbol(symbol).name)).collect();
        let (last, others) = names.split_last()?;
        let file = facts.program.file(body.span.file);
        let span = Span { end: file.line_end(body.span.start).min(body.span.end), ..body.span };
        let text = format!(
            "`{}` may be called by code that was not given, where {} and {last} are taken to be different memory",
            body.name,
            others.join(", ")
        );
        Some(Assertion { span, text })
    };
    named.into_iter().filter_map(of_procedure).collect()
}
