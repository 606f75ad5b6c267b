//! Operations that a called procedure begins for its caller: it stores their requests in an argument.
//!
//! Their buffers are told by the caller's names: what it hands over, or what both see.

use std::collections::BTreeSet;

use crate::analysis::memory::overrun::{beside, is_member};
use crate::ir::{ExpressionKind, Procedure, Storage, SymbolClass, SymbolId};

use super::completion::{Completion, is_another_in_each_run, names, operations_into};
use super::event::GivenCall;
use super::summary::Summaries;

/// The operations whose requests a call of `caller` may store in its variable `request`, which it names.
pub(super) fn handed_operations(
    summaries: &Summaries,
    (caller, request): (&Procedure, SymbolId),
    call: GivenCall,
    deepest_call: usize,
) -> Completion {
    let (Some(callee), Some(deepest_call)) = (summaries.callee(call.callee), deepest_call.checked_sub(1)) else {
        return Completion::Unknown;
    };
    let mut all = Completion::nothing();
    for (position, argument) in call.arguments.iter().enumerate() {
        if !names([argument].into_iter(), request) {
            continue;
        }
        let is_it = matches!(argument.kind, ExpressionKind::Symbol(_) | ExpressionKind::Element { .. })
            && argument.designated() == Some(request)
            && !names(argument.children().into_iter(), request);
        let dummy = callee.dummies.get(position).copied().filter(|&dummy| is_it && is_plain(callee, dummy));
        let found = match dummy {
            Some(dummy) => operations_into(summaries, callee, dummy, deepest_call),
            None => Completion::Unknown,
        };
        all = all.join(of_caller(found, (caller, request), callee, call).unwrap_or(Completion::Unknown));
    }
    all
}

/// Is the dummy argument the only name of its procedure for what it is given?
fn is_plain(callee: &Procedure, dummy: SymbolId) -> bool {
    let symbol = callee.symbol(dummy);
    symbol.class == SymbolClass::Variable
        && symbol.storage == Storage::Dummy
        && symbol.overlay.is_none()
        && !symbol.target
        && !symbol.volatile
}

/// The same operations, with the caller's names for their buffers; `None` if it has none for one of them.
fn of_caller(
    found: Completion,
    (caller, request): (&Procedure, SymbolId),
    callee: &Procedure,
    call: GivenCall,
) -> Option<Completion> {
    let Completion::Of { read, written } = found else { return None };
    let all_of = |buffers: BTreeSet<SymbolId>| -> Option<BTreeSet<SymbolId>> {
        let names = buffers.into_iter().map(|buffer| {
            let name = buffer_of_caller(caller, callee, call, buffer)?;
            (!is_another_in_each_run(caller, name, request)).then_some(name)
        });
        names.collect()
    };
    Some(Completion::Of { read: all_of(read)?, written: all_of(written)? })
}

/// The caller's variable that holds the memory of the called procedure's variable.
fn buffer_of_caller(caller: &Procedure, callee: &Procedure, call: GivenCall, buffer: SymbolId) -> Option<SymbolId> {
    let holder = callee.holder_of(buffer);
    let (own, part) = (callee.symbol(holder), callee.symbol(buffer));
    if part.storage == Storage::Pointer || own.storage == Storage::Pointer || own.overlay.is_some() {
        return None;
    }
    let name = match callee.dummies.iter().position(|&dummy| dummy == holder) {
        Some(position) => {
            let argument = call.arguments.get(position)?;
            let name = argument.designated()?;
            let actual = caller.symbol(name);
            let is_array = actual.rank() > 0;
            // Old programs hand on an array by a dummy argument that is declared as a scalar.
            let is_one = own.rank() == 0 && (actual.storage != Storage::Dummy || holder != buffer);
            match argument.kind {
                ExpressionKind::Symbol(_) => is_array || is_one,
                ExpressionKind::Element { .. } | ExpressionKind::Section { .. } => is_array,
                _ => false,
            }
            .then_some(name)?
        }
        None => {
            let place = own.known_place().filter(|place| place.is_one_variable())?;
            caller.symbols.iter().position(|symbol| symbol.is_at(place)).map(SymbolId)?
        }
    };
    let symbol = caller.symbol(name);
    let is_alone = !is_member(caller, name) && beside(caller, name).is_empty() && symbol.overlay.is_none();
    (symbol.class == SymbolClass::Variable && symbol.storage != Storage::Pointer && is_alone).then_some(name)
}
