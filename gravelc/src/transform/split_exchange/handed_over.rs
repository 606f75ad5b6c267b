//! What crosses from the begin of an exchange to its end: variables of the procedure's own that both parts need.
//!
//! They become members of a COMMON block of the two, so their shapes are constant and their types intrinsic, or handles of MPI.

use std::collections::BTreeSet;

use crate::analysis::facts::Facts;
use crate::analysis::memory::effects::{AccessKind, effects_of_all};
use crate::ir::{
    Procedure, ProcedureId, Shape, Span, StatementId, Storage, Symbol, SymbolClass, SymbolId, TypeCategory,
};
use crate::plan::{Reason, ReasonCode};

use super::super::rules::loop_variables::is_read_outside_its_loops;
use super::super::rules::movement::Surroundings;
use super::begun::Messages;
use super::parts::Parts;

/// The variables of which the rest needs what the first part has left there, in the order of the procedure's names.
///
/// # Errors
/// One that can't be handed over.
pub fn handed_over(
    facts: &Facts,
    procedure: ProcedureId,
    parts: &Parts,
    messages: &Messages,
) -> Result<Vec<SymbolId>, Reason> {
    let body = facts.procedure(procedure);
    let rest = effects_of_all(facts.program, procedure, &parts.end);
    let mut needed: BTreeSet<SymbolId> = BTreeSet::new();
    for access in &rest.accesses {
        let is_certain_scalar = body.symbol(access.region.symbol).rank() == 0 && !access.is_exposed;
        if access.kind == AccessKind::Read && !is_certain_scalar {
            needed.insert(body.holder_of(access.region.symbol));
        }
    }
    let conditions = parts.conditions(body).into_iter().flat_map(|condition| condition.walk());
    needed.extend(conditions.filter_map(|part| part.designated()).map(|symbol| body.holder_of(symbol)));
    // A part of an array may be written there, and the rest of it read by nobody here.
    let buffers = messages.begun.iter().map(|message| message.buffer);
    let others = messages.requests.iter().chain(&messages.kept).copied();
    needed.extend(buffers.chain(others).map(|symbol| body.holder_of(symbol)));
    let surroundings = Surroundings { facts, procedure };
    let begin: BTreeSet<StatementId> = parts.begin.iter().flat_map(|&id| body.with_descendants(id)).collect();
    let is_used_before = |symbol: SymbolId| facts.mentions(procedure, symbol).keys().any(|id| begin.contains(id));
    let mut found = Vec::new();
    for symbol in (0..body.symbols.len()).map(SymbolId) {
        let variable = body.symbol(symbol);
        if variable.class != SymbolClass::Variable || variable.holder().is_some() {
            continue;
        }
        if body.dummies.contains(&symbol) {
            check_own_value(facts, procedure, parts, symbol)?;
            continue;
        }
        if !is_of_run(variable) || !needed.contains(&symbol) || !is_used_before(symbol) {
            continue;
        }
        // The counter of loops has a new value in each of them.
        if !is_read_outside_its_loops(surroundings, symbol) {
            continue;
        }
        if let Some(why) = unshareable(body, variable, messages.requests.contains(&symbol)) {
            let span = variable.declaration.unwrap_or(body.span);
            return Err(refused(
                body,
                span,
                &format!("needs `{}` on both sides of its first wait, {why}", variable.name),
            ));
        }
        found.push(symbol);
    }
    Ok(found)
}

fn refused(body: &Procedure, span: Span, why: &str) -> Reason {
    Reason::at(ReasonCode::ExchangeNotDivisible, span, format!("`{}` {why}", body.name))
}

/// Does the variable begin and end with a run of the procedure?
fn is_of_run(variable: &Symbol) -> bool {
    match variable.storage {
        Storage::Local => true,
        Storage::Allocatable => variable.place.is_none(),
        Storage::Pointer => variable.pointer_place.is_none() && variable.place.is_none(),
        Storage::Static | Storage::Dummy | Storage::Global(_) | Storage::Component { .. } => false,
    }
}

/// A dummy argument with a value of its own (Fortran VALUE) has the caller's again in the second part.
fn check_own_value(facts: &Facts, procedure: ProcedureId, parts: &Parts, dummy: SymbolId) -> Result<(), Reason> {
    let body = facts.procedure(procedure);
    let is_written = || parts.begin.iter().any(|&id| facts.effects(procedure, id).writes_symbol(body, dummy).is_some());
    match body.symbol(dummy).storage == Storage::Local && is_written() {
        true => {
            let span = body.symbol(dummy).declaration.unwrap_or(body.span);
            Err(refused(body, span, &format!("changes its own copy of `{}`", body.symbol(dummy).name)))
        }
        false => Ok(()),
    }
}

/// Why the variable can't be a member of a COMMON block, as the end of a sentence.
fn unshareable(body: &Procedure, variable: &Symbol, is_request: bool) -> Option<String> {
    if variable.storage != Storage::Local {
        return Some("which is allocated or a pointer".to_owned());
    }
    if variable.overlay.is_some() || variable.scope.is_some() || variable.has_shifting_name {
        return Some("which shares memory or is of a block".to_owned());
    }
    match variable.element.category {
        TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex | TypeCategory::Logical => {}
        // Requests of mpi_f08 are of a type with BIND(C).
        TypeCategory::Derived if is_request && variable.structure.is_none() => {}
        _ => return Some("whose type can't stand in a COMMON block".to_owned()),
    }
    let Shape::Array(dimensions) = &variable.shape else { return None };
    let is_constant = |bound: &crate::ir::Expression| {
        let parts = bound.walk();
        parts.into_iter().filter_map(|part| part.designated()).all(|symbol| {
            matches!(body.symbol(symbol).class, SymbolClass::Constant(_) | SymbolClass::MessagingConstant)
        })
    };
    let bounds = dimensions.iter().map(|dimension| (&dimension.lower, &dimension.upper));
    let is_fixed = bounds
        .into_iter()
        .all(|(lower, upper)| lower.as_ref().is_none_or(is_constant) && upper.as_ref().is_some_and(is_constant));
    (!is_fixed).then(|| "whose length is known only when it runs".to_owned())
}
