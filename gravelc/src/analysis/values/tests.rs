//! What variables hold, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::facts::SiteId;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Communication, Operation, Partner, StatementKind};

mod arguments;
mod functions;
mod hosts;
mod objects;
mod origins;

fn program(text: &str) -> Program {
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    program
}

/// The values of tag and communicator of the first send in the procedure `name`.
fn sent_by(program: &Program, name: &str) -> (Value, Value) {
    sent_by_of(program, name, false)
}

fn sent_by_of(program: &Program, name: &str, is_closed: bool) -> (Value, Value) {
    let (id, body) = program.procedures().find(|(_, procedure)| procedure.name == name).unwrap();
    let message = body
        .statements
        .iter()
        .find_map(|statement| match &statement.kind {
            StatementKind::Communication(communication) => communication.sent(),
            _ => None,
        })
        .unwrap();
    let values = Values::of(&Facts::with_outside(Outside { program, is_closed }));
    let Partner::Process { tag, .. } = &message.partner else { panic!("not sent to one process") };
    (values.of_expression(program, id, tag), values.of_expression(program, id, &message.communicator))
}

fn tags<const N: usize>(tags: [i64; N]) -> Value {
    Value::Integers(BTreeSet::from(tags))
}

fn world() -> Value {
    Value::communicator(CommunicatorSource::World)
}

/// A main program with these declarations and statements, a subroutine that sends on `comm` with `tag`, and more.
fn with_exchange(declarations: &str, statements: &str, more: &str) -> Program {
    program(&format!(
        "program main\nuse mpi\nimplicit none\ninteger :: ierr\nreal :: u(4)\n{declarations}\n{statements}\nend program\n\
         subroutine exchange(u, comm, tag)\nuse mpi\nimplicit none\nreal :: u(4)\ninteger :: comm, tag, ierr\n\
         call mpi_send(u, 4, mpi_real, 1, tag, comm, ierr)\nend subroutine\n{more}\n"
    ))
}

#[test]
fn what_could_be_called_from_elsewhere_is_not_known() {
    let library = program(
        "subroutine only(tag)\nuse mpi\ninteger :: tag, ierr\nreal :: u(4)\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend subroutine\n\
         subroutine user\ncall only(3)\nend subroutine\n",
    );
    assert_eq!(sent_by(&library, "only").0, Value::Anything);
    let leaves = with_exchange("", "call exchange(u, mpi_comm_world, 3)\ncall elsewhere()", "");
    assert_eq!(sent_by(&leaves, "exchange"), (Value::Anything, Value::Anything));
    let known = with_exchange(
        "double precision :: x(3), y(3)",
        "call exchange(u, mpi_comm_world, 3)\ncall daxpy(3, 1.0d0, x, 1, y, 1)",
        "",
    );
    assert_eq!(sent_by(&known, "exchange"), (tags([3]), world()));
    let passed_on = with_exchange(
        "external :: exchange\ninteger :: op",
        "call exchange(u, mpi_comm_world, 3)\ncall mpi_op_create(exchange, .true., op, ierr)",
        "",
    );
    assert_eq!(sent_by(&passed_on, "exchange").0, Value::Anything);
}

#[test]
fn a_library_calls_its_error_handler() {
    let found = program(
        "program main\nuse mpi\ncall xerbla('x', 3)\nend\nsubroutine xerbla(name, tag)\nuse mpi\n\
         character(*) :: name\ninteger :: tag, ierr\nreal :: u(4)\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend subroutine\n",
    );
    assert_eq!(sent_by(&found, "xerbla").0, Value::Anything);
}

#[test]
fn what_a_procedure_leaves_in_its_arguments_counts() {
    let changed = "subroutine change(t)\ninteger :: t\nt = 9\nend subroutine\n";
    let through = "subroutine through(t)\ninteger :: t\ncall change(t)\nend subroutine\n";
    let more = format!("{changed}{through}");
    let found =
        with_exchange("integer :: tag", "tag = 1\ncall through(tag)\ncall exchange(u, mpi_comm_world, tag)", &more);
    assert_eq!(sent_by(&found, "exchange").0, tags([1, 9]));
    let read = "subroutine input(t)\ninteger :: t\nread (*, *) t\nend subroutine\n";
    let found =
        with_exchange("integer :: tag", "tag = 1\ncall input(tag)\ncall exchange(u, mpi_comm_world, tag)", read);
    assert_eq!(sent_by(&found, "exchange").0, Value::Anything);
    let part = "subroutine clear(t)\ninteger :: t(1)\nt(1) = 0\nend subroutine\n";
    let found =
        with_exchange("integer :: tag", "tag = 1\ncall clear(tag)\ncall exchange(u, mpi_comm_world, tag)", part);
    assert_eq!(sent_by(&found, "exchange").0, tags([0, 1]));
    let by_value = "subroutine keep(t)\ninteger, value :: t\nt = 9\nend subroutine\n";
    let found =
        with_exchange("integer :: tag", "tag = 1\ncall keep(tag)\ncall exchange(u, mpi_comm_world, tag)", by_value);
    assert_eq!(sent_by(&found, "exchange").0, tags([1]));
}

#[test]
fn a_dummy_with_a_value_of_its_own_begins_with_the_callers() {
    let found = program(
        "program main\nuse mpi\ncall send(3)\nend\nsubroutine send(tag)\nuse mpi\ninteger, value :: tag\n\
         integer :: ierr\nreal :: u(4)\nif (u(1) > 0.0) tag = 5\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend subroutine\n",
    );
    assert_eq!(sent_by(&found, "send").0, tags([3, 5]));
}

#[test]
fn recursion_ends() {
    let found = program(
        "program main\nuse mpi\ncall pass(1, mpi_comm_world)\nend\n\
         recursive subroutine pass(tag, comm)\nuse mpi\ninteger :: tag, comm, ierr\nreal :: u(4)\n\
         call mpi_send(u, 4, mpi_real, 1, tag, comm, ierr)\nif (tag < 3) call pass(tag + 1, comm)\nend subroutine\n",
    );
    assert_eq!(sent_by(&found, "pass"), (Value::Anything, world()));
}

fn with_module(setting: &str) -> Program {
    program(&format!(
        "module m\nuse mpi\ninteger :: comm, tag\ncontains\nsubroutine exchange\ninteger :: ierr\nreal :: u(4)\n\
         call mpi_send(u, 4, mpi_real, 1, tag, comm, ierr)\nend subroutine\nend module\n\
         program main\nuse mpi\nuse m, only: kom => comm, tag, exchange\ninteger :: ierr\n{setting}\ncall exchange\nend\n"
    ))
}

#[test]
fn variables_of_modules_are_followed_under_every_name() {
    let found = with_module("tag = 2\nkom = mpi_comm_world");
    assert_eq!(sent_by(&found, "exchange"), (tags([2]), world()));
    let twice = with_module("tag = 2\ntag = 4\nkom = mpi_comm_world");
    assert_eq!(sent_by(&twice, "exchange"), (tags([2, 4]), world()));
    let broadcast =
        with_module("tag = 2\nkom = mpi_comm_world\ncall mpi_bcast(tag, 1, mpi_integer, 0, mpi_comm_world, ierr)");
    assert_eq!(sent_by(&broadcast, "exchange"), (Value::Anything, world()));
    let reordered = with_module(
        "tag = 2\nkom = mpi_comm_world\n\
         call mpi_bcast(comm=mpi_comm_world, count=1, datatype=mpi_integer, root=0, buffer=tag, ierror=ierr)",
    );
    assert_eq!(sent_by(&reordered, "exchange"), (Value::Anything, world()));
    let open = with_module("tag = 2\nkom = mpi_comm_world\ncall elsewhere");
    assert_eq!(sent_by(&open, "exchange"), (Value::Anything, Value::Anything));
}

#[test]
fn made_communicators_are_known_by_their_place() {
    let found = with_module("tag = 1\ncall mpi_comm_dup(mpi_comm_world, kom, ierr)\ncall mpi_comm_free(kom, ierr)");
    let (main, body) = found.procedures().find(|(_, procedure)| procedure.name == "main").unwrap();
    let is_creation = |found: &Communication| matches!(found.operation, Operation::CreateCommunicator { .. });
    let statement = body
        .statements_in_order()
        .into_iter()
        .find(|&id| {
            matches!(&body.statement(id).kind, StatementKind::Communication(communication) if is_creation(communication))
        })
        .unwrap();
    let site = SiteId { procedure: main, statement };
    assert_eq!(sent_by(&found, "exchange").1, Value::communicator(CommunicatorSource::CreatedAt(site)));
}

#[test]
fn hidden_names_are_not_followed() {
    let pointed = with_exchange(
        "integer, target :: tag\ninteger, pointer :: p",
        "tag = 1\np => tag\np = 2\ncall exchange(u, mpi_comm_world, tag)",
        "",
    );
    assert_eq!(sent_by(&pointed, "exchange").0, Value::Anything);
    let shared = with_exchange(
        "integer :: tag, other\nequivalence (tag, other)",
        "tag = 1\nother = 2\ncall exchange(u, mpi_comm_world, tag)",
        "",
    );
    assert_eq!(sent_by(&shared, "exchange").0, Value::Anything);
    let initial = with_exchange("integer :: tag = 7", "call exchange(u, mpi_comm_world, tag)", "");
    assert_eq!(sent_by(&initial, "exchange").0, tags([7]));
    let changed = |declarations: &str, before: &str, more: &str| {
        let statements = format!("{before}\ncall exchange(u, mpi_comm_world, tag)");
        sent_by(&with_exchange(declarations, &statements, more), "exchange").0
    };
    assert_eq!(changed("integer, save :: tag = 3 + 4", "tag = 9", ""), tags([7, 9]));
    assert_eq!(changed("integer :: tag = 7", "read *, tag", ""), Value::Anything);
    assert_eq!(changed("integer :: tag = 7, other\nequivalence (tag, other)", "", ""), Value::Anything);
    assert_eq!(changed("integer :: tag = 7\nnamelist /group/ tag", "", ""), Value::Anything);
    assert_eq!(changed("integer :: tag = 7\ntarget :: tag", "", ""), Value::Anything);
    assert_eq!(changed("integer :: tag\ndata tag /7/", "", ""), tags([7]));
    let add = "subroutine add(tag)\ninteger :: tag\ntag = 8\nend subroutine\n";
    assert_eq!(changed("integer :: tag = 7", "call add(tag)", add), tags([7, 8]));
    let grown = "subroutine grow(u)\nuse mpi\nreal :: u(4)\ninteger :: own = 1\nown = own + 1\n\
                 call exchange(u, mpi_comm_world, own)\nend subroutine\n";
    assert_eq!(sent_by(&with_exchange("", "call grow(u)", grown), "exchange").0, Value::Anything);
    let of_module = |statement: &str| {
        let found = program(&format!(
            "module m\ninteger :: tag = 5\nend module\nprogram main\nuse mpi\nuse m\nreal :: u(4)\n{statement}\n\
             call send(u)\nend program\nsubroutine send(u)\nuse mpi\nuse m, only: t => tag\nreal :: u(4)\n\
             call mpi_send(u, 4, mpi_real, 1, t, mpi_comm_world, i)\nend subroutine\n"
        ));
        sent_by(&found, "send").0
    };
    assert_eq!(of_module(""), tags([5]));
    assert_eq!(of_module("tag = 6"), tags([5, 6]));
    assert_eq!(of_module("call unknown(tag)"), Value::Anything);
    let counted = with_exchange("integer :: tag", "do tag = 1, 2\ncall exchange(u, mpi_comm_world, tag)\nend do", "");
    assert_eq!(sent_by(&counted, "exchange").0, Value::Anything);
    let common = with_exchange(
        "integer :: tag\ncommon /c/ tag",
        "tag = 1\ncall change\ncall exchange(u, mpi_comm_world, tag)",
        "subroutine change\ninteger :: other\ncommon /c/ other\nother = 2\nend subroutine\n",
    );
    assert_eq!(sent_by(&common, "exchange").0, tags([1, 2]));
    let cut_otherwise = with_exchange(
        "integer :: tag, more\ncommon /c/ more, tag",
        "tag = 1\ncall change\ncall exchange(u, mpi_comm_world, tag)",
        "subroutine change\ninteger :: other(2)\ncommon /c/ other\nother = 2\nend subroutine\n",
    );
    assert_eq!(sent_by(&cut_otherwise, "exchange").0, Value::Anything);
    let given_a_value = with_exchange(
        "integer :: tag\ncommon /c/ tag",
        "call exchange(u, mpi_comm_world, tag)",
        "block data\ncommon /c/ k\ndata k /5/\nend block data\n",
    );
    assert_eq!(sent_by(&given_a_value, "exchange").0, Value::Anything);
}

#[test]
fn closed_files_call_libraries_that_keep_to_themselves() {
    let library = with_exchange("", "call exchange(u, mpi_comm_world, 3)\ncall elsewhere()", "");
    assert_eq!(sent_by_of(&library, "exchange", true), (tags([3]), world()));
    let dummy = with_exchange(
        "external :: exchange",
        "call exchange(u, mpi_comm_world, 3)\ncall apply(exchange)",
        "subroutine apply(f)\nexternal :: f\nreal :: u(4)\ncall f(u, 1, 9)\nend subroutine\n",
    );
    assert_eq!(sent_by_of(&dummy, "exchange", true).0, Value::Anything);
    let generic = "module m\ninterface send\nmodule procedure send_real\nend interface\ncontains\n\
         subroutine send_real(u, tag)\nuse mpi\nreal :: u(4)\ninteger :: tag, ierr\n\
         call mpi_send(u, 4, mpi_real, 1, tag, mpi_comm_world, ierr)\nend subroutine\nend module\n\
         program main\nuse m, other => send\nreal :: u(4)\ncall send_real(u, 1)\ncall other(u, 2)\nend\n";
    assert_eq!(sent_by_of(&program(generic), "send_real", true).0, tags([1, 2]));
    // What else is behind the name can't be told.
    let more = generic.replace("procedure send_real\n", "procedure send_real, send_more\n");
    assert_eq!(sent_by_of(&program(&more), "send_real", true).0, Value::Anything);
}

/// A main program that sends with `tag` once it holds 1 and one of these statements has run.
fn tag_after(declarations: &str, statement: &str, more: &str) -> Value {
    let found = with_exchange(
        &format!("integer :: i, n, status(mpi_status_size)\ncharacter(80) :: text\n{declarations}"),
        &format!(
            "tag = 1\ncall mpi_comm_size(mpi_comm_world, n, ierr)\n{statement}\ncall exchange(u, mpi_comm_world, tag)"
        ),
        more,
    );
    sent_by(&found, "exchange").0
}

#[test]
fn whatever_stores_to_a_variable_makes_it_unknown() {
    let statements = [
        "read (*, *) tag",
        "read (*, *) i, (tag, i = 1, n)",
        "read (text, '(i3)') tag",
        "read (5, '(a)', advance='no', size=tag, iostat=i) text",
        "open (7, file='data', iostat=tag)",
        "open (newunit=tag, file='data')",
        "close (7, iostat=tag)",
        "write (7, iostat=tag) u",
        "rewind (7, iostat=tag)",
        "inquire (7, number=tag)",
        "inquire (iolength=tag) u",
        "call mpi_comm_rank(mpi_comm_world, tag, ierr)",
        "call mpi_comm_rank(ierror=ierr, rank=tag, comm=mpi_comm_world)",
        "call mpi_barrier(mpi_comm_world, tag)",
        "call mpi_bcast(tag, 1, mpi_integer, 0, mpi_comm_world, ierr)",
        "call mpi_recv(tag, 1, mpi_integer, 0, 0, mpi_comm_world, status, ierr)",
        "call mpi_get_count(status, mpi_real, tag, ierr)",
        "call system_clock(tag)",
        "call get_command_argument(1, text, tag)",
        "call get_environment_variable('TAG', text, length=tag)",
        "call mvbits(n, 0, 3, tag, 0)",
        "call execute_command_line('true', exitstat=tag)",
        "do tag = 1, n\nu(1) = 0\nend do",
        "do concurrent (i = 1:1)\ntag = n\nend do",
        "if (n > 1) tag = n",
        "where (u > 0) u = 0\ntag = count(u > 0)",
        "tag = tag + 1",
    ];
    for statement in statements {
        assert_eq!(tag_after("integer :: tag", statement, ""), Value::Anything, "{statement}");
    }
    let declared = [
        ("integer, target :: tag\ninteger, pointer :: p", "p => tag\np = n"),
        ("integer :: tag, other\nequivalence (tag, other)", "other = n"),
        ("integer :: tag, other(2)\nequivalence (tag, other(2))", "other = n"),
        ("integer :: tag\nnamelist /settings/ tag", "read (*, nml=settings)"),
        ("integer :: tag\nreal, allocatable :: a(:)", "allocate (a(n), stat=tag)"),
        ("integer :: tag\nreal, allocatable :: a(:)", "deallocate (a, stat=tag)"),
        ("integer :: tag", "associate (other => tag)\nother = n\nend associate"),
        ("integer :: tag", "block\ninteger :: i\ni = n\ntag = i\nend block"),
    ];
    for (declarations, statement) in declared {
        assert_eq!(tag_after(declarations, statement, ""), Value::Anything, "{declarations}\n{statement}");
    }
    let elsewhere =
        "subroutine other()\ninteger :: name, n\ncommon /block/ name\nread *, n\nname = n\nend subroutine\n";
    assert_eq!(tag_after("integer :: tag\ncommon /block/ tag", "call other()", elsewhere), Value::Anything);
    let behind = "integer :: tag, before(2)\ncommon /block/ before, tag";
    assert_eq!(tag_after(behind, "before(3) = n", ""), Value::Anything);
    assert_eq!(tag_after(behind, "do i = 1, 3\nbefore(i) = n\nend do", ""), Value::Anything);
    assert_eq!(tag_after(behind, "do i = 1, 2\nbefore(i) = n\nend do", ""), tags([1]));
}

#[test]
fn a_number_given_at_the_declaration_counts_as_stored() {
    assert_eq!(tag_after("integer :: tag = 8", "", ""), tags([1, 8]));
    assert_eq!(tag_after("integer :: tag\ndata tag /8/", "", ""), tags([1, 8]));
    assert_eq!(tag_after("integer :: tag\ndata tag /z'8'/", "", ""), Value::Anything);
    assert_eq!(tag_after("integer :: tag", "if (n > 1) tag = 2", ""), tags([1, 2]));
}

/// The tag of a message that is sent with `expression` as its tag.
fn tag_of(declarations: &str, statements: &str, expression: &str) -> Value {
    let text = format!(
        "program main\nuse mpi\nimplicit none\nreal :: u(4)\ninteger :: ierr, i, n\n{declarations}\nread *, n\n\
         {statements}\ncall mpi_send(u, 4, mpi_real, 1, {expression}, mpi_comm_world, ierr)\nend program\n"
    );
    sent_by(&program(&text), "main").0
}

#[test]
fn elements_of_constant_arrays_are_told_apart() {
    let constant = "integer, parameter :: t(4) = (/3, 1, 4, 15/)";
    assert_eq!(tag_of(constant, "", "t(2)"), tags([1]));
    assert_eq!(tag_of(constant, "", "t(1 + 2) * 10"), tags([40]));
    assert_eq!(tag_of(constant, "i = n", "t(i)"), tags([1, 3, 4, 15]));
    assert_eq!(tag_of(constant, "", "t(5)"), Value::Anything);
    assert_eq!(tag_of("integer, parameter :: t(0:1) = [integer :: 7, 8]", "", "t(0)"), tags([7]));
    assert_eq!(tag_of("integer, parameter :: t(*) = [7, 8]", "", "t(2)"), tags([8]));
    assert_eq!(tag_of("integer t, n1\nparameter (n1 = 2)\ndimension t(n1)\nparameter (t = 5)", "", "t(2)"), tags([5]));
    let square = "integer, parameter :: t(2, 0:1) = reshape([1, 2, 3, 4], [2, 2])";
    assert_eq!(tag_of(square, "", "t(2, 0)"), tags([2]));
    assert_eq!(tag_of(square, "", "t(1, 1)"), tags([3]));
    let ordered = "integer, parameter :: t(2, 2) = reshape([1, 2, 3, 4], [2, 2], order=[2, 1])";
    assert_eq!(tag_of(ordered, "", "t(2, 1)"), Value::Anything);
    assert_eq!(tag_of("integer, parameter :: t(2) = int([1.5, 2.5])", "", "t(2)"), Value::Anything);
    assert_eq!(tag_of("integer, parameter :: t(2) = [1, 2], s = t(2) + 5", "", "s"), tags([7]));
}

#[test]
fn elements_of_arrays_that_are_never_assigned_are_told_apart() {
    let declared = "integer :: t(3) = [5, 6, 7]";
    assert_eq!(tag_of(declared, "", "t(2)"), tags([6]));
    assert_eq!(tag_of(declared, "i = n", "t(i)"), tags([5, 6, 7]));
    for data in ["data t /5, 6, 7/", "data t(1), t(3), t(2) /5, 7, 6/", "data t(3) /7/, t(1), t(2) /5, 6/"] {
        assert_eq!(tag_of(&format!("integer :: t(3)\n{data}"), "", "t(3)"), tags([7]), "{data}");
    }
    assert_eq!(tag_of("integer :: t(4), s\nreal :: x(2)\ndata x, s, t /2*1.0, 9, 3*8, 2/", "", "t(3)"), tags([8]));
    assert_eq!(tag_of("integer :: t(4), s\nreal :: x(2)\ndata x, s, t /2*1.0, 9, 3*8, 2/", "", "s"), tags([9]));
    assert_eq!(tag_of("integer t /7/", "", "t"), tags([7]));
    assert_eq!(tag_of("integer :: t(3)\ndata (t(i), i = 1, 3) /5, 6, 7/", "", "t(3)"), Value::Anything);
    assert_eq!(tag_of("integer :: t(3)\ndata t(1), t(2) /5, 6/", "", "t(2)"), Value::Anything);
    // One store is enough.
    assert_eq!(tag_of(declared, "t(1) = 9", "t(2)"), tags([5, 6, 7, 9]));
    assert_eq!(tag_of(declared, "t(i) = n", "t(2)"), Value::Anything);
    assert_eq!(tag_of(declared, "read *, t(2:3)", "t(1)"), Value::Anything);
    assert_eq!(
        tag_of(declared, "call mpi_bcast(t(3), 1, mpi_integer, 0, mpi_comm_world, ierr)", "t(1)"),
        Value::Anything
    );
    assert_eq!(tag_of("integer :: t(3) = 5, s(3)\nequivalence (t, s)", "s(2) = n", "t(2)"), Value::Anything);
}

#[test]
fn arrays_hold_what_is_stored_to_any_element() {
    assert_eq!(tag_of("integer :: t(3)", "t = [1, 2, 3]", "t(2)"), tags([1, 2, 3]));
    assert_eq!(tag_of("integer :: t(3)", "t = 4\nt(2:3) = [5, 6]\nt(n) = 7", "t(1)"), tags([4, 5, 6, 7]));
    assert_eq!(tag_of("integer :: t(3), s(3)", "s = 2\nt = 10 * s + [0, 1, 2]", "t(1)"), tags([20, 21, 22]));
    assert_eq!(tag_of("integer :: t(3)", "t = [(i, i = 1, 3)]", "t(2)"), Value::Anything);
    assert_eq!(tag_of("integer :: t(3)", "t = sum([1, 2])", "t(2)"), Value::Anything);
    assert_eq!(tag_of("integer, allocatable :: t(:)", "t = [1, 2]", "t(2)"), Value::Anything);
}

#[test]
fn arrays_change_by_way_of_arguments() {
    let found = |actual: &str, dummy: &str, statement: &str| {
        let text = format!(
            "program main\nuse mpi\nimplicit none\nreal :: u(4)\ninteger :: ierr, t(3) = [1, 2, 3]\n\
             call change({actual})\ncall mpi_send(u, 4, mpi_real, 1, t(2), mpi_comm_world, ierr)\nend program\n\
             subroutine change(x)\ninteger x{dummy}\n{statement}\nend subroutine\n"
        );
        sent_by(&program(&text), "main").0
    };
    assert_eq!(found("t", "(3)", "print *, x(1)"), tags([2]));
    assert_eq!(found("t", "(3)", "x(1) = 7"), tags([1, 2, 3, 7]));
    assert_eq!(found("t(1)", "(*)", "x(2) = 7"), tags([1, 2, 3, 7]));
    assert_eq!(found("t(3)", "", "x = 7"), tags([1, 2, 3, 7]));
    assert_eq!(found("t(2:3)", "(2)", "read *, x"), Value::Anything);
}

#[test]
fn a_dummy_array_is_not_the_element_that_it_begins_with() {
    let text = "program main\nimplicit none\ninteger :: t(3) = [1, 2, 3]\ncall post(t(2))\nend program\n\
                subroutine post(x)\nuse mpi\ninteger :: x(*), ierr\nreal u(4)\n\
                call mpi_send(u, 4, mpi_real, 1, x(2), mpi_comm_world, ierr)\nend subroutine\n";
    assert_eq!(sent_by(&program(text), "post").0, tags([1, 2, 3]));
    let text = text.replace("x(*)", "x").replace("x(2)", "x");
    assert_eq!(sent_by(&program(&text), "post").0, tags([2]));
}

#[test]
fn operations_and_intrinsic_functions_of_what_is_known() {
    let two = "integer :: t = 4, s\nlogical :: up";
    let set = "if (n > 0) t = 6";
    assert_eq!(tag_of(two, set, "mod(t, 4)"), tags([0, 2]));
    assert_eq!(tag_of(two, set, "modulo(-t, 5)"), tags([1, 4]));
    assert_eq!(tag_of(two, set, "max(t, 5)"), tags([5, 6]));
    assert_eq!(tag_of(two, set, "ieor(t, 1)"), tags([5, 7]));
    assert_eq!(tag_of(two, set, "merge(t, 9, up)"), tags([4, 6, 9]));
    assert_eq!(tag_of(two, set, "abs(-t)"), tags([4, 6]));
    assert_eq!(tag_of(two, set, "int(t) / 4"), tags([1]));
    assert_eq!(tag_of(two, set, "mod(n, 4)"), Value::Anything);
    assert_eq!(tag_of(two, set, "t / (t - t)"), Value::Anything);
}

#[test]
fn what_has_no_value_has_a_size_and_a_kind() {
    let asked = |function: &str| tag_of("integer :: t, no_value, none(3)", "t = 2", &format!("max(t, {function})"));
    for function in [
        "bit_size(no_value) / 16",
        "kind(no_value)",
        "huge(no_value)",
        "range(no_value)",
        "digits(no_value)",
        "radix(no_value)",
        "storage_size(no_value)",
        "size(none(1:2))",
        "size([no_value, no_value])",
        "size([integer ::])",
        "ubound(none(2:3), 1)",
        "sum([integer ::])",
    ] {
        let found = asked(function);
        assert!(found != tags([2]) && found != Value::Nothing, "{function}: {found:?}");
    }
    assert_eq!(asked("abs(no_value) + 7"), Value::Nothing);
}

#[test]
fn constants_of_mpi_given_at_the_declaration_count_as_stored() {
    let communicator = |initial: &str, before: &str| {
        let declarations = format!("integer :: comm = {initial}");
        let statements = format!("{before}\ncall exchange(u, comm, 1)");
        sent_by(&with_exchange(&declarations, &statements, ""), "exchange").1
    };
    assert_eq!(communicator("mpi_comm_world", ""), world());
    assert_eq!(communicator("mpi_comm_null", "comm = mpi_comm_world"), world());
    assert_eq!(communicator("mpi_comm_null", ""), Value::Nothing);
    assert_eq!(communicator("mpi_comm_world", "read *, comm"), Value::Anything);
    assert_eq!(communicator("mpi_comm_world + 1", ""), Value::Anything);
    assert_eq!(communicator("91", ""), tags([91]));
    // To some MPI that is MPI_COMM_WORLD.
    let both = BTreeSet::from([CommunicatorSource::World, CommunicatorSource::OwnProcess]);
    assert_eq!(communicator("0", "comm = mpi_comm_self"), Value::Communicators(both));
    assert_eq!(communicator("1", "comm = mpi_comm_world"), Value::Anything);
}

#[test]
fn a_library_that_keeps_to_itself_leaves_communicators_as_they_are() {
    let solve = "call solve(comm, tag)\ncall exchange(u, comm, tag)";
    let found = with_exchange("integer :: comm, tag", &format!("comm = mpi_comm_world\ntag = 3\n{solve}"), "");
    assert_eq!(sent_by_of(&found, "exchange", true), (Value::Anything, world()));
    assert_eq!(sent_by_of(&found, "exchange", false), (Value::Anything, Value::Anything));
    // What it gives a variable that holds nothing else is not known, nor is what is computed of that.
    let given = with_exchange(
        "integer :: comm, tag, n",
        "tag = 3\ncall solve(comm, n)\ntag = n\ncall exchange(u, comm, tag)",
        "",
    );
    assert_eq!(sent_by_of(&given, "exchange", true), (Value::Anything, Value::Anything));
    let array = with_exchange(
        "integer :: comm(1)",
        "comm = mpi_comm_world\ncall solve(comm)\ncall exchange(u, comm(1), 3)",
        "",
    );
    assert_eq!(sent_by_of(&array, "exchange", true), (tags([3]), Value::Anything));
}

/// May the source of the receive in a program with these declarations and statements be MPI_ANY_SOURCE?
fn source_may_be_any(declarations: &str, statements: &str) -> MayBeWildcard {
    let found = program(&format!(
        "program main\nuse mpi\nimplicit none\ninteger :: ierr, source, rank, status(mpi_status_size)\nreal :: u(4)\n\
         {declarations}\n{statements}\ncall mpi_recv(u, 4, mpi_real, source, 1, mpi_comm_world, status, ierr)\n\
         end program\n"
    ));
    let (id, body) = found.procedures().next().unwrap();
    let source = body.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => match &communication.received()?.partner {
            Partner::Process { peer, .. } => Some(peer),
            Partner::Everyone | Partner::EveryoneInBlocks { .. } => None,
        },
        _ => None,
    });
    let asked = Asked { program: &found, procedure: id, name: "mpi_any_source", is_none: &|_| false };
    Values::of(&Facts::new(&found)).may_be_wildcard(asked, source.unwrap())
}

#[test]
fn a_wildcard_comes_only_where_it_is_stored() {
    let any = "integer :: any, list(3), request";
    for (statements, expected) in [
        ("any = mpi_any_source\nsource = any", MayBeWildcard::Yes),
        ("list(2) = mpi_any_source\nsource = list(1)", MayBeWildcard::Yes),
        ("source = merge(mpi_any_source, 0, rank > 0)", MayBeWildcard::Yes),
        ("any = mpi_any_source\ncall mpi_comm_rank(mpi_comm_world, rank, ierr)\nsource = rank - 1", MayBeWildcard::No),
        ("any = mpi_any_source\nread (*, *) source", MayBeWildcard::Yes),
        ("any = mpi_any_source\ndo source = 1, 3\nrank = source\nend do", MayBeWildcard::No),
        ("any = mpi_any_source\ndo source = any, 3\nrank = source\nend do", MayBeWildcard::Yes),
        ("call mpi_wait(request, status, ierr)\nsource = status(mpi_source)", MayBeWildcard::Yes),
    ] {
        assert_eq!(source_may_be_any(any, statements), expected, "{statements}");
    }
    let another = "integer, parameter :: any = mpi_any_source";
    assert_eq!(source_may_be_any(another, "source = any"), MayBeWildcard::Yes);
    assert_eq!(source_may_be_any("integer, target :: any", "source = any"), MayBeWildcard::Yes);
}
