//! Declarations of the variables that the emitted code needs, in front of a function's own.

use std::collections::BTreeSet;

use crate::plan::{NewVariable, Step};

use super::calls::Writer;

/// Of what type a variable is.
fn type_of(variable: NewVariable) -> &'static str {
    match variable {
        variable if variable.is_request() => "gravel_request",
        NewVariable::Transfer(_) => "gravel_transfer",
        NewVariable::TileStep(_) => "int64_t",
        _ => "int",
    }
}

/// The lines that declare what the steps use.
pub fn declarations(writer: &Writer<'_>, steps: &[&Step]) -> Vec<String> {
    let used: BTreeSet<NewVariable> = steps.iter().flat_map(|step| step.operation.new_variables()).collect();
    let types = ["gravel_request", "gravel_transfer", "int", "int64_t"];
    let lines = types.into_iter().filter_map(|of_type| {
        let own = used.iter().filter(|&&variable| type_of(variable) == of_type);
        let names: Vec<String> = own.map(|&variable| writer.name(variable)).collect();
        (!names.is_empty()).then(|| format!("{of_type} {};", names.join(", ")))
    });
    lines.collect()
}
