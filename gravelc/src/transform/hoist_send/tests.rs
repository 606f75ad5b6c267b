use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

const WORK: &str = "do j = 1, n\n  work(j) = work(j) * 2\nend do\n";
const SEND: &str = "call mpi_send(a, n, mpi_real, peer, 1, mpi_comm_world, code) ! here\n";

/// What is said of the call whose line has the comment `! here`, where hoist-send was applied to it.
fn applied(statements: &str) -> Option<String> {
    let text = format!(
        "program main\nuse mpi\nimplicit none\ninteger, parameter :: n = 3000\nreal :: a(n), b(n), c(n), work(n)\n\
         integer :: j, code, peer, other, request, requests(2), status(mpi_status_size)\nlogical :: flag\n\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, peer, code)\nother = peer + 1\n\
         call mpi_irecv(b, n, mpi_real, peer, 1, mpi_comm_world, requests(1), code)\n{statements}\
         call mpi_wait(requests(1), status, code)\nprint *, b, work\ncall mpi_finalize(code)\nend program\n"
    );
    let found = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(found.files[0].unread.is_empty(), "{:?}", found.files[0].unread);
    let plan = plan_program(&found, &Selection { is_closed: true, ..Selection::default() });
    let line = 1 + text.lines().position(|line| line.ends_with("! here")).expect("a marked call");
    let decision = plan.decisions.iter().find(|decision| decision.site.line == line).expect("a decision");
    let Outcome::Transformed { actions, .. } = &decision.outcome else { panic!("it stays: {:?}", decision.outcome) };
    let found = actions.iter().find(|action| action.transformation == Transformation::HoistSend)?;
    Some(found.text.clone())
}

#[test]
fn a_complete_message_leaves_before_work() {
    assert_eq!(applied(&format!("a = 1\n{WORK}{SEND}")).as_deref(), Some("sent early, before the work at line 13"));
}

#[test]
fn several_statements_are_passed() {
    assert!(applied(&format!("a = 1\n{WORK}c = a\n{WORK}{SEND}")).is_some_and(|text| text.contains("line 13")));
}

#[test]
fn a_message_that_was_just_completed_stays() {
    assert_eq!(applied(&format!("{WORK}a = 1\n{SEND}")), None);
    assert_eq!(applied(&format!("a = 1\n{SEND}{WORK}")), None);
}

#[test]
fn arguments_keep_their_values() {
    let to_other = SEND.replace("peer", "other");
    assert_eq!(applied(&format!("a = 1\n{WORK}other = peer\n{to_other}")), None);
    let text = applied(&format!("a = 1\n{WORK}other = peer\n{WORK}{to_other}"));
    assert!(text.is_some_and(|text| text.contains("line 17")));
}

#[test]
fn effects_are_not_passed() {
    for effect in [
        "print *, work(1)\n",
        "call mpi_barrier(mpi_comm_world, code)\n",
        "call mpi_send(work, 1, mpi_real, peer, 2, mpi_comm_world, code)\n",
        "call mpi_irecv(c, n, mpi_real, peer, 2, mpi_comm_world, requests(2), code)\n",
        "call mpi_iprobe(peer, 3, mpi_comm_world, flag, status, code)\n",
    ] {
        let more = "call mpi_recv(c, n, mpi_real, peer, 2, mpi_comm_world, status, code)\n";
        assert_eq!(applied(&format!("a = 1\n{WORK}{effect}{SEND}{more}")), None, "{effect}");
    }
}

#[test]
fn control_does_not_leave_on_the_way() {
    assert_eq!(applied(&format!("a = 1\n{WORK}if (work(1) > 9) stop\n{SEND}")), None);
}

#[test]
fn a_branch_is_left_once() {
    let guarded = format!("if (peer > 0) then\n{SEND}end if\n");
    assert!(applied(&format!("a = 1\n{WORK}{guarded}")).is_some());
    assert_eq!(applied(&format!("a = 1\n{WORK}if (other > 0) then\n{guarded}end if\n")), None);
    assert_eq!(applied(&format!("a = 1\n{WORK}if (work(1) > 0) then\n{guarded}end if\n")), None);
    let in_second = format!("if (peer > 3) then\nother = 1\nelse\n{SEND}end if\n");
    assert_eq!(applied(&format!("a = 1\n{WORK}{in_second}")), None);
}

#[test]
fn a_condition_keeps_its_value() {
    let guarded = format!("if (work(1) > 0) then\n{SEND}end if\n");
    assert_eq!(applied(&format!("a = 1\n{WORK}{guarded}")), None);
}

#[test]
fn a_loop_is_not_left() {
    assert_eq!(applied(&format!("a = 1\n{WORK}do other = 1, 1\n{SEND}end do\n")), None);
}

#[test]
fn other_modes_stay() {
    for mode in ["mpi_ssend", "mpi_rsend"] {
        assert_eq!(applied(&format!("a = 1\n{WORK}{}", SEND.replace("mpi_send", mode))), None, "{mode}");
    }
}

#[test]
fn what_a_loop_fills_leaves_tile_by_tile() {
    assert_eq!(applied(&format!("do j = 1, n\n  a(j) = j * 2.0\nend do\n{WORK}{SEND}")), None);
}

#[test]
fn the_request_of_a_non_blocking_send_follows() {
    let send = "call mpi_isend(a, n, mpi_real, peer, 1, mpi_comm_world, request, code) ! here\n";
    let text = applied(&format!("a = 1\n{WORK}{send}{WORK}call mpi_wait(request, status, code)\n"));
    assert!(text.is_some());
}
