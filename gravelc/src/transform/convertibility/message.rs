//! Messages that the runtime can carry: plain contiguous memory, predefined datatypes, the world communicator.

use crate::analysis::Answer;
use crate::analysis::effects::symbols_read_by;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::message::message_region;
use crate::analysis::overlap::may_overlap;
use crate::analysis::prover::Assumptions;
use crate::ir::Message;
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
    let mut arguments = message.values();
    arguments.push(&message.buffer);
    if symbols_read_by(procedure, &arguments).is_none() {
        let text = "an argument calls a function or could not be understood";
        return Some(Reason::at(ReasonCode::UnrepeatableArguments, message.buffer.span, text));
    }
    None
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
