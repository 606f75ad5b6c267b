//! Messages that the runtime can carry: memory that is handed over by its address, on a communicator that it knows. Only what moves has
//! to be known to be plain memory of one variable ([`super::super::rules::footprint`]).

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::{PointedArray, is_behind_pointer, is_handed_by_address, message_region};
use crate::analysis::memory::overlap::may_overlap;
use crate::analysis::memory::repeatable::{obstacle_in_place, values_needed};
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Expression, ExpressionKind, Message, Span, Storage, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::super::rules::footprint::{reach_obstacle, unrepeatable_argument};
use super::super::rules::replacement::is_replacement;

/// Why the message of a call can't be carried.
pub fn message_obstacle(facts: &Facts, site: SiteId, message: &Message) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    if let Some(reason) = datatype_obstacle(facts, message) {
        return Some(reason);
    }
    let has_no_gaps = |array: PointedArray<'_>| facts.contiguous_pointers().are_contiguous(array);
    if let Err(why) = message_region(procedure, message)
        && !is_handed_by_address(facts.program, procedure, message, &has_no_gaps)
    {
        let of_buffer = || Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, why);
        return Some(reach_obstacle(facts, site, message).unwrap_or_else(of_buffer));
    }
    let is_volatile = |variable: SymbolId| {
        procedure.symbol(variable).volatile || procedure.symbol(procedure.holder_of(variable)).volatile
    };
    if message.buffer.designated().is_some_and(is_volatile) {
        return Some(Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, "the buffer is VOLATILE"));
    }
    let mut arguments = message.values();
    arguments.push(&message.buffer);
    obstacle_in_place(facts, site.procedure, &arguments).map(unrepeatable_argument)
}

/// Why messages of such elements can't be carried. Whatever a message between two processes is made of, the runtime finds out.
fn datatype_obstacle(facts: &Facts, message: &Message) -> Option<Reason> {
    if message.datatype.predefined.is_some() || !message.is_exchange() {
        return None;
    }
    let handle = message.datatype.handle.span;
    let text = facts.program.text(handle);
    let why = format!("`{text}` can't be carried: everyone exchanges elements of predefined datatypes only");
    Some(Reason::at(ReasonCode::UnsupportedDatatype, handle, why))
}

/// Why the receive can't be posted before the call evaluates the rest of what stands in it: where the status, the request and
/// the error code go, and what the call sends, is found out behind the post, when the message may have come already.
pub fn late_argument_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    if Clause::ArgumentsBeforeCall.is_off() {
        return None;
    }
    let procedure = facts.procedure(site.procedure);
    let communication = facts.communication(site)?;
    let received = &communication.received()?.buffer;
    let buffer = received.designated()?;
    let is_behind_pointer = is_behind_pointer(procedure, received);
    // Of known objects it is known what shares memory with them.
    let is_anywhere = is_behind_pointer && procedure.symbol(buffer).objects.is_none();
    let is_filled = |value: SymbolId| {
        let holder = procedure.symbol(procedure.holder_of(value));
        let may_be_reached = holder.target || holder.storage == Storage::Pointer || procedure.symbol(value).target;
        may_share_memory(procedure, value, buffer) || is_anywhere && may_be_reached
    };
    let places = [communication.status().variable(), communication.posted_request(), communication.error.as_ref()];
    // What is received in the place of a message is posted behind that.
    let sent = communication.sent().filter(|_| !is_replacement(communication));
    let sent = sent.map(|message| (message.values(), message.buffer.children()));
    let mut late: Vec<&Expression> = places.into_iter().flatten().flat_map(Expression::children).collect();
    late.extend(sent.into_iter().flat_map(|(values, subscripts)| values.into_iter().chain(subscripts)));
    if matches!(received.kind, ExpressionKind::Part { .. }) && !is_behind_pointer {
        // The wait names it once more.
        late.extend(received.children());
    }
    let refused = |span: Span, message: String| Some(Reason::at(ReasonCode::UnrepeatableArguments, span, message));
    late.into_iter().find_map(|argument| match values_needed(facts, site.procedure, &[argument]) {
        Err(found) => refused(found.span, unrepeatable_argument(found).message),
        Ok(values) => {
            let filled = values.into_iter().find(|&value| is_filled(value))?;
            let (text, name) = (facts.program.text(argument.span), &procedure.symbol(filled).name);
            refused(argument.span, format!("`{text}` is computed from `{name}`, which the same call receives into"))
        }
    })
}

/// The two buffers of a call that sends and receives at once must be disjoint, or what arrives depends on who is faster
/// (MPI 4.0, section 3.10): that programs keep to this is relied on, as MPI itself does. A call whose buffers are proven to
/// overlap is left as it is.
pub fn disjointness_obstacle(facts: &Facts, site: SiteId, send: &Message, receive: &Message) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let (sent, received) = (message_region(procedure, send).ok()?, message_region(procedure, receive).ok()?);
    let overlap = may_overlap(procedure, &sent, &received, &Assumptions::new()) == Answer::Yes;
    if !overlap || Clause::BuffersApart.is_off() {
        return None;
    }
    let name = &procedure.symbol(sent.symbol).name;
    let message = format!("what is sent and what is received overlap in `{name}`, which MPI forbids");
    Some(Reason::at(ReasonCode::UnsupportedBuffer, receive.buffer.span, message))
}
