//! The events of expressions: reads, stores and calls.

use std::collections::BTreeSet;

use crate::ir::{Callee, Certainty, Expression, ExpressionKind, Place, Span, Storage, Symbol, SymbolId};
use crate::known_libraries::procedures::{MemoryUse, memory_use};

use super::communication::touch_same_storage;
use super::event::{Event, GivenCall, Recorder, Touched};
use super::summary::{HandedAccess, Owner, Summary};
use super::translation::handed_symbol;
use super::{AccessKind, ExternalKind, evaluated_arguments};

/// The expression is evaluated.
pub(super) fn read<'a>(recorder: &mut Recorder<'a, '_>, expression: &'a Expression) {
    match &expression.kind {
        ExpressionKind::Opaque(_) => recorder.opaque("an expression that could not be understood"),
        // Operands of a logical operator, for one, need not be evaluated.
        ExpressionKind::Call { callee, arguments } => {
            call(recorder, callee, arguments, expression.span, Certainty::May);
        }
        _ => {
            expression.children().into_iter().for_each(|operand| read(recorder, operand));
            designate(recorder, expression, AccessKind::Read, Certainty::May);
        }
    }
}

/// A value is stored where the expression says.
pub(super) fn write<'a>(recorder: &mut Recorder<'a, '_>, target: &'a Expression, certainty: Certainty) {
    if target.designated().is_none() {
        recorder.opaque("a store to something that could not be understood");
        return;
    }
    target.children().into_iter().for_each(|operand| read(recorder, operand));
    designate(recorder, target, AccessKind::Write, certainty);
}

/// The memory of the variable comes to life or ends.
pub(super) fn lose<'a>(recorder: &mut Recorder<'a, '_>, variable: &'a Expression) {
    let Some(symbol) = variable.designated() else {
        recorder.opaque("the memory of something that could not be understood begins or ends");
        return;
    };
    variable.children().into_iter().for_each(|operand| read(recorder, operand));
    recorder.whole(symbol, AccessKind::Write, variable.span);
    if let ExpressionKind::Part { through_pointer: true, .. } = variable.kind {
        recorder.access(Touched::Targets, AccessKind::Write, Certainty::May, variable.span);
    }
}

/// Unknown elements of the designated variable are read, written or both; of anything else the value is used.
pub(super) fn touch<'a>(recorder: &mut Recorder<'a, '_>, expression: &'a Expression, kinds: &[AccessKind]) {
    let Some(symbol) = expression.designated() else {
        read(recorder, expression);
        return;
    };
    expression.children().into_iter().for_each(|operand| read(recorder, operand));
    for &kind in kinds {
        recorder.whole(symbol, kind, expression.span);
        if let ExpressionKind::Part { through_pointer: true, .. } = expression.kind {
            recorder.access(Touched::Targets, kind, Certainty::May, expression.span);
        }
    }
}

fn designate<'a>(recorder: &mut Recorder<'a, '_>, expression: &'a Expression, kind: AccessKind, certainty: Certainty) {
    let Some(symbol) = expression.designated() else { return };
    if !recorder.is_variable(symbol) {
        if kind == AccessKind::Write {
            recorder.opaque("a store to something that is no variable");
        }
        return;
    }
    match expression.kind {
        ExpressionKind::Part { through_pointer, .. } => {
            recorder.access(Touched::Whole(symbol), kind, Certainty::May, expression.span);
            if through_pointer {
                recorder.access(Touched::Targets, kind, Certainty::May, expression.span);
            }
        }
        _ => recorder.access(Touched::Designator(expression), kind, certainty, expression.span),
    }
}

/// Reads come first: what is written may depend on them.
pub(super) const READ_AND_WRITE: &[AccessKind] = &[AccessKind::Read, AccessKind::Write];

/// A procedure is called, certainly or perhaps.
///
/// The arguments must be in the order of the procedure's dummy arguments; where their numbers differ, each argument counts
/// as being used in every way in which the procedure uses any of them.
pub(super) fn call<'a>(
    recorder: &mut Recorder<'a, '_>,
    callee: &'a Callee,
    arguments: &'a [Expression],
    span: Span,
    certainty: Certainty,
) {
    match callee {
        Callee::PureIntrinsic(name) => {
            let evaluated = evaluated_arguments(recorder.procedure, name, arguments);
            evaluated.iter().for_each(|argument| read(recorder, argument));
        }
        Callee::Procedure(id) => {
            let summary = recorder.summaries.of(*id);
            let (name, dummies) = match recorder.summaries.callee(*id) {
                Some(called) => (called.name.clone(), called.dummies.len()),
                None => (String::new(), 0),
            };
            let call = GivenCall { callee: *id, arguments };
            call_given(recorder, &summary, &name, dummies, call, span, certainty);
        }
        Callee::Unknown(name) => {
            let known = memory_use(name).filter(|_| recorder.summaries.is_external_name(recorder.procedure, name));
            for argument in arguments {
                touch(recorder, argument, READ_AND_WRITE);
                touch_beside_array(recorder, argument, READ_AND_WRITE);
            }
            match known {
                Some(MemoryUse::Arguments) => {}
                Some(MemoryUse::Remembered) => recorder.push(Event::Everything { private_too: true }),
                None => {
                    recorder.push(Event::Everything { private_too: false });
                    recorder.push(Event::External(ExternalKind::UnknownProcedure(name.clone())));
                    recorder.leave(&format!("`{name}`, which is not among the given files, may not return"), true);
                }
            }
        }
    }
}

/// Of how many elements behind the argument a procedure makes use is not known: the members of COMMON blocks behind it may
/// be among them. Integers without bounds are taken for lengths and increments.
fn touch_beside_array<'a>(recorder: &mut Recorder<'a, '_>, argument: &'a Expression, kinds: &[AccessKind]) {
    let Some(id) = argument.designated() else { return };
    let is_section = matches!(argument.kind, ExpressionKind::Section { .. });
    if !is_section && !recorder.procedure.symbol(id).is_integer_scalar() {
        touch_same_storage(recorder, id, kinds, argument);
    }
}

fn call_given<'a>(
    recorder: &mut Recorder<'a, '_>,
    summary: &Summary,
    name: &str,
    dummies: usize,
    call: GivenCall<'a>,
    span: Span,
    certainty: Certainty,
) {
    let arguments = call.arguments;
    let is_described = summary.accesses.is_some() && arguments.len() <= dummies;
    for (position, argument) in arguments.iter().enumerate() {
        let is_used = |positions: &BTreeSet<usize>| {
            if summary.everything {
                true
            } else if arguments.len() == dummies {
                positions.contains(&position)
            } else {
                !positions.is_empty()
            }
        };
        if is_described && argument.designated().is_some() {
            // What of it is touched follows below.
            argument.children().into_iter().for_each(|operand| read(recorder, operand));
            if let ExpressionKind::Part { through_pointer: true, .. } = argument.kind {
                for kind in READ_AND_WRITE {
                    recorder.access(Touched::Targets, *kind, Certainty::May, span);
                }
            }
            continue;
        }
        let mut kinds = Vec::new();
        if is_used(&summary.dummies_read) {
            kinds.push(AccessKind::Read);
        }
        if is_used(&summary.dummies_written) {
            kinds.push(AccessKind::Write);
        }
        // An expression is evaluated for the call, whatever becomes of its value.
        touch(recorder, argument, &kinds);
        touch_beside_array(recorder, argument, &kinds);
    }
    let accesses = summary.accesses.as_deref().filter(|_| is_described).unwrap_or_default();
    // Reads come first, what may change the value of a subscript last: all regions are over the values before the call.
    for (kind, is_scalar) in
        [(AccessKind::Read, None), (AccessKind::Write, Some(false)), (AccessKind::Write, Some(true))]
    {
        let is_next = |access: &HandedAccess| access.kind == kind && is_scalar.is_none_or(|is| access.is_scalar == is);
        for (index, access) in accesses.iter().enumerate().filter(|(_, access)| is_next(access)) {
            let shown = match access.owner {
                Owner::Dummy(position) => arguments.get(position).map_or(span, |argument| argument.span),
                Owner::Place(_) => span,
            };
            if let Some(symbol) = handed_symbol(recorder.procedure, recorder.summaries, call, index)
                && recorder.is_variable(symbol)
            {
                recorder.access(Touched::Handed { call, access: index }, kind, access.certainty.min(certainty), shown);
            }
        }
    }
    touch_aliases(recorder, summary, span);
    let is_described_at =
        |place: &Place| is_described && place.is_one_variable() && !summary.hidden_places.contains(place);
    let uses_host = |places: &BTreeSet<Place>| places.iter().any(Place::is_of_host);
    let (reads_host, writes_host) = (uses_host(&summary.places_read), uses_host(&summary.places_written));
    let (mut named, mut names_host) = (BTreeSet::new(), false);
    for symbol in (0..recorder.procedure.symbols.len()).map(SymbolId) {
        let variable = recorder.procedure.symbol(symbol);
        let place = variable.known_place();
        let may_be_of_host = is_own_of_host(variable);
        named.extend(place.filter(|place| summary.places_written.contains(place)));
        names_host |= may_be_of_host;
        for (places, uses_host, kind) in [
            (&summary.places_read, reads_host, AccessKind::Read),
            (&summary.places_written, writes_host, AccessKind::Write),
        ] {
            let is_at = |place: &Place| places.contains(place) && !is_described_at(place);
            if uses_host && may_be_of_host || place.is_some_and(is_at) {
                recorder.whole(symbol, kind, span);
            }
        }
        let block = variable.storage.common_block();
        for (blocks, kind) in [(&summary.blocks_read, AccessKind::Read), (&summary.blocks_written, AccessKind::Write)] {
            if block.is_some_and(|block| blocks.contains(block)) {
                recorder.whole(symbol, kind, span);
            }
        }
    }
    if summary.reads_targets {
        recorder.access(Touched::Targets, AccessKind::Read, Certainty::May, span);
    }
    if summary.writes_targets {
        recorder.access(Touched::Targets, AccessKind::Write, Certainty::May, span);
    }
    for (objects, kind) in [(&summary.objects_read, AccessKind::Read), (&summary.objects_written, AccessKind::Write)] {
        for &object in objects {
            recorder.access(Touched::Object(object), kind, Certainty::May, span);
        }
    }
    if summary.everything {
        recorder.push(Event::Everything { private_too: false });
    }
    if summary.external {
        recorder.push(Event::External(ExternalKind::Procedure(name.to_owned())));
    }
    let has_name = |place: &Place| named.contains(place) || names_host && place.is_of_host();
    // Of a block something without a name may be written.
    let is_hidden = !summary.blocks_written.is_empty() || !summary.places_written.iter().all(has_name);
    if summary.keeps_private_state || is_hidden {
        recorder.push(Event::HiddenState { callee: name.to_owned() });
    }
    if let Some(why) = &summary.may_not_return {
        recorder.leave(&format!("`{name}` may not return: {why}"), true);
    }
}

/// What a called procedure touches and the caller has no name for may be one of the caller's arguments.
fn touch_aliases(recorder: &mut Recorder, summary: &Summary, span: Span) {
    let procedure = recorder.procedure;
    if procedure.aliases.is_empty() {
        return;
    }
    for (places, blocks, kind) in [
        (&summary.places_read, &summary.blocks_read, AccessKind::Read),
        (&summary.places_written, &summary.blocks_written, AccessKind::Write),
    ] {
        let is_touched =
            |place: &Place| places.contains(place) || place.block().is_some_and(|block| blocks.contains(block));
        procedure.aliases.dummies_at(is_touched).for_each(|dummy| recorder.whole(dummy, kind, span));
    }
}

/// May the caller's variable be one that a procedure inside the caller uses by its host's name? What a contained procedure uses
/// of its host is the host's own in the host itself, marked as a target there.
fn is_own_of_host(variable: &Symbol) -> bool {
    variable.target && !matches!(variable.storage, Storage::Global(_))
}
