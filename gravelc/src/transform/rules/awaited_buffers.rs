//! How the calls that begin or complete operations name the buffers of these.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::is_behind_pointer;
use crate::analysis::messages::requests_in_objects::{component_named, extends};
use crate::analysis::program::contents::component_of;
use crate::ir::{ComponentPath, Direction, Expression, ExpressionKind, Place, ProcedureId, Storage, SymbolId};
use crate::passes::lent_variables::could_name;
use crate::plan::MessageOf;

/// The message of a post, as the call `wait` that completes or starts it names it.
pub fn posted_message(facts: &Facts, post: SiteId, wait: SiteId) -> Option<MessageOf> {
    let procedure = wait.procedure;
    let communication = facts.communication(post)?;
    let direction = if communication.goes(Direction::Sent) { Direction::Sent } else { Direction::Received };
    if post.procedure == procedure {
        return Some(MessageOf::own(post.statement, direction));
    }
    // A variable that both procedures see has its name by what it is.
    let buffer = communication.described(direction)?.buffer.designated()?;
    let argument = match facts.name_in(procedure, post.procedure, buffer) {
        Some(_) => None,
        None => facts.handed_name_in(procedure, post.procedure, buffer),
    };
    let is_named = argument.is_some() || facts.name_in(procedure, post.procedure, buffer).is_some();
    let beside_request_of = (!is_named && is_beside_request(facts, post, wait)).then_some(wait.statement);
    Some(MessageOf {
        procedure: Some(post.procedure),
        argument,
        beside_request_of,
        ..MessageOf::own(post.statement, direction)
    })
}

/// Are compilers told where a blocking call waits which buffer its message has? What pointers lead to they take to be used by any
/// call that comes.
pub fn is_named_at_wait(facts: &Facts, call: SiteId, direction: Direction) -> bool {
    let message = facts.communication(call).and_then(|found| found.described(direction));
    message.is_some_and(|message| !is_behind_pointer(facts.procedure(call.procedure), &message.buffer))
}

/// Are they told so at the wait for what another call has begun? Where pointers and subscripts lead by then need not be the buffer, nor
/// be there at all.
pub fn is_named_later(facts: &Facts, post: SiteId) -> bool {
    let Some(message) = facts.communication(post).and_then(|found| found.messages().next()) else { return false };
    let is_part = matches!(message.buffer.kind, ExpressionKind::Part { .. });
    !is_part && !is_behind_pointer(facts.procedure(post.procedure), &message.buffer)
}

/// Can the procedure of a wait name the buffer of a post? It may get it as an argument, see a variable of a module although none
/// of its statements names it, import it, or find it in the object that holds the request.
pub fn can_name_buffer(facts: &Facts, post: SiteId, wait: SiteId) -> bool {
    let procedure = wait.procedure;
    if post.procedure == procedure
        || posted_buffer(facts, post, procedure).is_some()
        || is_beside_request(facts, post, wait)
    {
        return true;
    }
    let buffer = facts.communication(post).and_then(|found| found.messages().next()?.buffer.designated());
    let place = buffer.and_then(|buffer| facts.procedure(post.procedure).symbol(buffer).shared_variable());
    place.and_then(Place::import).is_some_and(|(module, name)| could_name(facts.program, procedure, module, name))
}

/// Is the buffer of the post a component of the object that holds its request, and can the wait name that component of the
/// object that holds its own?
///
/// Where objects have been copied the operation may be of another one. But such a wait stays where the program has it, and what
/// compilers may move past the runtime's they may move past MPI's: it is named all the same, as the program's author would.
fn is_beside_request(facts: &Facts, post: SiteId, wait: SiteId) -> bool {
    let (Some(posted), Some(awaited)) = (facts.communication(post), facts.communication(wait)) else { return false };
    let (own, body) = (facts.procedure(wait.procedure), facts.procedure(post.procedure));
    let in_object = |symbol: SymbolId| match &body.symbol(symbol).storage {
        Storage::Component { holder, name, .. } => Some((*holder, name.clone())),
        _ => None,
    };
    // Buffers that are parts of objects which are not told apart are not carried at all.
    let designated = |request: Option<&Expression>| request.and_then(Expression::designated);
    let request = designated(posted.made_request());
    let buffer = designated(posted.messages().next().map(|message| &message.buffer));
    let waited = awaited.request().and_then(|request| component_of(own, request));
    let (Some(request), Some(buffer), Some(of_wait)) = (request, buffer, waited) else { return false };
    let (Some((holder, of_request)), Some((other_holder, of_buffer))) = (in_object(request), in_object(buffer)) else {
        return false;
    };
    // What has one component has the other one beside it.
    let path = |symbol: SymbolId| body.symbol(symbol).path().map(ComponentPath::holder);
    let definition = facts.program.structures.get(&of_buffer.structure).and_then(|it| it.definitions.first());
    let component = component_named(facts.program, &of_buffer);
    let is_visible = component.is_some_and(|component| {
        let home = definition.and_then(|definition| facts.program.module_with(definition.span));
        !component.is_private || home.is_some_and(|home| facts.program.is_inside_module(own, &home.name))
    });
    holder == other_holder
        && path(request) == path(buffer)
        && of_request == *of_wait
        && extends(facts.program, &of_request.structure, &of_buffer.structure)
        && is_visible
}

/// The name that `procedure` has for the variable of a post's buffer.
pub fn posted_buffer(facts: &Facts, post: SiteId, procedure: ProcedureId) -> Option<SymbolId> {
    let buffer = facts.communication(post)?.messages().next()?.buffer.designated()?;
    facts.handed_name_in(procedure, post.procedure, buffer)
}

/// One post for each of the buffers that the posts use, in order.
pub fn one_for_each_buffer(facts: &Facts, posts: &[SiteId]) -> Vec<SiteId> {
    let buffer = |site: &SiteId| facts.communication(*site)?.messages().next()?.buffer.designated();
    let is_same = |one: &SiteId, other: &SiteId| {
        let (Some(first), Some(second)) = (buffer(one), buffer(other)) else { return buffer(one) == buffer(other) };
        let names = |site: &SiteId, buffer| facts.names_of(site.procedure, buffer).into_iter().next();
        let behind = |site: &SiteId, buffer| facts.variable_behind(site.procedure, buffer);
        // Two arguments of one procedure have names of their own, and are named by both.
        names(one, first) == names(other, second)
            || one.procedure != other.procedure
                && behind(one, first).is_some_and(|variable| behind(other, second) == Some(variable))
    };
    let mut found: Vec<SiteId> = Vec::new();
    for post in posts {
        if !found.iter().any(|other| is_same(other, post)) {
            found.push(*post);
        }
    }
    found
}
