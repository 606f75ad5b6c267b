//! Tests of the front end as a whole: small sources in, a text form of what was lowered out.

mod association;
mod bound_calls;
mod communication;
mod constructs;
mod entity_lists;
mod entries;
mod errors;
mod expressions;
mod fixed_form;
mod included_code;
mod indirect_calls;
mod libraries;
mod mutation;
mod placement;
mod preprocessed;
mod scopes;
mod submodules;
mod symbols;
mod unread_declarations;
mod unread_text;
mod user_directives;

use crate::frontend::dump;
use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Procedure, Program};

/// Lowers `text`.
fn program(text: &str) -> Program {
    parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap()
}

/// The procedure called `name`.
fn procedure<'a>(program: &'a Program, name: &str) -> &'a Procedure {
    program.procedures.iter().find(|procedure| procedure.name == name).unwrap()
}

/// The statements of a subroutine with these declarations and statements; nothing may be unread.
fn body(declarations: &str, statements: &str) -> String {
    let text = format!("subroutine test\n{declarations}\n{statements}\nend subroutine test\n");
    let program = program(&text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    dump::statements(&program, procedure(&program, "test"))
}

/// The symbol `name` of the first procedure of `text`.
fn symbol_in(text: &str, name: &str) -> String {
    let program = program(text);
    let first = &program.procedures[0];
    let symbol = first.find_symbol(name).unwrap_or_else(|| panic!("no symbol {name}"));
    dump::symbol(first, first.symbol(symbol))
}

/// Why the procedure `name` of `text` must not be touched.
fn obstacle(text: &str, name: &str) -> Option<String> {
    let program = program(text);
    procedure(&program, name).untouchable.clone().map(|found| found.text)
}

/// The statements of the procedure `name` of `text`.
fn statements_of(text: &str, name: &str) -> String {
    let program = program(text);
    dump::statements(&program, procedure(&program, name))
}
