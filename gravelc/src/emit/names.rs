//! The names of the variables that the emitted code needs, in any language.

use crate::ir::{Procedure, Program};
use crate::plan::NewVariable;
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
