//! Handlers of signals (C11 7.14.1.1).
//!
//! `signal(SIGTERM, handler)`: the handler may run between any two statements. One that stores nothing but volatile objects, which
//! may change at any time anyway, changes nothing else that the program does.

use std::collections::{HashMap, HashSet};

use super::library::{self, Use};
use super::lowering::Lowering;
use super::unread::parts_of;
use crate::frontend::c::types::Qualifiers;
use crate::frontend::c::unit::{Conversion, ExpressionId, Function, Operation, Storage, SymbolId, SymbolKind, Unit};
use crate::ir::ProcedureId;

/// The function that says which handler runs.
const INSTALLS: &str = "signal";

/// The handlers that are none.
const PREDEFINED: [&str; 2] = ["SIG_DFL", "SIG_IGN"];

/// The handler that a call says will run.
pub fn handler_installed(unit: &Unit, callee: ExpressionId, arguments: &[ExpressionId]) -> Option<ExpressionId> {
    let function = unit.function_named(callee).filter(|function| unit.is_stand_in(*function))?;
    let [_, handler] = *arguments else { return None };
    (spelled(unit, function) == INSTALLS).then_some(handler)
}

/// The functions of the program that could be handlers and do nothing that others would notice, but for volatile objects and the end of
/// the program.
pub fn quiet_handlers(units: &[&Unit], own: &[HashMap<SymbolId, ProcedureId>]) -> HashSet<ProcedureId> {
    let of_units = units.iter().zip(own);
    let quiet = of_units.flat_map(|(unit, own)| {
        let functions = unit.functions.iter().filter(|function| is_quiet(unit, function));
        functions.filter_map(|function| own.get(&function.symbol).copied())
    });
    quiet.collect()
}

fn spelled(unit: &Unit, symbol: SymbolId) -> &str {
    unit.symbol(symbol).name.map_or("", |name| unit.names.text(name))
}

fn is_quiet(unit: &Unit, function: &Function) -> bool {
    let range = &function.range;
    let is_inside = |id: &ExpressionId| {
        let place = &unit.expression(*id).range;
        range.start <= place.start && place.end <= range.end
    };
    let all = (0..unit.expressions.len()).map(ExpressionId::next);
    !function.has_assembler && !function.is_nested && all.filter(is_inside).all(|id| is_quiet_part(unit, id))
}

/// Is the expression the name of such a symbol?
fn is_name(unit: &Unit, id: ExpressionId, is_one: impl Fn(SymbolId) -> bool) -> bool {
    matches!(unit.expression(id).operation, Operation::Symbol(symbol) if is_one(symbol))
}

fn is_quiet_part(unit: &Unit, id: ExpressionId) -> bool {
    match &unit.expression(id).operation {
        Operation::Symbol(symbol) => {
            let declared = unit.symbol(*symbol);
            let is_variable = matches!(declared.kind, SymbolKind::Object | SymbolKind::Parameter);
            let is_own = declared.storage == Storage::Automatic || unit.is_stand_in(*symbol);
            !is_variable || is_own || declared.ty.qualifiers.has(Qualifiers::VOLATILE)
        }
        // What a pointer leads to may be anything.
        Operation::Convert { conversion: Conversion::Read, operand, .. } => {
            let is_pointer = unit.types.pointee(unit.type_of(id).id).is_some();
            !is_pointer || is_name(unit, *operand, |symbol| unit.is_stand_in(symbol))
        }
        Operation::Assign { left, .. } | Operation::AssignOperation { left, .. } => {
            !is_name(unit, *left, |symbol| unit.is_stand_in(symbol))
        }
        Operation::Step { operand, .. } => !is_name(unit, *operand, |symbol| unit.is_stand_in(symbol)),
        Operation::Call { callee, .. } => unit.function_named(*callee).is_some_and(|function| {
            let name = spelled(unit, function);
            let is_of_library = unit.is_stand_in(function) && !unit.symbol(function).is_defined;
            let is_harmless = matches!(library::known(name), Some(Use::Value | Use::Output | Use::Ends));
            is_of_library && (is_harmless || matches!(name, INSTALLS | "write" | "MPI_Abort"))
        }),
        Operation::Dereference(_) | Operation::Subscript { .. } => false,
        Operation::StatementExpression(_)
        | Operation::VariadicArgument(_)
        | Operation::Builtin(_)
        | Operation::Unknown(..) => false,
        _ => true,
    }
}

impl Lowering<'_> {
    /// Does the call install a handler that does nothing that others would notice?
    pub fn installs_quiet_handler(&self, callee: ExpressionId, arguments: &[ExpressionId]) -> bool {
        let Some(handler) = handler_installed(self.unit, callee, arguments) else { return false };
        let is_predefined = || {
            let names = parts_of(self.unit, &[handler]).into_iter().filter_map(|part| {
                let Operation::Symbol(symbol) = self.unit.expression(part).operation else { return None };
                Some(self.unit.is_stand_in(symbol) && PREDEFINED.contains(&self.spelling(symbol)))
            });
            let names: Vec<bool> = names.collect();
            !names.is_empty() && names.into_iter().all(|is_one| is_one)
        };
        let known = || self.input.called.get(&handler).filter(|handlers| !handlers.is_empty());
        let is_quiet = || known().is_some_and(|all| all.iter().all(|one| self.input.quiet_handlers.contains(one)));
        self.function_of_others(callee).is_some() && (is_predefined() || is_quiet())
    }
}
