//! Waits for requests that outlive a run of their procedure, and for requests of several operations, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

/// What becomes of the wait in the subroutine `half`, in which the request is declared so: the code of the reason why its class
/// is kept, or why the wait stays; `sunk`, or `stays` where nothing is said.
fn wait_of(request: &str, buffer: &str, statements: &str) -> String {
    let text = format!(
        "module halves\nuse mpi\nimplicit none\nreal :: first(900)\ncontains\n\
         subroutine half(u, is_first)\nreal :: u(900), w(900)\ninteger :: i, ierr\nlogical :: is_first\n\
         {request}\n{}\nend subroutine\nend module\n\
         program main\nuse halves\nreal :: second(900), s(900)\ninteger :: ierr\ncall mpi_init(ierr)\n\
         call half(first, .true.)\ncall mpi_send(s, 900, mpi_real, 0, 1, mpi_comm_world, ierr)\n\
         call half(second, .false.)\nprint *, first, second\ncall mpi_finalize(ierr)\nend program\n",
        statements.replace("BUFFER", buffer)
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    let decision = plan.decisions.iter().find(|decision| decision.site.routine == "mpi_wait").expect("it is a site");
    match &decision.outcome {
        Outcome::Transformed { actions, .. }
            if actions.iter().any(|action| action.transformation == Transformation::SinkWait) =>
        {
            "sunk".to_owned()
        }
        Outcome::Transformed { missed, .. } => {
            let reason = missed.iter().find(|missed| missed.transformation == Transformation::SinkWait);
            reason.map_or("stays", |missed| missed.reason.code.code()).to_owned()
        }
        Outcome::Kept { reason, .. } => reason.code.code().to_owned(),
    }
}

const POST: &str = "call mpi_irecv(BUFFER, 900, mpi_real, 0, 1, mpi_comm_world, r, ierr)\n";
const WAIT: &str = "call mpi_wait(r, mpi_status_ignore, ierr)\n";
const WORK: &str = "do i = 1, 900\nw(i) = sqrt(real(i))\nend do\n";

#[test]
fn the_buffer_of_an_earlier_run_may_be_another_one() {
    let split = format!("if (is_first) then\n{POST}else\n{WAIT}{WORK}end if");
    for saved in ["integer, save :: r", "integer :: r\nsave", "integer :: r = mpi_request_null"] {
        assert_eq!(wait_of(saved, "u", &split), "request-shared", "{saved}");
        // A variable of the module is the same one in every run.
        assert_eq!(wait_of(saved, "first", &split), "sunk", "{saved}");
    }
    assert_eq!(wait_of("integer :: r\ndata r /mpi_request_null/", "first", &split), "sunk");
    // What is posted right above is of this run.
    let together = format!("{POST}{WAIT}{WORK}");
    assert_eq!(wait_of("integer, save :: r", "u", &together), "sunk");
}

#[test]
fn other_values_from_the_beginning_are_not_followed() {
    let together = format!("{POST}{WAIT}{WORK}");
    for other in ["integer :: r = 7", "integer :: r\ndata r /7/"] {
        assert_eq!(wait_of(other, "first", &together), "request-escapes", "{other}");
    }
}

#[test]
fn a_wait_for_either_of_two_operations_stays() {
    let either = format!("if (is_first) then\n{POST}else\n{}end if\n{WAIT}{WORK}", POST.replace("BUFFER", "w"));
    assert_eq!(wait_of("integer :: r", "u", &either), "request-shared");
    let other = POST.replace("BUFFER", "first");
    assert_eq!(wait_of("integer :: r", "u", &format!("{other}{WAIT}{POST}{WAIT}{WORK}")), "arguments-share-memory");
}
