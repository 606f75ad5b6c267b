//! What waits go past, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

/// For the first call of the routine in a whole program with these statements: the line of the last work, or else communication,
/// behind which it is waited for, counted from the call's, or the code of the reason why the wait stays.
fn wait_of(routine: &str, statements: &str) -> String {
    let text = format!(
        "program main\nuse mpi\nimplicit none\ninteger, parameter :: m = 1000\n\
         integer :: rank, next, tag, n, k, i, code, request, second, state(mpi_status_size)\n\
         double precision :: a(4*m), b(4*m), w(m), total\n\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, rank, code)\n\
         next = 1 - rank\ntag = 1\nn = m\nk = 1\n{statements}print *, a, b, w, total\n\
         call mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    let decision = plan.decisions.iter().find(|decision| decision.site.routine == routine).expect("it is a site");
    match &decision.outcome {
        Outcome::Transformed { actions, missed, .. } => {
            let sunk = actions.iter().find(|action| action.transformation == Transformation::SinkWait);
            let line = sunk.and_then(|action| action.text.rsplit(' ').next()?.parse::<usize>().ok());
            let reason = missed.iter().find(|missed| missed.transformation == Transformation::SinkWait);
            match line {
                Some(line) => (line - decision.site.line).to_string(),
                None => reason.map_or("nothing", |missed| missed.reason.code.code()).to_string(),
            }
        }
        Outcome::Kept { reason, .. } => reason.code.code().to_string(),
    }
}

const WORK: &str = "do i = 1, m\nw(i) = sqrt(dble(i))\nend do\n";
const RECEIVE: &str = "call mpi_recv(b(k), n, mpi_double_precision, next, tag, mpi_comm_world, state, code)\n";
const SEND: &str = "call mpi_send(a, n, mpi_double_precision, next, tag, mpi_comm_world, code)\n";

#[test]
fn a_wait_does_not_need_rank_and_tag() {
    let change = "next = 5\ntag = 7\n";
    assert_eq!(wait_of("mpi_send", &format!("{SEND}{change}{WORK}{RECEIVE}a = 0\n")), "3");
    assert_eq!(wait_of("mpi_recv", &format!("{SEND}{RECEIVE}{change}{WORK}")), "3");
}

#[test]
fn where_the_elements_are_others_by_then_the_message_may_be_any() {
    let reads = |first: &str| format!("total = 0\ndo i = 1, m\ntotal = total + b({first} + i)\nend do\n");
    // Known to be apart: from the second thousand on.
    assert_eq!(wait_of("mpi_recv", &format!("{SEND}{RECEIVE}{}", reads("k + n"))), "2");
    // What it is counted from has changed.
    let change = "k = k + 2*m\n";
    assert_eq!(wait_of("mpi_recv", &format!("{SEND}{RECEIVE}{change}{WORK}{}", reads("k + n"))), "2");
    assert_eq!(wait_of("mpi_recv", &format!("{SEND}{RECEIVE}{change}{}", reads("k - 2*m - 1"))), "access-in-between");
}

/// Posts of a receive into `a` and of a send from it, and waits for both. Which elements are sent nobody knows.
const POST_RECEIVE: &str = "call mpi_irecv(a(k), n, mpi_double_precision, next, tag, mpi_comm_world, request, code)\n";
const POST_SEND: &str = "call mpi_isend(a(i), n, mpi_double_precision, next, tag, mpi_comm_world, second, code)\n";
const WAIT_FOR_RECEIVED: &str = "call mpi_wait(request, mpi_status_ignore, code)\n";
const WAIT_FOR_SENT: &str = "call mpi_wait(second, mpi_status_ignore, code)\n";

#[test]
fn the_end_of_what_is_pending_beside_it_is_no_use_of_a_buffer() {
    let posts = format!("{POST_RECEIVE}{POST_SEND}");
    assert_eq!(wait_of("mpi_wait", &format!("{posts}{WAIT_FOR_RECEIVED}{WAIT_FOR_SENT}{WORK}")), "2");
    assert_eq!(wait_of("mpi_wait", &format!("{posts}{WAIT_FOR_SENT}{WAIT_FOR_RECEIVED}{WORK}")), "2");
    // That of a blocking call, beside a receive that was posted before it.
    let send = "call mpi_send(a(i), n, mpi_double_precision, next, tag, mpi_comm_world, code)\n";
    assert_eq!(wait_of("mpi_send", &format!("{POST_RECEIVE}{send}{WAIT_FOR_RECEIVED}{WORK}")), "2");
    // Under a condition.
    let branch = format!("if (tag == 2) then\n{WAIT_FOR_SENT}end if\n");
    assert_eq!(wait_of("mpi_wait", &format!("{posts}{WAIT_FOR_RECEIVED}{branch}{WORK}{WAIT_FOR_SENT}")), "4");
}

#[test]
fn what_begins_behind_a_wait_may_use_its_buffer() {
    let between = format!("{POST_RECEIVE}{WAIT_FOR_RECEIVED}{POST_SEND}{WAIT_FOR_SENT}{WORK}");
    assert_eq!(wait_of("mpi_wait", &between), "access-in-between");
    // What the message is used for behind both is a use as ever.
    let used = format!("{POST_RECEIVE}{POST_SEND}{WAIT_FOR_RECEIVED}{WAIT_FOR_SENT}total = a(k)\n{WORK}");
    assert_eq!(wait_of("mpi_wait", &used), "1");
}
