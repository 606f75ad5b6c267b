//! Requests that are components of objects.
//!
//! The runtime's request is a further component of the same type, declared beside the program's: every object that holds one
//! holds the other, whoever it is handed to, and a copy of an object copies both. What keeps that from being seen
//! [`crate::analysis::requests_in_objects`] finds out; here is the rest: whether every statement that names the request can be
//! followed, and whether the other component can be declared and named.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::Class;
use crate::analysis::repeatable::symbols_read_by;
use crate::analysis::requests::RequestVariable;
use crate::analysis::requests_in_objects::component_named;
use crate::ir::{ComponentName, Expression, PartForm, Span};
use crate::plan::{Reason, ReasonCode};

use super::request::{unnamed_buffer, users_obstacle};
use super::{needed_name, untouchable_reason};

/// The name of the other component is longer, and Fortran allows 63 characters.
const LONGEST_NAME: usize = 48;

/// Why the requests in the component can't have one of the runtime's beside them.
pub fn component_obstacle(
    facts: &Facts,
    class: &Class,
    site: SiteId,
    name: &ComponentName,
    request: &Expression,
) -> Option<Reason> {
    let program = facts.program;
    let text = program.text(request.span);
    let escape = |place: Span, why: String| {
        Some(Reason::at(
            ReasonCode::RequestEscapes,
            place,
            format!("the request `{text}` is a component of objects: {why}"),
        ))
    };
    if let Some(open) = facts.open_world() {
        return escape(
            request.span,
            format!("others than the given files could use them ({})", open.describe(program)),
        );
    }
    if let Some(obstacle) = facts.object_obstacle(name) {
        return escape(obstacle.place.unwrap_or(request.span), obstacle.why);
    }
    if !component_named(program, name).is_some_and(|component| component.may_hold_requests) {
        return escape(request.span, "it is neither an integer nor of the type MPI_Request".to_owned());
    }
    if name.name.len() > LONGEST_NAME {
        return escape(request.span, "its name is too long for another one that is made of it".to_owned());
    }
    if let Some(why) = no_place_for_declaration(facts, name) {
        return escape(request.span, why);
    }
    let body = facts.procedure(site.procedure);
    let object = request.designated().map(|symbol| body.symbol(body.holder_of(symbol)));
    if let Some(object) = object.filter(|object| object.only_read) {
        return escape(request.span, format!("`{}` has INTENT(IN)", object.name));
    }
    let variable = RequestVariable::Component(name.clone());
    unnamed_buffer(facts, site, &variable, request)
        .or_else(|| users_obstacle(facts, class, site.procedure, &variable, &text))
}

/// Why the requests in a component can't have one of the runtime's beside them, where subscripts, pointers or memory that is
/// allocated lead to the object. How much of the component they are must fit its dimensions.
pub fn part_obstacle(
    facts: &Facts,
    class: &Class,
    site: SiteId,
    (name, form): (&ComponentName, PartForm),
    request: &Expression,
) -> Option<Reason> {
    let text = facts.program.text(request.span);
    let escape =
        |why: &str| Some(Reason::at(ReasonCode::RequestEscapes, request.span, format!("the request `{text}` {why}")));
    let rank = component_named(facts.program, name).map(|component| component.bounds.len());
    let fits = match form {
        PartForm::Whole => rank == Some(0),
        PartForm::Elements => rank == Some(1),
        _ => rank.is_some_and(|rank| rank > 0),
    };
    if !fits {
        return escape("is not a part of an array with one dimension, nor a single request");
    }
    // A wait names the object several times: for its requests and for the buffers beside them.
    if symbols_read_by(facts.procedure(site.procedure), &request.children()).is_none() {
        return escape("lies in an object that can't be told twice");
    }
    component_obstacle(facts, class, site, name, request)
}

/// Why the unit that defines the type can't declare another component: it has to import the kind of the runtime's requests.
fn no_place_for_declaration(facts: &Facts, name: &ComponentName) -> Option<String> {
    let program = facts.program;
    let definition = program.structures.get(&name.structure)?.definitions.first()?;
    if let Some(around) = program.procedure_with(definition.span) {
        let body = program.procedure(around);
        let untouchable = body.untouchable.as_ref().map(|(span, why)| untouchable_reason(*span, why));
        return untouchable.or_else(|| needed_name(body, body.span)).map(|reason| reason.message);
    }
    match program.module_with(definition.span) {
        Some(module) if module.has_our_names => {
            Some(format!("the module `{}` has names that begin like those of the emitted code", module.name))
        }
        Some(_) => None,
        None => Some(format!("the unit that defines the type `{}` has no room for an import", name.structure)),
    }
}
