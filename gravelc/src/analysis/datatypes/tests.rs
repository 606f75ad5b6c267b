//! Datatypes in variables, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// The size of the elements of the send in a subroutine that uses `dp_type` of a COMMON block, whose main program has
/// these statements.
fn sent(statements: &str, more: &str) -> Option<u32> {
    let text = format!(
        "program main\nuse mpi\ninteger :: dp_type, ierr\ncommon /types/ dp_type\n{statements}\ncall s\nend program\n\
         subroutine s\nuse mpi\ninteger :: dp_type, ierr\nreal(8) :: a(4)\ncommon /types/ dp_type\n\
         call mpi_send(a, 4, dp_type, 1, 2, mpi_comm_world, ierr)\nend subroutine\n{more}\n"
    );
    let options = FrontendOptions::default();
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &options).unwrap();
    let resolved = with_known_datatypes(Outside { program: &program, is_closed: false })?;
    let mut statements = resolved.procedures.iter().flat_map(|procedure| &procedure.statements);
    statements.find_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => communication.sent()?.datatype.predefined?.bytes,
        _ => None,
    })
}

#[test]
fn one_datatype_in_a_variable_is_that_datatype() {
    assert_eq!(sent("dp_type = mpi_double_precision", ""), Some(8));
    assert_eq!(
        sent("if (ierr > 0) then\ndp_type = mpi_double_precision\nelse\ndp_type = mpi_real8\nend if", ""),
        Some(8)
    );
}

#[test]
fn what_may_be_several_stays_open() {
    assert_eq!(sent("dp_type = mpi_double_precision\nif (ierr > 0) dp_type = mpi_real", ""), None);
    let vector = "call mpi_type_vector(2, 1, 2, mpi_double_precision, dp_type, ierr)";
    assert_eq!(sent(&format!("dp_type = mpi_double_precision\nif (ierr > 0) {vector}"), ""), None);
    assert_eq!(sent("dp_type = mpi_double_precision\ncall elsewhere", ""), None);
    let other = "subroutine t\nreal :: dp_type\ncommon /types/ dp_type\ndp_type = 1\nend subroutine";
    assert_eq!(sent("dp_type = mpi_double_precision", other), None);
}
