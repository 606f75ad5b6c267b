use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// What is said of the component `requests` of `ring` in a program with these declarations in front of, and these statements
/// in, its main program.
fn obstacle(declarations: &str, statements: &str) -> Option<String> {
    let ring = "type :: ring\n integer :: n\n integer :: requests(2)\nend type\n";
    obstacle_with(&format!("{ring}{declarations}"), statements)
}

/// Likewise of a program that declares the type itself.
fn obstacle_with(declarations: &str, statements: &str) -> Option<String> {
    let text = format!(
        "module m\nuse mpi\nimplicit none\n{declarations}contains\nsubroutine post(self)\ntype(ring), intent(inout) :: self\n\
         integer :: b, ierr\n\
         call mpi_irecv(b, 1, mpi_integer, 0, 1, mpi_comm_world, self%requests(1), ierr)\nend subroutine\nend module\n\
         program p\nuse mpi\nuse m\nimplicit none\ntype(ring), target :: r, rs(3)\ninteger :: i, words(9)\n{statements}\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it parses");
    let facts = Facts::new(&program);
    let name = ComponentName { structure: "ring".to_owned(), name: "requests".to_owned() };
    facts.object_obstacle(&name).map(|found| found.why)
}

#[test]
fn objects_go_where_they_are_taken_as_what_they_are() {
    let harmless = [
        "call post(r)",
        "call post(rs(i))",
        "rs(1) = r",
        "rs = r",
        "r%n = 3\nr%requests = mpi_request_null",
        "if (size(rs) > 2) call post(rs(2))",
        "associate (one => rs(i))\ncall post(one)\nend associate",
        "print *, r%n",
        "block\ntype(ring), allocatable :: a\nallocate (a)\na%n = 1\ncall post(a)\ndeallocate (a)\nend block",
        "block\ntype(ring), pointer :: a\na => r\ncall post(a)\nend block",
    ];
    for statements in harmless {
        assert_eq!(obstacle("", statements), None, "{statements}");
    }
}

#[test]
fn whatever_looks_at_an_object_as_a_whole_is_in_the_way() {
    let cases = [
        ("print *, r", "read or written as a whole"),
        ("words = transfer(r, words)", "a function that may look at it"),
        ("print *, storage_size(r)", "a function that may look at it"),
        ("inquire (iolength=i) rs", "read or written as a whole"),
        ("call mpi_bcast(r, 3, mpi_integer, 0, mpi_comm_world, i)", "as something else"),
        ("call mpi_send(r, 3, mpi_integer, 0, 1, mpi_comm_world, i)", "handed to MPI as a whole"),
        ("r = ring(1, words(1:2))", "as something else"),
    ];
    for (statements, expected) in cases {
        let found = obstacle("", statements).unwrap_or_default();
        assert!(found.contains(expected), "{statements}: {found}");
    }
}

#[test]
fn what_holds_an_object_counts_for_it() {
    let field = "type :: field\n type(ring) :: ring\nend type\ntype(field) :: f\n";
    assert_eq!(obstacle(field, "call post(f%ring)"), None);
    assert!(obstacle(field, "print *, f").is_some_and(|why| why.contains("read or written as a whole")));
    let longer = "type, extends(ring) :: longer\n integer :: more\nend type\ntype(longer) :: f\n";
    assert_eq!(obstacle(longer, "call post(f%ring)"), None);
    assert!(obstacle(longer, "print *, f").is_some_and(|why| why.contains("read or written as a whole")));
    assert!(obstacle(longer, "f = longer(1, mpi_request_null, 2)").is_some());
}

#[test]
fn the_type_needs_room_for_a_component() {
    let with = |ring: &str| obstacle_with(&format!("type{ring}\nend type\n"), "call post(r)").unwrap_or_default();
    assert_eq!(with(" :: ring\n integer :: requests(2)"), "");
    assert_eq!(with(" :: ring\n integer :: requests(2) = mpi_request_null, n"), "");
    assert!(with(" :: ring\n integer :: requests(2) = 0").contains("another value than MPI_REQUEST_NULL"));
    assert!(with(" :: ring\n sequence\n integer :: requests(2)").contains("SEQUENCE"));
    assert!(with(", bind(c) :: ring\n integer :: requests(2)").contains("BIND(C)"));
    assert!(with(" :: ring\n integer, allocatable :: requests(:)").contains("allocatable"));
    assert!(with(" :: ring\n integer, pointer :: requests(:)").contains("a pointer"));
    assert!(with(" :: ring\n integer :: gravel, requests(2)").contains("emitted code"));
}
