//! What callers are lent, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// What the main program, with these specifications and statements, is lent of the module `m`, whose subroutine `get` it
/// calls.
fn lent(specifications: &str, statements: &str) -> Vec<String> {
    let text = format!(
        "module m\nuse mpi\ninteger, parameter :: n = 4\ninteger :: left, bounds(2)\ninteger, private :: hidden\n\
         real :: a(n, 0:2*n)\ncontains\nsubroutine get\ninteger :: own, ierr\nif (bounds(1) > 0) then\n\
         call mpi_recv(a, n + own, mpi_real, left, hidden, mpi_comm_world, mpi_status_ignore, ierr)\nend if\n\
         end subroutine\nend module\n\
         program main\n{specifications}\nuse m, only: get\n{statements}\ncall get\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let Some(found) = with_lent_variables(&program) else {
        return Vec::new();
    };
    let main = found.procedures.iter().find(|procedure| procedure.name == "main").unwrap();
    main.symbols.iter().filter(|symbol| symbol.lent).map(|symbol| symbol.name.clone()).collect()
}

#[test]
fn public_variables_of_the_module_are_lent() {
    assert_eq!(lent("", ""), ["bounds", "a", "left"]);
    assert_eq!(lent("", "call get"), ["bounds", "a", "left"]);
}

#[test]
fn words_of_the_caller_keep_their_meaning() {
    assert_eq!(lent("", "left = 1"), ["bounds", "a"]);
    assert_eq!(lent("", "print *, 'Left alone'"), ["bounds", "a"]);
    assert_eq!(lent("", "print *, 'No!', left"), ["bounds", "a"]);
    assert_eq!(lent("", "! Left alone"), ["bounds", "a", "left"]);
    assert_eq!(lent("use m, only: to_the_left => left", "print *, to_the_left"), ["bounds", "a"]);
}

#[test]
fn bounds_are_numbers() {
    let text = "module m\ninteger, parameter :: n = 4\nreal :: a(n, 0:2*n)\ncontains\nsubroutine get\nuse mpi\n\
                integer :: ierr\n\
                call mpi_recv(a, n, mpi_real, 0, 1, mpi_comm_world, mpi_status_ignore, ierr)\nend subroutine\n\
                subroutine other\ncall get\nend subroutine\nend module\n";
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    let found = with_lent_variables(&program).unwrap();
    let other = found.procedures.iter().find(|procedure| procedure.name == "other").unwrap();
    let a = other.symbol(other.find_symbol("a").unwrap());
    let Shape::Array(dimensions) = &a.shape else { panic!("{:?}", a.shape) };
    let bounds = dimensions.iter().map(|dimension| {
        let number = |bound: &Option<Expression>| match bound.as_ref().map(|bound| &bound.kind) {
            Some(ExpressionKind::Integer(value)) => *value,
            other => panic!("{other:?}"),
        };
        (number(&dimension.lower), number(&dimension.upper))
    });
    assert!(bounds.eq([(1, 4), (0, 8)]));
}
