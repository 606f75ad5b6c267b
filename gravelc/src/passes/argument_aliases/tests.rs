//! Which names calls make one place, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::facts::Facts;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};

fn program_of(text: &str) -> Program {
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    with_argument_aliases(&program).unwrap_or(program)
}

/// May the two names of the procedure share memory?
fn share(text: &str, procedure: &str, one: &str, other: &str) -> bool {
    let program = program_of(text);
    let body = program.procedures.iter().find(|it| it.name == procedure).unwrap();
    let [one, other] = [one, other].map(|name| body.find_symbol(name).unwrap());
    may_share_memory(body, one, other)
}

/// May the arguments `a` and `b` of `p`, which does `body`, share memory if the main program does `calls`?
fn of_two(calls: &str, body: &str) -> bool {
    let text = format!(
        "module m\nreal :: g(100)\nend module\nprogram main\nuse m\nreal :: u(100), v(100), w(300), r(10, 10)\n\
         real, pointer :: q(:)\nreal, target :: t(100)\ntype thing\nreal :: x(100), y(100)\nend type\ntype(thing) :: o, l(3)\n\
         integer :: n, k\nread *, n, k\n{calls}\ncontains\nsubroutine p(a, b, n)\ninteger :: n, i\nreal :: a(n), b(n)\n{body}\n\
         end subroutine\nend program\n"
    );
    share(&text, "p", "a", "b")
}

const FILLS: &str = "do i = 1, n\na(i) = 1\nend do\ndo i = 1, n\nb(i) = b(i) + 1\nend do";

#[test]
fn one_array_for_two_arguments_is_one_place() {
    assert!(of_two("call p(u, u, 100)", FILLS));
    assert!(of_two("call p(u, v, 100)\ncall p(v, v, 100)", FILLS));
    assert!(of_two("call p(o%x, o%x, 100)", FILLS));
    assert!(of_two("call p(l(n)%x, l(k)%x, 100)", FILLS));
    assert!(of_two("q => t\ncall p(q, t, 100)", FILLS));
    assert!(of_two("call p(g, g, n)", FILLS));
}

#[test]
fn arguments_that_are_one_stay_one_when_they_are_handed_on() {
    let text = |calls: &str| {
        format!(
            "program main\nreal :: u(100), v(100)\n{calls}\nend program\nsubroutine outer(x, y)\nreal :: x(100), y(100)\n\
             call p(y, x)\nend subroutine\nsubroutine p(a, b)\nreal :: a(100), b(100)\na = 1\nb = b + 1\nend subroutine\n"
        )
    };
    assert!(share(&text("call outer(u, u)"), "p", "a", "b"));
    assert!(!share(&text("call outer(u, v)\ncall outer(v, u)"), "p", "a", "b"));
}

#[test]
fn different_arrays_are_not() {
    assert!(!of_two("call p(u, v, 100)\ncall p(v, u, 100)", FILLS));
    assert!(!of_two("call p(o%x, o%y, 100)", FILLS));
    assert!(!of_two("call p(l(n)%x, l(k)%y, 100)", FILLS));
    assert!(!of_two("call p(u, (u), 100)", FILLS));
}

#[test]
fn what_is_only_read_may_be_awaited() {
    assert!(of_two("call p(u, u, 100)", "do i = 1, n\nprint *, a(i) + b(i)\nend do"));
    assert!(!of_two("call p(u, u, 100)", "do i = 1, n\na(i) = 1\nend do"));
}

#[test]
fn pieces_are_apart_where_that_is_proven() {
    assert!(of_two("call p(w(1), w(50), 100)", FILLS));
    assert!(of_two("call p(w(n), w(k), 100)", FILLS));
    assert!(of_two("call p(w(1), w(1 + n), 2 * n)", FILLS));
    assert!(of_two("call p(w, w(n), n)", FILLS));
    assert!(!of_two("call p(w(1), w(101), 100)", FILLS));
    assert!(!of_two("call p(w(k), w(k + n), n)", FILLS));
    assert!(!of_two("call p(r(1, 2), r(1, 3), 10)", FILLS));
    assert!(!of_two("call p(r(:, 2), r(:, 3), 10)", FILLS));
    // How much of it is touched is not known.
    assert!(of_two("call p(w(1), w(101), 100)", "do i = 1, n\na(int(b(i))) = 1\nend do"));
}

/// May the argument `a` of `p`, which does `body`, be the module's array `g` if the main program does `calls`?
fn of_module(calls: &str, body: &str, more: &str) -> bool {
    let text = format!(
        "module m\nreal, target :: g(100)\nreal :: h(100)\nend module\nprogram main\nuse m\nreal :: u(100)\n{calls}\nend program\n\
         subroutine p(a)\nuse m\nreal :: a(100)\n{body}\nend subroutine\n{more}\n"
    );
    share(&text, "p", "a", "h")
}

#[test]
fn a_variable_that_the_procedure_names_is_what_it_is_handed() {
    let both = "h = 1\nprint *, a";
    assert!(of_module("call p(h)", both, ""));
    assert!(of_module("call p(h(3))", both, ""));
    assert!(of_module("call outer(h)", both, "subroutine outer(x)\nreal :: x(*)\ncall p(x)\nend subroutine"));
    assert!(of_module("call outer", both, "subroutine outer\nuse m, only: k => h\ncall p(k)\nend subroutine"));
    assert!(!of_module("call p(u)\ncall p(g)", both, ""));
    assert!(of_module("call p(h)", "print *, a, h", ""));
    // Only what it calls touches the variable.
    assert!(of_module(
        "call p(h)",
        "print *, a\ncall fill\nprint *, h(1)",
        "subroutine fill\nuse m\nh = 1\nend subroutine"
    ));
}

#[test]
fn what_a_called_procedure_does_is_done_to_the_argument() {
    let text = "module m\nreal :: h(100)\nend module\nprogram main\nuse m\ncall p(h)\nend program\nsubroutine p(a)\nreal :: a(100)\n\
                a(1) = 2\ncall fill\nprint *, a\nend subroutine\nsubroutine fill\nuse m\nh = 1\nend subroutine\n";
    let program = program_of(text);
    let (id, body) = program.procedures().find(|(_, it)| it.name == "p").unwrap();
    let argument = body.find_symbol("a").unwrap();
    assert_eq!(
        body.aliases.places_of(argument).collect::<Vec<_>>(),
        [&Place::Module { module: "m".into(), name: "h".into() }]
    );
    let facts = Facts::with_outside(Outside { program: &program, is_closed: false });
    assert!(facts.effects(id, body.body[1]).writes_symbol(body, argument).is_some());
}

#[test]
fn a_pointer_leads_to_an_argument_that_is_a_target() {
    let text = |actual: &str| {
        format!(
            "module m\nreal, target :: g(100)\nreal :: h(100)\nreal, pointer :: q(:)\nend module\nprogram main\nuse m\nq => g\n\
             call p({actual})\nend program\nsubroutine p(a)\nuse m\nreal :: a(100)\nq(1) = g(2)\nprint *, a\nend subroutine\n"
        )
    };
    assert!(share(&text("g"), "p", "a", "q"));
    assert!(share(&text("q"), "p", "a", "q"));
    assert!(share(&text("q"), "p", "a", "g"));
    assert!(!share(&text("h"), "p", "a", "q"));
}

#[test]
fn common_blocks_and_hosts_have_names_for_what_they_hand_over() {
    let common = |actual: &str| {
        format!(
            "program main\nreal :: x(10), y(10)\ncommon /c/ x, y\ncall p({actual})\nend program\nsubroutine p(a)\nreal :: a(10)\n\
             real :: x(10), y(10)\ncommon /c/ x, y\nx = 1\nprint *, a\nend subroutine\n"
        )
    };
    assert!(share(&common("x"), "p", "a", "x"));
    assert!(!share(&common("y"), "p", "a", "x"));
    let host = |actual: &str| {
        format!(
            "program main\nreal :: x(10), y(10)\ncall p({actual})\ncontains\nsubroutine p(a)\nreal :: a(10)\nx = 1\nprint *, a\n\
             end subroutine\nend program\n"
        )
    };
    assert!(share(&host("x"), "p", "a", "x"));
    assert!(!share(&host("y"), "p", "a", "x"));
}

#[test]
fn calls_that_were_not_given_are_believed_to_obey_the_language() {
    let apart = |text: &str| {
        let program = program_of(text);
        let facts = Facts::with_outside(Outside { program: &program, is_closed: false });
        let (id, body) = program.procedures().find(|(_, it)| it.name == "p").unwrap();
        let named = BTreeSet::from([body.find_symbol("a").unwrap()]);
        let found = names_taken_apart(&facts, id, &named);
        found.into_iter().map(|symbol| body.symbol(symbol).name.clone()).collect::<Vec<_>>()
    };
    let body = "subroutine p(a, b, c, n)\nuse m\ninteger, value :: n\nreal :: a(9), b(9), c(9)\na = h\nprint *, b\nend subroutine\n";
    let module = "module m\nreal :: g(9), h(9)\nend module\n";
    assert_eq!(apart(&format!("{module}{body}")), ["a", "b", "h"]);
    let main = "program main\nreal :: u(9), v(9), w(9)\ncall p(u, v, w, 1)\nend program\n";
    assert!(apart(&format!("{module}{main}{body}")).is_empty());
}
