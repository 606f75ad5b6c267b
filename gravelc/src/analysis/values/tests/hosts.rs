//! Variables that procedures inside another one use.

use super::*;

/// A host of this kind whose contained procedures send with its tag, and change it.
fn host(kind: &str, heading: &str, begin: &str, change: &str, more: &str) -> Program {
    program(&format!(
        "{kind} host{heading}\nuse mpi\nimplicit none\ninteger :: tag\n{begin}\ncall change\ncall inner\ncontains\n\
         subroutine change\n{change}\nend subroutine\n\
         subroutine inner\nreal :: u(4)\ninteger :: ierr\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend subroutine\nend {kind}\n{more}"
    ))
}

#[test]
fn variables_of_a_host_hold_what_any_procedure_inside_stores() {
    assert_eq!(sent_by(&host("program", "", "tag = 1", "tag = 2", ""), "inner").0, tags([1, 2]));
    let called = "program p\ncall host\nend program\n";
    assert_eq!(sent_by(&host("subroutine", "", "tag = 1", "tag = 2", called), "inner").0, tags([1, 2]));
    assert_eq!(sent_by(&host("subroutine", "", "tag = 1", "read (*, *) tag", called), "inner").0, Value::Anything);
    assert_eq!(sent_by(&host("subroutine", "", "tag = 1", "call outside(tag)", called), "inner").0, Value::Anything);
}

#[test]
fn arguments_of_a_host_are_its_callers() {
    let handed = |call: &str, change: &str, more: &str| {
        let main = format!("program p\ninteger :: own\nexternal :: host\nown = 4\n{call}\nend program\n{more}");
        sent_by(&host("subroutine", "(tag)", "", change, &main), "inner").0
    };
    assert_eq!(handed("call host(own)", "continue", ""), tags([4]));
    assert_eq!(handed("call host(own)", "tag = 5", ""), tags([4, 5]));
    assert_eq!(handed("call host(own)\ncall host(7)", "continue", ""), tags([4, 7]));
    let by_name = "subroutine apply(f)\nexternal :: f\ncall f(9)\nend subroutine\n";
    assert_eq!(handed("call host(own)\ncall apply(host)", "continue", by_name), Value::Anything);
}

#[test]
fn what_procedures_inside_leave_in_an_argument_comes_to_the_caller() {
    let found = program(
        "program main\nuse mpi\nimplicit none\ninteger :: tag, ierr\nreal :: u(4)\ntag = 1\ncall host(tag)\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend program\n\
         subroutine host(tag)\ninteger :: tag\ncall inner\ncontains\nsubroutine inner\ntag = 2\nend subroutine\n\
         end subroutine\n",
    );
    assert_eq!(sent_by(&found, "main").0, tags([1, 2]));
}

#[test]
fn variables_of_a_host_with_other_names_are_not_followed() {
    let called = "program p\ncall host\nend program\n";
    let target = "tag = 1\np => tag\np = 3";
    let pointed = host("subroutine", "", target, "continue", called).files[0].text.clone();
    let declared = |attributes: &str| {
        let text = String::from_utf8(pointed.clone()).unwrap();
        let text = text.replacen("integer :: tag\n", &format!("integer, pointer :: p\n{attributes} :: tag\n"), 1);
        sent_by(&program(&text), "inner").0
    };
    assert_eq!(declared("integer, target"), Value::Anything);
    let shared =
        host("subroutine", "", "integer :: other\nequivalence (tag, other)\ntag = 1\nother = 2", "continue", called);
    assert_eq!(sent_by(&shared, "inner").0, Value::Anything);
    let volatile = host("subroutine", "", "volatile :: tag\ntag = 1", "continue", called);
    assert_eq!(sent_by(&volatile, "inner").0, Value::Anything);
}

#[test]
fn an_array_that_a_host_is_handed_is_followed_into_what_it_contains() {
    let array = program(
        "program p\ninteger :: list(2)\nlist = 3\ncall host(list)\nend program\n\
         subroutine host(tag)\nuse mpi\nimplicit none\ninteger :: tag(2)\ncall inner\ncontains\n\
         subroutine inner\nreal :: u(4)\ninteger :: ierr\n\
         call mpi_send(u, 4, mpi_real, 1, tag(1), mpi_comm_world, ierr)\nend subroutine\nend subroutine\n",
    );
    assert_eq!(sent_by(&array, "inner").0, tags([3]));
}
