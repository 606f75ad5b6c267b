//! Requests that can be followed.
//!
//! Each request variable gets a shadow of the runtime's, an array one of the same shape. That is right only where the
//! program does nothing with the variable but make requests, complete them and set them to the null request: then every
//! statement that changes the variable changes its shadow alike.

use crate::analysis::Answer;
use crate::analysis::effects::AccessKind;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::Class;
use crate::analysis::message::message_region;
use crate::analysis::overlap::may_overlap;
use crate::analysis::prover::Assumptions;
use crate::analysis::repeatable::symbols_read_by;
use crate::analysis::requests::{
    RequestVariable, is_null_assignment, posts_completed_at, posts_into, request_variable, shape_inquiries,
};
use crate::analysis::symbolic::polynomial_of;
use crate::ir::{
    COMMON_MEMBER, Callee, Expression, ExpressionKind, HANDED_REQUEST, Message, Operation, PartForm, Procedure,
    ProcedureId, Shape, Span, StatementId, StatementKind, Storage, Subscript, Symbol, SymbolId,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::super::awaited_buffers::can_name_buffer;
use super::super::footprint::conflicts_of;
use super::request_in_object::{component_obstacle, part_obstacle};
use super::{ends_loop, needed_name, untouchable_reason};

/// The emitter makes the name of a COMMON block longer, and Fortran allows 63 characters.
const LONGEST_BLOCK: usize = 48;

/// A request is followed only if it is a scalar, or an element of an array, that nothing but posts of this class, waits
/// and assignments of the null request use: of the procedure's own, of a module or of a COMMON block.
pub fn request_obstacle(facts: &Facts, class: &Class, site: SiteId, request: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let text = facts.program.text(request.span);
    let escape = |message: String| Some(Reason::at(ReasonCode::RequestEscapes, request.span, message));
    let symbol = match &request.kind {
        ExpressionKind::Part { component: Some(name), form, .. } => {
            return match form {
                PartForm::Element | PartForm::Whole => part_obstacle(facts, class, site, (name, *form), request),
                _ => escape(format!("the request `{text}` is not that of one object")),
            };
        }
        &ExpressionKind::Symbol(symbol) if procedure.symbol(symbol).rank() == 0 => symbol,
        &ExpressionKind::Element { array, .. } => array,
        _ => return escape(format!("the request `{text}` is neither a scalar variable nor an element of an array")),
    };
    if let Some(reason) = variable_obstacle(facts, class, site, symbol, request)
        && !Clause::RequestsFollowed.is_off()
    {
        return Some(reason);
    }
    None
}

/// The requests of one wait must be neighbours in an array with one dimension: its shadow is passed in the same way.
pub fn requests_obstacle(facts: &Facts, class: &Class, site: SiteId, requests: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    if let ExpressionKind::Part { component: Some(name), form, .. } = &requests.kind
        && matches!(form, PartForm::Whole | PartForm::Element | PartForm::Elements)
    {
        return part_obstacle(facts, class, site, (name, PartForm::Elements), requests);
    }
    let array = match &requests.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Element { array, .. } => Some(*array),
        ExpressionKind::Section { array, subscripts } => {
            matches!(subscripts.as_slice(), [Subscript::Range { stride: None, .. }]).then_some(*array)
        }
        _ => None,
    };
    match array.filter(|&array| procedure.symbol(array).rank() == 1) {
        Some(array) => variable_obstacle(facts, class, site, array, requests),
        None => {
            let text = facts.program.text(requests.span);
            let message = format!("the requests `{text}` are not a part of an array with one dimension");
            Some(Reason::at(ReasonCode::RequestEscapes, requests.span, message))
        }
    }
}

/// Why no shadow can stand for the variable that holds `request`.
fn variable_obstacle(
    facts: &Facts,
    class: &Class,
    site: SiteId,
    symbol: SymbolId,
    request: &Expression,
) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let text = facts.program.text(request.span);
    let escape = |span: Span, message: String| Some(Reason::at(ReasonCode::RequestEscapes, span, message));
    let variable = procedure.symbol(symbol);
    if let Storage::Component { name, .. } = &variable.storage {
        return component_obstacle(facts, class, site, name, request);
    }
    // What is null at the beginning has a shadow that is, and what is saved from call to call has one that is.
    let is_null_at_first = variable.initial_constant.as_ref().is_some_and(|(name, _)| name == "mpi_request_null");
    let is_own = match variable.storage {
        Storage::Local => true,
        Storage::Static => !variable.initialised || is_null_at_first,
        _ => false,
    };
    let is_handed = variable.place.as_deref().is_some_and(|place| place.starts_with(HANDED_REQUEST));
    let is_shared = variable.storage.shared_variable().is_some() || is_handed;
    if is_shared && let Some(reason) = shared_obstacle(facts, site, symbol, request) {
        return Some(reason);
    }
    if variable.storage == Storage::Static && !is_own && !is_shared {
        let why = "has another value than MPI_REQUEST_NULL before the program starts (DATA, or one in its declaration)";
        return escape(request.span, format!("the request `{text}` {why}"));
    }
    // Of one that is handed down the shadow has the bounds of the owner's.
    if !(is_own || is_shared) || !is_plain(variable) || !(has_shape(variable) || is_handed) {
        let what = if variable.rank() == 0 { "a plain scalar" } else { "a plain array" };
        return escape(request.span, format!("the request `{text}` is not {what} variable of this procedure"));
    }
    // The shadow is declared with the variables of the procedure, where other names may mean something else.
    if variable.scope.is_some() && !has_literal_shape(variable) {
        return escape(
            request.span,
            format!("the request `{text}` is declared in a BLOCK with bounds that are no numbers"),
        );
    }
    users_obstacle(facts, class, site.procedure, &RequestVariable::of(facts, site.procedure, symbol), &text)
}

/// Why some statement that names the variable can't be followed, or its procedure has no room for what belongs there.
pub(super) fn users_obstacle(
    facts: &Facts,
    class: &Class,
    own: ProcedureId,
    variable: &RequestVariable,
    text: &str,
) -> Option<Reason> {
    let uses = variable.uses(facts);
    let obstacle = |number: usize| {
        let (user, count) = uses[number];
        let is_last_of_procedure = uses.get(number + 1).is_none_or(|(next, _)| next.procedure != user.procedure);
        let obstacle = use_obstacle(facts, class, user, (variable, count), text);
        obstacle.or_else(|| untouchable_user(facts, user.procedure, own).filter(|_| is_last_of_procedure))
    };
    // Every member of the class asks, of the same uses.
    let find = || (0..uses.len()).find(|&number| obstacle(number).is_some());
    obstacle(facts.unfollowed_use((*class.members.first()?, own), variable, find)?)
}

/// Why a statement that mentions the request's variable, as often as it is said, can't be followed.
fn use_obstacle(
    facts: &Facts,
    class: &Class,
    site: SiteId,
    (variable, count): (&RequestVariable, usize),
    text: &str,
) -> Option<Reason> {
    let escape = |span: Span, message: String| Some(Reason::at(ReasonCode::RequestEscapes, span, message));
    let procedure = facts.procedure(site.procedure);
    let statement = site.statement;
    let user = procedure.statement(statement);
    let count = count - shape_inquiries(facts, site, variable);
    if count == 0 {
        return None;
    }
    let is_followed = count == 1
        && match &user.kind {
            StatementKind::Communication(communication) => {
                class.members.binary_search(&site).is_ok()
                    && communication.request().is_some_and(is_named_by_itself)
                    && request_variable(facts, site).as_ref() == Some(variable)
            }
            StatementKind::Call { callee: Callee::Procedure(callee), arguments } => {
                is_handed_down(facts, (site.procedure, variable), *callee, arguments)
            }
            _ => is_null_assignment(facts, site, variable),
        };
    let line = facts.program.line(user.span);
    if !is_followed {
        return escape(user.span, format!("the request `{text}` is used at line {line} in another way"));
    }
    let has_room = !user.shares_line && !ends_loop(procedure, statement);
    if let StatementKind::Assign { target, .. } = &user.kind {
        if !has_room {
            let message = format!("no statement can follow the assignment of the null request at line {line}");
            return Some(Reason::at(ReasonCode::SharedLine, user.span, message));
        }
        // The element is named a second time, for the shadow.
        if symbols_read_by(procedure, &target.children()).is_none() {
            return escape(user.span, format!("which request is set to null at line {line} can't be told twice"));
        }
    }
    None
}

/// Is it a variable, or elements of one, or a component of one object, rather than a part that is not described?
fn is_named_by_itself(request: &Expression) -> bool {
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

/// Another procedure that uses the request must have room for its shadow.
fn untouchable_user(facts: &Facts, owner: ProcedureId, own: ProcedureId) -> Option<Reason> {
    if owner == own {
        return None;
    }
    let body = facts.procedure(owner);
    let untouchable = body.untouchable.as_ref().map(|(span, why)| untouchable_reason(*span, why));
    untouchable.or_else(|| needed_name(body, body.span))
}

/// Does nothing but the variable's own name reach it?
fn is_plain(variable: &Symbol) -> bool {
    // What procedures inside its own one name is followed under all its names, or not at all.
    let is_followed_inside =
        variable.place_inside.is_some() && variable.place.as_deref().is_some_and(|it| it.starts_with(HANDED_REQUEST));
    (!variable.target || is_followed_inside)
        && !variable.volatile
        && variable.overlay.is_none()
        && !matches!(variable.storage, Storage::Allocatable | Storage::Pointer)
}

/// Why no shadow can stand for a variable of a module or of a COMMON block, which all procedures have to use alike.
fn shared_obstacle(facts: &Facts, site: SiteId, symbol: SymbolId, request: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let text = facts.program.text(request.span);
    let escape = |why: &str| {
        let message = format!("the request `{text}` {why}");
        Some(Reason::at(ReasonCode::RequestEscapes, request.span, message))
    };
    if let Some(open) = facts.open_world() {
        let open = open.describe(facts.program);
        let why = format!("is seen by other procedures, and others than the given files could use it ({open})");
        return escape(&why);
    }
    let names = facts.names_of(site.procedure, symbol);
    let of_name = |&(owner, name): &(ProcedureId, SymbolId)| facts.procedure(owner).symbol(name);
    if names.iter().map(of_name).any(|variable| !is_plain(variable) || variable.initialised) {
        return escape("is a variable that several procedures see and that is not plain everywhere");
    }
    let place = procedure.symbol(symbol).shared_variable()?;
    if !place.starts_with(HANDED_REQUEST) && !has_constant_shape(procedure, procedure.symbol(symbol)) {
        return escape("is a variable that several procedures see and whose bounds are no constants");
    }
    if let Some((module, original)) = place.strip_prefix("module:").and_then(|rest| rest.split_once(':')) {
        let Some(module) = facts.program.modules.iter().find(|known| known.name == module) else {
            return escape("is a variable of a module that has no room for another one beside it");
        };
        if module.has_our_names {
            return escape("is a variable of a module with names that begin like those of the emitted code");
        }
        // One that extends another module would have to import the shadow; what it may not import is not followed.
        let is_in_submodule = |owner: ProcedureId| {
            let body = facts.procedure(owner);
            let around = facts.program.submodule_around(body);
            around.is_some_and(|_| !facts.program.is_inside_module(body, &module.name))
        };
        let has_another = |(owner, name): &(ProcedureId, SymbolId)| {
            let mut symbols = facts.procedure(*owner).symbols.iter().enumerate();
            symbols.any(|(index, other)| index != name.0 && other.name == original)
        };
        if names.iter().any(|(owner, _)| is_in_submodule(*owner)) {
            return escape("is a variable that a submodule of another module sees");
        }
        if names.iter().any(has_another) {
            return escape(
                "is a variable of a module under another name, where its own name stands for something else",
            );
        }
    }
    if let Some(block) = place.strip_prefix(COMMON_MEMBER).or(place.strip_prefix(HANDED_REQUEST)) {
        // The shadow lives in a block of its own, whose name is made of this one's.
        let is_ours = |name: &str| name.starts_with("gravel");
        let procedures = facts.program.procedures.iter().map(|procedure| procedure.name.as_str());
        let taken =
            procedures.chain(facts.program.global_names.iter().map(|(name, _)| name.as_str())).find(|n| is_ours(n));
        if taken.is_some() || block.len() > LONGEST_BLOCK {
            return escape("is a member of a COMMON block, and the shadow's block could not be named");
        }
    }
    unnamed_buffer(facts, site, &RequestVariable::of(facts, site.procedure, symbol), request)
}

/// A call that begins or completes operations names their buffers: why it can't.
pub(super) fn unnamed_buffer(
    facts: &Facts,
    site: SiteId,
    variable: &RequestVariable,
    request: &Expression,
) -> Option<Reason> {
    let names_buffers = facts.communication(site).is_some_and(|found| {
        found.possibly_completed_requests().is_some() || matches!(found.operation, Operation::Start { .. })
    });
    if !names_buffers {
        return None;
    }
    let unnamed = posts_into(facts, variable).iter().copied().find(|&post| !can_name_buffer(facts, post, site))?;
    let post = facts.procedure(unnamed.procedure).statement(unnamed.statement);
    let line = facts.program.line(post.span);
    let text = facts.program.text(request.span);
    let message =
        format!("the request `{text}` may belong to the operation at line {line}, whose buffer has no name here");
    Some(Reason::at(ReasonCode::RequestEscapes, request.span, message))
}

/// Are all bounds constants, so that every procedure can repeat the declaration?
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

/// Are all bounds numbers, so that they mean the same everywhere?
fn has_literal_shape(variable: &Symbol) -> bool {
    let is_number = |bound: &Option<Expression>| {
        bound.as_ref().is_some_and(|bound| matches!(bound.kind, ExpressionKind::Integer(_)))
    };
    match &variable.shape {
        Shape::Scalar => true,
        Shape::Array(dimensions) => {
            dimensions.iter().all(|dimension| is_number(&dimension.lower) && is_number(&dimension.upper))
        }
    }
}

/// Are all bounds written in the declaration, so that it can be repeated?
fn has_shape(variable: &Symbol) -> bool {
    match &variable.shape {
        Shape::Scalar => true,
        Shape::Array(dimensions) => {
            dimensions.iter().all(|dimension| dimension.lower.is_some() && dimension.upper.is_some())
        }
    }
}

/// [`touched_while_pending`] for what a start begins.
pub fn started_obstacle(facts: &Facts, start: SiteId) -> Option<Reason> {
    let prepared = posts_completed_at(facts, start);
    prepared.into_iter().filter(|prepared| prepared.procedure == start.procedure).find_map(|prepared| {
        let (direction, message) = facts.communication(prepared)?.prepared()?;
        touched_while_pending(facts, start, message, &conflicts_of(direction))
    })
}

/// An access to the buffer that the program itself makes, in the same block, between a non-blocking call and its wait.
/// MPI forbids it (MPI 4.0, section 3.7.2), but a copy that MPI made of a small message may have hidden it.
pub fn touched_while_pending(
    facts: &Facts,
    site: SiteId,
    message: &Message,
    conflicts: &[AccessKind],
) -> Option<Reason> {
    if Clause::NotTouchedWhilePending.is_off() {
        return None;
    }
    let procedure = facts.procedure(site.procedure);
    let request = facts.communication(site)?.begun_request()?.designated()?;
    let region = message_region(procedure, message).ok()?;
    // Messages side by side in one array are told apart by numbers that only the program knows: where nothing shows
    // that the program breaks MPI's rule, it does not.
    let is_part = message.datatype.derived.is_some()
        || matches!(message.buffer.kind, ExpressionKind::Element { .. } | ExpressionKind::Section { .. });
    let is_shared = !matches!(request_variable(facts, site), Some(RequestVariable::Own(..)));
    let mentions = facts.mentions(site.procedure, request);
    let is_array = procedure.symbol(request).rank() > 0;
    let may_end_it = |id: StatementId| {
        let statement = procedure.statement(id);
        // What is called may wait for a request that it sees, too.
        if is_shared && facts.calls_procedure(SiteId { procedure: site.procedure, statement: id }) {
            return true;
        }
        // Another post to the same array goes to another element, or loses the request.
        let is_post = matches!(&statement.kind, StatementKind::Communication(found) if found.begun_request().is_some());
        if (is_array && is_post) || !mentions.contains_key(&id) {
            return false;
        }
        let expressions = statement.kind.expressions();
        expressions.iter().flat_map(|found| found.walk()).any(|part| part.designated() == Some(request))
    };
    let (block, index) = procedure.siblings(site.statement);
    for &next in &block[index + 1..] {
        if procedure.holds(next, &mut |id| may_end_it(id)) {
            return None;
        }
        // What calls of MPI touch is looked at elsewhere.
        if matches!(procedure.statement(next).kind, StatementKind::Communication(_)) {
            continue;
        }
        let accesses = facts.effects(site.procedure, next).accesses.iter();
        let mut touching = accesses.filter(|access| {
            conflicts.contains(&access.kind)
                && may_overlap(procedure, &access.region, &region, &Assumptions::new()) != Answer::No
                && !(is_part && (access.region.lmad().is_none() || region.lmad().is_none()))
        });
        let access = touching.next().filter(|found| {
            matches!(
                procedure.statement(found.statement).kind,
                StatementKind::Assign { .. } | StatementKind::InputOutput { .. }
            )
        });
        if let Some(access) = access {
            let line = facts.program.line(access.span);
            let name = &procedure.symbol(region.symbol).name;
            let text = format!("the program may use `{name}` at line {line} while the operation is pending");
            return Some(Reason::at(ReasonCode::BufferTouched, access.span, text));
        }
    }
    None
}
