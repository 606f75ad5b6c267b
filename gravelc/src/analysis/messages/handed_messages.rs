//! The memory of a message that a called procedure has posted, as its caller names it once the call is over.
//!
//! What a caller has handed over without a copy, or what both see, is the same memory when the procedure has returned. So a
//! message that is still under way then lies in the caller's variable. Which of its elements the message is, is known where it
//! can be told from what the procedure had when it began.

use crate::ir::{
    Callee, Direction, Expression, ExpressionKind, Extent, Procedure, ProcedureKind, Region, StatementKind, Storage,
    Symbol, SymbolClass, SymbolId,
};

use super::super::facts::{Facts, SiteId};
use super::super::memory::arrays::Layouts;
use super::super::memory::effects::{AccessKind, handed_region};
use super::super::memory::overrun::{beside, is_member, runs_beyond};
use super::handed_variables::may_be_copied;
use super::requests_in_objects::component_named;

/// The memory of a message in the procedure that calls that of its post.
#[derive(Debug, Clone)]
pub struct HandedMessage {
    /// Which memory, over the values that variables have at the call.
    pub region: Region,
    /// The variable that the call hands over, or the object that holds the message's variable. `None` where both procedures see
    /// the variable.
    pub argument: Option<SymbolId>,
}

/// What the caller of `post`'s procedure, which calls it with the statement `call`, knows of the memory of the post's message in
/// this direction.
///
/// # Errors
/// Why it can't name that memory, as the end of a sentence that begins with what is asked for.
pub fn handed_message(
    facts: &Facts,
    call: SiteId,
    post: SiteId,
    direction: Direction,
) -> Result<HandedMessage, String> {
    let (callee, caller) = (facts.procedure(post.procedure), facts.procedure(call.procedure));
    let communication = facts.communication(post).ok_or("is no message")?;
    handed_buffer(facts, call, post, direction)
        .filter(|handed| {
            let layouts = Layouts::new(caller);
            // What runs on into other members of a COMMON block is in none of the variables alone.
            let symbol = handed.region.symbol;
            let is_inside =
                || matches!(handed.region.extent, Extent::Elements(_)) && !runs_beyond(&layouts, &handed.region);
            !is_member(caller, symbol) || beside(caller, symbol).is_empty() || is_inside()
        })
        .ok_or_else(|| {
            let buffer = communication.described(direction).and_then(|message| message.buffer.designated());
            let name = buffer.map_or("what it waits for", |buffer| callee.symbol(buffer).name.as_str());
            format!("`{name}` has no name that is known to stand for the same memory")
        })
}

/// [`handed_message`] of the message in one direction.
fn handed_buffer(facts: &Facts, call: SiteId, post: SiteId, direction: Direction) -> Option<HandedMessage> {
    let (callee, caller) = (facts.procedure(post.procedure), facts.procedure(call.procedure));
    let StatementKind::Call { callee: Callee::Procedure(called), arguments } = &caller.statement(call.statement).kind
    else {
        return None;
    };
    if *called != post.procedure {
        return None;
    }
    let message = facts.communication(post)?.described(direction)?;
    let buffer = message.buffer.designated()?;
    let kind = match direction {
        Direction::Sent => AccessKind::Read,
        Direction::Received => AccessKind::Write,
    };
    let handed =
        |region: &Region| handed_region(caller, &facts.summaries(), (post.procedure, arguments.as_slice()), region);
    let holder = callee.holder_of(buffer);
    if holder != buffer {
        return of_component(facts, call, (post, buffer), arguments);
    }
    let region = {
        let run = facts.effects_of_run(post.procedure);
        let is_its = |access: &&super::super::memory::effects::Access| {
            access.kind == kind && access.region.symbol == buffer && access.span == message.buffer.span
        };
        let mut accesses = run.accesses.iter().filter(is_its);
        match (accesses.next(), accesses.next()) {
            (Some(access), None) if !message.is_exchange() => access.region.clone(),
            _ => Region::whole(buffer),
        }
    };
    if let Some(position) = callee.dummies.iter().position(|&dummy| dummy == buffer) {
        let argument = arguments.get(position)?;
        let actual = argument
            .designated()
            .filter(|&actual| is_in_place(caller.symbol(actual), argument, callee.symbol(buffer)))?;
        return Some(HandedMessage { region: handed(&region)?, argument: Some(actual) });
    }
    if callee.symbol(buffer).shared_variable().is_none() {
        return of_host(caller, callee.symbol(buffer), region);
    }
    let region = handed(&region)?;
    let own = caller.symbol(region.symbol);
    let is_plain = own.class == SymbolClass::Variable && own.storage != Storage::Pointer;
    is_plain.then_some(HandedMessage { region, argument: None })
}

/// What is still under way when the procedure of `post` returns to its caller's statement `call`, where that one hands over all of an array
/// that is a component of an object for the message's buffer: no copy is made of what lies in one piece. All of the component.
pub fn handed_component(facts: &Facts, call: SiteId, post: SiteId, direction: Direction) -> Option<SymbolId> {
    let (callee, caller) = (facts.procedure(post.procedure), facts.procedure(call.procedure));
    let StatementKind::Call { callee: Callee::Procedure(called), arguments } = &caller.statement(call.statement).kind
    else {
        return None;
    };
    let buffer = facts.communication(post)?.described(direction)?.buffer.designated()?;
    let position = callee.dummies.iter().position(|&dummy| dummy == buffer && *called == post.procedure)?;
    let ExpressionKind::Symbol(actual) = arguments.get(position)?.kind else { return None };
    let (own, dummy) = (caller.symbol(actual), callee.symbol(buffer));
    let holder = caller.symbol(own.holder()?);
    let is_in_one_piece = own.class == SymbolClass::Variable
        && own.rank() > 0
        && !own.may_be_strided
        && holder.class == SymbolClass::Variable
        && holder.rank() == 0
        && holder.storage != Storage::Pointer
        && own.scope.is_none()
        && !own.volatile
        && !holder.volatile;
    let takes_it =
        dummy.storage == Storage::Dummy && dummy.rank() > 0 && !dummy.volatile && dummy.element == own.element;
    (is_in_one_piece && takes_it).then_some(actual)
}

/// The variable of the main program that the buffer of a procedure inside it is. Elsewhere a host's variable could have further
/// names: those of dummy arguments.
fn of_host(caller: &Procedure, buffer: &Symbol, region: Region) -> Option<HandedMessage> {
    let place = buffer.storage.host_variable()?;
    let is_it = |symbol: &Symbol| symbol.is_at(place) || symbol.place_inside.as_ref() == Some(place);
    let own = caller.symbols.iter().position(is_it).map(SymbolId).filter(|_| caller.kind == ProcedureKind::Main)?;
    let symbol = caller.symbol(own);
    let is_plain =
        symbol.class == SymbolClass::Variable && symbol.storage != Storage::Pointer && symbol.overlay.is_none();
    // What it is said with are variables of the procedure.
    let region = match region.variables().is_empty() {
        true => Region { symbol: own, ..region },
        false => Region::whole(own),
    };
    is_plain.then_some(HandedMessage { region, argument: Some(own) })
}

/// The component `buffer` of an object that the call hands over as a whole.
fn of_component(
    facts: &Facts,
    call: SiteId,
    (post, buffer): (SiteId, SymbolId),
    arguments: &[Expression],
) -> Option<HandedMessage> {
    let (callee, caller) = (facts.procedure(post.procedure), facts.procedure(call.procedure));
    let holder = callee.holder_of(buffer);
    let Storage::Component { name, .. } = &callee.symbol(buffer).storage else { return None };
    let position = callee.dummies.iter().position(|&dummy| dummy == holder)?;
    let ExpressionKind::Symbol(actual) = arguments.get(position)?.kind else { return None };
    let (own, dummy) = (caller.symbol(actual), callee.symbol(holder));
    let is_plain = |symbol: &Symbol| {
        symbol.class == SymbolClass::Variable && symbol.rank() == 0 && symbol.storage != Storage::Pointer
    };
    if !is_plain(own) || !is_plain(dummy) {
        return None;
    }
    // Whoever waits names it.
    let definition = facts.program.structures.get(&name.structure).and_then(|found| found.definitions.first());
    let component = component_named(facts.program, name)?;
    let home = definition.and_then(|definition| facts.program.module_with(definition.span));
    if component.is_private && !home.is_some_and(|home| facts.program.is_inside_module(caller, &home.name)) {
        return None;
    }
    let path = callee.symbol(buffer).path()?;
    let is_same = |symbol: &Symbol| {
        symbol.holder() == Some(actual)
            && matches!(&symbol.storage, Storage::Component { name: own, .. } if own == name)
            && symbol.path().is_some_and(|own| own.members == path.members)
    };
    let known = caller.symbols.iter().position(is_same).map(SymbolId);
    Some(HandedMessage { region: Region::whole(known.unwrap_or(actual)), argument: Some(actual) })
}

/// Does the dummy argument stand for the memory of the actual one itself?
pub fn is_in_place(actual: &Symbol, argument: &Expression, dummy: &Symbol) -> bool {
    let is_whole = matches!(argument.kind, ExpressionKind::Symbol(_));
    let is_element = matches!(argument.kind, ExpressionKind::Element { .. })
        && !actual.may_be_strided
        && !dummy.assumes_shape()
        && actual.rank() > 0;
    let is_allocated_there = dummy.is_allocatable() && is_whole && actual.is_allocatable();
    actual.class == SymbolClass::Variable
        && !dummy.volatile
        && match &dummy.storage {
            Storage::Dummy => (is_whole || is_element) && !may_be_copied(actual, dummy),
            _ => is_allocated_there,
        }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
