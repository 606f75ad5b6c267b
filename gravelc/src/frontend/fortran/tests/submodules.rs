//! Separate module procedures and the submodules that hold them.

use super::*;
use crate::ir::{Place, ProcedureKind, Shape, Storage};

/// A module with interface bodies, its submodules, and a caller.
const MODULE: &str = "module m\nimplicit none\nprivate\npublic :: s, f, caller, point\ninteger :: hidden, shared(3)\n\
    type point\ninteger :: x\nend type\n\
    interface\nmodule subroutine s(a, n, p)\ninteger, intent(in) :: n\nreal, intent(inout) :: a(0:n, hidden)\n\
    type(point), intent(in) :: p\nend subroutine\n\
    module function f(x) result(twice)\nreal, intent(in) :: x\nreal :: twice\nend function\nend interface\ncontains\n\
    subroutine caller(a, p)\nreal :: a(*)\ntype(point) :: p\ncall s(a, 3, p)\na(1) = f(a(2))\nend subroutine\nend module\n";

const BODIES: &str = "submodule (m) sm\ncontains\nmodule procedure s\na(n, 1) = p%x + hidden\nend procedure\n\
    module procedure f\ntwice = 2 * x\nend procedure\nend submodule\n";

fn with(bodies: &str) -> String {
    format!("{MODULE}{bodies}")
}

#[test]
fn calls_reach_the_bodies() {
    let text = with(BODIES);
    assert_eq!(statements_of(&text, "caller"), "call s(a, 3, p)\na[1] = p2(a[2])\n");
    assert_eq!(statements_of(&text, "s"), "a[n,1] = (p%x+hidden)\n");
    assert_eq!(statements_of(&text, "f"), "twice = (2*x)\n");
    assert_eq!((obstacle(&text, "s"), obstacle(&text, "f")), (None, None));
    let full = "submodule (m) sm\ncontains\nmodule subroutine s(a, n, p)\ninteger, intent(in) :: n\n\
                real, intent(inout) :: a(0:n, hidden)\ntype(point), intent(in) :: p\nshared(1) = n\nend subroutine\n\
                end submodule\n";
    assert_eq!(statements_of(&with(full), "caller"), "call s(a, 3, p)\na[1] = ?f(a[2])\n");
    assert_eq!(statements_of(&with(full), "s"), "shared[1] = n\n");
}

#[test]
fn the_arguments_are_those_of_the_interface() {
    let program = program(&with(BODIES));
    let s = procedure(&program, "s");
    let names: Vec<&str> = s.dummies.iter().map(|&dummy| s.symbol(dummy).name.as_str()).collect();
    assert_eq!(names, ["a", "n", "p"]);
    assert!(s.dummies.iter().all(|&dummy| s.symbol(dummy).storage == Storage::Dummy));
    let Shape::Array(dimensions) = &s.symbol(s.dummies[0]).shape else { panic!("a is an array") };
    assert_eq!(dimensions.len(), 2);
    assert!(dimensions.iter().all(|dimension| dimension.lower.is_some() && dimension.upper.is_some()));
    assert_eq!(s.evaluated_at_entry.len(), 2, "{:?}", s.evaluated_at_entry);
    assert_eq!(procedure(&program, "f").kind, ProcedureKind::Function);
}

#[test]
fn without_one_body_nothing_is_known() {
    assert_eq!(statements_of(MODULE, "caller"), "call ?s(a, 3, p)\na[1] = ?f(a[2])\n");
    let twice = with(BODIES) + &BODIES.replace("sm", "other");
    assert_eq!(statements_of(&twice, "caller"), "call ?s(a, 3, p)\na[1] = ?f(a[2])\n");
    assert!(statements_of(&twice, "s").contains("opaque"));
    // Its parent could be one of another module, with an interface of its own.
    let orphan = with(BODIES) + &BODIES.replace("(m) sm", "(m:missing) other");
    assert_eq!(statements_of(&orphan, "caller"), "call ?s(a, 3, p)\na[1] = ?f(a[2])\n");
}

#[test]
fn submodules_are_nested() {
    let text = with(
        "submodule (m) outer\ninteger :: own, hidden\ninterface\nmodule subroutine inner(k)\ninteger :: k\n\
         end subroutine\nend interface\nend submodule\n\
         submodule (m:outer) sm\ncontains\nmodule procedure s\ncall inner(n)\nend procedure\n\
         module procedure inner\nown = k\nhidden = k\nshared(1) = k\nend procedure\nend submodule\n",
    );
    assert_eq!(statements_of(&text, "s"), "call inner(n)\n");
    assert_eq!(statements_of(&text, "inner"), "own = k\nhidden = k\nshared[1] = k\n");
    let program = program(&text);
    let inner = procedure(&program, "inner");
    let place = |name: &str| inner.symbol(inner.find_symbol(name).unwrap()).shared_variable().unwrap().to_owned();
    assert_eq!(place("shared"), Place::Module { module: "m".into(), name: "shared".into() });
    assert!(matches!(place("hidden"), Place::Submodule { name, .. } if &*name == "hidden"), "{:?}", place("hidden"));
    // The bound is the module's `hidden`, which means something else where the body stands.
    let s = procedure(&program, "s");
    let Shape::Array(dimensions) = &s.symbol(s.dummies[0]).shape else { panic!("a is an array") };
    assert!(dimensions[0].upper.is_some() && dimensions[1].upper.is_none());
    assert!(s.evaluated_at_entry.iter().any(|part| matches!(part.kind, crate::ir::ExpressionKind::Opaque(_))));
}

#[test]
fn submodules_of_one_name_have_variables_of_their_own() {
    let module = |name: &str| {
        format!(
            "module {name}\ninterface\nmodule subroutine set_{name}\nend subroutine\nend interface\nend module\n\
             submodule ({name}) bodies\ninteger :: own\ncontains\nmodule procedure set_{name}\nown = 1\nend procedure\n\
             end submodule\n"
        )
    };
    let program = program(&(module("one") + &module("two")));
    let place = |name: &str| {
        let body = procedure(&program, name);
        body.symbol(body.find_symbol("own").unwrap()).shared_variable().unwrap().to_owned()
    };
    assert_ne!(place("set_one"), place("set_two"));
}

#[test]
fn a_type_that_means_something_else_leaves_the_body_unread() {
    let text = with(&BODIES.replace("sm\n", "sm\ntype point\nreal :: y\nend type\n"));
    assert!(obstacle(&text, "s").is_some());
    assert_eq!(obstacle(&text, "f"), None);
}
