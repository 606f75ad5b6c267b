//! What becomes of errors, by the handlers that small programs set.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Fatal,
    Returned,
    Handled,
}

/// Of a program with these statements and procedures, and whether errors may be returned as far as can be told at first.
fn errors(statements: &str, more: &str) -> (Found, bool) {
    let text = format!(
        "program main\nuse mpi\nimplicit none\ninteger :: ierr, handler, old, comm, code\n\
         integer, parameter :: named = mpi_errors_are_fatal\nexternal :: handle\n{statements}end program\n{more}"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::new(&program);
    let found = match facts.errors() {
        Errors::EndTheProgram => Found::Fatal,
        Errors::MayBeReturned(_) => Found::Returned,
        Errors::AreHandled { .. } => Found::Handled,
    };
    (found, may_be_returned(&program))
}

fn set(handler: &str) -> String {
    format!("call mpi_comm_set_errhandler(mpi_comm_world, {handler}, ierr)\n")
}

#[test]
fn predefined_handlers() {
    assert_eq!(errors("", ""), (Found::Fatal, false));
    assert_eq!(errors(&set("mpi_errors_are_fatal"), ""), (Found::Fatal, false));
    assert_eq!(errors(&set("MPI_ERRORS_ABORT"), ""), (Found::Fatal, false));
    assert_eq!(errors(&set("mpi_errors_return"), ""), (Found::Returned, true));
    let keywords = "call mpi_comm_set_errhandler(errhandler=mpi_errors_are_fatal, comm=comm, ierror=ierr)\n";
    assert_eq!(errors(keywords, ""), (Found::Fatal, false));
    assert_eq!(errors("call mpi_errhandler_set(comm, mpi_errors_return, ierr)\n", ""), (Found::Returned, true));
    let both = set("mpi_errors_return") + &set("mpi_errors_are_fatal");
    assert_eq!(errors(&both, ""), (Found::Returned, true));
}

#[test]
fn handlers_in_variables() {
    let assigned = |value: &str| format!("handler = {value}\n{}", set("handler"));
    assert_eq!(errors(&assigned("mpi_errors_are_fatal"), "").0, Found::Fatal);
    assert_eq!(errors(&assigned("mpi_errors_return"), "").0, Found::Returned);
    let either = format!("handler = mpi_errors_are_fatal\nif (comm > 0) {}", assigned("mpi_errors_return"));
    assert_eq!(errors(&either, "").0, Found::Returned);
    let handed = "subroutine choose(handler)\nuse mpi\ninteger, intent(in) :: handler\ninteger :: ierr\n\
                  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)\nend subroutine\n";
    assert_eq!(errors("call choose(mpi_errors_are_fatal)\n", handed).0, Found::Fatal);
    assert_eq!(errors("call choose(mpi_errors_return)\n", handed).0, Found::Returned);
    // What it was before: one of MPI's own, unless somebody else has made one.
    let restored = format!("call mpi_comm_get_errhandler(comm, old, ierr)\n{}", set("old"));
    assert_eq!(errors(&restored, "").0, Found::Returned);
    assert_eq!(errors(&format!("call elsewhere(comm)\n{restored}"), "").0, Found::Handled);
}

#[test]
fn handlers_of_the_programs_own() {
    let handle = "subroutine handle(comm, code)\ninteger :: comm, code\nend subroutine\n";
    let made = format!("call mpi_comm_create_errhandler(handle, handler, ierr)\n{}", set("handler"));
    assert_eq!(errors(&made, handle), (Found::Handled, true));
    assert_eq!(errors("call mpi_errhandler_create(handle, handler, ierr)\n", handle), (Found::Handled, true));
    assert_eq!(errors("call mpi_comm_call_errhandler(comm, code, ierr)\n", ""), (Found::Handled, true));
    // Other arguments than the routine has.
    assert_eq!(errors("call mpi_comm_set_errhandler(comm)\n", ""), (Found::Returned, true));
}
