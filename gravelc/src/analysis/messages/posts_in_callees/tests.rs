//! Requests that called procedures hand back, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// How many posts of called procedures the variable `r` of `swap` holds, which has this declaration and these statements; `None`: not all
/// are known.
fn posts(declaration: &str, statements: &str) -> Option<usize> {
    let text = format!(
        "module m\nuse mpi\nimplicit none\nreal :: a(10), b(10)\ninteger :: code, kept\ncontains\n\
         subroutine swap()\n{declaration}integer :: k\nk = 0\n{statements}end subroutine\n\
         subroutine talk(p, q)\ninteger :: p, q\ncall mpi_isend(a, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\n\
         call mpi_irecv(b, 10, mpi_real, 1, 1, mpi_comm_world, q, code)\nend subroutine\n\
         subroutine swapped(p)\ninteger :: p\ninteger :: new\nnew = kept\n\
         call mpi_irecv(b, 10, mpi_real, 1, 1, mpi_comm_world, kept, code)\np = new\nend subroutine\n\
         subroutine over(p)\ninteger :: p\ncall mpi_irecv(b, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\n\
         call mpi_wait(p, mpi_status_ignore, code)\nend subroutine\n\
         subroutine aimed(p)\ninteger, target :: p\ncall mpi_irecv(b, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\nend subroutine\n\
         end module\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::new(&program);
    let (procedure, body) = program.procedures().find(|(_, procedure)| procedure.name == "swap").unwrap();
    posts_handed_back(&facts, procedure, body.find_symbol("r").unwrap()).ok().map(|found| found.len())
}

const OWN: &str = "integer :: r(4)\n";

#[test]
fn requests_of_one_run() {
    assert_eq!(
        posts(OWN, "call talk(r(k + 1), r(k + 2))\ncall mpi_waitall(2, r, mpi_statuses_ignore, code)\n"),
        Some(2)
    );
    assert_eq!(posts(OWN, "r = mpi_request_null\nif (k > 0) call talk(r(1), r(2))\ncall talk(r(3), r(4))\n"), Some(4));
    let own = "r = 0\ncall mpi_irecv(b, 10, mpi_real, 1, 1, mpi_comm_world, r(1), code)\ncall talk(r(3), r(4))\nk = size(r)\n";
    assert_eq!(posts(OWN, own), Some(2));
}

#[test]
fn requests_from_elsewhere() {
    let talk = "call talk(r(1), r(2))\n";
    assert_eq!(posts("integer, save :: r(4)\n", talk), None);
    assert_eq!(posts("integer, target :: r(4)\n", talk), None);
    assert_eq!(posts(OWN, &format!("{talk}r(3) = kept\n")), None);
    assert_eq!(posts(OWN, &format!("{talk}kept = r(1)\n")), None);
    assert_eq!(posts(OWN, "call swapped(r(1))\n"), None);
    assert_eq!(posts(OWN, "call over(r(1))\n"), None);
    assert_eq!(posts(OWN, "call aimed(r(1))\n"), None);
    assert_eq!(posts(OWN, "call unknown(r(1))\n"), None);
    assert_eq!(posts(OWN, "call talk(r(1:1), r(2))\n"), None);
    assert_eq!(posts(OWN, "call talk(r(r(1)), r(2))\n"), None);
}
