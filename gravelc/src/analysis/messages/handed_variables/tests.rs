//! Variables behind dummy arguments, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::program::outside::Outside;
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

/// Which of the dummy arguments of `finish(one, two, three)` may be the variable `shared` of a module; `calls` are the statements
/// of the main program.
fn may_be_shared(calls: &str) -> Vec<String> {
    let text = format!(
        "module m\nreal :: shared(9), other(9)\nend module\nprogram main\nuse m\nreal :: u(9)\nreal, target :: t(9)\n\
         real, pointer :: p(:)\n{calls}\nend program\n\
         subroutine through(w)\nuse m\nreal :: w(9)\ncall finish(w, other, other)\nend subroutine\n\
         subroutine finish(one, two, three)\nuse m\nreal :: one(9), two(9), three(9)\none(1) = shared(1)\nend subroutine\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::with_outside(Outside { program: &program, is_closed: false });
    let finish = program.procedures().find(|(_, procedure)| procedure.name == "finish").unwrap().0;
    let shared = program.procedure(finish).find_symbol("shared").unwrap();
    let found = facts.dummies_that_may_be(finish, finish, shared);
    found.into_iter().map(|dummy| program.procedure(finish).symbol(dummy).name.clone()).collect()
}

#[test]
fn dummies_may_be_what_any_call_hands_them() {
    assert_eq!(may_be_shared("call finish(u, other, t)"), Vec::<String>::new());
    assert_eq!(may_be_shared("call finish(u, shared, t)"), ["two"]);
    assert_eq!(may_be_shared("call finish(u, other, t)\ncall finish(shared(2), u, shared(1:3))"), ["one", "three"]);
    assert_eq!(may_be_shared("call finish(p, (shared), u)"), ["one"]);
    assert_eq!(may_be_shared("call through(u)"), Vec::<String>::new());
    assert_eq!(may_be_shared("call through(shared)"), ["one"]);
    // Others may hand anything.
    assert_eq!(may_be_shared("call finish(u, other, t)\ncall elsewhere"), ["one", "two", "three"]);
}
