//! Messages that the runtime can carry: plain contiguous memory, predefined datatypes, the world communicator.

use crate::analysis::effects::{AccessKind, symbols_read_by};
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::{CommunicatorFact, communicator_fact};
use crate::analysis::message::message_region;
use crate::analysis::prover::Assumptions;
use crate::ir::{Message, StatementId, StatementKind};
use crate::plan::{Reason, ReasonCode};

/// Why the message of a call can't be carried.
pub fn message_obstacle(facts: &Facts, site: SiteId, message: &Message) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    if communicator_fact(facts, site.procedure, &message.communicator) != CommunicatorFact::World {
        let text = facts.program.text(message.communicator.span);
        let message_text = format!("`{text}` is not known to be MPI_COMM_WORLD");
        return Some(Reason::at(ReasonCode::UnknownCommunicator, message.communicator.span, message_text));
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

/// An access to the buffer that the program itself makes, in the same block, between a non-blocking call and its wait.
/// MPI forbids it (MPI 4.0, section 3.7.2), but a copy that MPI made of a small message may have hidden it.
pub fn touched_while_pending(
    facts: &Facts,
    site: SiteId,
    message: &Message,
    conflicts: &[AccessKind],
) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let StatementKind::Communication(communication) = &procedure.statement(site.statement).kind else {
        return None;
    };
    let request = communication.request()?.designated()?;
    let region = message_region(procedure, message).ok()?;
    let (block, index) = procedure.siblings(site.statement);
    for &next in &block[index + 1..] {
        let mentions_request = |id: &StatementId| {
            let expressions = procedure.statement(*id).kind.expressions();
            expressions.iter().flat_map(|found| found.walk()).any(|part| part.designated() == Some(request))
        };
        if procedure.with_descendants(next).iter().any(mentions_request) {
            return None;
        }
        let access =
            facts.effects(site.procedure, next).first_access(procedure, &region, conflicts, &Assumptions::new());
        if let Some(access) = access.filter(|found| {
            matches!(
                procedure.statement(found.statement).kind,
                StatementKind::Assign { .. } | StatementKind::InputOutput { .. }
            )
        }) {
            let line = facts.program.line(access.span);
            let name = &procedure.symbol(region.symbol).name;
            let text = format!("the program may use `{name}` at line {line} while the operation is pending");
            return Some(Reason::at(ReasonCode::BufferTouched, access.span, text));
        }
    }
    None
}
