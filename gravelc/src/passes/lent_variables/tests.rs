//! What callers are lent, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text, read_program};
use crate::ir::Place;

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

/// Has the subroutine `go`, which calls `get` of the module `m`, a symbol for the source `left` of the receive there? The file
/// holds `text`, with the beginning of `m` for `MODULE_M`; `include.inc` is beside it.
fn go_has_left(text: &str, included: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("include.inc", included);
    let module = "module m\nuse mpi\ninteger :: left\nreal :: a(4)\ncontains\nsubroutine get\ninteger :: ierr\n\
                  call mpi_recv(a, 4, mpi_real, left, 1, mpi_comm_world, mpi_status_ignore, ierr)\nend subroutine\n";
    write("test.F90", &text.replace("MODULE_M", module));
    let program = read_program(&[folder.path().join("test.F90")], &FrontendOptions::default()).unwrap();
    let unread = &program.files[0].unread;
    assert!(unread.is_empty(), "{unread:?}");
    let found = with_lent_variables(&program).unwrap_or(program);
    let go = found.procedures.iter().find(|procedure| procedure.name == "go").unwrap();
    assert_eq!(go.untouchable, None);
    let mut symbols = go.symbols.iter().filter(|symbol| symbol.name == "left");
    let place = Place::Module { module: "m".into(), name: "left".into() };
    symbols.any(|symbol| symbol.shared_variable() == Some(&place))
}

#[test]
fn what_a_name_means_to_the_caller_is_looked_up() {
    let other = "module other\ninteger :: left\nend module\n";
    let of_module =
        |head: &str| format!("{other}MODULE_M\nsubroutine go\n{head}\ncall get\nend subroutine\nend module\n");
    let outside = |head: &str| {
        format!("{other}MODULE_M\nend module\nsubroutine go\n{head}\nuse m, only: get\ncall get\nend subroutine\n")
    };
    for text in [of_module(""), outside(""), of_module("use other, only: right => left"), outside("use m")] {
        assert!(go_has_left(&text, ""), "{text}");
    }
    for text in [of_module("use other"), outside("use other")] {
        assert!(!go_has_left(&text, ""), "{text}");
    }
    let inside = "MODULE_M\nsubroutine host\ninteger :: HERE\ncall go\ncontains\nsubroutine go\ncall get\n\
                  end subroutine\nend subroutine\nend module\n";
    assert!(go_has_left(&inside.replace("HERE", "right"), ""));
    assert!(!go_has_left(&inside.replace("HERE", "left"), ""));
}

#[test]
fn what_is_included_keeps_its_meaning() {
    let text =
        "MODULE_M\nend module\nsubroutine go\nuse m, only: get\ninclude 'include.inc'\ncall get\nend subroutine\n";
    assert!(go_has_left(text, "integer right\n"));
    for included in
        ["external left\n", "integer right\nnamelist /left/ right\n", "integer right\ncommon /left/ right\n"]
    {
        assert!(!go_has_left(text, included), "{included}");
    }
}

#[test]
fn macros_are_no_names() {
    let text = "#define LEFT right\nMODULE_M\nend module\nsubroutine go\nuse m, only: get\ncall get\nend subroutine\n";
    assert!(go_has_left(&text.replace("LEFT", "below"), ""));
    assert!(!go_has_left(text, ""));
    assert!(!go_has_left(&text.replace("LEFT", "Left"), ""));
}
