//! Declarations of the variables that the emitted code needs.

use std::collections::BTreeSet;

use crate::ir::{Procedure, Program};
use crate::plan::{NewVariable, Step};

use super::super::names::name_of;
use super::meanings::Meanings;

/// The program with what is written for its expressions.
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
    /// What is written for the program's expressions.
    pub meanings: Meanings,
}

impl<'a> Names<'a> {
    /// Those of `program`.
    pub fn of(program: &'a Program) -> Self {
        Self { program, meanings: Meanings::default() }
    }
}

/// The COMMON block of a request that procedures hand to each other outside of modules.
fn common_block_of(program: &Program, variable: NewVariable) -> Option<String> {
    // No block of another one begins with a digit behind the underscore.
    let (procedure, letter, number) = match variable {
        NewVariable::EarlyRequest { procedure, number } => (procedure, "", number),
        NewVariable::LateRequest { procedure, number } => (procedure, "w", number),
        NewVariable::CallersRequest { procedure, number } => (procedure, "c", number),
        _ => return None,
    };
    let is_of_module = program.module_around(procedure).is_some();
    (!is_of_module).then(|| format!("gravel_{number}{letter}_{}", program.procedure(procedure).name))
}

/// A request that a module has to declare, which procedures hand to each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestOfModule {
    /// The module.
    pub module: String,
    /// The name.
    pub name: String,
    /// It is null before the program starts.
    pub is_null_at_first: bool,
}

/// The requests that the steps of a procedure use of modules.
pub fn requests_of_modules(names: &Names, procedure: &Procedure, steps: &[&Step]) -> BTreeSet<RequestOfModule> {
    let used = steps.iter().flat_map(|step| step.operation.new_variables());
    used.filter_map(|variable| {
        let module = module_of(names.program, variable)?.to_owned();
        let is_null_at_first = matches!(variable, NewVariable::CallersRequest { .. });
        Some(RequestOfModule { module, name: name_of(names.program, procedure, variable), is_null_at_first })
    })
    .collect()
}

/// The module that declares the variable.
fn module_of(program: &Program, variable: NewVariable) -> Option<&str> {
    match variable {
        NewVariable::EarlyRequest { procedure, .. }
        | NewVariable::LateRequest { procedure, .. }
        | NewVariable::CallersRequest { procedure, .. } => Some(&program.module_around(procedure)?.name),
        _ => None,
    }
}

/// The declarations of everything that the steps use, with a comment above; none if they use nothing new.
pub fn declarations(names: &Names, procedure: &Procedure, steps: &[&Step]) -> Vec<String> {
    let used: BTreeSet<NewVariable> = steps.iter().flat_map(|step| step.operation.new_variables()).collect();
    let named = |wanted: &dyn Fn(&NewVariable) -> bool| -> Vec<String> {
        used.iter()
            .filter(|variable| wanted(variable) && module_of(names.program, **variable).is_none())
            .map(|&variable| name_of(names.program, procedure, variable))
            .collect()
    };
    let requests = named(&|variable| variable.is_request());
    let transfers = named(&|variable| matches!(variable, NewVariable::Transfer(_)));
    let tiles = named(&|variable| {
        matches!(
            variable,
            NewVariable::TileStart(_) | NewVariable::TileEnd(_) | NewVariable::TileStep(_) | NewVariable::LoopPart(_)
        )
    });
    let early = named(&|variable| matches!(variable, NewVariable::EarlyValue { .. }));
    let integers = [tiles, early].concat();
    let mut lines = Vec::new();
    for (kind, names) in [
        ("integer(gravel_request_kind)", requests),
        ("integer(gravel_transfer_kind)", transfers),
        ("integer", integers),
    ] {
        if !names.is_empty() {
            lines.push(format!("{kind} :: {}", names.join(", ")));
        }
    }
    for &variable in &used {
        if let Some(block) = common_block_of(names.program, variable) {
            lines.push(format!("common /{block}/ {}", name_of(names.program, procedure, variable)));
        }
    }
    lines
}
