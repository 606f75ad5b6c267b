//! Requests that are handed down, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// The places of all requests of a program whose subroutine `solve` has these statements, with more procedures.
fn places(statements: &str, more: &str) -> BTreeSet<String> {
    let text = format!(
        "program main\nuse mpi\ncall solve\nend program\n\
         subroutine solve\nuse mpi\ninteger :: r, other, ierr\n{statements}\n\
         call mpi_wait(r, mpi_status_ignore, ierr)\nend subroutine\n\
         subroutine begin(request)\nuse mpi\ninteger :: request, ierr\nreal :: a(4)\ncommon /c/ a\n\
         call mpi_irecv(a, 4, mpi_real, 1, 2, mpi_comm_world, request, ierr)\nend subroutine\n{more}\n"
    );
    let options = FrontendOptions::default();
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &options).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let Some(found) = with_handed_requests(Outside { program: &program, is_closed: false }) else {
        return BTreeSet::new();
    };
    found.procedures().flat_map(|(_, procedure)| named(procedure)).collect()
}

/// The names of a procedure that have a place, with the variable that they are.
fn named(procedure: &Procedure) -> Vec<String> {
    let symbols = procedure.symbols.iter().filter_map(|symbol| {
        let Place::Handed { owner, variable } = symbol.place.as_ref()? else { panic!("{symbol:?} is not handed") };
        Some(format!("{}.{} handed:{owner}:{variable}", procedure.name, symbol.name))
    });
    symbols.collect()
}

#[test]
fn one_variable_for_all_calls_is_followed() {
    let one = ["begin.request handed:solve:r", "solve.r handed:solve:r"];
    assert!(places("call begin(r)\ncall begin(r)", "").iter().eq(one));
    let through = "subroutine through(q)\ninteger :: q\ncall begin(q)\nend subroutine";
    let all = ["begin.request handed:solve:r", "solve.r handed:solve:r", "through.q handed:solve:r"];
    assert!(places("call through(r)", through).iter().eq(all));
}

#[test]
fn anything_else_is_not() {
    assert!(places("call begin(r)\ncall begin(other)", "").is_empty());
    assert!(places("call begin(r)\ncall elsewhere()", "").is_empty());
    assert!(places("call begin((r))", "").is_empty());
    assert!(
        places("call begin(r)\ncall apply(begin)", "subroutine apply(f)\nexternal f\ncall f(1)\nend subroutine")
            .is_empty()
    );
    assert!(places("call begin(r)\ncall again", "subroutine again\ncall solve\nend subroutine").is_empty());
    let other_owner = "subroutine second\ninteger :: r\ncall begin(r)\nend subroutine";
    assert!(places("call begin(r)\ncall second", other_owner).is_empty());
}

/// The places of a program in which an array, declared so by its owner, is handed to a dummy argument, declared so.
fn places_of_arrays(owner: &str, dummy: &str, actual: &str, more: &str) -> BTreeSet<String> {
    let begin = format!(
        "subroutine begin_all(q, n)\nuse mpi\ninteger :: n, ierr\ninteger, intent(inout) :: {dummy}\nreal :: a(4)\n\
         common /c/ a\n{more}\ncall mpi_irecv(a, 4, mpi_real, 1, 2, mpi_comm_world, q(1), ierr)\nend subroutine"
    );
    places(&format!("integer :: {owner}\ncall begin_all({actual}, 3)\ncall begin(r)"), &begin)
        .into_iter()
        .filter(|place| place.starts_with("begin_all"))
        .collect()
}

#[test]
fn arrays_with_the_same_subscripts_are_followed() {
    let followed = |owner: &str, dummy: &str, more: &str| {
        places_of_arrays(owner, dummy, "all", more).iter().eq(["begin_all.q handed:solve:all"])
    };
    let clears = "q = mpi_request_null";
    for dummy in ["q(4)", "q(1:4)", "q(:)", "q(n)", "q(*)", "q(3)"] {
        assert!(followed("all(4)", dummy, ""), "{dummy}");
    }
    assert!(followed("all(2:5)", "q(2:*)", "") && followed("all(0:3)", "q(0:3)", clears));
    assert!(followed("all(4)", "q(4)", clears) && followed("all(4)", "q(:)", clears));
    // Another element, or other elements, would be meant.
    for dummy in ["q(0:3)", "q(0:)", "q(2:5)", "q(2, 2)"] {
        assert!(!followed("all(4)", dummy, ""), "{dummy}");
    }
    assert!(!followed("all(0:3)", "q(4)", "") && !followed("all(0:3)", "q(:)", ""));
    assert!(!followed("all(4)", "q(3)", clears) && !followed("all(4)", "q(n)", clears));
    for clears in ["q(:) = mpi_request_null", "q(2:) = mpi_request_null"] {
        assert!(!followed("all(4)", "q(3)", clears) && followed("all(4)", "q(4)", clears), "{clears}");
    }
    assert!(followed("all(4)", "q(3)", "q(2:3) = mpi_request_null"));
    assert!(!followed("all(n)", "q(*)", "") && !followed("all(2, 2)", "q(*)", ""));
    assert!(places_of_arrays("all(4)", "q(4)", "all(1:4)", "").is_empty());
    assert!(places_of_arrays("all(4)", "q(3)", "all(2)", "").is_empty());
}

/// The places in a main program with these statements and a procedure inside it with these.
fn places_inside(declarations: &str, statements: &str, inside: &str) -> BTreeSet<String> {
    let text = format!(
        "program main\nuse mpi\ninteger :: {declarations}, ierr\nreal :: a(4)\n{statements}\ncontains\n\
         subroutine exchange\n{inside}\nend subroutine\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let found = with_handed_requests(Outside { program: &program, is_closed: false });
    let procedures = found.iter().flat_map(|found| &found.procedures);
    procedures.flat_map(|procedure| named(procedure)).collect()
}

#[test]
fn a_variable_of_the_host_is_one_variable() {
    let post = "call mpi_irecv(a, 4, mpi_real, 1, 2, mpi_comm_world, r(1), ierr)";
    let wait = "call mpi_wait(r(1), mpi_status_ignore, ierr)";
    let both = ["exchange.r handed:main:r", "main.r handed:main:r"];
    assert!(places_inside("r(2)", "call exchange", &format!("{post}\n{wait}")).iter().eq(both));
    assert!(places_inside("r(2)", &format!("{post}\ncall exchange"), wait).iter().eq(both));
    // Every name counts, whatever it is used for.
    assert!(places_inside("r(2)", &format!("{post}\n{wait}\ncall exchange"), "print *, r").iter().eq(both));
    assert!(places_inside("r(2)", &format!("{post}\n{wait}"), "integer :: r(2)\nr = 1").is_empty());
    assert!(places_inside("r(2)", "r = 1", "print *, r").is_empty());
    assert!(places_inside("r(2) = 7", "call exchange", &format!("{post}\n{wait}")).is_empty());
}
