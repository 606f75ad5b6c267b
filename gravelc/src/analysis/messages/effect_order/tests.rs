//! Who could notice in which order messages come and go.

use std::path::Path;

use super::is_unnoticed;
use crate::analysis::facts::Facts;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};

const HEAD: &str = "use mpi\nimplicit none\ninteger :: rank, ranks, ierr, k, n, other\nreal :: a(100), b(100)\n";
const SET_UP: &str = "call mpi_init(ierr)\ncall mpi_comm_rank(mpi_comm_world, rank, ierr)\n\
    call mpi_comm_size(mpi_comm_world, ranks, ierr)\n";
const MESSAGES: &str = "call mpi_recv(a, 100, mpi_real, rank - 1, 1, mpi_comm_world, mpi_status_ignore, ierr)\n\
    call mpi_send(b, 100, mpi_real, rank + 1, 1, mpi_comm_world, ierr)\n";

/// Is nothing noticed in a program of these statements and these procedures?
fn unnoticed(statements: &str, procedures: &str) -> bool {
    let statements = statements.replace("MESSAGES\n", MESSAGES);
    let text = format!(
        "program p\n{HEAD}{SET_UP}{statements}call mpi_finalize(ierr)\ncontains\n{}end program\n",
        procedures.replace("MESSAGES\n", MESSAGES)
    );
    let program =
        parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).expect("the text is read");
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    is_unnoticed(&Facts::new(&program))
}

#[test]
fn effects_on_one_side_of_all_messages_notice_nothing() {
    assert!(unnoticed("MESSAGES\n", ""));
    assert!(unnoticed("do k = 1, 5\nMESSAGES\nend do\nprint *, a\n", ""));
    assert!(unnoticed("read *, n\ndo k = 1, n\nMESSAGES\nend do\n", ""));
    assert!(!unnoticed("print *, rank\nMESSAGES\nprint *, a\n", ""));
    assert!(!unnoticed("do k = 1, 5\nMESSAGES\nprint *, k\nend do\n", ""));
}

#[test]
fn where_all_wait_for_all_effects_are_in_order() {
    let barrier = "call mpi_barrier(mpi_comm_world, ierr)\n";
    assert!(unnoticed(&format!("print *, rank\n{barrier}MESSAGES\nprint *, a\n"), ""));
    assert!(unnoticed(&format!("do k = 1, 5\nMESSAGES\n{barrier}print *, k\n{barrier}end do\n"), ""));
    // Behind the last statement of an iteration the next one begins.
    assert!(unnoticed(&format!("do k = 1, 5\n{barrier}MESSAGES\nprint *, k\nend do\n"), ""));
    assert!(!unnoticed(&format!("do k = 1, 5\n{barrier}MESSAGES\nprint *, k\nMESSAGES\nend do\n"), ""));
    // Not on every way.
    assert!(!unnoticed(&format!("print *, rank\nif (rank > 2) then\n{barrier}end if\nMESSAGES\nprint *, a\n"), ""));
    // Of some processes only.
    assert!(!unnoticed("print *, rank\ncall mpi_barrier(other, ierr)\nMESSAGES\nprint *, a\n", ""));
    let sum = |n: &str| format!("call mpi_allreduce(mpi_in_place, a, {n}, mpi_real, mpi_sum, mpi_comm_world, ierr)\n");
    assert!(unnoticed(&format!("print *, rank\n{}MESSAGES\nprint *, a\n", sum("1")), ""));
    // What has no elements need not wait for anybody.
    assert!(!unnoticed(&format!("print *, rank\n{}MESSAGES\nprint *, a\n", sum("n")), ""));
}

#[test]
fn one_process_has_its_effects_in_its_own_order() {
    let by = |condition: &str| format!("do k = 1, 5\nMESSAGES\nif ({condition}) print *, k\nend do\n");
    assert!(unnoticed(&by("rank == 0"), ""));
    assert!(unnoticed(&by("0 == rank .and. mod(k, 2) == 0"), ""));
    assert!(!unnoticed(&by("rank == 0 .or. rank == 1"), ""));
    assert!(!unnoticed(&by("rank /= 0"), ""));
    assert!(!unnoticed(&by("rank == k"), ""));
    assert!(!unnoticed(&by("n == 0"), ""));
    assert!(unnoticed("do k = 1, 5\nMESSAGES\nif (rank /= 0) then\nn = 1\nelse\nprint *, k\nend if\nend do\n", ""));
    // The variable is more than the rank.
    assert!(!unnoticed(&format!("{}rank = 0\n", by("rank == 0")), ""));
    // A procedure that gets it may change it.
    let by_name = "subroutine change(number)\ninteger :: number\nnumber = 0\nend subroutine\n";
    assert!(!unnoticed(&format!("call change(rank)\n{}", by("rank == 0")), by_name));
    // Two of them.
    assert!(!unnoticed("if (rank == 1) print *, 1\nMESSAGES\nif (rank == 0) print *, 2\n", ""));
}

#[test]
fn a_root_orders_what_it_did_before_and_what_it_does_behind() {
    let behind = "MESSAGES\ncall mpi_reduce(a, b, 1, mpi_real, mpi_sum, 0, mpi_comm_world, ierr)\n";
    let before = "if (rank == 1) print *, 1\n";
    assert!(unnoticed(&format!("{before}{behind}if (rank == 0) print *, b\n"), ""));
    assert!(!unnoticed(&format!("{before}{behind}if (rank == 2) print *, b\n"), ""));
    let told = |root: u32| {
        format!(
            "if (rank == 0) read *, n\ncall mpi_bcast(n, 1, mpi_integer, {root}, mpi_comm_world, ierr)\nMESSAGES\nprint *, a\n"
        )
    };
    assert!(unnoticed(&told(0), ""));
    assert!(!unnoticed(&told(1), ""));
    // By keywords, in an order in which the count stands where the root would.
    let by_keywords = |root: u32| {
        format!(
            "if (rank == 2) read *, n\ncall mpi_bcast(buffer=a, root={root}, datatype=mpi_real, count=2, &\n\
             comm=mpi_comm_world, ierror=ierr)\nMESSAGES\nprint *, a\n"
        )
    };
    assert!(unnoticed(&by_keywords(2), ""));
    assert!(!unnoticed(&by_keywords(1), ""));
}

#[test]
fn what_chooses_by_itself_notices() {
    let any = "call mpi_recv(a, 100, mpi_real, mpi_any_source, 1, mpi_comm_world, mpi_status_ignore, ierr)\n";
    assert!(!unnoticed(any, ""));
    // That its receive has been posted, or that there is room again, is what other messages have told.
    let sent = |mode: &str| format!("call mpi_{mode}send(b, 100, mpi_real, rank, 2, mpi_comm_world, ierr)\nMESSAGES\n");
    assert!(unnoticed(&sent(""), ""));
    assert!(!unnoticed(&sent("r"), ""));
    assert!(!unnoticed(&sent("b"), ""));
    let prepared = "call mpi_rsend_init(b, 100, mpi_real, rank, 2, mpi_comm_world, n, ierr)\ncall mpi_start(n, ierr)\n";
    assert!(!unnoticed(&format!("MESSAGES\n{prepared}"), ""));
    assert!(!unnoticed("call mpi_probe(rank, 1, mpi_comm_world, mpi_status_ignore, ierr)\nMESSAGES\n", ""));
}

#[test]
fn a_library_has_effects_and_the_end_of_a_released_send_is_told() {
    let text = format!(
        "program p\n{HEAD}{SET_UP}do k = 1, 5\n{MESSAGES}call library(a)\nend do\ncall mpi_finalize(ierr)\nend\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default());
    let program = program.expect("the text is read");
    assert!(!is_unnoticed(&Facts::with_outside(Outside { program: &program, is_closed: true })));
    let release = "call mpi_isend(b, 100, mpi_real, rank, 2, mpi_comm_world, n, ierr)\n";
    assert!(unnoticed(&format!("{release}MESSAGES\ncall mpi_wait(n, mpi_status_ignore, ierr)\n"), ""));
    assert!(!unnoticed(&format!("{release}call mpi_request_free(n, ierr)\nMESSAGES\n"), ""));
}

#[test]
fn effects_are_followed_through_calls_and_out_of_loops() {
    let quiet = "subroutine work\nb = b + 1\nend subroutine\n";
    let loud = "subroutine work\nb = b + 1\nprint *, 'work'\nend subroutine\n";
    let exchange = "subroutine exchange\nMESSAGES\nend subroutine\n";
    let program = "call work\ncall exchange\nprint *, a\n";
    assert!(unnoticed(program, &format!("{quiet}{exchange}")));
    assert!(!unnoticed(program, &format!("{loud}{exchange}")));
    // A procedure that all call keeps the states of its calls apart.
    let meet = "subroutine meet\ncall mpi_barrier(mpi_comm_world, ierr)\nend subroutine\n";
    let program = "call work\nprint *, rank\ncall meet\ncall work\ncall exchange\ncall work\nprint *, a\n";
    assert!(unnoticed(program, &format!("{quiet}{exchange}{meet}")));
    // EXIT leaves out the rest of the iteration.
    let barrier = "call mpi_barrier(mpi_comm_world, ierr)\n";
    let leaves = format!("do k = 1, 5\nprint *, k\nif (a(1) > b(1)) exit\n{barrier}end do\nMESSAGES\nprint *, a\n");
    assert!(!unnoticed(&leaves, ""));
    assert!(unnoticed(&leaves.replace("MESSAGES\n", &format!("{barrier}MESSAGES\n")), ""));
    let skips = format!("do k = 1, 5\nMESSAGES\nif (a(1) > b(1)) cycle\n{barrier}print *, k\n{barrier}end do\n");
    assert!(unnoticed(&skips, ""));
    // CYCLE leaves it out, too.
    let late = format!("do k = 1, 5\nMESSAGES\nif (a(1) > b(1)) then\nprint *, k\ncycle\nend if\n{barrier}end do\n");
    assert!(!unnoticed(&late, ""));
    assert!(unnoticed(&late.replace("cycle\n", ""), ""));
    // Conditions come before what they decide about, also in each iteration.
    let asks = "logical function asks()\nprint *, k\nasks = k > 3\nend function\n";
    let decides = format!("print *, k\nMESSAGES\nif (asks()) then\n{barrier}else\n{barrier}end if\n");
    assert!(!unnoticed(&decides, asks));
    assert!(unnoticed(&decides.replace("print *, k\nMESSAGES", "MESSAGES"), asks));
    let repeats = format!("do while (asks())\n{barrier}end do\nMESSAGES\nprint *, a\n");
    assert!(!unnoticed(&repeats, asks));
    // With jumps nothing is taken back.
    let jumps = format!("print *, rank\n{barrier}if (a(1) > b(1)) goto 10\nMESSAGES\n10 continue\nprint *, a\n");
    assert!(!unnoticed(&jumps, ""));
    // By whom a procedure is called decides whose its effects are.
    let says = "subroutine say\nprint *, k\nend subroutine\n";
    assert!(unnoticed("do k = 1, 5\nMESSAGES\nif (rank == 0) call say\nend do\n", says));
    assert!(!unnoticed("do k = 1, 5\nMESSAGES\nif (rank == 0) call say\nend do\ncall say\n", says));
}

#[test]
fn what_a_statement_evaluates_hides_no_effect_of_its_own() {
    let function = |inside: &str| format!("integer function asked()\n{inside}asked = 7\nend function\n");
    let message = "call mpi_send(b, 100, mpi_real, rank, 9, mpi_comm_world, ierr)\n";
    assert!(!unnoticed("do k = 1, 5\nMESSAGES\nwrite (*, *) asked()\nend do\n", &function(message)));
    assert!(unnoticed("do k = 1, 5\nMESSAGES\nn = asked()\nend do\n", &function(message)));
    assert!(!unnoticed("do k = 1, 5\nMESSAGES\nn = asked()\nend do\n", &function("print *, 1\n")));
}

/// Is nothing noticed where process 0 alone has effects between messages, by the condition `rank == 0` over a variable that
/// the units declare so and a procedure `other` may change by these statements?
fn unnoticed_by_rank(declared: &str, other: &str, condition: &str) -> bool {
    let text = format!(
        "module m\ntype grid\ninteger :: rank = 3\nend type\ntype(grid) :: own\nend module\n\
         program p\nuse mpi\nuse m\ncall mpi_init(ierr)\ncall solve\ncall mpi_finalize(ierr)\nend\n\
         subroutine solve\nuse mpi\nuse m\nimplicit none\ninteger :: ierr, k\nreal :: a(100), b(100)\n{declared}\n\
         call mpi_comm_rank(mpi_comm_world, {condition}, ierr)\ndo k = 1, 5\n\
         call mpi_recv(a, 100, mpi_real, 1, 1, mpi_comm_world, mpi_status_ignore, ierr)\n\
         call mpi_send(b, 100, mpi_real, 1, 1, mpi_comm_world, ierr)\n\
         if ({condition} == 0) print *, k\ncall other\nend do\nend\n\
         subroutine other\nuse m\nimplicit none\n{other}\nend\n\
         subroutine clear(list, n)\ninteger :: list(*), n\nlist(1:n) = 0\nend\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    is_unnoticed(&Facts::new(&program))
}

#[test]
fn only_the_variable_itself_holds_the_rank() {
    let common = "integer :: first, rank\ncommon /where/ first, rank";
    assert!(unnoticed_by_rank("integer :: rank", "", "rank"));
    assert!(unnoticed_by_rank(common, &format!("{common}\nfirst = 1"), "rank"));
    assert!(!unnoticed_by_rank(common, &format!("{common}\nrank = 1"), "rank"));
    assert!(!unnoticed_by_rank(common, &format!("{common}\ncall clear(first, 2)"), "rank"));
    assert!(!unnoticed_by_rank(common, "integer :: both(2)\ncommon /where/ both\nboth = 1", "rank"));
    assert!(!unnoticed_by_rank("integer :: rank, all(2)\nequivalence (rank, all)", "", "rank"));
    assert!(!unnoticed_by_rank("integer :: rank = 0", "", "rank"));
    assert!(!unnoticed_by_rank("integer :: rank\ndata rank /0/", "", "rank"));
    assert!(!unnoticed_by_rank("", "own%rank = 2", "own%rank"));
}

#[test]
fn a_module_may_hold_the_rank() {
    let text = |change: &str| {
        format!(
            "module m\nuse mpi\ninteger :: rank, ierr\ncontains\nsubroutine know\n\
             call mpi_comm_rank(mpi_comm_world, rank, ierr)\nend subroutine\n\
             subroutine change(number)\ninteger :: number\nnumber = 0\nend subroutine\nend module\n\
             program p\nuse m\nimplicit none\nreal :: a(100), b(100)\ninteger :: k\ncall mpi_init(ierr)\ncall know\n\
             {change}do k = 1, 5\n{MESSAGES}if (rank == 0) print *, k\nend do\ncall mpi_finalize(ierr)\nend program\n"
        )
    };
    let unnoticed = |change: &str| {
        let program = parse_text(Path::new("test.f90"), text(change).into_bytes(), &FrontendOptions::default());
        is_unnoticed(&Facts::new(&program.expect("the text is read")))
    };
    assert!(unnoticed(""));
    assert!(!unnoticed("call change(rank)\n"));
    assert!(!unnoticed("rank = 0\n"));
}
