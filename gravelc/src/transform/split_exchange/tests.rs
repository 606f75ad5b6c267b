//! Which exchanges are split, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Plan, Transformation};
use crate::transform::{Selection, plan_program};

const POSTS: &str = "call mpi_irecv(from, m, mpi_real, 0, 1, mpi_comm_world, requests(1), code)\n\
                     call mpi_isend(to, m, mpi_real, 1, 1, mpi_comm_world, requests(2), code)\n";
const WAIT: &str = "call mpi_waitall(2, requests, mpi_statuses_ignore, code)\n";
const UNPACK: &str = "do j = 1, m\na(0, j) = from(j)\nend do\n";
const WORK: &str = "call work(w)\n";

/// The plan for a program whose `swap(a)` has these declarations and statements; `calls` are the statements of its main program.
fn plan_of(declarations: &str, statements: &str, calls: &str) -> Plan {
    plan_with("", declarations, statements, calls)
}

/// [`plan_of`] with `more` procedures of the module.
fn plan_with(more: &str, declarations: &str, statements: &str, calls: &str) -> Plan {
    let text = format!(
        "module m\nuse mpi\nimplicit none\ninteger, parameter :: n = 300, m = 200\ninteger :: code, other, k, left(2)\n\
         real :: from(m), to(m)\ncontains\n\
         subroutine swap(a)\nreal, intent(inout) :: a(0:n+1, 0:m+1)\ninteger :: requests(4), j\n{declarations}{statements}end subroutine\n\
         subroutine work(b)\nreal, intent(inout) :: b(0:n+1, 0:m+1)\ninteger :: i, j\n\
         do j = 1, m\ndo i = 1, n\nb(i, j) = b(i, j) + 1\nend do\nend do\nend subroutine\n\
         subroutine sweep(a, b)\nreal, intent(in) :: a(0:n+1, 0:m+1)\nreal, intent(inout) :: b(0:n+1, 0:m+1)\ninteger :: i, j\n\
         do j = 1, m\ndo i = 1, n\nb(i, j) = a(i-1, j) + a(i, j-1)\nend do\nend do\nend subroutine\n\
         subroutine show(c)\ninteger, intent(in) :: c\nwrite (7, *) c\nend subroutine\n{more}end module\n\
         program main\nuse m\nimplicit none\nreal :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1), f(0:n+1, 0:m+1, 4)\n\
         call mpi_init(code)\nu = 1\nv = 1\nw = 1\nf = 1\n\
         {calls}print *, sum(u) + sum(v) + sum(w) + sum(f)\ncall mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    plan_program(&program, &Selection::default())
}

/// `nest`, `work` or the code of the reason why the exchange stays whole.
fn found(declarations: &str, statements: &str, calls: &str) -> String {
    told(&plan_of(declarations, statements, calls))
}

fn told(plan: &Plan) -> String {
    if let Some(exchange) = plan.exchanges.first() {
        return if exchange.calls.iter().any(|call| call.is_in_nest) { "nest" } else { "work" }.to_owned();
    }
    let missed = plan.decisions.iter().flat_map(|decision| match &decision.outcome {
        Outcome::Transformed { missed, .. } | Outcome::Kept { missed, .. } => missed,
    });
    let mut reasons = missed.filter(|missed| missed.transformation == Transformation::SplitExchange);
    reasons.next().map_or("nothing".to_owned(), |missed| missed.reason.code.code().to_owned())
}

fn usual() -> String {
    format!("{POSTS}{WAIT}{UNPACK}")
}

#[test]
fn the_end_goes_behind_work_and_into_nests() {
    assert_eq!(found("", &usual(), &format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n")), "work");
    assert_eq!(found("", &usual(), "call swap(u)\ncall sweep(u, v)\n"), "nest");
    assert_eq!(found("", &usual(), &format!("call swap(u)\n{WORK}call sweep(u, v)\n")), "nest");
    assert_eq!(found("", &usual(), &format!("do k = 1, 4\ncall swap(f(0, 0, k))\n{WORK}end do\n")), "work");
}

#[test]
fn conditions_that_both_parts_have() {
    let calls = format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    assert_eq!(found("", &format!("if (other > 0) return\n{}", usual()), &calls), "work");
    assert_eq!(found("", &format!("if (other > 0) then\n{}end if\na(1, 1) = 2\n", usual()), &calls), "work");
    let counted = format!("call mpi_comm_size(mpi_comm_world, many, code)\nif (many > 1) then\n{}end if\n", usual());
    assert_eq!(found("integer :: many\n", &counted, &calls), "work");
    let changed = format!("if (other > 0) then\n{POSTS}other = 0\n{WAIT}{UNPACK}end if\n");
    assert_eq!(found("", &changed, &calls), "exchange-not-divisible");
    let copies = format!("if (other > 0) then\na(0, 1) = 1\nreturn\nend if\n{}", usual());
    assert_eq!(found("", &copies, &calls), "exchange-not-divisible");
}

#[test]
fn waits_alone_move_by_themselves() {
    assert_eq!(found("", &format!("{POSTS}{WAIT}"), &format!("call swap(u)\n{WORK}u(1, 1) = from(1)\n")), "nothing");
}

/// A procedure that posts for who calls it, with these statements around the posts.
fn talk(before: &str, behind: &str) -> String {
    format!(
        "subroutine talk(out, in, p, q)\nreal :: out(*), in(*)\ninteger :: p, q\n{before}\
         call mpi_irecv(in, m, mpi_real, 0, 1, mpi_comm_world, p, code)\n\
         call mpi_isend(out, m, mpi_real, 1, 1, mpi_comm_world, q, code)\n{behind}end subroutine\n"
    )
}

#[test]
fn called_procedures_may_post() {
    let calls = format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    let posts = "call talk(to, from, requests(1), requests(2))\n";
    let with = |talk: &str, statements: &str| told(&plan_with(talk, "", statements, &calls));
    assert_eq!(with(&talk("", ""), &format!("{posts}{WAIT}{UNPACK}")), "work");
    let some = format!("requests = 0\nif (other > 0) then\n{posts}end if\n{WAIT}{UNPACK}");
    assert_eq!(with(&talk("", ""), &some), "work");
    // A second stage.
    let stages = format!("{POSTS}{WAIT}{UNPACK}{posts}{WAIT}");
    assert_eq!(with(&talk("", ""), &stages), "work");
    assert_eq!(with(&talk("", "k = k + 1\n"), &stages), "work");
    assert_eq!(with(&talk("", "write (7, *) q\n"), &stages), "exchange-not-divisible");
    // Its requests are others as well.
    assert_eq!(with(&talk("", "p = k\n"), &format!("{posts}{WAIT}{UNPACK}")), "exchange-not-divisible");
    let ended = format!("{posts}{WAIT}{UNPACK}");
    assert_eq!(with(&talk("if (other > 9) stop\n", ""), &ended), "work");
    assert_eq!(with("", &format!("call unknown(requests(1))\n{POSTS}{WAIT}{UNPACK}")), "nothing");
}

#[test]
fn messages_of_called_procedures_are_under_way() {
    let posts =
        "call talk(to, from, requests(1), requests(2))\ncall talk(a(1, m), a(1, 0), requests(3), requests(4))\n";
    let waits = "call mpi_waitall(4, requests, mpi_statuses_ignore, code)\n";
    let statements = format!("{posts}{waits}{UNPACK}");
    let reason = |calls: &str| told(&plan_with(&talk("", ""), "", &statements, calls));
    assert_eq!(reason(&format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n")), "work");
    assert_eq!(reason(&format!("call swap(u)\nu(1:m, m) = 3\n{WORK}")), "access-in-between");
    assert_eq!(reason(&format!("call swap(u)\nv(1, 1) = u(2, 0)\n{WORK}")), "access-in-between");
    assert_eq!(reason(&format!("call swap(u)\nv(1, 1) = from(3)\n{WORK}")), "access-in-between");
    assert_eq!(reason(&format!("call swap(u)\nv(1, 1) = u(2, 2)\n{WORK}")), "work");
    assert_eq!(reason("call swap(u)\ncall sweep(u, v)\n"), "nest");
}

#[test]
fn messages_that_are_left_to_a_later_run() {
    let with = |statements: &str| found("", statements, &format!("call swap(u)\n{WORK}"));
    let row = "call mpi_isend(a(1, m), n, mpi_real, 1, 1, mpi_comm_world, left(1), code)\n";
    let wait = "call mpi_wait(left(1), mpi_status_ignore, code)\n";
    assert_eq!(with(&format!("{row}{POSTS}{WAIT}{wait}{UNPACK}")), "work");
    assert_eq!(with(&format!("{POSTS}{wait}{row}{WAIT}{UNPACK}")), "exchange-not-divisible");
    assert_eq!(
        with(&format!("{row}{POSTS}{WAIT}if (other > 0) then\n{wait}end if\n{UNPACK}")),
        "exchange-not-divisible"
    );
    // In a variable of the module it may lie elsewhere.
    let of_module = "call mpi_isend(to(k), 5, mpi_real, 1, 1, mpi_comm_world, left(1), code)\n";
    assert_eq!(with(&format!("{POSTS}{wait}{of_module}{WAIT}{UNPACK}")), "work");
}

#[test]
fn called_procedures_may_unpack() {
    let place = "subroutine place(a)\nreal, intent(inout) :: a(0:n+1, 0:m+1)\ninteger :: j\n\
                 do j = 1, m\na(0, j) = from(j)\nend do\nend subroutine\n";
    let statements = format!("{POSTS}{WAIT}call place(a)\n");
    let reason = |calls: &str| told(&plan_with(place, "", &statements, calls));
    assert_eq!(reason(&format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n")), "work");
    assert_eq!(reason(&format!("call swap(u)\nfrom(1) = 3\n{WORK}")), "access-in-between");
    let saving = place.replace("integer :: j\n", "integer :: j\ninteger, save :: runs = 0\nruns = runs + 1\n");
    assert_eq!(told(&plan_with(&saving, "", &statements, &format!("call swap(u)\n{WORK}"))), "exchange-not-divisible");
}

/// What becomes of the exchange where a procedure `update` calls it between these statements, and `calls` stand in the main program.
fn around(before: &str, behind: &str, calls: &str) -> String {
    let update = format!(
        "subroutine update(a)\nreal, intent(inout) :: a(0:n+1, 0:m+1)\nreal :: kept\nreal, allocatable :: more(:)\nreal :: idle(0:n+1, 0:m+1)\n{before}call swap(a)\n\
         {behind}end subroutine\nsubroutine edge(a)\nreal, intent(inout) :: a(0:n+1, 0:m+1)\ninteger :: j\n\
         do j = 1, m\na(0, j) = 2 * a(1, j)\nend do\nend subroutine\n"
    );
    let plan = plan_with(&update, "", &usual(), calls);
    let names: Vec<String> = plan.exchanges.iter().map(|it| format!("{} calls", it.calls.len())).collect();
    if plan.exchanges.len() == 2 {
        format!("{} with {}", told(&Plan { exchanges: vec![plan.exchanges[1].clone()], ..plan.clone() }), names[1])
    } else {
        told(&plan)
    }
}

#[test]
fn an_exchange_around_the_exchange() {
    let calls = format!("call update(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    assert_eq!(around("", "call edge(a)\n", &calls), "work with 1 calls");
    assert_eq!(around("", "", &calls), "work with 1 calls");
    assert_eq!(around("", "call edge(a)\n", "call update(u)\ncall sweep(u, v)\n"), "nest with 1 calls");
    assert_eq!(around("if (other > 0) return\nkept = a(1, 1)\n", "a(1, 0) = kept\n", &calls), "work with 1 calls");
    assert_eq!(around("if (other > 0) then\n", "end if\ncall edge(a)\n", &calls), "work with 1 calls");
    assert_eq!(around("", "call edge(a)\n", "call update(u)\nu(1, 1) = 3\ncall work(w)\n"), "access-in-between");
    assert_eq!(around("", "call edge(a)\n", "call update(u)\nfrom = 3\ncall work(w)\n"), "access-in-between");
    // Where the inner one has work in its caller it stays there.
    assert_eq!(around("", "call work(idle)\n", &calls), "work");
}

#[test]
fn no_exchange_around_the_exchange() {
    let calls = format!("call update(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    let stays = [
        ("do k = 1, 2\n", "end do\n"),
        ("if (other > 0) then\n", "else\na = 1\nend if\n"),
        ("", "if (a(1, 1) > 3) stop\n"),
        ("", "a(1, 1) = a(0, 1)\ncall swap(a)\n"),
        ("allocate(more(3))\nmore = a(1, 1)\n", "a(0, 1:3) = more\n"),
        ("if (a(1, 1) > 3) then\n", "end if\n"),
    ];
    let found = stays.map(|(before, behind)| around(before, behind, &calls));
    let expected = [
        "no-work-in-between",
        "no-work-in-between",
        "control-in-between",
        "access-in-between",
        "access-in-between",
        "no-work-in-between",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_in_the_way() {
    let reason = |calls: &str| found("", &usual(), calls);
    assert_eq!(reason("call swap(u)\nu(1, 1) = u(0, 1)\ncall work(w)\n"), "access-in-between");
    assert_eq!(reason("call swap(u)\nto = 3\ncall work(w)\n"), "access-in-between");
    assert_eq!(reason("call swap(u)\ncall show(3)\ncall work(w)\n"), "effect-in-between");
    assert_eq!(reason("k = 1\ncall swap(f(0, 0, k))\nk = 2\ncall work(w)\n"), "access-in-between");
    assert_eq!(reason("call swap(u)\nif (code > 3) stop\ncall work(w)\n"), "control-in-between");
    assert_eq!(reason("call swap(u)\ncall sweep(u, u)\n"), "dependent-iterations");
}

#[test]
fn what_has_no_two_parts() {
    let calls = format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    let reason = |declarations: &str, statements: &str| found(declarations, statements, &calls);
    let marked = format!("mark = mark + 1\n{}", usual());
    assert_eq!(reason("integer, save :: mark = 0\n", &marked), "exchange-not-divisible");
    let scaled = format!("scale(1) = a(1, 1)\n{POSTS}{WAIT}a(0, 1) = scale(1)\n");
    assert_eq!(reason("real :: scale(k)\n", &scaled), "exchange-not-divisible");
    assert_eq!(reason("real :: scale(4)\n", &scaled), "work");
    let labelled = format!("{POSTS}{WAIT}10 a(0, 1) = from(1)\n");
    assert_eq!(reason("", &labelled), "exchange-not-divisible");
    let printing = format!("{}write (7, *) a(0, 1)\n", usual());
    assert_eq!(reason("", &printing), "exchange-not-divisible");
}

#[test]
fn what_crosses_is_handed_over() {
    let calls = format!("call swap(u)\n{WORK}u(1, 1) = u(0, 1)\n");
    let statements = format!("j = 3\nbase = a(1, 1)\n{POSTS}{WAIT}j = 5\na(0, j) = from(j) + base\n");
    let plan = plan_of("real :: base, idle\n", &statements, &calls);
    let exchange = plan.exchanges.first().expect("it is split");
    assert_eq!(exchange.handed_over.len(), 2, "the requests and `base`: {:?}", exchange.handed_over);
}

#[test]
fn a_nest_has_a_strip_where_the_exchange_fills_a_column() {
    let plan = plan_of("", &usual(), "call swap(u)\ncall sweep(u, v)\n");
    let nest = plan.nests.first().expect("it is split");
    let margins: Vec<(u8, u8)> = nest.loops.iter().map(|it| (it.margin.first, it.margin.last)).collect();
    assert_eq!(margins, [(0, 0), (1, 0)]);
    // The inner loop may be vectorised: the rest of the vectors is behind its inside.
    assert_eq!(nest.boxes(), 3);
}
