//! Calls through objects whose types could be extended.
//!
//! `call object%name(…)` calls what the object's own type has under the name. Front ends know the types that are given
//! ([`Procedure::overridable_calls`](crate::ir::Procedure::overridable_calls)). One that was not given needs somebody outside of the
//! given files to make an object of it; where nothing leads out of them, there is none.

use super::never_called::is_closed_world;
use crate::analysis::program::outside::Outside;
use crate::ir::{Callee, Expression, ExpressionKind, Overridable, Procedure, Program, StatementKind};

/// The program in which calls through objects call given procedures only, where that is certain; `None` if there is none
/// to settle, or if it is not.
pub fn with_given_overrides(outside: Outside) -> Option<Program> {
    let program = outside.program;
    if program.procedures.iter().all(|procedure| procedure.overridable_calls.is_empty()) {
        return None;
    }
    let mut settled = program.clone();
    for (id, procedure) in program.procedures() {
        if !procedure.overridable_calls.is_empty() {
            settle(procedure, settled.procedure_mut(id));
        }
    }
    settled.names_all_references = true;
    is_closed_world(Outside { program: &settled, ..outside }).then_some(settled)
}

fn settle(procedure: &Procedure, settled: &mut Procedure) {
    for statement in &mut settled.statements {
        match &mut statement.kind {
            StatementKind::Select { cases, .. } => cases.retain(|case| match case.as_slice() {
                [only] => match &procedure.statement(*only).kind {
                    StatementKind::Call { callee, .. } => !is_beside(procedure, callee),
                    _ => true,
                },
                _ => true,
            }),
            StatementKind::Call { callee, .. } => settle_callee(procedure, callee),
            _ => {}
        }
        for expression in statement.kind.expressions_mut() {
            settle_expression(procedure, expression);
        }
    }
    // What stood beside other calls stays in the arena, but no block holds it.
    for statement in &mut settled.statements {
        if matches!(&statement.kind, StatementKind::Call { callee, .. } if is_beside(procedure, callee)) {
            statement.kind = StatementKind::Nothing;
        }
    }
    for expression in &mut settled.evaluated_at_entry {
        settle_expression(procedure, expression);
    }
}

fn settle_expression(procedure: &Procedure, expression: &mut Expression) {
    expression.rewrite(&mut |part| match &mut part.kind {
        ExpressionKind::Call { callee, .. } => settle_callee(procedure, callee),
        ExpressionKind::Computed(operands) => operands.retain(|operand| match &operand.kind {
            ExpressionKind::Call { callee, .. } => !is_beside(procedure, callee),
            _ => true,
        }),
        _ => {}
    });
    // What stands beside nothing is never reached.
    expression.rewrite(&mut |part| {
        if matches!(&part.kind, ExpressionKind::Call { callee, .. } if is_beside(procedure, callee)) {
            part.kind = ExpressionKind::Computed(Vec::new());
        }
    });
}

fn meaning(procedure: &Procedure, callee: &Callee) -> Option<Overridable> {
    match callee {
        Callee::Unknown(name) => procedure.overridable_calls.get(name).copied(),
        Callee::Procedure(_) | Callee::PureIntrinsic(_) => None,
    }
}

fn is_beside(procedure: &Procedure, callee: &Callee) -> bool {
    meaning(procedure, callee) == Some(Overridable::Beside)
}

fn settle_callee(procedure: &Procedure, callee: &mut Callee) {
    if let Some(Overridable::Means(given)) = meaning(procedure, callee) {
        *callee = Callee::Procedure(given);
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};
    use crate::ir::Expression;

    const TYPES: &str = "module m\ntype base\ncontains\nprocedure :: one\nprocedure :: many => many_base\n\
        procedure :: number => number_base\nend type\n\
        type, extends(base) :: child\ncontains\nprocedure :: many => many_child\nprocedure :: number => number_child\n\
        end type\ncontains\n\
        subroutine one(this)\nclass(base) :: this\nend subroutine\n\
        subroutine many_base(this)\nclass(base) :: this\nend subroutine\n\
        subroutine many_child(this)\nclass(child) :: this\nend subroutine\n\
        integer function number_base(this)\nclass(base) :: this\nnumber_base = 1\nend function\n\
        integer function number_child(this)\nclass(child) :: this\nnumber_child = 2\nend function\n\
        subroutine all(this)\nclass(base) :: this\ninteger :: k\ncall this%one()\ncall this%many()\n\
        k = this%number()\nselect case (k)\ncase (1)\ncall this%one()\nend select\nend subroutine\nend module\n";

    const MAIN: &str = "program p\nuse m\ntype(child) :: object\ncall all(object)\nend program\n";

    /// Who may be called in `all`, and how many cases its statements have; `None` if nothing is settled.
    fn settled(text: &str, is_closed: bool) -> Option<(Vec<String>, usize)> {
        let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
        let settled = with_given_overrides(Outside { program: &program, is_closed })?;
        let all = settled.procedures.iter().find(|procedure| procedure.name == "all").unwrap();
        let mut called = Vec::new();
        let mut cases = 0;
        for id in all.statements_in_order() {
            let kind = &all.statement(id).kind;
            cases += kind.blocks().len();
            let of_statement = match kind {
                StatementKind::Call { callee, .. } => Some(callee),
                _ => None,
            };
            let parts = kind.expressions().into_iter().flat_map(Expression::walk);
            let callees = parts.filter_map(|part| match &part.kind {
                ExpressionKind::Call { callee, .. } => Some(callee),
                _ => None,
            });
            called.extend(callees.chain(of_statement).map(|callee| match callee {
                Callee::Procedure(id) => settled.procedure(*id).name.clone(),
                Callee::Unknown(name) | Callee::PureIntrinsic(name) => format!("?{name}"),
            }));
        }
        Some((called, cases))
    }

    #[test]
    fn a_whole_program_has_no_other_types() {
        let called = ["one", "many_base", "many_child", "number_base", "number_child", "one"];
        let called = called.map(str::to_string).to_vec();
        assert_eq!(settled(&format!("{TYPES}{MAIN}"), false), Some((called, 3)));
    }

    #[test]
    fn what_leads_out_of_the_files_may_lead_to_other_types() {
        let text = format!("{TYPES}{}", MAIN.replace("call all", "call elsewhere\ncall all"));
        assert_eq!(settled(&text, false), None);
        assert!(settled(&text, true).is_some());
        assert_eq!(settled(TYPES, true), None);
        let text = format!("{TYPES}{}", MAIN.replace("call all", "block\nuse elsewhere\nend block\ncall all"));
        assert_eq!(settled(&text, true), None);
    }

    #[test]
    fn what_never_runs_leads_nowhere() {
        let text = format!("{TYPES}{MAIN}subroutine unused\ncall elsewhere\nend subroutine\n");
        assert!(settled(&text, false).is_some());
        assert_eq!(settled(&text.replace("call all", "call unused\ncall all"), false), None);
    }

    #[test]
    fn what_nobody_hands_over_is_never_called() {
        let text = "program p\ncall all(1.0)\ncontains\nsubroutine all(x, f, g)\nreal :: x\nreal, external, optional :: f\n\
                    optional :: g\nexternal :: g\nif (present(f)) x = x + f(x)\nif (present(g)) call g(x)\n\
                    end subroutine\nend program\n";
        assert_eq!(settled(text, false).map(|(called, _)| called), Some(vec!["?present".to_string(); 2]));
        // Where somebody could, it is one that is not known.
        assert_eq!(settled(&text.replace("call all", "call elsewhere\ncall all"), false), None);
    }

    #[test]
    fn without_such_calls_nothing_is_settled() {
        assert_eq!(settled("program p\nend program\n", true), None);
    }
}
