//! What calls are given further up, on small programs.

use std::path::Path;

use crate::emit::emit;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::Program;
use crate::plan::{Outcome, Plan, Transformation};
use crate::transform::{Selection, plan_program};

const DECLARATIONS: &str = "integer, parameter :: m = 1000\n\
     integer :: rank, ranks, next, prev, tag, n, k, i, j, code, state(mpi_status_size), list(0:9)\n\
     integer :: pair(2), first\nequivalence (pair, first)\n\
     real :: x\nlogical :: is_last\ndouble precision :: a(m, 3), b(m, 3), w(m), total\n";

fn planned(declarations: &str, statements: &str) -> (Program, Plan) {
    let text = format!(
        "program main\nuse mpi\nimplicit none\n{DECLARATIONS}{declarations}call mpi_init(code)\n\
         call mpi_comm_rank(mpi_comm_world, rank, code)\ncall mpi_comm_size(mpi_comm_world, ranks, code)\n\
         next = 1\nprev = 1\ntag = 1\nn = m\nk = 1\nx = 1.0\nis_last = rank == ranks - 1\nlist = 1\nfirst = 1\n{statements}\
         print *, a, b, w, total, next, prev, tag, n, k\ncall mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    (program, plan)
}

/// The code of the reason why the transformation does not apply to the last site of the routine, or "moved".
fn outcome(routine: &str, transformation: Transformation, statements: &str) -> String {
    outcome_with("", routine, transformation, statements)
}

fn outcome_with(declarations: &str, routine: &str, transformation: Transformation, statements: &str) -> String {
    let (_, plan) = planned(declarations, statements);
    let decision = plan.decisions.iter().rfind(|decision| decision.site.routine == routine).expect("it is a site");
    match &decision.outcome {
        Outcome::Transformed { actions, .. } if actions.iter().any(|it| it.transformation == transformation) => {
            "moved".to_owned()
        }
        Outcome::Transformed { missed, .. } | Outcome::Kept { missed, .. } => {
            let reason = missed.iter().find(|missed| missed.transformation == transformation);
            reason.map_or("nothing", |missed| missed.reason.code.code()).to_owned()
        }
    }
}

/// The statements of the transformed program that contain `wanted`.
fn written(statements: &str, wanted: &str) -> Vec<String> {
    let (program, plan) = planned("", statements);
    let files = emit(&program, &plan).unwrap().files;
    let text = String::from_utf8(files[0].text.clone()).unwrap();
    let parts: Vec<&str> = text.split("&\n").map(|part| part.trim_matches(' ')).collect();
    let text = parts.join(" ");
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('!') && line.contains(wanted));
    lines.map(str::to_owned).collect()
}

const FILL: &str = "do i = 1, m\na(i, 1) = w(i) + i\nend do\n";
const WORK: &str = "do i = 1, m\nw(i) = sqrt(dble(i))\nend do\n";
const SEND: &str = "call mpi_send(a, m, mpi_double_precision, next, tag, mpi_comm_world, code)\n";
const RECEIVE: &str = "call mpi_recv(b, m, mpi_double_precision, prev, tag, mpi_comm_world, state, code)\n";
const OTHER_SEND: &str = "call mpi_send(a, m, mpi_double_precision, 1, 1, mpi_comm_world, code)\n";

/// What becomes of a receive below work and these statements.
fn receive_below(statements: &str) -> String {
    outcome("mpi_recv", Transformation::HoistReceive, &format!("{OTHER_SEND}{WORK}{statements}{RECEIVE}"))
}

/// What becomes of a send below the loop that fills its message and these statements.
fn send_below(statements: &str) -> String {
    outcome("mpi_send", Transformation::StripMineProducer, &format!("{FILL}{statements}{SEND}{RECEIVE}"))
}

#[test]
fn assignments_and_branches_of_integers_are_passed() {
    for statements in [
        "next = rank + 1\nprev = rank - 1\n",
        "tag = 7\n",
        "next = mod(rank + 1, ranks); prev = mod(rank + ranks - 1, ranks)\n",
        "next = list(k)\nprev = list(next)\n",
        "if (is_last) then\nnext = 0\nprev = 0\nelse if (rank > 3 .and. k == 1) then\nprev = 2\nnext = 2\nend if\n",
        "next = rank + 1\nif (next == ranks) next = 0\nprev = rank\nif (prev == 0) prev = ranks\nprev = prev - 1\n",
        "if (is_last) then\nnext = 0\nprev = 0\nw(1) = 2.0\nend if\n",
    ] {
        assert_eq!(receive_below(statements), "moved", "{statements}");
        assert_eq!(send_below(statements), "moved", "{statements}");
    }
}

#[test]
fn what_is_computed_of_something_else_stays() {
    let changed = "access-in-between";
    for statements in [
        // Numbers that may be rounded otherwise elsewhere.
        "x = 0.3*rank\nprev = int(x)\nnext = int(x)\n",
        "prev = int(0.5*k)\nnext = prev\n",
        // Something else than an assignment sets them.
        "call mpi_comm_rank(mpi_comm_world, prev, code)\ncall mpi_comm_rank(mpi_comm_world, next, code)\n",
        "do j = 1, 3\nprev = prev + 1\nnext = next + 1\nend do\n",
        "read *, prev, next\n",
        // By another name.
        "pair(1) = 2\nprev = first\nnext = first\n",
    ] {
        let found = receive_below(statements);
        assert!(
            [changed, "effect-in-between", "control-in-between"].contains(&found.as_str()),
            "{statements}: {found}"
        );
    }
}

#[test]
fn operands_keep_their_values() {
    let counting = "do i = 1, m\nw(i) = i\nk = k + 1\nend do\n";
    let receive = |set: &str| {
        let statements = format!("{OTHER_SEND}{counting}{set}{RECEIVE}");
        outcome("mpi_recv", Transformation::HoistReceive, &statements)
    };
    assert_eq!(receive("prev = rank + 1\n"), "moved");
    assert_eq!(receive("prev = k + 1\n"), "access-in-between");
    assert_eq!(receive("if (k > 3) prev = 0\n"), "access-in-between");
    assert_eq!(receive("prev = list(k)\n"), "access-in-between");
    // What is overwritten on the way is not needed any more.
    assert_eq!(receive("k = 2\nprev = k + 1\n"), "moved");
    let filling = "do i = 1, m\na(i, 1) = i\nnext = next + 1\nend do\n";
    let send =
        |set: &str| outcome("mpi_send", Transformation::StripMineProducer, &format!("{filling}{set}{SEND}{RECEIVE}"));
    assert_eq!(send("next = 1\n"), "moved");
    assert_eq!(send("if (is_last) next = 1\n"), "access-in-between");
    // Memory of two names.
    let paired = "do i = 1, m\nw(i) = i\npair(1) = i\nend do\n";
    let statements = format!("{OTHER_SEND}{paired}prev = first\n{RECEIVE}");
    assert_eq!(outcome("mpi_recv", Transformation::HoistReceive, &statements), "access-in-between");
}

#[test]
fn only_what_has_a_value_is_copied() {
    let planned = |set: &str| {
        let text = format!(
            "subroutine fill(a, rank, given)\nuse mpi\nimplicit none\ndouble precision :: a(1000)\n\
             integer :: rank, given, i, next, code\n{set}do i = 1, 1000\na(i) = i\nend do\nif (rank == 0) next = 1\n\
             if (rank == 1) given = 0\ncall mpi_send(a, 1000, mpi_double_precision, next, given, mpi_comm_world, code)\n\
             end subroutine\n"
        );
        let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
        let facts = crate::analysis::facts::Facts::new(&program);
        let body = facts.procedure(crate::ir::ProcedureId(0));
        let surroundings = super::Surroundings { facts: &facts, procedure: crate::ir::ProcedureId(0) };
        let block = &body.body;
        let (&send, &place) = (block.last().unwrap(), &block[block.len() - 4]);
        let site = crate::analysis::facts::SiteId { procedure: surroundings.procedure, statement: send };
        let message = facts.communication(site).unwrap().sent().unwrap();
        let mut footprint =
            crate::transform::rules::footprint::message_footprint(&facts, site, crate::ir::Direction::Sent).unwrap();
        let mut values = super::ValuesOnTheWay::of(surroundings, message, &[], &mut footprint);
        for &statement in block[block.len() - 3..block.len() - 1].iter().rev() {
            values.pass(statement).unwrap();
        }
        values.at(place).map(|found| found.copied.len()).map_err(|reason| reason.message)
    };
    assert_eq!(planned("next = 0\n"), Ok(2));
    assert!(planned("").unwrap_err().contains("`next`"));
    assert!(planned("if (rank == 5) next = 0\n").is_err());
}

#[test]
fn what_a_receive_brings_is_no_value_further_up() {
    let other = "call mpi_recv(k, 1, mpi_integer, 1, 99, mpi_comm_world, state, code)\n";
    let statements = format!("{OTHER_SEND}{WORK}{other}prev = k\n{RECEIVE}");
    assert_eq!(outcome("mpi_recv", Transformation::HoistReceive, &statements), "access-in-between");
    // The message itself.
    let own = "call mpi_recv(list, 4, mpi_integer, prev, tag, mpi_comm_world, state, code)\n";
    let statements = format!("{OTHER_SEND}{WORK}prev = list(1)\n{own}");
    assert_eq!(outcome("mpi_recv", Transformation::HoistReceive, &statements), "access-in-between");
}

#[test]
fn variables_that_say_more_than_the_partner_keep_their_place() {
    let receive = |arguments: &str, set: &str| {
        let call = format!("call mpi_recv({arguments}, mpi_comm_world, state, code)\n");
        outcome("mpi_recv", Transformation::HoistReceive, &format!("{OTHER_SEND}{WORK}{set}{call}"))
    };
    assert_eq!(receive("b, m, mpi_double_precision, k, 1", "k = 2\n"), "moved");
    assert_eq!(receive("b(1, k), m, mpi_double_precision, k, 1", "k = 2\n"), "access-in-between");
    assert_eq!(receive("b, n, mpi_double_precision, n, 1", "n = 2\n"), "access-in-between");
    // The request.
    let declarations = "integer :: requests(4)\n";
    let post = "k = 2\ncall mpi_irecv(b, m, mpi_double_precision, k, 1, mpi_comm_world, requests(k), code)\n\
                call mpi_wait(requests(2), state, code)\n";
    let statements = format!("{OTHER_SEND}{WORK}{post}");
    let (program, plan) = planned(declarations, &statements);
    let text = String::from_utf8(emit(&program, &plan).unwrap().files.remove(0).text).unwrap();
    let posts = text.lines().filter(|line| line.contains("call gravel_post_rcv"));
    // With a request of its own, or where it was.
    assert!(
        posts.into_iter().all(|line| !line.contains("requests(k)") || text.find("k = 2") < text.find(line)),
        "{text}"
    );
}

#[test]
fn messages_are_compared_by_the_values_that_they_have() {
    // It looks at `a`, so only the second receive could go above it.
    let work = "do i = 1, m\nw(i) = a(i, 1)\nend do\n";
    let first =
        |tag: &str| format!("call mpi_recv(a, m, mpi_double_precision, prev, {tag}, mpi_comm_world, state, code)\n");
    let sends = "call mpi_send(w, m, mpi_double_precision, next, 1, mpi_comm_world, code)\n";
    let found = |tag: &str, set: &str| {
        let statements = format!("{sends}{work}{}{set}{RECEIVE}", first(tag));
        let (program, plan) = planned("", &statements);
        let text = String::from_utf8(emit(&program, &plan).unwrap().files.remove(0).text).unwrap();
        // Is the second one posted above the first one's place?
        let of_b = text.find("gravel_post_rcv_buffer_rdma(b").unwrap_or(usize::MAX);
        let of_a = text.find("gravel_post_rcv_buffer_rdma(a").or(text.find("mpi_recv(a")).unwrap();
        of_b < of_a
    };
    assert!(!found("tag + 1", "tag = tag + 1\n"));
    assert!(!found("tag", "if (is_last) tag = 5\n"));
    assert!(found("tag", "tag = tag + 1\n"));
    assert!(found("8", "tag = 9\n"));
}

#[test]
fn one_assignment_is_written_into_the_call_and_more_are_computed() {
    let receive = |set: &str| format!("{OTHER_SEND}{WORK}{set}{RECEIVE}");
    let post = |set: &str| written(&receive(set), "gravel_post_rcv_buffer_rdma").remove(0);
    let begin = "call gravel_post_rcv_buffer_rdma(b, m, mpi_double_precision, ";
    assert_eq!(post("prev = rank + 1\ntag = 7\n"), format!("{begin}rank + 1, 7, mpi_comm_world, gravel_r1)"));
    let set = "prev = rank - 1\nif (prev < 0) prev = ranks - 1\n";
    assert_eq!(post(set), format!("{begin}gravel_early1_prev, tag, mpi_comm_world, gravel_r1)"));
    assert_eq!(
        written(&receive(set), "gravel_early1_prev"),
        [
            "integer :: gravel_early1_prev",
            "gravel_early1_prev = rank - 1",
            "if (gravel_early1_prev < 0) gravel_early1_prev = ranks - 1",
            &post(set)
        ]
    );
    // It begins as a copy where nothing is stored in some branch, or where it is counted on.
    let copy = "gravel_early1_prev = prev";
    assert_eq!(written(&receive("if (is_last) prev = 0\n"), "gravel_early1_prev")[1], copy);
    assert_eq!(
        written(&receive("prev = prev + 1\n"), "gravel_early1_prev")[1..3],
        [copy, "gravel_early1_prev = gravel_early1_prev + 1"]
    );
    // What is written in its place keeps together.
    let post = written(
        &format!(
            "{OTHER_SEND}{WORK}k = rank + 1\ncall mpi_recv(b, m, mpi_double_precision, 2*k - mod(k, 3), tag, mpi_comm_world, state, code)\n"
        ),
        "gravel_post_rcv_buffer_rdma",
    );
    assert!(
        post[0].contains(", 2 * (rank + 1) - mod(rank + 1, 3), ")
            || post[0].contains(", (2 * (rank + 1)) - mod(rank + 1, 3), "),
        "{}",
        post[0]
    );
}

#[test]
fn calls_that_need_the_same_share_its_computation() {
    let set = "prev = rank - 1\nif (prev < 0) prev = ranks - 1\n";
    let other = "call mpi_recv(b(1, 2), m, mpi_double_precision, prev, tag, mpi_comm_world, state, code)\n";
    let lines = written(&format!("{OTHER_SEND}{WORK}{set}{RECEIVE}{other}"), "gravel_early");
    let computed = lines.iter().filter(|line| line.contains("= rank - 1")).count();
    let posts = lines.iter().filter(|line| line.contains("gravel_early1_prev, tag")).count();
    assert_eq!((computed, posts), (1, 2), "{lines:?}");
}
