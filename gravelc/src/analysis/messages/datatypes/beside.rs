//! Buffers that lie beside other variables.
//!
//! What a datatype may reach is the storage sequence that holds the buffer (MPI 4.0, section 5.1.12): of a dummy argument that may be
//! a COMMON block or an object of a caller's, of which the argument is a part.

use std::collections::BTreeSet;

use crate::analysis::facts::Facts;
use crate::analysis::memory::overrun::is_member;
use crate::ir::{
    Callee, Expression, ExpressionKind, Procedure, ProcedureId, StatementKind, Storage, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

/// Why a dummy argument may be a part of something larger that is not one variable: of a COMMON block, or of an object.
pub(super) fn lies_beside_others(facts: &Facts, procedure: ProcedureId, buffer: SymbolId) -> Option<String> {
    if Clause::DatatypesWithinVariables.is_off() {
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut left = vec![(procedure, buffer)];
    while let Some((id, dummy)) = left.pop() {
        let body = facts.procedure(id);
        let Some(position) = body.dummies.iter().position(|&other| other == dummy) else { continue };
        if !seen.insert((id, dummy)) {
            continue;
        }
        let name = &body.symbol(dummy).name;
        if !facts.calls_are_known(id) && has_common_blocks(facts) {
            return Some(format!("calls that were not given may hand a part of a COMMON block to `{name}`"));
        }
        for call in facts.calls_of(id) {
            let caller = facts.procedure(call.procedure);
            let arguments = match &caller.statement(call.statement).kind {
                StatementKind::Call { callee: Callee::Procedure(_), arguments } => Some(arguments),
                _ => None,
            };
            let argument = arguments.and_then(|arguments| arguments.get(position));
            match argument.and_then(|argument| alone(caller, argument)) {
                Some(handed) => left.push((call.procedure, handed)),
                None => {
                    let line = facts.program.line_named(caller.statement(call.statement).span);
                    return Some(format!("the call at line {line} may hand a part of something larger to `{name}`"));
                }
            }
        }
    }
    None
}

/// The variable that an actual argument is all or a part of, unless that lies in a COMMON block or in an object.
fn alone(caller: &Procedure, argument: &Expression) -> Option<SymbolId> {
    let id = argument.designated()?;
    let symbol = caller.symbol(id);
    let is_alone = symbol.class == SymbolClass::Variable
        && symbol.storage != Storage::Pointer
        && !matches!(argument.kind, ExpressionKind::Part { .. })
        && (!is_member(caller, id) || symbol.ends_block)
        && (symbol.holder().is_none() || symbol.is_allocatable());
    is_alone.then_some(id)
}

fn has_common_blocks(facts: &Facts) -> bool {
    facts.program.procedures().any(|(_, body)| (0..body.symbols.len()).any(|index| is_member(body, SymbolId(index))))
}
