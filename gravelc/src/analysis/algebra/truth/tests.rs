//! Conditions of small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{ProcedureKind, StatementKind};

/// Whether this condition holds.
fn holds(condition: &str) -> Option<bool> {
    let text = format!(
        "module switches\nimplicit none\nlogical, parameter :: debug = .false., checked = .not. debug\n\
         integer, parameter :: n = 4, sizes(2) = [3, 5]\nreal, parameter :: tolerance = 0.5\n\
         logical :: verbose = .false.\nend module\n\
         program main\nuse switches, only: debug, on => checked, n, sizes, tolerance, verbose\nimplicit none\n\
         integer :: k\nlogical :: run\nlogical, parameter :: large = n > 3 .and. .not. debug, same = debug .eqv. large\n\
         logical, parameter :: each(2) = .true.\n\
         if ({condition}) print *, 'holds'\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let main = program.procedures.iter().find(|it| it.kind == ProcedureKind::Main).unwrap();
    let conditions = main.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::If { arms, .. } => Some(&arms[0].condition),
        _ => None,
    });
    let conditions: Vec<&Expression> = conditions.collect();
    let [condition] = conditions.as_slice() else { panic!("one IF: {condition}") };
    truth_of_constants(main, condition)
}

#[test]
fn constants_decide() {
    for condition in [
        ".true.",
        "on",
        "large",
        "n == 4",
        "sizes(2) > n",
        "(n - 4) <= 0",
        "mod(n, 2) .eq. 0",
        "-n < 0",
        ".not. debug .or. run",
        "on .and. .not. same",
        "size(sizes) == 2",
    ] {
        assert_eq!(holds(condition), Some(true), "{condition}");
    }
    for condition in [
        ".false.",
        "debug",
        "same",
        "debug .and. k > 3",
        "run .and. debug",
        "n /= 4",
        "(.not. on)",
        "n > 3 .and. debug",
    ] {
        assert_eq!(holds(condition), Some(false), "{condition}");
    }
}

#[test]
fn what_may_vary_does_not() {
    for condition in [
        "run",
        "verbose",
        "k == k",
        "k - k == 0",
        "on .and. run",
        "debug .or. run",
        "tolerance > 0.1",
        "each(1)",
        "n == 4 .eqv. run",
        "n > k",
    ] {
        assert_eq!(holds(condition), None, "{condition}");
    }
}
