//! Branches that are never taken: `if (.false.) call other()`, which keeps a compiler quiet about an argument that is not used.
//!
//! Statements that call, store, read or write do nothing in them then. A call of MPI stays what it is, and so do text that was not
//! understood and a branch that control may jump into.

use crate::analysis::program::outside::Outside;
use crate::ir::{
    BinaryOperator, Expression, ExpressionKind, Procedure, Program, StatementId, StatementKind, UnaryOperator,
};
use crate::mutations::Clause;

/// The program in which statements of such branches do nothing; `None` if there are none.
pub fn without_branches_never_taken(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let mut found: Option<Program> = None;
    for (id, procedure) in program.procedures() {
        let idle = idle_in(procedure);
        if !idle.is_empty() {
            let changed = found.get_or_insert_with(|| program.clone()).procedure_mut(id);
            for statement in idle {
                changed.statements[statement.0].kind = StatementKind::Nothing;
            }
        }
    }
    found
}

/// The simple statements of the procedure in branches that are never taken.
fn idle_in(procedure: &Procedure) -> Vec<StatementId> {
    let mut idle = Vec::new();
    for statement in &procedure.statements {
        let StatementKind::If { arms, otherwise, .. } = &statement.kind else { continue };
        let mut is_decided = false;
        let bodies = arms.iter().map(|arm| (Some(&arm.condition), &arm.body));
        for (condition, body) in bodies.chain(otherwise.iter().map(|body| (None, body))) {
            let holds = condition.and_then(value);
            let is_never_taken = is_decided || holds == Some(false) || Clause::BranchesNeverTaken.is_off();
            is_decided |= holds == Some(true);
            let inside: Vec<StatementId> = body.iter().flat_map(|&id| procedure.with_descendants(id)).collect();
            if !is_never_taken || inside.iter().any(|&id| procedure.statement(id).jump_target) {
                continue;
            }
            let is_simple = |id: &StatementId| {
                matches!(
                    procedure.statement(*id).kind,
                    StatementKind::Call { .. } | StatementKind::Assign { .. } | StatementKind::InputOutput { .. }
                )
            };
            idle.extend(inside.into_iter().filter(is_simple));
        }
    }
    idle
}

/// The value of a condition that is a constant.
fn value(condition: &Expression) -> Option<bool> {
    match &condition.kind {
        ExpressionKind::Logical(value) => Some(*value),
        ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => value(operand),
        ExpressionKind::Unary { operator: UnaryOperator::Not, operand } => value(operand).map(|value| !value),
        ExpressionKind::Binary { operator: BinaryOperator::And, left, right } => match (value(left), value(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ExpressionKind::Binary { operator: BinaryOperator::Or, left, right } => match (value(left), value(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    /// The lines of a subroutine with these statements that do nothing for that reason.
    fn idle(statements: &str) -> Vec<usize> {
        let text = format!("subroutine s(a, flag)\nlogical :: flag\n{statements}\nend subroutine\n");
        let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).expect("it parses");
        let changed = without_branches_never_taken(Outside { program: &program, is_closed: false });
        let kind_of = |program: &Program, id: usize| std::mem::discriminant(&program.procedures[0].statements[id].kind);
        let Some(changed) = changed else { return Vec::new() };
        let all = 0..program.procedures[0].statements.len();
        let idle = all.filter(|&id| kind_of(&program, id) != kind_of(&changed, id));
        idle.map(|id| program.line(program.procedures[0].statements[id].span) - 2).collect()
    }

    #[test]
    fn statements_in_branches_that_are_never_taken_do_nothing() {
        assert_eq!(idle("if (.false.) call f(a)"), [1]);
        assert_eq!(idle("if (.not. (.true.)) then\ncall f(a)\nprint *, a\nelse\ncall g(a)\nend if"), [2, 3]);
        assert_eq!(idle("if (.true.) then\ncall f(a)\nelse if (flag) then\ncall g(a)\nelse\na = h(a)\nend if"), [4, 6]);
        assert_eq!(idle("if (flag .and. .false.) then\ndo i = 1, 2\ncall f(a)\nend do\nend if"), [3]);
    }

    #[test]
    fn others_do_what_they_do() {
        for statements in [
            "if (flag) call f(a)",
            "if (flag .or. .false.) call f(a)",
            "if (.true.) call f(a)",
            "if (.false.) then\n10 call f(a)\nend if\ngo to 10",
            "if (.false.) go to 10\n10 call f(a)",
        ] {
            assert_eq!(idle(statements), [0; 0], "{statements}");
        }
    }
}
