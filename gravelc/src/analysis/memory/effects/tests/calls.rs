//! What calls of given procedures touch, in terms of the caller.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// A main program with these declarations and a call, and the procedures that it calls.
fn program(declarations: &str, call: &str, more: &str) -> Program {
    let text = format!("program main\nimplicit none\n{declarations}\n{call}\nend program\n{more}\n");
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    program
}

fn main_of(program: &Program) -> ProcedureId {
    program.procedures().find(|(_, procedure)| procedure.name == "main").unwrap().0
}

/// The accesses of the last statement of the main program to the variable `name`.
fn accesses(program: &Program, name: &str, kind: AccessKind) -> Vec<Access> {
    let id = main_of(program);
    let main = program.procedure(id);
    let symbol = main.find_symbol(name).unwrap();
    let effects = effects_of(program, id, *main.body.last().unwrap());
    assert!(effects.everything.is_none());
    effects.accesses.into_iter().filter(|access| access.region.symbol == symbol && access.kind == kind).collect()
}

/// The only write to `name`, as an LMAD.
fn written_run(program: &Program, name: &str) -> (Option<Lmad>, Certainty) {
    let found = accesses(program, name, AccessKind::Write);
    assert_eq!(found.len(), 1, "{found:?}");
    (found[0].region.lmad().cloned(), found[0].certainty)
}

const FILL: &str = "subroutine fill(x, first, last)\ninteger :: first, last, i\nreal :: x(*)\n\
                    do i = first, last\nx(i) = 1.0\nend do\nend subroutine\n";

#[test]
fn bounds_come_from_the_arguments() {
    let found = program("real :: a(100)", "call fill(a, 11, 20)", FILL);
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(10), constant(10))), Certainty::Must));
    let shifted = program("real :: a(10, 10)", "call fill(a(3, 2), 1, 4)", FILL);
    assert_eq!(written_run(&shifted, "a"), (Some(Lmad::run(constant(12), constant(4))), Certainty::Must));
    let symbolic = program("real :: a(100)\ninteger :: n\nread (*, *) n", "call fill(a, n + 1, n + 5)", FILL);
    let n = Polynomial::variable(symbolic.procedure(main_of(&symbolic)).find_symbol("n").unwrap());
    assert_eq!(written_run(&symbolic, "a").0, Some(Lmad::run(n, constant(5))));
}

#[test]
fn another_shape_is_the_same_sequence() {
    let column = "subroutine column(x, n)\ninteger :: n, i\nreal :: x(n, *)\ndo i = 1, n\nx(i, 3) = 1.0\nend do\n\
                  end subroutine\n";
    let found = program("real :: a(100)", "call column(a, 5)", column);
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(10), constant(5))), Certainty::Must));
}

#[test]
fn through_two_calls() {
    let outer = "subroutine outer(y, n)\ninteger :: n\nreal :: y(n)\ncall fill(y(2), 1, n - 1)\nend subroutine\n";
    let found = program("real :: a(100)", "call outer(a(51), 50)", &format!("{outer}{FILL}"));
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(51), constant(49))), Certainty::Must));
}

#[test]
fn what_is_not_one_for_one_is_whole() {
    let whole = |found: &Program| assert_eq!(written_run(found, "a"), (None, Certainty::May));
    whole(&program("complex :: a(100)", "call fill(a, 11, 20)", FILL));
    whole(&program("real, pointer :: a(:)\nallocate (a(100))", "call fill(a, 11, 20)", FILL));
    let changes = "subroutine change(x, last)\ninteger :: last, i\nreal :: x(*)\nlast = last + 1\n\
                   do i = 1, last\nx(i) = 1.0\nend do\nend subroutine\n";
    let own = program("real :: a(100)\ninteger :: n\nn = 3", "call change(a, n)", changes);
    let n = Polynomial::variable(own.procedure(main_of(&own)).find_symbol("n").unwrap());
    let longer = n.checked_add(&constant(1)).unwrap();
    assert_eq!(written_run(&own, "a").0, Some(Lmad::run(constant(0), longer)));
    let local = "subroutine local(x)\ninteger :: i, last\nreal :: x(*)\nread (*, *) last\n\
                 do i = 1, last\nx(i) = 1.0\nend do\nend subroutine\n";
    whole(&program("real :: a(100)", "call local(a)", local));
    let out = "subroutine out(x)\nreal, intent(out) :: x(10)\nx(1) = 1.0\nend subroutine\n";
    let lost = program("real :: a(100)", "call out(a)", out);
    assert!(accesses(&lost, "a", AccessKind::Write).iter().any(|access| access.region.lmad().is_none()));
}

#[test]
fn a_section_may_be_copied_back() {
    let one = "subroutine one(x)\nreal :: x(5)\nx(1) = 1.0\nend subroutine\n";
    let found = program("real :: a(10, 10)", "call one(a(2:6, 3))", one);
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(21), constant(5))), Certainty::May));
}

#[test]
fn an_early_return_makes_writes_uncertain() {
    let may = "subroutine may(x)\nreal :: x(5)\ninteger :: i\nif (x(1) > 0.0) return\ndo i = 1, 5\nx(i) = 1.0\nend do\n\
               end subroutine\n";
    let found = program("real :: a(100)", "call may(a(6))", may);
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(5), constant(5))), Certainty::May));
}

#[test]
fn an_assumed_shape_keeps_the_subscripts() {
    let module = "module m\ncontains\nsubroutine rows(x, from, to)\nreal :: x(:, :)\ninteger :: from, to, i\n\
                  do i = from, to\nx(i, :) = 1.0\nend do\nend subroutine\nend module\n";
    let text =
        format!("{module}program main\nuse m\nimplicit none\nreal :: a(0:9, 10)\ncall rows(a, 3, 4)\nend program\n");
    let found = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let write = &accesses(&found, "a", AccessKind::Write)[0];
    let rows = write.region.subscripts[0].as_ref().unwrap();
    assert_eq!((rows.lower.clone(), rows.upper.clone()), (constant(2), constant(3)));
    assert_eq!(write.region.lmad(), None);
}

#[test]
fn variables_of_modules_are_seen_through_procedures_that_do_not_name_them() {
    let module = "module m\nreal :: shared(10)\ninteger :: n\nend module\n";
    let inner = "subroutine inner\nuse m\ninteger :: i\ndo i = 1, n\nshared(i) = 1.0\nend do\nend subroutine\n";
    let outer = "subroutine outer\ncall inner\nend subroutine\n";
    let text = |call: &str| {
        format!(
            "{module}program main\nuse m\nimplicit none\nn = 3\nshared(1) = 0.0\n{call}\nend program\n{inner}{outer}"
        )
    };
    let parsed =
        |text: String| parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let direct = parsed(text("call inner"));
    let n = Polynomial::variable(direct.procedure(main_of(&direct)).find_symbol("n").unwrap());
    assert_eq!(written_run(&direct, "shared"), (Some(Lmad::run(constant(0), n)), Certainty::May));
    assert_eq!(written_run(&parsed(text("call outer")), "shared"), (None, Certainty::May));
}

#[test]
fn a_function_need_not_be_evaluated() {
    let function = "logical function done(x)\nreal :: x(5)\ninteger :: i\ndo i = 1, 5\nx(i) = 1.0\nend do\n\
                    done = .true.\nend function\n";
    let found = program("real :: a(100)\nlogical :: l\nlogical, external :: done", "l = l .and. done(a)", function);
    assert_eq!(written_run(&found, "a"), (Some(Lmad::run(constant(0), constant(5))), Certainty::May));
}

/// Declarations, and statements that prepare a persistent receive into `a` and a persistent send of `b`.
const PREPARED: &str = "use mpi\nreal a(9), b(9)\ninteger ierr, in, out\n\
    call mpi_recv_init(a, 9, mpi_real, 1, 1, mpi_comm_world, in, ierr)\n\
    call mpi_send_init(b, 9, mpi_real, 1, 1, mpi_comm_world, out, ierr)";

#[test]
fn starts_and_waits_touch_what_was_prepared() {
    for call in ["mpi_start(in, ierr)", "mpi_wait(in, mpi_status_ignore, ierr)", "mpi_request_free(in, ierr)"] {
        let text = format!("program main\n{PREPARED}\ncall {call}\nend program\n");
        let found = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
        assert_eq!(accesses(&found, "a", AccessKind::Write).len(), 1, "{call}");
        assert!(accesses(&found, "b", AccessKind::Write).is_empty());
        assert!(accesses(&found, "b", AccessKind::Read).is_empty());
    }
    let text = format!("program main\n{PREPARED}\ncall mpi_start(out, ierr)\nend program\n");
    let found = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert_eq!(accesses(&found, "b", AccessKind::Read).len(), 1);
    assert!(accesses(&found, "a", AccessKind::Write).is_empty());
}

#[test]
fn a_kept_request_may_be_one_of_an_earlier_run_with_another_buffer() {
    let text = "subroutine s(a, first)\nuse mpi\nreal a(9)\nlogical first\ninteger ierr\ninteger, save :: in\n\
        if (first) call mpi_recv_init(a, 9, mpi_real, 1, 1, mpi_comm_world, in, ierr)\ncall mpi_start(in, ierr)\nend\n";
    let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).unwrap();
    let effects = effects_of(&program, ProcedureId(0), *program.procedures[0].body.last().unwrap());
    assert!(effects.everything.is_some());
}

/// The variables that a wait on `r` in a subroutine `swap` touches, behind these statements; `None`: it may be anything.
fn completed(statements: &str) -> Option<String> {
    let text = format!(
        "module m\nuse mpi\nreal :: shared(10), idle(10)\ninteger :: code\ncontains\nsubroutine swap(a, b)\nreal :: a(10), b(10)\n\
         integer :: r(4), s\n{statements}call mpi_waitall(4, r, mpi_statuses_ignore, code)\nend subroutine\n\
         subroutine talk(x, y, p, q)\nreal :: x(:), y(:)\ninteger :: p, q\n\
         call mpi_isend(x, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\n\
         call mpi_irecv(y, 10, mpi_real, 1, 1, mpi_comm_world, q, code)\nend subroutine\n\
         subroutine around(x, y, p)\nreal :: x(:), y(:)\ninteger :: p(4)\ncall talk(x, y, p(1), p(2))\nend subroutine\n\
         subroutine seen(p)\ninteger :: p\ncall mpi_irecv(shared, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\nend subroutine\n\
         subroutine copy(p, other)\ninteger :: p, other\np = other\nend subroutine\n\
         subroutine keep(p)\ninteger, target :: p\ncall mpi_irecv(shared, 10, mpi_real, 1, 1, mpi_comm_world, p, code)\nend subroutine\n\
         end module\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let (id, body) = program.procedures().find(|(_, procedure)| procedure.name == "swap").unwrap();
    let effects = effects_of(&program, id, *body.body.last().unwrap());
    let mut names: Vec<String> = effects
        .accesses
        .iter()
        .map(|access| (body.symbol(access.region.symbol).name.as_str(), access.kind))
        .filter(|(name, _)| !["r", "code"].contains(name))
        .map(|(name, kind)| format!("{name} {kind:?}").to_lowercase())
        .collect();
    names.sort();
    names.dedup();
    effects.everything.is_none().then(|| names.join(", "))
}

#[test]
fn a_wait_completes_what_called_procedures_have_begun() {
    let found = |statements: &str| completed(statements).unwrap_or_else(|| "anything".to_owned());
    assert_eq!(found("call talk(a, b, r(1), r(2))\n"), "a read, b write");
    assert_eq!(found("call around(a, b, r)\n"), "a read, b write");
    assert_eq!(found("call talk(a, shared, r(1), r(2))\ncall seen(r(3))\n"), "a read, shared write");
    // Requests from elsewhere, of other names for the same variable, in what else may be.
    assert_eq!(found("call copy(r(1), s)\n"), "anything");
    assert_eq!(found("call keep(r(1))\n"), "anything");
    assert_eq!(found("call talk(a, b, r(r(1)), r(2))\n"), "anything");
    assert_eq!(found("call unknown(r(1))\n"), "anything");
}
