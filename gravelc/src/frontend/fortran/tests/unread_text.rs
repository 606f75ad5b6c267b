//! What the text says of statements that were not understood: whom they may call, which variables they name.

use super::{procedure, program};
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Program, Unread};

/// What is said of one of them, in words.
fn told(unread: &Unread) -> String {
    let Some(calls) = &unread.calls else { return "anything".to_owned() };
    let unnamed = calls.unnamed.then_some("unnamed");
    let names: Vec<&str> = calls.names.iter().map(String::as_str).chain(unnamed).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}

/// What is said of all that was not understood in the procedure `test`, without repetition.
fn told_in(program: &Program) -> String {
    let found = procedure(program, "test");
    let unread = found.statements.iter().flat_map(|statement| statement.kind.unread());
    let mut told: Vec<String> = unread.map(told).collect();
    told.dedup();
    told.join("; ")
}

/// Of a subroutine that sees a module which was not given, with these declarations and statements.
fn with_missing_module(declarations: &str, statements: &str) -> String {
    let text = format!(
        "subroutine test(given, act)\nuse missing\nimplicit none\nreal :: a(9), b, c\ncharacter(9) :: text\nexternal act\n\
         integer :: i, given\n{declarations}\n{statements}\nend subroutine\n\
         subroutine own(k)\ninteger :: k\nend subroutine\nreal function value(k)\ninteger :: k\nvalue = k\nend function\n"
    );
    told_in(&program(&text))
}

/// Of a subroutine with a statement that can't be read.
fn with_syntax_error(declarations: &str, statement: &str) -> String {
    let text = format!(
        "subroutine test(act)\nimplicit none\nreal :: a(9), b\nexternal act\ninteger :: i\n{declarations}\ni = 1\n{statement} = = 1\n\
         end subroutine\nsubroutine own(k)\ninteger :: k\nend subroutine\n"
    );
    told_in(&program(&text))
}

#[test]
fn names_that_are_not_called_call_nothing() {
    assert_eq!(with_missing_module("", "call own(unseen)"), "nothing");
    assert_eq!(with_missing_module("", "if (unseen) goto 10\n10 continue"), "nothing");
    assert_eq!(with_missing_module("", "a(unseen) = 1.0"), "nothing");
    assert_eq!(with_missing_module("", "do i = 1, unseen\nb = i\nend do"), "nothing");
}

#[test]
fn names_of_missing_modules_with_arguments_may_be_functions() {
    assert_eq!(with_missing_module("", "call own(unseen(i))"), "unnamed");
    assert_eq!(with_missing_module("", "unseen(i) = 1.0"), "unnamed");
    assert_eq!(with_missing_module("", "b = abs(c)"), "unnamed");
    assert_eq!(with_missing_module("", "call own(unseen%part(i))"), "unnamed");
}

#[test]
fn operations_on_what_is_not_known_may_be_calls() {
    assert_eq!(with_missing_module("", "b = unseen"), "unnamed");
    assert_eq!(with_missing_module("", "call own(unseen + 1)"), "unnamed");
    assert_eq!(with_missing_module("", "if (unseen .and. .true.) b = 1"), "unnamed");
    assert_eq!(with_missing_module("type(box) :: t", "print *, t"), "unnamed");
    assert_eq!(with_missing_module("type(box), allocatable :: t", "deallocate(t)"), "unnamed");
    assert_eq!(with_missing_module("logical :: l", "b = l"), "unnamed");
    assert_eq!(with_missing_module("real :: m(3, 3), v(3)", "v = m + v"), "unnamed");
}

#[test]
fn intrinsic_operations_stay_what_they_are() {
    for statement in
        ["b = c + a(i) * 2", "a = b", "text = text // 'x'", "print *, a(i), text", "b = -value(i)", "i = 3"]
    {
        assert_eq!(with_missing_module("real, external :: value", statement).replace("value", ""), "", "{statement}");
    }
    let declarations = "type part\nreal :: x, y(4)\nlogical :: l\nend type\ntype whole\ntype(part) :: parts(3)\nend type\n\
                        type(whole) :: w";
    for statement in ["w%parts(i)%x = w%parts(2)%y(i) * b", "b = w%parts(1)%y(3)", "w%parts(1)%y = w%parts(2)%y + 1"] {
        assert_eq!(with_missing_module(declarations, statement), "", "{statement}");
    }
    assert_eq!(with_missing_module(declarations, "w%parts(i)%x = w%parts(i)%l"), "unnamed");
    assert_eq!(with_missing_module(declarations, "w%parts(1) = w%parts(2)"), "unnamed");
}

#[test]
fn what_is_called_is_looked_up() {
    assert_eq!(with_syntax_error("", "a(i) + b"), "nothing");
    assert_eq!(with_syntax_error("", "call own(i)"), "nothing");
    assert_eq!(with_syntax_error("", "call elsewhere(i)"), "elsewhere");
    assert_eq!(with_syntax_error("real, external :: elsewhere", "b = elsewhere(i)"), "elsewhere");
    assert_eq!(with_syntax_error("real :: elsewhere", "b = elsewhere(i)"), "elsewhere");
    assert_eq!(with_syntax_error("", "b = elsewhere(i) .mine. b"), "elsewhere operator(.mine.)");
    assert_eq!(with_syntax_error("character(9) :: text", "text(2:3)"), "nothing");
    assert_eq!(with_syntax_error("character(9) :: text", "text(i)"), "text");
    assert_eq!(with_syntax_error("", "if (b > 1) call elsewhere"), "elsewhere");
    assert_eq!(with_syntax_error("", "if (b > 1) write(*, *) sin(b)"), "nothing");
    // A keyword only where it begins something.
    assert_eq!(with_syntax_error("", "b = write(3)"), "write");
    assert_eq!(with_syntax_error("", "write(*, *) open(3)"), "open");
}

#[test]
fn some_names_may_be_anything() {
    for (declarations, statement) in [
        ("", "call act"),
        ("", "b = act(i)"),
        ("procedure(real), pointer :: p", "b = p(i)"),
        ("", "call mpi_barrier(i, i)"),
        ("include 'mpif.h'", "call mpi_send(a)"),
        ("use mpi, only: mine => mpi_send", "call mine(a)"),
        ("real :: f, x\nf(x) = other(x)", "b = f(b)"),
        ("type t\nprocedure(real), pointer, nopass :: p\nend type\ntype(t) :: o", "b = o%p(i)"),
        ("", "call o%act"),
        ("", "b = include(i)"),
        ("", "b = elsew&\n&here(i)"),
    ] {
        assert_eq!(with_syntax_error(declarations, statement), "anything", "{statement}");
    }
    for statement in ["entry other; b", "block; b"] {
        assert!(with_syntax_error("", statement).starts_with("anything"), "{statement}");
    }
    assert_eq!(with_syntax_error("include 'mpif.h'", "b = mpi_comm_world"), "nothing");
    assert_eq!(with_syntax_error("include 'mpif.h'", "b = mpi_wtime()"), "nothing");
}

#[test]
fn macros_are_what_they_stand_for() {
    let text = |statement: &str| {
        let text = format!(
            "#define GET fetch(3)\n#define WIDTH 4\nsubroutine test\nreal :: b, get(3)\nb = 1\n{statement} = = 1\nend subroutine\n"
        );
        told_in(&parse_text("test.F90".as_ref(), text.into_bytes(), &FrontendOptions::default()).unwrap())
    };
    assert_eq!(text("b = b"), "nothing");
    assert_eq!(text("b = WIDTH"), "nothing");
    assert_eq!(text("b = GET"), "fetch");
    assert_eq!(text("b = get(1)"), "nothing");
    assert_eq!(text("b = WIDTH"), "nothing");
}

#[test]
fn operations_of_the_program_lead_out_where_something_behind_them_was_not_given() {
    let text = |interface: &str| {
        format!(
            "module m\ntype box\nreal :: v\nend type\ninterface operator(+)\n{interface}\nend interface\ncontains\n\
             real function add(one, two)\ntype(box), intent(in) :: one, two\nadd = one%v\nend function\nend module\n\
             subroutine test\nuse m\ntype(box) :: t\nreal :: b\nb = 1\nb = t + t = = 2\nend subroutine\n"
        )
    };
    assert_eq!(told_in(&program(&text("module procedure add"))), "nothing");
    let elsewhere = "real function elsewhere(one, two)\nimport box\ntype(box), intent(in) :: one, two\nend function";
    assert_eq!(told_in(&program(&text(elsewhere))), "unnamed");
}

#[test]
fn a_file_that_was_not_found_holds_declarations_where_such_follow() {
    let told = |text: &str| told_in(&program(text));
    assert_eq!(told("subroutine test\ninclude 'missing.h'\nreal :: a\na = 1\nend subroutine\n"), "nothing");
    assert_eq!(told("subroutine test\nreal :: a\ninclude 'missing.h'\na = 1\nend subroutine\n"), "anything");
    assert_eq!(told("subroutine test\nreal :: a\na = 1\ninclude 'missing.h'\nend subroutine\n"), "anything");
    assert_eq!(told("subroutine test\ninclude 'missing.h'\ndata a /1.0/\na = 1\nend subroutine\n"), "anything");
}

#[test]
fn variables_are_noted() {
    let text = "module m\ninteger :: request, other\nend module\nsubroutine test\nuse m, mine => request\nuse missing\n\
                integer :: own\nown = mine + unseen\nend subroutine\n";
    let program = program(text);
    let test = procedure(&program, "test");
    let unread: Vec<&Unread> = test.statements.iter().flat_map(|statement| statement.kind.unread()).collect();
    let last = unread.last().expect("it is not understood");
    let names: Vec<&str> = last.variables.iter().map(|&id| test.symbol(id).name.as_str()).collect();
    assert_eq!(names, ["own", "mine"]);
    assert!(last.names_objects);
}
