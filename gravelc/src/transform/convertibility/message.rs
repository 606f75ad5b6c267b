//! Messages that the runtime can carry: plain contiguous memory, predefined datatypes, the world communicator.

use crate::analysis::Answer;
use crate::analysis::effects::symbols_read_by;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::message::message_region;
use crate::analysis::overlap::may_overlap;
use crate::analysis::prover::Assumptions;
use crate::ir::{Expression, ExpressionKind, Message, Procedure, Shape, Subscript};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::communicator::communicator_obstacle;

/// Why the message of a call can't be carried.
pub fn message_obstacle(facts: &Facts, site: SiteId, message: &Message) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    if let Some(reason) = communicator_obstacle(facts, site, &message.communicator) {
        return Some(reason);
    }
    if message.datatype.predefined.is_none() {
        let text = facts.program.text(message.datatype.handle.span);
        let message_text = format!("`{text}` is not a predefined, contiguous datatype");
        return Some(Reason::at(ReasonCode::UnsupportedDatatype, message.datatype.handle.span, message_text));
    }
    let region = match message_region(procedure, message) {
        Ok(region) => region,
        Err(why) => {
            return Some(Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, why));
        }
    };
    if procedure.symbol(region.symbol).volatile {
        return Some(Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, "the buffer is VOLATILE"));
    }
    if let Some(reason) = block_lists_obstacle(facts, procedure, message) {
        return Some(reason);
    }
    let mut arguments = message.values();
    arguments.push(&message.buffer);
    if symbols_read_by(procedure, &arguments).is_none() {
        let text = "an argument calls a function or could not be understood";
        return Some(Reason::at(ReasonCode::UnrepeatableArguments, message.buffer.span, text));
    }
    None
}

/// The runtime's interface takes the lengths and places of blocks as arrays with one dimension.
fn block_lists_obstacle(facts: &Facts, procedure: &Procedure, message: &Message) -> Option<Reason> {
    let has_one_dimension = |list: &Expression| match &list.kind {
        ExpressionKind::Symbol(array) => procedure.symbol(*array).rank() == 1,
        // It stands for the elements from it on, and the upper bound has to be known to the compiler.
        ExpressionKind::Element { array, .. } => {
            let symbol = procedure.symbol(*array);
            let has_end = match &symbol.shape {
                Shape::Array(dimensions) => dimensions.iter().all(|dimension| dimension.upper.is_some()),
                Shape::Scalar => false,
            };
            symbol.rank() == 1 && (has_end || symbol.is_allocatable())
        }
        ExpressionKind::Section { subscripts, .. } => {
            let is_one = |subscript: &&Subscript| matches!(subscript, Subscript::Index(_));
            subscripts.len() - subscripts.iter().filter(is_one).count() == 1
        }
        _ => false,
    };
    let list = message.block_lists()?.into_iter().find(|list| !has_one_dimension(list))?;
    let text = facts.program.text(list.span);
    let message = format!("the lengths or places of the blocks, `{text}`, are not a plain array with one dimension");
    Some(Reason::at(ReasonCode::UnrepeatableArguments, list.span, message))
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
