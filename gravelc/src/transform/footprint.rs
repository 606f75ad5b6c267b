//! What an operation needs while it moves.

use std::collections::BTreeSet;

use crate::analysis::effects::{AccessKind, symbols_read_by};
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::message::{designated_region, message_region};
use crate::ir::{Direction, Expression, ProcedureId, Region, SymbolId};
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
    /// Everything whose value has to stay the same: what the operation is given, and what decides which elements it means.
    pub fn fixed_values(&self) -> BTreeSet<SymbolId> {
        let regions = [&self.buffer].into_iter().chain(&self.outputs);
        self.values.iter().copied().chain(regions.flat_map(Region::variables)).collect()
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
    let buffer = message_region(procedure, message)
        .map_err(|why| Reason::at(ReasonCode::UnsupportedBuffer, message.buffer.span, why))?;
    let mut arguments = message.values();
    arguments.extend(message.buffer.children());
    let values = symbols_read_by(procedure, &arguments).ok_or_else(missing)?;
    Ok(Footprint { buffer, conflicts: conflicts_of(direction), values, outputs: Vec::new() })
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
    let Some(values) = symbols_read_by(body, &request.children()) else {
        let text = facts.program.text(request.span);
        let message = format!("the subscript of `{text}` calls a function or could not be understood");
        return Err(Reason::at(ReasonCode::UnrepeatableArguments, request.span, message));
    };
    footprint.values.extend(values);
    footprint.outputs.extend(designated_region(body, request));
    Ok(footprint)
}
