//! Which receives may take messages from anybody, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::facts::Facts;
use crate::frontend::{FrontendOptions, parse_text};

/// May the receive of a program with these modules, declarations and statements take messages from any source?
fn takes_any(modules: &str, declarations: &str, statements: &str, source: &str) -> bool {
    let text = format!(
        "{modules}\nprogram main\nuse mpi\n{declarations}\ninteger :: ierr, src, rank\nreal :: u(4)\n{statements}\n\
         call mpi_recv(u, 4, mpi_real, {source}, 1, mpi_comm_world, mpi_status_ignore, ierr)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let facts = Facts::new(&program);
    let wildcards = Wildcards::find(&facts);
    let (id, body) = program.procedures().find(|(_, body)| body.name == "main").unwrap();
    let mut statements = body.statements.iter().enumerate();
    let received = statements.find_map(|(index, statement)| match &statement.kind {
        StatementKind::Communication(it) => {
            Some((SiteId { procedure: id, statement: StatementId(index) }, it.received()?))
        }
        _ => None,
    });
    let (site, message) = received.expect("a receive");
    wildcards.may_take_any(&facts, site, message)
}

#[test]
fn declarations_give_wildcards_as_statements_do() {
    let in_component = |initial: &str| {
        let module = format!("module m\nuse mpi\ntype t\ninteger :: s = {initial}\nend type\nend module");
        takes_any(&module, "use m\ntype(t) :: o", "src = o%s", "src")
    };
    assert!(in_component("mpi_any_source"));
    assert!(!in_component("3"));
    for (declaration, value) in [
        ("integer :: list(2) = [1, mpi_any_source]", "list(rank)"),
        ("integer :: list(2)\ndata list /1, mpi_any_source/", "list(rank)"),
        ("integer :: k\ndata k /mpi_any_source/", "k"),
        ("integer k /mpi_any_source/", "k"),
        ("integer, parameter :: list(2) = [1, mpi_any_source]", "list(rank)"),
        ("integer, parameter :: k = mpi_any_source + 0", "k"),
        ("integer k\nparameter (k = mpi_any_source)", "k"),
        ("integer, parameter :: k = -mpi_any_source", "-k"),
        ("enum, bind(c)\nenumerator :: k = mpi_any_source\nend enum", "k"),
        ("type t\ninteger :: s\nend type\ntype(t), parameter :: o = t(mpi_any_source)", "o%s"),
        ("integer, pointer :: k\ninteger, target :: list(2) = mpi_any_source", "list(rank)"),
    ] {
        assert!(takes_any("", declaration, &format!("src = {value}"), "src"), "{declaration}");
        let without = declaration.replace("mpi_any_source", "3");
        assert!(!takes_any("", &without, &format!("src = {value}"), "src"), "{without}");
    }
    // By another name of it.
    let renamed = "use mpi, only: anybody => mpi_any_source\ninteger :: list(2) = [1, anybody]";
    assert!(takes_any("", renamed, "src = list(rank)", "src"));
    // On two lines.
    let split = "integer :: list(2) = [1, mpi_any_&\n  &source]";
    assert!(takes_any("", split, "src = list(rank)", "src"));
}

#[test]
fn a_wildcard_that_only_calls_of_mpi_are_handed_is_in_no_variable() {
    let other = "call mpi_probe(mpi_any_source, 3, mpi_comm_world, mpi_status_ignore, ierr)";
    let named = "use mpi, only: mpi_any_source\ninteger, allocatable :: list(:)";
    let unknown = "allocate(list(3))\nlist = rank\nsrc = list(2)\n! mpi_any_source";
    assert!(!takes_any("", named, &format!("{unknown}\n{other}"), "src"));
    assert!(takes_any("", named, &format!("{unknown}\n{other}\nlist(1) = mpi_any_source"), "src"));
    assert!(takes_any("", named, unknown, "mpi_any_source"));
    // Whoever sends it, receives it somewhere.
    let sent = "call mpi_send(mpi_any_source, 1, mpi_integer, 1, 1, mpi_comm_world, ierr)";
    assert!(takes_any("", named, &format!("{unknown}\n{sent}"), "src"));
}
