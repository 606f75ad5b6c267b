//! Probes, receives of matched messages, buffered sends and cancellations: which of them convert, and what they keep in its place.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

/// What becomes of the calls whose lines have the comment `! here`, one for all: `converts`, `hoisted`, or the code of a reason.
fn outcome(statements: &str, others: &str) -> String {
    let text = format!(
        "program main\nuse mpi\nimplicit none\ninteger, parameter :: n = 3000\nreal :: a(n), b(n), c(n), work(n)\n\
         integer :: i, code, peer, request, message, length, sent, status(mpi_status_size)\nlogical :: flag\n\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, peer, code)\n{statements}\n\
         print *, a, work, c\ncall mpi_finalize(code)\nend program\n{others}"
    );
    let found = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(found.files[0].unread.is_empty(), "{:?}", found.files[0].unread);
    let plan = plan_program(&found, &Selection { in_place: true, ..Selection::default() });
    let lines: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| line.ends_with("! here")).map(|(index, _)| index + 1).collect();
    let of = |line: &usize| {
        let decision = plan.decisions.iter().find(|decision| decision.site.line == *line).expect("a decision");
        match &decision.outcome {
            Outcome::Transformed { actions, .. } => {
                let is_hoisted = actions.iter().any(|action| action.transformation == Transformation::HoistReceive);
                if is_hoisted { "hoisted" } else { "converts" }
            }
            Outcome::Kept { reason, .. } => reason.code.code(),
        }
    };
    let mut all: Vec<&str> = lines.iter().map(of).collect();
    all.dedup();
    all.join(" ")
}

const SEND: &str = "call mpi_isend(b, n, mpi_real, 1, 5, mpi_comm_world, sent, code) ! here\n";
const WORK: &str = "do i = 1, n\n  work(i) = work(i) * 2\nend do\n";
const WAIT: &str = "call mpi_wait(sent, mpi_status_ignore, code)\n";

#[test]
fn a_receive_stays_behind_the_probe_that_may_find_its_message() {
    let below = |probe: &str| {
        let receive = "call mpi_recv(a, n, mpi_real, 0, 5, mpi_comm_world, status, code)";
        outcome(&format!("{}{WORK}{probe}\n{receive} ! here\n{WAIT}", SEND.replace(" ! here", "")), "")
    };
    assert_eq!(below(""), "hoisted");
    assert_eq!(below("call mpi_probe(0, 5, mpi_comm_world, mpi_status_ignore, code)"), "converts");
    assert_eq!(below("call mpi_probe(mpi_any_source, 5, mpi_comm_world, mpi_status_ignore, code)"), "converts");
    assert_eq!(below("call mpi_iprobe(0, mpi_any_tag, mpi_comm_world, flag, mpi_status_ignore, code)"), "converts");
    assert_eq!(
        below("do while (.not. flag)\ncall mpi_iprobe(0, 5, mpi_comm_world, flag, status, code)\nend do"),
        "converts"
    );
    let receive = "call mpi_recv(a, n, mpi_real, 0, 5, mpi_comm_world, status, code)";
    let behind_call = |probed: &str| {
        let look = format!(
            "subroutine look\nuse mpi\ninteger :: code\n\
             call mpi_probe(mpi_any_source, {probed}, mpi_comm_world, mpi_status_ignore, code)\nend subroutine\n"
        );
        outcome(&format!("{}{WORK}call look\n{receive} ! here\n{WAIT}", SEND.replace(" ! here", "")), &look)
    };
    assert_eq!(behind_call("5"), "converts");
    assert_eq!(behind_call("mpi_any_tag"), "converts");
    // What stays with MPI can't see messages of Gravel.
    let profiled = below("call pmpi_probe(0, 5, mpi_comm_world, mpi_status_ignore, code)");
    assert_eq!(profiled, "class-member-kept");
    // What it looks for is another message.
    assert_eq!(below("call mpi_iprobe(0, 6, mpi_comm_world, flag, mpi_status_ignore, code)"), "hoisted");
    assert_eq!(below("call mpi_iprobe(1, mpi_any_tag, mpi_comm_world, flag, mpi_status_ignore, code)"), "hoisted");
}

#[test]
fn matched_messages_are_received_by_whom_the_probe_converts_with() {
    let probe = "call mpi_mprobe(mpi_any_source, 5, mpi_comm_world, message, status, code) ! here\n";
    let receive = "call mpi_mrecv(a, n, mpi_real, message, status, code) ! here\n";
    assert_eq!(outcome(&format!("{SEND}{probe}{receive}{WAIT}"), ""), "converts");
    // A line of its own is needed for each.
    let shared = receive.replace(" ! here", "; flag = .true. ! here");
    assert_eq!(outcome(&format!("{SEND}{probe}{shared}{WAIT}"), ""), "class-member-kept shared-line");
    // Somebody else may get it.
    let open = outcome(&format!("{SEND}{probe}{receive}{WAIT}call somebody()\n"), "");
    assert_eq!(open, "class-member-kept request-escapes class-member-kept");
    // Others are not concerned: this receive goes above the wait.
    let other = "call mpi_isend(c, n, mpi_real, 1, 6, mpi_comm_world, request, code)\n\
                 call mpi_recv(a, n, mpi_real, 0, 6, mpi_comm_world, status, code) ! here\n\
                 call mpi_wait(request, status, code)\n";
    let kept = format!("{SEND}{probe}{shared}{WAIT}").replace(" ! here", "");
    assert_eq!(outcome(&format!("{kept}{other}"), ""), "hoisted");
}

#[test]
fn buffered_sends_need_a_buffer_that_the_runtime_is_told_of() {
    let sent = "call mpi_bsend(b, n, mpi_real, 1, 5, mpi_comm_world, code) ! here\n\
                call mpi_recv(a, n, mpi_real, 0, 5, mpi_comm_world, status, code)\n";
    let attach = "call mpi_buffer_attach(work, 4 * n, code)";
    assert_eq!(outcome(sent, ""), "send-mode");
    assert_eq!(outcome(&format!("{attach}\n{sent}"), ""), "converts");
    assert_eq!(outcome(&format!("{attach}; flag = .true.\n{sent}"), ""), "send-mode");
    assert_eq!(
        outcome(&format!("{attach}\n{sent}call mpi_buffer_detach(work, length, code); flag = .true.\n"), ""),
        "send-mode"
    );
    assert_eq!(outcome(&format!("{attach}\n{sent}call somebody()\n"), ""), "send-mode");
    // A size that another evaluation may give otherwise.
    let counted = "integer function next()\nnext = 7\nprint *, next\nend function\n";
    let attach = "block\ninteger, external :: next\ncall mpi_buffer_attach(work, next(), code)\nend block";
    assert_eq!(outcome(&format!("{attach}\n{sent}"), counted), "send-mode");
}

#[test]
fn what_is_cancelled_converts_but_synchronous_sends() {
    let receive = "call mpi_irecv(a, n, mpi_real, 0, 5, mpi_comm_world, request, code) ! here\n";
    let end = "call mpi_wait(request, status, code)\n";
    let cancelled = format!("{SEND}{receive}call mpi_cancel(request, code) ! here\n{end}{WAIT}");
    assert_eq!(outcome(&cancelled, ""), "converts");
    let cancelled = format!("{SEND}{receive}call mpi_cancel(sent, code) ! here\n{end}{WAIT}");
    assert_eq!(outcome(&cancelled, ""), "converts");
    let freed = cancelled.replace("call mpi_cancel", "call mpi_cancel(sent, code)\ncall mpi_request_free");
    assert_eq!(outcome(&freed.replace(WAIT, ""), ""), "converts");
    let synchronous = cancelled.replace("mpi_isend", "mpi_issend");
    assert_eq!(outcome(&synchronous, ""), "request-escapes class-member-kept unsupported-operation");
    let looked_at = format!(
        "{SEND}{receive}call mpi_request_get_status(sent, flag, status, code) ! here\n\
         call mpi_request_get_status(request, flag, mpi_status_ignore, code) ! here\n{end}{WAIT}"
    );
    assert_eq!(outcome(&looked_at, ""), "converts");
}

/// Partitioned messages meet only each other. From the start of their operations on, their buffers are theirs.
#[test]
fn partitioned_operations_keep_no_other_message() {
    let init =
        "call mpi_precv_init(c, 1, 3000_mpi_count_kind, mpi_real, 0, 5, mpi_comm_world, mpi_info_null, request, code)";
    let receive = |buffer: &str| format!("call mpi_recv({buffer}, n, mpi_real, 0, 5, mpi_comm_world, status, code)");
    let begin = "call mpi_start(request, code)";
    let end = "call mpi_parrived(request, 0, flag, code)\ncall mpi_wait(request, mpi_status_ignore, code)";
    let around =
        |buffer: &str| outcome(&format!("{init}\n{SEND}{WORK}{} ! here\n{begin}\n{end}\n{WAIT}", receive(buffer)), "");
    assert_eq!(around("a"), "converts hoisted");
    // But not above the operation that has its buffer.
    let behind = |buffer: &str| {
        let send = SEND.replace(" ! here", "");
        outcome(&format!("{init}\n{send}{begin}\n{WORK}{end}\n{} ! here\n{WAIT}", receive(buffer)), "")
    };
    assert_eq!(behind("a"), "hoisted");
    assert_eq!(behind("c"), "converts");
}
