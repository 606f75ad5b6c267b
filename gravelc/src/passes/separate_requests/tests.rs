//! Request variables that serve one operation after the other, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// For each post and wait of the main program with these statements: the name of its request.
fn requests(statements: &str) -> Vec<String> {
    let text = format!(
        "module objects\nuse mpi\ntype halo\ninteger :: r, s(4)\nend type\ncontains\nsubroutine touch(x)\ninteger x\n\
         x = 0\nend subroutine\nend module\nprogram main\nuse objects\ntype(halo) :: h\n\
         integer :: request, other, k, ierr, code(4)\nreal :: a(9), b(9)\n{statements}\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let program = with_separate_requests(&program).unwrap_or(program);
    let main = program.procedures.iter().find(|procedure| procedure.name == "main").unwrap();
    let name = |request: &Expression| match &request.kind {
        ExpressionKind::Symbol(symbol) => main.symbol(*symbol).name.clone(),
        _ => program.text(request.span),
    };
    let found = main.statements_in_order().into_iter().filter_map(|id| match &main.statement(id).kind {
        StatementKind::Communication(found) => found.request().map(name),
        _ => None,
    });
    found.collect()
}

fn receive(request: &str) -> String {
    format!("call mpi_irecv(b, 9, mpi_real, 0, 1, mpi_comm_world, {request}, ierr)\n")
}

const SEND: &str = "call mpi_isend(a, 9, mpi_real, 0, 1, mpi_comm_world, request, ierr)\n";
const WAIT: &str = "call mpi_wait(request, mpi_status_ignore, ierr)\n";

#[test]
fn each_post_and_its_wait_get_a_variable() {
    let receive = receive("request");
    let statements = format!("{receive}k = 1\n{WAIT}if (k > 0) then\n{SEND}{WAIT}end if\n{SEND}{WAIT}");
    assert_eq!(requests(&statements), ["request", "request", "request_2", "request_2", "request_3", "request_3"]);
    // A null request before and behind says nothing.
    let statements = format!("request = mpi_request_null\n{receive}{WAIT}{SEND}{WAIT}request = mpi_request_null\n");
    assert_eq!(requests(&statements), ["request", "request", "request_2", "request_2"]);
    // One use needs no other variable.
    assert_eq!(requests(&format!("{receive}{WAIT}")), ["request", "request"]);
}

#[test]
fn what_else_asks_for_the_variable_keeps_it_in_one() {
    let receive = receive("request");
    let one = |statements: &str| {
        let found = requests(statements);
        assert!(found.iter().all(|name| name == "request"), "{statements}: {found:?}");
    };
    for more in [
        "call mpi_wait(request, mpi_status_ignore, ierr)",
        "if (request == mpi_request_null) k = 1",
        "call touch(request)",
        "other = request",
        "print *, request",
        "call mpi_test(request, l, mpi_status_ignore, ierr)",
    ] {
        one(&format!("{receive}{WAIT}{SEND}{WAIT}{more}\n"));
        one(&format!("{receive}{more}\n{WAIT}{SEND}{WAIT}"));
    }
    // The wait may be another post's.
    one(&format!("{receive}if (k > 0) then\n{WAIT}end if\n{SEND}{WAIT}"));
    one(&format!("if (k > 0) then\n{receive}end if\n{WAIT}{SEND}{WAIT}"));
    one(&format!("{receive}{SEND}{WAIT}{WAIT}"));
    // Control comes to the wait past the post.
    one(&format!("if (k > 0) goto 10\n{receive}10 continue\n{WAIT}{SEND}{WAIT}"));
}

#[test]
fn an_operation_whose_request_is_stored_elsewhere_keeps_the_variable() {
    let receive = receive("request");
    let others = format!("{SEND}{WAIT}{receive}{WAIT}");
    let stored = format!("{receive}h%r = request\n{others}");
    assert_eq!(requests(&stored), ["request", "request_2", "request_2", "request_3", "request_3"]);
    // One that is waited for, too: the request is the program's to the end.
    let twice = format!("{receive}h%r = request\n{WAIT}{others}");
    assert!(requests(&twice).iter().all(|name| name == "request"));
}
