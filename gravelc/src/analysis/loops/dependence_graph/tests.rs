//! Dependence graphs of small programs, and of random ones against what they touch when they run.

use std::path::Path;

use super::*;
use crate::analysis::memory::region_text::region_text;
use crate::frontend::{FrontendOptions, parse_text};

/// The dependences of a main program with these declarations and statements, one per line: line numbers of the statements
/// (from 1), kind, region, `?` if it is not certain, and whether a loop carries it.
fn graph_of(statements: &str) -> String {
    let text = format!(
        "program p\nuse mpi\ninteger :: i, j, k, n, ierr\nreal :: a(100), b(100), c(10, 10), s, t\n{statements}end\n"
    );
    let program = parse_text(Path::new("p.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it is text");
    let facts = Facts::new(&program);
    let body = program.procedure(ProcedureId(0));
    let line = |id: StatementId| program.line(body.statement(id).span) - 4;
    let mut shown = String::new();
    for found in dependences(&facts, ProcedureId(0)) {
        let region = found.region.as_ref().map_or_else(String::new, |region| region_text(body, region));
        let doubt = if found.is_certain { "" } else { "?" };
        let carried = found.carried_by.map_or_else(String::new, |id| format!(" carried by {}", line(id)));
        let text = format!("{} -> {} {} {region}{doubt}{carried}", line(found.from), line(found.to), found.kind.name());
        shown.push_str(text.trim_end());
        shown.push('\n');
    }
    shown
}

#[test]
fn names_the_memory() {
    let statements = "s = 1.0\na(3) = s\ns = a(4)\na(1:3) = 0.0\n";
    let expected = "1 -> 2 flow s\n1 -> 3 output s\n2 -> 3 anti s\n2 -> 4 output a(3)\n";
    assert_eq!(graph_of(statements), expected);
}

#[test]
fn a_subscript_that_changes_is_not_compared() {
    let expected = "1 -> 2 anti i\n1 -> 3 output a(i)?\n2 -> 3 flow i\n";
    assert_eq!(graph_of("a(i) = 1.0\ni = i + 1\na(i) = 2.0\n"), expected);
}

#[test]
fn a_recurrence_is_carried_and_neighbours_are_not() {
    let carried = graph_of("do i = 2, 100\na(i) = a(i - 1) + 1.0\nend do\n");
    assert_eq!(carried, "2 -> 2 flow a(i)? carried by 1\n");
    let independent = graph_of("do i = 1, 100\na(i) = b(i) + 1.0\nend do\n");
    assert_eq!(independent, "");
    let backwards = graph_of("do i = 99, 1, -1\na(i) = a(i + 1) + 1.0\nend do\n");
    assert_eq!(backwards, "2 -> 2 flow a(i)? carried by 1\n");
    let stride = graph_of("do i = 2, 98, 2\na(i) = a(i + 1) + 1.0\nend do\n");
    assert_eq!(stride, "");
}

#[test]
fn a_scalar_that_is_written_anew_flows_only_within_the_iteration() {
    let shown = graph_of("do i = 1, 100\nt = b(i)\na(i) = t\nend do\n");
    assert!(shown.contains("2 -> 3 flow t\n"), "{shown}");
    assert!(!shown.contains("flow t carried"), "{shown}");
    assert!(shown.contains("2 -> 2 output t carried by 1\n"), "{shown}");
    let sum = graph_of("do i = 1, 100\ns = s + b(i)\nend do\n");
    assert!(sum.contains("2 -> 2 flow s carried by 1\n"), "{sum}");
}

#[test]
fn loops_stand_for_what_they_hold() {
    let statements = "do i = 1, n\na(i) = b(i)\nend do\ncall mpi_send(a, n, mpi_real, 1, 2, mpi_comm_world, ierr)\n";
    let shown = graph_of(statements);
    assert!(shown.contains("1 -> 4 flow a(1:n)"), "{shown}");
}

#[test]
fn what_is_not_understood_keeps_everything_in_order() {
    let shown = graph_of("s = 1.0\na = = b\nt = 2.0\nprint *, 'x'\nprint *, 'y'\n");
    assert_eq!(shown.matches("unknown").count(), 4, "{shown}");
    assert!(shown.contains("4 -> 5 effect\n"), "{shown}");
}

#[test]
fn a_loop_gives_its_variable_a_value() {
    let shown =
        graph_of("do i = 1, 9\na(i) = 1.0\nend do\ndo i = 1, 9\nb(i) = 1.0\nend do\ndo i = i, 9\ns = 1.0\nend do\n");
    assert!(!shown.contains("1 -> 4 flow"), "{shown}");
    assert!(shown.contains("4 -> 7 flow i\n"), "{shown}");
    let shown = graph_of("i = 1\nif (s > 0.0) then\ndo i = 1, 9\na(i) = 1.0\nend do\nend if\nj = i\n");
    assert!(!shown.contains("1 -> 2 flow") && shown.contains("1 -> 7 flow i\n"), "{shown}");
}

#[test]
fn a_long_block_keeps_its_order() {
    let statements: String = (0..400).map(|number| format!("a({}) = s\n", number % 100 + 1)).collect();
    let shown = graph_of(&format!("do j = 1, 3\n{statements}end do\n"));
    assert_eq!(shown.lines().count(), 400, "{shown}");
    assert!(shown.starts_with("2 -> 3 unknown ?\n") && shown.contains("401 -> 2 unknown ? carried by 1\n"), "{shown}");
}

#[test]
fn a_while_loop_repeats_the_same_elements() {
    let shown = graph_of("do while (s < 1.0)\na(n) = a(n + 1)\nend do\n");
    assert!(shown.contains("2 -> 2 output a(n) carried by 1\n"), "{shown}");
    assert!(!shown.contains("flow"), "{shown}");
}
