//! Which checks do nothing, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

const PROCEDURES: &str = "module checks\nuse mpi\ncontains\n\
    subroutine check(code, text)\ninteger, intent(in) :: code\ncharacter(*), intent(in) :: text\n\
    if (code /= mpi_success) then\nprint *, text, code\nstop\nend if\nend subroutine\n\
    subroutine check_early(code)\ninteger :: code\nif (code == 0) return\nprint *, code\nstop\nend subroutine\n\
    subroutine check_flag(failed)\nlogical :: failed\nif (failed) stop\nend subroutine\n\
    subroutine talk(code)\ninteger :: code\nprint *, 'code'\nif (code /= 0) stop\nend subroutine\nend module\n";

/// How many statements of a program with these ones are left of those that stop it or print, outside of procedures, and how many
/// calls of its procedures.
fn left(statements: &str) -> (usize, usize) {
    left_in(statements, "")
}

fn left_in(statements: &str, more: &str) -> (usize, usize) {
    let text = format!(
        "{PROCEDURES}program main\nuse checks\nimplicit none\ninteger :: ierr, other, i, rank, handler\nreal :: a(9)\n\
         logical :: happy\n{statements}end program\n{more}"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let changed = with_idle_error_checks(Outside { program: &program, is_closed: false });
    let main = changed.as_ref().unwrap_or(&program).procedures.iter().find(|it| it.kind == ProcedureKind::Main);
    let main = main.expect("it is given");
    let kinds: Vec<_> = main.statements_in_order().into_iter().map(|id| &main.statement(id).kind).collect();
    let ends = |kind: &&&StatementKind| matches!(kind, StatementKind::Stop | StatementKind::InputOutput { .. });
    let calls = |kind: &&&StatementKind| matches!(kind, StatementKind::Call { .. });
    (kinds.iter().filter(ends).count(), kinds.iter().filter(calls).count())
}

const SEND: &str = "call mpi_send(a, 9, mpi_real, 1, 1, mpi_comm_world, ierr)\n";

#[test]
fn the_forms_of_checks() {
    let checks = [
        "if (ierr /= mpi_success) stop\n",
        "if (ierr .ne. 0) print *, 'error'\n",
        "if (0 /= (ierr)) then\nprint *, ierr\nstop\nend if\n",
        "if (ierr < 0) stop\nif (ierr > mpi_success) stop\n",
        "if (.not. (ierr == mpi_success)) stop\n",
        "if (happy .and. ierr /= 0) stop\n",
        "if (ierr == 0) then\ni = 1\nelse\nstop\nend if\n",
        "if (happy) then\nif (ierr /= 0) stop\nend if\n",
        "call check(ierr, 'send')\n",
        "call check(ierr, 'send')\ncall check_early(ierr)\nif (ierr /= 0) stop\n",
        "call check_flag(ierr /= 0)\n",
    ];
    for check in checks {
        assert_eq!(left(&format!("{SEND}{check}")), (0, 0), "{check}");
    }
}

#[test]
fn what_may_find_something_stays() {
    let stays = [
        ("if (ierr == 0) stop\n", (1, 0)),
        ("if (other /= 0) stop\n", (1, 0)),
        ("if (ierr /= 1) stop\n", (1, 0)),
        ("if (happy .or. ierr /= 0) stop\n", (1, 0)),
        ("call talk(ierr)\n", (0, 1)),
        ("call check(other, 'other')\n", (0, 1)),
        ("ierr = 1\nif (ierr /= 0) stop\n", (1, 0)),
        ("if (happy) ierr = 1\ncall check(ierr, 'send')\n", (0, 1)),
        ("do i = 1, 2\nif (ierr /= 0) stop\nierr = 1\nend do\n", (1, 0)),
        ("10 if (ierr /= 0) stop\nierr = 1\nif (happy) goto 10\n", (1, 0)),
        ("call mpi_file_delete('file', mpi_info_null, ierr)\nif (ierr /= 0) stop\n", (1, 0)),
    ];
    for (check, expected) in stays {
        assert_eq!(left(&format!("{SEND}{check}")), expected, "{check}");
    }
}

#[test]
fn where_errors_may_be_returned_all_checks_stay() {
    let check = "if (ierr /= 0) stop\n";
    let handler = "call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, other)\n";
    assert_eq!(left(&format!("{handler}{SEND}{check}")), (1, 0));
    assert_eq!(left(&format!("call elsewhere(a)\n{SEND}{check}")), (1, 1));
    let unused = format!("subroutine set\nuse mpi\ninteger :: other\n{handler}end subroutine\n");
    assert_eq!(left_in(&format!("{SEND}{check}"), &unused), (1, 0));
}
