//! What an access touches beside the variable that it names: see [`crate::analysis::memory::overrun`].

use std::collections::BTreeSet;

use crate::analysis::memory::message::region_of_message;
use crate::analysis::memory::overrun::{is_member, is_single_member, runs_beyond};
use crate::ir::{Expression, ExpressionKind, Extent, Procedure, Region, StatementId, StatementKind, SymbolId};

use super::Effects;
use super::event::{GivenCall, Touched};
use super::footprint::Footprint;
use super::summary::{Owner, Summaries};
use super::translation::{Caller, handed_symbol};

/// Does an access of `region` touch other members of the COMMON block, too?
pub(super) fn reaches_beyond(in_caller: &Caller, place: Touched, region: &Region) -> bool {
    if !is_member(in_caller.layouts.procedure, region.symbol) {
        return false;
    }
    match place {
        Touched::Handed { call, access } => {
            runs_beyond(in_caller.layouts, region) || is_handed_without_bounds(in_caller, call, access, region)
        }
        // Where the message can't be told, neither can its end.
        Touched::Message(message) => region_of_message(in_caller.layouts, message, in_caller.value_of).is_err(),
        Touched::Designator(expression) => {
            let is_anywhere =
                region.extent == Extent::Whole && matches!(expression.kind, ExpressionKind::Element { .. });
            runs_beyond(in_caller.layouts, region) || is_anywhere && is_single_member(in_caller.layouts, region.symbol)
        }
        Touched::Whole(_) | Touched::Beside(_) | Touched::Targets | Touched::Object(_) => false,
    }
}

/// The variable is handed to a procedure in which it looks like something else, of which the extent is not known.
fn is_handed_without_bounds(in_caller: &Caller, call: GivenCall, access: usize, region: &Region) -> bool {
    let of_callee = || {
        let summary = in_caller.summaries.of(call.callee);
        let access = summary.accesses.as_ref()?.get(access)?.clone();
        let Owner::Dummy(position) = access.owner else { return None };
        Some((call.arguments.get(position)?, access))
    };
    let (Some((argument, access)), Some(callee)) = (of_callee(), in_caller.summaries.callee(call.callee)) else {
        return false;
    };
    let (actual, dummy) = (in_caller.layouts.procedure.symbol(region.symbol), callee.symbol(access.region.symbol));
    // A section may be copied, and an array whose shape is assumed has the bounds of the actual one.
    if region.extent != Extent::Whole
        || matches!(argument.kind, ExpressionKind::Section { .. })
        || dummy.assumes_shape()
    {
        return false;
    }
    let has_same_elements = actual.element.bytes.is_some() && actual.element.bytes == dummy.element.bytes;
    let is_array_of_one = dummy.rank() > 0 && is_single_member(in_caller.layouts, region.symbol);
    !has_same_elements || is_array_of_one || matches!(access.region.extent, Extent::From(_))
}

/// The COMMON blocks in which the statement may write members that neither it nor a procedure that it calls names.
/// `effects` are those of the statement.
pub(in crate::analysis) fn blocks_written_beyond<'a, 'e>(
    procedure: &'a Procedure,
    summaries: &Summaries<'a>,
    statement: StatementId,
    effects: impl FnOnce() -> &'e Effects,
) -> BTreeSet<String> {
    let is_of_member = |part: &Expression| part.designated().is_some_and(|symbol| is_member(procedure, symbol));
    let names_member = |&id: &StatementId| {
        let expressions = procedure.statement(id).kind.expressions();
        expressions.into_iter().any(|expression| expression.any(&is_of_member))
    };
    if !procedure.symbols.iter().enumerate().any(|(index, _)| is_member(procedure, SymbolId(index))) {
        return BTreeSet::new();
    }
    if !procedure.with_descendants(statement).iter().any(names_member) {
        return BTreeSet::new();
    }
    // What a procedure that it calls runs beyond by itself is found there.
    let mut found = Footprint::of(procedure, summaries, [statement]).blocks_written;
    let is_loop = |id: StatementId| matches!(procedure.statement(id).kind, StatementKind::Loop(_));
    let mut around = std::iter::successors(procedure.statement(statement).parent, |&id| procedure.statement(id).parent);
    if is_loop(statement) && !around.any(is_loop) {
        found.extend(effects().blocks_written.iter().cloned());
    }
    found
}

/// The member of a COMMON block beside which the place touches others, where nothing is known of values but constants.
pub(super) fn reaches_beyond_without_values(in_caller: &Caller, place: Touched) -> Option<SymbolId> {
    let procedure = in_caller.layouts.procedure;
    let region = match place {
        Touched::Beside(symbol) => return Some(symbol),
        Touched::Handed { call, access } => match handed_symbol(procedure, in_caller.summaries, call, access) {
            Some(symbol) if is_member(procedure, symbol) => in_caller.region(call, access)?.0,
            _ => return None,
        },
        Touched::Message(message) => Region::whole(message.buffer.designated()?),
        Touched::Designator(expression) => in_caller.layouts.region_of(expression, in_caller.value_of)?.0,
        Touched::Whole(_) | Touched::Targets | Touched::Object(_) => return None,
    };
    reaches_beyond(in_caller, place, &region).then_some(region.symbol)
}
