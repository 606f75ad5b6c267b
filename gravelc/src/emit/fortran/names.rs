//! Names and declarations of the variables that the emitted code needs.

use std::collections::BTreeSet;

use crate::ir::{Language, Procedure, Program};
use crate::plan::{EarlyValue, NewVariable, RequestPlace, Step, StepOperation, ValueSource};
use crate::runtime_module;

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

/// The name of a new variable.
pub fn name_of(names: &Names, procedure: &Procedure, variable: NewVariable) -> String {
    match variable {
        NewVariable::ReceiveRequest(number) => format!("gravel_r{number}"),
        NewVariable::EarlyRequest { procedure, number } => {
            format!("gravel_r{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::LateRequest { procedure, number } => {
            format!("gravel_w{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::CallersRequest { procedure, number } => {
            format!("gravel_c{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::AwaitedRequest(number) => format!("gravel_w{number}"),
        NewVariable::SendRequest(number) => format!("gravel_s{number}"),
        NewVariable::Transfer(number) => format!("gravel_t{number}"),
        NewVariable::TileStart(number) => format!("gravel_lo{number}"),
        NewVariable::TileEnd(number) => format!("gravel_hi{number}"),
        NewVariable::TileStep(number) => format!("gravel_step{number}"),
        NewVariable::LoopPart(number) => format!("gravel_part{number}"),
        NewVariable::EarlyValue { symbol, number } => {
            format!("gravel_early{number}_{}", procedure.symbol(symbol).name)
        }
        NewVariable::SeparateRequest(symbol) => {
            let name = format!("gravel_{}", procedure.symbol(symbol).name);
            if is_taken(&name) { format!("gravel_own{}", symbol.0) } else { name }
        }
    }
}

/// Is the name one that the emitted code needs for something else, or too long?
fn is_taken(name: &str) -> bool {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_one_of_ours =
        ["gravel_r", "gravel_s", "gravel_t", "gravel_w", "gravel_lo", "gravel_hi", "gravel_step", "gravel_part"]
            .contains(&stem)
            && stem != name;
    // Those of requests that procedures hand each other, and of early values: `gravel_r1_get`, `gravel_early1_next`.
    let is_numbered = ["gravel_r", "gravel_w", "gravel_c", "gravel_early"]
        .iter()
        .filter_map(|start| name.strip_prefix(start))
        .any(|rest| {
            let behind = rest.trim_start_matches(|character: char| character.is_ascii_digit());
            behind.starts_with('_') && behind != rest
        });
    is_one_of_ours
        || is_numbered
        || runtime_module::exports(name)
        || name.len() > Language::Fortran.dialect().longest_name()
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
    let used = steps.iter().flat_map(|step| variables_of(&step.operation));
    used.filter_map(|variable| {
        let module = module_of(names.program, variable)?.to_owned();
        let is_null_at_first = matches!(variable, NewVariable::CallersRequest { .. });
        Some(RequestOfModule { module, name: name_of(names, procedure, variable), is_null_at_first })
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
    let used: BTreeSet<NewVariable> = steps.iter().flat_map(|step| variables_of(&step.operation)).collect();
    let named = |wanted: &dyn Fn(&NewVariable) -> bool| -> Vec<String> {
        used.iter()
            .filter(|variable| wanted(variable) && module_of(names.program, **variable).is_none())
            .map(|&variable| name_of(names, procedure, variable))
            .collect()
    };
    let requests = named(&|variable| {
        matches!(
            variable,
            NewVariable::ReceiveRequest(_)
                | NewVariable::EarlyRequest { .. }
                | NewVariable::LateRequest { .. }
                | NewVariable::CallersRequest { .. }
                | NewVariable::AwaitedRequest(_)
                | NewVariable::SendRequest(_)
                | NewVariable::SeparateRequest(_)
        )
    });
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
            lines.push(format!("common /{block}/ {}", name_of(names, procedure, variable)));
        }
    }
    lines
}

fn variables_of(operation: &StepOperation) -> Vec<NewVariable> {
    let new = |places: &[RequestPlace]| places.iter().filter_map(|place| place.new_variable()).collect::<Vec<_>>();
    match operation {
        StepOperation::PostReceive { request, .. }
        | StepOperation::PostReceiveOfCallee { request, .. }
        | StepOperation::PostSend { request, .. }
        | StepOperation::ClearRequest { request }
        | StepOperation::Wait { request, .. } => new(&[*request]),
        StepOperation::HandOverRequest { from, to, .. } => new(&[*from, *to]),
        StepOperation::OpenTransfer { transfer, .. } | StepOperation::ClearTransfer { transfer } => {
            vec![*transfer]
        }
        StepOperation::SendFin { transfer, request, .. } => [vec![*transfer], new(&[*request])].concat(),
        StepOperation::ComputeEarly(computation) => {
            let of_value = |value: &EarlyValue| match value.source {
                ValueSource::Variable(variable) => Some(variable),
                ValueSource::RightSide(_) => None,
            };
            computation.values.iter().filter_map(of_value).collect()
        }
        StepOperation::StripMine(strip_mine) => {
            [vec![strip_mine.transfer], variables_of_loop(strip_mine.tiled.number)].concat()
        }
        StepOperation::WaitInTiles(wait) => [variables_of(&wait.wait), variables_of_loop(wait.tiled.number)].concat(),
        StepOperation::SplitLoop { number, wait, .. } => {
            let own = [NewVariable::TileStart, NewVariable::TileEnd, NewVariable::LoopPart].map(|new| new(*number));
            [variables_of(wait), own.to_vec()].concat()
        }
        StepOperation::Initialize
        | StepOperation::ReturnErrors
        | StepOperation::Finalize
        | StepOperation::Attach
        | StepOperation::CallTwin
        | StepOperation::TellOfBuffer
        | StepOperation::StoreSuccess
        | StepOperation::WaitAll { .. }
        | StepOperation::Complete { .. }
        | StepOperation::Prepare { .. }
        | StepOperation::Start { .. }
        | StepOperation::StartAll { .. }
        | StepOperation::Release { .. }
        | StepOperation::SynchroniseBuffer { .. }
        | StepOperation::DropPack { .. } => Vec::new(),
    }
}

/// The variables of the loop around a loop.
fn variables_of_loop(number: usize) -> Vec<NewVariable> {
    vec![NewVariable::TileStart(number), NewVariable::TileEnd(number), NewVariable::TileStep(number)]
}
