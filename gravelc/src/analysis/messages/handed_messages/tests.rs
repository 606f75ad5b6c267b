//! Messages of called procedures in the words of their callers, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::memory::region_text::polynomial_text;
use crate::frontend::{FrontendOptions, parse_text};

/// What the main program, which has these declarations and calls `exchange` with these arguments, knows of the message that is
/// received there into `buffer`, `length` elements; `declared` are the declarations of `exchange(a, n)`.
fn known(declarations: &str, arguments: &str, declared: &str, buffer: &str, length: &str) -> Option<String> {
    let text = format!(
        "module m\ntype field\ninteger :: k\nreal, allocatable :: values(:)\nreal, private, allocatable :: own(:)\nend type\n\
         real :: shared(50)\nend module\n\
         program main\nuse m\nimplicit none\ninteger :: k\n{declarations}\ncall mpi_init(k)\n\
         call exchange({arguments})\nshared = 1\ncall mpi_finalize(k)\nend program\n\
         subroutine exchange(a, n)\nuse mpi\nuse m\nimplicit none\ninteger :: n, ierr, first\n{declared}\nfirst = n + 1\n\
         call mpi_recv({buffer}, {length}, mpi_real, 0, 1, mpi_comm_world, mpi_status_ignore, ierr)\nend subroutine\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::new(&program);
    let site = |name: &str, is_wanted: &dyn Fn(&StatementKind) -> bool| {
        let (procedure, body) = program.procedures().find(|(_, procedure)| procedure.name == name).unwrap();
        let statement = body.statements_in_order().into_iter().find(|&id| is_wanted(&body.statement(id).kind)).unwrap();
        SiteId { procedure, statement }
    };
    let call = site("main", &|kind| matches!(kind, StatementKind::Call { .. }));
    let post = site("exchange", &|kind| matches!(kind, StatementKind::Communication(_)));
    let handed = handed_message(&facts, call, post, Direction::Received).ok()?;
    let caller = program.procedure(call.procedure);
    let argument = handed.argument.map_or("", |argument| caller.symbol(argument).name.as_str());
    let name = &caller.symbol(handed.region.symbol).name;
    let elements = handed.region.lmad().map(|lmad| {
        let counts: Vec<String> = lmad.dimensions.iter().map(|it| polynomial_text(caller, &it.count)).collect();
        format!("[{} x{}]", polynomial_text(caller, &lmad.offset), counts.join("x"))
    });
    Some(format!("{argument}: {name}{}", elements.unwrap_or_default()))
}

#[test]
fn elements_are_told_from_the_values_at_the_call() {
    let of = |arguments: &str, buffer: &str, length: &str| {
        known("real :: u(100)", arguments, "real :: a(100)", buffer, length).unwrap()
    };
    assert_eq!(of("u, 10", "a", "n"), "u: u[0 x10]");
    assert_eq!(of("u, k", "a(first)", "5"), "u: u[k x5]");
    assert_eq!(of("u(21), 10", "a(first)", "5"), "u: u[30 x5]");
}

#[test]
fn what_is_handed_over_as_a_copy_is_not_known() {
    assert!(known("real :: u(2, 50)", "u(1, :), 10", "real :: a(*)", "a", "n").is_none());
    assert!(known("real :: u(50)", "(u), 10", "real :: a(*)", "a", "n").is_none());
    assert!(known("real, pointer :: u(:)", "u, 10", "real :: a(*)", "a", "n").is_none());
    assert!(known("real :: u(50)", "u, 10", "real, volatile :: a(50)", "a", "n").is_none());
    assert!(known("real :: u(50)", "u, 10", "real :: a(50), b(50)", "b", "n").is_none());
    assert!(known("complex :: u(50)", "u, 10", "real :: a(100)", "a", "n").is_none());
}

#[test]
fn variables_of_modules_and_components_have_names_of_their_own() {
    let shared = known("real :: u(50)", "u, 10", "real :: a(*)", "shared(3)", "n").unwrap();
    assert!(shared.starts_with(": shared"), "{shared}");
    let object =
        |component: &str| known("type(field) :: f", "f, 10", "type(field) :: a", &format!("a%{component}"), "n");
    assert_eq!(object("values").as_deref(), Some("f: f"));
    assert_eq!(object("own"), None);
    let array = known("type(field) :: f(3)", "f(2), 10", "type(field) :: a", "a%values", "n");
    assert_eq!(array, None);
}
