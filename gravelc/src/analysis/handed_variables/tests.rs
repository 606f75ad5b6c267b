//! Variables behind dummy arguments, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};

/// The name that the dummy argument `taken` of the subroutine `finish` is for what the subroutine `start` gets as `given`,
/// if it is one; `calls` are the statements of a subroutine that a main program calls, with more procedures.
fn is_named(calls: &str, more: &str) -> bool {
    let text = format!(
        "module m\nreal :: shared(9)\nend module\nprogram main\nuse m\ncall solve(shared, 3)\nend program\n\
         subroutine solve(strided, n)\nuse m\nreal :: u(9), v(9)\nreal :: strided(:)\nreal, pointer :: p(:)\ninteger :: n, k\n\
         {calls}\nend subroutine\n\
         subroutine start(given)\nreal :: given(9)\ngiven = 1\nend subroutine\n\
         subroutine finish(taken)\nreal :: taken(3, *)\ntaken(1, 1) = 1\nend subroutine\n{more}\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::with_outside(Outside { program: &program, is_closed: false });
    let named = |name: &str| program.procedures().find(|(_, procedure)| procedure.name == name).unwrap().0;
    let (start, finish) = (named("start"), named("finish"));
    let given = program.procedure(start).find_symbol("given").unwrap();
    facts.handed_name_in(finish, start, given) == program.procedure(finish).find_symbol("taken")
}

#[test]
fn one_variable_for_all_calls_has_the_names_of_its_dummies() {
    assert!(is_named("call start(u)\ncall finish(u)", ""));
    assert!(is_named("call start(shared)\ncall finish(shared)", ""));
    let through = "subroutine through(w)\nreal :: w(*)\ncall finish(w)\nend subroutine";
    assert!(is_named("call start(u)\ndo k = 1, n\ncall through(u)\nend do", through));
    let imported = "subroutine renamed\nuse m, only: other => shared\ncall finish(other)\nend subroutine";
    assert!(is_named("call start(shared)\ncall renamed", imported));
}

#[test]
fn anything_else_has_not() {
    assert!(!is_named("call start(u)\ncall finish(v)", ""));
    assert!(!is_named("call start(u)\ncall start(v)\ncall finish(u)", ""));
    assert!(!is_named("call start(u)\ncall finish(u)\ncall finish(v)", ""));
    assert!(!is_named("call start(u(1:9))\ncall finish(u)", ""));
    assert!(!is_named("call start(u)\ncall finish((u))", ""));
    assert!(!is_named("call start(u)\ncall finish(u(2))", ""));
    assert!(!is_named("call start(strided)\ncall finish(strided)", ""));
    assert!(!is_named("call start(p)\ncall finish(p)", ""));
    // The variables of two runs at a time are two.
    assert!(!is_named(
        "call start(u)\ncall finish(u)\ncall again",
        "subroutine again\nuse m\ncall solve(shared, 1)\nend subroutine"
    ));
    // Others may call, too.
    assert!(!is_named("call start(u)\ncall finish(u)\ncall elsewhere", ""));
}
