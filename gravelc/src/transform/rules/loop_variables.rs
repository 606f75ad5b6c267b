//! What is asked of the variable of a loop that is cut or split.

use super::movement::Surroundings;
use crate::ir::{Expression, ExpressionKind, Loop, StatementId, StatementKind, Storage, SymbolClass, SymbolId};
use crate::plan::{Reason, ReasonCode};

/// The tiles are counted in default integers, so the loop must be too; and their bounds call intrinsic functions.
pub fn check_default_integers(surroundings: Surroundings, counted: &Loop) -> Result<(), Reason> {
    let body = surroundings.body();
    let bytes_of_counters = Some(body.dialect().integer_bytes());
    if let Some(name) = body.redefined_functions.first() {
        let message =
            format!("the name `{name}`, which does not mean the intrinsic function here, is needed for tiles");
        return Err(Reason::at(ReasonCode::NameTaken, counted.lower.span, message));
    }
    let is_default = |expression: &Expression| {
        expression.walk().into_iter().all(|part| match &part.kind {
            ExpressionKind::Integer(_) => true,
            ExpressionKind::Symbol(id) => {
                let symbol = body.symbol(*id);
                matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_))
                    && symbol.element.bytes == bytes_of_counters
            }
            ExpressionKind::Element { array, .. } => {
                let symbol = body.symbol(*array);
                matches!(symbol.class, SymbolClass::Constant(_)) && symbol.element.bytes == bytes_of_counters
            }
            ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } => true,
            _ => false,
        })
    };
    if counted.counts_plainly
        && body.symbol(counted.variable).element.bytes == bytes_of_counters
        && is_default(&counted.lower)
        && is_default(&counted.upper)
    {
        return Ok(());
    }
    let message = "the loop's variable or bounds are not simple expressions of default integers";
    Err(Reason::at(ReasonCode::NotProducedInOrder, counted.lower.span, message))
}

/// Is the variable looked at anywhere but inside loops that count with it?
pub fn is_read_outside_its_loops(surroundings: Surroundings, variable: SymbolId) -> bool {
    let body = surroundings.body();
    let symbol = body.symbol(variable);
    // A contained procedure may look at it, or somebody by another name.
    let has_other_names = symbol.target || symbol.overlay.is_some();
    if has_other_names || !matches!(symbol.storage, Storage::Local | Storage::Static) {
        return true;
    }
    surroundings.facts.mentions(surroundings.procedure, variable).keys().any(|&statement| {
        let counts =
            |id: StatementId| matches!(&body.statement(id).kind, StatementKind::Loop(l) if l.variable == variable);
        let mut ancestors = std::iter::successors(body.statement(statement).parent, |&id| body.statement(id).parent);
        !ancestors.any(counts)
    })
}
