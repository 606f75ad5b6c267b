//! Components of objects.

use super::*;

/// A program with a type `settings` that has a communicator and a tag, and a procedure that sends with those.
fn with_object(declarations: &str, statements: &str, more: &str) -> Program {
    program(&format!(
        "module kept\nimplicit none\ntype :: settings\nsequence\ninteger :: first\ninteger :: comm\n\
         integer :: tag\ninteger :: list(2)\nend type\ncontains\n\
         subroutine exchange(u, this)\nuse mpi\nreal :: u(4)\ntype(settings) :: this\ninteger :: ierr\n\
         call mpi_send(u, 4, mpi_real, 1, this%tag, this%comm, ierr)\nend subroutine\n{more}\nend module\n\
         program main\nuse mpi\nuse kept\nimplicit none\ninteger :: ierr\nreal :: u(4)\n{declarations}\n{statements}\n\
         end program\n"
    ))
}

/// What the procedure sends with where the program has these statements on an object `it`.
fn of_object(statements: &str) -> (Value, Value) {
    let declarations = "type(settings), target :: it\ntype(settings) :: other";
    let begin = "it%comm = mpi_comm_world\nit%tag = 3";
    let found = with_object(declarations, &format!("{begin}\n{statements}\ncall exchange(u, it)"), "");
    sent_by(&found, "exchange")
}

#[test]
fn components_of_all_objects_come_together() {
    assert_eq!(of_object("it%first = 7"), (tags([3]), world()));
    assert_eq!(of_object("other = it\nother%tag = 5\nit = (other)"), (tags([3, 5]), world()));
    assert_eq!(of_object("other%tag = it%tag + 1\nit%list(2) = 9").0, Value::Anything, "it grows");
    assert_eq!(of_object("it%tag = it%list(1)\nit%list(2) = 9").0, tags([3, 9]));
    assert_eq!(of_object("call mpi_comm_rank(it%comm, it%first, ierr)"), (tags([3]), world()));
    assert_eq!(of_object("call mpi_bcast(it%first, 1, mpi_integer, 0, it%comm, ierr)"), (tags([3]), world()));
    assert_eq!(of_object("read (*, *) it%list"), (tags([3]), world()));
    let made = of_object("call mpi_comm_dup(mpi_comm_world, it%comm, ierr)").1;
    assert!(matches!(&made, Value::Communicators(sources) if sources.len() == 2), "{made:?}");
}

#[test]
fn a_component_that_is_written_as_something_else_may_hold_anything() {
    for statements in [
        "call mpi_bcast(it%first, 3, mpi_integer, 0, mpi_comm_world, ierr)",
        "call mpi_bcast(it%list, 3, mpi_integer, 0, mpi_comm_world, ierr)",
        "call mpi_bcast(it%first, 1, it%list(1), 0, mpi_comm_world, ierr)",
        "call mpi_bcast(it, 1, it%list(1), 0, mpi_comm_world, ierr)",
        "call mpi_recv(it%first, 2, mpi_integer, 0, 1, mpi_comm_self, mpi_status_ignore, ierr)",
        "read (*, *) it",
        "it = settings(1, 2, 3, [4, 5])",
        "other = transfer([1, 2, 3, 4, 5], other)",
    ] {
        assert_eq!(of_object(statements), (Value::Anything, Value::Anything), "{statements}");
    }
    let by_pointer = with_object(
        "type(settings), target :: it\ninteger, pointer :: p",
        "it%comm = mpi_comm_world\nit%tag = 3\np => it%tag\np = 4\ncall exchange(u, it)",
        "",
    );
    assert_eq!(sent_by(&by_pointer, "exchange"), (Value::Anything, world()));
    let by_array = with_object(
        "type(settings) :: it\nexternal :: clear",
        "it%comm = mpi_comm_world\nit%tag = 3\ncall fill(it%list(1:1))\ncall exchange(u, it)",
        "subroutine fill(list)\ninteger :: list(1)\nlist = 2\nend subroutine",
    );
    assert_eq!(sent_by(&by_array, "exchange"), (tags([3]), world()));
    let under = with_object(
        "type(settings) :: it\ninteger :: list(5)\nequivalence (it, list)",
        "it%comm = mpi_comm_world\nit%tag = 3\nlist = 2\ncall exchange(u, it)",
        "",
    );
    assert_eq!(sent_by(&under, "exchange"), (Value::Anything, Value::Anything));
    let as_numbers = with_object(
        "type(settings) :: it\nexternal :: clear",
        "it%comm = mpi_comm_world\nit%tag = 3\ncall clear(it)\ncall exchange(u, it)",
        "end module\nsubroutine clear(list)\ninteger :: list(5)\nlist = 0\nend subroutine\nmodule empty",
    );
    assert_eq!(sent_by(&as_numbers, "exchange"), (Value::Anything, Value::Anything));
}

#[test]
fn components_begin_with_what_their_type_says() {
    let found = program(
        "program main\nuse mpi\nimplicit none\ntype :: settings\ninteger :: comm = mpi_comm_world\n\
         integer :: tag = 3\nend type\ntype :: outer\ntype(settings), allocatable :: of(:)\nend type\n\
         type(outer) :: it\nreal :: u(4)\ninteger :: ierr\nallocate (it%of(2))\n\
         it%of(2)%tag = 4\ncall mpi_send(u, 4, mpi_real, 1, it%of(1)%tag, it%of(2)%comm, ierr)\nend program\n",
    );
    assert_eq!(sent_by(&found, "main"), (tags([3, 4]), world()));
}

/// What the procedure sends with where a type has these components, and a program with an object `it` has these statements.
fn of_object_with(components: &str, statements: &str, more: &str) -> (Value, Value) {
    let found = program(&format!(
        "module kept\nimplicit none\ntype :: settings\nsequence\n{components}\ninteger :: comm\ninteger :: tag\n\
         end type\nend module\n\
         program main\nuse mpi\nuse kept\nimplicit none\ninteger :: ierr\nreal :: u(4)\n\
         type(settings), target :: it\ninteger, pointer :: p\nreal, pointer :: q\n\
         it%comm = mpi_comm_world\nit%tag = 3\n{statements}\n\
         call mpi_send(u, 4, mpi_real, 1, it%tag, it%comm, ierr)\nend program\n{more}\n"
    ));
    sent_by(&found, "main")
}

#[test]
fn what_pointers_lead_to_does_not_lie_in_the_object() {
    let components = "integer, pointer :: numbers(:)\ninteger, pointer :: one";
    for statement in [
        "call mpi_bcast(it%numbers(it%tag), it%tag, mpi_integer, 0, mpi_comm_world, ierr)",
        "call mpi_bcast(it%numbers, 9, mpi_byte, 0, mpi_comm_world, ierr)",
        "call clear(it%numbers)",
        "allocate (it%numbers(it%tag))",
        "it%numbers => it%numbers(2:)",
        "it%one => it%numbers(2)\ncall mpi_bcast(it%one, 1, mpi_integer, 0, mpi_comm_world, ierr)",
    ] {
        let clear = "subroutine clear(list)\ninteger :: list(5)\nlist = 0\nend subroutine";
        assert_eq!(of_object_with(components, statement, clear), (tags([3]), world()), "{statement}");
    }
}

#[test]
fn what_is_allocated_does_not_lie_in_the_object() {
    let program = |components: &str, statement: &str| {
        let found = program(&format!(
            "module kept\nimplicit none\ntype :: tile\nreal :: edge(4)\ninteger :: comm, tag\nend type\n\
             type :: settings\n{components}\ninteger :: comm\ninteger :: tag\nend type\nend module\n\
             program main\nuse mpi\nuse kept\nimplicit none\ninteger :: ierr, column\nreal :: u(4)\n\
             type(settings) :: it\nit%comm = mpi_comm_world\nit%tag = 3\nallocate (it%values(9, 9))\n\
             call mpi_type_vector(3, 1, 9, mpi_real, column, ierr)\n{statement}\n\
             call mpi_send(u, 4, mpi_real, 1, it%tag, it%comm, ierr)\nend program\n"
        ));
        sent_by(&found, "main")
    };
    for statement in [
        "call mpi_recv(it%values(1, 2), 1, column, 0, 1, mpi_comm_self, mpi_status_ignore, ierr)",
        "call mpi_irecv(it%values, it%tag, column, 0, 1, mpi_comm_self, ierr, ierr)",
        "call mpi_bcast(it%values(2, 1), 4, mpi_byte, 0, mpi_comm_self, ierr)",
    ] {
        let of = |components: &str| program(components, statement);
        assert_eq!(of("real, allocatable :: values(:, :)"), (tags([3]), world()), "{statement}");
        assert_eq!(of("real, pointer :: values(:, :)"), (tags([3]), world()), "{statement}");
    }
    // An element of what is allocated is an object itself, and holds what it holds.
    let within = "call mpi_recv(it%values(1, 1)%edge(1), 1, column, 0, 1, mpi_comm_self, mpi_status_ignore, ierr)\n\
                  it%values(1, 1)%comm = it%comm\nit%values(1, 1)%tag = it%tag\n\
                  call mpi_send(u, 4, mpi_real, 1, it%values(1, 1)%tag, it%values(1, 1)%comm, ierr)";
    let lost = (Value::Anything, Value::Anything);
    assert_eq!(program("type(tile), allocatable :: values(:, :)", within), lost);
}

#[test]
fn a_pointer_to_a_single_component_may_lead_beyond_it() {
    let of = |statements: &str| {
        of_object_with(
            "integer :: first",
            &format!("p => it%first\n{statements}"),
            "subroutine clear(list)\ninteger :: list(2)\nlist = 0\nend subroutine",
        )
    };
    assert_eq!(of("p = 7"), (tags([3]), world()));
    assert_eq!(of("call mpi_bcast(p, 1, mpi_integer, 0, mpi_comm_world, ierr)"), (tags([3]), world()));
    let lost = (Value::Anything, Value::Anything);
    assert_eq!(of("call mpi_bcast(p, 2, mpi_integer, 0, mpi_comm_world, ierr)"), lost);
    assert_eq!(of("call mpi_bcast(p, it%tag, mpi_integer, 0, mpi_comm_world, ierr)"), lost);
    assert_eq!(of("call mpi_recv(p, 2, mpi_integer, 0, 1, mpi_comm_self, mpi_status_ignore, ierr)"), lost);
    assert_eq!(of("call clear(p)"), lost);
}

#[test]
fn a_component_may_be_handed_down_as_something_else_within_its_bounds() {
    let of = |argument: &str, dummy: &str, set: &str| {
        let more = format!("subroutine change(it)\n{dummy} :: it\n{set}\nend subroutine");
        of_object_with("real :: list(6)\ncharacter(len=8) :: name", &format!("call change({argument})"), &more)
    };
    let known = (tags([3]), world());
    let lost = (Value::Anything, Value::Anything);
    assert_eq!(of("it%list(5)", "complex", "it = (0.0, 1.0)"), known);
    assert_eq!(of("it%list(6)", "complex", "it = (0.0, 1.0)"), lost);
    assert_eq!(of("it%list(it%tag)", "complex", "it = (0.0, 1.0)"), lost);
    assert_eq!(of("it%list", "complex, dimension(3)", "it = (0.0, 1.0)"), known);
    assert_eq!(of("it%list(2)", "complex, dimension(3)", "it = (0.0, 1.0)"), lost);
    assert_eq!(of("it%list", "complex, dimension(*)", "it(1) = (0.0, 1.0)"), lost);
    assert_eq!(of("it%name", "character(len=*)", "it = 'a'"), known);
    assert_eq!(of("it%name", "character(*)", "it = 'a'"), known);
    assert_eq!(of("it%name", "character*(*)", "it = 'a'"), known);
    assert_eq!(of("it%name", "character(len=9)", "it = 'a'"), lost);
}
