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
    let place = facts.procedure(procedure).symbol(symbol).place.as_deref();
    if let Some((owner, _)) = place.and_then(|place| place.strip_prefix(HANDED_REQUEST)?.split_once(':')) {
        // Others have it as a dummy argument, or from their host.
        let owner = facts.names_of(procedure, symbol).into_iter().find(|(id, _)| facts.procedure(*id).name == owner);
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
