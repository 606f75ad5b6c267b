//! Match classes of small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// The lines of the members of each class.
fn classes(text: &str) -> Vec<Vec<usize>> {
    let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).expect("it is text");
    let facts = Facts::new(&program);
    let line = |site: &SiteId| program.line(program.procedure(site.procedure).statement(site.statement).span);
    match_classes(&facts).iter().map(|class| class.members.iter().map(line).collect()).collect()
}

const DECLARATIONS: &str = "use mpi\nreal :: a(9), b(9)\ninteger :: r, q, ierr, s(mpi_status_size)\n";

const BODY: &str = "call mpi_recv_init(a, 9, mpi_real, 1, 1, mpi_comm_world, r, ierr)\n\
    call mpi_start(r, ierr)\n\
    call mpi_send(b, 9, mpi_real, 1, 1, mpi_comm_world, ierr)\n\
    call mpi_wait(r, s, ierr)\n\
    call mpi_request_free(r, ierr)\n\
    call mpi_send(b, 9, mpi_real, 1, 2, mpi_comm_world, ierr)\n\
    call mpi_recv(b, 9, mpi_real, 1, 2, mpi_comm_world, s, ierr)\nend\n";

#[test]
fn persistent_operations_are_with_what_they_could_meet() {
    let text = format!("program p\n{DECLARATIONS}{BODY}");
    assert_eq!(classes(&text), [vec![5, 6, 7, 8, 9], vec![10, 11]]);
}

#[test]
fn a_start_of_what_is_not_seen_may_meet_anything() {
    // Nothing is known of who calls it, nor of what the request stands for.
    let text = format!("subroutine p(q)\n{DECLARATIONS}call mpi_start(q, ierr)\n{BODY}");
    assert_eq!(classes(&text).len(), 1);
    // Whatever else is called takes part by itself.
    let text = format!("program p\n{DECLARATIONS}call other(r)\n{BODY}");
    assert_eq!(classes(&text).len(), 1);
}

#[test]
fn operations_of_one_variable_are_together() {
    let text =
        format!("program p\n{DECLARATIONS}call mpi_isend(a, 9, mpi_real, 1, 2, mpi_comm_world, r, ierr)\n{BODY}");
    assert_eq!(classes(&text), [vec![5, 6, 7, 8, 9, 10, 11, 12]]);
}
