//! The variables that stand for the program's own requests.

use crate::analysis::facts::{Facts, SiteId, component_of};
use crate::analysis::handed_requests::constant_bounds;
use crate::ir::{Expression, ExpressionKind, HANDED_REQUEST};
use crate::plan::{NewVariable, RequestPlace};

/// The shadow of the program's own request that the call `site` names.
pub fn own_place(facts: &Facts, request: &Expression, site: SiteId) -> Option<RequestPlace> {
    let variable = shadow_of(facts, request, site)?;
    let is_element = matches!(request.kind, ExpressionKind::Element { .. });
    let element_of = (is_element || is_in_object(variable)).then_some(site.statement);
    Some(RequestPlace { variable, element_of })
}

/// The variable that stands for the request that the statement `site` names.
pub fn shadow_of(facts: &Facts, request: &Expression, site: SiteId) -> Option<NewVariable> {
    let (procedure, symbol) = (site.procedure, request.designated()?);
    if component_of(facts.procedure(procedure), request).is_some() {
        return Some(NewVariable::RequestInObject(site.statement));
    }
    let is_handed = facts.procedure(procedure).symbol(symbol).place.as_deref();
    if is_handed.is_some_and(|place| place.starts_with(HANDED_REQUEST)) {
        let mut names = facts.names_of(procedure, symbol).into_iter();
        let owner = names.find(|(owner, name)| !facts.procedure(*owner).dummies.contains(name));
        if let Some((owner, variable)) = owner {
            let bounds = constant_bounds(facts.procedure(owner), variable);
            return Some(NewVariable::HandedRequest { symbol, owner, variable, bounds });
        }
    }
    Some(NewVariable::RequestOf(symbol))
}

/// Is it named by what leads to its object?
fn is_in_object(variable: NewVariable) -> bool {
    matches!(variable, NewVariable::RequestInObject(_))
}
