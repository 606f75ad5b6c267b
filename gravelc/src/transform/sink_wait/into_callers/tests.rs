//! Which waits go behind the calls of their procedures, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

const WORK: &str = "do i = 1, n\nw(i) = w(i) + 1\nend do\n";
const RECEIVE: &str = "call mpi_recv(a, n, mpi_real, 0, 1, mpi_comm_world, mpi_status_ignore, code)\n";

/// Where the wait of the receive in `take(a)` goes, which has these statements, or the code of the reason why it stays; `calls`
/// are the statements of a main program.
fn wait_of(statements: &str, calls: &str) -> String {
    let text = format!(
        "module m\nuse mpi\nimplicit none\ninteger, parameter :: n = 1000\ninteger :: code, other\ncontains\n\
         subroutine take(a)\nreal, intent(inout) :: a(n)\ninteger :: state(mpi_status_size), request\n{statements}end subroutine\n\
         subroutine give(a)\nreal, intent(in) :: a(n)\n\
         call mpi_send(a, n, mpi_real, 1, 1, mpi_comm_world, code)\nend subroutine\n\
         subroutine show(k)\ninteger, intent(in) :: k\nwrite (7, *) k\nend subroutine\nend module\n\
         program main\nuse mpi\nuse m\nimplicit none\nreal :: u(n), v(n), w(n)\ninteger :: i, j\n\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, other, code)\nw = 0\nif (other == 0) call give(w)\n\
         {calls}print *, sum(u) + sum(v) + sum(w)\ncall mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    let is_wait = |routine: &str| routine == "mpi_recv" || routine == "mpi_wait";
    let decision = plan.decisions.iter().find(|decision| is_wait(&decision.site.routine)).expect("it is a site");
    let missed = |missed: &[crate::plan::Missed]| {
        let reason = missed.iter().find(|missed| missed.transformation == Transformation::SinkWait);
        reason.map_or("nothing", |missed| missed.reason.code.code()).to_string()
    };
    match &decision.outcome {
        Outcome::Transformed { actions, missed: reasons, .. } => {
            let sunk = actions.iter().find(|action| action.transformation == Transformation::SinkWait);
            let is_late = sunk.map(|action| action.text.contains("by the caller"));
            is_late.map_or_else(|| missed(reasons), |late| if late { "caller" } else { "own" }.to_string())
        }
        Outcome::Kept { missed: reasons, .. } => missed(reasons),
    }
}

#[test]
fn what_is_waited_for_last_is_waited_for_behind_the_calls() {
    assert_eq!(wait_of(RECEIVE, &format!("if (other > 0) call take(u)\n{WORK}")), "caller");
    assert_eq!(
        wait_of(RECEIVE, &format!("do j = 1, 3\nif (other > 0) then\ncall take(u)\n{WORK}end if\nend do\n")),
        "caller"
    );
    let own = "call mpi_irecv(a, n, mpi_real, 0, 1, mpi_comm_world, request, code)\n\
               call mpi_wait(request, mpi_status_ignore, code)\n";
    assert_eq!(wait_of(own, &format!("if (other > 0) call take(u)\n{WORK}")), "caller");
    let guarded = format!("if (other == 7) return\nif (code == 0) then\n{RECEIVE}end if\n");
    assert_eq!(wait_of(&guarded, &format!("if (other > 0) call take(u)\n{WORK}")), "caller");
    let selected = format!("select case (other)\ncase (1)\n{RECEIVE}end select\n");
    assert_eq!(wait_of(&selected, &format!("if (other > 0) call take(u)\n{WORK}")), "caller");
    assert_eq!(wait_of(RECEIVE, &format!("if (other > 0) then\ncall take(u)\ncall take(v)\nend if\n{WORK}")), "caller");
}

#[test]
fn every_call_has_to_gain_or_at_least_to_allow_it() {
    // The first call gains nothing, and allows it.
    assert_eq!(wait_of(RECEIVE, &format!("call take(u)\nv = u\ncall take(u)\n{WORK}")), "caller");
    // The second one has no room.
    assert_eq!(wait_of(RECEIVE, &format!("call take(v)\n{WORK}call take(u); v = u\n")), "callers-in-the-way");
    assert_eq!(wait_of(RECEIVE, "call take(u)\nv = u\n"), "callers-in-the-way");
    assert_eq!(wait_of(RECEIVE, &format!("call take(v)\n{WORK}call take((u))\n")), "callers-in-the-way");
}

#[test]
fn it_stays_where_something_in_the_procedure_needs_it() {
    for behind in ["a(1) = a(1) + 1\n", "write (7, *) n\n", "if (code /= 3) return\ncode = 4\n"] {
        let found = wait_of(&format!("{RECEIVE}{behind}"), &format!("if (other > 0) call take(u)\n{WORK}"));
        assert!(!["caller", "own"].contains(&found.as_str()), "{behind}{found}");
    }
    let seen = "call mpi_recv(a, n, mpi_real, 0, 1, mpi_comm_world, state, code)\ncode = state(mpi_source)\n";
    assert_eq!(wait_of(seen, &format!("if (other > 0) call take(u)\n{WORK}")), "access-in-between");
    let in_loop = format!("do code = 1, 3\n{RECEIVE}end do\n");
    assert_eq!(wait_of(&in_loop, &format!("if (other > 0) call take(u)\n{WORK}")), "no-work-in-between");
}

#[test]
fn behind_the_call_it_passes_what_it_may_pass_anywhere() {
    let behind = |statement: &str| wait_of(RECEIVE, &format!("if (other > 0) call take(u)\n{statement}{WORK}"));
    assert_eq!(behind("v = 3\n"), "caller");
    assert_eq!(behind("v = u\n"), "callers-in-the-way");
    assert_eq!(behind("call show(3)\n"), "callers-in-the-way");
    assert_eq!(behind("write (7, *) n\n"), "callers-in-the-way");
    assert_eq!(behind("if (other == 5) stop\n"), "callers-in-the-way");
}
