//! What an operation needs while it moves.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::message::{begins_its_variable, designated_region, message_region};
use crate::analysis::memory::repeatable::{Unrepeatable, values_needed};
use crate::analysis::messages::datatypes::why_not_within_its_variable;
use crate::ir::{DerivedDatatype, Direction, Expression, ExpressionKind, Message, ProcedureId, Region, SymbolId};
use crate::plan::{Reason, ReasonCode};

/// The memory that an operation needs while it moves.
#[derive(Debug, Clone)]
pub struct Footprint {
    /// The elements of the message.
    pub buffer: Region,
    /// Which accesses of others to the buffer are in the way: both kinds for a receive, writes for a send.
    pub conflicts: Vec<AccessKind>,
    /// Variables whose values the operation needs: they must not change on the way.
    pub values: BTreeSet<SymbolId>,
    /// What the operation writes besides (request, status): nobody may read or write it on the way.
    pub outputs: Vec<Region>,
}

impl Footprint {
    /// Of a message: whether it is sent or received.
    pub fn direction(&self) -> Direction {
        if self.conflicts.contains(&AccessKind::Read) { Direction::Received } else { Direction::Sent }
    }

    /// Everything whose value has to stay the same: what the operation is given, and what decides which elements it means.
    pub fn fixed_values(&self) -> BTreeSet<SymbolId> {
        self.mentioned().collect()
    }

    /// The same in the order of its parts, some more than once.
    pub fn mentioned(&self) -> impl Iterator<Item = SymbolId> {
        let regions = [&self.buffer].into_iter().chain(&self.outputs);
        self.values.iter().copied().chain(regions.flat_map(Region::mentioned))
    }

    /// All that has a name in the operation, some more than once.
    pub fn named(&self) -> impl Iterator<Item = SymbolId> {
        let memory = [&self.buffer].into_iter().chain(&self.outputs).map(|region| region.symbol);
        self.mentioned().chain(memory)
    }
}

/// The accesses to a message's memory that are in the way of its operation.
pub fn conflicts_of(direction: Direction) -> Vec<AccessKind> {
    match direction {
        Direction::Sent => vec![AccessKind::Write],
        Direction::Received => vec![AccessKind::Read, AccessKind::Write],
    }
}

/// What one of the messages of a call needs; without the call's request.
///
/// # Errors
/// Why that can't be told.
pub fn message_footprint(facts: &Facts, site: SiteId, direction: Direction) -> Result<Footprint, Reason> {
    let procedure = facts.procedure(site.procedure);
    let span = procedure.statement(site.statement).span;
    let missing = || Reason::at(ReasonCode::UnrepeatableArguments, span, "the arguments could not be understood");
    let message = facts.communication(site).and_then(|found| found.message(direction)).ok_or_else(missing)?;
    if let Some(reason) = reach_obstacle(facts, site, message) {
        return Err(reason);
    }
    let buffer = message_region(procedure, message)
        .map_err(|why| Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, why))?;
    let mut arguments = message.values();
    arguments.extend(message.buffer.children());
    let values = values_needed(facts, site.procedure, &arguments).map_err(unrepeatable_argument)?;
    Ok(Footprint { buffer, conflicts: conflicts_of(direction), values, outputs: Vec::new() })
}

/// Why nothing of the message is known but its buffer's address: its elements could lie in other variables, or before the buffer.
pub fn reach_obstacle(facts: &Facts, site: SiteId, message: &Message) -> Option<Reason> {
    let datatype = &message.datatype;
    let nothing_lies_before =
        |derived: &DerivedDatatype| derived.is_forward || begins_its_variable(facts.procedure(site.procedure), message);
    if datatype.predefined.is_some() || datatype.derived.as_ref().is_some_and(nothing_lies_before) {
        return None;
    }
    let (span, why) = why_not_within_its_variable(facts, site.procedure, message);
    let text = facts.program.text(datatype.handle.span);
    let message = format!("a message of `{text}` stays where it is: {why}");
    Some(Reason::at(ReasonCode::UnsupportedDatatype, span, message))
}

/// Why parts of a message are neither sent nor waited for: what tiles are counted in are elements of its datatype, and loops
/// count those of its array.
pub fn parts_obstacle(facts: &Facts, message: &Message) -> Option<Reason> {
    let derived = message.datatype.derived.as_ref()?;
    let handle = message.datatype.handle.span;
    let text = facts.program.text(handle);
    let why = match derived.element {
        Some(_) => format!("an element of `{text}` is not one of the array"),
        None => format!("what an element of `{text}` is, is not known"),
    };
    let message = format!("{why}: its messages come and go as a whole");
    Some(Reason::at(ReasonCode::UnsupportedDatatype, handle, message))
}

/// The reason for an argument of a call that has to stay where it is.
pub fn unrepeatable_argument(Unrepeatable { span, why }: Unrepeatable) -> Reason {
    let message = format!("an argument can't be evaluated at another place: {why}");
    Reason::at(ReasonCode::UnrepeatableArguments, span, message)
}

/// The footprint of a post or a wait that moves together with its request: the request is an output, and which element of
/// an array it is must stay the same.
///
/// # Errors
/// If the element can't be named elsewhere.
pub fn with_request(
    facts: &Facts,
    procedure: ProcedureId,
    mut footprint: Footprint,
    request: &Expression,
) -> Result<Footprint, Reason> {
    let body = facts.procedure(procedure);
    if let ExpressionKind::Part { .. } = request.kind {
        let text = facts.program.text(request.span);
        let message = format!("subscripts, pointers or memory that is allocated lead to the object of `{text}`");
        return Err(Reason::at(ReasonCode::UnrepeatableArguments, request.span, message));
    }
    let unnamed = |Unrepeatable { span, why }: Unrepeatable| {
        let text = facts.program.text(request.span);
        let message = format!("the subscript of `{text}` can't be evaluated at another place: {why}");
        Reason::at(ReasonCode::UnrepeatableArguments, span, message)
    };
    footprint.values.extend(values_needed(facts, procedure, &request.children()).map_err(unnamed)?);
    footprint.outputs.extend(designated_region(body, request));
    Ok(footprint)
}
