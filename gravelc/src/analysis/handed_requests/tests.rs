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
    let named = |procedure: &crate::ir::Procedure| -> Vec<String> {
        let symbols = procedure
            .symbols
            .iter()
            .filter_map(|symbol| Some(format!("{}.{} {}", procedure.name, symbol.name, symbol.place.as_ref()?)));
        symbols.collect()
    };
    found.procedures().flat_map(|(_, procedure)| named(procedure)).collect()
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
