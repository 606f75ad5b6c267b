//! Handlers of files, in small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// What an operation on a file is in a main program that makes a handler, with these statements; the handler does these, and there are
/// these procedures besides.
fn writing(statements: &str, handling: &str, more: &str) -> Option<&'static str> {
    let text = format!(
        "module handlers\nuse mpi\nimplicit none\ninteger :: failed\ncontains\n\
         subroutine handle(file, code)\ninteger :: file, code, ierr\n{handling}\nend subroutine\n{more}\nend module\n\
         program main\nuse handlers\nimplicit none\ninteger :: ierr, handler, file, request\nreal :: a(9)\n\
         call mpi_file_create_errhandler(handle, handler, ierr)\n{statements}\n\
         call mpi_file_write(file, a, 9, mpi_real, mpi_status_ignore, ierr)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let program = with_file_error_handlers(Outside { program: &program, is_closed: true })?;
    let main = program.procedures.iter().find(|body| body.name == "main").unwrap();
    let calls = || main.statements.iter().filter_map(|statement| communication(&statement.kind));
    let made = calls().find(|call| call.routine == "mpi_file_create_errhandler").unwrap();
    assert!(matches!(&made.operation, Operation::Other { error_handling: ErrorHandling::Unconcerned, .. }));
    let write = calls().find(|call| call.routine == "mpi_file_write").unwrap();
    match &write.operation {
        Operation::Other { participation: Participation::TouchesAnything, .. } => Some("anything"),
        _ => Some("its arguments"),
    }
}

#[test]
fn operations_on_files_run_their_handlers() {
    let prints = "failed = failed + 1\nprint *, code\nif (code > 1) call mpi_abort(mpi_comm_world, 1, ierr)";
    assert_eq!(writing("", prints, ""), Some("anything"));
    let asks = "call mpi_file_get_size(file, size, ierr)\ncall tell(code)";
    let asks = format!("integer(mpi_offset_kind) :: size\n{asks}");
    let tell = "subroutine tell(code)\ninteger :: code\nfailed = code\nend subroutine";
    assert_eq!(writing("call mpi_file_set_errhandler(mpi_file_null, handler, ierr)", &asks, tell), Some("anything"));
}

/// HDF5 may write by MPI, and the handler may be that of all files.
#[test]
fn libraries_that_use_files_may_run_handlers() {
    let written = "subroutine write_it\nuse hdf5\ninteger :: ierr\ncall h5open_f(ierr)\nend subroutine";
    assert_eq!(writing("", "failed = 1", written), None);
    assert_eq!(writing("ierr = nf_close(3)", "failed = 1", "integer function other()\nother = 1\nend function"), None);
}

#[test]
fn handlers_that_communicate_are_any_handlers() {
    let sends = "call mpi_send(code, 1, mpi_integer, 0, 1, mpi_comm_world, ierr)";
    assert_eq!(writing("", sends, ""), None);
    let tell = format!("subroutine tell(code)\ninteger :: code, ierr\n{sends}\nend subroutine");
    assert_eq!(writing("", "call tell(code)", &tell), None);
    assert_eq!(writing("", "call elsewhere(code)", ""), Some("anything"));
    assert_eq!(writing("", "call mpi_comm_call_errhandler(mpi_comm_world, code, ierr)", ""), None);
    assert_eq!(writing("call mpi_file_call_errhandler(file, 3, ierr)", "failed = 1", ""), None);
    assert_eq!(writing("call mpi_file_iwrite(file, a, 9, mpi_real, request, ierr)", "failed = 1", ""), None);
}
