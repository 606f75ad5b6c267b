//! Request variables that are followed: all that is done with one is known.
//!
//! A wait may move, or name the buffers of what it completes, only if it is known which operations these are. So it is where the
//! program does nothing with the variable but make requests, complete, start and release them, and set them to the null request:
//! what the variable holds then comes from the posts into it ([`super::requests::posts_into`]), and goes nowhere else. A request
//! that is not followed is as good a request; but any call that completes requests which are not followed may complete it.

use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, PartForm, Place, Procedure, ProcedureId, Shape, Span,
    StatementKind, Storage, Symbol, SymbolId,
};
use crate::mutations::Clause;

use super::super::algebra::symbolic::polynomial_of;
use super::super::facts::{Fact, Facts, Memo, SiteId};
use super::requests::{RequestVariable, is_null_assignment, request_variable, shape_inquiries};
use super::requests_in_objects::component_named;

/// Why a request variable is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFollowed {
    /// Where that is seen, if at one place.
    pub place: Option<Span>,
    /// What is in the way, as the end of a sentence that begins with the request.
    pub why: String,
}

fn not_followed(place: impl Into<Option<Span>>, why: impl Into<String>) -> Option<NotFollowed> {
    Some(NotFollowed { place: place.into(), why: why.into() })
}

/// Why the variable is not followed; nothing if it is.
pub fn why_not_followed(facts: &Facts, variable: &RequestVariable) -> Option<NotFollowed> {
    if Clause::RequestsFollowed.is_off() {
        return None;
    }
    facts.get::<Known>().0.get(variable, || {
        let of_variable = match variable {
            RequestVariable::Own(procedure, symbol) => own_obstacle(facts.procedure(*procedure).symbol(*symbol)),
            RequestVariable::Shared(place) => shared_obstacle(facts, place),
            RequestVariable::Component(name) => component_obstacle(facts, name),
        };
        let of_uses = || variable.uses(facts).iter().find_map(|&it| use_obstacle(facts, variable, it));
        of_variable.or_else(of_uses).or_else(|| unread_obstacle(facts, variable))
    })
}

/// Is the request that an expression designates one of a variable that is followed, named so that it is known to be of it?
pub fn is_followed(facts: &Facts, procedure: ProcedureId, request: &Expression) -> bool {
    let variable = RequestVariable::designated(facts, procedure, request);
    is_named_by_itself(request) && variable.is_some_and(|variable| why_not_followed(facts, &variable).is_none())
}

/// A variable of one procedure: what it holds at the beginning, and who could reach it otherwise than by its name.
fn own_obstacle(variable: &Symbol) -> Option<NotFollowed> {
    let is_null_at_first = variable.initial_constant.as_ref().is_some_and(|(name, _)| name == "mpi_request_null");
    match variable.storage {
        Storage::Local => {}
        Storage::Static if !variable.initialised || is_null_at_first => {}
        Storage::Static => {
            let why =
                "has another value than MPI_REQUEST_NULL before the program starts (DATA, or one in its declaration)";
            return not_followed(None, why);
        }
        _ => return not_followed(None, "is no variable of this procedure alone"),
    }
    if is_plain(variable) { None } else { not_followed(None, "may be reached by other names") }
}

/// A variable that several procedures see.
fn shared_obstacle(facts: &Facts, place: &Place) -> Option<NotFollowed> {
    if let Some(open) = facts.open_world() {
        let open = open.describe(facts.program);
        let why = format!("is seen by other procedures, and others than the given files could use it ({open})");
        return not_followed(None, why);
    }
    let names = facts.shared_names(place);
    let is_alike = |&(owner, name): &(ProcedureId, SymbolId)| {
        let body = facts.procedure(owner);
        let variable = body.symbol(name);
        let has_shape = matches!(place, Place::Handed { .. }) || has_constant_shape(body, variable);
        is_plain(variable) && !variable.initialised && has_shape
    };
    if names.iter().all(is_alike) {
        return None;
    }
    not_followed(None, "is a variable that several procedures see, and not a plain one with constant bounds everywhere")
}

/// A component, in all objects of its type.
fn component_obstacle(facts: &Facts, name: &ComponentName) -> Option<NotFollowed> {
    if let Some(open) = facts.open_world() {
        let open = open.describe(facts.program);
        let why = format!("is a component of objects: others than the given files could use them ({open})");
        return not_followed(None, why);
    }
    if let Some(obstacle) = facts.object_obstacle(name) {
        return not_followed(obstacle.place, format!("is a component of objects: {}", obstacle.why));
    }
    let may_hold = component_named(facts.program, name).is_some_and(|component| component.may_hold_requests);
    if may_hold { None } else { not_followed(None, "is neither an integer nor of the type MPI_Request") }
}

/// A statement that could not be read, and may name the variable: of one procedure there, of several ones anywhere.
fn unread_obstacle(facts: &Facts, variable: &RequestVariable) -> Option<NotFollowed> {
    let unread = |body: &Procedure| {
        let mut statements = body.statements.iter();
        let span = statements.find(|statement| statement.kind.is_opaque())?.span;
        not_followed(span, format!("may be used at line {}, which could not be read", facts.program.line_named(span)))
    };
    match variable {
        RequestVariable::Own(procedure, _) => unread(facts.procedure(*procedure)),
        _ => facts.program.procedures().find_map(|(_, body)| unread(body)),
    }
}

/// Why a statement that names the variable, as often as is said, does something with it that is not followed.
fn use_obstacle(facts: &Facts, variable: &RequestVariable, (site, count): (SiteId, usize)) -> Option<NotFollowed> {
    let user = facts.procedure(site.procedure).statement(site.statement);
    let count = count - shape_inquiries(facts, site, variable);
    let is_known = || match &user.kind {
        StatementKind::Communication(communication) => {
            !communication.is_counted_at_callers
                && communication.request().is_some_and(is_named_by_itself)
                && request_variable(facts, site).as_ref() == Some(variable)
        }
        StatementKind::Call { callee: Callee::Procedure(callee), arguments } => {
            is_handed_down(facts, (site.procedure, variable), *callee, arguments)
        }
        _ => is_null_assignment(facts, site, variable),
    };
    if count == 0 || count == 1 && is_known() {
        return None;
    }
    not_followed(user.span, format!("is used at line {} in another way", facts.program.line_named(user.span)))
}

/// Is it a variable, or elements of one, or a component of one object, rather than a part that is not described?
pub fn is_named_by_itself(request: &Expression) -> bool {
    !matches!(request.kind, ExpressionKind::Part { form: PartForm::Unnamed | PartForm::Named, .. })
}

/// Does the call hand the request as a whole to a dummy argument that is followed as the same variable?
fn is_handed_down(
    facts: &Facts,
    (procedure, variable): (ProcedureId, &RequestVariable),
    callee: ProcedureId,
    arguments: &[Expression],
) -> bool {
    let RequestVariable::Shared(place) = variable else { return false };
    let callee = facts.procedure(callee);
    arguments.iter().zip(&callee.dummies).any(|(argument, &dummy)| {
        matches!(argument.kind, ExpressionKind::Symbol(_))
            && RequestVariable::designated(facts, procedure, argument).as_ref() == Some(variable)
            && callee.symbol(dummy).shared_variable() == Some(place)
    })
}

/// Does nothing but the variable's own name reach it?
fn is_plain(variable: &Symbol) -> bool {
    // What procedures inside its own one name is followed under all its names, or not at all.
    let is_followed_inside = variable.place_inside.is_some() && matches!(variable.place, Some(Place::Handed { .. }));
    (!variable.target || is_followed_inside)
        && !variable.volatile
        && variable.overlay.is_none()
        && !matches!(variable.storage, Storage::Allocatable | Storage::Pointer)
}

/// Are all bounds constants, so that an element has one subscript in every procedure?
fn has_constant_shape(procedure: &Procedure, variable: &Symbol) -> bool {
    let is_constant = |bound: &Option<Expression>| {
        let value = bound.as_ref().and_then(|bound| polynomial_of(procedure, bound));
        value.is_some_and(|value| value.as_constant().is_some())
    };
    match &variable.shape {
        Shape::Scalar => true,
        Shape::Array(dimensions) => {
            dimensions.iter().all(|dimension| is_constant(&dimension.lower) && is_constant(&dimension.upper))
        }
    }
}

/// [`why_not_followed`], as far as it has been asked.
struct Known(Memo<RequestVariable, Option<NotFollowed>>);

impl Fact for Known {
    fn of(_: &Facts<'_>) -> Self {
        Self(Memo::default())
    }
}
