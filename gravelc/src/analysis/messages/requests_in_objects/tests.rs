use std::path::Path;

use super::*;
use crate::analysis::facts::SiteId;
use crate::analysis::messages::requests::{RequestVariable, posts_completed_at, posts_into, request_variable};
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::PartForm;

/// What is said of the component `requests` of `ring` in a program with these declarations in front of, and these statements
/// in, its main program.
fn obstacle(declarations: &str, statements: &str) -> Option<String> {
    let ring = "type :: ring\n integer :: n\n integer :: requests(2)\nend type\n";
    obstacle_with(&format!("{ring}{declarations}"), statements)
}

/// Likewise of a program that declares the type itself.
fn obstacle_with(declarations: &str, statements: &str) -> Option<String> {
    Facts::new(&program_with(declarations, statements)).object_obstacle(&requests()).map(|found| found.why)
}

fn requests() -> ComponentName {
    ComponentName { structure: "ring".to_owned(), name: "requests".to_owned() }
}

fn program_with(declarations: &str, statements: &str) -> Program {
    let text = format!(
        "module m\nuse mpi\nimplicit none\n{declarations}contains\nsubroutine post(self)\ntype(ring), intent(inout) :: self\n\
         integer :: b, ierr\n\
         call mpi_irecv(b, 1, mpi_integer, 0, 1, mpi_comm_world, self%requests(1), ierr)\nend subroutine\nend module\n\
         program p\nuse mpi\nuse m\nimplicit none\ntype(ring), target :: r, rs(3)\ninteger :: i, words(9)\n{statements}\nend program\n"
    );
    parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it parses")
}

/// The calls of MPI in the main program that name requests.
fn calls_in_main(facts: &Facts) -> Vec<SiteId> {
    let sites = facts.program.procedures().flat_map(|(procedure, body)| {
        body.statements_in_order().into_iter().map(move |statement| SiteId { procedure, statement })
    });
    let is_named = |site: &SiteId| facts.communication(*site).is_some_and(|found| found.request().is_some());
    sites.filter(|site| facts.procedure(site.procedure).name == "p" && is_named(site)).collect()
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
fn the_type_says_what_the_component_may_hold() {
    let with = |ring: &str| obstacle_with(&format!("type{ring}\nend type\n"), "call post(r)").unwrap_or_default();
    assert_eq!(with(" :: ring\n integer :: requests(2)"), "");
    assert_eq!(with(" :: ring\n integer :: requests(2) = mpi_request_null, n"), "");
    assert!(with(" :: ring\n integer :: requests(2) = 0").contains("another value than MPI_REQUEST_NULL"));
    assert!(with(" :: ring\n sequence\n integer :: requests(2)").contains("SEQUENCE"));
    assert!(with(", bind(c) :: ring\n integer :: requests(2)").contains("BIND(C)"));
    assert!(with(" :: ring\n integer, allocatable :: requests(:)").contains("allocatable"));
    assert!(with(" :: ring\n integer, pointer :: requests(:)").contains("a pointer"));
}

#[test]
fn a_component_is_one_variable_in_all_objects() {
    let ring = "type :: ring\n integer :: requests(2)\nend type\n";
    let statements = "call post(r)\ncall post(rs(i))\ncall mpi_wait(rs(i)%requests(1), mpi_status_ignore, i)\n\
                      call mpi_wait(r%requests(1), mpi_status_ignore, i)\ncall mpi_wait(r%requests(2), mpi_status_ignore, i)";
    let program = program_with(ring, statements);
    let facts = Facts::new(&program);
    let variable = RequestVariable::Component(requests());
    let posts = posts_into(&facts, &variable).to_vec();
    assert_eq!(posts.len(), 1);
    let [of_array, own, other] = calls_in_main(&facts)[..] else { panic!("there are three waits") };
    for wait in [of_array, own, other] {
        assert_eq!(request_variable(&facts, wait), Some(variable.clone()));
    }
    assert_eq!(posts_completed_at(&facts, of_array), posts);
    assert_eq!(posts_completed_at(&facts, own), posts);
    // Elements have the same numbers in all objects.
    assert_eq!(posts_completed_at(&facts, other), []);
}

#[test]
fn the_text_says_how_much_of_a_component_is_meant() {
    let ring = "type :: ring\n integer :: requests(2), request\nend type\ntype :: field\n type(ring) :: rings(4)\nend type\n\
                type(field), target :: f, fs(2)\n";
    let cases = [
        ("rs(i)%requests", PartForm::Whole),
        ("rs(i)%requests(2)", PartForm::Element),
        ("rs(i) % requests (1:)", PartForm::Elements),
        ("rs(i)%requests(1:2:1)", PartForm::Named),
        ("rs(i)%request", PartForm::Whole),
        ("rs%request", PartForm::Named),
        ("rs(1:2)%requests(1)", PartForm::Named),
        ("fs(1)%rings(i)%requests(1)", PartForm::Element),
        ("f%rings(words(i))%requests", PartForm::Whole),
        ("fs(2)%rings%request", PartForm::Named),
        ("rs(words(1:2))%request", PartForm::Named),
    ];
    for (text, expected) in cases {
        let program = program_with(ring, &format!("call mpi_waitall(2, {text}, mpi_statuses_ignore, i)"));
        let facts = Facts::new(&program);
        let wait = calls_in_main(&facts)[0];
        let request = facts.communication(wait).and_then(|found| found.request());
        let form = request.map(|request| match &request.kind {
            ExpressionKind::Part { form, .. } => *form,
            other => panic!("{text}: {other:?}"),
        });
        assert_eq!(form, Some(expected), "{text}");
    }
    let named = "associate (list => rs(i)%requests)\ncall mpi_waitall(2, list, mpi_statuses_ignore, i)\nend associate";
    let program = program_with(ring, named);
    let facts = Facts::new(&program);
    let request = facts.communication(calls_in_main(&facts)[0]).and_then(|found| found.request());
    assert!(
        matches!(request.map(|it| &it.kind), Some(ExpressionKind::Part { form: PartForm::Unnamed, .. })),
        "{request:?}"
    );
}
