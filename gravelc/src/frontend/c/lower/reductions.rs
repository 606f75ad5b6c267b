//! Functions with which MPI reduces (MPI 4.0, section 6.9.5).
//!
//! `MPI_Op_create(larger, 1, &op)`: MPI calls the function with memory of the message that it reduces, or of its own. One that reads and
//! stores nothing but where its parameters lead does no more than MPI's own. It may complain, and end the program: where it does so
//! among the calls of MPI is MPI's affair.

use std::collections::{HashMap, HashSet};

use super::communication::routine_called;
use super::library::{self, Use};
use crate::frontend::c::unit::{Conversion, ExpressionId, Function, Operation, Storage, SymbolId, SymbolKind, Unit};
use crate::ir::ProcedureId;
use crate::mpi::properties::Property;
use crate::mpi::routines::{self, Action, CalledBack, without_profiling};

/// Does the routine of MPI only tell numbers, or end the program?
fn tells_numbers(routine: &str) -> bool {
    const TELLING: [Property; 3] = [Property::Clock, Property::GivesRanks, Property::TellsSize];
    routines::find(routine).action == Action::Abort || TELLING.iter().any(|property| property.holds_of(routine))
}

/// The function with which a call makes a reduction.
pub fn reduction_made(unit: &Unit, callee: ExpressionId, arguments: &[ExpressionId]) -> Option<ExpressionId> {
    let routine = routine_called(unit, callee)?;
    let is_one = routines::find(without_profiling(&routine)).action == Action::CallsBack(CalledBack::Reduction);
    arguments.first().copied().filter(|_| is_one)
}

/// The functions of the program that use nothing but what their parameters lead to.
pub fn plain_reductions(units: &[&Unit], own: &[HashMap<SymbolId, ProcedureId>]) -> HashSet<ProcedureId> {
    let of_units = units.iter().zip(own);
    let plain = of_units.flat_map(|(unit, own)| {
        plain_functions(unit).into_iter().filter_map(|function| own.get(&function).copied()).collect::<Vec<_>>()
    });
    plain.collect()
}

/// Those of a unit: they call none but others of them. Functions that call each other are not among them.
fn plain_functions(unit: &Unit) -> HashSet<SymbolId> {
    let mut plain = HashSet::new();
    loop {
        let others = unit.functions.iter().filter(|function| !plain.contains(&function.symbol));
        let more: Vec<SymbolId> =
            others.filter(|function| is_plain(unit, function, &plain)).map(|function| function.symbol).collect();
        if more.is_empty() {
            return plain;
        }
        plain.extend(more);
    }
}

fn is_plain(unit: &Unit, function: &Function, plain: &HashSet<SymbolId>) -> bool {
    let range = &function.range;
    let all = (0..unit.expressions.len()).map(ExpressionId::next);
    let mut inside = all.filter(|id| {
        let place = &unit.expression(*id).range;
        range.start <= place.start && place.end <= range.end
    });
    let is_read = unit.holes.iter().all(|hole| hole.range.end <= range.start || range.end <= hole.range.start);
    is_read && !function.has_assembler && !function.is_nested && inside.all(|id| is_plain_part(unit, id, plain))
}

/// Every pointer is a variable of the function's own, and what is stored there comes from one of them, or is the address of one: so all
/// lead to where the parameters lead, or to variables of the function.
fn is_plain_part(unit: &Unit, id: ExpressionId, plain: &HashSet<SymbolId>) -> bool {
    let is_pointer = |id: ExpressionId| unit.types.pointee(unit.type_of(id).id).is_some();
    let is_own = |symbol: SymbolId| {
        let declared = unit.symbol(symbol);
        matches!(declared.kind, SymbolKind::Object | SymbolKind::Parameter) && declared.storage == Storage::Automatic
    };
    let is_own_name = |id: ExpressionId| matches!(unit.expression(id).operation, Operation::Symbol(one) if is_own(one));
    match &unit.expression(id).operation {
        Operation::Symbol(symbol) => {
            let is_variable = matches!(unit.symbol(*symbol).kind, SymbolKind::Object | SymbolKind::Parameter);
            !is_variable || is_own(*symbol) || unit.is_stand_in(*symbol)
        }
        Operation::Convert { conversion: Conversion::Read, operand, .. } => {
            !is_pointer(id) || is_own_name(*operand) || is_output(unit, *operand)
        }
        Operation::Convert { conversion: Conversion::Decay, operand, .. } => !is_of_others(unit, *operand),
        Operation::AddressOf(operand) => !is_of_others(unit, *operand),
        Operation::Convert { conversion, .. } => {
            !matches!(
                conversion,
                Conversion::ToPointer
                    | Conversion::Union
                    | Conversion::OfUnknown
                    | Conversion::Wrong
                    | Conversion::Opaque
            ) || !is_pointer(id)
        }
        Operation::Assign { left, .. }
        | Operation::AssignOperation { left, .. }
        | Operation::Step { operand: left, .. } => {
            is_own_name(*left) || !is_pointer(*left) && !is_of_others(unit, *left)
        }
        Operation::Call { callee, .. } => unit.function_named(*callee).is_some_and(|function| {
            let in_library = unit.name_in_library(function).filter(|_| !unit.symbol(function).is_defined);
            let usage = in_library.and_then(library::known);
            let is_told = routine_called(unit, *callee).is_some_and(|name| tells_numbers(&name));
            plain.contains(&function)
                || is_told && in_library.is_some()
                || matches!(usage, Some(Use::Value | Use::Output | Use::Ends))
        }),
        Operation::LabelAddress(_)
        | Operation::StatementExpression(_)
        | Operation::VariadicArgument(_)
        | Operation::Builtin(_)
        | Operation::Unknown(..) => false,
        _ => true,
    }
}

/// Is it where output goes?
fn is_output(unit: &Unit, id: ExpressionId) -> bool {
    let Operation::Symbol(symbol) = unit.expression(id).operation else { return false };
    let name = unit.symbol(symbol).name.map_or("", |name| unit.names.text(name));
    unit.is_stand_in(symbol) && ["stdout", "stderr"].contains(&name)
}

/// Is it an object of the stand-ins', such as `errno`, or a part of one?
fn is_of_others(unit: &Unit, id: ExpressionId) -> bool {
    match &unit.expression(id).operation {
        Operation::Symbol(symbol) => unit.is_stand_in(*symbol) && unit.symbol(*symbol).kind == SymbolKind::Object,
        Operation::Member { base, .. } => is_of_others(unit, *base),
        Operation::Convert { operand, .. } => is_of_others(unit, *operand),
        _ => false,
    }
}
