//! What calls hand down, and what they give back.

use super::*;

#[test]
fn arguments_of_all_calls_come_together() {
    let found = with_exchange("", "call exchange(u, mpi_comm_world, 3)\ncall exchange(u, mpi_comm_world, 5)", "");
    assert_eq!(sent_by(&found, "exchange"), (tags([3, 5]), world()));
    let found = with_exchange(
        "integer :: comm, tag\ninteger, parameter :: base = 10",
        "comm = mpi_comm_world\ntag = base + 1\ncall mpi_barrier(comm, ierr)\ncall exchange(u, comm, 2 * tag)",
        "",
    );
    assert_eq!(sent_by(&found, "exchange"), (tags([22]), world()));
    let two = with_exchange("", "call exchange(u, mpi_comm_world, 3)\ncall exchange(u, mpi_comm_self, 3)", "");
    let both = BTreeSet::from([CommunicatorSource::World, CommunicatorSource::OwnProcess]);
    assert_eq!(sent_by(&two, "exchange"), (tags([3]), Value::Communicators(both)));
}

#[test]
fn arguments_that_are_left_out_hand_down_nothing() {
    let text = "program main\nuse mpi\ninteger :: comm, ierr\nreal :: u(4)\ncall choose(tag=4, result=comm)\n\
                call mpi_send(u, 4, mpi_real, 1, 4, comm, ierr)\ncontains\n\
                subroutine choose(own, tag, result)\ninteger, optional :: own\ninteger :: tag, result\n\
                result = mpi_comm_world\nif (present(own)) result = own\nend subroutine\nend program\n";
    assert_eq!(sent_by(&program(text), "main"), (tags([4]), world()));
}

#[test]
fn a_communicator_that_is_not_made_yet_is_zero() {
    let with = |number: &str| {
        let text = format!(
            "module own\ninteger :: comm = {number}\nend module\nprogram main\nuse mpi\nuse own\ninteger :: ierr\nreal :: u(4)\n\
             call mpi_comm_dup(mpi_comm_world, comm, ierr)\ncall mpi_send(u, 4, mpi_real, 1, 4, comm, ierr)\nend program\n"
        );
        sent_by(&program(&text), "main").1
    };
    let Value::Communicators(made) = with("-1") else { panic!("only one is made") };
    assert_eq!(made.len(), 1);
    // It is one for some MPIs.
    let Value::Communicators(both) = with("0") else { panic!("it is made, or another one") };
    assert!(both.is_superset(&made) && both.contains(&CommunicatorSource::World) && both.len() == 2);
    assert_eq!(with("1"), Value::Anything);
}

#[test]
fn what_is_only_given_back_hands_down_nothing() {
    let text = "program main\nuse mpi\ninteger :: comm, other, ierr\nreal :: u(4)\nother = 7\ncall choose(other)\n\
                call choose(comm)\ncall mpi_send(u, 4, mpi_real, 1, 4, comm, ierr)\ncontains\n\
                subroutine choose(result)\ninteger, intent(out) :: result\nresult = mpi_comm_world\nend subroutine\n\
                end program\n";
    assert_eq!(sent_by(&program(text), "main"), (tags([4]), world()));
    // The variable itself may hold what it had.
    let both = text.replace("comm, ierr)\ncontains", "other, ierr)\ncontains");
    assert_ne!(sent_by(&program(&both), "main").1, world());
    let whatever = text.replace(", intent(out)", "");
    assert_ne!(sent_by(&program(&whatever), "main").1, world());
}

#[test]
fn keywords_and_functions_hand_down_too() {
    let found = with_exchange("", "call exchange(tag=4, u=u, comm=mpi_comm_world)", "");
    // Without an interface keywords can't be written, but the order is right all the same.
    assert_eq!(sent_by(&found, "exchange"), (tags([4]), world()));
    let found = program(
        "program main\nuse mpi\nreal :: x\nreal, external :: f\nx = f(mpi_comm_world, 6) + f(mpi_comm_world, 7)\nend\n\
         real function f(comm, tag)\nuse mpi\ninteger :: comm, tag, ierr\nreal :: u(4)\nf = 1.0\n\
         call mpi_send(u, 4, mpi_real, 1, tag, comm, ierr)\nend function\n",
    );
    assert_eq!(sent_by(&found, "f"), (tags([6, 7]), world()));
}

/// What is sent by a procedure that is handed `argument` as an array, which the main program declares and sets.
fn sent_of_array(declared: &str, set: &str, argument: &str) -> (Value, Value) {
    let text = format!(
        "program main\nuse mpi\ninteger :: ierr\n{declared}\n{set}\ncall exchange({argument})\nend program\n\
         subroutine exchange(numbers)\nuse mpi\ninteger :: numbers(2), ierr\nreal :: u(4)\n\
         call mpi_send(u, 4, mpi_real, 1, 4, numbers(2), ierr)\nend subroutine\n"
    );
    sent_by(&program(&text), "exchange")
}

#[test]
fn an_array_holds_what_any_element_of_the_callers_does() {
    let comms = "integer :: comms(3)";
    assert_eq!(sent_of_array(comms, "comms(1) = mpi_comm_world", "comms").1, world());
    let both = Value::Communicators(BTreeSet::from([CommunicatorSource::World, CommunicatorSource::OwnProcess]));
    let set = "comms(1) = mpi_comm_world\ncomms(3) = mpi_comm_self";
    for begin in ["comms", "comms(2)", "comms(2:3)", "comms(1)"] {
        assert_eq!(sent_of_array(comms, set, begin).1, both, "{begin}");
    }
    assert_eq!(sent_of_array("integer :: comm", "comm = mpi_comm_world", "comm").1, world());
    assert_eq!(sent_of_array(comms, "call somewhere(comms)", "comms").1, Value::Anything);
}

#[test]
fn memory_that_is_seen_as_other_numbers_may_hold_anything() {
    assert_eq!(sent_of_array("integer(8) :: wide(2)", "wide = 7", "wide").1, Value::Anything);
    assert_eq!(sent_of_array("real :: work(2)", "work = 7", "work").1, Value::Anything);
    let text = "program main\nuse mpi\ninteger :: comms(4), ierr\nreal :: u(4)\ncall choose(comms)\n\
                call mpi_send(u, 4, mpi_real, 1, 4, comms(2), ierr)\nend program\n\
                subroutine choose(wide)\nuse mpi\ninteger(8) :: wide(2)\nwide(1) = mpi_comm_world\nend subroutine\n";
    assert_eq!(sent_by(&program(text), "main").1, Value::Anything);
    let same = text.replace("integer(8) :: wide", "integer :: wide");
    assert_eq!(sent_by(&program(&same), "main").1, world());
}

#[test]
fn an_array_that_begins_at_a_single_component_may_go_on_in_the_next_ones() {
    let with = |shape: &str, element: &str| {
        let text = format!(
            "program main\nuse mpi\ntype grid\nsequence\ninteger :: first, second\nend type\ntype(grid) :: own\n\
             own%first = mpi_comm_world\nown%second = mpi_comm_self\ncall exchange(own%first)\ncontains\n\
             subroutine exchange(numbers)\ninteger :: numbers{shape}, ierr\nreal :: u(4)\n\
             call mpi_send(u, 4, mpi_real, 1, 4, numbers{element}, ierr)\nend subroutine\nend program\n"
        );
        sent_by(&program(&text), "exchange").1
    };
    assert_eq!(with("", ""), world());
    assert_eq!(with("(1)", "(1)"), world());
    assert_eq!(with("(2)", "(2)"), Value::Anything);
    assert_eq!(with("(*)", "(2)"), Value::Anything);
}

#[test]
fn an_array_that_begins_at_a_member_of_a_block_may_go_on_in_the_next_ones() {
    let with = |members: &str, handed: &str, dummy: &str| {
        let through = match handed {
            "through" => "subroutine through(number)\ninteger :: number\ncall exchange(number)\nend subroutine\n",
            _ => "",
        };
        let text = format!(
            "program main\nuse mpi\ninteger :: ierr\ninteger :: {members}\ncommon /numbers/ first, second\n\
             first = 5\nsecond = 6\ncall {handed}(first)\nend program\n{through}\
             subroutine exchange(numbers)\nuse mpi\ninteger :: numbers{dummy}, ierr\nreal :: u(4)\n\
             call mpi_send(u, 4, mpi_real, 1, numbers(1), mpi_comm_world, ierr)\nend subroutine\n"
        );
        sent_by(&program(&text), "exchange").0
    };
    assert_eq!(with("first, second", "exchange", "(1)"), tags([5]));
    assert_eq!(with("first, second", "exchange", "(2)"), Value::Anything);
    assert_eq!(with("first, second", "exchange", "(*)"), Value::Anything);
    assert_eq!(with("first, second", "through", "(2)"), Value::Anything);
    assert_eq!(with("first(2), second", "exchange", "(2)"), tags([5]));
    assert_eq!(with("first(2), second", "exchange", "(3)"), Value::Anything);
    // Nobody is taken to be wrong where it can't be seen.
    assert_eq!(with("first(2), second", "exchange", "(*)"), tags([5]));
}
