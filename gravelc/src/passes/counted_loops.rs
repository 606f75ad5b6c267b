//! Loops of which the last value is computed again before each iteration, in languages that do that
//! ([`crate::ir::Dialect::loop_bounds_are_read_once`]).
//!
//! Such a loop is counted as long as its body writes nothing that its bounds read. Where it may, or where a bound is more than
//! a sum, a product or a quotient of variables, nobody knows how often it runs: it becomes a loop without a count.

use crate::analysis::memory::effects::effects_of_all;
use crate::ir::{Expression, ExpressionKind, Loop, Procedure, ProcedureId, Program, StatementId, StatementKind};

/// The program in which loops with bounds that change have no count; `None` if there are none.
pub fn with_counted_loops(program: &Program) -> Option<Program> {
    let mut changed: Option<Program> = None;
    for (id, body) in program.procedures().filter(|(_, body)| !body.dialect().loop_bounds_are_read_once()) {
        for (index, statement) in body.statements.iter().enumerate() {
            let StatementKind::Loop(counted) = &statement.kind else { continue };
            if has_fixed_bounds(program, id, counted) {
                continue;
            }
            let copy = changed.get_or_insert_with(|| program.clone());
            copy.procedure_mut(id).statements[index].kind = without_count(body, counted, StatementId(index));
        }
    }
    changed
}

/// Do the bounds have the values in each iteration that they have in the first one?
fn has_fixed_bounds(program: &Program, procedure: ProcedureId, counted: &Loop) -> bool {
    let body = program.procedure(procedure);
    let effects = effects_of_all(program, procedure, &counted.body);
    let read_again = [Some(&counted.upper), counted.step.as_ref()];
    read_again.into_iter().flatten().flat_map(Expression::walk).all(|part| match part.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } => true,
        ExpressionKind::Symbol(symbol) => symbol != counted.variable && effects.writes_symbol(body, symbol).is_none(),
        _ => false,
    })
}

/// The loop goes on while something holds that is computed from its bounds.
fn without_count(body: &Procedure, counted: &Loop, id: StatementId) -> StatementKind {
    let bounds = [Some(&counted.lower), Some(&counted.upper), counted.step.as_ref()];
    let read = bounds.into_iter().flatten().cloned().collect();
    StatementKind::While {
        changes: vec![counted.variable],
        condition: Some(Expression::new(ExpressionKind::Computed(read), body.statement(id).span)),
        body: counted.body.clone(),
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};
    use crate::ir::Language;

    /// Has a loop up to `n` still its count, where its body stores in `target`?
    fn is_counted(language: Language, target: &str) -> bool {
        let text =
            format!("subroutine s(n, m)\ninteger :: n, m, i\ndo i = 0, n + 1\n{target} = 3\nend do\nend subroutine\n");
        let mut program =
            parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it parses");
        let only = ProcedureId(0);
        program.procedure_mut(only).language = language;
        let changed = with_counted_loops(&program);
        let kinds = &changed.as_ref().unwrap_or(&program).procedure(only).statements;
        kinds.iter().any(|statement| matches!(statement.kind, StatementKind::Loop(_)))
    }

    #[test]
    fn bounds_that_are_read_again_and_change_count_nothing() {
        assert!(is_counted(Language::Fortran, "m") && is_counted(Language::Fortran, "n"));
        assert!(!is_counted(Language::Opposite, "n"));
        // Two arguments may be one variable there.
        assert!(!is_counted(Language::Opposite, "m"));
        assert!(is_counted(Language::Opposite, "k"));
    }
}
