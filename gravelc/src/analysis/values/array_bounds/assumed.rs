//! Arrays that assume their shape: what all calls of a procedure hand over.
//!
//! Where every call hands over an array whose elements are neighbours, the dummy array's elements are neighbours, too
//! (Fortran 2018, 9.5.4); where all of them have the same extents, in words that the procedure has for the same values, these
//! are the dummy array's.

use std::collections::BTreeMap;

use crate::analysis::facts::Facts;
use crate::analysis::memory::arrays::Layouts;
use crate::analysis::program::calls::{CallSite, call_sites};
use crate::ir::{
    Bounds, Expression, ExpressionKind, Polynomial, Procedure, ProcedureId, StatementId, Storage, Subscript, Symbol,
    SymbolClass, SymbolId,
};
use crate::mutations::Clause;

/// The dummy arrays of the program that are contiguous although they assume their shape, with their bounds as far as they
/// are known.
pub fn assumed_bounds(facts: &Facts) -> Vec<(ProcedureId, SymbolId, Vec<Bounds>)> {
    let program = facts.program;
    let mut calls: BTreeMap<ProcedureId, Vec<CallSite>> = BTreeMap::new();
    for site in call_sites(program) {
        calls.entry(site.callee).or_default().push(site);
    }
    let mut found = Vec::new();
    for (id, procedure) in program.procedures() {
        let dummies = procedure.dummies.iter().enumerate();
        let asking: Vec<_> = dummies.filter(|(_, dummy)| assumes_shape(procedure.symbol(**dummy))).collect();
        if asking.is_empty() || procedure.untouchable.is_some() || !facts.calls_are_known(id) {
            continue;
        }
        let calls = calls.get(&id).map_or(&[][..], Vec::as_slice);
        let is_fixed = |symbol: SymbolId| is_fixed(facts, id, symbol);
        for (position, &dummy) in asking {
            let handed: Option<Vec<(CallSite, Vec<Option<Polynomial>>)>> = calls
                .iter()
                .filter(|call| is_present(call, position))
                .map(|call| Some((*call, extents_of(facts, call, position, procedure.symbol(dummy).rank())?)))
                .collect();
            if let Some(handed) = handed.filter(|handed| !handed.is_empty()) {
                found.push((id, dummy, bounds_of(facts, procedure, dummy, &handed, &is_fixed)));
            }
        }
    }
    found
}

fn assumes_shape(symbol: &Symbol) -> bool {
    symbol.class == SymbolClass::Variable
        && symbol.storage == Storage::Dummy
        && symbol.rank() > 0
        && symbol.may_be_strided
        && !symbol.volatile
        && symbol.overlay.is_none()
}

/// Does the variable keep the value that it has when the procedure begins?
pub fn is_fixed(facts: &Facts, procedure: ProcedureId, id: SymbolId) -> bool {
    let body = facts.procedure(procedure);
    let symbol = body.symbol(id);
    let is_written = |statement| facts.footprint(procedure, statement).may_write(body, id);
    symbol.is_integer_scalar()
        && !symbol.volatile
        && symbol.overlay.is_none()
        && symbol.storage.common_block().is_none()
        && symbol.storage != Storage::Pointer
        && !(0..body.statements.len()).map(StatementId).any(is_written)
}

/// Is there an argument at this position?
fn is_present(call: &CallSite, position: usize) -> bool {
    let argument = call.arguments.get(position);
    argument.is_some_and(|argument| argument.kind != ExpressionKind::Computed(Vec::new()))
}

/// The extents of the array that the call hands over, over the caller's variables; `None` if its elements may lie apart.
fn extents_of(facts: &Facts, call: &CallSite, position: usize, rank: usize) -> Option<Vec<Option<Polynomial>>> {
    let caller = facts.procedure(call.caller);
    let argument: &Expression = call.arguments.get(position)?;
    let is_all =
        |subscript: &Subscript| matches!(subscript, Subscript::Range { lower: None, upper: None, stride: None });
    // All of the first dimensions, at one place in the others.
    let (array, dimensions) = match &argument.kind {
        ExpressionKind::Symbol(array) => (*array, caller.symbol(*array).rank()),
        ExpressionKind::Section { array, subscripts } => {
            let count = subscripts.iter().take_while(|subscript| is_all(subscript)).count();
            let is_index = |subscript: &Subscript| matches!(subscript, Subscript::Index(_));
            if !subscripts[count..].iter().all(is_index) {
                return None;
            }
            (*array, count)
        }
        _ => return None,
    };
    let symbol = caller.symbol(array);
    let is_contiguous = symbol.class == SymbolClass::Variable
        && symbol.storage != Storage::Pointer
        && !symbol.may_be_strided
        && !symbol.volatile
        && caller.untouchable.is_none();
    if !is_contiguous || dimensions != rank {
        return None;
    }
    let layout = Layouts::new(caller).layout(array);
    Some(layout.bounds.iter().take(dimensions).map(Bounds::extent).collect())
}

/// The bounds of a dummy array of which the calls hand over these extents.
fn bounds_of(
    facts: &Facts,
    procedure: &Procedure,
    dummy: SymbolId,
    handed: &[(CallSite, Vec<Option<Polynomial>>)],
    is_fixed: &dyn Fn(SymbolId) -> bool,
) -> Vec<Bounds> {
    let declared = Layouts::new(procedure).layout(dummy);
    let bounds = declared.bounds.iter().enumerate();
    let bounds = bounds.map(|(index, bounds)| {
        let lower = bounds.lower.clone();
        let extent = [by_argument, by_variable].into_iter().find_map(|translate| {
            let mut extents = handed.iter().map(|(call, extents)| {
                let extent = extents.get(index)?.as_ref()?;
                extent.checked_replace(&|symbol| translate(facts, call, symbol).map(Polynomial::variable))
            });
            let first = extents.next()??;
            let is_known = first.variables().into_iter().all(is_fixed);
            let is_common = extents.all(|extent| extent.as_ref() == Some(&first)) || Clause::SameShapes.is_off();
            (is_known && is_common).then_some(first)
        });
        let last = |lower: &Polynomial| lower.checked_add(&extent?)?.checked_subtract(&Polynomial::constant(1));
        let upper = lower.as_ref().and_then(last);
        Bounds { lower, upper }
    });
    bounds.collect()
}

/// The dummy argument that gets the caller's variable.
fn by_argument(facts: &Facts, call: &CallSite, symbol: SymbolId) -> Option<SymbolId> {
    let is_it = |argument: &Expression| argument.kind == ExpressionKind::Symbol(symbol);
    let position = call.arguments.iter().position(is_it)?;
    facts.procedure(call.callee).dummies.get(position).copied()
}

/// The name that the called procedure has for the caller's variable of a module.
fn by_variable(facts: &Facts, call: &CallSite, symbol: SymbolId) -> Option<SymbolId> {
    let place = facts.procedure(call.caller).symbol(symbol).storage.shared_variable()?;
    let is_it = |other: &Symbol| other.storage.shared_variable() == Some(place) && !other.lent;
    facts.procedure(call.callee).symbols.iter().position(is_it).map(SymbolId)
}
