//! Which codes may be looked at, in small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Operation, ProcedureId, Program};

/// May something look at the code of the first receive of the program?
fn is_looked_at(text: String) -> bool {
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::new(&program);
    code_looked_at(&facts, receive(&program)).is_some()
}

fn receive(program: &Program) -> SiteId {
    let found = program.procedures().find_map(|(procedure, body)| {
        let is_receive = |id: &StatementId| match &body.statement(*id).kind {
            StatementKind::Communication(call) => matches!(call.operation, Operation::Receive { .. }),
            _ => false,
        };
        body.statements_in_order().into_iter().find(is_receive).map(|statement| SiteId { procedure, statement })
    });
    let _: Option<ProcedureId> = found.map(|site| site.procedure);
    found.expect("there is one")
}

const RECEIVE: &str = "call mpi_recv(a, 9, mpi_real, 0, 1, mpi_comm_world, status, ierr)\n";
const NEXT: &str = "call mpi_barrier(mpi_comm_world, ierr)\n";

fn main_with(statements: &str) -> String {
    format!(
        "module m\ninteger :: shared\ncontains\nsubroutine look(code)\ninteger, intent(in) :: code\nprint *, code\n\
         end subroutine\nsubroutine keep(code)\ninteger, intent(out) :: code\ncode = 0\nend subroutine\nend module\n\
         program main\nuse mpi\nuse m\nimplicit none\ninteger :: ierr, other, i, status(mpi_status_size)\nreal :: a(9)\n\
         logical :: happy\n{statements}end program\n"
    )
}

#[test]
fn codes_that_nobody_looks_at() {
    let unused = [
        RECEIVE.to_owned(),
        format!("{RECEIVE}{NEXT}print *, ierr\n"),
        format!("{RECEIVE}a = a + 1\nother = 1\nprint *, a\n{NEXT}if (ierr /= 0) stop 1\n"),
        format!("{RECEIVE}ierr = 0\nprint *, ierr\n"),
        format!("do i = 1, 9\n{RECEIVE}a = 2 * a\nend do\n"),
        format!("do i = 1, 9\n{NEXT}if (ierr /= 0) stop 1\n{RECEIVE}a = 2 * a\nend do\n{NEXT}print *, ierr\n"),
        format!("if (happy) then\n{RECEIVE}end if\n{NEXT}print *, ierr\n"),
        format!("{RECEIVE}if (happy) then\n{NEXT}else\nierr = 1\nend if\nprint *, ierr\n"),
        format!("{RECEIVE}if (happy) stop\n{NEXT}print *, ierr\n"),
        format!("{RECEIVE}call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)\nprint *, ierr\n"),
    ];
    for statements in unused {
        assert!(!is_looked_at(main_with(&statements)), "{statements}");
    }
}

#[test]
fn codes_that_something_may_look_at() {
    let used = [
        format!("{RECEIVE}print *, ierr\n"),
        format!("{RECEIVE}if (ierr /= mpi_success) stop 1\n"),
        format!("{RECEIVE}a = 1\nother = ierr\n{NEXT}"),
        format!("{RECEIVE}call look(ierr)\n"),
        format!("{RECEIVE}call mpi_error_class(ierr, other, ierr)\n"),
        format!("{RECEIVE}if (happy) {NEXT}print *, ierr\n"),
        format!("{RECEIVE}do i = 1, 9\n{NEXT}end do\nprint *, ierr\n"),
        format!("do i = 1, 9\nprint *, ierr\n{RECEIVE}end do\n"),
        format!("do while (ierr == 0)\n{RECEIVE}end do\n"),
        format!("do i = 1, 9\n{RECEIVE}if (happy) exit\n{NEXT}end do\nprint *, ierr\n"),
        format!("{RECEIVE}call elsewhere()\n{NEXT}"),
        format!("10 {RECEIVE}if (happy) goto 10\n{NEXT}"),
        format!("{RECEIVE}call mpi_bcast(ierr, 1, mpi_integer, 0, mpi_comm_world, other)\n{NEXT}"),
        RECEIVE.replace("ierr", "status(1)"),
    ];
    for statements in used {
        assert!(is_looked_at(main_with(&statements)), "{statements}");
    }
}

#[test]
fn codes_that_outlive_a_procedure() {
    let procedure = |declaration: &str, arguments: &str, rest: &str| {
        format!(
            "module m\ninteger :: shared\ncontains\nsubroutine exchange({arguments})\nuse mpi\n{declaration}\n\
             integer :: status(mpi_status_size)\nreal :: a(9)\n{RECEIVE}{rest}end subroutine\nend module\nprogram main\nuse m\n\
             end program\n"
        )
    };
    assert!(!is_looked_at(procedure("integer :: ierr", "", "")));
    assert!(!is_looked_at(procedure(
        "integer :: ierr",
        "",
        "if (a(1) > 0) return\ncall mpi_barrier(mpi_comm_world, ierr)\nprint *, ierr\n"
    )));
    assert!(is_looked_at(procedure("integer, save :: ierr", "", "")));
    assert!(is_looked_at(procedure("integer, intent(out) :: ierr", "ierr", "")));
    assert!(!is_looked_at(procedure("integer, intent(out) :: ierr", "ierr", NEXT)));
    assert!(is_looked_at(procedure("integer, intent(out) :: ierr", "ierr", &format!("if (a(1) > 0) return\n{NEXT}"))));
    assert!(is_looked_at(procedure("", "", "").replace(", ierr)", ", shared)")));
    let inner = "call inner\ncall mpi_barrier(mpi_comm_world, ierr)\ncontains\nsubroutine inner\nprint *, ierr\nend subroutine\n";
    assert!(is_looked_at(procedure("integer :: ierr", "", inner)));
}
