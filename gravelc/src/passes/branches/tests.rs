//! Branches of small programs that are taken out and put back.

use std::path::Path;

use super::*;
use crate::analysis::algebra::truth::truth_of_constants;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::ProcedureKind;

/// The numbers that the program assigns to `k` in branches that are never taken, in their order. All of them are put back.
fn never_taken(statements: &str) -> Vec<i64> {
    let text = format!(
        "program main\nimplicit none\ninteger :: k\nlogical :: run\nlogical, parameter :: debug = .false.\n\
         {statements}end program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let main = program.procedures.iter().find(|it| it.kind == ProcedureKind::Main).unwrap();
    let assigned = |procedure: &Procedure| -> Vec<i64> {
        let kinds = procedure.statements_in_order().into_iter().map(|id| procedure.statement(id).kind.clone());
        let value = |kind: StatementKind| match kind {
            StatementKind::Assign { value, .. } => match value.kind {
                crate::ir::ExpressionKind::Integer(value) => Some(value),
                _ => None,
            },
            _ => None,
        };
        kinds.filter_map(value).collect()
    };
    let mut reduced = Procedure::clone(main);
    let mut found = Vec::new();
    for id in main.statements_in_order() {
        if let Some(branches) = NeverTaken::of(&reduced, id, |condition| truth_of_constants(main, condition)) {
            branches.take_out(&mut reduced, id);
            found.push((id, branches));
        }
    }
    let left = assigned(&reduced);
    for (id, branches) in &found {
        branches.put_back(&mut reduced, main, *id);
    }
    assert_eq!(assigned(&reduced), assigned(main), "what was taken out is back");
    assigned(main).into_iter().filter(|number| !left.contains(number)).collect()
}

#[test]
fn the_forms_of_branches() {
    let chain = "if (debug) then\nk = 1\nelse if (run) then\nk = 2\nelse if (.not. debug) then\nk = 3\nelse if (run) then\nk = 4\n\
                 else\nk = 5\nend if\n";
    for (statements, expected) in [
        ("if (debug) k = 1\nk = 2\n", vec![1]),
        ("if (run) k = 1\n", vec![]),
        ("if (debug) then\nk = 1\nelse\nk = 2\nend if\n", vec![1]),
        ("if (.not. debug) then\nk = 1\nelse\nk = 2\nend if\n", vec![2]),
        (chain, vec![1, 4, 5]),
        ("if (debug) then\nif (run) then\nk = 1\nend if\ndo k = 1, 3\nif (run) exit\nend do\nend if\n", vec![1]),
    ] {
        assert_eq!(never_taken(statements), expected, "{statements}");
    }
}

#[test]
fn a_branch_that_is_jumped_into_stays() {
    let jump = "if (run) goto 10\nif (debug) then\nk = 1\n10 k = 2\nelse\nk = 3\nend if\n";
    assert_eq!(never_taken(jump), [] as [i64; 0]);
    // The end of a loop, to which nothing jumps.
    assert_eq!(never_taken("if (debug) then\ndo 10 k = 1, 3\nk = 1\n10 continue\nend if\n"), [1]);
}
