//! Statements of a loop, and whether what they do with a variable is the same in any order.

use std::path::Path;

use super::*;
use crate::analysis::memory::effects::effects_of_iteration;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::ProcedureId;

/// Is it so of `variable` in a loop over `i` with these statements?
fn ask(statements: &str, variable: &str) -> bool {
    let text = format!(
        "program p\n  implicit none\n  integer :: i, n, k, ia(100)\n  integer(8) :: long\n  real(8) :: v, w, d, x(100), y(100)\n\
         real(4) :: single\n  complex(8) :: z, zs(100)\n  logical :: any_of, all_of\n  real(8), target :: t\n  real(8), pointer :: q\n\
         real(8) :: shared, other\n  equivalence (shared, other)\n  real(8), volatile :: vol\n  real(8), external :: f\n\
         do i = 1, 100\n{statements}\nend do\nprint *, v, n, w, single\nend program\n"
    );
    let program = parse_text(Path::new("p.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it is text");
    let body = program.procedure(ProcedureId(0));
    let is_loop = |id: &StatementId| matches!(body.statement(*id).kind, StatementKind::Loop(_));
    let found = body.statements_in_order().into_iter().find(is_loop).expect("the loop");
    let StatementKind::Loop(counted) = &body.statement(found).kind else { panic!("a loop") };
    let effects = effects_of_iteration(&program, ProcedureId(0), found, &counted.body);
    let id = body.symbols.iter().position(|symbol| symbol.name == variable).map(SymbolId).expect("the variable");
    accumulates_in_any_order(&program, body, &effects, id)
}

fn check(cases: &[(&str, &str, bool)]) {
    for (statements, variable, expected) in cases {
        assert_eq!(ask(statements, variable), *expected, "{variable} in\n{statements}");
    }
}

#[test]
fn integers_are_added_up_in_any_order() {
    check(&[
        ("n = n + 1", "n", true),
        ("n = ia(i) + n - 2*ia(101 - i)", "n", true),
        ("n = n - (mod(ia(i), 7) + int(x(i)))", "n", true),
        ("if (x(i) > 0.5d0) n = n + 1", "n", true),
        ("long = long + ia(i)", "long", true),
        ("n = n + 1\nk = n", "n", false),
        ("n = 2*n + ia(i)", "n", false),
        ("n = ia(i) - n", "n", false),
        ("n = n + n", "n", false),
        ("n = n + ia(n)", "n", false),
        ("n = n + x(i)", "n", false),
        ("n = n + ia(i)/2.0", "n", false),
        ("n = n + 1\nn = max(n, 3)", "n", false),
        ("n = ia(i)", "n", false),
    ]);
}

#[test]
fn reals_are_not() {
    check(&[("v = v + x(i)", "v", false), ("v = v + x(i)**2", "v", false), ("v = v * 2.0d0", "v", false)]);
}

#[test]
fn truth_values_are_joined_in_any_order() {
    check(&[
        ("any_of = any_of .or. x(i) > 1.0d0", "any_of", true),
        ("all_of = x(i) > 1.0d0 .and. all_of", "all_of", true),
        ("any_of = any_of .or. x(i) > 1.0d0\nany_of = any_of .and. x(i) < 9.0d0", "any_of", false),
        ("any_of = any_of .neqv. x(i) > 1.0d0", "any_of", false),
        ("any_of = .not. any_of", "any_of", false),
    ]);
}

#[test]
fn the_largest_and_the_smallest_are_the_same_in_any_order() {
    check(&[
        ("v = max(v, abs(x(i) - y(i)))", "v", true),
        ("v = dmax1(dabs(x(i)), v)", "v", true),
        ("v = min(v, x(i)**2, y(i)*y(i) + 1.0d0)", "v", true),
        ("v = max(v, sqrt(x(i)**2 + y(i)**2))", "v", true),
        ("v = max(v, abs(zs(i)))", "v", true),
        ("if (abs(x(i)) > v) v = abs(x(i))", "v", true),
        ("if (v <= abs(x(i))) then\nv = ABS( x(i) )\nend if", "v", true),
        ("d = abs(x(i))\nif (d .gt. v) v = d", "v", true),
        ("single = max(single, abs(real(x(i))))", "single", true),
        ("n = max(n, ia(i))", "n", true),
        ("if (ia(i) < n) n = ia(i)", "n", true),
        ("v = max(v, abs(x(i)))\nif (abs(y(i)) > v) v = abs(y(i))", "v", true),
        ("v = max(v, abs(x(i)))\nv = min(v, abs(y(i)))", "v", false),
        // The other one is the smallest.
        ("v = max(v, abs(x(i)))\nif (abs(y(i)) < v) v = abs(y(i))", "v", false),
        // Nothing else may be stored, or happen.
        ("if (abs(x(i)) > v) v = abs(y(i))", "v", false),
        ("if (abs(x(i)) > v) v = abs(x(i)) + 0.5d0", "v", false),
        ("if (abs(x(i)) > 1.0d0) v = abs(x(1))", "v", false),
        ("if (abs(x(i)) > v) then\nv = abs(x(i))\nk = i\nend if", "v", false),
        ("if (abs(x(i)) > v) then\nv = abs(x(i))\nelse\nv = 0.0d0\nend if", "v", false),
        ("if (abs(x(i)) > v) v = abs(x(i))\nw = v", "v", false),
        ("v = max(v, v + 1.0d0)", "v", false),
        ("v = max(v, v)", "v", false),
        ("v = max(v, abs(f(x(i))))", "v", false),
    ]);
}

#[test]
fn zeros_have_signs() {
    check(&[
        ("v = max(v, x(i))", "v", false),
        ("if (x(i) > v) v = x(i)", "v", false),
        ("v = max(v, -abs(x(i)))", "v", false),
        ("v = max(v, abs(x(i))*y(i))", "v", false),
        ("v = max(v, x(i)*y(i))", "v", false),
        ("v = max(v, abs(x(i)) - abs(y(i)))", "v", false),
        ("v = max(v, x(i)**3)", "v", false),
        ("v = max(v, sqrt(x(i)))", "v", false),
        ("d = x(i)\nif (d > v) v = d", "v", false),
        ("if (d > v) v = d\nd = abs(x(i))", "v", false),
        ("if (x(i) > 0) d = abs(x(i))\nif (d > v) v = d", "v", false),
        ("d = abs(x(i))\nd = -d\nif (d > v) v = d", "v", false),
        ("d = d + abs(x(i))\nif (d > v) v = d", "v", false),
        // Parts of complex numbers may be anything.
        ("d = z**2\nif (d > v) v = d", "v", false),
        ("v = max(v, dble(zs(i)*zs(i)))", "v", false),
        ("d = (-0.0d0, 1.0d0)\nif (d > v) v = d", "v", false),
    ]);
}

#[test]
fn what_has_other_names_is_left_alone() {
    check(&[
        ("shared = max(shared, abs(x(i)))", "shared", true),
        ("shared = max(shared, abs(x(i)))\nother = 0.0d0", "shared", false),
        ("t = max(t, abs(x(i)))\nq = 1.0d0", "t", false),
        ("q = max(q, abs(x(i)))", "q", true),
        ("q = max(q, abs(x(i)))\nt = 1.0d0", "q", false),
        ("vol = max(vol, abs(x(i)))", "vol", false),
        ("n = n + ia(i)\nread (*, *) n", "n", false),
    ]);
}
