//! The names of the variables that the emitted code needs, in any language.

use crate::ir::{Procedure, Program};
use crate::plan::{EarlyValue, NewVariable, RequestPlace, StepOperation, ValueSource};
use crate::runtime_module;

/// The name of a new variable.
pub fn name_of(program: &Program, procedure: &Procedure, variable: NewVariable) -> String {
    match variable {
        NewVariable::ReceiveRequest(number) => format!("gravel_r{number}"),
        NewVariable::EarlyRequest { procedure, number } => {
            format!("gravel_r{number}_{}", program.procedure(procedure).name)
        }
        NewVariable::LateRequest { procedure, number } => {
            format!("gravel_w{number}_{}", program.procedure(procedure).name)
        }
        NewVariable::CallersRequest { procedure, number } => {
            format!("gravel_c{number}_{}", program.procedure(procedure).name)
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
            if is_taken(&name, procedure) { format!("gravel_own{}", symbol.0) } else { name }
        }
    }
}

/// Is the name one that the emitted code needs for something else, or too long?
fn is_taken(name: &str, procedure: &Procedure) -> bool {
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
    is_one_of_ours || is_numbered || runtime_module::exports(name) || name.len() > procedure.dialect().longest_name()
}

/// The new variables that a step uses.
pub fn variables_of(operation: &StepOperation) -> Vec<NewVariable> {
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
