//! Which copies are dropped, and why others are not, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Plan, Transformation};
use crate::transform::{Selection, plan_program};

const PACK: &str = "do i = 1, n\n  buffer(i) = field(i, m)\nend do\n";
const SEND: &str = "call mpi_send(buffer, n, mpi_real, next, 3, mpi_comm_world, code)\n";
const WORK: &str = "do j = 1, m\n  do i = 1, n\n    other(i, j) = field(i, j) * 2\n  end do\nend do\n";

/// A whole program: these declarations besides the usual ones, then these statements, then work and a receive.
fn program(declarations: &str, statements: &str) -> String {
    format!(
        "program main\nuse mpi\nimplicit none\ninteger, parameter :: n = 30, m = 8\n\
         real :: field(n, m), rows(m, n), other(n, m), wide(n + 2, m), halo(n)\n\
         integer :: i, j, k, next, previous, code, rank\ninteger :: state(mpi_status_size)\n{declarations}\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, rank, code)\nnext = 1 - rank\nprevious = next\n\
         {statements}\
         call mpi_recv(halo, n, mpi_real, previous, 3, mpi_comm_world, state, code)\n\
         print *, halo, other\ncall mpi_finalize(code)\nend program\n"
    )
}

fn planned(text: &str, selection: &Selection) -> Plan {
    let found = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(found.files[0].unread.is_empty(), "{:?}", found.files[0].unread);
    plan_program(&found, selection)
}

/// For each send that is transformed: `dropped`, or the code of the reason why its copy stays, or nothing where it sends no
/// copy.
fn outcomes(text: &str) -> Vec<&'static str> {
    let plan = planned(text, &Selection { is_closed: true, ..Selection::default() });
    let sends = plan.decisions.iter().filter(|decision| decision.site.routine.contains("send"));
    sends
        .map(|decision| match &decision.outcome {
            Outcome::Transformed { actions, missed, .. } => {
                let is_dropped = actions.iter().any(|action| action.transformation == Transformation::DropPack);
                let reason = missed.iter().find(|missed| missed.transformation == Transformation::DropPack);
                if is_dropped { "dropped" } else { reason.map_or("", |missed| missed.reason.code.code()) }
            }
            Outcome::Kept { .. } => "kept",
        })
        .collect()
}

fn outcome(declarations: &str, statements: &str) -> &'static str {
    let found = outcomes(&program(declarations, statements));
    assert_eq!(found.len(), 1);
    found[0]
}

/// Of the usual buffer.
fn usual(statements: &[&str]) -> &'static str {
    outcome("real :: buffer(n)\n", &statements.concat())
}

#[test]
fn a_copy_of_a_column_goes() {
    assert_eq!(usual(&[PACK, SEND, WORK]), "dropped");
    assert_eq!(usual(&["buffer(1:n) = field(1:n, m)\n", SEND, WORK]), "dropped");
    assert_eq!(usual(&["buffer = field(:, m)\n", SEND, WORK]), "dropped");
    assert_eq!(usual(&["buffer(:) = field(:, m)\n", "if (rank > 0) then\n", SEND, "end if\n", WORK]), "dropped");
    assert_eq!(
        usual(&[
            "buffer(2:n) = field(2:n, m)\n",
            "call mpi_send(buffer(2), n - 1, mpi_real, next, 3, &\n",
            "  mpi_comm_world, code)\n",
            WORK
        ]),
        "dropped"
    );
}

#[test]
fn so_does_one_of_several_columns() {
    let nest = "do j = 1, m\n  do i = 1, n\n    buffer(i + (j - 1) * n) = field(i, j)\n  end do\nend do\n";
    let send = "call mpi_send(buffer, n * m, mpi_real, next, 3, mpi_comm_world, code)\n";
    let with = |nest: &str| outcome("real :: buffer(n * m)\n", &[nest, send, WORK].concat());
    assert_eq!(with(nest), "dropped");
    assert_eq!(with(&nest.replace("field(i, j)", "wide(i, j)")), "copy-not-exact");
    assert_eq!(with(&nest.replace("field(i, j)", "rows(j, i)")), "copy-not-exact");
    assert_eq!(with(&nest.replace("field(i, j)", "field(i, m + 1 - j)")), "copy-not-exact");
    let outcome = outcome("real :: buffer(n, m)\n", &["buffer = field\n", send, WORK].concat());
    assert_eq!(outcome, "dropped");
}

#[test]
fn what_is_computed_is_no_copy() {
    assert_eq!(usual(&[&PACK.replace("field(i, m)", "field(i, m) * 2"), SEND, WORK]), "");
    assert_eq!(usual(&[&PACK.replace("end do", "  k = i\nend do"), SEND, WORK]), "");
    assert_eq!(usual(&[&PACK.replace("field(i, m)", "field(1, 1)"), SEND, WORK]), "copy-not-exact");
}

#[test]
fn a_copy_that_somebody_looks_at_stays() {
    assert_eq!(usual(&[PACK, SEND, WORK, "print *, buffer(1)\n"]), "copy-buffer-used");
    assert_eq!(usual(&["call show(buffer)\n", PACK, SEND, WORK]), "copy-buffer-used");
    assert_eq!(usual(&["buffer(1) = 0\n", PACK, SEND, WORK]), "copy-buffer-used");
    let with = |declarations: &str| outcome(declarations, &[PACK, SEND, WORK].concat());
    assert_eq!(with("real, target :: buffer(n)\n"), "copy-buffer-used");
    assert_eq!(with("real :: buffer(n), twin(n)\nequivalence (buffer, twin)\n"), "copy-buffer-used");
    assert_eq!(with("real :: buffer(n)\ncommon /shared/ buffer\n"), "copy-buffer-used");
    assert_eq!(with("real, save :: buffer(n)\n"), "dropped");
}

#[test]
fn what_the_buffer_is_asked_for_its_shape_is_no_use() {
    let send = "call mpi_send(buffer, size(buffer), mpi_real, next, 3, mpi_comm_world, code)\n";
    assert_eq!(usual(&[PACK, send, WORK]), "dropped");
    let allocated =
        ["allocate(buffer(n))\n", PACK, &SEND.replace("(buffer", "(buffer(1)"), WORK, "deallocate(buffer)\n"];
    assert_eq!(outcome("real, allocatable :: buffer(:)\n", &allocated.concat()), "dropped");
}

#[test]
fn a_copy_that_is_not_all_of_the_message_stays() {
    assert_eq!(usual(&[&PACK.replace("1, n", "2, n"), SEND, WORK]), "copy-not-exact");
    assert_eq!(usual(&[&PACK.replace("1, n", "1, n, 2"), SEND, WORK]), "copy-not-exact");
    assert_eq!(usual(&[&PACK.replace("1, n", "n, 1, -1"), SEND, WORK]), "copy-not-exact");
    assert_eq!(usual(&[&PACK.replace("field(i, m)", "field(n + 1 - i, m)"), SEND, WORK]), "copy-not-exact");
    assert_eq!(usual(&["buffer = field(n:1:-1, m)\n", SEND, WORK]), "copy-not-exact");
    assert_eq!(usual(&["if (rank == 0) then\n", PACK, "end if\n", SEND, WORK]), "copy-not-exact");
    let rows = PACK.replace("field(i, m)", "rows(m, i)");
    assert_eq!(usual(&[&rows, SEND, WORK]), "copy-not-exact");
}

#[test]
fn types_have_to_be_declared_alike() {
    let with = |declaration: &str| outcome(declaration, &[PACK, SEND, WORK].concat());
    assert_eq!(with("real*4 :: buffer(n)\n"), "copy-not-exact");
    assert_eq!(with("Real  :: buffer(n)\n"), "dropped");
}

#[test]
fn the_array_keeps_its_values_until_the_message_has_left() {
    let change = "field(3, m) = 1\n";
    assert_eq!(usual(&[PACK, change, SEND, WORK]), "access-in-between");
    assert_eq!(usual(&[PACK, "call change(field)\n", SEND, WORK]), "access-in-between");
    assert_eq!(usual(&[PACK, "field(3, 1) = 1\n", SEND, WORK]), "dropped");
    let columns = PACK.replace(", m)", ", k)");
    assert_eq!(usual(&["k = 2\n", &columns, "k = 3\n", SEND, WORK]), "access-in-between");
    // What was sent may then be any of the array, which the work only reads.
    assert_eq!(usual(&["k = 2\n", &columns, SEND, "k = 3\n", WORK]), "dropped");
    let change = "field(1, k + 1) = 1\n";
    assert_eq!(usual(&["k = 2\n", &columns, SEND, change, WORK]), "dropped");
    assert_eq!(usual(&["k = 2\n", &columns, SEND, "k = 3\n", change, WORK]), "copy-hides-more");
    assert_eq!(usual(&["k = 2\n", &columns, SEND, WORK, "k = 3\n"]), "dropped");
}

#[test]
fn of_a_non_blocking_send_until_the_wait() {
    let declarations = "real :: buffer(n)\ninteger :: request, several(2)\n";
    let post = SEND.replace("mpi_send", "mpi_isend").replace("code)", "request, code)");
    let wait = "call mpi_wait(request, mpi_status_ignore, code)\n";
    let with = |statements: &[&str]| outcome(declarations, &statements.concat());
    assert_eq!(with(&[PACK, &post, WORK, wait]), "dropped");
    assert_eq!(with(&[PACK, &post, WORK, "field = 1\n", wait]), "access-in-between");
    assert_eq!(with(&[PACK, &post, WORK, "if (rank == 0) then\n", wait, "end if\n"]), "copy-not-exact");
    let (post, wait) = (post.replace("request", "several(1)"), wait.replace("request", "several(1)"));
    assert_eq!(with(&[PACK, &post, WORK, &wait]), "dropped");
}

#[test]
fn a_wait_that_could_be_put_off_is_not_given_up() {
    let work = WORK.replace("other(i, j) = field(i, j)", "field(i, j) = field(i, j)");
    assert_eq!(usual(&[PACK, SEND, &work]), "copy-hides-more");
}

#[test]
fn loops_that_something_hangs_on_stay() {
    assert_eq!(usual(&[PACK, SEND, WORK, "print *, i\n"]), "copy-stays");
    assert_eq!(usual(&["!$gravel tile 100\n", PACK, SEND, WORK]), "copy-stays");
    assert_eq!(usual(&[&PACK.replace("end do", "#line 7\nend do"), SEND, WORK]), "copy-stays");
    assert_eq!(usual(&["! a copy, for $5\n", PACK, SEND, WORK]), "dropped");
    assert_eq!(usual(&["do i = 1, n; buffer(i) = field(i, m); end do\n", SEND, WORK]), "copy-stays");
    let jumps = ["if (rank > 5) goto 10\n", PACK, "10 continue\n", SEND, WORK];
    assert_eq!(usual(&jumps), "control-in-between");
}

#[test]
fn one_copy_may_serve_several_sends() {
    let receive = "call mpi_recv(halo, n, mpi_real, previous, 3, mpi_comm_world, state, code)\n";
    let text = program("real :: buffer(n)\n", &[PACK, SEND, SEND, WORK, receive].concat());
    assert_eq!(outcomes(&text), ["dropped", "dropped"]);
    let text =
        program("real :: buffer(n)\n", &[PACK, SEND, &PACK.replace("1, n", "2, n"), SEND, WORK, receive].concat());
    assert_eq!(outcomes(&text), ["copy-not-exact", "copy-not-exact"]);
}

#[test]
fn both_sides_of_one_call_are_apart() {
    let call = |receive: &str| {
        format!(
            "call mpi_sendrecv(buffer, n, mpi_real, next, 3, {receive}, n, mpi_real, previous, 3, &\n\
             mpi_comm_world, state, code)\n"
        )
    };
    let with = |receive: &str| {
        let text = program("real :: buffer(n)\n", &[PACK, &call(receive), WORK].concat());
        outcomes(&text.replace("call mpi_recv(halo", "call mpi_sendrecv(other, n, mpi_real, next, 3, halo"))
    };
    assert_eq!(with("field(1, 1)")[0], "dropped");
    assert_eq!(with("field(2, m)")[0], "copy-not-exact");
}

#[test]
fn what_is_replaced_by_a_message_is_copied_first() {
    let call = "call mpi_sendrecv_replace(buffer, n, mpi_real, next, 3, previous, 3, mpi_comm_world, state, code)\n";
    let text = program("real :: buffer(n)\n", &[PACK, call, WORK].concat());
    let text = text.replace("call mpi_recv(halo", "call mpi_sendrecv(other, n, mpi_real, next, 3, halo");
    assert_ne!(outcomes(&text)[0], "dropped");
}

#[test]
fn names_that_stand_for_the_buffer_count() {
    let with = |declarations: &str, more: &[&str]| {
        outcome(&format!("real :: buffer(n)\n{declarations}"), &[&[PACK, SEND, WORK], more].concat().concat())
    };
    let associated = ["associate (other_name => buffer)\n", "print *, other_name(1)\n", "end associate\n"];
    assert_ne!(with("", &associated), "dropped");
    assert_eq!(with("namelist /all/ buffer\n", &["write (*, nml=all)\n"]), "copy-buffer-used");
    assert_ne!(with("real :: first, x\nfirst(x) = buffer(1) + x\n", &["print *, first(1.0)\n"]), "dropped");
}

#[test]
fn loops_may_have_names_and_labels() {
    let named = "fill: do i = 1, n\n  buffer(i) = field(i, m)\nend do fill\n";
    assert_eq!(usual(&[named, SEND, WORK]), "dropped");
    assert_eq!(usual(&["do 7 i = 1, n\n", "7 buffer(i) = field(i, m)\n", SEND, WORK]), "dropped");
}

#[test]
fn it_can_be_switched_off() {
    let mut selection = Selection::default();
    selection.enabled.remove(&Transformation::DropPack);
    let plan = planned(&program("real :: buffer(n)\n", &[PACK, SEND, WORK].concat()), &selection);
    let text = format!("{:?}", plan.decisions);
    assert!(text.contains("not-requested") || text.contains("NotRequested"));
    assert!(text.contains("StripMineProducer"));
}
