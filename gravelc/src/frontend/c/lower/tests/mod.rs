//! C lowered to the program, as text.

mod examples;
mod interpreter;
mod random;
mod statements;

use std::path::Path;

use crate::frontend::{FrontendOptions, dump, parse_text};
use crate::ir::Program;

/// The program that a text is.
fn program(text: &str) -> Program {
    parse_text(Path::new("test.c"), text.as_bytes().to_vec(), &FrontendOptions::default()).expect("it is read")
}

/// The statements of the procedure `f`.
fn lowered(text: &str) -> String {
    statements_of(&program(text), "f")
}

fn statements_of(program: &Program, name: &str) -> String {
    let procedure = program.procedures.iter().find(|procedure| procedure.name == name).expect("it is there");
    for (index, statement) in procedure.statements.iter().enumerate() {
        let held = procedure.siblings(crate::ir::StatementId(index));
        assert_eq!(held.0[held.1].0, index);
        assert!(statement.span.is_within(procedure.span), "{statement:?}");
    }
    dump::statements(program, procedure)
}
