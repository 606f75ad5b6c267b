//! The variables that stand for the program's own requests.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::handed_requests::constant_bounds;
use crate::ir::{Expression, ExpressionKind, HANDED_REQUEST, ProcedureId, SymbolId};
use crate::plan::{NewVariable, RequestPlace};

/// The shadow of the program's own request that `call` names.
pub fn own_place(facts: &Facts, request: &Expression, site: SiteId) -> Option<RequestPlace> {
    let variable = shadow_of(facts, site.procedure, request.designated()?);
    let element_of = matches!(request.kind, ExpressionKind::Element { .. }).then_some(site.statement);
    Some(RequestPlace { variable, element_of })
}

/// The variable that stands for the request `symbol` of `procedure`.
pub fn shadow_of(facts: &Facts, procedure: ProcedureId, symbol: SymbolId) -> NewVariable {
    let is_handed = facts.procedure(procedure).symbol(symbol).place.as_deref();
    if is_handed.is_some_and(|place| place.starts_with(HANDED_REQUEST)) {
        let mut names = facts.names_of(procedure, symbol).into_iter();
        let owner = names.find(|(owner, name)| !facts.procedure(*owner).dummies.contains(name));
        if let Some((owner, variable)) = owner {
            let bounds = constant_bounds(facts.procedure(owner), variable);
            return NewVariable::HandedRequest { symbol, owner, variable, bounds };
        }
    }
    NewVariable::RequestOf(symbol)
}
