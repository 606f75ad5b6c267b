//! Which waits go into procedures that are called further down, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

const LOOP: &str = "do j = 1, m\ndo i = 1, rows\nw(i, j) = u(i, j) + u(i, j-1)\nend do\nend do\n";
const DUMMIES: &str = "real, intent(in) :: u(0:n, 0:m)\nreal, intent(inout) :: w(0:n, 0:m)\n";
const RECEIVE: &str = "call mpi_recv(u(0, 0), n + 1, mpi_real, left, 1, mpi_comm_world, mpi_status_ignore, code)\n";

/// Where the wait of the only receive goes: "split" or "behind" in a called procedure, "own" in its own one, or the code of the
/// reason why it stays. `procedures` are those of a module, `statements` are in the main program, between which they are called.
fn wait_of(procedures: &str, statements: &str) -> String {
    let text = format!(
        "module m1\nuse mpi\nimplicit none\ninteger, parameter :: n = 100, m = 50\ninteger :: code, left, right, rows = 90\n\
         real :: field(0:n, 0:m), total = 0\ncontains\n{procedures}end module\n\
         program main\nuse mpi\nuse m1\nimplicit none\nreal :: u(0:n, 0:m), w(0:n, 0:m)\ninteger :: i, j, step, request\n\
         integer :: state(mpi_status_size)\n\
         call mpi_init(code)\nu = 1\nw = 2\nfield = 3\n\
         call mpi_send(u(0, m), n + 1, mpi_real, right, 1, mpi_comm_world, code)\n\
         {statements}print *, sum(u), sum(w), sum(field), total\ncall mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    let is_wait = |routine: &str| routine == "mpi_recv" || routine == "mpi_wait";
    let decision = plan.decisions.iter().find(|decision| is_wait(&decision.site.routine)).expect("it is a site");
    let why_not = |missed: &[crate::plan::Missed]| {
        let reason = missed.iter().find(|missed| missed.transformation == Transformation::SinkWait);
        reason.map_or("nothing", |missed| missed.reason.code.code()).to_string()
    };
    match &decision.outcome {
        Outcome::Transformed { actions, missed, .. } => {
            let found = actions
                .iter()
                .find(|action| matches!(action.transformation, Transformation::SinkWait | Transformation::SplitLoop));
            let told = |found: &crate::plan::Action| match (found.text.contains("waited for in"), found.transformation)
            {
                (true, Transformation::SplitLoop) => "split".to_string(),
                (true, _) => "behind".to_string(),
                (false, _) => "own".to_string(),
            };
            found.map_or_else(|| why_not(missed), told)
        }
        Outcome::Kept { missed, .. } => why_not(missed),
    }
}

/// A procedure `relax(u, w)` with these statements before its loop.
fn relax(before: &str) -> String {
    format!("subroutine relax(u, w)\n{DUMMIES}integer :: i, j\n{before}{LOOP}end subroutine\n")
}

#[test]
fn the_procedure_that_reads_the_message_waits_for_it() {
    assert_eq!(wait_of(&relax(""), &format!("{RECEIVE}call relax(u, w)\n")), "split");
    let own = "call mpi_irecv(u(0, 0), n + 1, mpi_real, left, 1, mpi_comm_world, request, code)\n\
               call mpi_wait(request, mpi_status_ignore, code)\n";
    assert_eq!(wait_of(&relax(""), &format!("do step = 1, 3\n{own}call relax(u, w)\nend do\n")), "split");
    // Subject that needs no message, then something that needs all of it.
    let sum = "do j = 1, m\ndo i = 1, rows\nw(i, j) = w(i, j) + 1\nend do\nend do\ntotal = total + sum(u)\n";
    assert_eq!(wait_of(&relax(sum), &format!("{RECEIVE}call relax(u, w)\n")), "behind");
}

#[test]
fn the_procedure_may_see_the_message_by_its_module() {
    let by_module = relax("").replace("u(i, j)", "field(i, j)").replace("u(i, j-1)", "field(i, j-1)");
    let receive = RECEIVE.replace("u(0, 0)", "field(0, 0)");
    assert_eq!(wait_of(&by_module, &format!("{receive}call relax(u, w)\n")), "split");
    let looks = "call look\n";
    let look = "subroutine look\ntotal = total + field(3, 0)\nend subroutine\n";
    assert_eq!(wait_of(&(relax(looks) + look), &format!("{receive}call relax(field, w)\n")), "callee-in-the-way");
}

#[test]
fn what_is_read_for_the_call_has_come() {
    let with_value = relax("total = total + x\n").replace("relax(u, w)\n", "relax(u, w, x)\nreal, intent(in) :: x\n");
    for (argument, expected) in [
        ("u(0, 0) + 1", "callee-in-the-way"),
        ("sum(u)", "callee-in-the-way"),
        ("u(3, 0)", "arguments-share-memory"),
        ("w(3, 0) + 1", "split"),
    ] {
        assert_eq!(wait_of(&with_value, &format!("{RECEIVE}call relax(u, w, {argument})\n")), expected, "{argument}");
    }
    assert_eq!(wait_of(&relax(""), &format!("{RECEIVE}call relax(u(:, m:0:-1), w)\n")), "callee-in-the-way");
}

#[test]
fn every_run_comes_to_the_wait() {
    let call = format!("{RECEIVE}call relax(u, w)\n");
    assert_eq!(wait_of(&relax("if (total > 3) return\n"), &call), "control-in-between");
    assert_eq!(wait_of(&relax("if (total > 3) stop\n"), &call), "control-in-between");
    assert_eq!(wait_of(&relax("").replace("subroutine relax", "pure subroutine relax"), &call), "callee-in-the-way");
    let status = RECEIVE.replace("mpi_status_ignore", "state");
    assert_eq!(
        wait_of(&relax(""), &format!("{status}call relax(u, w)\ncall mpi_get_count(state, mpi_real, i, code)\n")),
        "access-in-between"
    );
}

#[test]
fn numbers_of_the_call_are_numbers_in_the_procedure() {
    let with_bounds =
        relax("").replace("relax(u, w)\n", "relax(u, w, n, m)\ninteger, intent(in) :: n, m\n").replace("rows", "n");
    assert_eq!(wait_of(&with_bounds, &format!("{RECEIVE}call relax(u, w, 100, 50)\n")), "split");
    // Another shape: the message is spread over more of its columns than are left to the end.
    assert_eq!(wait_of(&with_bounds, &format!("{RECEIVE}call relax(u, w, 2, 1324)\n")), "halo-read-inside");
}

#[test]
fn a_number_is_waited_for_behind_the_work_that_does_not_need_it() {
    let work = "do j = 1, m\ndo i = 1, rows\nw(i, j) = w(i, j) + 1\nend do\nend do\n";
    let scale = format!(
        "subroutine scale(w, x)\nreal, intent(inout) :: w(0:n, 0:m)\nreal, intent(in) :: x\ninteger :: i, j\n{work}w = w * x\n\
         end subroutine\n"
    );
    let receive = "call mpi_recv(total, 1, mpi_real, left, 1, mpi_comm_world, mpi_status_ignore, code)\n";
    assert_eq!(wait_of(&scale, &format!("{receive}call scale(w, total)\n")), "behind");
    assert_eq!(wait_of(&scale, &format!("{receive}call scale(w, total + 1)\n")), "callee-in-the-way");
}
